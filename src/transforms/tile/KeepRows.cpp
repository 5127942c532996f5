// What one loop over a row computes and a later one would compute again is kept, element by element, where it takes longer to
// compute than to read; for the CPU, whose groups have memory of any size for themselves.
//
//   for (c = local_id; c < C; c += group_size) sum += exp(x[c] - m)             row = C elements
//   for (c = local_id; c < C; c += group_size) y[c] = exp(x[c] - m) / sum   ->  ... row[c] = e = exp(x[c] - m), sum += e
//                                                                               ... y[c] = row[c] / sum
#include "ir/common/Names.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "support/Check.h"
#include "support/Ops.h"
#include "transforms/tile/KeptRows.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Patterns.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// About how many additions an element takes for which it is worthwhile to write it and to read it again.
constexpr int64_t kWorthKeeping = 8;

/// About how many additions an elementwise operation takes. What is none of one instruction is a function.
int64_t costOf(ElementwiseOp op) {
  constexpr int64_t kDivision = 4, kFunction = 16;
  switch (op) {
  case ElementwiseOp::Add:
  case ElementwiseOp::Sub:
  case ElementwiseOp::Mul:
  case ElementwiseOp::Min:
  case ElementwiseOp::Max:
  case ElementwiseOp::Neg:
  case ElementwiseOp::Abs:
  case ElementwiseOp::Select:
  case ElementwiseOp::Eq:
  case ElementwiseOp::Ne:
  case ElementwiseOp::Lt:
  case ElementwiseOp::Le:
  case ElementwiseOp::Gt:
  case ElementwiseOp::Ge:
  case ElementwiseOp::And:
  case ElementwiseOp::Or:
  case ElementwiseOp::Not: return 1;
  case ElementwiseOp::Div:
  case ElementwiseOp::Sqrt: return kDivision;
  case ElementwiseOp::FloorDiv:
  case ElementwiseOp::Mod:
  case ElementwiseOp::Pow:
  case ElementwiseOp::Exp:
  case ElementwiseOp::Exp2:
  case ElementwiseOp::Log:
  case ElementwiseOp::Log2:
  case ElementwiseOp::Rsqrt:
  case ElementwiseOp::Tanh:
  case ElementwiseOp::Sigmoid:
  case ElementwiseOp::Erf:
  case ElementwiseOp::Sin:
  case ElementwiseOp::Cos:
  case ElementwiseOp::Floor:
  case ElementwiseOp::Ceil:
  case ElementwiseOp::Round:
  case ElementwiseOp::Xor:
  case ElementwiseOp::Shl:
  case ElementwiseOp::Shr:
  case ElementwiseOp::IsNan:
  case ElementwiseOp::Expm1:
  case ElementwiseOp::Log1p:
  case ElementwiseOp::Erfc:
  case ElementwiseOp::Tan:
  case ElementwiseOp::Asin:
  case ElementwiseOp::Acos:
  case ElementwiseOp::Atan:
  case ElementwiseOp::Atan2:
  case ElementwiseOp::Sinh:
  case ElementwiseOp::Cosh:
  case ElementwiseOp::Asinh:
  case ElementwiseOp::Acosh:
  case ElementwiseOp::Atanh:
  case ElementwiseOp::Log10:
  case ElementwiseOp::Trunc:
  case ElementwiseOp::RandomBits:
  case ElementwiseOp::RandomKey:
  case ElementwiseOp::Probit: return kFunction;
  }
  return kFunction;
}
int64_t costOf(Operation *op) {
  auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
  if (!elementwise) return isa<tile::CastOp, tile::LoadElementOp>(op) ? 1 : 0;
  StringRef mnemonic = elementwise.getMnemonic();
  std::optional<ElementwiseOp> known = elementwiseByMnemonic(std::string_view(mnemonic.data(), mnemonic.size()));
  TSR_CHECK(known, "an elementwise operation without a row in its table");
  return costOf(*known);
}

/// A loop by which the lanes of a group take the elements of a row in turn, of plain statements.
bool isRowLoop(scf::ForOp loop) {
  return isByGroup(loop) && loop.getUpperBound().getDefiningOp<tile::DimOp>();
}

bool goOverTheSame(scf::ForOp a, scf::ForOp b) {
  return OperationEquivalence::isEquivalentTo(a.getUpperBound().getDefiningOp(), b.getUpperBound().getDefiningOp(),
                                              OperationEquivalence::IgnoreLocations);
}

class Keep {
public:
  explicit Keep(tile::KernelOp kernel) : kernel_(kernel) {}

  void run() {
    SmallVector<scf::ForOp> loops;
    for (auto loop : kernel_.getBody().front().getOps<scf::ForOp>())
      if (isRowLoop(loop)) loops.push_back(loop);
    for (size_t later = 1; later < loops.size(); ++later)
      for (size_t earlier = 0; earlier < later; ++earlier)
        if (goOverTheSame(loops[earlier], loops[later])) keepBetween(loops[earlier], loops[later]);
  }

private:
  /// An array that the kernel only reads.
  static bool isRead(Value base) {
    return isa<BlockArgument>(base) && llvm::all_of(base.getUsers(), llvm::IsaPred<tile::LoadElementOp>);
  }

  /// The value of the earlier loop that is the one of the later loop in the same turn; null if there is none.
  Value sameIn(scf::ForOp earlier, scf::ForOp later, Value value) {
    if (value == later.getInductionVar()) return earlier.getInductionVar();
    Operation *op = value.getDefiningOp();
    if (!later.getRegion().isAncestor(value.getParentRegion())) return value;
    if (!op || op->getNumRegions() != 0 || op->getBlock() != later.getBody()) return {};
    auto [known, isNew] = same_.try_emplace(value, Value());
    if (!isNew) return known->second;
    auto load = dyn_cast<tile::LoadElementOp>(op);
    if (!isPure(op) && !(load && isRead(load.getBase()))) return {};
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(sameIn(earlier, later, operand));
      if (!operands.back()) return {};
    }
    for (Operation &candidate : *earlier.getBody()) {
      bool isAlike = candidate.getName() == op->getName() && candidate.getResultTypes() == op->getResultTypes() &&
                     candidate.getNumRegions() == 0 && candidate.getAttrDictionary() == op->getAttrDictionary();
      if (isAlike && llvm::all_of(llvm::zip(candidate.getOperands(), operands), [](auto pair) { return isEqual(std::get<0>(pair), std::get<1>(pair)); }))
        return same_[value] = candidate.getResult(0);
    }
    return {};
  }
  static bool isEqual(Value a, Value b) {
    if (a == b) return true;
    Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
    return left && right && isa<tile::DimOp, tile::ConstantOp, tile::QueryOp>(left) &&
           OperationEquivalence::isEquivalentTo(left, right, OperationEquivalence::IgnoreLocations);
  }

  /// What it takes to compute the value in the loop.
  static int64_t workOf(Value value, scf::ForOp loop) {
    llvm::SetVector<Operation *> parts;
    auto add = [&](Value part) {
      if (Operation *op = part.getDefiningOp(); op && op->getBlock() == loop.getBody()) parts.insert(op);
    };
    add(value);
    for (size_t i = 0; i < parts.size(); ++i)
      for (Value operand : parts[i]->getOperands()) add(operand);
    int64_t work = 0;
    for (Operation *op : parts) work += costOf(op);
    return work;
  }

  void keepBetween(scf::ForOp earlier, scf::ForOp later) {
    same_.clear();
    // From the end on: what a kept value is made of is then used by nothing.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*later.getBody()))) {
      if (op.getNumResults() != 1) continue;
      Value value = op.getResult(0);
      if (value.use_empty() && isa<tile::ConstantOp, tile::ElementwiseOp, tile::CastOp, tile::LoadElementOp>(op)) {
        op.erase();
        continue;
      }
      bool isElement = isa<FloatType>(value.getType()) && !isa<tile::RecallOp>(op);
      Value known = isElement && workOf(value, later) >= kWorthKeeping ? sameIn(earlier, later, value) : Value();
      if (!known) continue;
      OpBuilder builder(&op);
      Value row = rowOf(known, earlier);
      Value turn = builder.create<tile::ConstantOp>(unnamed(op.getLoc()), builder.getIndexType(), builder.getIndexAttr(0));
      Value kept = builder.create<tile::RecallOp>(op.getLoc(), value.getType(), row, turn, later.getInductionVar());
      value.replaceAllUsesWith(kept);
      same_.clear();  // it holds values that are gone
      op.erase();
    }
  }
  Value rowOf(Value value, scf::ForOp loop) {
    Value &row = rows_[value];
    if (row) return row;
    auto extent = loop.getUpperBound().getDefiningOp<tile::DimOp>();
    OpBuilder builder(loop);
    StringRef hint = nameHint(value);
    Location place = named((hint.empty() ? "kept" : hint.str()) + "_row", unnamed(value.getLoc()));
    auto made = builder.create<tile::NewRowOp>(place, tile::KeptRowType::get(builder.getContext(), value.getType()));
    made->setAttr(kRowExtent, DimAttr::get(builder.getContext(), *Dim::parse(extent.getDim().str())));
    row = made;
    builder.setInsertionPointAfterValue(value);
    Value turn = builder.create<tile::ConstantOp>(unnamed(value.getLoc()), builder.getIndexType(), builder.getIndexAttr(0));
    builder.create<tile::KeepOp>(unnamed(value.getLoc()), value, row, turn, loop.getInductionVar());
    return row;
  }

  tile::KernelOp kernel_;
  llvm::DenseMap<Value, Value> same_, rows_;
};

struct KeepRows : PassWrapper<KeepRows, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepRows)
  StringRef getArgument() const override { return "tile-keep-rows"; }
  StringRef getDescription() const override { return "what a loop over a row computes is kept for those behind it"; }
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel.getGrid().getKind() == GridKind::Output && !kernel->hasAttr("uses_lanes")) Keep(kernel).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createKeepRowsPass() { return std::make_unique<KeepRows>(); }

}  // namespace tessera::transforms
