// The kernel of a product and what follows it, as an author of kernels would write it.
#include "ir/common/Conversions.h"
#include "ir/common/ProductNotes.h"
#include "ir/common/ReasonText.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/TensorFunction.h"
#include <numeric>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Bytes of an element that bulk copies bring to panels in shared memory; 0 for types that they do not (tile-stage-operands).
int64_t panelBytes(Type element) {
  std::optional<DType> dtype = dtypeOf(element);
  if (!dtype || !element.isIntOrFloat()) return 0;
  bool known = element.isBF16() || element.isF16() || element.isF32() || (element.getIntOrFloatBitWidth() == 8 && storageBytes(*dtype) == 1);
  return known ? storageBytes(*dtype) : 0;
}

/// Parameters of a kernel: "a", "a and b", "a, b and c".
std::string listed(const llvm::SetVector<size_t> &params) {
  std::string text;
  for (auto [i, param] : llvm::enumerate(params))
    text += (i == 0 ? "" : i + 1 == params.size() ? " and " : ", ") + inReason(param);
  return text;
}

}  // namespace

/// The sentence over the kernel: what is done where, by the arrays that take part.
std::string FunctionScheduler::contractReason(Value root, ArrayRef<graph::DotOp> dots, const Kernel &kernel) {
  llvm::SetVector<size_t> worked, applied;
  auto name = [&](Value from, llvm::SetVector<size_t> &params) {
    walkBack(from, [&](Value value) {
      if (!isStored(value)) return !value.getDefiningOp<graph::DotOp>();
      auto param = dyn_cast_if_present<BlockArgument>(kernel.leaves.lookup(value));
      if (param && !calledBy(value).empty()) params.insert(param.getArgNumber());
      return false;
    });
  };
  for (graph::DotOp dot : dots)
    for (Value operand : {dot.getLhs(), dot.getRhs()})
      if (!isOnlyMoved(operand)) name(operand, worked);
  const bool hasTerm = llvm::any_of(dots, [](graph::DotOp dot) { return dot.hasTerm(); });
  std::string text = hasTerm           ? "contract: a group combines what pairs of elements give, for a tile of the result in its registers"
                     : dots.size() > 1 ? "contract: a group adds up the same tile of both products in its registers"
                                       : "contract: a group adds up a tile of the product in its registers";
  if (!worked.empty()) text += std::string("; what is ") + (hasTerm ? "paired" : "multiplied") + " is computed from " + listed(worked) + " where it is loaded";
  if (root.getDefiningOp<graph::DotOp>()) return text;
  name(root, applied);
  if (applied.empty()) return text + "; what follows is done on the sums, before they are stored";
  return text + "; what follows with " + listed(applied) + " is done on the sums, before they are stored";
}

/// In memory, or another view of what is.
bool FunctionScheduler::isOnlyMoved(Value value) {
  while (!liesInMemory(value)) {
    if (!isa<graph::TransposeOp, graph::BroadcastOp, graph::ReshapeOp, graph::SliceOp>(value.getDefiningOp())) return false;
    value = value.getDefiningOp()->getOperand(0);
  }
  return true;
}

/// Whether the last two axes are in memory the other way round; nothing where that cannot be said.
std::optional<bool> FunctionScheduler::liesTurned(Value value) {
  bool turned = false;
  while (!liesInMemory(value)) {
    if (auto transpose = value.getDefiningOp<graph::TransposeOp>()) {
      ArrayRef<int64_t> perm = transpose.getPerm();
      int64_t rank = static_cast<int64_t>(perm.size());
      if (rank < 2 || std::min(perm[rank - 1], perm[rank - 2]) != rank - 2) return std::nullopt;
      turned ^= perm[rank - 1] < perm[rank - 2];
    } else if (!isa<graph::BroadcastOp, graph::ReshapeOp, graph::SliceOp, graph::CastOp>(value.getDefiningOp())) {
      return std::nullopt;
    }
    value = value.getDefiningOp()->getOperand(0);
  }
  return turned;
}

/// `beside`: other values that are made of the sums.
ContractWork FunctionScheduler::contractWork(Value root, ArrayRef<graph::DotOp> dots, ArrayRef<Stored> beside) {
  ContractWork work;
  for (graph::DotOp dot : dots) {
    work.computesLeft |= !isOnlyMoved(dot.getLhs());
    work.computesRight |= !isOnlyMoved(dot.getRhs());
    for (Value operand : {dot.getLhs(), dot.getRhs()})
      walkBack(operand, [&](Value value) {
        if (!isStored(value)) return true;
        size_t axes = longAxes(value.getType()).size();  // a vector has another place in each orientation of the tile
        if (axes > 0) work.leastBytes = std::min(work.leastBytes, axes == 1 ? 0 : panelBytes(elementTypeOf(value.getType())));
        return false;
      });
    work.alongK &= liesTurned(dot.getLhs()) == false && liesTurned(dot.getRhs()) == true;
  }
  auto lookAt = [&](Value made) {
    walkBack(made, [&](Value value) {
      bool isRead = value != made && value != root && isStored(value);
      work.readsAfter |= isRead;
      work.readsWide |= isRead && shapeOf(value.getType()) == shapeOf(made.getType()) && bitsOf(value.getType()) > 16;
      bool follows = !isRead && !value.getDefiningOp<graph::DotOp>();
      work.worksAfter |= follows && shapeOf(value.getType()) == shapeOf(made.getType()) && !isCheap(value.getDefiningOp());
      return follows;
    });
  };
  lookAt(root);
  for (const Stored &each : beside) lookAt(each.first);
  auto areStored = [&](auto fits) { return fits(bitsOf(root.getType())) && llvm::all_of(beside, [&](const Stored &each) { return fits(bitsOf(each.first.getType())); }); };
  work.storesNarrow = areStored([](int64_t bits) { return bits <= 16; });
  work.storesWide = areStored([](int64_t bits) { return bits == 32; });
  return work;
}

int64_t leastOf(const Dim &extent) {
  if (extent.isConstant()) return std::max<int64_t>(extent.constant(), 1);
  int64_t divisor = 0;
  for (const Dim::Term &term : extent.terms()) divisor = std::gcd(divisor, term.coefficient);
  return std::max<int64_t>(divisor, 1);
}

void setSizes(graph::KernelOp kernel, const ContractTile &tile, int64_t parts) {
  Builder builder(kernel->getContext());
  auto size = [&](StringRef name, int64_t value) { return builder.getNamedAttr(name, builder.getI64IntegerAttr(value)); };
  SmallVector<NamedAttribute> sizes{size("k", tile.k), size("m", tile.m), size("n", tile.n)};
  if (parts > 1) sizes.push_back(size("split_k", parts));
  kernel.setSizesAttr(builder.getDictionaryAttr(sizes));
  kernel.setGroup(tile.group);
}

FunctionScheduler::RootTile FunctionScheduler::rootTile(Value root, DimAttr rows, DimAttr cols) {
  int64_t rank = static_cast<int64_t>(shapeOf(root.getType()).size());
  RootTile tile{llvm::to_vector(llvm::seq<int64_t>(0, rank)), {}, Indices(rank), Indices(rank)};
  if (auto turned = root.getDefiningOp<graph::TransposeOp>()) tile.axes.assign(turned.getPerm().begin(), turned.getPerm().end());
  for (int64_t axis : tile.axes)
    tile.extents.push_back(axis + 2 == rank ? rows : axis + 1 == rank ? cols : DimAttr::get(builder_.getContext(), Dim(1)));
  return tile;
}

/// Where the tile of this group lies.
void FunctionScheduler::placeTile(RootTile &tile, Value root, OpBuilder &builder, Privatiser &privatiser, Location line,
                                  StringRef cols) {
  ArrayRef<DimAttr> shape = shapeOf(root.getType());
  for (auto [i, axis] : llvm::enumerate(tile.axes)) {
    DimAttr extent = tile.extents[i];
    Location place = isUnit(extent) ? line : named(axis + 2 == static_cast<int64_t>(shape.size()) ? "m" : cols, line);
    Value origin = isUnit(shape[i]) || extent == shape[i]
                       ? privatiser.constantIndex(0, line)
                       : builder.create<graph::QueryOp>(place, builder.getIndexType(), "origin", i).getResult();
    tile.product[axis] = tile.stored[i] = isUnit(extent) ? Index(origin) : Index(origin, extent);
  }
}

/// `leastRows`: as the conditions of the launches say.
LogicalResult FunctionScheduler::contractKernel(Value root, ArrayRef<graph::DotOp> dots, Value target, int64_t leastRows) {
  graph::DotOp dot = dots.front();
  Location loc = root.getLoc(), line = unnamed(dot.getLoc());
  MLIRContext *context = builder_.getContext();
  ArrayRef<DimAttr> shape = shapeOf(root.getType());
  auto extent = [&](const char *name) { return DimAttr::get(context, Dim::var(name)); };
  RootTile tile = rootTile(root, extent("T.m"), extent("T.n"));
  SmallVector<Stored> others = memoryForAll(tilesBeside(root));
  Kernel begun = beginKernel(root, GridAttr::get(context, GridKind::Output, tile.extents, 0), target, {}, false, {},
                             graph::KernelOp::getOperationName(), {}, others);
  auto kernel = cast<graph::KernelOp>(begun.op);
  const Machine *machine = machineOf(kernel);
  if (!machine) return failure();
  ContractWork work = contractWork(root, dots, others);
  ContractTile sizes = usualContractTile(*machine, dots, work);
  const bool hasWindows = summedWindows(dot).has_value(), isInGroups = blocksOf(dot).has_value();
  const std::optional<int64_t> panels = panelsOf(dot);
  if (panels) sizes = panelTile(*panels);
  if (hasWindows) sizes = isInGroups ? groupedWindowTile() : windowTile(sizes);
  auto tilesOf = [&](const ContractTile &counted) {
    Dim tiles(1);
    for (DimAttr extent : shape.drop_back(2)) tiles = tiles * extent.getDim();
    return tiles * Dim::ceilDiv(shape[shape.size() - 2].getDim(), counted.m) * Dim::ceilDiv(shape.back().getDim(), counted.n);
  };
  SmallVector<FewTiles> few = tilesForFew(*machine, sizes, shapeOf(dot.getLhs().getType()).back());
  SmallVector<ContractTile> forRows = tilesForFewRows(*machine, dots, work);
  const bool isOverRows = llvm::any_of(dots, [&](graph::DotOp each) { return liesTurned(each.getLhs()) != false; });
  if (isOverRows) forRows.clear();  // 16 columns are no whole panel
  DimAttr height = dot.getType().getShape()[dot.getType().getShape().size() - 2];
  if (hasWindows) forRows.clear();
  if (isInGroups || panels) few.clear(), forRows.clear();
  for (FewTiles &fewer : few)
    if (hasWindows) fewer.tile.k = sizes.k;  // no step is of more channels than a panel has
  if (work.computesRight) few.clear();  // where its tiles are turned, how many rows there are counts
  if (!forRows.empty() && height.getConstant()) {
    sizes = forRows.pop_back_val();
    few.clear();
  }
  auto roundsOf = [&](const ContractTile &each) { return Dim::ceilDiv(tilesOf(each), Dim(machine->processors)); };
  auto costOf = [&](const ContractTile &each) { return roundsOf(each) * Dim(costOfTile(each)); };
  std::optional<ContractTile> narrow = isInGroups || panels ? std::nullopt : narrowTile(sizes, shape.back());
  if (llvm::all_of(shape, [](DimAttr extent) { return extent.getConstant().has_value(); })) {  // one kernel is enough
    SmallVector<ContractTile> tiles;
    for (const FewTiles &fewer : few) tiles.push_back(fewer.tile);
    if (narrow) tiles.push_back(*narrow), narrow->n = 128, tiles.push_back(*narrow);
    for (const ContractTile &each : tiles)
      if (costOf(each).constant() < costOf(sizes).constant()) sizes = each;
    few.clear();
    narrow.reset();
  }
  // What follows would be done for each tile of the parts' sums, and with what it reads: it stays beside the product.
  std::optional<SplitSums> split;
  bool isPlain = others.empty() && dots.size() == 1 && !hasWindows && !work.readsAfter && !work.worksAfter && !work.computesLeft && !work.computesRight;
  const bool isPlainSum = isPlain && !kernel.getDeterministic();
  if (isPlain && shape.size() == 2 && shape[0].getConstant() && shape[1].getConstant() && !kernel.getDeterministic())
    split = splitSums(*machine, usualContractTile(*machine, dots, work), *shape[0].getConstant(), *shape[1].getConstant(), costOf(sizes).constant());
  int64_t parts = 1;
  const DimAttr depth = shapeOf(dot.getLhs().getType()).back();
  if (std::optional<int64_t> terms = depth.getConstant(); split && terms) {  // one kernel again
    if (*terms >= split->from) sizes = split->tile, parts = split->parts;
    split.reset();
  }
  const bool splits = others.empty() && dots.size() == 1 && !hasWindows && !kernel.getDeterministic();
  auto partsFor = [&](const ContractTile &each) {
    std::optional<Dim> found = splits ? partsOfSums(*machine, dot, each, work.computesRight, tilesOf(each), depth.getDim()) : std::nullopt;
    return found.value_or(Dim(1));
  };
  // Where that is asked when it runs, the groups of a batch are taken to be enough.
  auto partsAsked = [&](const ContractTile &each) { return shape.size() == 2 ? partsFor(each) : Dim(1); };
  if (Dim found = partsFor(sizes); found.isConstant()) parts = std::max(parts, found.constant());
  // What no size of the result asks for is not made.
  leastRows = std::max(leastRows, leastOf(height.getDim()));
  const int64_t leastCols = leastOf(dot.getType().getShape().back().getDim());
  llvm::erase_if(few, [&](const FewTiles &fewer) {
    return (leastRows + fewer.counted.m - 1) / fewer.counted.m * ((leastCols + fewer.counted.n - 1) / fewer.counted.n) > fewer.most;
  });
  llvm::erase_if(forRows, [&](const ContractTile &each) { return leastRows > each.m; });
  kernel.setContextAttr(builder_.getStrArrayAttr({"m", "n", "k"}));
  setSizes(kernel, sizes, parts);

  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.entry());
  Privatiser privatiser(builder, begun.leaves);
  placeTile(tile, root, builder, privatiser, line, "n");
  // The sums first: nothing that follows is held in registers while they are added up.
  Value piece = privatiser.addUp(dots, tile.product) ? privatiser.part(root, tile.stored) : Value();
  if (!piece) return failure();
  SmallVector<Value> pieces;
  for (auto [beside, memory] : others)
    if (!pieces.emplace_back(privatiser.part(beside, tile.stored))) return failure();
  store(builder, piece, begun.target, tile.stored, /*byLane=*/false, loc);
  for (auto [i, each] : llvm::enumerate(others)) {
    store(builder, pieces[i], begun.others[i], tile.stored, /*byLane=*/false, each.first.getLoc());
    isHeld(each);
  }
  builder.create<graph::KernelEndOp>(line);

  std::string reason = contractReason(root, dots, begun);
  if (!others.empty()) reason += "; what is made of each element is stored with it";
  if (failed(decideContract(kernel, *machine, reason))) return failure();
  SmallVector<schedule::LaunchOp> launches{cast<schedule::LaunchOp>(*std::prev(launches_.getInsertionPoint()))};
  std::string name = launches.front().getKernel().str();
  if (failed(addSplitFor(kernel, *machine, sizes, partsAsked(sizes), reason, launches))) return failure();
  if (split) {
    setSizes(kernel, split->tile, split->parts);
    FailureOr<schedule::LaunchOp> added = addKernelFor(kernel, *machine, name + "_split", reason + "; long sums in parts, which give all processors work",
                                                       {launches.back()}, Dim(split->from), shapeOf(dot.getLhs().getType()).back().getDim());
    if (failed(added)) return failure();
    launches.push_back(*added);
  }
  if (narrow) {  // a round of them takes 0.77 of the time of one of usual tiles (costOfTile)
    setSizes(kernel, *narrow);
    FailureOr<schedule::LaunchOp> added = addKernelFor(kernel, *machine, name + "_narrow", reason + "; narrow tiles, where they give all processors even work",
                                                       {launches.back()}, Dim(5) * roundsOf(*narrow), Dim(6) * roundsOf(sizes));
    if (failed(added)) return failure();
    launches.push_back(*added);
  }
  for (auto [i, fewer] : llvm::enumerate(few)) {
    setSizes(kernel, fewer.tile);
    FailureOr<schedule::LaunchOp> added =
        addKernelFor(kernel, *machine, name + (i == 0 ? "_few" : i + 1 < few.size() ? "_fewer" : "_fewest"),
                     reason + "; small tiles, so that few of them give all processors work",
                     launches, fewer.byRounds ? Dim(2) * roundsOf(fewer.tile) : tilesOf(fewer.counted),
                     fewer.byRounds ? Dim(3) * roundsOf(fewer.counted) : Dim(fewer.most));
    if (failed(added)) return failure();
    launches.push_back(*added);
  }
  std::optional<PartsOverRows> overRows = isOverRows && isPlainSum && !split ? partsOverRows(*machine, panels ? sizes : usualContractTile(*machine, dots, work), tilesOf, depth.getDim(), panels.has_value()) : std::nullopt;
  if (overRows && dimsInScope() == function_.getDimsAttr()) {
    setSizes(kernel, overRows->tile);
    kernel->setAttr(kParts, DimAttr::get(context, overRows->parts));
    FailureOr<schedule::LaunchOp> added = addKernelFor(kernel, *machine, name + "_split", reason + "; long sums in parts, which give all processors work",
                                                       launches, Dim(2), overRows->parts);
    kernel->removeAttr(kParts);
    if (failed(added)) return failure();
    launches.push_back(*added);
  }
  if (const int64_t narrowCols = narrowWindowTile().n; hasWindows && sizes.n > narrowCols && !shape.back().getConstant() && leastCols <= narrowCols) {
    setSizes(kernel, narrowWindowTile());
    FailureOr<schedule::LaunchOp> added = addKernelFor(kernel, *machine, name + "_narrow", reason + "; tiles of few columns", launches,
                                                       dot.getType().getShape().back().getDim(), Dim(narrowCols));
    if (failed(added)) return failure();
    launches.assign({*added});
  }
  if (shape.size() > 2 && !hasWindows && failed(addSmallFor(kernel, *machine, dots, sizes, reason, launches))) return failure();
  // From the more to the fewer rows: each is started instead of those before it. Those of fewest say that one tile has all rows.
  const Attribute oneTile = RequirementAttr::get(context, height, Relation::Le, extent("T.m"), "");
  bool isSaid = false;
  for (const ContractTile &each : forRows) {
    setSizes(kernel, each);
    if (each.m < 64 && !std::exchange(isSaid, true)) {
      SmallVector<Attribute> facts(kernel.getRequirements().begin(), kernel.getRequirements().end());
      facts.push_back(oneTile);
      kernel.setRequirementsAttr(builder_.getArrayAttr(facts));
    }
    std::string wanted = name + (each.m < 64 ? "_few_rows" : "_" + std::to_string(each.m) + "_rows");
    FailureOr<schedule::LaunchOp> added = addKernelFor(kernel, *machine, wanted, reason + "; tiles of few rows", launches, height.getDim(), Dim(each.m));
    if (failed(added)) return failure();
    launches.assign({*added});
    if (failed(addSplitFor(kernel, *machine, each, partsAsked(each), reason + "; tiles of few rows", launches))) return failure();
  }
  kernel.erase();
  return success();
}

}  // namespace tessera::transforms
