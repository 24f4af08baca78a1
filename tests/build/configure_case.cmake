# Configures the project that lies in FOLDER, with further arguments, and compares what CMake says with WANTED (said.cmake).
# For the cases that are scripts with FOLDER, CASE, WANTED.
include(${CMAKE_CURRENT_LIST_DIR}/said.cmake)

function(configure_case)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${FOLDER} -B ${FOLDER}/build ${ARGN}
    OUTPUT_QUIET ERROR_VARIABLE complaint RESULT_VARIABLE status)
  string(REGEX REPLACE "[ \n]+" " " complaint "${complaint}")  # CMake breaks long lines
  expect_said(${status} "${complaint}")
endfunction()
