// A whole program: which functions are entry points, and the order in which they are checked.
#include "checked/Verify.h"
#include "sema/Checker.h"
#include "sema/FactTable.h"
#include "sema/advice/Advice.h"
#include "sema/advice/Consequences.h"
#include "sema/numerics/Verify.h"
#include <algorithm>
#include <cctype>
#include <utility>

namespace tessera::sema {

using ast::as;

std::unique_ptr<Program> check(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
                               diag::Engine &diagnostics, const CheckOptions &options) {
  size_t from = diagnostics.all().size();
  bool readable = !diagnostics.hasErrors();
  auto program = Checker(sources, load, diagnostics, options).run(module);
  std::string wrong = checked::verify(*program);
  TSR_CHECK(wrong.empty(), wrong);
  dropConsequences(module, sources, diagnostics);
  dropBehindAsserts(module, sources, diagnostics);
  dropCallsOfContradictions(module, diagnostics);
  if (options.advice && readable && diagnostics.hasErrors()) advise(module, sources, load, diagnostics, from, options);
  return program;
}

Checker::Checker(const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics,
                 const CheckOptions &options)
    : CheckerData(sources, load, diagnostics, options) {}

/// The standard library is not the user's to edit.
static void dropEditsIn(const std::set<FileId> &library, diag::Engine &diagnostics) {
  if (!diagnostics.hasErrors()) return;
  std::vector<diag::Diagnostic> all = diagnostics.all();
  for (diag::Diagnostic &d : all)
    std::erase_if(d.fixes, [&](const diag::Fix &fix) { return library.count(fix.span.file) != 0; });
  diagnostics.replace(std::move(all));
}

std::unique_ptr<Program> Checker::run(const ast::Module &module) {
  prelude_ = loadModule(module.file, 0, "tessera.prelude", {});
  auto scope = std::make_unique<ModuleScope>();
  scope->ast = &module;
  ModuleScope *main = scope.get();
  main_ = main;
  if (options_.facts) options_.facts->begin(module.file, sources_.file(module.file).text.size());
  modules_[&module] = std::move(scope);
  evaluateModule(*main);
  checkEntries(*main);
  checkUncalled(*main);
  dropEditsIn(libraryFiles_, diagnostics_);
  return std::move(program_);
}

/// Where a mistake is said: one that shows in the text of the standard library was made where that is called, in the
/// argument if it is one that does not fit.
Span Checker::placeOf(Span span) const {
  for (size_t i = calls_.size(); i-- > 0 && libraryFiles_.count(span.file) && calls_[i].span.valid();) {
    const TracedCall &call = calls_[i];
    const std::vector<ast::Parameter> &parameters = parametersOf(*call.callable);
    std::string_view text = sources_.text(span);
    span = call.span;
    for (size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].name.text == text) span = call.arguments[k];
  }
  return span;
}

/// ", where `gamma` is `g`": the user's arguments that occur in a place of a library function, by its parameters.
std::string Checker::argumentsIn(Span span) const {
  const TracedCall &call = calls_.back();
  const std::vector<ast::Parameter> &parameters = parametersOf(*call.callable);
  std::string_view text = sources_.text(span);
  std::string told;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const std::string &name = parameters[k].name.text;
    Span given = call.arguments[k];
    size_t at = text.find(name);
    auto inWord = [&](size_t i) { return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'); };
    while (at != std::string_view::npos && ((at > 0 && inWord(at - 1)) || inWord(at + name.size()))) at = text.find(name, at + 1);
    bool own = given == call.span || libraryFiles_.count(given.file) || sources_.text(given) == name;
    if (at == std::string_view::npos || own) continue;
    told += (told.empty() ? ", where `" : " and `") + name + "` is `" + std::string(sources_.text(given)) + "`";
  }
  return told;
}

/// The way from the program to a mistake inside of what it calls. Functions that are checked by themselves, too, are
/// wrong without a call.
void Checker::noteCalls(diag::Builder &builder, Span span) const {
  bool inLibrary = libraryFiles_.count(span.file) != 0;
  if (inLibrary && !(placeOf(span) == span))
    builder.note(span, "this stands in `" + calls_.back().callable->name + "` of the standard library" + argumentsIn(span));
  constexpr int kMostCalls = 3;
  int told = 0;
  for (size_t i = calls_.size(); i-- > 1 && told < kMostCalls;) {
    const TracedCall &call = calls_[i];
    bool outside = call.span.file == span.file && call.span.begin <= span.begin && span.end <= call.span.end;
    if (!call.span.valid() || outside || libraryFiles_.count(call.callable->nameSpan.file)) continue;
    if (!call.callable->def || isEntry(*call.callable)) continue;
    builder.note(call.span, "`" + call.callable->name + "` is called here");
    ++told;
  }
}

/// Entry points, in the order of the source. What they call is finished before them.
void Checker::checkEntries(ModuleScope &main) {
  std::vector<std::pair<Span, const Callable *>> entries;
  std::vector<std::tuple<Span, std::string, Value>> derivatives;
  for (const auto &[name, value] : main.names) {
    std::vector<Value> functions = value.kind == ValueKind::Overloads ? value.items : std::vector<Value>{value};
    for (const Value &function : functions)
      if (function.kind == ValueKind::Function && function.callable->module == &main && isEntry(*function.callable))
        entries.push_back({function.callable->nameSpan, function.callable});
    if (value.kind == ValueKind::Derivative && name[0] != '_')
      derivatives.push_back({main.spans[name], name, value});
  }
  auto before = [](Span a, Span b) { return a.begin < b.begin; };
  std::sort(entries.begin(), entries.end(), [&](auto &a, auto &b) { return before(a.first, b.first); });
  std::sort(derivatives.begin(), derivatives.end(),
            [&](auto &a, auto &b) { return before(std::get<0>(a), std::get<0>(b)); });
  for (const auto &[span, callable] : entries) entryNames_.emplace(callable->name, callable);
  for (const auto &[span, callable] : entries) checkVariants(*callable);
  for (const auto &[span, name, value] : derivatives) derivativeEntry(name, value, span);
}

/// The entry points that one function makes, one for each alternative of its parameters.
void Checker::checkVariants(const Callable &callable) {
  bool any = false;
  for (const Choices &choices : variantsOf(callable)) {
    const Callable &made = variant(callable, choices);
    any |= ensureChecked(made) || !made.raises.valid();
    TSR_CHECK(made.checked || made.raises.valid() || diagnostics_.hasErrors() || options_.keepUnsupported,
              "`" + made.name + "` fails without a message");
  }
  if (callable.isCustomVjp && any) checkRule(callable);
}

bool Checker::isEntry(const Callable &callable) const {
  return mayBeEntry(callable) && callable.name[0] != '_';
}

/// Whether a function is an entry point but for its name: one that begins with `_` is for its module alone.
bool Checker::mayBeEntry(const Callable &callable) const {
  if (!callable.def || callable.closure || callable.name.empty()) return false;
  if (callable.isKernel || callable.name == "main") return true;
  if (callable.structure) return false;
  for (const ast::TypeParameter &t : callable.def->typeParameters)
    if (isDTypeParameter(t)) return false;
  for (const ast::Parameter &p : callable.def->parameters) {
    bool several = p.kind == ast::ParameterKind::VarPositional || p.kind == ast::ParameterKind::VarKeyword;
    if (!p.annotation || several || isOpenTuple(*p.annotation)) return false;
    auto *name = as<ast::NameExpr>(&withoutPolicies(*p.annotation));
    if (name && (name->name == "Callable" || name->name == "Tensor" || name->name == "KVCache")) return false;
  }
  bool typed = !callable.def->parameters.empty() || callable.def->result;
  return typed && !usesHost(callable.def->body);
}

/// The main module's own functions keep their names; what they call from elsewhere, or under a schedule of its own,
/// gets another one where two would be the same.
std::string Checker::uniqueName(const Callable &callable) {
  auto own = entryNames_.emplace(callable.name, &callable).first;
  if (own->second == &callable) return callable.name;
  std::string stem = callable.name;
  if (callable.module && !callable.module->path.empty()) {
    stem = callable.module->path + "_" + stem;
    std::replace(stem.begin(), stem.end(), '.', '_');
  }
  std::string unique = stem;
  for (int n = unique == callable.name ? 2 : 1;; ++n) {
    if (n > 1) unique = stem + "_" + std::to_string(n);
    if (entryNames_.emplace(unique, &callable).second) return unique;
  }
}

const Function *Checker::ensureChecked(const Callable &callable) {
  if (callable.checked || callable.failed) return callable.checked;
  if (callable.active) return nullptr;
  callable.active = true;
  if (options_.onFunction) options_.onFunction(callable.name, callable.nameSpan, true);
  size_t outerSteps = std::exchange(steps_, 0);
  bool outerSaid = std::exchange(saidExhausted_, false);
  auto function = checkEntry(callable);
  if (function && function->claim) numerics::verify(*function, diagnostics_);
  steps_ = outerSteps, saidExhausted_ = outerSaid;
  if (options_.onFunction) options_.onFunction(callable.name, callable.nameSpan, false);
  callable.active = false;
  callable.failed = !function;
  if (!function) {
    ++failures_;
    return nullptr;
  }
  function->name = uniqueName(callable);
  callable.checked = function.get();
  program_->functions.push_back(std::move(function));
  return callable.checked;
}

}  // namespace tessera::sema
