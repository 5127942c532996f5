// The pass over the module: kernels by KernelLowering, entry functions and host code op for op.
#include "ir/common/WorkNotes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Lowering.h"
#include "transforms/tile/Passes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// The same function op of the other dialect: all attributes but `dropped`.
template <class To> To createLike(OpBuilder &builder, Operation *from, ArrayRef<StringRef> dropped = {}) {
  OperationState state(from->getLoc(), To::getOperationName());
  for (NamedAttribute attribute : from->getAttrs())
    if (!llvm::is_contained(dropped, attribute.getName().strref())) state.attributes.append(attribute);
  state.addRegion();
  return cast<To>(builder.create(state));
}

LogicalResult lowerKernel(OpBuilder &builder, schedule::KernelOp kernel) {
  auto target = createLike<tile::KernelOp>(builder, kernel, {"rows"});
  return KernelLowering(kernel, target, Layouts(kernel)).run();
}

LogicalResult lowerEntry(OpBuilder &builder, schedule::FuncOp function) {
  auto target = createLike<tile::FuncOp>(builder, function);
  Block &block = target.getBody().emplaceBlock();
  IRMapping values;
  for (BlockArgument argument : function.entry().getArguments())
    values.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  for (Operation &op : function.entry()) {
    Operation *made = nullptr;
    if (auto temp = dyn_cast<schedule::TempOp>(op)) {
      made = builder.create<tile::TempOp>(op.getLoc(), temp.getType());
      values.map(temp.getResult(), made->getResult(0));
    } else if (auto table = dyn_cast<schedule::TableOp>(op)) {
      made = builder.create<tile::TableOp>(op.getLoc(), table.getType(), table.getSymbol(), table.getValues());
      values.map(table.getResult(), made->getResult(0));
    } else if (auto launch = dyn_cast<schedule::LaunchOp>(op)) {
      SmallVector<Value> args;
      for (Value operand : launch.getOperands()) args.push_back(values.lookup(operand));
      made = builder.create<tile::LaunchOp>(op.getLoc(), launch.getKernelAttr(), args, launch.getDimsAttr());
    } else if (auto exchange = dyn_cast<schedule::ExchangeOp>(op)) {
      made = builder.create<tile::ExchangeOp>(op.getLoc(), exchange.getKind(), exchange.getOver(), values.lookup(exchange.getSource()), values.lookup(exchange.getTarget()));
    } else {
      made = builder.create<tile::ReturnOp>(op.getLoc(), ValueRange());
    }
    for (StringRef name : {StringRef("tsr.when"), StringRef("tsr.buffer"), StringRef(kWork)})
      if (Attribute attribute = op.getAttr(name)) made->setAttr(name, attribute);
  }
  return success();
}

void lowerHost(OpBuilder &builder, schedule::HostFuncOp function) {
  auto target = createLike<tile::HostFuncOp>(builder, function);
  target.getBody().takeBody(function.getBody());
  target.walk([&](schedule::ReturnOp op) {
    OpBuilder(op).create<tile::ReturnOp>(op.getLoc(), op.getOperands());
    op.erase();
  });
}

struct ScheduleToTile : PassWrapper<ScheduleToTile, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScheduleToTile)
  StringRef getArgument() const override { return "schedule-to-tile"; }
  StringRef getDescription() const override { return "who holds what, where and when, in every kernel"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tile::TileDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody())) {
      OpBuilder builder(&op);
      LogicalResult lowered = success();
      if (auto kernel = dyn_cast<schedule::KernelOp>(op)) lowered = lowerKernel(builder, kernel);
      else if (auto function = dyn_cast<schedule::FuncOp>(op)) lowered = lowerEntry(builder, function);
      else if (auto host = dyn_cast<schedule::HostFuncOp>(op)) lowerHost(builder, host);
      else continue;
      if (failed(lowered)) return signalPassFailure();
      op.erase();
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createScheduleToTilePass() { return std::make_unique<ScheduleToTile>(); }

void registerTileTransforms() {
  registerPass(createScheduleToTilePass);
  registerPass(createSimplifyMasksPass);
  registerPass(createOrderGroupsPass);
  registerPass(createTurnProductsPass);
  registerPass(createStageOperandsPass);
  registerPass(createMatrixLayoutsPass);
  registerPass(createStageFollowersPass);
  registerPass(createStageVectorsPass);
  registerPass(createStageBesidePass);
  registerPass(createSpecialiseRolesPass);
  registerPass(createShareCopiesPass);
  registerPass(createReadOncePass);
  registerPass(createReadPairsPass);
  registerPass(createGroupProductsPass);
  registerPass(createOverlapProductsPass);
  registerPass(createTakeTurnsPass);
  registerPass(createStoreInPartsPass);
  registerPass(createSumColumnsPass);
  registerPass(createSumBesideRowsPass);
  registerPass(createShortenPowersPass);
  registerPass(createContractSumsPass);
  registerPass(createShortenElementsPass);
  registerPass(createDivideRowsPass);
  registerPass(createPipelineLoopsPass);
  registerPass(createInsertBarriersPass);
  registerPass(createOrderElementsPass);
  registerPass(createProveBoundsPass);
  registerPass(createMergeAxesPass);
  registerPass(createSplitReductionsPass);
  registerPass(createJoinLoopsPass);
  registerPass(createKeepRowsPass);
  registerPass(createVectorisePass);
  registerPass(createPrepareDivisorsPass);
  registerPass(createTakeSeveralPass);
}

}  // namespace tessera::transforms
