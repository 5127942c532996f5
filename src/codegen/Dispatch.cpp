// Functions for several targets in one program: each calls the code for the one on which its arguments are.
#include "codegen/Printers.h"
#include "codegen/Types.h"
#include "codegen/source/Names.h"
#include "support/Check.h"

namespace tessera::codegen {
namespace {

struct Branch {
  std::string target, prefix, device;  // "cuda:sm_90a", "kernels_cuda_sm_90a_", "TESS_CUDA"
};

class DispatchPrinter {
public:
  DispatchPrinter(const EmitOptions &options, Writer &writer) : writer_(writer) {
    for (const std::string &target : options.dispatch) {
      std::string family = target.substr(0, target.find(':'));
      std::string device = family == "cuda" ? "TESS_CUDA" : family == "hip" ? "TESS_ROCM" : "TESS_CPU";
      branches_.push_back({target, prefixOf(dispatchedNamespace(options.nameSpace, target)), device});
      targets_ += (targets_.empty() ? "" : ", ") + target;
    }
  }
  void print(const EntryFacts &entry) {
    Names names;
    for (const ParameterFacts &p : entry.parameters) names.take(p.symbol);
    std::string stream = names.fresh("stream"), list;
    std::vector<Doc> parameters, arguments;
    for (const ParameterFacts &p : entry.parameters) {
      parameters.push_back((p.scalar() ? Spelling(Target::Cpu).abiScalar(p.dtype) : p.written() ? "TessTensor *" : "const TessTensor *") +
                           (p.scalar() ? " " : "") + p.symbol);
      arguments.push_back(p.symbol);
      if (!p.scalar()) list += (list.empty() ? "" : ", ") + p.symbol;
    }
    parameters.push_back("TessStream " + stream);
    arguments.push_back(stream);
    writer_.blank();
    writer_.comment(entry.signature);
    function(entry.symbol, entry.name, entry, parameters, arguments, "{" + list + "}");
    function(entry.call, entry.name + "_call", entry, {"const TessValue *args", "int32_t count", "TessStream stream"},
             {"args", "count", "stream"}, "args, count");
  }

private:
  /// `own`: how the functions of the targets are called behind their prefixes. `where`: what tsr::code_for looks at.
  void function(const std::string &name, const std::string &own, const EntryFacts &entry, const std::vector<Doc> &parameters, const std::vector<Doc> &arguments,
                const std::string &where) {
    for (const Branch &branch : branches_)
      writer_.statement(Doc("extern \"C\" TessStatus " + branch.prefix + own + "(") + Doc::align(commaSeparated(parameters)) + ");");
    writer_.statement(Doc("extern \"C\" TessStatus " + name + "(") + Doc::align(commaSeparated(parameters)) + ") {");
    writer_.indent();
    writer_.line("switch (const int32_t device = tsr::code_for(" + where + ", " + branches_.front().device + ")) {");
    for (const Branch &branch : branches_)
      writer_.statement(Doc("case " + branch.device + ": return " + branch.prefix + own + "(") +
                        Doc::align(commaSeparated(arguments)) + ");");
    writer_.line("default: return tsr::no_code_for(" + quoted(entry.name) + ", device, " + quoted(targets_) + ");");
    writer_.line("}");
    writer_.dedent();
    writer_.line("}");
  }
  Writer &writer_;
  std::string targets_;
  std::vector<Branch> branches_;
};

}  // namespace

std::string dispatchedNamespace(const std::string &nameSpace, const std::string &target) {
  std::string name = nameSpace.empty() ? "" : nameSpace + "::";
  for (char c : target) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

void printDispatch(const std::vector<EntryFacts> &entries, const EmitOptions &options, Writer &writer) {
  TSR_CHECK(!options.dispatch.empty(), "a dispatch among no targets");
  DispatchPrinter printer(options, writer);
  for (const EntryFacts &entry : entries) printer.print(entry);
}

}  // namespace tessera::codegen
