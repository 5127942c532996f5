// What a program can be compiled for: `cpu`, `cuda:sm_90a`, `hip:gfx942`, `reference`; and how vendors' compilers are called.
#pragma once
#include "support/DType.h"
#include "support/Result.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

struct TargetSpec {
  Target target = Target::Cpu;
  std::string arch;        // "sm_90a", "gfx942"; empty: the target's default
  bool reference = false;  // interpret instead of compiling
  std::string name() const;    // "cuda:sm_90a"
  std::string suffix() const;  // ".cu" ".hip" ".cpp"
};
/// Reads "cuda", "cuda:sm_90a", "hip:gfx942", "cpu", "reference".
std::optional<TargetSpec> parseTarget(const std::string &text);
/// The target that a file name's suffix asks for: .cu, .hip, .cpp (.cc, .cxx).
std::optional<TargetSpec> targetOfSuffix(const std::string &suffix);
/// All that parseTarget takes, for messages.
std::vector<std::string_view> targetNames();

/// How to compile an emitted source into a shared library, or why that cannot be done here.
struct CompileCommand {
  std::vector<std::string> command;
  std::string missing;     // not empty: the tool that is not here
};
CompileCommand sharedLibraryCommand(const TargetSpec &target, const std::string &source, const std::string &output,
                                    const std::string &includeFolder);
/// The same for a program with `def main()`.
CompileCommand programCommand(const TargetSpec &target, const std::string &source, const std::string &output,
                              const std::string &includeFolder);
/// The compiler's path and what it says of its version; part of a cache key.
std::string compilerIdentity(const TargetSpec &target);

}  // namespace tessera::driver
