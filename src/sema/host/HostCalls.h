// What only host code does: printing, and files.
#pragma once
#include "frontend/AST.h"

namespace tessera::sema {

/// The first call in a function's body that makes it host code, or null. (Host.cpp)
const ast::CallExpr *firstHostCall(const ast::Block &block);

/// Whether a parameter is declared to be a tensor that may have several elements.
bool isWholeTensor(const ast::Parameter &parameter);

}  // namespace tessera::sema
