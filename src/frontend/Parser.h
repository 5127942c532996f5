// Text to tree. Never fails: returns a tree and puts messages into the engine.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "support/Sources.h"
#include <memory>

namespace tessera::frontend {

/// Parses one file. What did not parse is an Error node for which a message was given.
std::unique_ptr<ast::Module> parse(const Sources &sources, FileId file, diag::Engine &diagnostics);

}  // namespace tessera::frontend
