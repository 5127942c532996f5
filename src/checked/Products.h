// Products of tiles that no matrix instruction takes, found before they are lowered.
#pragma once
#include "checked/Checked.h"

namespace tessera::checked {

struct OddProduct {
  int64_t rows = 0, columns = 0, terms = 0;  // terms: elements that are summed
  DType dtype{};
  Span span;
};
/// A product of a kernel whose tiles are known, and which no machine's instruction divides although there are some for its
/// dtype: its elements are multiplied one by one. Nothing where there is none.
std::optional<OddProduct> productWithoutInstruction(const Function &kernel);

}  // namespace tessera::checked
