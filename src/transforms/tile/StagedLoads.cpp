#include "transforms/tile/StagedLoads.h"
#include "ir/common/Names.h"
#include "mlir/IR/Builders.h"
#include "transforms/tile/Roles.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool canBeStaged(tile::LoadFragmentOp load, Extents &extents) {
  tile::FragmentType type = load.getResult().getType();
  Type element = type.getElementType();
  bool known = element.isBF16() || element.isF16() || element.isF32() || (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 8);
  if (!known || type.getRank() != 2 || load.getOther() || !isa<BlockArgument>(load.getBase())) return false;
  size_t rank = load.getOffsets().size();
  for (size_t axis = 0; axis < rank; ++axis)
    if (load.getPoints()[axis] != (axis + 2 < rank) || load.getSteps()[axis] != 1) return false;
  int64_t panel = kPanelBytes / storedBytes(element);
  ArrayRef<DimAttr> shape = type.getShape();
  auto whole = [&](DimAttr extent, int64_t of) {
    std::vector<int64_t> values = extents.values(extent);
    return !values.empty() && llvm::all_of(values, [&](int64_t value) { return value % of == 0; });
  };
  bool turned = load.getTransposed();
  return whole(shape[turned ? 1 : 0], 8) && whole(shape[turned ? 0 : 1], panel);
}

tile::ReadSharedOp stage(tile::LoadFragmentOp load, StringRef swizzle) {
  OpBuilder builder(load);
  tile::FragmentType type = load.getResult().getType();
  SmallVector<DimAttr> shape(type.getShape());
  if (load.getTransposed()) std::reverse(shape.begin(), shape.end());
  Location loc = unnamed(load.getLoc());
  Block &top = load->getParentOfType<tile::KernelOp>().getBody().front();
  auto place = top.begin();
  while (isa<tile::AllocSharedOp>(*place)) ++place;
  builder.setInsertionPoint(&top, place);
  StringRef base = nameHint(load.getBase());
  auto shared = SharedType::get(builder.getContext(), shape, type.getElementType(), swizzle);
  Value buffer = builder.create<tile::AllocSharedOp>(named(base.empty() ? "operand_tile" : (base + "_tile").str(), loc), shared, false);
  builder.setInsertionPoint(load);
  builder.create<tile::CopyOp>(loc, load.getBase(), load.getOffsets(), load.getPointsAttr(), load.getSizesAttr(), load.getStepsAttr(),
                               load.getInBoundsAttr(), buffer, UnitAttr());
  Value zero = builder.create<tile::ConstantOp>(loc, builder.getIndexType(), builder.getIndexAttr(0));
  auto read = builder.create<tile::ReadSharedOp>(
      named(base.empty() ? "read" : (base + "_read").str(), load.getLoc()), type, buffer, ValueRange{zero, zero}, builder.getDenseBoolArrayAttr({false, false}),
      DimsAttr::get(builder.getContext(), shape), builder.getDenseI64ArrayAttr({1, 1}), builder.getDenseBoolArrayAttr({true, true}),
      Value(), load.getTransposedAttr());
  load.getResult().replaceAllUsesWith(read.getResult());
  load.erase();
  return read;
}

}  // namespace tessera::transforms
