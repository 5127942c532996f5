// Edits for habits from Python, its libraries and C: operators, conditions, texts, lists. (Names: ForeignPrefixes.cpp)
#include "frontend/Walk.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include "support/DType.h"
#include <algorithm>
#include <iterator>
#include <map>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ForeignFinder : EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::badOperand:
      otherOperator(), comparedParts(), calledOperand(), oneDerivative(), asText(), percentFormat(), lengthOfNumber();
      break;
    case Id::notACondition: elementwiseCondition(), comparedWithZero(); break;
    case Id::wrongArgument: maskOfNumbers(); break;
    case Id::rankMismatch: newAxis(); break;
    case Id::notSupportedYet: assertion(); break;
    case Id::unknownKeyword: bitsAs(); break;
    case Id::unknownAttribute:
      longerList(), atIndex(), formatOfText(), convertedTo(), bitsAs();
      break;
    default: break;
    }
    return std::move(groups_);
  }

private:
  /// `a / b` of integers, `x ^ 2`.
  void otherOperator() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary || (binary->op != ast::BinaryOp::Div && binary->op != ast::BinaryOp::BitXor)) return;
    bool division = binary->op == ast::BinaryOp::Div;
    Span between{binary->span.file, binary->left->span.end, binary->right->span.begin};
    size_t sign = text(between).find(division ? '/' : '^');
    if (sign == std::string::npos) return;
    uint32_t at = between.begin + static_cast<uint32_t>(sign);
    replace(group(false), {between.file, at, at + 1}, division ? "//" : "**",
            division ? "divide and round down" : "powers are written `**`");
    if (division) replace(group(false), binary->left->span, "cast(" + text(binary->left->span) + ", f32)", "divide as floats");
  }

  /// `x > 0 & x < 1`, which compares `0 & x`.
  void comparedParts() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    bool bits = binary && (binary->op == ast::BinaryOp::BitAnd || binary->op == ast::BinaryOp::BitOr);
    auto *whole = bits && place_.around.size() > 1 ? as<ast::CompareExpr>(place_.around[1]) : nullptr;
    if (!whole) return;
    std::string parts = "(";
    uint32_t from = whole->span.begin;
    for (size_t i = 1; i + 1 < whole->operands.size(); ++i) {
      auto *middle = as<ast::BinaryExpr>(whole->operands[i]);
      if (!middle || middle->op != binary->op) continue;
      parts += text({whole->span.file, from, middle->left->span.end});
      parts += binary->op == ast::BinaryOp::BitAnd ? ") & (" : ") | (";
      from = middle->right->span.begin;
    }
    replace(group(false), whole->span, parts + text({whole->span.file, from, whole->span.end}) + ")");
  }

  /// `rank == 0` for `rank() == 0`
  void calledOperand() {
    auto *compare = as<ast::CompareExpr>(place_.expr());
    if (!compare) return;
    CandidateGroup &edits = group(true);
    for (const auto &operand : compare->operands)
      if (operand->kind == ast::ExprKind::Name) insert(edits, operand->span.end, "()", "call it");
  }

  /// `grad(loss, wrt=("w",))(x, w)` is a tuple of one.
  void oneDerivative() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary) return;
    for (const ast::Expr *operand : {binary->left.get(), binary->right.get()}) {
      auto *call = as<ast::CallExpr>(operand);
      auto *made = call ? as<ast::CallExpr>(call->callee) : nullptr;
      for (size_t i = 0; made && i < made->arguments.size(); ++i) {
        const ast::Argument &argument = made->arguments[i];
        bool several = argument.value->kind == ast::ExprKind::Tuple || argument.value->kind == ast::ExprKind::List;
        auto *names = several ? static_cast<const ast::SequenceExpr *>(argument.value.get()) : nullptr;
        if (argument.keyword && argument.keyword->text == "wrt" && names && names->items.size() == 1)
          replace(group(false), names->span, text(names->items[0]->span));
      }
    }
  }

  /// `x > 0 and x < 1` and `not x` of tensors.
  void elementwiseCondition() {
    const ast::BoolOpExpr *list = place_.innermost<ast::BoolOpExpr>();
    auto *choice = place_.around.size() > 1 ? as<ast::ConditionalExpr>(place_.around[1]) : nullptr;
    if (choice && choice->condition.get() == place_.expr())
      return replace(group(false), choice->span,
                     "where(" + text(choice->condition->span) + ", " + text(choice->then->span) + ", " +
                         text(choice->otherwise->span) + ")",
                     "choose for each element");
    auto *unary = as<ast::UnaryExpr>(place_.expr());
    if (unary && unary->op == ast::UnaryOp::Not)
      return replace(group(false), unary->span, "~" + asPrimary(*unary->operand));
    if (!list) return;
    std::string joined;
    for (const auto &operand : list->operands)
      joined += (joined.empty() ? ""
                 : list->isAnd  ? " & "
                                : " | ") +
                (operand->kind == ast::ExprKind::Compare ? "(" + text(operand->span) + ")" : asPrimary(*operand));
    replace(group(false), list->span, joined);
  }

  /// `if x.shape[1] != 64: raise ValueError(...)`
  void assertion() {
    static const std::map<ast::CompareOp, std::string> contrary = {
        {ast::CompareOp::Eq, " != "}, {ast::CompareOp::Ne, " == "}, {ast::CompareOp::Lt, " >= "},
        {ast::CompareOp::Le, " > "},  {ast::CompareOp::Gt, " <= "}, {ast::CompareOp::Ge, " < "}};
    if (!place_.function || !place_.statement || place_.statement->kind != ast::StmtKind::Raise) return;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *guard = as<ast::IfStmt>(stmt);
      bool around = guard && guard->then.size() == 1 && guard->then[0].get() == place_.statement;
      auto *compare = around && guard->otherwise.empty() ? as<ast::CompareExpr>(guard->condition) : nullptr;
      auto op = compare && compare->ops.size() == 1 ? contrary.find(compare->ops[0]) : contrary.end();
      if (op == contrary.end()) continue;
      replace(group(false), guard->span.to(place_.statement->span),
              "assert " + text(compare->operands[0]->span) + op->second + text(compare->operands[1]->span),
              "say what must hold");
    }
  }

  /// `"n = " + n`
  void asText() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary || binary->op != ast::BinaryOp::Add) return;
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : {binary->left.get(), binary->right.get()})
      replace(edits, operand->span, "str(" + text(operand->span) + ")");
  }

  /// `"n = %d" % n`
  void percentFormat() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    auto *string = binary && binary->op == ast::BinaryOp::Mod ? as<ast::StringExpr>(binary->left) : nullptr;
    if (!string || text(string->span) != "\"" + string->value + "\"") return;
    std::vector<std::string> values;
    if (binary->right->kind == ast::ExprKind::Tuple)
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*binary->right).items)
        values.push_back(text(item->span));
    else values.push_back(text(binary->right->span));
    std::string out = "f\"";
    size_t next = 0;
    for (size_t i = 0; i < string->value.size(); ++i) {
      if (string->value[i] != '%') {
        out += string->value[i];
        continue;
      }
      size_t end = string->value.find_first_of("dsfgei%", i + 1);
      if (end == std::string::npos || next == values.size()) return;
      std::string how = string->value.substr(i + 1, end - i - 1);
      if (string->value[end] != 's' && string->value[end] != 'd') how += string->value[end];
      out += "{" + values[next++] + (how.empty() ? "" : ":" + how) + "}";
      i = end;
    }
    if (next == values.size()) replace(group(false), binary->span, out + "\"", "values stand in an f-string");
  }

  /// `"n = {}".format(n)`
  void formatOfText() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *string = method && method->attribute.text == "format" ? as<ast::StringExpr>(method->object) : nullptr;
    if (!string || text(string->span) != "\"" + string->value + "\"") return;
    std::string out = "f\"";
    size_t next = 0;
    for (size_t i = 0; i < string->value.size(); ++i) {
      bool hole = string->value[i] == '{' && i + 1 < string->value.size() &&
                  (string->value[i + 1] == '}' || string->value[i + 1] == ':');
      if (hole && (next == call->arguments.size() || call->arguments[next].keyword)) return;
      out += string->value[i];
      if (hole) out += text(call->arguments[next++].span);
    }
    if (next == call->arguments.size()) replace(group(false), call->span, out + "\"", "values stand in an f-string");
  }

  /// `x.to(torch.float16)`
  void convertedTo() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    bool converts = method && (method->attribute.text == "to" || method->attribute.text == "type" ||
                               method->attribute.text == "astype");
    auto *dtype = converts && call->arguments.size() == 1 ? as<ast::AttributeExpr>(call->arguments[0].value) : nullptr;
    if (!dtype) return;
    if (auto ours = dtypeByName(dtype->attribute.text))
      replace(group(false), call->span,
              asPrimary(*method->object) + ".astype(" + std::string(tessera::name(*ours)) + ")");
  }

  /// `x.view(torch.int32)` and `x.to(i32, bitcast=True)`: the same bits.
  void bitsAs() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method || call->arguments.empty()) return;
    const bool views = method->attribute.text == "view" && call->arguments.size() == 1;
    const bool casts = call->arguments.size() == 2 && call->arguments[1].keyword && call->arguments[1].keyword->text == "bitcast";
    if (!views && !casts) return;
    auto *plain = as<ast::NameExpr>(call->arguments[0].value);
    auto *member = as<ast::AttributeExpr>(call->arguments[0].value);
    const std::string_view name = plain ? std::string_view(plain->name) : member ? std::string_view(member->attribute.text) : std::string_view();
    if (auto ours = dtypeByName(name))
      replace(group(true), call->span, "bitcast(" + text(method->object->span) + ", " + std::string(tessera::name(*ours)) + ")", "read the same bits");
  }

  /// `len(x.shape[1])`
  void lengthOfNumber() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if (name && name->name == "len" && call->arguments.size() == 1)
      replace(group(false), call->span, text(call->arguments[0].span), "it is a number already");
  }

  /// `if n:` and `not n` of a number.
  void comparedWithZero() {
    const ast::Expr *e = place_.expr();
    bool operand = place_.innermost<ast::BoolOpExpr>();  // `b or 1.0`: something else was meant
    if (!e || operand || diagnostic_.message.find("this is a scalar `") == std::string::npos) return;
    auto isNot = [&](const ast::Expr *around) {
      auto *unary = as<ast::UnaryExpr>(around);
      return unary && unary->op == ast::UnaryOp::Not ? unary : nullptr;
    };
    const ast::UnaryExpr *negation = isNot(e) ? isNot(e) : place_.around.size() > 1 ? isNot(place_.around[1]) : nullptr;
    if (negation) return replace(group(false), negation->span, text(negation->operand->span) + " == 0", "compare it");
    insert(group(false), e->span.end, " != 0", "compare it");
  }

  /// `where(mask, x, 0.0)` of a mask of 0 and 1.
  void maskOfNumbers() {
    bool condition = diagnostic_.message.find("expects a condition") != std::string::npos;
    if (!condition || !place_.expr()) return;
    CandidateGroup &edits = group(false);
    insert(edits, place_.expr()->span.end, " != 0", "compare it");
    if (!place_.names) return;
    for (const auto &[name, use] : *place_.names)  // one that waits to be compared with: `where(rows, s, -INF)` beside `cols`
      edits.assumes |= use.reads.empty() && !use.parameter && !use.bindings.empty() && name[0] != '_';
  }

  /// `b[:, np.newaxis]`
  void newAxis() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript) return;
    CandidateGroup &edits = group(false);
    for (const ast::Argument &item : subscript->items) {
      std::string shown = text(item.span);
      bool member = shown.size() > 8 && shown.substr(shown.size() - 8) == ".newaxis";
      if (shown == "newaxis" || member) replace(edits, item.span, "None", "a new axis is `None`");
    }
  }

  /// `x.at[i].set(v)`, `x.at[i].add(v)` of a vector.
  void atIndex() {
    const ast::CallExpr *call = nullptr;
    for (const ast::Expr *e : place_.around)
      if (auto *found = as<ast::CallExpr>(e); found && found->arguments.size() == 1) call = found;
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *element = method ? as<ast::SubscriptExpr>(method->object) : nullptr;
    auto *at = element && element->items.size() == 1 ? as<ast::AttributeExpr>(element->object) : nullptr;
    auto *vector = at && at->attribute.text == "at" ? as<ast::NameExpr>(at->object) : nullptr;
    if (!vector || !place_.function || element->items[0].value->kind == ast::ExprKind::Slice) return;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (p.name.text != vector->name || !type || extentCount(*type) != 1) continue;
      std::string extent = extentText(type->items[0]), x = vector->name,
                  here = "where(arange(" + extent + ") == " + text(element->items[0].span) + ", ",
                  value = text(call->arguments[0].value->span);
      if (method->attribute.text == "set")
        replace(group(false), call->span, here + value + ", " + x + ")", "choose for each element");
      const std::string index = text(element->items[0].span);
      if (method->attribute.text == "add")
        replace(group(false), call->span, "index_add(" + x + ", " + index + ", " + value + ")", "add at those places");
      if (method->attribute.text == "set")
        replace(group(false), call->span, "scatter(" + x + ", " + index + ", " + value + ", 0)", "write at those places");
      if (method->attribute.text == "add")
        replace(group(false), call->span, x + " + " + here + value + ", 0.0)", "add to that element");
    }
  }

  /// `parts.append(x)`: lists are values.
  void longerList() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *list = method ? as<ast::NameExpr>(method->object) : nullptr;
    if (!list || call->arguments.size() != 1 || call->arguments[0].keyword) return;
    std::string items = text(call->arguments[0].value->span);
    if (method->attribute.text == "append") replace(group(false), call->span, list->name + " += [" + items + "]");
    if (method->attribute.text == "extend") replace(group(false), call->span, list->name + " += " + items);
  }
};

}  // namespace

std::vector<CandidateGroup> foreignCandidates(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources) {
  std::vector<CandidateGroup> all = foreignPrefixes(diagnostic, place, sources);
  for (CandidateGroup &more : ForeignFinder(diagnostic, place, sources).groups()) all.push_back(std::move(more));
  return all;
}

}  // namespace tessera::sema
