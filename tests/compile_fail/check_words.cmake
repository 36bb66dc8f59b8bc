# cmake -DCOMPILER=<g++ or clang++> -DSOURCE=<file> -DINCLUDES=<folders> -P check_words.cmake
#
# Fails unless the compiler's first error of SOURCE has the words of its line `// error: <words>`, or, where there is no
# such line, unless SOURCE compiles. A line `// standard: gnu++20` chooses another one than c++20.

list(TRANSFORM INCLUDES PREPEND "-I")
file(READ "${SOURCE}" program)
set(standard c++20)
if(program MATCHES "\n// standard: ([^\n]+)")
  set(standard "${CMAKE_MATCH_1}")
endif()
execute_process(
  COMMAND "${COMPILER}" "-std=${standard}" ${INCLUDES} -c -fsyntax-only "${SOURCE}"
  RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)

if(NOT program MATCHES "^// error: ([^\n]+)")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "this program is right, and does not compile:\n${said}")
  endif()
  return()
endif()
set(words "${CMAKE_MATCH_1}")
if(result EQUAL 0)
  message(FATAL_ERROR "this program compiles; expected: ${words}")
endif()
string(REGEX MATCH "error: [^\n]*" first_error "${said}")
string(FIND "${first_error}" "${words}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the first error should say: ${words}\nThe compiler said:\n${said}")
endif()
