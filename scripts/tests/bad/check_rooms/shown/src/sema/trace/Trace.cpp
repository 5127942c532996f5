#include "sema/trace/Guards.h"
