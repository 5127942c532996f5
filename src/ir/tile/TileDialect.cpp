// Registration, attributes and types of the dialect `tile`.
#include "ir/tile/Tile.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

#include "ir/tile/TileDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/tile/TileAttrs.cpp.inc"
      >();
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/tile/TileTypes.cpp.inc"
      >();
}

void TileDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ir/tile/TileOps.cpp.inc"
      >();
}

LogicalResult tile::GridAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows,
                                     int64_t cols) {
  if (rows < 1 || cols < 1 || rows * cols > 1024)
    return emitError() << "a thread grid has 1 to 1024 lanes, this one has " << rows << " x " << cols;
  return success();
}

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t axis,
                                tile::GridAttr parent) {
  if (axis != 0 && axis != 1) return emitError() << "a slice lacks axis 0 or 1, not " << axis;
  return success();
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<DimAttr> shape,
                                   Type elementType, Attribute layout) {
  if (!isDType(elementType)) return emitError() << "a fragment holds values of a dtype, not " << elementType;
  if (shape.size() == 2 && mlir::isa<tile::GridAttr>(layout)) return success();
  if (shape.size() == 1 && mlir::isa<SliceAttr>(layout)) return success();
  return emitError() << "a fragment of rank " << shape.size() << " cannot have the layout " << layout
                     << ": rank 2 has a grid, rank 1 a slice of one";
}

tile::GridAttr FragmentType::getGrid() const {
  if (auto slice = mlir::dyn_cast<SliceAttr>(getLayout())) return slice.getParent();
  return mlir::cast<tile::GridAttr>(getLayout());
}

int64_t FragmentType::getSliceAxis() const { return mlir::cast<SliceAttr>(getLayout()).getAxis(); }

Type FragmentType::withElementType(Type elementType) const {
  return FragmentType::get(getContext(), getShape(), elementType, getLayout());
}
