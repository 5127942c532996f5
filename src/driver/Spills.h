// `@require(no_spill)`: whether a GPU's compiler had registers enough for the kernels of a function. Known where it is called: the
// flags that make it say so, and what it said.
#pragma once
#include "checked/Checked.h"
#include "diag/Diagnostic.h"
#include "support/DType.h"
#include "support/Sources.h"
#include <string>
#include <vector>

namespace tessera::driver {

/// A kernel whose lanes keep values in memory, as they have too few registers.
struct Spill {
  std::string kernel;  // the name of its function
  std::string what;    // "700 bytes spill stores, 700 bytes spill loads"
};
/// In what the compiler of `target` said when it was called with flagsForSpills().
std::vector<Spill> spillsIn(Target target, const std::string &log);
/// None where nothing is asked of any of the functions (all, if there are none), and on the CPU, whose lanes are no threads.
std::vector<std::string> flagsForSpills(Target target, const checked::Program &program, const std::vector<std::string> &functions);
/// False after a message for each kernel that spills and that a function starts which claims `no_spill`. `manifest`: of what was compiled.
bool keepToRegisters(const checked::Program &program, const std::string &manifest, const std::vector<Spill> &spills, const Sources &sources,
                     diag::Engine &diagnostics);

}  // namespace tessera::driver
