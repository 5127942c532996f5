// Edits by the role that a value has where it is used: an operand that stands on both sides of a product, what a quotient is
// divided by, weights of one channel each, a tile that is stored, the reduction beside another one, keys beside values.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cmath>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;
using Extents = std::vector<std::string>;

class RoleEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement) return {};
    if (diagnostic_.id == Id::writtenTwice) ownPlace();
    if (!place_.expr()) return taken();
    switch (diagnostic_.id) {
    case Id::contractionMismatch: twiceInProduct(), otherFactors(); break;
    case Id::broadcastFails: storedTile(), dividedByOne(), axisBeside(), allAlike(); break;
    case Id::shapeMismatch: storedTile(); break;
    case Id::outOfBounds: turnedBlock(); break;
    case Id::channelMismatch: channelsAlone(); break;
    case Id::wrongArgument: allAlike(); break;
    default: break;
    }
    return taken();
  }

private:
  std::string turned(const std::string &shown) const { return place_.inKernel ? "tile.transpose(" + shown + ")" : shown + ".T"; }

  /// `x @ x` of one matrix: one of the two is turned around, and the result says which.
  void twiceInProduct() {
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (operands.size() != 2 || text(*operands[0]) != text(*operands[1]) || operands[0]->kind != ast::ExprKind::Name) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::Expr *operand : operands) replace(edits, operand->span, turned(text(*operand)), "turn it around");
  }

  static std::optional<int64_t> numberIn(const std::string &shown) {
    if (shown.empty() || shown.size() > 9 || shown.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    return std::stoll(shown);
  }
  /// `16 * 15 * 15` of which 4096 is needed, `16 * 16 * 16`: the factors that are alike are an image's height and width.
  static std::string refactored(const std::string &product, int64_t needed) {
    std::vector<int64_t> factors;
    for (size_t at = 0; at <= product.size();) {
      const size_t end = std::min(product.find(" * ", at), product.size());
      const auto factor = numberIn(product.substr(at, end - at));
      if (!factor || *factor < 1) return "";
      factors.push_back(*factor), at = end + 3;
    }
    for (size_t i = factors.size(); i-- > 0 && factors.size() > 1;) {
      const auto count = std::count(factors.begin(), factors.end(), factors[i]);
      int64_t others = 1;
      for (int64_t factor : factors) others *= factor == factors[i] ? 1 : factor;
      if (needed % others != 0) continue;
      const double root = std::pow(static_cast<double>(needed / others), 1.0 / static_cast<double>(count));
      const int64_t other = std::llround(root);
      int64_t made = others;
      for (auto c = count; c > 0; --c) made *= other;
      if (made != needed) continue;
      std::string all;
      for (int64_t factor : factors) all += (all.empty() ? "" : " * ") + std::to_string(factor == factors[i] ? other : factor);
      return all;
    }
    return "";
  }
  void otherFactors() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (said.size() != 2 || operands.size() != 2 || said[0].empty()) return;
    const ast::SubscriptExpr *type = tensorTypeOf(operands[1]);
    const auto needed = numberIn(said[0].back());
    if (!type || !needed || extentCount(*type) < 2) return;
    const ast::Argument &declared = type->items[extentCount(*type) - 2];
    const std::string other = refactored(extentText(declared), *needed);
    if (other.empty()) return;
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = true;
    replace(edits, declared.span, other, "declare the extent that is needed: `" + other + "`");
  }

  /// `y[n:n + T.n, m:m + T.m] = v` of a tile [T.m, T.n].
  void storedTile() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    const auto said = shapesSaid();
    if (!place_.inKernel || !assign || assign->targets[0]->kind != ast::ExprKind::Subscript || said.size() != 2) return;
    if (said[0].size() == 2 && said[0] != said[1] && said[0] == Extents(said[1].rbegin(), said[1].rend()))
      replace(group(false), assign->value->span, "tile.transpose(" + text(*assign->value) + ")", "turn the tile around");
  }

  /// `m @ p / m`: a mean is divided by the sum of its weights. What is divided has no axis of theirs.
  void dividedByOne() {
    auto *quotient = as<ast::BinaryExpr>(place_.expr());
    const auto said = shapesSaid();
    if (!quotient || quotient->op != ast::BinaryOp::Div || said.size() != 2 || said[1].size() != 1) return;
    auto *divisor = as<ast::NameExpr>(quotient->right);
    bool weighted = false;
    visit(*quotient->left, [&](const ast::Expr &part) { weighted |= divisor && text(part) == divisor->name; });
    auto hasAxis = [&](const std::string &extent) { return extent.find(said[1][0]) != std::string::npos; };
    if (!weighted || std::any_of(said[0].begin(), said[0].end(), hasAxis)) return;
    const std::string sum = (place_.inKernel ? "tile.sum(" : "sum(") + divisor->name + ")";
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, divisor->span, sum, "divide by the sum of all: `" + sum + "`");
  }

  /// The number of the axis that a reduction goes along, where it is written; `of`: what it is of.
  struct Reduction {
    const ast::Expr *of = nullptr, *axis = nullptr;
  };
  static Reduction reductionOf(const ast::CallExpr &call) {
    Reduction found;
    auto *method = as<ast::AttributeExpr>(call.callee);
    const bool own = method && !isOfTile(call);
    if (!own && call.arguments.empty()) return found;
    found.of = own ? method->object.get() : call.arguments[0].value.get();
    const size_t next = own ? 0 : 1;
    if (const ast::Argument *axis = keyword(call, "axis")) found.axis = axis->value.get();
    else if (next < call.arguments.size() && !call.arguments[next].keyword) found.axis = call.arguments[next].value.get();
    if (!axisNumber(found.axis)) found.axis = nullptr;
    return found;
  }
  /// `mean(x, axis=1)` beside `var(x, axis=0)`: both go along the same axis.
  void axisBeside() {
    static const std::set<std::string> reductions = {"sum", "mean", "max", "min", "var", "std", "norm", "logsumexp", "median"};
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::CallExpr *call : reductionsThatDrop()) {
      const Reduction own = reductionOf(*call);
      if (!own.axis) continue;
      visitBody(*place_.function, [&](const ast::Expr &part) {
        auto *other = as<ast::CallExpr>(&part);
        if (!other || other == call || !reductions.count(nameOf(*other)) || keyword(*other, "keepdim")) return;
        const Reduction beside = reductionOf(*other);
        const bool same = beside.axis && text(*beside.of) == text(*own.of);
        if (same && text(*beside.axis) != text(*own.axis)) replaceOnce(edits, own.axis->span, text(*beside.axis), "go along the axis of `" + text(*other) + "`");
      });
    }
  }

  /// Whether the function has a slice with this start and another end: then the start is wrong rather than the order.
  bool startsElsewhere(const ast::Argument &item) const {
    auto *own = as<ast::SliceExpr>(item.value);
    if (!own || !own->start) return false;
    bool found = false;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *other = as<ast::SliceExpr>(&part);
      found |= other && other->start && text(*other->start) == text(*own->start) && text(*other) != text(*own);
    });
    return found;
  }
  /// `tile.dot(a, b[k:k + T.k, n:n + T.n])` of b: [N, K]: its block is taken in the order of its axes, and turned around.
  void turnedBlock() {
    auto *item = place_.innermost<ast::SubscriptExpr>();
    const ast::SubscriptExpr *type = item ? tensorTypeOf(item->object.get()) : nullptr;
    if (!place_.inKernel || !type || item->items.size() != 2 || extentCount(*type) != 2) return;
    auto at = std::find(place_.around.begin(), place_.around.end(), item);
    auto *product = at + 1 < place_.around.end() ? as<ast::CallExpr>(*(at + 1)) : nullptr;
    const ast::Argument &first = item->items[0], &second = item->items[1];
    const bool slices = first.value->kind == ast::ExprKind::Slice && second.value->kind == ast::ExprKind::Slice;
    if (!product || !slices || (nameOf(*product) != "dot" && nameOf(*product) != "mma")) return;
    if (startsElsewhere(first) || startsElsewhere(second)) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;  // the axes may be declared in the wrong order
    const std::string block = text(*item->object) + "[" + text(second.span) + ", " + text(first.span) + "].T";
    replace(edits, item->span, block, "take the block in the order of its axes, and turn it around: `" + block + "`");
  }

  /// `conv1d(x, h)` of weights [C, 1, K] for C channels.
  void channelsAlone() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.size() < 2 || keyword(*call, "groups") || call->arguments[1].keyword) return;
    const ast::SubscriptExpr *weights = tensorTypeOf(call->arguments[1].value.get()), *given = tensorTypeOf(call->arguments[0].value.get());
    if (!weights || !given || extentCount(*weights) < 3 || extentCount(*given) < 3) return;
    const std::string channels = extentText(given->items[1]);
    if (extentText(weights->items[1]) == "1" && extentText(weights->items[0]) == channels)
      insert(group(false), call->arguments.back().span.end, ", groups=" + channels, "go over each channel alone: `groups=" + channels + "`");
  }

  /// `out[0] = s` in every group of a function that asks for its group: `out[g] = s`.
  void ownPlace() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *element = assign ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (size_t i = 0; element && place_.names && i < element->items.size(); ++i)
      for (const auto &[name, use] : *place_.names) {
        auto *value = as<ast::CallExpr>(place_.valueOf(name));
        if (value && nameOf(*value) == "group_id" && element->items[i].value->kind == ast::ExprKind::Int)
          replace(edits, element->items[i].span, name, "let each group write a place of its own: `" + name + "`");
      }
  }

  /// What makes another shape of a tensor with so many axes, behind it.
  static std::vector<std::string> waysBehind(size_t axes) {
    std::vector<std::string> ways;
    for (size_t i = axes; i-- > 1;) ways.push_back(".transpose(" + std::to_string(i - 1) + ", " + std::to_string(i) + ")");
    for (size_t i = 0; i <= axes; ++i) {
      std::string index;
      for (size_t j = 0; j < i; ++j) index += ":, ";
      ways.push_back("[" + index + "None]");
    }
    return ways;
  }
  /// `cache.append(k, v)` of keys and values that are declared alike: what is done to one is done to the other.
  void allAlike() {
    auto *call = place_.innermost<ast::CallExpr>();
    const ast::SubscriptExpr *type = tensorTypeOf(place_.expr());
    if (!call || !type || place_.inKernel) return;
    std::vector<const ast::Expr *> alike;
    for (const ast::Argument &argument : call->arguments)
      if (auto *other = tensorTypeOf(argument.value.get()); other && text(*other) == text(*type)) alike.push_back(argument.value.get());
    const bool apart = std::any_of(alike.begin(), alike.end(), [&](const ast::Expr *one) { return text(*one) != text(*place_.expr()); });
    if (!apart) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const std::string &way : waysBehind(extentCount(*type))) {
      std::vector<std::pair<Span, std::string>> parts;
      for (const ast::Expr *one : alike) parts.push_back({one->span, text(*one) + way});
      replaceAll(edits, parts, "write `" + way + "` behind each of them");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfRoles(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return RoleEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
