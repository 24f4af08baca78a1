# weir_install() installs the modules as one package: find_package(weir) gives weir::weir, which is all of
# them, and weir::<module> for each. Headers go along with their modules, tests and benches stay behind.

if(WEIR_INSTALL)
  include(CMakePackageConfigHelpers)
  include(GNUInstallDirs)
endif()

# The headers of one module that a user may come to include: the public ones, and those of internal/ that
# a public one needs.
function(_weir_installed_headers path headers result)
  set(waiting ${headers})
  list(FILTER waiting EXCLUDE REGEX "/internal/[^/]+$|_(test|contract|contract_[a-z]+)\\.h$")
  set(installed "")
  while(waiting)
    list(POP_FRONT waiting header)
    list(APPEND installed ${header})
    file(STRINGS ${header} lines REGEX "^ *# *include +\"weir/${path}/internal/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*\"(weir/[^\"]+)\".*" "${PROJECT_SOURCE_DIR}/src/\\1" needed "${line}")
      if(NOT needed IN_LIST installed AND NOT needed IN_LIST waiting)
        list(APPEND waiting ${needed})
      endif()
    endforeach()
  endwhile()
  set(${result} "${installed}" PARENT_SCOPE)
endfunction()

# Called by weir_module() for each module.
function(weir_install_headers path headers)
  if(NOT WEIR_INSTALL)
    return()
  endif()
  _weir_installed_headers(${path} "${headers}" installed)
  foreach(header IN LISTS installed)
    file(RELATIVE_PATH below ${PROJECT_SOURCE_DIR}/src ${header})
    get_filename_component(folder ${below} DIRECTORY)
    install(FILES ${header} DESTINATION include/${folder})
  endforeach()
endfunction()

function(weir_install)
  get_property(modules GLOBAL PROPERTY WEIR_MODULES)
  add_library(weir_all INTERFACE)
  add_library(weir::weir ALIAS weir_all)
  target_link_libraries(weir_all INTERFACE ${modules})
  set_target_properties(weir_all PROPERTIES EXPORT_NAME weir)
  if(NOT WEIR_INSTALL)
    return()
  endif()

  foreach(module IN LISTS modules)
    string(REGEX REPLACE "^weir_" "" name ${module})
    set_target_properties(${module} PROPERTIES EXPORT_NAME ${name})
  endforeach()
  set_target_properties(weir_settings PROPERTIES EXPORT_NAME settings)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
  install(TARGETS weir_all weir_settings ${modules} EXPORT weirTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT weirTargets NAMESPACE weir:: DESTINATION ${folder})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weirConfig.cmake.in
    ${PROJECT_BINARY_DIR}/weirConfig.cmake INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/weirConfig.cmake ${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindXXHash.cmake DESTINATION ${folder})
  file(GLOB front_doors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/weir/*.h)
  install(FILES ${front_doors} DESTINATION include/weir)
endfunction()
