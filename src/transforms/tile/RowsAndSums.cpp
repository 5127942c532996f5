#include "ir/common/Names.h"
#include "transforms/tile/Patterns.h"
#include "transforms/tile/SumBesideRows.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

using Read = SumKernel::Read;

constexpr int64_t kLeastColumns = 64;    // fewer are added up by few lanes
constexpr int64_t kMostColumns = 8192;   // a lane has eight of them, in groups of 1024

static bool isNumber(Value value, int64_t number) {
  auto op = value.getDefiningOp<tile::ConstantOp>();
  auto known = op ? dyn_cast<IntegerAttr>(op.getValue()) : IntegerAttr();
  return known && known.getInt() == number;
}

static std::optional<Dim> dimOf(Value value) {
  if (auto dim = value.getDefiningOp<tile::DimOp>()) return Dim::parse(dim.getDim().str());
  auto op = value.getDefiningOp<tile::ConstantOp>();
  auto known = op ? dyn_cast<IntegerAttr>(op.getValue()) : IntegerAttr();
  return known ? std::optional(Dim(known.getInt())) : std::nullopt;
}

static bool isInBounds(DenseBoolArrayAttr inBounds) { return inBounds && !llvm::is_contained(inBounds.asArrayRef(), false); }

/// [row, column], [row] or [row, 0], [column]; None for anything else.
static Read readOf(ValueRange indices, Value row, Value column) {
  if (indices.size() == 2 && indices[0] == row && indices[1] == column) return Read::Element;
  if (indices.size() == 1 && indices[0] == column) return Read::Column;
  bool isRow = !indices.empty() && indices[0] == row && llvm::all_of(indices.drop_front(), [](Value index) { return isNumber(index, 0); });
  return isRow ? Read::Number : Read::None;
}

std::string SumKernel::nameOf(Value result) {
  for (Operation *user : result.getUsers())
    if (auto store = dyn_cast<tile::StoreElementOp>(user))
      if (auto argument = dyn_cast<BlockArgument>(store.getBase())) return kernel.param(argument.getArgNumber()).getName().str();
  return "column";
}

/// The loop of the kernel, and the column that a lane has; null where the kernel is of another form.
static scf::ForOp loopOf(tile::KernelOp kernel, Value &column) {
  Block &top = kernel.getBody().front();
  scf::ForOp found;
  for (auto guard : top.getOps<scf::IfOp>())
    for (auto loop : guard.thenBlock()->getOps<scf::ForOp>()) {
      auto test = guard.getCondition().getDefiningOp<tile::ElementwiseOp>();
      if (found || !test || test.getMnemonic() != "lt") return {};
      auto query = test.getArgs()[0].getDefiningOp<tile::QueryOp>();
      if (!query || query.getQuery() != "linear_id") return {};
      column = query.getResult(), found = loop;
    }
  return found;
}

std::optional<SumKernel> sumKernel(tile::KernelOp kernel) {
  GridAttr grid = kernel ? kernel.getGrid() : GridAttr();
  if (!kernel || grid.getKind() != GridKind::Lanes || grid.getDims().size() != 1 || !grid.getDims()[0].getConstant() || !kernel.getCapacity().empty()) return std::nullopt;
  SumKernel sums{kernel, {}, {}, {}, *grid.getDims()[0].getConstant(), {}, SmallVector<Read>(kernel.getBody().getNumArguments(), Read::None)};
  scf::ForOp loop = sums.loop = loopOf(kernel, sums.column);
  if (!loop || loop->hasAttr(kSplit) || !isNumber(loop.getLowerBound(), 0) || !isNumber(loop.getStep(), 1)) return std::nullopt;
  std::optional<Dim> rows = dimOf(loop.getUpperBound());
  SmallVector<StringRef> reductions = tile::reductionsOf(loop);
  if (!rows || reductions.empty() || !llvm::all_of(reductions, [](StringRef each) { return each == "sum"; })) return std::nullopt;
  sums.rows = *rows;
  bool isPlain = true;
  kernel.getBody().walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadElementOp>(op)) {
      auto base = dyn_cast<BlockArgument>(load.getBase());
      Read read = readOf(load.getIndices(), loop.getInductionVar(), sums.column);
      isPlain &= base && base.getOwner()->getParentOp() == kernel && read != Read::None && isInBounds(load.getInBoundsAttr());
      if (!isPlain) return;
      Read &known = sums.reads[base.getArgNumber()];
      isPlain &= known == Read::None || known == read;
      known = read;
    } else if (isa<tile::QueryOp>(op)) {
      isPlain &= op->getResult(0) == sums.column;
    } else {
      isPlain &= isa<tile::ConstantOp, tile::DimOp, tile::ElementwiseOp, tile::CastOp, tile::StoreElementOp, tile::KernelEndOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op);
      isPlain &= !isa<scf::ForOp>(op) || op == loop;
    }
  });
  for (auto [sum, next] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto add = next.getDefiningOp<tile::ElementwiseOp>();
    bool isSum = add && add.getMnemonic() == "add" && sum.getType().isF32() && sum.hasOneUse() && *sum.user_begin() == add && add->getBlock() == loop.getBody();
    if (!isPlain || !isSum) return std::nullopt;
    sums.terms.push_back(add.getArgs()[0] == sum ? add.getArgs()[1] : add.getArgs()[0]);
  }
  return sums;
}

std::optional<RowKernel> rowKernel(tile::KernelOp kernel) {
  GridAttr grid = kernel ? kernel.getGrid() : GridAttr();
  if (!kernel || grid.getKind() != GridKind::Output || !kernel.getCapacity().empty() || kernel.getSizes().contains("warps")) return std::nullopt;
  auto type = dyn_cast<ViewType>(kernel.getBody().getArgument(static_cast<unsigned>(grid.getParam())).getType());
  if (!type || type.getRank() != 2 || type.getPlaces() || grid.getDims().size() != 2 || grid.getDims()[0].getConstant() != 1) return std::nullopt;
  std::optional<int64_t> columns = type.getShape()[1].getConstant();
  if (!columns || *columns < kLeastColumns || *columns > kMostColumns || grid.getDims()[1] != type.getShape()[1]) return std::nullopt;
  RowKernel rows{kernel, {}, {}, type.getShape()[0].getDim(), *columns};
  for (auto loop : kernel.getBody().front().getOps<scf::ForOp>()) rows.loop = loop;
  int origins = 0;
  kernel.getBody().walk([&](tile::QueryOp op) {
    if (op.getQuery() == "origin" && op.getAxis() == 0) rows.origin = op.getResult(), ++origins;
  });
  if (!rows.loop || rows.loop.getNumResults() != 0 || origins != 1) return std::nullopt;
  bool goesOverRow = isByGroup(rows.loop) && dimOf(rows.loop.getUpperBound()) == Dim(*columns);
  return goesOverRow && rows.origin.getParentBlock() == rows.loop->getBlock() ? std::optional(rows) : std::nullopt;
}

Value RowKernel::stored(unsigned param, Read read) {
  Value value;
  for (Operation *user : kernel.getBody().getArgument(param).getUsers()) {
    auto store = dyn_cast<tile::StoreElementOp>(user);
    if (!store) continue;
    if (value || readOf(store.getIndices(), origin, loop.getInductionVar()) != read) return {};
    bool isHere = read == Read::Element ? store->getBlock() == loop.getBody() : store.getValue().getParentBlock() == loop->getBlock();
    if (!isHere) return {};
    value = store.getValue();
  }
  Operation *made = value ? value.getDefiningOp() : nullptr;
  bool isBefore = !made || read == Read::Element || made->isBeforeInBlock(loop);
  return isBefore ? value : Value();
}

Value RowKernel::atHand(unsigned param, Read read) {
  if (Value value = stored(param, read)) return value;
  for (auto load : loop.getBody()->getOps<tile::LoadElementOp>()) {
    bool isSame = load.getBase() == kernel.getBody().getArgument(param) && isInBounds(load.getInBoundsAttr());
    if (isSame && readOf(load.getIndices(), origin, loop.getInductionVar()) == read) return load.getResult();
  }
  return {};
}

bool RowKernel::has(unsigned param, Read read) {
  bool isWritten = false;
  for (Operation *user : kernel.getBody().getArgument(param).getUsers()) {
    if (!isa<tile::LoadElementOp, tile::StoreElementOp>(user)) return false;
    isWritten |= isa<tile::StoreElementOp>(user);
  }
  return !isWritten || stored(param, read);
}

bool dropStores(BlockArgument argument) {
  if (!llvm::all_of(argument.getUsers(), llvm::IsaPred<tile::StoreElementOp>)) return false;
  for (Operation *store : llvm::make_early_inc_range(argument.getUsers())) {
    auto once = dyn_cast<tile::OnceOp>(store->getParentOp());
    store->erase();
    if (once && llvm::all_of(once.getBody().front(), [](Operation &op) { return isPure(&op); })) once.erase();
  }
  return true;
}

void dropParameters(tile::KernelOp kernel, const llvm::BitVector &gone) {
  MLIRContext *context = kernel->getContext();
  SmallVector<int64_t> number(gone.size(), -1);
  SmallVector<Attribute> params, outputs;
  for (unsigned i = 0; i < gone.size(); ++i) {
    if (gone[i]) continue;
    number[i] = static_cast<int64_t>(params.size());
    params.push_back(kernel.param(i));
  }
  for (auto output : kernel.getOutputs().getAsRange<ResultAttr>())
    if (int64_t at = number[static_cast<size_t>(output.getParam())]; at >= 0)
      outputs.push_back(ResultAttr::get(context, output.getName(), output.getType(), at));
  GridAttr grid = kernel.getGrid();
  if (grid.getKind() == GridKind::Output)
    kernel->setAttr("grid", GridAttr::get(context, grid.getKind(), grid.getDims(), number[static_cast<size_t>(grid.getParam())]));
  kernel.getBody().front().eraseArguments(gone);
  Builder builder(context);
  kernel->setAttr("function_type", TypeAttr::get(builder.getFunctionType(kernel.getBody().getArgumentTypes(), {})));
  kernel->setAttr("params", builder.getArrayAttr(params));
  kernel->setAttr("outputs", builder.getArrayAttr(outputs));
}

}  // namespace tessera::transforms
