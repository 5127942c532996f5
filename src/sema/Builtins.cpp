#include "sema/Builtins.h"

namespace tessera::sema {

const std::vector<BuiltinRow> &builtinRows() {
  static const std::vector<BuiltinRow> rows = {
#define TSR_BUILTIN(name, places, signature, kind, op) {name, places, signature, BuiltinKind::kind, op},
#include "sema/Builtins.def"
  };
  return rows;
}
const BuiltinRow *builtinByName(std::string_view name, char place) {
  for (const BuiltinRow &row : builtinRows())
    if (row.name == name && row.places.find(place) != std::string_view::npos) return &row;
  return nullptr;
}

}  // namespace tessera::sema
