# contextual_embed(<target> <file>...): makes text files, e.g. CUDA sources for NVRTC, part of the program.
#
# A source of the target has the text as `constexpr const char* text =` followed by
# `#include "embedded/<file's name>.inc"` on a line of its own.
function(contextual_embed target)
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME)
    file(READ "${CMAKE_CURRENT_SOURCE_DIR}/${file}" text)
    file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.inc"
      CONTENT "R\"embedded(${text})embedded\"\n" TARGET ${target})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
