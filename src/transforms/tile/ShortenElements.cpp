// Single elements in fewer instructions, where they leave in 16 bits and nothing can tell: in maps and in kernels over rows.
//
//   p = x * y    s = add c, p    ->    s = add p, c, contracted: fma(x, y, c)           docs/spec/numerics.md, R17
//   erfc(x)      x / y           ->    short_erfc(x)      short_div(x, y)               docs/spec/numerics.md, R18
//
// And numbers of a row that are divided by how many elements it has, whatever they become (R19): div_by(x, C) has no branch, and the numbers of a
// row have one reciprocal. All lanes compute them: a layer norm of 4096 columns in bf16 had three such divisions, and 0.86 of a copy
// for 0.88 (one H200).
//
// What memory bounds has 27 instructions for an element of 16 bits that is read and written, at the bandwidth of a copy: GELU took 54, a
// layer norm 36. Behind products of matrices tile-contract-sums does the first; the functions are shortened there, too.
#include "ir/common/Common.h"
#include "ir/common/ContractAttr.h"
#include "ir/tile/Tile.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/tile/LeavesNarrow.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Patterns.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Computed for each element, as `sum` is: one of a row is a number.
bool isProduct(Value value, tile::ElementwiseOp sum) {
  auto op = elementwiseOf(value, "mul");
  return op && op->getBlock() == sum->getBlock();
}

/// Of two floats of 16 bits: f32 holds it, so that one rounding or two give the same.
bool isExact(Value product) {
  return llvm::all_of(product.getDefiningOp<tile::ElementwiseOp>().getArgs(), [](Value factor) {
    auto cast = factor.getDefiningOp<tile::CastOp>();
    return cast && (cast.getValue().getType().isBF16() || cast.getValue().getType().isF16());
  });
}

/// A sum of one product alone: of two, `a * b - c * d`, one would be rounded and the other not, so that what is equal would differ by that.
bool mayContract(tile::ElementwiseOp op) {
  StringRef what = op.getMnemonic();
  if (!op.getResult().getType().isF32() || isContracted(op) || (what != "add" && what != "sub")) return false;
  const bool first = isProduct(op.getArgs()[0], op), second = isProduct(op.getArgs()[1], op);
  if (first == second || (what == "sub" && !first)) return false;
  Value product = op.getArgs()[first ? 0 : 1];
  return product.hasOneUse() && (isExact(product) || leavesRounded(op.getResult()));
}

void contract(tile::ElementwiseOp op) {
  Value first = op.getArgs()[0], second = op.getArgs()[1];
  if (!isProduct(first, op)) op->setOperands({second, first});
  markContracted(op);
}

/// Of many elements: what is computed once for a row costs nothing. A lane holds many of a tile.
bool isRepeated(tile::ElementwiseOp op, bool isMap) {
  auto fragment = dyn_cast<tile::FragmentType>(op.getType());
  return isMap || op->getParentOfType<scf::ForOp>() || (fragment && fragment.getShape().size() == 2);
}

/// A number of elements, as a float.
bool isExtent(Value value) {
  auto cast = value.getDefiningOp<tile::CastOp>();
  return cast && cast.getType().isF32() && cast.getValue().getDefiningOp<tile::DimOp>();
}

struct ShortenElements : PassWrapper<ShortenElements, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShortenElements)
  StringRef getArgument() const override { return "tile-shorten-elements"; }
  StringRef getDescription() const override { return "elements that leave in 16 bits, in fewer instructions"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    const bool divides = machine && machine->family == Target::Cuda, isMap = getOperation().getGrid().getKind() == GridKind::Lanes;
    SmallVector<tile::ElementwiseOp> sums;
    getOperation().getBody().walk([&](tile::ElementwiseOp op) {
      if (!elementTypeOf(op.getResult().getType()).isF32()) return;
      StringRef what = op.getMnemonic();
      if (!isRepeated(op, isMap)) {
        if (divides && what == "div" && op.getType().isF32() && isExtent(op.getArgs()[1])) op->setAttr(kByExtent, UnitAttr::get(op.getContext()));
        return;
      }
      if (what == "erfc" && leavesNarrow(op.getResult(), /*isAtMostOne=*/true)) markShortened(op);  // at most two
      else if (what == "div" && divides && leavesRounded(op.getResult())) markShortened(op);
      else if (mayContract(op)) sums.push_back(op);
    });
    for (tile::ElementwiseOp op : sums) contract(op);
  }
};

}  // namespace

std::unique_ptr<Pass> createShortenElementsPass() { return std::make_unique<ShortenElements>(); }

}  // namespace tessera::transforms
