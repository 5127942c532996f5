#include "sema/calls/Calls.h"
#include "sema/trace/Trace.h"
#include "sema/trace/Guards.h"
