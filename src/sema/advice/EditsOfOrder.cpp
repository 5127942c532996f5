// Edits for things in a list that stand in another order, or one too many or too few: indices, results, names, arguments.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class OrderEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::outOfBounds: exchangedIndices(); break;
    case Id::wrongResult: exchangedResults(); break;
    case Id::unpackCount: otherWayRound(), oneNameLess(); break;
    case Id::argumentNotGiven: argumentOfThisName(); break;
    case Id::wrongArgument: exchangedArguments(); break;
    default: break;
    }
    return std::move(groups_);
  }

private:
  void exchange(CandidateGroup &edits, Span first, Span second) {
    replace(edits, first.to(second), text(second) + ", " + text(first), "exchange them");
  }
  const ast::SequenceExpr *tuple() const {
    for (const ast::Expr *e : place_.around)
      if (e->kind == ast::ExprKind::Tuple) return static_cast<const ast::SequenceExpr *>(e);
    return nullptr;
  }

  /// `x[:, i]` for `x[i, :]`.
  void exchangedIndices() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (subscript && subscript->items.size() == 2)
      exchange(group(true), subscript->items[0].span, subscript->items[1].span);
  }

  /// `return total, x` for `return x, total`.
  void exchangedResults() {
    auto *results = tuple();
    if (results && results->items.size() == 2) exchange(group(true), results->items[0]->span, results->items[1]->span);
  }

  /// `(dw, db), value = value_and_grad(...)(...)`
  void otherWayRound() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *names = assign && assign->targets[0]->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(assign->targets[0].get()) : nullptr;
    if (!names || names->items.size() != 2 || (names->items[0]->kind == ast::ExprKind::Tuple) == (names->items[1]->kind == ast::ExprKind::Tuple)) return;
    replace(group(true), names->items[0]->span.to(names->items[1]->span), text(*names->items[1]) + ", " + text(*names->items[0]), "take the results in this order");
  }

  /// `dx, dw, db = ...` for two values: the name that nothing needs is left out.
  void oneNameLess() {
    auto *names = tuple();
    if (!names || names->items.size() < 3) return;
    CandidateGroup &edits = group(true);
    Span all = names->items.front()->span.to(names->items.back()->span);
    for (size_t out = 0; out < names->items.size(); ++out) {
      std::string kept;
      for (size_t i = 0; i < names->items.size(); ++i)
        if (i != out) kept += (kept.empty() ? "" : ", ") + text(names->items[i]->span);
      replace(edits, all, kept, "leave out `" + text(names->items[out]->span) + "`");
    }
  }

  /// `cache.append(k)` where the function has a `v`, too.
  void argumentOfThisName() {
    auto *call = place_.innermost<ast::CallExpr>();
    size_t end = diagnostic_.message.rfind('`');
    size_t begin = end == std::string::npos || end == 0 ? end : diagnostic_.message.rfind('`', end - 1);
    if (!call || !place_.function || begin == std::string::npos || call->arguments.empty()) return;
    const std::string name = diagnostic_.message.substr(begin + 1, end - begin - 1);
    bool known = place_.valueOf(name) != nullptr;
    for (const ast::Parameter &p : place_.function->parameters) known |= p.name.text == name;
    if (known) insert(group(true), call->arguments.back().span.end, ", " + name, "give it `" + name + "`");
  }

  /// `save_npy(x, "x.npy")` for `save_npy("x.npy", x)`.
  void exchangedArguments() {
    auto *call = place_.innermost<ast::CallExpr>();
    for (const ast::Expr *e : place_.around) {
      auto *around = as<ast::CallExpr>(e);
      if (around && around->arguments.size() == 2) call = around;
    }
    if (!call || call->arguments.size() != 2 || call->arguments[0].keyword || call->arguments[1].keyword) return;
    exchange(group(true), call->arguments[0].span, call->arguments[1].span);
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfOrder(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return OrderEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
