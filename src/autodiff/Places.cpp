#include "autodiff/Places.h"
#include "checked/ExprBuild.h"

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
namespace node = checked::node;

namespace {

/// Reads how places are made, through the variables that hold their parts.
class PlacesReader {
public:
  explicit PlacesReader(const Builder &builder) : builder_(builder) {}

  const Expr *made(const checked::ExprPtr &arg) const { return made(Term(checked::clone(*arg))); }
  const Expr *made(const Term &term) const { return builder_.definition(term); }
  /// Through casts, and the choice of what counts from the end.
  const Expr *through(const Expr *e) const {
    while (e && (e->kind == ExprKind::Cast || is(e, ElementwiseOp::Select))) e = made(e->args.back());
    return e;
  }
  static bool is(const Expr *e, ElementwiseOp op) { return e && e->kind == ExprKind::Elementwise && e->as<node::Elementwise>().op == op; }
  static std::optional<int64_t> wholeOf(const checked::ExprPtr &arg) {
    std::optional<double> number = constantOf(*arg);
    return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
  }

  bool isCounted(const Expr *e, int axis) const {
    while (e && e->kind == ExprKind::Cast) e = made(e->args[0]);
    return e && e->kind == ExprKind::Iota && e->as<node::Iota>().axis == axis;
  }
  /// The dilation of j - k * dilation.
  std::optional<int64_t> dilationOf(const Expr *e) const {
    if (!is(e, ElementwiseOp::Sub) || !isCounted(made(e->args[0]), 1)) return std::nullopt;
    const Expr *from = made(e->args[1]);
    if (isCounted(from, 0)) return 1;
    if (!is(from, ElementwiseOp::Mul) || !isCounted(made(from->args[0]), 0)) return std::nullopt;
    return wholeOf(from->args[1]);
  }

private:
  const Builder &builder_;
};

}  // namespace

Term shiftOf(const Term &places, const Builder &builder) {
  PlacesReader read(builder);
  const Expr *largest = read.through(read.made(places));
  if (!read.is(largest, ElementwiseOp::Max) || constantOf(*largest->args[1]) != std::optional<double>(0)) return nullptr;
  const Expr *moved = read.through(read.made(largest->args[0]));
  if (!read.is(moved, ElementwiseOp::Sub)) return nullptr;
  const Expr *numbers = read.through(read.made(moved->args[0])), *by = read.made(moved->args[1]);
  if (!numbers || numbers->kind != ExprKind::Iota || !by || by->kind != ExprKind::Full) return nullptr;
  return Term(checked::clone(*by->args[0]));
}

std::optional<WindowPlaces> windowPlacesOf(const Term &places, const Builder &builder) {
  if (places->type.shape.size() != 2) return std::nullopt;
  PlacesReader read(builder);
  const Expr *e = read.made(places);
  if (std::optional<int64_t> dilation = read.dilationOf(e)) return WindowPlaces{1, *dilation};
  if (!read.is(e, ElementwiseOp::Select) || read.wholeOf(e->args[2]) != std::optional<int64_t>(-1)) return std::nullopt;
  const Expr *hits = read.made(e->args[0]), *number = read.made(e->args[1]);
  if (!read.is(hits, ElementwiseOp::Eq) || read.wholeOf(hits->args[1]) != std::optional<int64_t>(0) || !read.is(number, ElementwiseOp::FloorDiv)) return std::nullopt;
  const Expr *rest = read.made(hits->args[0]);
  if (!read.is(rest, ElementwiseOp::Mod)) return std::nullopt;
  std::optional<int64_t> dilation = read.dilationOf(read.made(number->args[0])), step = read.wholeOf(number->args[1]);
  bool isSame = dilation && step && *step > 1 && read.dilationOf(read.made(rest->args[0])) == dilation && read.wholeOf(rest->args[1]) == step;
  return isSame ? std::optional(WindowPlaces{*step, *dilation}) : std::nullopt;
}

bool areBackwards(const Term &places, const Dim &extent, const Builder &builder) {
  if (places->type.shape.size() != 1 || !(places->type.shape[0] == extent)) return false;
  PlacesReader read(builder);
  const Expr *e = read.through(read.made(places));
  if (!read.is(e, ElementwiseOp::Sub) || !read.isCounted(read.made(e->args[1]), 0)) return false;
  std::optional<int64_t> last = read.wholeOf(e->args[0]);
  return last && extent == Dim(*last + 1);
}

}  // namespace tessera::autodiff
