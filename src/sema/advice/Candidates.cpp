#include "sema/advice/Candidates.h"
#include "frontend/Walk.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include "support/DType.h"
#include <algorithm>
#include <array>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class Finder : EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    groups_ = foreignCandidates(diagnostic_, place_, sources_);
    switch (diagnostic_.id) {
    case Id::contractionMismatch: transposedOperands(); break;
    case Id::broadcastFails: forgottenKeepdim(), uprightOperands(); break;
    case Id::badAxis: otherAxes(place_.innermost<ast::CallExpr>()); break;
    case Id::shapeMismatch: otherAxes(place_.expr()); break;
    case Id::wrongResult: otherAxes(place_.expr()), transposedResult(), uprightOperands(); break;
    case Id::badReshape: otherOperators(), inferredSize(); break;
    case Id::dtypeMismatch: convertedOperands(); break;
    case Id::narrowing: sortedForPlaces(); break;
    case Id::badOperand: convertedArgument(); break;
    case Id::redefinedType: tileFromTheStart(); break;
    case Id::sliceSize: blockOfContext(); break;
    case Id::missingAccumulate: statedAccumulate(); break;
    case Id::notIterable: rangeOfNumber(); break;
    case Id::unpackCount: restOfTuple(); break;
    case Id::kernelOnly: kernelDecorator(); break;
    case Id::outOfBounds: indexBefore(); break;
    case Id::missingReturn: returnLast(); break;
    default: break;
    }
    for (CandidateGroup &more : editsOfOrder(diagnostic_, place_, sources_)) groups_.push_back(std::move(more));
    std::erase_if(groups_, [](const CandidateGroup &group) { return group.edits.empty(); });
    return std::move(groups_);
  }

private:
  /// What stands in front of `.T` or `.transpose()`; null if nothing is turned around.
  static const ast::Expr *turned(const ast::Expr *e) {
    auto *call = as<ast::CallExpr>(e);
    auto *member = as<ast::AttributeExpr>(call && call->arguments.empty() ? call->callee.get() : e);
    bool turns = member && member->attribute.text == (call ? "transpose" : "T");
    return turns ? member->object.get() : nullptr;
  }
  /// `.T` of more than two axes, where the last two were meant.
  void turnedLast(CandidateGroup &edits, const ast::Expr &e, const ast::Expr &operand) {
    replace(edits, e.span, "transpose(" + text(operand.span) + ", -2, -1)",
            "`" + text({e.span.file, operand.span.end, e.span.end}) + "` turns all axes around: turn the last two");
  }

  void transposedOperands() {
    CandidateGroup &whole = group(true);
    CandidateGroup batched;
    std::vector<const ast::Expr *> pair = operandsAt(place_);
    for (size_t i = std::min<size_t>(pair.size(), 2); i-- > 0;) {  // a weight stands on the right more often
      const ast::Expr &e = *pair[i];
      auto *name = as<ast::NameExpr>(&e);
      const ast::Expr *value = name ? place_.valueOf(name->name) : &e;
      if (const ast::Expr *operand = turned(value); operand && !place_.inKernel) {
        replace(whole, {e.span.file, operand->span.end, value->span.end}, "", "leave it out");
        turnedLast(batched, *value, *operand);
        continue;
      }
      replace(whole, e.span, place_.inKernel ? "tile.transpose(" + text(e.span) + ")" : asPrimary(e) + ".T");
      replace(batched, e.span, "transpose(" + text(e.span) + ", -2, -1)");
    }
    if (place_.inKernel) return;
    groups_.push_back(std::move(batched));
    CandidateGroup &heads = group(true);  // `p @ v` of `[B, S, H, D]`
    for (const ast::Expr *e : pair)
      if (e->kind == ast::ExprKind::Name) insert(heads, e->span.end, ".transpose(1, 2)", "exchange the axes");
  }

  /// `(x - mean(x, axis=1)) / std(x, axis=0)`: the axis along which another reduction of the same tensor goes.
  void axisOfSibling() {
    CandidateGroup &edits = group(true);
    if (!place_.function || place_.inKernel) return;
    for (const ast::CallExpr *call : reductionsThatDrop()) {
      const ast::Argument *axis = keyword(*call, "axis");
      if (!axis) continue;
      visitBody(*place_.function, [&](const ast::Expr &part) {
        auto *other = as<ast::CallExpr>(&part);
        const ast::Argument *otherAxis = other && other != call ? keyword(*other, "axis") : nullptr;
        if (!otherAxis || keyword(*other, "keepdim") || reducedBy(*other) != reducedBy(*call)) return;
        if (text(*otherAxis->value) != text(*axis->value)) replace(edits, axis->value->span, text(*otherAxis->value), "go along axis " + text(*otherAxis->value));
      });
    }
    if (edits.edits.empty()) return;
    for (const ast::CallExpr *call : reductionsThatDrop()) insert(edits, call->span.end - 1, ", keepdim=True", "keep the dimension that is reduced");
  }
  std::string reducedBy(const ast::CallExpr &call) const {
    auto *method = as<ast::AttributeExpr>(call.callee);
    return method ? text(*method->object) : call.arguments.empty() ? "" : text(call.arguments[0].span);
  }

  void forgottenKeepdim() {
    axisOfSibling();
    CandidateGroup &edits = group(false);
    for (const ast::CallExpr *call : reductionsThatDrop())
      insert(edits, call->span.end - 1, call->arguments.empty() ? "keepdim=True" : ", keepdim=True",
             "keep the dimension that is reduced");
  }

  void uprightOperands() {
    const ast::Expr *e = place_.expr();
    if (!as<ast::BinaryExpr>(e) && !as<ast::CompareExpr>(e)) return;
    for (const char *index : {"[:, None]", "[:, None, None]"}) {  // the fewer axes, the likelier
      CandidateGroup &edits = group(true);
      edits.last = diagnostic_.id == Id::broadcastFails && !reductionsThatDrop().empty();
      for (const ast::Expr *operand : operandsAt(place_)) replace(edits, operand->span, asPrimary(*operand) + index);
    }
  }

  void otherAxes(const ast::Expr *e) {
    if (auto *name = as<ast::NameExpr>(e)) e = place_.valueOf(name->name);
    if (e) axesIn(*e, group(true));
  }

  void axesIn(const ast::Expr &e, CandidateGroup &edits) {
    if (auto *call = as<ast::CallExpr>(&e))
      for (const ast::Argument &argument : call->arguments) {
        if (!argument.keyword || argument.keyword->text != "axis") continue;
        eachOtherAxis(argument.value.get(), [&](const std::string &other) {
          replace(edits, argument.value->span, other, "go along axis " + other);
        });
      }
    for (const ast::Expr *child : ast::childrenOf(e).exprs) axesIn(*child, edits);
  }

  void transposedResult() {
    if (const ast::Expr *operand = turned(place_.expr()); operand && !place_.inKernel)
      return turnedLast(group(true), *place_.expr(), *operand);
    const ast::Expr *e = place_.expr();
    if (!e || e->kind == ast::ExprKind::Tuple || place_.inKernel) return;
    if (text(e->span).find(".T") != std::string::npos)
      return;  // somebody who turned an operand around meant the rest, too
    replace(group(true), e->span, asPrimary(*e) + ".T");
    replace(group(true), e->span, "transpose(" + text(e->span) + ", -2, -1)");
  }

  /// `x.reshape(B, H + W)` for `H * W`.
  void otherOperators() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &argument : call->arguments)
      visit(*argument.value, [&](const ast::Expr &part) {
        auto *binary = as<ast::BinaryExpr>(&part);
        if (!binary) return;
        for (const auto &[op, sign] : {std::pair(ast::BinaryOp::Mul, "*"), std::pair(ast::BinaryOp::FloorDiv, "//"), std::pair(ast::BinaryOp::Add, "+")})
          if (op != binary->op)
            replace(edits, {part.span.file, binary->left->span.end, binary->right->span.begin}, " " + std::string(sign) + " ", "write `" + std::string(sign) + "`");
      });
  }

  void inferredSize() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::Argument &argument : call->arguments)
      if (!argument.keyword && argument.value->kind != ast::ExprKind::Tuple)
        replace(edits, argument.value->span, "-1", "let `-1` stand for the size that is left");
  }

  void convertedOperands() {
    valuesForPlaces(), classesForScores(), castWhereNamed();
    CandidateGroup &edits = group(true);
    for (const ast::Expr *e : operandsAt(place_)) replace(edits, e->span, "cast(" + text(e->span) + ", f32)");
  }

  /// `best = argmax(q, axis=1)` among floats: the value itself, and not where it lies.
  void valuesForPlaces() {
    static const std::map<std::string, std::string> values = {{"argmax", "max"}, {"argmin", "min"}, {"argsort", "sort"}};
    CandidateGroup &edits = group(false);
    for (const ast::Expr *e : operandsAt(place_)) {
      auto *name = as<ast::NameExpr>(e);
      auto *call = as<ast::CallExpr>(name ? place_.valueOf(name->name) : e);
      auto value = call ? values.find(nameOf(*call)) : values.end();
      if (value == values.end()) continue;
      auto *method = as<ast::AttributeExpr>(call->callee);
      replace(edits, method ? method->attribute.span : call->callee->span, value->second, "take the value itself, and not where it lies");
    }
  }

  /// `argsort(x)[N // 2]` where a float is wanted: the element, and not where it lies.
  void sortedForPlaces() {
    auto *item = as<ast::SubscriptExpr>(place_.expr());
    auto *name = item ? as<ast::NameExpr>(item->object) : nullptr;
    auto *call = as<ast::CallExpr>(name ? place_.valueOf(name->name) : item ? item->object.get() : nullptr);
    if (!call || nameOf(*call) != "argsort") return;
    auto *method = as<ast::AttributeExpr>(call->callee);
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, method ? method->attribute.span : call->callee->span, "sort", "take the value itself, and not where it lies");
  }
  /// How many axes a value has, where what it is declared as, or what it calls, says it; 0 where nothing does.
  size_t axesOf(const ast::Expr *e) const {
    if (const ast::SubscriptExpr *type = tensorTypeOf(e)) return extentCount(*type);
    auto *call = as<ast::CallExpr>(e);
    for (size_t i = 0; call && i < place_.module->body.size(); ++i) {
      auto *def = as<ast::FuncDef>(place_.module->body[i]);
      const ast::SubscriptExpr *type = def && def->name.text == nameOf(*call) ? tensorType(def->result.get()) : nullptr;
      if (type) return extentCount(*type);
    }
    auto *product = as<ast::BinaryExpr>(e);
    return !product ? 0 : product->op == ast::BinaryOp::MatMul || product->op == ast::BinaryOp::Add ? axesOf(product->left.get()) : 0;
  }
  /// `scores(net, x) == labels`: the likeliest class of each row.
  void classesForScores() {
    auto *compare = as<ast::CompareExpr>(place_.expr());
    if (!compare || compare->operands.size() != 2 || compare->ops[0] > ast::CompareOp::Ne) return;
    for (size_t i = 0; i < 2; ++i) {
      const ast::SubscriptExpr *labels = tensorTypeOf(compare->operands[1 - i].get());
      const auto dtype = labels ? dtypeByName(dtypeText(*labels)) : std::nullopt;
      if (!dtype || !isInt(*dtype)) continue;
      const ast::Expr *scores = compare->operands[i].get();
      auto *name = as<ast::NameExpr>(scores);
      if (const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr) scores = value;
      if (axesOf(scores) == extentCount(*labels) + 1) replace(group(false), scores->span, "argmax(" + text(*scores) + ", axis=-1)", "take the likeliest class");
    }
  }

  /// `t = labels` that is read several times: what it is made of becomes a float.
  void castWhereNamed() {
    CandidateGroup &edits = group(false);
    for (const ast::Expr *e : operandsAt(place_)) {
      auto *name = as<ast::NameExpr>(e);
      const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
      const ast::SubscriptExpr *type = value ? tensorTypeOf(value) : nullptr;
      const auto dtype = type ? dtypeByName(dtypeText(*type)) : std::nullopt;
      auto use = name && place_.names ? place_.names->find(name->name) : decltype(place_.names->end()){};
      const bool several = place_.names && name && use != place_.names->end() && use->second.reads.size() > 1;
      if (dtype && isInt(*dtype) && several) replace(edits, value->span, "cast(" + text(*value) + ", f32)");
    }
  }

  void convertedArgument() {
    CandidateGroup &edits = group(false);
    std::vector<const ast::Expr *> all = operandsAt(place_);
    if (!all.empty()) replace(edits, all[0]->span, "cast(" + text(all[0]->span) + ", f32)");
  }

  /// `acc = 0.0` in front of a loop that adds tiles to it.
  void tileFromTheStart() {
    auto *name = as<ast::NameExpr>(place_.expr());
    const ast::Expr *start = name ? place_.valueOf(name->name) : nullptr;
    const std::string &said = diagnostic_.message;
    size_t open = said.find("would become a tensor `["), close = said.find("]` of ");
    bool zero = start && (start->kind == ast::ExprKind::Float || start->kind == ast::ExprKind::Int);
    if (!zero || open == std::string::npos || close == std::string::npos) return;
    open = said.find('[', open);
    std::string shape = said.substr(open + 1, close - open - 1), dtype = said.substr(close + 6);
    if (shape.find(',') == std::string::npos) shape += ",";
    replace(group(false), start->span,
            (place_.inKernel ? "tile.full((" : "full((") + shape + "), " + text(start->span) + ", " + dtype + ")");
  }

  /// `x[i:end]` in a kernel: as many elements as the schedule says; what lies outside reads as zero.
  void blockOfContext() {
    auto *slice = place_.innermost<ast::SliceExpr>();
    if (!slice || !place_.function) return;
    std::string start = slice->start ? text(slice->start->span) : "0";
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
      auto *callee = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
      if (!callee || callee->attribute.text != "context") continue;
      CandidateGroup &edits = group(false);
      for (const char *size : {".m", ".n", ".k"})
        replace(edits, slice->span, start + ":" + start + " + " + text(assign->targets[0]->span) + size);
    }
  }

  /// `@accum(f32)` behind the dtype of a parameter.
  void statedAccumulate() {
    if (!place_.function) return;
    CandidateGroup &edits = group(false);
    for (const ast::Parameter &parameter : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(parameter.annotation);
      if (!type || type->items.empty()) continue;
      auto *last = as<ast::NameExpr>(type->items.back().value);
      auto dtype = last ? dtypeByName(last->name) : std::nullopt;
      if (!dtype || info(*dtype).accumulate == *dtype) continue;
      std::string policy = "@accum(" + std::string(name(info(*dtype).accumulate)) + ")";
      insert(edits, last->span.end, " " + policy, "say `" + policy + "` in the type of `" + parameter.name.text + "`");
    }
  }

  void rangeOfNumber() {
    if (const ast::Expr *e = place_.expr()) replace(group(false), e->span, "range(" + text(e->span) + ")");
  }

  void restOfTuple() {
    const ast::Expr *e = place_.expr();
    auto *tuple = e && e->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(e) : nullptr;
    if (!tuple || tuple->items.empty()) return;
    uint32_t end = tuple->items.back()->span.end;
    CandidateGroup &edits = group(false);
    for (size_t kept = tuple->items.size() - 1; kept > 0; --kept) {
      Span gone{e->span.file, tuple->items[kept - 1]->span.end, end};
      std::string names = text({gone.file, tuple->items[kept]->span.begin, end});
      replace(edits, gone, kept == 1 ? "," : "", "leave out `" + names + "`");
    }
    std::string names;
    for (int more = 1; more <= 3; ++more) insert(edits, end, names += ", _", "leave the rest to `_`");
  }

  void kernelDecorator() {
    if (!place_.function) return;
    uint32_t at = place_.function->span.begin;
    if (!place_.function->decorators.empty()) at = std::min(at, place_.function->decorators.front().span.begin);
    insert(group(false), at, "@kernel\n", "make `" + place_.function->name.text + "` a kernel");
  }

  void indexBefore() {
    if (auto *index = as<ast::IntExpr>(place_.expr()); index && index->value > 0)
      replace(group(false), index->span, std::to_string(index->value - 1),
              "count from 0: the last index is " + std::to_string(index->value - 1));
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    for (size_t i = 0; subscript && !place_.inKernel && i < subscript->items.size(); ++i)
      if (auto *extent = as<ast::NameExpr>(subscript->items[i].value))  // `x[N]`
        insert(group(false), extent->span.end, " - 1", "count from 0: the last index is one less");
  }

  void returnLast() {
    auto *def = place_.function;
    auto *value = def && !def->body.empty() ? as<ast::ExprStmt>(def->body.back()) : nullptr;
    if (value) return insert(group(false), value->span.begin, "return ", "return this");
    auto *last = def && !def->body.empty() ? as<ast::AssignStmt>(def->body.back()) : nullptr;
    auto *name = last ? as<ast::NameExpr>(last->targets.front()) : nullptr;
    if (!name) return;
    const SourceFile &file = sources_.file(last->span.file);
    uint32_t start = file.lineStart(file.lineColumn(last->span.begin).line);
    std::string indent = file.text.substr(start, last->span.begin - start);
    if (indent.find_first_not_of(" \t") == std::string::npos)
      insert(group(false), last->span.end, "\n" + indent + "return " + name->name, "return `" + name->name + "`");
  }
};

}  // namespace

std::vector<CandidateGroup> candidatesFor(const diag::Diagnostic &diagnostic, const Place &place,
                                          const Sources &sources) {
  return Finder(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
