// Target IR -> text: the source, its C header, the manifest and the line map. Nothing of the module is
// changed, and the same module and options give the same bytes.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace tessera::codegen {

/// What host code looks at around each call of an entry function, and ends at.
struct HostChecks {
  bool nan = false;     // the first NaN that one makes
  bool bounds = false;  // an index among its arguments that lies outside
};

struct EmitOptions {
  std::string name = "module";  // stem of the files: softmax.cu, softmax.h
  std::string program;          // the program's file, for the comment at the head
  bool lineDirectives = false;  // `#line`: compilers, debuggers and profilers then speak of the program
  HostChecks checks;
  bool hostCode = true;         // `main` and what it calls: a library has no use for it
  bool standalone = false;      // paste in the headers that are used
  size_t mostParts = 1;         // into which the source may be taken apart, for compilers that run side by side
  std::string nameSpace;        // "kernels::cpu": of the C++ functions; the C functions are `kernels_cpu_softmax`
  /// Not the functions, but those that call one of them, for each target ("cpu", "cuda:sm_90a") in a namespace of its own.
  std::vector<std::string> dispatch;
  /// Functions of the program that are not there, as they cannot be compiled: the name, and why. The source and the manifest say so.
  std::vector<std::pair<std::string, std::string>> leftOut;
  std::map<std::string, std::string> tools;  // name -> version, for the manifest
  /// The text of a header by the path that `#include` has ("tessera/device/math.h"); needed for `standalone`.
  std::function<std::string(const std::string &path)> headerText;
};

struct Emitted {
  std::string source, header, cppHeader;
  std::vector<std::string> parts;  // what of the source is compiled apart from it and linked with it
  std::string manifest;  // JSON
  std::string lineMap;   // JSON: emitted line -> line of the program
  std::string suffix;    // ".cu", ".hip", ".cpp"
  std::string set;       // the number that stands in each of them: files of another compile have another
};

/// `module` holds only the Target dialect; its machine says which language.
Emitted emit(mlir::ModuleOp module, const EmitOptions &options);

}  // namespace tessera::codegen
