// Edits that put axes together: heads and their features were not joined where one axis of both is needed. Axes are brought
// beside one another first, since a reshape takes the elements in the order in which they lie.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

using Extents = std::vector<std::string>;

class JoiningEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.expr()) return {};
    const std::vector<Extents> said = shapesSaid();
    if (said.size() < 2) return {};
    if (diagnostic_.id == Id::reordersAxes) asDeclared(said[0], said[1]), turnedInFront(said[0], said[1]), turnedBehind(said[0], said[1]), exchangedBehind();
    if (place_.inKernel) return taken();
    if (diagnostic_.id == Id::contractionMismatch) joinedOperand(said[0], said[1]);
    if (diagnostic_.id == Id::wrongResult) joinedResult(said[0], said[1]);
    if (diagnostic_.id == Id::broadcastFails) joinedParts(said[0], said[1]);
    return taken();
  }

private:
  /// The names and numbers of which an extent is the product, "D*H"; nothing if it is something else.
  static std::multiset<std::string> factors(const std::string &extent) {
    std::multiset<std::string> found;
    std::string one;
    for (char c : extent + "*") {
      if (c == '*') found.insert(one), one.clear();
      else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') one += c;
      else if (c != ' ') return {};
    }
    return found;
  }
  static bool isJoined(const std::string &extent) { return extent.find('*') != std::string::npos; }

  /// The axes, in their order, whose extents have these factors all together; those that are taken already are none of them.
  static std::vector<size_t> axesOf(std::multiset<std::string> wanted, const Extents &shape, const std::set<size_t> &taken) {
    std::vector<size_t> axes;
    for (size_t i = 0; i < shape.size(); ++i) {
      const std::multiset<std::string> own = factors(shape[i]);
      const bool inside = !own.empty() && !taken.count(i) && std::includes(wanted.begin(), wanted.end(), own.begin(), own.end());
      if (!inside) continue;
      axes.push_back(i);
      for (const std::string &factor : own) wanted.erase(wanted.find(factor));
    }
    return wanted.empty() ? axes : std::vector<size_t>();
  }

  /// What brings the axes into this order: nothing where they are in it.
  static std::string turned(const std::vector<size_t> &order) {
    std::vector<size_t> moved;
    std::string all;
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] != i) moved.push_back(i);
      all += (i ? ", " : "") + std::to_string(order[i]);
    }
    if (moved.empty()) return "";
    const bool swap = moved.size() == 2;
    return swap ? ".transpose(" + std::to_string(moved[0]) + ", " + std::to_string(moved[1]) + ")" : ".permute(" + all + ")";
  }

  /// What makes of `shape` the shape whose axes are put together as `parts` say.
  static std::string joining(const std::vector<std::vector<size_t>> &parts, const Extents &shape) {
    std::vector<size_t> order;
    Extents sizes;
    for (const std::vector<size_t> &axes : parts) {
      std::string size;
      for (size_t axis : axes) order.push_back(axis), size += (size.empty() ? "" : " * ") + spaced(shape[axis]);
      sizes.push_back(size);
    }
    return turned(order) + ".reshape(" + listOf(sizes) + ")";
  }
  static std::string spaced(const std::string &extent) {
    std::string shown;
    for (char c : extent) shown += c == '*' ? std::string(" * ") : std::string(1, c);
    return shown;
  }
  /// The axes of `shape` that each extent is made of; nothing where some are left.
  static std::vector<std::vector<size_t>> partsOf(const Extents &wanted, const Extents &shape) {
    std::vector<std::vector<size_t>> parts;
    std::set<size_t> taken;
    for (const std::string &extent : wanted) {
      parts.push_back(axesOf(factors(extent), shape, taken));
      if (parts.back().empty()) return {};
      taken.insert(parts.back().begin(), parts.back().end());
    }
    return taken.size() == shape.size() ? parts : std::vector<std::vector<size_t>>();
  }
  /// As `joining`, for a shape that is known; nothing where no axes are put together.
  static std::string joiningTo(const Extents &wanted, const Extents &shape) {
    const std::vector<std::vector<size_t>> parts = partsOf(wanted, shape);
    return !parts.empty() && wanted.size() < shape.size() ? joining(parts, shape) : "";
  }
  static std::vector<size_t> orderOf(const std::vector<std::vector<size_t>> &parts) {
    std::vector<size_t> order;
    for (const std::vector<size_t> &axes : parts) order.insert(order.end(), axes.begin(), axes.end());
    return order;
  }

  /// The sizes of the reshape that the message is about, as they are written, and the tensor that it is of.
  struct Reshape {
    const ast::Expr *of = nullptr;
    const ast::CallExpr *call = nullptr;
    std::vector<const ast::Expr *> sizes;
  };
  Reshape reshapeHere() const {
    Reshape found;
    found.call = as<ast::CallExpr>(place_.expr());
    if (!found.call) found.call = place_.innermost<ast::CallExpr>();
    auto *method = found.call ? as<ast::AttributeExpr>(found.call->callee) : nullptr;
    if (!found.call || (!method && found.call->arguments.empty())) return {};
    found.of = method ? method->object.get() : found.call->arguments[0].value.get();
    for (size_t i = method ? 0 : 1; i < found.call->arguments.size(); ++i) {
      const ast::Expr &size = *found.call->arguments[i].value;
      if (size.kind != ast::ExprKind::Tuple) found.sizes.push_back(&size);
      else for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(size).items) found.sizes.push_back(item.get());
    }
    return found;
  }
  /// `y.reshape(B, S, H * D)` of [B, H, S, D]: the axes are turned around first.
  void turnedInFront(const Extents &from, const Extents &to) {
    const std::vector<std::vector<size_t>> parts = partsOf(to, from);
    const Reshape reshape = reshapeHere();
    const std::string methods = parts.empty() ? "" : turned(orderOf(parts));
    if (reshape.of && !methods.empty()) replace(group(false), reshape.of->span, asPrimary(*reshape.of) + methods, "turn the axes around first: `" + asPrimary(*reshape.of) + methods + "`");
  }
  /// `x.reshape(B, H * D, S)` of [B, H, S, D] in a function that returns [B, S, H * D]: turned around, and with the sizes in
  /// the order that is declared.
  void asDeclared(const Extents &from, const Extents &to) {
    const ast::SubscriptExpr *result = declaredTensor();
    const Reshape reshape = reshapeHere();
    if (!result || !reshape.of || reshape.sizes.size() != to.size()) return;
    Extents declared = extentTexts(*result), wanted;
    auto same = [](const std::string &a, const std::string &b) { return !factors(a).empty() && factors(a) == factors(b); };
    for (const std::string &extent : declared) {
      auto it = std::find_if(to.begin(), to.end(), [&](const std::string &other) { return same(extent, other); });
      if (it == to.end()) return;
      wanted.push_back(*it);
    }
    const std::vector<std::vector<size_t>> parts = partsOf(wanted, from);
    if (wanted.size() != to.size() || wanted == to || parts.empty()) return;
    const std::string methods = turned(orderOf(parts));
    const Span all = reshape.of->span.to(reshape.sizes.back()->span), front = reshape.of->span;
    const std::string between = text({all.file, front.end, reshape.sizes.front()->span.begin});
    replace(group(false), all, asPrimary(*reshape.of) + methods + between + listOf(declared), "turn the axes around first, and give the sizes in the order that is declared");
  }
  /// `x.reshape(B, H, S, D)` of [B, S, H * D]: in the order in which they lie, and turned around then.
  void turnedBehind(const Extents &from, const Extents &to) {
    const std::vector<std::vector<size_t>> parts = from.size() < to.size() ? partsOf(from, to) : std::vector<std::vector<size_t>>();
    const Reshape reshape = reshapeHere();
    if (parts.empty() || !reshape.call || reshape.sizes.size() != to.size()) return;
    const std::vector<size_t> order = orderOf(parts);
    std::vector<size_t> back(order.size());
    Extents sizes;
    for (size_t i = 0; i < order.size(); ++i) back[order[i]] = i, sizes.push_back(text(*reshape.sizes[order[i]]));
    const Span all = reshape.sizes.front()->span.to(reshape.sizes.back()->span);
    const std::string end = text({all.file, all.end, reshape.call->span.end});
    replace(group(false), {all.file, all.begin, reshape.call->span.end}, listOf(sizes) + end + turned(back), "give the sizes in the order in which they lie, and turn the axes around then");
  }
  /// `p.reshape(B, 64, D)` of [B, D, 8, 8]: two sizes exchanged, and their axes then.
  void exchangedBehind() {
    const Reshape reshape = reshapeHere();
    if (!reshape.call || reshape.sizes.size() < 2) return;
    const Span all = reshape.sizes.front()->span.to(reshape.sizes.back()->span);
    const std::string end = text({all.file, all.end, reshape.call->span.end});
    CandidateGroup &edits = group(true);
    for (size_t i = 0; i < reshape.sizes.size(); ++i)
      for (size_t j = i + 1; j < reshape.sizes.size(); ++j) {
        Extents sizes;
        for (const ast::Expr *size : reshape.sizes) sizes.push_back(text(*size));
        std::swap(sizes[i], sizes[j]);
        replace(edits, {all.file, all.begin, reshape.call->span.end}, listOf(sizes) + end + ".transpose(" + std::to_string(i) + ", " + std::to_string(j) + ")",
                "give the sizes in the order in which they lie, and turn the axes around then");
      }
  }
  void behind(const ast::Expr &e, const std::string &methods) {
    if (methods.empty()) return;
    static const std::set<std::string> shaping = {"reshape", "view", "flatten", "stack"};
    auto *name = as<ast::NameExpr>(&e);
    auto *call = as<ast::CallExpr>(name ? place_.valueOf(name->name) : &e);
    CandidateGroup &edits = group(true);
    edits.last = call && shaping.count(nameOf(*call));  // its own sizes are wrong rather
    replace(edits, e.span, asPrimary(e) + methods, "put the axes together: write `" + asPrimary(e) + methods + "`");
  }

  /// `y @ wo` of y: [B, H, S, D] and wo: [H * D, M].
  void joinedOperand(const Extents &left, const Extents &right) {
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (operands.empty() || right.size() < 2 || left.size() < 2) return;
    const std::string &wanted = right[right.size() - 2];
    const std::vector<size_t> last = isJoined(wanted) ? axesOf(factors(wanted), left, {}) : std::vector<size_t>();
    if (last.size() < 2 || last.back() + 1 != left.size()) return;
    std::vector<std::vector<size_t>> parts;
    for (size_t i = 0; i < left.size(); ++i)
      if (std::find(last.begin(), last.end(), i) == last.end()) parts.push_back({i});
    parts.push_back(last);
    behind(*operands[0], joining(parts, left));
  }

  /// `return y` of [B, H, S, D], where [B, S, H * D] is declared.
  void joinedResult(const Extents &returned, const Extents &declared) {
    auto *call = as<ast::CallExpr>(meant());
    const bool stacks = call && nameOf(*call) == "stack";  // rather `concat` was meant
    if (place_.expr()->kind != ast::ExprKind::Tuple && !stacks) behind(*place_.expr(), joiningTo(declared, returned));
  }

  /// `x + y` of [B, S, D*H] and [B, H, S, D].
  void joinedParts(const Extents &left, const Extents &right) {
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (operands.size() != 2) return;
    behind(*operands[1], joiningTo(left, right));
    behind(*operands[0], joiningTo(right, left));
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfJoining(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return JoiningEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
