// Sums of the columns of a matrix, where a product makes the matrix and nothing else reads it: the derivative of a bias.
//
//   kernel P:  store acc, X[m, n]              kernel P:  store_column_sums acc, S[m, n]      S: a row for each 16 of X
//   kernel R:  for k in M: sum += X[k, i]  ->  kernel R:  for k in (M + 15) // 16: sum += S[k, i]
//
// X would be written and read in f32. 16 rows are what one warp holds of a tile, so their sums need no shared memory and
// are the same whatever the tile's size. All launches of P and R change together, or none. X may have more axes, [B, T, H, D]:
// rows are then those of the first axes, up to the one along which the rows of tiles lie, and columns those of the others.
#include "ir/common/Names.h"
#include "ir/tile/Tile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/Roles.h"
#include "transforms/tile/Stages.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kRowsOfSum = 16;      // column_sums.h
constexpr int64_t kColumnsOfWarp = 32;  // at least: eight for each lane

/// A parameter of a kernel: what a launch hands over there.
struct Place {
  tile::KernelOp kernel;
  unsigned number;
  BlockArgument argument() { return kernel.getBody().getArgument(number); }
  ViewType type() { return cast<ViewType>(argument().getType()); }
  ParamAttr param() { return kernel.param(number); }
};

template <class Op> Op onlyUser(Value value) { return value.hasOneUse() ? dyn_cast<Op>(*value.getUsers().begin()) : Op(); }

/// The product of extents.
Dim countOf(ArrayRef<DimAttr> shape) {
  Dim count(1);
  for (DimAttr extent : shape) count = count * extent.getDim();
  return count;
}

/// How many of the first axes are rows of the matrix that a store's tiles are parts of: those up to the one of the tiles' rows.
size_t rowAxes(tile::StoreFragmentOp store) {
  return static_cast<size_t>(llvm::find(store.getPoints(), false) - store.getPoints().begin()) + 1;
}

/// The store of a product's tile, of which the parameter gets nothing else.
tile::StoreFragmentOp storeOf(Place place) {
  auto store = onlyUser<tile::StoreFragmentOp>(place.argument());
  if (!store || store.getBase() != place.argument() || store.getOffsets().size() < 2 || llvm::count(store.getPoints(), false) != 2) return {};
  tile::FragmentType type = store.getValue().getType();
  auto layout = dyn_cast<tile::MmaAttr>(type.getLayout());
  bool isPlain = !store.getPoints().back() && llvm::all_of(store.getSteps(), [](int64_t step) { return step == 1; });
  if (!layout || type.getRank() != 2 || !type.getElementType().isF32() || !isPlain) return {};
  const size_t rows = rowAxes(store);
  if (store.getOffsets().size() > 2) {  // no tile goes from the rows of one matrix to those of the next
    std::optional<int64_t> extent = place.type().getShape()[rows - 1].getConstant();
    bool isInside = store.getInBounds()[rows - 1] && extent && *extent % kRowsOfSum == 0;
    if (!isInside || store.getTransposed()) return {};
  }
  Extents extents(place.kernel);
  auto isWhole = [&](int64_t axis, int64_t of) {
    std::vector<int64_t> values = extents.values(type.getShape()[axis]);
    return !values.empty() && llvm::all_of(values, [&](int64_t value) { return value % of == 0; });
  };
  bool fits = store.getTransposed() ? layout.getCols() == 1 && isWhole(0, layout.getRows() * kRowsOfSum) && isWhole(1, kRowsOfSum)
                                    : isWhole(0, layout.getRows() * kRowsOfSum) && isWhole(1, layout.getCols() * kColumnsOfWarp);
  return fits && extents.isMultiple(store.getOffsets()[rows - 1], kRowsOfSum) ? store : tile::StoreFragmentOp();
}

/// Another parameter over whose tiles the groups may be counted; the parameter itself where they are not counted over it.
std::optional<int64_t> gridWithout(Place place) {
  GridAttr grid = place.kernel.getGrid();
  if (grid.getKind() != GridKind::Output || grid.getParam() != place.number) return grid.getParam();
  for (BlockArgument other : place.kernel.getBody().getArguments()) {
    auto view = dyn_cast<ViewType>(other.getType());
    if (other != place.argument() && view && view.getShape() == place.type().getShape()) return other.getArgNumber();
  }
  return std::nullopt;
}

/// The number that indices are of an element, in row-major order: x of [x // 64, x % 64]. Null if no value is that number.
Value numberOf(ValueRange indices, ArrayRef<DimAttr> extents) {
  if (indices.size() == 1) return indices[0];
  if (indices.size() != 2) return {};
  auto high = indices[0].getDefiningOp<tile::ElementwiseOp>(), low = indices[1].getDefiningOp<tile::ElementwiseOp>();
  if (!high || !low || high.getMnemonic() != "floordiv" || low.getMnemonic() != "mod" || high.getArgs()[0] != low.getArgs()[0]) return {};
  auto isExtent = [&](Value value) {
    auto number = value.getDefiningOp<tile::ConstantOp>();
    auto dim = value.getDefiningOp<tile::DimOp>();
    if (number) return extents[1].getConstant() == cast<IntegerAttr>(number.getValue()).getInt();
    return dim && Dim::parse(dim.getDim().str()) == extents[1].getDim();
  };
  return isExtent(high.getArgs()[1]) && isExtent(low.getArgs()[1]) ? high.getArgs()[0] : Value();
}

/// How many of the first axes a sum goes over, of an array that it reads column by column; 0 if it does not.
size_t rowAxes(tile::LoadElementOp load, scf::ForOp loop) {
  ArrayRef<DimAttr> shape = shapeOf(load.getBase().getType());
  for (size_t rows = 1; rows < shape.size(); ++rows)
    if (numberOf(load.getIndices().take_front(rows), shape.take_front(rows)) == loop.getInductionVar() &&
        numberOf(load.getIndices().drop_front(rows), shape.drop_front(rows)))
      return rows;
  return 0;
}

/// The loop that adds up a column of the parameter, which nothing else reads.
scf::ForOp loopOf(Place place) {
  auto load = onlyUser<tile::LoadElementOp>(place.argument());
  auto loop = load ? dyn_cast<scf::ForOp>(load->getParentOp()) : scf::ForOp();
  auto reduction = loop ? loop->getAttrOfType<StringAttr>(tile::kReduces) : StringAttr();
  if (!reduction || reduction != "sum" || loop->hasAttr(kSplit) || loop.getNumResults() != 1) return {};
  auto first = loop.getLowerBound().getDefiningOp<tile::ConstantOp>(), step = loop.getStep().getDefiningOp<tile::ConstantOp>();
  auto isNumber = [](tile::ConstantOp op, int64_t number) { return op && cast<IntegerAttr>(op.getValue()).getInt() == number; };
  auto dim = loop.getUpperBound().getDefiningOp<tile::DimOp>();
  auto number = loop.getUpperBound().getDefiningOp<tile::ConstantOp>();
  const size_t axes = rowAxes(load, loop);
  const Dim rows = countOf(place.type().getShape().take_front(axes));
  bool isWhole = dim ? Dim::parse(dim.getDim().str()) == rows : rows.isConstant() && isNumber(number, rows.constant());
  auto add = onlyUser<tile::ElementwiseOp>(load.getResult());
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  bool isSum = add && add.getMnemonic() == "add" && yield.getOperand(0) == add.getResult() && loop.getRegionIterArg(0).hasOneUse() &&
               llvm::is_contained(add.getArgs(), loop.getRegionIterArg(0)) &&
               llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) { return &op == load || &op == add || op.getResult(0).getType().isIndex(); });
  return isNumber(first, 0) && isNumber(step, 1) && axes > 0 && isWhole && isSum ? loop : scf::ForOp();
}

class SumColumns {
public:
  explicit SumColumns(ModuleOp module) : symbols_(module), builder_(module.getContext()) {
    module.walk([&](tile::LaunchOp launch) { launches_[symbols_.lookup<tile::KernelOp>(launch.getKernel())].push_back(launch); });
    module.walk([&](tile::TempOp temp) {
      if (isSummed(temp)) summed_.insert(temp);
    });
  }

  void run() {
    while (removeOthers()) {}
    llvm::MapVector<std::pair<Operation *, unsigned>, Place> places;
    for (tile::TempOp temp : summed_)
      for (OpOperand &use : temp->getUses()) {
        Place place = placeOf(use);
        places.insert({{place.kernel, place.number}, place});
      }
    for (auto &[key, place] : places) {
      if (auto store = storeOf(place)) sumWhereStored(place, store);
      else addSums(place, loopOf(place));
    }
    for (tile::TempOp temp : summed_) {
      StringRef name = nameHint(temp.getResult());
      if (!name.empty()) temp->setLoc(named((name + "_sums").str(), unnamed(temp.getLoc())));
      temp.getResult().setType(sumsOf(temp.getType(), rows_.lookup(temp)));
    }
  }

private:
  Place placeOf(OpOperand &use) {
    auto launch = cast<tile::LaunchOp>(use.getOwner());
    return {symbols_.lookup<tile::KernelOp>(launch.getKernel()), use.getOperandNumber()};
  }

  /// Products write it, sums of columns read it, and nothing else knows it.
  bool isSummed(tile::TempOp temp) {
    ViewType type = temp.getType();
    if (type.getShape().size() < 2 || !type.getElementType().isF32() || type.getPlaces() || temp->hasAttr("tsr.buffer")) return false;
    bool isWritten = false, isRead = false;
    for (OpOperand &use : temp->getUses()) {
      if (!isa<tile::LaunchOp>(use.getOwner())) return false;
      Place place = placeOf(use);
      if (place.type().getPlaces()) return false;
      if (place.type().getShape() != type.getShape()) return false;
      tile::StoreFragmentOp store = gridWithout(place) ? storeOf(place) : tile::StoreFragmentOp();
      scf::ForOp loop = store ? scf::ForOp() : loopOf(place);
      if (!store && !loop) return false;
      const size_t rows = store ? rowAxes(store) : rowAxes(onlyUser<tile::LoadElementOp>(place.argument()), loop);
      if (rows_.try_emplace(temp, rows).first->second != rows) return false;
      isWritten |= static_cast<bool>(store), isRead |= static_cast<bool>(loop);
    }
    return isWritten && isRead;
  }

  /// A kernel that some launch starts with another tensor stays as it is, and so does what its other launches hand over.
  bool removeOthers() {
    auto isShared = [&](OpOperand &use) {
      Place place = placeOf(use);
      return llvm::any_of(launches_[place.kernel], [&](tile::LaunchOp launch) {
        auto temp = launch.getArgs()[place.number].getDefiningOp<tile::TempOp>();
        return !temp || !summed_.contains(temp);
      });
    };
    for (tile::TempOp temp : summed_)
      if (llvm::any_of(temp->getUses(), isShared)) return summed_.remove(temp);
    return false;
  }

  /// Of an array whose first axes, so many, are the rows.
  ViewType sumsOf(ViewType type, size_t axes) {
    Dim rows = Dim::ceilDiv(countOf(type.getShape().take_front(axes)), Dim(kRowsOfSum));
    auto attr = [&](const Dim &dim) { return DimAttr::get(type.getContext(), dim); };
    return ViewType::get(type.getContext(), {attr(rows), attr(countOf(type.getShape().drop_front(axes)))}, type.getElementType());
  }
  /// The number of an element in row-major order.
  Value numberAt(ValueRange indices, ArrayRef<DimAttr> extents, Location place) {
    Value at = indices[0];
    auto made = [&](StringRef mnemonic, Value a, Value b) -> Value {
      return builder_.create<tile::ElementwiseOp>(place, builder_.getIndexType(), mnemonic, ValueRange{a, b});
    };
    for (auto [index, extent] : llvm::zip(indices.drop_front(), extents.drop_front())) at = made("add", made("mul", at, number(extent.getDim(), place)), index);
    return at;
  }
  Value number(const Dim &value, Location place) {
    if (value.isConstant()) return builder_.create<tile::ConstantOp>(place, builder_.getIndexType(), builder_.getIndexAttr(value.constant()));
    return builder_.create<tile::DimOp>(place, builder_.getIndexType(), value.str());
  }

  /// The parameter is one of sums, by its type and its name.
  void retype(Place place, size_t axes) {
    tile::KernelOp kernel = place.kernel;
    ViewType type = sumsOf(place.type(), axes);
    ParamAttr old = place.param();
    std::string name = (old.getName() + "_sums").str();
    SmallVector<Attribute> params(kernel.getParams().begin(), kernel.getParams().end());
    params[place.number] = ParamAttr::get(builder_.getContext(), name, old.getMode(), old.getIsResult(), old.getKeywordOnly(), old.getDefaultValue());
    SmallVector<Attribute> outputs(kernel.getOutputs().begin(), kernel.getOutputs().end());
    for (Attribute &output : outputs)
      if (auto result = cast<ResultAttr>(output); result.getParam() == place.number) {
        auto tensor = TensorType::get(builder_.getContext(), type.getShape(), type.getElementType());
        output = ResultAttr::get(builder_.getContext(), name, tensor, result.getParam());
      }
    place.argument().setType(type);
    SmallVector<Type> types(kernel.getBody().getArgumentTypes());
    kernel->setAttr("function_type", TypeAttr::get(builder_.getFunctionType(types, {})));
    kernel->setAttr("params", builder_.getArrayAttr(params));
    kernel->setAttr("outputs", builder_.getArrayAttr(outputs));
  }

  void sumWhereStored(Place place, tile::StoreFragmentOp store) {
    tile::KernelOp kernel = place.kernel;
    if (GridAttr grid = kernel.getGrid(); grid.getKind() == GridKind::Output)
      kernel->setAttr("grid", GridAttr::get(builder_.getContext(), grid.getKind(), grid.getDims(), *gridWithout(place)));
    addReason(kernel, "%" + Twine(place.number) + ": each " + Twine(kRowsOfSum) + " rows of the tile are added up, as only sums of columns are asked for");
    for (auto last : store->getBlock()->getOps<tile::StoreFragmentOp>()) builder_.setInsertionPointAfter(last);  // when other tiles need no registers
    const size_t axes = rowAxes(store);
    ArrayRef<DimAttr> shape = place.type().getShape();
    Location line = unnamed(store.getLoc());
    Value rows = number(countOf(shape.take_front(axes)), line), row = numberAt(store.getOffsets().take_front(axes), shape.take_front(axes), line);
    Value col = numberAt(store.getOffsets().drop_front(axes), shape.drop_front(axes), line);
    builder_.create<tile::StoreColumnSumsOp>(store.getLoc(), store.getValue(), place.argument(), row, col, rows, store.getTransposed());
    store.erase();
    freePanels(kernel);
    retype(place, axes);
  }

  /// Panels through which tiles of f32 left are stages of operands, where nothing else leaves in f32.
  static void freePanels(tile::KernelOp kernel) {
    int64_t teams = 0;
    bool areUsed = false;
    kernel.getBody().walk([&](Operation *op) {
      if (auto roles = dyn_cast<tile::RolesOp>(op)) teams = roles.getTeams();
      if (auto other = dyn_cast<tile::StoreFragmentOp>(op)) areUsed |= other.getBulk() && other.getValue().getType().getElementType().isF32();
    });
    int64_t warpgroups = teams * static_cast<int64_t>(kernel.getGroup()) / kWarpgroupLanes;
    if (!areUsed) addStages(kernel, storePanelBytes(warpgroups));
  }

  void addSums(Place place, scf::ForOp loop) {
    auto load = onlyUser<tile::LoadElementOp>(place.argument());
    const size_t axes = rowAxes(load, loop);
    builder_.setInsertionPoint(loop);
    loop.getUpperBoundMutable().assign(number(sumsOf(place.type(), axes).getShape()[0].getDim(), unnamed(loop.getLoc())));
    Value col = numberOf(load.getIndices().drop_front(axes), place.type().getShape().drop_front(axes));
    retype(place, axes);
    builder_.setInsertionPoint(load);
    Value sums = builder_.create<tile::LoadElementOp>(load.getLoc(), load.getType(), place.argument(), ValueRange{loop.getInductionVar(), col}, Value(),
                                                      builder_.getDenseBoolArrayAttr({true, true}));
    load.replaceAllUsesWith(sums);
    load.erase();
  }

  SymbolTable symbols_;
  OpBuilder builder_;
  llvm::MapVector<tile::KernelOp, SmallVector<tile::LaunchOp>> launches_;
  llvm::SetVector<tile::TempOp> summed_;
  llvm::DenseMap<Operation *, size_t> rows_;  // of a temporary: how many of its first axes are rows
};

struct SumColumnsPass : PassWrapper<SumColumnsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SumColumnsPass)
  StringRef getArgument() const override { return "tile-sum-columns"; }
  StringRef getDescription() const override { return "sums of a product's columns from its tiles, where nothing else needs them in f32"; }
  void runOnOperation() override { SumColumns(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createSumColumnsPass() { return std::make_unique<SumColumnsPass>(); }

}  // namespace tessera::transforms
