# cmake -D document=<installing.md> -D program=<main.cpp> -D prefix=<install tree> -D libdir=<lib> -D folder=<where>
#       -P makefile.cmake
#
# Builds and runs a program by the Makefile of the document, as it stands there.

file(READ "${document}" text)
string(FIND "${text}" "```make\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${document} has no Makefile")
endif()
math(EXPR begin "${begin} + 8")
string(SUBSTRING "${text}" ${begin} -1 block)
string(FIND "${block}" "\n```" end)
string(SUBSTRING "${block}" 0 ${end} block)
file(REMOVE_RECURSE "${folder}")
file(WRITE "${folder}/Makefile" "${block}\n")
file(COPY_FILE "${program}" "${folder}/my_program.cpp")
set(environment "PKG_CONFIG_PATH=${prefix}/${libdir}/pkgconfig" CONTEXTUAL_CACHE_DIR= CONTEXTUAL_LOG_DIR=)
execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${environment} make -C "${folder}" my_program
  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${environment} "${folder}/my_program" COMMAND_ERROR_IS_FATAL ANY)
