// Modules: their statements, evaluated by the compiler, and what they import.
#include "sema/Builtins.h"
#include "sema/EditorFacts.h"
#include "sema/Report.h"
#include "sema/advice/Advice.h"
#include "sema/advice/Foreign.h"
#include "sema/calls/Calls.h"
#include "sema/calls/Models.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <optional>
#include <algorithm>

namespace tessera::sema {

using ast::as;

static void unknownModule(Context &cx, int level, const std::string &path, Span span);
static void moduleStatement(Context &cx, ModuleScope &scope, const ast::Stmt &stmt);
static Value importedName(Context &cx, const ModuleScope &scope, int level, const std::string &path,
                          const ModuleScope *module, const ast::Identifier &item);

ModuleScope *loadModule(Context &cx, FileId importer, int level, const std::string &path, Span span) {
  const ast::Module *found = cx.load ? cx.load(importer, level, path) : nullptr;
  if (!found) {
    if (span.valid()) unknownModule(cx, level, path, span);
    return nullptr;
  }
  auto &slot = cx.modules[found];
  if (slot) {
    if (!slot->loading) return slot.get();
    if (span.valid()) report(cx, Id::cyclicImport, span, path);
    return nullptr;
  }
  slot = std::make_unique<ModuleScope>();
  slot->path = path;
  slot->ast = found;
  if (level == 0 && path.rfind("tessera.", 0) == 0) cx.libraryFiles.insert(found->file);
  ModuleScope *scope = slot.get();
  evaluateModule(cx, *scope);
  return scope;
}

/// A path like this one but for one typing mistake, of a file that there is.
static std::string nearPath(const std::string &path, const std::function<bool(const std::string &)> &isFile) {
  std::vector<std::string> near = {path + "s"};
  for (size_t i = 0; i < path.size() && path.size() < 64; ++i) {
    near.push_back(path.substr(0, i) + path.substr(i + 1));
    if (i > 0) near.push_back(path), std::swap(near.back()[i - 1], near.back()[i]);
  }
  auto found = std::find_if(near.begin(), near.end(), [&](const std::string &p) {
    return p != path && !p.empty() && p.front() != '.' && p.back() != '.' && isFile(p);
  });
  return found == near.end() ? "" : *found;
}

/// Modules that are known: those that were read for this program.
static void unknownModule(Context &cx, int level, const std::string &path, Span span) {
  std::vector<std::string_view> known = {"tessera", "tessera.tile"};
  for (const auto &[tree, module] : cx.modules)
    if (level == 0 && module && !module->path.empty()) known.push_back(module->path);
  auto near = level == 0 ? diag::didYouMean(path, known) : std::string_view();
  constexpr std::string_view kOurs = "tessera.";  // is no part of what was nearly written
  constexpr size_t kTelling = 3;  // letters: of fewer, one more or less is a typing mistake
  if (path.size() > kOurs.size() + kTelling && path.starts_with(kOurs) && near.starts_with(kOurs) && diag::didYouMean(path.substr(kOurs.size()), {near.substr(kOurs.size())}).empty()) near = {};
  auto isFile = [&](const std::string &other) { return cx.load(span.file, level, other) != nullptr; };
  std::string file = level > 0 && cx.load ? nearPath(path, isFile) : std::string();
  if (!file.empty()) near = file;
  auto builder = report(cx, Id::unknownModule, span, std::string(level, '.') + path);
  if (near.empty()) {
    builder.help(level > 0 ? "I looked for a file of that name, `.tsr`, beside this one"
                 : path == "typing" || path == "__future__" || path == "dataclasses"
                     ? "leave it out: types need no import; what may be missing is `Tensor[N, f32] | None`, several "
                       "values are `(A, B)`, and a "
                       "class with fields is a `struct`"
                 : path == "json"
                     ? "a text is written by `write_bytes(\"results.json\", encode(text))`, and an f-string makes it: `f'{{\"loss\": {loss:.4f}}}'`"
                 : path == "sys" || path == "argparse" || path == "os"
                     ? "what changes from run to run is a parameter of `main`: `def main(steps: int = 100)` and `--arg steps=200`; "
                       "the lines of standard input are `decode(read_bytes(\"/dev/stdin\")).split(\"\\n\")`"
                 : path == "time" || path == "timeit"
                     ? "`perf_counter()` gives the seconds, without an import, and `tessera run --time` measures a function"
                 : path == "random" ? "random numbers come from a stream: `rng = Rng(seed)`, and `rng.normal(shape)`"
                 : path.substr(0, path.find('.')) == "triton"
                     ? "kernels are marked `@kernel`, and the functions of tiles are in `tile`, without an import"
                 : foreignPackage(path) || foreignPackage(path.substr(0, path.find('.')))
                     ? "there are no Python packages here; what they compute with is in `tessera`"
                     : "modules are those of `tessera`, and files beside this one, `from .name import ...`");
    return;
  }
  builder.help("did you mean `" + std::string(near) + "`?");
  if (cx.sources.text(span) == path) builder.fix(span, std::string(near), "write `" + std::string(near) + "`");
}

static bool runs(const Value &value) { return value.expr || std::any_of(value.items.begin(), value.items.end(), runs); }

/// Makes what a statement defines unknown. False for statements that define nothing in this way.
static bool definesNothing(ModuleScope &scope, const ast::Stmt &stmt) {
  auto unknown = [&](const std::string &name, Span span) {
    scope.names[name] = Value::poison();
    scope.spans[name] = span;
    return true;
  };
  auto named = [&](const ast::Identifier &name) { return unknown(name.text, name.span); };
  switch (stmt.kind) {
  case ast::StmtKind::FuncDef: return named(static_cast<const ast::FuncDef &>(stmt).name);
  case ast::StmtKind::StructDef: return named(static_cast<const ast::StructDef &>(stmt).name);
  case ast::StmtKind::ClassDef: return named(static_cast<const ast::ClassDef &>(stmt).name);
  case ast::StmtKind::PolicyDef: return named(static_cast<const ast::PolicyDef &>(stmt).name);
  case ast::StmtKind::Assign: {
    bool all = true;
    for (const ast::ExprPtr &target : static_cast<const ast::AssignStmt &>(stmt).targets)
      if (auto *name = as<ast::NameExpr>(target)) unknown(name->name, target->span);
      else all = false;
    return all;
  }
  default: return false;
  }
}

void evaluateModule(Context &cx, ModuleScope &scope) {
  ModuleScope *outer = cx.scope;
  auto frame = cx.function.frame;
  cx.scope = &scope;
  cx.function.frame = nullptr;
  scope.loading = true;
  std::optional<BrokenStatements> broken;  // nothing is known of what they define
  if (cx.diagnostics.hasErrors()) broken.emplace(*scope.ast, cx.sources, cx.diagnostics.all());
  if (broken && &scope == cx.main)
    for (const ast::StmtPtr &stmt : scope.ast->body)
      if (broken->holds(stmt->span.begin)) cx.unread.insert(stmt.get());
  strayStatements(cx, scope.ast->body);
  for (const ast::StmtPtr &stmt : scope.ast->body) {
    if (broken && broken->holds(stmt->span.begin) && definesNothing(scope, *stmt)) continue;
    size_t before = cx.diagnostics.errorCount();
    moduleStatement(cx, scope, *stmt);
    if (cx.moduleBlock.empty()) continue;
    cx.moduleBlock.clear();
    if (cx.diagnostics.errorCount() == before) report(cx, Id::notConstant, stmt->span, "a value at module level");
    for (auto &[name, value] : scope.names)
      if (runs(value)) value = Value::poison();
  }
  findModels(cx, scope);
  for (const auto &[name, value] : scope.names)
    if (value.kind == ValueKind::StructType && value.instance->info->module == &scope)
      checkStruct(cx, *value.instance->info);
  scope.loading = false;
  cx.scope = outer;
  cx.function.frame = frame;
}

static void define(Context &cx, ModuleScope &scope, const std::string &name, Value value, Span span) {
  bool other = value.kind != ValueKind::DType && !value.isPoison();
  if (other && reservedName(cx, name, value, span))
    return;
  auto it = scope.names.find(name);
  auto isOwn = [&](const Value &v) {
    return (v.kind == ValueKind::Function && v.callable->module == &scope) ||
           (v.kind == ValueKind::Overloads && v.items[0].callable->module == &scope);
  };
  if (it != scope.names.end() && isOwn(value) && isOwn(it->second))
    return defineOverload(cx, scope, name, std::move(value), span);
  if (it != scope.names.end() && value.kind == ValueKind::StructType && it->second.kind == ValueKind::StructType &&
      it->second.instance->info->module == &scope) {
    report(cx, Id::definedTwice, span, name).note(scope.spans[name], "the first definition is here");
    return;
  }
  noteFact(cx, span, value);
  scope.names[name] = std::move(value);
  scope.spans[name] = span;
}

Value functionValue(Context &cx, ModuleScope &scope, const ast::FuncDef &def, std::shared_ptr<Frame> closure) {
  cx.callables.push_back({});
  Callable &made = cx.callables.back();
  made.name = def.name.text;
  made.def = &def;
  made.module = &scope;
  if (closure && &scope == cx.main) cx.reached.nested.emplace(&def, &made);
  made.closure = std::move(closure);
  made.nameSpan = def.name.span;
  for (const ast::Parameter &p : def.parameters) reservedName(cx, p.name.text, "a parameter", p.name.span);
  decoratorNames(cx, def);
  parameterNames(cx, def);
  if (made.closure) refuseInnerTest(cx, def);
  else made.isTest = isTest(cx, def);
  for (const ast::Decorator &decorator : def.decorators) {
    std::string which = decoratorName(cx, *decorator.expression);
    made.isKernel |= which.substr(0, which.find('.')) == "kernel";
    if (which == "test" || which == "benchmark") continue;
    if (!builtinByName(which, 'P') && diag::didYouMean(which, {"kernel", "jit", "function"}) == "kernel")
      made.isKernel = true;  // misspelt: the body is that of a kernel
    std::string root = which.substr(0, which.find('.'));
    auto bound = scope.names.find(root);
    bool unknown = !builtinByName(root, 'P') && (bound == scope.names.end() || bound->second.isPoison());
    made.isKernel |= unknown && cx.sources.text(def.span).find("tile.") != std::string_view::npos;
    made.isOverload |= which == "overload";
    made.isCustomVjp |= which == "custom_vjp";
    made.isCustomJvp |= which == "custom_jvp";
    made.isModel |= which == "model";
    made.isCheckpoint |= which == "checkpoint";
    if (which == "checkpoint") made.keeps = keptNames(*decorator.expression);
  }
  Value v = Value::of(ValueKind::Function);
  v.callable = &made;
  if (made.isModel && made.closure) badModel(cx, made, "stands inside of another function", "write it at module level");
  return v;
}

/// `name = value` and `a, b = values` at module level.
static void moduleAssign(Context &cx, ModuleScope &scope, const ast::AssignStmt &assign) {
  const size_t diagnostics = cx.diagnostics.all().size(), failures = cx.failures;
  Value value = checkExpr(cx, *assign.value);
  auto *only = assign.targets.size() == 1 ? as<ast::NameExpr>(assign.targets[0]) : nullptr;
  if (only && !scope.names.count(only->name) && isMadeLate(cx, value, diagnostics, failures)) {
    scope.late[only->name] = &assign;
    scope.spans[only->name] = only->span;
    return;
  }
  for (const ast::ExprPtr &target : assign.targets) {
    if (auto *name = as<ast::NameExpr>(target)) {
      bool made = value.kind == ValueKind::Function && assign.value->kind == ast::ExprKind::Call;
      if (made && value.callable->def && value.callable->schedule &&
          value.callable->name == value.callable->def->name.text)
        for (Callable &c : cx.callables)
          if (&c == value.callable) c.name = name->name, c.nameSpan = target->span;
      define(cx, scope, name->name, value, target->span);
    } else if (target->kind == ast::ExprKind::Tuple && value.isSequence()) {
      auto &items = static_cast<const ast::SequenceExpr &>(*target).items;
      if (items.size() != value.items.size()) {
        report(cx, Id::unpackCount, target->span, diag::counted(items.size(), "name"),
               diag::counted(value.items.size(), "value"));
        continue;
      }
      for (size_t i = 0; i < items.size(); ++i)
        if (auto *item = as<ast::NameExpr>(items[i])) define(cx, scope, item->name, value.items[i], items[i]->span);
    } else if (!value.isPoison()) {
      unsupported(cx, "this assignment at module level", target->span);
    }
  }
}

static void modulePolicy(Context &cx, ModuleScope &scope, const ast::PolicyDef &policy) {
  Value v = checkExpr(cx, *policy.value);
  if (v.kind != ValueKind::Policy && !v.isPoison()) {
    report(cx, Id::wrongArgument, policy.value->span, quoted("policy"), "`Policy(...)`", describe(cx, v));
    v = Value::poison();
  }
  for (const ast::StmtPtr &stmt : scope.ast->body) {
    auto *first = as<ast::PolicyDef>(stmt);
    if (first == &policy) break;
    if (!first || first->name.text != policy.name.text) continue;
    if (fresh(cx, Id::definedTwice, policy.name.span))
      report(cx, Id::definedTwice, policy.name.span, policy.name.text)
          .note(first->name.span, "the first definition is here");
    return;
  }
  define(cx, scope, policy.name.text, std::move(v), policy.name.span);
}

static void moduleAssert(Context &cx, const ast::AssertStmt &stmt) {
  Value v = checkExpr(cx, *stmt.condition);
  auto known = knownBool(cx, v, stmt.condition->span, "a condition at module level");
  if (known && !*known)
    assertedText(report(cx, Id::factRefuted, stmt.condition->span, std::string(cx.sources.text(stmt.condition->span))),
                 stmt);
}

static void moduleStatement(Context &cx, ModuleScope &scope, const ast::Stmt &stmt) {
  using K = ast::StmtKind;
  auto undefinedYet = [&](const char *what, const ast::Identifier &name, const char *instead = "") {
    unsupported(cx, what, name.span, instead);
    define(cx, scope, name.text, Value::poison(), name.span);
  };
  switch (stmt.kind) {
  case K::FuncDef: {
    auto &def = static_cast<const ast::FuncDef &>(stmt);
    Value made = functionValue(cx, scope, def);
    attachRule(cx, def, *made.callable);
    if (!made.callable->isModel) return define(cx, scope, def.name.text, std::move(made), def.name.span);
    const Value model = modelType(cx, scope, *made.callable);
    define(cx, scope, def.name.text, model, def.name.span);
    if (model.kind == ValueKind::StructType) leaveUnlessNamed(cx, scope, *model.instance->info);
    return;
  }
  case K::Import: return importStatement(cx, scope, static_cast<const ast::ImportStmt &>(stmt));
  case K::FromImport: return fromImport(cx, scope, static_cast<const ast::FromImportStmt &>(stmt));
  case K::Assign: return moduleAssign(cx, scope, static_cast<const ast::AssignStmt &>(stmt));
  case K::AnnAssign: {
    auto &assign = static_cast<const ast::AnnAssignStmt &>(stmt);
    auto *name = as<ast::NameExpr>(assign.target);
    if (!name || !assign.value) unsupported(cx, "a declaration at module level", stmt.span);
    else define(cx, scope, name->name, checkExpr(cx, *assign.value), assign.target->span);
    return;
  }
  case K::PolicyDef: return modulePolicy(cx, scope, static_cast<const ast::PolicyDef &>(stmt));
  case K::Expr: {
    auto &e = static_cast<const ast::ExprStmt &>(stmt);
    if (e.value->kind != ast::ExprKind::String && e.value->kind != ast::ExprKind::Ellipsis) checkExpr(cx, *e.value);
    return;
  }
  case K::Pass:
  case K::Error: return;
  case K::ClassDef: {
    auto &def = static_cast<const ast::ClassDef &>(stmt);
    bool plain = def.bases.empty() && def.decorators.empty() && cx.sources.text(stmt.span).substr(0, 6) == "class ";
    for (const ast::StmtPtr &part : def.body) {
      auto *method = as<ast::FuncDef>(part);
      plain &= part->kind == ast::StmtKind::AnnAssign || (method && (method->name.text == "__call__" || method->name.text.substr(0, 2) != "__"));
    }
    if (!plain || cx.options.keepUnsupported)
      return undefinedYet("a class", def.name,
                          "a `struct` has fields with types, `struct Linear[I, O]:` and `w: Tensor[I, O, f32]`, and "
                          "methods; it is made by "
                          "naming its fields, and nothing inherits");
    if (fresh(cx, Id::notSupportedYet, def.name.span))
      report(cx, Id::notSupportedYet, def.name.span, "a class")
          .suggest({stmt.span.file, stmt.span.begin, stmt.span.begin + 5}, "struct",
                   "fields with types are those of a struct");
    return define(cx, scope, def.name.text, Value::poison(), def.name.span);
  }
  case K::StructDef: {
    auto &def = static_cast<const ast::StructDef &>(stmt);
    return define(cx, scope, def.name.text, structValue(cx, scope, def), def.name.span);
  }
  case K::StateDef: return undefinedYet("`state`", static_cast<const ast::StateDef &>(stmt).name);
  case K::Assert: return moduleAssert(cx, static_cast<const ast::AssertStmt &>(stmt));
  case ast::StmtKind::If:
    return void(unsupported(cx, "this statement at module level", stmt.span,
                            "what a program does stands in `def main():`, without `if __name__`"));
  default: unsupported(cx, "this statement at module level", stmt.span, "what a program does stands in `def main():`");
  }
}

/// `import math` names what is there without it, unless a file beside this one is called so.
static bool isPythonsMath(const Context &cx, const ModuleScope &scope, const std::string &path) {
  return path == "math" && !(cx.load && cx.load(scope.ast->file, 0, path));
}

/// Modules of Python of which the library has what programs take most, unless a file beside this one is called so.
static std::string pathInLibrary(const Context &cx, const ModuleScope &scope, const std::string &path) {
  const bool known = path == "sys" || path == "os" || path == "json";
  return known && !(cx.load && cx.load(scope.ast->file, 0, path)) ? "tessera." + path : path;
}

void importStatement(Context &cx, ModuleScope &scope, const ast::ImportStmt &stmt) {
  for (const ast::ImportItem &item : stmt.items) {
    std::string path;
    for (const ast::Identifier &part : item.path) path += (path.empty() ? "" : ".") + part.text;
    Value v = Value::of(ValueKind::Module);
    std::string bound = item.alias ? item.alias->text : item.path[0].text;
    if (path == "tessera" || (!item.alias && item.path[0].text == "tessera")) {
      v.text = "tessera";
      if (path != "tessera" && path != "tessera.tile") loadModule(cx, scope.ast->file, 0, path, item.span);
    } else if (path == "tessera.tile") {
      v.text = "tile";
    } else if (isPythonsMath(cx, scope, path)) {
      v.text = "math";
    } else {
      ModuleScope *module = loadModule(cx, scope.ast->file, 0, pathInLibrary(cx, scope, path), item.span);
      if (!module) v = Value::poison();
      else v.module = module, v.text = path;
    }
    define(cx, scope, bound, std::move(v), item.alias ? item.alias->span : item.span);
  }
}

void fromImport(Context &cx, ModuleScope &scope, const ast::FromImportStmt &stmt) {
  std::string path;
  for (const ast::Identifier &part : stmt.module) path += (path.empty() ? "" : ".") + part.text;
  if (stmt.level == 0) path = pathInLibrary(cx, scope, path);
  bool builtin = stmt.level == 0 && (path == "tessera" || path == "tessera.tile" || isPythonsMath(cx, scope, path));
  Span moduleSpan = stmt.module.empty() ? stmt.span : stmt.module.front().span.to(stmt.module.back().span);
  bool hasModule = builtin || path.empty() || (cx.load && cx.load(scope.ast->file, stmt.level, path));
  auto isHere = [&](const ast::ImportItem &item) {
    const std::string &name = item.path[0].text;
    return !item.alias && (path == "__future__" || name == "overload" || !builtinMember(cx, "", name).isPoison());
  };
  bool elsewhere = !hasModule && stmt.level == 0 && !stmt.star && !foreignPackage(path);
  const bool misspelt = !diag::didYouMean(path, {"tessera"}).empty();
  if (elsewhere && !misspelt && std::all_of(stmt.items.begin(), stmt.items.end(), isHere)) {
    std::string_view text = cx.sources.file(stmt.span.file).text;
    uint32_t end = stmt.span.end + (stmt.span.end < text.size() && text[stmt.span.end] == '\n');
    report(cx, Id::unknownModule, moduleSpan, path)
        .help("what it is asked for is there without an import")
        .fix({stmt.span.file, stmt.span.begin, end}, "", "leave it out");
    return;
  }
  ModuleScope *module =
      builtin || path.empty() ? nullptr : loadModule(cx, scope.ast->file, stmt.level, path, moduleSpan);
  if (stmt.star) {
    if (module)
      for (const auto &[name, value] : module->names)
        if (name[0] != '_') define(cx, scope, name, value, stmt.span);
    return;
  }
  for (const ast::ImportItem &item : stmt.items) {
    const std::string &name = item.path[0].text;
    Value v = importedName(cx, scope, stmt.level, path, module, item.path[0]);
    define(cx, scope, item.alias ? item.alias->text : name, std::move(v), item.span);
  }
}

/// `name` of `from path import name`: of a module, of what is built in, or a module itself.
static Value importedName(Context &cx, const ModuleScope &scope, int level, const std::string &path,
                          const ModuleScope *module, const ast::Identifier &item) {
  const std::string &name = item.text;
  bool math = level == 0 && isPythonsMath(cx, scope, path);
  bool builtin = level == 0 && (path == "tessera" || path == "tessera.tile" || math);
  Value v;
  if (math) {
    v = memberOfMath(cx, name);
  } else if (builtin) {
    v = builtinMember(cx, path == "tessera" ? "" : "tile", name);
    if (v.isPoison() && cx.prelude) v = moduleMember(*cx.prelude, name);
  } else if (module) {
    v = moduleMember(*module, name);
  }
  if (v.isPoison() && !math && (builtin || path.empty())) {  // `from tessera import nn`, `from . import blocks`
    std::string inner = path.empty() ? name : path + "." + name;
    if (ModuleScope *m = loadModule(cx, scope.ast->file, level, inner, {})) {
      v = Value::of(ValueKind::Module);
      v.text = inner;
      v.module = m;
    }
  }
  bool said = module && module->names.count(name);  // its own mistake
  if (!v.isPoison() || said || !(builtin || module || path.empty())) return v;
  std::vector<std::string_view> known;
  if (module)
    for (const auto &[n, value] : module->names) known.push_back(n);
  if (builtin)
    for (const BuiltinRow &row : builtinRows()) known.push_back(row.name);
  if (builtin) known.push_back("tile");
  auto near = diag::didYouMean(name, known);
  if (builtin && name == "tiles") near = "tile";
  std::string write(near);
  if (std::string_view ours = nameHere(name); std::find(known.begin(), known.end(), ours) != known.end()) {
    bool renamed = cx.sources.file(item.span.file).text.compare(item.span.end, 4, " as ") == 0;
    near = ours;
    write = std::string(ours) + (renamed ? "" : " as " + name);
  }
  auto builder = report(cx, Id::unknownImport, item.span, path, name);
  if (!near.empty())
    builder.help("did you mean `" + std::string(near) + "`?").suggest(item.span, write, "write `" + write + "`");
  return v;
}

}  // namespace tessera::sema
