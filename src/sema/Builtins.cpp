#include "sema/Builtins.h"
#include <unordered_map>

namespace tessera::sema {

const std::vector<BuiltinRow> &builtinRows() {
  static const std::vector<BuiltinRow> rows = {
#define TSR_BUILTIN(name, places, signature, kind, op) {name, places, signature, BuiltinKind::kind, op},
#include "sema/Builtins.def"
  };
  return rows;
}
const BuiltinRow *builtinByName(std::string_view name, char place) {
  static const auto byName = [] {
    std::unordered_map<std::string_view, std::vector<const BuiltinRow *>> rows;
    for (const BuiltinRow &row : builtinRows()) rows[row.name].push_back(&row);
    return rows;
  }();
  if (auto rows = byName.find(name); rows != byName.end())
    for (const BuiltinRow *row : rows->second)
      if (row->places.find(place) != std::string_view::npos) return row;
  return nullptr;
}

}  // namespace tessera::sema
