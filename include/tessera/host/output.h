// A file that host code writes appears under its name when it is complete: a program that ends in between, or a full disk,
// leaves what was there. It is written beside its place under a name that nobody can foresee.
#pragma once
#include "tessera/host/tensor.h"
#include "tessera/unforeseen.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define TSR_HAS_POSIX_FILES 1
#endif

namespace tsr {
namespace host {
namespace detail {

class OutputFile {
public:
  explicit OutputFile(const std::string &path) : path_(path) {
    open();
    if (!file_) fail();
  }
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  ~OutputFile() {
    if (file_) std::fclose(file_);
    if (!part_.empty()) std::remove(part_.c_str());
  }

  void write(const void *bytes, size_t count) {
    if (std::fwrite(bytes, 1, count, file_) != count) fail();
  }
  /// Brings the file to its place.
  void finish() {
    bool good = std::fflush(file_) == 0;
#if defined(TSR_HAS_POSIX_FILES)
    if (!part_.empty()) good = good && fsync(fileno(file_)) == 0;
#endif
    good = std::fclose(file_) == 0 && good;
    file_ = nullptr;
    if (!good || (!part_.empty() && std::rename(part_.c_str(), place_.c_str()) != 0)) fail();
    part_.clear();
  }

private:
  [[noreturn]] void fail() {
    const std::string why = std::strerror(errno);
    if (!part_.empty()) std::remove(part_.c_str());
    stop("cannot write `" + path_ + "`: " + why);
  }
  /// A pipe or a device is written as it is; a link stays one, and a file keeps who may read it.
  void open() {
#if defined(TSR_HAS_POSIX_FILES)
    place_ = path_;
    struct stat old {};
    const bool isThere = stat(path_.c_str(), &old) == 0;
    struct stat link {};
    const bool leadsNowhere = !isThere && lstat(path_.c_str(), &link) == 0;
    if (leadsNowhere || (isThere && !S_ISREG(old.st_mode))) {
      file_ = std::fopen(path_.c_str(), "wb");
      return;
    }
    if (char *real = isThere ? realpath(path_.c_str(), nullptr) : nullptr) {
      place_ = real;
      std::free(real);
    }
    for (int attempt = 0; attempt < 100; ++attempt) {
      const std::string part = place_ + ".tmp-" + std::to_string(unforeseen());
      const int made = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (made < 0 && errno == EEXIST) continue;
      if (made < 0) return;
      part_ = part;
      if (isThere) (void)!fchmod(made, old.st_mode & 07777);
      file_ = fdopen(made, "wb");
      return;
    }
#else
    file_ = std::fopen(path_.c_str(), "wb");
#endif
  }

  std::string path_, place_, part_;
  std::FILE *file_ = nullptr;
};

}  // namespace detail
}  // namespace host
}  // namespace tsr
