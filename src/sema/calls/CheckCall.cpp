// Calls: arguments are bound to parameters; bodies of tensor functions are traced where they are called.
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/EditorFacts.h"
#include "sema/FactTable.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/calls/Models.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

/// `toPlace`: the first one is a place of memory, which is not read.
static GivenList arguments(Context &cx, const ast::CallExpr &expr, bool toPlace = false) {
  GivenList out;
  for (const ast::Argument &arg : expr.arguments) {
    const bool isPlace =
        toPlace && as<ast::SubscriptExpr>(arg.value) && (arg.keyword ? arg.keyword->text == "target" : out.empty());
    Value v = isPlace ? Value::of(ValueKind::None) : checkExpr(cx, *arg.value);
    if (arg.stars == 1) {
      if (v.isSequence())
        for (Value &item : v.items) out.push_back({"", item, arg.span, {}, arg.value.get()});
      else {
        if (!v.isPoison()) report(cx, Id::notIterable, arg.span, describe(cx, v));
        out.push_back({"", Value::poison(), arg.span, {}, arg.value.get()});
      }
      continue;
    }
    if (arg.stars == 2) {
      if (v.kind != ValueKind::Dict) {
        if (!v.isPoison()) report(cx, Id::wrongArgument, arg.span, quoted("**"), "a dict", describe(cx, v));
        continue;
      }
      for (size_t i = 0; i + 1 < v.items.size(); i += 2) {
        Span word = v.items[i].declared.valid() ? v.items[i].declared : arg.span;
        out.push_back({v.items[i].text, v.items[i + 1], arg.span, word, arg.value.get()});
      }
      continue;
    }
    Given given{arg.keyword ? arg.keyword->text : "", std::move(v), arg.value->span,
                arg.keyword ? arg.keyword->span : Span{}, arg.value.get()};
    out.push_back(std::move(given));
  }
  return out;
}

namespace {
/// `jax.random.normal`: a function of another library.
bool isForeign(const ast::Expr &callee) {
  const ast::Expr *root = &callee;
  while (auto *member = as<ast::AttributeExpr>(root)) root = member->object.get();
  auto *name = as<ast::NameExpr>(root);
  return name && root != &callee && (foreignName(name->name) || foreignPackage(name->name));
}
}  // namespace

Value checkCall(Context &cx, const ast::CallExpr &expr, const std::function<void(GivenList &)> &look) {
  if (auto item = popFromHeldList(cx, expr)) return *item;
  if (auto item = popped(cx, expr)) return *item;
  Value callee = checkExpr(cx, *expr.callee);
  if (callee.isPoison()) {
    size_t before = cx.diagnostics.all().size();
    arguments(cx, expr);  // mistakes in them are said, too, but not that other libraries have other names
    bool foreign = isForeign(*expr.callee);
    const auto &said = cx.diagnostics.all();
    for (size_t i = before; !foreign && i < said.size(); ++i)
      foreign = said[i].id == Id::undefinedName && foreignName(cx.sources.text(said[i].span)) &&
                expr.callee->kind == ast::ExprKind::Attribute;
    if (foreign) cx.diagnostics.truncate(before);
    return callee;
  }
  if (callee.kind == ValueKind::Builtin && callee.builtin->kind == BuiltinKind::Unsupported)
    return unsupported(cx, std::string(callee.builtin->op), expr.span);
  GivenList args =
      arguments(cx, expr, callee.kind == ValueKind::Builtin && callee.builtin->kind == BuiltinKind::Atomic);
  if (look) look(args);
  return callValue(cx, callee, std::move(args), expr.span, std::string(cx.sources.text(expr.callee->span)));
}

static Value callDType(Context &cx, const Value &dtype, const GivenList &args, Span span, const std::string &shown);
static Value withSchedule(Context &cx, const Callable &kernel, const GivenList &args, Span span);
static Value callPartial(Context &cx, const Value &partial, GivenList args, Span span);

static Value notedBuiltin(Context &cx, const BuiltinRow &row, GivenList args, Span span) {
  NotedWork work(cx, span);
  for (const Given &argument : args) work.without(argument.value);
  Value result = callBuiltin(cx, row, std::move(args), span);
  work.returned(result);
  return result;
}

/// `list(range(0, n, 4))` and `tuple(items)`: the items, where the compiler knows them. Nothing if it is another call.
static std::optional<Value> listOf(Context &cx, const Value &type, const GivenList &args, Span span) {
  if ((type.text != "list" && type.text != "tuple") || args.size() != 1 || !args[0].keyword.empty()) return std::nullopt;
  Value from = iteratedStruct(cx, args[0].value, span);
  if (from.isPoison()) return from;
  if (type.text == "list" && from.kind == ValueKind::String && !from.expr) {
    Value letters = Value::of(ValueKind::List);
    for (char c : from.text) letters.items.push_back(Value::string(std::string(1, c)));
    return letters;
  }
  if (type.text == "list" && from.kind == ValueKind::Dict) return keysOfDict(from);
  if (type.text == "list" && inHost(cx)) {
    if (isHeldDict(from)) return partsOfDict(cx, from, "keys", span);
    if (isHeldRows(from) || (from.kind == ValueKind::HostTensor && from.text == kHeldList)) return from;
    if (Value made = listOfIterated(cx, from, span); made.kind == ValueKind::HostTensor || made.isPoison()) return made;
  }
  if (from.isArray() && hasRows(cx, from)) return from;  // its rows, one behind the other
  if (!from.isSequence() && from.kind != ValueKind::Range) return std::nullopt;
  Value made = type.text == "list" ? Value::of(ValueKind::List) : Value::tuple({});
  if (from.isSequence()) {
    made.items = from.items;
  } else {
    auto numbers = knownRange(cx, from, args[0].span, "the range of a list");
    if (!numbers) return Value::poison();
    made.items = std::move(*numbers);
  }
  return withinLimits(cx, std::move(made), span);
}

Value callValue(Context &cx, const Value &callee, GivenList args, Span span, const std::string &shown) {
  if (callee.kind == ValueKind::TypeName)
    if (auto made = listOf(cx, callee, args, span)) return *made;
  switch (callee.kind) {
  case ValueKind::Poison: return callee;
  case ValueKind::Builtin: return notedBuiltin(cx, *callee.builtin, std::move(args), span);
  case ValueKind::Method: {
    const Value &object = callee.items[0];
    if (!callee.builtin && isListOfHost(object) && (callee.text == "index" || callee.text == "count")) return askList(cx, object, callee.text, args, span);
    if (object.kind == ValueKind::String) return textMethod(cx, object, callee.text, args, span);
    if (callee.text == kCopy && !callee.builtin && !callee.callable) {
      if (args.empty()) return object;
      report(cx, Id::tooManyArguments, span, callee.text, "no arguments", std::to_string(args.size()));
      return Value::poison();
    }
    if (object.kind == ValueKind::Schedule) return scheduleMethod(cx, object, callee.text, args, span);
    if (object.kind == ValueKind::Function && callee.text == "specialize") return specialize(cx, *object.callable, args, span);
    if (object.kind == ValueKind::Function) return withSchedule(cx, *object.callable, args, span);
    if (object.kind == ValueKind::Rng && !callee.builtin) {
      args.push_back(Given{"rng", object, span, span, nullptr});
      return callFunction(cx, *callee.callable, std::move(args), span);
    }
    args.insert(args.begin(), Given{"", object, span, {}, nullptr});
    if (callee.builtin) return notedBuiltin(cx, *callee.builtin, std::move(args), span);
    if (callee.items.size() > 1) return callOverloads(cx, callee.items[1], std::move(args), span);
    return callFunction(cx, *callee.callable, std::move(args), span);
  }
  case ValueKind::Function:
    if (callee.callable->makes) return callMaker(cx, callee, std::move(args), span);
    return callFunction(cx, *callee.callable, std::move(args), span);
  case ValueKind::Overloads: return callOverloads(cx, callee, std::move(args), span);
  case ValueKind::Partial: return callPartial(cx, callee, std::move(args), span);
  case ValueKind::Derivative: return callDerivative(cx, callee, std::move(args), span);
  case ValueKind::Transform: return callTransform(cx, callee, std::move(args), span);
  case ValueKind::StructType:
    if (callee.instance->info->model) return callModelType(cx, callee, std::move(args), span);
    return constructStruct(cx, callee, std::move(args), span);
  case ValueKind::DType: return callDType(cx, callee, args, span, shown);
  case ValueKind::Struct:  // `model(x)`
    if (callee.instance->info->model && !callee.isStack()) return callModel(cx, callee, std::move(args), span);
    if (callee.instance->info->methods.count("__call__")) {
      Value method = memberOfStruct(cx, callee, "__call__", span);
      return method.isPoison() ? method : callValue(cx, method, std::move(args), span, shown);
    }
    [[fallthrough]];
  default:
    if (!reportNone(cx, callee, span) && fresh(cx, Id::notCallable, span)) {
      auto builder = report(cx, Id::notCallable, span, describe(cx, callee));
      const StructInfo *info = callee.kind == ValueKind::Struct ? callee.instance->info : nullptr;
      if (info && info->methods.size() == 1) {  // as modules of PyTorch are
        const std::string &method = info->methods.begin()->first;
        const uint32_t end = span.begin + static_cast<uint32_t>(shown.size());
        builder.help("it has the method `" + method + "`");
        if (cx.sources.text({span.file, span.begin, end}) == shown)
          builder.suggest({span.file, end, end}, "." + method, "call `" + method + "`");
      }
    }
    return Value::poison();
  }
}

/// bf16(x): a conversion.
static Value callDType(Context &cx, const Value &dtype, const GivenList &args, Span span, const std::string &shown) {
  if (cx.misnamed.count(shown)) {  // a function cannot have this name: it was said
    ++cx.failures;
    return Value::poison();
  }
  if (args.size() != 1 || !args[0].keyword.empty()) {
    report(cx, Id::tooManyArguments, span, shown, "one value", std::to_string(args.size()));
    return Value::poison();
  }
  const Value &value = args[0].value;
  if (value.isPoison() || reportNone(cx, value, args[0].span)) return Value::poison();
  if (value.kind == ValueKind::None || value.isSequence() || value.kind == ValueKind::String) {
    report(cx, Id::wrongArgument, args[0].span, quoted(shown), "a number", describe(cx, value));
    return Value::poison();
  }
  return castTo(cx, value, dtype.type.dtype, dtype.type.numerics, span);
}

/// kernel.with_schedule(...): the same kernel with other sizes.
static Value withSchedule(Context &cx, const Callable &kernel, const GivenList &args, Span span) {
  for (const Given &arg : args)
    if (arg.value.isPoison()) return Value::poison();
  if (!args.empty() && args[0].keywordSpan.valid()) {  // block=(64, 64), warps=4
    Span all = args.front().keywordSpan.to(args.back().span);
    std::string fields;
    for (const Given &arg : args) {
      std::string_view ours = fieldHere(arg.keyword), name = ours.empty() ? std::string_view(arg.keyword) : ours;
      fields += (fields.empty() ? "" : ", ") + std::string(name) + (name.empty() ? "" : "=") +
                std::string(cx.sources.text(arg.span));
    }
    report(cx, Id::wrongArgument, all, quoted("with_schedule"), "one schedule", "what a schedule is made of")
        .suggest(all, "Schedule(" + fields + ")", "make a schedule of it");
    return Value::poison();
  }
  if (args.size() != 1 || args[0].value.kind != ValueKind::Schedule) {
    report(cx, Id::wrongArgument, span, quoted("with_schedule"), "one schedule",
           args.empty() ? "nothing" : describe(cx, args[0].value));
    return Value::poison();
  }
  cx.callables.push_back(kernel);
  Callable &made = cx.callables.back();
  made.schedule = args[0].value.schedule;
  made.checked = nullptr;
  made.failed = false;
  Value v = Value::of(ValueKind::Function);
  v.callable = &made;
  return v;
}

bool isCallable(const Value &value) {
  switch (value.kind) {
  case ValueKind::Builtin:
  case ValueKind::Method:
  case ValueKind::Function:
  case ValueKind::Overloads:
  case ValueKind::Partial:
  case ValueKind::Derivative:
  case ValueKind::Transform: return true;
  case ValueKind::Struct:
    return (value.instance->info->methods.count("__call__") || value.instance->info->model) && !value.isStack();
  default: return false;
  }
}

Value makePartial(Context &cx, GivenList args, Span span) {
  if (args.empty() || !args[0].keyword.empty() || !isCallable(args[0].value)) {
    bool poison = !args.empty() && args[0].value.isPoison();
    if (!poison)
      report(cx, Id::wrongArgument, args.empty() ? span : args[0].span, quoted("partial"), "a function",
             args.empty() ? "nothing" : describe(cx, args[0].value));
    return Value::poison();
  }
  Value v = Value::of(ValueKind::Partial);
  Value positional = Value::tuple({}), named = Value::of(ValueKind::Dict), places = Value::tuple({});
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].value.isPoison()) return Value::poison();
    Value kept =
        args[i].value.expr && cx.function.block ? reusable(cx, args[i].value, "argument", args[i].span) : args[i].value;
    if (args[i].keyword.empty()) {
      positional.items.push_back(std::move(kept));
      places.items.push_back(Value::of(ValueKind::Absent));
      places.items.back().declared = args[i].span;
    } else {
      named.items.push_back(Value::string(args[i].keyword));
      named.items.back().declared = args[i].keywordSpan;
      named.items.push_back(std::move(kept));
    }
  }
  for (size_t i = 1; i < args.size(); ++i)
    if (!args[i].keyword.empty()) {
      places.items.push_back(Value::of(ValueKind::Absent));
      places.items.back().declared = args[i].span;
    }
  v.items = {std::move(args[0].value), std::move(positional), std::move(named), std::move(places)};
  return v;
}

static Value callPartial(Context &cx, const Value &partial, GivenList args, Span span) {
  GivenList all;
  const std::vector<Value> &places = partial.items[3].items;  // of the arguments, those with names last
  size_t place = 0;
  for (const Value &v : partial.items[1].items) all.push_back({"", v, places[place++].declared, {}, nullptr});
  for (size_t i = 0; i + 1 < partial.items[2].items.size(); i += 2) {
    const std::string &keyword = partial.items[2].items[i].text;
    bool again = false;  // as in Python, what is given at the call wins
    for (const Given &arg : args) again |= arg.keyword == keyword;
    Span word = partial.items[2].items[i].declared.valid() ? partial.items[2].items[i].declared : span;
    Span at = places[place++].declared;
    if (!again) all.push_back({keyword, partial.items[2].items[i + 1], at, word, nullptr});
  }
  for (Given &arg : args) all.push_back(std::move(arg));
  return callValue(cx, partial.items[0], std::move(all), span, "partial");
}

// ---------------------------------------------------------------- binding

/// The parameters that must be given and are neither bound yet nor named by an argument.
static std::vector<std::string_view> missing(const std::vector<ast::Parameter> &parameters,
                                             const std::vector<Value> &values, const GivenList &args) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter &p = parameters[i];
    bool needed = p.kind == ast::ParameterKind::Plain || p.kind == ast::ParameterKind::KeywordOnly;
    bool named = std::any_of(args.begin(), args.end(), [&](const Given &arg) { return arg.keyword == p.name.text; });
    if (needed && !p.defaultValue && !values[i].given() && !named) names.push_back(p.name.text);
  }
  return names;
}

bool bindParameters(Context &cx, const Callable &callable, GivenList &args, Span span, std::vector<Value> &values,
                    std::vector<Span> &spans) {
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  const std::string &shown = callable.name;
  values.assign(parameters.size(), Value::of(ValueKind::Absent));
  spans.assign(parameters.size(), span);
  bool ok = true;
  size_t next = 0;
  size_t plain = 0;
  for (const ast::Parameter &p : parameters) plain += p.kind == ast::ParameterKind::Plain;
  for (Given &arg : args) {
    if (arg.value.isPoison()) ok = false;
    size_t at = parameters.size();
    if (arg.keyword.empty()) {
      while (next < parameters.size() && parameters[next].kind != ast::ParameterKind::Plain &&
             parameters[next].kind != ast::ParameterKind::VarPositional)
        ++next;
      if (next >= parameters.size()) {
        size_t count = std::count_if(args.begin(), args.end(), [](const Given &g) { return g.keyword.empty(); });
        auto builder = report(cx, Id::tooManyArguments, arg.span, shown,
                              std::to_string(plain) + (plain == 1 ? " argument" : " arguments"), std::to_string(count));
        builder.note(callable.nameSpan, "defined here");
        for (size_t i = 0; i < parameters.size(); ++i) {
          if (parameters[i].kind != ast::ParameterKind::KeywordOnly || values[i].given()) continue;
          const std::string &name = parameters[i].name.text;
          builder.help("`" + name + "` stands behind `*`: it is given by name")
              .fix({arg.span.file, arg.span.begin, arg.span.begin}, name + "=", "name it");
          break;
        }
        return false;
      }
      at = next;
      if (parameters[at].kind == ast::ParameterKind::VarPositional) {
        spans[at] = values[at].given() ? spans[at].to(arg.span) : arg.span;
        if (!values[at].given()) values[at] = Value::tuple({});
        values[at].items.push_back(std::move(arg.value));
        continue;
      }
      ++next;
    } else {
      const bool ofLibrary = cx.libraryFiles.count(callable.nameSpan.file) != 0;
      const std::string_view word = ofLibrary ? ownWord(arg.keyword) : std::string_view(arg.keyword);
      for (size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].name.text == word &&
            (parameters[i].kind == ast::ParameterKind::Plain || parameters[i].kind == ast::ParameterKind::KeywordOnly))
          at = i;
      if (at == parameters.size()) {
        std::vector<std::string_view> names, open;  // open: not given yet
        for (size_t i = 0; i < parameters.size(); ++i) {
          names.push_back(parameters[i].name.text);
          if (!values[i].given()) open.push_back(parameters[i].name.text);
        }
        auto builder = report(cx, Id::unknownKeyword, arg.keywordSpan, shown, arg.keyword);
        auto near = nearArgument(arg.keyword, open, missing(parameters, values, args));
        if (near.empty()) builder.help(argumentNames(names));
        else builder.help("did you mean `" + std::string(near) + "`?");
        if (!near.empty() && cx.sources.text(arg.keywordSpan) == arg.keyword)
          builder.suggest(arg.keywordSpan, std::string(near), "write `" + std::string(near) + "`");
        ok = false;
        continue;
      }
    }
    if (values[at].given()) {
      report(cx, Id::argumentTwice, arg.span, shown, parameters[at].name.text);
      ok = false;
      continue;
    }
    values[at] = std::move(arg.value);
    spans[at] = arg.span;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (values[i].given()) continue;
    if (parameters[i].kind == ast::ParameterKind::VarPositional) values[i] = Value::tuple({});
    else if (parameters[i].kind == ast::ParameterKind::VarKeyword) values[i] = Value::of(ValueKind::Dict);
    else if (!parameters[i].defaultValue) {
      if (ok) {
        auto builder = report(cx, Id::argumentNotGiven, span, shown, parameters[i].name.text);
        builder.note(parameters[i].span, "declared here");
        for (size_t j = 0; j < i; ++j)  // `sample_top_k(logits, 50, rng)`, which lacks the number in front of `rng`
          if (spans[j].valid() && cx.sources.text(spans[j]) == parameters[i].name.text)
            builder.help("`" + parameters[i].name.text + "` stands in the place of `" + parameters[j].name.text + "`, which is missing in front of it");
      }
      ok = false;
    }
  }
  return ok;
}

/// How much a function that halves its work is given: what is known of a number, or of the elements of a tensor.
static std::optional<int64_t> knownSize(const Value &v) {
  if (v.isKnownInt() && !v.expr) return v.sym.constant() < 0 ? std::nullopt : std::optional(v.sym.constant());
  const std::vector<Dim> &extents = v.kind == ValueKind::HostTensor ? v.madeAs : v.type.shape;
  if ((v.kind != ValueKind::HostTensor && !v.isArray()) || extents.empty()) return std::nullopt;
  int64_t size = 1;
  for (const Dim &extent : extents)
    if (!extent.isConstant() || __builtin_mul_overflow(size, extent.constant(), &size)) return std::nullopt;
  return size;
}

/// `fft(x[::2])` in `fft(x)`: a call of itself with less, which the compiler knows, comes to an end and is written out as any other.
static bool isGivenLess(const Context &cx, const Callable &callable, const GivenList &args) {
  const Frame *frame = cx.function.frame.get();
  if (!frame || frame->function != &callable || callable.active) return false;
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  for (size_t i = 0; i < args.size() && i < parameters.size() && args[i].keyword.empty(); ++i) {
    auto own = frame->names.find(parameters[i].name.text);
    const auto now = knownSize(args[i].value), before = own == frame->names.end() ? std::nullopt : knownSize(own->second.value);
    if (now && before && *now < *before) return true;
  }
  return false;
}

bool isRecursive(Context &cx, const Callable &callable, Span span) {
  auto isThis = [&](const TracedCall &call) { return call.callable == &callable; };
  if (!callable.active && std::none_of(cx.function.calls.begin(), cx.function.calls.end(), isThis)) return false;
  if (fresh(cx, Id::recursion, span))
    report(cx, Id::recursion, span, callable.name).help("the compiler writes calls out, and knows no end of these: use a loop, `for i in range(n):`, or give each call less than it was given, where sizes are numbers");
  return true;
}

Value callFunction(Context &cx, const Callable &callable, GivenList args, Span span) {
  const bool isOwn = inHost(cx) && !cx.function.arrayWork && callsItself(callable);
  if (!isOwn && !isGivenLess(cx, callable, args) && isRecursive(cx, callable, span)) return Value::poison();
  std::vector<Value> values;
  std::vector<Span> spans;
  if (!bindParameters(cx, callable, args, span, values, spans)) return Value::poison();
  for (size_t i = 0; i < values.size(); ++i)
    if (isUsedUp(cx, values[i], spans[i])) return Value::poison();
  if (!cx.function.fn && callable.name == "main" && fresh(cx, Id::notSupportedYet, span)) {
    report(cx, Id::notSupportedYet, span, kCallAtModuleLevel).help("`tessera run` calls `main` itself").suggest(span, "", "leave it out");
    return Value::poison();
  }
  if (!cx.function.fn) return unsupported(cx, kCallAtModuleLevel, span, "put it into `def main()`, which `tessera run` calls");
  if (callable.isKernel) {
    if (inKernel(cx)) return unsupported(cx, "calling a kernel inside a kernel", span);
    return callEntry(cx, callable, std::move(values), spans, span);
  }
  const bool isLeft = isOwn && callable.inHost;
  if (inHost(cx) && callable.def && callable.name != "main" && !isLeft && isEntry(cx, callable)) {
    Value made = callEntry(cx, callable, values, spans, span);
    if (!callable.inHost) return made;
  }
  if (inHost(cx) && callable.inHost) cx.ranByHost.insert(&callable);
  if (isOwn) return callOwnFunction(cx, callable, std::move(values), spans, span);
  if (callable.isCheckpoint && !inHost(cx) && !inKernel(cx)) {  // stays a call: its derivative is made in its own way
    if (isEntry(cx, callable)) return callEntry(cx, callable, std::move(values), spans, span);
    return callCheckpoint(cx, callable, std::move(values), spans, span);
  }
  if ((callable.isCustomVjp || callable.isCustomJvp) && !inHost(cx) && !inKernel(cx)) {  // ... and this one by hand
    if (callable.module != cx.main && isEntry(cx, callable))
      checkRule(cx, callable);  // those of the main module are entries, and are checked as such
    if (isEntry(cx, callable)) return callEntry(cx, callable, std::move(values), spans, span);
    return callRuled(cx, callable, std::move(values), spans, span);
  }
  return inlineCall(cx, callable, std::move(values), spans, span);
}

std::shared_ptr<Frame> calleeFrame(const Context &cx, const Callable &callable) {
  auto frame = std::make_shared<Frame>();
  frame->function = &callable;
  frame->module = callable.module;
  frame->parent = callable.closure;
  frame->inlined = true;
  frame->conditionDepth = cx.function.conditionDepth;
  auto open = [&](const std::vector<ast::TypeParameter> &parameters) {
    for (const ast::TypeParameter &t : parameters) (isDTypeParameter(cx, t) ? frame->dtypeGenerics : frame->generics).insert(t.name.text);
  };
  if (callable.def) open(callable.def->typeParameters);
  if (callable.makes) {
    open(callable.makes->def->typeParameters);
    if (cx.maker && cx.maker->info == callable.makes) {
      frame->dims = cx.maker->dims;
      for (const auto &[name, type] : cx.maker->dtypes) frame->names[name].value = Value::dtype(type.dtype, type.numerics);
    }
  }
  return frame;
}

namespace {
/// Whether one of the messages from this one on is about the shape of an argument.
bool saysShapes(const std::vector<diag::Diagnostic> &said, size_t from) {
  return std::any_of(said.begin() + static_cast<std::ptrdiff_t>(from), said.end(),
                     [](const diag::Diagnostic &d) { return d.id == Id::shapeMismatch || d.id == Id::rankMismatch; });
}
}  // namespace

/// `layernorm_safe(x, D)`: what is a fraction where nothing is given is no extent of a tensor.
static bool isExtentForFraction(Context &cx, const Value &value, const ast::Parameter &p, Span span) {
  auto *fraction = as<ast::FloatExpr>(p.defaultValue);
  const bool extent = value.kind == ValueKind::Int && !value.sym.isConstant();
  if (!extent || !fraction || fraction->value <= 0 || fraction->value >= 1) return false;
  if (fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted(p.name.text), "a number such as `" + fraction->text + "`", "an extent")
        .note(p.name.span, "declared here")
        .help("an extent that is meant as a number is written `f32(" + std::string(cx.sources.text(span)) + ")`");
  return true;
}

/// In a method that host code runs, the dimensions of its struct are extents of the fields, which run time knows.
static void nameExtentsOfFields(Context &cx, const Value &object) {
  const StructInfo &info = *object.instance->info;
  Frame &frame = *cx.function.frame;
  std::erase_if(frame.dims, [](const auto &dim) { return !dim.second.isConstant(); });  // of the function that made it
  if (!info.def) return;
  for (const ast::TypeParameter &t : info.def->typeParameters)
    if (!isDTypeParameter(cx, t) && !frame.dims.count(t.name.text)) frame.generics.insert(t.name.text);
  for (size_t i = 0; i < info.fields.size() && i < object.items.size(); ++i) {
    auto *type = as<ast::SubscriptExpr>(&withoutPolicies(*info.fields[i].type));
    auto *name = type ? as<ast::NameExpr>(type->object) : nullptr;
    DimExprs dims;
    if (!name || name->name != "Tensor" || object.items[i].kind != ValueKind::HostTensor || object.items[i].stackAxes > 0) continue;
    for (const ast::Argument &item : type->items)
      if (!item.keyword && item.value->kind != ast::ExprKind::Policy && !isDTypeExpr(cx, *item.value)) dims.push_back(item.value.get());
    bindHostTensor(cx, object.items[i], dims, *info.fields[i].type, "`" + info.fields[i].name + "`");
  }
}

/// The dimensions that only formulas of the parameters give, such as `N + M`: one may need what a later parameter gives.
static void solveFormulas(Context &cx, const std::vector<ast::Parameter> &parameters, const std::vector<Value> &values, const std::vector<Span> &spans) {
  auto isFormula = [](const ast::Parameter &p) { return p.annotation && p.kind != ast::ParameterKind::VarPositional && hasFormulas(*p.annotation); };
  if (std::none_of(parameters.begin(), parameters.end(), isFormula)) return;
  const Frame &frame = *cx.function.frame;
  for (size_t before = frame.dims.size() + frame.names.size() + 1; before != frame.dims.size() + frame.names.size();) {
    before = frame.dims.size() + frame.names.size();
    for (size_t i = 0; i < parameters.size(); ++i)
      if (isFormula(parameters[i])) bindGenerics(cx, values[i], *parameters[i].annotation, {spans[i], "`" + parameters[i].name.text + "`"}, Gives::Solved);
  }
}

bool matchArguments(Context &cx, const Callable &callable, std::vector<Value> &values, const std::vector<Span> &spans,
                    int *failed) {
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  if (callable.structure && !callable.makes && !values.empty() && values[0].kind == ValueKind::Struct) {
    cx.function.frame->dims = values[0].instance->dims;
    for (const auto &[name, type] : values[0].instance->dtypes) {
      cx.function.frame->names[name].value = Value::dtype(type.dtype, type.numerics);
    }
    if (inHost(cx) && !values[0].isState()) nameExtentsOfFields(cx, values[0]);
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter &p = parameters[i];
    if (!values[i].given() && p.defaultValue) values[i] = checkExpr(cx, *p.defaultValue);
    if (p.kind != ast::ParameterKind::VarPositional) values[i] = tensorOfList(cx, std::move(values[i]), p.annotation.get(), spans[i]);
    if (!p.annotation) ++cx.conversions;
    else if (p.kind == ast::ParameterKind::VarPositional)
      for (const Value &item : values[i].items)
        bindGenerics(cx, item, *p.annotation, {spans[i], "`" + p.name.text + "`"});
    else bindGenerics(cx, values[i], *p.annotation, {spans[i], "`" + p.name.text + "`"});
  }
  solveFormulas(cx, parameters, values, spans);
  bool ok = true, misshapen = false;  // one argument in the place of another leaves the others without their places
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter &p = parameters[i];
    bool plain = p.kind == ast::ParameterKind::Plain || p.kind == ast::ParameterKind::KeywordOnly;
    std::vector<Value *> items = {&values[i]};
    if (p.kind == ast::ParameterKind::VarPositional) {
      items.clear();
      for (Value &item : values[i].items) items.push_back(&item);
    } else if (!plain) {
      continue;
    }
    for (Value *item : items) {
      Value out = *item;
      auto matches = [&] {
        return !item->isPoison() && !isExtentForFraction(cx, *item, p, spans[i]) &&
               (!p.annotation || matchParameter(cx, *item, *p.annotation, p.name.text, spans[i], out));
      };
      size_t before = cx.diagnostics.all().size();
      auto follows = [&] { return item->kind == ValueKind::Int || saysShapes(attempt(cx, matches).said, 0); };
      bool fits = (!misshapen || attempt(cx, matches).ok || !follows()) && matches();
      misshapen |= !fits && saysShapes(cx.diagnostics.all(), before);
      if (!fits && failed) ++*failed;
      ok &= fits;
      if (fits) *item = std::move(out);
    }
  }
  return ok;
}

const std::vector<ast::Parameter> &parametersOf(const Callable &callable) {
  return callable.def ? callable.def->parameters : callable.lambda->parameters;
}

/// What the body of a traced function returned, as the type that it declares.
static Value inlineResult(Context &cx, const Callable &callable, Span span) {
  Value result = cx.function.frame->results.empty() ? Value::of(ValueKind::None) : cx.function.frame->results[0];
  const ast::Expr *declared = callable.def->result.get();
  if (!declared || result.isPoison() || declared->kind == ast::ExprKind::None) return result;
  if (!cx.function.frame->returned) {
    if (fresh(cx, Id::missingReturn, callable.nameSpan))
      report(cx, Id::missingReturn, callable.nameSpan, callable.name);
    return Value::poison();
  }
  Value out;
  return matchParameter(cx, result, *declared, "the result", span, out) ? out : Value::poison();
}

Value inlineCall(Context &cx, const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans,
                 Span span) {
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  size_t errors = cx.failures;
  // Arguments are computed once, in the caller; defaults belong to the callee's module.
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (values[i].given() && values[i].expr && !values[i].handle)
      values[i] = reusable(cx, std::move(values[i]), parameters[i].name.text, spans[i]);
    for (Value &item : values[i].items)
      if (item.expr && !item.handle) item = reusable(cx, std::move(item), parameters[i].name.text, spans[i]);
  }
  std::shared_ptr<Frame> caller = cx.function.frame;
  NotedWork work(cx, span);
  cx.function.frame = calleeFrame(cx, callable);
  cx.function.calls.push_back({&callable, span, spans});
  reach(cx, callable);
  auto hint = cx.accumulateHint;
  cx.accumulateHint.reset();
  bool ok = matchArguments(cx, callable, values, spans, nullptr);
  for (size_t i = 0; i < parameters.size(); ++i) {
    Binding binding;
    binding.value = values[i];
    binding.span = parameters[i].span;
    binding.block = cx.blockId;
    if (values[i].expr && !values[i].handle && values[i].expr->kind == ExprKind::VarRef)
      binding.var = values[i].expr->as<node::VarRef>().var;
    binding.borrowed = binding.var != nullptr;
    cx.function.frame->names[parameters[i].name.text] = std::move(binding);
    noteBinding(cx, parameters[i].name.text, parameters[i].name.span);
  }
  std::vector<PassedState> states = enterStates(cx);
  Value result = Value::poison();
  if (ok && callable.lambda) {
    result = checkExpr(cx, *callable.lambda->body);
  } else if (ok) {
    whereFacts(cx, *callable.def, cx.function.assumed != &callable);
    fastDecorator(cx, *callable.def);
    if (cx.failures == errors) {  // else all that is wrong in it follows
      ModelLayer layer(cx, callable);
      checkBlock(cx, callable.def->body);
      result = inlineResult(cx, callable, span);
    }
  }
  cx.accumulateHint = hint;
  cx.function.calls.pop_back();
  if (cx.failures == errors) checkEffects(cx, callable, cx.function.frame->effects);
  if (cx.options.facts && callable.def) cx.options.facts->addEffects(*callable.def, cx.function.frame->effects);
  std::swap(cx.function.frame, caller);
  leaveStates(cx, states, *caller, callable.name, result, span);
  if (cx.failures > errors) return Value::poison();
  work.returned(result);
  return result;
}

}  // namespace tessera::sema
