#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "ir/schedule/ScheduleDialect.cpp.inc"
#include "mlir/Interfaces/FunctionImplementation.h"

#define GET_OP_CLASSES
#include "ir/schedule/ScheduleOps.cpp.inc"

void tessera::ir::schedule::ScheduleDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/schedule/ScheduleOps.cpp.inc"
      >();
}
