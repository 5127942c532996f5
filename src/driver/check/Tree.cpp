#include "driver/check/Tree.h"
#include <algorithm>
#include <filesystem>
#include <set>

namespace fs = std::filesystem;

namespace tessera::driver {
namespace {

bool isEntered(const fs::path &folder) {
  std::string name = folder.filename().string();
  if (name.empty() || name[0] == '.') return false;
  if (name == "build" || name.rfind("build-", 0) == 0 || name.rfind("build_", 0) == 0) return false;
  std::error_code error;
  return !fs::exists(folder / "CMakeCache.txt", error);
}

}  // namespace

/// Not a pipe, which would be waited for, nor a device or a socket.
static bool isPlainFile(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<std::string> programsBelow(const std::vector<std::string> &paths) {
  std::vector<std::string> files;
  std::set<std::string> seen;
  auto add = [&](const fs::path &path) {
    if (seen.insert(path.lexically_normal().string()).second) files.push_back(path.string());
  };
  for (const std::string &path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      add(path);
      continue;
    }
    std::vector<fs::path> found;
    fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end;
    for (; it != end && !error; it.increment(error)) {
      if (it->is_directory(error)) {
        if (!isEntered(it->path())) it.disable_recursion_pending();
      } else if (it->path().extension() == ".tsr" && isPlainFile(it->path())) {
        found.push_back(it->path());
      }
    }
    std::sort(found.begin(), found.end());
    for (const fs::path &file : found) add(file);
  }
  return files;
}

}  // namespace tessera::driver
