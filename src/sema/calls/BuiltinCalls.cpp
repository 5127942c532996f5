// Built-in functions on numbers, tensors and tiles.
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/calls/Models.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>

namespace tessera::sema {

namespace {
struct SignatureItem {
  std::string name;
  bool optional = false, rest = false;
};
std::vector<SignatureItem> signatureItems(std::string_view text) {
  std::vector<SignatureItem> items;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find(',', at);
    if (end == std::string_view::npos) end = text.size();
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    SignatureItem item;
    if (word.front() == '*') item.rest = true, word.remove_prefix(1);
    if (word.back() == '=') item.optional = true, word.remove_suffix(1);
    item.name = word;
    items.push_back(std::move(item));
    at = end + 1;
  }
  return items;
}
}  // namespace

std::string argumentNames(const std::vector<std::string_view> &names) {
  std::string text;
  for (std::string_view name : names) text += (text.empty() ? "it takes `" : ", `") + std::string(name) + "`";
  return text.empty() ? "it takes no arguments" : text;
}

/// The parameters that must be given and are neither bound yet nor named by an argument.
static std::vector<std::string_view> missing(const std::vector<SignatureItem> &items, const Bound &bound,
                                             const GivenList &args) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < items.size(); ++i) {
    bool named = std::any_of(args.begin(), args.end(), [&](const Given &arg) { return arg.keyword == items[i].name; });
    if (!items[i].optional && !items[i].rest && !bound.values[i].given() && !named) names.push_back(items[i].name);
  }
  return names;
}

static Bound bindBuiltin(Context &cx, const BuiltinRow &row, GivenList args, Span span) {
  Bound bound;
  std::vector<SignatureItem> items = signatureItems(row.signature);
  std::string shown(row.name);
  bound.values.assign(items.size(), Value::of(ValueKind::Absent));
  bound.spans.assign(items.size(), span);
  size_t next = 0, positional = 0, plain = 0;
  for (const SignatureItem &item : items) plain += !item.rest;
  for (const Given &arg : args) positional += arg.keyword.empty();
  bool method = !args.empty() && args[0].keyword.empty() && !args[0].syntax && args[0].span == span;
  for (Given &arg : args) {
    if (arg.value.isPoison()) bound.ok = false;
    size_t at = items.size();
    if (arg.keyword.empty()) {
      if (next < items.size() && items[next].rest) {
        bound.rest.push_back(std::move(arg.value));
        bound.restSpans.push_back(arg.span);
        continue;
      }
      at = next++;
      if (at >= items.size()) {
        auto builder = report(cx, Id::tooManyArguments, arg.span, shown,
                              plain == method ? "no arguments" : diag::counted(plain - method, "argument"),
                              std::to_string(positional - method));
        std::vector<std::string_view> names;
        for (size_t i = method; i < items.size(); ++i) names.push_back(items[i].name);
        if (method && !names.empty()) builder.help(argumentNames(names));
        bound.ok = false;
        return bound;
      }
    } else {
      for (size_t i = 0; i < items.size(); ++i)
        if (items[i].name == ownWord(arg.keyword) && !items[i].rest) at = i;
      if (at == items.size()) {
        std::vector<std::string_view> names, open;  // open: not given yet
        for (size_t i = 0; i < items.size(); ++i) {
          names.push_back(items[i].name);
          if (!bound.values[i].given()) open.push_back(items[i].name);
        }
        auto builder = report(cx, Id::unknownKeyword, arg.keywordSpan, shown, arg.keyword);
        auto near = nearArgument(arg.keyword, open, missing(items, bound, args));
        if (near.empty()) builder.help(argumentNames(names));
        else builder.help("did you mean `" + std::string(near) + "`?");
        if (!near.empty() && cx.sources.text(arg.keywordSpan) == arg.keyword)
          builder.suggest(arg.keywordSpan, std::string(near), "write `" + std::string(near) + "`");
        bound.ok = false;
        continue;
      }
    }
    if (bound.values[at].given()) {
      report(cx, Id::argumentTwice, arg.span, shown, items[at].name);
      bound.ok = false;
      continue;
    }
    bound.values[at] = std::move(arg.value);
    bound.spans[at] = arg.span;
  }
  for (size_t i = 0; i < items.size() && bound.ok; ++i)
    if (!items[i].optional && !items[i].rest && !bound.values[i].given()) {
      report(cx, Id::argumentNotGiven, span, shown, items[i].name);
      bound.ok = false;
    }
  return bound;
}

/// `arange(1, n, 2)`, `round(x, 3)`: what a built-in function is given more than it takes, a function of the library (longer.tsr) does.
static std::optional<Value> longerForm(Context &cx, const BuiltinRow &row, GivenList args, Span span) {
  if ((row.kind != BuiltinKind::Arange && row.op != "round") || args.size() < 2) return std::nullopt;
  const Value &second = args[1].value;
  if (second.isPoison() || args[0].value.isPoison() || second.kind == ValueKind::DType || args[1].keyword == "dtype") return std::nullopt;
  if (args.size() == 3 && args[2].keyword.empty() && args[2].value.kind == ValueKind::DType) args[2].keyword = "dtype";  // arange(1, n, f32)
  ModuleScope *library = loadModule(cx, cx.main->ast->file, 0, "tessera.longer", {});
  auto found = library ? library->names.find("_" + std::string(row.name)) : std::map<std::string, Value>::iterator();
  if (!library || found == library->names.end()) return std::nullopt;
  return callFunction(cx, *found->second.callable, args, span);
}

static Value callArrayBuiltin(Context &cx, const BuiltinRow &row, Bound &args, Span span);

/// A list whose length sizes decide is one tensor. What is called with such a list itself does with its rows what it does with the items
/// of a known list. Nothing: it takes the tensor as any other.
static std::optional<Value> ofItems(Context &cx, const BuiltinRow &row, GivenList &args, Span span) {
  const ast::Expr *syntax = args.empty() ? nullptr : args[0].syntax;
  const bool made = syntax && (syntax->kind == ast::ExprKind::ListComp || syntax->kind == ast::ExprKind::GeneratorComp || isHeldList(cx, *syntax));
  const bool isList = !args.empty() && args[0].value.isArray() && (made || args[0].value.text == kHeldList);
  if (!isList) return std::nullopt;
  auto axis = std::find_if(args.begin(), args.end(), [](const Given &arg) { return arg.keyword == "axis"; });
  bool joins = row.kind == BuiltinKind::Stack || row.kind == BuiltinKind::Concat;
  bool reduces = row.kind == BuiltinKind::Reduce || row.kind == BuiltinKind::MinMax;
  if (reduces && args.size() == 1) args.push_back({"axis", Value::integer(Dim(0)), span, span, nullptr});
  if (!joins || args.size() != (axis == args.end() ? 1u : 2u)) return std::nullopt;
  Value rows = args[0].value;
  const auto rank = static_cast<int>(rows.type.shape.size());
  if (row.kind == BuiltinKind::Concat && rank < 2) {
    report(cx, Id::badOperand, args[0].span, std::string(row.name), "a list of numbers");
    return Value::poison();
  }
  auto at = axis == args.end() ? std::optional(0)
                               : axisOf(cx, axis->value, static_cast<size_t>(row.kind == BuiltinKind::Stack ? rank : rank - 1), axis->span, "the result of `" + std::string(row.name) + "`");
  if (!at) return Value::poison();
  std::vector<int> order;
  for (int i = 1; i < rank; ++i) order.push_back(i);
  order.insert(order.begin() + *at, 0);
  if (*at != 0) rows = transpose(cx, std::move(rows), std::move(order), span);
  return row.kind == BuiltinKind::Concat ? mergeAxes(cx, std::move(rows), static_cast<size_t>(*at), 2, span) : rows;
}

Value callBuiltin(Context &cx, const BuiltinRow &row, GivenList args, Span span) {
  bool kernelOnly = row.places.find('K') != std::string_view::npos,
       hostOnly = row.places.find('H') != std::string_view::npos;
  if (kernelOnly && !inKernel(cx)) {
    // The first one says it for the whole function: that it is no kernel is one mistake.
    Span function = cx.function.fn ? cx.function.fn->span : span;
    if (fresh(cx, Id::kernelOnly, function)) {
      report(cx, Id::kernelOnly, span, "tile." + std::string(row.name)).help("mark the function `@kernel`");
      cx.reportedSpans.insert({static_cast<int>(Id::kernelOnly), function.file, function.begin});
    }
    return Value::poison();
  }
  if (hostOnly && !inHost(cx)) {
    bool atModuleLevel = !cx.function.fn || cx.function.fn == &cx.moduleLevel;  // there the first one says it for all
    Span place = atModuleLevel && cx.scope ? Span{cx.scope->ast->file, 0, 0} : span;
    if (fresh(cx, Id::hostOnly, place)) {
      report(cx, Id::hostOnly, span, std::string(row.name))
          .help(row.name == "Rng"
                    ? "a function takes the stream, `rng: Rng`, which `def main()` makes of a seed: `Rng(0)`"
                    : "call it in `def main()`");
      cx.reportedSpans.insert({static_cast<int>(Id::hostOnly), place.file, place.begin});
    }
    return Value::poison();
  }
  if (row.signature == "**") {
    std::set<std::string> given;
    for (const Given &arg : args)
      if (!arg.keyword.empty() && !given.insert(arg.keyword).second) {
        if (fresh(cx, Id::argumentTwice, arg.span))
          report(cx, Id::argumentTwice, arg.span, std::string(row.name), arg.keyword);
        return Value::poison();
      }
  }
  if (auto made = ofItems(cx, row, args, span)) return *made;
  switch (row.kind) {
  case BuiltinKind::Unsupported: return unsupported(cx, std::string(row.op), span);
  case BuiltinKind::Decorator: return unsupported(cx, "`" + std::string(row.name) + "` outside of a decorator", span);
  case BuiltinKind::Schedule: return scheduleCall(cx, args, span);
  case BuiltinKind::Policy: return policyCall(cx, args, span);
  case BuiltinKind::Replace: return replaceFields(cx, std::move(args), span);
  case BuiltinKind::Partial: return makePartial(cx, std::move(args), span);
  case BuiltinKind::TreeMap: return treeMap(cx, args, span);
  case BuiltinKind::TreeLeaves: return treeLeaves(cx, args, span);
  case BuiltinKind::Grad: return makeDerivative(cx, row, std::move(args), span);
  case BuiltinKind::Vmap:
  case BuiltinKind::Checkpoint: return makeTransform(cx, row, std::move(args), span);
  case BuiltinKind::Mixed: return makeMixed(cx, args, span);
  case BuiltinKind::IsInstance: return isInstance(cx, args, span);
  case BuiltinKind::Dict: {
    Value v = Value::of(ValueKind::Dict);
    for (Given &arg : args) {
      v.items.push_back(Value::string(arg.keyword));
      v.items.push_back(std::move(arg.value));
    }
    return v;
  }
  case BuiltinKind::Set: return setOf(cx, args.empty() ? Value::of(ValueKind::Absent) : args[0].value, span);
  default: break;
  }
  if (row.op == "save_npz") return saveNpz(cx, row, args, span);
  if (row.kind == BuiltinKind::Draw && row.name != "bernoulli" && args.size() == 1) args.push_back({"shape", Value::tuple({}), span, span, nullptr});
  const bool places = row.kind == BuiltinKind::Where && inHost(cx) && args.size() == 1 && args[0].keyword.empty();
  if (places) return placesNotZero(cx, args[0].value, false, span);
  if (auto longer = longerForm(cx, row, args, span)) return *longer;
  BuiltinRow called = row;
  const auto byPlace = std::count_if(args.begin(), args.end(), [](const Given &arg) { return arg.keyword.empty(); });
  if (row.kind == BuiltinKind::Draw && byPlace > 3) called.signature = row.signature.substr(0, row.signature.find(", at="));  // which stands under its name
  Bound bound = bindBuiltin(cx, called, args, span);
  if (!bound.ok) return Value::poison();
  noteBuiltinEffect(cx, row, span);
  Value v = callEffectBuiltin(cx, row, bound, span);
  if (v.given()) return v;
  if (row.kind == BuiltinKind::Table) {
    const ast::Expr *syntax = nullptr;
    for (const Given &arg : args)
      if (arg.syntax && arg.span == bound.spans[0]) syntax = arg.syntax;
    return arrayTable(cx, row, bound, syntax, span);
  }
  if (hostOnly) return callHostBuiltin(cx, row, bound, args, span);
  v = callKernelBuiltin(cx, row, bound, args, span);
  if (v.given()) return v;
  return callArrayBuiltin(cx, row, bound, span);
}

/// `zeros((n, D))` of a parameter `n: int`: a number of each call, which is a dimension if the parameter says so.
static void offerDimension(const Context &cx, diag::Builder builder, const std::string &name) {
  const Frame &frame = *cx.function.frame;
  const ast::FuncDef *def = frame.function ? frame.function->def : nullptr;
  for (size_t i = 0; def && i < def->parameters.size(); ++i) {
    const ast::Parameter &p = def->parameters[i];
    const std::string_view type = p.annotation ? cx.sources.text(p.annotation->span) : "";
    if (p.name.text != name || (type != "int" && type != "i64" && type != "i32" && type != "Int")) continue;
    std::string dim = name;
    for (char &c : dim) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    while (dim == name || frame.dims.count(dim) || frame.generics.count(dim)) dim += "_";
    builder.help("sizes are numbers that the compiler knows, or dimensions; host code may pass any integer for one")
        .suggest(p.annotation->span, "Const[\"" + dim + "\"]", "say that `" + name + "` is a dimension");
  }
}

bool shapeArgument(Context &cx, const Value &value, Span span, std::vector<Dim> &shape) {
  std::vector<Value> items = value.isSequence() ? value.items : std::vector<Value>{value};
  for (const Value &item : items) {
    if (item.kind != ValueKind::Int) {
      if (!item.isPoison() && fresh(cx, Id::wrongArgument, span))
        report(cx, Id::wrongArgument, span, quoted("a shape"), "integers and dimensions", describe(cx, item));
      return false;
    }
    Dim d = item.sym;
    std::set<std::string> vars;
    d.collectVars(vars);
    for (const std::string &v : vars)
      if (v[0] == '%') {
        d = cx.function.facts.external(d);
        break;
      }
    vars.clear();
    d.collectVars(vars);
    for (const std::string &v : vars)
      if (v[0] == '%') {
        if (fresh(cx, Id::notConstant, span)) offerDimension(cx, report(cx, Id::notConstant, span, "a dimension (`" + show(cx, d) + "`)"), show(cx, d));
        return false;
      }
    shape.push_back(d);
  }
  return true;
}

bool sizesArePossible(Context &cx, const std::vector<Dim> &shape, Span span) {
  for (const Dim &d : shape) {
    std::vector<Dim::Term> terms = d.terms();
    bool grows = std::all_of(terms.begin(), terms.end(), [](const Dim::Term &t) { return t.coefficient >= 0; });
    shape::Formula positive(d, Relation::Ge, Dim(0));
    if (grows || claim(cx, positive, "`" + show(cx, d) + "` is an extent, so it must not be negative", span)) continue;
    if (!fresh(cx, Id::badConstant, span)) return false;
    auto builder = report(cx, Id::badConstant, span,
                          "the extent " + show(cx, d) + (d.isConstant() ? " is negative" : " may be negative"));
    if (!d.isConstant()) explainClaim(cx, builder, positive);
    return false;
  }
  return true;
}

std::optional<DType> dtypeArgument(Context &cx, const Value &value, Span span, Numerics *numerics) {
  if (value.kind == ValueKind::DType || (value.kind == ValueKind::Policy && value.truth)) {
    if (numerics) *numerics = value.type.numerics;
    return value.type.dtype;
  }
  if (value.kind == ValueKind::Builtin) {  // Python's names
    if (value.builtin->name == "float") return DType::F32;
    if (value.builtin->name == "int") return DType::I32;
    if (value.builtin->name == "bool") return DType::Bool;
  }
  if (!value.isPoison() && fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted("this argument"), "a dtype", describe(cx, value));
  return std::nullopt;
}

std::optional<bool> flagArgument(Context &cx, const Bound &args, size_t i) {
  if (!args.values[i].given()) return false;
  return knownBool(cx, args.values[i], args.spans[i], "this choice");
}

Value arrayArgument(Context &cx, const Bound &args, size_t i, const std::string &shown) {
  Value v = toArray(cx, args.values[i], DType::F32, args.spans[i]);
  if (v.isArray()) return v;
  if (!v.isPoison() && !reportNone(cx, v, args.spans[i]) && fresh(cx, Id::badOperand, args.spans[i]))
    report(cx, Id::badOperand, args.spans[i], shown, describe(cx, v));
  return Value::poison();
}

static Value callArrayBuiltin(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  using Handler = Value (*)(Context &, const BuiltinRow &, Bound &, Span);
  static const std::map<BuiltinKind, Handler> handlers = {
      {BuiltinKind::Elementwise, &arrayElementwise},
      {BuiltinKind::Where, &arrayWhere},
      {BuiltinKind::Reduce, &arrayReduce},
      {BuiltinKind::MinMax, &arrayMinMax},
      {BuiltinKind::Mean, &arrayMean},
      {BuiltinKind::Cast, &arrayCast},
      {BuiltinKind::Transpose, &arrayTranspose},
      {BuiltinKind::Reshape, &arrayReshape},
      {BuiltinKind::BroadcastTo, &arrayBroadcastTo},
      {BuiltinKind::Unsqueeze, &arrayUnsqueeze},
      {BuiltinKind::Squeeze, &arraySqueeze},
      {BuiltinKind::Concat, &arrayConcat},
      {BuiltinKind::Split, &arraySplit},
      {BuiltinKind::Stack, &arrayStack},
      {BuiltinKind::Flatten, &arrayFlatten},
      {BuiltinKind::Expand, &arrayExpand},
      {BuiltinKind::Repeat, &arrayRepeat},
      {BuiltinKind::Einsum, &arrayEinsum},
      {BuiltinKind::Take, &arrayTake},
      {BuiltinKind::Gather, &arrayGather},
      {BuiltinKind::ScatterAdd, &arrayScatterAdd},
      {BuiltinKind::Argsort, &arrayArgsort},
      {BuiltinKind::Scan, &arrayScan},
      {BuiltinKind::Conv, &arrayConv},
      {BuiltinKind::Pool, &arrayPool},
      {BuiltinKind::Dot, &arrayDot},
      {BuiltinKind::Full, &arrayFull},
      {BuiltinKind::Zeros, &arrayFull},
      {BuiltinKind::Ones, &arrayFull},
      {BuiltinKind::Iota, &arrayIota},
      {BuiltinKind::Arange, &arrayIota},
      {BuiltinKind::Cdiv, &arrayCdiv},
      {BuiltinKind::Len, &arrayLen},
      {BuiltinKind::Enumerate, &arrayEnumerate},
      {BuiltinKind::IsTraining, &isTraining},
      {BuiltinKind::Parameter, &modelParameter},
      {BuiltinKind::Zip, &arrayZip},
      {BuiltinKind::Reversed, &arrayReversed},
      {BuiltinKind::DictParts, &arrayDictParts},
      {BuiltinKind::ToInt, &arrayToInt},
      {BuiltinKind::ToFloat, &arrayToFloat},
      {BuiltinKind::ToBool, &arrayToBool},
      {BuiltinKind::Range, &arrayRange},
      {BuiltinKind::StaticRange, &arrayStaticRange},
  };
  auto it = handlers.find(row.kind);
  if (it == handlers.end()) return unsupported(cx, "`" + std::string(row.name) + "`", span);
  return it->second(cx, row, args, span);
}

}  // namespace tessera::sema
