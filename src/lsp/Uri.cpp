#include "lsp/Uri.h"
#include <cctype>

namespace tessera::lsp {

namespace {
int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
}  // namespace

std::string pathOf(const std::string &uri) {
  if (uri.rfind("file://", 0) != 0) return uri;
  size_t slash = uri.find('/', 7);  // behind the host
  std::string path;
  for (size_t i = slash == std::string::npos ? uri.size() : slash; i < uri.size(); ++i) {
    bool escaped = uri[i] == '%' && i + 2 < uri.size() && hex(uri[i + 1]) >= 0 && hex(uri[i + 2]) >= 0;
    path += escaped ? static_cast<char>(hex(uri[i + 1]) * 16 + hex(uri[i + 2])) : uri[i];
    if (escaped) i += 2;
  }
  return path;
}

std::string uriOf(const std::string &path) {
  if (path.empty() || path[0] != '/') return path;
  static const char digits[] = "0123456789ABCDEF";
  std::string uri = "file://";
  for (unsigned char c : path) {
    bool plain = std::isalnum(c) || c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) uri += static_cast<char>(c);
    else uri += '%', uri += digits[c >> 4], uri += digits[c & 15];
  }
  return uri;
}

}  // namespace tessera::lsp
