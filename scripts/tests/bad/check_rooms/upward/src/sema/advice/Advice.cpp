#include "sema/advice/Advice.h"
#include "sema/calls/Calls.h"
