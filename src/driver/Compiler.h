// A whole compilation: from a checked program through the four levels to files. The one list of pipelines.
#pragma once
#include "codegen/Emit.h"
#include "driver/Files.h"
#include "driver/Session.h"
#include "driver/Targets.h"
#include "driver/Work.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// The stations of the way down, in order. `--emit=` takes their names.
enum class Level { Ast, Checked, Graph, Schedule, Tile, Target, Source };
std::optional<Level> levelByName(const std::string &name);
std::string_view nameOf(Level level);

struct CompileOptions {
  TargetSpec target;
  std::string sourceName = "model.cu";  // file name of the emitted source: the header and manifest are named after it
  bool lineDirectives = false;
  bool standalone = false;
  size_t mostParts = 1;  // into which the source may be taken apart: codegen::EmitOptions
  codegen::HostChecks checks;
  bool hostCode = true;  // codegen::EmitOptions
  bool keepGoing = false;  // where functions cannot be compiled, the others are emitted, and what is said of these are warnings
  std::string nameSpace;              // of the C++ functions, and before the names of the C functions
  std::vector<std::string> dispatch;  // targets among which the functions choose, instead of the functions themselves
};
struct Product {
  std::string source, header, cppHeader, manifest, lineMap, set;
  std::vector<std::string> parts;  // what is compiled apart from the source and linked with it
};

/// The headers and the manifest, which have the name of `output` with other suffixes.
std::vector<OutputFile> besides(const std::string &output, const Product &product);

/// Carries a session's checked program down. Each call goes as far as it must; messages go to the session's engine.
class Compiler {
public:
  Compiler(Session &session, CompileOptions options);
  ~Compiler();
  /// The text of the program at a level; nothing after an error. With functions: only those, and what they call.
  std::optional<std::string> textAt(Level level, const std::vector<std::string> &functions = {});
  /// The emitted files, likewise. Where functions fail, the messages of all that do are reported, and the last names those that
  /// would compile; with `keepGoing` these are emitted, if all functions were asked for.
  std::optional<Product> emit(const std::vector<std::string> &functions = {});
  /// What a call of a function does for these sizes, kernel by kernel; empty for one that launches nothing.
  std::optional<std::vector<KernelWork>> workOf(const std::string &function, const Sizes &sizes);
  /// What it compiles, after a call that did not fail.
  const checked::Program &program() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::driver
