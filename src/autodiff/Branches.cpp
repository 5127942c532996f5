// Branches. What data decides becomes a choice between what both sides compute. What sizes decide stays a branch, because
// a side may be wrong where it is not taken: its derivative is a branch on the same condition, which computes again what it
// needs of the side.
#include "autodiff/Trace.h"
#include "checked/ExprBuild.h"
#include <algorithm>
#include <utility>

namespace tessera::autodiff {

using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Stmt;
using checked::StmtKind;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

namespace {
/// Whether only sizes, integers and what is known decide a condition.
bool isOfSizes(const Expr &expr) {
  if (expr.type.kind == TypeKind::Index) return true;
  if (expr.kind == ExprKind::Constant) return true;
  if (expr.kind != ExprKind::Elementwise || expr.type.dtype != DType::Bool) return false;
  return std::all_of(expr.args.begin(), expr.args.end(), [](const ExprPtr &arg) { return isOfSizes(*arg); });
}
}  // namespace

void Trace::branch(const Stmt &stmt) {
  ExprPtr condition = tree(*stmt.condition);
  if (auto known = constantOf(*condition)) return block(*known != 0 ? stmt.body : stmt.otherwise);
  if (isOfSizes(*condition)) return ask(stmt, Term(std::move(condition)));
  choose(stmt, expr(*stmt.condition));
}

/// A branch on data: both sides are computed, and what they bind is chosen from.
void Trace::choose(const Stmt &stmt, const Term &condition) {
  Env before = env_;
  Dims dims = dims_;
  block(stmt.body);
  Env then = std::move(env_);
  env_ = before;
  dims_ = dims;
  block(stmt.otherwise);
  if (reporter_.failed || hasReturned_) {
    if (hasReturned_) reporter_.cannot(stmt.span, "a `return` inside of a branch");
    return;
  }
  dims_ = std::move(dims);
  std::vector<const Var *> bound;
  collectBound(stmt.body, bound);
  collectBound(stmt.otherwise, bound);
  for (const Var *var : bound) {
    auto yes = then.find(var), no = env_.find(var);
    if (yes == then.end() || no == env_.end() || yes->second == no->second) continue;
    if (sameVariable(yes->second, no->second)) continue;
    if (var->type.kind == TypeKind::Index) {
      ExprPtr index = checked::makeExpr(ExprKind::Cast, checked::indexType(), stmt.span);
      index->args.push_back(checked::clone(*builder_.select(condition, builder_.cast(yes->second, DType::I64), builder_.cast(no->second, DType::I64))));
      setIndex(*var, Term(std::move(index)));
      continue;
    }
    if (var->type.kind == TypeKind::Tuple) {
      reporter_.cannot(stmt.span, "a branch on data that chooses `" + var->name + "`");
      return;
    }
    Type type = here(var->type);
    Type truths = checked::withDType(type, DType::Bool);
    Expr chosen(ExprKind::Elementwise, type, stmt.span);
    chosen.as<node::Elementwise>().op = ElementwiseOp::Select;
    for (const Term &part : {builder_.fill(condition, truths), yes->second, no->second})
      chosen.args.push_back(checked::clone(*part));
    env_[var] = rewritten(chosen, var->name);
  }
}

// ---------------------------------------------------------------- on sizes

/// A branch that stays one.
class BranchStep : public Step {
public:
  BranchStep(Trace &trace, const Stmt &stmt, Term condition, Trace::Place place, std::vector<Trace::Merged> merged)
      : trace_(trace), stmt_(stmt), condition_(std::move(condition)), place_(std::move(place)), merged_(std::move(merged)) {
    for (const auto &entry : place_.active) outer_.push_back(entry);
  }

  bool isAsked(std::set<const Var *> &asked) const override {
    bool any = false;
    for (const Trace::Merged &m : merged_) any |= asked.count(m.out) != 0;
    if (any) asked.insert(outer_.begin(), outer_.end());
    return any;
  }

  void pullBack(Cotangents &cotangents) const override {
    Builder &builder = cotangents.builder();
    std::map<const Var *, Term> seeds;
    for (const Trace::Merged &m : merged_)
      if (Term seed = cotangents.takePlain(m.out)) seeds[m.out] = seed;
    if (seeds.empty()) return;
    std::map<Var *, Term> found[2];
    auto branch = emit(builder, [&](int side) {
      auto [steps, terms] = retraced(side);
      Cotangents inner(builder);
      for (size_t i = 0; i < merged_.size(); ++i)
        if (auto seed = seeds.find(merged_[i].out); seed != seeds.end() && trace_.isActive(terms[i]))
          inner.add(checked::varOf(*terms[i]), {seed->second, nullptr});
      for (size_t i = steps.size(); i-- > 0 && !trace_.reporter_.failed;) steps[i]->pullBack(inner);
      for (Var *var : outer_)
        if (inner.has(var)) found[side][var] = inner.takePlain(var);
    });
    for (Var *var : outer_) {
      Term yes = valueOf(found[0], var), no = valueOf(found[1], var);
      if (yes || no) cotangents.add(var, {joined(builder, *branch, tangentType(var->type), yes, no, ""), nullptr});
    }
  }

  void pushForward(Tangents &tangents, Builder &builder) const override {
    std::vector<Term> found[2];
    auto branch = emit(builder, [&](int side) {
      auto [steps, terms] = retraced(side);
      Tangents inner = tangents;
      for (const auto &step : steps) step->pushForward(inner, builder);
      for (const Term &term : terms) found[side].push_back(trace_.isActive(term) ? valueOf(inner, checked::varOf(*term)) : nullptr);
    });
    for (size_t i = 0; i < merged_.size(); ++i)
      if (found[0][i] || found[1][i])
        tangents[merged_[i].out] = joined(builder, *branch, tangentType(merged_[i].out->type), found[0][i], found[1][i], "");
  }

  /// The statement, with what `side` writes into its two blocks.
  template <class Side> Stmt *emit(Builder &builder, const Side &side) const {
    auto branch = std::make_unique<Stmt>();
    Stmt *made = branch.get();
    made->kind = StmtKind::If;
    made->span = builder.here;
    made->condition = checked::clone(*condition_);
    Block *outer = builder.enter(&made->body);
    side(0);
    builder.enter(&made->otherwise);
    side(1);
    builder.enter(outer);
    builder.block().push_back(std::move(branch));
    return made;
  }

  /// One variable for what both sides give, zeros where there is nothing.
  static Term joined(Builder &builder, Stmt &branch, const Type &type, const Term &yes, const Term &no, const std::string &name) {
    Var *var = builder.fresh(name, type);
    Block *outer = builder.enter(&branch.body);
    builder.let(var, yes ? yes : builder.number(0, type));
    builder.enter(&branch.otherwise);
    builder.let(var, no ? no : builder.number(0, type));
    builder.enter(outer);
    return builder.ref(var);
  }

private:
  template <class Map, class Key> static Term valueOf(const Map &map, Key key) {
    auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }
  /// The steps of a side, which is written once more, and its values of what the branch binds.
  std::pair<std::vector<std::unique_ptr<Step>>, std::vector<Term>> retraced(int side) const {
    Trace::Place now = trace_.leave(place_);
    std::vector<std::unique_ptr<Step>> outer = std::exchange(trace_.steps_, {});
    bool returned = std::exchange(trace_.hasReturned_, false);
    Trace::Kept *kept = std::exchange(trace_.kept_, nullptr);
    trace_.block(side == 0 ? stmt_.body : stmt_.otherwise);
    std::vector<Term> terms;
    for (const Trace::Merged &m : merged_) terms.push_back(trace_.env_.at(m.var));
    std::vector<std::unique_ptr<Step>> steps = std::exchange(trace_.steps_, std::move(outer));
    trace_.hasReturned_ = returned;
    trace_.kept_ = kept;
    trace_.leave(std::move(now));
    return {std::move(steps), std::move(terms)};
  }

  Trace &trace_;
  const Stmt &stmt_;
  Term condition_;
  Trace::Place place_;
  std::vector<Trace::Merged> merged_;
  std::vector<Var *> outer_;
};

/// The state of names at a place; gives the one before.
Trace::Place Trace::leave(Place place) {
  return {std::exchange(env_, std::move(place.env)), std::exchange(dims_, std::move(place.dims)), {}};
}

/// The values that have a tangent so far, in the order in which they were written.
std::vector<Var *> Trace::activeSoFar() const {
  std::vector<Var *> vars;
  for (const auto &[var, because] : active_)
    if (var->id != kUnwritten) vars.push_back(const_cast<Var *>(var));
  std::sort(vars.begin(), vars.end(), [](const Var *a, const Var *b) { return a->id < b->id; });
  return vars;
}

void Trace::ask(const Stmt &stmt, const Term &condition) {
  Place before{env_, dims_, activeSoFar()}, after[2];
  std::vector<std::unique_ptr<Step>> outer = std::exchange(steps_, {});
  Kept *kept = std::exchange(kept_, nullptr);  // what is in it has no name behind it
  BranchStep writer(*this, stmt, condition, before, {});
  Stmt *branch = writer.emit(builder_, [&](int side) {
    leave(before);
    block(side == 0 ? stmt.body : stmt.otherwise);
    after[side] = {env_, dims_, {}};
  });
  kept_ = kept;
  steps_ = std::move(outer);  // the sides' own are made again where a derivative needs them
  leave(before);
  if (hasReturned_) return reporter_.cannot(stmt.span, "a `return` inside of a branch");
  if (reporter_.failed) return;
  std::vector<const Var *> bound;
  collectBound(stmt.body, bound);
  collectBound(stmt.otherwise, bound);
  std::vector<Merged> merged;
  for (const Var *var : bound) {
    auto yes = after[0].env.find(var), no = after[1].env.find(var);
    bool twice = std::any_of(merged.begin(), merged.end(), [&](const Merged &m) { return m.var == var; });
    if (twice || yes == after[0].env.end() || no == after[1].env.end()) continue;
    if (var->type.kind == TypeKind::Tuple) continue;
    Term out = BranchStep::joined(builder_, *branch, here(var->type), yes->second, no->second, var->name);
    const Term &active = isActive(yes->second) ? yes->second : no->second;
    if (isActive(active)) activate(checked::varOf(*out), checked::varOf(*active));
    merged.push_back({var, checked::varOf(*out)});
  }
  for (const Merged &m : merged)
    if (m.var->type.kind == TypeKind::Index) setIndex(*m.var, builder_.ref(m.out));
    else env_[m.var] = builder_.ref(m.out);
  steps_.push_back(std::make_unique<BranchStep>(*this, stmt, condition, std::move(before), std::move(merged)));
}

}  // namespace tessera::autodiff
