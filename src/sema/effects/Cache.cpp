// `KVCache`: keys and values in two tensors, and how many rows were appended, which the compiler or the host counts.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
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
constexpr size_t kCacheRank = 4;  // batch, heads, capacity, features
constexpr size_t kCapacityAxis = 2, kCount = 2;
}  // namespace

bool readStateType(Context &cx, const ast::SubscriptExpr &expr, Type &type, std::vector<const ast::Expr *> *dims) {
  if (!readTensorType(cx, expr, type, dims)) return false;
  type.kind = TypeKind::State;
  size_t rank = dims ? dims->size() : type.shape.size();
  if (rank == kCacheRank) return true;
  if (fresh(cx, Id::notAType, expr.span))
    report(cx, Id::notAType, expr.span, "a `KVCache` has 4 dimensions, not " + std::to_string(rank))
        .help("they are batch, heads, capacity and features: `KVCache[B, H, S_max, D, bf16]`");
  return false;
}

bool rollingWindow(Context &cx, Type &type, Span span) {
  type.rollingWindow = true;
  if (type.kind == TypeKind::State) return true;
  if (fresh(cx, Id::policyMeaningless, span))
    report(cx, Id::policyMeaningless, span, "@rolling_window", "`" + type.str() + "`")
        .label("only a cache has a window that rolls on")
        .help("it stands behind the type of the cache: `KVCache[B, H, S, D, bf16] @rolling_window`");
  return false;
}

/// Its parts: keys, values, and how many rows were appended in all. A window that rolls on lies in a ring: row number r
/// is at the place r mod capacity.
static Value cacheOf(Value state, std::vector<Value> parts) {
  state.items = std::move(parts);
  return state;
}

/// How many of its places are filled.
static Dim filledPlaces(const Value &cache) {
  const Dim &count = cache.items[kCount].sym;
  return cache.type.rollingWindow ? Dim::min(count, cache.type.shape[kCapacityAxis]) : count;
}

/// The places of a cache along its capacity.
static Value placesOf(Context &cx, const Value &cache, Span span) {
  ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, {cache.type.shape[kCapacityAxis]}), span);
  count->as<node::Iota>().axis = 0;
  return arrayValue(cx, std::move(count), scalarType(DType::I64), {std::nullopt}, span);
}

/// The first of its rows that is left.
static Dim oldestRow(const Value &cache) {
  return Dim::max(cache.items[kCount].sym - cache.type.shape[kCapacityAxis], Dim(0));
}

/// For each place of a window that rolls on, the number of the row in it: 0 is the oldest that is left.
static Value numbersOf(Context &cx, const Value &cache, Span span) {
  Value number = elementwise(cx, ElementwiseOp::Sub, {placesOf(cx, cache, span), Value::integer(oldestRow(cache))},
                             span, "number");
  return elementwise(cx, ElementwiseOp::Mod, {std::move(number), Value::integer(cache.type.shape[kCapacityAxis])}, span,
                     "number");
}

/// Keys or values, the oldest first.
static Value oldestFirst(Context &cx, const Value &cache, size_t part, Span span) {
  if (!cache.type.rollingWindow) return cache.items[part];
  if (inHost(cx))
    return unsupported(cx, "`k` and `v` of a window that rolls on, in host code", span, "let a function read them");
  Value from =
      elementwise(cx, ElementwiseOp::Add, {placesOf(cx, cache, span), Value::integer(oldestRow(cache))}, span, "place");
  from = elementwise(cx, ElementwiseOp::Mod, {std::move(from), Value::integer(cache.type.shape[kCapacityAxis])}, span,
                     "place");
  const int axis = static_cast<int>(kCapacityAxis);
  return bindTemp(cx, gathered(cx, cache.items[part], std::move(from), axis, {axis}, span),
                  part == 0 ? "keys" : "values", span);
}

/// What the library asks for beside what users do: the rows as they lie, and in which order. Absent for other names.
static Value hiddenMember(Context &cx, const Value &cache, const std::string &name, Span span) {
  if (cache.items.empty()) return Value::of(ValueKind::Absent);
  if (name == "_k" || name == "_v") return cache.items[name == "_k" ? 0 : 1];
  if (name == "_rolls") return Value::boolean(cache.type.rollingWindow);
  return name == "_numbers" ? numbersOf(cx, cache, span) : Value::of(ValueKind::Absent);
}

Value memberOfState(Context &cx, const Value &object, const std::string &name, Span span,
                    std::vector<std::string> &known) {
  known = {"k", "v", "length", "append", "reset"};
  if (Value hidden = hiddenMember(cx, object, name, span); hidden.given() && !isUsedUp(cx, object, span)) return hidden;
  if (std::find(known.begin(), known.end(), name) == known.end()) return Value::of(ValueKind::Absent);
  if (isUsedUp(cx, object, span)) return Value::poison();
  if (const BuiltinRow *row = builtinByName(name, 'S')) return methodOf(object, name, row, nullptr);
  bool length = name == "length";
  if (!object.items.empty()) {
    if (length) return object.type.rollingWindow ? Value::integer(filledPlaces(object)) : object.items[kCount];
    return oldestFirst(cx, object, name == "k" ? 0 : 1, span);
  }
  Type type = object.type;
  type.kind = TypeKind::Tensor;
  ExprPtr e = makeExpr(ExprKind::Opaque, length ? indexType() : type, span);
  e->as<node::Opaque>().name = name;
  e->args.push_back(clone(*object.expr));
  if (length) return indexValue(cx, std::move(e), "length", span);
  return arrayValue(cx, std::move(e), type, {}, span);
}

/// Keys or values with row p - first at each place p from `begin` to `end`.
static Value withRows(Context &cx, const Value &cache, const Value &old, Value rows, const Dim &first, const Dim &begin,
                      const Dim &end, Span span) {
  const int axis = static_cast<int>(kCapacityAxis);
  const Value places = placesOf(cx, cache, span);
  Value here = compareValues(cx, ast::CompareOp::Lt, places, Value::integer(end), span);
  if (!(begin == Dim(0)))
    here = elementwise(cx, ElementwiseOp::And,
                       {compareValues(cx, ast::CompareOp::Ge, places, Value::integer(begin), span), std::move(here)},
                       span, "append");
  Value row =
      first == Dim(0) ? places : elementwise(cx, ElementwiseOp::Sub, {places, Value::integer(first)}, span, "append");
  rows = gathered(cx, std::move(rows), std::move(row), axis, {axis}, span);
  Value made = chosenAsStored(cx, insertAxis(cx, std::move(here), 1, span), std::move(rows), old, span);
  if (made.isPoison()) return made;
  if (auto *op = made.expr->get<node::Elementwise>()) op->inPlace = true;
  return bindTemp(cx, made, "cache", span);
}

/// What `append` is given, as it is stored: keys and values. Nothing after a message.
static std::optional<std::vector<Value>> appendedRows(Context &cx, const Value &object, Bound &args) {
  std::vector<Value> rows;
  for (size_t i = 1; i < args.values.size(); ++i) {
    Value part = toArray(cx, args.values[i], object.type.dtype, args.spans[i]);
    if (part.isPoison()) return std::nullopt;
    std::vector<Dim> wanted = object.type.shape;
    bool fits = part.isArray() && part.type.shape.size() == kCacheRank;
    if (fits) wanted[kCapacityAxis] = part.type.shape[kCapacityAxis];
    for (size_t axis = 0; fits && axis < kCacheRank; ++axis)
      fits = sameDim(cx, part.type.shape[axis], wanted[axis], args.spans[i],
                     "`append` needs " + show(cx, part.type.shape[axis]) + " == " + show(cx, wanted[axis]));
    if (!fits) {
      if (fresh(cx, Id::wrongArgument, args.spans[i]))
        report(cx, Id::wrongArgument, args.spans[i], quoted("append"),
               "what is added to `" + object.type.str() + "`, of the same batch, heads and features",
               describe(cx, part));
      return std::nullopt;
    }
    const Type stored = withDType(part.type, object.type.dtype);
    ExprPtr e = castToPlace(cx, part, stored, args.spans[i], "the cache");
    if (!e) return std::nullopt;
    rows.push_back(arrayValue(cx, std::move(e), stored, std::vector<std::optional<Limit>>(kCacheRank), args.spans[i]));
    if (i > 1 && !sameDim(cx, part.type.shape[kCapacityAxis], rows[0].type.shape[kCapacityAxis], args.spans[i],
                          "`append` needs as many values as keys")) {
      report(cx, Id::wrongArgument, args.spans[i], quoted("append"), "as many values as keys", describe(cx, part));
      return std::nullopt;
    }
  }
  return rows;
}

/// Whether `added` rows behind `count` have room; the entry is asked for what is not known. False after a message.
static bool hasRoom(Context &cx, const Value &cache, const Dim &count, const Dim &added, Span span) {
  const Dim &capacity = cache.type.shape[kCapacityAxis];
  const Dim end = cache.type.rollingWindow ? added : count + added;
  const shape::Formula fits(end, Relation::Le, capacity);
  std::set<std::string> vars;
  fits.collectVars(vars);
  bool ofSizes = std::all_of(vars.begin(), vars.end(), shape::isDimensionName);
  if (cx.function.facts.proves(fits) ||
      (ofSizes &&
       addGuard(cx, fits, "room in the cache for what is appended: " + show(cx, end) + " <= " + show(cx, capacity),
                span)))
    return true;
  if (!fresh(cx, Id::outOfBounds, span)) return false;
  auto builder = report(cx, Id::outOfBounds, span, show(cx, count) + ".." + show(cx, count + added),
                        shapeText(cx, cache.type.shape));
  explainClaim(cx, builder, fits);
  return false;
}

Value advanceState(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  const Value object = args.values[0];
  const std::string what = "`" + std::string(row.name) + "`";
  bool appends = args.values.size() > 1;
  if (appends && inHost(cx) && !object.items.empty())
    return unsupported(cx, what + " in host code", span,
                       "let a function do it, and call that: `def step(k: ..., v: ..., cache: " + object.type.str() +
                           ")`");
  auto rows = appendedRows(cx, object, args);
  if (!rows || !useUp(cx, object, what, span)) return Value::poison();
  if (!object.text.empty())
    noteEffect(cx, {EffectKind::State, object.text, false, false, {{span, what + " moves it on here"}}});
  Value next = stateValue(cx, object.type, object.text, span);
  cx.successors[object.handle] = next.handle;
  next.items = object.items;
  if (object.items.empty()) {  // of a function that nothing calls
    notCompiledYet(cx, "state objects (`KVCache`)", span);
    return next;
  }
  if (!appends) {
    next.items[kCount] = Value::integer(Dim(0));
    return next;
  }
  const Dim count = object.items[kCount].sym, added = (*rows)[0].type.shape[kCapacityAxis],
            &capacity = object.type.shape[kCapacityAxis];
  if (!hasRoom(cx, object, count, added, span)) return Value::poison();
  const bool rolls = object.type.rollingWindow;
  const Dim begin = rolls ? Dim::mod(count, capacity) : count, end = begin + added;
  bool wraps = rolls && !(added == Dim(1));
  for (size_t i : {0, 1}) {
    const Value part = (*rows)[i].expr->kind == ExprKind::VarRef
                           ? (*rows)[i]
                           : bindTemp(cx, (*rows)[i], i == 0 ? "keys" : "values", span);
    Value &kept = next.items[i];
    kept = withRows(cx, object, kept, part, begin, begin, wraps ? Dim::min(end, capacity) : end, span);
    if (wraps && !kept.isPoison())
      kept = withRows(cx, object, kept, part, begin - capacity, Dim(0), Dim::max(end - capacity, Dim(0)), span);
    if (kept.isPoison()) return Value::poison();
  }
  next.items[kCount] = Value::integer(count + added);
  return next;
}

static Value zerosOf(Context &cx, const Type &type, const std::string &name, Span span);
static void uncounted(Context &cx, const std::string &name, Span span);

Value newState(Context &cx, Bound &args, Span span) {
  std::vector<Dim> shape;
  for (size_t i = 0; i < kCacheRank; ++i) {
    if (!shapeArgument(cx, args.values[i], args.spans[i], shape)) return Value::poison();
    if (shape.size() == i + 1) continue;
    if (fresh(cx, Id::wrongArgument, args.spans[i]))
      report(cx, Id::wrongArgument, args.spans[i], "an extent of `KVCache`", "one integer",
             describe(cx, args.values[i]));
    return Value::poison();
  }
  auto dtype = dtypeArgument(cx, args.values[kCacheRank], args.spans[kCacheRank]);
  const Value &rolls = args.values[kCacheRank + 1];
  auto rolling =
      rolls.given() ? knownBool(cx, rolls, args.spans[kCacheRank + 1], "whether the window rolls on") : false;
  if (!dtype || !rolling) return Value::poison();
  if (inKernel(cx)) return unsupported(cx, "a state object that a kernel makes", span);
  Type type = sema::tensorType(*dtype, shape);
  std::vector<Value> parts;
  for (const char *name : {"cache_k", "cache_v"}) parts.push_back(zerosOf(cx, type, name, span));
  parts.push_back(Value::integer(Dim(0)));
  type.rollingWindow = *rolling;
  return cacheOf(stateValue(cx, type, "", span), std::move(parts));
}

/// Zeros in a variable of their own; in host code, a tensor.
static Value zerosOf(Context &cx, const Type &type, const std::string &name, Span span) {
  if (!inHost(cx)) {
    ExprPtr e = broadcastTo(makeConstant(type.dtype, 0, span), type.shape);
    return bindTemp(cx, arrayValue(cx, std::move(e), type, std::vector<std::optional<Limit>>(type.shape.size()), span),
                    name, span);
  }
  std::vector<ExprPtr> args;
  args.push_back(textExpr(std::string(tessera::name(type.dtype)), span));
  for (const Dim &extent : type.shape) args.push_back(indexExpr(cx, Value::integer(extent), span));
  Value made = hostCall(cx, "zeros", std::move(args), span);
  made.rank = static_cast<int>(type.shape.size());
  return bindTemp(cx, made, name, span);
}

bool matchState(Context &cx, const Value &value, const ast::SubscriptExpr &annotation, bool rolling,
                const std::string &name, Span span, Value &out) {
  Type type;
  std::vector<const ast::Expr *> dims;
  if (!readStateType(cx, annotation, type, &dims)) return false;
  bool fits = value.kind == ValueKind::State && value.type.dtype == type.dtype && value.type.rollingWindow == rolling;
  if (!fits && fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted(name),
           "`" + std::string(cx.sources.text(annotation.span)) + (rolling ? " @rolling_window`" : "`"),
           describe(cx, value))
        .note(annotation.span, "declared here");
  out = value;
  return fits && unifyDims(cx, dims, value, name, span);
}

bool cacheArgument(Context &cx, const Value &value, const Type &type, const Callable &callable, Span span,
                   std::vector<Value> &parts, std::vector<Span> &places) {
  if (value.kind != ValueKind::State || value.type.dtype != type.dtype ||
      value.type.rollingWindow != type.rollingWindow) {
    auto builder = report(cx, Id::wrongArgument, span, quoted(callable.name), "a state object `" + type.str() + "`",
                          describe(cx, value));
    if (value.kind == ValueKind::State && type.rollingWindow && !value.type.rollingWindow)
      builder.help("a cache has a window that rolls on if it is made so: `KVCache(..., rolling_window=True)`");
    return false;
  }
  if (!useUp(cx, value, "`" + callable.name + "`", span)) return false;
  if (!value.text.empty())
    noteEffect(cx, {EffectKind::State, value.text, false, false, {{span, "`" + callable.name + "` moves it on here"}}});
  argumentParts(value, span, parts, places);
  return true;
}

std::optional<Value> cacheBehind(Context &cx, const Value &before, const Dim &count, const Function &callee,
                                 const std::vector<Value> &parts, std::map<std::string, Dim> dims, Span span) {
  std::set<std::string> missing;
  count.collectVars(missing);
  std::vector<std::vector<Dim>> shapes;
  std::set<std::string> given;
  auto extentOf = [&](size_t part, size_t axis) { return hostExtent(cx, parts[part], static_cast<int>(axis), span).sym; };
  for (const Param &param : callee.params) {
    if (param.isResult || shapes.size() >= parts.size()) continue;
    const bool isArray = parts[shapes.size()].kind == ValueKind::HostTensor;
    shapes.push_back(isArray ? param.var->type.shape : std::vector<Dim>());
    for (size_t axis = 0; axis < shapes.back().size(); ++axis) {
      const Dim &extent = shapes.back()[axis];
      if (extent.isVar() && !dims.count(extent.varName())) dims[extent.varName()] = extentOf(shapes.size() - 1, axis);
    }
  }
  for (const auto &[name, value] : dims) given.insert(name);
  for (const SolvedExtent &solved : solvedExtents(shapes, given))
    dims[solved.extent.variable] = solved.extent.solved(extentOf(solved.parameter, solved.axis), dims);
  for (const std::string &name : missing)
    if (!dims.count(name)) return std::nullopt;
  Value after = stateValue(cx, before.type, before.text, span);
  after.items = before.items;
  if (!after.items.empty()) after.items[kCount] = Value::integer(count.substitute(dims));
  cx.successors[before.handle] = after.handle;
  return after;
}

bool movedOn(Context &cx, const std::vector<MovedState> &moved, const Callable &callable) {
  return std::all_of(moved.begin(), moved.end(), [&](const MovedState &state) {
    return leaveState(cx, state.before.handle, state.after, callable.name, state.span);
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

Binding mergeCaches(Context &cx, Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  Binding merged = b;  // the state that follows the one before the condition is the second branch's
  if (auto spent = cx.spent.find(a.value.handle); spent != cx.spent.end()) cx.spent[b.value.handle] = spent->second;
  for (size_t i = 0; i < b.value.items.size(); ++i) {
    if (i == kCount && !inHost(cx)) continue;
    auto part = [&](const Binding &whole) {
      Binding one = whole;
      one.value = whole.value.items[i];
      one.var = one.value.expr ? varOf(*one.value.expr) : nullptr;
      return one;
    };
    const Binding x = part(a), y = part(b);
    if (x.var && x.var == y.var) continue;
    auto binds = [](const Block &block, const Var *var) {
      return std::any_of(block.begin(), block.end(),
                         [&](const auto &s) { return s->kind == StmtKind::Let && s->var == var; });
    };
    if (!x.var || !y.var || !binds(stmt.body, x.var) || !binds(stmt.otherwise, y.var)) {
      unsupported(cx, "a cache under a new name, `" + name + "`, that one way makes and the other has from before",
                  b.span, "keep its name: `cache = cache.append(k, v)`");
      merged.value = Value::poison();
      return merged;
    }
    merged.value.items[i] = mergeBindings(cx, stmt, x, y).value;
  }
  if (!inHost(cx) && !(a.value.items[kCount].sym == b.value.items[kCount].sym))
    uncounted(cx, name, stmt.condition->span);
  if (!inHost(cx)) hasFilled(merged.value, cx.function.facts);
  return merged;
}

/// How many places are filled is the caller's to count: it must not depend on data.
static void uncounted(Context &cx, const std::string &name, Span span) {
  unsupported(cx, "`" + name + "`, in which data decide here how many places are filled,", span,
              "the caller counts them: append as many rows on each way and in each turn of a `for`, and leave no such "
              "loop early");
}

void mergeCounts(Context &cx, const Names &before, const Names &thenNames, const Names &elseNames, Span span) {
  if (inHost(cx)) return;
  for (const auto &[name, old] : before) {
    const auto inThen = thenNames.find(name), inElse = elseNames.find(name);
    if (!holdsCache(old) || inThen == thenNames.end() || inElse == elseNames.end()) continue;
    const Binding &a = inThen->second, &b = inElse->second;
    if (!holdsCache(a) || !holdsCache(b)) continue;
    bool differ = (a.value.handle == old.value.handle) != (b.value.handle == old.value.handle);  // said elsewhere
    if (a.value.items[kCount].sym == b.value.items[kCount].sym)
      cx.function.frame->names[name].value.items[kCount] = a.value.items[kCount];
    else if (!differ) uncounted(cx, name, span);
    hasFilled(cx.function.frame->names[name].value, cx.function.facts);
  }
}

void roomForTurns(Context &cx, const Names &before, const RowsPerTurn &rows, Span span) {
  for (const auto &[name, each] : rows) {
    const Value &cache = before.at(name).value;
    if (!cache.type.rollingWindow) hasRoom(cx, cache, cache.items[kCount].sym, each.rows * each.of.count, span);
  }
}

void startTurn(Context &cx, const Names &before, const std::optional<Turns> &turns, const RowsPerTurn &rows) {
  for (const auto &[name, each] : rows) {
    const Value &cache = before.at(name).value;
    const Dim now = cache.items[kCount].sym + each.rows * turns->turn;
    cx.function.frame->names[name].value.items[kCount] = Value::integer(now);
    cx.function.facts.addNonNegative(now);
    if (!cache.type.rollingWindow) cx.function.facts.addNonNegative(cache.type.shape[kCapacityAxis] - now - each.rows);
  }
}

bool countRows(Context &cx, const Names &before, const std::optional<Turns> &turns, const ast::Block &body,
               RowsPerTurn &rows, Span span) {
  if (inHost(cx)) return true;
  bool asAssumed = true;
  for (const auto &[name, old] : before) {
    auto now = cx.function.frame->names.find(name);
    if (!holdsCache(old) || now == cx.function.frame->names.end() || !holdsCache(now->second)) continue;
    auto assumed = rows.find(name);
    const Dim start =
        old.value.items[kCount].sym + (assumed == rows.end() ? Dim(0) : assumed->second.rows * turns->turn);
    const Dim added = now->second.value.items[kCount].sym - start;
    if (added == (assumed == rows.end() ? Dim(0) : assumed->second.rows)) {
      if (assumed != rows.end()) assumed->second.of = *turns;
      continue;
    }
    std::set<std::string> vars;
    added.collectVars(vars);
    bool steady = std::all_of(vars.begin(), vars.end(), shape::isDimensionName);
    if (!turns || !steady || assumed != rows.end() || jumps(body)) {
      uncounted(cx, name, span);
      continue;
    }
    rows[name] = {added, *turns};
    asAssumed = false;
  }
  return asAssumed;
}

void endTurns(Context &cx, const RowsPerTurn &rows) {
  for (const auto &[name, each] : rows) {
    Value &cache = cx.function.frame->names[name].value;
    cache.items[kCount] = Value::integer(cache.items[kCount].sym + each.rows * each.of.count);
    hasFilled(cache, cx.function.facts);
  }
}

}  // namespace tessera::sema
