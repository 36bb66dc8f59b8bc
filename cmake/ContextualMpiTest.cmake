# Tests that run as several processes, label `mpi`.

if(NOT TARGET contextual_mpi_test_main)
  add_library(contextual_mpi_test_main OBJECT "${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp")
  contextual_target_defaults(contextual_mpi_test_main)
  target_include_directories(contextual_mpi_test_main PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(contextual_mpi_test_main PRIVATE contextual::mpi Catch2::Catch2)
endif()

# contextual_add_mpi_test_program(<target> SOURCES <files> [LIBRARIES <targets>])
#
# A Catch2 program whose main initialises MPI: every rank runs the same test cases, and the program fails when
# one of them does.
function(contextual_add_mpi_test_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${target} ${arg_SOURCES} $<TARGET_OBJECTS:contextual_mpi_test_main>)
  contextual_target_defaults(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE contextual::mpi ${arg_LIBRARIES} Catch2::Catch2)
endfunction()

# contextual_add_mpi_test(<test> RANKS <count>... COMMAND <target or program> [<argument>...] [TIMEOUT <s>])
#
# One test for each count. Ranks may share cores, and mpirun may be run by root, as in a container. They are not bound
# to cores: tests that run at the same time would all be bound to the first ones.
function(contextual_add_mpi_test test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "RANKS;COMMAND")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program "$<TARGET_FILE:${program}>")
  endif()
  set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none NCCL_NVLS_ENABLE=0 NVSHMEM_DISABLE_NVLS=1)
  foreach(ranks IN LISTS arg_RANKS)
    set(name "mpi/${test}, ${ranks} ranks")
    add_test(NAME "${name}" COMMAND "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${ranks}
      ${MPIEXEC_PREFLAGS} "${program}" ${arg_COMMAND} ${MPIEXEC_POSTFLAGS})
    set_tests_properties("${name}" PROPERTIES LABELS mpi TIMEOUT ${arg_TIMEOUT} PROCESSORS ${ranks}
      ENVIRONMENT "${environment}")
  endforeach()
endfunction()
