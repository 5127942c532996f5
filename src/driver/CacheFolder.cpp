#include "driver/CacheFolder.h"
#include "driver/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace tessera::driver {
namespace {

std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string wantedFolder() {
  if (std::string own = fromEnvironment("TESSERA_CACHE"); !own.empty()) return own;
  if (std::string xdg = fromEnvironment("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/tessera";
  if (std::string home = fromEnvironment("HOME"); !home.empty()) return home + "/.cache/tessera";
  return {};
}

/// Empty if nobody but this user can write to the folder, else why it is not so.
std::string strangers(const std::string &folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return std::strerror(errno);
  if (!S_ISDIR(status.st_mode)) return "it is no folder";
  if (status.st_uid != geteuid()) return "it belongs to another user";
  if (status.st_mode & (S_IWGRP | S_IWOTH)) return "other users may write to it; `chmod 700` it if that is a mistake";
  return {};
}

constexpr std::string_view kSealMark = "\ntessera-cache-1 ";
constexpr size_t kHashDigits = 64, kSizeDigits = 16, kSealBytes = kSealMark.size() + kSizeDigits + 1 + kHashDigits + 1;

std::string sealOf(std::string_view bytes, std::string_view name) {
  char size[kSizeDigits + 1];
  std::snprintf(size, sizeof size, "%016llx", static_cast<unsigned long long>(bytes.size()));
  return std::string(kSealMark) + size + " " + contentHash({name, bytes}) + "\n";
}

/// The bytes of a plain file of this user; a symbolic link, a pipe or a device is not opened.
std::optional<std::string> ownFile(const std::string &path, bool &missing) {
  int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  missing = file < 0 && errno == ENOENT;
  if (file < 0) return std::nullopt;
  struct stat status {};
  std::string bytes;
  bool good = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  if (good) bytes.resize(static_cast<size_t>(status.st_size));
  for (size_t at = 0; good && at < bytes.size();) {
    ssize_t count = read(file, bytes.data() + at, bytes.size() - at);
    good = count > 0;
    if (good) at += static_cast<size_t>(count);
  }
  if (good) futimens(file, nullptr);  // used now
  close(file);
  return good ? std::optional(std::move(bytes)) : std::nullopt;
}

// What grows: compiled programs and results of checks. Their names begin with a hash; other files are not ours.
constexpr const char *kParts[] = {"compiled", "check"};
constexpr const char *kHeadersPrefix = "include-";
constexpr auto kHeadersLive = std::chrono::hours(24 * 30), kTemporariesLive = std::chrono::hours(1);

struct Kept {
  fs::path path;
  uint64_t bytes;
  fs::file_time_type used;
};

bool isEntryName(const std::string &name) {
  return name.size() >= kHashDigits && std::all_of(name.begin(), name.begin() + kHashDigits, [](char c) { return llvm::isHexDigit(c); });
}

/// The entries of a folder. Temporaries of processes that are no more are removed.
void addEntries(const std::string &folder, fs::file_time_type now, std::vector<Kept> &all) {
  std::error_code error;
  for (const fs::directory_entry &each : fs::directory_iterator(folder, error)) {
    std::error_code gone;
    std::string name = each.path().filename().string();
    if (!isEntryName(name) || !fs::is_regular_file(each.symlink_status(gone))) continue;
    fs::file_time_type used = each.last_write_time(gone);
    uint64_t bytes = each.file_size(gone);
    if (gone) continue;
    if (name.find(kTemporaryMark) != std::string::npos && now - used > kTemporariesLive) fs::remove(each.path(), gone);
    else all.push_back({each.path(), bytes, used});
  }
}

}  // namespace

Result<std::string> cacheFolder() {
  std::string folder = wantedFolder();
  if (folder.empty()) return Failure{"no home folder is known: HOME, XDG_CACHE_HOME and TESSERA_CACHE are not set"};
  std::error_code error;
  if (!fs::exists(folder, error)) {
    if (std::string problem = makeFolders(folderOf(folder)); !problem.empty()) return Failure{folder + ": " + problem};
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return Failure{folder + ": " + std::strerror(errno)};
  }
  if (std::string problem = strangers(folder); !problem.empty()) return Failure{folder + ": " + problem};
  return folder;
}

std::string contentHash(std::initializer_list<std::string_view> parts) {
  llvm::BLAKE3 hasher;
  for (std::string_view part : parts) {
    uint64_t size = part.size();
    hasher.update(llvm::StringRef(reinterpret_cast<const char *>(&size), sizeof size));
    hasher.update(llvm::StringRef(part.data(), part.size()));
  }
  auto hash = hasher.final();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(hash.data(), hash.size()), /*LowerCase=*/true);
}
std::string contentHash(std::string_view text) { return contentHash({text}); }

std::string sealed(std::string bytes, std::string_view name) { return bytes + sealOf(bytes, name); }

CacheEntry readEntry(const std::string &path) {
  bool missing = false;
  std::optional<std::string> bytes = ownFile(path, missing);
  if (!bytes) return {missing ? EntryState::Missing : EntryState::Damaged, {}};
  if (bytes->size() < kSealBytes) return {EntryState::Damaged, {}};
  std::string seal = bytes->substr(bytes->size() - kSealBytes);
  bytes->resize(bytes->size() - kSealBytes);
  if (seal != sealOf(*bytes, fileNameOf(path))) return {EntryState::Damaged, {}};
  return {EntryState::Good, std::move(*bytes)};
}

std::string writeEntry(const std::string &path, std::string bytes) {
  std::error_code error;
  if (fs::is_directory(path, error)) fs::remove_all(path, error);  // nothing of ours is a folder there
  return writeFiles({{path, sealed(std::move(bytes), fileNameOf(path))}});
}

std::string keepEntry(const std::string &temporary, const std::string &path) {
  bool missing = false;
  std::optional<std::string> bytes = ownFile(temporary, missing);
  std::string problem = bytes ? "" : "it was not written";
  if (problem.empty()) {
    std::string seal = sealOf(*bytes, fileNameOf(path));
    int file = open(temporary.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 || write(file, seal.data(), seal.size()) != static_cast<ssize_t>(seal.size())) problem = std::strerror(errno);
    if (file >= 0 && close(file) != 0 && problem.empty()) problem = std::strerror(errno);
  }
  if (std::error_code error; problem.empty() && fs::is_directory(path, error)) fs::remove_all(path, error);
  if (problem.empty() && std::rename(temporary.c_str(), path.c_str()) != 0) problem = std::strerror(errno);
  if (!problem.empty()) std::remove(temporary.c_str());
  return problem;
}

uint64_t cacheLimit() {
  std::string given = fromEnvironment("TESSERA_CACHE_BYTES");
  char *end = nullptr;
  errno = 0;
  unsigned long long bytes = std::strtoull(given.c_str(), &end, 10);
  bool good = !given.empty() && given[0] >= '0' && given[0] <= '9' && !*end && errno == 0;
  return good ? bytes : uint64_t(1) << 30;
}

void boundCache(const std::string &folder) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (const fs::directory_entry &each : fs::directory_iterator(folder, error))
    if (each.path().filename().string().rfind(kHeadersPrefix, 0) == 0 && now - each.last_write_time(error) > kHeadersLive)
      fs::remove_all(each.path(), error);
  std::vector<Kept> all;
  for (const char *part : kParts) addEntries(folder + "/" + part, now, all);
  uint64_t bytes = 0;
  for (const Kept &entry : all) bytes += entry.bytes;
  const uint64_t limit = cacheLimit();
  if (bytes <= limit) return;
  std::sort(all.begin(), all.end(), [](const Kept &a, const Kept &b) { return a.used < b.used; });
  for (const Kept &entry : all) {
    if (bytes <= limit / 4 * 3) break;
    if (fs::remove(entry.path, error)) bytes -= std::min(bytes, entry.bytes);
  }
}

}  // namespace tessera::driver
