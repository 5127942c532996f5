#include "sema/calls/Calls.h"
#include "sema/trace/Rows.h"
#include "sema/calls/Private.h"
