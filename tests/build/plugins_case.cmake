# Configures a throw-away project with a street of two plugins, `fruit/apple` and `fruit/pear`, a street `tool` of one,
# and a composer `kitchen`, with the one fault that CASE names, and expects weir_module() or weir_plugins() to refuse it
# with WANTED. The sound one is built, and its program must meet both plugins, in the order of the plan.
cmake_minimum_required(VERSION 3.25)

# The sound project. Each case spoils one piece of it.
set(plan "tool/api;tool/knife;fruit/api;fruit/apple;fruit/pear;fruit/plugins;kitchen")
set(pear_uses "fruit/api")
set(kitchen_uses "USES fruit/api fruit/plugins")
set(left_out "")
set(more_folders "")

if(CASE STREQUAL "undeclared")
  set(kitchen_uses "USES fruit/api")
elseif(CASE STREQUAL "backward")
  set(plan "tool/api;tool/knife;fruit/api;fruit/apple;fruit/plugins;fruit/pear;kitchen")
elseif(CASE STREQUAL "used_backward")
  set(pear_uses "fruit/api fruit/plugins")
elseif(CASE STREQUAL "of_another_street")
  set(pear_uses "fruit/api tool/knife")
elseif(CASE STREQUAL "of_their_own_street")
  set(pear_uses "fruit/api fruit/apple")
elseif(CASE STREQUAL "not_in_the_plan")
  set(more_folders fig)
elseif(CASE STREQUAL "no_module")
  list(INSERT plan 5 fruit/fig)
  set(more_folders fig)
elseif(CASE STREQUAL "no_place")
  list(REMOVE_ITEM plan fruit/plugins kitchen)
elseif(CASE STREQUAL "no_registry")
  set(left_out registry)
elseif(NOT CASE STREQUAL "fine")
  message(FATAL_ERROR "there is no case ${CASE}")
endif()

function(write path text)
  file(WRITE ${FOLDER}/${path} "${text}\n")
endfunction()
function(write_plugin name)
  write(src/weir/fruit/${name}/plugin.h "#pragma once
#include \"weir/fruit/api/registry.h\"
namespace weir::fruit::${name} {
inline void register_plugin(Registry& registry) { registry.names += \" ${name}\"; }
}")
endfunction()

file(REMOVE_RECURSE ${FOLDER})
write(cmake/floor_plan.cmake "set(WEIR_FLOOR_PLAN ${plan})")
set(languages NONE)
if(CASE STREQUAL "fine")
  set(languages CXX)
endif()
write(CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(mini LANGUAGES ${languages})
list(APPEND CMAKE_MODULE_PATH \${CMAKE_CURRENT_SOURCE_DIR}/cmake ${MODULES})
include(weir_module)
add_library(weir_settings INTERFACE)
target_include_directories(weir_settings INTERFACE src)
add_library(weir_warnings INTERFACE)
add_subdirectory(src/weir)
if(CASE STREQUAL \"no_place\")
  weir_plugins(fruit)
endif()
if(TARGET weir_fruit_plugins)
  add_executable(cook main.cc)
  target_link_libraries(cook PRIVATE weir_kitchen)
endif()")
file(COPY ${MODULES}/../src/weir/CMakeLists.txt DESTINATION ${FOLDER}/src/weir)
write(src/weir/tool/api/CMakeLists.txt "weir_module(tool/api)")
write(src/weir/tool/knife/CMakeLists.txt "weir_module(tool/knife USES tool/api)")
write(src/weir/fruit/api/CMakeLists.txt "weir_module(fruit/api)")
if(NOT left_out STREQUAL "registry")
  write(src/weir/fruit/api/registry.h "#pragma once
#include <string>
namespace weir::fruit { struct Registry { std::string names; }; }")
endif()
write(src/weir/fruit/apple/CMakeLists.txt "weir_module(fruit/apple USES fruit/api)")
write(src/weir/fruit/pear/CMakeLists.txt "weir_module(fruit/pear USES ${pear_uses})")
write(src/weir/fruit/plugins/CMakeLists.txt "weir_plugins(fruit)")
write(src/weir/kitchen/CMakeLists.txt "weir_module(kitchen ${kitchen_uses})")
write(src/weir/kitchen/kitchen.h "#pragma once
#include \"weir/fruit/plugins/plugins.h\"")
foreach(plugin IN ITEMS apple pear ${more_folders})
  write_plugin(${plugin})
endforeach()
write(main.cc "#include \"weir/kitchen/kitchen.h\"
int main() {
  weir::fruit::Registry registry;
  weir::fruit::register_plugins(registry);
  return registry.names == \" apple pear\" ? 0 : 1;
}")

include(${CMAKE_CURRENT_LIST_DIR}/configure_case.cmake)
configure_case(-G Ninja -DCASE=${CASE} -DCMAKE_CXX_COMPILER=${COMPILER})
if(WANTED STREQUAL "")
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER}/build COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  execute_process(COMMAND ${FOLDER}/build/cook COMMAND_ERROR_IS_FATAL ANY)
endif()
