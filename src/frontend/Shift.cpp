#include "frontend/Shift.h"

namespace tessera::ast {
namespace {

class Shifter {
public:
  explicit Shifter(int64_t bytes) : bytes_(bytes) {}

  void stmt(Stmt &s) {
    place(s.span);
    switch (s.kind) {
    case StmtKind::Expr: return expr(to<ExprStmt>(s).value);
    case StmtKind::Assign: return exprs(to<AssignStmt>(s).targets), expr(to<AssignStmt>(s).value);
    case StmtKind::AnnAssign:
      return expr(to<AnnAssignStmt>(s).target), expr(to<AnnAssignStmt>(s).annotation), expr(to<AnnAssignStmt>(s).value);
    case StmtKind::AugAssign: return expr(to<AugAssignStmt>(s).target), expr(to<AugAssignStmt>(s).value);
    case StmtKind::Sample: return expr(to<SampleStmt>(s).target), expr(to<SampleStmt>(s).distribution);
    case StmtKind::Return: return expr(to<ReturnStmt>(s).value);
    case StmtKind::Raise: return expr(to<RaiseStmt>(s).value), expr(to<RaiseStmt>(s).cause);
    case StmtKind::Assert: return expr(to<AssertStmt>(s).condition), expr(to<AssertStmt>(s).message);
    case StmtKind::Del: return exprs(to<DelStmt>(s).targets);
    case StmtKind::Global:
      for (Identifier &name : to<GlobalStmt>(s).names) place(name.span);
      return;
    case StmtKind::Import: return imports(to<ImportStmt>(s).items);
    case StmtKind::FromImport:
      for (Identifier &part : to<FromImportStmt>(s).module) place(part.span);
      return imports(to<FromImportStmt>(s).items);
    case StmtKind::If: return expr(to<IfStmt>(s).condition), block(to<IfStmt>(s).then), block(to<IfStmt>(s).otherwise);
    case StmtKind::While: return expr(to<WhileStmt>(s).condition), block(to<WhileStmt>(s).body), block(to<WhileStmt>(s).otherwise);
    case StmtKind::For:
      expr(to<ForStmt>(s).target), expr(to<ForStmt>(s).iterable);
      return block(to<ForStmt>(s).body), block(to<ForStmt>(s).otherwise);
    case StmtKind::With:
      for (WithItem &item : to<WithStmt>(s).items) expr(item.context), expr(item.target);
      return block(to<WithStmt>(s).body);
    case StmtKind::Try: return attempt(to<TryStmt>(s));
    case StmtKind::FuncDef: return function(to<FuncDef>(s));
    case StmtKind::ClassDef: {
      auto &def = to<ClassDef>(s);
      decorators(def.decorators), place(def.name.span), typeParameters(def.typeParameters), arguments(def.bases);
      return block(def.body);
    }
    case StmtKind::StructDef: {
      auto &def = to<StructDef>(s);
      decorators(def.decorators), place(def.name.span), typeParameters(def.typeParameters);
      return block(def.body);
    }
    case StmtKind::PolicyDef: return place(to<PolicyDef>(s).name.span), expr(to<PolicyDef>(s).value);
    case StmtKind::StateDef:
      return place(to<StateDef>(s).name.span), expr(to<StateDef>(s).annotation), expr(to<StateDef>(s).value);
    case StmtKind::Pass:
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Error: return;
    }
  }

private:
  template <class T> static T &to(Stmt &s) { return static_cast<T &>(s); }
  template <class T> static T &to(Expr &e) { return static_cast<T &>(e); }

  void place(Span &span) const {
    if (!span.valid()) return;
    span.begin = static_cast<uint32_t>(span.begin + bytes_);
    span.end = static_cast<uint32_t>(span.end + bytes_);
  }
  void expr(ExprPtr &e) {
    if (e) expr(*e);
  }
  void exprs(std::vector<ExprPtr> &list) {
    for (ExprPtr &e : list) expr(e);
  }
  void block(Block &list) {
    for (StmtPtr &s : list) stmt(*s);
  }
  void arguments(std::vector<Argument> &list) {
    for (Argument &argument : list) {
      if (argument.keyword) place(argument.keyword->span);
      expr(argument.value), place(argument.span);
    }
  }
  void parameters(std::vector<Parameter> &list) {
    for (Parameter &p : list) place(p.name.span), expr(p.annotation), expr(p.defaultValue), place(p.span);
  }
  void decorators(std::vector<Decorator> &list) {
    for (Decorator &d : list) expr(d.expression), place(d.span);
  }
  void typeParameters(std::vector<TypeParameter> &list) {
    for (TypeParameter &t : list) place(t.name.span), expr(t.bound);
  }
  void imports(std::vector<ImportItem> &list) {
    for (ImportItem &item : list) {
      for (Identifier &part : item.path) place(part.span);
      if (item.alias) place(item.alias->span);
      place(item.span);
    }
  }
  void function(FuncDef &def) {
    decorators(def.decorators), place(def.name.span), typeParameters(def.typeParameters), parameters(def.parameters);
    expr(def.result), exprs(def.where);
    if (def.effects) exprs(*def.effects);
    block(def.body);
  }
  void attempt(TryStmt &s) {
    block(s.body);
    for (ExceptClause &handler : s.handlers) {
      expr(handler.type), place(handler.span), block(handler.body);
      if (handler.name) place(handler.name->span);
    }
    block(s.otherwise), block(s.finally);
  }

  void expr(Expr &e) {
    place(e.span);
    switch (e.kind) {
    case ExprKind::Tuple:
    case ExprKind::List:
    case ExprKind::Set: return exprs(to<SequenceExpr>(e).items);
    case ExprKind::Stack: return expr(to<StackExpr>(e).item), expr(to<StackExpr>(e).count);
    case ExprKind::Dict:
      for (DictItem &item : to<DictExpr>(e).items) expr(item.key), expr(item.value);
      return;
    case ExprKind::ListComp:
    case ExprKind::SetComp:
    case ExprKind::GeneratorComp:
    case ExprKind::DictComp:
      expr(to<ComprehensionExpr>(e).key), expr(to<ComprehensionExpr>(e).element);
      for (ComprehensionFor &clause : to<ComprehensionExpr>(e).clauses) expr(clause.target), expr(clause.iterable), exprs(clause.conditions);
      return;
    case ExprKind::FString:
      for (FStringPart &part : to<FStringExpr>(e).parts) expr(part.value);
      return;
    case ExprKind::Unary: return expr(to<UnaryExpr>(e).operand);
    case ExprKind::Binary: return place(to<BinaryExpr>(e).opSpan), expr(to<BinaryExpr>(e).left), expr(to<BinaryExpr>(e).right);
    case ExprKind::BoolOp: return exprs(to<BoolOpExpr>(e).operands);
    case ExprKind::Compare: return exprs(to<CompareExpr>(e).operands);
    case ExprKind::Conditional:
      return expr(to<ConditionalExpr>(e).condition), expr(to<ConditionalExpr>(e).then), expr(to<ConditionalExpr>(e).otherwise);
    case ExprKind::Lambda: return parameters(to<LambdaExpr>(e).parameters), expr(to<LambdaExpr>(e).body);
    case ExprKind::Call: return expr(to<CallExpr>(e).callee), arguments(to<CallExpr>(e).arguments);
    case ExprKind::Attribute: return expr(to<AttributeExpr>(e).object), place(to<AttributeExpr>(e).attribute.span);
    case ExprKind::Subscript: return expr(to<SubscriptExpr>(e).object), arguments(to<SubscriptExpr>(e).items);
    case ExprKind::Slice: return expr(to<SliceExpr>(e).start), expr(to<SliceExpr>(e).stop), expr(to<SliceExpr>(e).step);
    case ExprKind::Starred: return expr(to<StarredExpr>(e).value);
    case ExprKind::Await: return expr(to<AwaitExpr>(e).value);
    case ExprKind::Range: return expr(to<RangeExpr>(e).low), expr(to<RangeExpr>(e).high);
    case ExprKind::Policy: return expr(to<PolicyExpr>(e).policy);
    case ExprKind::Braced: return expr(to<BracedExpr>(e).object), exprs(to<BracedExpr>(e).items);
    case ExprKind::Named: return place(to<NamedExpr>(e).name.span), expr(to<NamedExpr>(e).value);
    case ExprKind::Name:
    case ExprKind::Int:
    case ExprKind::Float:
    case ExprKind::Imaginary:
    case ExprKind::String:
    case ExprKind::Bool:
    case ExprKind::None:
    case ExprKind::Ellipsis:
    case ExprKind::Error: return;
    }
  }

  int64_t bytes_;
};

}  // namespace

void shift(Stmt &stmt, int64_t bytes) {
  if (bytes != 0) Shifter(bytes).stmt(stmt);
}

}  // namespace tessera::ast
