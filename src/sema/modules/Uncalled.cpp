// Functions that nothing calls and that are no entry points. Their bodies are traced as if something called them, so
// that nothing in a module goes unread. What their parameters are follows from their types; where a type leaves that
// open (there is none, or `[T: dtype]`), likely ones are assumed one after the other.
#include "checked/ExprBuild.h"
#include "sema/EditorFacts.h"
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/modules/Recheck.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

namespace {

/// What a parameter without a type may be: a square tensor of some rank, a scalar (rank 0), an integer, a text.
struct Likely {
  enum Kind : uint8_t { Tensor, Integer, Text } kind;
  DType dtype;
  int rank;
};
constexpr Likely kLikely[] = {{Likely::Tensor, DType::F32, 2},  {Likely::Tensor, DType::F32, 0},
                              {Likely::Integer, DType::I64, 0}, {Likely::Tensor, DType::F32, 1},
                              {Likely::Tensor, DType::F32, 3},  {Likely::Tensor, DType::F32, 4},
                              {Likely::Tensor, DType::I32, 1},  {Likely::Tensor, DType::Bool, 2}};
constexpr Likely kLikelyInHost[] = {{Likely::Tensor, DType::F32, 2},
                                    {Likely::Tensor, DType::F64, 0},
                                    {Likely::Integer, DType::I64, 0},
                                    {Likely::Text, DType::F32, 0}};
constexpr DType kLikelyDTypes[] = {DType::F32, DType::I32, DType::Bool};
const char *const kLikelyExtent = "n";

/// A method's parameter for its struct.
bool isSelf(const Callable &callable, const ast::Parameter &parameter) {
  return callable.structure && !callable.makes && !parameter.annotation && &parameter == &callable.def->parameters[0];
}

/// What is wrong whatever the parameters are: in one way to call is enough, or in all of them.
bool isAboutNames(diag::Id id) {
  using diag::Id;
  return id == Id::undefinedName || id == Id::unknownModule || id == Id::unknownImport || id == Id::notAType ||
         id == Id::recursion;
}
bool isAboutArguments(diag::Id id) {
  using diag::Id;
  return id == Id::unknownKeyword || id == Id::tooManyArguments || id == Id::argumentNotGiven ||
         id == Id::argumentTwice;
}

/// Mistakes of a trial. That a function always raises is none of its own: somebody has to call it.
std::vector<diag::Diagnostic> mistakesIn(const Trial &trial) {
  std::vector<diag::Diagnostic> mistakes = trial.said;
  std::erase_if(mistakes, [](const diag::Diagnostic &d) {
    return d.severity != diag::Severity::Error || d.id == diag::Id::alwaysRaises;
  });
  return mistakes;
}

}  // namespace

bool isOpen(const Context &cx, const Callable &callable) {
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  return std::any_of(parameters.begin(), parameters.end(), [&](const ast::Parameter &p) {
    if (isSelf(callable, p) || (p.defaultValue && p.defaultValue->kind != ast::ExprKind::None)) return false;
    if (!p.annotation || p.kind == ast::ParameterKind::VarPositional || p.kind == ast::ParameterKind::VarKeyword)
      return true;
    std::string_view type = cx.sources.text(withoutPolicies(*p.annotation).span);
    return type == "Tensor" || type == "KVCache" || type == "Callable" || type == "str" || isOpenTuple(*p.annotation);
  });
}

/// The functions of a module that nothing calls, those whose parameters have types first, in the order of the text.
static std::vector<const Callable *> uncalled(Context &cx, const ModuleScope &main) {
  std::vector<const Callable *> all;
  std::set<const void *> seen;
  auto add = [&](const Callable &callable) {
    if (callable.module == &main && !cx.reached.traced.count(callable.body()) && seen.insert(callable.body()).second)
      all.push_back(&callable);
  };
  for (const auto &[name, value] : main.names) {
    if (value.kind == ValueKind::Function) add(*value.callable);
    if (value.kind == ValueKind::Overloads)
      for (const Value &item : value.items) add(*item.callable);
    if (value.kind == ValueKind::StructType)
      for (const auto &[method, callable] : value.instance->info->methods)
        if (callable) add(*callable);
  }
  auto order = [&](const Callable *callable) { return std::pair(isOpen(cx, *callable), callable->nameSpan.begin); };
  std::sort(all.begin(), all.end(), [&](auto *a, auto *b) { return order(a) < order(b); });
  return all;
}

std::vector<Assumption> assumptionsOf(const Context &cx, const Callable &callable) {
  std::vector<Assumption> ways;
  bool open = isOpen(cx, callable);
  bool generic = false;
  std::vector<ast::TypeParameter> none;
  for (const auto *list : {callable.def ? &callable.def->typeParameters : &none,
                           callable.structure ? &callable.structure->def->typeParameters : &none})
    for (const ast::TypeParameter &t : *list) generic |= isDTypeParameter(cx, t);
  bool entry = callable.isKernel || mayBeEntry(cx, callable);
  if (entry) ways.push_back({FunctionKind::Tensor, DType::F32, 0, true, false, false});
  if (callable.isKernel || callable.isTest) return ways;
  std::vector<FunctionKind> kinds = {FunctionKind::Tensor, FunctionKind::Kernel};
  if (entry) kinds = {FunctionKind::Kernel};
  if (isHostCode(cx, callable) || callsItself(callable)) kinds = {FunctionKind::Host};
  for (FunctionKind kind : kinds)
    for (DType dtype : kLikelyDTypes) {
      size_t values = kind == FunctionKind::Host ? std::size(kLikelyInHost) : std::size(kLikely);
      for (size_t i = 0; i < (open ? values : 1); ++i) ways.push_back({kind, dtype, i, false, open, generic});
      if (!generic) break;
    }
  return ways;
}

// ---------------------------------------------------------------- values

static Value hostParameter(Context &cx, const std::string &name, DType dtype, Span span) {
  Type type;
  type.kind = TypeKind::HostTensor;
  type.dtype = dtype;
  Value v = Value::of(ValueKind::HostTensor);
  v.type = type;
  v.expr = std::shared_ptr<Expr>(makeRef(newVar(cx, name, type, span), span).release());
  return v;
}

/// A shape of equal extents, so that most of what is done with tensors fits.
static std::vector<Dim> likelyShape(Context &cx, size_t rank) {
  Dim extent = Dim::var(kLikelyExtent);
  if (cx.function.frame->dims.emplace(kLikelyExtent, extent).second) cx.function.fn->dims.push_back(kLikelyExtent);
  return std::vector<Dim>(rank, extent);
}

static Value likelyValue(Context &cx, const ast::Parameter &parameter, const Assumption &assumed) {
  const std::string &name = parameter.name.text;
  Span span = parameter.name.span;
  const Likely &likely = inHost(cx) ? kLikelyInHost[assumed.likely] : kLikely[assumed.likely];
  if (likely.kind == Likely::Text) return Value::string(name);
  if (inHost(cx) && likely.rank > 0) return hostParameter(cx, name, likely.dtype, span);
  Type type = likely.kind == Likely::Integer ? indexType() : scalarType(likely.dtype);
  if (likely.rank > 0) {
    type.kind = TypeKind::Tensor;
    type.shape.assign(static_cast<size_t>(likely.rank), Dim::var(kLikelyExtent));
    cx.function.frame->dims[kLikelyExtent] = Dim::var(kLikelyExtent);
    if (std::find(cx.function.fn->dims.begin(), cx.function.fn->dims.end(), kLikelyExtent) ==
        cx.function.fn->dims.end())
      cx.function.fn->dims.push_back(kLikelyExtent);
  }
  return plainParameter(cx, type, name, parameter);
}

/// Makes the type parameters of a function, and of the struct whose method it is, stand for themselves, and gives
/// that struct.
static std::shared_ptr<const StructInstance> openInstance(Context &cx, const Callable &callable,
                                                          const Assumption &assumed) {
  auto instance = std::make_shared<StructInstance>();
  instance->info = callable.structure;
  auto open = [&](const std::vector<ast::TypeParameter> &parameters, bool ofStruct) {
    for (const ast::TypeParameter &t : parameters) {
      const std::string &name = t.name.text;
      if (isDTypeParameter(cx, t)) {
        cx.function.frame->names[name].value = Value::dtype(assumed.dtype);
        if (ofStruct) instance->dtypes[name] = scalarType(assumed.dtype);
      } else {
        cx.function.frame->dims[name] = Dim::var(name);
        if (ofStruct) instance->dims[name] = Dim::var(name), cx.function.fn->dims.push_back(name);
      }
    }
  };
  if (callable.structure) open(callable.structure->def->typeParameters, true);
  if (callable.def) open(callable.def->typeParameters, false);
  return instance;
}

/// A value for a parameter; Absent where none is likely.
static Value assumedValue(Context &cx, const Callable &callable, const ast::Parameter &parameter,
                          const Assumption &assumed, const std::shared_ptr<const StructInstance> &self) {
  if (parameter.kind == ast::ParameterKind::VarKeyword) return Value::of(ValueKind::Dict);
  if (parameter.kind == ast::ParameterKind::VarPositional) return Value::tuple({});
  if (isSelf(callable, parameter)) {
    auto type = structType(cx, self, parameter.span, parameter.name.text);
    return type ? entryValue(cx, *type, parameter.name.text, parameter) : Value::poison();
  }
  if (parameter.defaultValue && parameter.defaultValue->kind != ast::ExprKind::None)
    return checkExpr(cx, *parameter.defaultValue);
  if (!parameter.annotation) return likelyValue(cx, parameter, assumed);
  std::string_view written = cx.sources.text(withoutPolicies(*parameter.annotation).span);
  if (written == "Callable" || isOpenTuple(*parameter.annotation)) return Value::of(ValueKind::Absent);
  if (written == "str") return Value::string(parameter.name.text);
  if (written == "Tensor") return likelyValue(cx, parameter, assumed);
  if (written == "KVCache")
    return stateValue(cx, sema::tensorType(DType::F32, likelyShape(cx, 4)), parameter.name.text, parameter.span);
  auto type = declaredType(cx, *parameter.annotation, parameter.name.text);
  if (!type) return Value::poison();
  bool plain = type->kind == DeclaredType::Kind::Plain;
  if (inHost(cx) && plain && type->plain.kind == TypeKind::Tensor)
    return hostParameter(cx, parameter.name.text, type->plain.dtype, parameter.name.span);
  return inHost(cx) && !plain ? Value::of(ValueKind::Absent) : entryValue(cx, *type, parameter.name.text, parameter);
}

// ---------------------------------------------------------------- checking

/// Traces a function under an assumption. False if it has parameters for which no values are likely.
static bool traceAssuming(Context &cx, const Callable &callable, const Assumption &assumed) {
  if (assumed.entry) {
    checkVariants(cx, callable);
    return true;
  }
  cx.steps = 0;
  cx.assumedFunctions.emplace_back();
  FunctionState outer = enterFunction(cx, cx.assumedFunctions.back(), callable);
  cx.function.calls.clear();
  cx.function.fn->name = callable.name;
  cx.function.fn->span = callable.nameSpan;
  cx.function.fn->kind = assumed.kind;
  cx.function.assumed = &callable;
  std::shared_ptr<const StructInstance> self = openInstance(cx, callable, assumed);
  std::vector<Value> values;
  std::vector<Span> spans;
  cx.bindDims = true;
  for (const ast::Parameter &parameter : parametersOf(callable)) {
    values.push_back(assumedValue(cx, callable, parameter, assumed, self));
    spans.push_back(parameter.span);
  }
  cx.bindDims = false;
  bool known = std::none_of(values.begin(), values.end(), [](const Value &v) { return !v.given(); });
  bool poison = std::any_of(values.begin(), values.end(), [](const Value &v) { return v.isPoison(); });
  std::shared_ptr<const StructInstance> maker = callable.makes ? self : nullptr;  // `Linear[I, O].init(rng)`: the sizes are given beside
  std::swap(cx.maker, maker);
  if (known && !poison) inlineCall(cx, callable, std::move(values), spans, callable.nameSpan);
  std::swap(cx.maker, maker);
  leaveFunction(cx, std::move(outer));
  return known;
}

Trial tryAssuming(Context &cx, const Callable &callable, const Assumption &assumed, bool &known) {
  Reached reached = cx.reached;
  std::vector<const Callable *> sound;
  for (const Callable &c : cx.callables)
    if (!c.failed) sound.push_back(&c);
  bool generic = std::exchange(cx.genericView, !assumed.open && !assumed.generic);
  bool guesses = std::exchange(cx.guesses, assumed.open || assumed.generic);
  Trial trial = attempt(cx, [&] {
    known = traceAssuming(cx, callable, assumed);
    return true;
  });
  cx.genericView = generic, cx.guesses = guesses;
  trial.ok = mistakesIn(trial).empty();
  if (!known || !trial.ok) cx.reached = std::move(reached);
  for (const Callable *c : sound) c->failed = false;  // the message went with the trial
  return trial;
}

static void takeOver(Context &cx, const std::vector<diag::Diagnostic> &said);

static bool checkUncalled(Context &cx, const Callable &callable, size_t &spent);
/// Checks a function that nothing calls. False if that does not say whether it is right. `spent`: steps for all functions
/// whose parameters are open; guessing ends where they are as many as one function may take.
static bool checkUncalled(Context &cx, const Callable &callable, size_t &spent, Recheck &recheck) {
  size_t before = spent;
  bool read = checkUncalled(cx, callable, spent);
  recheck.found().read = read;
  recheck.found().steps = spent - before;
  recheck.found().outOfSteps = spent > cx.options.mostSteps;  // less was tried than might be
  return read;
}

static bool checkUncalled(Context &cx, const Callable &callable, size_t &spent) {
  std::vector<Assumption> ways = assumptionsOf(cx, callable);
  std::vector<diag::Diagnostic> fewest;
  std::map<std::tuple<diag::Id, FileId, uint32_t>, std::pair<size_t, diag::Diagnostic>> inWays;
  for (const Assumption &assumed : ways) {
    if (assumed.open && spent > cx.options.mostSteps) break;
    bool known = true;
    Trial trial = tryAssuming(cx, callable, assumed, known);
    if (!known) return false;
    if (assumed.open) spent += cx.steps;
    if (trial.ok) {
      std::erase_if(trial.said, [](const diag::Diagnostic &d) { return d.severity == diag::Severity::Error; });
      if (!assumed.open) takeOver(cx, trial.said);  // what is suspicious
      return true;
    }
    std::vector<diag::Diagnostic> mistakes = mistakesIn(trial);
    bool aboutNames = std::any_of(mistakes.begin(), mistakes.end(), [](const auto &d) { return isAboutNames(d.id); });
    for (const diag::Diagnostic &d : mistakes)
      ++inWays.try_emplace({d.id, d.span.file, d.span.begin}, 0, d).first->second.first;
    if (assumed.open && aboutNames) break;  // more ways tell nothing more
    if (&assumed != &ways[0] && mistakes.size() >= fewest.size()) continue;
    fewest = std::move(mistakes);
    if (!assumed.generic) continue;
    for (diag::Diagnostic &d : fewest)
      d.notes.push_back({callable.nameSpan, "nothing calls `" + callable.name + "`: it was checked with " +
                                                std::string(name(assumed.dtype)) + " for its dtype"});
  }
  if (ways[0].open) {
    fewest.clear();
    for (const auto &[place, seen] : inWays)
      if (isAboutNames(seen.second.id) || (isAboutArguments(seen.second.id) && seen.first == ways.size()))
        fewest.push_back(seen.second);
  }
  takeOver(cx, fewest);
  return !fewest.empty();
}

/// Says what a trial said, as far as it was not said before.
static void takeOver(Context &cx, const std::vector<diag::Diagnostic> &said) {
  for (const diag::Diagnostic &d : said)
    if (cx.reportedSpans.insert({static_cast<int>(d.id), d.span.file, d.span.begin}).second) cx.diagnostics.append(d);
}

void checkUncalled(Context &cx, const ModuleScope &main) {
  size_t entries = cx.program->functions.size();
  size_t spent = 0;
  std::vector<const Callable *> unread;
  for (const Callable *callable : uncalled(cx, main)) {
    if (cx.reached.traced.count(callable->body())) continue;
    if (cx.options.onFunction) cx.options.onFunction(callable->name, callable->nameSpan, true);
    Recheck recheck(cx, *callable, CheckedBefore::Pass::Uncalled);
    if (recheck.holds()) spent += recheck.found().steps;
    bool read = recheck.holds() ? recheck.found().read : checkUncalled(cx, *callable, spent, recheck);
    if (!read) unread.push_back(callable);
    if (cx.options.onFunction) cx.options.onFunction(callable->name, callable->nameSpan, false);
  }
  noteUntracedFunctions(cx, main);
  for (const auto &[def, callable] : cx.reached.nested) unread.push_back(callable);
  std::erase_if(unread, [&](const Callable *callable) { return cx.reached.traced.count(callable->body()) != 0; });
  std::sort(unread.begin(), unread.end(), [](auto *a, auto *b) { return a->nameSpan.begin < b->nameSpan.begin; });
  for (size_t i = entries; i < cx.program->functions.size(); ++i)  // they are nobody's
    for (const Callable &c : cx.callables)
      if (c.checked == cx.program->functions[i].get()) c.checked = nullptr;
  cx.program->functions.resize(entries);
  if (unread.empty() || cx.diagnostics.hasErrors()) return;
  auto builder = warn(cx, Id::unreadFunction, unread[0]->nameSpan, unread[0]->name);
  builder.label("nothing calls it, and what its parameters are is open");
  constexpr size_t kMostNotes = 3;
  for (size_t i = 1; i < unread.size() && i <= kMostNotes; ++i)
    builder.note(unread[i]->nameSpan, "nor is `" + unread[i]->name + "`");
  if (unread.size() > kMostNotes + 1)
    builder.help("nor are " + diag::counted(unread.size() - kMostNotes - 1, "further function"));
  builder.help("give its parameters types, `x: Tensor[N, f32]`, or call it");
}

}  // namespace tessera::sema
