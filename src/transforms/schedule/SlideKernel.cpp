// Strategy "slide": a lane takes a channel of several neighbouring windows. What they see of a row of places is loaded once for all of
// them, and so are the weights of that row.
//
//   for row in places over the window:        the rows of the array that are there
//     a, b, c, d, ... = x[y, first ..., c]    all that the windows see of the row
//     sum_0 += a * w[0] + b * w[1] + ...
//     sum_1 += b * w[0] + c * w[1] + ...
//
// Channels lie side by side, so that lanes become lanes of vectors of channels (VectorForm.cpp). Where windows are added up, a lane has a
// row of places of one channel, a sum for each place of the row, and takes the windows of a part in turn.
#include "transforms/schedule/TensorFunction.h"
#include "transforms/schedule/Windows.h"
#include "transforms/tile/VectorForm.h"
#include <limits>
#include <map>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool addsOrSlides(Operation *op) { return isa<graph::DotOp, graph::ReduceOp, graph::SlideOp>(op); }

/// What both kernels write in the same way.
class SlideWriter {
public:
  SlideWriter(OpBuilder &builder, Privatiser &privatiser, WindowsAttr windows, Type sums, int64_t sumCount, Location loc, int64_t apart = 1)
      : builder_(builder), privatiser_(privatiser), windows_(windows), sums_(sums), loc_(loc), axes_(windows.axes()), apart_(apart), sumCount_(static_cast<size_t>(sumCount)) {}

  Value number(int64_t value) { return privatiser_.constantIndex(value, loc_); }
  Value dim(const Dim &dim) { return privatiser_.dim(dim, loc_); }
  Value made(StringRef mnemonic, Value a, Value b, StringRef name = "") { return privatiser_.arithmetic(mnemonic, a, b, name.empty() ? loc_ : named(name, loc_)); }
  Value less(Value from, int64_t by, StringRef name = "") { return by == 0 ? from : made("sub", from, number(by), name); }
  Value times(Value value, int64_t by) { return by == 1 ? value : made("mul", value, number(by)); }
  Value constant(Type type, double value) { return builder_.create<graph::ConstantOp>(loc_, type, cast<TypedAttr>(builder_.getFloatAttr(type, value))); }
  Value asSum(Value value) {
    return value.getType() == sums_ ? value : builder_.create<graph::CastOp>(loc_, sums_, value, StringAttr(), UnitAttr()).getResult();
  }

  /// Where the window begins, along an axis; before the array: below 0.
  Value begin(size_t axis, Value window, StringRef name) { return less(times(window, windows_.getStride()[axis]), windows_.getBefore()[axis], name); }

  /// Whether the place is one of the array's. `least`: what it is at least.
  Value isInside(size_t axis, Value place, int64_t least) {
    Value below = made("lt", place, dim(windows_.getSize()[axis + 1].getDim()));
    return least >= 0 ? below : made("and", made("ge", place, number(0)), below);
  }

  /// The element, or `outside`.
  Value where(Value condition, Value outside, function_ref<Value()> element, StringRef name) {
    if (!condition) return element();
    auto branch = builder_.create<scf::IfOp>(named(name, loc_), TypeRange(outside.getType()), condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder_);
    auto fill = [&](Block *block, function_ref<Value()> value) {
      if (!block->empty()) block->back().erase();
      builder_.setInsertionPointToEnd(block);
      builder_.create<scf::YieldOp>(loc_, value());
    };
    fill(branch.thenBlock(), element);
    fill(branch.elseBlock(), [&] { return outside; });
    return branch.getResult(0);
  }

  /// What windows see of a row of the array: by its distance from where the first of them begins, which is `first` less what lies before.
  /// With `isWhole` all of it is there.
  std::map<int64_t, Value> seenOfRow(Value view, ArrayRef<Value> leading, Value inside, Value first, Value channel, ArrayRef<int64_t> distances, Value outside, bool isWhole) {
    std::map<int64_t, Value> seen;
    const int64_t before = windows_.getBefore().back();
    Value begin = apart_ == 1 ? less(first, before, "begin") : first;
    for (int64_t distance : distances) {
      const int64_t ahead = apart_ == 1 ? distance : (distance - before) / apart_;
      Value place = made("add", begin, number(ahead));
      Value condition = isWhole ? Value() : isInside(axes_ - 1, place, distance - before);
      if (inside && !isWhole) condition = made("and", inside, condition);
      SmallVector<Value> at(leading);
      at.append({place, channel});
      seen[distance] = where(condition, outside, [&] { return privatiser_.loaded(view, Indices(at.begin(), at.end()), loc_); }, nameHint(view));
    }
    return seen;
  }

  /// Whether all places at these distances are there.
  Value isWhole(Value first, ArrayRef<int64_t> distances) {
    auto placeAt = [&](int64_t distance) {
      const int64_t ahead = (distance - windows_.getBefore().back()) / apart_;
      return ahead < 0 ? made("sub", first, number(-ahead)) : made("add", first, number(ahead));
    };
    Value below = made("lt", placeAt(distances.back()), dim(windows_.getSize().back().getDim()));
    return distances.front() >= windows_.getBefore().back() ? below : made("and", made("ge", placeAt(distances.front()), number(0)), below);
  }

  /// What is computed alike where all is there, without a condition for each element, and where not; too many conditions are no choice between vectors.
  SmallVector<Value> whereWhole(size_t conditions, function_ref<Value()> isWhole, function_ref<SmallVector<Value>(bool)> made) {
    constexpr size_t kFewest = 3;
    if (conditions < kFewest || conditions >= kMostChoices) return made(false);  // this one is a choice, too
    SmallVector<Type> types(sumCount_, sums_);
    auto branch = builder_.create<scf::IfOp>(loc_, TypeRange(types), isWhole(), /*withElse=*/true);
    for (bool whole : {true, false}) {
      OpBuilder::InsertionGuard guard(builder_);
      Block *block = whole ? branch.thenBlock() : branch.elseBlock();
      if (!block->empty()) block->back().erase();
      builder_.setInsertionPointToEnd(block);
      privatiser_.enter();
      SmallVector<Value> values = made(whole);
      privatiser_.leave();
      builder_.create<scf::YieldOp>(loc_, values);
    }
    return SmallVector<Value>(branch.getResults());
  }

  /// The distances at which `each` windows see places `from` to `to` of a row.
  SmallVector<int64_t> distances(int64_t each, int64_t from, int64_t to) {
    std::set<int64_t> all;
    for (int64_t window = 0; window < each; ++window)
      for (int64_t place = from; place < to; ++place)
        if (sees(distance(window, place))) all.insert(distance(window, place));
    return SmallVector<int64_t>(all.begin(), all.end());
  }
  /// An element, and no zero between two.
  bool sees(int64_t distance) { return (distance - windows_.getBefore().back()) % apart_ == 0; }
  int64_t distance(int64_t window, int64_t place) { return window * windows_.getStride().back() + place * windows_.getDilation().back(); }

  /// A loop that carries numbers; the body gives the next ones.
  SmallVector<Value> loop(Value from, Value to, ArrayRef<Value> carried, StringRef counter, function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto made = builder_.create<scf::ForOp>(loc_, from, to, number(1), carried);
    made.getInductionVar().setLoc(named(counter, loc_));
    for (auto [argument, before] : llvm::zip(made.getRegionIterArgs(), carried)) argument.setLoc(before.getLoc());
    OpBuilder::InsertionGuard guard(builder_);
    Block *block = made.getBody();
    if (!block->empty()) block->back().erase();
    builder_.setInsertionPointToEnd(block);
    SmallVector<Value> next = body(made.getInductionVar(), made.getRegionIterArgs());
    builder_.setInsertionPointToEnd(block);
    builder_.create<scf::YieldOp>(loc_, next);
    return SmallVector<Value>(made.getResults());
  }

private:
  OpBuilder &builder_;
  Privatiser &privatiser_;
  WindowsAttr windows_;
  Type sums_;
  Location loc_;
  size_t axes_;
  int64_t apart_;  // along the last axis
  size_t sumCount_;  // of a lane
};

/// The rows of places of a window that are over rows of the array, as counted by a loop.
struct RowsInside {
  Value from, to;    // of the loop
  Value firstPlace, firstRow;  // where it counts 0
  int64_t steps;     // of places
  int64_t rows;      // of the array
};
RowsInside rowsInside(SlideWriter &write, WindowsAttr windows, Value window, int64_t apart) {
  const int64_t dilation = windows.getDilation()[0], places = windows.getPlaces()[0], before = windows.getBefore()[0];
  auto divided = [&](Value value, int64_t by) { return by == 1 ? value : write.made("floordiv", write.made("add", value, write.number(by - 1)), write.number(by)); };
  Value begin = write.begin(0, window, "top"), size = write.dim(windows.getSize()[1].getDim()), none = write.number(0);
  if (apart == 1) {
    Value first = before == 0 ? none : divided(write.made("max", write.made("sub", none, begin), none), dilation);
    return {first, write.made("min", divided(write.made("sub", size, begin), dilation), write.number(places)), none, begin, 1, dilation};
  }
  // The first place that is over an element, and the row that this is.
  Value place = write.made("mod", write.made("sub", none, begin), write.number(apart), "place");
  Value row = write.made("floordiv", write.made("add", begin, place), write.number(apart), "y");
  Value left = divided(write.made("sub", write.number(places), place), apart);
  return {write.made("max", write.made("sub", none, row), none), write.made("min", left, write.made("sub", size, row)), place, row, apart, 1};
}

}  // namespace

/// What follows the windows' sums element by element, and is stored in their place.
Value FunctionScheduler::lastOfSlide(graph::SlideOp slide) {
  Value last = slide.getResult();
  while (last.hasOneUse()) {
    Operation *user = *last.user_begin();
    if (user->getBlock() != slide->getBlock() || !isa<graph::ElementwiseOp, graph::CastOp>(user) || user->hasAttr(kInPlace)) break;
    if (shapeOf(user->getResult(0).getType()) != shapeOf(last.getType())) break;
    if (llvm::any_of(user->getOperands(), [&](Value operand) { return operand != last && holds(operand, addsOrSlides); })) break;
    last = user->getResult(0);
  }
  return last;
}

LogicalResult FunctionScheduler::slideKernel(Value root, graph::SlideOp slide, Value target) {
  Location loc = root.getLoc(), line = unnamed(slide.getLoc());
  WindowsAttr windows = slide.getWindows();
  const bool isSum = slide.getMnemonic() == "sum";
  const size_t axes = windows.axes();
  SmallVector<int64_t> apart(axes, 1);
  if (slide.getApart()) apart.assign(slide.getApart()->begin(), slide.getApart()->end());
  const int64_t each = windowsOfLane(windows, apart.back()), along = windows.getPlaces().back();
  SmallVector<DimAttr> lanes(shapeOf(root.getType()));
  lanes[axes] = DimAttr::get(builder_.getContext(), blocksAlong(windows, apart.back()));
  GridAttr grid = gridOfLanes(builder_.getContext(), lanes);
  std::string reason = "a lane takes " + std::to_string(each) + " neighbouring windows: what they see of a row is loaded once for all of them";
  if (each == 1) reason = "one lane a window of a channel";
  Kernel kernel = beginKernel(root, grid, target, {reason}, true, {});
  Lane lane = beginLane(kernel, lanes, line);
  OpBuilder &builder = lane.builder;
  Privatiser privatiser(builder, kernel.leaves);
  Indices at = privatiser.delinearize(lane.number, lanes, line, /*naming=*/true);
  Type result = elementTypeOf(slide.getType()), sums = cast<FloatType>(result).getWidth() < 32 ? builder.getF32Type() : result;
  SlideWriter write(builder, privatiser, windows, sums, each, line, apart.back());
  auto viewOf = [&](Value value) { return value ? kernel.leaves.lookup(value) : Value(); };
  Value view = viewOf(slide.getOperand()), weights = viewOf(slide.getWeights()), marks = viewOf(slide.getMarks()), numbers = viewOf(slide.getHere());
  const double least = isSum ? 0.0 : -std::numeric_limits<double>::infinity(), nothing = std::numeric_limits<double>::quiet_NaN();
  Value outside = write.constant(elementTypeOf(view.getType()), numbers && !marks ? nothing : least);
  Value unmarked = marks ? write.constant(elementTypeOf(marks.getType()), nothing) : Value();  // equal to no number
  Value channel = at.back().at, first = each == 1 ? at[axes].at : write.made("mul", at[axes].at, write.number(each), "first");
  // Where the first window would begin without anything before it, in elements of the array.
  Value start = apart.back() == 1 ? write.times(first, windows.getStride().back()) : write.times(at[axes].at, each / apart.back());
  SmallVector<Value> here;
  for (int64_t window = 0; numbers && window < each; ++window) {
    Indices place(at);
    place[axes] = write.made("add", first, write.number(window));
    Value isThere = window == 0 ? Value() : write.made("lt", place[axes].at, write.dim(windows.getCount().back().getDim()));
    here.push_back(write.where(isThere, write.constant(elementTypeOf(numbers.getType()), 0.0), [&] { return privatiser.loaded(numbers, place, line); }, nameHint(numbers)));
  }
  SmallVector<Value> carried;
  for (int64_t window = 0; window < each; ++window) carried.push_back(builder.create<graph::ConstantOp>(named(isSum ? "sum" : "greatest", line), sums, cast<TypedAttr>(builder.getFloatAttr(sums, least))));

  /// Places `from` to `to` of a row of places, where `column` more lie between where the windows begin and these.
  auto takeRow = [&](ArrayRef<Value> leading, Value row, Value column, int64_t from, int64_t to, bool isWhole, ValueRange before) {
    Value begin = column ? write.made("add", start, write.times(column, windows.getDilation().back())) : start;
    SmallVector<int64_t> distances = write.distances(each, from, to);
    std::map<int64_t, Value> seen = write.seenOfRow(view, leading, Value(), begin, channel, distances, outside, isWhole), marked;
    if (marks) marked = write.seenOfRow(marks, leading, Value(), begin, channel, distances, unmarked, isWhole);
    if (!numbers || marks)
      for (auto &[distance, value] : seen) value = write.asSum(value);
    SmallVector<Value> next(before);
    for (int64_t place = from; place < to; ++place) {
      Value weight;
      if (weights) {
        Value number = row ? write.times(row, along) : write.number(0);
        number = write.made("add", number, column ? column : write.number(place));
        if (slide.getReversed()) number = write.made("sub", write.number(*shapeOf(weights.getType())[0].getConstant() - 1), number);
        weight = write.asSum(privatiser.loaded(weights, {number, channel}, line));
      }
      for (int64_t window = 0; window < each; ++window) {
        const int64_t distance = write.distance(window, place);
        if (!write.sees(distance)) continue;
        Value value = seen[distance];
        if (weight) value = write.made("mul", value, weight);
        if (numbers) {
          Value isEqual = write.made("eq", marks ? marked[distance] : value, here[window]);
          value = builder.create<graph::ElementwiseOp>(line, sums, "select", ValueRange{isEqual, marks ? value : write.constant(sums, 1.0), write.constant(sums, 0.0)});
        }
        next[window] = write.made(isSum ? "add" : "max", next[window], value);
      }
    }
    return next;
  };
  auto takePlaces = [&](ArrayRef<Value> leading, Value row, bool isWhole, ValueRange before) -> SmallVector<Value> {
    if (along <= kPlacesAtOnce * apart.back()) return takeRow(leading, row, Value(), 0, along, isWhole, before);
    return write.loop(write.number(0), write.number(along), SmallVector<Value>(before), "place",
                      [&](Value column, ValueRange inner) { return takeRow(leading, row, column, 0, 1, isWhole, inner); });
  };
  auto takeAll = [&](bool isWhole) {
    if (axes == 1) return takePlaces({at[0].at}, Value(), isWhole, carried);
    RowsInside inside = rowsInside(write, windows, at[1].at, apart[0]);
    return write.loop(inside.from, inside.to, carried, "row", [&](Value row, ValueRange inner) {
      Value place = write.made("add", inside.firstPlace, write.times(row, inside.steps));
      return takePlaces({at[0].at, write.made("add", inside.firstRow, write.times(row, inside.rows))}, place, isWhole, inner);
    });
  };
  SmallVector<int64_t> distances = write.distances(each, 0, along);
  const bool inTurn = along > kPlacesAtOnce * apart.back();
  // Of one array, loads behind questions are faster than twice the text: a depthwise 7 x 7 takes 67 us, and 85 with a choice around it.
  carried = write.whereWhole(inTurn || !marks ? 0 : 2 * distances.size(), [&] { return write.isWhole(start, distances); }, takeAll);

  SmallVector<Value> pieces;
  for (int64_t window = 0; window < each; ++window) {
    privatiser.enter();
    Value sum = carried[window];
    if (sums != result) sum = builder.create<graph::CastOp>(line, result, sum, StringAttr(), UnitAttr());
    privatiser.give(slide.getResult(), sum);
    Indices here(at);
    here[axes] = window == 0 ? first : write.made("min", write.made("add", first, write.number(window)), write.less(write.dim(windows.getCount().back().getDim()), 1));
    if (!pieces.emplace_back(privatiser.part(root, here))) return failure();
    privatiser.leave();
  }
  for (int64_t window = 0; window < each; ++window) {
    Indices here(at);
    here[axes] = write.made("add", first, write.number(window));
    if (window == 0) {
      store(builder, pieces[0], kernel.target, here, /*byLane=*/true, loc);
      continue;
    }
    auto isThere = builder.create<scf::IfOp>(line, write.made("lt", here[axes].at, write.dim(windows.getCount().back().getDim())), /*withElse=*/false);
    OpBuilder inside = OpBuilder::atBlockBegin(isThere.thenBlock());
    store(inside, pieces[window], kernel.target, here, /*byLane=*/true, loc);
  }
  endLane(kernel, line);
  return success();
}

LogicalResult FunctionScheduler::slideTogetherKernel(graph::SlideTogetherOp slide, Value target) {
  Value root = slide.getResult();
  Location loc = root.getLoc(), line = unnamed(loc);
  WindowsAttr windows = slide.getWindows();
  const size_t axes = windows.axes();
  const int64_t each = windowsOfLane(windows), along = windows.getPlaces().back(), rows = rowsOfPlaces(windows);
  const DimAttr parts = shapeOf(root.getType())[0], channels = shapeOf(root.getType())[2];
  SmallVector<DimAttr> lanes{parts, DimAttr::get(builder_.getContext(), Dim(rows)), channels};
  GridAttr grid = gridOfLanes(builder_.getContext(), lanes);
  std::string reason = "a lane adds up a part of the windows for a row of their places, " + std::to_string(each) + " neighbouring windows at once";
  Kernel kernel = beginKernel(root, grid, target, {reason}, true, {});
  Lane lane = beginLane(kernel, lanes, line);
  OpBuilder &builder = lane.builder;
  Privatiser privatiser(builder, kernel.leaves);
  Indices at = privatiser.delinearize(lane.number, lanes, line, /*naming=*/false);
  Type sums = elementTypeOf(root.getType());
  SlideWriter write(builder, privatiser, windows, sums, along, line);
  Value view = kernel.leaves.lookup(slide.getOperand()), numbers = kernel.leaves.lookup(slide.getNumbers());
  Value outside = write.constant(elementTypeOf(view.getType()), 0.0), none = write.constant(elementTypeOf(numbers.getType()), 0.0);
  Value part = at[0].at, row = at[1].at, channel = at[2].at;
  SmallVector<Value> carried;
  for (int64_t place = 0; place < along; ++place) carried.push_back(builder.create<graph::ConstantOp>(named("sum", line), sums, cast<TypedAttr>(builder.getFloatAttr(sums, 0.0))));
  const Dim blocks = blocksOfWindows(windows), length = blocksOfPart(windows, channels.getDim());
  Value from = write.made("mul", part, write.dim(length), "from");
  Value to = write.made("min", write.made("add", from, write.dim(length)), write.dim(blocks), "to");
  carried = write.loop(from, to, carried, "block", [&](Value block, ValueRange before) {
    SmallVector<DimAttr> shape{windows.getSize().front()};
    llvm::append_range(shape, windows.getCount());
    shape.back() = DimAttr::get(builder.getContext(), blocksAlong(windows));
    Indices where = privatiser.delinearize(block, shape, line, /*naming=*/false);
    Value first = each == 1 ? where[axes].at : write.made("mul", where[axes].at, write.number(each), "first");
    SmallVector<Value> leading{where[0].at}, ofNumbers{where[0].at};
    Value inside;
    if (axes == 2) {
      Value place = write.made("add", write.begin(0, where[1].at, ""), write.times(row, windows.getDilation()[0]), "y");
      inside = write.isInside(0, place, -windows.getBefore()[0]);
      leading.push_back(place);
      ofNumbers.push_back(where[1].at);
    }
    Value start = write.times(first, windows.getStride().back()), windowsAlong = write.dim(windows.getCount().back().getDim());
    SmallVector<int64_t> distances = write.distances(each, 0, along);
    auto takeBlock = [&](bool isWhole) {
      SmallVector<Value> given;
      for (int64_t window = 0; window < each; ++window) {
        Value here = write.made("add", first, write.number(window));
        SmallVector<Value> place(ofNumbers);
        place.append({here, channel});
        Value isThere = isWhole || window == 0 ? Value() : write.made("lt", here, windowsAlong);
        given.push_back(write.asSum(write.where(isThere, none, [&] { return privatiser.loaded(numbers, Indices(place.begin(), place.end()), line); }, nameHint(numbers))));
      }
      std::map<int64_t, Value> seen = write.seenOfRow(view, leading, inside, start, channel, distances, outside, isWhole);
      for (auto &[distance, value] : seen) value = write.asSum(value);
      SmallVector<Value> next(before);
      for (int64_t place = 0; place < along; ++place)
        for (int64_t window = 0; window < each; ++window)
          next[place] = write.made("add", next[place], write.made("mul", seen[write.distance(window, place)], given[window]));
      return next;
    };
    auto isWhole = [&] {
      Value whole = write.isWhole(start, distances);
      if (each > 1) whole = write.made("and", whole, write.made("lt", write.made("add", first, write.number(each - 1)), windowsAlong));
      return inside ? write.made("and", inside, whole) : whole;
    };
    return write.whereWhole(distances.size() + static_cast<size_t>(each) - 1, isWhole, takeBlock);
  });
  for (int64_t place = 0; place < along; ++place)
    store(builder, carried[place], kernel.target, {part, write.made("add", write.times(row, along), write.number(place)), channel}, /*byLane=*/true, loc);
  endLane(kernel, line);
  return success();
}

}  // namespace tessera::transforms
