#include "support/Partials.h"

namespace tessera {
namespace {
struct Row {
  ElementwiseOp op;
  std::string_view partials;
};
constexpr Row kRows[] = {
#define TSR_PARTIALS(id, partials) {ElementwiseOp::id, partials},
#include "support/Partials.def"
};
constexpr ElementwiseOp kOperations[] = {
#define TSR_ELEMENTWISE(id, mnemonic, arity, result) ElementwiseOp::id,
#include "support/Ops.def"
};

constexpr bool sameOrder() {
  if (std::size(kRows) != std::size(kOperations)) return false;
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].op != kOperations[i] || kRows[i].partials.empty()) return false;
  return true;
}
static_assert(sameOrder(), "each operation of Ops.def has a row in Partials.def, in the same order");
}  // namespace

std::string_view partialsOf(ElementwiseOp op) { return kRows[static_cast<size_t>(op)].partials; }

}  // namespace tessera
