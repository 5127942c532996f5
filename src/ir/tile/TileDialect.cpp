// Registration, attributes and types of the dialect `tile`.
#include "ir/tile/Tile.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

#include "ir/tile/TileDialect.cpp.inc"

#include "ir/tile/TileAttrInterfaces.cpp.inc"

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
int64_t tile::GridAttr::getLanes() const { return getRows() * getCols(); }
int64_t tile::GridAttr::getRowStep() const { return getRows(); }
int64_t tile::GridAttr::getColStep() const { return getCols(); }
std::string tile::GridAttr::getSpelling() const {
  return "tsr::ThreadGrid<" + std::to_string(getRows()) + ", " + std::to_string(getCols()) + ">";
}
StringRef tile::GridAttr::getAliasHint() const { return "Grid"; }
int64_t tile::GridAttr::getScratch(int64_t axis, int64_t extent) const {
  return axis == 1 ? 0 : getRows() * llvm::divideCeil(extent, getCols()) * getCols();
}

// ---------------------------------------------------------------- accumulators of matrix instructions

static constexpr int64_t kWarpLanes = 32, kBlock = 16;  // of mma.sync: lanes that work together, rows and columns of a block

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t cols) {
  if (rows < 1 || cols < 1 || rows * cols > 1024 / kWarpLanes)
    return emitError() << "a group has 1 to 32 warps, this layout has " << rows << " x " << cols;
  return success();
}
int64_t MmaAttr::getLanes() const { return kWarpLanes * getRows() * getCols(); }
int64_t MmaAttr::getRowStep() const { return kBlock * getRows(); }
int64_t MmaAttr::getColStep() const { return kBlock * getCols(); }
std::string MmaAttr::getSpelling() const {
  return "tsr::MmaGrid<" + std::to_string(getRows()) + ", " + std::to_string(getCols()) + ">";
}
StringRef MmaAttr::getAliasHint() const { return "Warps"; }
int64_t MmaAttr::getScratch(int64_t axis, int64_t extent) const {
  int64_t parts = axis == 1 ? getCols() : getRows();
  return parts == 1 ? 0 : parts * extent;
}

static constexpr int64_t kUnitLanes = 64, kUnitRows = 32;  // of AMD's: two waves of 32 lanes, or one

LogicalResult WavesAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t cols) {
  if (rows < 1 || cols < 1 || rows * cols > 1024 / kUnitLanes)
    return emitError() << "a group has 1 to 16 units of 64 lanes, this layout has " << rows << " x " << cols;
  return success();
}
int64_t WavesAttr::getLanes() const { return kUnitLanes * getRows() * getCols(); }
int64_t WavesAttr::getRowStep() const { return kUnitRows * getRows(); }
int64_t WavesAttr::getColStep() const { return kBlock * getCols(); }
std::string WavesAttr::getSpelling() const {
  return "tsr::WaveGrid<" + std::to_string(getRows()) + ", " + std::to_string(getCols()) + ">";
}
StringRef WavesAttr::getAliasHint() const { return "Waves"; }
int64_t WavesAttr::getScratch(int64_t axis, int64_t extent) const {
  int64_t parts = axis == 1 ? getCols() : 2 * getRows();  // the rows of a unit lie in two halves of it
  return parts == 1 ? 0 : parts * extent;
}

// ---------------------------------------------------------------- blocks of neighbours

static constexpr int64_t kWarpRows = 4, kWarpCols = 8;  // of the lanes of a warp

LogicalResult BlockedAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t cols, int64_t high, int64_t wide) {
  if (rows < 1 || cols < 1 || rows * cols > 1024 / kWarpLanes)
    return emitError() << "a group has 1 to 32 warps, this layout has " << rows << " x " << cols;
  if (high < 1 || high > 4 || high == 3 || wide < 1 || wide > 4 || wide == 3)
    return emitError() << "a block has 1, 2 or 4 rows and columns, not " << high << " x " << wide;
  return success();
}
int64_t BlockedAttr::getLanes() const { return kWarpLanes * getRows() * getCols(); }
int64_t BlockedAttr::getRowStep() const { return kWarpRows * getHigh() * getRows(); }
int64_t BlockedAttr::getColStep() const { return kWarpCols * getWide() * getCols(); }
std::string BlockedAttr::getSpelling() const {
  return "tsr::BlockedGrid<" + std::to_string(getRows()) + ", " + std::to_string(getCols()) + ", " + std::to_string(getHigh()) + ", " +
         std::to_string(getWide()) + ">";
}
StringRef BlockedAttr::getAliasHint() const { return "Blocks"; }
int64_t BlockedAttr::getScratch(int64_t axis, int64_t extent) const {
  int64_t parts = axis == 1 ? getCols() : getRows();
  return parts == 1 ? 0 : parts * extent;
}

// ---------------------------------------------------------------- slices and fragments

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t axis, Attribute parent) {
  if (axis != 0 && axis != 1) return emitError() << "a slice lacks axis 0 or 1, not " << axis;
  if (!mlir::isa<Layout>(parent)) return emitError() << "a slice is one of a layout of tiles, not of " << parent;
  return success();
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<DimAttr> shape,
                                   Type elementType, Attribute layout) {
  if (!isDType(elementType)) return emitError() << "a fragment holds values of a dtype, not " << elementType;
  if (shape.size() == 2 && mlir::isa<Layout>(layout)) return success();
  if (shape.size() == 1 && mlir::isa<SliceAttr>(layout)) return success();
  return emitError() << "a fragment of rank " << shape.size() << " cannot have the layout " << layout
                     << ": rank 2 has a layout of tiles, rank 1 a slice of one";
}

Layout FragmentType::getTileLayout() const {
  if (auto slice = mlir::dyn_cast<SliceAttr>(getLayout())) return mlir::cast<Layout>(slice.getParent());
  return mlir::cast<Layout>(getLayout());
}

int64_t FragmentType::getStep(size_t axis) const {
  bool alongRows = getRank() == 2 ? axis == 0 : getSliceAxis() == 1;
  return alongRows ? getTileLayout().getRowStep() : getTileLayout().getColStep();
}

FragmentType FragmentType::withTileLayout(Attribute layout) const {
  if (getRank() == 1) layout = SliceAttr::get(getContext(), getSliceAxis(), layout);
  return FragmentType::get(getContext(), getShape(), getElementType(), layout);
}

int64_t FragmentType::getSliceAxis() const { return mlir::cast<SliceAttr>(getLayout()).getAxis(); }

Type FragmentType::withElementType(Type elementType) const {
  return FragmentType::get(getContext(), getShape(), elementType, getLayout());
}
