// file:// addresses and paths.
#pragma once
#include <string>

namespace tessera::lsp {

/// The path that an address names; what is no file:// address is its own path.
std::string pathOf(const std::string &uri);
std::string uriOf(const std::string &path);

}  // namespace tessera::lsp
