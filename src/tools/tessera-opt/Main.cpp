// tessera-opt: reads IR of any level, runs passes over it, prints it.
#include "Passes.h"
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "ir/target/Target.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::scf::SCFDialect, tessera::ir::TsrDialect, tessera::ir::graph::GraphDialect,
                  tessera::ir::schedule::ScheduleDialect, tessera::ir::tile::TileDialect,
                  tessera::ir::target::TargetDialect>();
  tessera::tools::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "reads Tessera IR, runs passes, prints it\n", registry));
}
