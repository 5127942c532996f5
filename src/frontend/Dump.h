// The writer behind ast::dump and ast::equal.
#pragma once
#include "frontend/AST.h"
#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera::ast {

struct DumpOptions {
  bool spans = false;     // `@begin-end` behind each node's name
  bool spelling = false;  // how literals and tuples are written, not only what they mean
};

/// Statements stand on lines of their own, indented by their depth; expressions stand within a line.
class Dumper {
public:
  explicit Dumper(DumpOptions options) : options_(options) {}
  std::string module(const Module &module);

private:
  // Statements (DumpStmt.cpp).
  void stmt(const Stmt *stmt);
  void compound(const Stmt *stmt);  // while, for and with
  void definition(const Stmt *stmt);
  void block(std::string_view name, const Block &block);
  void ifStmt(const IfStmt &stmt);
  void tryStmt(const TryStmt &stmt);
  void import(const Stmt *stmt);
  void function(const FuncDef &def);
  void decorators(const std::vector<Decorator> &decorators);
  void typeParameters(const std::vector<TypeParameter> &parameters);
  void parameter(const Parameter &parameter);
  void importItem(const ImportItem &item);
  void line();

  // Expressions (DumpExpr.cpp).
  void expr(const Expr *expr);  // null: `_`
  void operation(const Expr *expr);
  void literal(const Expr *expr);
  void wrap(std::string_view name, const Expr *node, std::initializer_list<const ExprPtr *> parts);
  void items(const std::vector<ExprPtr> &items);
  void arguments(const std::vector<Argument> &arguments);
  void comprehension(std::string_view name, const ComprehensionExpr &expr);
  void sequence(const SequenceExpr &expr);
  void fstring(const FStringExpr &expr);
  void stack(const StackExpr &expr);
  void dict(const DictExpr &expr);
  void lambda(const LambdaExpr &expr);

  void open(std::string_view name, Span span);
  void close() { out_ += ')'; }
  void word(std::string_view word);
  void quoted(std::string_view text);
  void path(const std::vector<Identifier> &names);

  DumpOptions options_;
  std::string out_;
  size_t depth_ = 0;
};

std::string_view spelling(BinaryOp op);
std::string_view spelling(UnaryOp op);
std::string_view spelling(CompareOp op);

}  // namespace tessera::ast
