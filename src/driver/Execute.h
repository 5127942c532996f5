// Calling the functions of a program that was compiled into a shared library for this machine.
#pragma once
#include "driver/Arguments.h"
#include "driver/Compiler.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// A compiled program in this process.
class LoadedProgram {
public:
  virtual ~LoadedProgram() = default;
  /// Calls an entry function once. Results are left in `arguments.arrays`. Empty on success, else what went wrong.
  virtual std::string call(const std::string &function, BoundArguments &arguments) = 0;
  /// Calls it `repeats` times on the same data and gives the seconds of each; empty and a message if it failed.
  virtual std::string time(const std::string &function, BoundArguments &arguments, int repeats, std::vector<double> &seconds) = 0;
};

/// Emits, compiles (unless the cache has it) and loads these functions and what they call; all, if there are none. Null
/// after an error, which is in the session's engine.
std::unique_ptr<LoadedProgram> loadCompiled(Session &session, const TargetSpec &target, const std::vector<std::string> &functions = {});
/// A library that is already compiled, whose functions expect memory of `deviceType` (enum TessDeviceType) and are
/// given memory of this process: HIP whose kernels run on the CPU. Null and a message where it cannot be loaded.
std::unique_ptr<LoadedProgram> loadWithHostMemory(const std::string &path, int32_t deviceType, std::string &problem);
}  // namespace tessera::driver
