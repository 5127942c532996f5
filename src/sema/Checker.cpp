// Modules, imports, and which functions are entry points.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

std::unique_ptr<Program> check(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
                               diag::Engine &diagnostics, const CheckOptions &options) {
  return Checker(sources, load, diagnostics, options).run(module);
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

// ---------------------------------------------------------------- modules

ModuleScope *Checker::loadModule(FileId importer, int level, const std::string &path, Span span) {
  const ast::Module *found = load_ ? load_(importer, level, path) : nullptr;
  if (!found) {
    if (span.valid()) report(Id::unknownModule, span, std::string(level, '.') + path);
    return nullptr;
  }
  auto &slot = modules_[found];
  if (slot) {
    if (!slot->loading) return slot.get();
    if (span.valid()) report(Id::cyclicImport, span, path);
    return nullptr;
  }
  slot = std::make_unique<ModuleScope>();
  slot->path = path;
  slot->ast = found;
  ModuleScope *scope = slot.get();
  evaluateModule(*scope);
  return scope;
}

void Checker::evaluateModule(ModuleScope &scope) {
  ModuleScope *outer = scope_;
  auto frame = frame_;
  scope_ = &scope;
  frame_ = nullptr;
  scope.loading = true;
  for (const ast::StmtPtr &stmt : scope.ast->body) moduleStatement(scope, *stmt);
  scope.loading = false;
  scope_ = outer;
  frame_ = frame;
}

void Checker::define(ModuleScope &scope, const std::string &name, Value value, Span span) {
  bool function = value.kind == ValueKind::Function;
  auto it = scope.names.find(name);
  if (it != scope.names.end() && function && it->second.kind == ValueKind::Function &&
      it->second.callable->module == &scope) {
    report(Id::definedTwice, span, name).note(scope.spans[name], "the first definition is here");
    return;
  }
  scope.names[name] = std::move(value);
  scope.spans[name] = span;
}

Value Checker::functionValue(ModuleScope &scope, const ast::FuncDef &def, std::shared_ptr<Frame> closure) {
  callables_.push_back({});
  Callable &made = callables_.back();
  made.name = def.name.text;
  made.def = &def;
  made.module = &scope;
  made.closure = std::move(closure);
  made.nameSpan = def.name.span;
  for (const ast::Decorator &decorator : def.decorators) {
    std::string which = decoratorName(*decorator.expression);
    made.isKernel |= which == "kernel" || which == "kernel.schedule" || which == "kernel.autotune";
  }
  Value v = Value::of(ValueKind::Function);
  v.callable = &made;
  return v;
}

void Checker::moduleStatement(ModuleScope &scope, const ast::Stmt &stmt) {
  using K = ast::StmtKind;
  switch (stmt.kind) {
  case K::FuncDef: {
    auto &def = static_cast<const ast::FuncDef &>(stmt);
    define(scope, def.name.text, functionValue(scope, def), def.name.span);
    return;
  }
  case K::Import: return importStatement(scope, static_cast<const ast::ImportStmt &>(stmt));
  case K::FromImport: return fromImport(scope, static_cast<const ast::FromImportStmt &>(stmt));
  case K::Assign: {
    auto &assign = static_cast<const ast::AssignStmt &>(stmt);
    Value value = checkExpr(*assign.value);
    for (const ast::ExprPtr &target : assign.targets) {
      if (auto *name = as<ast::NameExpr>(target)) {
        if (value.kind == ValueKind::Function && value.callable->def && value.callable->schedule &&
            value.callable->name == value.callable->def->name.text &&
            assign.value->kind == ast::ExprKind::Call)
          for (Callable &c : callables_)
            if (&c == value.callable) c.name = name->name, c.nameSpan = target->span;
        define(scope, name->name, value, target->span);
      } else if (target->kind == ast::ExprKind::Tuple && value.isSequence()) {
        auto &items = static_cast<const ast::SequenceExpr &>(*target).items;
        if (items.size() != value.items.size()) {
          report(Id::unpackCount, target->span, std::to_string(items.size()),
                 std::to_string(value.items.size()));
          continue;
        }
        for (size_t i = 0; i < items.size(); ++i)
          if (auto *item = as<ast::NameExpr>(items[i]))
            define(scope, item->name, value.items[i], items[i]->span);
      } else if (!value.isPoison()) {
        unsupported("this assignment at module level", target->span);
      }
    }
    return;
  }
  case K::AnnAssign: {
    auto &assign = static_cast<const ast::AnnAssignStmt &>(stmt);
    auto *name = as<ast::NameExpr>(assign.target);
    if (!name || !assign.value) {
      unsupported("a declaration at module level", stmt.span);
      return;
    }
    define(scope, name->name, checkExpr(*assign.value), assign.target->span);
    return;
  }
  case K::PolicyDef: {
    auto &policy = static_cast<const ast::PolicyDef &>(stmt);
    Value v = checkExpr(*policy.value);
    if (v.kind != ValueKind::Policy && !v.isPoison()) {
      report(Id::wrongArgument, policy.value->span, "policy", "`Policy(...)`", describe(v));
      v = Value::poison();
    }
    define(scope, policy.name.text, std::move(v), policy.name.span);
    return;
  }
  case K::Expr: {
    auto &e = static_cast<const ast::ExprStmt &>(stmt);
    if (e.value->kind == ast::ExprKind::String || e.value->kind == ast::ExprKind::Ellipsis) return;
    checkExpr(*e.value);
    return;
  }
  case K::Pass:
  case K::Error: return;
  case K::ClassDef: {
    auto &c = static_cast<const ast::ClassDef &>(stmt);
    unsupported("a class", c.name.span);
    define(scope, c.name.text, Value::poison(), c.name.span);
    return;
  }
  case K::StructDef: {
    auto &s = static_cast<const ast::StructDef &>(stmt);
    unsupported("a struct", s.name.span);
    define(scope, s.name.text, Value::poison(), s.name.span);
    return;
  }
  case K::StateDef: {
    auto &s = static_cast<const ast::StateDef &>(stmt);
    unsupported("`state`", s.name.span);
    define(scope, s.name.text, Value::poison(), s.name.span);
    return;
  }
  case K::Assert: {
    auto &a = static_cast<const ast::AssertStmt &>(stmt);
    Value v = checkExpr(*a.condition);
    auto known = knownBool(v, a.condition->span, "a condition at module level");
    if (known && !*known)
      report(Id::factRefuted, a.condition->span, std::string(sources_.text(a.condition->span)));
    return;
  }
  default: unsupported("this statement at module level", stmt.span);
  }
}

void Checker::importStatement(ModuleScope &scope, const ast::ImportStmt &stmt) {
  for (const ast::ImportItem &item : stmt.items) {
    std::string path;
    for (const ast::Identifier &part : item.path) path += (path.empty() ? "" : ".") + part.text;
    Value v = Value::of(ValueKind::Module);
    std::string bound = item.alias ? item.alias->text : item.path[0].text;
    if (path == "tessera" || (!item.alias && item.path[0].text == "tessera")) {
      v.text = "tessera";
      if (path != "tessera" && path != "tessera.tile") loadModule(scope.ast->file, 0, path, item.span);
    } else if (path == "tessera.tile") {
      v.text = "tile";
    } else {
      ModuleScope *module = loadModule(scope.ast->file, 0, path, item.span);
      if (!module) v = Value::poison();
      else v.module = module, v.text = path;
    }
    define(scope, bound, std::move(v), item.alias ? item.alias->span : item.span);
  }
}

void Checker::fromImport(ModuleScope &scope, const ast::FromImportStmt &stmt) {
  std::string path;
  for (const ast::Identifier &part : stmt.module) path += (path.empty() ? "" : ".") + part.text;
  bool builtin = stmt.level == 0 && (path == "tessera" || path == "tessera.tile");
  Span moduleSpan = stmt.module.empty() ? stmt.span : stmt.module.front().span.to(stmt.module.back().span);
  ModuleScope *module =
      builtin || path.empty() ? nullptr : loadModule(scope.ast->file, stmt.level, path, moduleSpan);
  if (stmt.star) {
    if (module)
      for (const auto &[name, value] : module->names)
        if (name[0] != '_') define(scope, name, value, stmt.span);
    return;
  }
  for (const ast::ImportItem &item : stmt.items) {
    const std::string &name = item.path[0].text;
    Value v;
    if (builtin) {
      v = builtinMember(path == "tessera" ? "" : "tile", name);
      if (v.isPoison() && prelude_) v = moduleMember(*prelude_, name);
    } else if (module) {
      v = moduleMember(*module, name);
    }
    if (v.isPoison() && (builtin || path.empty())) {  // `from tessera import nn`, `from . import blocks`
      std::string inner = path.empty() ? name : path + "." + name;
      if (ModuleScope *m = loadModule(scope.ast->file, stmt.level, inner, {})) {
        v = Value::of(ValueKind::Module);
        v.text = inner;
        v.module = m;
      }
    }
    if (v.isPoison() && (builtin || module || path.empty())) {
      std::vector<std::string_view> known;
      if (module)
        for (const auto &[n, value] : module->names) known.push_back(n);
      if (builtin)
        for (const BuiltinRow &row : builtinRows()) known.push_back(row.name);
      bool reported = module && module->names.count(name);  // its own mistake was said
      if (!reported) {
        auto near = diag::didYouMean(name, known);
        auto builder = report(Id::unknownImport, item.path[0].span, path, name);
        if (!near.empty())
          builder.help("did you mean `" + std::string(near) + "`?")
              .fix(item.path[0].span, std::string(near), "write `" + std::string(near) + "`");
      }
    }
    define(scope, item.alias ? item.alias->text : name, std::move(v), item.span);
  }
}

}  // namespace tessera::sema
