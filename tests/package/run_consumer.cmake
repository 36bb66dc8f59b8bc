# Configures, builds and tests the consumer in <source> from scratch in <binary>.

file(REMOVE_RECURSE "${binary}")
set(unfindable)
if(NOT hint MATCHES "^CONTEXTUAL_SOURCE_DIR=")
  foreach(package IN ITEMS spdlog fmt nlohmann_json)
    list(APPEND unfindable "-DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON")
  endforeach()
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${binary}" -G "${generator}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
    "-D${hint}" ${unfindable}
  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${binary}" COMMAND_ERROR_IS_FATAL ANY)
# What an earlier run has chosen says nothing here.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env CONTEXTUAL_CACHE_DIR=
    "${CMAKE_CTEST_COMMAND}" --test-dir "${binary}" --output-on-failure --no-tests=error
  COMMAND_ERROR_IS_FATAL ANY)
