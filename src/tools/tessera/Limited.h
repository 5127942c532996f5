// Programs that run for the playground: in a folder of their own, with bounds on time, memory and what they write.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::tools {

struct Limits {
  double seconds = 20;
  uint64_t memoryBytes = 4ull << 30;
  uint64_t fileBytes = 256ull << 20;
  size_t outputBytes = 4u << 20;  // of each of the two streams; what is more is dropped
};
struct Finished {
  int exitCode = 127;
  bool timedOut = false, cut = false;  // cut: there was more output
  std::string output, errors;
};
/// Runs a program in `folder` with `input` as its standard input. When it ends or its time is up, it and all processes
/// that it started are ended.
Finished runLimited(const std::vector<std::string> &command, const std::string &folder, const std::string &input, const Limits &limits);

/// A folder that is there as long as this.
class ScratchFolder {
public:
  explicit ScratchFolder(const std::string &inside);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  const std::string &path() const { return path_; }  // empty: it could not be made

private:
  std::string path_;
};

}  // namespace tessera::tools
