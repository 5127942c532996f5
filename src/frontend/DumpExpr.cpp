#include "frontend/Dump.h"
#include <charconv>

namespace tessera::ast {

std::string_view spelling(BinaryOp op) {
  static constexpr std::string_view names[] = {"+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"};
  return names[static_cast<size_t>(op)];
}
std::string_view spelling(UnaryOp op) {
  static constexpr std::string_view names[] = {"-", "+", "~", "not"};
  return names[static_cast<size_t>(op)];
}
std::string_view spelling(CompareOp op) {
  static constexpr std::string_view names[] = {"==", "!=", "<", "<=", ">", ">=", "in", "not-in", "is", "is-not"};
  return names[static_cast<size_t>(op)];
}

void Dumper::word(std::string_view word) {
  out_ += ' ';
  out_ += word;
}

void Dumper::open(std::string_view name, Span span) {
  if (!out_.empty() && out_.back() != ' ' && out_.back() != '\n') out_ += ' ';
  out_ += '(';
  out_ += name;
  if (options_.spans) out_ += " @" + std::to_string(span.begin) + "-" + std::to_string(span.end);
}

void Dumper::quoted(std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  out_ += " \"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out_ += "\\x";
      out_ += digits[static_cast<unsigned char>(c) >> 4];
      out_ += digits[c & 15];
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

void Dumper::items(const std::vector<ExprPtr> &items) {
  for (const ExprPtr &item : items) expr(item.get());
}

namespace {
std::string shortest(double value) {
  char buffer[64];
  auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

std::string normalised(std::string_view digits) {
  std::string out;
  for (char c : digits)
    if (c != '_') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return out;
}
}  // namespace

void Dumper::literal(const Expr *node) {
  bool written = options_.spelling;
  switch (node->kind) {
  case ExprKind::Int: {
    auto &number = static_cast<const IntExpr &>(*node);
    open("int", node->span);
    word(number.tooLarge ? normalised(number.text) : std::to_string(number.value));
    if (number.tooLarge) word("too-large");
    if (written && number.text != std::to_string(number.value)) quoted(number.text);
    return close();
  }
  case ExprKind::Float: case ExprKind::Imaginary: {
    bool real = node->kind == ExprKind::Float;
    open(real ? "float" : "imaginary", node->span);
    word(shortest(real ? static_cast<const FloatExpr &>(*node).value : static_cast<const ImaginaryExpr &>(*node).value));
    if (written) quoted(real ? static_cast<const FloatExpr &>(*node).text : static_cast<const ImaginaryExpr &>(*node).text);
    return close();
  }
  case ExprKind::String: {
    auto &string = static_cast<const StringExpr &>(*node);
    open("string", node->span);
    quoted(string.value);
    if (written && string.text != "\"" + string.value + "\"") {
      open("text", node->span);
      quoted(string.text);
      close();
    }
    return close();
  }
  case ExprKind::Bool:
    open(static_cast<const BoolExpr &>(*node).value ? "true" : "false", node->span);
    return close();
  case ExprKind::None:
    open("none", node->span);
    return close();
  default:
    open("ellipsis", node->span);
    return close();
  }
}

void Dumper::fstring(const FStringExpr &node) {
  open("fstring", node.span);
  for (const FStringPart &part : node.parts) {
    if (!part.value) {
      quoted(part.literal);
      continue;
    }
    open("value", part.value->span);
    expr(part.value.get());
    if (part.conversion) word(std::string("!") + part.conversion);
    if (!part.format.empty()) quoted(part.format);
    close();
  }
  if (options_.spelling) {
    open("text", node.span);
    quoted(node.text);
    close();
  }
  close();
}

void Dumper::sequence(const SequenceExpr &node) {
  open(node.kind == ExprKind::Tuple ? "tuple" : node.kind == ExprKind::List ? "list" : "set", node.span);
  if (options_.spelling && node.parenthesised) word("()");
  items(node.items);
  close();
}

void Dumper::stack(const StackExpr &node) {
  open("stack", node.span);
  expr(node.item.get());
  expr(node.count.get());
  close();
}

void Dumper::dict(const DictExpr &node) {
  open("dict", node.span);
  for (const DictItem &item : node.items) {
    open(item.key ? "pair" : "spread", item.key ? item.key->span : item.value->span);
    if (item.key) expr(item.key.get());
    expr(item.value.get());
    close();
  }
  close();
}

void Dumper::comprehension(std::string_view name, const ComprehensionExpr &node) {
  open(name, node.span);
  if (node.key) expr(node.key.get());
  expr(node.element.get());
  for (const ComprehensionFor &clause : node.clauses) {
    open(clause.isAsync ? "async-for" : "for", clause.target->span);
    expr(clause.target.get());
    expr(clause.iterable.get());
    for (const ExprPtr &condition : clause.conditions) {
      open("if", condition->span);
      expr(condition.get());
      close();
    }
    close();
  }
  close();
}

void Dumper::arguments(const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments) {
    if (argument.keyword) {
      open("keyword", argument.span);
      word(argument.keyword->text);
    } else if (argument.stars) {
      open(argument.stars == 1 ? "spread" : "spread-options", argument.span);
    } else {
      expr(argument.value.get());
      continue;
    }
    expr(argument.value.get());
    close();
  }
}

void Dumper::lambda(const LambdaExpr &node) {
  open("lambda", node.span);
  for (const Parameter &each : node.parameters) parameter(each);
  expr(node.body.get());
  close();
}

void Dumper::wrap(std::string_view name, const Expr *node, std::initializer_list<const ExprPtr *> parts) {
  open(name, node->span);
  for (const ExprPtr *part : parts) expr(part->get());
  close();
}

void Dumper::operation(const Expr *node) {
  switch (node->kind) {
  case ExprKind::Unary: {
    auto &unary = static_cast<const UnaryExpr &>(*node);
    std::string_view name = unary.op == UnaryOp::Neg ? "neg" : unary.op == UnaryOp::Pos ? "pos" : spelling(unary.op);
    return wrap(name, node, {&unary.operand});
  }
  case ExprKind::Binary: {
    auto &binary = static_cast<const BinaryExpr &>(*node);
    return wrap(spelling(binary.op), node, {&binary.left, &binary.right});
  }
  case ExprKind::BoolOp: {
    auto &op = static_cast<const BoolOpExpr &>(*node);
    open(op.isAnd ? "and" : "or", node->span);
    items(op.operands);
    return close();
  }
  case ExprKind::Compare: {
    auto &compare = static_cast<const CompareExpr &>(*node);
    open("compare", node->span);
    for (size_t i = 0; i < compare.operands.size(); ++i) {
      if (i) word(spelling(compare.ops[i - 1]));
      expr(compare.operands[i].get());
    }
    return close();
  }
  case ExprKind::Conditional: {
    auto &choice = static_cast<const ConditionalExpr &>(*node);
    return wrap("if", node, {&choice.condition, &choice.then, &choice.otherwise});
  }
  default:
    return;
  }
}

void Dumper::expr(const Expr *node) {
  if (!node) return word("_");
  switch (node->kind) {
  case ExprKind::Name:
    open("name", node->span);
    word(static_cast<const NameExpr &>(*node).name);
    return close();
  case ExprKind::Int: case ExprKind::Float: case ExprKind::Imaginary: case ExprKind::String: case ExprKind::Bool:
  case ExprKind::None: case ExprKind::Ellipsis:
    return literal(node);
  case ExprKind::FString: return fstring(static_cast<const FStringExpr &>(*node));
  case ExprKind::Stack: return stack(static_cast<const StackExpr &>(*node));
  case ExprKind::Tuple: case ExprKind::List: case ExprKind::Set: return sequence(static_cast<const SequenceExpr &>(*node));
  case ExprKind::Dict: return dict(static_cast<const DictExpr &>(*node));
  case ExprKind::ListComp: return comprehension("list-of", static_cast<const ComprehensionExpr &>(*node));
  case ExprKind::SetComp: return comprehension("set-of", static_cast<const ComprehensionExpr &>(*node));
  case ExprKind::DictComp: return comprehension("dict-of", static_cast<const ComprehensionExpr &>(*node));
  case ExprKind::GeneratorComp: return comprehension("generator", static_cast<const ComprehensionExpr &>(*node));
  case ExprKind::Unary: case ExprKind::Binary: case ExprKind::BoolOp: case ExprKind::Compare: case ExprKind::Conditional:
    return operation(node);
  case ExprKind::Lambda: return lambda(static_cast<const LambdaExpr &>(*node));
  case ExprKind::Call: {
    auto &call = static_cast<const CallExpr &>(*node);
    open("call", node->span);
    expr(call.callee.get());
    arguments(call.arguments);
    return close();
  }
  case ExprKind::Attribute: {
    auto &attribute = static_cast<const AttributeExpr &>(*node);
    open("attribute", node->span);
    expr(attribute.object.get());
    word(attribute.attribute.text);
    return close();
  }
  case ExprKind::Subscript: {
    auto &subscript = static_cast<const SubscriptExpr &>(*node);
    open("subscript", node->span);
    expr(subscript.object.get());
    arguments(subscript.items);
    return close();
  }
  case ExprKind::Slice: {
    auto &slice = static_cast<const SliceExpr &>(*node);
    return wrap("slice", node, {&slice.start, &slice.stop, &slice.step});
  }
  case ExprKind::Starred: return wrap("starred", node, {&static_cast<const StarredExpr &>(*node).value});
  case ExprKind::Await: return wrap("await", node, {&static_cast<const AwaitExpr &>(*node).value});
  case ExprKind::Range: {
    auto &range = static_cast<const RangeExpr &>(*node);
    return wrap(range.inclusive ? "..=" : "..", node, {&range.low, &range.high});
  }
  case ExprKind::Policy: return wrap("policy", node, {&static_cast<const PolicyExpr &>(*node).policy});
  case ExprKind::Braced: {
    auto &braced = static_cast<const BracedExpr &>(*node);
    open("braced", node->span);
    expr(braced.object.get());
    items(braced.items);
    return close();
  }
  case ExprKind::Named: {
    auto &named = static_cast<const NamedExpr &>(*node);
    open("named", node->span);
    word(named.name.text);
    expr(named.value.get());
    return close();
  }
  case ExprKind::Error:
    open("error", node->span);
    return close();
  }
}

}  // namespace tessera::ast
