# What every target shares. Nothing here reaches beyond this tree, so that Weir can be a subdirectory of
# another project.

option(WEIR_TESTS "build the tests" ${PROJECT_IS_TOP_LEVEL})
option(WEIR_EXAMPLES "build the examples" ${PROJECT_IS_TOP_LEVEL})
option(WEIR_BENCHES "build the benchmarks" OFF)
option(WEIR_FUZZ "build the fuzzers (clang)" OFF)
option(WEIR_MUTANTS "compile the mutants in, for the tests that must kill them" ${WEIR_TESTS})
option(WEIR_INSTALL "install the headers, the libraries and weirConfig.cmake" ${PROJECT_IS_TOP_LEVEL})
set(WEIR_ARCH "" CACHE STRING "the processor to compile for, as -march= takes it; empty: the compiler's choice")

find_package(Boost 1.81 REQUIRED)
find_package(Threads REQUIRED)
find_package(XXHash REQUIRED)

if(WEIR_ARCH)
  add_compile_options(-march=${WEIR_ARCH})
endif()

# A compiler cache sees through a precompiled header only if told to.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  else()
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

# Usage requirements of our headers: what a user of the library gets too.
add_library(weir_settings INTERFACE)
target_compile_features(weir_settings INTERFACE cxx_std_20)
target_include_directories(weir_settings INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
target_link_libraries(weir_settings INTERFACE Boost::headers Threads::Threads xxHash::xxhash)
if(WEIR_MUTANTS)
  target_compile_definitions(weir_settings INTERFACE $<BUILD_INTERFACE:WEIR_MUTANTS=1>)
endif()

# Our own warnings, never the user's, and all of them errors. Three are off: g++ 12 at -O3 sees copies out of bounds in
# correct uses of std::vector; the sanitizers watch for the real ones.
add_library(weir_warnings INTERFACE)
target_compile_options(weir_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Werror $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Wreserved-identifier -Wno-undefined-var-template>
  # At -O3 GCC 12 sees impossible copies inside "literal" + string (its bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)

# Two precompiled headers: what nearly every source includes, and the same with gtest.
add_library(weir_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cc)
target_link_libraries(weir_pch PRIVATE weir_settings weir_warnings)
target_precompile_headers(weir_pch PRIVATE
  <algorithm> <array> <cstdint> <cstring> <functional> <map> <memory> <optional> <set> <span> <string>
  <string_view> <tuple> <utility> <variant> <vector>)
if(WEIR_TESTS)
  find_package(GTest REQUIRED)
  add_library(weir_test_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cc)
  target_link_libraries(weir_test_pch PRIVATE weir_settings weir_warnings GTest::gtest)
  target_precompile_headers(weir_test_pch PRIVATE
    <algorithm> <cstdint> <map> <memory> <optional> <span> <string> <variant> <vector> <gtest/gtest.h>)

  # What tests of several modules share: the player of transcripts, a disk in memory, a disk that fails.
  file(GLOB support CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cc)
  add_library(weir_test_support STATIC ${support})
  target_include_directories(weir_test_support PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(weir_test_support PUBLIC weir_env_api PRIVATE weir_settings weir_warnings GTest::gtest)
endif()
