// The formatter: one layout for every program. Keeps every comment; parse(format(p)) equals parse(p); idempotent.
#pragma once
#include "frontend/AST.h"
#include "support/Sources.h"
#include <string>

namespace tessera::frontend {

/// The module as formatted text, 100 columns. The module must have parsed without errors.
std::string format(const ast::Module &module, const Sources &sources);

}  // namespace tessera::frontend
