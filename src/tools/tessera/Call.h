// One call of a function, as `tessera run` and each line of its `--runs` ask for it.
#pragma once
#include "codegen/Emit.h"
#include "driver/Session.h"
#include "driver/Targets.h"
#include "tools/tessera/Compiled.h"
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera::tools {

struct CallOptions {
  std::string function, out, random;
  std::vector<std::string> arguments;
  uint64_t seed = 0;
  int repeats = 20;
  bool time = false, check = false, force = false, cast = false, randomGiven = false;
  codegen::HostChecks checks;
  /// Whether there is an option that only kernels and tensor functions have.
  bool forResults() const { return !out.empty() || randomGiven || time || check; }
};

/// Adds the function and the options of a call to a command.
void addCallOptions(CLI::App &command, CallOptions &options);

/// Puts the number of this device in the place of each `{rank}`, if the process is one of a mesh.
void fillRank(CallOptions &options);

/// Reports a mistake on the command line. Always false.
bool refuseOption(driver::Session &session, std::string what, std::string help);
/// The function with this name; without a name `main`, or the only one. Null after an error.
const checked::Function *chooseFunction(driver::Session &session, const checked::Program &program, const std::string &name);

/// Calls a kernel or a tensor function and prints its results, or, if `json` is there, puts them there; after an error of the
/// session's nothing. The exit code: results that differ too much from the reference's are a failure.
int callFunction(driver::Session &session, const checked::Function &function, Compiled &compiled, const driver::TargetSpec &target,
                 const CallOptions &options, nlohmann::ordered_json *json);

/// Runs all calls that a file asks for, one in each line, in one process. `defaults`: what a line does not say itself.
/// The exit code.
int runEachLine(driver::Session &session, const checked::Program &program, const std::string &path, const driver::TargetSpec &target,
                const CallOptions &defaults, bool json);
/// Compiles what runEachLine would call, and runs nothing. False after an error.
bool compileEachLine(driver::Session &session, const checked::Program &program, const std::string &path, const driver::TargetSpec &target,
                     const CallOptions &defaults);

}  // namespace tessera::tools
