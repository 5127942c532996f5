# Builds the project of features/ with the package of WORK/../install in a folder of its own, and runs it. GPU: with CUDA.
cmake_minimum_required(VERSION 3.24)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/install")
file(COPY "${SOURCE}/tests/package/features/" DESTINATION "${WORK}/project")
run(${CMAKE_COMMAND} -G Ninja -S "${WORK}/project" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${WORK}/install" "-DCMAKE_CXX_COMPILER=g++"
    "-DCMAKE_C_COMPILER=gcc" -DCMAKE_BUILD_TYPE=Release -DGPU=${GPU} ${OPTIONS})
if(GPU)
  run(${CMAKE_COMMAND} --build "${WORK}/build" --target two_targets old_gpu)
  run(${CMAKE_CTEST_COMMAND} --test-dir "${WORK}/build" -R two_targets --output-on-failure)
  return()
endif()
run(${CMAKE_COMMAND} --build "${WORK}/build")
run(${CMAKE_CTEST_COMMAND} --test-dir "${WORK}/build" --output-on-failure)
# Installed, and used without Tessera.
run(${CMAKE_COMMAND} --install "${WORK}/build" --prefix "${WORK}/prefix")
run(${CMAKE_COMMAND} -G Ninja -S "${WORK}/project/consumer" -B "${WORK}/consumer" "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
    "-DCMAKE_CXX_COMPILER=g++" -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build "${WORK}/consumer")
run("${WORK}/consumer/consumer")
# What cannot be is refused with a reason when the project is configured.
foreach(case "cpu cpu|second target of its kind" "cuda:sm_90a|enable_language" "tpu|I know no target `tpu`")
  string(REGEX REPLACE "[|].*" "" targets "${case}")
  string(REGEX REPLACE ".*[|]" "" expected "${case}")
  file(WRITE "${WORK}/wrong/CMakeLists.txt" "cmake_minimum_required(VERSION 3.24)\nproject(wrong CXX)\nfind_package(Tessera REQUIRED)\n"
       "tessera_add_library(wrong SOURCES a.tsr TARGETS ${targets})\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S "${WORK}/wrong" -B "${WORK}/wrong/build" "-DCMAKE_PREFIX_PATH=${WORK}/install"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(status EQUAL 0 OR NOT output MATCHES "${expected}")
    message(FATAL_ERROR "TARGETS ${targets}: expected `${expected}`, got:\n${output}")
  endif()
endforeach()
