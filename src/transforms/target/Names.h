// Names in emitted functions: the user's verbatim, the compiler's own by suffix, clashes numbered.
#pragma once
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace tessera::transforms::totarget {

/// The name as an identifier that the languages allow (ir/target/Words.h): a reserved word gets a trailing
/// underscore.
std::string identifier(llvm::StringRef name);

/// The names visible at a point, scope by scope.
class NameTable {
public:
  NameTable() { push(); }
  void push() { scopes_.emplace_back(); }
  void pop() { scopes_.pop_back(); }
  /// A name that the user gave somewhere in the function: the compiler's own names stay clear of it.
  void reserve(llvm::StringRef name) { users_.insert(identifier(name)); }
  /// Declares a user's name in the innermost scope; numbered if it is taken.
  std::string declare(llvm::StringRef name);
  /// Whether the name is in use at this point.
  bool has(llvm::StringRef name) const { return taken(identifier(name)); }
  /// Declares a name of the compiler's own.
  std::string fresh(llvm::StringRef base);
  /// A name that was declared within a scope, as that of a parameter: it is seen in all scopes that follow.
  std::string asParameter(const std::string &name);
  /// Likewise in the outermost, for what is declared there while a scope in it is open.
  std::string freshOutside(llvm::StringRef base);

private:
  bool taken(llvm::StringRef name) const;
  std::string freshFrom(llvm::StringRef base) const;
  std::vector<llvm::StringSet<>> scopes_;
  llvm::StringSet<> users_;
};

}  // namespace tessera::transforms::totarget
