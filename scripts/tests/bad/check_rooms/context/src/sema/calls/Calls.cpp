#include "sema/calls/Calls.h"
#include "sema/advice/Advice.h"
