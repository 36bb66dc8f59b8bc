# cmake -D document=<page.md> -D section=<heading> -D file=<name> -D prints=<regular expression> -D folder=<where> -P cut.cmake
#
# Writes the program of a page's section, as it stands there, and its CMake lines to <folder>, with a test that runs it.
# What is there as add_subdirectory(contextual EXCLUDE_FROM_ALL) is found as a package.

file(READ "${document}" text)
# A list would end where brackets or semicolons are: the blocks are found by their fences.
string(FIND "${text}" "\n## ${section}\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${document} has no section \"${section}\"")
endif()
string(SUBSTRING "${text}" ${begin} -1 text)

function(cut_block language result)
  string(FIND "${text}" "```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${document} has no ${language} block in \"${section}\"")
  endif()
  string(LENGTH "```${language}\n" fence)
  math(EXPR begin "${begin} + ${fence}")
  string(SUBSTRING "${text}" ${begin} -1 block)
  string(FIND "${block}" "\n```" end)
  string(SUBSTRING "${block}" 0 ${end} block)
  set(${result} "${block}\n" PARENT_SCOPE)
endfunction()

cut_block(cpp program)
cut_block(cmake lines)
string(REPLACE "add_subdirectory(contextual EXCLUDE_FROM_ALL)" "find_package(contextual 0.1 REQUIRED)" lines "${lines}")
get_filename_component(name "${file}" NAME_WE)
file(WRITE "${folder}/${file}" "${program}")
file(WRITE "${folder}/CMakeLists.txt" "${lines}
enable_testing()
add_test(NAME ${name} COMMAND ${name})
set_tests_properties(${name} PROPERTIES ENVIRONMENT CONTEXTUAL_PRINT_AUTOTUNING=1 PASS_REGULAR_EXPRESSION \"${prints}\")
")
