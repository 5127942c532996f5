#include "codegen/source/Names.h"
#include "ir/target/Words.h"

namespace tessera::codegen {

std::string Names::fresh(std::string_view wanted) {
  return distinct(ir::target::variableName(llvm::StringRef(wanted.data(), wanted.size())));
}
std::string Names::own(std::string_view wanted) { return distinct(std::string(wanted)); }

std::string Names::distinct(const std::string &base) {
  std::string name = base;
  for (int i = 2; taken_.count(name); ++i) name = base + std::to_string(i);
  taken_.insert(name);
  return name;
}

}  // namespace tessera::codegen
