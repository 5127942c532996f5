// A whole program: which functions are entry points, and the order in which they are checked.
#include "sema/FactTable.h"
#include "sema/calls/Calls.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/modules/LibraryScopes.h"
#include "sema/modules/Modules.h"
#include "sema/modules/Recheck.h"
#include "sema/numerics/Verify.h"
#include "sema/types/Types.h"
#include "support/Check.h"
#include <algorithm>
#include <cctype>
#include <utility>

namespace tessera::sema {

using ast::as;

/// The standard library is not the user's to edit.
static void dropEditsIn(const std::set<FileId> &library, diag::Engine &diagnostics) {
  if (!diagnostics.hasErrors()) return;
  std::vector<diag::Diagnostic> all = diagnostics.all();
  for (diag::Diagnostic &d : all)
    std::erase_if(d.fixes, [&](const diag::Fix &fix) { return library.count(fix.span.file) != 0; });
  diagnostics.replace(std::move(all));
}

static void checkEntries(Context &cx, ModuleScope &main);

std::unique_ptr<Program> checkProgram(Context &cx, const ast::Module &module) {
  LibraryScopes *library = cx.options.library;
  if (library) library->lend(cx);
  cx.prelude = loadModule(cx, module.file, 0, "tessera.prelude", {});
  if (library) library->note(cx);
  auto scope = std::make_unique<ModuleScope>();
  scope->ast = &module;
  ModuleScope *main = scope.get();
  cx.main = main;
  if (cx.options.facts) cx.options.facts->begin(module);
  cx.modules[&module] = std::move(scope);
  evaluateModule(cx, *main);
  if (cx.options.before) cx.options.before->begin(module, cx.sources, cx.unread);
  checkEntries(cx, *main);
  if (!cx.options.before || cx.options.before->share.isFirst()) checkUncalled(cx, *main);
  dropEditsIn(cx.libraryFiles, cx.diagnostics);
  if (library) library->takeBack(cx);
  return std::move(cx.program);
}

/// Entry points, in the order of the source. What they call is finished before them.
static void checkEntries(Context &cx, ModuleScope &main) {
  std::vector<std::pair<Span, const Callable *>> entries;
  std::vector<std::tuple<Span, std::string, Value>> derivatives;
  for (const auto &[name, value] : main.names) {
    std::vector<Value> functions = value.kind == ValueKind::Overloads ? value.items : std::vector<Value>{value};
    for (const Value &function : functions)
      if (function.kind == ValueKind::Function && function.callable->module == &main && isEntry(cx, *function.callable))
        entries.push_back({function.callable->nameSpan, function.callable});
    if (value.kind == ValueKind::Derivative && name[0] != '_') derivatives.push_back({main.spans[name], name, value});
  }
  auto standsBefore = [](Span a, Span b) { return a.begin < b.begin; };
  std::sort(entries.begin(), entries.end(), [&](auto &a, auto &b) { return standsBefore(a.first, b.first); });
  std::sort(derivatives.begin(), derivatives.end(),
            [&](auto &a, auto &b) { return standsBefore(std::get<0>(a), std::get<0>(b)); });
  for (const auto &[span, callable] : entries) cx.entryNames.emplace(callable->name, callable);
  CheckedBefore *before = cx.options.before;
  for (const auto &[span, callable] : entries) {
    if (before && !before->share.others && !before->share.has(span.begin)) continue;
    Recheck recheck(cx, *callable, CheckedBefore::Pass::Entry);
    if (!recheck.holds()) checkVariants(cx, *callable);
  }
  sayWhatWasLeft(cx);
  if (before && !before->share.isFirst()) return;
  if (cx.options.facts) cx.options.facts->beginPart();
  for (const auto &[span, name, value] : derivatives) derivativeEntry(cx, name, value, span);
}

void checkVariants(Context &cx, const Callable &callable) {
  const size_t failures = cx.failures;
  bool any = false;
  for (const Choices &choices : variantsOf(cx, callable)) {
    const Callable &made = variant(cx, callable, choices);
    any |= ensureChecked(cx, made) || !made.raises.valid();
    TSR_CHECK(made.checked || made.inHost || made.raises.valid() || cx.diagnostics.hasErrors() || cx.options.keepUnsupported,
              "`" + made.name + "` fails without a message");
  }
  if ((callable.isCustomVjp || callable.isCustomJvp) && any) checkRule(cx, callable);
  if (cx.failures == failures) warnOfUnreadNumbers(cx, callable);
}

bool isEntry(const Context &cx, const Callable &callable) {
  return mayBeEntry(cx, callable) && (callable.isTest ? cx.options.tests : callable.name[0] != '_');
}

bool mayBeEntry(const Context &cx, const Callable &callable) {
  if (!callable.def || callable.closure || callable.name.empty()) return false;
  if (callable.isKernel || callable.name == "main" || callable.isTest) return true;
  if (callable.structure) return false;
  for (const ast::TypeParameter &t : callable.def->typeParameters)
    if (isDTypeParameter(cx, t)) return false;
  for (const ast::Parameter &p : callable.def->parameters) {
    bool several = p.kind == ast::ParameterKind::VarPositional || p.kind == ast::ParameterKind::VarKeyword;
    if (!p.annotation || several || isOpenTuple(*p.annotation)) return false;
    auto *name = as<ast::NameExpr>(&withoutPolicies(*p.annotation));
    if (name && (name->name == "Callable" || name->name == "Tensor" || name->name == "KVCache")) return false;
  }
  auto isMeasured = [&](const ast::Decorator &decorator) { return cx.sources.text(decorator.expression->span).starts_with("benchmark"); };
  bool typed = !callable.def->parameters.empty() || callable.def->result || std::any_of(callable.def->decorators.begin(), callable.def->decorators.end(), isMeasured);
  return typed && !isHostCode(cx, callable);
}

std::string uniqueName(Context &cx, const Callable &callable) {
  auto own = cx.entryNames.emplace(callable.name, &callable).first;
  if (own->second == &callable) return callable.name;
  std::string stem = callable.name;
  if (callable.module && !callable.module->path.empty()) {
    stem = callable.module->path + "_" + stem;
    std::replace(stem.begin(), stem.end(), '.', '_');
  }
  std::string unique = stem;
  for (int n = unique == callable.name ? 2 : 1;; ++n) {
    if (n > 1) unique = stem + "_" + std::to_string(n);
    if (cx.entryNames.emplace(unique, &callable).second) return unique;
  }
}

static std::vector<Type> resultsOf(const Function &function) {
  std::vector<Type> types;
  for (const FunctionResult &result : function.results) types.push_back(result.type);
  return types;
}

const Function *ensureChecked(Context &cx, const Callable &callable) {
  if (callable.checked || callable.failed) return callable.checked;
  if (callable.active) return nullptr;
  callable.active = true;
  if (cx.options.onFunction) cx.options.onFunction(callable.name, callable.nameSpan, true);
  const SaidBefore said(cx);
  size_t outerSteps = std::exchange(cx.steps, 0);
  bool outerSaid = std::exchange(cx.saidExhausted, false);
  auto function = checkEntry(cx, callable);
  if (function && function->claim && !isSpecial(callable)) numerics::verify(*function, cx.diagnostics);
  cx.steps = outerSteps, cx.saidExhausted = outerSaid;
  if (cx.options.onFunction) cx.options.onFunction(callable.name, callable.nameSpan, false);
  callable.active = false;
  if (!function && leaveToHost(cx, callable, said)) return nullptr;
  callable.failed = !function;
  if (!function) {
    ++cx.failures;
    return nullptr;
  }
  function->name = uniqueName(cx, callable);
  callable.checked = function.get();
  if (callable.def) cx.settled.insert({callable.def, callable.name}), cx.settledLately.insert({callable.def, callable.name});
  if (cx.options.facts && callable.def && callable.nameSpan == callable.def->name.span && !isSpecial(callable))
    cx.options.facts->addFunction(*callable.def, {resultsOf(*function), function->requirements});
  cx.program->functions.push_back(std::move(function));
  checkSpecials(cx, callable);
  return callable.checked;
}

}  // namespace tessera::sema
