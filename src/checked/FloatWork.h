// How many operations on floats a part of a checked program does, as formulas in its dimensions.
#pragma once
#include "checked/Checked.h"
#include <optional>

namespace tessera::checked {

/// Each element of an addition, a function or a reduction counts as one operation, of a product as two. Tiles count as if
/// they divided what they cover. Nothing: it depends on data, or on code that is written out later.
std::optional<Dim> floatWork(const Expr &expr);
/// Of the statements from `from` on.
std::optional<Dim> floatWork(const Block &block, size_t from = 0);
/// Of one call, with the function's own dimensions.
std::optional<Dim> floatWork(const Function &function);

}  // namespace tessera::checked
