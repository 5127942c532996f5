#include "frontend/Walk.h"

namespace tessera::ast {
namespace {

class Collector {
public:
  Children children;

  void expr(const ExprPtr &e) {
    if (e) children.exprs.push_back(e.get());
  }
  void exprs(const std::vector<ExprPtr> &list) {
    for (const ExprPtr &e : list) expr(e);
  }
  void arguments(const std::vector<Argument> &list) {
    for (const Argument &argument : list) expr(argument.value);
  }
  void block(const Block &list) {
    for (const StmtPtr &s : list) children.stmts.push_back(s.get());
  }
  void parameters(const std::vector<Parameter> &list) {
    for (const Parameter &p : list) expr(p.annotation), expr(p.defaultValue);
  }
  void decorators(const std::vector<Decorator> &list) {
    for (const Decorator &d : list) expr(d.expression);
  }
  void clauses(const std::vector<ComprehensionFor> &list) {
    for (const ComprehensionFor &clause : list)
      expr(clause.target), expr(clause.iterable), exprs(clause.conditions);
  }
  void function(const FuncDef &def) {
    decorators(def.decorators);
    for (const TypeParameter &p : def.typeParameters) expr(p.bound);
    parameters(def.parameters);
    expr(def.result);
    exprs(def.where);
    if (def.effects) exprs(*def.effects);
    block(def.body);
  }
};

template <class T> const T &to(const Expr &e) { return static_cast<const T &>(e); }
template <class T> const T &to(const Stmt &s) { return static_cast<const T &>(s); }

void operations(Collector &c, const Expr &e) {
  switch (e.kind) {
  case ExprKind::Unary: c.expr(to<UnaryExpr>(e).operand); break;
  case ExprKind::Binary: c.expr(to<BinaryExpr>(e).left), c.expr(to<BinaryExpr>(e).right); break;
  case ExprKind::BoolOp: c.exprs(to<BoolOpExpr>(e).operands); break;
  case ExprKind::Compare: c.exprs(to<CompareExpr>(e).operands); break;
  case ExprKind::Conditional:
    c.expr(to<ConditionalExpr>(e).then), c.expr(to<ConditionalExpr>(e).condition),
        c.expr(to<ConditionalExpr>(e).otherwise);
    break;
  case ExprKind::Lambda: c.parameters(to<LambdaExpr>(e).parameters), c.expr(to<LambdaExpr>(e).body); break;
  case ExprKind::Call: c.expr(to<CallExpr>(e).callee), c.arguments(to<CallExpr>(e).arguments); break;
  case ExprKind::Attribute: c.expr(to<AttributeExpr>(e).object); break;
  case ExprKind::Subscript:
    c.expr(to<SubscriptExpr>(e).object), c.arguments(to<SubscriptExpr>(e).items);
    break;
  case ExprKind::Slice:
    c.expr(to<SliceExpr>(e).start), c.expr(to<SliceExpr>(e).stop), c.expr(to<SliceExpr>(e).step);
    break;
  case ExprKind::Starred: c.expr(to<StarredExpr>(e).value); break;
  case ExprKind::Await: c.expr(to<AwaitExpr>(e).value); break;
  case ExprKind::Range: c.expr(to<RangeExpr>(e).low), c.expr(to<RangeExpr>(e).high); break;
  case ExprKind::Policy: c.expr(to<PolicyExpr>(e).policy); break;
  case ExprKind::Braced: c.expr(to<BracedExpr>(e).object), c.exprs(to<BracedExpr>(e).items); break;
  case ExprKind::Named: c.expr(to<NamedExpr>(e).value); break;
  default: break;  // names, literals, errors
  }
}

void compound(Collector &c, const Stmt &s) {
  switch (s.kind) {
  case StmtKind::If:
    c.expr(to<IfStmt>(s).condition), c.block(to<IfStmt>(s).then), c.block(to<IfStmt>(s).otherwise);
    break;
  case StmtKind::While:
    c.expr(to<WhileStmt>(s).condition), c.block(to<WhileStmt>(s).body), c.block(to<WhileStmt>(s).otherwise);
    break;
  case StmtKind::For:
    c.expr(to<ForStmt>(s).target), c.expr(to<ForStmt>(s).iterable);
    c.block(to<ForStmt>(s).body), c.block(to<ForStmt>(s).otherwise);
    break;
  case StmtKind::With:
    for (const WithItem &item : to<WithStmt>(s).items) c.expr(item.context), c.expr(item.target);
    c.block(to<WithStmt>(s).body);
    break;
  case StmtKind::Try:
    for (const ExceptClause &clause : to<TryStmt>(s).handlers) c.expr(clause.type);
    for (const Block *block : blocksOf(s)) c.block(*block);
    break;
  case StmtKind::FuncDef: c.function(to<FuncDef>(s)); break;
  case StmtKind::ClassDef:
    c.decorators(to<ClassDef>(s).decorators), c.arguments(to<ClassDef>(s).bases),
        c.block(to<ClassDef>(s).body);
    break;
  case StmtKind::StructDef: c.decorators(to<StructDef>(s).decorators), c.block(to<StructDef>(s).body); break;
  default: break;  // simple statements
  }
}

}  // namespace

Children childrenOf(const Expr &e) {
  Collector c;
  switch (e.kind) {
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Set: c.exprs(to<SequenceExpr>(e).items); break;
  case ExprKind::Stack: c.expr(to<StackExpr>(e).item), c.expr(to<StackExpr>(e).count); break;
  case ExprKind::Dict:
    for (const DictItem &item : to<DictExpr>(e).items) c.expr(item.key), c.expr(item.value);
    break;
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::GeneratorComp:
  case ExprKind::DictComp:
    c.expr(to<ComprehensionExpr>(e).key), c.expr(to<ComprehensionExpr>(e).element);
    c.clauses(to<ComprehensionExpr>(e).clauses);
    break;
  case ExprKind::FString:
    for (const FStringPart &part : to<FStringExpr>(e).parts) c.expr(part.value);
    break;
  default: operations(c, e);
  }
  return std::move(c.children);
}

Children childrenOf(const Stmt &s) {
  Collector c;
  switch (s.kind) {
  case StmtKind::Expr: c.expr(to<ExprStmt>(s).value); break;
  case StmtKind::Assign: c.exprs(to<AssignStmt>(s).targets), c.expr(to<AssignStmt>(s).value); break;
  case StmtKind::AnnAssign:
    c.expr(to<AnnAssignStmt>(s).target), c.expr(to<AnnAssignStmt>(s).annotation),
        c.expr(to<AnnAssignStmt>(s).value);
    break;
  case StmtKind::AugAssign: c.expr(to<AugAssignStmt>(s).target), c.expr(to<AugAssignStmt>(s).value); break;
  case StmtKind::Sample: c.expr(to<SampleStmt>(s).target), c.expr(to<SampleStmt>(s).distribution); break;
  case StmtKind::Return: c.expr(to<ReturnStmt>(s).value); break;
  case StmtKind::Raise: c.expr(to<RaiseStmt>(s).value), c.expr(to<RaiseStmt>(s).cause); break;
  case StmtKind::Assert: c.expr(to<AssertStmt>(s).condition), c.expr(to<AssertStmt>(s).message); break;
  case StmtKind::Del: c.exprs(to<DelStmt>(s).targets); break;
  case StmtKind::PolicyDef: c.expr(to<PolicyDef>(s).value); break;
  case StmtKind::StateDef: c.expr(to<StateDef>(s).annotation), c.expr(to<StateDef>(s).value); break;
  default: compound(c, s);
  }
  return std::move(c.children);
}

/// Those of the part that is meant.
static std::vector<const Block *> blocksOfTry(const TryStmt &stmt) {
  const TryStmt &whole = stmt.of ? *stmt.of : stmt;
  const TryPart part = stmt.part;
  const bool all = part == TryPart::Whole || part == TryPart::WithoutFinally;
  std::vector<const Block *> blocks;
  if (all || part == TryPart::Body) blocks.push_back(&whole.body);
  for (size_t i = stmt.from; i < whole.handlers.size(); ++i)
    if (all || part == TryPart::Handlers || (part == TryPart::Handler && i == stmt.from)) blocks.push_back(&whole.handlers[i].body);
  if (all || part == TryPart::Otherwise) blocks.push_back(&whole.otherwise);
  if (part == TryPart::Whole || part == TryPart::Finally) blocks.push_back(&whole.finally);
  return blocks;
}
std::vector<const Block *> blocksOf(const Stmt &stmt) {
  if (auto *s = as<IfStmt>(&stmt)) return {&s->then, &s->otherwise};
  if (auto *s = as<WhileStmt>(&stmt)) return {&s->body, &s->otherwise};
  if (auto *s = as<ForStmt>(&stmt)) return {&s->body, &s->otherwise};
  if (auto *s = as<WithStmt>(&stmt)) return {&s->body};
  if (auto *s = as<FuncDef>(&stmt)) return {&s->body};
  if (auto *s = as<StructDef>(&stmt)) return {&s->body};
  if (auto *s = as<ClassDef>(&stmt)) return {&s->body};
  auto *attempt = as<TryStmt>(&stmt);
  return attempt ? blocksOfTry(*attempt) : std::vector<const Block *>();
}

}  // namespace tessera::ast
