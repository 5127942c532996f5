// State objects: a value that moves on. Each update uses the old state up and makes a new one; a parameter that holds
// a state object holds the last one when the function ends.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
constexpr size_t kCacheRank = 4;      // batch, heads, capacity, features
constexpr size_t kCapacityAxis = 2;
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

/// What stands in front of the brackets: `KVCache`.
bool Checker::isStateType(const Value &named) {
  return named.kind == ValueKind::Builtin && named.builtin->kind == BuiltinKind::State;
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

/// `root`: the parameter that holds it, or empty.
Value Checker::stateValue(const Type &type, const std::string &root, Span span) {
  Value v = Value::of(ValueKind::State);
  v.type = type;
  v.type.kind = TypeKind::State;
  v.text = root;
  v.handle = newHandle();
  ExprPtr e = makeExpr(ExprKind::Opaque, v.type, span);
  e->text = "state";
  e->nameHint = root;
  v.expr = std::shared_ptr<Expr>(e.release());
  return v;
}

Value Checker::memberOfState(const Value &object, const std::string &name, Span span,
                             std::vector<std::string> &known) {
  known = {"k", "v", "length", "append", "reset"};
  if (std::find(known.begin(), known.end(), name) == known.end()) return Value::of(ValueKind::Absent);
  if (isSpent(object, span)) return Value::poison();
  if (const BuiltinRow *row = builtinByName(name, 'S')) return methodOf(object, name, row, nullptr);
  if (!object.items.empty()) return object.items[name == "k" ? 0 : name == "v" ? 1 : 2];
  Type type = object.type;
  bool length = name == "length";
  type.kind = TypeKind::Tensor;
  ExprPtr e = makeExpr(ExprKind::Opaque, length ? indexType() : type, span);
  e->text = name;
  e->args.push_back(clone(*object.expr));
  if (length) return indexValue(std::move(e), "length", span);
  return finish(std::move(e), type, {}, span);
}

/// Keys or values with these rows from `start` on.
Value Checker::withRows(const Value &old, Value rows, const Dim &start, Span span) {
  const int axis = static_cast<int>(kCapacityAxis);
  const Dim added = rows.type.shape[kCapacityAxis];
  ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, {old.type.shape[kCapacityAxis]}), span);
  count->axes = {0};
  const Value places = finish(std::move(count), scalarType(DType::I64), {std::nullopt}, span);
  bool atStart = start == Dim(0);
  Value here = compareValues(ast::CompareOp::Lt, places, Value::integer(start + added), span);
  if (!atStart)
    here = elementwise(ElementwiseOp::And, {compareValues(ast::CompareOp::Ge, places, Value::integer(start), span), std::move(here)}, span, "append");
  Value distance = atStart ? places : elementwise(ElementwiseOp::Sub, {places, Value::integer(start)}, span, "append");
  rows = gathered(std::move(rows), std::move(distance), axis, {axis}, span);
  Value made = chosenAsStored(insertAxis(std::move(here), 1, span), std::move(rows), old, span);
  if (made.isPoison()) return made;
  made.expr->text = "update";
  return bindTemp(made, "cache", span);
}

/// `cache.append(k, v)` and `cache.reset()`: the state after it.
Value Checker::moveOn(const BuiltinRow &row, Bound &args, Span span) {
  Value object = args.values[0];
  std::vector<Value> rows;
  for (size_t i = 1; i < args.values.size(); ++i) {
    Value part = toArray(args.values[i], object.type.dtype, args.spans[i]);
    if (part.isPoison()) return part;
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
      return Value::poison();
    }
    const Type stored = withDType(part.type, object.type.dtype);
    ExprPtr e = leave(part, stored, args.spans[i], "the cache");
    if (!e) return Value::poison();
    rows.push_back(finish(std::move(e), stored, std::vector<std::optional<Limit>>(kCacheRank), args.spans[i]));
    if (i > 1 && !sameDim(part.type.shape[kCapacityAxis], rows[0].type.shape[kCapacityAxis], args.spans[i], "`append` needs as many values as keys")) {
      report(Id::wrongArgument, args.spans[i], quoted("append"), "as many values as keys", describe(part));
      return Value::poison();
    }
  }
  if (!spend(object, "`" + std::string(row.name) + "`", span)) return Value::poison();
  if (!object.text.empty())
    noteEffect({EffectKind::State, object.text, false, false,
                {{span, "`" + std::string(row.name) + "` moves it on here"}}});
  Value next = stateValue(object.type, object.text, span);
  successors_[object.handle] = next.handle;
  next.items = object.items;
  bool runs = !object.items.empty() && object.items[2].kind == ValueKind::Int && conditionDepth_ == 0 && !object.type.rollingWindow;
  if (!runs) {  // how many are filled is not known: in loops, under conditions
    later("state objects (`KVCache`)", span);
    return next;
  }
  if (rows.empty()) {
    next.items[2] = Value::integer(Dim(0));
    return next;
  }
  const Dim length = object.items[2].sym, end = length + rows[0].type.shape[kCapacityAxis];
  const shape::Formula fits(end, Relation::Le, object.type.shape[kCapacityAxis]);
  if (!facts_.proves(fits) && !addGuard(fits, "room in the cache for what is appended: " + show(end) + " <= " + show(object.type.shape[kCapacityAxis]), span)) {
    if (!fresh(Id::outOfBounds, span)) return Value::poison();
    auto builder = report(Id::outOfBounds, span, show(length) + ".." + show(end), shapeText(object.type.shape));
    explainClaim(builder, fits);
    return Value::poison();
  }
  for (size_t i : {0, 1}) {
    next.items[i] = withRows(object.items[i], std::move(rows[i]), length, span);
    if (next.items[i].isPoison()) return Value::poison();
  }
  next.items[2] = Value::integer(end);
  return next;
}

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
  later("state objects (`KVCache`)", span);
  Type type = sema::tensorType(*dtype, shape);
  type.rollingWindow = *rolling;
  return stateValue(type, "", span);
}

/// An update whose result nobody takes.
bool Checker::droppedState(const Value &value, const ast::Expr &expr) {
  if (value.kind != ValueKind::State || expr.kind != ast::ExprKind::Call) return false;
  for (const auto &[before, after] : successors_)  // what follows is about the state that was meant to be kept
    for (Frame *frame = after == value.handle ? frame_.get() : nullptr; frame; frame = frame->parent.get())
      for (auto &[name, binding] : frame->names) {
        if (binding.value.kind != ValueKind::State || binding.value.handle != before) continue;
        std::string root = binding.value.text;
        binding.value = value;
        binding.value.text = root;
      }
  if (!fresh(Id::stateDropped, expr.span)) return true;
  auto builder = report(Id::stateDropped, expr.span);
  builder.label("the state behind it is lost, and the old one is used up");
  auto *callee = as<ast::AttributeExpr>(static_cast<const ast::CallExpr &>(expr).callee);
  if (callee && as<ast::NameExpr>(callee->object)) {
    std::string name = as<ast::NameExpr>(callee->object)->name;
    builder.fix({expr.span.file, expr.span.begin, expr.span.begin}, name + " = ", "keep it in `" + name + "`");
  }
  return true;
}

/// A function that is traced later, or several times, cannot own the only state there is.
bool Checker::capturedState(const Value &value, const std::string &name, Span span) {
  if (!value.isState()) return false;
  if (fresh(Id::stateCaptured, span))
    report(Id::stateCaptured, span, name)
        .label("it belongs to the function around")
        .help("take it as a parameter");
  return true;
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

/// The state objects among the arguments of the function whose frame this is; from here on they bear its names.
std::vector<PassedState> Checker::enterStates() {
  std::vector<PassedState> passed;
  for (auto &[name, binding] : frame_->names) {
    if (!binding.value.isState()) continue;
    passed.push_back({name, binding.value.text, binding.value.handle});
    binding.value.text = name;
  }
  return passed;
}

/// Behind a traced call, in the caller's frame: what the callee left in its parameters is what the caller has.
void Checker::leaveStates(const std::vector<PassedState> &passed, Frame &callee, const std::string &name, Value &result,
                          Span span) {
  Effects effects;
  for (Effect effect : callee.effects.all()) {
    if (effect.kind == EffectKind::State)
      for (const PassedState &state : passed)
        if (state.parameter == effect.of) effect.of = state.root;
    if (effect.kind != EffectKind::State || !effect.of.empty()) effects.add(std::move(effect));
  }
  takeOverEffects(effects, name, true, span);
  for (const PassedState &state : passed) {
    const Value &last = callee.names[state.parameter].value;
    if (last.isState() && last.handle != state.handle) leaveState(state.handle, last, name, span);
    if (result.isState() && result.text == state.parameter) result.text = state.root;
    for (Value &item : result.items)
      if (item.isState() && item.text == state.parameter) item.text = state.root;
  }
}

/// A state object as the argument of an entry point, which moves it on.
ExprPtr Checker::stateArgument(const Value &value, const Type &type, const Callable &callable, Span span) {
  if (value.kind != ValueKind::State || value.type.dtype != type.dtype || value.type.rollingWindow != type.rollingWindow) {
    auto builder = report(Id::wrongArgument, span, quoted(callable.name), "a state object `" + type.str() + "`", describe(value));
    if (value.kind == ValueKind::State && type.rollingWindow && !value.type.rollingWindow)
      builder.help("a cache has a window that rolls on if it is made so: `KVCache(..., rolling_window=True)`");
    return nullptr;
  }
  ExprPtr e = clone(*value.expr);
  if (!spend(value, "`" + callable.name + "`", span)) return nullptr;
  if (!value.text.empty())
    noteEffect({EffectKind::State, value.text, false, false, {{span, "`" + callable.name + "` moves it on here"}}});
  Value next = stateValue(value.type, value.text, span);
  successors_[value.handle] = next.handle;
  return leaveState(value.handle, next, callable.name, span) ? std::move(e) : nullptr;
}

/// All names of the caller for the state `before` stand for `after` from now on. False, with a message, if it has none.
bool Checker::leaveState(int before, const Value &after, const std::string &callee, Span span) {
  std::vector<std::string> structs;
  bool named = false;
  for (Frame *frame = frame_.get(); frame; frame = frame->parent.get())
    for (auto &[name, binding] : frame->names) {
      if (!binding.value.isState() || binding.value.handle != before) continue;
      named = true;
      if (binding.value.kind == ValueKind::Struct) {
        if (frame == frame_.get()) structs.push_back(name);
        continue;
      }
      std::string root = binding.value.text;
      binding.value = after;
      binding.value.text = root;
    }
  for (const std::string &name : structs) {
    Value now = after;
    now.text = frame_->names[name].value.text;
    assignName(name, std::move(now), span);
  }
  if (named) return true;
  if (fresh(Id::stateDropped, span))
    report(Id::stateDropped, span)
        .label("`" + callee + "` moves this state on, and it has no name")
        .help("give it a name first: the name stands for the new state behind the call");
  return false;
}

/// `s.m = value` of a struct that is a state, also of a struct inside of it: the name stands for the new state.
void Checker::assignPart(const ast::Expr &place, Value value, Span span) {
  if (auto *name = as<ast::NameExpr>(&place)) return assignName(name->name, std::move(value), place.span);
  auto &field = static_cast<const ast::AttributeExpr &>(place);
  Value object = checkExpr(*field.object);
  if (object.isPoison() || value.isPoison()) return;
  if (object.isState() && !object.text.empty())
    noteEffect({EffectKind::State, object.text, false, false, {{span, "a part of it gets a new value here"}}});
  GivenList given;
  given.push_back({"", std::move(object), field.object->span, field.object->span, nullptr});
  given.push_back({field.attribute.text, std::move(value), span, field.attribute.span, nullptr});
  Value made = replaceFields(std::move(given), span);
  if (!made.isPoison()) assignPart(*field.object, std::move(made), span);
}

/// Whether this is a field of a struct that is a state and has a name here; also of a struct inside of it.
bool Checker::isPartOfState(const ast::Expr &place) {
  auto *field = as<ast::AttributeExpr>(&place);
  if (!field) return false;
  if (!as<ast::NameExpr>(field->object)) return isPartOfState(*field->object);
  auto bound = frame_->names.find(as<ast::NameExpr>(field->object)->name);
  return bound != frame_->names.end() && bound->second.value.kind == ValueKind::Struct && bound->second.value.isState();
}

/// What the function leaves in the parameters that are states: results in the same memory. False after a message.
bool Checker::stateResults(std::vector<ExprPtr> &out, Span span) {
  if (!fn_->later.empty()) return true;
  for (const auto &[name, given] : frame_->states) {
    Value now = readBinding(name, frame_->names[name], span);
    int last = now.handle;
    while (successors_.count(last)) last = successors_[last];
    for (const auto &[other, binding] : frame_->names)  // it may have moved on under another name
      if (last != now.handle && binding.value.handle == last) {
        now = readBinding(other, binding, span);
        break;
      }
    if (now.isPoison() || isSpent(now, span)) return false;
    std::vector<Value> before, after;
    std::vector<Span> places;
    argumentParts(given, span, before, places);
    argumentParts(now, span, after, places);
    for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
      auto isIt = [&](const Param &param) { return before[i].expr && before[i].expr->kind == ExprKind::VarRef && param.var == before[i].expr->var; };
      auto param = std::find_if(fn_->params.begin(), fn_->params.end(), isIt);
      Var *same = after[i].expr && after[i].expr->kind == ExprKind::VarRef ? after[i].expr->var : nullptr;
      if (param == fn_->params.end() || same == param->var) continue;
      const Type type = param->var->type;
      bool fits = type.kind == TypeKind::Tensor && after[i].isArray() && after[i].type.shape.size() == type.shape.size();
      for (size_t a = 0; fits && a < type.shape.size(); ++a) fits = sameDim(after[i].type.shape[a], type.shape[a], span, "");
      if (!fits) {
        report(Id::wrongResult, span, fn_->name, describe(after[i]), "`" + type.str() + "` in `" + param->var->name + "`")
            .label("a state keeps its shape; its numbers are the caller's: only its tensors change");
        return false;
      }
      ExprPtr e = leave(after[i], type, span, "`" + param->var->name + "`", false);
      if (!e) return false;
      param->mode = ParamMode::InOut;
      fn_->results.push_back({param->var->name, type, static_cast<int>(param - fn_->params.begin())});
      out.push_back(std::move(e));
    }
  }
  return true;
}

/// Branches must leave a state object alike: both move it on, or neither.
void Checker::statesDiffer(const std::string &name, const Value &old, const Value &a, const Value &b, Span span) {
  if (a.isPoison() || b.isPoison()) return;
  if (old.kind != ValueKind::State || (a.handle == old.handle) == (b.handle == old.handle)) return;
  const SpentValues::const_iterator spent = spent_.find(old.handle);
  Span place = spent == spent_.end() ? span : spent->second.span;
  if (!fresh(Id::statesDiffer, place)) return;
  report(Id::statesDiffer, place, name)
      .label("on the other way `" + name + "` stays as it was")
      .note(span, "this decides")
      .help("move it on before the condition, or on both ways");
}

}  // namespace tessera::sema
