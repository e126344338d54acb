# What `make install` puts where: command, libraries, headers, pkg-config file, CMake package, manual, completion.
include(CMakePackageConfigHelpers)

install(TARGETS plumb RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(LIBRARIES plumbline_record plumbline)
if(TARGET plumbline_explore)
  list(APPEND LIBRARIES plumbline_explore)
endif()
install(TARGETS ${LIBRARIES} EXPORT PlumblineTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET plumbline_explore_many) # in a folder of its own: it has the name of the other
  install(TARGETS plumbline_explore_many LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/plumbline-many)
endif()
install(DIRECTORY include/plumbline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Plumbline)
install(EXPORT PlumblineTargets NAMESPACE Plumbline:: DESTINATION ${PACKAGE_DIR})
configure_package_config_file(cmake/PlumblineConfig.cmake.in ${PROJECT_BINARY_DIR}/PlumblineConfig.cmake INSTALL_DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PlumblineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PlumblineConfig.cmake ${PROJECT_BINARY_DIR}/PlumblineConfigVersion.cmake DESTINATION ${PACKAGE_DIR})

# pkg-config, one for each library: plumbline, plumbline-record, plumbline-explore. The prefix may be given at
# installation only, so the files are made then.
foreach(library ${LIBRARIES})
  get_target_property(name ${library} OUTPUT_NAME)
  install(CODE "
    set(LIBRARY ${name})
    set(PROJECT_VERSION ${PROJECT_VERSION})
    set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
    set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
    set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/plumbline.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)")
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

foreach(page ${MANUAL_PAGES})
  string(REGEX MATCH "[0-9]$" section ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
if(COMPLETION)
  install(FILES ${GENERATED}/plumb.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME plumb)
  install(FILES ${GENERATED}/plumb.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _plumb)
  install(FILES ${GENERATED}/plumb.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
