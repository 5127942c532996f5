// Loops that stay loops. On the way forward the values with which a turn starts are kept, turn by turn, in an array as long as the
// loop; on the way back the turns are gone through from the last to the first, and each computes again what it needs from these.
#include "autodiff/Sweep.h"
#include "autodiff/Trace.h"
#include "checked/ExprBuild.h"
#include "shape/Facts.h"
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

/// What a turn leaves to the next.
struct Carry {
  const Var *var;      // of the function
  Term initial;
  Var *slot = nullptr; // the one that all turns assign to
  Var *out = nullptr;  // behind the loop
  bool active = false;
  Var *tape = nullptr; // its values at the start of each turn, if something needs them
};

/// The bounds of a loop, in the names of here.
struct Turns {
  Term start, stop, step, count;
  Dim most;  // what the count is at most: as many turns are kept

  Term turnOf(const Term &counter, Builder &builder) const {
    Term distance = builder.apply(ElementwiseOp::Sub, {counter, start});
    return constantOf(*step) == 1.0 ? distance : builder.apply(ElementwiseOp::FloorDiv, {distance, step});
  }
  Term counterOf(const Term &turn, Builder &builder) const {
    return builder.apply(ElementwiseOp::Add, {start, builder.apply(ElementwiseOp::Mul, {turn, step})});
  }
};

bool hasTangent(const Type &type) { return (type.kind == TypeKind::Scalar || type.kind == TypeKind::Tensor) && isFloat(type.dtype); }

/// A variable that is assigned again, and its first value.
Var *slotOf(const std::string &name, const Type &type, Builder &builder) {
  Var *slot = builder.fresh(name, type);
  slot->reassigned = true;
  return slot;
}

/// The value of a variable as it is now: it may be assigned again.
Term now(Var *var, Builder &builder) {
  Var *copy = builder.fresh(var->name, var->type);
  builder.let(copy, builder.ref(var));
  return builder.ref(copy);
}

std::unique_ptr<Stmt> emptyLoop(const Stmt &like, Builder &builder, const Term &start, const Term &stop, const Term &step) {
  auto made = std::make_unique<Stmt>();
  made->kind = StmtKind::For;
  made->span = like.span;
  made->var = builder.fresh(like.var->name, like.var->type);
  made->start = checked::clone(*start);
  made->stop = checked::clone(*stop);
  made->step = checked::clone(*step);
  return made;
}

}  // namespace

/// A loop that stays one.
class LoopStep : public Step {
public:
  LoopStep(Trace &trace, const Stmt &stmt, Turns turns, Trace::Place place, std::vector<Carry> carries, bool isShort)
      : trace_(trace), stmt_(stmt), turns_(std::move(turns)), place_(std::move(place)), carries_(std::move(carries)), isShort_(isShort) {}

  bool isAsked(std::set<const Var *> &asked) const override {
    bool any = false;
    for (const Carry &carry : carries_) any |= carry.active && asked.count(carry.out) != 0;
    if (any) asked.insert(place_.active.begin(), place_.active.end());
    return any;
  }

  /// Where the loop stands that goes forward: a way back adds there what it needs of it.
  void stands(Block *block, Stmt *made, size_t prologue) { block_ = block, made_ = made, prologue_ = prologue; }

  void pullBack(Cotangents &cotangents) const override;
  void pushForward(Tangents &tangents, Builder &builder) const override;

private:
  friend class Trace;
  struct Turn {
    std::vector<std::unique_ptr<Step>> steps;
    std::vector<Term> before, after;  // of the carries
  };
  Turn turn(const Term &counter, const std::vector<Term> &before) const;
  bool turnBack(const Term &turn, Cotangents &inner, std::vector<Var *> &slots, std::vector<Var *> &before) const;
  Var *tapeOf(const std::string &name, Type type, Builder &builder) const;
  void keep(Carry &carry, Builder &builder) const;
  bool keepParts(size_t carry, Block &back, const std::vector<Var *> &before, Var *turn, Builder &builder) const;
  Term kept(const Carry &carry, const Term &turn, Builder &builder) const;
  void goThrough(const std::vector<Var *> &before, const Term &turn, Builder &builder) const;

  Trace &trace_;
  const Stmt &stmt_;
  Turns turns_;
  Trace::Place place_;
  mutable std::vector<Carry> carries_;
  bool isShort_;
  Block *block_ = nullptr;
  Stmt *made_ = nullptr;
  size_t prologue_ = 0;
};

/// A turn from these values, written where the builder stands.
LoopStep::Turn LoopStep::turn(const Term &counter, const std::vector<Term> &before) const {
  Trace::Place now = trace_.leave({place_.env, place_.dims, {}});
  std::vector<std::unique_ptr<Step>> outer = std::exchange(trace_.steps_, {});
  bool returned = std::exchange(trace_.hasReturned_, false);
  Trace::Kept *outerKept = std::exchange(trace_.kept_, nullptr);
  trace_.setIndex(*stmt_.var, counter);
  for (size_t i = 0; i < carries_.size(); ++i) {
    const Carry &carry = carries_[i];
    if (carry.var->type.kind == TypeKind::Index) trace_.setIndex(*carry.var, before[i]);
    else trace_.env_[carry.var] = before[i];
    if (carry.active) trace_.activate(checked::varOf(*before[i]), checked::varOf(*carry.initial));
  }
  trace_.block(stmt_.body);
  if (trace_.hasReturned_) trace_.reporter_.cannot(stmt_.span, "a `return` inside of a loop");
  Turn turn{std::exchange(trace_.steps_, std::move(outer)), before, {}};
  for (const Carry &carry : carries_) turn.after.push_back(trace_.env_.at(carry.var));
  trace_.hasReturned_ = returned;
  trace_.kept_ = outerKept;
  trace_.leave(std::move(now));
  return turn;
}

// ---------------------------------------------------------------- what is kept

/// An array with a place of this type for each turn, made in front of the loop that goes forward.
Var *LoopStep::tapeOf(const std::string &name, Type type, Builder &builder) const {
  type = checked::tensorType(type.kind == TypeKind::Index ? DType::I64 : type.dtype, type.kind == TypeKind::Index ? std::vector<Dim>() : type.shape);
  type.shape.insert(type.shape.begin(), turns_.most);
  Block before;
  Block *outer = builder.enter(&before);
  Var *tape = slotOf(name + "_kept", type, builder);
  builder.let(tape, builder.number(0, type));
  builder.enter(outer);
  auto at = std::find_if(block_->begin(), block_->end(), [&](const auto &stmt) { return stmt.get() == made_; });
  block_->insert(at, std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
  return tape;
}

/// At the start of each turn of the loop that goes forward, the tape gets a value.
template <class Value> static void writeTurn(Stmt &loop, size_t prologue, Var *tape, const Term &turn, Builder &builder, const Value &value) {
  Block inside;
  Block *outer = builder.enter(&inside);
  Places places(tape->type.shape.size());
  places[0] = turn;
  builder.assign(tape, builder.update(builder.ref(tape), places, value()));
  builder.enter(outer);
  loop.body.insert(loop.body.begin() + static_cast<std::ptrdiff_t>(prologue), std::make_move_iterator(inside.begin()), std::make_move_iterator(inside.end()));
}

/// The loop that goes forward keeps the values of a carry.
void LoopStep::keep(Carry &carry, Builder &builder) const {
  if (!turns_.most.isDefined())
    return trace_.reporter_.cannot(stmt_.span, "a loop whose number of turns is data",
                                   "what it keeps of `" + carry.var->name + "` for the way back has no size before it runs: say the most turns "
                                   "that there may be, `range(min(turns, N))`, by a dimension N");
  carry.tape = tapeOf(carry.var->name, carry.slot->type, builder);
  writeTurn(*made_, prologue_, carry.tape, turns_.turnOf(builder.ref(made_->var), builder), builder, [&] {
    return carry.slot->type.kind == TypeKind::Index ? builder.cast(builder.ref(carry.slot), DType::I64) : builder.ref(carry.slot);
  });
}

namespace {

/// Values of a turn back, written once more where the loop goes forward: of what the turn starts with, and of what is older.
class Forward {
public:
  Forward(const Block &back, uint32_t older, Builder &builder) : older_(older), builder_(builder) {
    for (const auto &stmt : back)
      if (stmt->kind == StmtKind::Let) made_[stmt->var] = stmt->value.get();
  }
  void know(const Var *var, Term value) { known_[var] = std::move(value); }

  /// Null if it needs more than that.
  ExprPtr copy(const Expr &expr) {
    if (expr.kind == ExprKind::VarRef) {
      Term value = of(checked::varOf(expr));
      return value ? checked::clone(*value) : nullptr;
    }
    const Dim *written = checked::writtenDim(expr);
    if ((written && isOfRunTime(*written)) || std::any_of(expr.type.shape.begin(), expr.type.shape.end(), isOfRunTime)) return nullptr;
    ExprPtr made = checked::clone(expr);
    auto copyIn = [&](ExprPtr &part) { return !part || (part = copy(*part)); };
    bool isWhole = std::all_of(made->args.begin(), made->args.end(), copyIn);
    if (checked::Access *access = checked::accessOf(*made))
      for (checked::IndexPart &part : access->parts) isWhole = isWhole && copyIn(part.offset);
    return isWhole ? std::move(made) : nullptr;
  }

private:
  Term of(const Var *var) {
    if (auto known = known_.find(var); known != known_.end()) return known->second;
    if (var->id < older_) return builder_.ref(const_cast<Var *>(var));
    auto made = made_.find(var);
    ExprPtr value = made == made_.end() || !made->second ? nullptr : copy(*made->second);
    return known_[var] = value ? builder_.bind(std::move(value)) : nullptr;
  }

  uint32_t older_;
  Builder &builder_;
  std::map<const Var *, const Expr *> made_;
  std::map<const Var *, Term> known_;
};

/// Whether a slice is at a place that changes from turn to turn: then it is less than what it is of.
bool isAtTurn(const Expr &slice) {
  const auto &parts = slice.as<node::Slice>().access.parts;
  return std::any_of(parts.begin(), parts.end(), [](const checked::IndexPart &part) {
    auto place = part.offset ? dimOf(*part.offset) : Dim(0);
    return !place || isOfRunTime(*place);
  });
}

}  // namespace

/// What a turn back reads of a carry may be a few slices, `out[t - 1]`: then these are kept, and not all of it for each turn. False,
/// and nothing is written, if it reads more.
bool LoopStep::keepParts(size_t carry, Block &back, const std::vector<Var *> &before, Var *turn, Builder &builder) const {
  constexpr size_t kMostParts = 4;
  std::vector<Stmt *> slices;
  size_t reads = 0;
  checked::visitExprs(back, [&](Expr &e) { reads += checked::varOf(e) == before[carry]; });
  for (const auto &stmt : back) {
    const Expr *value = stmt->kind == StmtKind::Let ? stmt->value.get() : nullptr;
    if (value && value->kind == ExprKind::Slice && checked::varOf(*value->args[0]) == before[carry] && isAtTurn(*value)) slices.push_back(stmt.get());
  }
  if (slices.size() != reads || reads > kMostParts || !turns_.most.isDefined()) return false;
  Block prologue;
  Block *outer = builder.enter(&prologue);
  Forward forward(back, made_->var->id, builder);
  Term number = turns_.turnOf(builder.ref(made_->var), builder);
  forward.know(turn, number);
  for (size_t i = 0; i < before.size(); ++i) forward.know(before[i], builder.ref(carries_[i].slot));
  std::vector<Term> values;
  for (const Stmt *slice : slices) {
    ExprPtr value = forward.copy(*slice->value);
    values.push_back(value ? builder.bind(std::move(value)) : nullptr);
    if (!values.back()) break;
  }
  builder.enter(outer);
  if (!values.back()) return false;
  for (size_t i = 0; i < slices.size(); ++i) {
    Var *tape = tapeOf(carries_[carry].var->name, values[i]->type, builder);
    builder.enter(&prologue);
    Places places(tape->type.shape.size());
    places[0] = number;
    builder.assign(tape, builder.update(builder.ref(tape), places, values[i]));
    builder.enter(outer);
    places[0] = builder.ref(turn);
    Term there = builder.slice(builder.ref(tape), places);
    builder.enter(&back);
    builder.rewrite(builder.ref(slices[i]->var), there);
    builder.enter(outer);
  }
  made_->body.insert(made_->body.begin() + static_cast<std::ptrdiff_t>(prologue_), std::make_move_iterator(prologue.begin()),
                     std::make_move_iterator(prologue.end()));
  return true;
}

Term LoopStep::kept(const Carry &carry, const Term &turn, Builder &builder) const {
  Places places(carry.tape->type.shape.size());
  places[0] = turn;
  Term value = builder.slice(builder.ref(carry.tape), places);
  if (carry.var->type.kind != TypeKind::Index) return value;
  ExprPtr index = checked::makeExpr(ExprKind::Cast, checked::indexType(), builder.here);
  index->args.push_back(checked::clone(*value));
  return Term(std::move(index));
}

/// What a turn starts with, by going through the turns before it once more.
void LoopStep::goThrough(const std::vector<Var *> &before, const Term &turn, Builder &builder) const {
  std::vector<Var *> slots;
  for (const Carry &carry : carries_) {
    slots.push_back(slotOf(carry.var->name, carry.slot->type, builder));
    builder.let(slots.back(), carry.initial);
  }
  auto made = emptyLoop(stmt_, builder, turns_.start, builder.bind(checked::clone(*turns_.counterOf(turn, builder))), turns_.step);
  Block *outer = builder.enter(&made->body);
  std::vector<Term> starts;
  for (Var *slot : slots) starts.push_back(now(slot, builder));
  Turn again = this->turn(builder.ref(made->var), starts);
  for (size_t i = 0; i < slots.size() && !trace_.hasFailed(); ++i) builder.assign(slots[i], again.after[i]);
  builder.enter(outer);
  builder.block().push_back(std::move(made));
  for (size_t i = 0; i < slots.size(); ++i) builder.let(before[i], builder.ref(slots[i]));
}

// ---------------------------------------------------------------- back

/// The derivatives by the values at the start of a turn, from those by the values at its end. False if a carry turns out to have one:
/// then `slots` has a place for it, and the turn is to be written anew.
bool LoopStep::turnBack(const Term &turn, Cotangents &inner, std::vector<Var *> &slots, std::vector<Var *> &before) const {
  Builder &builder = inner.builder();
  std::vector<Term> starts, seeds;
  for (const Carry &carry : carries_) {
    before.push_back(builder.fresh(carry.var->name, carry.slot->type));
    starts.push_back(builder.ref(before.back()));
  }
  for (Var *slot : slots) seeds.push_back(slot ? now(slot, builder) : nullptr);
  Turn again = this->turn(turns_.counterOf(turn, builder), starts);
  if (trace_.hasFailed()) return true;
  for (size_t i = 0; i < carries_.size(); ++i)
    if (seeds[i] && trace_.isActive(again.after[i])) inner.add(checked::varOf(*again.after[i]), {seeds[i], nullptr});
  trace_.pullBackAll(again.steps, inner);
  bool isWhole = true;
  std::vector<Term> next(carries_.size());
  for (size_t i = 0; i < carries_.size(); ++i) {
    if (!carries_[i].active) continue;
    next[i] = inner.takePlain(before[i]);
    if (!next[i] || slots[i]) continue;
    isWhole = false;
    slots[i] = slotOf("d" + carries_[i].var->name, tangentType(carries_[i].slot->type), builder);
  }
  inner.addUp();
  for (size_t i = 0; isWhole && i < carries_.size(); ++i)
    if (slots[i]) builder.assign(slots[i], next[i] ? next[i] : builder.number(0, slots[i]->type));
  return isWhole;
}

void LoopStep::pullBack(Cotangents &cotangents) const {
  Builder &builder = cotangents.builder();
  std::vector<Var *> slots(carries_.size());
  std::vector<Term> seeds(carries_.size());
  bool any = false;
  for (size_t i = 0; i < carries_.size(); ++i) {
    if (!carries_[i].active || !(seeds[i] = cotangents.takePlain(carries_[i].out))) continue;
    any = true;
    slots[i] = slotOf("d" + carries_[i].var->name, tangentType(carries_[i].slot->type), builder);
  }
  if (!any) return;
  auto active = trace_.active_;
  std::unique_ptr<Stmt> made;
  Block *outer = &builder.block();
  for (bool done = false; !done;) {
    trace_.active_ = active;
    const size_t first = builder.function().vars.size();
    Cotangents inner(cotangents, first);
    made = emptyLoop(stmt_, builder, builder.index(Dim(0)), turns_.count, builder.index(Dim(1)));
    std::vector<Var *> before;
    builder.enter(&made->body);
    Var *place = builder.fresh("turn", checked::indexType());
    Term turn = builder.ref(place);
    trace_.between_["%" + std::to_string(place->id)] = {Dim(0), turns_.most - Dim(1)};
    done = turnBack(turn, inner, slots, before);
    builder.enter(outer);
    if (trace_.hasFailed()) return;
    if (!done) continue;
    sweep(made->body, first);
    std::set<const Var *> read;
    checked::visitExprs(made->body, [&](Expr &e) {
      read.insert(checked::varOf(e));
    });
    Block starts;
    builder.enter(&starts);
    builder.let(place, builder.apply(ElementwiseOp::Sub, {builder.apply(ElementwiseOp::Sub, {turns_.count, builder.index(Dim(1))}), builder.ref(made->var)}));
    bool readsArrays = false;
    for (size_t i = 0; i < carries_.size(); ++i) readsArrays |= carries_[i].var->type.kind != TypeKind::Index && read.count(before[i]) != 0;
    const bool again = isShort_ && readsArrays;
    if (again) goThrough(before, turn, builder);
    for (size_t i = 0; i < carries_.size() && !again; ++i) {
      if (!read.count(before[i])) continue;
      if (!carries_[i].tape && keepParts(i, made->body, before, place, builder)) continue;
      if (!carries_[i].tape) keep(carries_[i], builder);
      if (trace_.hasFailed()) break;
      builder.let(before[i], kept(carries_[i], turn, builder));
    }
    builder.enter(outer);
    if (trace_.hasFailed()) return;
    made->body.insert(made->body.begin(), std::make_move_iterator(starts.begin()), std::make_move_iterator(starts.end()));
    for (size_t i = 0; i < slots.size(); ++i)
      if (slots[i]) builder.let(slots[i], seeds[i] ? seeds[i] : builder.number(0, slots[i]->type));
    for (const auto &[var, sum] : inner.sums()) builder.let(sum, builder.number(0, sum->type));
    builder.block().push_back(std::move(made));
    for (const auto &[var, sum] : inner.sums()) cotangents.add(var, {now(sum, builder), nullptr});
  }
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i] && trace_.isActive(carries_[i].initial)) cotangents.add(checked::varOf(*carries_[i].initial), {now(slots[i], builder), nullptr});
}

// ---------------------------------------------------------------- forward

void LoopStep::pushForward(Tangents &tangents, Builder &builder) const {
  std::vector<Var *> slots(carries_.size()), values;
  for (size_t i = 0; i < carries_.size(); ++i)
    if (carries_[i].active && tangents.count(checked::varOf(*carries_[i].initial)))
      slots[i] = slotOf("d" + carries_[i].var->name, tangentType(carries_[i].slot->type), builder);
  for (const Carry &carry : carries_) {
    values.push_back(slotOf(carry.var->name, carry.slot->type, builder));
    builder.let(values.back(), carry.initial);
  }
  auto active = trace_.active_;
  Block *outer = &builder.block();
  for (bool done = false; !done;) {
    trace_.active_ = active;
    auto made = emptyLoop(stmt_, builder, turns_.start, turns_.stop, turns_.step);
    builder.enter(&made->body);
    Tangents inner = tangents;
    std::vector<Term> starts;
    for (size_t i = 0; i < carries_.size(); ++i) {
      starts.push_back(now(values[i], builder));
      if (slots[i]) inner[checked::varOf(*starts[i])] = now(slots[i], builder);
    }
    Turn again = turn(builder.ref(made->var), starts);
    for (const auto &step : again.steps)
      if (!trace_.hasFailed()) step->pushForward(inner, builder);
    done = true;
    std::vector<std::pair<Var *, Term>> next;  // all are known before the first is overwritten
    for (size_t i = 0; i < carries_.size() && !trace_.hasFailed(); ++i) {
      next.emplace_back(values[i], again.after[i]);
      auto tangent = trace_.isActive(again.after[i]) ? inner.find(checked::varOf(*again.after[i])) : inner.end();
      bool has = tangent != inner.end();
      if (has && !slots[i]) {
        slots[i] = slotOf("d" + carries_[i].var->name, tangentType(carries_[i].slot->type), builder);
        done = false;
      } else if (slots[i]) {
        next.emplace_back(slots[i], has ? tangent->second : builder.number(0, slots[i]->type));
      }
    }
    for (const auto &[slot, value] : next) builder.assign(slot, value);
    builder.enter(outer);
    if (trace_.hasFailed()) return;
    if (!done) continue;
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i]) continue;
      auto initial = trace_.isActive(carries_[i].initial) ? tangents.find(checked::varOf(*carries_[i].initial)) : tangents.end();
      builder.let(slots[i], initial == tangents.end() ? builder.number(0, slots[i]->type) : initial->second);
    }
    builder.block().push_back(std::move(made));
  }
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i]) tangents[carries_[i].out] = now(slots[i], builder);
}

// ---------------------------------------------------------------- the loop itself

/// What a program integer is at most, or at least, in numbers that the sizes of the arguments give; nothing if data decides that.
std::optional<Dim> Trace::limitOf(const Dim &dim, bool most) const {
  Dim total;
  for (const Dim::Term &term : dim.terms()) {
    Dim product(term.coefficient);
    bool ofRunTime = false;
    for (const auto &[atom, power] : term.atoms) {
      ofRunTime |= isOfRunTime(shape::dimOfAtom(atom));
      for (int i = 0; i < power; ++i) product = product * shape::dimOfAtom(atom);
    }
    if (ofRunTime) {
      if (term.atoms.size() != 1 || term.atoms[0].second != 1) return std::nullopt;
      auto limit = limitOf(term.atoms[0].first, most == (term.coefficient > 0));
      if (!limit) return std::nullopt;
      product = Dim(term.coefficient) * *limit;
    }
    total = total + product;
  }
  return total;
}

std::optional<Dim> Trace::limitOf(const Expr &expr, bool most) const {
  if (auto dim = dimOf(expr))
    if (auto limit = limitOf(*dim, most)) return limit;
  if (auto known = constantOf(expr)) return Dim(static_cast<int64_t>(*known));
  if (const Expr *made = builder_.definition(Term(checked::clone(expr)))) return limitOf(*made, most);
  if (expr.kind == ExprKind::Cast) return checked::keepsInteger(expr) ? limitOf(*expr.args[0], most) : std::nullopt;
  auto *op = expr.get<node::Elementwise>();
  if (!op || (op->op != ElementwiseOp::Min && op->op != ElementwiseOp::Max)) return std::nullopt;
  return limitOfTwo(op->op == ElementwiseOp::Min, limitOf(*expr.args[0], most), limitOf(*expr.args[1], most), most);
}

/// Of the smaller, or the larger, of two numbers.
std::optional<Dim> Trace::limitOfTwo(bool isMin, const std::optional<Dim> &left, const std::optional<Dim> &right, bool most) {
  if (left && right) return isMin ? Dim::min(*left, *right) : Dim::max(*left, *right);
  if (most != isMin) return std::nullopt;
  return left ? left : right;  // one of them limits it
}

std::optional<Dim> Trace::limitOf(const Atom &atom, bool most) const {
  if (atom.kind == AtomKind::Var) {
    auto known = between_.find(atom.name);
    return known == between_.end() ? std::nullopt : most ? known->second.second : known->second.first;
  }
  if (atom.kind != AtomKind::Min && atom.kind != AtomKind::Max) return std::nullopt;
  return limitOfTwo(atom.kind == AtomKind::Min, limitOf(*atom.left, most), limitOf(*atom.right, most), most);
}

void Trace::keepLoop(const Stmt &stmt, bool isShort) {
  auto bound = [&](const ExprPtr &e, int64_t absent) {
    if (!e) return builder_.index(Dim(absent));
    Term value = builder_.bind(tree(*e));
    return dimOf(*value) ? value : copied(value, "bound");
  };
  Turns turns{bound(stmt.start, 0), bound(stmt.stop, 0), bound(stmt.step, 1), nullptr, {}};
  const Dim count = Dim::ceilDiv(*dimOf(*turns.stop) - *dimOf(*turns.start), *dimOf(*turns.step));
  Term distance = builder_.apply(ElementwiseOp::Sub, {turns.stop, turns.start});
  if (!isOfRunTime(count)) turns.count = builder_.index(count);
  else if (constantOf(*turns.step) == 1.0) turns.count = distance;
  else turns.count = builder_.apply(ElementwiseOp::FloorDiv, {builder_.apply(ElementwiseOp::Sub, {builder_.apply(ElementwiseOp::Add, {distance, turns.step}), builder_.index(Dim(1))}), turns.step});
  std::optional<Dim> most = limitOf(count, true), last = most ? most : limitOf(*turns.stop, true), first = limitOf(*turns.start, false);
  if (!most && last && first) most = limitOf(Dim::ceilDiv(*last - *first, *dimOf(*turns.step)), true);
  turns.most = isShort ? Dim(kMostOfShort) : most ? *most : Dim::undefined();
  if (!turns.most.isVar()) turns.most = Dim::max(turns.most, Dim(0));
  std::vector<const Var *> bound_;
  collectBound(stmt.body, bound_);
  std::vector<Carry> carries;
  for (const Var *var : bound_) {
    bool known = std::any_of(carries.begin(), carries.end(), [&](const Carry &carry) { return carry.var == var; });
    if (known || !env_.count(var)) continue;
    if (var->type.kind == TypeKind::Tuple) return reporter_.cannot(stmt.span, "a loop that leaves several results, `" + var->name + "`, to its next turn");
    Carry carry{var, env_.at(var)};
    carry.slot = slotOf(var->name, here(var->type), builder_);
    carry.active = hasTangent(carry.slot->type) && isActive(carry.initial);
    builder_.let(carry.slot, carry.initial);
    carries.push_back(carry);
  }
  auto step = std::make_unique<LoopStep>(*this, stmt, turns, Place{env_, dims_, activeSoFar()}, std::move(carries), isShort);
  std::vector<Carry> &all = step->carries_;
  auto active = active_;
  std::unique_ptr<Stmt> made;
  Block *outer = &builder_.block();
  for (bool done = false; !done;) {
    active_ = active;
    made = emptyLoop(stmt, builder_, turns.start, turns.stop, turns.step);
    auto least = limitOf(*turns.start, false), end = limitOf(*turns.stop, true);
    between_["%" + std::to_string(made->var->id)] = {least, end ? std::optional(*end - Dim(1)) : std::nullopt};
    builder_.enter(&made->body);
    std::vector<Term> starts, next;
    for (const Carry &carry : all) starts.push_back(now(carry.slot, builder_));
    LoopStep::Turn turn = step->turn(builder_.ref(made->var), starts);
    done = true;
    for (size_t i = 0; i < all.size() && !reporter_.failed; ++i) {
      if (!all[i].active && hasTangent(all[i].slot->type) && isActive(turn.after[i])) all[i].active = true, done = false;
      builder_.assign(all[i].slot, turn.after[i]);
    }
    builder_.enter(outer);
    if (reporter_.failed) return;
  }
  step->stands(outer, made.get(), all.size());
  builder_.block().push_back(std::move(made));
  bool any = false;
  for (Carry &carry : all) {
    Term value = now(carry.slot, builder_);
    carry.out = checked::varOf(*value);
    if (carry.var->type.kind == TypeKind::Index) setIndex(*carry.var, value);
    else env_[carry.var] = value;
    if (!carry.active) continue;
    any = true;
    activate(carry.out, checked::varOf(*carry.initial));
  }
  if (any) steps_.push_back(std::move(step));
}

// ---------------------------------------------------------------- sums over turns

Var *Cotangents::sumOf(const Var *var) {
  if (around_->isOlder(var)) return around_->sumOf(var);
  for (const auto &[of, sum] : sums_)
    if (of == var) return sum;
  sums_.emplace_back(var, slotOf("d" + var->name, tangentType(var->type), builder_));
  return sums_.back().second;
}

bool Cotangents::addInPlace(const Edge &edge, const Cotangent &cotangent) {
  if (edge.kind != Edge::Kind::Moved || edge.op->kind != ExprKind::Slice) return false;
  Places places;
  bool changes = false;
  const std::vector<checked::IndexPart> &parts = edge.op->as<node::Slice>().access.parts;
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    const checked::IndexPart &part = parts[axis];
    const Dim &extent = edge.from->type.shape[axis];
    if (!part.isPoint && (part.step != 1 || isOfRunTime(part.size))) return false;
    if (!part.isPoint && !part.offset && part.size == extent) {
      places.emplace_back();
      continue;
    }
    auto place = part.offset ? dimOf(*part.offset) : Dim(0);
    const bool ofRunTime = !place || isOfRunTime(*place);
    if (!part.inBounds && (part.isPoint || ofRunTime)) return false;
    places.emplace_back(part.offset ? Term(checked::clone(*part.offset)) : builder_.index(Dim(0)), part.isPoint ? Dim::undefined() : part.size);
    changes |= ofRunTime;
  }
  if (!changes) return false;
  Term value = plain(cotangent);
  if (!isOlder(edge.from)) {
    slices_[edge.from].push_back({std::move(places), value});
    return true;
  }
  Var *sum = sumOf(edge.from);
  builder_.assign(sum, added(now(sum, builder_), places, value));
  return true;
}

/// The value with one more part at these places.
Term Cotangents::added(const Term &whole, const Places &places, const Term &part) {
  Term there = builder_.slice(whole, places);
  return builder_.update(whole, places, builder_.apply(ElementwiseOp::Add, {there, builder_.reshape(builder_.cast(part, whole->type.dtype), there->type)}));
}

void Cotangents::addUp() {
  std::vector<const Var *> older;
  for (const auto &[var, parts] : parts_)
    if (isOlder(var)) older.push_back(var);
  std::sort(older.begin(), older.end(), [](const Var *a, const Var *b) { return a->id < b->id; });
  for (const Var *var : older) {
    Var *sum = sumOf(var);
    Term value = builder_.cast(takePlain(var), sum->type.dtype);
    builder_.assign(sum, builder_.apply(ElementwiseOp::Add, {now(sum, builder_), value}));
  }
}

}  // namespace tessera::autodiff
