// Numbers and arrays as Python would print them, and the format specifications of f-strings.
#pragma once
#include "reference/Datum.h"

namespace tessera::reference {

/// What str() gives. Floats are shortest such that they read back as their dtype; arrays look as NumPy's do,
/// with a comma between elements and "..." in the middle of long axes.
std::string textOf(const Datum &value);
/// What repr() gives: strings in quotes.
std::string reprOf(const Datum &value);
/// One replacement field: `spec` is what stands behind the expression, e.g. ".4f", "!r", "!r:>8", ":>8".
Result<std::string> formatField(const Datum &value, std::string_view spec);

/// Whether f64 holds an integer, and what is said where it does not (include/tessera/host/tensor.h).
bool isExact(int64_t value);
std::string inexactText(int64_t value);

}  // namespace tessera::reference
