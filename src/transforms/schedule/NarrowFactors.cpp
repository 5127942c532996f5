// Products of widened factors are products of what was widened.
//
// `cast(x, f32) @ cast(w, f32)` of bf16 says what it is added up in, and `cast(x, i32) @ cast(w, i32)` of bytes. Each product is exact in
// the dtype of the sums, so that the factors may stay as narrow as they lie in memory (R22): matrix instructions multiply those, and no
// others. Where one factor is narrower still, as weights of 8 bits are, it is widened to the other one's dtype, which holds it.
#include "ir/common/Conversions.h"
#include "ir/graph/Graph.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Unused.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// What puts elements into other places and changes none.
bool movesFactors(Operation *op) {
  return isa_and_nonnull<graph::TransposeOp, graph::ReshapeOp, graph::BroadcastOp, graph::WindowOp, graph::SliceOp>(op);
}

/// What was widened to the factor, maybe before it was moved; null if nothing was.
Value widenedFrom(Value factor) {
  Operation *op = factor.getDefiningOp();
  if (movesFactors(op)) return widenedFrom(op->getOperand(0));
  auto cast = dyn_cast_or_null<graph::CastOp>(op);
  return cast && isa<TensorType>(cast.getType()) && bitsOf(cast.getOperand().getType()) < bitsOf(cast.getType()) ? cast.getOperand() : Value();
}

/// bf16 and f16 hold all values of it.
bool hasFewBits(DType dtype) { return info(dtype).bits <= 8 && (isFloat(dtype) || isInt(dtype)); }

/// The dtype in which two factors are multiplied that were widened to the dtype of the sums: one that holds both.
std::optional<DType> narrowestOf(DType one, DType other, DType sums) {
  if (sums == DType::I32) return one == other && (one == DType::I8 || one == DType::U8) ? std::optional(one) : std::nullopt;
  if (sums != DType::F32) return std::nullopt;
  for (DType half : {DType::BF16, DType::F16}) {  // bytes, too: tensor cores would add up floats of 8 bits with fewer bits (R10)
    auto fits = [&](DType dtype) { return dtype == half || hasFewBits(dtype); };
    if (fits(one) && fits(other)) return half;
  }
  return std::nullopt;
}

bool hasInstruction(const Machine &machine, DType factors, DType sums) {
  return llvm::any_of(machine.matrixInstructions(), [&](const MatrixInstruction &instruction) {
    return instruction.a == factors && instruction.b == factors && instruction.acc == sums;
  });
}

/// The factor, as it was before it was widened, moved as it is.
Value narrowed(OpBuilder &builder, Value factor, Type element) {
  Operation *op = factor.getDefiningOp();
  if (!movesFactors(op)) {
    Value source = cast<graph::CastOp>(op).getOperand();
    if (elementTypeOf(source.getType()) == element) return source;
    return builder.create<graph::CastOp>(op->getLoc(), withElementType(source.getType(), element), source, StringAttr(), UnitAttr());
  }
  Value moved = narrowed(builder, op->getOperand(0), element);
  Operation *copy = builder.clone(*op);
  copy->setOperand(0, moved);
  copy->getResult(0).setType(withElementType(factor.getType(), element));
  return copy->getResult(0);
}

struct NarrowFactors : PassWrapper<NarrowFactors, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowFactors)
  StringRef getArgument() const override { return "graph-narrow-factors"; }
  StringRef getDescription() const override { return "products of widened factors are products of what was widened"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine) return signalPassFailure();
    bool changed = false;
    getOperation()->walk([&](graph::DotOp dot) {
      Value lhs = widenedFrom(dot.getLhs()), rhs = widenedFrom(dot.getRhs());
      if (!lhs || !rhs || dot.hasTerm() || elementTypeOf(dot.getLhs().getType()) != elementTypeOf(dot.getType())) return;
      auto one = dtypeOf(elementTypeOf(lhs.getType())), other = dtypeOf(elementTypeOf(rhs.getType())), sums = dtypeOf(elementTypeOf(dot.getType()));
      auto factors = one && other && sums ? narrowestOf(*one, *other, *sums) : std::nullopt;
      if (!factors || !hasInstruction(*machine, *factors, *sums)) return;
      OpBuilder builder(dot);
      Type element = *factors == *one ? elementTypeOf(lhs.getType()) : *factors == *other ? elementTypeOf(rhs.getType()) : typeOf(dot.getContext(), *factors);
      Value left = narrowed(builder, dot.getLhs(), element);
      dot.getLhsMutable().assign(left);
      dot.getRhsMutable().assign(narrowed(builder, dot.getRhs(), element));
      changed = true;
    });
    if (changed) eraseUnused(getOperation());
  }
};

}  // namespace

std::unique_ptr<Pass> createNarrowFactorsPass() { return std::make_unique<NarrowFactors>(); }

}  // namespace tessera::transforms
