#include "support/Ops.h"

namespace tessera {
namespace {
enum ResultRule { Same, Bool };
const ElementwiseInfo kElementwise[] = {
#define TSR_ELEMENTWISE(id, mnemonic, arity, result) {ElementwiseOp::id, mnemonic, arity, result == Bool},
#include "support/Ops.def"
};
constexpr std::string_view kReduce[] = {"sum", "prod", "min", "max", "any", "all"};
}  // namespace

const ElementwiseInfo &info(ElementwiseOp op) { return kElementwise[static_cast<int>(op)]; }

std::optional<ElementwiseOp> elementwiseByMnemonic(std::string_view mnemonic) {
  for (const ElementwiseInfo &row : kElementwise)
    if (row.mnemonic == mnemonic) return row.id;
  return std::nullopt;
}

std::string_view mnemonic(ReduceOp op) { return kReduce[static_cast<int>(op)]; }

std::optional<ReduceOp> reduceByMnemonic(std::string_view mnemonic) {
  for (int i = 0; i < 6; ++i)
    if (kReduce[i] == mnemonic) return static_cast<ReduceOp>(i);
  return std::nullopt;
}

}  // namespace tessera
