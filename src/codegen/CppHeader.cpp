// The C++ header: for each entry function one that takes views of tensors, with its errors as exceptions or as statuses.
#include "codegen/Printers.h"
#include "codegen/Types.h"
#include "codegen/source/Names.h"
#include "ir/common/Conversions.h"
#include "ir/target/Words.h"
#include "support/Check.h"
#include <sstream>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

/// Where the functions are if nothing was asked for: tessera::softmax for softmax.tsr.
std::string namespaceOf(const EmitOptions &options) {
  if (!options.nameSpace.empty()) return options.nameSpace;
  static const std::set<std::string> taken = {
#define TSR_DTYPE(id, name, ...) name,
#include "support/DTypes.def"
      "DTypeOf", "Error", "Tensor", "check", "cpu", "cuda", "detail", "rocm"};
  std::string name = target::variableName(target::sanitized(options.name));
  return "tessera::" + name + (taken.count(name) ? "_" : "");
}

/// `tessera::Tensor<const float, 2>`
std::string viewType(const ParameterFacts &parameter) {
  std::optional<DType> dtype = ir::dtypeOf(parameter.dtype);
  TSR_CHECK(dtype, "a tensor of elements that have no dtype");
  std::string element(spelling(*dtype, Target::Cpu));
  if (element.rfind("tsr::", 0) == 0) element = "tessera" + element.substr(3);
  return std::string("tessera::Tensor<") + (parameter.written() ? "" : "const ") + element + ", " +
         std::to_string(parameter.shape.size()) + ">";
}

class WrapperPrinter {
public:
  WrapperPrinter(const EntryFacts &entry, Writer &writer) : entry_(entry), writer_(writer) {
    Names names;
    for (const ParameterFacts &p : entry.parameters) names.take(p.symbol);
    std::string stream = names.fresh("stream");
    for (const ParameterFacts &p : entry.parameters) {
      parameters_.push_back((p.scalar() ? Spelling(Target::Cpu).abiScalar(p.dtype) : viewType(p)) + " " + p.symbol);
      arguments_.push_back(p.scalar() ? p.symbol : p.symbol + ".abi()");
    }
    parameters_.push_back("TessStream " + stream + " = nullptr");
    arguments_.push_back(stream);
  }
  void print() {
    writer_.blank();
    writer_.comment(entry_.signature);
    std::istringstream doc(entry_.doc);
    for (std::string line; std::getline(doc, line);) writer_.comment("  " + line);
    head("TessStatus", true);
    writer_.statement(Doc("  return ") + call() + ";");
    writer_.line("}");
    writer_.line("#if defined(__cpp_exceptions)");
    head("void", false);
    writer_.statement(Doc("  tessera::check(") + call() + ");");
    writer_.line("}");
    writer_.line("#endif");
  }

private:
  void head(const std::string &result, bool nothrow) {
    std::vector<Doc> parameters = parameters_;
    if (nothrow) parameters.insert(parameters.begin(), "std::nothrow_t");
    writer_.statement(Doc("inline " + result + " " + entry_.cppName + "(") + Doc::align(commaSeparated(parameters)) + ") {");
  }
  Doc call() const { return Doc("::" + entry_.symbol + "(") + Doc::align(commaSeparated(arguments_)) + ")"; }
  const EntryFacts &entry_;
  Writer &writer_;
  std::vector<Doc> parameters_, arguments_;
};

}  // namespace

std::string cppHeaderText(const std::vector<EntryFacts> &entries, const EmitOptions &options, const std::string &includes) {
  Writer writer;
  writer.comment("The C++ interface of " + (options.program.empty() ? options.name : baseName(options.program)) +
                 ". A call that fails throws tessera::Error;");
  writer.comment(std::string("with std::nothrow as its first argument it returns the status. ") + kSetComment + kNoSet + ".");
  writer.line("#pragma once");
  writer.line("#include \"" + options.name + ".h\"");
  writer.paste(includes);
  std::string name = namespaceOf(options);
  writer.blank();
  writer.line("namespace " + name + " {");
  for (const EntryFacts &entry : entries) WrapperPrinter(entry, writer).print();
  writer.blank();
  writer.line("}  // namespace " + name);
  return writer.text(options.name + ".hpp");
}

}  // namespace tessera::codegen
