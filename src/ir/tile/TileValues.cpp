// Rules of the operations on scalars and fragments.
#include "ir/tile/Tile.h"
#include "ir/common/BitCasts.h"
#include "ir/common/ProductNotes.h"
#include "mlir/IR/Builders.h"
#include <array>

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

LogicalResult DimOp::verify() {
  std::optional<tessera::Dim> dim = tessera::Dim::parse(getDim());
  if (!dim) return emitOpError() << "\"" << getDim() << "\" is not a dimension";
  if (dim->str() != getDim())
    return emitOpError() << "\"" << getDim() << "\" is not in normal form, which is \"" << dim->str() << "\"";
  return success();
}

LogicalResult QueryOp::verify() {
  constexpr std::array known = {"origin",  "group_id",  "group_size", "local_id",
                                "lane_id", "linear_id", "group_count"};
  if (!llvm::is_contained(known, getQuery()))
    return emitOpError() << "there is no query \"" << getQuery() << "\"";
  if (getAxis() < 0) return emitOpError() << "axis " << getAxis() << " is below 0";
  return success();
}

bool QueryOp::isVarying() {
  return getQuery() == "local_id" || getQuery() == "lane_id" || getQuery() == "linear_id";
}

LogicalResult GroupReduceOp::verify() {
  return verifyReduction(*this, getReduction(), getValue().getType(), getValue().getType());
}

LogicalResult tile::ElementwiseOp::verify() {
  return verifyElementwise(*this, getMnemonic(), getArgs().getTypes(), getResult().getType());
}

LogicalResult CastOp::verify() {
  if (getRounding() == kBits) return verifyBits(*this, getValue().getType(), getResult().getType());
  std::optional<Rounding> rounding = Rounding::NearestEven;
  if (getRounding()) rounding = symbolizeRounding(*getRounding());
  if (!rounding) return emitOpError() << "there is no rounding \"" << *getRounding() << "\"";
  return verifyCast(*this, getValue().getType(), getResult().getType(), *rounding, getSaturate());
}

LogicalResult FillOp::verify() {
  if (getValue().getType() != getResult().getType().getElementType())
    return emitOpError() << "fills with " << getValue().getType() << ", which is not the element type";
  return success();
}

LogicalResult IotaOp::verify() {
  FragmentType type = getResult().getType();
  if (!type.getElementType().isInteger(32))
    return emitOpError() << "counts in i32, not " << type.getElementType();
  if (getAxis() >= type.getRank())
    return emitOpError() << "axis " << getAxis() << " is outside rank " << type.getRank();
  return success();
}

/// The slice of `full` that lacks `axis`.
static FragmentType without(FragmentType full, int64_t axis) {
  return FragmentType::get(full.getContext(), {full.getShape()[1 - axis]}, full.getElementType(),
                           SliceAttr::get(full.getContext(), axis, full.getLayout()));
}

LogicalResult BroadcastOp::verify() {
  FragmentType from = getValue().getType(), to = getResult().getType();
  if (from.getRank() != 1 || to.getRank() != 2)
    return emitOpError() << "repeats a vector to a tile of rank 2";
  if (from != without(to, from.getSliceAxis()))
    return emitOpError() << "the operand " << from << " is not the slice " << without(to, from.getSliceAxis())
                         << " of the result";
  return success();
}

LogicalResult ColumnsOp::verify() {
  FragmentType from = getValue().getType(), to = getResult().getType();
  if (from.getRank() != 2 || to.getRank() != 2 || from.getElementType() != to.getElementType() || from.getLayout() != to.getLayout() ||
      from.getShape()[0] != to.getShape()[0])
    return emitOpError() << "takes columns of a tile of rank 2, with all of its rows and in its layout, not " << to << " of " << from;
  std::optional<int64_t> columns = to.getShape()[1].getConstant();
  if (!columns || *columns % from.getTileLayout().getColStep() != 0)
    return emitOpError() << "takes a number of columns that is a multiple of " << from.getTileLayout().getColStep() << ", not "
                         << to.getShape()[1].getText();
  return success();
}

LogicalResult OrderRowsOp::verify() {
  auto layout = dyn_cast<MmaAttr>(getValue().getType().getLayout());
  if (getValue().getType().getRank() != 2 || !layout || layout.getCols() != 1)
    return emitOpError() << "orders the rows of tiles in the layout of one column of warps, not " << getValue().getType();
  return success();
}

LogicalResult tile::ReduceOp::verify() {
  if (failed(verifyReduction(*this, getReduction(), getValue().getType(), getResult().getType())))
    return failure();
  FragmentType from = getValue().getType();
  if (getAxis() >= from.getRank())
    return emitOpError() << "axis " << getAxis() << " is outside rank " << from.getRank();
  Type want = from.getRank() == 1 ? from.getElementType() : Type(without(from, getAxis()));
  if (getResult().getType() != want)
    return emitOpError() << "gives " << want << ", not " << getResult().getType();
  return success();
}

LogicalResult tile::ScanOp::verify() { return verifyScan(*this, getReduction(), getAxis(), getValue().getType().getRank(), getValue().getType()); }

LogicalResult ArgsortOp::verify() {
  FragmentType from = getValue().getType(), to = getResult().getType();
  if (isa<ComplexType>(from.getElementType())) return emitOpError("sorts complex numbers, which have no order");
  if (!to.getElementType().isInteger(64)) return emitOpError() << "counts places in i64, not in " << to.getElementType();
  if (to.withElementType(from.getElementType()) != from)
    return emitOpError() << "gives the shape and layout of " << from << ", not " << to;
  return success();
}

LogicalResult tile::GatherOp::verify() {
  FragmentType from = getValue().getType();
  Type to = getResult().getType(), at = getPlaces().getType();
  const int64_t axis = getAxis();
  if (axis < 0 || axis >= from.getRank()) return emitOpError() << "axis " << axis << " is outside rank " << from.getRank();
  if (elementTypeOf(to) != from.getElementType())
    return emitOpError() << "gives elements of " << from.getElementType() << ", not " << elementTypeOf(to);
  auto fragment = dyn_cast<FragmentType>(to);
  Type places = fragment ? Type(fragment.withElementType(IntegerType::get(getContext(), 64))) : Type(IntegerType::get(getContext(), 64));
  if (at != places) return emitOpError() << "takes places as " << places << ", not as " << at;
  if (!fragment) return from.getRank() == 1 ? success() : emitOpError("gives a scalar only of a vector");
  if (fragment.getRank() == from.getRank()) {
    if (fragment.getTileLayout() != from.getTileLayout() && from.getRank() == 2)
      return emitOpError() << "gives the layout of " << from << ", not that of " << to;
    for (int64_t i = 0; i < from.getRank(); ++i)
      if (i != axis && fragment.getShape()[i] != from.getShape()[i])
        return emitOpError() << "gives all of axis " << i << " of " << from << ", not " << to;
    return success();
  }
  if (from.getRank() != 2 || fragment != without(from, axis))
    return emitOpError() << "gives the slice of " << from << " without axis " << axis << ", not " << to;
  return success();
}

LogicalResult tile::WarpOp::verify() {
  return verifyWarp(*this, getWhat(), getValue().getType(), static_cast<bool>(getLane()), getResult().getType());
}

/// What a product may take from registers: the accumulators of another one that is spread over the same rows of warps.
static LogicalResult verifyRegisterOperand(DotOp dot, FragmentType a, FragmentType acc) {
  auto warps = dyn_cast<MmaAttr>(a.getLayout()), sums = dyn_cast<MmaAttr>(acc.getLayout());
  if (!warps || !sums || warps != sums || warps.getCols() != 1)
    return dot.emitOpError() << "takes a from registers only where it and the accumulator have the layout of matrix "
                                "instructions over one column of warps, not "
                             << a.getLayout() << " and " << acc.getLayout();
  if (dot.getTransA()) return dot.emitOpError() << "cannot transpose a in registers";
  return success();
}

LogicalResult DotOp::verify() {
  FragmentType acc = getAcc().getType();
  Type a = elementTypeOf(getA().getType());
  SharedType b = getB().getType();
  auto fragment = dyn_cast<FragmentType>(getA().getType());
  ArrayRef<DimAttr> shapeA = fragment ? fragment.getShape() : shapeOf(getA().getType());
  if (acc.getRank() != 2 || shapeA.size() != 2 || b.getRank() != 2)
    return emitOpError() << "multiplies tiles of rank 2";
  if (a != b.getElementType())
    return emitOpError() << "multiplies values of one dtype, not " << a << " and "
                         << b.getElementType();
  if (!isSameOrWider(a, acc.getElementType()) || acc.getElementType().isInteger(1))
    return emitOpError() << "adds products of " << a << " up in " << acc.getElementType()
                         << ", which does not hold them";
  DimAttr m = shapeA[getTransA() ? 1 : 0], ka = shapeA[getTransA() ? 0 : 1];
  DimAttr kb = b.getShape()[getTransB() ? 1 : 0], n = b.getShape()[getTransB() ? 0 : 1];
  if (std::optional<int64_t> blocks = blocksOf(*this)) {
    if (fragment || getTransA() || getTransB() || ka != n || !(kb.getDim() == Dim(*blocks)))
      return emitOpError() << "multiplies blocks of " << *blocks << " of tiles in shared memory, [m, n] and [" << *blocks << ", n]";
  } else if (ka != kb)
    return emitOpError() << "adds up over " << ka.getText() << " in a and " << kb.getText() << " in b";
  if (m != acc.getShape()[0] || n != acc.getShape()[1])
    return emitOpError() << "the product is [" << m.getText() << ", " << n.getText() << "], the accumulator "
                         << text(acc.getShape());
  return fragment ? verifyRegisterOperand(*this, fragment, acc) : success();
}
