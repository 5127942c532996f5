// Edits for an axis too many or too few: a position that is taken, a mean that is missing, an axis of extent 1, slices of
// another axis, the turn of a loop.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class RankEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.expr()) return {};
    switch (diagnostic_.id) {
    case Id::wrongResult: slicesOfOtherAxis(), declaredParts(), axisLess(); break;
    case Id::broadcastFails: manyNewAxes(), slicesOfOtherAxis(), inTurn(); break;
    case Id::contractionMismatch: slicesOfOtherAxis(), inTurn(); break;
    case Id::indexShape: uprightIndices(); break;
    case Id::factRefuted: asManyAxes(); break;
    case Id::wrongArgument:
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::redefinedType: inTurn(); break;
    case Id::unknownAttribute: turned(), tensorOfShape(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 12;

  /// The tensors that are named in the expression of the message, once each.
  std::vector<const ast::NameExpr *> tensorsHere() const {
    std::vector<const ast::NameExpr *> found;
    std::set<const ast::Expr *> callees;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      if (auto *call = as<ast::CallExpr>(&part)) callees.insert(call->callee.get());
      if (auto *member = as<ast::AttributeExpr>(&part)) callees.insert(member->object.get());
      if (auto *item = as<ast::SubscriptExpr>(&part)) callees.insert(item->object.get());
      auto *name = as<ast::NameExpr>(&part);
      auto it = name && place_.names ? place_.names->find(name->name) : decltype(place_.names->end()){};
      if (name && place_.names && it != place_.names->end() && it->second.isBound() && !callees.count(name))
        found.push_back(name);
    });
    return found;
  }

  /// Whether `[S, D]` is declared of `[B, S, D]`, which a parameter has: what was forgotten is the batch.
  bool lacksBatch() const {
    const std::vector<std::vector<std::string>> shapes = shapesSaid();
    if (shapes.size() < 2 || shapes[0].size() != shapes[1].size() + 1) return false;
    if (!std::equal(shapes[1].begin(), shapes[1].end(), shapes[0].begin() + 1)) return false;
    return std::any_of(place_.function->parameters.begin(), place_.function->parameters.end(), [&](const ast::Parameter &p) {
      const ast::SubscriptExpr *type = tensorType(p.annotation.get());
      return type && extentTexts(*type) == shapes[0];
    });
  }

  /// `h @ w` of all positions, where one vector of each batch is declared. Which position, or whether their mean, is for
  /// the author to say.
  void axisLess() {
    if (place_.inKernel || place_.expr()->kind == ast::ExprKind::Tuple || lacksBatch()) return;
    CandidateGroup edits;
    edits.onlyIfUnique = false;
    edits.assumes = edits.last = true;
    for (const ast::NameExpr *name : tensorsHere())
      for (const char *index : {"[0]", wantsLast() ? "[:, -1]" : "[:, 0]"})
        if (edits.edits.size() < kMost) insert(edits, name->span.end, index, "take one position");
    for (const char *axis : {"0", "1", "2"})
      replace(edits, place_.expr()->span, "mean(" + text(*place_.expr()) + ", axis=" + axis + ")", "take the mean");
    groups_.push_back(std::move(edits));
    CandidateGroup other;
    other.assumes = other.last = other.rivals = true;
    for (const ast::NameExpr *name : tensorsHere())
      if (other.edits.size() < kMost) insert(other, name->span.end, wantsLast() ? "[:, 0]" : "[:, -1]", wantsLast() ? "take the first position" : "take the last position");
    groups_.push_back(std::move(other));
  }
  /// Whether a function is called after what comes last: `next_logits`.
  bool wantsLast() const {
    const std::string &name = place_.function->name.text;
    return name.find("next") != std::string::npos || name.find("last") != std::string::npos || name.find("final") != std::string::npos;
  }

  /// `y.reshape(B, 64, 3, 16)`, where `[B, 64, 48]` is declared.
  void declaredParts() {
    auto *call = as<ast::CallExpr>(meant());
    const ast::SubscriptExpr *type = declaredTensor();
    if (!call || nameOf(*call) != "reshape" || !as<ast::AttributeExpr>(call->callee) || !type || place_.inKernel)
      return;
    if (call->arguments.empty() || call->arguments.size() == extentCount(*type)) return;
    replace(group(true), call->arguments.front().span.to(call->arguments.back().span), listOf(extentTexts(*type)),
            "write the sizes that are declared");
  }

  /// `x * s`, where `s` has a number for each image.
  void manyNewAxes() {
    CandidateGroup &edits = group(true);
    edits.assumes = place_.expr()->kind == ast::ExprKind::Call && text(*place_.expr()).rfind("where(", 0) != 0;
    for (const ast::Expr *operand : operandsAt(place_))
      if (operand->kind == ast::ExprKind::Name || operand->kind == ast::ExprKind::Call ||
          operand->kind == ast::ExprKind::Attribute)
        for (const char *index : {"[:, None, None, None]", "[:, :, None, None]", "[:, None, :]"})
          insert(edits, operand->span.end, index, "give it axes of extent 1");
    alikeOperands();
  }

  /// `(x - m) / s` of `[B, C, H, W]`, `[C]` and `[C]`: all that are declared like the operand.
  void alikeOperands() {
    auto *call = as<ast::CallExpr>(place_.expr());  // of a function, rather the declarations are wrong
    if (!place_.statement || place_.inKernel || (call && nameOf(*call) != "where")) return;
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_)) {
      const ast::SubscriptExpr *type = tensorTypeOf(operand);
      if (!type) continue;
      std::vector<const ast::Expr *> alike;
      for (const ast::Expr *whole : ast::childrenOf(*place_.statement).exprs)
        visit(*whole, [&](const ast::Expr &part) {
          const ast::SubscriptExpr *other = tensorTypeOf(&part);
          if (other && text(*other) == text(*type)) alike.push_back(&part);
        });
      for (const char *index : {"[:, None]", "[:, None, None]", "[:, :, None]", "[:, :, None, None]", "[:, None, :]"}) {
        std::vector<std::pair<Span, std::string>> parts;
        for (const ast::Expr *one : alike) parts.push_back({one->span, text(*one) + index});
        if (parts.size() > 1) replaceAll(edits, parts, "give them axes of extent 1");
      }
    }
  }

  /// `u[1:] - u[:-1]` along the first axis, where the second is meant.
  void slicesOfOtherAxis() {
    if (place_.inKernel) return;
    std::vector<std::pair<Span, std::string>> later, earlier;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      if (!item || item->items.empty()) return;
      auto isWhole = [](const ast::Argument &arg) {
        auto *slice = as<ast::SliceExpr>(arg.value);
        return slice && !slice->start && !slice->stop && !slice->step;
      };
      auto *last = as<ast::SliceExpr>(item->items.back().value);
      if (!last || isWhole(item->items.back())) return;
      const uint32_t begin = item->items.front().span.begin;
      if (item->items.size() == 1) later.push_back({{item->span.file, begin, begin}, ":, "});
      if (item->items.size() == 2 && isWhole(item->items[0]))
        earlier.push_back({{item->span.file, begin, item->items[1].span.begin}, ""});
    });
    CandidateGroup &edits = group(true);
    replaceAll(edits, later, "go along the other axis");
    replaceAll(edits, earlier, "go along the other axis");
  }

  /// `gather(logp, actions, 1)`, whose indices lack the axis.
  void uprightIndices() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    const std::vector<std::vector<std::string>> said = shapesSaid();
    auto *axis = call->arguments.size() > 2 ? as<ast::IntExpr>(call->arguments[2].value) : nullptr;
    if (nameOf(*call) == "gather" && axis && said.size() > 1 && said[0].size() + 1 == said[1].size())
      insert(group(false), call->arguments[1].span.end, ".unsqueeze(" + axis->text + ")", "give it an axis of extent 1");
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : call->arguments)
      if (arg.value->kind == ast::ExprKind::Name)
        for (const char *more : {".unsqueeze(1)", ".unsqueeze(0)"})
          insert(edits, arg.span.end, more, "give it an axis of extent 1");
  }

  /// `mse(x @ w, y)` of a column and a row.
  void asManyAxes() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || place_.inKernel || diagnostic_.message.find(".ndim") == std::string::npos) return;
    for (const char *change : {".squeeze(-1)", ".unsqueeze(-1)"}) {
      CandidateGroup &edits = group(true);
      for (const ast::Argument &arg : call->arguments)
        if (!arg.keyword && !arg.stars)
          replace(edits, arg.span, asPrimary(*arg.value) + change, "give both as many axes");
    }
  }

  /// `g += f(xs)` in a loop that counts the rows of `xs`.
  void inTurn() {
    CandidateGroup &edits = group(true);
    for (const ast::Stmt *stmt : statementsAround()) {
      auto *loop = as<ast::ForStmt>(stmt);
      auto *turn = loop ? as<ast::NameExpr>(loop->target) : nullptr;
      auto it = turn && place_.names ? place_.names->find(turn->name) : decltype(place_.names->end()){};
      if (!turn || !place_.names || it == place_.names->end() || !it->second.reads.empty()) continue;
      for (const ast::NameExpr *name : tensorsHere())
        if (edits.edits.size() < kMost)
          for (const std::string &index : {"[" + turn->name + "]", "[:, " + turn->name + "]"})
            insert(edits, name->span.end, index, "take that of this turn");
    }
  }

  /// `tril((S, S))`: a tensor of that shape.
  void tensorOfShape() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || place_.inKernel || diagnostic_.message.rfind("a tuple has no", 0) != 0) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    for (const ast::Argument &arg : call->arguments)
      if (arg.value->kind == ast::ExprKind::Tuple && call->arguments.size() == 1)
        replace(edits, {arg.span.file, call->callee->span.end + 1, call->span.end - 1},
                "ones(" + text({arg.span.file, call->callee->span.end + 1, call->span.end - 1}) + ")", "make a tensor of that shape");
  }

  /// `f.t` for `f.T`
  void turned() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    bool transposes =
        member && (member->attribute.text == "t" || member->attribute.text == "mT" || member->attribute.text == "H");
    if (transposes) replace(group(false), member->attribute.span, "T", "turn it around");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfRanks(const diag::Diagnostic &diagnostic, const Place &place,
                                         const Sources &sources) {
  return RankEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
