// Operands of products on the CPU. A product reads its operands in an order of its own (include/tessera/device/cpu), so a
// tile that is copied for products alone is converted and packed by the copy; a left one that needs no conversion is
// read where it lies.
#include "ir/common/Common.h"
#include "transforms/target/Plan.h"
#include "transforms/target/cpu/Operands.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// The machine's vectors hold such sums.
static bool hasVectors(Type type) { return type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64); }

/// The headers pack a tile that is the last two dimensions of its base, in steps of one.
static bool isPlainTile(tile::CopyOp copy) {
  size_t rank = copy.getOffsets().size();
  if (rank < 2) return false;
  for (size_t i = 0; i < rank; ++i) {
    bool point = copy.getPoints()[i], last = i + 2 >= rank;
    if (point == last || (point && !copy.getInBounds()[i]) || (last && copy.getSteps()[i] != 1)) return false;
  }
  return true;
}

static std::optional<PackedOperand> packedOperand(Emission &em, tile::AllocSharedOp op) {
  auto type = cast<ir::SharedType>(op.getResult().getType());
  if (!em.isCpu() || type.getShape().size() != 2) return std::nullopt;
  std::optional<PackedOperand> found;
  bool inPlace = true;
  for (OpOperand &use : op.getResult().getUses()) {
    if (auto copy = dyn_cast<tile::CopyOp>(use.getOwner())) {
      if (copy.getTarget() != op.getResult() || !isa<ir::ViewType>(copy.getBase().getType()) || !isPlainTile(copy))
        return std::nullopt;
      inPlace = inPlace && !isWritten(copy.getBase());
      continue;
    }
    auto dot = dyn_cast<tile::DotOp>(use.getOwner());
    if (!dot || (dot.getA() == dot.getB())) return std::nullopt;
    bool isLeft = dot.getA() == op.getResult();
    PackedOperand operand{isLeft, isLeft ? dot.getTransA() : dot.getTransB(), false,
                          cast<tile::FragmentType>(dot.getAcc().getType()).getElementType()};
    if (!hasVectors(operand.accumulator)) return std::nullopt;
    if (found && (found->isLeft != operand.isLeft || found->transposed != operand.transposed ||
                  found->accumulator != operand.accumulator))
      return std::nullopt;
    found = operand;
  }
  if (found)
    found->inPlace = inPlace && found->isLeft && !found->transposed && found->accumulator == type.getElementType();
  return found;
}

bool declarePackedOperand(Emission &em, tile::AllocSharedOp op, const std::string &name) {
  std::optional<PackedOperand> operand = packedOperand(em, op);
  if (!operand) return false;
  std::vector<Dim> extents = written(em, cast<ir::SharedType>(op.getResult().getType()).getShape(), op.getLoc());
  if (operand->transposed && !operand->isLeft) std::swap(extents[0], extents[1]);
  std::string type = operand->inPlace ? "tsr::LeftInPlace<" : operand->isLeft ? "tsr::LeftRows<" : "tsr::RightPanels<";
  type +=
      dtypeText(em, operand->accumulator) + ", " + typeExtent(em, extents[0]) + ", " + typeExtent(em, extents[1]) + ">";
  OpBuilder::InsertionGuard guard(em.builder);
  em.builder.setInsertionPoint(em.declarations);
  em.values->bound[op.getResult()] =
      declare(em, name, out::NamedType::get(em.context, type), "direct", {}, false, op.getLoc());
  em.operands->packed.insert({op.getResult(), *operand});
  return true;
}

}  // namespace tessera::transforms::totarget
