# Compiles a program whose process function has the State that CASE names: a sound one (WANTED is empty) compiles, of
# another the compiler says WANTED.
cmake_minimum_required(VERSION 3.25)

if(CASE STREQUAL "named")
  set(members "weir::operators::ValueState<int> count{\"count\"};")
elseif(CASE STREQUAL "empty")
  set(members "")
elseif(CASE STREQUAL "without_a_name")
  set(members "weir::operators::ValueState<int> count;")
elseif(CASE STREQUAL "reference")
  set(members "int& sum;")
elseif(CASE STREQUAL "plain_number")
  set(members "weir::operators::ValueState<int> count{\"count\"}; int sum = 0;")
else()
  message(FATAL_ERROR "there is no case ${CASE}")
endif()

file(WRITE ${FOLDER}/main.cc "
#include \"weir/datastream/keyed_stream.h\"
struct Function {
  using Output = int;
  struct State { ${members} };
  void process(const int&, State&, weir::operators::Collector<int>&) {}
};
void describe(weir::KeyedStream<int, int (*)(const int&)> keyed) {
  (void)keyed.process(Function{});
}
")
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${SOURCE}/src ${FOLDER}/main.cc
  ERROR_VARIABLE complaint RESULT_VARIABLE status)
include(${CMAKE_CURRENT_LIST_DIR}/said.cmake)
expect_said(${status} "${complaint}")
