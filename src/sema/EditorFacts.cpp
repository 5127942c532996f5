// Facts for an editor: what the checker knows of a value, in a form that outlives the check.
#include "checked/FloatWork.h"
#include "sema/Builtins.h"
#include "sema/EditorFacts.h"
#include "sema/FactTable.h"
#include "sema/Report.h"
#include "sema/modules/Modules.h"
#include "sema/modules/Recheck.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <cstdio>

namespace tessera::sema {

namespace {
std::string numberText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return text;
}

bool namesRunTime(const Dim &dim) {
  if (dim.isConstant()) return false;
  std::set<std::string> vars;
  dim.collectVars(vars);
  return std::any_of(vars.begin(), vars.end(), [](const std::string &v) { return v[0] == '%'; });
}
}  // namespace

void noteFact(Context &cx, Span place, const Value &value) {
  if (!cx.options.facts || value.isPoison() || !cx.options.facts->wants(place)) return;
  Fact fact;
  fact.place = place;
  fact.kind = value.kind;
  fact.view = !cx.function.frame || !cx.function.frame->inlined || (cx.genericView && cx.function.calls.size() <= 1)
                  ? FactView::Own
              : cx.guesses ? FactView::Guessed
                           : FactView::Called;
  auto keepType = [&](const Type &type) {
    fact.type = type;
    for (Dim &dim : fact.type.shape)
      if (namesRunTime(dim)) dim = Dim::var(show(cx, dim));
  };
  switch (value.kind) {
  case ValueKind::Array:
  case ValueKind::State: keepType(value.type); break;
  case ValueKind::View:
  case ValueKind::Shared:
    if (value.var) keepType(value.var->type);
    break;
  case ValueKind::HostTensor:
  case ValueKind::DType: fact.type = value.type; break;
  case ValueKind::Bool: fact.text = value.truth ? "True" : "False"; break;
  case ValueKind::Float: fact.text = numberText(value.number); break;
  case ValueKind::Int:
    if (!value.expr || !namesRunTime(value.sym)) fact.text = show(cx, value.sym);
    break;
  case ValueKind::Struct:
  case ValueKind::StructType:
    fact.text = value.kind == ValueKind::Struct ? instanceText(cx, *value.instance) : value.instance->info->name;
    fact.structure = value.instance->info->def;
    fact.definition = value.instance->info->nameSpan;
    break;
  case ValueKind::Function:
  case ValueKind::Derivative:
    fact.text = value.callable->name;
    fact.definition = value.callable->nameSpan;
    fact.function = value.callable->def;
    break;
  case ValueKind::Overloads:
  case ValueKind::Transform:
  case ValueKind::Partial: {
    if (value.items.empty()) break;
    const Value &first = value.items[0];
    fact.text = first.callable ? first.callable->name : value.text;
    if (first.callable) fact.definition = first.callable->nameSpan, fact.function = first.callable->def;
    break;
  }
  case ValueKind::Builtin:
  case ValueKind::Method:
    fact.builtin = value.builtin;
    fact.text = value.builtin ? std::string(value.builtin->name) : value.text;
    if (value.callable) fact.definition = value.callable->nameSpan, fact.function = value.callable->def;
    break;
  case ValueKind::Module:
    fact.text = value.text;
    if (value.module) fact.module = value.module->ast;
    break;
  case ValueKind::Tuple:
  case ValueKind::List: {
    constexpr size_t kMostParts = 6;
    for (size_t i = 0; i < std::min(value.items.size(), kMostParts); ++i) {
      const Value &item = value.items[i];
      bool number = item.kind == ValueKind::Int && (!item.expr || !namesRunTime(item.sym));
      fact.text += (i ? ", " : "") + (item.isArray()    ? "Tensor" + shapeText(cx, item.type.shape)
                                      : item.isScalar() ? item.type.str()
                                      : number          ? show(cx, item.sym)
                                                        : describe(cx, item));
    }
    if (value.items.size() > kMostParts) fact.text += ", …";
    break;
  }
  default: fact.text = value.text; break;
  }
  if (cx.worked && cx.worked->first == place) fact.work = cx.worked->second;
  cx.options.facts->add(std::move(fact));
}

static void keepWork(Context &cx, Span place, const std::optional<Dim> &work) {
  cx.worked.reset();
  if (work && !namesRunTime(*work)) cx.worked.emplace(place, *work);
}

NotedWork::NotedWork(Context &cx, Span place)
    : cx_(cx), place_(place), wanted_(cx.options.facts && cx.function.block && cx.options.facts->wants(place)),
      block_(cx.function.block), from_(wanted_ ? block_->size() : 0) {}

static std::optional<Dim> workOf(const Value &value) {
  std::optional<Dim> work = value.expr ? checked::floatWork(*value.expr) : Dim(0);
  for (const Value &item : value.items) {
    std::optional<Dim> own = workOf(item);
    work = work && own ? std::optional(*work + *own) : std::nullopt;
  }
  return work;
}

void NotedWork::without(const Value &argument) {
  if (!wanted_ || !before_) return;
  std::optional<Dim> own = workOf(argument);
  before_ = own ? std::optional(*before_ + *own) : std::nullopt;
}

void NotedWork::returned(const Value &result) {
  if (!wanted_) return;
  const bool same = cx_.function.block == block_ && !result.isPoison();
  std::optional<Dim> statements = same ? checked::floatWork(*block_, from_) : std::nullopt, value = workOf(result);
  keepWork(cx_, place_, before_ && statements && value ? std::optional(*statements + *value - *before_) : std::nullopt);
}

void noteWork(Context &cx, Span place, const Expr &call) {
  if (cx.options.facts && cx.options.facts->wants(place)) keepWork(cx, place, checked::floatWork(call));
}

void noteBinding(Context &cx, const std::string &name, Span place) {
  if (!cx.options.facts || !cx.function.frame || !cx.options.facts->wants(place)) return;
  auto it = cx.function.frame->names.find(name);
  if (it != cx.function.frame->names.end()) noteFact(cx, place, it->second.value);
}

void noteUntracedFunctions(Context &cx, const ModuleScope &main) {
  if (!cx.options.facts) return;
  std::set<const void *> calledOnes;
  std::vector<const Callable *> functions;
  for (const Callable &callable : cx.callables) {
    bool own = callable.module == &main && callable.def && !callable.closure && !callable.checked && !callable.failed &&
               !cx.settled.count({callable.def, callable.name});
    bool called = own && cx.reached.traced.count(callable.body()) && !isEntry(cx, callable) && !isOpen(cx, callable);
    if (called && calledOnes.insert(callable.body()).second) functions.push_back(&callable);
  }
  Reached reached = cx.reached;  // what is said about the module is the same with and without a table
  for (const Callable *callable : functions) {
    Recheck recheck(cx, *callable, CheckedBefore::Pass::Untraced);
    if (recheck.holds()) continue;
    std::vector<Assumption> ways = assumptionsOf(cx, *callable);
    bool known = true;
    if (!ways.empty()) tryAssuming(cx, *callable, ways[0], known);
  }
  cx.reached = std::move(reached);
}

}  // namespace tessera::sema
