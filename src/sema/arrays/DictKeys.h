// Dicts whose keys are known when the program is compiled.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// What a dict has under a key, `d["name"]`. Poison after a message.
Value subscriptDict(Context &cx, const Value &dict, const ast::SubscriptExpr &expr);

}  // namespace tessera::sema
