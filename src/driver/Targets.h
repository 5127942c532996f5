// What a program can be compiled for: `cpu`, `cuda:sm_90a`, `hip:gfx942`, `reference`; and how vendors' compilers are called.
// The machines behind the names are the table support/Machines.def.
#pragma once
#include "diag/Diagnostic.h"
#include "support/Machine.h"
#include "support/Result.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

struct TargetSpec {
  Target target = Target::Cpu;
  std::string arch;        // "sm_90a", "gfx942", "x86-64-v3"; empty: the family's default
  bool reference = false;  // interpret instead of compiling
  std::string name() const;    // "cuda:sm_90a"
  std::string suffix() const;  // ".cu" ".hip" ".cpp"
  /// What the text is made for. Of `cuda` alone that is sm_80, while nvcc translates the text for the GPU that is here
  /// (`-arch=native`): the same program is the same text everywhere, and it runs on every GPU from sm_80 on; a group that
  /// needs more shared memory than a smaller one of these has (sm_86, sm_89: 99 KiB) is refused when it is launched.
  const Machine &machine() const;
};
/// Reads "cuda", "cuda:sm_90a", "hip:gfx942", "cpu", "cpu:x86-64-v3", "reference"; nothing for a machine that is not in
/// the table.
std::optional<TargetSpec> parseTarget(const std::string &text);
/// The message about a text that parseTarget does not take, with the target that was probably meant.
/// `reference`: whether the interpreter would do.
void reportUnknownTarget(diag::Engine &diagnostics, const std::string &text, bool reference);
/// The target that a file name's suffix asks for: .cu, .hip, .cpp (.cc, .cxx).
std::optional<TargetSpec> targetOfSuffix(const std::string &suffix);

/// The names that a loaded library shows, as the linker reads it; in the folder of the headers.
inline constexpr const char *kExportsFile = "exports.map";
inline constexpr const char *kExportsText = "{ global: *_call; tessSet_*; tessMesh*; tessLastErrorText; local: *; };\n";

/// How to compile an emitted source into a shared library, or why that cannot be done here.
struct CompileCommand {
  std::vector<std::string> command;
  std::string missing;     // not empty: the tool that is not here
};
/// `exports`: a file of the names that it shows; kExportsFile if it is empty.
CompileCommand sharedLibraryCommand(const TargetSpec &target, const std::string &source, const std::string &output,
                                    const std::string &includeFolder, const std::string &exports = {});
/// The same for a program with `def main()`.
CompileCommand programCommand(const TargetSpec &target, const std::string &source, const std::string &output,
                              const std::string &includeFolder);
/// An object of one part of a source, and what links those of all parts; `shared`: into a library, else into a program.
CompileCommand objectCommand(const TargetSpec &target, const std::string &source, const std::string &object, const std::string &includeFolder,
                             bool shared);
CompileCommand linkCommand(const TargetSpec &target, const std::vector<std::string> &objects, const std::string &output,
                           const std::string &includeFolder, bool shared, const std::string &exports = {});
/// What a source that calls NCCL or RCCL is translated and linked with besides; nothing for the CPU. NCCL_HOME, RCCL_HOME: where it is.
struct Libraries {
  std::vector<std::string> translate, link;
};
Libraries collectiveLibraries(Target target);
/// The compiler's path and what it says of its version; part of a cache key.
std::string compilerIdentity(const TargetSpec &target);

}  // namespace tessera::driver
