// Edits of more than one place: what is declared alike is changed alike, names are exchanged in a whole function, results are
// taken apart.
#include "sema/advice/GuessWriter.h"
#include "sema/advice/ShapesOfValues.h"
#include <map>

namespace tessera::sema {

using ast::as;

namespace {

class StatementGuesses : public GuessWriter {
public:
  using GuessWriter::GuessWriter;

  void collect() {
    reach_ = Reach::Statement;
    changedAlike(*place_.statement);
    takenApartFrom(*place_.statement, Reach::Statement);
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      if (stmt.span.begin < place_.statement->span.begin && givesName(stmt)) takenApartFrom(stmt, Reach::Value);
    });
    reducedAlike();
    exchangedNames();
  }

private:
  /// The names that the statement of the message reads.
  std::vector<const ast::NameExpr *> readNames(const ast::Stmt &stmt) const {
    std::vector<const ast::NameExpr *> found;
    for (const ast::Expr *e : ast::childrenOf(stmt).exprs)
      visit(*e, [&](const ast::Expr &part) {
        if (auto *name = as<ast::NameExpr>(&part); name && isBound(name->name)) found.push_back(name);
      });
    return found;
  }
  bool givesName(const ast::Stmt &stmt) const {
    auto *assign = as<ast::AssignStmt>(&stmt);
    if (!assign) return false;
    const std::vector<const ast::NameExpr *> names = readNames(*place_.statement);
    bool found = false;
    visit(*assign->targets[0], [&](const ast::Expr &part) {
      auto *target = as<ast::NameExpr>(&part);
      found |= target && std::any_of(names.begin(), names.end(), [&](const ast::NameExpr *name) { return name->name == target->name; });
    });
    return found;
  }

  /// `(x - m[:, None]) / s[:, None]`: two names of one declared type get the same behind them.
  void changedAlike(const ast::Stmt &stmt) {
    const std::vector<const ast::NameExpr *> names = readNames(stmt);
    for (size_t i = 0; i < names.size(); ++i)
      for (size_t j = i + 1; j < names.size(); ++j) {
        const ast::SubscriptExpr *a = tensorTypeOf(names[i]), *b = tensorTypeOf(names[j]);
        const ast::Parameter *p = parameterOf(names[i]), *q = parameterOf(names[j]);
        const bool same = names[i]->name == names[j]->name || (a && b && text(a->span) == text(b->span));
        const Span between{stmt.span.file, names[i]->span.end, names[j]->span.begin};
        const bool scalars = !a && !b && p && q && p->annotation && q->annotation && text(*p->annotation) == text(*q->annotation);
        if (scalars) add(Operator::CastBoth, names[i]->span.to(names[j]->span), "cast(" + names[i]->name + ", f32)" + text(between) + "cast(" + names[j]->name + ", f32)", "make both floats");
        if (!same) continue;
        for (const char *more : {"[:, None]", "[:, None, None]", ".T", "[:, :, None]", ".transpose(1, 2)", "[None, :]", "[:-1]", "[1:]"}) {
          const Span both{between.file, between.begin, names[j]->span.end};
          if (!a || !b) continue;
          add(Operator::Alike, both, more + text(between) + names[j]->name + more, "insert `" + std::string(more) + "` behind both");
        }
      }
  }

  /// Two reductions of the function that go along one axis, or that both say none: the same change of both.
  void reducedAlike() {
    constexpr size_t kMostCalls = 6;
    std::vector<const ast::CallExpr *> calls;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (call && isReduction(nameOf(*call)) && !call->arguments.empty() && calls.size() < kMostCalls) calls.push_back(call);
    });
    std::sort(calls.begin(), calls.end(), [](const ast::CallExpr *a, const ast::CallExpr *b) { return a->span.begin < b->span.begin; });
    reach_ = Reach::Value;
    for (size_t i = 0; i < calls.size(); ++i)
      for (size_t j = i + 1; j < calls.size(); ++j) bothReductions(*calls[i], *calls[j]);
  }
  void bothReductions(const ast::CallExpr &first, const ast::CallExpr &second) {
    auto both = [&](Operator op, Span a, Span b, const std::string &by, const std::string &title) {
      if (a.end <= b.begin && text(a) == text(b)) add(op, a.to(b), by + text({a.file, a.end, b.begin}) + by, title);
    };
    auto end = [](const ast::CallExpr &call) { return Span{call.span.file, call.arguments.back().span.end, call.arguments.back().span.end}; };
    const ast::Argument *a = keyword(first, "axis"), *b = keyword(second, "axis");
    if (a && b) eachOtherAxis(a->value.get(), [&](const std::string &axis) { both(Operator::BothAxes, a->value->span, b->value->span, axis, "go along axis " + axis + " in both"); });
    if (!keyword(first, "keepdim") && !keyword(second, "keepdim")) both(Operator::BothKeep, end(first), end(second), ", keepdim=True", "keep the axis in both");
    if (a || b) return;
    for (const char *axis : {"1", "0", "-1"}) both(Operator::BothAxes, end(first), end(second), std::string(", axis=") + axis, std::string("go along axis ") + axis + " in both");
  }

  /// `a, _ = f(x)` for `a = f(x)`, and the targets in another order.
  void takenApartFrom(const ast::Stmt &stmt, Reach reach) {
    auto *assign = as<ast::AssignStmt>(&stmt);
    if (!assign) return;
    reach_ = reach;
    const ast::Expr &target = *assign->targets[0];
    if (target.kind == ast::ExprKind::Tuple) return exchangeAll(Operator::Targets, itemSpans(static_cast<const ast::SequenceExpr &>(target)));
    if (target.kind != ast::ExprKind::Name || assign->value->kind != ast::ExprKind::Call) return;
    const Span end{target.span.file, target.span.end, target.span.end}, begin{target.span.file, target.span.begin, target.span.begin};
    add(Operator::Targets, end, ", _", "take the first result"), add(Operator::Targets, begin, "_, ", "take the second result");
    add(Operator::Targets, end, ", _, _", "take the first result");
  }

  /// Two names, or two fields, exchanged from one statement to another: `x @ w2 + b1`, `h @ w1 + b2`.
  void exchangedNames() {
    constexpr size_t kMostPairs = 48;
    reach_ = Reach::Value;
    std::vector<const ast::Expr *> all;
    std::map<std::string, size_t> times;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      const bool own = parameterOf(&part) || (part.kind == ast::ExprKind::Attribute && parameterOf(static_cast<const ast::AttributeExpr &>(part).object.get()));
      if (own) all.push_back(&part), ++times[text(part)];
    });
    std::sort(all.begin(), all.end(), [](const ast::Expr *a, const ast::Expr *b) { return a->span.begin < b->span.begin; });
    size_t made = 0;
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = i + 1; j < all.size() && made < kMostPairs; ++j) {
        const std::string a = text(*all[i]), b = text(*all[j]);
        const bool fields = all[i]->kind == ast::ExprKind::Attribute && all[j]->kind == ast::ExprKind::Attribute;
        const bool near = a != b && all[i]->span.end < all[j]->span.begin && (a[0] == b[0] || a.back() == b.back() || fields);  // `w1` and `w2`, `wq` and `wk`
        if (!near || times[a] > 1 || times[b] > 1) continue;
        ++made;
        exchange(Operator::ExchangeItems, all[i]->span, all[j]->span);
      }
  }
};

}  // namespace

std::vector<Guess> guessesOfStatements(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  StatementGuesses statements(diagnostic, place, sources);
  if (diagnostic.span.begin >= place.function->body.front()->span.begin) statements.collect();
  return statements.taken();
}

}  // namespace tessera::sema
