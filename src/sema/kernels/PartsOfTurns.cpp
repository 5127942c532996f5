// Products in a loop over tiles, one of whose operands is the same part in each turn.
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/kernels/Kernels.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

bool mentions(const ast::Expr &expr, const std::set<std::string> &names) {
  if (auto *name = as<ast::NameExpr>(&expr); name && names.count(name->name)) return true;
  const ast::Children children = ast::childrenOf(expr);
  return std::any_of(children.exprs.begin(), children.exprs.end(), [&](const ast::Expr *child) { return mentions(*child, names); });
}

/// A part of a tensor as an operand has it: what stands in its brackets, and whether its last two axes change places.
struct Part {
  const ast::SubscriptExpr *subscript = nullptr;
  bool transposed = false;
};

class Turns {
public:
  Turns(Context &cx, const ast::ForStmt &loop) : cx_(cx) {
    if (auto *name = as<ast::NameExpr>(loop.target)) changing_.insert(name->name), counter_.insert(name->name);
    collect(loop.body);
  }
  void check(const ast::Block &block) const {
    for (const ast::StmtPtr &stmt : block) {
      if (stmt->kind == ast::StmtKind::For) continue;  // has turns of its own
      for (const ast::Expr *e : ast::childrenOf(*stmt).exprs) products(*e);
      for (const ast::Block *inner : ast::blocksOf(*stmt)) check(*inner);
    }
  }

private:
  /// What the turns bind: names that change, and what parts are called.
  void collect(const ast::Block &block) {
    for (const ast::StmtPtr &stmt : block) {
      if (auto *assign = as<ast::AssignStmt>(stmt))
        for (const ast::ExprPtr &target : assign->targets) bind(*target, assign->value.get());
      if (auto *assign = as<ast::AugAssignStmt>(stmt)) bind(*assign->target, nullptr);
      if (auto *loop = as<ast::ForStmt>(stmt)) bind(*loop->target, nullptr);
      for (const ast::Block *inner : ast::blocksOf(*stmt)) collect(*inner);
    }
  }
  void bind(const ast::Expr &target, const ast::Expr *value) {
    if (auto *name = as<ast::NameExpr>(&target)) {
      changing_.insert(name->name);
      values_[name->name] = values_.count(name->name) ? nullptr : value;
    }
    for (const ast::Expr *child : ast::childrenOf(target).exprs) bind(*child, nullptr);
  }

  void products(const ast::Expr &expr) const {
    auto *call = as<ast::CallExpr>(&expr);
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (method && (method->attribute.text == "dot" || method->attribute.text == "mma") && call->arguments.size() >= 2)
      operands(*call->arguments[0].value, *call->arguments[1].value);
    if (auto *product = as<ast::BinaryExpr>(&expr); product && product->op == ast::BinaryOp::MatMul) operands(*product->left, *product->right);
    for (const ast::Expr *child : ast::childrenOf(expr).exprs) products(*child);
  }

  Part partOf(const ast::Expr &expr) const {
    if (auto *subscript = as<ast::SubscriptExpr>(&expr)) return {subscript, false};
    if (auto *name = as<ast::NameExpr>(&expr)) {
      auto value = values_.find(name->name);
      return value == values_.end() || !value->second || value->second->kind == ast::ExprKind::Name ? Part{} : partOf(*value->second);
    }
    auto *call = as<ast::CallExpr>(&expr);
    auto *method = call && !call->arguments.empty() ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method || (method->attribute.text != "load" && method->attribute.text != "cast" && method->attribute.text != "transpose")) return {};
    Part part = partOf(*call->arguments[0].value);
    if (method->attribute.text == "transpose") part.transposed = call->arguments.size() == 1 ? !part.transposed : part.transposed;
    return part;
  }

  void operands(const ast::Expr &left, const ast::Expr &right) const {
    const Part a = partOf(left), b = partOf(right);
    if (!a.subscript || !b.subscript || a.subscript->items.size() < 2 || b.subscript->items.size() < 2) return;
    const ast::Argument &summed = a.subscript->items[a.subscript->items.size() - (a.transposed ? 2 : 1)];
    const ast::Argument &other = b.subscript->items[b.subscript->items.size() - (b.transposed ? 1 : 2)];
    if (!stays(*a.subscript)) compare(summed, other, *b.subscript);
    else compare(other, summed, *a.subscript);
  }
  bool stays(const ast::SubscriptExpr &part) const {
    return std::none_of(part.items.begin(), part.items.end(), [&](const ast::Argument &item) { return mentions(*item.value, changing_); });
  }
  /// `k:k + T.k` of one, and `0:T.k` of the other, which is the same in each turn.
  void compare(const ast::Argument &moving, const ast::Argument &staying, const ast::SubscriptExpr &part) const {
    auto *moves = as<ast::SliceExpr>(moving.value);
    auto *still = as<ast::SliceExpr>(staying.value);
    auto *end = moves ? as<ast::BinaryExpr>(moves->stop) : nullptr;
    if (!end || end->op != ast::BinaryOp::Add || !moves->start || !mentions(*moves->start, counter_) || !still || !still->stop || !stays(part)) return;
    auto *zero = as<ast::IntExpr>(still->start);
    const bool atFront = !still->start || (zero && zero->value == 0);
    const auto text = [&](const ast::Expr &e) { return cx_.sources.text(e.span); };
    if (!atFront || text(*still->stop) != text(*end->right) || text(*moves->start) != text(*end->left)) return;
    const Span span = staying.span;
    if (cx_.reportedSpans.count({static_cast<int>(Id::samePartEachTurn), span.file, span.begin})) return;
    const std::string counter = *counter_.begin(), right(text(*moving.value));
    warn(cx_, Id::samePartEachTurn, span, std::string(cx_.sources.text(part.span)), counter)
        .label("this part is the same in each turn")
        .note(moving.span, "this goes on with `" + counter + "`")
        .help("a sum over tiles takes the next part of both operands in each turn: `" + right + "`")
        .suggest(span, right, "go on with `" + counter + "`");
  }

  Context &cx_;
  std::set<std::string> changing_, counter_;
  std::map<std::string, const ast::Expr *> values_;  // null: several
};

void checkLoops(Context &cx, const ast::Block &block) {
  for (const ast::StmtPtr &stmt : block) {
    if (auto *loop = as<ast::ForStmt>(stmt); loop && loop->target && loop->target->kind == ast::ExprKind::Name) Turns(cx, *loop).check(loop->body);
    for (const ast::Block *inner : ast::blocksOf(*stmt)) checkLoops(cx, *inner);
  }
}

}  // namespace

void checkPartsOfTurns(Context &cx, const ast::FuncDef &def) { checkLoops(cx, def.body); }

}  // namespace tessera::sema
