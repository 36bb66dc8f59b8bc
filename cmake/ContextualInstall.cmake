# Install rules, and the package files for find_package(contextual) from the install tree and, with
# contextual_DIR=<build directory>, from the build tree.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(contextual_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/contextual")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/contextualConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/contextualConfig.cmake" INSTALL_DESTINATION "${contextual_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/contextualConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
export(TARGETS contextual NAMESPACE contextual:: FILE "${PROJECT_BINARY_DIR}/contextualTargets.cmake")
if(CONTEXTUAL_HAS_MPI)
  export(TARGETS contextual_mpi NAMESPACE contextual:: FILE "${PROJECT_BINARY_DIR}/contextualMpiTargets.cmake")
endif()

if(CONTEXTUAL_HAS_CUDA)
  export(TARGETS contextual_cuda NAMESPACE contextual:: FILE "${PROJECT_BINARY_DIR}/contextualCudaTargets.cmake")
endif()

if(CONTEXTUAL_INSTALL)
  install(TARGETS contextual EXPORT contextualTargets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/contextual" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT contextualTargets NAMESPACE contextual:: DESTINATION "${contextual_package_dir}")
  if(CONTEXTUAL_HAS_MPI)
    install(TARGETS contextual_mpi EXPORT contextualMpiTargets
      RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
      LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(EXPORT contextualMpiTargets NAMESPACE contextual:: DESTINATION "${contextual_package_dir}")
  endif()
  if(CONTEXTUAL_HAS_CUDA)
    install(TARGETS contextual_cuda EXPORT contextualCudaTargets
      RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
      LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(EXPORT contextualCudaTargets NAMESPACE contextual:: DESTINATION "${contextual_package_dir}")
  endif()
  install(FILES "${PROJECT_BINARY_DIR}/contextualConfig.cmake"
    "${PROJECT_BINARY_DIR}/contextualConfigVersion.cmake" DESTINATION "${contextual_package_dir}")
endif()
