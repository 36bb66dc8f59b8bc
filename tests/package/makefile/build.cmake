# Cuts the Makefile out of <document>, and builds and runs <program> with it, by the package files below <prefix>.

file(READ "${document}" text)
string(REGEX MATCH "\n```make\n(.*)" behind "${text}")
string(FIND "${CMAKE_MATCH_1}" "\n```" end)
string(SUBSTRING "${CMAKE_MATCH_1}" 0 ${end} makefile)
file(REMOVE_RECURSE "${folder}")
file(WRITE "${folder}/Makefile" "${makefile}\n")
configure_file("${program}" "${folder}/my_program.cpp" COPYONLY)

set(ENV{PKG_CONFIG_PATH} "${prefix}/${libdir}/pkgconfig")
# What an earlier run has chosen says nothing here.
foreach(command IN ITEMS "${make};CXX=${compiler}" "${CMAKE_COMMAND};-E;env;CONTEXTUAL_CACHE_DIR=;${folder}/my_program")
  execute_process(COMMAND ${command} WORKING_DIRECTORY "${folder}" COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endforeach()
