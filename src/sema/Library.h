// What checks of nearly the same program share of the standard library (modules/LibraryScopes.h), for those who know no context.
#pragma once
#include <memory>

namespace tessera::sema {

class LibraryScopes;

std::shared_ptr<LibraryScopes> emptyLibrary();

}  // namespace tessera::sema
