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

# The library needs the toolkit's headers: cuda.h, nvrtc.h, cupti.h. Kernels, examples and tests need its libraries as
# well, and those with <<<>>> its compiler.
set(CONTEXTUAL_HAS_CUDA FALSE)
if(CONTEXTUAL_ENABLE_CUDA STREQUAL "AUTO")
  find_package(CUDAToolkit 13.0 QUIET)
  if(CUDAToolkit_FOUND AND TARGET CUDA::cudart AND TARGET CUDA::cublasLt AND TARGET CUDA::cupti)
    set(CONTEXTUAL_HAS_CUDA TRUE)
  endif()
elseif(CONTEXTUAL_ENABLE_CUDA)
  find_package(CUDAToolkit 13.0 REQUIRED)
  foreach(part IN ITEMS cudart cublasLt cupti)
    if(NOT TARGET CUDA::${part})
      message(FATAL_ERROR "CONTEXTUAL_ENABLE_CUDA=ON: the CUDA toolkit ${CUDAToolkit_VERSION} has no ${part}")
    endif()
  endforeach()
  set(CONTEXTUAL_HAS_CUDA TRUE)
endif()

# NCCL's header alone: the library is the one that the process has.
set(CONTEXTUAL_HAS_NCCL FALSE)
if(CONTEXTUAL_ENABLE_NCCL)
  if(CONTEXTUAL_HAS_CUDA)
    find_path(CONTEXTUAL_NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_HOME ENV NCCL_ROOT ${CUDAToolkit_INCLUDE_DIRS}
      PATH_SUFFIXES include)
    mark_as_advanced(CONTEXTUAL_NCCL_INCLUDE_DIR)
  endif()
  if(CONTEXTUAL_HAS_CUDA AND CONTEXTUAL_NCCL_INCLUDE_DIR)
    set(CONTEXTUAL_HAS_NCCL TRUE)
  elseif(NOT CONTEXTUAL_ENABLE_NCCL STREQUAL "AUTO" AND NOT CONTEXTUAL_HAS_CUDA)
    message(FATAL_ERROR "CONTEXTUAL_ENABLE_NCCL=ON needs the CUDA part (CONTEXTUAL_ENABLE_CUDA)")
  elseif(NOT CONTEXTUAL_ENABLE_NCCL STREQUAL "AUTO")
    message(FATAL_ERROR "CONTEXTUAL_ENABLE_NCCL=ON: nccl.h was not found. Set CONTEXTUAL_NCCL_INCLUDE_DIR to its folder")
  endif()
endif()
set(CONTEXTUAL_HAS_CUDA_COMPILER FALSE)
if(CONTEXTUAL_HAS_CUDA AND (CONTEXTUAL_BUILD_TESTS OR CONTEXTUAL_BUILD_EXAMPLES OR CONTEXTUAL_BUILD_BENCHMARKS))
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND CUDAToolkit_NVCC_EXECUTABLE)
    set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-virtual 90-real)
    endif()
    enable_language(CUDA)
    set(CONTEXTUAL_HAS_CUDA_COMPILER TRUE)
  endif()
endif()

# CMake 3.25 does not know that nvcc has C++20, which contextual asks of the languages it is used in. A project that has this
# one inside needs to know it as well.
if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  foreach(kind IN ITEMS STANDARD EXTENSION)
    set(CMAKE_CUDA20_${kind}_COMPILE_OPTION "-std=c++20")
    if(NOT PROJECT_IS_TOP_LEVEL)
      set(CMAKE_CUDA20_${kind}_COMPILE_OPTION "-std=c++20" PARENT_SCOPE)
    endif()
  endforeach()
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
