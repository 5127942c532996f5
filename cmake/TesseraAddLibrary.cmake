# tessera_add_library(<name> SOURCES <a.tsr>... [TARGETS cpu cuda:sm_90a hip:gfx942 ...] [NAMESPACE <ns>]
#                     [OPTIONS <option>...] [STANDALONE] [LINE_DIRECTIVES])
#
# Compiles Tessera programs with tesserac into one static library. The C header of a.tsr is <name>/a.h, the C++ header
# <name>/a.hpp; where it is built, a.h will do. Of sources that have the same stem the folders stand before: one/a.h.
#
#   TARGETS     cpu if it is left out; at most one of each kind. cuda needs CMake's CUDA language to be enabled, hip HIP.
#               With several, each function calls the code for the target on which its arguments are. The functions of
#               one target are there, too: in the C++ namespace cuda_sm_90a, with the C prefix cuda_sm_90a_.
#   NAMESPACE   of the C++ functions; the C functions are then <ns>_softmax. Two libraries with functions of the same
#               names are linked into one program by giving each its own.
#   OPTIONS     further options for tesserac, such as --function softmax
#   STANDALONE  neither the sources nor the headers need Tessera's own: install the library without it
#
# It is a library like others: target_compile_options(), install(TARGETS <name> EXPORT ... FILE_SET HEADERS) and so on.
# A change of a .tsr file, or of one that it imports, builds anew what depends on it.
include_guard(GLOBAL)
set(_tessera_check_set "${CMAKE_CURRENT_LIST_DIR}/TesseraCheckSet.cmake" CACHE INTERNAL "")

function(tessera_add_library name)
  cmake_parse_arguments(ARG "STANDALONE;LINE_DIRECTIVES" "NAMESPACE" "SOURCES;TARGETS;OPTIONS" ${ARGN})
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "tessera_add_library(${name}): SOURCES is missing; name at least one .tsr file")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tessera_add_library(${name}): I do not know `${ARG_UNPARSED_ARGUMENTS}`")
  endif()
  if(NOT ARG_TARGETS)
    set(ARG_TARGETS cpu)
  endif()
  set(flags ${ARG_OPTIONS})
  if(ARG_STANDALONE)
    list(APPEND flags --standalone)
  endif()
  if(ARG_LINE_DIRECTIVES)
    list(APPEND flags --line-directives)
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  _tessera_stems(${name} "${ARG_SOURCES}" stems)
  list(LENGTH ARG_TARGETS count)
  add_library(${name} STATIC)
  set(kinds "")
  foreach(target IN LISTS ARG_TARGETS)
    _tessera_target(${name} "${target}" kind arch extension)
    if(kind IN_LIST kinds)
      message(FATAL_ERROR "tessera_add_library(${name}): `${target}` is the second target of its kind; functions choose by where "
                          "their arguments are. Make two libraries, each with a NAMESPACE")
    endif()
    list(APPEND kinds ${kind})
    _tessera_flags(${name} ${kind} "${arch}")
    set(namespace "${ARG_NAMESPACE}")
    set(place "${folder}")
    if(count GREATER 1)
      string(MAKE_C_IDENTIFIER "${target}" suffix)
      string(JOIN "::" namespace ${ARG_NAMESPACE} ${suffix})
      set(place "${folder}/${suffix}")
    endif()
    if(namespace)
      set(namespace --namespace ${namespace})
    endif()
    _tessera_compile(${name} "${place}" "${ARG_SOURCES}" "${stems}" ${extension} --target "${target}" ${namespace} ${flags})
  endforeach()
  if(count GREATER 1)
    string(JOIN "," targets ${ARG_TARGETS})
    set(namespace ${ARG_NAMESPACE})
    if(namespace)
      set(namespace --namespace ${namespace})
    endif()
    _tessera_compile(${name} "${folder}" "${ARG_SOURCES}" "${stems}" cpp --dispatch "${targets}" ${namespace} ${flags})
  endif()

  set(headers "")
  foreach(stem IN LISTS stems)
    list(APPEND headers "${folder}/${stem}.h" "${folder}/${stem}.hpp")
  endforeach()
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_BINARY_DIR}" FILES ${headers})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${folder}>)
  target_compile_features(${name} PUBLIC cxx_std_17)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT ARG_STANDALONE)
    target_link_libraries(${name} PUBLIC Tessera::headers)
  endif()
endfunction()

# The stems of the outputs in the order of the sources; those that several have, with the folders of the sources.
function(_tessera_stems name sources result)
  set(stems "")
  foreach(source IN LISTS sources)
    get_filename_component(stem "${source}" NAME_WE)
    list(APPEND stems "${stem}")
  endforeach()
  set(chosen "")
  foreach(source stem IN ZIP_LISTS sources stems)
    set(same "${stems}")
    list(FILTER same INCLUDE REGEX "^${stem}$")
    list(LENGTH same count)
    if(count GREATER 1)
      get_filename_component(absolute "${source}" ABSOLUTE)
      file(RELATIVE_PATH relative "${CMAKE_CURRENT_SOURCE_DIR}" "${absolute}")
      if(relative MATCHES "^[.][.]/")
        message(FATAL_ERROR "tessera_add_library(${name}): two sources are called ${stem}.tsr, and ${source} is outside of "
                            "${CMAKE_CURRENT_SOURCE_DIR}: their headers would be one file. Make two libraries")
      endif()
      string(REGEX REPLACE "[.][^.]*$" "" stem "${relative}")
    endif()
    if(stem IN_LIST chosen)
      message(FATAL_ERROR "tessera_add_library(${name}): ${source} is named twice")
    endif()
    list(APPEND chosen "${stem}")
  endforeach()
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

# What a target's code is made of: kind (cpu, cuda, hip), machine ("" for any), extension of its sources.
function(_tessera_target name target kind_result arch_result extension_result)
  if(NOT target MATCHES "^(cpu|cuda|hip)(:(.+))?$")
    message(FATAL_ERROR "tessera_add_library(${name}): I know no target `${target}`; use cpu, cuda:sm_90a or hip:gfx942")
  endif()
  set(kind "${CMAKE_MATCH_1}")
  set(${kind_result} "${kind}" PARENT_SCOPE)
  set(${arch_result} "${CMAKE_MATCH_3}" PARENT_SCOPE)
  set(extension_of_cpu cpp)
  set(extension_of_cuda cu)
  set(extension_of_hip hip)
  set(${extension_result} "${extension_of_${kind}}" PARENT_SCOPE)
  set(language_of_cpu CXX)
  set(language_of_cuda CUDA)
  set(language_of_hip HIP)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "${language_of_${kind}}" IN_LIST languages)
    message(FATAL_ERROR "tessera_add_library(${name}): the target `${target}` needs `enable_language(${language_of_${kind}})`")
  endif()
endfunction()

# The language rounds after each operation: nothing is contracted into a fused multiply-add.
function(_tessera_flags name kind arch)
  if(kind STREQUAL "cpu")
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off$<SEMICOLON>-fno-math-errno>)
    find_package(OpenMP COMPONENTS CXX)
    if(OpenMP_CXX_FOUND)
      target_link_libraries(${name} PRIVATE OpenMP::OpenMP_CXX)
    endif()
    if(arch)  # cpu:x86-64-v3, and what compilers call a machine with AMX
      string(REPLACE "amx" "sapphirerapids" arch "${arch}")
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=${arch}>)
    endif()
  elseif(kind STREQUAL "cuda")
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>)
    if(arch)
      string(REPLACE "sm_" "" number "${arch}")
      set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${number}")
    endif()
  else()
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:HIP>:-ffp-contract=off>)
    if(arch)
      set_target_properties(${name} PROPERTIES HIP_ARCHITECTURES "${arch}")
    endif()
  endif()
endfunction()

# Adds to the library what tesserac makes of each source, in `folder`, with these options.
function(_tessera_compile name folder sources stems extension)
  set(language_of_cpp CXX)
  set(language_of_cu CUDA)
  set(language_of_hip HIP)
  foreach(source stem IN ZIP_LISTS sources stems)
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(file "${source}" NAME)
    set(output "${folder}/${stem}.${extension}")
    get_filename_component(output_folder "${output}" DIRECTORY)
    file(MAKE_DIRECTORY "${output_folder}")
    file(RELATIVE_PATH shown "${CMAKE_CURRENT_BINARY_DIR}" "${output}")
    add_custom_command(
      OUTPUT "${output}" "${folder}/${stem}.h" "${folder}/${stem}.hpp" "${folder}/${stem}.json" "${folder}/${stem}.lines.json"
      COMMAND Tessera::tesserac "${source}" -o "${output}" ${ARGN} --depfile "${output}.d"
      DEPENDS "${source}" Tessera::tesserac
      DEPFILE "${output}.d"
      COMMENT "tesserac ${file} -> ${shown}"
      COMMAND_EXPAND_LISTS VERBATIM)
    # A file that was put in the place of one of them is of another compile: its set number says so.
    set(files "${output}" "${folder}/${stem}.h" "${folder}/${stem}.hpp" "${folder}/${stem}.json" "${folder}/${stem}.lines.json")
    add_custom_command(OUTPUT "${output}.set" COMMAND ${CMAKE_COMMAND} -P "${_tessera_check_set}" "${output}.set" ${files}
      DEPENDS ${files} COMMENT "" VERBATIM)
    target_sources(${name} PRIVATE "${output}" "${output}.set")
    set_source_files_properties("${output}" PROPERTIES LANGUAGE ${language_of_${extension}})
  endforeach()
endfunction()
