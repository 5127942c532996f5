// Edits by the two shapes that a message says: what one has to go through to become the other. An axis of extent 1 is left out,
// the inside or a part is taken, as far as the extents themselves say how. Also slices beside one another that differ in one axis.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <algorithm>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;
using Shape = std::vector<std::string>;

/// `S - 2` as a name and what is added to it.
struct Extent {
  std::string base;
  int64_t more = 0;
};

class FormEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement) return {};
    if (diagnostic_.id == Id::sliceSize) takenFromAPlace();
    if (!place_.expr()) return taken();
    switch (diagnostic_.id) {
    case Id::factRefuted: withoutOnes(); break;
    case Id::contractionMismatch: declaredSum(); break;
    case Id::broadcastFails: differencesOfBoth(), stepsBeside(), slicesBeside(), ofOperands(), turnedBelowNewAxes(); break;
    case Id::wrongResult: ofResult(); break;
    case Id::shapeMismatch: ofStored(); break;
    case Id::wrongArgument: frontAxes(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 8;

  static std::optional<Extent> extentOf(const std::string &shown) {
    auto isNumber = [](const std::string &part) { return !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos; };
    if (isNumber(shown)) return Extent{"", std::stoll(shown)};
    for (const char *sign : {" + ", " - "})
      if (const size_t at = shown.rfind(sign); at != std::string::npos && isNumber(shown.substr(at + 3)))
        return Extent{shown.substr(0, at), (sign[1] == '+' ? 1 : -1) * static_cast<int64_t>(std::stoll(shown.substr(at + 3)))};
    return Extent{shown, 0};
  }

  /// The slices of an axis of `seen` elements that leave `wanted`, the likeliest first: the inside, the end, the beginning.
  static std::vector<std::string> slices(const std::string &seen, const std::string &wanted) {
    if (seen == wanted || wanted == "1") return {":"};
    const auto from = extentOf(seen), to = extentOf(wanted);
    const int64_t less = from && to && from->base == to->base ? from->more - to->more : 0;
    if (less <= 0 || from->base.empty()) return {};  // numbers are other sizes
    const std::string all = std::to_string(less);
    std::vector<std::string> found = {all + ":", ":-" + all};
    if (less % 2 == 0) found.insert(found.begin(), std::to_string(less / 2) + ":-" + std::to_string(less / 2));
    return found;
  }

  /// `[1:-1, 1:-1]`, `[:, 1:]`: the same kind of part of each axis that is too long, the first that there is.
  static std::vector<std::string> parts(const Shape &seen, const Shape &wanted) {
    std::vector<std::string> found;
    if (seen.size() != wanted.size() || seen == wanted) return found;
    for (size_t kind = 0; kind < 3; ++kind) {
      std::string index;
      size_t last = 0;
      for (size_t i = 0; i < seen.size(); ++i) {
        const std::vector<std::string> ways = slices(seen[i], wanted[i]);
        if (ways.empty()) return {};
        const std::string &way = ways[std::min(kind, ways.size() - 1)];
        index += (i > 0 ? ", " : "") + way;
        if (way != ":") last = index.size();
      }
      const std::string shown = "[" + index.substr(0, last) + "]";
      if (last > 0 && std::find(found.begin(), found.end(), shown) == found.end()) found.push_back(shown);
    }
    return found;
  }

  /// `.squeeze(2)` of [B, S, 1] beside [B, S].
  static std::string squeezed(const Shape &seen, const Shape &wanted) {
    if (seen.size() != wanted.size() + 1) return "";
    for (size_t i = seen.size(); i-- > 0;) {
      Shape left = seen;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      if (seen[i] == "1" && left == wanted) return ".squeeze(" + std::to_string(i) + ")";
    }
    return "";
  }

  /// Whether the function takes such a part of something elsewhere.
  bool isTaken(const std::string &index) const {
    bool found = false;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      found |= item && text({item->span.file, item->object->span.end, item->span.end}) == index;
    });
    return found;
  }

  /// A name of which nothing is a part here: what is sliced already is sliced wrongly, or is to be sliced as the other part is.
  bool isWhole(const ast::Expr &operand) const {
    auto *name = as<ast::NameExpr>(&operand);
    const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
    bool whole = name && !(value && value->kind == ast::ExprKind::Subscript);
    auto each = [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      whole &= !(item && text(*item->object) == text(operand));
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, each);
    return whole;
  }

  /// What gave a name its value that the statement reads twice, `sum(x * m) / sum(m)`: both are of the same part.
  const ast::Expr *valueReadTwice(const ast::Expr &operand) const {
    auto *name = as<ast::NameExpr>(&operand);
    const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
    size_t reads = 0;
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, [&](const ast::Expr &part) { reads += as<ast::NameExpr>(&part) && text(part) == text(operand); });
    return value && reads > 1 && (value->kind == ast::ExprKind::Name || value->kind == ast::ExprKind::Attribute || value->kind == ast::ExprKind::Call) ? value : nullptr;
  }

  void add(const ast::Expr &operand, const Shape &seen, const Shape &wanted) {
    if (place_.inKernel) return;
    if (const std::string without = squeezed(seen, wanted); !without.empty()) {
      CandidateGroup &edits = group(true);
      edits.last = diagnostic_.id != Id::broadcastFails;  // what made that axis is likelier
      replace(edits, operand.span, asPrimary(operand) + without, "leave out the axis of extent 1: `" + asPrimary(operand) + without + "`");
    }
    if (!isWhole(operand)) return;
    for (const std::string &index : parts(seen, wanted)) {
      CandidateGroup &edits = group(false);
      if (const ast::Expr *value = valueReadTwice(operand))
        replace(edits, value->span, asPrimary(*value) + index, "take the part that fits where `" + text(operand) + "` is made: `" + asPrimary(*value) + index + "`");
      edits.assumes = true;  // which part was meant is a guess
      edits.last = !isTaken(index);  // what is done to one side is done to the other
      replace(edits, operand.span, asPrimary(operand) + index, "take the part that fits: `" + asPrimary(operand) + index + "`");
    }
  }

  void ofOperands() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (said.size() != 2 || operands.size() != 2) return;
    for (size_t side : {0, 1}) add(*operands[side], said[side], said[1 - side]);
  }

  /// What is returned, and what a `concat` that is returned begins with: a window that moves on drops its oldest.
  void ofResult() {
    const auto said = shapesSaid();
    if (said.size() != 2 || place_.expr()->kind == ast::ExprKind::Tuple) return;
    auto *call = as<ast::CallExpr>(meant());
    const std::vector<std::string> ways = parts(said[0], said[1]);
    const bool joins = call && nameOf(*call) == "concat" && !call->arguments.empty() && !place_.inKernel;
    const ast::Expr *first = joins ? call->arguments[0].value.get() : nullptr;
    if (first && first->kind == ast::ExprKind::List) first = static_cast<const ast::SequenceExpr &>(*first).items.empty() ? nullptr : static_cast<const ast::SequenceExpr &>(*first).items[0].get();
    if (first && !ways.empty()) {
      const auto oldest = std::find_if(ways.begin(), ways.end(), [](const std::string &index) { return index.find(":-") == std::string::npos; });
      CandidateGroup &edits = group(true);
      edits.assumes = true;
      if (oldest != ways.end()) replace(edits, first->span, asPrimary(*first) + *oldest, "leave out its oldest: `" + asPrimary(*first) + *oldest + "`");
    }
    add(*place_.expr(), said[0], said[1]);
  }

  void ofStored() {
    const auto said = shapesSaid();
    auto *assign = as<ast::AssignStmt>(place_.statement);
    if (said.size() == 2 && assign) add(*assign->value, said[1], said[0]);
  }

  /// `conv1d(x, h)` of taps that are a vector: the axes in front are of extent 1.
  void frontAxes() {
    const auto said = shapesSaid();
    if (said.size() != 2 || place_.inKernel || said[1].size() >= said[0].size()) return;
    std::string index;
    for (size_t i = said[1].size(); i < said[0].size(); ++i) index += std::string(index.empty() ? "" : ", ") + "None";
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    replace(edits, place_.expr()->span, asPrimary(*place_.expr()) + "[" + index + "]", "give it axes of extent 1 in front: `" + asPrimary(*place_.expr()) + "[" + index + "]`");
  }

  /// `table[start:start + S]` outside of a kernel, where only the run knows `start`: `take(table, start + arange(S))`.
  void takenFromAPlace() {
    auto *item = place_.innermost<ast::SubscriptExpr>();
    auto *slice = item && item->items.size() == 1 ? as<ast::SliceExpr>(item->items[0].value) : nullptr;
    if (place_.inKernel || !slice || !slice->start || slice->step) return;
    const std::string start = text(*slice->start);
    auto *sum = as<ast::BinaryExpr>(slice->stop);
    CandidateGroup &edits = group(true);
    auto countOf = [&](const std::string &count) {
      const std::string made = "take(" + text(*item->object) + ", " + start + " + arange(" + count + "))";
      replaceOnce(edits, item->span, made, "take so many from there on: `" + made + "`");
    };
    if (sum && sum->op == ast::BinaryOp::Add && text(*sum->left) == start) return countOf(text(*sum->right));
    edits.assumes = true;
    if (!slice->stop)
      for (const std::string &dim : dimensions()) countOf(dim);
  }

  /// `mse(s, t)` of `t: Tensor[1, B, D]`, which the library refuses for its axes: it goes without the one of extent 1.
  void withoutOnes() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;  // of `x @ w` the column is left out rather than that of `w`
    visit(*call, [&](const ast::Expr &part) {
      const ast::SubscriptExpr *type = tensorTypeOf(&part);
      for (size_t i = 0; type && extentCount(*type) > 1 && i < extentCount(*type); ++i)
        if (extentText(type->items[i]) == "1" && edits.edits.size() < kMost)
          insert(edits, part.span.end, ".squeeze(" + std::to_string(i) + ")", "leave out the axis of extent 1");
    });
  }

  /// `concat([a, b], axis=1) @ w` of D + E columns: the weights have as many rows.
  void declaredSum() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (said.size() != 2 || operands.size() != 2 || said[0].empty() || said[1].size() < 2) return;
    const std::string &needed = said[0].back();
    const ast::SubscriptExpr *type = tensorTypeOf(operands[1]);
    if (!type || extentCount(*type) != said[1].size() || needed.find(' ') == std::string::npos || needed.find('.') != std::string::npos) return;
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = edits.last = true;
    replace(edits, type->items[extentCount(*type) - 2].span, needed, "declare the extent that is needed");
  }

  /// `x[::2] + x[1:]`: both parts go on by the same step.
  void stepsBeside() {
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    std::vector<const ast::SubscriptExpr *> taken;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      if (auto *item = as<ast::SubscriptExpr>(&part)) taken.push_back(item);
    });
    for (const ast::SubscriptExpr *one : taken)
      for (const ast::SubscriptExpr *other : taken)
        for (size_t i = 0; i < std::min(one->items.size(), other->items.size()); ++i) {
          auto *slice = as<ast::SliceExpr>(one->items[i].value), *beside = as<ast::SliceExpr>(other->items[i].value);
          if (!slice || !beside || slice->step || !beside->step || edits.edits.size() >= kMost) continue;
          const std::string step = ":" + text(*beside->step);
          insert(edits, slice->span.end, step, "go on by the step of the part beside it: `" + step + "`");
        }
  }

  /// `g[:, :, None] * y` of g: [B, E] and y: [E, B, D]: the matrix is turned around below the new axes.
  void turnedBelowNewAxes() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    for (const ast::Expr *operand : operandsAt(place_)) {
      auto *item = as<ast::SubscriptExpr>(operand);
      const bool widened = item && std::any_of(item->items.begin(), item->items.end(), [](const ast::Argument &index) { return index.value->kind == ast::ExprKind::None; });
      if (widened && item->items.size() > 2) insert(edits, item->object->span.end, ".T", "turn it around");
    }
  }

  /// `diff(x) / t`: the differences of both.
  void differencesOfBoth() {
    const std::vector<const ast::Expr *> pair = operandsAt(place_);
    for (size_t i = 0; pair.size() == 2 && i < 2; ++i) {
      auto *call = as<ast::CallExpr>(pair[i]);
      const bool ofOther = as<ast::NameExpr>(pair[1 - i]) && tensorTypeOf(pair[1 - i]);
      if (!call || nameOf(*call) != "diff" || !ofOther || !as<ast::NameExpr>(call->callee)) continue;
      std::string rest = text({call->span.file, call->arguments[0].span.end, call->span.end});
      CandidateGroup &edits = group(false);
      edits.assumes = true;
      replace(edits, pair[1 - i]->span, "diff(" + text(*pair[1 - i]) + rest, "take its differences, too");
    }
  }

  /// `a[:, 2 * H:] + r * c[:, H:]`: parts of two values that differ in the slice of one axis.
  void slicesBeside() {
    std::vector<const ast::SubscriptExpr *> taken;
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs)
      visit(*e, [&](const ast::Expr &part) {
        if (auto *item = as<ast::SubscriptExpr>(&part)) taken.push_back(item);
      });
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::SubscriptExpr *one : taken)
      for (const ast::SubscriptExpr *other : taken) {
        if (one->items.size() != other->items.size() || text(*one->object) == text(*other->object)) continue;
        std::vector<size_t> differ;
        for (size_t i = 0; i < one->items.size(); ++i)
          if (text(one->items[i].span) != text(other->items[i].span)) differ.push_back(i);
        if (differ.size() != 1) continue;
        const ast::Argument &own = one->items[differ[0]], &by = other->items[differ[0]];
        auto *slice = as<ast::SliceExpr>(own.value), *beside = as<ast::SliceExpr>(by.value);
        const bool ofOneSide = slice && beside && !slice->start == !beside->start && !slice->stop == !beside->stop;  // `:H` and `H:` are two halves
        if (ofOneSide && edits.edits.size() < kMost) replaceOnce(edits, own.span, text(by.span), "take the part that is taken beside it: `" + text(by.span) + "`");
      }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfForms(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return FormEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
