// Results of checks, kept by program: in memory for a watch, and in the user's cache folder for the next run.
// A result is used again only if the program and everything that it imports (or looked for in vain) have the content
// that they had, and the same compiler made it.
#pragma once
#include "driver/check/Report.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tessera::driver {

class ResultCache {
public:
  /// `onDisk`: also in the user's cache folder. What cannot be written there is silently done without.
  explicit ResultCache(bool onDisk);
  ~ResultCache();
  ResultCache(const ResultCache &) = delete;
  ResultCache &operator=(const ResultCache &) = delete;
  /// The program's result if it still holds, else null. May be called by several threads, as `keep` may.
  std::unique_ptr<Report> find(const std::string &path, Texts &texts);
  void keep(const Report &report);

private:
  std::string fileOf(const std::string &path) const;
  bool onDisk_, wrote_ = false;
  std::string cache_, folder_, compiler_;  // entries start with the compiler that made them
  std::mutex mutex_;
  std::map<std::string, std::string> saved_;
};

}  // namespace tessera::driver
