# Install rules, and the package files for find_package(contextual) from the install tree and, with
# contextual_DIR=<build directory>, from the build tree.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(contextual_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/contextual")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/contextualConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/contextualConfig.cmake" INSTALL_DESTINATION "${contextual_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/contextualConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
# For builds without CMake. An installation may be moved.
file(RELATIVE_PATH contextual_prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/contextual.pc.in" "${PROJECT_BINARY_DIR}/contextual.pc" @ONLY)

if(CONTEXTUAL_INSTALL)
  install(FILES "${PROJECT_BINARY_DIR}/contextual.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/contextual" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp")
  install(FILES "${PROJECT_BINARY_DIR}/contextualConfig.cmake"
    "${PROJECT_BINARY_DIR}/contextualConfigVersion.cmake" DESTINATION "${contextual_package_dir}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()

# The library and its components have a file of targets each, since a component is loaded only where it is asked for.
get_property(public_libraries GLOBAL PROPERTY CONTEXTUAL_PUBLIC_LIBRARIES)
foreach(name IN LISTS public_libraries)
  get_target_property(target contextual::${name} ALIASED_TARGET)
  export(TARGETS ${target} NAMESPACE contextual:: FILE "${PROJECT_BINARY_DIR}/${target}Targets.cmake")
  if(CONTEXTUAL_INSTALL)
    install(TARGETS ${target} EXPORT ${target}Targets
      RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
      LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
      INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
    install(EXPORT ${target}Targets NAMESPACE contextual:: DESTINATION "${contextual_package_dir}")
  endif()
endforeach()
