#include "mlir/IR/Dialect.h"
#include "diag/D.h"
