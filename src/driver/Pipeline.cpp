#include "driver/Pipeline.h"
#include "ir/common/Common.h"
#include "ir/common/MachineLimit.h"
#include "ir/common/Names.h"
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "ir/target/Target.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "support/Machine.h"
#include "transforms/schedule/Passes.h"
#include "transforms/target/Passes.h"
#include "transforms/tile/Passes.h"
#include "transforms/verify/Passes.h"

namespace tessera::driver {

std::unique_ptr<mlir::MLIRContext> makeContext() {
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);  // a message shows the user's text, not ours
  context->loadDialect<mlir::scf::SCFDialect, ir::TsrDialect, ir::graph::GraphDialect, ir::schedule::ScheduleDialect,
                       ir::tile::TileDialect, ir::target::TargetDialect>();
  return context;
}

/// Whether warps multiply 16 x 8 x 16, and copies to what they multiply run ahead.
static bool multipliesByWarps(const Machine &machine) {
  return machine.asyncCopy && llvm::any_of(machine.matrixInstructions(), [](const MatrixInstruction &instruction) {
    return instruction.m == 16 && instruction.n == 8 && instruction.k == 16;
  });
}

bool lowerOneLevel(mlir::ModuleOp module, Level level) {
  const Machine *machine = ir::machineOf(module);
  if (!machine) return false;
  mlir::PassManager passes(module.getContext());
  // The tests of the passes look at the IR behind each of them. Here once for a level is enough: it takes a third of the time.
  passes.enableVerifier(false);
  switch (level) {
  case Level::Schedule:
    // One mean where a function asks for a mean and a variance. Kernels stay as their author wrote them.
    passes.addNestedPass<ir::graph::FuncOp>(mlir::createCSEPass());
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createNarrowFactorsPass());  // the others ask what a product multiplies
    passes.addNestedPass<ir::graph::KernelOp>(transforms::createNarrowFactorsPass());
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createSumWindowsPass());  // before what the new windows see is rounded
    if (machine->family != Target::Cpu) passes.addNestedPass<ir::graph::FuncOp>(transforms::createSlideWindowsPass());  // what is left is no product
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createPickTermsPass());  // derivatives are there, kernels are not
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createSumPartsPass());  // then all that is left of what is put together is rounded
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createRoundEarlyPass());  // all that reads a value is known
    passes.addPass(transforms::createAskForDepthsPass());  // the next ones ask for bounds
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createExchangeSumsPass());  // equal products are one, and no kernel holds them yet
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createTurnResultsPass());  // behind those that look for pairs of products
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createReadWindowsPass());  // products are those that stay
    if (machine->family != Target::Cpu) passes.addNestedPass<ir::graph::FuncOp>(transforms::createSlideWindowsPass());  // of products that lie as they will
    passes.addNestedPass<ir::graph::FuncOp>(transforms::createPairTermsPass());  // the others know products as such
    passes.addNestedPass<ir::graph::KernelOp>(transforms::createPairTermsPass());
    passes.addPass(transforms::createGraphToSchedulePass());
    passes.addPass(transforms::createSplitProductsPass());  // where sizes are decided and loops are still those of products
    passes.addPass(transforms::createVerifySchedulePass());
    break;
  case Level::Tile:
    noteWork(module);  // while loops and tiles are whole
    passes.addPass(transforms::createScheduleToTilePass());
    passes.addPass(transforms::createShareKernelsPass());  // those of all layers, before each would be looked at for itself
    passes.addNestedPass<ir::tile::KernelOp>(transforms::createProveBoundsPass());  // needs the sizes, and every access in its place
    passes.addNestedPass<ir::tile::KernelOp>(transforms::createMergeAxesPass());  // where the proofs say that it can be done
    passes.addNestedPass<ir::tile::KernelOp>(transforms::createSimplifyMasksPass());  // those that no proof has removed
    if (machine->family == Target::Cpu) passes.addNestedPass<ir::tile::KernelOp>(transforms::createKeepRowsPass());  // of accesses without masks
    if (machine->family != Target::Cpu) passes.addNestedPass<ir::tile::KernelOp>(transforms::createOrderGroupsPass());  // while loops still say how long they are
    if (multipliesByWarps(*machine)) {
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createTurnProductsPass());  // before layouts, which take the tiles as they then are
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createStageOperandsPass());  // computed left operands, also those turned
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createMatrixLayoutsPass());  // decides what stays in registers
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createStageFollowersPass());  // where the layouts are those of warpgroups
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createStageBesidePass());  // copies say where tiles lie
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createStageVectorsPass());  // while copies still say where tiles lie
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createSpecialiseRolesPass());  // all that a producer loads is copied
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createShareCopiesPass());  // of the producer, whose loops are what they will be
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createReadOncePass());  // of copies that groups do not share
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createGroupProductsPass());  // before turns are put around them
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createOverlapProductsPass());  // loops that are turned have their turns from it
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createTakeTurnsPass());  // needs to know where each product reads its operands
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createPipelineLoopsPass());  // after masks are proved: a copy ahead is the same copy
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createReadPairsPass());  // of stages, in loops that stay as they are
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createStoreInPartsPass());  // when it is known how the tiles lie, and which stores are bulk
    }
    if (machine->family == Target::Cuda) passes.addPass(transforms::createSumColumnsPass());  // of tiles as they are stored, before long sums are split
    if (machine->family == Target::Hip) passes.addNestedPass<ir::tile::KernelOp>(transforms::createMatrixLayoutsPass());  // those of waves
    if (machine->family == Target::Cuda)
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createShortenPowersPass());  // masks are as few as they will be
    if (machine->family != Target::Cpu) passes.addNestedPass<ir::tile::KernelOp>(transforms::createContractSumsPass());  // of what powers are left
    if (machine->family != Target::Cpu) passes.addNestedPass<ir::tile::KernelOp>(transforms::createOrderElementsPass());  // loops over rows are still in the order of the program
    passes.addNestedPass<ir::tile::KernelOp>(transforms::createDivideRowsPass());  // before loops are joined
    if (machine->family != Target::Cpu) passes.addNestedPass<ir::tile::KernelOp>(transforms::createJoinLoopsPass());  // those that split do so together
    if (machine->family != Target::Cpu) passes.addPass(transforms::createSumBesideRowsPass());  // sums that are joined, and not split yet
    if (machine->family != Target::Cpu) passes.addNestedPass<ir::tile::KernelOp>(transforms::createJoinLoopsPass());  // those of sums that are one kernel now
    passes.addPass(transforms::createSplitReductionsPass());  // loops over single elements are easy to cut
    if (machine->family != Target::Cpu)
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createShortenElementsPass());  // what kernels compute alike was merged before
    if (machine->family != Target::Cpu)
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createVectorisePass());  // needs to know which accesses have no masks
    if (machine->family != Target::Cpu)
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createPrepareDivisorsPass());  // when no pass asks any more how places are computed
    if (machine->family != Target::Cpu)
      passes.addNestedPass<ir::tile::KernelOp>(transforms::createTakeSeveralPass());  // quotients are a chain, axes as few as they are
    passes.addNestedPass<ir::tile::KernelOp>(transforms::createInsertBarriersPass());  // after all accesses to shared memory stand where they stay
    passes.addPass(transforms::createVerifyTilePass());
    break;
  case Level::Target:
    passes.addPass(transforms::createShareKernelsPass());  // when no pass will tell them apart any more
    passes.addPass(transforms::createShareIndicesPass());  // of those that are left
    passes.addPass(transforms::createOrderLaunchesPass());  // when all launches are there
    passes.addPass(transforms::createShareTemporariesPass());  // when it is known which come after which
    passes.addPass(transforms::createTileToTargetPass());
    passes.addPass(transforms::createStartEarlyPass());  // when it is known which kernels a function starts
    passes.addPass(transforms::createShareFormsPass());  // when nothing is put into one of them alone
    passes.addPass(transforms::createShareLaunchesPass());  // when nothing changes them any more
    passes.addPass(transforms::createVerifyTargetPass());
    break;
  default: return false;
  }
  return mlir::succeeded(passes.run(module)) && mlir::succeeded(mlir::verify(module));
}

mlir::OwningOpRef<mlir::ModuleOp> onlyFunctions(mlir::ModuleOp module, const std::vector<std::string> &names,
                                                std::set<std::string> *missing) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone()));
  mlir::SymbolTable symbols(*copy);
  std::set<std::string> wanted;
  std::vector<std::string> open = names;
  while (!open.empty()) {
    std::string name = open.back();
    open.pop_back();
    if (!wanted.insert(name).second) continue;
    mlir::Operation *function = symbols.lookup(name);
    if (!function && missing) missing->insert(name);
    if (!function) continue;
    function->walk([&](mlir::Operation *inner) {
      inner->getAttrDictionary().walk([&](mlir::SymbolRefAttr reference) { open.push_back(reference.getLeafReference().str()); });
    });
  }
  for (mlir::Operation &op : llvm::make_early_inc_range(copy->getBody()->getOperations()))
    if (auto symbol = op.getAttrOfType<mlir::StringAttr>(mlir::SymbolTable::getSymbolAttrName()); symbol && !wanted.count(symbol.str())) op.erase();
  return copy;
}

namespace {
Span spanOf(mlir::Location location, const Sources &sources) {
  mlir::FileLineColLoc place = ir::placeOf(location);
  if (!place) return {};
  for (FileId id = 0; id < sources.size(); ++id) {
    const SourceFile &file = sources.file(id);
    if (file.path != place.getFilename().str() || place.getLine() == 0 || place.getLine() > file.lineCount()) continue;
    uint32_t begin = file.lineStart(place.getLine());
    for (uint32_t column = 1; column < place.getColumn() && begin < file.text.size(); ++column)
      do ++begin;
      while (begin < file.text.size() && (static_cast<unsigned char>(file.text[begin]) & 0xC0) == 0x80);
    uint32_t lineEnd = file.lineStart(place.getLine()) + static_cast<uint32_t>(file.lineText(place.getLine()).size());
    return {id, begin, std::max(begin, lineEnd)};
  }
  return {};
}
}  // namespace

MessageForwarder::MessageForwarder(mlir::MLIRContext &context, const Sources &sources, diag::Engine &diagnostics)
    : handler_(&context, [&sources, &diagnostics](mlir::Diagnostic &message) {
        if (message.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::success();
        Span span = spanOf(message.getLocation(), sources);
        std::vector<diag::Note> notes;
        for (mlir::Diagnostic &note : message.getNotes()) notes.push_back({spanOf(note.getLocation(), sources), note.str()});
        if (ir::isMachineLimit(message.getLocation())) {  // not "yet": no later compiler makes the machine larger
          diagnostics.append({diag::Id::loweringFailed, diag::Severity::Error, span, message.str(), {}, std::move(notes), {}});
          return mlir::success();
        }
        auto ours = diagnostics.report(diag::Id::loweringFailed, span, message.str());
        for (diag::Note &note : notes) ours.note(note.span, std::move(note.text));
        return mlir::success();
      }) {}

}  // namespace tessera::driver
