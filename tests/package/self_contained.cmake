# Neither the shared <library> (needed libraries, exported symbols) nor the <package> files and headers
# may refer to the private dependencies.

function(check_clean what text)
  string(REGEX MATCHALL "[^\n]*(spdlog|nlohmann|fmt::v|libfmt|fmt/)[^\n]*" found "${text}")
  if(found)
    list(JOIN found "\n  " lines)
    message(FATAL_ERROR "${what} must not refer to private dependencies, but has\n  ${lines}")
  endif()
endfunction()

execute_process(COMMAND "${readelf}" -d "${library}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
check_clean("The dynamic section of ${library}" "${dynamic}")
if(NOT dynamic MATCHES "SONAME")
  message(FATAL_ERROR "${library} has no SONAME:\n${dynamic}")
endif()

execute_process(COMMAND "${nm}" -DC --defined-only "${library}" OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
check_clean("The exported symbols of ${library}" "${symbols}")
if(symbols MATCHES "contextual::policy::")
  message(FATAL_ERROR "${library} exports private symbols of contextual::policy")
endif()
if(symbols MATCHES "contextual::testing::")
  message(FATAL_ERROR "${library} has what is for tests: that is contextual::testing's")
endif()

file(GLOB_RECURSE files "${package}/*.hpp" "${package}/*.cmake")
if(NOT files)
  message(FATAL_ERROR "${package} holds no package")
endif()
foreach(file IN LISTS files)
  file(READ "${file}" text)
  check_clean("${file}" "${text}")
endforeach()
