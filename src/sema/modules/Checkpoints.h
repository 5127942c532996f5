// What `checkpoint(f, keep=("h",), budget=64 * MiB, B=32)` says beside its function, as `@checkpoint(...)` does above one.
#pragma once
#include "sema/Context.h"
#include "sema/calls/Calls.h"

namespace tessera::sema {

/// The arguments with names, a Dict. Poison after a message.
Value checkpointOptions(Context &cx, const GivenList &args);
/// Takes them over for a call, whose function is traced. False after a message.
bool takeOptions(Context &cx, const Value &options, Function &function, const ApartCall &call);

}  // namespace tessera::sema
