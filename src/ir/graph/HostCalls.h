// Functions of the host runtime, called by name.
#pragma once
#include "ir/graph/Graph.h"
#define GET_OP_CLASSES
#include "ir/graph/HostCallOps.h.inc"
