# weir_headers_alone() makes the target `headers_alone`: one source per header of a module, which
# includes that header first and twice. It is not part of `all`; `./dev check` builds it.
function(weir_headers_alone)
  if(NOT WEIR_TESTS)
    return()  # the contract headers of plugin streets need gtest
  endif()
  get_property(headers GLOBAL PROPERTY WEIR_HEADERS)
  set(sources "")
  foreach(header IN LISTS headers)
    file(RELATIVE_PATH include ${PROJECT_SOURCE_DIR}/src ${header})
    string(REPLACE "/" "_" stem ${include})
    set(source ${PROJECT_BINARY_DIR}/headers_alone/${stem}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${include}\"\n#include \"${include}\"\n")
    list(APPEND sources ${source})
  endforeach()
  if(sources)
    add_library(headers_alone OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(headers_alone PRIVATE weir_settings weir_warnings GTest::gtest)
    # Contract suites stand on tests/support.
    target_include_directories(headers_alone PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(headers_alone PRIVATE -O0 -g0)
  endif()
endfunction()
