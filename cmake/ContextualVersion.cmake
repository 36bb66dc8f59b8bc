# Reads contextual_version, such as 0.1.0, from the public header that says it.

set(version_header "${CMAKE_CURRENT_SOURCE_DIR}/include/contextual/version.hpp")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${version_header}")
file(READ "${version_header}" version_text)
set(contextual_version)
foreach(part IN ITEMS MAJOR MINOR PATCH)
  if(NOT version_text MATCHES "#define CONTEXTUAL_VERSION_${part} ([0-9]+)")
    message(FATAL_ERROR "${version_header} does not define CONTEXTUAL_VERSION_${part}")
  endif()
  list(APPEND contextual_version ${CMAKE_MATCH_1})
endforeach()
list(JOIN contextual_version "." contextual_version)
