#include "frontend/FormatTypes.h"
#include "support/DType.h"
#include <string_view>

namespace tessera::frontend::fmt {
namespace {

using namespace ast;

/// Names that the program binds itself: there `fp32` may be anything.
class BoundNames {
public:
  std::set<std::string, std::less<>> names;

  void block(const Block &body) {
    for (const StmtPtr &stmt : body) statement(stmt.get());
  }

private:
  void target(const Expr *expr) {
    if (auto *name = as<NameExpr>(expr)) names.insert(name->name);
    if (auto *starred = as<StarredExpr>(expr)) target(starred->value.get());
    if (expr && (expr->kind == ExprKind::Tuple || expr->kind == ExprKind::List))
      for (const ExprPtr &item : static_cast<const SequenceExpr *>(expr)->items) target(item.get());
  }
  void generics(const std::vector<TypeParameter> &list) {
    for (const TypeParameter &parameter : list) names.insert(parameter.name.text);
  }
  void imports(const std::vector<ImportItem> &items) {
    for (const ImportItem &item : items) {
      if (item.alias) names.insert(item.alias->text);
      // `from tessera import fp32` is the prelude's own name.
    }
  }
  void statement(const Stmt *stmt) {
    if (auto *assign = as<AssignStmt>(stmt)) for (const ExprPtr &each : assign->targets) target(each.get());
    if (auto *typed = as<AnnAssignStmt>(stmt)) target(typed->target.get());
    if (auto *sample = as<SampleStmt>(stmt)) target(sample->target.get());
    if (auto *import = as<ImportStmt>(stmt)) imports(import->items);
    if (auto *from = as<FromImportStmt>(stmt)) imports(from->items);
    if (auto *policy = as<PolicyDef>(stmt)) names.insert(policy->name.text);
    if (auto *state = as<StateDef>(stmt)) names.insert(state->name.text);
    if (auto *branch = as<IfStmt>(stmt)) block(branch->then), block(branch->otherwise);
    if (auto *loop = as<WhileStmt>(stmt)) block(loop->body), block(loop->otherwise);
    if (auto *loop = as<ForStmt>(stmt)) target(loop->target.get()), block(loop->body), block(loop->otherwise);
    if (auto *with = as<WithStmt>(stmt)) {
      for (const WithItem &item : with->items) target(item.target.get());
      block(with->body);
    }
    if (auto *attempt = as<TryStmt>(stmt)) {
      block(attempt->body), block(attempt->otherwise), block(attempt->finally);
      for (const ExceptClause &clause : attempt->handlers) block(clause.body);
    }
    if (auto *function = as<FuncDef>(stmt)) {
      names.insert(function->name.text);
      generics(function->typeParameters);
      for (const Parameter &parameter : function->parameters) names.insert(parameter.name.text);
      block(function->body);
    }
    if (auto *cls = as<ClassDef>(stmt)) names.insert(cls->name.text), generics(cls->typeParameters), block(cls->body);
    if (auto *record = as<StructDef>(stmt)) names.insert(record->name.text), generics(record->typeParameters), block(record->body);
  }
};

class TypeReader {
public:
  explicit TypeReader(BoundNames bound) : bound_(std::move(bound)) {}
  TypeFacts facts;

  void block(const Block &body) {
    for (const StmtPtr &stmt : body) statement(stmt.get());
  }

private:
  BoundNames bound_;

  void rename(Span span, std::string_view name) {
    if (bound_.names.contains(name)) return;
    std::optional<DType> dtype = dtypeByName(name);
    if (dtype && tessera::name(*dtype) != name) facts.renames[span.begin] = {span.end, std::string(tessera::name(*dtype))};
  }
  /// `fp8(e4m3)`: a family and the layout of its bits.
  bool renameFamily(const CallExpr &call) {
    auto *family = as<NameExpr>(call.callee);
    if (!family || call.arguments.size() != 1 || call.arguments[0].keyword || call.arguments[0].stars) return false;
    auto *layout = as<NameExpr>(call.arguments[0].value);
    if (!layout || bound_.names.contains(family->name)) return false;
    std::string name = family->name + "_" + layout->name;
    if (!dtypeByName(name)) return false;
    rename(call.span, name);
    return true;
  }

  /// An expression in the place of a type.
  void type(const Expr *expr) {
    if (!expr) return;
    if (auto *name = as<NameExpr>(expr)) rename(name->span, name->name);
    if (auto *attribute = as<AttributeExpr>(expr)) rename(attribute->attribute.span, attribute->attribute.text);
    if (auto *policy = as<PolicyExpr>(expr)) policyExpr(policy->policy.get());
    if (auto *range = as<BinaryExpr>(expr)) {
      type(range->left.get());
      if (range->op == BinaryOp::MatMul) facts.policies.insert(range->opSpan.begin), policyExpr(range->right.get());
      else if (range->op == BinaryOp::BitOr) type(range->right.get());
    }
    if (auto *call = as<CallExpr>(expr))
      if (!renameFamily(*call)) policyExpr(expr);
    if (auto *subscript = as<SubscriptExpr>(expr))
      for (const Argument &item : subscript->items) type(item.value.get());
  }
  /// `accum(f32)`: the arguments of a policy may be dtypes.
  void policyExpr(const Expr *expr) {
    if (auto *name = as<NameExpr>(expr)) rename(name->span, name->name);
    if (auto *call = as<CallExpr>(expr))
      for (const Argument &argument : call->arguments) type(argument.value.get());
  }

  void parameters(const std::vector<Parameter> &list) {
    for (const Parameter &parameter : list) type(parameter.annotation.get());
  }
  void statement(const Stmt *stmt) {
    if (auto *typed = as<AnnAssignStmt>(stmt)) type(typed->annotation.get());
    if (auto *policy = as<PolicyDef>(stmt)) policyExpr(policy->value.get());
    if (auto *state = as<StateDef>(stmt)) type(state->annotation.get());
    if (auto *branch = as<IfStmt>(stmt)) block(branch->then), block(branch->otherwise);
    if (auto *loop = as<WhileStmt>(stmt)) block(loop->body), block(loop->otherwise);
    if (auto *loop = as<ForStmt>(stmt)) block(loop->body), block(loop->otherwise);
    if (auto *with = as<WithStmt>(stmt)) block(with->body);
    if (auto *attempt = as<TryStmt>(stmt)) {
      block(attempt->body), block(attempt->otherwise), block(attempt->finally);
      for (const ExceptClause &clause : attempt->handlers) block(clause.body);
    }
    if (auto *function = as<FuncDef>(stmt)) {
      parameters(function->parameters);
      type(function->result.get());
      block(function->body);
    }
    if (auto *cls = as<ClassDef>(stmt)) block(cls->body);
    if (auto *record = as<StructDef>(stmt)) block(record->body);
  }
};

}  // namespace

TypeFacts typeFacts(const Module &module) {
  BoundNames bound;
  bound.block(module.body);
  TypeReader reader(std::move(bound));
  reader.block(module.body);
  return std::move(reader.facts);
}

}  // namespace tessera::frontend::fmt
