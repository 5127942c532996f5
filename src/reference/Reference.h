// The reference interpreter: runs a checked program as it stands, on arrays in memory. It is the meaning of
// the language that all emitted code is compared with, and what `--target reference` gives to users.
//
// Floats are computed in f64, whatever dtype an operation has. They are rounded where the program says so and
// nowhere else: at a Cast, at a store into a tensor or shared memory, at a literal, at an argument and at a
// result. Integers wrap around at the width of their dtype. The groups of a kernel run one after the other;
// the lanes of a group run in lockstep under a mask. A barrier that not every lane reaches and a
// race in shared memory are errors. Shared memory starts as NaN, and so does the destination of an
// asynchronous copy until the group has waited for it.
#pragma once
#include "reference/Value.h"
#include "checked/Checked.h"
#include <functional>
#include <map>
#include <optional>
#include "tessera/host/stop.h"

namespace tessera::reference {

/// The files that host code has opened, and what of a line it has printed.
struct HostFiles {
  HostFiles();
  struct File {
    std::string path, text;
    size_t at = 0;
    bool writes = false, isRead = false, isOpen = true;
  };
  std::vector<File> files;
  std::string waiting;
};

struct Options {
  /// Sizes of tile.context(), e.g. {"m", 64}; they win over the schedule's. Absent ones are 16.
  std::map<std::string, int64_t> sizes;
  int64_t groupSize = 0;  // lanes of a group where the kernel leaves it open; 0: the schedule's warps, or 128
  // What host code reaches of the world outside; without them its statements are errors.
  std::function<Result<std::string>(const std::string &path)> readFile;
  std::function<std::string(const std::string &path, const std::string &bytes)>
      writeFile;  // the empty text: written
  std::function<void(const std::string &line)> print;
  std::shared_ptr<HostFiles> files = std::make_shared<HostFiles>();
  std::function<double()> seconds;                // a clock that never goes back
  std::map<std::string, std::string> arguments;   // of `main`: what the command line says
  /// Follows NaN to the operations that make them. Every operation is then rounded to its dtype, not only where the program
  /// stores, so that what overflows in the emitted code does here.
  bool traceNaN = false;
  /// Ends a call whose arguments hold indices that lie outside of what they choose from (checked/Indices.h).
  bool checkIndices = false;
};

struct RunError {
  Span span;
  std::string message;
  int64_t kind = tsr::host::kRuntimeError;  // what an `except` asks for
  std::optional<int64_t> exitCode = {};         // the program ends so, and it is no error
  std::string caught = {};                  // what it is told, if that is not the message
};
/// A NaN that a result holds, and what made it.
struct FoundNaN {
  std::string result;
  std::vector<int64_t> index;
  Span span;                // of the operation; not valid where the function was called with it
  std::string what;         // "log(-0.25)"
  Span infinitySpan;        // of the operation that made the infinity which it was computed from
  std::string infinity;     // what that one is; empty if there is none
};
/// What is to be said of a function: "made a NaN: log(-0.25)", or "was called with a NaN in x" where no operation of it made one.
inline std::string aboutNaN(Span operation, const std::string &what) {
  return (operation.valid() ? "made a NaN: " : "was called with a NaN in ") + what;
}
/// The results of a function, in the order of Function::results, or why there are none.
struct Outcome {
  std::vector<Value> values;
  /// What is in the parameters that the function writes, by their names, also if they are no results.
  std::vector<std::pair<std::string, Value>> written;
  std::optional<RunError> error;
  std::optional<FoundNaN> nan;  // with Options::traceNaN: of the first result that holds one
  explicit operator bool() const { return !error; }
};

/// Arguments in the order of the parameters that the user wrote. One without a value takes its default; an
/// array that is only written may be left out, too. Arguments are copies: what is written into them stands in
/// Outcome::written.
using Arguments = std::vector<std::optional<Value>>;
Outcome run(const checked::Function &function, Arguments arguments, const Options &options = {});
/// What run() with Options::checkIndices says of the arguments, which is all that is done.
std::optional<RunError> checkIndices(const checked::Function &function, Arguments arguments);

/// The value of an expression without variables, as host code computes it, or a message that says why it has none.
Result<Value> evaluate(const checked::Expr &expression);

}  // namespace tessera::reference
