// Compiling a checked program for this machine: a shared library or a program, kept in the cache by everything that it was
// made from.
#pragma once
#include "driver/Compiler.h"
#include "support/Result.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// The path of a shared library of these functions and what they call (all, if there are none), or, not `shared`, of a
/// program. Empty after an error, which is in the session's engine. Where there is no cache, it is gone when this process ends.
/// `set`: takes the set number of what was emitted, which the library has, too (`tessSet_<number>`).
std::string buildProduct(Session &session, const TargetSpec &target, const std::vector<std::string> &functions, bool shared,
                         std::string *set = nullptr);
/// A shared library, and what was emitted for it.
struct BuiltLibrary {
  std::string path;  // the manifest is beside it, with the suffix .json
  Product product;
};
/// Nothing after an error, which is in the session's engine. It shows its functions, and not only their uniform forms.
/// `name`: the stem of its headers, if not the program's.
std::optional<BuiltLibrary> buildLibrary(Session &session, const TargetSpec &target, const std::string &name = {});
/// An executable of the program's `def main()`: its path, or empty after an error.
std::string buildProgram(Session &session, const TargetSpec &target, codegen::HostChecks checks = {});
/// Runs such a program in the place of this process. Returns only if it cannot be started.
void becomeProgram(const std::string &program, const std::vector<std::string> &words = {});
/// A folder that holds the headers of emitted code, unpacked from the tool into the cache.
Result<std::string> unpackedHeaders();

}  // namespace tessera::driver
