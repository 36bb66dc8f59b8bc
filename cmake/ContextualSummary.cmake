# What was chosen, in one place.

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

get_target_property(library_type contextual TYPE)
message(STATUS "contextual ${PROJECT_VERSION}")
message(STATUS "  library      ${library_type}, ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
message(STATUS "  tests        ${CONTEXTUAL_BUILD_TESTS}")
message(STATUS "  examples     ${CONTEXTUAL_BUILD_EXAMPLES}")
message(STATUS "  benchmarks   ${CONTEXTUAL_BUILD_BENCHMARKS}")
message(STATUS "  tools        ${CONTEXTUAL_BUILD_TOOLS}")
message(STATUS "  sanitizers   ${CONTEXTUAL_SANITIZE}")
message(STATUS "  as errors    ${CONTEXTUAL_WARNINGS_AS_ERRORS}")
message(STATUS "  ccache       ${CMAKE_CXX_COMPILER_LAUNCHER}")
