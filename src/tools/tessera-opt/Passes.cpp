#include "Passes.h"
#include "mlir/Transforms/Passes.h"
#ifdef TESSERA_TRANSFORMS_SCHEDULE
#include "transforms/schedule/Passes.h"
#endif
#ifdef TESSERA_TRANSFORMS_TILE
#include "transforms/tile/Passes.h"
#endif
#ifdef TESSERA_TRANSFORMS_TARGET
#include "transforms/target/Passes.h"
#endif
#ifdef TESSERA_TRANSFORMS_VERIFY
#include "transforms/verify/Passes.h"
#endif

void tessera::tools::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
#ifdef TESSERA_TRANSFORMS_SCHEDULE
  tessera::transforms::registerScheduleTransforms();
#endif
#ifdef TESSERA_TRANSFORMS_TILE
  tessera::transforms::registerTileTransforms();
#endif
#ifdef TESSERA_TRANSFORMS_TARGET
  tessera::transforms::registerTargetTransforms();
#endif
#ifdef TESSERA_TRANSFORMS_VERIFY
  tessera::transforms::registerVerifyTransforms();
#endif
}
