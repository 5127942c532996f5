#include "codegen/FunctionPrinter.h"
#include "codegen/Printers.h"
#include "codegen/source/Names.h"
#include "support/Check.h"

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

/// Of the array that all kernels of a file declare: nvcc wants one alignment.
int64_t sharedAlignment(target::KernelOp kernel) {
  int64_t greatest = 0;
  for (auto each : kernel->getParentOfType<ModuleOp>().getOps<target::KernelOp>()) {
    greatest = std::max<int64_t>(greatest, each.getSharedAlignment());
    for (auto shared : each.getBody().front().getOps<target::SharedOp>()) greatest = std::max(greatest, alignmentOf(shared));
  }
  return greatest;
}

/// Declarations at the top that the struct's types may need, then the struct in dynamic shared memory.
void printDynamicShared(target::KernelOp kernel, const Language &language, FunctionPrinter &printer,
                        Writer &writer) {
  Names names;
  kernel.walk([&](Operation *op) {
    if (auto o = dyn_cast<target::VariableOp>(op)) names.take(o.getName());
    if (auto o = dyn_cast<target::ConstantOp>(op)) names.take(o.getName());
    if (auto o = dyn_cast<target::ForOp>(op)) names.take(o.getName());
  });
  for (auto name : kernel.getParamNames().getAsRange<StringAttr>()) names.take(name.getValue());
  std::string type = names.own("Shared"), object = names.own("shared"),
              bytes = names.own("shared_bytes");
  writer.line("struct " + type + " {");
  writer.indent();
  for (auto shared : kernel.getBody().front().getOps<target::SharedOp>()) {
    Type member = cast<target::LValueType>(shared.getPlace().getType()).getValue();
    const int64_t usual = kernel.getSharedAlignment() > 128 ? 0 : 128;  // else the types have their own
    writer.line(alignmentText(std::max(usual, alignmentOf(shared))) + printer.spell().declaration(member, shared.getName().str()) + ";");
    printer.bind(shared.getPlace(), object + "." + shared.getName().str());
  }
  writer.dedent();
  writer.line("};");
  writer.line(language.dynamicShared(bytes, sharedAlignment(kernel)));
  writer.line(type + " &" + object + " = *reinterpret_cast<" + type + " *>(" + bytes + ");");
}

Doc signature(target::KernelOp kernel, const Language &language, FunctionPrinter &printer) {
  std::vector<Doc> parameters;
  Block &body = kernel.getBody().front();
  for (auto [argument, nameAttr] :
       llvm::zip(body.getArguments(), kernel.getParamNames().getAsRange<StringAttr>())) {
    std::string name = nameAttr.getValue().str();
    printer.bind(argument, name);
    std::string shown = argument.use_empty() ? "/*" + name + "*/" : name;
    // The copy engine reads the map where the launch put it: no copy in a lane's own memory.
    std::string marks = isa<target::TiledViewType>(argument.getType()) ? "const __grid_constant__ " : "";
    parameters.push_back(marks + printer.spell().declaration(argument.getType(), shown,
                                                             kernel.getMayAlias() ? "" : language.restrictMark));
  }
  auto bounds = kernel->getAttrOfType<StringAttr>("bounds");  // where they are template parameters
  auto resident = kernel->getAttrOfType<StringAttr>("resident");  // groups that a processor is to have room for
  Doc marks = std::string(language.kernelMarks) + " void";
  if (*language.launchBounds && kernel.getGroup() > 0) {
    std::vector<Doc> of = {bounds ? bounds.getValue().str() : std::to_string(kernel.getGroup())};
    if (kernel.getOneGroup()) of.push_back("1");
    else if (resident && language.boundsTakeGroups) of.push_back(resident.getValue().str());
    marks = marks + (std::string(" ") + language.launchBounds + "(") + Doc::group(Doc::nest(4, Doc::softline() + commaSeparated(of))) + ")";
  }
  Doc list = Doc(kernel.getSymName().str()) + "(" + Doc::align(commaSeparated(parameters)) + ") {";
  return Doc::group(marks + Doc::line() + list);
}

}  // namespace

void printKernel(target::KernelOp kernel, const Language &language, Writer &writer) {
  FunctionPrinter printer(language, writer);
  llvm::StringSet<> names = mentioned(kernel);
  printer.setMentioned(&names);
  writer.blank();
  writer.beginFunction();
  for (auto text : kernel.getComment().getAsRange<StringAttr>()) writer.comment(text.getValue().str());
  std::string capacities;
  for (auto name : kernel.getCapacities().getAsRange<StringAttr>())
    capacities += (capacities.empty() ? "int " : ", int ") + name.getValue().str();
  if (!capacities.empty()) writer.line("template <" + capacities + ">");
  writer.statement(signature(kernel, language, printer));
  writer.indent();
  Block &body = kernel.getBody().front();
  if (kernel.getDynamicShared() && language.gpu) {
    // Constants and aliases stand before the struct, whose types speak of them.
    Block::iterator at = body.begin();
    while (at != body.end() && isa<target::ConstantOp, target::AliasOp, target::CommentOp>(*at)) ++at;
    printer.statements(body.begin(), at);
    printDynamicShared(kernel, language, printer, writer);
    printer.statements(at, body.end());
  } else {
    printer.statements(body);
  }
  writer.dedent();
  writer.line("}");
  writer.endFunction();
}

}  // namespace tessera::codegen
