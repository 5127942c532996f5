// A whole program: which functions are entry points, and the order in which they are checked.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

std::unique_ptr<Program> check(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
                               diag::Engine &diagnostics, const CheckOptions &options) {
  return Checker(sources, load, diagnostics, options).run(module);
}

bool refuseLater(const Program &program, diag::Engine &diagnostics) {
  bool all = true;
  for (const auto &function : program.functions)
    for (const Later &later : function->later) {
      all = false;
      diagnostics.report(diag::Id::notSupportedYet, later.span, later.what).label("this is checked, but not compiled yet");
    }
  return all;
}

Checker::Checker(const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics,
                 const CheckOptions &options)
    : sources_(sources), load_(load), diagnostics_(diagnostics), options_(options) {}

std::unique_ptr<Program> Checker::run(const ast::Module &module) {
  prelude_ = loadModule(module.file, 0, "tessera.prelude", {});
  auto scope = std::make_unique<ModuleScope>();
  scope->ast = &module;
  ModuleScope *main = scope.get();
  modules_[&module] = std::move(scope);
  evaluateModule(*main);
  // Entry points, in the order of the source. What they call is finished before them.
  std::vector<std::pair<Span, const Callable *>> entries;
  for (const auto &[name, value] : main->names)
    if (value.kind == ValueKind::Function && value.callable->module == main && isEntry(*value.callable))
      entries.push_back({main->spans[name], value.callable});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto &a, const auto &b) { return a.first.begin < b.first.begin; });
  for (const auto &[span, callable] : entries) entryNames_[callable->name] = callable;
  for (const auto &[span, callable] : entries) {
    std::vector<std::string> optional = optionalParameters(*callable);
    if (optional.size() > 2) {
      unsupported("an entry point with more than two optional parameters", callable->nameSpan);
      continue;
    }
    for (size_t choice = 0; choice < size_t(1) << optional.size(); ++choice) {
      std::set<std::string> names;
      for (size_t i = 0; i < optional.size(); ++i)
        if (choice >> i & 1) names.insert(optional[i]);
      TSR_CHECK(ensureChecked(without(*callable, names)) || diagnostics_.hasErrors() || options_.keepUnsupported,
                "`" + callable->name + "` fails without a message");
    }
  }
  return std::move(program_);
}

bool Checker::isEntry(const Callable &callable) const {
  if (!callable.def || callable.closure || callable.name.empty()) return false;
  if (callable.name[0] == '_') return false;
  if (callable.isKernel || callable.name == "main") return true;
  for (const ast::Parameter &p : callable.def->parameters)
    if (!p.annotation) return false;
  return !callable.def->parameters.empty() && !usesHost(callable.def->body);
}

std::vector<std::string> Checker::optionalParameters(const Callable &callable) {
  std::vector<std::string> names;
  for (const ast::Parameter &p : callable.def->parameters)
    if (p.annotation && optionalType(*p.annotation)) names.push_back(p.name.text);
  return names;
}

const Callable &Checker::without(const Callable &callable, const std::set<std::string> &names) {
  if (names.empty()) return callable;
  std::string suffix;
  for (const std::string &name : names) suffix += (suffix.empty() ? "" : "_and_") + name;
  const Callable *&slot = callable.variants[suffix];
  if (slot) return *slot;
  callables_.push_back(callable);
  Callable &made = callables_.back();
  made.name += "_without_" + suffix;
  made.without = names;
  made.checked = nullptr;
  made.failed = made.active = false;
  made.variants.clear();
  slot = &made;
  return made;
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
  auto function = checkEntry(callable);
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
