// The elementwise and reduction operations that every level of the house shares (Ops.def).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

enum class ElementwiseOp : uint8_t {
#define TSR_ELEMENTWISE(id, ...) id,
#include "support/Ops.def"
};
enum class ReduceOp : uint8_t { Sum, Prod, Min, Max, Any, All };

struct ElementwiseInfo {
  ElementwiseOp id;
  std::string_view mnemonic;
  int arity;
  bool resultIsBool;
};
const ElementwiseInfo &info(ElementwiseOp op);
std::optional<ElementwiseOp> elementwiseByMnemonic(std::string_view mnemonic);
std::string_view mnemonic(ReduceOp op);
std::optional<ReduceOp> reduceByMnemonic(std::string_view mnemonic);

}  // namespace tessera
