// Host code: `def main()` and what it calls, as C++ over tessera/host.h.
#include "codegen/DimText.h"
#include "codegen/FunctionPrinter.h"
#include "codegen/Printers.h"
#include "codegen/source/Names.h"
#include "ir/common/Conversions.h"
#include "ir/target/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "support/Check.h"
#include <algorithm>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

std::string lineOf(const Doc &doc) { return doc.lines(0, 1 << 20).front(); }

/// For host code: memory for the results, the call, and the end of the program where it fails.
class WrapperPrinter {
public:
  /// `returns`: of the function's results, those that a caller takes.
  WrapperPrinter(const EntryFacts &facts, std::vector<std::string> returns, HostChecks checks, Writer &writer, const Spelling &spell)
      : facts_(facts), returns_(std::move(returns)), checks_(checks), writer_(writer), spell_(spell) {}
  void print();

private:
  /// `{"w", w}, {"rate", rate}`: the parameters among these, by their names in the program.
  template <class Chosen> Doc named(Chosen chosen) {
    std::vector<Doc> list;
    for (const ParameterFacts &p : facts_.parameters)
      if (chosen(p)) list.push_back("{\"" + p.name + "\", " + p.symbol + "}");
    return commaSeparated(list);
  }
  void printCall();
  void printDims(std::set<std::string> &needed, Names &names);
  void printIndexChecks();
  std::string extents(const std::vector<std::string> &shape) {
    std::string list;
    for (const std::string &extent : shape) list += (list.empty() ? "" : ", ") + lineOf(dims_(extent).doc);
    return list;
  }
  const EntryFacts &facts_;
  const std::vector<std::string> returns_;
  const HostChecks checks_;
  Writer &writer_;
  const Spelling &spell_;
  DimText dims_;
};

constexpr size_t kFewTypes = 4;  // that are written out
/// Tensors of a function from which on compilers take long to optimise the calls that make them and clear up behind them.
constexpr size_t kManyTensors = 64;

/// What a function returns, by its results.
std::string resultType(ArrayRef<std::string> types) {
  if (types.empty()) return "void";
  if (types.size() == 1) return types[0];
  if (types.size() > kFewTypes && llvm::all_equal(types)) return "std::array<" + types[0] + ", " + std::to_string(types.size()) + ">";  // compilers take long for long tuples
  return "std::tuple<" + llvm::join(types, ", ") + ">";
}

/// Names in a list that goes over lines as it has to.
Doc listed(ArrayRef<std::string> names, int indent) { return Doc::nest(indent, commaSeparated(std::vector<Doc>(names.begin(), names.end()))); }

void WrapperPrinter::print() {
  Names names;
  for (const ParameterFacts &p : facts_.parameters) names.take(p.symbol);
  std::vector<Doc> parameters;
  for (const ParameterFacts &p : facts_.parameters) {
    if (p.mode == "result") continue;
    parameters.push_back(p.scalar() ? spell_.abiScalar(p.dtype) + " " + p.symbol
                                    : "const tsr::host::Tensor &" + p.symbol);
  }
  writer_.blank();
  writer_.comment(facts_.name + " for the host code: allocates what it returns.");
  const std::string marks = facts_.parameters.size() >= kManyTensors ? "TSR_UNOPTIMISED static " : "static ";
  writer_.statement(Doc(marks + resultType(SmallVector<std::string>(returns_.size(), "tsr::host::Tensor")) + " " + facts_.name + "_on_host(") +
                    parameterList(parameters) + ") {");
  writer_.indent();
  // What the shapes of results need, from the first argument that has it.
  std::set<std::string> needed;
  for (const ParameterFacts &p : facts_.parameters)
    if (p.mode == "result")
      for (const std::string &extent : p.shape) parseDim(extent).collectVars(needed);
  for (const IndexFacts &index : facts_.indices)
    for (const Dim &dim : index.dims()) dim.collectVars(needed);
  printDims(needed, names);
  for (const std::string &dim : needed) {
    auto asked = meshDim(dim);
    if (!asked) continue;
    const std::string name = names.fresh(asked->word());
    dims_.rename(dim, name);
    writer_.line("const int64_t " + name + " = tsr::host::" + std::string(asked->function()) + "(" + (asked->axis.empty() ? "" : quoted(asked->axis)) + ");");
  }
  printIndexChecks();
  for (const ParameterFacts &p : facts_.parameters)
    if (p.mode == "result")
      writer_.line("tsr::host::Tensor " + p.symbol + " = tsr::host::Tensor::make<" + spell_.type(p.dtype) +
                   ">({" + extents(p.shape) + "});");
  printCall();
  if (returns_.size() == 1) writer_.line("return " + facts_.parameter(returns_[0])->symbol + ";");
  if (returns_.size() > 1) {
    std::vector<std::string> symbols;
    for (const std::string &name : returns_) symbols.push_back(facts_.parameter(name)->symbol);
    writer_.statement(Doc("return {") + listed(symbols, 4) + "};");
  }
  writer_.dedent();
  writer_.line("}");
}

/// What the shapes of results need, from the arguments: the first one that has it, or an extent that it is a part of.
void WrapperPrinter::printDims(std::set<std::string> &needed, Names &names) {
  std::vector<std::pair<std::string, std::string>> sources;  // of each dimension, in an order in which each needs only those before it
  std::vector<std::vector<Dim>> extents;
  std::set<std::string> given;
  for (const ParameterFacts &p : facts_.parameters) {
    std::vector<Dim> &shape = extents.emplace_back();
    for (size_t axis = 0; axis < p.shape.size() && p.mode != "result"; ++axis) {
      const Dim dim = parseDim(p.shape[axis]);
      if (!p.scalar()) shape.push_back(dim);
      if (!dim.isVar() || !given.insert(dim.varName()).second) continue;
      sources.emplace_back(dim.varName(), p.scalar() ? p.symbol : p.symbol + ".extent(" + std::to_string(axis) + ")");
    }
  }
  const std::vector<SolvedExtent> solved = solvedExtents(extents, given);
  for (auto one = solved.rbegin(); one != solved.rend(); ++one)
    if (needed.count(one->extent.variable)) one->extent.rest.collectVars(needed), one->extent.factor.collectVars(needed);
  auto print = [&](const std::string &dim, const std::string &source) {
    const std::string name = names.fresh(dim);
    dims_.rename(dim, name);
    writer_.line("const int64_t " + name + " = " + source + ";");
  };
  for (const std::string &dim : facts_.dims)
    for (const auto &[name, source] : sources)
      if (name == dim && needed.count(dim)) print(dim, source);
  for (const SolvedExtent &one : solved) {
    if (!needed.count(one.extent.variable)) continue;
    given.insert(one.extent.variable);
    print(one.extent.variable, facts_.parameters[one.parameter].symbol + ".solved(" + std::to_string(one.axis) + ", " +
                                   lineOf(dims_(one.extent.factor).doc) + ", " + lineOf(dims_(one.extent.rest).doc) + ")");
  }
  for (const std::string &dim : needed)
    TSR_CHECK(given.count(dim) || meshDim(dim), "no argument of " + facts_.name + " determines the dimension " + dim);
}

void WrapperPrinter::printIndexChecks() {
  for (const IndexFacts &index : facts_.indices) {
    std::vector<Doc> used;
    for (const IndexFacts::Axis &axis : index.axes)
      used.push_back(Doc("{") + dims_(axis.begin.str()).doc + ", " + dims_(axis.size.str()).doc + ", " + std::to_string(axis.step) + "}");
    const ParameterFacts *parameter = facts_.parameter(index.parameter);
    TSR_CHECK(parameter, "indices in a parameter that is not there: " + index.parameter);
    writer_.statement(Doc(checks_.bounds ? "tsr::host::check_indices(" : "tsr::host::check_indices_here(") +
                      Doc::nest(4, commaSeparated({"\"" + facts_.name + "\"", "\"" + index.parameter + "\"", parameter->symbol,
                                                   Doc("{") + commaSeparated(used) + "}", dims_(index.extent.str()).doc,
                                                   index.fromEnd ? "true" : "false", "\"" + index.of + "\""})) +
                      ");");
  }
}

void WrapperPrinter::printCall() {
  auto isArgument = [](const ParameterFacts &p) { return p.mode != "result"; };
  auto isWritten = [](const ParameterFacts &p) { return p.written(); };
  if (checks_.nan) {
    std::vector<Doc> changed;
    for (const ParameterFacts &p : facts_.parameters)
      if (p.written() && isArgument(p)) changed.push_back("\"" + p.name + "\"");
    writer_.line("static tsr::host::NanCheck nans(\"" + facts_.name + "\");");
    writer_.statement(Doc("nans.before({") + Doc::nest(4, named(isArgument) + "}, {" + commaSeparated(changed)) + "});");
  }
  std::vector<Doc> arguments;
  for (const ParameterFacts &p : facts_.parameters) {
    if (p.scalar()) arguments.push_back(p.symbol);
    else arguments.push_back(p.symbol + (p.written() ? ".written()" : ".read()"));
  }
  arguments.push_back("nullptr");
  writer_.statement(Doc("tsr::host::stop_unless_ok(" + facts_.symbol + "(") +
                    Doc::nest(4, commaSeparated(arguments)) + "));");
  if (checks_.nan) writer_.statement(Doc("nans.after({") + Doc::nest(4, named(isWritten)) + "});");
}

std::string hostResult(target::HostFuncOp func, const Spelling &spell) {
  if (func.getSymName() == "main") return "int";
  std::vector<std::string> types;
  for (auto type : func.getResultTypesAttr().getAsValueRange<TypeAttr>()) types.push_back(spell.type(type));
  return resultType(types);
}

std::string hostName(target::HostFuncOp func) {
  return func.getSymName() == "main" ? "main" : target::functionName(func.getSymName());
}

/// Whether `main` reads the command line.
bool readsArguments(target::HostFuncOp func) {
  return func.walk([](target::CallOp call) {
    return call.getCallee() == "tsr::host::no_more_arguments" ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}

Doc hostSignature(target::HostFuncOp func, FunctionPrinter &printer) {
  std::vector<Doc> parameters;
  for (auto [argument, nameAttr] :
       llvm::zip(func.getBody().front().getArguments(), func.getParamNames().getAsRange<StringAttr>())) {
    std::string name = nameAttr.getValue().str();
    printer.bind(argument, name);
    parameters.push_back(
        printer.spell().declaration(argument.getType(), argument.use_empty() ? "/*" + name + "*/" : name));
  }
  if (readsArguments(func)) parameters = {Doc("int argc"), Doc("char **argv")};
  std::string marks = func.getSymName() == "main" ? "" : "static ";
  return Doc(marks + hostResult(func, printer.spell()) + " " + hostName(func) + "(") +
         Doc::align(commaSeparated(parameters)) + ")";
}

/// Of the results of each entry function that host code calls, whether it takes them: a state that a call changes where it lies comes
/// back as well, and the caller has it already.
using Taken = std::map<std::string, std::vector<bool>>;
Taken takenBy(ModuleOp module, const std::vector<EntryFacts> &entries) {
  Taken taken;
  for (const EntryFacts &entry : entries)
    for (const std::string &name : entry.returns) taken[entry.name].push_back(entry.parameter(name)->mode == "result");
  for (auto func : module.getOps<target::HostFuncOp>())
    func.walk([&](target::EntryCallOp call) {
      std::vector<bool> &of = taken[call.getCallee().str()];
      for (auto [i, value] : llvm::enumerate(call->getResults()))
        if (!value.use_empty()) of[i] = true;
    });
  return taken;
}
/// Those of a list that are taken.
template <class List> std::vector<std::string> chosen(const List &names, const std::vector<bool> &taken) {
  std::vector<std::string> list;
  for (auto [name, isTaken] : llvm::zip(names, taken))
    if (isTaken) list.push_back(name);
  return list;
}

void printFunction(target::HostFuncOp func, const Taken &taken, const Language &language, Writer &writer) {
  FunctionPrinter printer(language, writer);
  printer.setEntryCall([&](Operation *op) {
    auto call = cast<target::EntryCallOp>(op);
    std::vector<Expr> arguments;
    for (Value operand : call->getOperands()) {
      auto dtype = ir::dtypeOf(operand.getType());
      Expr argument = printer.expr(operand);
      const bool narrow = dtype && isFloat(*dtype) && info(*dtype).bits < 32;  // the C interface takes it as a float
      arguments.push_back(narrow ? callExpr(Doc("tsr::to<float>"), {argument}) : argument);
    }
    Doc doc = callExpr(Doc(call.getCallee().str() + "_on_host"), arguments).doc;
    std::vector<std::string> names;
    for (auto [value, name] : llvm::zip(call->getResults(), call.getNames().getAsRange<StringAttr>())) {
      names.push_back(name.getValue().str());
      printer.bind(value, names.back());
    }
    names = chosen(names, taken.at(call.getCallee().str()));
    Doc head("");
    if (names.size() == 1) head = Doc("tsr::host::Tensor " + names[0] + " = ");
    if (names.size() > 1) head = Doc("auto [") + listed(names, 4) + "] = ";
    writer.statement(head + Doc::nest(4, doc) + ";", placeOf(op));
  });
  writer.blank();
  writer.beginFunction();
  writer.statement(hostSignature(func, printer) + " {");
  writer.indent();
  if (readsArguments(func)) writer.line("tsr::host::read_arguments(argc, argv);");
  printer.statements(func.getBody().front());
  if (func.getSymName() == "main") writer.line("return 0;");
  writer.dedent();
  writer.line("}");
  writer.endFunction();
}

}  // namespace

void printHost(ModuleOp module, const std::vector<EntryFacts> &entries, const Language &language, HostChecks checks,
               Writer &writer) {
  std::set<std::string> called;
  for (auto func : module.getOps<target::HostFuncOp>())
    func.walk([&](target::EntryCallOp call) { called.insert(call.getCallee().str()); });
  Spelling spell(language.target);
  const Taken taken = takenBy(module, entries);
  for (const EntryFacts &entry : entries)
    if (called.count(entry.name)) WrapperPrinter(entry, chosen(entry.returns, taken.at(entry.name)), checks, writer, spell).print();
  std::vector<target::HostFuncOp> functions(module.getOps<target::HostFuncOp>().begin(),
                                            module.getOps<target::HostFuncOp>().end());
  if (functions.size() > 1) {
    writer.blank();
    for (target::HostFuncOp func : functions) {
      if (func.getSymName() == "main") continue;
      FunctionPrinter printer(language, writer);
      writer.statement(hostSignature(func, printer) + ";");
    }
  }
  for (target::HostFuncOp func : functions) printFunction(func, taken, language, writer);
}

}  // namespace tessera::codegen
