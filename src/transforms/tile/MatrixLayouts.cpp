// Products by matrix instructions.
//
// schedule-to-tile spreads every tile of a kernel over one grid of lanes. This pass finds the tiles that hang together
// with the sums of a product (what is computed from them element by element, reduced, broadcast or carried by loops:
// they must all lie alike), and gives them the layout of a matrix instruction of the machine, where the operands' types
// have one and the extents are whole instructions. Operands in shared memory are swizzled, so that the loads of an
// instruction meet every bank once; a left operand that was computed in registers stays there.
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "ir/common/ProductNotes.h"
#include "ir/common/WhyNot.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "support/Lanes.h"
#include "support/Machine.h"
#include "transforms/tile/BlockedLayouts.h"
#include "transforms/tile/Components.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/Roles.h"
#include "transforms/tile/Swizzle.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kBlock = 16;  // rows and columns that #tile.mma places together

constexpr int64_t kWaveDepth = 32;                  // of all instructions of AMD's for 8 and 16 bits a multiple

/// Elements along k for operands of a type that waves of any AMD GPU can take, as waves.h does; 0: none adds them up in `sum`.
/// Text for one of AMD's GPUs is compiled for others, too: where one lacks an instruction its lanes multiply by themselves.
int64_t waveDepthOf(const Machine &machine, Type operand, Type sum) {
  std::optional<DType> operands = dtypeOf(operand), sums = dtypeOf(sum);
  for (const MatrixInstruction &each : machine.matrixInstructions())
    if (each.m == 16 && each.n == 16 && each.a == operands && each.b == operands && each.acc == sums && operands != DType::F64 &&
        operands != DType::TF32)
      return operands == DType::F32 ? each.k : kWaveDepth;
  return 0;
}

/// Elements along k of one instruction for operands of a type; 0: the machine has none that adds them up in `sum` and
/// reads its operands as mma.h lays them out: 16 x 8 sums, 32 bytes of a row along k.
int64_t depthOf(const Machine &machine, Type operand, Type sum) {
  if (machine.family == Target::Hip) return waveDepthOf(machine, operand, sum);
  std::optional<DType> operands = dtypeOf(operand), sums = dtypeOf(sum);
  for (const MatrixInstruction &each : machine.matrixInstructions())
    if (each.m == 16 && each.n == 8 && each.k * storedBytes(operand) == 32 && each.a == operands &&
        each.b == operands && each.acc == sums)
      return each.k;
  return 0;
}

/// Elements along k of one instruction of warpgroups; 0: the machine has none for the types.
int64_t warpgroupDepthOf(const Machine &machine, Type operand, Type sum) {
  std::optional<DType> operands = dtypeOf(operand), sums = dtypeOf(sum);
  for (const MatrixInstruction &each : machine.matrixInstructions())
    if (each.ofWarpgroup() && each.a == operands && each.b == operands && each.acc == sums) return each.k;
  return 0;
}

class MatrixLayouts {
public:
  MatrixLayouts(tile::KernelOp kernel, const Machine &machine)
      : kernel_(kernel), machine_(machine), extents_(kernel), unit_(layoutOf(1, 1)) {}

  void run() {
    Components components(kernel_);
    warpgroups_ = canUseWarpgroups(components);
    if (!warpgroups_ && machine_.warpgroupProducts) keepRefusal("wgmma");
    for (auto &[leader, values] : components.withProducts(kernel_)) {
      SmallVector<tile::DotOp> dots;
      for (Value value : values)
        if (auto dot = value.getDefiningOp<tile::DotOp>()) dots.push_back(dot);
      tile::Layout layout = warpgroups_ ? layoutOf(kernel_.getGroup() / kWarpLanes, 1) : choose(values, dots);
      if (!layout) {
        keepRefusal(isHip() ? "matrix instructions" : "mma");
        for (tile::DotOp dot : dots) swizzleAlongK(dot);
        if (machine_.family != Target::Cpu)
          if (tile::Layout blocks = blockedLayout(extents_, kernel_.getGroup(), dots)) place(values, blocks);
        continue;
      }
      place(values, layout);
      if (warpgroups_)
        for (tile::DotOp dot : dots) placeOperand(components, dot, cast<tile::MmaAttr>(layout));
      for (tile::DotOp dot : dots) stage(dot);
      chosen_.insert(layout);
    }
    explain();
  }

private:
  static void place(ArrayRef<Value> values, tile::Layout layout) {
    for (Value value : values) value.setType(cast<tile::FragmentType>(value.getType()).withTileLayout(layout));
  }

  // ---- the layout of a component

  bool canDo(tile::DotOp dot, int64_t rows, int64_t cols) {
    if (blocksOf(dot)) return false;
    ArrayRef<DimAttr> shape = dot.getResult().getType().getShape();
    Type operand = dot.getB().getType().getElementType();
    int64_t depth = depthOf(machine_, operand, dot.getResult().getType().getElementType());
    DimAttr k = dot.getB().getType().getShape()[dot.getTransB() ? 1 : 0];
    return depth && extents_.isMultiple(k, depth) && extents_.isMultiple(shape[0], unit_.getRowStep() * rows) && extents_.isMultiple(shape[1], unit_.getColStep() * cols);
  }
  bool isHip() const { return machine_.family == Target::Hip; }
  /// Over rows x cols of what works together on a block: warps, or the units of #tile.waves.
  tile::Layout layoutOf(int64_t rows, int64_t cols) {
    MLIRContext *context = kernel_->getContext();
    if (isHip()) return tile::WavesAttr::get(context, rows, cols);
    return tile::MmaAttr::get(context, rows, cols);
  }

  // ---- products of warpgroups

  /// Every product of the kernel can be done by instructions of warpgroups, which read shared memory by themselves, and a
  /// producer can fill it. Their sums are laid out as those of a warp's instructions, each warp with whole rows.
  bool canUseWarpgroups(Components &components) {
    int64_t group = kernel_.getGroup();
    if (!machine_.warpgroupProducts) return false;
    llvm::DenseSet<void *> sums;
    tile::DotOp any;
    kernel_.getBody().walk([&](tile::DotOp dot) {
      sums.insert(components.leader(dot.getResult()));
      any = dot;
    });
    if (!any) return false;
    if (group % kWarpgroupLanes != 0 || group > kMostConsumers)
      return refuse(any, "a group has " + Twine(group) + " lanes; warpgroups are 128, and a group takes 1 to " +
                             Twine(kMostConsumers / kWarpgroupLanes) + " of them (warps = 4, 8 or 12)");
    bool all = true;
    kernel_.getBody().walk([&](tile::DotOp dot) {
      all = all && canWarpgroupDo(dot);
      if (tile::WriteSharedOp write = onlyWriteOfLeftOperand(dot); all && write && !sums.contains(components.leader(write.getValue())))
        all = canComputeOperand(components, write);
    });
    if (!all) return false;
    std::variant<RolePlan, Refusal> plan = planRoles(kernel_);
    if (auto *refusal = std::get_if<Refusal>(&plan)) return refuse(refusal->at, refusal->why);
    return true;
  }
  bool canWarpgroupDo(tile::DotOp dot) {
    ArrayRef<DimAttr> shape = dot.getResult().getType().getShape();
    Type operand = dot.getB().getType().getElementType(), sum = dot.getResult().getType().getElementType();
    // Blocks are multiplied by each warp, with the same tiles and sums.
    DimAttr k = blocksOf(dot) ? shape[1] : dot.getB().getType().getShape()[dot.getTransB() ? 1 : 0];
    int64_t depth = warpgroupDepthOf(machine_, operand, sum);
    if (!depth)
      return refuse(dot, "operands are of " + wordOf(operand) + ", added up in " + wordOf(sum) +
                             "; warpgroups multiply bf16, f16, tf32 and floats of 8 bits, added up in f32, and integers of 8 bits, in i32" +
                             (operand.isF32() ? "; tf32 would do, if the operands are declared so" : ""));
    if (storedBytes(operand) != 2 && (dot.getTransA() || !dot.getTransB()))
      return refuse(dot, Twine(dot.getTransA() ? "the left operand lies as [K, M]" : "the right operand lies as [K, N]") +
                             "; warpgroups read " + wordOf(operand) + " along k alone, so store it as " +
                             (dot.getTransA() ? "[M, K]" : "[N, K]"));
    int64_t rows = kBlock * kernel_.getGroup() / kWarpLanes;
    if (!extents_.isMultiple(k, depth) || !extents_.isMultiple(shape[1], kBlock) || !extents_.isMultiple(shape[0], rows))
      return refuse(dot, "the product is " + productText(dot) + "; " + Twine(kernel_.getGroup() / kWarpgroupLanes) +
                             " warpgroups take a multiple of " + Twine(rows) + " rows, of " + Twine(kBlock) + " columns and of " +
                             Twine(depth) + " along k");
    auto sums = extents_.greatestCount(shape);
    int64_t most = addsInParts(dot) ? kMostSumsInParts : kMostSums;
    if (!sums || *sums > most * static_cast<int64_t>(kernel_.getGroup()))
      return refuse(dot, "the sums of " + productText(dot) + " take more than " + Twine(most) + " registers of a lane");
    return true;
  }

  /// A left operand that is computed element by element from what comes through shared memory stays in registers.
  bool canComputeOperand(Components &components, tile::WriteSharedOp write) {
    for (Value value : components.of(kernel_, write.getValue())) {
      Operation *op = value.getDefiningOp();
      auto load = dyn_cast_or_null<tile::LoadFragmentOp>(op);
      if (load && load.getResult().getType().getRank() == 2)
        return refuse(load, "the left operand is computed from `" + nameHint(load.getBase()) + "`, whose tile bulk copies cannot bring");
      if (!op || !isa<tile::ReadSharedOp, tile::LoadFragmentOp, tile::ElementwiseOp, tile::CastOp, tile::FillOp, tile::BroadcastOp, tile::IotaOp>(op))
        return refuse(write, "the left operand is not computed element by element from what was loaded");
    }
    return true;
  }
  /// It lies as the sums do.
  void placeOperand(Components &components, tile::DotOp dot, tile::MmaAttr layout) {
    tile::WriteSharedOp write = onlyWriteOfLeftOperand(dot);
    if (!write) return;
    for (Value value : components.of(kernel_, write.getValue())) {
      value.setType(cast<tile::FragmentType>(value.getType()).withTileLayout(layout));
      if (auto read = value.getDefiningOp<tile::ReadSharedOp>()) swizzle(read.getBase());
    }
  }

  // ---- why not

  bool refuse(Operation *at, const Twine &why) {
    if (refusal_.why.empty()) refusal_ = {why.str(), at};
    return false;
  }
  static std::string wordOf(Type type) {
    std::optional<DType> dtype = dtypeOf(type);
    return dtype ? std::string(info(*dtype).name) : "another type";
  }
  /// "T.m x T.n, k T.k" with the numbers that sizes have.
  std::string productText(tile::DotOp dot) {
    ArrayRef<DimAttr> shape = dot.getResult().getType().getShape();
    auto number = [&](DimAttr extent) {
      std::vector<int64_t> values = extents_.values(extent);
      return values.empty() ? extent.getText().str() : std::to_string(values.back());
    };
    return number(shape[0]) + " x " + number(shape[1]) + " with k = " + number(dot.getB().getType().getShape()[dot.getTransB() ? 1 : 0]);
  }
  /// Kept on the kernel, for the comment over it, the manifest and `tessera explain --why-not`.
  void keepRefusal(StringRef instruction) {
    if (refusal_.why.empty()) return;
    FileLineColLoc place = refusal_.at ? placeOf(refusal_.at) : FileLineColLoc();
    std::string text = refusal_.why + (place ? " (line " + std::to_string(place.getLine()) + ")" : "");
    keepWhyNot(kernel_, instruction, text);
    refusal_ = {};
  }

  /// The warps in rows and columns. A warp reads its rows of a and its columns of b, so a nearly square part is best;
  /// but rows that are reduced, or become the left operand of another product, stay in one warp where they can.
  tile::Layout choose(ArrayRef<Value> values, ArrayRef<tile::DotOp> dots) {
    int64_t group = kernel_.getGroup();
    if (group % unit_.getLanes() != 0) {
      refuse(dots.front(), "a group has " + Twine(group) + " lanes, which are no whole " + (isHip() ? "waves" : "warps") + " of " + Twine(unit_.getLanes()));
      return {};
    }
    int64_t warps = group / unit_.getLanes();
    bool wholeRows = llvm::any_of(values, [&](Value value) { return reducesRows(value) || isLeftOperand(value); });
    int64_t best = 0, bestCost = 0;
    for (int64_t rows = 1; rows <= warps; ++rows) {
      int64_t cols = warps / rows;
      if (rows * cols != warps) continue;
      if (!llvm::all_of(dots, [&](tile::DotOp dot) { return canDo(dot, rows, cols); })) continue;
      int64_t cost = 0;
      for (tile::DotOp dot : dots) {
        ArrayRef<DimAttr> shape = dot.getResult().getType().getShape();
        cost += extents_.values(shape[0]).back() / rows + extents_.values(shape[1]).back() / cols;
      }
      if (wholeRows && cols > 1) cost += kSplitRow;
      if (!best || cost < bestCost) best = rows, bestCost = cost;
    }
    if (!best) whyNoInstruction(dots);
    return best ? layoutOf(best, warps / best) : tile::Layout();
  }
  void whyNoInstruction(ArrayRef<tile::DotOp> dots) {
    for (tile::DotOp dot : dots) {
      Type operand = dot.getB().getType().getElementType(), sum = dot.getResult().getType().getElementType();
      int64_t depth = depthOf(machine_, operand, sum);
      if (!depth)
        refuse(dot, "the machine has no instruction for products of " + wordOf(operand) + " added up in " + wordOf(sum) +
                        (operand.isF32() && !isHip() ? "; it has one for tf32, if the operands are" : ""));
      else
        refuse(dot, "the product is " + productText(dot) + "; rows must be multiples of " + Twine(unit_.getRowStep()) + " and columns of " + Twine(unit_.getColStep()) +
                        " for each " + (isHip() ? "wave" : "warp") + " of a group of " + Twine(kernel_.getGroup() / unit_.getLanes()) + ", and k of " + Twine(depth));
    }
  }

  bool reducesRows(Value value) {
    auto reduce = value.getDefiningOp<tile::ReduceOp>();
    return reduce && reduce.getValue().getType().getRank() == 2 && reduce.getAxis() == 1;
  }

  /// Written to shared memory for nothing but to be the left operand of a product.
  bool isLeftOperand(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      auto write = dyn_cast<tile::WriteSharedOp>(user);
      return write && write.getValue() == value && llvm::any_of(write.getBase().getUsers(), [&](Operation *reader) {
               auto dot = dyn_cast<tile::DotOp>(reader);
               return dot && dot.getA() == write.getBase();
             });
    });
  }

  // ---- its operands

  void stage(tile::DotOp dot) {
    if (keepInRegisters(dot)) return swizzle(dot.getB());  // the left operand stays where it was computed
    swizzle(dot.getA());
    swizzle(dot.getB());
  }

  /// Lanes of a grid read a column of what lies along k: without the change of places, all of it from the same banks.
  void swizzleAlongK(tile::DotOp dot) {
    if (!dot.getTransA() && isa<SharedType>(dot.getA().getType())) swizzle(dot.getA());
    if (dot.getTransB()) swizzle(dot.getB());
  }

  /// The left operand was computed in the layout that the instruction wants: no way through shared memory.
  bool keepInRegisters(tile::DotOp dot) {
    tile::WriteSharedOp write = onlyWriteOfLeftOperand(dot);
    auto layout = write ? dyn_cast<tile::MmaAttr>(write.getValue().getType().getLayout()) : tile::MmaAttr();
    if (!layout || layout != dot.getAcc().getType().getLayout() || layout.getCols() != 1) return false;
    auto alloc = dot.getA().getDefiningOp<tile::AllocSharedOp>();
    dot.getAMutable().assign(write.getValue());
    write.erase();
    alloc.erase();
    return true;
  }

  /// The 16-byte chunks of a row change places, in a buffer that the compiler lays out; for warpgroups in panels.
  void swizzle(Value buffer) {
    transforms::swizzle(buffer, warpgroups_ ? "panels" : "xor");
  }

  // ---- the comment over the kernel

  void explain() {
    if (chosen_.empty()) return;
    if (warpgroups_) {
      bool inBlocks = kernel_.getBody().walk([](tile::DotOp dot) { return blocksOf(dot) ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted();
      addReason(kernel_, inBlocks ? "products by warps: columns are in blocks, which see channels of their own" : "products by warpgroups, which read their operands from shared memory");
      bool inParts = kernel_.getBody().walk([](tile::DotOp dot) {
        return addsInParts(dot) ? WalkResult::interrupt() : WalkResult::advance();
      }).wasInterrupted();
      bool fast = kernel_.getBody().walk([](tile::DotOp dot) {
        return hasFastSums(dot) ? WalkResult::interrupt() : WalkResult::advance();
      }).wasInterrupted();
      if (inParts) addReason(kernel_, "floats of 8 bits: the tensor cores add up 128 products, which are then added in f32");
      if (fast) addReason(kernel_, "`@fast_sums`: the tensor cores keep the sums, with about 14 bits");
      return;
    }
    for (tile::Layout layout : chosen_) {
      int64_t rows = layout.getRowStep() / unit_.getRowStep(), cols = layout.getColStep() / unit_.getColStep();
      addReason(kernel_, "products by matrix instructions, " + Twine(isHip() ? "units of 64 lanes" : "warps") + " in " + Twine(rows) +
                             (isHip() && rows == 1 ? " row and " : " rows and ") + Twine(cols) + (cols == 1 ? " column" : " columns"));
    }
  }

  static constexpr int64_t kMostConsumers = 3 * kWarpgroupLanes;
  static bool addsInParts(tile::DotOp dot) {
    Type type = dot.getB().getType().getElementType();
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8 && !hasFastSums(dot);
  }

  static constexpr int64_t kMostSums = 160;  // registers of a lane for the sums of one product
  static constexpr int64_t kMostSumsInParts = 128;  // where it has 64 more for a part of them (wgmma.h, dot_in_parts)
  bool warpgroups_ = false;
  Refusal refusal_;
  static constexpr int64_t kSplitRow = 1 << 20;  // more than any tile's extents
  tile::KernelOp kernel_;
  const Machine &machine_;
  Extents extents_;
  tile::Layout unit_;  // one of what works together on a block
  llvm::SetVector<tile::Layout> chosen_;
};

struct MatrixLayoutsPass : PassWrapper<MatrixLayoutsPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MatrixLayoutsPass)
  StringRef getArgument() const override { return "tile-matrix-layouts"; }
  StringRef getDescription() const override { return "products by the matrix instructions of the machine"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine) return signalPassFailure();
    MatrixLayouts(getOperation(), *machine).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createMatrixLayoutsPass() { return std::make_unique<MatrixLayoutsPass>(); }

}  // namespace tessera::transforms
