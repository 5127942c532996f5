// Strategy "sort" of long rows on GPUs: by digits of 8 bits, from the last to the first one, each time stably, by all groups together.
//
//   counts[r, d, p] = elements of part p of row r that have the digit d          a group a part
//   sums            = running sums of counts along the parts
//   to[r, place]    = from[r, i]                                                  a group a part, its warps one behind the other
//
// An element goes behind all that have a lesser digit, those of earlier parts that have the same, and those of its own part before it. A
// group counts the digits of each warp's share first, makes them the places where that begins, and has its warps take places in order. No
// place depends on who comes first, so the order is the one of every other sort. What is moved are words (RadixKey.h); the last turn
// leaves the places alone. As D. Merrill and A. Grimshaw, "High performance and scalable radix sorting", 2011.
#include "transforms/schedule/RadixSort.h"
#include "ir/common/InOrder.h"
#include "ir/tile/Tile.h"
#include "support/Lanes.h"
#include "support/Machine.h"
#include "transforms/schedule/RadixKey.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kPartOfRow = 4096;  // elements of a group
constexpr int64_t kWarps = kLaneGroup / kWarpLanes, kShare = kPartOfRow / kWarps;
static_assert(kLaneGroup == kDigits, "a lane for each digit");
constexpr int64_t kAtOnce = 8;
constexpr int64_t kMostPlaces = (int64_t(1) << 31) - 1;   // counters have 32 bits
constexpr int64_t kMostBound = int64_t(1) << 32;          // and keys of words
constexpr int64_t kMostPasses = 4;

/// How rows are divided.
struct RowParts {
  explicit RowParts(graph::ArgsortOp op) : leading(op.getType().getShape().drop_back()), extent(op.getType().getShape().back()) {
    parts = DimAttr::get(op.getContext(), Dim::ceilDiv(extent.getDim(), Dim(kPartOfRow)));
  }
  SmallVector<DimAttr> with(ArrayRef<DimAttr> last) const {
    SmallVector<DimAttr> shape(leading);
    llvm::append_range(shape, last);
    return shape;
  }
  Dim lanes() const {
    Dim all = parts.getDim() * Dim(kLaneGroup);
    for (DimAttr dim : leading) all = all * dim.getDim();
    return all;
  }
  SmallVector<DimAttr> leading;
  DimAttr extent, parts;
};

/// What a pass reads of an element, and what it leaves of it.
enum class Left { Word, OtherHalf, Place };
struct PassForm {
  bool fromKeys = false;
  RadixKey key;
  Left left = Left::Word;
};

/// The bodies of a pass's kernels.
class PassWriter {
public:
  PassWriter(OpBuilder &builder, Privatiser &privatiser, const RowParts &rows, const PassForm &form, Value keys, Value words, Location line)
      : builder_(builder), privatiser_(privatiser), rows_(rows), form_(form), keys_(keys), words_(words), line_(line) {
    Value group = query("group_id", "group");
    row_ = privatiser_.delinearize(group, rows_.with(rows_.parts), line_, /*naming=*/true);
    part_ = row_.pop_back_val().at;
    part_.setLoc(named("part", line_));
    lane_ = query("local_id", "lane");
    first_ = privatiser_.arithmetic("mul", part_, index(kPartOfRow), named("first", line_));
  }

  /// How many of each digit the part has.
  bool count(Value shift, Value counts) {
    Value held = shared({kDigits}, "held");
    store(number(0), held, {Index(lane_)});
    barrier();
    Value end = privatiser_.arithmetic("min", privatiser_.arithmetic("add", first_, index(kPartOfRow), line_), extent(), named("end", line_));
    bool done = loop(privatiser_.arithmetic("add", first_, lane_, line_), end, kLaneGroup, "i", [&](Value i) {
      Value word = wordAt(i);
      if (word) countAt(held, {digitOfWord(builder_, word, shift, line_)});
      return static_cast<bool>(word);
    });
    barrier();
    store(privatiser_.loaded(held, {Index(lane_)}, line_), counts, inRow({Index(lane_), Index(part_)}));
    return done;
  }

  /// Everything to its place.
  bool move(Value shift, Value sums, Value to) {
    // Places that the warps' elements take; behind the digits for who has no element. A digit has a row: where a digit is added to a warp's
    // own row, ptxas 13.0 takes one digit for another one's (-O2 and above).
    Value next = shared({kDigits + 1, kWarps + 1}, "next");
    Value warp = privatiser_.arithmetic("floordiv", lane_, index(kWarpLanes), named("warp", line_));
    Value begin = privatiser_.arithmetic("add", first_, privatiser_.arithmetic("mul", warp, index(kShare), line_), named("begin", line_));
    Value inWarp = query("lane_id", "in_warp");
    eachWarp([&](Value each) { store(number(0), next, {Index(lane_), Index(each)}); });
    barrier();
    Value end = privatiser_.arithmetic("min", privatiser_.arithmetic("add", begin, index(kShare), line_), extent(), named("end", line_));
    Value held = shared({kWarps, kShare}, "held_words", builder_.getI64Type());  // memory is read once
    bool counted = loop(privatiser_.arithmetic("add", begin, inWarp, line_), end, kWarpLanes, "i", [&](Value i) {
      Value word = wordAt(i);
      if (!word) return false;
      store(word, held, {Index(warp), Index(privatiser_.arithmetic("sub", i, begin, line_))});
      countAt(next, {digitOfWord(builder_, word, shift, line_), warp});
      return true;
    });
    barrier();
    beginPlaces(sums, next, warp, inWarp);
    barrier();
    return counted && loop(index(0), index(kShare), kWarpLanes, "turn", [&](Value turn) { return place(turn, begin, inWarp, warp, shift, held, next, to); });
  }

private:
  Value index(int64_t value) { return privatiser_.constantIndex(value, line_); }
  Value extent() { return privatiser_.dim(rows_.extent.getDim(), line_); }
  Value number(int32_t value) { return builder_.create<graph::ConstantOp>(line_, builder_.getI32Type(), builder_.getI32IntegerAttr(value)); }
  Value query(StringRef what, StringRef name) { return builder_.create<graph::QueryOp>(named(name, line_), builder_.getIndexType(), what, 0); }
  void barrier() { builder_.create<graph::BarrierOp>(line_); }
  Value shared(ArrayRef<int64_t> shape, StringRef name, Type element = {}) {
    MLIRContext *context = builder_.getContext();
    SmallVector<DimAttr> dims = llvm::map_to_vector(shape, [&](int64_t extent) { return DimAttr::get(context, Dim(extent)); });
    return builder_.create<graph::AllocSharedOp>(named(name, line_), SharedType::get(context, dims, element ? element : builder_.getI32Type(), ""));
  }
  /// In the row of the group.
  Indices inRow(ArrayRef<Index> last) {
    Indices all(row_);
    llvm::append_range(all, last);
    return all;
  }
  void store(Value value, Value memory, const Indices &indices) {
    PartAccess to(builder_, shapeOf(memory.getType()), indices, line_);
    builder_.create<graph::StoreOp>(line_, value, memory, to.offsets, to.points, to.sizes, to.steps, to.inBounds, /*once=*/false);
  }
  void countAt(Value counters, SmallVector<Value> indices) {
    SmallVector<bool> inside(indices.size(), true);
    builder_.create<graph::AtomicOp>(line_, TypeRange(), "add", number(1), counters, indices, builder_.getDenseBoolArrayAttr(inside), /*once=*/false);
  }
  bool loop(Value begin, Value end, int64_t step, StringRef name, llvm::function_ref<bool(Value)> body) {
    auto made = builder_.create<scf::ForOp>(line_, begin, end, index(step));
    if (name == "i") made->setAttr(tile::kUnrolled, builder_.getI64IntegerAttr(kAtOnce));  // elements, which memory is asked for together
    made.getInductionVar().setLoc(named(name, line_));
    return privatiser_.within(made.getBody(), [&] { return body(made.getInductionVar()); });
  }
  void eachWarp(llvm::function_ref<void(Value)> body) {
    loop(index(0), index(kWarps), 1, "each", [&](Value each) { return body(each), true; });
  }

  /// Null after a diagnostic.
  Value wordAt(Value i) {
    if (!form_.fromKeys) return privatiser_.loaded(words_, inRow({Index(i)}), named("word", line_));
    Value element = privatiser_.part(keys_, inRow({Index(i)}));
    return element ? wordOf(builder_, element, i, form_.key, line_) : Value();
  }
  /// Carries a number through a loop.
  Value carry(StringRef name, StringRef carried, int64_t begin, int64_t end, Value number, llvm::function_ref<Value(Value, Value)> body) {
    auto made = builder_.create<scf::ForOp>(line_, index(begin), index(end), index(1), ValueRange{number});
    made.getInductionVar().setLoc(named(name, line_));
    made.getRegionIterArg(0).setLoc(named(carried, line_));
    privatiser_.within(made.getBody(), [&] {
      builder_.create<scf::YieldOp>(line_, body(made.getInductionVar(), made.getRegionIterArg(0)));
      return true;
    });
    return made.getResult(0);
  }
  Value where(Value condition, Value value) {
    return builder_.create<graph::ElementwiseOp>(line_, value.getType(), "select", ValueRange{condition, value, number(0)});
  }
  /// A lane has a digit: how many elements of the row have a lesser one.
  Value lesser(Value sums, Value warp, Value inWarp) {
    Value last = privatiser_.arithmetic("sub", privatiser_.dim(rows_.parts.getDim(), line_), index(1), line_);
    Value all = privatiser_.loaded(sums, inRow({Index(lane_), Index(last)}), named("all", line_)), ofWarps = shared({kWarps}, "of_warps");
    Value ofWarp = builder_.create<graph::WarpOp>(line_, all.getType(), "sum", all, Value());
    privatiser_.within(builder_.create<scf::IfOp>(line_, privatiser_.arithmetic("eq", inWarp, index(0), line_), /*withElse=*/false).thenBlock(),
           [&] { return store(ofWarp, ofWarps, {Index(warp)}), true; });
    barrier();
    Value before = carry("back", "lesser", 1, kWarpLanes, number(0), [&](Value back, Value sum) {
      Value from = privatiser_.arithmetic("sub", inWarp, back, line_), is = privatiser_.arithmetic("ge", inWarp, back, line_);
      return plus(sum, where(is, builder_.create<graph::WarpOp>(line_, all.getType(), "shuffle", all, from)));
    });
    return carry("each", "lesser", 0, kWarps, before, [&](Value each, Value sum) {
      return plus(sum, where(privatiser_.arithmetic("lt", each, warp, line_), privatiser_.loaded(ofWarps, {Index(each)}, line_)));
    });
  }
  /// Where the first element goes that the group has of the lane's digit, and how the warps share it.
  void beginPlaces(Value sums, Value next, Value warp, Value inWarp) {
    Value before = privatiser_.arithmetic("sub", part_, index(1), line_);
    Value same = privatiser_.loaded(sums, inRow({Index(lane_), Index(before)}), line_, static_cast<int64_t>(row_.size()) + 1);
    Value begin = plus(lesser(sums, warp, inWarp), same);
    carry("each", "place", 0, kWarps, begin, [&](Value each, Value place) {
      Indices where{Index(lane_), Index(each)};
      Value held = privatiser_.loaded(next, where, named("held", line_));
      store(place, next, where);
      return plus(place, held);
    });
  }
  Value plus(Value a, Value b) { return builder_.create<graph::ElementwiseOp>(line_, a.getType(), "add", ValueRange{a, b}); }

  /// 32 elements of a warp, all lanes together: who has none, behind the end of the row, takes a place of nobody.
  bool place(Value turn, Value begin, Value inWarp, Value warp, Value shift, Value held, Value next, Value to) {
    Value at = privatiser_.arithmetic("add", turn, inWarp, named("at", line_)), i = privatiser_.arithmetic("add", begin, at, line_);
    Value isInside = privatiser_.arithmetic("lt", i, extent(), line_);
    Value word = privatiser_.loaded(held, {Index(warp), Index(at)}, named("word", line_));
    Value digit = builder_.create<graph::ElementwiseOp>(named("digit", line_), builder_.getIndexType(), "select",
                                                        ValueRange{isInside, digitOfWord(builder_, word, shift, line_), index(kDigits)});
    auto taken = builder_.create<graph::AtomicOp>(named("place", line_), TypeRange{builder_.getI32Type()}, "add", number(1), next, ValueRange{digit, warp},
                                                  builder_.getDenseBoolArrayAttr({true, true}), /*once=*/false);
    taken->setAttr(kInOrder, builder_.getUnitAttr());
    return privatiser_.within(builder_.create<scf::IfOp>(line_, isInside, /*withElse=*/false).thenBlock(), [&] {
      Value where = builder_.create<graph::CastOp>(line_, builder_.getIndexType(), taken.getOld(), StringAttr(), UnitAttr());
      Value left = leftOf(word);
      if (left) store(left, to, inRow({Index(where)}));
      return static_cast<bool>(left);
    });
  }
  Value leftOf(Value word) {
    if (form_.left == Left::Word) return word;
    Value place = placeOfWord(builder_, word, line_);
    if (form_.left == Left::Place) return place;
    Value from = builder_.create<graph::CastOp>(named("from", line_), builder_.getIndexType(), place, StringAttr(), UnitAttr());
    Value element = privatiser_.part(keys_, inRow({Index(from)}));
    RadixKey key = form_.key;
    key.half = RadixKey::High;
    return element ? wordOf(builder_, element, place, key, line_) : Value();
  }

  OpBuilder &builder_;
  Privatiser &privatiser_;
  const RowParts &rows_;
  const PassForm &form_;
  Value keys_, words_;
  Location line_;
  Indices row_;
  Value part_, lane_, first_;
};

}  // namespace

/// The passes over one order.
class RadixSort {
public:
  RadixSort(FunctionScheduler &scheduler, graph::ArgsortOp op, Value target) : to_(scheduler), op_(op), rows_(op), target_(target), line_(unnamed(op.getLoc())) {}

  LogicalResult run() {
    RadixDigits digits = digitsOf(op_.getOperand().getType().getElementType());
    auto bound = op_->getAttrOfType<DimAttr>(kBound);
    if (bound) digits = {0, passesFor(bound.getDim()), false};
    const bool isOpen = bound && !bound.getConstant();
    struct Pass {
      int64_t digit;
      RadixKey::Half half;
    };
    SmallVector<Pass> passes;
    for (int64_t digit = digits.begin; digit < digits.end; ++digit) passes.push_back({digit, digits.isWide ? RadixKey::Low : RadixKey::Whole});
    for (int64_t digit = 0; digits.isWide && digit < digits.end; ++digit) passes.push_back({digit, RadixKey::High});
    Type i64 = to_.builder_.getI64Type(), i32 = to_.builder_.getI32Type();
    DimAttr digitCount = DimAttr::get(to_.builder_.getContext(), Dim(kDigits));
    words_[0] = passes.size() > 1 || isOpen ? temporary("words", rows_.with(rows_.extent), i64) : Value();
    words_[1] = passes.size() > 2 || isOpen ? temporary("other_words", rows_.with(rows_.extent), i64) : Value();
    const SmallVector<DimAttr> shape = rows_.with({digitCount, rows_.parts});
    counts_ = temporary("counts", shape, i32), sums_ = temporary("sums", shape, i32);
    const size_t outside = to_.when_.size();
    for (auto [t, pass] : llvm::enumerate(passes)) {
      const bool isLast = t + 1 == passes.size();
      PassForm form{t == 0, {pass.half, op_.getDescending(), static_cast<bool>(bound)}, isLast && !isOpen ? Left::Place : isLast || passes[t + 1].half == pass.half ? Left::Word : Left::OtherHalf};
      if (isOpen && t > 0) to_.when_.push_back(isMore(bound.getDim(), int64_t(1) << (kDigitBits * pass.digit)));
      Value from = t == 0 ? Value() : words_[(t - 1) % 2], to = form.left == Left::Place ? target_ : words_[t % 2];
      const int64_t shift = kWordBits + pass.digit * kDigitBits;
      if (failed(count(form, from, shift)) || failed(addUp()) || failed(move(form, from, to, shift))) return failure();
      to_.when_.truncate(outside);
    }
    return isOpen ? places(bound.getDim()) : success();
  }

  /// Under which sizes rows are sorted so. Null: always; nothing: never.
  static std::optional<Attribute> asked(FunctionScheduler &scheduler, graph::ArgsortOp op) {
    const Dim &extent = op.getType().getShape().back().getDim();
    auto bound = op->getAttrOfType<DimAttr>(kBound);
    SmallVector<Attribute> all;
    auto needs = [&](const Dim &a, const Dim &b) {  // a < b
      if (a.isConstant() && b.isConstant()) return a.constant() < b.constant();
      MLIRContext *context = op.getContext();
      all.push_back(RequirementAttr::get(context, DimAttr::get(context, a), Relation::Lt, DimAttr::get(context, b), ""));
      return true;
    };
    const int64_t rowOfGroup = op.getType().getShape().size() > 1 ? kRowOfGroup : bound ? kRowOfPlaces : kRowAlone;
    if (!needs(Dim(rowOfGroup), extent) || !needs(extent, Dim(kMostPlaces)) || (bound && !needs(bound.getDim(), Dim(kMostBound)))) return std::nullopt;
    if (extent.isVar())
      if (auto most = greatestOf(extent.varName(), scheduler.function_.getRequirements()); most && *most <= rowOfGroup) return std::nullopt;
    if (all.size() <= 1) return all.empty() ? Attribute() : all.front();
    all.insert(all.begin(), scheduler.builder_.getStringAttr("and"));
    return Attribute(scheduler.builder_.getArrayAttr(all));
  }

private:
  static int64_t passesFor(const Dim &bound) {
    int64_t passes = 1;
    while (passes < kMostPasses && !(bound.isConstant() && bound.constant() <= int64_t(1) << (kDigitBits * passes))) ++passes;
    return passes;
  }
  Value temporary(StringRef name, ArrayRef<DimAttr> shape, Type element) {
    return to_.launchOp<schedule::TempOp>(named(name, line_), ViewType::get(to_.builder_.getContext(), shape, element));
  }
  Attribute isMore(const Dim &bound, int64_t than) {
    MLIRContext *context = to_.builder_.getContext();
    return RequirementAttr::get(context, DimAttr::get(context, Dim(than)), Relation::Lt, DimAttr::get(context, bound), "");
  }
  /// The same kernel serves all passes from words to words: how far the digit lies is a size of its launch. What loops around count, it does not ask for.
  DimsAttr launchDims(int64_t shift) {
    SmallVector<DimAttr> dims;
    for (auto name : to_.function_.getDims().getAsRange<StringAttr>()) dims.push_back(DimAttr::get(to_.builder_.getContext(), Dim::var(name.str())));
    dims.push_back(DimAttr::get(to_.builder_.getContext(), Dim(shift)));
    return DimsAttr::get(to_.builder_.getContext(), dims);
  }
  std::string shiftName() {
    std::string name = "Shift";
    while (llvm::is_contained(to_.function_.getDims(), to_.builder_.getStringAttr(name))) name += "_";
    return name;
  }
  schedule::LaunchOp lastLaunch() { return cast<schedule::LaunchOp>(*std::prev(to_.launches_.getInsertionPoint())); }
  using Body = llvm::function_ref<bool(PassWriter &, Value shift, FunctionScheduler::Kernel &)>;
  LogicalResult kernel(std::string &made, const PassForm &form, Value from, Value sums, Value target, int64_t shift, std::string reason, Body body) {
    SmallVector<Value> beside;
    if (from) beside.push_back(from);
    if (sums) beside.push_back(sums);
    const bool isShared = !form.fromKeys && form.left == Left::Word;
    if (isShared && !made.empty()) {
      SmallVector<Value> args(beside);
      args.push_back(target);
      to_.launchOp<schedule::LaunchOp>(op_.getLoc(), FlatSymbolRefAttr::get(to_.builder_.getContext(), made), args, launchDims(shift));
      return success();
    }
    const bool readsKeys = form.fromKeys || form.left == Left::OtherHalf;
    GridAttr grid = GridAttr::get(to_.builder_.getContext(), GridKind::Lanes, DimAttr::get(to_.builder_.getContext(), rows_.lanes()), -1);
    FunctionScheduler::Kernel kernel = to_.beginKernel(op_.getResult(), grid, target, {std::move(reason)}, true, {}, schedule::KernelOp::getOperationName(),
                                                       readsKeys ? ValueRange(op_.getOperand()) : ValueRange(), {}, {beside, /*asHeld=*/true});
    OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
    Privatiser privatiser(builder, kernel.leaves);
    Value held;
    if (isShared) {
      schedule::LaunchOp launch = lastLaunch();
      SmallVector<Attribute> dims(to_.function_.getDims().begin(), to_.function_.getDims().end());
      dims.push_back(to_.builder_.getStringAttr(shiftName()));
      kernel.op->setAttr("dims", to_.builder_.getArrayAttr(dims));
      launch.setDimsAttr(launchDims(shift));
      made = launch.getKernel().str();
      held = privatiser.dim(Dim::var(shiftName()), line_);
    } else {
      held = privatiser.constantIndex(shift, line_);
    }
    PassWriter writer(builder, privatiser, rows_, form, op_.getOperand(), from ? kernel.beside.front() : Value(), line_);
    if (!body(writer, held, kernel)) return failure();
    builder.setInsertionPointToEnd(&kernel.op->getRegion(0).front());
    builder.create<schedule::KernelEndOp>(line_);
    return success();
  }
  LogicalResult count(PassForm form, Value from, int64_t shift) {
    form.left = Left::Word;
    return kernel(countKernel_, form, from, {}, counts_, shift, "digits: a group counts those of its part of a row",
                  [](PassWriter &writer, Value shift, FunctionScheduler::Kernel &kernel) { return writer.count(shift, kernel.target); });
  }
  LogicalResult move(const PassForm &form, Value from, Value to, int64_t shift) {
    return kernel(moveKernel_, form, from, sums_, to, shift, "digits: a warp takes places for its share of the row, in order",
                  [](PassWriter &writer, Value shift, FunctionScheduler::Kernel &kernel) { return writer.move(shift, kernel.beside.back(), kernel.target); });
  }
  /// A group goes over the parts of each digit.
  LogicalResult addUp() {
    if (!sumsKernel_.empty()) {
      to_.launchOp<schedule::LaunchOp>(op_.getLoc(), FlatSymbolRefAttr::get(op_.getContext(), sumsKernel_), ValueRange{counts_, sums_}, DimsAttr());
      return success();
    }
    OpBuilder before(op_);
    Type type = TensorType::get(op_.getContext(), shapeOf(counts_.getType()), before.getI32Type());
    Value zero = before.create<graph::ConstantOp>(line_, before.getI32Type(), before.getI32IntegerAttr(0));
    Value counts = before.create<graph::FullOp>(line_, type, zero);
    auto sums = before.create<graph::ScanOp>(named("sums", line_), type, "sum", shapeOf(type).size() - 1, counts);
    LogicalResult made = to_.partsOfScan(sums, {counts_, {}, sums_, false, "digits: how many there are up to each part"});
    sumsKernel_ = lastLaunch().getKernel().str();
    return made;
  }
  /// How many passes there were, only sizes say: the places are in one of two memories.
  LogicalResult places(const Dim &bound) {
    Dim passes(1);
    for (int64_t t = 1; t < kMostPasses; ++t) passes = passes + Dim::min(Dim(1), Dim::floorDiv(bound - Dim(1), Dim(int64_t(1) << (kDigitBits * t))));
    const SmallVector<DimAttr> shape = rows_.with(rows_.extent);
    GridAttr grid = FunctionScheduler::gridOfLanes(op_.getContext(), shape);
    FunctionScheduler::Kernel kernel = to_.beginKernel(op_.getResult(), grid, target_, {"the places of the words that the last pass left"}, true, {},
                                                       schedule::KernelOp::getOperationName(), ValueRange(), {}, {{words_[0], words_[1]}, /*asHeld=*/true});
    FunctionScheduler::Lane lane = FunctionScheduler::beginLane(kernel, shape, line_);
    OpBuilder &builder = lane.builder;
    Privatiser privatiser(builder, kernel.leaves);
    Indices at = privatiser.delinearize(lane.number, shape, line_, /*naming=*/true);
    Value isOdd = privatiser.arithmetic("eq", privatiser.dim(Dim::mod(passes, Dim(2)), line_), privatiser.constantIndex(1, line_), line_);
    auto wordOf = [&](Value words) { return [&, words] { return privatiser.loaded(words, at, line_); }; };
    Value word = privatiser.branch(builder.getInsertionBlock()->getParentOp(), builder.getI64Type(), isOdd, wordOf(kernel.beside[0]), wordOf(kernel.beside[1]));
    if (!word) return failure();
    to_.store(builder, placeOfWord(builder, word, line_), kernel.target, at, /*byLane=*/true, line_);
    FunctionScheduler::endLane(kernel, line_);
    return success();
  }

  FunctionScheduler &to_;
  graph::ArgsortOp op_;
  RowParts rows_;
  Value target_, words_[2], counts_, sums_;
  Location line_;
  std::string countKernel_, moveKernel_, sumsKernel_;
};

LogicalResult FunctionScheduler::longSort(graph::ArgsortOp op, Value target, llvm::function_ref<LogicalResult()> otherwise) {
  const Machine *machine = machineOf(function_);
  const bool isWhole = op.getType().getShape() == op.getOperand().getType().getShape();
  std::optional<Attribute> asked = machine && machine->family != Target::Cpu && isWhole ? RadixSort::asked(*this, op) : std::nullopt;
  if (!asked) return otherwise();
  if (*asked) when_.push_back(*asked);
  LogicalResult made = RadixSort(*this, op, target).run();
  if (!*asked || failed(made)) return made;
  when_.back() = negated(*asked);
  made = otherwise();
  when_.pop_back();
  return made;
}

}  // namespace tessera::transforms
