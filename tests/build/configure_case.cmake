# Configures the project that lies in FOLDER, with further arguments, and compares what comes of it with WANTED: empty
# means that it is sound, other words must be in CMake's refusal. For the cases that are scripts with FOLDER, CASE, WANTED.
function(configure_case)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${FOLDER} -B ${FOLDER}/build ${ARGN}
    OUTPUT_QUIET ERROR_VARIABLE complaint RESULT_VARIABLE status)
  string(REGEX REPLACE "[ \n]+" " " complaint "${complaint}")  # CMake breaks long lines
  if(WANTED STREQUAL "")
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "a sound project was refused: ${complaint}")
    endif()
    return()
  endif()
  if(status EQUAL 0)
    message(FATAL_ERROR "${CASE} was let through")
  endif()
  string(FIND "${complaint}" "${WANTED}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${CASE} was refused, but not with \"${WANTED}\": ${complaint}")
  endif()
endfunction()
