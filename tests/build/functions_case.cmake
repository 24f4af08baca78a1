# Compiles a program that gives an operator the function that CASE names: one that fits (WANTED is empty) compiles, of
# another the compiler says WANTED first.
cmake_minimum_required(VERSION 3.25)

set(cases_fits "
  (void)lines.map([](const Text& t) { return t; }).map([](const Text& t, Reading& r) { r.sensor = t.view(); })
      .filter([](const Reading&) { return true; })
      .flat_map<int>([](const Reading&, Collector<int>& out) { out.emit(1); });
  (void)readings.map([](const Reading& r, Text&) noexcept { (void)r; });
  (void)readings.map([n = 0](const Reading&, int& out) mutable noexcept { out = ++n; });
  (void)lines.flat_map<int>([n = 0](Text, Collector<int>& out) mutable { out.emit(++n); });
  (void)readings.key_by(&Reading::sensor).reduce([](Reading&, Reading r) { return r; });
  (void)readings.key_by(&Reading::sensor).sum(&Reading::value);
  (void)readings.key_by(&Reading::sensor).process(Function{});")
set(cases_map_of_another_type "lines.map([](const Reading& r) { return r; });")
set(cases_map_that_changes_its_record "readings.map([](Reading& r) { return r; });")
set(cases_map_of_nothing "readings.map([](const Reading&) {});")
set(cases_map_that_moves "readings.map([p = std::make_unique<int>(1)](const Reading&) { return *p; });")
set(cases_filter_of_another_type "lines.map([](const Text& t) { return t; }).filter([](const Reading&) { return true; });")
set(cases_filter_of_nothing "readings.filter([](const Reading&) {});")
set(cases_flat_map_of_another_type "lines.flat_map<int>([](const Reading&, Collector<int>&) {});")
set(cases_flat_map_without_out "lines.flat_map([](const Text&, Collector<int>&) {});")
set(cases_key_by_of_another_type "lines.key_by(&Reading::sensor);")
set(cases_sum_of_another_type "readings.key_by(&Reading::sensor).sum([](const Text&) { return 1; });")
set(cases_sum_that_moves "readings.key_by(&Reading::sensor).sum([p = std::make_unique<int>(1)](const Reading&) { return *p; });")
set(cases_key_by_that_moves "readings.key_by([p = std::make_unique<int>(1)](const Reading&) { return *p; });")
set(cases_reduce_of_one "readings.key_by(&Reading::sensor).reduce([](const Reading& r) { return r; });")
set(cases_process_without_state "readings.key_by(&Reading::sensor).process([](const Reading&) {});")
set(cases_process_of_another_type "lines.key_by([](const Text& t) { return t; }).process(Function{});")
if(NOT DEFINED cases_${CASE})
  message(FATAL_ERROR "there is no case ${CASE}")
endif()

file(WRITE ${FOLDER}/main.cc "
#include \"weir/datastream/keyed_stream.h\"
using weir::Text;
using weir::operators::Collector;
struct Reading { std::string sensor; double value = 0; };
struct Function {
  using Output = int;
  struct State { weir::operators::ValueState<int> count{\"count\"}; };
  void process(const Reading&, State&, Collector<int>&) {}
};
void describe(weir::DataStream<Text> lines, weir::DataStream<Reading> readings) {
  (void)lines, (void)readings;
  ${cases_${CASE}}
}
")
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${SOURCE}/src ${FOLDER}/main.cc
  ERROR_VARIABLE complaint RESULT_VARIABLE status)
if(NOT WANTED STREQUAL "")
  # What comes behind the first error is the cascade.
  string(FIND "${complaint}" "error:" at)
  string(SUBSTRING "${complaint}" ${at} -1 complaint)
  string(FIND "${complaint}" "\n" end)
  string(SUBSTRING "${complaint}" 0 ${end} complaint)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/said.cmake)
expect_said(${status} "${complaint}")
