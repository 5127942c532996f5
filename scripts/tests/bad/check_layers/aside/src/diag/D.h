#include "support/Span.h"
