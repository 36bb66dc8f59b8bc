# Install rules, and the package files for find_package(contextual) from the install tree and, with
# contextual_DIR=<build directory>, from the build tree.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(contextual_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/contextual")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/contextualConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/contextualConfig.cmake" INSTALL_DESTINATION "${contextual_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/contextualConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)

if(CONTEXTUAL_INSTALL)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/contextual" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp")
  install(FILES "${PROJECT_BINARY_DIR}/contextualConfig.cmake"
    "${PROJECT_BINARY_DIR}/contextualConfigVersion.cmake" DESTINATION "${contextual_package_dir}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()

# The library and its components have a file of targets each, since a component is loaded only where it is asked for, and
# one for pkg-config.
file(RELATIVE_PATH up_from_pkgconfig "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" up_from_pkgconfig "${up_from_pkgconfig}")
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
    get_target_property(pkgconfig_requires ${target} INTERFACE_LINK_LIBRARIES)
    list(TRANSFORM pkgconfig_requires REPLACE "^contextual::contextual$" "contextual")
    list(TRANSFORM pkgconfig_requires REPLACE "^contextual::" "contextual_")
    list(FILTER pkgconfig_requires INCLUDE REGEX "^contextual")
    list(JOIN pkgconfig_requires " " pkgconfig_requires)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/contextual.pc.in" "${PROJECT_BINARY_DIR}/pkgconfig/${target}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/pkgconfig/${target}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  endif()
endforeach()
