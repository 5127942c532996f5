// State objects: a value that moves on. Each update uses the old state up and makes a new one; a parameter that holds
// a state object holds the last one when the function ends.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

/// What stands in front of the brackets: `KVCache`.
bool Checker::isStateType(const Value &named) {
  return named.kind == ValueKind::Builtin && named.builtin->kind == BuiltinKind::State;
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

/// All names of the caller for the state `before` stand for `after` from now on. False, with a message, if it has none.
bool Checker::leaveState(int before, const Value &after, const std::string &callee, Span span) {
  std::vector<std::string> structs;
  bool named = false;
  for (Frame *frame = frame_.get(); frame; frame = frame->parent.get())
    for (auto &[name, binding] : frame->names) {
      if (!binding.value.isState() || binding.value.handle != before) continue;
      named = true;
      if (binding.value.kind == ValueKind::Struct || binding.parts) {
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
      if (last != now.handle && binding.value.handle == last && binding.isBound()) {
        now = readBinding(other, binding, span);
        break;
      }
    if (now.isPoison() || isSpent(now, span)) return false;
    if (now.kind == ValueKind::State && !now.items.empty()) frame_->function->counts[name] = now.items.back().sym;
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
