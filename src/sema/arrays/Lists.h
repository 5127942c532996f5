// Lists of numbers where a tensor is asked for: as an argument, or as an index.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// Whether it is a list (or a tuple) of numbers, or of such lists. `whole`: of integers alone.
bool isListOfNumbers(const Value &list, bool whole);
/// `[3, 11]` for a parameter `Tensor[N, i64]`: the tensor of these numbers. Anything else stays as it is.
Value tensorOfList(Context &cx, Value value, const ast::Expr *annotation, Span span);

}  // namespace tessera::sema
