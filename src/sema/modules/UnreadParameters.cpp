// A number that a function is given and never reads, `lr` of a step that forgets it: said once, where it is declared, with the
// products that it may have been left out of.
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/modules/Modules.h"
#include <algorithm>
#include <functional>

namespace tessera::sema {

using ast::as;

namespace {

using Visit = std::function<void(const ast::Expr &)>;

void eachPart(const ast::Expr &e, const Visit &visit) {
  visit(e);
  for (const ast::Expr *child : ast::childrenOf(e).exprs) eachPart(*child, visit);
}
/// Of nested functions and of what they declare, too.
void eachPart(const ast::Stmt &stmt, const Visit &visit) {
  const ast::Children below = ast::childrenOf(stmt);
  for (const ast::Expr *e : below.exprs) eachPart(*e, visit);
  for (const ast::Stmt *inner : below.stmts) eachPart(*inner, visit);
}

bool reads(const ast::FuncDef &def, const std::string &name) {
  bool found = false;
  const Visit visit = [&](const ast::Expr &part) {
    auto *read = as<ast::NameExpr>(&part);
    found |= read && read->name == name;
  };
  for (const ast::StmtPtr &stmt : def.body) eachPart(*stmt, visit);
  for (const ast::ExprPtr &fact : def.where) eachPart(*fact, visit);
  for (const ast::Parameter &p : def.parameters)
    if (p.defaultValue) eachPart(*p.defaultValue, visit);
  return found;
}

bool isFloatNumber(const ast::Parameter &p) {
  auto *type = p.annotation ? as<ast::NameExpr>(p.annotation) : nullptr;
  const std::optional<DType> dtype = type ? dtypeByName(type->name) : std::nullopt;
  return dtype && isFloat(*dtype);
}

bool isScaled(const ast::Expr &e) {
  auto *product = as<ast::BinaryExpr>(&e);
  return product && (product->op == ast::BinaryOp::Mul || product->op == ast::BinaryOp::Div);
}

/// `g` of `w - g`, `v` of `v + g`: what is added or taken away as it is. The last one of the function first.
std::vector<const ast::Expr *> unscaled(const ast::FuncDef &def) {
  std::vector<const ast::Expr *> taken, added;
  for (const ast::StmtPtr &stmt : def.body)
    eachPart(*stmt, [&](const ast::Expr &part) {
      auto *sum = as<ast::BinaryExpr>(&part);
      const bool minus = sum && sum->op == ast::BinaryOp::Sub;
      if (!minus && !(sum && sum->op == ast::BinaryOp::Add)) return;
      auto isValue = [](const ast::Expr &e) { return e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Attribute || e.kind == ast::ExprKind::Call; };
      if (minus && isValue(*sum->right)) taken.push_back(sum->right.get());
      if (!minus && isValue(*sum->left) && !isScaled(*sum->right)) added.push_back(sum->left.get());
    });
  std::reverse(taken.begin(), taken.end()), std::reverse(added.begin(), added.end());
  taken.insert(taken.end(), added.begin(), added.end());
  return taken;
}

/// `eps`, `norm_eps`, `epsilon`: what keeps a divisor away from 0.
bool isSmall(const std::string &name) {
  return name == "eps" || name == "epsilon" || name == "tiny" || name.ends_with("_eps") || name.ends_with("_epsilon") || name.starts_with("eps_");
}

/// The function that an expression calls, `sqrt` of `sqrt(v)` and of `v.sqrt()`, with its only operand.
std::pair<std::string, const ast::Expr *> callOfOne(const ast::Expr &e) {
  auto *call = as<ast::CallExpr>(&e);
  auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
  if (name && call->arguments.size() == 1) return {name->name, call->arguments[0].value.get()};
  if (member && call->arguments.size() < 2) return {member->attribute.text, call->arguments.empty() ? member->object.get() : call->arguments[0].value.get()};
  return {"", nullptr};
}

/// Whether an operand is the mean of squares that this function takes, or a name for it: an eps stands below the root of it. Beside
/// the root of what is given, of a moving average, it stands behind.
bool isTakenHere(const ast::FuncDef &def, const ast::Expr &e) {
  bool found = false;
  const Visit visit = [&](const ast::Expr &part) {
    auto *call = as<ast::CallExpr>(&part);
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    const std::string called = member ? member->attribute.text : name ? name->name : "";
    found |= called == "mean" || called == "var" || called == "sum";
  };
  eachPart(e, visit);
  auto *name = as<ast::NameExpr>(&e);
  for (size_t i = 0; name && !found && i < def.body.size(); ++i) {
    auto *assign = as<ast::AssignStmt>(def.body[i]);
    auto *target = assign ? as<ast::NameExpr>(assign->targets[0]) : nullptr;
    if (target && target->name == name->name) eachPart(*assign->value, visit);
  }
  return found;
}

/// What may lack an eps: the divisor of a quotient, what a root or a logarithm is taken of. The last one of the function first.
std::vector<const ast::Expr *> nearZero(const ast::FuncDef &def) {
  std::vector<const ast::Expr *> found;
  auto add = [&](const ast::Expr *e) {
    const bool isNumber = e->kind == ast::ExprKind::Int || e->kind == ast::ExprKind::Float;
    if (!isNumber && std::find(found.begin(), found.end(), e) == found.end()) found.push_back(e);
  };
  for (const ast::StmtPtr &stmt : def.body)
    eachPart(*stmt, [&](const ast::Expr &part) {
      auto *quotient = as<ast::BinaryExpr>(&part);
      if (quotient && quotient->op == ast::BinaryOp::Div) {
        const auto [name, operand] = callOfOne(*quotient->right);
        return add(name == "sqrt" && isTakenHere(def, *operand) ? operand : quotient->right.get());
      }
      if (const auto [name, operand] = callOfOne(part); name == "rsqrt" || name == "log") add(operand);
    });
  std::reverse(found.begin(), found.end());
  return found;
}

/// `sqrt(v) + eps`, in parentheses where the sum would be taken apart.
void offerEps(Context &cx, diag::Builder &builder, const ast::FuncDef &def, const std::string &name, size_t most) {
  for (const ast::Expr *e : nearZero(def)) {
    if (most-- == 0) return;
    const std::string shown(cx.sources.text(e->span)), &text = cx.sources.file(e->span.file).text;
    auto *call = as<ast::BinaryExpr>(e);
    const bool enclosed = e->span.begin > 0 && text[e->span.begin - 1] == '(' && e->span.end < text.size() && text[e->span.end] == ')';
    const bool isSum = call && (call->op == ast::BinaryOp::Add || call->op == ast::BinaryOp::Sub);
    if (enclosed || isSum) builder.assume({e->span.file, e->span.end, e->span.end}, " + " + name, "keep `" + shown + "` away from 0");
    else builder.assume(e->span, "(" + shown + " + " + name + ")", "keep `" + shown + "` away from 0");
  }
}

}  // namespace

void warnOfUnreadNumbers(Context &cx, const Callable &callable) {
  constexpr size_t kMostEdits = 3;
  const ast::FuncDef *def = callable.def;
  if (!def || !def->decorators.empty() || cx.libraryFiles.count(def->span.file)) return;
  const bool computes = std::any_of(def->body.begin(), def->body.end(), [](const ast::StmtPtr &stmt) { return stmt->kind == ast::StmtKind::Return; });
  for (const ast::Parameter &p : def->parameters) {
    if (!computes || p.name.text[0] == '_' || !isFloatNumber(p) || reads(*def, p.name.text)) continue;
    auto builder = warn(cx, Id::unreadParameter, p.name.span, p.name.text);
    builder.help("a name that begins with `_` says that it is not needed");
    if (isSmall(p.name.text)) {
      offerEps(cx, builder, *def, p.name.text, kMostEdits);
      continue;
    }
    size_t made = 0;
    for (const ast::Expr *e : unscaled(*def)) {
      if (made++ == kMostEdits) break;
      builder.assume({e->span.file, e->span.begin, e->span.begin}, p.name.text + " * ", "scale `" + std::string(cx.sources.text(e->span)) + "` by it");
    }
  }
}

}  // namespace tessera::sema
