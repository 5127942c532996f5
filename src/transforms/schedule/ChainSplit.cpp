// Chains of few rows, as where a program writes one word after the other and each attends to all words before. A group for each
// tile of rows would leave most processors idle: so several groups go over keys of their own for the same rows, and another
// kernel puts together, in order, what each has found of a row. A part that saw no key has the largest score -INF and adds 0.
#include "support/Check.h"
#include "transforms/schedule/ChainWriter.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kFewRows = 64;    // one tile of a warpgroup
constexpr int64_t kFewestRows = 16;  // and of a warp, of whose registers so few rows take a quarter, and less text
constexpr int64_t kMostParts = 16;  // what a lane holds of each row when it puts them together; half of the processors read nearly as fast as all
constexpr int64_t kMergers = 128, kMergedAtOnce = 1;  // a lane has all parts of its columns: no lane waits for another

DimAttr rowsOf(Chain &chain) {
  ArrayRef<DimAttr> shape = shapeOf(chain.weights().getType());
  return shape[shape.size() - 2];
}

/// As many parts as give each processor a group, as far as they are quickly put together.
Dim partsOf(Chain &chain, const Machine &machine) {
  Dim groups(1);
  for (DimAttr extent : shapeOf(chain.weights().getType()).drop_back(2)) groups = groups * extent.getDim();
  return Dim::max(Dim(1), Dim::min(Dim(kMostParts), Dim::floorDiv(Dim(machine.processors), Dim::max(Dim(1), groups))));
}

/// Of the rows that one word adds; nothing where the machine's warps do not multiply operands of 16 bits.
std::optional<ChainTile> fewestTile(const Machine &machine, Chain &chain, const ChainTile &usual) {
  constexpr int64_t kLanes = 128, kColumnsAtOnce = 64;  // of four warps
  const bool byWarps = machine.family == Target::Cuda && machine.asyncCopy && elementTypeOf(chain.outer.getLhs().getType()).getIntOrFloatBitWidth() == 16;
  if (!byWarps || usual.n % kColumnsAtOnce != 0) return std::nullopt;
  return ChainTile{kFewestRows, usual.n, usual.k, usual.cols, kLanes};
}

}  // namespace

/// The tile of a part; nothing where the keys are not split.
std::optional<ChainTile> FunctionScheduler::splitTile(Chain &chain, ArrayRef<ChainForm> forms) {
  const Machine *machine = machineOf(function_);
  bool known = chain.largest && !chain.keepsRows && forms.size() == 1 && forms.front().cols && forms.front().facts.empty();
  if (!machine || machine->family == Target::Cpu || !known || rowsOf(chain).getConstant().value_or(1) > kFewRows) return std::nullopt;
  Dim parts = partsOf(chain, *machine);
  std::optional<int64_t> keys = shapeOf(chain.weights().getType()).back().getConstant();
  ChainTile tile = *usualChainTile(*machine, chain, forms.front().most);
  bool alone = parts.isConstant() && parts.constant() == 1;
  if (alone || (keys && *keys <= 2 * tile.n)) return std::nullopt;
  if (tile.m > kFewRows) tile = {kFewRows, tile.n, tile.k, tile.cols, tile.group * kFewRows / tile.m};
  return tile;
}

/// In the place of one kernel, where there are few rows.
LogicalResult FunctionScheduler::splitChain(Value root, Chain &chain, const ChainForm &form, const ChainTile &sizes, Value target) {
  MLIRContext *context = builder_.getContext();
  DimAttr rows = rowsOf(chain);
  const std::optional<int64_t> known = rows.getConstant();
  size_t outside = when_.size();
  Dim count = partsOf(chain, *machineOf(function_));
  // What is made where the condition does not hold; what is made behind it is for where it does.
  auto unless = [&](const Dim &left, Relation relation, int64_t right, llvm::function_ref<LogicalResult()> make) {
    Attribute condition = RequirementAttr::get(context, DimAttr::get(context, left), relation, DimAttr::get(context, Dim(right)), "");
    when_.push_back(negated(condition));
    LogicalResult made = make();
    when_.back() = condition;
    return made;
  };
  auto whole = [&](ArrayRef<ChainForm> forms) { return kernelsOf(forms, root, chain, target); };
  auto inParts = [&](const ChainTile &tile, int64_t most) -> LogicalResult {
    FailureOr<SmallVector<Value>> parts = partsKernel(chain, form, tile, most, count);
    return failed(parts) ? failure() : mergeKernel(root, chain, form, *parts, count, target);
  };
  // Many rows, or so many heads that each processor has one without parts.
  if (!known && failed(unless(rows.getDim(), Relation::Le, kFewRows, [&] { return whole(withFewKeys(chain, form)); }))) return failure();
  if (!count.isConstant() && failed(unless(count, Relation::Ge, 2, [&] { return whole(form); }))) return failure();
  std::optional<ChainTile> fewest = fewestTile(*machineOf(function_), chain, sizes);
  if (fewest && !known && failed(unless(rows.getDim(), Relation::Le, kFewestRows, [&] { return inParts(sizes, kFewRows); }))) return failure();
  const bool areFewest = fewest && known.value_or(0) <= kFewestRows;
  LogicalResult made = areFewest ? inParts(*fewest, kFewestRows) : inParts(sizes, kFewRows);
  when_.truncate(outside);
  return made;
}

/// Each group over its part of the keys, for at most so many rows. Where the parts are: those of a row side by side, so that they are read as one tile.
FailureOr<SmallVector<Value>> FunctionScheduler::partsKernel(Chain &chain, const ChainForm &form, const ChainTile &sizes, int64_t most, const Dim &count) {
  MLIRContext *context = builder_.getContext();
  Value outer = chain.outer.getResult();
  Location line = unnamed(chain.outer.getLoc());
  const size_t behindRows = shapeOf(outer.getType()).size() - 1;
  auto temporary = [&](Value of, StringRef name) -> Value {
    SmallVector<DimAttr> shape(shapeOf(of.getType()));
    DimAttr &rows = shape[behindRows - 1];  // few, also in the formula of what is allocated
    if (!rows.getConstant()) rows = DimAttr::get(context, Dim::min(rows.getDim(), Dim(most)));
    shape.insert(shape.begin() + behindRows, DimAttr::get(context, count));
    return launchOp<schedule::TempOp>(named(name, line), ViewType::get(context, shape, elementTypeOf(of.getType())));
  };
  SmallVector<Stored> rows;
  for (auto [i, value] : llvm::enumerate(chain.rows())) rows.push_back({value, temporary(value, i == 0 ? "part_largest" : "part_sum")});
  Value sums = temporary(outer, "part_acc");

  auto extent = [&](const char *name) { return DimAttr::get(context, Dim::var(name)); };
  RootTile tile = rootTile(outer, extent("T.m"), form.cols);
  SmallVector<DimAttr> extents(tile.extents);
  extents.insert(extents.begin() + behindRows, DimAttr::get(context, Dim(1)));
  Kernel begun = beginKernel(outer, GridAttr::get(context, GridKind::Output, extents, 0), sums, {}, false, {},
                             graph::KernelOp::getOperationName(), ValueRange{outer}, rows, {{}, /*asHeld=*/true});
  auto kernel = cast<graph::KernelOp>(begun.op);
  setChainSizes(kernel, form, sizes);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.entry());
  Privatiser privatiser(builder, begun.leaves);
  Value number = builder.create<graph::QueryOp>(named("part", line), builder.getIndexType(), "origin", behindRows);
  placeTile(tile, outer, builder, privatiser, line, "col");  // its columns are all there are
  // As many tiles of keys for each part.
  Dim step = Dim::var("T.n"), keys = shapeOf(chain.weights().getType()).back().getDim(), tiles = Dim::ceilDiv(Dim::ceilDiv(keys, step), count);
  Value each = privatiser.arithmetic("mul", privatiser.dim(tiles, line), privatiser.dim(step, line), named("each", line));
  Value from = privatiser.arithmetic("mul", number, each, named("from", line));
  Value to = privatiser.arithmetic("add", from, each, line);
  std::optional<SmallVector<Value>> found = ChainWriter(builder, privatiser, chain, tile.product, form.depth).runPart(from, to);
  if (!found) return failure();
  Indices at(tile.product);
  at.insert(at.begin() + behindRows, Index(number));
  store(builder, found->back(), begun.target, at, /*byLane=*/false, line);
  at.pop_back();
  for (auto [piece, view] : llvm::zip(*found, begun.others)) store(builder, piece, view, at, /*byLane=*/false, line);
  builder.create<graph::KernelEndOp>(line);
  std::string reason = chainReason(chain, form) + "; there are few rows: groups go over parts of the keys, and the kernel after this one puts together what they found";
  if (failed(decideContract(kernel, *machineOf(function_), reason))) return failure();
  kernel.erase();
  SmallVector<Value> parts;
  for (auto [value, memory] : rows) parts.push_back(memory);
  parts.push_back(sums);
  return parts;
}

LogicalResult FunctionScheduler::mergeKernel(Value root, Chain &chain, const ChainForm &form, ArrayRef<Value> parts, const Dim &count, Value target) {
  MLIRContext *context = builder_.getContext();
  Location loc = root.getLoc(), line = unnamed(chain.outer.getLoc());
  // What follows, and what rows are divided by, may read other arrays.
  llvm::SetVector<Value> reads;
  auto find = [&](Value from) {
    walkBack(from, [&](Value value) {
      bool given = value == chain.outer.getResult() || llvm::is_contained(chain.rows(), value);
      if (!given && leaves_.count(value)) reads.insert(value);
      return !given && !leaves_.count(value);
    });
  };
  find(root);
  for (const RowFactor &factor : chain.factors) find(factor.row);
  DimAttr one = DimAttr::get(context, Dim(1));
  RootTile tile = rootTile(root, one, form.cols);
  Kernel begun = beginKernel(root, GridAttr::get(context, GridKind::Output, tile.extents, 0), target, {}, false, {},
                             graph::KernelOp::getOperationName(), ValueRange(reads.getArrayRef()), {}, {parts});
  auto kernel = cast<graph::KernelOp>(begun.op);
  setChainSizes(kernel, form, {kMergedAtOnce, 1, 0, 0, kMergers});
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.entry());
  Privatiser privatiser(builder, begun.leaves);
  placeTile(tile, root, builder, privatiser, line, "col");
  for (auto [i, axis] : llvm::enumerate(tile.axes))  // one row, and still a tile of rows
    if (axis + 2 == static_cast<int64_t>(tile.axes.size())) tile.product[axis] = tile.stored[i] = Index(tile.stored[i].at, one);
  bool written = ChainWriter(builder, privatiser, chain, tile.product, form.depth).merge(count.isConstant() ? count.constant() : kMostParts, begun.beside);
  Value piece = written ? privatiser.part(root, tile.stored) : Value();
  if (!piece) return failure();
  store(builder, piece, begun.target, tile.stored, /*byLane=*/false, loc);
  builder.create<graph::KernelEndOp>(line);
  if (failed(decideContract(kernel, *machineOf(function_), "chain: what each part of the keys has found of a row is put together, in order, in proportion to the largest score of all")))
    return failure();
  kernel.erase();
  return success();
}

}  // namespace tessera::transforms
