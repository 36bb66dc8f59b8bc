# contextual_target_defaults(<target>): the language level, visibility, warnings and sanitizers of
# every target of this project. Nothing of it reaches a consumer.

function(contextual_target_defaults target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20
    CXX_STANDARD_REQUIRED ON
    CXX_EXTENSIONS OFF
    CUDA_STANDARD 20
    CUDA_STANDARD_REQUIRED ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  set(of_cxx "$<COMPILE_LANGUAGE:CXX>")
  target_compile_options(${target} PRIVATE "$<${of_cxx}:-Wall;-Wextra;-Wpedantic>"
    # GCC 12 warns of overlapping copies inside std::string's operator+ (GCC bug 105651, fixed in 13).
    $<$<AND:${of_cxx},$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    # To GCC, files that are compiled as one are headers, whose anonymous namespaces should not be in types.
    $<$<AND:${of_cxx},$<CXX_COMPILER_ID:GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wno-subobject-linkage>
    $<$<AND:${of_cxx},$<BOOL:${CONTEXTUAL_WARNINGS_AS_ERRORS}>>:-Werror>)
  if(CONTEXTUAL_SANITIZE)
    list(JOIN CONTEXTUAL_SANITIZE "," sanitizers)
    target_compile_options(${target} PRIVATE
      "$<${of_cxx}:-fsanitize=${sanitizers};-fno-sanitize-recover=all;-fno-omit-frame-pointer>"
      # What the sanitizers add makes GCC see copies out of bounds inside spdlog (13, thread) and strings
      # read before they are set inside std::variant (12, address).
      "$<$<AND:${of_cxx},$<CXX_COMPILER_ID:GNU>>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-maybe-uninitialized>")
    target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
  endif()
endfunction()

# contextual_favour_small_code(<target> [SOURCES <files>]): of a target, or of some of its sources. What only
# launches that are being tuned run through finds cold instruction caches, so code that is small is faster than
# code that is unrolled. Replaces only the -O3 that is CMake's default of a release.
function(contextual_favour_small_code target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-O3")
    return()
  endif()
  if(arg_SOURCES)
    set_source_files_properties(${arg_SOURCES} TARGET_DIRECTORY ${target}
      PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>")
  else()
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O2>)
  endif()
endfunction()

# contextual_compile_apart(<target> <files>): of a build that compiles several files of a target as one (CMAKE_UNITY_BUILD),
# which needs names that are unique in the target: files that have names of their siblings, or set macros for a header.
function(contextual_compile_apart target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# contextual_add_program(<name> SOURCES <files> [LIBRARIES <targets>]): an executable of this project.
function(contextual_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  contextual_target_defaults(${name})
  target_link_libraries(${name} PRIVATE contextual::contextual ${arg_LIBRARIES})
endfunction()

# contextual_export_own_names(<target>): of a shared library, exports only what is contextual's. Hidden visibility is not
# enough: templates of the C++ library are visible all the same, and so is all of it where it is linked in statically.
function(contextual_export_own_names target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set(exports "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/contextual.map")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${exports}")
  endif()
endfunction()

# contextual_public_library(<target> <name>): what the libraries that users link have in common. It is contextual::<name>
# in this build and in the package, and ContextualInstall installs it.
function(contextual_public_library target name)
  add_library(contextual::${name} ALIAS ${target})
  contextual_target_defaults(${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    LINKER_LANGUAGE CXX
    INSTALL_RPATH "$ORIGIN"
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  contextual_export_own_names(${target})
  set_property(GLOBAL APPEND PROPERTY CONTEXTUAL_PUBLIC_LIBRARIES ${name})
endfunction()
