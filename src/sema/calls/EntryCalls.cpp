// Calls that stay calls in the checked program: of a kernel from a tensor function, of either from host code.
#include "checked/ExprBuild.h"
#include "sema/EditorFacts.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include "support/LinearDim.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

/// Whether a tensor of host code may have the dtype of a parameter: nothing converts it on its way.
static bool hasDType(Context &cx, const Callable &callable, const Param &param, const Value &v, Span at) {
  auto have = v.kind == ValueKind::HostTensor ? knownDType(cx, v) : std::nullopt;
  const DType want = param.var->type.dtype;
  if (!have || *have == want) return true;
  const std::string wanted(name(want)), had(name(*have));
  auto builder = report(cx, Id::wrongArgument, at, quoted(callable.name),
                        "`" + param.var->type.str() + "` for `" + param.var->name + "`", "a tensor of " + had);
  builder.note(param.var->span, "declared here");
  std::string_view text = cx.sources.text(at);
  bool makes =
      text.ends_with(')') && (text.starts_with("iota(") || text.starts_with("arange(") || text.starts_with("zeros(") ||
                              text.starts_with("ones(") || text.starts_with("full("));
  if (makes && text.find(had) == std::string_view::npos)
    builder.suggest({at.file, at.end - 1, at.end - 1}, ", dtype=" + wanted, "say the dtype that it is made with");
  else
    builder.help("what makes a tensor takes its dtype, `zeros(n, dtype=" + wanted + ")`, and a call converts: `cast(" + std::string(text) + ", " + wanted + ")`");
  return false;
}

/// Whether a tensor of host code has the declared shape, as far as its own is known. `dims`: what dimensions stand for.
static bool hasShape(Context &cx, const Callable &callable, const Param &param, const Value &v, Span at,
                     std::map<std::string, Dim> &dims) {
  const std::vector<Dim> &declared = param.var->type.shape;
  const size_t rank = v.kind == ValueKind::HostTensor ? knownRank(v, cx.function.rebindable) : 0;
  if (rank == 0) {  // a number, where its dtype is known: what a function gave
    const bool number = v.kind == ValueKind::HostTensor && v.madeOf && v.rank == 0;
    if (!number || declared.empty()) return true;
    report(cx, Id::wrongArgument, at, quoted(callable.name), "`" + param.var->type.str() + "` for `" + param.var->name + "`", "a number")
        .note(param.var->span, "declared here");
    return false;
  }
  if (rank != declared.size()) {
    report(cx, Id::rankMismatch, at, diag::counted(declared.size(), "dimension"), diag::counted(rank, "dimension"))
        .note(param.var->span, "declared here");
    return false;
  }
  for (size_t axis = 0; axis < v.madeAs.size(); ++axis) {
    const Dim &have = v.madeAs[axis];
    if (!have.isConstant()) continue;
    if (declared[axis].isVar() && dims.try_emplace(declared[axis].varName(), have).second) continue;
    const Dim wanted = declared[axis].substitute(dims);
    if (!wanted.isConstant() || wanted == have) continue;
    std::vector<Dim> expected;
    for (const Dim &d : declared) expected.push_back(d.substitute(dims));
    report(cx, Id::shapeMismatch, at, shapeText(cx, expected), shapeText(cx, v.madeAs))
        .note(param.var->span, "`" + param.var->name + "` of `" + callable.name +
                                   "` is declared here, with the shape " + shapeText(cx, declared));
    return false;
  }
  return true;
}

/// One argument of a call of an entry point. Null after a message.
static ExprPtr entryArgument(Context &cx, const Callable &callable, const Param &param, Value v, Span at,
                             std::map<std::string, Dim> &dims, std::map<std::string, Dim> &written) {
  const Type &type = param.var->type;
  if (reportNone(cx, v, at)) return nullptr;
  if (type.kind == TypeKind::Index) {
    if (!mayBeInteger(v)) {
      report(cx, Id::wrongArgument, at, quoted(param.var->name), "an integer", describe(cx, v))
          .note(param.var->span, "declared here");
      return nullptr;
    }
    v = convertInt(cx, v, at);
    if (v.isPoison()) return nullptr;
    if (!type.shape.empty() && type.shape[0].isVar()) dims[type.shape[0].varName()] = v.sym;
    return indexExpr(cx, v, at);
  }
  if (type.kind == TypeKind::Stream) {
    if (v.kind != ValueKind::Rng) {
      report(cx, Id::wrongArgument, at, quoted(callable.name), "a stream for `" + param.var->name + "`",
             describe(cx, v));
      return nullptr;
    }
    return useUp(cx, v, "`" + callable.name + "`", at) ? clone(*v.expr) : nullptr;
  }
  if (type.kind == TypeKind::Scalar) {
    if (v.kind == ValueKind::HostTensor && knownRank(v, cx.function.rebindable) > 0) {
      report(cx, Id::wrongArgument, at, quoted(callable.name), "a scalar for `" + param.var->name + "`",
             "a tensor of " + diag::counted(knownRank(v, cx.function.rebindable), "dimension"))
          .note(param.var->span, "declared here");
      return nullptr;
    }
    if (inHost(cx) &&
        (v.kind == ValueKind::HostTensor || (v.isScalar() && isFloat(v.type.dtype) && isFloat(type.dtype))))
      v = castTo(cx, v, type.dtype, type.numerics, at);  // numbers of host code are f64; the call rounds them
    ExprPtr arg = castToPlace(cx, v, type, at, "`" + param.var->name + "`");
    if (arg && arg->type.kind == TypeKind::Tensor) {
      report(cx, Id::wrongArgument, at, quoted(callable.name), "a scalar for `" + param.var->name + "`",
             describe(cx, v));
      return nullptr;
    }
    return arg;
  }
  if (inHost(cx)) v = widenedTensor(cx, std::move(v), type.dtype, at);
  if (v.isPoison()) return nullptr;
  if (inHost(cx))
    return hasDType(cx, callable, param, v, at) && hasShape(cx, callable, param, v, at, written)
               ? hostArgument(cx, v, at)
               : nullptr;
  if (!v.isArray() || v.type.shape.size() != type.shape.size()) {
    report(cx, Id::wrongArgument, at, quoted(callable.name), "`" + type.str() + "` for `" + param.var->name + "`",
           describe(cx, v))
        .note(param.var->span, "declared here");
    return nullptr;
  }
  for (size_t a = 0; a < type.shape.size(); ++a) {
    const Dim &want = type.shape[a];
    if (want.isVar() && !dims.count(want.varName())) dims[want.varName()] = v.type.shape[a];
    else if (!sameDim(cx, want.substitute(dims), v.type.shape[a], at,
                      "`" + callable.name + "` needs " + show(cx, want.substitute(dims)) +
                          " == " + show(cx, v.type.shape[a]))) {
      std::vector<Dim> expected;
      for (const Dim &d : type.shape) expected.push_back(d.substitute(dims));
      auto builder = report(cx, Id::shapeMismatch, at, shapeText(cx, expected), shapeText(cx, v.type.shape));
      builder.note(param.var->span, "`" + param.var->name + "` of `" + callable.name +
                                        "` is declared here, with the shape " + shapeText(cx, type.shape));
      std::set<std::string> vars;
      want.collectVars(vars);
      for (const std::string &var : vars)
        if (dims.count(var))
          builder.help("`" + var + "` of `" + callable.name + "` is " + show(cx, dims[var]) + " in this call");
      explainClaim(cx, builder, {want.substitute(dims), Relation::Eq, v.type.shape[a]});
      return nullptr;
    }
  }
  return castToPlace(cx, v, type, at, "`" + param.var->name + "`");
}

/// What the dimension variables of a function stand for in a call: those that are an extent by themselves, then those
/// that an extent such as `2 * N` gives.
static void solveExtents(const Function &callee, const std::vector<Value> &parts, std::map<std::string, Dim> &dims) {
  std::vector<std::vector<Dim>> shapes;
  std::set<std::string> given;
  size_t next = 0;
  for (const Param &param : callee.params) {
    if (param.isResult || next >= parts.size()) continue;
    const Value &v = parts[next++];
    const std::vector<Dim> &declared = param.var->type.shape;
    const bool fits = v.isArray() && v.type.shape.size() == declared.size();
    shapes.push_back(fits ? declared : std::vector<Dim>());
    for (size_t a = 0; fits && a < declared.size(); ++a)
      if (declared[a].isVar()) dims.try_emplace(declared[a].varName(), v.type.shape[a]);
  }
  for (const auto &[name, value] : dims) given.insert(name);
  for (const SolvedExtent &solved : solvedExtents(shapes, given))
    dims.try_emplace(solved.extent.variable, solved.extent.solved(parts[solved.parameter].type.shape[solved.axis], dims));
}

bool entryArguments(Context &cx, const Callable &callable, const Function &callee, const std::vector<Value> &values,
                    const std::vector<Span> &spans, Span span, Expr &e, std::map<std::string, Dim> &dims,
                    std::vector<MovedState> *moved) {
  std::vector<Value> parts;
  std::vector<Span> places;
  for (size_t i = 0; i < values.size(); ++i) {
    const ast::Parameter &p = parametersOf(callable)[i];
    auto tree = callable.parameterTrees.find(p.name.text);
    bool plain = tree != callable.parameterTrees.end() && tree->second.kind == DeclaredType::Kind::Plain;
    if (plain && p.annotation && values[i].isSequence())
      return wrongValue(cx, values[i], *p.annotation, p.name.text, spans[i],
                        "`" + std::string(cx.sources.text(p.annotation->span)) + "`");
    auto takes = [&](const Param &param) {
      return !param.isResult && !param.defaultValue && param.var->name == p.name.text;
    };
    auto param = std::find_if(callee.params.begin(), callee.params.end(), takes);
    if (values[i].kind == ValueKind::None &&
        param != callee.params.end()) {  // the alternative without it has no such parameter
      if (!reportNone(cx, values[i], spans[i]))
        report(cx, Id::wrongArgument, spans[i], quoted(callable.name),
               "`" + param->var->type.str() + "` for `" + p.name.text + "`", "`None`")
            .note(param->var->span, "declared here");
      return false;
    }
    if (plain && tree->second.plain.kind == TypeKind::State) {
      if (!cacheArgument(cx, values[i], tree->second.plain, callable, spans[i], parts, places)) return false;
      if (moved) moved->push_back({values[i], p.name.text, spans[i], {}});
      continue;
    }
    argumentParts(values[i], spans[i], parts, places);
  }
  solveExtents(callee, parts, dims);
  std::map<std::string, Dim> written;  // in host code: what dimensions are by the tensors that are given
  size_t next = 0, kept = 0;
  for (const Param &param : callee.params) {
    if (param.isResult) continue;
    if (param.scalesOf >= 0) {
      unsupported(cx,
                  "this call of `" + callable.name + "`, a parameter of which has scales (`" + param.var->name + "`),",
                  span);
      return false;
    }
    Value v = next < parts.size() ? parts[next] : Value::of(ValueKind::Absent);
    Span at = next < places.size() ? places[next] : span;
    ++next;
    ExprPtr arg = v.given()            ? entryArgument(cx, callable, param, std::move(v), at, dims, written)
                  : param.defaultValue ? clone(*param.defaultValue)
                                       : nullptr;
    if (!arg) return false;
    e.args.push_back(std::move(arg));
  }
  for (; moved && kept < moved->size(); ++kept) {
    MovedState &state = (*moved)[kept];
    auto count = callable.counts.find(state.parameter);
    auto behind = count == callable.counts.end()
                      ? std::nullopt
                      : cacheBehind(cx, state.before, count->second, callee, parts, dims, span);
    if (!behind) return notCompiledYet(cx, "a call that leaves a cache behind that I cannot count,", span), false;
    state.after = std::move(*behind);
  }
  for (const auto &[name, extent] : written) dims.try_emplace(name, extent);
  takeOverEffects(cx, callee.effects.without(EffectKind::State), callable.name, false, span);
  for (const Later &what : callee.later) notCompiledYet(cx, what.what, span);
  for (const Requirement &r : callee.requirements) {
    if (inHost(cx)) break;
    shape::Formula fact = shape::asFormula({r.left, r.relation, r.right});
    requireOfCall(cx, fact.map([&](const Dim &d) { return d.substitute(dims); }), callable.name, r.text, r.span, span);
  }
  return true;
}

std::vector<Value> callResults(Context &cx, ExprPtr e, std::vector<Type> types, const std::string &name, Span span) {
  auto wrap = [&](ExprPtr made, const Type &type) {
    Value v = Value::of(inHost(cx) ? ValueKind::HostTensor : ValueKind::Array);
    v.type = type;
    if (inHost(cx)) {  // the extents are those of the function that is called
      v.rank = static_cast<int>(type.shape.size());
      v.madeOf = type.dtype;
      for (const Dim &d : type.shape) v.madeAs.push_back(d.isConstant() ? d : Dim::var(kAnyExtent));
      v.type.shape.clear();
      made->type.shape.clear();
    } else {
      if (type.shape.empty()) v.type.kind = made->type.kind = TypeKind::Scalar;
      v.limits.resize(type.shape.size());
    }
    v.expr = std::shared_ptr<Expr>(made.release());
    return v;
  };
  if (types.size() == 1) {
    e->type = types[0];
    return {unscaled(reusable(cx, wrap(std::move(e), types[0]), name + "_result", span), span)};
  }
  e->type.kind = TypeKind::Tuple;
  e->type.items = types;
  if (inHost(cx))
    for (Type &type : e->type.items) type.shape.clear();
  Var *var = newVar(cx, name + "_results", e->type, span);
  Stmt &let = emit(cx, StmtKind::Let, span);
  let.var = var;
  let.value = std::move(e);
  std::vector<Value> items;
  for (size_t i = 0; i < types.size(); ++i) {
    ExprPtr item = makeExpr(ExprKind::TupleItem, types[i], span);
    item->as<node::TupleItem>().item = static_cast<int>(i);
    item->args.push_back(makeRef(var, span));
    items.push_back(unscaled(wrap(std::move(item), types[i]), span));
  }
  return items;
}

/// Of `@jit(dtypes=[...])` the entry point of the dtype that the first argument without a declared one has.
static void chooseDType(Context &cx, const Callable &callable, const std::vector<Value> &values, Choices &choices) {
  const std::vector<const ast::Expr *> dtypes = jitDTypes(*callable.def);
  if (dtypes.size() < 2) return;
  size_t &chosen = choices[std::string(kDTypeChoice)];
  for (size_t i = 0; i < values.size(); ++i) {
    auto *tensor = as<ast::SubscriptExpr>(callable.def->parameters[i].annotation);
    if (!tensor || cx.sources.text(tensor->object->span) != "Tensor" || namesDType(cx, *tensor)) continue;
    const auto have = values[i].kind == ValueKind::HostTensor ? values[i].madeOf : std::optional(values[i].type.dtype);
    for (size_t k = 0; have && k < dtypes.size(); ++k)
      if (cx.sources.text(dtypes[k]->span) == name(*have)) return void(chosen = k);
  }
}

const Function *entryOf(Context &cx, const Callable &callable, const std::vector<Value> &values,
                        const std::vector<Span> &spans, Span span, const Callable **chosen, bool isDerived) {
  Choices choices;
  std::shared_ptr<Frame> caller = cx.function.frame;
  cx.function.frame = calleeFrame(cx, callable);
  bool chose = true;
  for (size_t i = 0; chose && i < values.size(); ++i) {
    const ast::Parameter &p = callable.def->parameters[i];
    if (!p.annotation) continue;
    Value given = values[i].given()
                      ? values[i]
                      : Value::of(p.defaultValue && p.defaultValue->kind == ast::ExprKind::None ? ValueKind::None
                                                                                                : ValueKind::Absent);
    if (!given.given() && alternativesOf(*p.annotation).size() > 1) given = checkExpr(cx, *p.defaultValue);
    chose = chooseVariant(cx, given, *p.annotation, p.name.text, spans[i], choices);
  }
  if (chose) chooseDType(cx, callable, values, choices);
  cx.function.frame = caller;
  if (!chose) return nullptr;
  const Callable &called = forTraining(cx, variant(cx, callable, choices), isDerived);
  if (chosen) *chosen = &called;
  const Function *callee = ensureChecked(cx, called);
  if (!callee && called.raises.valid() && fresh(cx, Id::alwaysRaises, span))
    report(cx, Id::alwaysRaises, span).note(called.raises, "raised here");
  return callee;
}

/// Values of tensor functions do not change: what a kernel writes, it returns. False after a message for parameters that it
/// writes and keeps to itself.
static bool returnsWhatItWrites(Context &cx, const Callable &callable, const Function &callee, Span span) {
  std::string names;  // of all that it stores into
  const Var *kept = nullptr;
  for (size_t i = 0; i < callee.params.size(); ++i) {
    const Param &param = callee.params[i];
    auto holds = [&](const FunctionResult &result) { return result.param == static_cast<int>(i); };
    if (param.isResult || param.mode == ParamMode::In) continue;
    names += (names.empty() ? "" : ", ") + param.var->name;
    if (!kept && std::none_of(callee.results.begin(), callee.results.end(), holds)) kept = param.var;
  }
  if (!kept) return true;
  if (fresh(cx, Id::immutableTensor, span))
    report(cx, Id::immutableTensor, span, "a value of a tensor function")
        .label("the kernel `" + callable.name + "` stores into its `" + kept->name + "`, and does not return it")
        .note(kept->span, "this parameter")
        .help("let `" + callable.name + "` end with `return " + names + "`, and go on with what it returns, `" + names + " = " + callable.name + "(...)`");
  return false;
}

Value callEntry(Context &cx, const Callable &callable, std::vector<Value> values, std::vector<Span> spans, Span span) {
  const Callable *called = nullptr;
  const std::shared_ptr<Frame> caller = std::exchange(cx.function.frame, calleeFrame(cx, callable));  // whose names its types are made of
  for (size_t i = 0; i < values.size(); ++i) values[i] = tensorOfList(cx, std::move(values[i]), callable.def->parameters[i].annotation.get(), spans[i]);
  cx.function.frame = caller;
  const Function *callee = entryOf(cx, callable, values, spans, span, &called);
  if (!callee) return Value::poison();
  for (size_t i = 0; i < values.size(); ++i)  // None by default: the entry point has no such parameter
    if (!values[i].given() && callable.def->parameters[i].defaultValue->kind == ast::ExprKind::None)
      values[i] = Value::of(ValueKind::None);
  if (called->returnsState)
    return unsupported(cx, "a call from host code of `" + callable.name + "`, which returns a state object,", span);
  if (!inHost(cx) && callee->kind == FunctionKind::Kernel && !returnsWhatItWrites(cx, *called, *callee, span)) return Value::poison();
  std::map<std::string, Dim> dims;
  ExprPtr e = makeExpr(ExprKind::Call, {}, span);
  e->as<node::Call>().callee = callee;
  std::vector<MovedState> moved;
  callable.counts = called->counts;
  if (!entryArguments(cx, callable, *callee, values, spans, span, *e, dims, &moved)) return Value::poison();
  std::vector<Type> types;
  for (const FunctionResult &r : callee->results) {
    Type type = r.type;
    if (inHost(cx)) {
      type = {};
      type.kind = TypeKind::HostTensor;
      type.dtype = r.type.dtype;
      type.shape = r.type.shape;
      for (Dim &d : type.shape) d = d.substitute(dims);
    } else {
      for (Dim &d : type.shape) d = d.substitute(dims);
    }
    types.push_back(std::move(type));
  }
  noteWork(cx, span, *e);
  if (types.empty()) {
    e->type.kind = TypeKind::None;
    emit(cx, StmtKind::Evaluate, span).value = std::move(e);
    return movedOn(cx, moved, callable) ? Value::of(ValueKind::None) : Value::poison();
  }
  std::vector<Value> results = callResults(cx, std::move(e), std::move(types), callable.name, span);
  if (!movedOn(cx, moved, callable)) return Value::poison();
  auto isState = [](const FunctionResult &result) { return result.param >= 0; };  // what is in the caller's arrays, too
  if (callee->kind == FunctionKind::Tensor)
    results.resize(results.size() -
                   static_cast<size_t>(std::count_if(callee->results.begin(), callee->results.end(), isState)));
  if (results.empty()) return Value::of(ValueKind::None);
  if (called->resultTree.items.empty()) return results.size() == 1 ? results[0] : Value::tuple(std::move(results));
  size_t next = 0;
  return resultValue(called->resultTree, results, next);
}

}  // namespace tessera::sema
