# Catch2 2 (Debian 12) and 3 (Ubuntu 24.04), and contextual_add_unit_test.

find_package(Catch2 REQUIRED)
include(Catch)

if(NOT TARGET Catch2::Catch2WithMain)
  # Catch2 2 as its own build installs it: headers only, main is ours.
  add_library(contextual_catch_main OBJECT "${PROJECT_SOURCE_DIR}/tests/support/catch_main.cpp")
  contextual_target_defaults(contextual_catch_main)
  target_link_libraries(contextual_catch_main PUBLIC Catch2::Catch2)
  add_library(Catch2::Catch2WithMain ALIAS contextual_catch_main)
endif()

# contextual_test_defaults(<target>): of a program of tests. It runs once for each time it is compiled, so compiling it
# should not take long; the library that it tests is compiled as users have it.
function(contextual_test_defaults target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  if(CONTEXTUAL_JOIN_TEST_FILES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# contextual_add_unit_test(<folder> SOURCES <files> [LIBRARIES <targets>] [PUBLIC_ONLY])
#
# One executable test_<folder>, one test of label `unit` for each Catch2 test case. It is linked to the
# library's and contextual::testing's objects, so it may use private headers ("contextual/policy/x.hpp") and hidden symbols; with
# PUBLIC_ONLY it is linked to the libraries themselves, as a user would be.
function(contextual_add_unit_test folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PUBLIC_ONLY" "" "SOURCES;LIBRARIES")
  if(NOT arg_SOURCES)
    message(STATUS "tests/unit/${folder}: no tests yet")
    return()
  endif()
  set(target test_${folder})
  add_executable(${target} ${arg_SOURCES})
  contextual_target_defaults(${target})
  contextual_test_defaults(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  if(arg_PUBLIC_ONLY)
    target_link_libraries(${target} PRIVATE contextual::testing)
  else()
    target_link_libraries(${target} PRIVATE contextual_testing_internal)
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} Catch2::Catch2WithMain)
  catch_discover_tests(${target} TEST_PREFIX "${folder}/" PROPERTIES LABELS unit TIMEOUT 300)
endfunction()
