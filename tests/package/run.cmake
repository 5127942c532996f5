# Installs into WORK/install, copies the example to WORK/example, builds and tests it there.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}/install" "${WORK}/example" "${WORK}/build" "${WORK}/fresh")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/install")
file(COPY "${SOURCE}/examples/cmake/" DESTINATION "${WORK}/example")
run(${CMAKE_COMMAND} -G Ninja -S "${WORK}/example" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${WORK}/install"
    "-DCMAKE_CXX_COMPILER=g++" "-DCMAKE_C_COMPILER=gcc" -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build "${WORK}/build")
run(${CMAKE_CTEST_COMMAND} --test-dir "${WORK}/build" --output-on-failure)

# Nothing changed: nothing to do.
run(${CMAKE_COMMAND} --build "${WORK}/build")
if(NOT output MATCHES "no work to do")
  message(FATAL_ERROR "a second build did something:\n${output}")
endif()
# An imported program changed: the kernel that imports it is compiled anew.
file(READ "${WORK}/example/scale.tsr" text)
string(REPLACE "x * 0.5" "x * 0.25" text "${text}")
file(WRITE "${WORK}/example/scale.tsr" "${text}")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
file(TOUCH "${WORK}/example/scale.tsr")
run(${CMAKE_COMMAND} --build "${WORK}/build")
if(NOT output MATCHES "tesserac softmax.tsr")
  message(FATAL_ERROR "a change of the imported program did not rebuild:\n${output}")
endif()
execute_process(COMMAND "${WORK}/build/from_c" RESULT_VARIABLE status OUTPUT_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "the changed program still gives the old result: ${output}")
endif()
# A new project builds, and its test passes.
run("${WORK}/install/bin/tessera" new "${WORK}/fresh")
run(${CMAKE_COMMAND} -G Ninja -S "${WORK}/fresh" -B "${WORK}/fresh/build" "-DCMAKE_PREFIX_PATH=${WORK}/install" "-DCMAKE_CXX_COMPILER=g++"
    "-DCMAKE_C_COMPILER=gcc")
run(${CMAKE_COMMAND} --build "${WORK}/fresh/build")
run(${CMAKE_CTEST_COMMAND} --test-dir "${WORK}/fresh/build" --output-on-failure)
message("the package works from its install tree")
