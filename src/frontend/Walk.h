// What a node of the tree is made of, for code that looks for something in a tree.
#pragma once
#include "frontend/AST.h"
#include <vector>

namespace tessera::ast {

struct Children {
  std::vector<const Expr *> exprs;
  std::vector<const Stmt *> stmts;
};
/// The parts directly below a node, in the order of the text; what is not there is left out.
Children childrenOf(const Expr &expr);
Children childrenOf(const Stmt &stmt);
/// The blocks of a statement, also that of a function or a type in it.
std::vector<const Block *> blocksOf(const Stmt &stmt);

}  // namespace tessera::ast
