# contextual_header_check: compiles every public header alone and twice, so each one includes what it
# needs and is guarded. The list is taken from the folder, so that no header can be forgotten.

file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_SOURCE_DIR}/include/contextual/*.hpp")

set(check_sources)
if(NOT CONTEXTUAL_HAS_MPI)
  list(FILTER public_headers EXCLUDE REGEX "mpi[./]")
endif()
if(NOT CONTEXTUAL_HAS_NCCL)
  list(FILTER public_headers EXCLUDE REGEX "nccl")
endif()
if(NOT CONTEXTUAL_HAS_CUDA)
  list(FILTER public_headers EXCLUDE REGEX "cuda")
endif()
foreach(header IN LISTS public_headers)
  string(REPLACE "/" "_" name "${header}")
  set(check_source "${PROJECT_BINARY_DIR}/header_check/${name}.cpp")
  file(CONFIGURE OUTPUT "${check_source}" CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
  list(APPEND check_sources "${check_source}")
endforeach()

add_library(contextual_header_check OBJECT ${check_sources})
contextual_target_defaults(contextual_header_check)
set_target_properties(contextual_header_check PROPERTIES UNITY_BUILD OFF)
target_compile_options(contextual_header_check PRIVATE $<$<CONFIG:Release>:-O0>)
target_link_libraries(contextual_header_check PRIVATE
  contextual::contextual $<TARGET_NAME_IF_EXISTS:contextual::mpi> $<TARGET_NAME_IF_EXISTS:contextual::cuda>
  $<TARGET_NAME_IF_EXISTS:contextual::nccl>)
