// Edits for what a call lacks and for how its parts are counted: fields, arguments, parts of a stream, mapped axes, parameters
// of derivatives and their rules.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ArgumentEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::missingField:
    case Id::argumentNotGiven: nameInScope(), numberOfAuthor(); break;
    case Id::unpackCount: valueAsWell(), partsOfStream(); break;
    case Id::unknownWrt: parameterOfLoss(); break;
    case Id::wrtNotFloat: floatOfLoss(); break;
    case Id::badRule: resultOfRule(); break;
    case Id::notAType: stackOfPair(); break;
    case Id::wrongArgument: otherMapping(), textByDefault(); break;
    case Id::wrongResult: otherMapping(), lessOfAxes(); break;
    case Id::rankMismatch:
    case Id::shapeMismatch: otherMapping(); break;
    case Id::indexShape: wholeRows(); break;
    case Id::outOfBounds: comparedTheOtherWay(); break;
    case Id::redefinedType:
    case Id::contractionMismatch: shapeOfMade(); break;
    default: break;
    }
    return taken();
  }

private:
  const ast::CallExpr *innermostCall() const { return place_.innermost<ast::CallExpr>(); }

  /// `p.apply()` and `Layer(w)`: what was bound in front of it, the parameters first. That it fits does not say that it was
  /// meant.
  void nameInScope() {
    auto *call = innermostCall();
    if (!call || !place_.function || !place_.names) return;
    std::set<std::string> given;
    for (const ast::Argument &arg : call->arguments) visit(*arg.value, [&](const ast::Expr &part) { given.insert(text(part)); });
    visit(*call->callee, [&](const ast::Expr &part) { given.insert(text(part)); });
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    const std::string comma = call->arguments.empty() ? "" : ", ";
    for (const auto &[name, use] : *place_.names) {
      const bool before = use.parameter || (!use.bindings.empty() && place_.statement &&
                                            use.bindings.front()->span.end < place_.statement->span.begin);
      if (before && !given.count(name) && !(countsFor(name) && wantsFloat(*call))) insert(edits, call->span.end - 1, comma + name, "give it `" + name + "`");
    }
  }

  /// `apply(w, g)` of a rate that nothing gives: a number, which the author chooses.
  void numberOfAuthor() {
    auto *call = innermostCall();
    if (!call || !place_.function || !wantsFloat(*call)) return;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    insert(edits, call->span.end - 1, call->arguments.empty() ? "0.1" : ", 0.1", "give it a number of your choice");
  }

  /// `value, dw = grad(loss)(w)`
  void valueAsWell() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
    auto *made = call ? as<ast::CallExpr>(call->callee) : nullptr;
    if (made && nameOf(*made) == "grad") replace(group(false), made->callee->span, "value_and_grad", "ask for the value, too");
  }

  /// `a, b, c = rng.split()`
  void partsOfStream() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
    if (!call || nameOf(*call) != "split" || call->callee->kind != ast::ExprKind::Attribute || call->arguments.size() > 1 ||
        assign->targets[0]->kind != ast::ExprKind::Tuple)
      return;
    const std::string count = std::to_string(static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items.size());
    if (call->arguments.empty()) insert(group(false), call->span.end - 1, count, "split it into " + count);
    else if (call->arguments[0].value->kind == ast::ExprKind::Int)
      replace(group(false), call->arguments[0].span, count, "split it into " + count);
  }

  /// `grad(loss, wrt="w")` of a `loss(weight, x)`: the parameters that begin alike, else all of them beside one another.
  void parameterOfLoss() {
    auto *string = as<ast::StringExpr>(place_.expr());
    auto *call = innermostCall();
    auto *name = call && !call->arguments.empty() ? as<ast::NameExpr>(call->arguments[0].value) : nullptr;
    const ast::FuncDef *def = name ? functionNamed(name->name) : nullptr;
    if (!string || string->value.empty() || !def) return;
    for (const ast::Expr *e : place_.around)  // `grad(loss, wrt="w")(w, x)`: what it gets in the place of a parameter
      if (auto *derivative = as<ast::CallExpr>(e); derivative && derivative->callee.get() == call)
        for (size_t i = 0; i < std::min(derivative->arguments.size(), def->parameters.size()); ++i)
          if (text(derivative->arguments[i].span) == string->value)
            replace(group(false), string->span, "\"" + def->parameters[i].name.text + "\"", "`" + string->value + "` is given as it");
    for (bool alike : {true, false}) {
      CandidateGroup &edits = group(true);
      edits.assumes = true;
      for (const ast::Parameter &p : def->parameters)
        if ((p.name.text[0] == string->value[0]) == alike)
          replace(edits, string->span, "\"" + p.name.text + "\"", "by `" + p.name.text + "`");
    }
  }

  /// `grad(loss, wrt="ids")` of whole numbers: the other parameters, those of floats alone.
  void floatOfLoss() {
    auto *call = innermostCall();
    auto *name = call && !call->arguments.empty() ? as<ast::NameExpr>(call->arguments[0].value) : nullptr;
    const ast::FuncDef *def = name ? functionNamed(name->name) : nullptr;
    const ast::Argument *wrt = call ? keyword(*call, "wrt") : nullptr;
    if (!def || !wrt || wrt->value->kind != ast::ExprKind::String) return;
    CandidateGroup &edits = group(true);
    for (const ast::Parameter &p : def->parameters)
      if ("\"" + p.name.text + "\"" != text(*wrt->value)) replace(edits, wrt->value->span, "\"" + p.name.text + "\"", "by `" + p.name.text + "`");
  }

  /// `def rule(x, dy)` of a `@f.vjp`: the result stands in front of its derivative.
  void resultOfRule() {
    const ast::FuncDef *rule = place_.function;
    auto *ruled = rule && !rule->decorators.empty() ? as<ast::AttributeExpr>(rule->decorators.front().expression) : nullptr;
    auto *name = ruled ? as<ast::NameExpr>(ruled->object) : nullptr;
    const ast::FuncDef *def = name ? functionNamed(name->name) : nullptr;
    if (!def || !def->result || rule->parameters.size() != def->parameters.size() + 1) return;
    for (const ast::Parameter &p : rule->parameters)
      if (p.name.text == "y") return;
    insert(group(false), rule->parameters.back().span.begin, "y: " + text(*def->result) + ", ",
           "the result stands in front of its derivative");
  }

  /// `[Block[D], L]`
  void stackOfPair() {
    const ast::Expr *e = place_.expr();
    if (!e || e->kind != ast::ExprKind::List) return;
    auto &items = static_cast<const ast::SequenceExpr &>(*e).items;
    if (items.size() != 2) return;
    CandidateGroup &edits = group(false);
    replace(edits, {e->span.file, items[0]->span.end, items[1]->span.begin}, "; ", "a stack is `[item; count]`");
  }

  /// `vmap(f, in_axes=(0, 0))(x, w)`, where the weights are the same for all.
  void otherMapping() {
    constexpr size_t kMostArguments = 5;
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      auto *made = call ? as<ast::CallExpr>(call->callee) : nullptr;
      if (!made || nameOf(*made) != "vmap") continue;
      const ast::Argument *axes = keyword(*made, "in_axes");
      if (!axes || axes->value->kind != ast::ExprKind::Tuple || call->arguments.size() > kMostArguments) return;
      std::vector<std::string> given;
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*axes->value).items) given.push_back(text(*item));
      CandidateGroup &edits = group(true);
      auto write = [&](const std::vector<std::string> &parts) {
        std::string shown;
        for (const std::string &part : parts) shown += (shown.empty() ? "(" : ", ") + part;
        replace(edits, axes->value->span, shown + (parts.size() == 1 ? ",)" : ")"), "say which arguments are mapped");
      };
      if (given.size() < call->arguments.size()) {
        for (const char *more : {"None", "0"}) {
          std::vector<std::string> parts = given;
          parts.resize(call->arguments.size(), more);
          write(parts);
        }
        return;
      }
      for (size_t i = 0; i < given.size(); ++i)
        for (const char *other : {"None", "0", "1"}) {
          std::vector<std::string> parts = given;
          parts[i] = other;
          if (parts != given) write(parts);
        }
      return;
    }
  }

  /// What a word says: `"yes"` for True; null if it says neither.
  static const char *truthOf(const std::string &word) {
    if (word == "yes" || word == "true" || word == "True" || word == "on") return "True";
    return word == "no" || word == "false" || word == "False" || word == "off" ? "False" : nullptr;
  }

  /// `path: int = "input.bin"`, and `fast: bool = "yes"`
  void textByDefault() {
    for (size_t i = 0; place_.function && i < place_.function->parameters.size(); ++i) {
      const ast::Parameter &p = place_.function->parameters[i];
      bool here = p.defaultValue && p.defaultValue->kind == ast::ExprKind::String && p.annotation;
      if (!here || p.annotation->kind != ast::ExprKind::Name || text(*p.annotation) == "str") continue;
      const std::string word = text(*p.defaultValue);
      const char *truth = text(*p.annotation) == "bool" && word.size() > 2 ? truthOf(word.substr(1, word.size() - 2)) : nullptr;
      if (truth) replace(group(false), p.defaultValue->span, truth, "it is a truth value");
      else replace(group(false), p.annotation->span, "str", "it is a text");
    }
  }

  /// `mean(d * d, axis=1)`, where one number is declared.
  void lessOfAxes() {
    auto *result = place_.function ? as<ast::NameExpr>(place_.function->result) : nullptr;
    if (!result || place_.inKernel) return;
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *axis = call && call->arguments.size() == 2 ? keyword(*call, "axis") : nullptr;
      if (axis && axis == &call->arguments[1])
        replace(edits, {axis->span.file, call->arguments[0].span.end, axis->span.end}, "", "go along all axes");
    });
  }

  /// `gather(table, ids)` of whole rows, and `scatter_add` of them.
  void wholeRows() {
    auto *call = innermostCall();
    if (!call) return;
    const Span name = as<ast::AttributeExpr>(call->callee) ? as<ast::AttributeExpr>(call->callee)->attribute.span : call->callee->span;
    auto *axis = call->arguments.size() > 2 ? as<ast::IntExpr>(call->arguments[2].value) : nullptr;  // along a later one each row has its own
    if (nameOf(*call) == "gather" && (!axis || axis->value == 0)) replace(group(false), name, "take", "take whole rows");
    if (nameOf(*call) == "scatter_add") replace(group(false), name, "index_add", "add whole rows");
  }

  /// `where N <= K`, and `x[:K]` of N elements.
  void comparedTheOtherWay() {
    if (!place_.function) return;
    CandidateGroup &edits = group(true);
    for (const ast::ExprPtr &fact : place_.function->where) {
      auto *compare = as<ast::CompareExpr>(fact);
      if (!compare || compare->operands.size() != 2) continue;
      const ast::Expr &left = *compare->operands[0], &right = *compare->operands[1];
      const std::string between = text({left.span.file, left.span.end, right.span.begin});
      if (between.find_first_of("<>") != std::string::npos && left.kind == ast::ExprKind::Name && right.kind == ast::ExprKind::Name)
        replace(edits, compare->span, text(right) + between + text(left), "compare them the other way");
    }
    for (diag::Fix &fix : edits.edits) fix.applicability = diag::Applicability::Assumption;
    edits.assumes = edits.last = true;
  }

  /// `h = zeros((D, 1))` in front of a loop that makes `[D]` of it, `zeros((B))` for `zeros((B, D))`.
  void shapeOfMade() {
    static const std::set<std::string> makers = {"zeros", "ones", "full"};
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || call->arguments.empty() || !makers.count(nameOf(*call)) || isOfTile(*call)) return;
      const ast::Expr &shape = *call->arguments[0].value;
      if (shape.kind == ast::ExprKind::Tuple) {
        auto &items = static_cast<const ast::SequenceExpr &>(shape).items;
        for (size_t out = 0; out < items.size() && items.size() > 1; ++out) {
          std::string kept;
          for (size_t i = 0; i < items.size(); ++i)
            if (i != out) kept += (kept.empty() ? "" : ", ") + text(*items[i]);
          replace(edits, shape.span, "(" + kept + (items.size() == 2 ? ",)" : ")"), "one axis less");
        }
      }
      const std::string inner = text({shape.span.file, call->arguments[0].span.begin, call->arguments[0].span.end});
      const bool open = shape.kind == ast::ExprKind::Name;
      for (const std::string &dim : dimensions())
        if (open && inner.find(dim) == std::string::npos) {
          const bool bracketed = sources_.text({shape.span.file, shape.span.begin - 1, shape.span.begin}) == "(" &&
                                 sources_.text({shape.span.file, shape.span.begin - 2, shape.span.begin - 1}) == "(";
          const std::string both = text(shape) + ", " + dim;
          replace(edits, shape.span, bracketed ? both : "(" + both + ")", "make it of two axes");
        }
    });
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfArguments(const diag::Diagnostic &diagnostic, const Place &place,
                                             const Sources &sources) {
  return ArgumentEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
