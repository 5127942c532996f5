#include "tessera/t.h"
