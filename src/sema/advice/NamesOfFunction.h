// The names that a function binds, where it binds them, and which of them something reads.
#pragma once
#include "frontend/AST.h"
#include <map>
#include <string>
#include <vector>

namespace tessera::sema {

struct NameUse {
  std::vector<const ast::NameExpr *> reads;
  std::vector<const ast::NameExpr *> bindings;    // targets of assignments and loops; `acc += x` is one, too
  const ast::Parameter *parameter = nullptr;      // where it is one of the function's
  const ast::SequenceExpr *takenApart = nullptr;  // the `a, b` that binds it last
  bool isBound() const { return parameter || !bindings.empty(); }
};

/// By name, of the function without those nested in it.
std::map<std::string, NameUse> namesOf(const ast::FuncDef &def);

}  // namespace tessera::sema
