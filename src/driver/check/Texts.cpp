#include "driver/check/Texts.h"
#include "driver/CacheFolder.h"

namespace tessera::driver {

const Texts::Entry &Texts::entry(const std::string &path) {
  {
    std::lock_guard lock(mutex_);
    if (auto it = entries_.find(path); it != entries_.end()) return it->second;
  }
  Entry made;
  made.result = readFile(path, kMaxSourceBytes);
  made.hash = made.result.problem == ReadProblem::None ? contentHash(made.result.text) : "-";
  std::lock_guard lock(mutex_);  // a second thread may have read it too: the first one's text counts
  return entries_.try_emplace(path, std::move(made)).first->second;
}

ReadResult Texts::read(const std::string &path) { return entry(path).result; }
std::string Texts::hash(const std::string &path) {
  {
    std::lock_guard lock(mutex_);
    if (entries_.find(path) == entries_.end() && isDevice(path)) return "-";  // imports do not read them, either
  }
  return entry(path).hash;
}

void Texts::replace(const std::string &path, std::string text) {
  std::string hash = contentHash(text);
  uint64_t bytes = text.size();
  std::lock_guard lock(mutex_);
  entries_[path] = {{ReadProblem::None, std::move(text), bytes}, std::move(hash)};
}

std::shared_future<Session::Prelude> Texts::prelude(bool meanwhile) {
  std::lock_guard lock(mutex_);
  std::launch how = meanwhile ? std::launch::async | std::launch::deferred : std::launch::deferred;
  if (!prelude_.valid()) prelude_ = std::async(how, Session::readPrelude).share();
  return prelude_;
}

}  // namespace tessera::driver
