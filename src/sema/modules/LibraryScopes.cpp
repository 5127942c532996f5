#include "sema/modules/LibraryScopes.h"
#include "sema/Library.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

std::shared_ptr<LibraryScopes> emptyLibrary() { return std::make_shared<LibraryScopes>(); }

void LibraryScopes::lend(Context &cx) {
  if (modules_.empty()) return;
  cx.modules = std::move(modules_);
  cx.callables = std::move(callables_);  // what is in them stays where it is
  cx.structs = std::move(structs_);
  cx.libraryFiles = files_;
  modules_.clear();
}

void LibraryScopes::note(const Context &cx) {
  if (!notedModules_.empty()) return;
  for (const auto &[tree, scope] : cx.modules) notedModules_.insert(tree);
  noted_.assign(cx.callables.begin(), cx.callables.end());
  notedStructs_.assign(cx.structs.begin(), cx.structs.end());
  files_ = cx.libraryFiles;
}

void LibraryScopes::takeBack(Context &cx) {
  std::erase_if(cx.modules, [&](const auto &entry) { return notedModules_.count(entry.first) == 0; });
  cx.callables.erase(cx.callables.begin() + static_cast<std::ptrdiff_t>(noted_.size()), cx.callables.end());
  cx.structs.erase(cx.structs.begin() + static_cast<std::ptrdiff_t>(notedStructs_.size()), cx.structs.end());
  std::copy(noted_.begin(), noted_.end(), cx.callables.begin());
  std::copy(notedStructs_.begin(), notedStructs_.end(), cx.structs.begin());
  modules_ = std::move(cx.modules);
  callables_ = std::move(cx.callables);
  structs_ = std::move(cx.structs);
}

}  // namespace tessera::sema
