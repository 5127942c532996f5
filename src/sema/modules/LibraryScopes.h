// What a check made of the standard library, for the next check of nearly the same program: an edit that is tried changes
// no module of the library, and to evaluate them all takes longer than to check a small program.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

class LibraryScopes {
public:
  /// Gives the library to a check that has loaded nothing yet.
  void lend(Context &cx);
  /// Notes what there is once the prelude is loaded, and nothing else.
  void note(const Context &cx);
  /// Takes it back as it was noted.
  void takeBack(Context &cx);

private:
  std::map<const ast::Module *, std::unique_ptr<ModuleScope>> modules_;
  std::set<FileId> files_;
  std::deque<Callable> callables_;
  std::deque<StructInfo> structs_;
  std::vector<Callable> noted_;  // as they are before anything calls them
  std::vector<StructInfo> notedStructs_;
  std::set<const ast::Module *> notedModules_;
};

}  // namespace tessera::sema
