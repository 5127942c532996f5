// Convolutions and pooling: what slides a window over the last axes. Each such axis becomes two, the place in the window
// and the window's number; what is done with the windows is a reduction or a product.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/trace/Trace.h"
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera::sema {

namespace {
/// One axis: `out` is how often the window fits, (extent + 2 * padding - dilation * (size - 1) - 1) // stride + 1.
struct Window {
  int64_t size = 1, stride = 1, padding = 0, dilation = 1;
  Dim out;
  int64_t reach() const { return dilation * (size - 1) + 1; }
};
}  // namespace

/// One number for all axes, or one for each.
static bool windowNumbers(Context &cx, const Value &given, size_t count, int64_t least, int64_t absent, Span span,
                          const char *what, std::vector<int64_t> &out) {
  if (!given.given() || given.kind == ValueKind::None) {
    out.assign(count, absent);
    return true;
  }
  std::vector<Value> items = given.isSequence() ? given.items : std::vector<Value>(count, given);
  if (items.size() != count) {
    report(cx, Id::badConstant, span,
           std::string(what) + " has " + std::to_string(items.size()) + " numbers for " + std::to_string(count) +
               " axes");
    return false;
  }
  for (const Value &item : items) {
    auto number = knownInt(cx, item, span, what);
    if (!number) return false;
    if (*number < least || *number > 65536) {
      report(cx, Id::badConstant, span, std::string(what) + " must be at least " + std::to_string(least));
      return false;
    }
    out.push_back(*number);
  }
  return true;
}

/// How often each window fits; it must fit at least once.
static bool windowExtents(Context &cx, const Value &x, size_t first, std::vector<Window> &windows, Span span) {
  for (size_t i = 0; i < windows.size(); ++i) {
    Window &w = windows[i];
    const Dim &extent = x.type.shape[first + i];
    Dim room = extent + Dim(2 * w.padding);
    shape::Formula fits(room, Relation::Ge, Dim(w.reach()));
    std::string why = "a window of " + std::to_string(w.reach()) + " elements must fit into " + show(cx, room);
    if (!claim(cx, fits, why, span)) {
      if (!fresh(cx, Id::windowTooLarge, span)) return false;
      auto builder = report(cx, Id::windowTooLarge, span, std::to_string(w.reach()), show(cx, room));
      builder.label("along axis " + std::to_string(first + i) + " of " + describe(cx, x));
      explainClaim(cx, builder, fits);
      for (size_t j = i; j < windows.size(); ++j) {
        Dim there = x.type.shape[first + j] + Dim(2 * windows[j].padding);
        assumeMissing(cx.function.facts, {there, Relation::Ge, Dim(windows[j].reach())});
      }
      return false;
    }
    w.out = cx.function.facts.external(Dim::floorDiv(room - Dim(w.reach()), Dim(w.stride))) + Dim(1);
  }
  return true;
}

/// x, padded already, with two axes for each that a window slides over: the places in the window, then the windows.
static Value windowed(Context &cx, Value x, size_t first, const std::vector<Window> &windows, Span span) {
  for (size_t i = 0; i < windows.size() && !x.isPoison(); ++i) {
    const Window &w = windows[i];
    size_t axis = first + 2 * i;
    if (x.limit(axis)) return unsupported(cx, "windows over a tile that may reach over the edge of its tensor", span);
    Type type = x.type;
    std::vector<std::optional<Limit>> limits = x.limits;
    limits.resize(type.shape.size());
    limits.insert(limits.begin() + static_cast<std::ptrdiff_t>(axis), std::nullopt);
    ExprPtr arg = takeExpr(x);
    Type result = arg->type;
    result.shape[axis] = Dim(w.size);
    result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, w.out);
    ExprPtr e = makeExpr(ExprKind::Window, std::move(result), span);
    e->as<node::Window>() = {static_cast<int>(axis), static_cast<int>(w.stride), static_cast<int>(w.dilation)};
    e->args.push_back(std::move(arg));
    x = arrayValue(cx, std::move(e), type, std::move(limits), span);
  }
  return x;
}

// ---------------------------------------------------------------- pooling

Value arrayPool(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  bool isMax = row.op == "max";
  Value x = arrayArgument(cx, args, 0, shown);
  if (x.isPoison()) return x;
  size_t rank = x.type.shape.size();
  size_t count = args.values[1].isSequence() ? args.values[1].items.size() : rank > 2 ? rank - 2 : 0;
  if (count == 0 || count > rank || !isFloat(x.type.dtype)) {
    report(cx, Id::wrongArgument, args.spans[0], quoted(shown), "floats of the shape `[batch, channels, ...]`",
           describe(cx, x));
    return Value::poison();
  }
  std::vector<int64_t> sizes, strides, paddings;
  if (!windowNumbers(cx, args.values[1], count, 1, 1, args.spans[1], "the window", sizes)) return Value::poison();
  if (!windowNumbers(cx, args.values[2], count, 1, 0, args.spans[2], "the stride", strides)) return Value::poison();
  if (!windowNumbers(cx, args.values[3], count, 0, 0, args.spans[3], "the padding", paddings)) return Value::poison();
  std::vector<Window> windows;
  size_t first = rank - count;
  Value places = Value::of(ValueKind::Tuple);  // the axes that are places in a window
  for (size_t i = 0; i < count; ++i) {
    Window w{sizes[i], strides[i] == 0 ? sizes[i] : strides[i], paddings[i], 1, {}};
    if (w.padding >= w.size) {
      report(cx, Id::badConstant, args.spans[3],
             "a window of " + std::to_string(w.size) + " would lie in " + std::to_string(w.padding) +
                 " padded elements")
          .help("the padding is smaller than the window");
      return Value::poison();
    }
    windows.push_back(w);
    places.items.push_back(Value::integer(Dim(static_cast<int64_t>(first + 2 * i))));
  }
  if (!windowExtents(cx, x, first, windows, span)) return Value::poison();
  for (size_t i = 0; i < count; ++i)
    x = padAxis(cx, std::move(x), first + i, windows[i].padding, isMax ? -INFINITY : 0, span);
  x = windowed(cx, std::move(x), first, windows, span);
  if (x.isPoison()) return x;
  if (isMax) return reduce(cx, ReduceOp::Max, std::move(x), places, span, false, span, shown);
  return mean(cx, std::move(x), places, span, false, span);
}

// ---------------------------------------------------------------- convolutions

/// What the argument `groups` says; nothing after a message. Only where each channel is alone may it be a dimension.
static std::optional<Dim> groupsOf(Context &cx, const Value &given, const Value &w, Span span) {
  if (given.kind == ValueKind::Int && cx.function.facts.simplify(w.type.shape[1]) == Dim(1)) {
    const Dim groups = cx.function.facts.simplify(given.sym);
    if (!groups.isConstant()) return groups;
  }
  std::vector<int64_t> number;
  if (!windowNumbers(cx, given, 1, 1, 1, span, "the number of groups", number)) return std::nullopt;
  return Dim(number[0]);
}

/// Filters for each group: `outputs` over `groups`. Nothing where it is no whole number, or is not known of a dimension.
static std::optional<Dim> filtersOfGroup(Context &cx, const Dim &outputs, const Dim &groups, Span span) {
  constexpr int64_t most = 64;  // of a dimension
  if (!groups.isConstant()) {
    for (int64_t each = 1; each <= most; ++each)
      if (cx.function.facts.simplify(outputs - Dim(each) * groups) == Dim(0)) return Dim(each);
    return std::nullopt;
  }
  shape::Formula apart(Dim::mod(outputs, groups), Relation::Eq, Dim(0));
  if (!claim(cx, apart, show(cx, outputs) + " channels are made in " + show(cx, groups) + " groups", span)) return std::nullopt;
  return cx.function.facts.external(Dim::floorDiv(outputs, groups));
}

/// x [B, C, ...], w [O, C // groups, ...], bias [O].
static bool convShapes(Context &cx, const Value &x, const Value &w, const Value &bias, const Dim &groups, Span span) {
  const Dim &channels = x.type.shape[1];
  Dim taken = w.type.shape[1] * groups;
  shape::Formula same(channels, Relation::Eq, taken);
  if (!claim(cx, same, "this convolution needs " + show(cx, same), span)) {
    if (!fresh(cx, Id::channelMismatch, span)) return false;
    auto builder = report(cx, Id::channelMismatch, span, "conv" + std::to_string(w.type.shape.size() - 2) + "d",
                          show(cx, channels), show(cx, taken));
    explainClaim(cx, builder, same);
    return false;
  }
  const Dim &outputs = w.type.shape[0];
  if (!filtersOfGroup(cx, outputs, groups, span)) {
    if (!fresh(cx, Id::badReshape, span)) return false;
    auto builder = report(cx, Id::badReshape, span, show(cx, outputs) + " channels", show(cx, groups) + " groups");
    if (groups.isConstant()) explainClaim(cx, builder, {Dim::mod(outputs, groups), Relation::Eq, Dim(0)});
    return false;
  }
  if (!bias.isArray()) return true;
  bool flat = bias.type.shape.size() == 1;
  shape::Formula fits(flat ? bias.type.shape[0] : Dim(-1), Relation::Eq, outputs);
  if (flat && claim(cx, fits, "the bias needs " + show(cx, fits), span)) return true;
  if (!fresh(cx, Id::shapeMismatch, span)) return false;
  auto builder = report(cx, Id::shapeMismatch, span, shapeText(cx, {outputs}), shapeText(cx, bias.type.shape));
  builder.label("the bias has a number for each channel that is made");
  if (flat) explainClaim(cx, builder, fits);
  return false;
}

static Value convolve(Context &cx, Value x, Value w, const std::vector<Window> &windows, const Dim &groups, Span span);
static Value convolveChannels(Context &cx, Value x, Value w, const std::vector<Window> &windows, const Dim &filters, Span span);

/// `padding="same"` as many elements on both ends of an axis as keep its extent, one more behind it where they are odd; `"valid"`: none.
/// False after a message.
static bool paddingByName(Context &cx, Value &x, const std::vector<int64_t> &strides, const std::vector<int64_t> &dilations, const Value &w, const std::string &given,
                          std::vector<int64_t> &paddings, Span at, Span span) {
  if (given != "same" && given != "valid") {
    if (fresh(cx, Id::badConstant, at))
      report(cx, Id::badConstant, at, "the padding is a number, one for each axis, `\"same\"` or `\"valid\"`");
    return false;
  }
  for (size_t i = 0; i < strides.size(); ++i) {
    paddings.push_back(0);
    const Dim size = cx.function.facts.simplify(w.type.shape[2 + i]);
    if (given == "valid" || !size.isConstant()) continue;  // what is no known number has its message
    if (strides[i] != 1) {
      if (fresh(cx, Id::badConstant, at))
        report(cx, Id::badConstant, at, "`padding=\"same\"` keeps the extents, and a stride of " + std::to_string(strides[i]) + " does not")
            .help("give the number of elements: `padding=" + std::to_string(dilations[i] * (size.constant() - 1) / 2) + "`");
      return false;
    }
    const int64_t total = dilations[i] * (size.constant() - 1);
    paddings.back() = total / 2;
    if (total % 2 != 0) x = padAxis(cx, std::move(x), 2 + i, 1, 0, span, false);
    if (x.isPoison()) return false;
  }
  return true;
}

Value arrayConv(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  const size_t count = row.name == "conv1d" ? 1 : row.name == "conv2d" ? 2 : 3;  // axes under the window
  constexpr std::string_view kAxes[] = {"length]`", "height, width]`", "depth, height, width]`"};
  Value x = arrayArgument(cx, args, 0, shown), w = arrayArgument(cx, args, 1, shown);
  Value bias = args.values[2].given() && args.values[2].kind != ValueKind::None ? arrayArgument(cx, args, 2, shown)
                                                                                : Value::of(ValueKind::Absent);
  if (x.isPoison() || w.isPoison() || bias.isPoison()) return Value::poison();
  if (cx.function.mixed && !inKernel(cx) && x.type.dtype == DType::F32 && w.type.dtype == DType::F32 && (!bias.given() || bias.type.dtype == DType::F32)) {
    const Type to = *std::exchange(cx.function.mixed, std::nullopt);
    for (size_t i = 0; i < 3; ++i)
      if (args.values[i].given() && args.values[i].kind != ValueKind::None) args.values[i] = castTo(cx, arrayArgument(cx, args, i, shown), to.dtype, to.numerics, args.spans[i]);
    Value made = arrayConv(cx, row, args, span);
    cx.function.mixed = to;
    return made.isPoison() ? made : castTo(cx, std::move(made), DType::F32, {}, span);
  }
  for (auto [v, at, axes] : {std::tuple(&x, 0, "[batch, channels, "), std::tuple(&w, 1, "[made, channels, ")})
    if (v->type.shape.size() != count + 2) {
      report(cx, Id::wrongArgument, args.spans[static_cast<size_t>(at)], quoted(shown),
             "a tensor `" + std::string(axes) + std::string(kAxes[count - 1]), describe(cx, *v));
      return Value::poison();
    }
  std::vector<int64_t> strides, paddings, dilations;
  const bool named = args.values[4].kind == ValueKind::String && !args.values[4].expr;
  if (!windowNumbers(cx, args.values[3], count, 1, 1, args.spans[3], "the stride", strides) ||
      (!named && !windowNumbers(cx, args.values[4], count, 0, 0, args.spans[4], "the padding", paddings)) ||
      !windowNumbers(cx, args.values[5], count, 1, 1, args.spans[5], "the dilation", dilations))
    return Value::poison();
  const std::optional<Dim> groups = groupsOf(cx, args.values[6], w, args.spans[6]);
  if (!groups || !convShapes(cx, x, w, bias, *groups, span)) return Value::poison();
  if (named && !paddingByName(cx, x, strides, dilations, w, args.values[4].text, paddings, args.spans[4], span)) return Value::poison();
  std::vector<Window> windows;
  for (size_t i = 0; i < count; ++i) {
    const Dim size = cx.function.facts.simplify(w.type.shape[2 + i]);
    if (!size.isConstant() || size.constant() < 1)
      return unsupported(cx, "a convolution whose window is no known number (here `" + show(cx, size) + "`)", span);
    windows.push_back({size.constant(), strides[i], paddings[i], dilations[i], {}});
  }
  if (!windowExtents(cx, x, 2, windows, span)) return Value::poison();
  for (size_t i = 0; i < count && !x.isPoison(); ++i) x = padAxis(cx, std::move(x), 2 + i, windows[i].padding, 0, span);
  if (x.isPoison()) return x;
  const bool eachAlone = *groups != Dim(1) && cx.function.facts.simplify(w.type.shape[1]) == Dim(1);
  Value out = eachAlone ? convolveChannels(cx, std::move(x), w, windows, *filtersOfGroup(cx, w.type.shape[0], *groups, span), span)
                        : convolve(cx, std::move(x), std::move(w), windows, *groups, span);
  if (out.isPoison() || !bias.isArray()) return out;
  for (size_t i = 0; i < count; ++i) bias = insertAxis(cx, std::move(bias), 1 + static_cast<int>(i), span);
  return elementwise(cx, ElementwiseOp::Add, {std::move(out), std::move(bias)}, span, shown);
}

/// The windows of each group become columns [B, groups, C / groups * places in the window, windows]; one product with the
/// weights [groups, O / groups, C / groups * places in the window] does the rest. One group has no axis.
static Value convolve(Context &cx, Value x, Value w, const std::vector<Window> &windows, const Dim &groups, Span span) {
  const Dim batch = x.type.shape[0], made = w.type.shape[0];
  const bool one = groups == Dim(1);
  const size_t first = one ? 2 : 3;  // of the axes that windows slide over
  std::vector<Dim> shape = {batch, made};
  std::vector<int> order(first);
  std::iota(order.begin(), order.end(), 0);
  Dim rows = w.type.shape[1], columns(1);
  if (!one) {
    std::vector<Dim> apart = {batch, groups};
    apart.insert(apart.end(), x.type.shape.begin() + 1, x.type.shape.end());
    apart[2] = rows;
    x = reshape(cx, std::move(x), std::move(apart), -1, span);
  }
  for (size_t i = 0; i < windows.size(); ++i) {
    rows = rows * Dim(windows[i].size);
    columns = columns * windows[i].out;
    shape.push_back(windows[i].out);
    order.push_back(static_cast<int>(first + 2 * i));
  }
  for (size_t i = 0; i < windows.size(); ++i) order.push_back(static_cast<int>(first + 1 + 2 * i));
  x = x.isPoison() ? x : windowed(cx, std::move(x), first, windows, span);
  if (x.isPoison()) return x;
  x = transpose(cx, std::move(x), std::move(order), span);
  x = reshape(cx, std::move(x), one ? std::vector{batch, rows, columns} : std::vector{batch, groups, rows, columns}, -1, span);
  const Dim each = one ? made : cx.function.facts.external(Dim::floorDiv(made, groups));
  w = reshape(cx, std::move(w), one ? std::vector{made, rows} : std::vector{Dim(1), groups, each, rows}, -1, span);
  if (x.isPoison() || w.isPoison()) return Value::poison();
  Value out = dot(cx, std::move(w), std::move(x), Value::of(ValueKind::Absent), span);
  return out.isPoison() ? out : reshape(cx, std::move(out), std::move(shape), -1, span);
}

/// Where a group is one channel its filters are no matrix: the windows times the weights, added up over the places in the window.
static Value convolveChannels(Context &cx, Value x, Value w, const std::vector<Window> &windows, const Dim &filters, Span span) {
  const Dim batch = x.type.shape[0], channels = x.type.shape[1], made = w.type.shape[0];
  std::vector<Dim> shape = {batch, made}, weights = {channels, filters};
  std::vector<int> places;  // the axes that are places in the window
  for (size_t i = 0; i < windows.size(); ++i) {
    weights.push_back(Dim(windows[i].size));
    weights.push_back(Dim(1));
    shape.push_back(windows[i].out);
    places.push_back(static_cast<int>(3 + 2 * i));
  }
  x = windowed(cx, std::move(x), 2, windows, span);
  x = x.isPoison() ? x : insertAxis(cx, std::move(x), 2, span);
  w = reshape(cx, std::move(w), std::move(weights), -1, span);
  if (x.isPoison() || w.isPoison()) return Value::poison();
  Value out = sumOfProducts(cx, std::move(x), std::move(w), places, span);
  return out.isPoison() ? out : reshape(cx, std::move(out), std::move(shape), -1, span);
}

}  // namespace tessera::sema
