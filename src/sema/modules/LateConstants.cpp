// Constants of module level that something has to run for: `TABLE = linspace(0, 1, 5)`, `Q = 0.001 * eye(2)`, `TABLE = make_table()`.
// A function that reads one makes it where it begins; what it calls finds it there.
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

bool isMadeLate(Context &cx, const Value &value, size_t diagnostics, size_t failures) {
  const auto &all = cx.diagnostics.all();
  const bool runs = !cx.moduleBlock.empty() || (value.expr && value.kind == ValueKind::Array);
  auto isOfRunTime = [](const diag::Diagnostic &said) { return said.id == Id::notSupportedYet && said.message.starts_with(kCallAtModuleLevel); };
  const bool said = all.size() > diagnostics && std::all_of(all.begin() + static_cast<std::ptrdiff_t>(diagnostics), all.end(), isOfRunTime);
  if (!(value.isPoison() ? said : runs && all.size() == diagnostics)) return false;
  cx.moduleBlock.clear();
  cx.diagnostics.truncate(diagnostics);
  cx.failures = failures;
  return true;
}

static Value constantMadeHere(Context &cx, ModuleScope &scope, const std::string &name, Span span) {
  const ast::AssignStmt &assign = *scope.late.at(name);
  auto frame = std::make_shared<Frame>();
  std::shared_ptr<Frame> reader = cx.function.frame;
  frame->function = reader->function;
  frame->module = &scope;
  frame->inlined = true;
  frame->conditionDepth = cx.function.conditionDepth;
  cx.function.constants[&assign] = Value::poison();  // while it is made
  cx.function.frame = std::move(frame);
  Value made = checkExpr(cx, *assign.value);
  cx.function.frame = std::move(reader);
  cx.function.constants.erase(&assign);
  Var *var = nullptr;
  const bool runs = made.expr && (made.kind == ValueKind::Array || made.kind == ValueKind::HostTensor);
  return runs ? bindTemp(cx, made, name, span, &var) : made;
}

Value lateConstant(Context &cx, ModuleScope &scope, const std::string &name, Span span) {
  if (!cx.function.fn || !cx.function.block || !cx.function.frame || inKernel(cx))
    return unsupported(cx, inKernel(cx) ? "a value in a kernel that a function makes at module level" : kCallAtModuleLevel, span,
                       inKernel(cx) ? "the function that calls the kernel gives it: a parameter `" + name + "`" : "");
  auto known = cx.function.constants.find(scope.late.at(name));
  if (known == cx.function.constants.end()) return constantMadeHere(cx, scope, name, span);
  if (known->second.isPoison() && cx.diagnostics.errorCount() == 0) return unsupported(cx, "a constant that is made of itself", span);
  if (known->second.isPoison()) ++cx.failures;
  return known->second;
}

namespace {
void namesRead(const ast::Children &parts, std::set<std::string> &names) {
  for (const ast::Expr *e : parts.exprs) {
    if (auto *name = as<ast::NameExpr>(e)) names.insert(name->name);
    namesRead(ast::childrenOf(*e), names);
  }
  for (const ast::Stmt *stmt : parts.stmts) namesRead(ast::childrenOf(*stmt), names);
}
}  // namespace

void makeLateConstants(Context &cx, const ast::FuncDef &def) {
  ModuleScope &scope = *cx.function.frame->module;
  if (scope.late.empty()) return;
  std::set<std::string> names;
  if (inHost(cx)) {
    for (const ast::StmtPtr &stmt : scope.ast->body)
      if (stmt->kind == ast::StmtKind::FuncDef || stmt->kind == ast::StmtKind::StructDef) namesRead(ast::childrenOf(*stmt), names);
  } else {
    for (const ast::StmtPtr &stmt : def.body) namesRead(ast::childrenOf(*stmt), names);
  }
  for (const ast::StmtPtr &stmt : scope.ast->body) {  // in their order
    auto *assign = as<ast::AssignStmt>(stmt);
    auto *name = assign && assign->targets.size() == 1 ? as<ast::NameExpr>(assign->targets[0]) : nullptr;
    auto late = name ? scope.late.find(name->name) : scope.late.end();
    if (late == scope.late.end() || late->second != assign || !names.count(name->name)) continue;
    Value made = constantMadeHere(cx, scope, name->name, name->span);
    cx.function.constants[assign] = std::move(made);
  }
}

}  // namespace tessera::sema
