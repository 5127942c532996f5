// `KVCache`: keys and values in two tensors, and how many rows were appended, which the compiler or the host counts.
#include "frontend/Walk.h"
#include "sema/Checker.h"
#include "checked/ExprBuild.h"
#include "support/LinearDim.h"
#include <algorithm>

namespace tessera::sema {

namespace {
/// Whether a turn of the loop with this body may end before its last statement.
bool jumps(const ast::Block &body) {
  return std::any_of(body.begin(), body.end(), [](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::Break || stmt->kind == ast::StmtKind::Continue) return true;
    std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [](const ast::Block *block) { return jumps(*block); });
  });
}
constexpr size_t kCacheRank = 4;      // batch, heads, capacity, features
constexpr size_t kCapacityAxis = 2, kCount = 2;
}  // namespace

/// KVCache[B, H, S_max, D, bf16]
bool Checker::stateType(const ast::SubscriptExpr &expr, Type &type, std::vector<const ast::Expr *> *dims) {
  if (!tensorType(expr, type, dims)) return false;
  type.kind = TypeKind::State;
  size_t rank = dims ? dims->size() : type.shape.size();
  if (rank == kCacheRank) return true;
  if (fresh(Id::notAType, expr.span))
    report(Id::notAType, expr.span, "a `KVCache` has 4 dimensions, not " + std::to_string(rank))
        .help("they are batch, heads, capacity and features: `KVCache[B, H, S_max, D, bf16]`");
  return false;
}

/// `KVCache[...] @rolling_window`. False, with a message, for what is no state object.
bool Checker::rollingWindow(Type &type, Span span) {
  type.rollingWindow = true;
  if (type.kind == TypeKind::State) return true;
  if (fresh(Id::policyMeaningless, span))
    report(Id::policyMeaningless, span, "@rolling_window", "`" + type.str() + "`")
        .label("only a cache has a window that rolls on")
        .help("it stands behind the type of the cache: `KVCache[B, H, S, D, bf16] @rolling_window`");
  return false;
}

/// Its parts: keys, values, and how many rows were appended in all. A window that rolls on lies in a ring: row number r
/// is at the place r mod capacity.
Value Checker::cacheOf(Value state, std::vector<Value> parts) {
  state.items = std::move(parts);
  return state;
}

/// How many of its places are filled.
static Dim filledPlaces(const Value &cache) {
  const Dim &count = cache.items[kCount].sym;
  return cache.type.rollingWindow ? Dim::min(count, cache.type.shape[kCapacityAxis]) : count;
}

/// The places of a cache along its capacity.
Value Checker::placesOf(const Value &cache, Span span) {
  ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, {cache.type.shape[kCapacityAxis]}), span);
  count->axes = {0};
  return finish(std::move(count), scalarType(DType::I64), {std::nullopt}, span);
}

/// The first of its rows that is left.
static Dim oldestRow(const Value &cache) { return Dim::max(cache.items[kCount].sym - cache.type.shape[kCapacityAxis], Dim(0)); }

/// For each place of a window that rolls on, the number of the row in it: 0 is the oldest that is left.
Value Checker::numbersOf(const Value &cache, Span span) {
  Value number = elementwise(ElementwiseOp::Sub, {placesOf(cache, span), Value::integer(oldestRow(cache))}, span, "number");
  return elementwise(ElementwiseOp::Mod, {std::move(number), Value::integer(cache.type.shape[kCapacityAxis])}, span, "number");
}

/// Keys or values, the oldest first.
Value Checker::oldestFirst(const Value &cache, size_t part, Span span) {
  if (!cache.type.rollingWindow) return cache.items[part];
  if (inHost()) return unsupported("`k` and `v` of a window that rolls on, in host code", span, "let a function read them");
  Value from = elementwise(ElementwiseOp::Add, {placesOf(cache, span), Value::integer(oldestRow(cache))}, span, "place");
  from = elementwise(ElementwiseOp::Mod, {std::move(from), Value::integer(cache.type.shape[kCapacityAxis])}, span, "place");
  const int axis = static_cast<int>(kCapacityAxis);
  return bindTemp(gathered(cache.items[part], std::move(from), axis, {axis}, span), part == 0 ? "keys" : "values", span);
}

/// What the library asks for beside what users do: the rows as they lie, and in which order. Absent for other names.
Value Checker::hiddenMember(const Value &cache, const std::string &name, Span span) {
  if (cache.items.empty()) return Value::of(ValueKind::Absent);
  if (name == "_k" || name == "_v") return cache.items[name == "_k" ? 0 : 1];
  if (name == "_rolls") return Value::boolean(cache.type.rollingWindow);
  return name == "_numbers" ? numbersOf(cache, span) : Value::of(ValueKind::Absent);
}

Value Checker::memberOfState(const Value &object, const std::string &name, Span span,
                             std::vector<std::string> &known) {
  known = {"k", "v", "length", "append", "reset"};
  if (Value hidden = hiddenMember(object, name, span); hidden.given() && !isSpent(object, span)) return hidden;
  if (std::find(known.begin(), known.end(), name) == known.end()) return Value::of(ValueKind::Absent);
  if (isSpent(object, span)) return Value::poison();
  if (const BuiltinRow *row = builtinByName(name, 'S')) return methodOf(object, name, row, nullptr);
  bool length = name == "length";
  if (!object.items.empty()) {
    if (length) return object.type.rollingWindow ? Value::integer(filledPlaces(object)) : object.items[kCount];
    return oldestFirst(object, name == "k" ? 0 : 1, span);
  }
  Type type = object.type;
  type.kind = TypeKind::Tensor;
  ExprPtr e = makeExpr(ExprKind::Opaque, length ? indexType() : type, span);
  e->text = name;
  e->args.push_back(clone(*object.expr));
  if (length) return indexValue(std::move(e), "length", span);
  return finish(std::move(e), type, {}, span);
}

/// Keys or values with row p - first at each place p from `begin` to `end`.
Value Checker::withRows(const Value &cache, const Value &old, Value rows, const Dim &first, const Dim &begin, const Dim &end, Span span) {
  const int axis = static_cast<int>(kCapacityAxis);
  const Value places = placesOf(cache, span);
  Value here = compareValues(ast::CompareOp::Lt, places, Value::integer(end), span);
  if (!(begin == Dim(0)))
    here = elementwise(ElementwiseOp::And, {compareValues(ast::CompareOp::Ge, places, Value::integer(begin), span), std::move(here)}, span, "append");
  Value row = first == Dim(0) ? places : elementwise(ElementwiseOp::Sub, {places, Value::integer(first)}, span, "append");
  rows = gathered(std::move(rows), std::move(row), axis, {axis}, span);
  Value made = chosenAsStored(insertAxis(std::move(here), 1, span), std::move(rows), old, span);
  if (made.isPoison()) return made;
  made.expr->text = "update";
  return bindTemp(made, "cache", span);
}

/// What `append` is given, as it is stored: keys and values. Nothing after a message.
std::optional<std::vector<Value>> Checker::appendedRows(const Value &object, Bound &args) {
  std::vector<Value> rows;
  for (size_t i = 1; i < args.values.size(); ++i) {
    Value part = toArray(args.values[i], object.type.dtype, args.spans[i]);
    if (part.isPoison()) return std::nullopt;
    std::vector<Dim> wanted = object.type.shape;
    bool fits = part.isArray() && part.type.shape.size() == kCacheRank;
    if (fits) wanted[kCapacityAxis] = part.type.shape[kCapacityAxis];
    for (size_t axis = 0; fits && axis < kCacheRank; ++axis)
      fits = sameDim(part.type.shape[axis], wanted[axis], args.spans[i],
                     "`append` needs " + show(part.type.shape[axis]) + " == " + show(wanted[axis]));
    if (!fits) {
      if (fresh(Id::wrongArgument, args.spans[i]))
        report(Id::wrongArgument, args.spans[i], quoted("append"),
               "what is added to `" + object.type.str() + "`, of the same batch, heads and features", describe(part));
      return std::nullopt;
    }
    const Type stored = withDType(part.type, object.type.dtype);
    ExprPtr e = leave(part, stored, args.spans[i], "the cache");
    if (!e) return std::nullopt;
    rows.push_back(finish(std::move(e), stored, std::vector<std::optional<Limit>>(kCacheRank), args.spans[i]));
    if (i > 1 && !sameDim(part.type.shape[kCapacityAxis], rows[0].type.shape[kCapacityAxis], args.spans[i], "`append` needs as many values as keys")) {
      report(Id::wrongArgument, args.spans[i], quoted("append"), "as many values as keys", describe(part));
      return std::nullopt;
    }
  }
  return rows;
}

/// Whether `added` rows behind `count` have room; the entry is asked for what is not known. False after a message.
bool Checker::hasRoom(const Value &cache, const Dim &count, const Dim &added, Span span) {
  const Dim &capacity = cache.type.shape[kCapacityAxis];
  const Dim end = cache.type.rollingWindow ? added : count + added;
  const shape::Formula fits(end, Relation::Le, capacity);
  std::set<std::string> vars;
  fits.collectVars(vars);
  bool ofSizes = std::all_of(vars.begin(), vars.end(), shape::isDimensionName);
  if (facts_.proves(fits) || (ofSizes && addGuard(fits, "room in the cache for what is appended: " + show(end) + " <= " + show(capacity), span))) return true;
  if (!fresh(Id::outOfBounds, span)) return false;
  auto builder = report(Id::outOfBounds, span, show(count) + ".." + show(count + added), shapeText(cache.type.shape));
  explainClaim(builder, fits);
  return false;
}

/// `cache.append(k, v)` and `cache.reset()`: the state after it.
Value Checker::moveOn(const BuiltinRow &row, Bound &args, Span span) {
  const Value object = args.values[0];
  const std::string what = "`" + std::string(row.name) + "`";
  bool appends = args.values.size() > 1;
  if (appends && inHost() && !object.items.empty())
    return unsupported(what + " in host code", span, "let a function do it, and call that: `def step(k: ..., v: ..., cache: " + object.type.str() + ")`");
  auto rows = appendedRows(object, args);
  if (!rows || !spend(object, what, span)) return Value::poison();
  if (!object.text.empty()) noteEffect({EffectKind::State, object.text, false, false, {{span, what + " moves it on here"}}});
  Value next = stateValue(object.type, object.text, span);
  successors_[object.handle] = next.handle;
  next.items = object.items;
  if (object.items.empty()) {  // of a function that nothing calls
    later("state objects (`KVCache`)", span);
    return next;
  }
  if (!appends) {
    next.items[kCount] = Value::integer(Dim(0));
    return next;
  }
  const Dim count = object.items[kCount].sym, added = (*rows)[0].type.shape[kCapacityAxis], &capacity = object.type.shape[kCapacityAxis];
  if (!hasRoom(object, count, added, span)) return Value::poison();
  const bool rolls = object.type.rollingWindow;
  const Dim begin = rolls ? Dim::mod(count, capacity) : count, end = begin + added;
  bool wraps = rolls && !(added == Dim(1));
  for (size_t i : {0, 1}) {
    const Value part = (*rows)[i].expr->kind == ExprKind::VarRef ? (*rows)[i] : bindTemp((*rows)[i], i == 0 ? "keys" : "values", span);
    Value &kept = next.items[i];
    kept = withRows(object, kept, part, begin, begin, wraps ? Dim::min(end, capacity) : end, span);
    if (wraps && !kept.isPoison()) kept = withRows(object, kept, part, begin - capacity, Dim(0), Dim::max(end - capacity, Dim(0)), span);
    if (kept.isPoison()) return Value::poison();
  }
  next.items[kCount] = Value::integer(count + added);
  return next;
}

/// `KVCache(B, H, S, D, dtype)`: zeros, and nothing filled.
Value Checker::newState(Bound &args, Span span) {
  std::vector<Dim> shape;
  for (size_t i = 0; i < kCacheRank; ++i) {
    if (!shapeArgument(args.values[i], args.spans[i], shape)) return Value::poison();
    if (shape.size() == i + 1) continue;
    if (fresh(Id::wrongArgument, args.spans[i]))
      report(Id::wrongArgument, args.spans[i], "an extent of `KVCache`", "one integer", describe(args.values[i]));
    return Value::poison();
  }
  auto dtype = dtypeArgument(args.values[kCacheRank], args.spans[kCacheRank]);
  const Value &rolls = args.values[kCacheRank + 1];
  auto rolling = rolls.given() ? knownBool(rolls, args.spans[kCacheRank + 1], "whether the window rolls on") : false;
  if (!dtype || !rolling) return Value::poison();
  if (inKernel()) return unsupported("a state object that a kernel makes", span);
  Type type = sema::tensorType(*dtype, shape);
  std::vector<Value> parts;
  for (const char *name : {"cache_k", "cache_v"}) parts.push_back(zerosOf(type, name, span));
  parts.push_back(Value::integer(Dim(0)));
  type.rollingWindow = *rolling;
  return cacheOf(stateValue(type, "", span), std::move(parts));
}

/// Zeros in a variable of their own; in host code, a tensor.
Value Checker::zerosOf(const Type &type, const std::string &name, Span span) {
  if (!inHost()) {
    ExprPtr e = broadcastTo(makeConstant(type.dtype, 0, span), type.shape);
    return bindTemp(finish(std::move(e), type, std::vector<std::optional<Limit>>(type.shape.size()), span), name, span);
  }
  std::vector<ExprPtr> args;
  args.push_back(textExpr(std::string(tessera::name(type.dtype)), span));
  for (const Dim &extent : type.shape) args.push_back(indexExpr(Value::integer(extent), span));
  Value made = hostCall("zeros", std::move(args), span);
  made.rank = static_cast<int>(type.shape.size());
  return bindTemp(made, name, span);
}

/// A state object as the argument of a traced function.
bool Checker::matchState(const Value &value, const ast::SubscriptExpr &annotation, bool rolling, const std::string &name,
                         Span span, Value &out) {
  Type type;
  std::vector<const ast::Expr *> dims;
  if (!stateType(annotation, type, &dims)) return false;
  bool fits = value.kind == ValueKind::State && value.type.dtype == type.dtype && value.type.rollingWindow == rolling;
  if (!fits && fresh(Id::wrongArgument, span))
    report(Id::wrongArgument, span, quoted(name),
           "`" + std::string(sources_.text(annotation.span)) + (rolling ? " @rolling_window`" : "`"), describe(value))
        .note(annotation.span, "declared here");
  out = value;
  return fits && unifyDims(dims, value, name, span);
}

/// A cache as the argument of an entry point, which moves it on: its parts. False after a message.
bool Checker::cacheArgument(const Value &value, const Type &type, const Callable &callable, Span span, std::vector<Value> &parts,
                            std::vector<Span> &places) {
  if (value.kind != ValueKind::State || value.type.dtype != type.dtype || value.type.rollingWindow != type.rollingWindow) {
    auto builder = report(Id::wrongArgument, span, quoted(callable.name), "a state object `" + type.str() + "`", describe(value));
    if (value.kind == ValueKind::State && type.rollingWindow && !value.type.rollingWindow)
      builder.help("a cache has a window that rolls on if it is made so: `KVCache(..., rolling_window=True)`");
    return false;
  }
  if (!spend(value, "`" + callable.name + "`", span)) return false;
  if (!value.text.empty())
    noteEffect({EffectKind::State, value.text, false, false, {{span, "`" + callable.name + "` moves it on here"}}});
  argumentParts(value, span, parts, places);
  return true;
}

/// The cache behind a call of an entry point, which counted what it appended. `parts`: the arguments of the call.
std::optional<Value> Checker::cacheBehind(const Value &before, const Dim &count, const Function &callee, const std::vector<Value> &parts,
                                          std::map<std::string, Dim> dims, Span span) {
  std::set<std::string> missing;
  count.collectVars(missing);
  size_t next = 0;
  for (const Param &param : callee.params) {
    if (param.isResult || next >= parts.size()) continue;
    const Value &part = parts[next++];
    for (size_t axis = 0; axis < param.var->type.shape.size() && part.kind == ValueKind::HostTensor; ++axis) {
      const Dim &extent = param.var->type.shape[axis];
      auto linear = extent.isVar() ? std::optional(LinearDim{extent.varName(), 1, 0}) : linearDim(extent);
      if (!linear || !missing.count(linear->variable) || dims.count(linear->variable)) continue;
      dims[linear->variable] = linear->solved(hostExtent(part, static_cast<int>(axis), span).sym);
    }
  }
  for (const std::string &name : missing)
    if (!dims.count(name)) return std::nullopt;
  Value after = stateValue(before.type, before.text, span);
  after.items = before.items;
  if (!after.items.empty()) after.items[kCount] = Value::integer(count.substitute(dims));
  successors_[before.handle] = after.handle;
  return after;
}

/// Behind a call, the names of caches stand for what it left.
bool Checker::movedOn(const std::vector<MovedState> &moved, const Callable &callable) {
  return std::all_of(moved.begin(), moved.end(), [&](const MovedState &state) {
    return leaveState(state.before.handle, state.after, callable.name, state.span);
  });
}

// ---------------------------------------------------------------- conditions and loops

static bool holdsCache(const Binding &binding) {
  return binding.isBound() && binding.value.kind == ValueKind::State && !binding.value.items.empty();
}

/// What was asked for inside of a condition or loop holds behind it: all rows have a place.
static void hasFilled(const Value &cache, shape::Facts &facts) {
  if (cache.type.rollingWindow) return;
  facts.addNonNegative(cache.items[kCount].sym);
  facts.addNonNegative(cache.type.shape[kCapacityAxis] - cache.items[kCount].sym);
}

/// A cache that both branches give a name to, in variables in front of the condition.
Binding Checker::mergeCaches(Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  Binding merged = b;  // the state that follows the one before the condition is the second branch's
  if (auto spent = spent_.find(a.value.handle); spent != spent_.end()) spent_[b.value.handle] = spent->second;
  for (size_t i = 0; i < b.value.items.size(); ++i) {
    if (i == kCount && !inHost()) continue;
    auto part = [&](const Binding &whole) {
      Binding one = whole;
      one.value = whole.value.items[i];
      one.var = one.value.expr && one.value.expr->kind == ExprKind::VarRef ? one.value.expr->var : nullptr;
      return one;
    };
    const Binding x = part(a), y = part(b);
    if (x.var && x.var == y.var) continue;
    auto binds = [](const Block &block, const Var *var) {
      return std::any_of(block.begin(), block.end(), [&](const auto &s) { return s->kind == StmtKind::Let && s->var == var; });
    };
    if (!x.var || !y.var || !binds(stmt.body, x.var) || !binds(stmt.otherwise, y.var)) {
      unsupported("a cache under a new name, `" + name + "`, that one way makes and the other has from before", b.span, "keep its name: `cache = cache.append(k, v)`");
      merged.value = Value::poison();
      return merged;
    }
    merged.value.items[i] = mergeBindings(stmt, x, y).value;
  }
  if (!inHost() && !(a.value.items[kCount].sym == b.value.items[kCount].sym)) uncounted(name, stmt.condition->span);
  if (!inHost()) hasFilled(merged.value, facts_);
  return merged;
}

/// How many places are filled is the caller's to count: it must not depend on data.
void Checker::uncounted(const std::string &name, Span span) {
  unsupported("`" + name + "`, in which data decide here how many places are filled,", span,
              "the caller counts them: append as many rows on each way and in each turn of a `for`, and leave no such loop early");
}

/// Behind a condition a cache has as many rows as on both ways.
void Checker::mergeCounts(const Names &before, const Names &thenNames, const Names &elseNames, Span span) {
  if (inHost()) return;
  for (const auto &[name, old] : before) {
    const auto inThen = thenNames.find(name), inElse = elseNames.find(name);
    if (!holdsCache(old) || inThen == thenNames.end() || inElse == elseNames.end()) continue;
    const Binding &a = inThen->second, &b = inElse->second;
    if (!holdsCache(a) || !holdsCache(b)) continue;
    bool differ = (a.value.handle == old.value.handle) != (b.value.handle == old.value.handle);  // said elsewhere
    if (a.value.items[kCount].sym == b.value.items[kCount].sym) frame_->names[name].value.items[kCount] = a.value.items[kCount];
    else if (!differ) uncounted(name, span);
    hasFilled(frame_->names[name].value, facts_);
  }
}

/// Asks the entry for the room that all turns of a loop need together.
void Checker::roomForTurns(const Names &before, const RowsPerTurn &rows, Span span) {
  for (const auto &[name, each] : rows) {
    const Value &cache = before.at(name).value;
    if (!cache.type.rollingWindow) hasRoom(cache, cache.items[kCount].sym, each.rows * each.of.count, span);
  }
}

/// In a turn, a cache has what the turns before it added.
void Checker::startTurn(const Names &before, const std::optional<Turns> &turns, const RowsPerTurn &rows) {
  for (const auto &[name, each] : rows) {
    const Value &cache = before.at(name).value;
    const Dim now = cache.items[kCount].sym + each.rows * turns->turn;
    frame_->names[name].value.items[kCount] = Value::integer(now);
    facts_.addNonNegative(now);
    if (!cache.type.rollingWindow) facts_.addNonNegative(cache.type.shape[kCapacityAxis] - now - each.rows);
  }
}

/// What a turn added to each cache. False if it was assumed otherwise: the turn has to be checked again.
bool Checker::countRows(const Names &before, const std::optional<Turns> &turns, const ast::Block &body, RowsPerTurn &rows, Span span) {
  if (inHost()) return true;
  bool asAssumed = true;
  for (const auto &[name, old] : before) {
    auto now = frame_->names.find(name);
    if (!holdsCache(old) || now == frame_->names.end() || !holdsCache(now->second)) continue;
    auto assumed = rows.find(name);
    const Dim start = old.value.items[kCount].sym + (assumed == rows.end() ? Dim(0) : assumed->second.rows * turns->turn);
    const Dim added = now->second.value.items[kCount].sym - start;
    if (added == (assumed == rows.end() ? Dim(0) : assumed->second.rows)) {
      if (assumed != rows.end()) assumed->second.of = *turns;
      continue;
    }
    std::set<std::string> vars;
    added.collectVars(vars);
    bool steady = std::all_of(vars.begin(), vars.end(), shape::isDimensionName);
    if (!turns || !steady || assumed != rows.end() || jumps(body)) {
      uncounted(name, span);
      continue;
    }
    rows[name] = {added, *turns};
    asAssumed = false;
  }
  return asAssumed;
}

/// Behind a loop, a cache has what all turns added.
void Checker::endTurns(const RowsPerTurn &rows) {
  for (const auto &[name, each] : rows) {
    Value &cache = frame_->names[name].value;
    cache.items[kCount] = Value::integer(cache.items[kCount].sym + each.rows * each.of.count);
    hasFilled(cache, facts_);
  }
}

}  // namespace tessera::sema
