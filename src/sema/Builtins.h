// The table of built-in functions (Builtins.def) as C++.
#pragma once
#include "support/Ops.h"
#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::sema {

enum class BuiltinKind : uint8_t {
  Elementwise,
  Reduce,
#define TSR_BUILTIN_KIND(id) id,
#include "sema/Builtins.def"
};
struct BuiltinRow {
  std::string_view name;
  std::string_view
      places;  // P prelude, T tile, M method of tensors, R of streams, S of states; K kernels only, H host only
  std::string_view signature;  // "x, axis=, keepdim=": names, `=` optional, `*` any number
  BuiltinKind kind;
  std::string_view op;  // mnemonic in Ops.def
};
const std::vector<BuiltinRow> &builtinRows();
/// The builtin of that name in a place ('P', 'T', 'M', 'R' or 'S'), or null.
const BuiltinRow *builtinByName(std::string_view name, char place);

/// Whether an operation of each element is one of floats alone.
bool needsFloat(ElementwiseOp op);

}  // namespace tessera::sema
