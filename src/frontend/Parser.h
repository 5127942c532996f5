// Text to tree. Never fails: returns a tree and puts messages into the engine.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "support/Sources.h"
#include <memory>

namespace tessera::frontend {

class ReadBefore;

/// Parses one file. What did not parse is an Error node for which a message was given. `before`: statements of earlier
/// versions of the file, whose trees are taken over.
std::unique_ptr<ast::Module> parse(const Sources &sources, FileId file, diag::Engine &diagnostics, ReadBefore *before = nullptr);

}  // namespace tessera::frontend
