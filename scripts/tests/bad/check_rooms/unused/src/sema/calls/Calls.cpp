#include "sema/calls/Calls.h"
