# What can be chosen, with defaults that differ when another project includes this one by add_subdirectory.

option(BUILD_SHARED_LIBS "Build the library as a shared library" ON)
option(CONTEXTUAL_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(CONTEXTUAL_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(CONTEXTUAL_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(CONTEXTUAL_BUILD_TOOLS "Build the command line tools" ${PROJECT_IS_TOP_LEVEL})
option(CONTEXTUAL_INSTALL "Generate install rules" ${PROJECT_IS_TOP_LEVEL})
option(CONTEXTUAL_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
set(CONTEXTUAL_SANITIZE "" CACHE STRING "Sanitizers for everything built here: 'address;undefined' or 'thread'")

# On where found; asked for but missing is an error (ContextualDependencies), never a silent fallback.
set(CONTEXTUAL_ENABLE_MPI "AUTO" CACHE STRING "Communicator over MPI: ON, OFF or AUTO (where found)")
set_property(CACHE CONTEXTUAL_ENABLE_MPI PROPERTY STRINGS AUTO ON OFF)
set(CONTEXTUAL_ENABLE_CUDA "AUTO" CACHE STRING "Kernels and timers for NVIDIA GPUs: ON, OFF or AUTO (where the toolkit is found)")
set_property(CACHE CONTEXTUAL_ENABLE_CUDA PROPERTY STRINGS AUTO ON OFF)
foreach(feature IN ITEMS NCCL)
  if(CONTEXTUAL_ENABLE_${feature})
    message(FATAL_ERROR "CONTEXTUAL_ENABLE_${feature}=ON: contextual ${PROJECT_VERSION} has no ${feature} part yet. "
                        "Leave the option out.")
  endif()
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(CONTEXTUAL_CCACHE ccache)
  mark_as_advanced(CONTEXTUAL_CCACHE)
  if(CONTEXTUAL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CONTEXTUAL_CCACHE}")
  endif()
endif()
