// What an `assert` says that fails when it is compiled.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"

namespace tessera::sema {

/// The words of the author, at the condition.
inline void assertedText(diag::Builder builder, const ast::AssertStmt &stmt) {
  if (auto *text = ast::as<ast::StringExpr>(stmt.message)) builder.label(text->value);
}

}  // namespace tessera::sema
