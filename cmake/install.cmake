# What `cmake --install` puts where: library, headers, command, manual page, completion scripts, pkg-config file, CMake package, papers.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The command finds the library by the way from one to the other, so that the installed tree can be moved.
file(RELATIVE_PATH SVF_BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(svforest_command PROPERTIES INSTALL_RPATH "$ORIGIN/${SVF_BIN_TO_LIB}")

install(TARGETS svforest EXPORT svforest-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS svforest_command)
install(FILES include/svforest.h include/svforest_inspect.h include/svforest_parts.h TYPE INCLUDE)
install(FILES LICENSE README.md TYPE DOC OPTIONAL)

# The command writes its own manual page, so that page and program cannot differ.
if(NOT CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT svforest.1 COMMAND svforest_command help man > svforest.1 DEPENDS svforest_command VERBATIM)
  add_custom_target(svforest_manual ALL DEPENDS svforest.1)
  install(FILES ${PROJECT_BINARY_DIR}/svforest.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# So it does with the completion scripts of shells, each under the name and in the folder where its shell looks.
function(svf_completion shell folder name)
  set(script completion.${shell})
  add_custom_command(OUTPUT ${script} COMMAND svforest_command completion ${shell} > ${script} DEPENDS svforest_command
                     VERBATIM)
  add_custom_target(svforest_completion_${shell} ALL DEPENDS ${script})
  install(FILES ${PROJECT_BINARY_DIR}/${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name})
endfunction()
if(NOT CMAKE_CROSSCOMPILING)
  svf_completion(bash bash-completion/completions svforest)
  svf_completion(zsh zsh/site-functions _svforest)
  svf_completion(fish fish/vendor_completions.d svforest.fish)
endif()

# pkg-config finds the prefix from where its file lies; an absolute folder stays as it is.
file(RELATIVE_PATH SVF_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
cmake_path(APPEND SVF_PC_LIBDIR "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND SVF_PC_INCLUDEDIR "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/svforest.pc.in svforest.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/svforest.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(SVF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/svforest)
configure_package_config_file(cmake/svforest-config.cmake.in svforest-config.cmake INSTALL_DESTINATION ${SVF_PACKAGE_DIR})
write_basic_package_version_file(svforest-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT svforest-targets NAMESPACE svforest:: DESTINATION ${SVF_PACKAGE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/svforest-config.cmake ${PROJECT_BINARY_DIR}/svforest-config-version.cmake
        DESTINATION ${SVF_PACKAGE_DIR})
