// Compiling a checked program into a shared library for this machine (cached by content) and calling its functions.
#pragma once
#include "driver/Arguments.h"
#include "driver/Compiler.h"
#include <memory>
#include <optional>
#include <string>

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

/// Emits, compiles (unless the cache has it) and loads `function` and what it calls; all functions if it is empty. Null
/// after an error, which is in the session's engine.
std::unique_ptr<LoadedProgram> loadCompiled(Session &session, const TargetSpec &target, const std::string &function = {});
/// A library that is already compiled, whose functions expect memory of `deviceType` (enum TessDeviceType) and are
/// given memory of this process: HIP whose kernels run on the CPU. Null and a message where it cannot be loaded.
std::unique_ptr<LoadedProgram> loadWithHostMemory(const std::string &path, int32_t deviceType, std::string &problem);
/// A shared library, and what was emitted for it.
struct BuiltLibrary {
  std::string path;  // in the cache; the manifest is beside it, with the suffix .json
  Product product;
};
/// Nothing after an error, which is in the session's engine. `name`: the stem of its headers, if not the program's.
std::optional<BuiltLibrary> buildLibrary(Session &session, const TargetSpec &target, const std::string &name = {});
/// The same as an executable of the program's `def main()`: its path, or empty after an error.
std::string buildProgram(Session &session, const TargetSpec &target);
/// A folder that holds the headers of emitted code, unpacked from the tool into the cache.
Result<std::string> unpackedHeaders();
/// One compiler call: empty on success, else its output; `missing` is set when the compiler is not here. `exports`: of
/// sharedLibraryCommand.
std::string compileSource(const TargetSpec &target, const std::string &source, const std::string &output, bool shared, std::string &missing,
                          const std::string &exports = {});

}  // namespace tessera::driver
