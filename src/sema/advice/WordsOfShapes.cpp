// Sentences about shapes: which operand, which axis, which extent, and what makes it.
#include "sema/advice/WordsOfShapes.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {
namespace {

using diag::Id;
using Shape = std::vector<std::string>;

std::vector<std::string> splitAtCommas(const std::string &list) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char c : list) {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && depth == 0) parts.push_back(std::exchange(part, ""));
    else if (c != ' ' || !part.empty()) part += c;
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

/// The shapes that a message shows in brackets.
std::vector<Shape> shapesIn(const std::string &message) {
  std::vector<Shape> shapes;
  for (size_t open = message.find('['); open != std::string::npos; open = message.find('[', open + 1)) {
    const size_t close = message.find(']', open);
    if (close == std::string::npos) break;
    shapes.push_back(splitAtCommas(message.substr(open + 1, close - open - 1)));
    open = close;
  }
  return shapes;
}

std::string shown(const Shape &shape) {
  std::string all;
  for (const std::string &extent : shape) all += (all.empty() ? "" : ", ") + extent;
  return "`[" + all + "]`";
}

std::string quoted(std::string_view text) {
  constexpr size_t kMostShown = 40;
  const bool plain = text.size() <= kMostShown && text.find('\n') == std::string_view::npos;
  return plain ? "`" + std::string(text) + "`" : "this";
}

/// Of one number of axes, and the same extents in another order.
bool isPermuted(Shape a, Shape b) {
  if (a == b || a.size() != b.size()) return false;
  std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
  return a == b;
}

/// The only axis along which two shapes differ; -1 if there are several, or their numbers of axes differ.
int differingAxis(const Shape &a, const Shape &b) {
  int at = -1;
  for (size_t i = 0; a.size() == b.size() && i < a.size(); ++i)
    if (a[i] != b[i]) at = at == -1 ? static_cast<int>(i) : -2;
  return a.size() == b.size() && at >= 0 ? at : -1;
}

/// What makes the one shape of the other.
std::string whatMakes(const Shape &wanted, const Shape &seen, bool inKernel) {
  const std::string tile = inKernel ? "tile." : "";
  if (isPermuted(wanted, seen)) return "`" + tile + (wanted.size() == 2 ? (inKernel ? "transpose(x)" : "x.T") : inKernel ? "transpose(x)" : "permute(x, ...)") + "` exchanges axes";
  if (seen.size() > wanted.size()) {
    size_t ones = static_cast<size_t>(std::count(seen.begin(), seen.end(), "1"));
    if (ones >= seen.size() - wanted.size() && ones > 0 && !inKernel)
      return "an axis of extent 1 is left out by `squeeze(axis)`, and by a reduction without `keepdim=True`";
    return "`" + tile + "sum` and `" + tile + "mean` along an `axis` make one axis less, and so does an index, `x[:, 0]`";
  }
  if (seen.size() < wanted.size())
    return "`x[:, None]` adds an axis of extent 1, and a reduction keeps its axis by `keepdim=True`";
  const int axis = differingAxis(wanted, seen);
  if (axis < 0) return "";
  const std::string from = seen[static_cast<size_t>(axis)], to = wanted[static_cast<size_t>(axis)];
  std::string words = "axis " + std::to_string(axis) + " has " + from + " where " + to + " is wanted";
  if (axis + 1 == static_cast<int>(seen.size()) && !inKernel) words += "; a product with a matrix `[" + from + ", " + to + "]` makes that of it";
  return words;
}

class ShapeWords {
public:
  ShapeWords(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources)
      : diagnostic_(diagnostic), place_(place), sources_(sources), shapes_(shapesIn(diagnostic.message)) {}

  std::string sentence() const {
    if (diagnostic_.id == Id::outOfBounds) return ofBounds();
    if (diagnostic_.id == Id::tileMismatch) return ofTile();
    if (shapes_.size() < 2) return diagnostic_.id == Id::wrongResult ? ofNumber() : diagnostic_.id == Id::rankMismatch ? ofRank() : "";
    switch (diagnostic_.id) {
    case Id::broadcastFails: return ofBroadcast();
    case Id::contractionMismatch: return ofProduct();
    case Id::wrongResult: return ofResult(shapes_[1], shapes_[0]);
    case Id::shapeMismatch: return ofResult(shapes_[0], shapes_[1]);
    case Id::redefinedType:
      return "it begins as " + shown(shapes_[0]) + ": it stays that, or begins as " + shown(shapes_[1]) + with(whatMakes(shapes_[0], shapes_[1], place_.inKernel));
    case Id::badReshape: return "as many elements as before: one of the sizes may be -1, and stands for what is left";
    default: return "";
    }
  }

private:
  static std::string with(const std::string &words) { return words.empty() ? "" : ": " + words; }
  std::string text(const ast::Expr &e) const { return quoted(sources_.text(e.span)); }
  /// What was declared by extents, and is one number.
  std::string ofNumber() const {
    if (shapes_.size() != 1) return "";
    const bool returnsNumber = diagnostic_.message.find("returns `[]`") != std::string::npos;
    return returnsNumber ? "a reduction along an `axis` leaves the others, `sum(x, axis=1)`; one number is declared by its dtype, `f32`"
                         : "`sum(x)` and `mean(x)` make one number of all elements";
  }
  std::string ofRank() const {
    return "`x[:, None]` and `unsqueeze` add an axis; an index, `squeeze` and a reduction take one away";
  }
  std::string ofBroadcast() const {
    const Shape &a = shapes_[0], &b = shapes_[1];
    std::vector<const ast::Expr *> operands = operandsAt(place_);
    const bool longerFirst = a.size() >= b.size();
    const Shape &wanted = longerFirst ? a : b, &seen = longerFirst ? b : a;
    std::string other = operands.size() == 2 ? text(*operands[longerFirst ? 1 : 0]) : "the other one";
    if (std::string both = ofFewerAxes(wanted, seen, operands, longerFirst); !both.empty()) return both;
    if (wanted.size() > seen.size())
      return other + " has " + shown(seen) + ": beside " + shown(wanted) + " its axes are counted from the last. " +
             (place_.inKernel ? "`[:, None]` adds an axis of extent 1 behind" : "`[:, None]` and `unsqueeze` add an axis of extent 1 behind, and `keepdim=True` keeps one that is reduced");
    return other + " has to be " + shown(wanted) + " beside it, or have extents of 1" + with(whatMakes(wanted, seen, place_.inKernel));
  }
  /// Which axes the operand of fewer axes may have, by their extents: it gets the others, or the other one loses them.
  std::string ofFewerAxes(const Shape &wanted, const Shape &seen, const std::vector<const ast::Expr *> &operands, bool longerFirst) const {
    if (operands.size() != 2 || seen.empty() || wanted.size() <= seen.size() || place_.inKernel) return "";
    std::string index, left;  // left: the extent that the other one has besides
    size_t next = 0, lost = 0, behind = 0, shownTo = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const bool own = next < seen.size() && wanted[i] == seen[next];
      if (!own) lost = i, left = wanted[i];
      if (index.empty() && !own) continue;  // axes in front come by themselves
      index += (index.empty() ? "" : ", ") + std::string(own ? ":" : "None");
      next += own;
      if (!own) shownTo = index.size(), ++behind;
    }
    if (next != seen.size() || behind == 0) return "";
    const std::string small(sources_.text(operands[longerFirst ? 1 : 0]->span)), large(sources_.text(operands[longerFirst ? 0 : 1]->span));
    if (small.size() + large.size() > 60) return "";
    auto *simple = ast::as<ast::BinaryExpr>(operands[longerFirst ? 1 : 0]);
    std::string words = "if " + quoted(small) + " belongs to the axes of " + shown(seen) + ", write `" + (simple ? "(" + small + ")" : small) + "[" + index.substr(0, shownTo) + "]`";
    if (wanted.size() == seen.size() + 1) words += "; if one number along `" + left + "` is meant, `sum(" + large + ", axis=" + std::to_string(lost) + ")` or `max`";
    return words;
  }
  std::string ofProduct() const {
    const Shape &a = shapes_[0], &b = shapes_[1];
    std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (operands.size() != 2 || a.empty() || b.empty()) return "";
    std::string right = text(*operands[1]), wanted = b.size() > 1 ? "[" + a.back() + ", ...]" : "[" + a.back() + "]";
    std::string words = right + " has to be `" + wanted + "`, or " + text(*operands[0]) + " end with " + (b.size() > 1 ? b[b.size() - 2] : b.back());
    if (b.size() > 1 && b.back() == a.back())
      words += ": " + std::string(place_.inKernel ? "`tile.transpose` turns a tile around" : b.size() == 2 ? "`.T` turns a matrix around" : "`.transpose(-2, -1)` exchanges the last two axes");
    return words;
  }
  std::string ofResult(const Shape &wanted, const Shape &seen) const {
    return shown(wanted) + " is wanted" + with(whatMakes(wanted, seen, place_.inKernel));
  }
  /// `s[t + 1]` of a group whose last lane has no neighbour.
  std::string ofShared() const {
    auto *item = place_.innermost<ast::SubscriptExpr>();
    const size_t has = diagnostic_.message.find("which has ");
    if (!item || item->items.size() != 1 || item->items[0].value->kind != ast::ExprKind::Binary || has == std::string::npos) return "";
    const std::string index(sources_.text(item->items[0].span)), count = std::to_string(std::stoll(diagnostic_.message.substr(has + 10))),
                      last = std::to_string(std::stoll(count) - 1);
    return "the lane at the end has no neighbour there: `min(" + index + ", " + last + ")` stays inside, `(" + index + ") % " + count + "` goes round";
  }
  std::string ofBounds() const {
    if (diagnostic_.message.find(" elements there") != std::string::npos) return ofShared();
    return place_.inKernel
               ? "an offset belongs to one axis: `m, n = tile.origin()` has one for each axis of the output, and `x[m:m + T.m, n:n + T.n]` names them in the order of x"
               : "an axis of N elements has the indices 0 to N - 1; a slice `x[a:b]` ends before b";
  }
  std::string ofTile() const {
    if (shapes_.size() < 2) return "";
    Shape output = shapes_[1];
    if (!output.empty() && output.size() > 1) output.pop_back();  // its dtype
    std::string words = "the tile of a group has an axis for each of the output's: ";
    return words + (output.size() >= 2 ? "`x[m:m + T.m, n:n + T.n]` for a block, `x[r, :]` for a row"
                                       : "`x[n:n + T.m]`; `tile.sum(t, axis=1)` makes one axis less");
  }

  const diag::Diagnostic &diagnostic_;
  const Place &place_;
  const Sources &sources_;
  const std::vector<Shape> shapes_;
};

}  // namespace

std::string wordsOfShapes(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return ShapeWords(diagnostic, place, sources).sentence();
}

}  // namespace tessera::sema
