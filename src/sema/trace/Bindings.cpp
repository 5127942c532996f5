// Names of a function: what they are bound to, and the variables that run-time control flow rebinds.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/effects/Draws.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "support/Check.h"
#include <algorithm>
#include <functional>

namespace tessera::sema {

namespace {
/// Behind the number of `name = 0`, where `name` begins at `bound`; nothing if something else is assigned.
Span wholeNumberEnd(const Sources &sources, Span bound) {
  const std::string &text = sources.file(bound.file).text;
  size_t at = text.find_first_of("=\n", bound.begin);
  if (at == std::string::npos || text[at] != '=') return {};
  size_t first = text.find_first_not_of(' ', at + 1);
  size_t end = first == std::string::npos ? first : text.find_first_not_of("0123456789", first);
  if (end == std::string::npos || end == first || (text[end] != '\n' && text[end] != ' ')) return {};
  size_t next = text.find_first_not_of(' ', end);
  if (next != std::string::npos && text[next] != '\n' && text[next] != '#') return {};
  uint32_t place = static_cast<uint32_t>(end);
  return {bound.file, place, place};
}

/// Whether a value, or a part of it, reads a variable of which this is true.
bool reads(const Value &value, const std::function<bool(Var *)> &which) {
  bool found =
      std::any_of(value.items.begin(), value.items.end(), [&](const Value &item) { return reads(item, which); });
  if (value.expr) visitExprs(value.expr.get(), [&](Expr &e) { found |= e.kind == ExprKind::VarRef && which(e.as<node::VarRef>().var); });
  return found;
}

/// Whether a value is made of parts that run-time control flow may rebind one by one.
bool hasParts(const Value &value) {
  return (value.kind == ValueKind::Struct || value.kind == ValueKind::State || value.kind == ValueKind::Dict || value.isSequence()) &&
         !value.items.empty();
}

/// What a part is called: `m` of a struct, the number of an item.
std::string partName(const Value &value, size_t i) {
  if (value.kind == ValueKind::Dict) {
    const Value &key = value.items[i - i % 2];
    return key.kind == ValueKind::String ? key.text : std::to_string(i / 2);
  }
  if (value.kind == ValueKind::State) return i == 0 ? "k" : i == 1 ? "v" : "length";
  return value.kind == ValueKind::Struct ? value.instance->info->fields[i].name : std::to_string(i);
}
/// Where a part stands: `s.m`, `pair[1]`.
std::string partPath(const Value &value, const std::string &path, size_t i) {
  return value.isSequence() || value.kind == ValueKind::Dict ? path + "[" + partName(value, i) + "]" : path + "." + partName(value, i);
}

/// The first part of `now` that is none of what stands there in `old`, by its path; nothing if they are alike.
std::optional<std::string> otherPart(const Value &old, const Value &now, const std::string &path) {
  bool parts = hasParts(old) || hasParts(now);
  bool alike = old.kind == now.kind && old.items.size() == now.items.size() &&
               (old.kind != ValueKind::Struct || (old.instance->info == now.instance->info &&
                                                  old.instance->stack.size() == now.instance->stack.size()));
  if (!parts) return std::nullopt;
  if (!alike) return path;
  for (size_t i = 0; i < old.items.size(); ++i) {
    if (auto found = otherPart(old.items[i], now.items[i], partPath(old, path, i))) return found;
  }
  return std::nullopt;
}
}  // namespace

Value snapshot(Context &cx, Value value, const std::string &name, Span span) {
  for (Value &item : value.items) item = snapshot(cx, std::move(item), name, span);
  bool runTime = value.expr && (value.kind == ValueKind::Array || value.kind == ValueKind::Int ||
                                value.kind == ValueKind::HostTensor || value.kind == ValueKind::String);
  if (!runTime || !cx.function.block || value.handle) return value;
  bool changes = reads(value, [&](Var *var) { return cx.function.rebindable.count(var) != 0; });
  return changes || (value.kind == ValueKind::Int && mentionsRebound(cx, value.sym)) ? bindTemp(cx, value, name, span)
                                                                                     : value;
}

Value asVariable(Context &cx, const Value &value, const std::string &name, Span span) {
  Value v = value;
  v.text.clear();
  if (v.kind == ValueKind::String && !v.expr) {
    ExprPtr e = textExpr(value.text, span);
    v.type = e->type;
    v.expr = std::shared_ptr<Expr>(e.release());
  } else if (v.kind == ValueKind::Float || v.kind == ValueKind::Bool) {
    DType dtype = v.kind == ValueKind::Float ? (inHost(cx) ? DType::F64 : DType::F32) : DType::Bool;
    Value array = Value::of(ValueKind::Array);
    array.type = scalarType(dtype);
    array.expr = std::shared_ptr<Expr>(inCarryType(cx, v, dtype, span).release());
    v = std::move(array);
  } else if (v.kind == ValueKind::Array) {
    DType in = carryTypeOf(v.type);
    ExprPtr e = inCarryType(cx, v, in, span);
    v.expr = std::shared_ptr<Expr>(e.release());
  }
  return bindTemp(cx, v, name, span);
}

Value asStored(Context &cx, Value value, const std::string &name, Span span) {
  for (size_t i = 0; i < value.items.size(); ++i) value.items[i] = asStored(cx, std::move(value.items[i]), name, span);
  if (!value.isArray() || value.expr->type.dtype == value.type.dtype) return value;
  ExprPtr e = asDType(cx, value, value.type.dtype, value.type.numerics, span);
  value.expr = std::shared_ptr<Expr>(e.release());
  return bindTemp(cx, value, name, span);
}

/// A tensor of host code that a loop or a condition rebinds keeps the written extents that all its values have.
static void keepExtents(Context &cx, const Var *var, const Value &value) {
  if (value.kind == ValueKind::HostTensor && value.rank > 0) cx.function.keptExtents[var] = value.madeAs;
}
static void meetExtents(Context &cx, const Var *var, const Value &value) {
  auto kept = cx.function.keptExtents.find(var);
  if (kept == cx.function.keptExtents.end() || value.kind != ValueKind::HostTensor) return;
  if (value.madeAs.size() != kept->second.size()) return void(cx.function.keptExtents.erase(kept));
  for (size_t axis = 0; axis < value.madeAs.size(); ++axis)
    if (!(value.madeAs[axis] == kept->second[axis])) kept->second[axis] = Dim::var(kAnyExtent);
}

static void rebindVar(Context &cx, const std::string &name, Binding &binding, Value value, Span span) {
  const Value &old = binding.value;
  // `loss = 0.0` in front of a loop that says `loss = mean(e * e)`
  if (inHost(cx) && value.kind == ValueKind::HostTensor && value.rank == 0 && value.madeOf && (old.isScalar() || old.kind == ValueKind::Int)) {
    value = hostScalar(cx, value, span);
    if (value.isPoison()) return;
  }
  if ((inHost(cx) || inKernel(cx)) && old.kind == ValueKind::Int && value.isScalar() && isInt(value.type.dtype) && value.type.dtype != DType::Bool) value = convertInt(cx, value, span);  // `at = next[at]`
  // `best = sum(x)`, and a loop that says `best = min(best, 0.5)`: the number takes the dtype, as numbers do beside tensors
  const bool number = value.kind == ValueKind::Float || value.kind == ValueKind::Int || value.kind == ValueKind::Bool || value.isScalar();
  if (inHost(cx) && old.kind == ValueKind::HostTensor && old.rank == 0 && old.madeOf && number && (isFloat(*old.madeOf) || value.kind == ValueKind::Int || isInt(value.type.dtype))) {
    value = hostFull(cx, Value::tuple({}), span, value, scalarType(*old.madeOf), span);
    if (value.isPoison()) return;
  }
  Var *var = binding.var;
  bool sameKind = old.kind == value.kind ||
                  (old.kind == ValueKind::Array &&
                   (value.kind == ValueKind::Float || value.kind == ValueKind::Int || value.kind == ValueKind::Bool));
  bool sameShape = true;
  if (sameKind && old.kind == ValueKind::Array) {
    sameShape = old.type.shape.size() == value.type.shape.size() && old.isArray() == value.isArray();
    for (size_t i = 0; sameShape && i < old.type.shape.size(); ++i)
      sameShape = sameDim(cx, old.type.shape[i], value.type.shape[i], span, "");
    if (value.kind == ValueKind::Float) sameKind = isFloat(old.type.dtype);
    if (value.kind == ValueKind::Bool) sameKind = old.type.dtype == DType::Bool;
    if (value.kind == ValueKind::Array && value.type.dtype != old.type.dtype)
      sameKind = !narrows(value.type, old.type.dtype);
  }
  // `value, w = step(w, x)` of results in the other order: a number that is declared as one where a tensor was
  const bool isNumber = inHost(cx) && sameKind && old.kind == ValueKind::HostTensor && old.rank > 0 && old.text.empty() && value.rank == 0 && value.madeOf && value.madeAs.empty() &&
                        (value.text.empty() || value.text == kElement);
  if (isNumber) sameShape = false;
  if (!sameKind || !sameShape) {
    if (fresh(cx, Id::redefinedType, span)) {
      auto builder = report(cx, Id::redefinedType, span, name, isNumber ? "a tensor of " + diag::counted(static_cast<size_t>(old.rank), "dimension") : describe(cx, old),
                            isNumber ? std::string("one number") : describe(cx, value));
      builder.note(binding.span, "it is bound here")
          .help("a name keeps one type while loops and conditions rebind it; use another name, or convert "
                "the value");
      Span end = wholeNumberEnd(cx.sources, binding.span);
      if (old.kind == ValueKind::Int && value.isScalar() && isFloat(value.type.dtype) && end.valid())
        builder.suggest(end, ".0", "start with a float");
    }
    binding.value = Value::poison();  // which of the two was meant is not known
    binding.var = nullptr;
    return;
  }
  meetExtents(cx, var, withKeptExtents(cx, value));
  meetDTypes(cx, var, old, value);
  Stmt &stmt = emit(cx, StmtKind::Assign, span);
  stmt.var = var;
  var->reassigned = true;
  Value copy = value;
  if (old.kind == ValueKind::Int) stmt.value = indexExpr(cx, value, span);
  else if (old.kind == ValueKind::Array)
    stmt.value = asDType(cx, std::move(value), var->type.dtype, old.type.numerics, span);
  else stmt.value = value.kind == ValueKind::String && !value.expr ? textExpr(value.text, span) : takeExpr(value);
  var->varying |= isVarying(*stmt.value) || cx.function.varyingDepth > 0;
  Value &state = cx.function.varValues[var];
  state.limits.resize(old.type.shape.size());
  for (size_t axis = 0; axis < old.type.shape.size(); ++axis) {
    const Limit *now = copy.limit(axis);
    if (!now) continue;
    // A limit made of something that lives only inside the loop says nothing about what was carried here.
    std::set<std::string> vars;
    now->end.collectVars(vars);
    bool local = false;
    size_t mark = SIZE_MAX;
    for (size_t m : cx.function.loopMarks)
      if (m > var->id) mark = std::min(mark, m);
    for (const std::string &v : vars) {
      auto it = cx.function.symVars.find(v);
      if (it != cx.function.symVars.end()) local |= it->second->id >= mark;
    }
    if (local) continue;
    auto &have = state.limits[axis];
    if (!have) have = Limit{now->end, false};
    else if (!(cx.function.facts.simplify(have->end) == cx.function.facts.simplify(now->end)))
      have->end = Dim::min(have->end, now->end);
    have->zeroOutside = false;
  }
}

/// What the compiler alone has: the keys of a dict, and how many places of a cache are filled, which is a dimension outside of host code.
static bool isCounted(const Context &cx, const Value &value, size_t part) {
  if (value.kind == ValueKind::Dict) return part % 2 == 0;
  return value.kind == ValueKind::State && part == 2 && !inHost(cx);
}

/// The parts of a struct or tuple that run-time control flow rebinds, each in a variable of its own.
static Value inVariables(Context &cx, Value value, const std::string &name, Span span, bool ofState = false) {
  ofState |= value.isState();
  if (hasParts(value)) {
    for (size_t i = 0; i < value.items.size(); ++i)
      if (!isCounted(cx, value, i))
        value.items[i] = inVariables(cx, std::move(value.items[i]), name + "_" + partName(value, i), span, ofState);
    return value;
  }
  bool number = value.kind == ValueKind::Int || value.kind == ValueKind::Float || value.kind == ValueKind::Bool;
  bool tensor = value.expr && (value.kind == ValueKind::Array || value.kind == ValueKind::HostTensor);
  if (!number && !tensor) return value;
  bool isStored = ofState && value.isArray();
  Value made = isStored ? bindTemp(cx, value, name, span) : asVariable(cx, value, name, span);
  if (value.kind == ValueKind::Int) cx.function.facts.undefine(symName(made.expr->as<node::VarRef>().var));
  keepExtents(cx, made.expr->as<node::VarRef>().var, value);
  cx.function.rebindable.insert(made.expr->as<node::VarRef>().var);
  return made;
}

/// A struct or tuple gets the parts of another. All parts as if at once: what is written was read before.
static void rebindParts(Context &cx, const std::string &name, Value &old, Value value, Span span, Span bound) {
  auto var = [](const Value &part) {
    return part.expr ? varOf(*part.expr) : nullptr;
  };
  std::vector<bool> stays;
  for (size_t i = 0; i < old.items.size(); ++i)
    stays.push_back(old.isState() && var(old.items[i]) && var(old.items[i]) == var(value.items[i]));
  value = snapshot(cx, std::move(value), name, span);
  old.handle = value.handle;
  for (size_t i = 0; i < old.items.size(); ++i) {
    Value &part = old.items[i];
    if (stays[i]) continue;
    if (isCounted(cx, old, i)) {
      part = std::move(value.items[i]);
      continue;
    }
    std::string path = partPath(old, name, i);
    if (hasParts(part)) {
      rebindParts(cx, path, part, std::move(value.items[i]), span, bound);
      continue;
    }
    Var *var = part.expr ? varOf(*part.expr) : nullptr;
    if (var && cx.function.rebindable.count(var)) {
      Binding binding;
      binding.value = part;
      binding.var = var;
      binding.span = bound;
      rebindVar(cx, path, binding, std::move(value.items[i]), span);
    } else if (part.kind != value.items[i].kind || part.kind != ValueKind::None) {
      if (fresh(cx, Id::redefinedType, span))
        report(cx, Id::redefinedType, span, path, describe(cx, part), describe(cx, value.items[i]))
            .note(bound, "it is bound here")
            .help("what only the compiler knows cannot change while the program runs");
    }
  }
}

Value partsNow(Context &cx, Value value, Span span) {
  for (Value &item : value.items) item = partsNow(cx, std::move(item), span);
  Var *var = !hasParts(value) && value.expr ? varOf(*value.expr) : nullptr;
  auto held = var && cx.function.rebindable.count(var) ? cx.function.varValues.find(var) : cx.function.varValues.end();
  return held == cx.function.varValues.end() ? value : valueOfVar(var, held->second, span);
}

/// `B, T, _ = x.shape` where the signature calls them B and T already: they are.
static bool isThatDimension(const Context &cx, const std::string &name, const Value &value) {
  auto dim = cx.function.frame->dims.find(name);
  return dim != cx.function.frame->dims.end() && value.kind == ValueKind::Int && !value.expr && !cx.function.frame->names.count(name) &&
         cx.function.facts.truth(shape::Formula(value.sym, Relation::Eq, dim->second)).value_or(false);
}

void assignName(Context &cx, const std::string &name, Value value, Span span) {
  TSR_CHECK(!value.isPoison() || cx.failures > 0 || cx.diagnostics.hasErrors(), "a mistake without a message");
  bool other = value.kind != ValueKind::DType && !value.isPoison();
  if (other && reservedName(cx, name, value, span))
    value = Value::poison();  // what uses it says nothing about dtypes
  if (isThatDimension(cx, name, value) || dimensionAssigned(cx, name, span)) return;
  auto it = cx.function.frame->names.find(name);
  bool bound = it != cx.function.frame->names.end() && it->second.isBound() && !it->second.value.isPoison();
  if (bound && !value.isPoison()) {
    Binding &old = it->second;
    if (isHeldDict(old.value) && value.kind == ValueKind::Dict)
      if (auto held = asHeldDict(cx, value, span)) value = std::move(*held);
    if (old.block != cx.blockId && cx.function.conditionDepth > cx.function.frame->conditionDepth) {
      if (old.var && inHost(cx) && old.value.kind == ValueKind::HostTensor && (old.value.text == kHeldList || isHeldRows(old.value))) value = asHeldLike(cx, old, std::move(value), span);
      if (value.isPoison()) return;
      if (old.var && !old.borrowed && cx.function.rebindable.count(old.var))
        return rebindVar(cx, name, old, std::move(value), span);
      if (old.parts && !otherPart(old.value, value, name))
        return rebindParts(cx, name, old.value, std::move(value), span, old.span);
      if (old.value.kind == ValueKind::Rng && value.kind == ValueKind::Rng) {
        Stmt &renew = emit(cx, StmtKind::Assign, span);
        renew.var = old.value.expr->as<node::VarRef>().var;
        renew.var->reassigned = true;
        renew.value = clone(*value.expr);
        renew.var->varying |= isVarying(*renew.value) || cx.function.varyingDepth > 0;
        old.value.handle = value.handle;
        old.span = span;
        return;
      }
      if (old.value.handle && old.value.kind == value.kind) {  // no variable: only the checker has it
        old.value = std::move(value);
        old.span = span;
        return;
      }
      if (fresh(cx, Id::redefinedType, span))
        report(cx, Id::redefinedType, span, name, describe(cx, old.value), describe(cx, value))
            .help(old.value.kind == ValueKind::View ? "a kernel stores into elements of a tensor, by their indices: `" + name + "[i] = ...`"
                                                    : "what only the compiler knows cannot change while the program runs");
      return;
    }
    auto scalarLike = [](const Value &v) {
      return v.kind == ValueKind::Int || v.kind == ValueKind::Float || v.kind == ValueKind::Bool;
    };
    bool differs = old.value.kind != value.kind && !(scalarLike(old.value) && scalarLike(value)) &&
                   old.value.kind != ValueKind::None && !(scalarLike(old.value) && value.isScalar()) &&
                   !(scalarLike(old.value) && value.kind == ValueKind::HostTensor && value.rank == 0 && value.madeOf);  // `total += sum(x * x)`
    if (old.value.kind == ValueKind::Array && value.kind == ValueKind::Array)
      differs = old.value.type.dtype != value.type.dtype || old.value.isArray() != value.isArray();
    if (old.value.kind == ValueKind::Array && (scalarLike(value))) differs = old.value.isArray();
    if (old.value.kind == ValueKind::View && value.kind == ValueKind::Array) differs = false;
    if (differs) {
      if (fresh(cx, Id::redefinedType, span))
        report(cx, Id::redefinedType, span, name, describe(cx, old.value), describe(cx, value))
            .note(old.span, "it is bound here")
            .help("a name keeps one type; use another name for the new value");
      old.value = Value::poison();  // which of the two was meant is not known
      old.var = nullptr;
      return;
    }
  }
  Binding binding;
  binding.block = cx.blockId;
  binding.span = span;
  bool runTime = value.expr && (value.kind == ValueKind::Array || value.kind == ValueKind::Int ||
                                value.kind == ValueKind::HostTensor || value.kind == ValueKind::String);
  if (runTime) {
    if (!cx.function.block) {
      unsupported(cx, "a value that only run time knows, at module level", span);
      return;
    }
    Var *temp = varOf(*value.expr);
    auto known = temp ? cx.function.temps.find(temp) : cx.function.temps.end();
    if (known != cx.function.temps.end() && known->second == cx.blockId) {  // made for this: it gets the user's name
      temp->name = name;
      temp->span = span;
      cx.function.temps.erase(known);
      binding.var = temp;
      binding.value = std::move(value);
    } else {
      binding.value = bindTemp(cx, value, name, span, &binding.var);
    }
  } else {
    if (value.isSequence() || value.kind == ValueKind::Dict)
      for (Value &item : value.items)
        if (item.expr && cx.function.block) {
          item = reusable(cx, std::move(item), name, span);
          if (item.expr->kind == ExprKind::VarRef) cx.function.temps.erase(item.expr->as<node::VarRef>().var);  // the tuple keeps it
        }
    if (value.kind == ValueKind::Shared && value.var->name.empty()) value.var->name = name;
    if (value.kind == ValueKind::Rng && cx.function.temps.erase(value.expr->as<node::VarRef>().var)) value.expr->as<node::VarRef>().var->name = name;
    binding.value = snapshot(cx, std::move(value), name, span);
  }
  cx.function.frame->names[name] = std::move(binding);
}

void prepareRebinding(Context &cx, std::set<std::string> names, Span span) {
  for (const auto &[name, binding] : cx.function.frame->names)  // a function that is called may move it on
    if (binding.value.isState()) names.insert(name);
  for (const std::string &name : names) {
    auto it = cx.function.frame->names.find(name);
    if (it == cx.function.frame->names.end() || !it->second.isBound()) continue;
    if (rowPlace(cx, name, span)) continue;  // what changes is the state
    Binding &binding = it->second;
    Value &value = binding.value;
    if (value.kind == ValueKind::Rng &&
        !cx.function.rebindable.count(value.expr->as<node::VarRef>().var)) {  // its key, in a variable of this name
      Var *var = newVar(cx, name, keyType(), span);
      Stmt &let = emit(cx, StmtKind::Let, span);
      let.var = var;
      let.value = clone(*value.expr);
      var->varying = isVarying(*let.value) || cx.function.varyingDepth > 0;
      value.expr = std::shared_ptr<Expr>(makeRef(var, span).release());
      cx.function.rebindable.insert(var);
      continue;
    }
    if (hasParts(value) && !binding.parts) {
      Value now = readBinding(cx, name, binding, span);
      if (!now.isPoison()) binding.value = inVariables(cx, std::move(now), name, span);
      binding.parts = true;
      continue;
    }
    bool number = value.kind == ValueKind::Int || value.kind == ValueKind::Float || value.kind == ValueKind::Bool ||
                  (value.kind == ValueKind::String && inHost(cx));
    bool runTime = value.expr && (number || value.kind == ValueKind::Array || value.kind == ValueKind::HostTensor);
    if (!number && !runTime) continue;
    if (binding.var && !binding.borrowed && cx.function.rebindable.count(binding.var)) continue;
    bool isParam = false;
    for (const Param &p : cx.function.fn->params) isParam |= p.var == binding.var;
    bool copy = !binding.var || binding.borrowed || isParam ||
                (value.kind == ValueKind::Array && value.expr && carryTypeOf(value.type) != binding.var->type.dtype);
    copy =
        copy || std::any_of(cx.function.frame->names.begin(), cx.function.frame->names.end(), [&](const auto &other) {
          const Value &kept = other.second.value;  // a tuple may hold what it was
          return !kept.items.empty() && reads(kept, [&](Var *var) { return var == binding.var; });
        });
    if (!copy && value.kind == ValueKind::Int)  // somebody may remember what it was
      for (const auto &[var, held] : cx.function.varValues)
        for (const auto &limit : held.limits) {
          std::set<std::string> vars;
          if (limit) limit->end.collectVars(vars);
          copy |= vars.count(symName(binding.var)) != 0;
        }
    if (copy) {
      Value now = readBinding(cx, name, binding, span);
      if (isHostElement(now)) now = hostScalar(cx, now, span);  // `s = b[0]` in front of a loop that changes the number
      if (now.isPoison()) continue;
      Value made = asVariable(cx, now, name, span);
      TSR_CHECK(made.expr && made.expr->kind == ExprKind::VarRef, "a variable was expected");
      binding.var = made.expr->as<node::VarRef>().var;
      binding.value = made;
      binding.borrowed = false;
    }
    if (value.kind == ValueKind::Int) cx.function.facts.undefine(symName(binding.var));
    keepExtents(cx, binding.var, binding.value);
    cx.function.rebindable.insert(binding.var);
  }
}

}  // namespace tessera::sema
