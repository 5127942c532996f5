// The dialect `schedule`: which operations share a kernel, and in what sizes.
#pragma once
#include "ir/common/OpRules.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/schedule/ScheduleDialect.h.inc"
#define GET_OP_CLASSES
#include "ir/schedule/ScheduleOps.h.inc"
