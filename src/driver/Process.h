// Starting other programs: the host compiler, nvcc, clang.
#pragma once
#include <string>
#include <vector>

namespace tessera::driver {

struct ProcessResult {
  int exitCode = -1;     // 127: could not be started
  std::string output;    // stdout and stderr together
};
/// Runs a program (found through PATH unless it has a slash) with these arguments and waits for it.
ProcessResult runProcess(const std::vector<std::string> &command);
/// Runs a program with the standard streams of this process and waits for it: its exit code, as ProcessResult has it.
int runInForeground(const std::vector<std::string> &command);
/// The full path of a program on PATH or in one of `folders`; empty if there is none.
std::string findProgram(const std::string &name, const std::vector<std::string> &folders = {});

}  // namespace tessera::driver
