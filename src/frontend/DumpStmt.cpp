#include "frontend/Dump.h"

namespace tessera::ast {

std::string dump(const Module &module, bool spans) { return Dumper({spans, true}).module(module); }

bool equal(const Module &a, const Module &b) { return Dumper({}).module(a) == Dumper({}).module(b); }

std::string Dumper::module(const Module &module) {
  out_ = "(module";
  ++depth_;
  for (const StmtPtr &statement : module.body) stmt(statement.get());
  out_ += ")\n";
  return std::move(out_);
}

void Dumper::line() {
  out_ += '\n';
  out_.append(2 * depth_, ' ');
}

void Dumper::block(std::string_view name, const Block &block) {
  line();
  out_ += '(';
  out_ += name;
  ++depth_;
  for (const StmtPtr &statement : block) stmt(statement.get());
  --depth_;
  close();
}

void Dumper::path(const std::vector<Identifier> &names) {
  std::string text;
  for (const Identifier &name : names) text += (text.empty() ? "" : ".") + name.text;
  word(text);
}

void Dumper::importItem(const ImportItem &item) {
  open("item", item.span);
  path(item.path);
  if (item.alias) {
    word("as");
    word(item.alias->text);
  }
  close();
}

void Dumper::import(const Stmt *stmt) {
  if (auto *plain = as<ImportStmt>(stmt)) {
    open("import", stmt->span);
    for (const ImportItem &item : plain->items) importItem(item);
    return close();
  }
  auto &from = static_cast<const FromImportStmt &>(*stmt);
  open("from-import", stmt->span);
  if (from.level) word("level=" + std::to_string(from.level));
  if (!from.module.empty()) path(from.module);
  if (from.star) word("*");
  for (const ImportItem &item : from.items) importItem(item);
  close();
}

void Dumper::decorators(const std::vector<Decorator> &decorators) {
  for (const Decorator &decorator : decorators) {
    line();
    open("decorator", decorator.span);
    expr(decorator.expression.get());
    close();
  }
}

void Dumper::typeParameters(const std::vector<TypeParameter> &parameters) {
  if (parameters.empty()) return;
  out_ += " [";
  for (size_t i = 0; i < parameters.size(); ++i) {
    out_ += (i ? " " : "") + parameters[i].name.text;
    if (!parameters[i].bound) continue;
    out_ += ':';
    expr(parameters[i].bound.get());
  }
  out_ += ']';
}

void Dumper::parameter(const Parameter &parameter) {
  static constexpr std::string_view names[] = {"parameter", "keyword-parameter", "rest-parameter", "options-parameter"};
  open(names[static_cast<size_t>(parameter.kind)], parameter.span);
  word(parameter.name.text);
  if (parameter.annotation || parameter.defaultValue) expr(parameter.annotation.get());
  if (parameter.defaultValue) expr(parameter.defaultValue.get());
  close();
}

void Dumper::function(const FuncDef &def) {
  open(def.isAsync ? "async-def" : "def", def.span);
  word(def.name.text);
  typeParameters(def.typeParameters);
  ++depth_;
  decorators(def.decorators);
  for (const Parameter &parameter : def.parameters) {
    line();
    this->parameter(parameter);
  }
  if (def.result) {
    line();
    open("result", def.result->span);
    expr(def.result.get());
    close();
  }
  for (const ExprPtr &fact : def.where) {
    line();
    open("where", fact->span);
    expr(fact.get());
    close();
  }
  if (def.effects) {
    line();
    out_ += "(effects";
    items(*def.effects);
    close();
  }
  block("body", def.body);
  --depth_;
  close();
}

void Dumper::definition(const Stmt *stmt) {
  if (auto *function = as<FuncDef>(stmt)) return this->function(*function);
  if (auto *policy = as<PolicyDef>(stmt)) {
    open("policy-def", stmt->span);
    word(policy->name.text);
    expr(policy->value.get());
    return close();
  }
  if (auto *state = as<StateDef>(stmt)) {
    open("state", stmt->span);
    word(state->name.text);
    expr(state->annotation.get());
    expr(state->value.get());
    return close();
  }
  auto *type = as<ClassDef>(stmt);
  auto *record = as<StructDef>(stmt);
  open(type ? "class" : "struct", stmt->span);
  word(type ? type->name.text : record->name.text);
  typeParameters(type ? type->typeParameters : record->typeParameters);
  if (type) arguments(type->bases);
  ++depth_;
  decorators(type ? type->decorators : record->decorators);
  block("body", type ? type->body : record->body);
  --depth_;
  close();
}

void Dumper::ifStmt(const IfStmt &stmt) {
  open(stmt.isElif ? "elif" : "if", stmt.span);
  expr(stmt.condition.get());
  ++depth_;
  block("then", stmt.then);
  if (!stmt.otherwise.empty()) block("else", stmt.otherwise);
  --depth_;
  close();
}

void Dumper::tryStmt(const TryStmt &stmt) {
  open("try", stmt.span);
  ++depth_;
  block("body", stmt.body);
  for (const ExceptClause &clause : stmt.handlers) {
    line();
    open("except", clause.span);
    expr(clause.type.get());
    if (clause.name) word(clause.name->text);
    ++depth_;
    block("body", clause.body);
    --depth_;
    close();
  }
  if (!stmt.otherwise.empty()) block("else", stmt.otherwise);
  if (!stmt.finally.empty()) block("finally", stmt.finally);
  --depth_;
  close();
}

void Dumper::compound(const Stmt *node) {
  auto blocks = [&](const Block &body, const Block &otherwise) {
    ++depth_;
    block("body", body);
    if (!otherwise.empty()) block("else", otherwise);
    --depth_;
    close();
  };
  switch (node->kind) {
  case StmtKind::While: {
    auto &loop = static_cast<const WhileStmt &>(*node);
    open("while", node->span);
    expr(loop.condition.get());
    return blocks(loop.body, loop.otherwise);
  }
  case StmtKind::For: {
    auto &loop = static_cast<const ForStmt &>(*node);
    open(loop.isAsync ? "async-for" : "for", node->span);
    expr(loop.target.get());
    expr(loop.iterable.get());
    return blocks(loop.body, loop.otherwise);
  }
  default: {
    auto &with = static_cast<const WithStmt &>(*node);
    open(with.isAsync ? "async-with" : "with", node->span);
    for (const WithItem &item : with.items) {
      open("item", item.context->span);
      expr(item.context.get());
      if (item.target) expr(item.target.get());
      close();
    }
    return blocks(with.body, {});
  }
  }
}

void Dumper::stmt(const Stmt *node) {
  line();
  auto simple = [&](std::string_view name, std::initializer_list<const ExprPtr *> parts) {
    open(name, node->span);
    for (const ExprPtr *part : parts) expr(part->get());
    close();
  };
  switch (node->kind) {
  case StmtKind::Expr: return simple("expr", {&static_cast<const ExprStmt &>(*node).value});
  case StmtKind::Assign: {
    auto &assign = static_cast<const AssignStmt &>(*node);
    open("assign", node->span);
    items(assign.targets);
    expr(assign.value.get());
    return close();
  }
  case StmtKind::AnnAssign: {
    auto &assign = static_cast<const AnnAssignStmt &>(*node);
    return simple("declare", {&assign.target, &assign.annotation, &assign.value});
  }
  case StmtKind::AugAssign: {
    auto &assign = static_cast<const AugAssignStmt &>(*node);
    return simple(std::string(spelling(assign.op)) + "=", {&assign.target, &assign.value});
  }
  case StmtKind::Sample: {
    auto &sample = static_cast<const SampleStmt &>(*node);
    return simple("sample", {&sample.target, &sample.distribution});
  }
  case StmtKind::Return: return simple("return", {&static_cast<const ReturnStmt &>(*node).value});
  case StmtKind::Raise: {
    auto &raise = static_cast<const RaiseStmt &>(*node);
    return simple("raise", {&raise.value, &raise.cause});
  }
  case StmtKind::Assert: {
    auto &check = static_cast<const AssertStmt &>(*node);
    return simple("assert", {&check.condition, &check.message});
  }
  case StmtKind::Del:
    open("del", node->span);
    items(static_cast<const DelStmt &>(*node).targets);
    return close();
  case StmtKind::Pass: return simple("pass", {});
  case StmtKind::Break: return simple("break", {});
  case StmtKind::Continue: return simple("continue", {});
  case StmtKind::Error: return simple("error", {});
  case StmtKind::Global: {
    auto &global = static_cast<const GlobalStmt &>(*node);
    open(global.nonlocal ? "nonlocal" : "global", node->span);
    for (const Identifier &name : global.names) word(name.text);
    return close();
  }
  case StmtKind::Import: case StmtKind::FromImport: return import(node);
  case StmtKind::If: return ifStmt(static_cast<const IfStmt &>(*node));
  case StmtKind::Try: return tryStmt(static_cast<const TryStmt &>(*node));
  case StmtKind::While: case StmtKind::For: case StmtKind::With: return compound(node);
  case StmtKind::FuncDef: case StmtKind::ClassDef: case StmtKind::StructDef: case StmtKind::PolicyDef: case StmtKind::StateDef:
    return definition(node);
  }
}

}  // namespace tessera::ast
