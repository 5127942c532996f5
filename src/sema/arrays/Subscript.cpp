// Indexing: of tensors in memory (loads), of values (slices), of tuples.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/arrays/ChosenBuffer.h"
#include "sema/arrays/DictKeys.h"
#include "sema/claims/Claims.h"
#include "sema/host/Host.h"
#include "sema/kernels/Coverage.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/OwnMethods.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

/// An index as one writes it: from the end if it is a known number of elements before that, and as it stands there if it is
/// made of data.
static std::string indexText(const Context &cx, const Dim &index, const Dim &extent, Span span) {
  Dim fromEnd = index - extent;
  bool negative = fromEnd.isConstant() && fromEnd.constant() < 0 && (!index.isConstant() || index.constant() < 0);
  std::string shown = show(cx, negative ? fromEnd : index);
  if (shown != kMadeIndex) return shown;
  std::string written(cx.sources.text(span));
  size_t open = written.find('[');  // the place may be that of the whole `x[k[0] + 1]`
  bool whole =
      open != std::string::npos && open > 0 && written.back() == ']' && written.find_first_of(" +-*/(.") > open;
  return whole ? written.substr(open + 1, written.size() - open - 2) : written;
}

static Value stableIndex(Context &cx, Value value, Span span) {
  if (!mentionsRebound(cx, value.sym)) return value;
  return indexValue(cx, indexExpr(cx, value, span), "offset", span);
}

/// True, with a message, if none of the indices from `first` to `last` lies inside, for no sizes: that is no mask's
/// work.
static bool neverInside(Context &cx, const Dim &first, const Dim &last, const Dim &extent, Span span) {
  if (mentionsRebound(cx, first) || mentionsRebound(cx, last)) return false;
  bool behind = cx.function.facts.proves({first, Relation::Ge, extent});
  if (!behind && !cx.function.facts.proves({last, Relation::Lt, Dim(0)})) return false;
  if (cx.function.facts.contradictory()) return false;
  if (fresh(cx, Id::outOfBounds, span))
    report(cx, Id::outOfBounds, span, first == last ? show(cx, first) : show(cx, first) + ".." + show(cx, last),
           "a dimension of " + show(cx, extent))
        .label(behind ? "this is always behind the end" : "this is always before the start");
  return true;
}

/// `places`: where an array of integers may stand, what it names along the axis, counted from the start. `mask`: where one of truth
/// values may stand.
static bool pointPart(Context &cx, const ast::Expr &expr, const Dim &extent, IndexPart &part, Dim &start,
                      Value *places, Value *mask) {
  Value written = checkExpr(cx, expr);
  if (mask && written.isArray() && !written.isScalar() && written.type.dtype == DType::Bool) {
    *mask = std::move(written);
    return true;
  }
  if (places && isListOfNumbers(written, true)) written = tensorLike(cx, written, DType::I64, expr.span);
  if (places && written.isArray() && !written.isScalar() && isInt(written.type.dtype)) {
    const bool counts = written.expr->kind == ExprKind::Iota && !inKernel(cx);  // from 0 on
    *places = counts ? castTo(cx, std::move(written), DType::I64, {}, expr.span) : indicesFromStart(cx, std::move(written), extent, expr.span);
    part.size = extent;
    return !places->isPoison();
  }
  // An element of data counts from the end if it is negative, as it does in `take` (S25).
  bool isData = written.isScalar() && isInt(written.type.dtype);
  if (isData && info(written.type.dtype).cls != DTypeClass::Bool)
    written = indicesFromStart(cx, std::move(written), extent, expr.span);
  Value index = convertInt(cx, written, expr.span);
  if (index.isPoison()) return false;
  if (index.isKnownInt() && !index.expr && index.sym.constant() < 0) index.sym = extent + index.sym;
  part.isPoint = true;
  part.size = Dim(1);
  bool low = cx.function.facts.nonNegative(index.sym),
       high = cx.function.facts.nonNegative(extent - Dim(1) - index.sym);
  if (!index.expr && extent.isConstant() && index.sym.isConstant() && !(low && high)) {
    report(cx, Id::outOfBounds, expr.span, indexText(cx, index.sym, extent, expr.span),
           "a dimension of " + show(cx, extent));
    return false;
  }
  bool isInside = low && high;
  if (auto held = isInside ? std::nullopt : heldWhereChosen(cx, index, extent, expr.span)) {
    index = std::move(*held);
    if (index.isPoison()) return false;
    isInside = true;
  }
  const bool byLane = !isInside && inKernel(cx) &&
                      countsLanes(cx.function.facts.simplify(index.sym), cx.function.fn->kernel, cx.function.groupExtents, cx.function.facts);  // store() asks
  if (!isInside && !byLane && counterOutside(cx, index.sym, extent, expr.span)) return false;
  part.inBounds = isInside && !mentionsRebound(cx, index.sym);
  if (!part.inBounds && neverInside(cx, index.sym, index.sym, extent, expr.span)) return false;
  start = index.sym;
  part.offset = indexExpr(cx, index, expr.span);
  return true;
}

/// A slice whose size only run time knows: said with the words of the program.
static void sliceSize(Context &cx, const ast::SliceExpr &slice, const Dim &extent, const Dim &length) {
  auto text = [&](const ast::ExprPtr &e) { return std::string(cx.sources.text(e->span)); };
  auto term = [&](const ast::ExprPtr &e) { return as<ast::BinaryExpr>(e) ? "(" + text(e) + ")" : text(e); };
  std::string start = slice.start ? text(slice.start) : "0";
  std::string size = slice.stop ? text(slice.stop) : show(cx, extent);
  if (start != "0") size += " - " + term(slice.start);
  auto builder = report(cx, Id::sliceSize, slice.span, size);
  if (show(cx, length) != size) builder.label("this is " + show(cx, length) + " elements");
  for (const ast::ExprPtr *bound : {&slice.start, &slice.stop})
    if (auto *name = as<ast::NameExpr>(*bound))
      if (auto it = cx.function.frame->names.find(name->name);
          it != cx.function.frame->names.end() && it->second.span.valid())
        builder.note(it->second.span, "`" + name->name + "` gets its value here, when the program runs");
  if (!inKernel(cx)) {
    builder.help("from a place that only the run knows, a number or a dimension says how many are taken: `take(x, " + start + " + arange(N))`");
    return;
  }
  builder.help("a tile has as many elements as a number or a dimension says: `" + start + ":" +
               (start == "0" ? "" : start + " + ") + "T.m`, where `T = tile.context()`");
}

/// Whether the origin of a group is multiplied by the size of a tile.
static bool scaledOrigin(const Dim &dim) {
  const std::string origin = "%q:" + std::to_string(static_cast<int>(Query::Origin)) + ":";
  for (const Dim::Term &term : dim.terms()) {
    bool hasOrigin = false, hasSize = false;
    for (const auto &[atom, power] : term.atoms) {
      hasOrigin |= atom.kind == AtomKind::Var && atom.name.rfind(origin, 0) == 0;
      hasSize |= atom.kind == AtomKind::Var && shape::isPositiveName(atom.name);
    }
    if (hasOrigin && hasSize) return true;
  }
  return false;
}

/// Whether an origin or a counter goes through a dimension that has nothing to do with the sliced one: neither of the
/// two is known to be the longer one. A slice of a shorter tensor is cut at its end, and may mean that.
static bool countsElsewhere(const shape::Facts &facts, const Function &kernel, const std::vector<Dim> &output,
                            const Dim &start, const Dim &extent) {
  auto atMost = [&](const Dim &a, const Dim &b) { return facts.nonNegative(b - a); };
  if (!start.isVar() || extent.isConstant() || atMost(start + Dim(1), extent)) return false;
  std::vector<Dim> dims = output;
  for (const Param &param : kernel.params)
    for (const Dim &dim : param.var->type.shape)
      if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
  return std::any_of(dims.begin(), dims.end(), [&](const Dim &dim) {
    if (dim.isConstant() || dim == extent || !atMost(start + Dim(1), dim)) return false;
    return !atMost(dim, extent) && !atMost(extent, dim);
  });
}

/// False, with a message, if the step is none.
static bool sliceStep(Context &cx, const ast::SliceExpr &slice, int64_t &step, bool mayRunBack) {
  if (!slice.step) return true;
  Value given = checkExpr(cx, *slice.step);
  if (given.kind == ValueKind::None) return true;
  auto known = knownInt(cx, given, slice.step->span, "the step of a slice");
  if (!known) return false;
  step = *known;
  if (step == 0) {
    if (fresh(cx, Id::badConstant, slice.step->span))
      report(cx, Id::badConstant, slice.step->span, "the step of a slice must not be 0");
    return false;
  }
  if (step > 0 || mayRunBack) return true;
  unsupported(cx, "a slice with a step below 0 in a kernel", slice.step->span,
              "turn it in a function of whole tensors");
  return false;
}

/// The end of the loop that a slice goes through, turn by turn, where that end is data; null if it is another slice.
static const Dim *endOfLoop(const Context &cx, const Dim &start, const IndexPart &part) {
  if (!start.isVar() || part.step != 1) return nullptr;
  auto loop = cx.function.dataEnds.find(start.varName());
  if (loop == cx.function.dataEnds.end() || !cx.function.facts.same(part.size, loop->second.step)) return nullptr;
  return part.size == Dim(1) ? nullptr : &loop->second.stop;
}

/// The 16 of `k:k + 16`: data says where it begins, and is read once.
static const ast::Expr *sizeBehindStart(const Context &cx, const ast::SliceExpr &slice) {
  auto *stop = slice.start && slice.stop ? as<ast::BinaryExpr>(slice.stop) : nullptr;
  const bool same = stop && stop->op == ast::BinaryOp::Add && cx.sources.text(stop->left->span) == cx.sources.text(slice.start->span);
  return same ? stop->right.get() : nullptr;
}

static bool slicePart(Context &cx, const ast::SliceExpr &slice, const Dim &extent, IndexPart &part,
                      std::optional<Limit> &limit, SliceStart &at, bool mayRunBack) {
  if (!sliceStep(cx, slice, part.step, mayRunBack)) return false;
  const bool isBack = part.step < 0;
  Value start = Value::integer(isBack ? extent - Dim(1) : Dim(0)), stop = Value::integer(isBack ? Dim(-1) : extent);
  auto bound = [&](const ast::ExprPtr &e, Value &out) {
    if (!e) return true;
    Value v = checkExpr(cx, *e);
    if (v.kind == ValueKind::None) return true;
    out = convertInt(cx, v, e->span);
    if (out.isPoison()) return false;
    if (out.isKnownInt() && !out.expr && out.sym.constant() < 0) out.sym = extent + out.sym;
    return true;
  };
  if (!bound(slice.start, start)) return false;
  const bool startsAtData = !inHost(cx) && slice.start && part.step == 1 && isOfData(cx, start.sym);
  if (const ast::Expr *size = inKernel(cx) || startsAtData ? sizeBehindStart(cx, slice) : nullptr) {
    Value length = convertInt(cx, checkExpr(cx, *size), size->span);
    if (length.isPoison()) return false;
    stop = Value::integer(start.sym + length.sym);
  } else if (!bound(slice.stop, stop)) {
    return false;
  }
  if (isBack) {  // counted from the end of the axis
    auto fromEnd = [&](Value &v) {
      v = intElementwise(cx, ElementwiseOp::Sub, {Value::integer(extent - Dim(1)), v}, slice.span, "-");
      return !v.isPoison();
    };
    if (!fromEnd(start) || !fromEnd(stop)) return false;
    part.step = -part.step;
    at.backwards = true;
  }
  if (inKernel(cx) && scaledOrigin(cx.function.facts.simplify(start.sym))) {
    if (fresh(cx, Id::badConstant, slice.span))
      report(cx, Id::badConstant, slice.span, "`tile.origin()` counts elements already, and is multiplied here")
          .help("it is where the group's tile begins: `x[n:n + T.m]`");
    return false;
  }
  Dim length = stop.sym - start.sym;
  std::set<std::string> vars;
  length.collectVars(vars);
  for (const std::string &v : vars)
    if (v[0] == '%') {
      length = cx.function.facts.external(length);
      break;
    }
  vars.clear();
  length.collectVars(vars);
  for (const std::string &v : vars)
    if (v[0] == '%') {
      if (fresh(cx, Id::sliceSize, slice.span)) sliceSize(cx, slice, extent, length);
      return false;
    }
  if (Dim known = cx.function.facts.simplify(length); known.isConstant()) length = known;  // `where K == 3`
  part.size = part.step == 1 ? length : Dim::ceilDiv(length, Dim(part.step));
  if (part.size.isConstant() && part.size.constant() < 0) {
    if (fresh(cx, Id::outOfBounds, slice.span))
      report(cx, Id::outOfBounds, slice.span, std::string(cx.sources.text(slice.span)),
             "a dimension of " + show(cx, extent))
          .label("it ends before it begins");
    return false;
  }
  if (part.step == 1) overlappingSlices(cx, start, length, slice.span);
  bool zeroStart = start.sym == Dim(0) && !start.expr;
  bool rebound = mentionsRebound(cx, start.sym);
  Dim last = start.sym + Dim(part.step) * (part.size - Dim(1));
  bool fullAxis = zeroStart && part.step == 1 && cx.function.facts.same(part.size, extent);
  part.inBounds = fullAxis || (!rebound && cx.function.facts.nonNegative(start.sym) &&
                               cx.function.facts.nonNegative(extent - Dim(1) - last));
  const Dim end = extent - Dim(1);
  if (!part.inBounds && (isBack ? neverInside(cx, end - last, end - start.sym, extent, slice.span)
                                : neverInside(cx, start.sym, last, extent, slice.span)))
    return false;
  if (!part.inBounds && inKernel(cx) &&
      countsElsewhere(cx.function.facts, *cx.function.fn, cx.function.outputShape, start.sym, extent) &&
      counterOutside(cx, start.sym, extent, slice.span))
    return false;
  if (!part.inBounds) {
    start = stableIndex(cx, start, slice.span);
    Dim room = extent - start.sym;
    limit = Limit{part.step == 1 ? room : Dim::ceilDiv(room, Dim(part.step)), true};
  }
  // What lies behind the end of the loop is in the tensor, and is left out by a mask of its own (loadAccess). No longer than the
  // slice: masks count in 32 bits, and a row may have more elements.
  if (const Dim *stop = endOfLoop(cx, start.sym, part))
    limit = Limit{Dim::min(Dim::min(limit ? extent : *stop, *stop) - start.sym, part.size), false};
  at.first = start.sym;
  if (!zeroStart) part.offset = indexExpr(cx, start, slice.span);
  return true;
}

bool accessOf(Context &cx, const Value &base, const ast::SubscriptExpr &expr, Access &access, std::vector<Dim> &shape,
              std::vector<std::optional<Limit>> &limits, std::vector<int> &newAxes, std::vector<SliceStart> *starts,
              std::vector<Value> *places, Masked *masked) {
  const std::vector<Dim> extents = base.var ? base.var->type.shape : base.type.shape;
  access.base = base.var;
  std::vector<const ast::Expr *> items;
  if (base.kind == ValueKind::Shared)
    if (const ast::SubscriptExpr *choice = choiceOfBuffer(cx, expr)) items.push_back(choice->items[0].value.get());
  for (const ast::Argument &item : expr.items) {
    if (item.keyword || item.stars) {
      unsupported(cx, "this index", item.span);
      return false;
    }
    if (item.value->kind == ast::ExprKind::Tuple)
      for (const ast::ExprPtr &e : static_cast<const ast::SequenceExpr &>(*item.value).items) items.push_back(e.get());
    else items.push_back(item.value.get());
  }
  size_t given = 0, ellipses = 0;
  for (const ast::Expr *item : items) {
    ellipses += item->kind == ast::ExprKind::Ellipsis;
    given += item->kind != ast::ExprKind::None && item->kind != ast::ExprKind::Ellipsis;
  }
  if (given > extents.size() || ellipses > 1) {
    auto indices = [](size_t n) { return n == 1 ? "1 index" : std::to_string(n) + " indices"; };
    if (ellipses > 1) unsupported(cx, "more than one `...` in an index", expr.span);
    else if (fresh(cx, Id::rankMismatch, expr.span))
      report(cx, Id::rankMismatch, expr.span, "at most " + indices(extents.size()), indices(given))
          .label(describe(cx, base) + " has " + diag::counted(extents.size(), "dimension"));
    return false;
  }
  auto whole = [&]() {
    IndexPart part;
    part.size = extents[access.parts.size()];
    part.inBounds = true;
    shape.push_back(part.size);
    limits.push_back(std::nullopt);
    access.parts.push_back(std::move(part));
    if (starts) starts->push_back({});
    if (places) places->push_back(Value::of(ValueKind::Absent));
  };
  bool ok = true;
  auto chooses = [&](Value mask, Span span) {
    const size_t first = access.parts.size(), rank = mask.type.shape.size();
    bool fits = !masked->given() && rank > 0 && given - 1 + rank <= extents.size() && newAxes.empty();
    for (size_t i = 0; fits && i < rank; ++i) {
      fits = sameDim(cx, mask.type.shape[i], extents[first + i], span, "a mask has the extents of the axes that it chooses from");
      whole();
    }
    masked->axis = shape.size() - rank;
    given += rank - 1;
    if (!fits && fresh(cx, Id::wrongArgument, span))
      report(cx, Id::wrongArgument, span, "this place", "one mask with the extents of the axes that it chooses from", describe(cx, mask));
    masked->mask = std::move(mask);
    return fits;
  };
  for (const ast::Expr *item : items) {
    if (item->kind == ast::ExprKind::Ellipsis) {
      for (size_t i = given; i < extents.size(); ++i) whole();
      continue;
    }
    if (item->kind == ast::ExprKind::None) {
      newAxes.push_back(static_cast<int>(shape.size() + newAxes.size()));
      continue;
    }
    IndexPart part;
    SliceStart at;
    Value named = Value::of(ValueKind::Absent);
    const Dim &extent = extents[access.parts.size()];
    if (auto *slice = as<ast::SliceExpr>(item)) {
      std::optional<Limit> limit;
      ok &= slicePart(cx, *slice, extent, part, limit, at, starts && !inKernel(cx));
      shape.push_back(part.size);
      limits.push_back(limit);
    } else {
      Value mask = Value::of(ValueKind::Absent);
      if (!pointPart(cx, *item, extent, part, at.first, places ? &named : nullptr, masked ? &mask : nullptr))
        return false;  // the next index may be wrong for the same reason
      if (mask.given()) {
        if (!chooses(std::move(mask), item->span)) return false;
        continue;
      }
      if (!part.inBounds && guardedElsewhere(cx, at.first, extents, access.parts.size(), item->span)) return false;
      if (!part.inBounds && goesBeyondGuard(cx, at.first, extent, item->span)) return false;
    }
    access.parts.push_back(std::move(part));
    if (starts) starts->push_back(at);
    if (places) places->push_back(std::move(named));
  }
  while (access.parts.size() < extents.size()) whole();
  return ok;
}

bool endsAtData(const std::vector<std::optional<Limit>> &limits) {
  return std::any_of(limits.begin(), limits.end(), [](const auto &limit) { return limit && !limit->zeroOutside; });
}

Value loadAccess(Context &cx, Access access, std::vector<Dim> shape, std::vector<std::optional<Limit>> limits,
                 const std::vector<int> &newAxes, Span span) {
  Var *base = access.base;
  cx.function.loaded.insert(base);
  Type type = shape.empty() ? scalarType(base->type.dtype, base->type.numerics)
                            : sema::tensorType(base->type.dtype, shape, base->type.numerics);
  ExprPtr e = makeExpr(ExprKind::Load, type, span);
  e->as<node::Load>().access = std::move(access);
  Value out = Value::of(ValueKind::Array);
  out.type = type;
  std::vector<size_t> ended;
  for (size_t axis = 0; axis < limits.size(); ++axis)
    if (limits[axis] && !limits[axis]->zeroOutside) ended.push_back(axis);
  out.limits = std::move(limits);
  out.expr = std::shared_ptr<Expr>(e.release());
  if (base->type.kind == TypeKind::View) out = loadedValue(cx, std::move(out), span);
  for (size_t axis : ended) out = maskAxis(cx, std::move(out), axis, 0, span);
  for (int axis : newAxes) out = insertAxis(cx, std::move(out), axis, span);
  return out;
}

static Value loadSubscript(Context &cx, const Value &base, const ast::SubscriptExpr &expr) {
  Access access;
  std::vector<Dim> shape;
  std::vector<std::optional<Limit>> limits;
  std::vector<int> newAxes;
  std::vector<Value> places;
  if (!accessOf(cx, base, expr, access, shape, limits, newAxes, nullptr, &places)) return Value::poison();
  auto chosen = chosenAlong(cx, base, access, shape, limits, newAxes, nullptr, places, expr);
  if (!chosen) return Value::poison();
  Value out = loadAccess(cx, std::move(access), std::move(shape), std::move(limits), newAxes, expr.span);
  if (chosen->axis < 0 || out.isPoison()) return out;
  if (chosen->merged > 1) out = mergeAxes(cx, std::move(out), static_cast<size_t>(chosen->axis), chosen->merged, expr.span);
  return out.isPoison() ? out : taken(cx, std::move(out), std::move(chosen->places), chosen->axis, expr.span);
}

namespace {
/// That a part of an axis lies inside of it.
shape::Formula insideOf(const IndexPart &part, const Dim &start, const Dim &last, const Dim &extent) {
  auto inside = shape::Formula::all({{start, Relation::Ge, Dim(0)}, {last, Relation::Lt, extent}});
  if (part.isPoint) return inside;
  // No element of an empty slice is outside.
  auto none = shape::Formula::all({{part.size, Relation::Eq, Dim(0)}, {start, Relation::Le, extent}});
  return shape::Formula::all(
      {{part.size, Relation::Ge, Dim(0)}, {start, Relation::Ge, Dim(0)}, shape::Formula::any({inside, none})});
}
Dim lastOf(const IndexPart &part, const Dim &start) {
  return part.isPoint ? start : start + Dim(part.step) * (part.size - Dim(1));
}
}  // namespace

bool requireInside(Context &cx, const Value &base, size_t axis, IndexPart &part, const SliceStart &at, Span span) {
  const Dim &extent = base.type.shape[axis];
  const Dim &start = at.first;
  Dim last = lastOf(part, start);
  auto inside = insideOf(part, start, last, extent);
  bool changes = mentionsRebound(cx, inside);  // what is known of it is known of one turn of a loop
  std::string why = inKernel(cx) ? "" : "this slice must lie inside of " + shapeText(cx, base.type.shape);
  part.inBounds = !changes && claim(cx, inside, why, span);
  if (part.inBounds || !fresh(cx, Id::outOfBounds, span)) return part.inBounds;
  Dim from = at.backwards ? extent - Dim(1) - at.first : at.first, to = at.backwards ? extent - Dim(1) - last : last;
  std::string shown = part.isPoint ? indexText(cx, from, extent, span) : show(cx, from) + ".." + show(cx, to);
  if (changes || cx.function.facts.decide(inside) == shape::Verdict::Undecided) {
    auto builder =
        report(cx, Id::shapeUndecided, span, "the index " + shown, "inside of " + shapeText(cx, base.type.shape));
    if (!changes) explainClaim(cx, builder, inside);
    else builder.help("it changes while the program runs: `for` over a `range` says between which bounds");
    return false;
  }
  auto builder = report(cx, Id::outOfBounds, span, shown, shapeText(cx, base.type.shape));
  if (at.backwards) explainClaim(cx, builder, inside);
  else explainOutside(cx, builder, base.type.shape, axis, from, to, Dim(part.isPoint ? 1 : part.step), inside);
  return false;
}

Value reversed(Context &cx, Value value, size_t axis, Span span) {
  if (value.isPoison()) return value;
  const Dim extent = value.type.shape[axis];
  ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, {extent}), span);
  count->as<node::Iota>().axis = 0;
  Value counted = arrayValue(cx, std::move(count), scalarType(DType::I64), {std::nullopt}, span);
  Value places = elementwise(cx, ElementwiseOp::Sub, {Value::integer(extent - Dim(1)), std::move(counted)}, span, "-");
  if (places.isPoison()) return places;
  return gathered(cx, std::move(value), std::move(places), static_cast<int>(axis), {static_cast<int>(axis)}, span);
}

/// The elements of a tensor that `access` names, `shape` of them, which begin at `starts`.
static Value partOfArray(Context &cx, const Value &base, Access access, const std::vector<Dim> &shape,
                         const std::vector<SliceStart> &starts, Span span) {
  bool plain = true;
  for (size_t axis = 0; axis < access.parts.size(); ++axis) {
    IndexPart &part = access.parts[axis];
    const Dim &extent = base.type.shape[axis];
    plain &= !part.isPoint && !part.offset && part.step == 1 && cx.function.facts.same(part.size, extent);
    bool counted = part.isPoint || cx.function.facts.nonNegative(part.size);
    if ((part.inBounds && counted) || requireInside(cx, base, axis, part, starts[axis], span)) continue;
    for (; axis < access.parts.size(); ++axis) {  // the other axes need facts of the same kind
      const Dim &start = starts[axis].first;
      auto inside = insideOf(access.parts[axis], start, lastOf(access.parts[axis], start), base.type.shape[axis]);
      if (!mentionsRebound(cx, inside)) assumeMissing(cx.function.facts, inside);
    }
    return Value::poison();
  }
  Value source = base;
  for (size_t back = 0; back < starts.size(); ++back)
    if (starts[back].backwards) source = reversed(cx, std::move(source), back, span);
  if (source.isPoison()) return source;
  std::vector<std::optional<Limit>> kept;
  size_t axis = 0;
  for (const IndexPart &part : access.parts) {
    const Limit *limit = base.limit(axis++);
    bool untouched = !part.offset && part.step == 1;
    if (limit && !untouched)
      return unsupported(cx, "slicing a tile that may reach over the edge of its tensor", span);
    if (!part.isPoint) kept.push_back(limit ? std::optional(*limit) : std::nullopt);
  }
  Value out = source;
  if (!plain) {
    Type type = source.type;
    ExprPtr arg = takeExpr(source);
    Type result =
        shape.empty() ? scalarType(arg->type.dtype) : sema::tensorType(arg->type.dtype, shape, arg->type.numerics);
    ExprPtr e = makeExpr(ExprKind::Slice, result, span);
    access.base = nullptr;
    e->as<node::Slice>().access = std::move(access);
    e->args.push_back(std::move(arg));
    out = arrayValue(cx, std::move(e), type, std::move(kept), span);
  }
  return out;
}

/// What a place that is made of data names along an axis of `base`, or as many elements from there on, which lie outside or not, as
/// `take` has it: the axis with these elements alone.
static Value takenAtData(Context &cx, Value base, Access &access, std::vector<SliceStart> &starts, Span span) {
  for (size_t axis = 0; axis < starts.size() && !base.isPoison(); ++axis) {
    IndexPart &part = access.parts[axis];
    if (part.inBounds || !part.offset || part.step != 1 || !isOfData(cx, starts[axis].first)) continue;
    Value place = arrayValue(cx, makeCast(std::move(part.offset), DType::I64, {}), scalarType(DType::I64), {}, span);
    const int along = static_cast<int>(axis);
    Value places;
    if (part.isPoint) {
      places = insertAxis(cx, std::move(place), 0, span);
    } else {
      ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, {part.size}), span);
      count->as<node::Iota>().axis = 0;
      places = elementwise(cx, ElementwiseOp::Add, {arrayValue(cx, std::move(count), scalarType(DType::I64), {std::nullopt}, span), std::move(place)}, span, "+");
      if (places.isPoison()) return places;
    }
    base = gathered(cx, std::move(base), std::move(places), along, {along}, span);
    part.offset = part.isPoint ? makeIndex(0, span) : nullptr;
    part.inBounds = true;
    starts[axis] = {Dim(0), false};
  }
  return base;
}

/// `x[arange(N), labels]`: of each row along an axis the element that its index names along the next one.
static Value eachOfItsRow(Context &cx, Value x, Value places, int axis, Span span) {
  std::vector<Dim> shape = x.type.shape;
  shape.erase(shape.begin() + axis + 1);
  Value out = gathered(cx, std::move(x), insertAxis(cx, std::move(places), 1, span), axis + 1, {axis, axis + 1}, span);
  return out.isPoison() ? out : reshape(cx, std::move(out), std::move(shape), -1, span);
}

Value sliceArray(Context &cx, const Value &base, const ast::SubscriptExpr &expr, bool updated) {
  Access access;
  std::vector<Dim> shape;
  std::vector<std::optional<Limit>> limits;
  std::vector<int> newAxes;
  std::vector<SliceStart> starts;
  std::vector<Value> places;
  Masked masked;
  if (!accessOf(cx, base, expr, access, shape, limits, newAxes, &starts, &places, updated ? &masked : nullptr)) return Value::poison();
  auto chosen = chosenAlong(cx, base, access, shape, limits, newAxes, &starts, places, expr);
  if (!chosen) return Value::poison();
  Value from = inKernel(cx) ? base : takenAtData(cx, base, access, starts, expr.span);
  Value out = from.isPoison() ? from : partOfArray(cx, from, std::move(access), shape, starts, expr.span);
  if (chosen->rows && !out.isPoison()) return eachOfItsRow(cx, std::move(out), std::move(chosen->places), chosen->axis, expr.span);
  if (chosen->merged > 1 && !out.isPoison()) out = mergeAxes(cx, std::move(out), static_cast<size_t>(chosen->axis), chosen->merged, expr.span);
  if (chosen->axis >= 0 && !out.isPoison()) return taken(cx, std::move(out), std::move(chosen->places), chosen->axis, expr.span);
  for (int a : out.isPoison() ? std::vector<int>() : newAxes) out = insertAxis(cx, std::move(out), a, expr.span);
  return out;
}

Value rowOfArray(Context &cx, const Value &base, const Value &index, Span span) {
  Access access;
  std::vector<SliceStart> starts(base.type.shape.size());
  for (const Dim &extent : base.type.shape) {
    IndexPart part;
    part.size = extent;
    part.inBounds = true;
    access.parts.push_back(std::move(part));
  }
  IndexPart &row = access.parts[0];
  row.isPoint = true;
  row.size = Dim(1);
  row.inBounds = cx.function.facts.nonNegative(index.sym) && !mentionsRebound(cx, index.sym) &&
                 cx.function.facts.nonNegative(base.type.shape[0] - Dim(1) - index.sym);
  row.offset = indexExpr(cx, index, span);
  starts[0].first = index.sym;
  const std::vector<Dim> shape(base.type.shape.begin() + 1, base.type.shape.end());
  return partOfArray(cx, base, std::move(access), shape, starts, span);
}

static Value subscriptSequence(Context &cx, const Value &object, const ast::SubscriptExpr &expr) {
  int64_t size = static_cast<int64_t>(object.items.size());
  if (expr.items.size() != 1)
    return unsupported(cx, "several indices of a tuple", expr.span,
                       "it has " + diag::counted(object.items.size(), "item") + ": an assignment takes them apart, `a, b = ...`, and an item, `[0]`, has indices of its own");
  const ast::Expr &item = *expr.items[0].value;
  auto isPoison = [](const Value &v) { return v.isPoison(); };
  if (std::any_of(object.items.begin(), object.items.end(), isPoison)) return Value::poison();
  if (auto *slice = as<ast::SliceExpr>(&item)) {
    int64_t step = 1;
    if (!sliceStep(cx, *slice, step, true)) return Value::poison();
    int64_t bounds[2] = {step > 0 ? 0 : size - 1, step > 0 ? size : -1};  // from, and the first that is left out
    const ast::ExprPtr *parts[2] = {&slice->start, &slice->stop};
    for (int i = 0; i < 2; ++i) {
      Value given = *parts[i] ? checkExpr(cx, **parts[i]) : Value::of(ValueKind::None);
      if (given.kind == ValueKind::None) continue;
      auto n = knownInt(cx, given, (*parts[i])->span, "the index of a tuple");
      if (!n) return Value::poison();
      int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
      bounds[i] = std::clamp(*n < 0 ? std::max(*n, -size - 1) + size : *n, least, most);
    }
    Value out = Value::of(object.kind);
    step = std::clamp(step, -size - 1, size + 1);  // goes on behind the end all the same
    for (int64_t i = bounds[0]; step > 0 ? i < bounds[1] : i > bounds[1]; i += step)
      out.items.push_back(object.items[i]);
    return out;
  }
  Value at = checkExpr(cx, item);
  if (auto number = numberAtRunTime(cx, object, at, expr.span)) return *number;
  auto index = knownInt(cx, std::move(at), item.span, "the index of a tuple");
  if (!index) return Value::poison();
  int64_t i = *index < 0 ? *index + size : *index;
  if (i < 0 || i >= size) {
    if (fresh(cx, Id::outOfBounds, item.span))
      report(cx, Id::outOfBounds, item.span, std::to_string(*index),
             describe(cx, object) + " of " + std::to_string(size));
    return Value::poison();
  }
  return object.items[i];
}

Value checkSubscript(Context &cx, const ast::SubscriptExpr &expr, bool updated) {
  Value object = checkExpr(cx, objectOf(cx, expr));
  switch (object.kind) {
  case ValueKind::Poison: return object;
  case ValueKind::View:
  case ValueKind::Shared: return loadSubscript(cx, object, expr);
  case ValueKind::Array:
    if (object.isArray()) return sliceArray(cx, object, expr, updated);
    break;
  case ValueKind::Tuple:
  case ValueKind::List: return subscriptSequence(cx, object, expr);
  case ValueKind::Struct:
    if (object.isStack()) return stackSubscript(cx, object, expr);
    if (object.instance->info->methods.count("__getitem__") && expr.items.size() == 1) {
      GivenList key;
      key.push_back({"", checkExpr(cx, *expr.items[0].value), expr.items[0].span, {}, nullptr});
      if (key[0].value.isPoison()) return key[0].value;
      return callValue(cx, memberOfStruct(cx, object, "__getitem__", expr.span), std::move(key), expr.span, "__getitem__");
    }
    break;
  case ValueKind::Dict:
    if (expr.items.size() != 1) break;
    return subscriptDict(cx, object, expr);
  case ValueKind::HostShape: {
    if (expr.items.size() != 1 || expr.items[0].value->kind == ast::ExprKind::Slice)
      return unsupported(cx, "this index of a shape in host code", expr.span);
    auto axis = knownInt(cx, checkExpr(cx, *expr.items[0].value), expr.span, "the axis of a shape");
    if (!axis) return Value::poison();
    auto rank = static_cast<int64_t>(knownRank(object.items[0], cx.function.rebindable));  // 0: not known
    if (rank > 0 && (*axis >= rank || *axis < -rank)) {
      report(cx, Id::badAxis, expr.items[0].value->span, std::to_string(*axis),
             "a tensor of " + diag::counted(static_cast<size_t>(rank), "dimension"))
          .help(rank == 1 ? "its axis is 0: `x.shape[0]`" : "its axes are 0 to " + std::to_string(rank - 1) + ", and the last is `x.shape[-1]`");
      return Value::poison();
    }
    if (*axis < 0 && rank > 0) *axis += rank;
    return hostExtent(cx, object.items[0], static_cast<int>(*axis), expr.span);
  }
  case ValueKind::HostTensor: {
    if (isHeldDict(object)) {
      if (expr.items.size() != 1) break;
      Value key = checkExpr(cx, *expr.items[0].value);
      return key.isPoison() ? key : readDict(cx, object, std::move(key), expr.span);
    }
    if (isHeldRows(object)) {
      if (auto item = subscriptOfRows(cx, object, expr)) return *item;
      break;
    }
    if (auto element = hostElement(cx, object, expr)) return *element;
    if (expr.items.size() != 1 || expr.items[0].value->kind == ast::ExprKind::Slice)
      return unsupported(cx, "this index of a tensor in host code", expr.span,
                         "an element of a matrix is `x[1][2]`, and a part is taken by a function of tensors");
    Value index = checkExpr(cx, *expr.items[0].value);
    if (isHostMask(index)) return chosenByMask(cx, object, index, expr.span);
    index = convertInt(cx, index, expr.items[0].span);
    return index.isPoison() ? index : hostItem(cx, object, &index, expr.span);
  }
  case ValueKind::String:
    if (auto part = characterOf(cx, object, expr)) return *part;
    break;
  case ValueKind::TypeName:
  case ValueKind::Builtin: return typeOf(cx, expr);
  case ValueKind::StructType: {  // Block[64, 256](...)
    object.instance = instantiate(cx, *object.instance->info, expr);
    return object.instance ? object : Value::poison();
  }
  default: break;
  }
  if (!reportNone(cx, object, expr.span) && fresh(cx, Id::badOperand, expr.span))
    report(cx, Id::badOperand, expr.span, "[]", describe(cx, object));
  return Value::poison();
}

}  // namespace tessera::sema
