// Loops that end by a condition, or that are left or go on early, as loops of as many turns as there may be: their derivatives have a
// place for each turn. `x = f(x)` under a condition that no longer holds leaves what there is, and a derivative goes by it.
#include "autodiff/Trace.h"
#include "checked/ExprBuild.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Stmt;
using checked::StmtKind;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

namespace {

using StmtPtr = std::unique_ptr<Stmt>;

/// Whether a turn of the loop whose body this is ends somewhere else than at its end.
bool has(StmtKind kind, const Block &block) {
  return std::any_of(block.begin(), block.end(), [&](const StmtPtr &stmt) {
    return stmt->kind == kind || (stmt->kind == StmtKind::If && (has(kind, stmt->body) || has(kind, stmt->otherwise)));
  });
}

bool leaves(const Block &block) { return has(StmtKind::Break, block) || has(StmtKind::Continue, block); }

ExprPtr cloned(const ExprPtr &expr) { return expr ? checked::clone(*expr) : nullptr; }

StmtPtr assigned(Var *var, ExprPtr value, Span span) {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = StmtKind::Assign;
  stmt->span = span;
  stmt->var = var;
  stmt->value = std::move(value);
  return stmt;
}

StmtPtr asked(ExprPtr condition, Block body, Block otherwise, Span span) {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = StmtKind::If;
  stmt->span = span;
  stmt->condition = std::move(condition);
  stmt->body = std::move(body);
  stmt->otherwise = std::move(otherwise);
  return stmt;
}

/// Writes statements once more, such that what is behind a `break` or a `continue` belongs to the other side of its branch.
class Leaving {
public:
  explicit Leaving(Var *going) : going_(going) {}

  Block block(const Block &block, size_t from = 0) const {
    Block made;
    for (size_t i = from; i < block.size(); ++i) {
      const Stmt &stmt = *block[i];
      if (stmt.kind == StmtKind::Continue) return made;
      if (stmt.kind == StmtKind::Break) {
        made.push_back(assigned(going_, checked::makeBool(false, stmt.span), stmt.span));
        return made;
      }
      if (stmt.kind != StmtKind::If || (!leaves(stmt.body) && !leaves(stmt.otherwise))) {
        made.push_back(copy(stmt));
        continue;
      }
      made.push_back(asked(cloned(stmt.condition), side(stmt.body, block, i + 1), side(stmt.otherwise, block, i + 1), stmt.span));
      return made;
    }
    return made;
  }

private:
  /// A side of a branch, and what stands behind the branch, where the side gets there.
  Block side(const Block &side, const Block &behind, size_t from) const {
    Block joined;
    for (const StmtPtr &stmt : side) joined.push_back(copy(*stmt));
    for (size_t i = from; i < behind.size(); ++i) joined.push_back(copy(*behind[i]));
    return block(joined);
  }
  StmtPtr copy(const Stmt &stmt) const {
    auto made = std::make_unique<Stmt>();
    made->kind = stmt.kind;
    made->span = stmt.span;
    made->var = stmt.var;
    for (auto part : {&Stmt::value, &Stmt::extra, &Stmt::condition, &Stmt::start, &Stmt::stop, &Stmt::step}) (*made).*part = cloned(stmt.*part);
    made->access = checked::clone(stmt.access);
    made->source = checked::clone(stmt.source);
    made->oncePerGroup = stmt.oncePerGroup;
    made->combine = stmt.combine;
    made->count = stmt.count;
    for (auto part : {&Stmt::body, &Stmt::otherwise})
      for (const StmtPtr &inner : stmt.*part) ((*made).*part).push_back(copy(*inner));
    for (const ExprPtr &value : stmt.values) made->values.push_back(cloned(value));
    return made;
  }

  Var *going_;
};

/// What has to hold together.
void parts(const Expr &condition, std::vector<const Expr *> &all) {
  auto *op = condition.get<node::Elementwise>();
  if (!op || op->op != ElementwiseOp::And) return all.push_back(&condition);
  for (const ExprPtr &arg : condition.args) parts(*arg, all);
}

/// An integer that each turn adds a number to, or doubles, until it reaches a bound.
struct Counting {
  Var *var;
  const Expr *condition, *bound;
  int64_t by;
  bool doubles, reaches;  // `<=`
};

std::optional<int64_t> wholeNumber(const Expr &expr) {
  auto dim = expr.type.kind == TypeKind::Index ? dimOf(expr) : std::nullopt;
  return dim && dim->isConstant() ? std::optional(dim->constant()) : std::nullopt;
}

/// How a body changes a variable once, in all turns; nothing if it does otherwise.
const Expr *onlyChange(const Block &body, const Var *var) {
  std::vector<const Var *> bound;
  collectBound(body, bound);
  if (std::count(bound.begin(), bound.end(), var) != 1) return nullptr;
  auto change = std::find_if(body.begin(), body.end(), [&](const StmtPtr &stmt) { return stmt->kind == StmtKind::Assign && stmt->var == var; });
  return change == body.end() ? nullptr : (*change)->value.get();
}

std::optional<Counting> countingOf(const Expr &condition, const Block &body) {
  auto *compared = condition.get<node::Elementwise>();
  if (!compared || condition.args.size() != 2) return std::nullopt;
  const bool turned = compared->op == ElementwiseOp::Gt || compared->op == ElementwiseOp::Ge;
  const bool reaches = compared->op == ElementwiseOp::Le || compared->op == ElementwiseOp::Ge;
  if (!turned && !reaches && compared->op != ElementwiseOp::Lt) return std::nullopt;
  const Expr &left = *condition.args[turned ? 1 : 0], &bound = *condition.args[turned ? 0 : 1];
  Var *var = const_cast<Var *>(checked::varOf(left));
  if (!var || var->type.kind != TypeKind::Index || bound.type.kind != TypeKind::Index) return std::nullopt;
  std::vector<const Var *> changed;
  collectBound(body, changed);
  bool isFixed = true;
  checked::visitExprs(const_cast<Expr *>(&bound), [&](Expr &e) {
    isFixed &= std::find(changed.begin(), changed.end(), checked::varOf(e)) == changed.end() || !checked::varOf(e);
  });
  const Expr *change = isFixed ? onlyChange(body, var) : nullptr;
  auto *op = change ? change->get<node::Elementwise>() : nullptr;
  if (!op || (op->op != ElementwiseOp::Add && op->op != ElementwiseOp::Mul)) return std::nullopt;
  const bool first = checked::varOf(*change->args[0]) == var;
  auto by = first || checked::varOf(*change->args[1]) == var ? wholeNumber(*change->args[first ? 1 : 0]) : std::nullopt;
  const bool doubles = op->op == ElementwiseOp::Mul;
  if (!by || (doubles ? *by != 2 : *by < 1)) return std::nullopt;
  return Counting{var, &condition, &bound, *by, doubles, reaches};
}

}  // namespace

bool Trace::leavesEarly(const Stmt &loop) { return leaves(loop.body); }

/// How many turns there are until `value`, at least 1, doubled in each of them, is `bound` or more. Turn j has 2^j times the value, which
/// is less than the bound if the value is less than the bound's 2^j-th part.
Term Trace::turnsTo(const Term &value, const Term &bound) {
  Term turn = builder_.cast(builder_.iota({Dim(kMostOfShort)}, 0), DType::I64);
  auto all = [&](const Term &number) { return builder_.fill(builder_.cast(number, DType::I64), turn->type); };
  Term last = builder_.apply(ElementwiseOp::Sub, {bound, builder_.index(Dim(1))});
  Term goesOn = builder_.apply(ElementwiseOp::Ge, {builder_.apply(ElementwiseOp::Shr, {all(last), turn}), all(value)});
  Term count = builder_.reduce(ReduceOp::Sum, builder_.cast(goesOn, DType::I64), {0});
  ExprPtr index = checked::makeExpr(ExprKind::Cast, checked::indexType(), builder_.here);
  index->args.push_back(checked::clone(*count));
  return Scope::copied(builder_.apply(ElementwiseOp::Min, {builder_.bind(std::move(index)), builder_.index(Dim(kMostOfShort))}), "turns");
}

/// The loop as one over turns, `for`, without `break` and `continue`.
void Trace::loopOverTurns(const Stmt &stmt) {
  const bool isWhile = stmt.kind == StmtKind::While;
  std::vector<const Expr *> conditions;
  std::optional<Counting> counting;
  if (isWhile) {
    parts(*stmt.condition, conditions);
    for (const Expr *condition : conditions)
      if (!counting && !has(StmtKind::Continue, stmt.body)) counting = countingOf(*condition, stmt.body);
    if (!counting)
      return reporter_.cannot(stmt.span, "a loop that ends by a condition",
                              "what it would keep for the way back has no size before it runs: say the most turns that there may be, "
                              "`while ... and turn < N:` with `turn += 1` in the body, or `for turn in range(N):` with `break`");
    conditions.erase(std::find(conditions.begin(), conditions.end(), counting->condition));
  }
  const bool isLeft = has(StmtKind::Break, stmt.body) || !conditions.empty();
  Var *going = isLeft ? unwritten(checked::scalarType(DType::Bool)) : nullptr;
  Block body = Leaving(going).block(stmt.body);
  for (size_t i = conditions.size(); i-- > 0;) {
    Block otherwise, whole;
    otherwise.push_back(assigned(going, checked::makeBool(false, stmt.span), stmt.span));
    whole.push_back(asked(checked::clone(*conditions[i]), std::move(body), std::move(otherwise), stmt.span));
    body = std::move(whole);
  }
  auto reference = [&](Var *var) { return checked::makeRef(var, stmt.span); };
  if (going) {
    going->name = "going";
    env_[going] = builder_.bind(checked::makeBool(true, stmt.span));
    Block whole;
    whole.push_back(asked(reference(going), std::move(body), {}, stmt.span));
    body = std::move(whole);
  }
  auto made = std::make_unique<Stmt>();
  made->kind = StmtKind::For;
  made->span = stmt.span;
  made->body = std::move(body);
  if (!isWhile) {
    made->var = stmt.var;
    for (auto part : {&Stmt::start, &Stmt::stop, &Stmt::step}) (*made).*part = cloned(stmt.*part);
  } else {
    made->var = unwritten(checked::indexType());
    made->var->name = counting->doubles ? "turn" : counting->var->name;
    ExprPtr bound = checked::clone(*counting->bound);
    if (counting->reaches) {
      std::vector<ExprPtr> sum;
      sum.push_back(std::move(bound));
      sum.push_back(checked::makeIndex(1, stmt.span));
      bound = checked::makeElementwise(ElementwiseOp::Add, checked::indexType(), stmt.span, std::move(sum));
    }
    Term first = builder_.bind(tree(*reference(counting->var)));
    if (counting->doubles) {
      Term turns = turnsTo(first, builder_.bind(tree(*bound)));
      made->stop = checked::clone(*turns);
    } else {
      made->start = checked::clone(*first);
      made->stop = std::move(bound);
      made->step = checked::makeIndex(counting->by, stmt.span);
      made->body.insert(made->body.begin(), assigned(counting->var, reference(made->var), stmt.span));
    }
  }
  over_.push_back(std::move(made));
  const bool isShort = counting && counting->doubles;
  // Written out, each turn would choose between all that came before it: the text would grow with the square of the turns.
  if (going) keepLoop(*over_.back(), isShort);
  else loop(*over_.back(), isShort);
}

}  // namespace tessera::autodiff
