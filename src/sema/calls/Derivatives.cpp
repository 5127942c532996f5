// grad, value_and_grad, vjp and jvp: what they are of, by what, and the types of their results.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
/// How many parameters a part of a signature became.
size_t leafCount(const DeclaredType &tree) {
  if (tree.kind == DeclaredType::Kind::Plain) return 1;
  size_t count = 0;
  for (const DeclaredType &item : tree.items) count += leafCount(item);
  return count;
}
DerivativeKind kindOf(const Value &derivative) {
  if (derivative.text == "vjp") return DerivativeKind::Pullback;
  if (derivative.text == "jvp") return DerivativeKind::Pushforward;
  return derivative.truth ? DerivativeKind::ValueAndGradient : DerivativeKind::Gradient;
}
/// Whether it is of the first of two results alone, and gives the other one, too: `has_aux=True`. Kept in `sym`, which nothing else of a derivative uses.
bool hasAux(const Value &derivative) { return derivative.sym == Dim(1); }
/// The keyword under which a derivative takes those that it starts from; empty where that is the number 1.
std::string_view seedKeyword(DerivativeKind kind) {
  return kind == DerivativeKind::Pullback ? "cotangent" : kind == DerivativeKind::Pushforward ? "tangent" : "";
}
/// Whose parameters a function has that a derivative can be taken of; null for what is none.
const Callable *parametersFrom(const Value &f) {
  if (f.kind == ValueKind::Function) return f.callable->isKernel ? nullptr : f.callable;
  if (f.kind == ValueKind::Transform) return parametersFrom(f.items[0]);
  return f.kind == ValueKind::Derivative && seedKeyword(kindOf(f)).empty() ? f.callable : nullptr;
}
bool hasNumbers(const Type &type) {
  return (type.kind == TypeKind::Tensor || type.kind == TypeKind::Scalar) && isFloat(type.dtype);
}
}  // namespace

// ---------------------------------------------------------------- making one

/// The names in `wrt=`: a text or a tuple of texts. False after a message.
static bool wrtNames(Context &cx, const Value &wrt, const ast::Expr *syntax, const Callable &of, Span span,
                     Value &out) {
  std::vector<Value> names = wrt.isSequence() ? wrt.items : std::vector<Value>{wrt};
  std::set<std::string> seen;
  std::vector<std::string_view> known;
  for (const ast::Parameter &p : parametersOf(of)) known.push_back(p.name.text);
  auto *sequence = syntax && (syntax->kind == ast::ExprKind::Tuple || syntax->kind == ast::ExprKind::List)
                       ? static_cast<const ast::SequenceExpr *>(syntax)
                       : nullptr;
  for (size_t i = 0; i < names.size(); ++i) {
    Span at = sequence && i < sequence->items.size() ? sequence->items[i]->span : span;
    Value name = names[i];
    if (name.isPoison()) return false;
    if (name.isKnownInt()) {  // by its place
      int64_t place = name.sym.constant();
      if (place < 0 || place >= static_cast<int64_t>(known.size())) {
        report(cx, Id::unknownWrt, at, of.name, std::to_string(place))
            .note(of.nameSpan, "`" + of.name + "` is defined here")
            .help(argumentNames(known));
        return false;
      }
      name = Value::string(std::string(known[static_cast<size_t>(place)]));
    }
    if (name.kind != ValueKind::String || name.expr) {
      report(cx, Id::wrongArgument, at, quoted("wrt"), "names of parameters in quotes", describe(cx, name));
      return false;
    }
    if (std::find(known.begin(), known.end(), name.text) == known.end()) {
      auto builder = report(cx, Id::unknownWrt, at, of.name, name.text);
      builder.note(of.nameSpan, "`" + of.name + "` is defined here");
      auto near = name.text.size() == 1 ? std::string_view() : diag::didYouMean(name.text, known);  // of one letter none is near
      for (std::string_view one : known)  // "W" for w
        if (one.size() == 1 && name.text.size() == 1 && std::tolower(one[0]) == std::tolower(name.text[0])) near = one;
      if (!near.empty())
        builder.help("did you mean `" + std::string(near) + "`?")
            .fix(at, "\"" + std::string(near) + "\"", "write `\"" + std::string(near) + "\"`");
      else builder.help(argumentNames(known));
      return false;
    }
    if (!seen.insert(name.text).second) {
      report(cx, Id::argumentTwice, at, "wrt", name.text);
      return false;
    }
    out.items.push_back(name);
  }
  if (out.items.empty()) report(cx, Id::argumentNotGiven, span, "grad", "wrt");
  return !out.items.empty();
}

/// `argnums=1`: the name of that parameter. `argnums=(0, 1)`: places are known by `wrt=`, too.
static void suggestWrt(diag::Builder &builder, const Given &arg, const Given *function) {
  auto isPlace = [](const Value &place) { return place.isKnownInt(); };
  if (arg.value.isSequence() && !arg.value.items.empty() && std::all_of(arg.value.items.begin(), arg.value.items.end(), isPlace)) {
    builder.suggest(arg.keywordSpan, "wrt", "write `wrt`");
    return;
  }
  bool known = function && function->value.kind == ValueKind::Function && arg.value.isKnownInt();
  if (!known) return;
  const std::vector<ast::Parameter> &parameters = parametersOf(*function->value.callable);
  const int64_t place = arg.value.sym.constant();
  if (place < 0 || place >= static_cast<int64_t>(parameters.size())) return;
  std::string named = "wrt=\"" + parameters[static_cast<size_t>(place)].name.text + "\"";
  builder.suggest(arg.keywordSpan.to(arg.span), named, "write `" + named + "`");
}

Value makeDerivative(Context &cx, const BuiltinRow &row, GivenList args, Span span) {
  std::string shown(row.name);
  const Given *function = nullptr, *wrt = nullptr;
  bool aux = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const Given &arg = args[i];
    if (arg.value.isPoison()) return Value::poison();
    if (arg.keyword == "wrt" || (arg.keyword.empty() && i == 1)) wrt = &arg;
    else if (arg.keyword.empty() && i == 0) function = &arg;
    else if (arg.keyword == "has_aux" && shown.ends_with("grad") && arg.value.kind == ValueKind::Bool && !arg.value.expr) aux = arg.value.truth;
    else if (!arg.keyword.empty()) {
      auto builder = report(cx, Id::unknownKeyword, arg.keywordSpan, shown, arg.keyword);
      builder.help("the parameters to differentiate by are named with `wrt=`");
      if (nameHere(arg.keyword) == "wrt") suggestWrt(builder, arg, function);
      return Value::poison();
    } else {
      report(cx, Id::tooManyArguments, arg.span, shown, "a function and `wrt=`", std::to_string(args.size()));
      return Value::poison();
    }
  }
  if (!function) {
    report(cx, Id::argumentNotGiven, span, shown, "f");
    return Value::poison();
  }
  const Callable *callable = parametersFrom(function->value);
  if (!callable) {
    bool kernel = function->value.kind == ValueKind::Function;
    auto builder =
        report(cx, Id::wrongArgument, function->span, quoted(shown), "a tensor function",
               kernel ? "the kernel `" + function->value.callable->name + "`" : describe(cx, function->value));
    if (kernel) builder.help("call the kernel from a function with `@custom_vjp` and give that a rule");
    else if (function->value.kind == ValueKind::Derivative)
      builder.help("give it in a function that says its `" + std::string(seedKeyword(kindOf(function->value))) + "`: `lambda x: " + function->value.text + "(f)(x, " +
                   std::string(seedKeyword(kindOf(function->value))) + "=...)`");
    else if (function->value.kind == ValueKind::Transform)
      builder.help("a function that calls it, `lambda x: " + function->value.text + "(f)(x)`, can be given");
    else if (function->syntax && function->syntax->kind == ast::ExprKind::Call)
      builder.help("give the function itself, without calling it: `" + shown + "(f)(x)`");
    return Value::poison();
  }
  Value v = Value::of(ValueKind::Derivative);
  v.callable = callable;
  if (function->value.kind != ValueKind::Function) v.inner = std::make_shared<Value>(function->value);
  v.truth = shown == "value_and_grad";
  if (aux) v.sym = Dim(1);
  v.unrolled = !wrt || !wrt->value.isSequence();  // one derivative, not a tuple of one
  v.declared = span;
  v.text = shown;
  if (wrt) {
    if (!wrtNames(cx, wrt->value, wrt->syntax, *v.callable, wrt->span, v)) return Value::poison();
  } else {
    const std::vector<ast::Parameter> &parameters = parametersOf(*v.callable);
    if (parameters.empty()) {
      report(cx, Id::unknownWrt, span, v.callable->name, "x").help("it has no parameters");
      return Value::poison();
    }
    v.items = {Value::string(parameters[0].name.text)};
  }
  return v;
}

// ---------------------------------------------------------------- types

/// How the results of a function of the program make up what it returns; empty where it is the one result.
static DeclaredType treeOfResults(const Context &cx, const Function &callee) {
  for (const Callable &of : cx.callables)
    if (of.checked == &callee && !of.resultTree.items.empty()) return of.resultTree;
  return {};
}

/// `has_aux=True`: a number, and what else is of interest. False after a message.
static bool returnsWithAux(Context &cx, const Value &derivative, const Callable &of, const Function &callee) {
  const DeclaredType tree = treeOfResults(cx, callee);
  const bool pair = tree.kind == DeclaredType::Kind::Tuple && tree.items.size() == 2 && leafCount(tree.items[0]) == 1;
  const FunctionResult *loss = pair ? &callee.results[0] : nullptr;
  if (loss && loss->type.shape.empty() && isFloat(loss->type.dtype)) return true;
  if (fresh(cx, Id::gradNotScalar, derivative.declared)) {
    std::string what = loss ? "`" + (loss->type.shape.empty() ? std::string(name(loss->type.dtype)) : loss->type.str()) + "` first" : "no pair";
    report(cx, Id::gradNotScalar, derivative.declared, derivative.text, of.name, what)
        .note(of.nameSpan, "`" + of.name + "` is defined here")
        .help("with `has_aux=True` it returns the loss and one thing more: `return loss, (logits, state)`");
  }
  return false;
}

/// What a derivative gives: which parameters of `callee`, and their types. False after a message.
static bool derivativeParts(Context &cx, const Value &derivative, const Callable &of, const Function &callee,
                            std::vector<int> &wrt, std::vector<DeclaredType> &trees) {
  const FunctionResult *result = callee.results.size() == 1 ? &callee.results[0] : nullptr;
  if (!seedKeyword(kindOf(derivative)).empty()) {
    auto other = std::find_if(callee.results.begin(), callee.results.end(),
                              [](const FunctionResult &r) { return !hasNumbers(r.type); });
    if (other != callee.results.end() || callee.results.empty()) {
      report(cx, Id::wrongArgument, derivative.declared, quoted(derivative.text), "a function that returns floats",
             "`" + of.name + "`, which returns " + (callee.results.empty() ? "nothing" : "`" + other->type.str() + "`"))
          .note(of.nameSpan, "`" + of.name + "` is defined here");
      return false;
    }
  } else if (hasAux(derivative)) {
    if (!returnsWithAux(cx, derivative, of, callee)) return false;
  } else if (!result || !result->type.shape.empty() || !isFloat(result->type.dtype)) {
    if (fresh(cx, Id::gradNotScalar, derivative.declared)) {
      std::string what =
          result ? "`" + (result->type.shape.empty() ? std::string(name(result->type.dtype)) : result->type.str()) + "`"
                 : std::to_string(callee.results.size()) + " results";
      report(cx, Id::gradNotScalar, derivative.declared, derivative.text, of.name, what)
          .note(of.nameSpan, "`" + of.name + "` is defined here")
          .help("a loss is one number: take `sum` or `mean` of it");
    }
    return false;
  }
  for (const Value &item : derivative.items) {
    size_t first = 0;
    DeclaredType tree;
    for (const ast::Parameter &p : parametersOf(of)) {
      auto it = of.parameterTrees.find(p.name.text);
      if (it == of.parameterTrees.end()) continue;
      tree = it->second;
      if (p.name.text == item.text) break;
      first += leafCount(it->second);
    }
    size_t count = leafCount(tree);
    for (size_t i = first; i < first + count && i < callee.params.size(); ++i) {
      const Type &type = callee.params[i].var->type;
      bool numbers = type.kind == TypeKind::Tensor || type.kind == TypeKind::Scalar;
      if (!numbers || !isFloat(type.dtype)) {
        if (!fresh(cx, Id::wrtNotFloat, derivative.declared)) return false;
        auto builder = report(cx, Id::wrtNotFloat, derivative.declared, callee.params[i].var->name, type.str());
        builder.note(callee.params[i].var->span, "declared here");
        std::string_view written = cx.sources.text(derivative.declared);
        bool byDefault = written.find("wrt") == std::string_view::npos && !written.empty() && written.back() == ')';
        builder.help(byDefault ? "only floats have derivatives, and without `wrt=` it is by the first parameter"
                               : "only floats have derivatives; leave it out of `wrt`");
        auto real = std::find_if(callee.params.begin(), callee.params.end(), [](const Param &p) {
          bool number = p.var->type.kind == TypeKind::Tensor || p.var->type.kind == TypeKind::Scalar;
          return number && isFloat(p.var->type.dtype);
        });
        uint32_t end = derivative.declared.end - 1;
        if (byDefault && real != callee.params.end())
          builder.suggest({derivative.declared.file, end, end}, ", wrt=\"" + real->var->name + "\"",
                          "differentiate by `" + real->var->name + "`");
        return false;
      }
      wrt.push_back(static_cast<int>(i));
    }
    trees.push_back(std::move(tree));
  }
  return true;
}

/// The types of what a derivative starts from: derivatives by the results, or of the parameters.
static std::vector<Type> seedTypes(DerivativeKind kind, const Function &callee, const std::vector<int> &wrt,
                                   const std::map<std::string, Dim> &dims) {
  std::vector<Type> types;
  if (kind == DerivativeKind::Pullback)
    for (const FunctionResult &r : callee.results) types.push_back(r.type);
  if (kind == DerivativeKind::Pushforward)
    for (int i : wrt) types.push_back(callee.params[static_cast<size_t>(i)].var->type);
  for (Type &type : types) {
    for (Dim &d : type.shape) d = d.substitute(dims);
    if (type.shape.empty()) type.kind = TypeKind::Scalar;
  }
  return types;
}

/// The expression of a derivative at `e->args`, and its value as the program sees it.
static Value derivativeValue(Context &cx, const Value &derivative, const Function &callee, std::vector<int> wrt,
                             const std::vector<DeclaredType> &trees, ExprPtr e, const std::map<std::string, Dim> &dims,
                             Span span) {
  DerivativeKind kind = hasAux(derivative) ? DerivativeKind::ValueAndGradient : kindOf(derivative);
  std::vector<Type> types;
  if (kind == DerivativeKind::Pushforward || kind == DerivativeKind::ValueAndGradient)
    for (const FunctionResult &r : callee.results) types.push_back(r.type);
  if (kind != DerivativeKind::Pushforward)
    for (int i : wrt) types.push_back(callee.params[static_cast<size_t>(i)].var->type);
  for (Type &type : types)
    for (Dim &d : type.shape) d = d.substitute(dims);
  e->as<node::Derivative>() = {&callee, kind, std::move(wrt)};
  std::vector<Value> results =
      callResults(cx, std::move(e), std::move(types), callee.name + "_" + derivative.text, span);
  size_t next = derivative.truth;
  const bool several = kind == DerivativeKind::Pushforward || hasAux(derivative);
  const DeclaredType tree = several ? treeOfResults(cx, callee) : DeclaredType();
  if (kind == DerivativeKind::Pushforward) {
    if (!tree.items.empty()) return resultValue(tree, results, next);
    return results.size() == 1 ? results[0] : Value::tuple(std::move(results));
  }
  Value computed = results[0];
  if (hasAux(derivative)) computed = resultValue(tree, results, next = 0);
  std::vector<Value> gradients;
  for (const DeclaredType &tree : trees) gradients.push_back(resultValue(tree, results, next));
  Value all = derivative.unrolled ? gradients[0] : Value::tuple(std::move(gradients));
  if (hasAux(derivative) && !derivative.truth) return Value::tuple({std::move(all), computed.items[1]});
  return derivative.truth ? Value::tuple({std::move(computed), std::move(all)}) : all;
}

static const Function *traceFunction(Context &cx, const Callable &callable, std::vector<Value> values,
                                     const std::vector<Span> &spans, Span span, Expr &call);
static const Function *traceMade(Context &cx, const Value &f, Callable &made, std::vector<Value> values, const std::vector<Span> &spans,
                                 Span span, Expr &call);

Value callDerivative(Context &cx, const Value &derivative, GivenList args, Span span) {
  const Callable &callable = *derivative.callable;
  if (!cx.function.fn) return unsupported(cx, kCallAtModuleLevel, span);
  if (std::any_of(args.begin(), args.end(), [](const Given &arg) { return arg.value.isPoison(); })) return Value::poison();
  if (inHost(cx) && callable.failed) return Value::poison();  // a message was given where it is defined
  if (inHost(cx) || inKernel(cx))
    return unsupported(cx, std::string("a derivative in ") + (inHost(cx) ? "host code" : "a kernel"), span,
                       inHost(cx) ? "take it in a tensor function, and call that; or of a function with a name, which gets all that it needs as arguments"
                                  : "take it in a tensor function, and call that");
  std::string keyword(seedKeyword(kindOf(derivative)));
  Given seeds;
  std::erase_if(args, [&](Given &arg) {
    if (keyword.empty() || arg.keyword != keyword) return false;
    seeds = arg;
    return true;
  });
  if (!keyword.empty() && seeds.keyword.empty()) {
    auto builder = report(cx, Id::argumentNotGiven, span, derivative.text + "(" + callable.name + ")", keyword);
    builder.help(kindOf(derivative) == DerivativeKind::Pullback
                  ? "the derivative by the result: `cotangent=dy`"
                  : "the derivative of the parameters of `wrt`: `tangent=dx`");
    if (args.size() == parametersOf(callable).size() + 1 && args.back().keyword.empty())  // `jvp(f)(x, dx)`
      builder.suggest({args.back().span.file, args.back().span.begin, args.back().span.begin}, keyword + "=", "give it by its name");
    return Value::poison();
  }
  if (seeds.value.isPoison() && !keyword.empty()) return Value::poison();
  std::vector<Value> values;
  std::vector<Span> spans;
  if (isRecursive(cx, callable, span) || !bindParameters(cx, callable, args, span, values, spans))
    return Value::poison();
  ExprPtr e = makeExpr(ExprKind::Derivative, {}, span);
  auto takeSeeds = [&](const std::vector<Type> &types) {
    std::vector<Value> parts;
    std::vector<Span> spans;
    argumentParts(seeds.value, seeds.span, parts, spans);
    std::string what = "`" + seeds.keyword + "=`";
    if (parts.size() != types.size()) {
      report(cx, Id::wrongArgument, seeds.span, what,
             std::to_string(types.size()) + (types.size() == 1 ? " value" : " values"),
             std::to_string(parts.size()) + (parts.size() == 1 ? " value" : " values"));
      return false;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      const Type &type = types[i];
      Value v = toArray(cx, parts[i], type.dtype, spans[i]);
      if (v.isPoison()) return false;
      if (v.type.shape.size() != type.shape.size()) {
        report(cx, Id::wrongArgument, spans[i], what, "`" + type.str() + "`", describe(cx, v));
        return false;
      }
      for (size_t a = 0; a < type.shape.size(); ++a)
        if (!sameDim(cx, type.shape[a], v.type.shape[a], spans[i],
                     what + " needs " + show(cx, type.shape[a]) + " == " + show(cx, v.type.shape[a]))) {
          report(cx, Id::shapeMismatch, spans[i], shapeText(cx, type.shape), shapeText(cx, v.type.shape))
              .label(what + " is `" + type.str() + "`");
          return false;
        }
      ExprPtr seed = castToPlace(cx, v, type, spans[i], what);
      if (!seed) return false;
      e->args.push_back(std::move(seed));
    }
    return true;
  };
  std::map<std::string, Dim> dims;
  const Callable *called = &callable;
  const Function *callee = nullptr;
  Callable made;
  if (derivative.inner) {
    made = callable;
    called = &made;
    callee = traceMade(cx, *derivative.inner, made, values, spans, span, *e);
    if (!callee) return Value::poison();
  } else if (isEntry(cx, callable)) {
    callee = entryOf(cx, callable, values, spans, span, &called, true);
    if (!callee || !entryArguments(cx, callable, *callee, values, spans, span, *e, dims)) return Value::poison();
  } else {
    callee = traceFunction(cx, callable, values, spans, span, *e);
    if (!callee) return Value::poison();
  }
  std::vector<int> wrt;
  std::vector<DeclaredType> trees;
  if (!derivativeParts(cx, derivative, *called, *callee, wrt, trees)) return Value::poison();
  if (!keyword.empty() && !takeSeeds(seedTypes(kindOf(derivative), *callee, wrt, dims))) return Value::poison();
  return derivativeValue(cx, derivative, *callee, std::move(wrt), trees, std::move(e), dims, span);
}

/// A function that is known only where it is used (a lambda, a nested function, one without types) as a function of
/// the program: its arguments and what it takes from around it become parameters. Null after a message.
static const Function *traceFunction(Context &cx, const Callable &callable, std::vector<Value> values,
                                     const std::vector<Span> &spans, Span span, Expr &call) {
  ApartCall apart{callable.name, callable.nameSpan, {}, span, "a derivative of a function without types", true};
  callable.parameterTrees.clear();
  for (size_t i = 0; i < values.size(); ++i) {
    apart.names.push_back(parametersOf(callable)[i].name.text);
    callable.parameterTrees[apart.names.back()] = treeOf(values[i]);
  }
  DeclaredType results;
  return traceApart(
      cx, apart, std::move(values),
      [&](std::vector<Value> given) {
        const bool hasRule = callable.isCustomVjp || callable.isCustomJvp;
        return hasRule ? callRuled(cx, callable, std::move(given), spans, span) : inlineCall(cx, callable, std::move(given), spans, span);
      },
      call, results);
}

/// A function that was made of another, `grad(f)` or `vmap(f)`, as a function of the program with the parameters `made` has.
static const Function *traceMade(Context &cx, const Value &f, Callable &made, std::vector<Value> values, const std::vector<Span> &spans,
                                 Span span, Expr &call) {
  made.name = f.text + "(" + made.name + ")";
  ApartCall apart{f.callable ? f.callable->name + "_" + f.text : f.text, made.nameSpan, {}, span, "a derivative of a function that was made of another", true};
  made.parameterTrees.clear();
  for (size_t i = 0; i < values.size(); ++i) {
    apart.names.push_back(parametersOf(made)[i].name.text);
    made.parameterTrees[apart.names.back()] = treeOf(values[i]);
  }
  DeclaredType results;
  auto compute = [&](std::vector<Value> given) {
    GivenList args;
    for (size_t i = 0; i < given.size(); ++i) {
      const bool named = parametersOf(made)[i].kind == ast::ParameterKind::KeywordOnly;
      args.push_back({named ? apart.names[i] : "", std::move(given[i]), spans[i].valid() ? spans[i] : span, span, nullptr});
    }
    return callValue(cx, f, std::move(args), span, made.name);
  };
  return traceApart(cx, apart, std::move(values), compute, call, results);
}

void derivativeEntry(Context &cx, const std::string &name, const Value &derivative, Span span) {
  if (derivative.inner) return;  // typed where it is called
  const Callable &callable = *derivative.callable;
  if (!mayBeEntry(cx, callable)) return;  // typed where it is called
  std::vector<Choices> variants = variantsOf(cx, callable);
  if (variants.empty()) return;
  const Callable &of = forTraining(cx, variant(cx, callable, variants[0]), true);
  const Function *callee = ensureChecked(cx, of);
  std::vector<int> wrt;
  std::vector<DeclaredType> trees;
  if (!callee || !derivativeParts(cx, derivative, of, *callee, wrt, trees)) return;
  auto function = std::make_unique<Function>();
  FunctionState outer = enterFunction(cx, *function, of);
  cx.function.fn->name = name;
  cx.function.fn->span = span;
  cx.function.fn->signature = name + " = " + std::string(cx.sources.text(derivative.declared));
  cx.function.fn->dims = callee->dims;
  cx.function.fn->requirements = callee->requirements;
  ExprPtr e = makeExpr(ExprKind::Derivative, {}, span);
  std::map<std::string, Dim> dims;
  for (const Param &p : callee->params) {
    Param param;
    param.var = newVar(cx, p.var->name, p.var->type, p.var->span);
    param.keywordOnly = p.keywordOnly;
    if (p.defaultValue) param.defaultValue = clone(*p.defaultValue);
    e->args.push_back(makeRef(param.var, span));
    for (const Dim &d : p.var->type.shape)
      if (d.isVar()) dims[d.varName()] = d;
    cx.function.fn->params.push_back(std::move(param));
  }
  DerivativeKind kind = kindOf(derivative);
  std::vector<Type> seeds = seedTypes(kind, *callee, wrt, dims);
  for (size_t i = 0; i < seeds.size(); ++i) {
    Param param;
    std::string subject = kind == DerivativeKind::Pullback ? callee->results[i].name
                                                           : callee->params[static_cast<size_t>(wrt[i])].var->name;
    param.var = newVar(cx, "d" + subject, seeds[i], span);
    e->args.push_back(makeRef(param.var, span));
    cx.function.fn->params.push_back(std::move(param));
  }
  Value result = derivativeValue(cx, derivative, *callee, std::move(wrt), trees, std::move(e), dims, span);
  std::vector<ResultPart> parts;
  DeclaredType tree;
  resultParts(cx, {std::move(result), "result", span}, nullptr, nullptr, parts, tree);
  Stmt &ret = emit(cx, StmtKind::Return, span);
  for (ResultPart &part : parts) {
    Type type = part.value.type;
    type.kind = TypeKind::Tensor;
    cx.function.fn->results.push_back({part.name, type, -1});
    ret.values.push_back(takeExpr(part.value));
  }
  leaveFunction(cx, std::move(outer));
  cx.program->functions.push_back(std::move(function));
}

}  // namespace tessera::sema
