# The installed product: the library with its public headers, CMake and pkg-config files, the program, its manual page and completions.
include(CMakePackageConfigHelpers)

# plumb.h and everything that it includes, directly or not.
set(waiting plumb/plumb.h)
set(public "")
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST public)
    continue()
  endif()
  list(APPEND public ${header})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} includes REGEX "#include \"plumb/")
  foreach(include IN LISTS includes)
    string(REGEX MATCH "\"(plumb/[^\"]+)\"" _ "${include}")
    list(APPEND waiting ${CMAKE_MATCH_1})
  endforeach()
endwhile()

install(TARGETS plumb_library EXPORT plumb)
install(TARGETS plumb_program)
install(EXPORT plumb NAMESPACE plumb:: FILE plumb-targets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/plumb-config.cmake.in ${PROJECT_BINARY_DIR}/plumb-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumb-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plumb-config.cmake ${PROJECT_BINARY_DIR}/plumb-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findutf8proc.cmake ${PROJECT_SOURCE_DIR}/cmake/Findlibstemmer.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findre2.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
# ${pcfiledir} keeps the installed tree movable.
file(RELATIVE_PATH PLUMB_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/plumb.pc.in ${PROJECT_BINARY_DIR}/plumb.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plumb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/plumb)

# Everything that is installed and must be built before: `cmake --build DIR --target product && cmake --install DIR`.
add_custom_target(product DEPENDS plumb_library plumb_program)
if(NOT CMAKE_CROSSCOMPILING)
  set(pages ${PROJECT_BINARY_DIR}/pages)
  add_custom_command(OUTPUT ${pages}/plumb.1 ${pages}/plumb.bash ${pages}/_plumb ${pages}/plumb.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
    COMMAND plumb_program man > ${pages}/plumb.1
    COMMAND plumb_program completion bash > ${pages}/plumb.bash
    COMMAND plumb_program completion zsh > ${pages}/_plumb
    COMMAND plumb_program completion fish > ${pages}/plumb.fish
    DEPENDS plumb_program VERBATIM)
  add_custom_target(plumb_pages ALL DEPENDS ${pages}/plumb.1)
  add_dependencies(product plumb_pages)
  install(FILES ${pages}/plumb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${pages}/plumb.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME plumb)
  install(FILES ${pages}/_plumb DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${pages}/plumb.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
