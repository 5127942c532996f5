#include "codegen/source/Names.h"
#include "ir/target/Words.h"

namespace tessera::codegen {

std::string Names::fresh(std::string_view wanted) {
  llvm::StringRef text(wanted.data(), wanted.size());
  std::string base = ir::target::isOwnWord(text) ? text.str() : ir::target::variableName(text), name = base;
  for (int i = 2; taken_.count(name); ++i) name = base + std::to_string(i);
  taken_.insert(name);
  return name;
}

}  // namespace tessera::codegen
