#include "codegen/source/Precedence.h"
#include "support/Check.h"
#include <string>

namespace tessera::codegen {
namespace {

struct Row {
  std::string_view op;
  Precedence precedence;
};
constexpr Row kRows[] = {
    {"*", Precedence::Multiplicative}, {"/", Precedence::Multiplicative}, {"%", Precedence::Multiplicative},
    {"+", Precedence::Additive},       {"-", Precedence::Additive},       {"<<", Precedence::Shift},
    {">>", Precedence::Shift},         {"<", Precedence::Relational},     {"<=", Precedence::Relational},
    {">", Precedence::Relational},     {">=", Precedence::Relational},    {"==", Precedence::Equality},
    {"!=", Precedence::Equality},      {"&", Precedence::BitAnd},         {"^", Precedence::BitXor},
    {"|", Precedence::BitOr},          {"&&", Precedence::LogicalAnd},    {"||", Precedence::LogicalOr},
};

Doc parenthesised(const Doc &doc) { return Doc("(") + doc + ")"; }
Precedence above(Precedence p) { return static_cast<Precedence>(static_cast<int>(p) + 1); }

/// What an operand must bind like where the grammar would allow less, but readers (and -Wall) stumble.
Precedence clear(Precedence op, Precedence needed) {
  switch (op) {
  case Precedence::LogicalOr: return std::max(needed, above(Precedence::LogicalAnd));  // a && b inside ||
  case Precedence::Shift:
  case Precedence::BitAnd:
  case Precedence::BitXor:
  case Precedence::BitOr: return std::max(needed, Precedence::Unary);
  case Precedence::Relational:
  case Precedence::Equality: return std::max(needed, above(Precedence::Relational));
  default: return needed;
  }
}

}  // namespace

Precedence precedenceOf(std::string_view op) {
  for (const Row &row : kRows)
    if (row.op == op) return row.precedence;
  TSR_UNREACHABLE("no infix operator: " + std::string(op));
}

Doc operandOf(Precedence least, const Expr &expr) {
  return expr.precedence < least ? parenthesised(expr.doc) : expr.doc;
}

Expr binaryExpr(std::string_view op, const Expr &left, const Expr &right) {
  Precedence p = precedenceOf(op);
  Precedence leftNeeds = p, rightNeeds = above(p);
  if (left.precedence != p) leftNeeds = clear(p, leftNeeds);  // a chain of one operator stays a chain
  else if (p == Precedence::Relational || p == Precedence::Equality || p == Precedence::Shift)
    leftNeeds = above(p);
  rightNeeds = clear(p, rightNeeds);
  Doc doc = operandOf(leftNeeds, left) + " " + Doc(op) +
            Doc::group(Doc::line() + Doc::group(operandOf(rightNeeds, right)));
  return {doc, p};
}

Expr unaryExpr(std::string_view op, const Expr &operand) {
  Doc inner = operandOf(Precedence::Unary, operand);
  // - -x must not become --x
  if (operand.precedence == Precedence::Unary) inner = parenthesised(operand.doc);
  return {Doc(op) + inner, Precedence::Unary};
}

Expr conditionalExpr(const Expr &condition, const Expr &thenValue, const Expr &elseValue) {
  Doc yes = Doc("? ") + operandOf(above(Precedence::Conditional), thenValue);
  Doc no = Doc(": ") + operandOf(Precedence::Conditional, elseValue);
  Doc doc = operandOf(above(Precedence::Conditional), condition) + Doc::group(Doc::line() + Doc::group(yes)) +
            Doc::group(Doc::line() + Doc::group(no));
  return {doc, Precedence::Conditional};
}

Expr callExpr(Doc callee, const std::vector<Expr> &arguments) {
  std::vector<Doc> items;
  for (const Expr &argument : arguments) items.push_back(operandOf(Precedence::Conditional, argument));
  Doc doc = callee + "(";
  if (!items.empty()) {
    items[0] = Doc::group(Doc::softline() + Doc::group(items[0]));
    doc += commaSeparated(items);
  }
  return {doc + ")", Precedence::Postfix};
}

}  // namespace tessera::codegen
