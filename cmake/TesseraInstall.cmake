# What `cmake --install` puts into place: the tools, the headers of emitted code, the runtime and the CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(tessera_headers INTERFACE)
set_target_properties(tessera_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(tessera_headers INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

install(TARGETS tesserac tessera tessera-lsp tessera_runtime tessera_headers EXPORT TesseraTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tessera" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/stdlib/tessera" DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/stdlib)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
install(EXPORT TesseraTargets NAMESPACE Tessera:: DESTINATION ${package_folder})
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TesseraConfig.cmake.in" "${PROJECT_BINARY_DIR}/TesseraConfig.cmake"
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TesseraConfig.cmake" "${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/TesseraAddLibrary.cmake" "${PROJECT_SOURCE_DIR}/cmake/TesseraCheckSet.cmake" DESTINATION ${package_folder})

# The editor of the playground, where `npm ci` has fetched it: what the page uses of it, with its licence.
set(monaco "${PROJECT_SOURCE_DIR}/editors/playground/node_modules/monaco-editor")
install(FILES "${monaco}/min/vs/loader.js" DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/monaco/vs OPTIONAL)
foreach(part editor base basic-languages/cpp)
  get_filename_component(above "${part}" DIRECTORY)
  install(DIRECTORY "${monaco}/min/vs/${part}" DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/monaco/vs/${above} OPTIONAL)
endforeach()
install(FILES "${monaco}/LICENSE" "${monaco}/ThirdPartyNotices.txt" DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/monaco OPTIONAL)
