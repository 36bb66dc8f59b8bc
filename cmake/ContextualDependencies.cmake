# What the build needs. A consumer of the library needs none of it but threads: see
# contextual_use_private_dependencies.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
if(CONTEXTUAL_BUILD_EXAMPLES OR CONTEXTUAL_BUILD_TOOLS OR CONTEXTUAL_BUILD_BENCHMARKS)
  find_package(CLI11 REQUIRED)
endif()
if(CONTEXTUAL_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

set(CONTEXTUAL_HAS_MPI FALSE)
if(CONTEXTUAL_ENABLE_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS CXX)
  set(CONTEXTUAL_HAS_MPI ${MPI_FOUND})
elseif(CONTEXTUAL_ENABLE_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  set(CONTEXTUAL_HAS_MPI TRUE)
endif()

set(CONTEXTUAL_HAS_CUDA ${CONTEXTUAL_ENABLE_CUDA})
if(CONTEXTUAL_HAS_CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()

# Compiles <target> against spdlog, fmt and nlohmann/json as headers, without linking to their targets. So
# neither the exported package of a static build nor the shared library at run time refers to them, and
# the copies inside stay hidden from the ones a consumer may have.
function(contextual_use_private_dependencies target)
  set(packages spdlog::spdlog_header_only nlohmann_json::nlohmann_json)
  if(TARGET fmt::fmt-header-only)
    list(APPEND packages fmt::fmt-header-only)
  endif()
  foreach(package IN LISTS packages)
    target_include_directories(${target} SYSTEM PRIVATE
      $<TARGET_PROPERTY:${package},INTERFACE_INCLUDE_DIRECTORIES>)
    # FMT_SHARED, which comes with the compiled fmt, would export its symbols from ours.
    target_compile_definitions(${target} PRIVATE
      $<FILTER:$<TARGET_PROPERTY:${package},INTERFACE_COMPILE_DEFINITIONS>,EXCLUDE,^FMT_SHARED$>)
  endforeach()
  target_compile_definitions(${target} PRIVATE FMT_HEADER_ONLY=1)
endfunction()
