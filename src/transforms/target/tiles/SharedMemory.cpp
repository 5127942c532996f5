// Shared memory: what the program allocates, and where lanes meet in calls of the device headers.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/common/SharedAlignment.h"
#include "transforms/target/cpu/Operands.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

LogicalResult emitAllocShared(Emission &em, tile::AllocSharedOp op) {
  auto type = cast<ir::SharedType>(op.getResult().getType());
  StringRef hint = ir::nameHint(op.getResult());
  std::string name = hint.empty() ? em.names.fresh("shared_tile") : em.names.declare(hint);
  if (declarePackedOperand(em, op, name)) return success();
  ArrayRef<ir::DimAttr> shape = type.getShape();
  std::vector<Dim> sizes = written(em, shape, op.getLoc());
  Type held = type.getElementType();
  SmallVector<Attribute> extents;
  size_t leading = shape.size() < 2 ? shape.size() : shape.size() - 2;
  for (size_t i = 0; i < leading; ++i) extents.push_back(StringAttr::get(em.context, typeExtent(em, sizes[i])));
  if (shape.empty()) extents.push_back(StringAttr::get(em.context, "1"));
  if (shape.size() >= 2) {
    std::string text = "tsr::SharedTile<" + dtypeText(em, held);
    for (const Dim &extent : ArrayRef(sizes).take_back(2)) text += ", " + typeExtent(em, extent);
    if (type.getSwizzle() == "xor") text += ", tsr::Xor";
    if (type.getSwizzle() == "xor_chunks") text += ", tsr::XorChunks";
    if (type.getSwizzle() == "panels") text += ", tsr::Panels";
    held = out::NamedType::get(em.context, text + ">");
  }
  if (!extents.empty()) held = out::ArrayType::get(em.context, ArrayAttr::get(em.context, extents), held);
  OpBuilder::InsertionGuard guard(em.builder);
  em.builder.setInsertionPoint(em.declarations);
  auto shared = em.builder.create<out::SharedOp>(op.getLoc(), out::LValueType::get(em.context, held), name);
  em.values->bound[op.getResult()] = valueOf(shared.getPlace());
  auto alignment = op->getAttrOfType<IntegerAttr>(ir::kSharedAlignment);
  if (alignment) shared->setAttr(ir::kSharedAlignment, alignment);
  SharedBuffer bytes{{}, 4, name, op.getLoc()};
  if (type.getElementType().isIntOrFloat())
    bytes.elementBytes = (type.getElementType().getIntOrFloatBitWidth() + 7) / 8;
  if (isa<ComplexType, IndexType>(type.getElementType())) bytes.elementBytes = 8;
  for (ir::DimAttr extent : shape) bytes.extents.push_back(extent.getDim());
  if (alignment) bytes.alignment = alignment.getInt();
  em.shared->buffers.push_back(bytes);
  return success();
}

/// Shared memory that is declared at the top of the kernel.
static ExprRef declareScratch(Emission &em, Type element, ArrayRef<StringRef> shape, int64_t bytes, std::vector<Dim> extents, int64_t alignment) {
  OpBuilder::InsertionGuard guard(em.builder);
  em.builder.setInsertionPoint(em.declarations);
  auto array = out::ArrayType::get(em.context, em.builder.getStrArrayAttr(shape), element);
  // The reductions take a pointer; an array is one.
  auto shared = em.builder.create<out::SharedOp>(em.kernel.getLoc(), out::LValueType::get(em.context, array),
                                                 em.names.freshOutside("scratch"));
  if (alignment > 1) shared->setAttr(ir::kSharedAlignment, em.builder.getI64IntegerAttr(alignment));
  em.shared->buffers.push_back({std::move(extents), bytes, "scratch", em.kernel.getLoc(), alignment});
  return valueOf(shared.getPlace());
}

ExprRef scratch(Emission &em, Type element, std::string extent, int64_t bytes, std::vector<Dim> extents, int64_t alignment) {
  ExprRef &space = em.shared->scratch[dtypeText(em, element) + " " + extent];
  if (!space) space = declareScratch(em, element, {extent}, bytes, std::move(extents), alignment);
  return space;
}

/// What one instruction moves: lanes take neighbours of a scanned line at once (scan.h).
constexpr int64_t kChunkBytes = 16;

ExprRef elementScratch(Emission &em, tile::FragmentType type, Type element, Location location) {
  const int64_t bytes = element.isIntOrFloat() ? std::max(1u, element.getIntOrFloatBitWidth() / 8) : sizeof(int64_t);
  std::vector<Dim> extents;
  for (ir::DimAttr extent : type.getShape()) extents.push_back(extent.getDim());
  return scratch(em, element, "tsr::tile_elements<" + fragmentType(em, type, location) + ">", bytes,
                 std::move(extents), kChunkBytes);
}

/// Bytes of a value of each warp of `lanes` lanes, or of each lane.
static int64_t bytesOfLanes(int64_t lanes, Type type) {
  const int64_t count = lanes % kWarpLanes == 0 ? lanes / kWarpLanes : lanes;
  return count * std::max<int64_t>(1, (type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64) / 8);
}

static constexpr StringLiteral kGroupScratch = "tsr::group_reduce_scratch(Threads)";

ExprRef groupScratch(Emission &em, Type type) { return scratch(em, type, kGroupScratch.str(), bytesOfLanes(em.kernel.getGroup(), type)); }

/// Where the groups of a cluster meet once (cuda/cluster_rows.h): they prepare it before they ask for a row.
static ExprRef declareMeeting(Emission &em, Type type, int64_t values, int64_t bytes, const std::string &cluster) {
  OpBuilder::InsertionGuard guard(em.builder);
  em.builder.setInsertionPoint(em.declarations);
  const std::string text = "tsr::Meeting<" + dtypeText(em, type) + ", " + std::to_string(values) + ", " + em.sizes->constants.at("T.Threads") + ", " + cluster + ">";
  const std::string name = em.names.fresh("meeting");
  auto shared = em.builder.create<out::SharedOp>(em.kernel.getLoc(), out::LValueType::get(em.context, out::NamedType::get(em.context, text)), name);
  em.shared->buffers.push_back({{}, bytes, name, em.kernel.getLoc(), 1});
  ExprRef meeting = valueOf(shared.getPlace());
  statement(em, method(meeting, "prepare", {}, em.none()), em.kernel.getLoc());
  return meeting;
}

ExprRef exchangeScratch(Emission &em, Type type, int64_t values) {
  int64_t lanes = em.kernel.getGroup();
  for (const KernelInfo::Variant &variant : em.info.variants) lanes = std::max(lanes, variant.threads * variant.cluster);
  const int64_t bytes = values * bytesOfLanes(lanes, type);
  if (auto cluster = em.sizes->constants.find("T.cluster"); cluster != em.sizes->constants.end())
    return declareMeeting(em, type, values, bytes + static_cast<int64_t>(sizeof(uint64_t)), cluster->second);
  return declareScratch(em, type, {std::to_string(values), kGroupScratch}, bytes, {}, 1);
}

}  // namespace tessera::transforms::totarget
