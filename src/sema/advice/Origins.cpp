#include "sema/advice/Origins.h"
#include "sema/Builtins.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include "support/DType.h"
#include <algorithm>
#include <set>

namespace tessera::sema {
namespace {

bool isAboutDTypes(diag::Id id) {
  switch (id) {
  case diag::Id::dtypeMismatch:
  case diag::Id::missingAccumulate:
  case diag::Id::badOperand: return true;
  default: return false;
  }
}
bool isAboutShapes(diag::Id id) {
  switch (id) {
  case diag::Id::broadcastFails:
  case diag::Id::contractionMismatch:
  case diag::Id::shapeMismatch:
  case diag::Id::rankMismatch:
  case diag::Id::badReshape:
  case diag::Id::wrongResult: return true;
  default: return false;
  }
}

Span declarationOf(const std::string &name, const Place &place) {
  if (!place.function) return {};
  for (const ast::Parameter &parameter : place.function->parameters)
    if (parameter.name.text == name) return parameter.span;
  return {};
}

/// `sum(x)` behind `sum = ...`, and `tile.exp(x)` behind `tile = ...`: the function is hidden.
void noteHidden(diag::Diagnostic &diagnostic, const Place &place) {
  auto *call = place.innermost<ast::CallExpr>();
  if (!call) return;
  auto *name = ast::as<ast::NameExpr>(call->callee);
  auto *member = ast::as<ast::AttributeExpr>(call->callee);
  if (member) name = ast::as<ast::NameExpr>(member->object);
  if (!name || (member && name->name != "tile")) return;
  if (diagnostic.id == diag::Id::tooManyArguments && !member && !builtinByName(name->name, 'P')) return;  // it is one
  if (const ast::Expr *value = place.valueOf(name->name))
    diagnostic.notes.insert(diagnostic.notes.begin(),
                            {value->span, "`" + name->name + "` is bound to this here, which hides " +
                                              (member ? "the module `tile`" : "the function of that name")});
}

/// `stride = n / 2` and `stride /= 2`, where `stride` is to be an integer: the names that stand in `e`.
void noteDivisions(diag::Diagnostic &diagnostic, const ast::Stmt &stmt, const std::set<std::string> &names) {
  auto note = [&](const ast::Expr &target, Span span) {
    auto *name = ast::as<ast::NameExpr>(&target);
    if (name && names.count(name->name))
      diagnostic.notes.push_back({span, "`/` makes `" + name->name + "` a float here; `//` divides and rounds down"});
  };
  if (auto *assign = ast::as<ast::AssignStmt>(&stmt))
    if (auto *quotient = ast::as<ast::BinaryExpr>(assign->value); quotient && quotient->op == ast::BinaryOp::Div)
      note(*assign->targets[0], quotient->span);
  if (auto *assign = ast::as<ast::AugAssignStmt>(&stmt); assign && assign->op == ast::BinaryOp::Div)
    note(*assign->target, assign->span);
  for (const ast::Stmt *inner : ast::childrenOf(stmt).stmts) noteDivisions(diagnostic, *inner, names);
}

void namesIn(const ast::Expr &e, std::set<std::string> &names) {
  if (auto *name = ast::as<ast::NameExpr>(&e)) names.insert(name->name);
  for (const ast::Expr *child : ast::childrenOf(e).exprs) namesIn(*child, names);
}

/// `x[i][j] = v` in a kernel.
void noteNestedStore(diag::Diagnostic &diagnostic, const Place &place) {
  auto *element = ast::as<ast::SubscriptExpr>(place.expr());
  if (!element || !place.inKernel || element->object->kind != ast::ExprKind::Subscript) return;
  std::erase_if(diagnostic.notes, [](const diag::Note &note) { return !note.span.valid(); });
  diagnostic.notes.push_back({{}, "an index behind an index stores into what the first one gave: all stand in one bracket, `x[i, j] = v`"});
}

/// `mse(x, y, reduction="sum")`
void noteKeyword(diag::Diagnostic &diagnostic, const Sources &sources) {
  std::string_view words = wordsForKeyword(sources.text(diagnostic.span));
  if (words.empty() || !diagnostic.fixes.empty()) return;
  std::erase_if(diagnostic.notes, [](const diag::Note &note) { return !note.span.valid(); });
  diagnostic.notes.push_back({{}, std::string(words)});
}

/// `x.view(i32)`: the bits of x are meant, not its shape.
void noteBits(diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  auto *call = place.innermost<ast::CallExpr>();
  auto *method = call ? ast::as<ast::AttributeExpr>(call->callee) : nullptr;
  if (!method || method->attribute.text != "view" || call->arguments.size() != 1) return;
  std::string_view shown = sources.text(call->arguments[0].value->span);
  shown.remove_prefix(shown.rfind('.') + 1);  // `torch.int32`
  if (!dtypeByName(std::string(shown)) && dtypeHere(shown).empty()) return;
  diagnostic.fixes.clear();
  std::erase_if(diagnostic.notes, [](const diag::Note &note) { return !note.span.valid(); });
  diagnostic.notes.push_back({{}, std::string(kBits)});
}

/// The name of the function that is called there, also of one around the expression; empty without a call.
std::string calledAt(const Place &place) {
  auto *call = place.innermost<ast::CallExpr>();
  auto *name = call ? ast::as<ast::NameExpr>(call->callee) : nullptr;
  auto *method = call ? ast::as<ast::AttributeExpr>(call->callee) : nullptr;
  return name ? name->name : method ? method->attribute.text : "";
}
/// In the place of the rules that the message has.
void noteInstead(diag::Diagnostic &diagnostic, std::string sentence) {
  std::erase_if(diagnostic.notes, [](const diag::Note &note) { return !note.span.valid(); });
  diagnostic.notes.push_back({{}, std::move(sentence)});
}
/// `tile.load(x + offs)`: x is no pointer.
void notePointer(diag::Diagnostic &diagnostic, const Place &place) {
  const std::string called = calledAt(place);
  auto *sum = ast::as<ast::BinaryExpr>(place.expr());
  auto *tensor = sum && sum->op == ast::BinaryOp::Add ? ast::as<ast::NameExpr>(sum->left) : nullptr;
  if (!place.inKernel || !tensor || (called != "load" && called != "store")) return;
  noteInstead(diagnostic, "`" + tensor->name + "` is a tensor and no pointer: its elements are named in brackets, a slice `" + tensor->name + "[start:start + 128]`, or by a tile of indices, `" +
                              tensor->name + "[offs]`");
}

}  // namespace

void noteOrigins(diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  switch (diagnostic.id) {
  case diag::Id::immutableTensor: noteNestedStore(diagnostic, place); break;
  case diag::Id::unknownKeyword: noteKeyword(diagnostic, sources); break;
  case diag::Id::unknownAttribute: noteBits(diagnostic, place, sources), noteHidden(diagnostic, place); break;
  case diag::Id::notCallable:
  case diag::Id::tooManyArguments: noteHidden(diagnostic, place); break;
  case diag::Id::dtypeMismatch: notePointer(diagnostic, place); break;
  case diag::Id::unpackCount:
    if (calledAt(place) == "scan") noteInstead(diagnostic, "the function of a `scan` returns two values: the next state, and what this turn gives, `return state, y`");
    break;
  case diag::Id::argumentNotGiven:
    if (calledAt(place) == "where" && diagnostic.message.ends_with("`a`"))
      noteInstead(diagnostic, "`where(c, a, b)` chooses between two values for each element; how many elements hold is `count_nonzero(c)`, and where they are, in host code, `nonzero(c)`");
    break;
  case diag::Id::wrongArgument:
    if (place.function && place.expr() &&
        (diagnostic.message.find("expects an integer, but this is a scalar `f") != std::string::npos ||
         diagnostic.message.find("expects an integer, but this is a number") != std::string::npos)) {
      std::set<std::string> names;
      namesIn(*place.expr(), names);
      for (const ast::StmtPtr &stmt : place.function->body) noteDivisions(diagnostic, *stmt, names);
    }
    break;
  default: break;
  }
  bool pointsSomewhere = std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(),
                                     [](const diag::Note &n) { return n.span.valid(); });
  bool shapes = isAboutShapes(diagnostic.id);  // where parameters get theirs is said by the checker
  if (!shapes && (!isAboutDTypes(diagnostic.id) || pointsSomewhere)) return;
  std::vector<const ast::Expr *> operands = operandsAt(place);
  if (place.expr() && place.expr()->kind == ast::ExprKind::Name) operands = {place.expr()};
  std::vector<diag::Note> origins;
  std::set<std::string> told;
  for (const ast::Expr *operand : operands) {
    auto *name = ast::as<ast::NameExpr>(operand);
    if (!name || !told.insert(name->name).second) continue;
    if (const ast::Expr *value = place.valueOf(name->name))
      origins.push_back({value->span, "`" + name->name + "` gets its value here"});
    else if (Span declared = declarationOf(name->name, place); declared.valid() && !shapes)
      origins.push_back({declared, "`" + name->name + "` is declared here"});
  }
  diagnostic.notes.insert(diagnostic.notes.begin(), origins.begin(), origins.end());
}

}  // namespace tessera::sema
