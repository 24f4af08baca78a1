# Configures the tree with a preset and asks for the commands that it would build with: every source of ours is compiled
# with -Werror, and none of its warnings is taken out of that.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} --preset ${PRESET} -S ${SOURCE} -B ${FOLDER}
  WORKING_DIRECTORY ${SOURCE} OUTPUT_QUIET ERROR_VARIABLE complaint RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "preset ${PRESET} cannot be configured: ${complaint}")
endif()
file(STRINGS ${FOLDER}/compile_commands.json commands REGEX "^ *\"command\": ")
list(LENGTH commands count)
if(count LESS 50)
  message(FATAL_ERROR "preset ${PRESET} compiles only ${count} sources")
endif()
foreach(command IN LISTS commands)
  if(NOT command MATCHES " -Wall .* -Werror " OR command MATCHES " -Wno-error| -w ")
    message(FATAL_ERROR "in preset ${PRESET} not every warning is an error: ${command}")
  endif()
endforeach()
