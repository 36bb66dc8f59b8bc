# Catch2 2 (Debian 12) and 3 (Ubuntu 24.04), contextual_discover_tests and contextual_add_unit_test.

find_package(Catch2 REQUIRED)

if(NOT TARGET Catch2::Catch2WithMain)
  # Catch2 2 as its own build installs it: headers only, main is ours.
  add_library(contextual_catch_main OBJECT "${PROJECT_SOURCE_DIR}/tests/support/catch_main.cpp")
  contextual_target_defaults(contextual_catch_main)
  target_link_libraries(contextual_catch_main PUBLIC Catch2::Catch2)
  add_library(Catch2::Catch2WithMain ALIAS contextual_catch_main)
endif()

# contextual_discover_tests(<target> <prefix> <test property>...): ctest starts the program once for each of its files
# <name>_test.cpp, which all files with test cases are named, or once if it has none of that name.
function(contextual_discover_tests target prefix)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    add_test(NAME "${prefix}" COMMAND ${target})
    set_tests_properties("${prefix}" PROPERTIES TIMEOUT 300 ${ARGN})
  endif()
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" NAME_WE)
    string(REGEX REPLACE "_test$" "" name "${prefix}/${file}")
    add_test(NAME "${name}" COMMAND ${target} --filenames-as-tags "[#${file}]")
    set_tests_properties("${name}" PROPERTIES TIMEOUT 300 ${ARGN})
  endforeach()
endfunction()

# contextual_add_unit_test(<folder> SOURCES <files> [LIBRARIES <targets>] [PUBLIC_ONLY])
#
# One executable test_<folder>, whose tests have the label `unit`. It is linked to the
# library's and contextual::testing's objects, so it may use private headers ("contextual/policy/x.hpp") and hidden symbols; with
# PUBLIC_ONLY it is linked to the libraries themselves, as a user would be.
function(contextual_add_unit_test folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PUBLIC_ONLY" "" "SOURCES;LIBRARIES")
  set(target test_${folder})
  add_executable(${target} ${arg_SOURCES})
  contextual_target_defaults(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  if(arg_PUBLIC_ONLY)
    target_link_libraries(${target} PRIVATE contextual::testing)
  else()
    target_link_libraries(${target} PRIVATE contextual_testing_internal)
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} Catch2::Catch2WithMain)
  contextual_discover_tests(${target} ${folder} LABELS unit)
endfunction()
