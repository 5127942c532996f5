// What only the tree knows: which words stand in types.
#pragma once
#include "frontend/AST.h"
#include "support/Sources.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace tessera::frontend::fmt {

struct TypeFacts {
  std::set<uint32_t> policies;  // offsets of the `@` of policies in types
  struct Rename {
    uint32_t end;
    std::string text;
  };
  std::map<uint32_t, Rename> renames;  // dtypes with a shorter name: `fp32`, `fp8(e4m3)`
};
TypeFacts typeFacts(const ast::Module &module);

}  // namespace tessera::frontend::fmt
