// Edits for shapes that do not fit: an axis to reduce along, a transpose, an axis of extent 1, exchanged operands,
// padding. They look into the values of the names that an expression is made of, too: the mistake is often a line before.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <array>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ShapeEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::wrongResult:
      scoresOfPairs(), reducedAxes(), otherAxes(), movedTranspose(), otherLeadingAxis(), transposedLast(),
          differences(), padded();
      otherParameters();
      break;
    case Id::broadcastFails:
      scoresOfAll(), turnedOperand(), otherAxes(), otherLeadingAxis(), upright(), padded();
      if (diagnostic_.fixes.empty() || allAssume()) reducedAxes();
      break;
    case Id::contractionMismatch: exchangedOperands(), otherAxes(), otherParameters(); break;
    case Id::shapeMismatch:
      if (place_.innermost<ast::CallExpr>()) reducedAxes(), otherAxes(), otherLeadingAxis();
      break;
    case Id::windowTooLarge: padded(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr int kMostAxes = 4;

  bool allAssume() const {
    return std::all_of(diagnostic_.fixes.begin(), diagnostic_.fixes.end(),
                       [](const diag::Fix &fix) { return fix.applicability == diag::Applicability::Assumption; });
  }

  static bool isReduction(const std::string &name) {
    static const std::set<std::string> names = {"sum", "mean", "max", "min",    "prod",  "var",
                                                "std", "any",  "all", "argmax", "argmin",
                                                "median", "logsumexp", "quantile", "cumsum", "cumprod", "sort", "argsort",
                                                "softmax_safe", "log_softmax_safe", "nanmean", "nansum", "ptp", "count_nonzero"};
    return names.count(name) != 0;
  }
  /// `x.mean()` where rows are declared: the axis is missing.
  void reducedAxes() {
    CandidateGroup &edits = group(true);
    CandidateGroup pairs;
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || !isReduction(nameOf(*call)) || keyword(*call, "axis")) return;
      size_t given = as<ast::AttributeExpr>(call->callee) ? 0 : 1;
      if (as<ast::AttributeExpr>(call->callee) && isOfTile(*call)) given = 1;
      if (call->arguments.size() > given && !call->arguments[given].keyword) return;
      std::string comma = call->arguments.empty() ? "" : ", ";
      for (int axis = 0; axis < kMostAxes; ++axis)
        insert(edits, call->span.end - 1, comma + "axis=" + std::to_string(axis),
               "reduce along axis " + std::to_string(axis));
      for (auto [a, b] : {std::pair(2, 3), std::pair(1, 2), std::pair(0, 1)}) {
        std::string axes = "axis=(" + std::to_string(a) + ", " + std::to_string(b) + ")";
        insert(pairs, call->span.end - 1, comma + axes, "reduce along both");
      }
    });
    groups_.push_back(std::move(pairs));
  }
  /// Another number for `axis=`.
  void otherAxes() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *axis = call ? keyword(*call, "axis") : nullptr;
      const bool last = diagnostic_.id == Id::broadcastFails && axis && axisNumber(axis->value.get()).value_or(0) < 0;
      if (!axis || last) return;  // `mean(x, axis=-1)` of rows that are combined with x: the axis is right, and was to be kept
      eachOtherAxis(axis->value.get(), [&](const std::string &other) {
        replace(edits, axis->value->span, other, "go along axis " + other);
      });
    });
  }

  /// `b[None, :]` for `b[:, None]`, and another axis for `unsqueeze`.
  void otherLeadingAxis() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      if (auto *call = as<ast::CallExpr>(&part); call && nameOf(*call) == "unsqueeze") {
        auto *axis = call->arguments.empty() ? nullptr : as<ast::IntExpr>(call->arguments.back().value);
        for (uint64_t other = 0; axis && other < kMostAxes; ++other)
          if (other != axis->value)
            replace(edits, axis->span, std::to_string(other), "make axis " + std::to_string(other));
      }
      auto *subscript = as<ast::SubscriptExpr>(&part);
      if (!subscript || subscript->items.size() < 2) return;
      std::vector<std::string> items;
      size_t added = 0;
      for (const ast::Argument &item : subscript->items) {
        items.push_back(text(item.span));
        added += item.value->kind == ast::ExprKind::None;
      }
      if (added == 0) return;
      std::vector<std::string> order = items;
      std::sort(order.begin(), order.end());
      Span all = subscript->items.front().span.to(subscript->items.back().span);
      do {
        std::string shown;
        for (const std::string &item : order) shown += (shown.empty() ? "" : ", ") + item;
        if (order != items) replace(edits, all, shown, "put the new axis on the other side");
      } while (std::next_permutation(order.begin(), order.end()));
    });
  }

  /// An operand that lacks an axis at its end: `x * keep[:, :, None]`.
  void upright() {
    std::vector<const ast::Expr *> operands = operandsAt(place_);
    const size_t declared = static_cast<size_t>(std::count_if(
        operands.begin(), operands.end(), [&](const ast::Expr *e) { return tensorTypeOf(e) != nullptr; }));
    if (isOfCall() && declared > 1) return;  // `mse(p, y)`: rather one is declared wrong
    if (const int more = moreAxes(); operands.size() == 2 && more != 0) operands = {operands[more < 0 ? 0 : 1]};
    CandidateGroup &edits = group(true);
    edits.assumes = isOfCall();
    edits.last = diagnostic_.id == Id::broadcastFails && !reductionsThatDrop().empty();
    for (const char *index : {"[:, None]", "[:, :, None]", "[:, None, None]"})
      for (const ast::Expr *operand : operands)
        if (operand->kind != ast::ExprKind::Int && operand->kind != ast::ExprKind::Float)
          insertIndex(edits, *operand, index);
  }
  /// What a function does with its arguments is not seen here: that they fit then does not tell what was meant.
  bool isOfCall() const {
    auto *call = as<ast::CallExpr>(place_.expr());
    return call && nameOf(*call) != "where";
  }
  /// How many axes the left shape of `the shapes [A, O] and [A] ...` has more than the right one.
  int moreAxes() const {
    const std::string &said = diagnostic_.message;
    size_t between = said.find("] and ["), close = said.find(']', between == std::string::npos ? 0 : between + 2);
    if (between == std::string::npos || close == std::string::npos) return 0;
    auto at = [&](size_t place) { return said.begin() + static_cast<std::ptrdiff_t>(place); };
    return static_cast<int>(std::count(said.begin(), at(between), ',') - std::count(at(between), at(close), ','));
  }
  void insertIndex(CandidateGroup &edits, const ast::Expr &operand, const std::string &index) {
    std::string primary = asPrimary(operand);
    if (primary == text(operand)) insert(edits, operand.span.end, index, "give it an axis of extent 1");
    else replace(edits, operand.span, primary + index, "give it an axis of extent 1");
  }

  /// `x - x`, where a matrix of all pairs is declared.
  void differences() {
    CandidateGroup &edits = group(false);
    eachInPlay([&](const ast::Expr &part) {
      auto *binary = as<ast::BinaryExpr>(&part);
      if (!binary || binary->op == ast::BinaryOp::MatMul) return;
      bool same = as<ast::NameExpr>(binary->left) && text(*binary->left) == text(*binary->right);
      if (same) insertIndex(edits, *binary->left, "[:, None]");
    });
  }

  /// `a - b` of `[H, W]` and `[W, H]`.
  void turnedOperand() {
    if (place_.inKernel || !as<ast::BinaryExpr>(place_.expr())) return;
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_))
      if (operand->kind == ast::ExprKind::Name || (operand->kind == ast::ExprKind::Attribute && !text(*operand).ends_with(".T")))
        if (auto *type = tensorTypeOf(operand); !type || extentCount(*type) == 2)  // of a matrix
          insert(edits, operand->span.end, ".T", "turn it around");
  }

  /// `sum(users * items, axis=1)` of all pairs.
  void scoresOfAll() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    if (binary && binary->op == ast::BinaryOp::Mul && call && nameOf(*call) == "sum" && !place_.inKernel)
      replace(group(false), call->span, text(*binary->left) + " @ " + asPrimary(*binary->right) + ".T",
              "multiply all pairs");
  }

  /// `u @ v.T`, where a number for each row is declared.
  void scoresOfPairs() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    auto *turned = binary && binary->op == ast::BinaryOp::MatMul ? as<ast::AttributeExpr>(binary->right) : nullptr;
    if (turned && turned->attribute.text == "T" && !place_.inKernel)
      replace(group(false), binary->span, "sum(" + text(*binary->left) + " * " + text(*turned->object) + ", axis=-1)",
              "multiply row by row");
  }

  /// `x @ x.T` for `x.T @ x`.
  void movedTranspose() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *binary = as<ast::BinaryExpr>(&part);
      if (!binary || binary->op != ast::BinaryOp::MatMul) return;
      auto turned = [](const ast::ExprPtr &e) {
        auto *member = as<ast::AttributeExpr>(e);
        return member && member->attribute.text == "T" ? member->object.get() : nullptr;
      };
      const ast::Expr *left = turned(binary->left), *right = turned(binary->right);
      if (right && !left) replace(edits, binary->span, asPrimary(*binary->left) + ".T @ " + text(*right));
      if (left && !right) replace(edits, binary->span, text(*left) + " @ " + asPrimary(*binary->right) + ".T");
    });
  }

  /// The result with two of its axes exchanged, where it has more than two.
  void transposedLast() {
    const ast::Expr *e = place_.expr();
    const std::string &said = diagnostic_.message;
    size_t open = said.find("returns `["), close = said.find("]`");
    if (!e || e->kind == ast::ExprKind::Tuple || open == std::string::npos || close == std::string::npos ||
        place_.inKernel)
      return;
    size_t rank = 1 + static_cast<size_t>(std::count(said.begin() + static_cast<std::ptrdiff_t>(open),
                                                     said.begin() + static_cast<std::ptrdiff_t>(close), ','));
    if (rank < 3 || rank > kMostAxes) return;
    CandidateGroup &edits = group(true);
    for (size_t a = 0; a < rank; ++a)
      for (size_t b = a + 1; b < rank; ++b) {
        std::string pair = ".transpose(" + std::to_string(a) + ", " + std::to_string(b) + ")", primary = asPrimary(*e);
        if (primary == text(*e)) insert(edits, e->span.end, pair, "exchange the axes");
        else replace(edits, e->span, primary + pair, "exchange the axes");
      }
  }

  /// `w @ x` for `x @ w`, and for `x @ w.T`.
  void exchangedOperands() {
    std::vector<const ast::Expr *> pair = operandsAt(place_);
    if (pair.size() != 2) return;
    std::string left = text(*pair[0]), right = text(*pair[1]);
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (binary) {
      auto operand = [&](const ast::Expr &e) {
        return e.kind == ast::ExprKind::Binary ? "(" + text(e) + ")" : text(e);
      };
      const Span all = binary->span;  // with the parentheses around its operands
      replace(group(false), all, operand(*binary->right) + " @ " + operand(*binary->left), "exchange them");
      CandidateGroup &turned = group(true);
      replace(turned, all, operand(*binary->right) + " @ " + asPrimary(*binary->left) + ".T",
              "exchange them, and turn the second around");
      replace(turned, all, asPrimary(*binary->right) + ".T @ " + operand(*binary->left),
              "exchange them, and turn the first around");
    } else if (pair[0]->span.end < pair[1]->span.begin && left != right) {
      replace(group(false), pair[0]->span.to(pair[1]->span), right + ", " + left, "exchange them");
    }
  }

  /// A convolution that was meant to keep the extents.
  void padded() {
    CandidateGroup &edits = group(true);
    std::set<uint32_t> seen;
    auto pad = [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      bool convolution = call && (nameOf(*call) == "conv1d" || nameOf(*call) == "conv2d" || nameOf(*call) == "conv3d" || nameOf(*call) == "conv_layer");
      if (!convolution || !seen.insert(call->span.begin).second) return;
      const ast::Argument *given = keyword(*call, "padding");
      for (int padding = 1; padding <= 4; ++padding) {
        std::string number = std::to_string(padding);
        if (!given) insert(edits, call->span.end - 1, ", padding=" + number, "pad the edges");
        else if (text(*given->value) != number) replace(edits, given->value->span, number, "pad the edges");
      }
    };
    eachInPlay(pad);
    for (const ast::Expr *e : place_.around) pad(*e);
  }

  /// `p @ v` for `p @ k`: another parameter stands for the one that is named.
  void otherParameters() {
    constexpr size_t kMost = 8;
    if (!place_.function || !place_.expr() || place_.inKernel) return;
    std::vector<std::string> names;
    for (const ast::Parameter &p : place_.function->parameters)
      if (as<ast::SubscriptExpr>(p.annotation)) names.push_back(p.name.text);
    CandidateGroup &edits = group(true);
    edits.rivals = true;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      if (!name || std::find(names.begin(), names.end(), name->name) == names.end()) return;
      auto use = place_.names ? place_.names->find(name->name) : decltype(place_.names->end()){};
      if (place_.names && use != place_.names->end() && use->second.reads.size() == 1)
        return;  // nothing would read it then
      for (const std::string &other : names)
        if (other != name->name && edits.edits.size() < kMost) replace(edits, name->span, other);
    });
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfShapes(const diag::Diagnostic &diagnostic, const Place &place,
                                          const Sources &sources) {
  return ShapeEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
