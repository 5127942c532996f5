// The texts of one check: each file is read and hashed once, however many programs import it, and a text in memory
// (a fix that is not yet written) may stand for the file.
#pragma once
#include "driver/Files.h"
#include "driver/Session.h"
#include <future>
#include <map>
#include <mutex>
#include <string>

namespace tessera::driver {

class Texts {
public:
  /// The file's text, or the text that stands for it. May be called by several threads.
  ReadResult read(const std::string &path);
  /// The content hash of what `read` gives; "-" for what cannot be read.
  std::string hash(const std::string &path);
  /// From now on this text stands for the file.
  void replace(const std::string &path, std::string text);

  /// The trees of the prelude, read once for all programs. `meanwhile`: a thread begins to read them, if nobody has.
  std::shared_future<Session::Prelude> prelude(bool meanwhile);

private:
  struct Entry {
    ReadResult result;
    std::string hash;
  };
  const Entry &entry(const std::string &path);
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::shared_future<Session::Prelude> prelude_;
};

}  // namespace tessera::driver
