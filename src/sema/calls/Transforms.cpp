// Functions made of functions: `vmap`, which calls one for each index of an axis, and `checkpoint`, of which a derivative keeps the
// arguments alone.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

namespace {
/// What messages and the program call a value that can be called.
std::string nameOf(const Value &f) {
  if (f.kind == ValueKind::Struct) return f.instance->info->name;
  if (f.callable) return f.callable->name.empty() ? "lambda" : f.callable->name;
  if (f.builtin) return std::string(f.builtin->name);
  return f.items.empty() || f.kind == ValueKind::Overloads ? f.text : nameOf(f.items[0]);
}
Span placeOf(const Value &f, Span otherwise) {
  if (f.callable) return f.callable->nameSpan;
  return f.items.empty() || f.kind == ValueKind::Overloads ? otherwise : placeOf(f.items[0], otherwise);
}
/// What a parameter of the function that takes this argument is called.
std::string parameterName(const Value &f, const Given &arg, size_t i) {
  if (!arg.keyword.empty()) return arg.keyword;
  if (f.kind == ValueKind::Transform) return parameterName(f.items[0], arg, i);
  bool known = f.callable && i < parametersOf(*f.callable).size();
  return known ? parametersOf(*f.callable)[i].name.text : "x" + std::to_string(i);
}
bool isAxis(const Value &v) { return v.kind == ValueKind::None || v.isKnownInt(); }

/// An axis of `in_axes` or `out_axes`: a number, `None` where it may be, or a tuple of them. False after a message.
bool isAxes(Context &cx, const Given &given, bool mayBeNone) {
  auto fits = [&](const Value &v) { return isAxis(v) && (mayBeNone || v.kind != ValueKind::None); };
  const Value &v = given.value;
  if (fits(v) || (v.isSequence() && !v.items.empty() && std::all_of(v.items.begin(), v.items.end(), fits))) return true;
  if (v.isPoison()) return false;
  std::string wanted = mayBeNone ? "an axis or `None`, or a tuple with one for each argument" : "an axis, or a tuple with one for each result";
  if (!mayBeNone && v.kind == ValueKind::None) wanted += ", as each result has the mapped axis";
  report(cx, Id::wrongArgument, given.span, quoted(given.keyword.empty() ? (mayBeNone ? "in_axes" : "out_axes") : given.keyword), wanted, describe(cx, v));
  return false;
}
}  // namespace

Value makeTransform(Context &cx, const BuiltinRow &row, GivenList args, Span span) {
  const std::string shown(row.name);
  const bool maps = row.kind == BuiltinKind::Vmap;
  const Given *function = nullptr, *in = nullptr, *out = nullptr;
  for (size_t i = 0; i < args.size(); ++i) {
    const Given &arg = args[i];
    if (arg.value.isPoison()) return Value::poison();
    if (!maps && !arg.keyword.empty() && arg.keyword != "f") continue;  // what a checkpoint keeps
    const Given **place = arg.keyword.empty() ? (i == 0 ? &function : maps && i == 1 ? &in : maps && i == 2 ? &out : nullptr)
                          : arg.keyword == "f" ? &function
                          : maps && arg.keyword == "in_axes" ? &in
                          : maps && arg.keyword == "out_axes" ? &out : nullptr;
    if (!place && !arg.keyword.empty()) {
      auto builder = report(cx, Id::unknownKeyword, arg.keywordSpan, shown, arg.keyword);
      builder.help("it takes `in_axes` and `out_axes`");
      for (const char *ours : {"in_axes", "out_axes"})
        if (arg.keyword.substr(0, 2) == std::string_view(ours).substr(0, 2)) builder.suggest(arg.keywordSpan, ours, "write `" + std::string(ours) + "`");
      return Value::poison();
    }
    if (!place) {
      report(cx, Id::tooManyArguments, arg.span, shown, maps ? "a function, `in_axes=` and `out_axes=`" : "a function, `keep=` and `budget=`", std::to_string(args.size()));
      return Value::poison();
    }
    if (*place) {
      report(cx, Id::argumentTwice, arg.span, shown, arg.keyword);
      return Value::poison();
    }
    *place = &arg;
  }
  if (!function) {
    report(cx, Id::argumentNotGiven, span, shown, "f");
    return Value::poison();
  }
  const Value &f = function->value;
  bool kernel = !maps && f.callable && f.callable->isKernel;
  if (!isCallable(f) || kernel) {
    auto builder = report(cx, Id::wrongArgument, function->span, quoted(shown), "a tensor function",
                          kernel ? "the kernel `" + f.callable->name + "`" : describe(cx, f));
    if (kernel) builder.help("call it in a function, and give that");
    else if (function->syntax && function->syntax->kind == ast::ExprKind::Call)
      builder.help("give the function itself, without calling it: `" + shown + "(f)(x)`");
    return Value::poison();
  }
  if ((in && !isAxes(cx, *in, true)) || (out && !isAxes(cx, *out, false))) return Value::poison();
  Value v = Value::of(ValueKind::Transform);
  v.text = shown;
  v.declared = span;
  v.items = {f};
  if (maps) {
    v.items.push_back(in ? in->value : Value::integer(Dim(0)));
    v.items.push_back(out ? out->value : Value::integer(Dim(0)));
    return v;
  }
  v.items.push_back(checkpointOptions(cx, args));
  return v.items.back().isPoison() ? Value::poison() : v;
}

// ---------------------------------------------------------------- checkpoint

/// A call of what `compute` computes, of which a derivative keeps the arguments, and what `keeps` tells of the function; that is false after a message.
static Value checkpointed(Context &cx, const ApartCall &what, std::vector<Value> values,
                          const std::function<Value(std::vector<Value>)> &compute, const std::function<bool(Function &)> &keeps) {
  ExprPtr e = makeExpr(ExprKind::Call, {}, what.span);
  DeclaredType tree;
  const Function *callee = traceApart(cx, what, std::move(values), compute, *e, tree);
  if (!callee) return Value::poison();
  if (callee->results.empty()) return unsupported(cx, "`checkpoint` of a function that returns no tensor", what.span);
  for (auto &function : cx.program->functions)
    if (function.get() == callee) {
      function->kernel.schedule.options[kCheckpoint] = "";
      if (!keeps(*function)) return Value::poison();
    }
  e->as<node::Call>().callee = callee;
  return apartValue(cx, *callee, tree, std::move(e), what.span);
}

Value callCheckpoint(Context &cx, const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans, Span span) {
  ApartCall what{callable.name, callable.nameSpan, {}, span, "a call of a function with `@checkpoint` and without types"};
  for (const ast::Parameter &p : parametersOf(callable)) what.names.push_back(p.name.text);
  return checkpointed(
      cx, what, std::move(values), [&](std::vector<Value> given) { return inlineCall(cx, callable, std::move(given), spans, span); },
      [&](Function &made) { return takeKept(cx, callable, made); });
}

// ---------------------------------------------------------------- vmap

/// The arguments of a call of `vmap(f)`, as `f` sees them.
struct MappedArguments {
  std::vector<Value> values;
  std::vector<bool> mapped;  // of the arrays in them
  Dim extent;
  Span first;  // the argument that says it
};

/// An array with the mapped axis in front, whose value for `f` is without it. False after a message.
static bool takeAxis(Context &cx, Value &v, int64_t axis, Span at, const std::string &name, MappedArguments &out) {
  auto rank = static_cast<int64_t>(v.type.shape.size());
  if (axis < -rank || axis >= rank) {
    auto builder = report(cx, Id::wrongArgument, at, "`vmap`", "an array with " + (axis == 0 || axis == -1 ? std::string("an axis to map over") : "the axis " + std::to_string(axis)) + " for `" + name + "`",
                          describe(cx, v));
    if (rank == 0) builder.help("what is the same for all has `None` in `in_axes`");
    return false;
  }
  if (axis < 0) axis += rank;
  Dim extent = v.type.shape[static_cast<size_t>(axis)];
  bool isFirst = !out.first.valid();
  if (isFirst) out.extent = extent, out.first = at;
  else if (!sameDim(cx, out.extent, extent, at, "`vmap` needs " + show(cx, out.extent) + " == " + show(cx, extent))) {
    report(cx, Id::wrongArgument, at, "`vmap`", "mapped axes of one extent, " + show(cx, out.extent) + ",", describe(cx, v) + " with " + show(cx, extent))
        .note(out.first, "this says " + show(cx, out.extent));
    return false;
  }
  if (axis != 0) {
    std::vector<int> order{static_cast<int>(axis)};
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis) order.push_back(static_cast<int>(i));
    v = transpose(cx, std::move(v), std::move(order), at);
    if (v.isPoison()) return false;
  }
  v.type.shape.erase(v.type.shape.begin());
  if (!v.limits.empty()) v.limits.erase(v.limits.begin());
  if (v.type.shape.empty()) v.type.kind = TypeKind::Scalar;
  return true;
}

/// False after a message.
static bool mappedArguments(Context &cx, const Value &f, const Value &axes, GivenList &args, Span span, MappedArguments &out) {
  if (axes.isSequence() && axes.items.size() != args.size()) {
    report(cx, Id::wrongArgument, span, "`vmap`", diag::counted(axes.items.size(), "argument") + ", as `in_axes` has so many axes", std::to_string(args.size()));
    return false;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Value &axis = axes.isSequence() ? axes.items[i] : axes;
    const std::string name = parameterName(f, args[i], i);
    Value value = args[i].value;
    bool ok = true, any = false;
    visitArrays(value, name, [&](Value &v, const std::string &part) {
      any = true;
      bool maps = axis.kind != ValueKind::None;
      ok = ok && (!maps || takeAxis(cx, v, axis.sym.constant(), args[i].span, part, out));
      out.mapped.push_back(maps);
    });
    if (!ok) return false;
    bool asked = axes.isSequence() && axis.kind != ValueKind::None;
    if (!any && asked) {
      report(cx, Id::wrongArgument, args[i].span, "`vmap`", "an array to map over for `" + name + "`", describe(cx, value))
          .help("what is the same for all has `None` in `in_axes`");
      return false;
    }
    out.values.push_back(std::move(value));
  }
  if (out.first.valid()) return true;
  report(cx, Id::wrongArgument, span, "`vmap`", "an array to map over", args.empty() ? "a call without arguments" : "a call in which all arguments are the same for all");
  return false;
}

/// The results with the mapped axis where `out_axes` says. Poison after a message.
static Value placedAxes(Context &cx, Value value, const Value &axes, const Value &transform) {
  Span span = transform.declared;
  if (axes.isSequence()) {
    if (!value.isSequence() || value.items.size() != axes.items.size()) {
      report(cx, Id::wrongArgument, span, "`out_axes`", "an axis for each result", diag::counted(axes.items.size(), "axis") + " for " + describe(cx, value));
      return Value::poison();
    }
    for (size_t i = 0; i < axes.items.size(); ++i) {
      value.items[i] = placedAxes(cx, std::move(value.items[i]), axes.items[i], transform);
      if (value.items[i].isPoison()) return Value::poison();
    }
    return value;
  }
  bool ok = true;
  visitArrays(value, "", [&](Value &v, const std::string &) {
    auto rank = static_cast<int64_t>(v.type.shape.size());
    int64_t axis = axes.sym.constant();
    if (ok && (axis < -rank || axis >= rank)) {
      report(cx, Id::wrongArgument, span, "`out_axes`", "an axis of the result", std::to_string(axis) + ", and that is " + describe(cx, v));
      ok = false;
    }
    if (axis < 0) axis += rank;
    if (!ok || axis == 0) return;
    std::vector<int> order;
    for (int64_t i = 0; i < rank; ++i) order.push_back(static_cast<int>(i == axis ? 0 : i < axis ? i + 1 : i));
    v = transpose(cx, std::move(v), std::move(order), span);
    ok = !v.isPoison();
  });
  return ok ? value : Value::poison();
}

static Value callVmap(Context &cx, const Value &transform, GivenList args, Span span) {
  const Value &f = transform.items[0];
  MappedArguments given;
  if (!mappedArguments(cx, f, transform.items[1], args, span, given)) return Value::poison();
  ApartCall what{nameOf(f), placeOf(f, span), {}, span, "`vmap`"};
  for (size_t i = 0; i < args.size(); ++i) what.names.push_back(parameterName(f, args[i], i));
  ExprPtr e = makeExpr(ExprKind::Vmap, {}, span);
  DeclaredType tree;
  auto compute = [&](std::vector<Value> values) {
    for (size_t i = 0; i < values.size(); ++i) args[i].value = std::move(values[i]);
    return callValue(cx, f, std::move(args), span, what.name);
  };
  const Function *callee = traceApart(cx, what, std::move(given.values), compute, *e, tree);
  if (!callee) return Value::poison();
  if (callee->results.empty()) return unsupported(cx, "`vmap` of a function that returns no tensor", span);
  std::vector<Type> types;
  for (const FunctionResult &r : callee->results) {
    types.push_back(r.type);
    types.back().shape.insert(types.back().shape.begin(), given.extent);
  }
  given.mapped.resize(e->args.size());
  e->as<node::Vmap>() = {callee, std::move(given.mapped)};
  std::vector<Value> results = callResults(cx, std::move(e), std::move(types), callee->name + "_vmap", span);
  size_t next = 0;
  return placedAxes(cx, resultValue(tree, results, next), transform.items[2], transform);
}

// ---------------------------------------------------------------- mixed

Value makeMixed(Context &cx, const GivenList &args, Span span) {
  for (const Given &arg : args)
    if (arg.value.isPoison()) return arg.value;
  auto named = [&](size_t i, std::string_view name) { return args[i].keyword.empty() || args[i].keyword == name; };
  if (args.size() != 2 || !named(0, "f") || !named(1, "policy") || !isCallable(args[0].value) || (args[0].value.callable && args[0].value.callable->isKernel)) {
    report(cx, Id::wrongArgument, args.empty() ? span : args[0].span, "`mixed`", "a model or a tensor function, and a policy", args.empty() ? "nothing" : describe(cx, args[0].value))
        .help("for example `mixed(model, Training)(x)`");
    return Value::poison();
  }
  Value v = Value::of(ValueKind::Transform);
  v.text = "mixed";
  v.declared = span;
  auto dtype = dtypeArgument(cx, args[1].value, args[1].span, &v.type.numerics);
  if (!dtype) return Value::poison();
  v.type.dtype = *dtype;
  if (!isFloat(*dtype)) {
    report(cx, Id::wrongArgument, args[1].span, "`mixed`", "a policy or a dtype of floats", std::string(name(*dtype)));
    return Value::poison();
  }
  v.items = {args[0].value};
  return v;
}

/// Host code calls an entry point of its own.
static Value callMixedInHost(Context &cx, const Value &transform, GivenList args, Span span) {
  const Value &f = transform.items[0];
  const bool model = f.kind == ValueKind::Struct && f.instance->info->model;
  const Callable *callable = model ? f.instance->info->modelCall : f.kind == ValueKind::Function ? f.callable : nullptr;
  if (!callable || !mayBeEntry(cx, *callable))
    return unsupported(cx, "`mixed` of this in host code", span, "call it in a tensor function, and call that: `def answer(net: Net, x: Tensor[\"B\", \"D\", f32]): return mixed(net, Training)(x)`");
  const std::string name = callable->name + "_mixed";
  auto made = std::find_if(cx.callables.begin(), cx.callables.end(), [&](const Callable &c) { return c.isMixed && c.def == callable->def && c.mixed.dtype == transform.type.dtype && c.mixed.numerics == transform.type.numerics; });
  if (made == cx.callables.end()) {
    cx.callables.push_back(*callable);
    made = std::prev(cx.callables.end());
    made->name = name;
    made->isMixed = true, made->mixed = transform.type;
    made->checked = nullptr;
    made->failed = made->active = false;
    made->variants.clear();
  }
  if (model) args.insert(args.begin(), Given{"", f, span, {}, nullptr});
  return callFunction(cx, *made, std::move(args), span);
}

static Value callMixed(Context &cx, const Value &transform, GivenList args, Span span) {
  if (inHost(cx)) return callMixedInHost(cx, transform, std::move(args), span);
  auto outer = std::exchange(cx.function.mixed, transform.type);
  Value made = callValue(cx, transform.items[0], std::move(args), span, "mixed");
  cx.function.mixed = std::move(outer);
  return made;
}

Value callTransform(Context &cx, const Value &transform, GivenList args, Span span) {
  if (!cx.function.fn) return unsupported(cx, kCallAtModuleLevel, span);
  if (transform.text == "mixed" && !inKernel(cx)) return callMixed(cx, transform, std::move(args), span);
  if (inHost(cx) || inKernel(cx))
    return unsupported(cx, "`" + transform.text + "` in " + (inHost(cx) ? "host code" : "a kernel"), span,
                       inHost(cx) && transform.text == "vmap"
                           ? "give it a function with a name, and all that it takes as arguments: `vmap(f, in_axes=(None, 0))(net, xs)`"
                           : "call it in a tensor function, and call that");
  for (const Given &arg : args)
    if (arg.value.isPoison()) return Value::poison();
  if (transform.text == "vmap") return callVmap(cx, transform, std::move(args), span);
  const Value &f = transform.items[0];
  ApartCall what{nameOf(f), placeOf(f, span), {}, span, "`checkpoint`"};
  std::vector<Value> values;
  for (size_t i = 0; i < args.size(); ++i) {
    what.names.push_back(parameterName(f, args[i], i));
    values.push_back(args[i].value);
  }
  auto compute = [&](std::vector<Value> given) {
    for (size_t i = 0; i < given.size(); ++i) args[i].value = std::move(given[i]);
    return callValue(cx, f, std::move(args), span, what.name);
  };
  return checkpointed(cx, what, std::move(values), compute,
                      [&](Function &made) { return takeOptions(cx, transform.items[1], made, what); });
}

}  // namespace tessera::sema
