#include "transforms/target/Names.h"
#include "ir/target/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace tessera::transforms::totarget {

std::string identifier(llvm::StringRef name) { return ir::target::variableName(name); }

bool NameTable::taken(llvm::StringRef name) const {
  return llvm::any_of(scopes_, [&](const llvm::StringSet<> &scope) { return scope.contains(name); });
}

std::string NameTable::declare(llvm::StringRef name) {
  std::string base = identifier(name), unique = base;
  if (taken(unique) && base.size() == 1) unique = base + "0";  // r0 beside a parameter r
  for (int i = 2; taken(unique); ++i) unique = base + "_" + std::to_string(i);
  scopes_.back().insert(unique);
  return unique;
}

std::string NameTable::fresh(llvm::StringRef name) {
  std::string unique = freshFrom(name);
  scopes_.back().insert(unique);
  return unique;
}

std::string NameTable::asParameter(const std::string &name) {
  scopes_.front().insert(name);
  return name;
}

std::string NameTable::freshOutside(llvm::StringRef name) {
  std::string unique = freshFrom(name);
  scopes_.front().insert(unique);
  return unique;
}

std::string NameTable::freshFrom(llvm::StringRef name) const {
  // The words that emitted text keeps for itself are the compiler's to give.
  std::string base = ir::target::isOwnWord(name) ? name.str() : identifier(name), unique = base;
  for (int i = 2; taken(unique) || users_.contains(unique); ++i) unique = base + "_" + std::to_string(i);
  return unique;
}

}  // namespace tessera::transforms::totarget
