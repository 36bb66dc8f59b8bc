# cmake -D readme=<README.md> -D folder=<where> -P cut.cmake
#
# Writes the program of the README's section "One function", as it stands there, and its CMake lines to <folder>, with a
# test that runs it: it prints its choice, or says that there is no GPU.

file(READ "${readme}" text)
# A list would end where brackets or semicolons are: the blocks are found by their fences.
string(FIND "${text}" "\n## One function\n" section)
if(section EQUAL -1)
  message(FATAL_ERROR "${readme} has no section \"One function\"")
endif()
string(SUBSTRING "${text}" ${section} -1 text)

function(cut_block language result)
  string(FIND "${text}" "```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${readme} has no ${language} block in \"One function\"")
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
file(WRITE "${folder}/add.cu" "${program}")
file(WRITE "${folder}/CMakeLists.txt" "${lines}
enable_testing()
add_test(NAME readme COMMAND add)
set_tests_properties(readme PROPERTIES PASS_REGULAR_EXPRESSION \"THREADS: 256;There is no GPU to tune on: .\")
")
