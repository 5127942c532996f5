// State objects: a value that moves on. Each update uses the old state up and makes a new one; a parameter that holds
// a state object holds the last one when the function ends.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Effects.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

bool isStateType(const Value &named) {
  return named.kind == ValueKind::Builtin && named.builtin->kind == BuiltinKind::State;
}

Value stateValue(Context &cx, const Type &type, const std::string &root, Span span) {
  Value v = Value::of(ValueKind::State);
  v.type = type;
  v.type.kind = TypeKind::State;
  v.text = root;
  v.handle = newHandle(cx);
  ExprPtr e = makeExpr(ExprKind::Opaque, v.type, span);
  e->as<node::Opaque>().name = "state";
  e->nameHint = root;
  v.expr = std::shared_ptr<Expr>(e.release());
  return v;
}

bool droppedState(Context &cx, const Value &value, const ast::Expr &expr) {
  if (value.kind != ValueKind::State || expr.kind != ast::ExprKind::Call) return false;
  for (const auto &[before, after] : cx.successors)  // what follows is about the state that was meant to be kept
    for (Frame *frame = after == value.handle ? cx.function.frame.get() : nullptr; frame; frame = frame->parent.get())
      for (auto &[name, binding] : frame->names) {
        if (binding.value.kind != ValueKind::State || binding.value.handle != before) continue;
        std::string root = binding.value.text;
        binding.value = value;
        binding.value.text = root;
      }
  if (!fresh(cx, Id::stateDropped, expr.span)) return true;
  auto builder = report(cx, Id::stateDropped, expr.span);
  builder.label("the state behind it is lost, and the old one is used up");
  auto *callee = as<ast::AttributeExpr>(static_cast<const ast::CallExpr &>(expr).callee);
  if (callee && as<ast::NameExpr>(callee->object)) {
    std::string name = as<ast::NameExpr>(callee->object)->name;
    builder.fix({expr.span.file, expr.span.begin, expr.span.begin}, name + " = ", "keep it in `" + name + "`");
  }
  return true;
}

bool capturedState(Context &cx, const Value &value, const std::string &name, Span span) {
  if (!value.isState()) return false;
  if (fresh(cx, Id::stateCaptured, span))
    report(cx, Id::stateCaptured, span, name).label("it belongs to the function around").help("take it as a parameter");
  return true;
}

std::vector<PassedState> enterStates(Context &cx) {
  std::vector<PassedState> passed;
  for (auto &[name, binding] : cx.function.frame->names) {
    if (!binding.value.isState()) continue;
    passed.push_back({name, binding.value.text, binding.value.handle});
    binding.value.text = name;
  }
  return passed;
}

void leaveStates(Context &cx, const std::vector<PassedState> &passed, Frame &callee, const std::string &name,
                 Value &result, Span span) {
  Effects effects;
  for (Effect effect : callee.effects.all()) {
    if (effect.kind == EffectKind::State)
      for (const PassedState &state : passed)
        if (state.parameter == effect.of) effect.of = state.root;
    if (effect.kind != EffectKind::State || !effect.of.empty()) effects.add(std::move(effect));
  }
  takeOverEffects(cx, effects, name, true, span);
  for (const PassedState &state : passed) {
    const Value &last = callee.names[state.parameter].value;
    auto returns = [&](const Value &value) { return value.isState() && value.handle == last.handle; };
    const bool given = returns(result) || std::any_of(result.items.begin(), result.items.end(), returns);
    if (last.isState() && last.handle != state.handle) leaveState(cx, state.handle, last, name, span, given);
    if (result.isState() && result.text == state.parameter) result.text = state.root;
    for (Value &item : result.items)
      if (item.isState() && item.text == state.parameter) item.text = state.root;
  }
}

bool leaveState(Context &cx, int before, const Value &after, const std::string &callee, Span span, bool returned) {
  std::vector<std::string> structs;
  bool named = false;
  for (Frame *frame = cx.function.frame.get(); frame; frame = frame->parent.get())
    for (auto &[name, binding] : frame->names) {
      if (!binding.value.isState() || binding.value.handle != before) continue;
      named = true;
      if (binding.value.kind == ValueKind::Struct || binding.parts) {
        if (frame == cx.function.frame.get()) structs.push_back(name);
        continue;
      }
      std::string root = binding.value.text;
      binding.value = after;
      binding.value.text = root;
    }
  for (const std::string &name : structs) {
    Value now = after;
    now.text = cx.function.frame->names[name].value.text;
    assignName(cx, name, std::move(now), span);
  }
  if (named || returned) return true;
  if (fresh(cx, Id::stateDropped, span))
    report(cx, Id::stateDropped, span)
        .label("`" + callee + "` moves this state on, and it has no name")
        .help("give it a name first: the name stands for the new state behind the call");
  return false;
}

void assignPart(Context &cx, const ast::Expr &place, Value value, Span span) {
  if (auto *name = as<ast::NameExpr>(&place)) {
    auto row = rowPlace(cx, name->name, place.span);
    return row ? assignPart(cx, *row->stack, std::move(value), span) : assignName(cx, name->name, std::move(value), place.span);
  }
  if (auto *row = as<ast::SubscriptExpr>(&place)) return assignPart(cx, *row->object, std::move(value), span);
  auto &field = static_cast<const ast::AttributeExpr &>(place);
  std::vector<StackRow> rows;  // the value is that of all of them
  Value object = placeOf(cx, *field.object, rows);
  if (object.isPoison() || value.isPoison()) return;
  if (object.isState() && !object.text.empty())
    noteEffect(cx, {EffectKind::State, object.text, false, false, {{span, "a part of it gets a new value here"}}});
  GivenList given;
  given.push_back({"", std::move(object), field.object->span, field.object->span, nullptr});
  given.push_back({field.attribute.text, std::move(value), span, field.attribute.span, nullptr});
  Value made = replaceFields(cx, std::move(given), span);
  if (made.isPoison() && as<ast::NameExpr>(field.object)) return assignName(cx, static_cast<const ast::NameExpr &>(*field.object).name, std::move(made), field.object->span);  // what follows is no mistake of its own
  if (!made.isPoison()) assignPart(cx, *field.object, std::move(made), span);
}

bool isPartOfState(Context &cx, const ast::Expr &place) {
  if (auto *index = as<ast::SubscriptExpr>(&place); index && isPartOfState(cx, *index->object)) {
    std::vector<StackRow> rows;
    return placeOf(cx, *index->object, rows).isStack();
  }
  auto *field = as<ast::AttributeExpr>(&place);
  if (!field) return false;
  auto *name = as<ast::NameExpr>(field->object);
  if (!name) return isPartOfState(cx, *field->object);
  if (rowPlace(cx, name->name, name->span)) return true;
  auto bound = cx.function.frame->names.find(name->name);
  return bound != cx.function.frame->names.end() && bound->second.value.kind == ValueKind::Struct &&
         bound->second.value.isState();
}

bool stateResults(Context &cx, std::vector<ExprPtr> &out, Span span) {
  if (!cx.function.fn->later.empty()) return true;
  for (const auto &[name, given] : cx.function.frame->states) {
    Value now = readBinding(cx, name, cx.function.frame->names[name], span);
    int last = now.handle;
    while (cx.successors.count(last)) last = cx.successors[last];
    for (const auto &[other, binding] : cx.function.frame->names)  // it may have moved on under another name
      if (last != now.handle && binding.value.handle == last && binding.isBound()) {
        now = readBinding(cx, other, binding, span);
        break;
      }
    if (now.isPoison() || isUsedUp(cx, now, span)) return false;
    if (now.kind == ValueKind::State && !now.items.empty())
      cx.function.frame->function->counts[name] = now.items.back().sym;
    std::vector<Value> before, after;
    std::vector<Span> places;
    argumentParts(given, span, before, places);
    argumentParts(now, span, after, places);
    for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
      auto isIt = [&](const Param &param) {
        return before[i].expr && before[i].expr->kind == ExprKind::VarRef && param.var == before[i].expr->as<node::VarRef>().var;
      };
      auto param = std::find_if(cx.function.fn->params.begin(), cx.function.fn->params.end(), isIt);
      Var *same = after[i].expr ? varOf(*after[i].expr) : nullptr;
      if (param == cx.function.fn->params.end() || same == param->var) continue;
      const Type type = param->var->type;
      bool fits =
          type.kind == TypeKind::Tensor && after[i].isArray() && after[i].type.shape.size() == type.shape.size();
      for (size_t a = 0; fits && a < type.shape.size(); ++a)
        fits = sameDim(cx, after[i].type.shape[a], type.shape[a], span, "");
      if (!fits) {
        report(cx, Id::wrongResult, span, cx.function.fn->name, describe(cx, after[i]),
               "`" + type.str() + "` in `" + param->var->name + "`")
            .label("a state keeps its shape; its numbers are the caller's: only its tensors change")
            .help(type.kind == TypeKind::Tensor ? "what is stored has the shape that is declared"
                                                : "a number that changes is a tensor of one in the state, `n: Tensor[1, i32]`, and is stored as `cache.n[0] = ...`");
        return false;
      }
      ExprPtr e = castToPlace(cx, after[i], type, span, "`" + param->var->name + "`", false);
      if (!e) return false;
      param->mode = ParamMode::InOut;
      cx.function.fn->results.push_back(
          {param->var->name, type, static_cast<int>(param - cx.function.fn->params.begin())});
      out.push_back(std::move(e));
    }
  }
  return true;
}

void statesDiffer(Context &cx, const std::string &name, const Value &old, const Value &a, const Value &b, Span span) {
  if (a.isPoison() || b.isPoison()) return;
  if (old.kind != ValueKind::State || (a.handle == old.handle) == (b.handle == old.handle)) return;
  const SpentValues::const_iterator spent = cx.spent.find(old.handle);
  Span place = spent == cx.spent.end() ? span : spent->second.span;
  if (!fresh(cx, Id::statesDiffer, place)) return;
  report(cx, Id::statesDiffer, place, name)
      .label("on the other way `" + name + "` stays as it was")
      .note(span, "this decides")
      .help("move it on before the condition, or on both ways");
}

}  // namespace tessera::sema
