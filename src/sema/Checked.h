// The words of the checked program, which the checker uses as its own.
#pragma once
#include "checked/Checked.h"

namespace tessera::sema {
using namespace checked;
}  // namespace tessera::sema
