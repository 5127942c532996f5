#include "codegen/FunctionPrinter.h"
#include "ir/common/Names.h"
#include "ir/common/SharedAlignment.h"
#include "ir/target/GivenTo.h"
#include "ir/target/Target.h"
#include "support/Check.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {

std::optional<Place> placeOf(Operation *op) {
  FileLineColLoc place = ir::placeOf(op);
  if (!place || place.getLine() == 0) return std::nullopt;
  return Place{place.getFilename().str(), static_cast<int>(place.getLine())};
}

int64_t alignmentOf(Operation *shared) {
  auto bytes = shared->getAttrOfType<IntegerAttr>(ir::kSharedAlignment);
  return bytes ? bytes.getInt() : 0;
}

std::string alignmentText(int64_t bytes) { return bytes ? "alignas(" + std::to_string(bytes) + ") " : ""; }

void collectIdentifiers(llvm::StringRef text, llvm::StringSet<> &names) {
  for (size_t i = 0; i < text.size();) {
    if (!llvm::isAlpha(text[i]) && text[i] != '_') {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && (llvm::isAlnum(text[end]) || text[end] == '_')) ++end;
    names.insert(text.slice(i, end));
    i = end;
  }
}

namespace {

void collectFromType(Type type, llvm::StringSet<> &names) {
  type.walk([&](Type inner) {
    if (auto named = dyn_cast<target::NamedType>(inner)) collectIdentifiers(named.getText(), names);
    if (auto array = dyn_cast<target::ArrayType>(inner))
      for (auto extent : array.getExtents().getAsRange<StringAttr>())
        collectIdentifiers(extent.getValue(), names);
  });
}

void collectFromAttribute(Attribute attribute, llvm::StringSet<> &names) {
  attribute.walk([&](Attribute inner) {
    if (auto text = dyn_cast<StringAttr>(inner)) collectIdentifiers(text.getValue(), names);
    if (auto type = dyn_cast<TypeAttr>(inner)) collectFromType(type.getValue(), names);
  });
}

Doc block(const Doc &head) { return head + " {"; }

}  // namespace

llvm::StringSet<> mentioned(Operation *root) {
  llvm::StringSet<> names;
  root->walk([&](Operation *op) {
    if (op == root) return;
    for (Type type : op->getResultTypes()) collectFromType(type, names);
    if (auto constant = dyn_cast<target::ConstantOp>(op))
      return collectFromAttribute(constant.getValue(), names);
    if (auto alias = dyn_cast<target::AliasOp>(op)) return collectIdentifiers(alias.getType(), names);
    if (auto name = dyn_cast<target::NameOp>(op)) return collectIdentifiers(name.getName(), names);
    if (auto call = dyn_cast<target::CallOp>(op)) {
      collectIdentifiers(call.getCallee(), names);
      if (call.getTemplateArgsAttr()) collectFromAttribute(call.getTemplateArgsAttr(), names);
    }
  });
  return names;
}

void FunctionPrinter::statements(Block::iterator at, Block::iterator end) {
  while (at != end) {
    if (isa<target::ConstantOp>(*at)) constants(at, end);
    else statement(&*at++);
  }
}

void FunctionPrinter::body(Block &block, StringRef end) {
  writer_.indent();
  statements(block);
  writer_.dedent();
  writer_.line(end.str());
}

/// Neighbouring constants share a declaration.
void FunctionPrinter::constants(Block::iterator &at, Block::iterator end) {
  std::vector<Doc> items;
  for (; at != end; ++at) {
    auto constant = dyn_cast<target::ConstantOp>(*at);
    if (!constant) break;
    if (mentioned_ && !mentioned_->contains(constant.getName())) continue;
    std::string value;
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue())) value = std::to_string(number.getInt());
    else value = cast<StringAttr>(constant.getValue()).getValue().str();
    items.push_back(Doc(constant.getName().str() + " = " + value));
  }
  if (!items.empty()) writer_.statement(Doc("constexpr int ") + Doc::nest(4, commaSeparated(items)) + ";");
}

void FunctionPrinter::variable(Operation *op) {
  auto o = cast<target::VariableOp>(op);
  bind(o.getPlace(), o.getName().str());
  Type type = cast<target::LValueType>(o.getPlace().getType()).getValue();
  std::string head = o.getStorage().empty() ? "" : o.getStorage().str() + " ";
  if (o.getIsConst() && !(isa<target::PointerType>(type))) head += "const ";
  std::string mark = o.getIsConst() && isa<target::PointerType>(type) ? "const " : "";
  Doc doc(head + spell_.declaration(type, o.getName().str(), mark));
  if (o.getInit().empty()) {
    writer_.statement(doc + (o.getForm() == "braces" ? "{};" : ";"), placeOf(op));
    return;
  }
  std::vector<Doc> items;
  for (Value value : o.getInit()) items.push_back(operandOf(Precedence::Conditional, expr(value)));
  if (o.getForm() == "copy") doc += Doc(" =") + Doc::nest(4, Doc::group(Doc::line()) + items[0]) + ";";
  else if (o.getForm() == "direct") doc += Doc("(") + Doc::nest(4, commaSeparated(items)) + ");";
  else doc += Doc("{") + Doc::nest(4, commaSeparated(items)) + "};";
  writer_.statement(doc, placeOf(op));
}

void FunctionPrinter::forLoop(Operation *op) {
  auto o = cast<target::ForOp>(op);
  std::string name = o.getName().str();
  bind(o.getBody().getArgument(0), name);
  if (std::optional<StringRef> reduction = o.getReduction())
    writer_.directive(reduction->starts_with("tsr::") ? "TSR_SIMD_REDUCTION(" + reduction->str() + ")"
                                                      : "#pragma omp simd reduction(" + reduction->str() + ")");
  else if (o.getParallel() || o.getSimd())
    writer_.directive(std::string("#pragma omp") + (o.getParallel() ? " parallel for" : "") +
                      (o.getSimd() ? " simd" : "") +
                      (o.getCollapse() ? " collapse(" + std::to_string(*o.getCollapse()) + ")" : ""));
  else if (auto text = o->getAttrOfType<StringAttr>("unroll_by"))  // an expression of the template's parameters
    writer_.directive(std::string(language_.unrollBy) + text.getValue().str());
  else if (std::optional<int64_t> by = o.getUnroll())
    writer_.directive(*by == 0 ? language_.unrollAll : language_.unrollBy + std::to_string(*by));
  auto stepLiteral = o.getStep().getDefiningOp<target::LiteralOp>();
  auto stepValue = stepLiteral ? dyn_cast<IntegerAttr>(stepLiteral.getValue()) : IntegerAttr();
  Doc step =
      stepValue && stepValue.getInt() == 1 ? Doc("++" + name) : Doc(name + " += ") + expr(o.getStep()).doc;
  std::string counter = o.getLower().getType().isIndex() ? "int64_t " : "int ";
  if (auto type = o->getAttrOfType<StringAttr>("counter")) counter = type.getValue().str() + " ";
  Doc head = Doc("for (" + counter + name + " = ") + expr(o.getLower()).doc + "; " +
             binaryExpr("<", {name, Precedence::Primary}, expr(o.getUpper())).doc + "; " + step + ")";
  writer_.statement(block(Doc::nest(4, head)), placeOf(op));
  body(o.getBody().front());
}

void FunctionPrinter::ifStatement(Operation *op) {
  auto o = cast<target::IfOp>(op);
  if (isTry(o)) return tryStatement(o);
  std::string lead;
  while (true) {
    writer_.statement(block(Doc::nest(4, Doc(lead + "if (") + expr(o.getCondition()).doc + ")")), placeOf(o));
    writer_.indent();
    statements(o.getThenBody().front());
    writer_.dedent();
    if (o.getElseBody().empty() || o.getElseBody().front().empty()) break;
    Block &otherwise = o.getElseBody().front();
    // Expressions print where they are used: an else with one statement, an if, continues the chain.
    target::IfOp next;
    int count = 0;
    for (Operation &inner : otherwise)
      if (!isExpression(&inner)) {
        ++count;
        next = dyn_cast<target::IfOp>(inner);
      }
    if (count == 1 && next && !isTry(next)) {
      lead = "} else ";
      o = next;
      continue;
    }
    writer_.line("} else {");
    writer_.indent();
    statements(otherwise);
    writer_.dedent();
    break;
  }
  writer_.line("}");
}

/// Whether it is what host code tries.
bool FunctionPrinter::isTry(Operation *op) {
  auto call = cast<target::IfOp>(op).getCondition().getDefiningOp<target::CallOp>();
  return call && call.getCallee() == "tsr::host::tries";
}

/// What host code tries, and what it does where that fails.
void FunctionPrinter::tryStatement(Operation *tried) {
  auto op = cast<target::IfOp>(tried);
  writer_.statement(Doc("try {"), placeOf(op));
  writer_.indent();
  writer_.line("const tsr::host::Trying tsr_trying;");
  statements(op.getThenBody().front());
  writer_.dedent();
  writer_.line("} catch (const tsr::host::Stopped &tsr_stopped) {");
  writer_.indent();
  writer_.line("tsr::host::caught(tsr_stopped);");
  if (!op.getElseBody().empty()) statements(op.getElseBody().front());
  writer_.dedent();
  writer_.line("}");
}

void FunctionPrinter::returnStatement(Operation *op) {
  auto o = cast<target::ReturnOp>(op);
  std::vector<Expr> values = exprs(o.getValues());
  Doc doc("return");
  if (values.size() == 1) doc += Doc(" ") + values[0].doc;
  if (values.size() > 1) {
    std::vector<Doc> items;
    for (const Expr &value : values) items.push_back(operandOf(Precedence::Conditional, value));
    doc += Doc(" {") + commaSeparated(items) + "}";
  }
  writer_.statement(Doc::nest(4, doc + ";"), placeOf(op));
}

bool FunctionPrinter::isExpression(Operation *op) {
  return isa<target::LiteralOp, target::NameOp, target::ReadOp, target::BinaryOp, target::UnaryOp,
             target::ConditionalOp, target::CastOp, target::CallOp, target::MethodOp, target::MemberOp,
             target::SubscriptOp, target::ElementOp>(op);
}

void FunctionPrinter::statement(Operation *op) {
  if (isExpression(op)) return;  // prints where it is used
  auto place = placeOf(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](target::AliasOp o) {
        if (mentioned_ && !mentioned_->contains(o.getName())) return;
        writer_.statement(Doc("using " + o.getName().str() + " = " + o.getType().str() + ";"));
      })
      .Case([&](target::SharedOp o) {
        if (names_.count(o.getPlace())) return;  // a member of the struct in dynamic shared memory
        bind(o.getPlace(), o.getName().str());
        Type type = cast<target::LValueType>(o.getPlace().getType()).getValue();
        writer_.statement(Doc(alignmentText(std::max(language_.sharedAlignment, alignmentOf(o))) + language_.sharedMark + spell_.declaration(type, o.getName().str()) + ";"),
                          place);
      })
      .Case([&](target::VariableOp) { variable(op); })
      .Case([&](target::AssignOp o) {
        writer_.statement(expr(o.getPlace()).doc + " =" +
                              Doc::nest(4, Doc::group(Doc::line()) + expr(o.getValue()).doc) + ";",
                          place);
      })
      .Case([&](target::CompoundAssignOp o) {
        writer_.statement(expr(o.getPlace()).doc + " " + o.getOp().str() +
                              Doc::nest(4, Doc::group(Doc::line()) + expr(o.getValue()).doc) + ";",
                          place);
      })
      .Case([&](target::ExpressionOp o) {
        writer_.statement(Doc::nest(4, expr(o.getValue()).doc + ";"), place);
      })
      .Case([&](target::ForOp) { forLoop(op); })
      .Case([&](target::WhileOp o) {
        auto condition = cast<target::ConditionOp>(o.getBefore().front().back());
        writer_.statement(block(Doc::nest(4, Doc("while (") + expr(condition.getValue()).doc + ")")), place);
        body(o.getBody().front());
      })
      .Case([&](target::IfOp) { ifStatement(op); })
      .Case([&](target::BlockOp o) {
        auto given = o->getAttrOfType<StringAttr>(target::kGivenTo);
        writer_.statement(Doc(given ? given.getValue().str() + " {" : "{"), place);
        body(o.getBody().front(), given ? "});" : "}");
      })
      .Case([&](target::CommentOp o) { writer_.comment(o.getText().str()); })
      .Case([&](target::BreakOp) { writer_.statement(Doc("break;"), place); })
      .Case([&](target::ReturnOp) { returnStatement(op); })
      .Case([&](target::EntryCallOp) {
        TSR_CHECK(entryCall_, "an entry function is called outside of host code");
        entryCall_(op);
      })
      .Default([](Operation *other) {
        TSR_UNREACHABLE("no statement: " + other->getName().getStringRef().str());
      });
}

}  // namespace tessera::codegen
