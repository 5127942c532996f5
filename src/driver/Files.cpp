#include "driver/Files.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera::driver {

ReadResult readFile(const std::string &path, uint64_t limit) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return {ReadProblem::Missing, "there is no such file", 0};
  if (fs::is_directory(status)) return {ReadProblem::Directory, "it is a folder", 0};
  uint64_t size = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
  if (size > limit) return {ReadProblem::TooLarge, "it is too large", size};
  std::ifstream in(path, std::ios::binary);
  if (!in) return {ReadProblem::Unreadable, std::strerror(errno), size};
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return {ReadProblem::Unreadable, std::strerror(errno), size};
  return {ReadProblem::None, std::move(text).str(), size};
}

std::string writeFiles(const std::vector<OutputFile> &files) {
  std::vector<std::string> written;
  auto giveUp = [&](std::string message) {
    for (const std::string &temporary : written) std::remove(temporary.c_str());
    return message;
  };
  for (const OutputFile &file : files) {
    if (fs::is_directory(file.path)) return giveUp(file.path + ": it is a folder");
    std::string temporary = file.path + ".tmp" + std::to_string(getpid());
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (!out) return giveUp(file.path + ": " + std::strerror(errno));
    written.push_back(temporary);
    out.write(file.bytes.data(), static_cast<std::streamsize>(file.bytes.size()));
    out.close();
    if (!out) return giveUp(file.path + ": " + std::strerror(errno));
  }
  for (size_t i = 0; i < files.size(); ++i)
    if (std::rename(written[i].c_str(), files[i].path.c_str()) != 0)
      return giveUp(files[i].path + ": " + std::strerror(errno));
  return {};
}

std::string folderOf(const std::string &path) {
  std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}
std::string fileNameOf(const std::string &path) { return fs::path(path).filename().string(); }
std::string stemOf(const std::string &path) { return fs::path(path).stem().string(); }
std::string suffixOf(const std::string &path) { return fs::path(path).extension().string(); }

std::string makeFolders(const std::string &path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? error.message() : std::string();
}

std::string cacheFolder() {
  if (const char *own = std::getenv("TESSERA_CACHE")) return own;
  if (const char *xdg = std::getenv("XDG_CACHE_HOME")) return std::string(xdg) + "/tessera";
  if (const char *home = std::getenv("HOME")) return std::string(home) + "/.cache/tessera";
  return "/tmp/tessera-cache-" + std::to_string(getuid());
}

std::string contentHash(std::string_view text) {
  uint64_t a = 1469598103934665603ull, b = 0x9e3779b97f4a7c15ull;
  for (unsigned char c : text) {
    a = (a ^ c) * 1099511628211ull;
    b = (b ^ (c + (a >> 32))) * 0xff51afd7ed558ccdull;
  }
  char out[33];
  std::snprintf(out, sizeof out, "%016llx%016llx", static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
  return out;
}

}  // namespace tessera::driver
