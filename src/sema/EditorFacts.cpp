// Facts for an editor: what the checker knows of a value, in a form that outlives the check.
#include "sema/Checker.h"
#include "sema/FactTable.h"
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

void Checker::note(Span place, const Value &value) {
  if (!options_.facts || value.isPoison() || !options_.facts->wants(place)) return;
  Fact fact;
  fact.place = place;
  fact.kind = value.kind;
  fact.view = !frame_ || !frame_->inlined || (genericView_ && calls_.size() <= 1) ? FactView::Own
              : guesses_                                                          ? FactView::Guessed
                                                                                  : FactView::Called;
  auto keepType = [&](const Type &type) {
    fact.type = type;
    for (Dim &dim : fact.type.shape)
      if (namesRunTime(dim)) dim = Dim::var(show(dim));
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
    if (!value.expr || !namesRunTime(value.sym)) fact.text = show(value.sym);
    break;
  case ValueKind::Struct:
  case ValueKind::StructType:
    fact.text = value.kind == ValueKind::Struct ? instanceText(*value.instance) : value.instance->info->name;
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
      fact.text += (i ? ", " : "") + (item.isArray()   ? "Tensor" + shapeText(item.type.shape)
                                      : item.isScalar() ? item.type.str()
                                      : number          ? show(item.sym)
                                                        : describe(item));
    }
    if (value.items.size() > kMostParts) fact.text += ", …";
    break;
  }
  default: fact.text = value.text; break;
  }
  options_.facts->add(std::move(fact));
}

/// What a name of this function was just bound to.
void Checker::noteBound(const std::string &name, Span place) {
  if (!options_.facts || !frame_ || !options_.facts->wants(place)) return;
  auto it = frame_->names.find(name);
  if (it != frame_->names.end()) note(place, it->second.value);
}

/// Functions that others call were seen with the shapes of the calls: those with types are traced once more by themselves.
void Checker::noteGeneric(const ModuleScope &main) {
  if (!options_.facts) return;
  std::set<const void *> calledOnes;
  std::vector<const Callable *> functions;
  for (const Callable &callable : callables_) {
    bool own = callable.module == &main && callable.def && !callable.closure && !callable.checked && !callable.failed;
    bool called = own && reached_.traced.count(callable.body()) && !isEntry(callable) && !isOpen(callable);
    if (called && calledOnes.insert(callable.body()).second) functions.push_back(&callable);
  }
  Reached reached = reached_;  // what is said about the module is the same with and without a table
  for (const Callable *callable : functions) {
    std::vector<Assumption> ways = assumptionsOf(*callable);
    bool known = true;
    if (!ways.empty()) tryAssuming(*callable, ways[0], known);
  }
  reached_ = std::move(reached);
}

}  // namespace tessera::sema
