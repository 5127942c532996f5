// The struct of a model: its parameters by the layers that make them, and their first values.
#pragma once
#include "sema/calls/Models.h"

namespace tessera::sema {

/// Adds a parameter to the model that is traced. False after a message.
bool collectParameter(Context &cx, ModelTrace &trace, const std::string &name, const Type &type, const Bound &args, Span span);

}  // namespace tessera::sema
