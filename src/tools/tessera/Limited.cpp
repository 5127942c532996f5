#include "tools/tessera/Limited.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::tools {
namespace {

/// The shadow memory of AddressSanitizer is larger than any limit.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

void bound(int resource, uint64_t value) {
  rlimit limit{value, value};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

/// The child between fork and exec: only calls that are safe there, for the parent has threads.
[[noreturn]] void becomeChild(char *const *arguments, const char *folder, int in, int out, int errors, const Limits &limits) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  bound(RLIMIT_CORE, 0);
  bound(RLIMIT_FSIZE, limits.fileBytes);
  if (!kSanitized) bound(RLIMIT_AS, limits.memoryBytes);
  if (chdir(folder) == 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(errors, 2) == 2) execv(arguments[0], arguments);
  _exit(127);
}

/// A file without a name that holds the text, to be read from its beginning.
int fileOf(const std::string &text, const std::string &folder) {
  std::string name = folder + "/.input-XXXXXX";
  int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return file;
  unlink(name.c_str());
  for (size_t at = 0; at < text.size();) {
    ssize_t n = write(file, text.data() + at, text.size() - at);
    if (n <= 0) break;
    at += static_cast<size_t>(n);
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

struct Stream {
  int end;
  std::string *text;
};

/// Takes what has come; false at the end of the stream.
bool take(const Stream &stream, size_t most, bool &cut) {
  char buffer[16384];
  ssize_t n = read(stream.end, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  size_t room = most - std::min(most, stream.text->size());
  stream.text->append(buffer, std::min(room, static_cast<size_t>(n)));
  cut = cut || static_cast<size_t>(n) > room;
  return n > 0;
}

using Clock = std::chrono::steady_clock;

/// Until both streams ended or the child did, or the time is up.
void collect(pid_t child, Stream streams[2], const Limits &limits, Finished &done, int &status) {
  auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  bool ended = false;
  while (!ended || streams[0].end >= 0 || streams[1].end >= 0) {
    constexpr int kTurn = 20;  // milliseconds until the child is looked at again
    pollfd waiting[2];
    nfds_t count = 0;
    for (int i = 0; i < 2; ++i)
      if (streams[i].end >= 0) waiting[count++] = {streams[i].end, POLLIN, 0};
    int ready = poll(waiting, count, ended ? 0 : kTurn);
    for (nfds_t i = 0; i < count; ++i) {
      Stream &stream = waiting[i].fd == streams[0].end ? streams[0] : streams[1];
      if (waiting[i].revents && !take(stream, limits.outputBytes, done.cut)) close(stream.end), stream.end = -1;
    }
    if (ended && ready <= 0) return;  // a process that it started may keep the streams open
    if (!ended) ended = waitpid(child, &status, WNOHANG) == child;
    if (!ended && Clock::now() > end) {
      done.timedOut = true;
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      ended = true;
    }
  }
}

}  // namespace

Finished runLimited(const std::vector<std::string> &command, const std::string &folder, const std::string &input, const Limits &limits) {
  Finished done;
  std::vector<char *> arguments;
  for (const std::string &word : command) arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  int out[2] = {-1, -1}, errors[2] = {-1, -1}, in = fileOf(input, folder);
  bool ready = in >= 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0;
  pid_t child = ready ? fork() : -1;
  if (child == 0) becomeChild(arguments.data(), folder.c_str(), in, out[1], errors[1], limits);
  for (int end : {in, out[1], errors[1]})
    if (end >= 0) close(end);
  Stream streams[2] = {{out[0], &done.output}, {errors[0], &done.errors}};
  int status = 0;
  if (child > 0) {
    setpgid(child, child);
    collect(child, streams, limits, done, status);
    kill(-child, SIGKILL);  // what it started and left
    done.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  } else {
    done.errors = "the process could not be started";
  }
  for (Stream &stream : streams)
    if (stream.end >= 0) close(stream.end);
  return done;
}

ScratchFolder::ScratchFolder(const std::string &inside) : path_(inside + "/tessera-XXXXXX") {
  if (!mkdtemp(path_.data())) path_.clear();
}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tessera::tools
