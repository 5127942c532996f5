# How the rooms of the house are built: compilers, warnings, MLIR, ANTLR, and the two functions
# that every room uses, tsr_room() and tsr_gtest().
include_guard(GLOBAL)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo, Asan or Fuzz" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2")  # asserts stay on: a wrong compiler must stop, not guess
set(CMAKE_CXX_FLAGS_ASAN "-O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize=vptr,function")
set(CMAKE_EXE_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
# For many inputs a second: what AddressSanitizer sees anyway (null, alignment) is not checked twice, undefined arithmetic
# traps, and coverage counts edges without recording comparisons.
string(JOIN " " CMAKE_CXX_FLAGS_FUZZ -O2 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined
  -fno-sanitize=vptr,function,null,alignment,object-size,pointer-overflow -fsanitize-trap=undefined
  -fsanitize-coverage=inline-8bit-counters,pc-table)
set(CMAKE_EXE_LINKER_FLAGS_FUZZ "-fsanitize=address,undefined")

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()
find_program(TESSERA_LLD NAMES ld.lld-19 ld.lld)
if(TESSERA_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options("--ld-path=${TESSERA_LLD}")
elseif(TESSERA_LLD)
  add_link_options(-fuse-ld=lld)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)

# MLIR is the substrate of the intermediate representations. Debian's packages put it beside LLVM.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-19)
find_package(MLIR CONFIG)
if(MLIR_FOUND)
  list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
else()
  message(FATAL_ERROR "MLIR 19 was not found. `./dev setup` installs it (Debian: libmlir-19-dev, mlir-19-tools).")
endif()

# Headers cost more than half of the time of a build from scratch. The presets compile the files of a folder together, so that
# each header is read once for a dozen files; but every change of a file compiles its neighbours, too
# (docs/decisions/0053-builds-from-scratch.md).
option(TESSERA_TOGETHER "Compile the files of a folder together, twelve at a time: for builds from scratch" OFF)
option(TESSERA_BUILT_ONCE "Do not optimise what runs for seconds after its build: for machines that build to test" OFF)

# tsr_together(<target> <source>...): with TESSERA_TOGETHER, groups of twelve of each folder.
function(tsr_together target)
  if(NOT TESSERA_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(last_folder "")
  foreach(source IN LISTS ARGN)
    get_filename_component(folder "${source}" DIRECTORY)
    if(NOT folder STREQUAL last_folder)
      set(last_folder "${folder}")
      set(count 0)
    endif()
    math(EXPR group "${count} / 12")
    math(EXPR count "${count} + 1")
    string(REPLACE "${CMAKE_CURRENT_SOURCE_DIR}" "" shown "${folder}")
    string(MAKE_C_IDENTIFIER "${target}${shown}_${group}" group)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# tsr_room(<name> [MLIR] [DEPENDS <room>...] [ALONE <file>...]): the static library tsr_<name> from every .cpp in the
# current folder and below. MLIR rooms also see MLIR's headers (as system headers). ALONE: files with names of their own
# that a neighbour has, too; they are not compiled together with others.
function(tsr_room name)
  cmake_parse_arguments(ROOM "MLIR" "" "DEPENDS;EXCLUDE;ALONE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  foreach(pattern IN LISTS ROOM_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  if(NOT sources)  # headers only
    add_library(tsr_${name} INTERFACE)
    target_include_directories(tsr_${name} INTERFACE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/src")
    return()
  endif()
  add_library(tsr_${name} STATIC ${sources})
  set_target_properties(tsr_${name} PROPERTIES TSR_DEPENDS "${ROOM_DEPENDS}")
  set(together ${sources})
  foreach(file IN LISTS ROOM_ALONE)
    if(NOT "${CMAKE_CURRENT_SOURCE_DIR}/${file}" IN_LIST sources)
      message(FATAL_ERROR "tsr_room(${name}): there is no file `${file}` that could be compiled alone")
    endif()
    list(REMOVE_ITEM together "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
  tsr_together(tsr_${name} ${together})
  target_include_directories(tsr_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/src")
  foreach(dep IN LISTS ROOM_DEPENDS)
    target_link_libraries(tsr_${name} PUBLIC tsr_${dep})
  endforeach()
  if(ROOM_MLIR)
    target_include_directories(tsr_${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    if(TESSERA_TOGETHER)
      tsr_mlir_headers()
      target_precompile_headers(tsr_${name} REUSE_FROM tsr_mlir_headers)
    endif()
  endif()
endfunction()

# The headers of MLIR that most rooms of the IRs and passes read, compiled once for all of them.
function(tsr_mlir_headers)
  if(TARGET tsr_mlir_headers)
    return()
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/mlir_headers.cpp" CONTENT "")
  add_library(tsr_mlir_headers STATIC "${PROJECT_BINARY_DIR}/mlir_headers.cpp")
  target_include_directories(tsr_mlir_headers SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_precompile_headers(tsr_mlir_headers PRIVATE
    <mlir/Dialect/SCF/IR/SCF.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/Dominance.h> <mlir/IR/IRMapping.h>
    <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h> <mlir/IR/SymbolTable.h> <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Pass/Pass.h>
    <llvm/ADT/MapVector.h> <llvm/ADT/SetVector.h> <llvm/ADT/StringExtras.h> <llvm/ADT/StringSwitch.h> <llvm/ADT/TypeSwitch.h>
    <functional> <map> <optional> <set> <string> <vector>)
endfunction()

# The static MLIR archives that our tools need, as one link group.
function(tsr_link_mlir target)
  target_link_libraries(${target} PRIVATE tsr_mlir_archives)
endfunction()
if(NOT TARGET tsr_mlir_archives)
  add_library(tsr_mlir_archives INTERFACE)
  file(GLOB mlir_archives "/usr/lib/llvm-19/lib/libMLIR*.a")
  list(FILTER mlir_archives EXCLUDE REGEX "CAPI|ExecutionEngine|Test|LspServer|libMLIRReduce")
  find_library(LLVM_SUPPORT_ARCHIVE libLLVMSupport.a PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH REQUIRED)
  find_library(LLVM_DEMANGLE_ARCHIVE libLLVMDemangle.a PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH REQUIRED)
  # As archives too: the tools need no library of these on the machine where they run.
  find_library(TESSERA_Z libz.a REQUIRED)
  find_library(TESSERA_ZSTD libzstd.a REQUIRED)
  find_library(TESSERA_TINFO libtinfo.a REQUIRED)
  set(llvm_needs ${TESSERA_Z} ${TESSERA_ZSTD} ${TESSERA_TINFO} pthread dl m)
  target_link_libraries(tsr_mlir_archives INTERFACE
    -Wl,--start-group ${mlir_archives} ${LLVM_SUPPORT_ARCHIVE} ${LLVM_DEMANGLE_ARCHIVE} -Wl,--end-group
    ${llvm_needs})
  # Integer sets alone: what the shape solver needs, without the dialects.
  find_library(MLIR_PRESBURGER_ARCHIVE libMLIRPresburger.a PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH REQUIRED)
  add_library(tsr_presburger_archive INTERFACE)
  target_link_libraries(tsr_presburger_archive INTERFACE
    ${MLIR_PRESBURGER_ARCHIVE} ${LLVM_SUPPORT_ARCHIVE} ${LLVM_DEMANGLE_ARCHIVE} ${llvm_needs})
endif()

# tsr_built_once(<target> <room>...): with TESSERA_BUILT_ONCE, what runs for seconds after its build is not optimised: that
# takes as long as the rest of compiling it. Of inline functions that it has in common with its rooms the linker keeps the
# first copy, so the rooms stand in front; what nothing uses goes again.
function(tsr_built_once target)
  if(NOT TESSERA_BUILT_ONCE)
    return()
  endif()
  target_compile_options(${target} PRIVATE -O0)
  set(open ${ARGN})
  set(rooms "")
  while(open)
    list(POP_FRONT open room)
    if("${room}" IN_LIST rooms)
      continue()
    endif()
    list(APPEND rooms "${room}")
    get_target_property(depends tsr_${room} TSR_DEPENDS)
    if(depends)
      list(APPEND open ${depends})
    endif()
  endwhile()
  set(archives "")
  foreach(room IN LISTS rooms)
    get_target_property(type tsr_${room} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      string(APPEND archives " $<TARGET_FILE:tsr_${room}>")
    endif()
  endforeach()
  if(archives)
    target_link_options(${target} PRIVATE "SHELL:-Wl,--whole-archive${archives} -Wl,--no-whole-archive")
  endif()
endfunction()

# tsr_gtest(<name> [OPTIMISED] SOURCES <file>... DEPENDS <room>...): a GoogleTest program, one CTest entry. With
# TESSERA_TOGETHER all read the headers of GoogleTest once, and those that check programs the checker's. OPTIMISED: one that
# computes for long itself.
function(tsr_gtest name)
  cmake_parse_arguments(T "MLIR;OPTIMISED" "" "SOURCES;DEPENDS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${T_SOURCES})
  if(TESSERA_TOGETHER AND NOT T_OPTIMISED)
    tsr_built_once(${name} ${T_DEPENDS})
    set(headers tsr_gtest_headers)
    if("sema" IN_LIST T_DEPENDS)
      set(headers tsr_gtest_headers_of_sema)
    endif()
    tsr_gtest_headers(${headers})
    target_precompile_headers(${name} REUSE_FROM ${headers})
  endif()
  foreach(dep IN LISTS T_DEPENDS)
    target_link_libraries(${name} PRIVATE tsr_${dep})
  endforeach()
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock GTest::gtest_main)
  if(T_MLIR)
    tsr_link_mlir(${name})
  endif()
  target_compile_definitions(${name} PRIVATE TSR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# The headers of GoogleTest, compiled for every tsr_gtest(). A program, as those that read them: a library's code is placed
# otherwise, and the compiler refuses what was made for that.
function(tsr_gtest_headers name)
  if(TARGET ${name})
    return()
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/gtest_headers.cpp" CONTENT "int main() { return 0; }\n")
  add_executable(${name} "${PROJECT_BINARY_DIR}/gtest_headers.cpp")
  target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <filesystem> <fstream> <sstream>)
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock)
  if(name MATCHES "_of_sema$")
    target_precompile_headers(${name} PRIVATE <frontend/Parser.h> <sema/Check.h>)
    target_link_libraries(${name} PRIVATE tsr_sema)
  endif()
  target_compile_definitions(${name} PRIVATE TSR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  tsr_built_once(${name})
endfunction()

# tsr_skipped_test(<name> <why>): a test that cannot run in this build; CTest says so, and why.
function(tsr_skipped_test name why)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: ${why}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED: ")
endfunction()

# tsr_own_memory(<target>): its small objects come from src/tools/memory, as those of the tools: for what checks or compiles many
# programs. Optimised in every build, as it is called millions of times.
function(tsr_own_memory target)
  if(CMAKE_BUILD_TYPE MATCHES "Asan|Fuzz")
    return()
  endif()
  set(memory "${PROJECT_SOURCE_DIR}/src/tools/memory/Memory.cpp")
  target_sources(${target} PRIVATE "${memory}")
  set_source_files_properties("${memory}" PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# tsr_tool(<name> DEPENDS <room>...): a program in build/.../bin from the .cpp files of the current folder, linked
# statically but for libc and libm, so that it runs on machines that have nothing of ours.
function(tsr_tool name)
  cmake_parse_arguments(TOOL "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_executable(${name} ${sources})
  tsr_built_once(${name} ${TOOL_DEPENDS})
  list(LENGTH sources count)
  if(TESSERA_TOGETHER AND count GREATER 4)  # commands have names in common; what each of them reads and makes of the command line is most of their time
    target_precompile_headers(${name} PRIVATE <CLI/CLI.hpp> <nlohmann/json.hpp> <driver/Build.h> <driver/CommandLine.h> <driver/Compiler.h>
      <driver/Console.h> <driver/Files.h> <driver/Reference.h> <driver/check/Tree.h> <reference/Value.h>)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  foreach(dep IN LISTS TOOL_DEPENDS)
    target_link_libraries(${name} PRIVATE tsr_${dep})
  endforeach()
  tsr_link_mlir(${name})
  tsr_own_memory(${name})
  if(NOT CMAKE_BUILD_TYPE MATCHES "Asan|Fuzz")
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -s)
    if(TESSERA_LLD)
      # Instances of one template for several ops have the same code: it is kept once. Data keep addresses of their own, by which
      # MLIR tells types apart. Tables of addresses take an eighth where they are packed.
      target_link_options(${name} PRIVATE -Wl,--icf=all -Wl,-z,pack-relative-relocs)
    endif()
  endif()
endfunction()
