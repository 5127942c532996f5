#include "mlir/IR/Location.h"
