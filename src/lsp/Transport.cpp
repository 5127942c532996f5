#include "lsp/Transport.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <strings.h>
#include <unistd.h>
#include <utility>

namespace tessera::lsp {

namespace {
constexpr size_t kMostBytes = 256u << 20;
constexpr size_t kMostHeader = 4096;
constexpr size_t kChunk = 1u << 16;
}  // namespace

bool Transport::ready(int milliseconds, int beside, bool *besideReady) const {
  pollfd states[] = {{in_, POLLIN, 0}, {beside, POLLIN, 0}};  // a descriptor below 0 is left out
  int found;
  do found = poll(states, 2, milliseconds);
  while (found < 0 && errno == EINTR);
  if (besideReady) *besideReady = found > 0 && states[1].revents != 0;
  return found < 0 || states[0].revents != 0;  // an error shows when it is read
}

void Transport::fill() {
  if (at_ > kChunk) buffer_.erase(0, std::exchange(at_, 0));
  size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  ssize_t count;
  do count = read(in_, buffer_.data() + before, kChunk);
  while (count < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count <= 0) ended_ = true;
}

void Transport::receive() {
  while (!ended_ && ready(0)) fill();
}

bool Transport::await(std::optional<Clock::time_point> until, int beside) {
  if (ended_) return false;
  int milliseconds = -1;
  if (until) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now()).count();
    milliseconds = static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
  }
  bool besideReady = false;
  if (ready(milliseconds, beside, &besideReady)) fill();
  return besideReady;
}

/// The lines before a message. False: they are not all there.
bool Transport::takeHeader() {
  constexpr const char *kName = "content-length:";
  std::optional<size_t> length;
  for (size_t at = at_;;) {
    size_t end = buffer_.find('\n', at);
    if (end == std::string::npos) {
      if (buffer_.size() - at > kMostHeader) ended_ = true, buffer_.clear(), at_ = 0;  // no header is that long
      return false;
    }
    std::string line = buffer_.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    at = end + 1;
    if (line.empty()) {
      at_ = at;
      if (!length) continue;  // an empty line between messages
      length_ = length;
      return true;
    }
    if (strncasecmp(line.c_str(), kName, std::strlen(kName)) != 0) continue;
    char *stop = nullptr;
    unsigned long long value = std::strtoull(line.c_str() + std::strlen(kName), &stop, 10);
    if (*stop || value > kMostBytes) {
      ended_ = true, buffer_.clear(), at_ = 0;
      return false;
    }
    length = static_cast<size_t>(value);
  }
}

std::optional<std::string> Transport::next() {
  if (!length_ && !takeHeader()) return std::nullopt;
  if (buffer_.size() - at_ < *length_) return std::nullopt;
  std::string body = buffer_.substr(at_, *length_);
  at_ += *length_;
  length_.reset();
  if (at_ == buffer_.size()) buffer_.clear(), at_ = 0;
  return body;
}

void Transport::write(const Json &message) {
  std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string bytes = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  for (size_t at = 0; at < bytes.size();) {
    ssize_t count = ::write(out_, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {  // nobody reads any more
      ended_ = true;
      return;
    }
    at += static_cast<size_t>(count);
  }
}

}  // namespace tessera::lsp
