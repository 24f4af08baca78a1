# Installs the tree BUILD below FOLDER and builds there, against the installed package only, the program
# of README.md: the first cpp block after the line <!-- program -->. As long as the README has none, it is
# project/base_only.cc, which is also run.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
endfunction()

# The text between two marks, or NOTFOUND.
function(between text first last result)
  set(${result} NOTFOUND PARENT_SCOPE)
  string(FIND "${text}" "${first}" begin)
  if(begin EQUAL -1)
    return()
  endif()
  string(LENGTH "${first}" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "${last}" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "README.md: nothing ends what \"${first}\" begins")
  endif()
  string(SUBSTRING "${text}" 0 ${end} text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/installed)

file(COPY ${CMAKE_CURRENT_LIST_DIR}/project/CMakeLists.txt DESTINATION ${FOLDER}/project)
file(READ ${README} readme)
between("${readme}" "<!-- program -->\n```cpp\n" "\n```" program)
string(FIND "${readme}" "<!-- program -->" mark)
if(program)
  file(WRITE ${FOLDER}/project/main.cpp "${program}\n")
elseif(mark EQUAL -1)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/project/base_only.cc ${FOLDER}/project/main.cpp)
else()
  message(FATAL_ERROR "README.md: no cpp block follows <!-- program -->")
endif()

run(${CMAKE_COMMAND} -S ${FOLDER}/project -B ${FOLDER}/project/build -G Ninja
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${FOLDER}/installed)
run(${CMAKE_COMMAND} --build ${FOLDER}/project/build)
if(NOT program)
  run(${FOLDER}/project/build/job)
endif()
