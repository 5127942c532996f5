// The reference interpreter behind the same calls as compiled programs.
#pragma once
#include "codegen/Emit.h"
#include "driver/Arguments.h"
#include "driver/Session.h"
#include "reference/Reference.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tessera::driver {

/// Interprets a function; results are left in `arguments.arrays`. Empty on success, else what went wrong and where.
std::string interpret(const Session &session, const checked::Function &function, BoundArguments &arguments, int repeats, std::vector<double> &seconds);
/// Interprets a function, whose arguments stay as they are, and says what made the first NaN of its results; no `found` where
/// they have none. Empty on success, else what went wrong and where.
std::string traceNaN(const Session &session, const checked::Function &function, const BoundArguments &arguments, std::optional<reference::FoundNaN> &found);
/// An index among the arguments of a call that lies outside of what it chooses from, and where; empty if there is none.
std::string checkIndices(const Session &session, const checked::Function &function, const BoundArguments &arguments);
/// Interprets `def main()` with the files of this process. `status`: the exit status that it ends with. `print`: takes its lines, in place of
/// the standard output.
std::string interpretMain(const Session &session, const checked::Function &function, std::map<std::string, std::string> arguments,
                          codegen::HostChecks checks, int &status, std::function<void(const std::string &)> print = {});
/// Element i in row-major order, as a number.
double elementOf(const NpyArray &array, size_t i);
/// Complex numbers as pairs of f32 along one more axis.
NpyArray partsOf(const NpyArray &complexes);
/// How far two arrays of one shape and dtype are apart.
struct Difference {
  double relative = 0;     // largest difference over the largest magnitude of the reference
  bool acceptable = true;  // within what the dtype can say, with room for another order of adding up
};
Difference differenceOf(const NpyArray &got, const NpyArray &reference);

}  // namespace tessera::driver
