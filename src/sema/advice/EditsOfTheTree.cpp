// Edits that any tree has, whatever the message says: what was nearly written is one exchange, one other name, one number
// or one part more or less away. They are tried where no edit by what people forget mends it, the nearest and smallest first.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

/// How far from the message an edit lies; in front of what kind it is of.
enum Distance { kExpression = 0, kStatement = 2, kValue = 4, kHead = 5, kElsewhere = 7 };

class TreeEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement || diagnostic_.span.file != place_.module->file) return {};
    if (place_.function->body.empty() || diagnostic_.span.begin < place_.function->body.front()->span.begin) return {};
    if (!isMendedByParts()) return {};
    collect();
    for (size_t i = 0; i < found_.size(); ++i) found_[i].order = i;
    std::sort(found_.begin(), found_.end(),
              [](const Found &a, const Found &b) { return std::pair(a.cost, a.order) < std::pair(b.cost, b.order); });
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    edits.last = diagnostic_.id != Id::narrowing;  // there the cast that the checker offers keeps what was lost
    edits.ofSignature = true;  // an edit of a head has to suit who calls it
    for (const Found &found : found_)
      if (edits.edits.size() < kMostTried) replace(edits, found.span, found.by, found.title);
    return taken();
  }

private:
  static constexpr size_t kMostTried = 48;

  struct Found {
    int cost;
    Span span;
    std::string by, title;
    size_t order = 0;  // in which they were found
  };

  /// Whether it is about how parts fit together: there one part in another place mends it. What a race, a rounding or a moved
  /// cache needs is no exchange, though many an exchange makes the message go away.
  bool isMendedByParts() const {
    switch (diagnostic_.id) {
    case Id::badOperand:
    case Id::dtypeMismatch:
    case Id::narrowing:
    case Id::notIterable:
    case Id::outOfBounds: return true;
    default: return isAboutParts(diagnostic_.id);
    }
  }

  void add(int cost, Span span, const std::string &by, const std::string &title = {}) {
    const bool known = std::any_of(found_.begin(), found_.end(),
                                   [&](const Found &other) { return other.span == span && other.by == by; });
    if (!known && by != text(span)) found_.push_back({cost, span, by, title});
  }
  void addBehind(int cost, const ast::Expr &e, const std::string &what) {
    add(cost, {e.span.file, e.span.end, e.span.end}, what, "insert `" + what + "`");
  }

  void collect() {
    if (const ast::Expr *e = place_.expr()) walk(*e, nullptr, kExpression);
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) walk(*e, nullptr, kStatement);
    for (const ast::Expr *value : inPlay()) {
      walk(*value, nullptr, kValue);
      if (value != place_.expr() && value->kind == ast::ExprKind::Float) filled(*value);
    }
    if (diagnostic_.id == Id::narrowing) return;
    auto *changed = as<ast::AugAssignStmt>(place_.statement);
    auto *target = changed ? as<ast::NameExpr>(changed->target) : nullptr;
    if (const ast::Expr *start = target ? place_.valueOf(target->name) : nullptr) walk(*start, nullptr, kValue);
    headOf(*place_.function, kHead);
    std::set<std::string> mentioned;
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs)
      visit(*e, [&](const ast::Expr &part) {
        if (auto *name = as<ast::NameExpr>(&part)) mentioned.insert(name->name);
      });
    for (const ast::Parameter &p : place_.function->parameters)
      if (p.annotation && mentioned.count(p.name.text))
        visit(*p.annotation, [&](const ast::Expr &part) {
          if (auto *name = as<ast::NameExpr>(&part)) mentioned.insert(name->name);
        });
    for (const ast::StmtPtr &stmt : place_.module->body) {
      if (auto *def = as<ast::FuncDef>(stmt); def && def != place_.function && mentioned.count(def->name.text)) headOf(*def, kElsewhere);
      if (auto *def = as<ast::StructDef>(stmt); def && mentioned.count(def->name.text)) fieldsOf(*def, kElsewhere);
    }
  }

  void headOf(const ast::FuncDef &def, int distance) {
    std::set<std::string> dims;
    for (const ast::TypeParameter &t : def.typeParameters) dims.insert(t.name.text);
    for (const ast::Parameter &p : def.parameters)
      if (p.annotation) typeOf(*p.annotation, dims, distance);
    if (def.result) typeOf(*def.result, dims, distance);
  }
  void fieldsOf(const ast::StructDef &def, int distance) {
    std::set<std::string> dims;
    for (const ast::TypeParameter &t : def.typeParameters) dims.insert(t.name.text);
    for (const ast::StmtPtr &stmt : def.body)
      if (auto *field = as<ast::AnnAssignStmt>(stmt); field && field->annotation) typeOf(*field->annotation, dims, distance);
  }

  /// A declared type: two of its items exchanged, another dimension.
  void typeOf(const ast::Expr &type, const std::set<std::string> &dims, int distance) {
    visit(type, [&](const ast::Expr &part) {
      auto *list = as<ast::SubscriptExpr>(&part);
      const size_t count = list ? extentCount(*list) : 0;
      for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count; ++j) exchange(distance + 1, list->items[i].span, list->items[j].span);
        if (auto *name = as<ast::NameExpr>(list->items[i].value); name && dims.count(name->name))
          for (const std::string &dim : dims) add(distance + 2, name->span, dim, "declare the extent that is needed");
      }
    });
  }

  void exchange(int cost, Span a, Span b) {
    if (text(a) == text(b)) return;
    add(cost, a.to(b), text(b) + text({a.file, a.end, b.begin}) + text(a), "exchange them");
  }

  void walk(const ast::Expr &e, const ast::Expr *around, int distance) {
    if (found_.size() > kMostFound) return;
    if (diagnostic_.id == Id::narrowing) return ofQuotient(e, distance);
    if (auto *name = as<ast::NameExpr>(&e)) nameEdits(*name, around, distance);
    if (auto *number = as<ast::IntExpr>(&e)) numberEdits(*number, distance);
    if (auto *call = as<ast::CallExpr>(&e)) callEdits(*call, distance);
    if (e.kind == ast::ExprKind::Tuple) listEdits(static_cast<const ast::SequenceExpr &>(e), distance);
    if (auto *subscript = as<ast::SubscriptExpr>(&e)) subscriptEdits(*subscript, distance);
    if (auto *member = as<ast::AttributeExpr>(&e)) memberEdits(*member, around, distance);
    if (auto *product = as<ast::BinaryExpr>(&e); product && product->op == ast::BinaryOp::MatMul) productEdits(*product, distance);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) walk(*child, &e, distance);
  }
  static constexpr size_t kMostFound = 512;

  /// `hits // total`, where a float is wanted.
  void ofQuotient(const ast::Expr &e, int distance) {
    visit(e, [&](const ast::Expr &part) {
      if (auto *quotient = as<ast::BinaryExpr>(&part); quotient && quotient->op == ast::BinaryOp::FloorDiv) add(distance + 2, quotient->opSpan, "/");
    });
  }

  static bool isCallee(const ast::Expr &e, const ast::Expr *around) {
    auto *call = as<ast::CallExpr>(around);
    return call && call->callee.get() == &e;
  }

  /// Another name of the function, which nothing reads yet.
  void nameEdits(const ast::NameExpr &name, const ast::Expr *around, int distance) {
    const std::set<std::string> dims = dimensions();
    if (dims.count(name.name)) {
      if (diagnostic_.id == Id::outOfBounds) return;  // a bound tells nothing about which one was meant
      for (const std::string &dim : dims) add(distance + 2, name.span, dim);
      return;
    }
    if (!place_.names || isCallee(name, around)) return;
    if (!as<ast::AttributeExpr>(around))
      for (const std::string &field : fieldsOfType(&name)) addBehind(distance + 2, name, "." + field);
    auto own = place_.names->find(name.name);
    if (own == place_.names->end() || !own->second.isBound()) return;
    for (const auto &[other, use] : *place_.names) {
      bool before = use.parameter != nullptr;
      for (const ast::NameExpr *binding : use.bindings) before |= binding->span.end <= place_.statement->span.begin;
      if (before && use.reads.empty() && other != name.name && other != "_" && !dims.count(other)) add(distance + 1, name.span, other);
    }
  }

  /// Another number of the function, and half of it.
  void numberEdits(const ast::IntExpr &number, int distance) {
    if (diagnostic_.id == Id::wrongArgument || number.tooLarge || number.value > (uint64_t{1} << 40)) return;
    if (number.value > 4)
      for (const std::string &other : numbers()) add(distance + 2, number.span, other);
    if (number.value > 1 && number.value % 2 == 0) add(distance + 3, number.span, std::to_string(number.value / 2));
  }
  /// The numbers of the function that may be sizes.
  std::set<std::string> numbers() const {
    std::set<std::string> found;
    auto each = [&](const ast::Expr &part) {
      if (auto *number = as<ast::IntExpr>(&part); number && number->value > 4) found.insert(number->text);
    };
    visitBody(*place_.function, each);
    for (const ast::Decorator &decorator : place_.function->decorators) visit(*decorator.expression, each);
    return found;
  }

  /// `h = 0.0` in front of a loop that makes a tensor of it: zeros of a shape that is declared.
  void filled(const ast::Expr &start) {
    auto *result = declaredTensor();
    if (result) add(kValue, start.span, zerosOf(*result, extentTexts(*result)), "begin with zeros");
    for (const ast::Parameter &p : place_.function->parameters)
      if (const ast::SubscriptExpr *type = tensorType(p.annotation.get())) add(kValue + 2, start.span, zerosOf(*type, extentTexts(*type)), "begin with zeros");
  }

  /// Arguments exchanged, one left out that is of another kind, the receiver of a method and its argument exchanged.
  void callEdits(const ast::CallExpr &call, int distance) {
    const auto &arguments = call.arguments;
    for (size_t i = 0; i < arguments.size(); ++i)
      for (size_t j = i + 1; j < arguments.size(); ++j)
        if (!arguments[i].keyword && !arguments[j].keyword)
          exchange(distance + (j == i + 1 ? 1 : 2), arguments[i].span, arguments[j].span);
    if (diagnostic_.id == Id::dtypeMismatch)
      for (size_t i = 1; i < arguments.size(); ++i) without(distance + 4, partSpans(arguments), i);
    rotated(arguments, distance);
    auto *method = as<ast::AttributeExpr>(call.callee);
    if (method && arguments.size() == 1 && !arguments[0].keyword) exchange(distance + 3, method->object->span, arguments[0].span);
  }
  /// `f(g, x, y)` for `f(x, y, g)`: the first comes last, or the last first.
  void rotated(const std::vector<ast::Argument> &arguments, int distance) {
    size_t count = 0;
    while (count < arguments.size() && !arguments[count].keyword) ++count;
    if (count < 3) return;
    const Span whole = arguments[0].span.to(arguments[count - 1].span);
    std::string firstLast, lastFirst = text(arguments[count - 1].span);
    for (size_t i = 1; i < count; ++i) firstLast += text(arguments[i].span) + ", ";
    for (size_t i = 0; i + 1 < count; ++i) lastFirst += ", " + text(arguments[i].span);
    add(distance + 2, whole, firstLast + text(arguments[0].span), "give them in this order");
    add(distance + 2, whole, lastFirst, "give them in this order");
  }

  static std::vector<Span> partSpans(const std::vector<ast::Argument> &arguments) {
    std::vector<Span> spans;
    for (const ast::Argument &argument : arguments) spans.push_back(argument.span);
    return spans;
  }
  /// A list without one of its parts, and the comma beside it.
  void without(int cost, const std::vector<Span> &parts, size_t i) {
    if (parts.size() < 2) return;
    const Span gone = i == 0 ? Span{parts[0].file, parts[0].begin, parts[1].begin} : Span{parts[i].file, parts[i - 1].end, parts[i].end};
    add(cost, gone, "", "leave out `" + text(parts[i]) + "`");
  }

  void listEdits(const ast::SequenceExpr &list, int distance) {
    std::vector<Span> spans;
    for (const ast::ExprPtr &item : list.items) spans.push_back(item->span);
    for (size_t i = 0; i < spans.size(); ++i)
      for (size_t j = i + 1; j < spans.size(); ++j) exchange(distance + (j == i + 1 ? 1 : 2), spans[i], spans[j]);
    if (spans.size() == 2 && list.parenthesised)
      for (size_t i = 0; i < 2; ++i) add(distance + 4, spans[0].to(spans[1]), text(spans[1 - i]) + ",", "leave out `" + text(spans[i]) + "`");
    else
      for (size_t i = 0; i < spans.size(); ++i) without(distance + 4, spans, i);
    if (spans.empty() || !list.parenthesised) return;
    Span all = spans.front().to(spans.back());
    if (spans.size() == 1) ++all.end;  // the comma of `(n,)`
    const bool grows = diagnostic_.id == Id::broadcastFails || diagnostic_.id == Id::redefinedType;  // what it starts as
    for (const auto &shape : grows ? shapesSaid() : std::vector<std::vector<std::string>>())
      if (!shape.empty()) add(distance + 2, all, listOf(shape) + (shape.size() == 1 ? "," : ""), "make it of this shape");
  }

  /// Indices exchanged, one more axis.
  void subscriptEdits(const ast::SubscriptExpr &subscript, int distance) {
    const std::vector<Span> spans = partSpans(subscript.items);
    auto isNew = [&](size_t i) { return subscript.items[i].value->kind == ast::ExprKind::None; };  // which way it lies is asked elsewhere
    for (size_t i = 0; i < spans.size(); ++i)
      for (size_t j = i + 1; j < spans.size(); ++j)
        if (!isNew(i) && !isNew(j)) exchange(distance + (j == i + 1 ? 1 : 2), spans[i], spans[j]);
    for (size_t i = 0; i < spans.size(); ++i) {
      add(distance + 3, {spans[i].file, spans[i].begin, spans[i].begin}, ":, ", "take all of an axis in front of it");
    }
    if (spans.size() == 1) apart(*subscript.items[0].value, distance);
    likeSiblings(subscript, distance);
  }
  /// `x[r * C + c]` of two axes.
  void apart(const ast::Expr &index, int distance) {
    auto *sum = as<ast::BinaryExpr>(&index);
    auto *row = sum && sum->op == ast::BinaryOp::Add ? as<ast::BinaryExpr>(sum->left) : nullptr;
    if (row && row->op == ast::BinaryOp::Mul) add(distance + 2, index.span, text(*row->left) + ", " + text(*sum->right), "one index for each axis");
  }
  /// `w[k, n]` beside `x[b, m, k]`: an index of the other that this one has not, in front or behind.
  void likeSiblings(const ast::SubscriptExpr &subscript, int distance) {
    if (subscript.items.empty()) return;
    std::set<std::string> own;
    for (const ast::Argument &item : subscript.items) own.insert(text(item.span));
    auto each = [&](const ast::Expr &part) {
      auto *other = as<ast::SubscriptExpr>(&part);
      for (size_t i = 0; other && other != &subscript && i < other->items.size(); ++i) {
        const std::string index = text(other->items[i].span);
        if (own.count(index) || other->items[i].value->kind == ast::ExprKind::None) continue;
        for (size_t at = 0; at <= subscript.items.size(); ++at) {
          const int cost = distance + (at == i ? 2 : 4);
          if (at == subscript.items.size()) addBehind(cost, *subscript.items.back().value, ", " + index);
          else add(cost, {subscript.span.file, subscript.items[at].span.begin, subscript.items[at].span.begin}, index + ", ", "index this axis, too");
        }
      }
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, each);
  }

  /// `p.w1` for `p.w2`, and `.T` that is one too many.
  void memberEdits(const ast::AttributeExpr &member, const ast::Expr *around, int distance) {
    if (member.attribute.text == "T") return add(distance + 1, {member.span.file, member.object->span.end, member.span.end}, "", "leave it out");
    if (isCallee(member, around)) return;
    for (const std::string &field : fieldsOfType(member.object.get())) add(distance + 2, member.attribute.span, field);
  }

  /// `w @ x` for `x @ w`, and each of them turned around.
  void productEdits(const ast::BinaryExpr &product, int distance) {
    exchange(distance + 2, product.left->span, product.right->span);
    for (const ast::Expr *operand : {product.right.get(), product.left.get()}) {
      if (place_.inKernel) add(distance + 2, operand->span, "tile.transpose(" + text(*operand) + ")");
      else add(distance + 2, operand->span, asPrimary(*operand) + ".T");
    }
  }

  std::vector<Found> found_;
};

}  // namespace

std::vector<CandidateGroup> editsOfTheTree(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return TreeEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
