#include "driver/check/Cache.h"
#include "driver/CacheFolder.h"
#include "driver/Files.h"
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::driver {
namespace {

/// The compiler that this process runs: its version, size and time. Another one may find other mistakes.
std::string identity() {
  struct stat status {};
  std::string text = TESSERA_VERSION;
  if (stat("/proc/self/exe", &status) == 0)
    text += " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
            std::to_string(status.st_mtim.tv_nsec);
  return contentHash(text);
}

std::string currentFolder() {
  char buffer[4096];
  return getcwd(buffer, sizeof buffer) ? buffer : "";
}

}  // namespace

ResultCache::ResultCache(bool onDisk) : onDisk_(onDisk) {
  if (!onDisk_) return;
  auto folder = cacheFolder();
  if (folder) cache_ = *folder, folder_ = cache_ + "/check";
  compiler_ = identity() + "\n";
  onDisk_ = folder && makeFolders(folder_).empty();
}
ResultCache::~ResultCache() {
  if (onDisk_ && wrote_) boundCache(cache_);
}

/// One entry a program, so that the cache does not grow with every change. Messages show the path as it was given, so
/// that a program named in another way has an entry of its own.
std::string ResultCache::fileOf(const std::string &path) const {
  return folder_ + "/" + contentHash({currentFolder(), path}) + ".json";
}

std::unique_ptr<Report> ResultCache::find(const std::string &path, Texts &texts) {
  std::string saved;
  {
    std::lock_guard lock(mutex_);
    if (auto it = saved_.find(path); it != saved_.end()) saved = it->second;
  }
  if (saved.empty() && onDisk_) {
    CacheEntry entry = readEntry(fileOf(path));
    if (entry.state == EntryState::Good && entry.bytes.rfind(compiler_, 0) == 0) saved = entry.bytes.substr(compiler_.size());
  }
  auto report = saved.empty() ? nullptr : restoredReport(saved, texts);
  return report && report->path == path ? std::move(report) : nullptr;
}

void ResultCache::keep(const Report &report) {
  if (report.unreadable || report.internalError) return;
  std::string saved = savedReport(report);
  bool written = onDisk_ && writeEntry(fileOf(report.path), compiler_ + saved).empty();
  std::lock_guard lock(mutex_);
  wrote_ |= written;
  saved_[report.path] = std::move(saved);
}

}  // namespace tessera::driver
