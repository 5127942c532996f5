// The table of functions that host code calls by name.
#pragma once
#include <optional>
#include <string_view>

namespace tessera {

struct HostFunction {
  std::string_view name, arguments;
  char result;
};

inline constexpr HostFunction kHostFunctions[] = {
#define TSR_HOST_FUNCTION(name, arguments, result) {name, arguments, result},
#include "support/HostFunctions.def"
};

inline std::optional<HostFunction> hostFunction(std::string_view name) {
  for (const HostFunction &function : kHostFunctions)
    if (function.name == name) return function;
  return std::nullopt;
}

}  // namespace tessera
