// Edits for the wrong one of several axes: an index that stands at another, a reduction along one that has to go along two,
// new axes that stand on the other side of both operands.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class AxisEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.expr() || place_.inKernel) return {};
    switch (diagnostic_.id) {
    case Id::wrongResult: alongWhatIsLacking(), movedIndex(), newAxesExchanged(), alongTwo(); break;
    case Id::outOfBounds: movedIndex(); break;
    case Id::contractionMismatch: movedIndex(), alongTwo(); break;
    case Id::broadcastFails: turnedForNothing(), movedIndex(); break;
    case Id::rankMismatch:
    case Id::shapeMismatch: movedIndex(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 8;

  static bool isWhole(const ast::Argument &item) {
    auto *slice = as<ast::SliceExpr>(item.value);
    return slice && !slice->start && !slice->stop && !slice->step;
  }
  /// `x[:, t]` for `x[t]`, `x[:, :, 0]` for `x[:, 0]`: one index among axes that are taken whole.
  void movedIndex() {
    constexpr size_t kMostAxes = 3;
    CandidateGroup &edits = group(true);
    auto move = [&](const ast::Expr &part) {
      auto *subscript = as<ast::SubscriptExpr>(&part);
      if (!subscript || subscript->items.empty() || subscript->items.size() > kMostAxes) return;
      for (size_t i = 0; i + 1 < subscript->items.size(); ++i)
        if (!isWhole(subscript->items[i])) return;
      const ast::Argument &last = subscript->items.back();
      if (auto *call = as<ast::CallExpr>(subscript->object); call && nameOf(*call) == "gather") return;  // the axis that it made
      if (last.value->kind == ast::ExprKind::Slice || last.value->kind == ast::ExprKind::None || last.value->kind == ast::ExprKind::String) return;
      std::string at;
      for (size_t axis = 0; axis < kMostAxes && edits.edits.size() < kMost; ++axis, at += ":, ")
        if (axis + 1 != subscript->items.size())
          replace(edits, subscript->items.front().span.to(last.span), at + text(last.span), "take it along axis " + std::to_string(axis));
    };
    eachInPlay(move);
  }

  /// `t.T * p`
  void turnedForNothing() {
    CandidateGroup &edits = group(false);
    for (const ast::Expr *operand : operandsAt(place_))
      if (auto *turned = as<ast::AttributeExpr>(operand); turned && turned->attribute.text == "T")
        replace(edits, {turned->span.file, turned->object->span.end, turned->span.end}, "", "leave `.T` out");
  }

  /// `mean(x, axis=3)` of an image, where `(2, 3)` was meant.
  void alongTwo() {
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *given = call ? keyword(*call, "axis") : nullptr;
      const std::optional<int64_t> axis = given ? axisNumber(given->value.get()) : std::nullopt;
      static const std::set<std::string> reductions = {"sum", "mean", "max", "min", "prod", "var", "std", "any", "all", "norm"};
      if (!axis || !reductions.count(nameOf(*call)) || edits.edits.size() >= kMost) return;
      for (int64_t other : {*axis - 1, *axis + 1})
        if ((*axis < 0) == (other < 0))
          replace(edits, given->value->span, "(" + std::to_string(std::min(*axis, other)) + ", " + std::to_string(std::max(*axis, other)) + ")",
                  "go along both axes");
    });
  }

  /// `mean(x, axis=(2, 3))` of `x: Tensor[B, C, H, W]`, where `Tensor[C]` is declared: all axes that the result lacks.
  void alongWhatIsLacking() {
    auto *call = as<ast::CallExpr>(meant());
    const ast::SubscriptExpr *of = call && !call->arguments.empty() ? tensorTypeOf(call->arguments[0].value.get()) : nullptr;
    const ast::Argument *given = call ? keyword(*call, "axis") : nullptr;
    const ast::SubscriptExpr *result = declaredTensor();
    if (!of || !result || !given || keyword(*call, "keepdim")) return;
    const std::vector<std::string> own = extentTexts(*of), wanted = extentTexts(*result);
    std::vector<std::string> axes, left;
    for (size_t i = 0; i < own.size(); ++i)
      if (std::find(wanted.begin(), wanted.end(), own[i]) != wanted.end()) left.push_back(own[i]);
      else axes.push_back(std::to_string(i));
    if (left != wanted || axes.size() < 2) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, given->value->span, "(" + listOf(axes) + ")", "go along all axes that the result lacks");
  }

  /// `a[None, :] * b[:, None]` for `a[:, None] * b[None, :]`.
  void newAxesExchanged() {
    std::vector<std::pair<Span, std::string>> parts;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *subscript = as<ast::SubscriptExpr>(&part);
      if (!subscript || subscript->items.size() != 2) return;
      const ast::Argument &a = subscript->items[0], &b = subscript->items[1];
      const bool first = a.value->kind == ast::ExprKind::None && isWhole(b), second = b.value->kind == ast::ExprKind::None && isWhole(a);
      if (first || second) parts.push_back({a.span.to(b.span), text(b.span) + ", " + text(a.span)});
    });
    if (parts.size() > 1) replaceAll(group(false), parts, "put the new axes on the other side");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfAxes(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return AxisEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
