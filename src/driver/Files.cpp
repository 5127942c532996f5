#include "driver/Files.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera::driver {

ReadResult readFile(const std::string &path, uint64_t limit) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return {ReadProblem::Missing, "there is no such file", 0};
  if (!fs::exists(status)) return {ReadProblem::Unreadable, error.message(), 0};
  if (fs::is_directory(status)) return {ReadProblem::Directory, "it is a folder", 0};
  uint64_t size = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
  if (size > limit) return {ReadProblem::TooLarge, "it is too large", size};
  std::ifstream in(path, std::ios::binary);
  if (!in) return {ReadProblem::Unreadable, std::strerror(errno), size};
  // A device tells no size, and may never end.
  std::string text;
  text.reserve(size);
  for (char part[1 << 16]; in.read(part, sizeof part), in.gcount() > 0;) {
    text.append(part, static_cast<size_t>(in.gcount()));
    if (text.size() > limit) return {ReadProblem::TooLarge, "it is too large", text.size()};
  }
  if (in.bad()) return {ReadProblem::Unreadable, std::strerror(errno), size};
  return {ReadProblem::None, std::move(text), text.size()};
}

bool isDevice(const std::string &path) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  // /dev/stdout stays a device of its own also where it has been redirected to a file.
  return (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) ||
         path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0;
}

namespace {
/// The file that stands for `path`: a symbolic link is followed, so that it stays a link.
std::string destinationOf(const std::string &path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

std::string writeBytes(const std::string &path, const std::string &bytes, std::ios::openmode mode) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | mode);
  if (out) out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (out) out.close();
  if (out) return {};
  return errno ? std::strerror(errno) : "it cannot be written";
}
}  // namespace

std::string writeFiles(const std::vector<OutputFile> &files) {
  std::vector<std::string> written;
  auto giveUp = [&](std::string message) {
    for (const std::string &temporary : written) std::remove(temporary.c_str());
    return message;
  };
  std::vector<std::string> destinations;
  for (const OutputFile &file : files) {
    std::error_code error;
    if (fs::is_directory(file.path, error)) return giveUp(file.path + ": it is a folder");
    if (isDevice(file.path)) continue;
    destinations.push_back(destinationOf(file.path));
    written.push_back(destinations.back() + ".tmp" + std::to_string(getpid()));
    if (std::string problem = writeBytes(written.back(), file.bytes, std::ios::trunc); !problem.empty())
      return giveUp(file.path + ": " + problem);
    if (fs::file_status old = fs::status(destinations.back(), error); fs::exists(old))
      fs::permissions(written.back(), old.permissions(), error);
  }
  for (const OutputFile &file : files)
    if (isDevice(file.path))
      if (std::string problem = writeBytes(file.path, file.bytes, std::ios::app); !problem.empty())
        return giveUp(file.path + ": " + problem);
  for (size_t i = 0; i < written.size(); ++i)
    if (std::rename(written[i].c_str(), destinations[i].c_str()) != 0)
      return giveUp(destinations[i] + ": " + std::strerror(errno));
  return {};
}

std::string writingAdvice(const std::string &path) {
  std::error_code error;
  std::string folder = folderOf(path);
  if (!fs::exists(folder, error)) return "make the folder first: `mkdir -p " + folder + "`";
  return "nothing was written; choose a file in a folder that you may write to";
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
  auto given = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string own = given("TESSERA_CACHE"); !own.empty()) return own;
  if (std::string xdg = given("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/tessera";
  if (std::string home = given("HOME"); !home.empty()) return home + "/.cache/tessera";
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
