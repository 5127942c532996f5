// One of several equal buffers of a kernel.
#pragma once
#include "frontend/AST.h"
#include "sema/Context.h"

namespace tessera::sema {

/// `stages[k % 2]` of `stages[k % 2][i, j]`, where `stages` are equal buffers: the other indices name its elements, as if all stood in one
/// bracket. Null for any other subscript.
const ast::SubscriptExpr *choiceOfBuffer(Context &cx, const ast::SubscriptExpr &expr);
/// What a subscript takes elements of: `stages` there.
const ast::Expr &objectOf(Context &cx, const ast::SubscriptExpr &expr);

}  // namespace tessera::sema
