#include "lsp/Background.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::lsp {

namespace {
/// The end of the copy: 0 if all of the text was written. The editor's pipes are not its to use.
[[noreturn]] void serve(int out, const std::function<std::string()> &work) {
  const int nothing = open("/dev/null", O_RDWR);
  for (int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  constexpr int kPoliteness = 10;
  if (nice(kPoliteness) == -1) errno = 0;  // it is as polite as it may be
  std::string text;
  try {
    text = work();
  } catch (...) {
    std::_Exit(1);
  }
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = write(out, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::_Exit(1);
    at += static_cast<size_t>(count);
  }
  std::_Exit(0);
}
}  // namespace

void Background::start(const std::function<std::string()> &work) {
  stop();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    serve(ends[1], work);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return;
  }
  child_ = child, descriptor_ = ends[0];
}

void Background::stop() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  close(descriptor_);
  waitpid(child_, nullptr, 0);
  child_ = -1, descriptor_ = -1;
  text_.clear();
}

std::optional<std::string> Background::take() {
  char buffer[1 << 14];
  const ssize_t count = read(descriptor_, buffer, sizeof buffer);
  if (count > 0) text_.append(buffer, static_cast<size_t>(count));
  if (count > 0 || (count < 0 && errno == EINTR)) return std::nullopt;
  std::string text = std::move(text_);
  int status = 0;
  waitpid(child_, &status, 0);
  close(descriptor_);
  child_ = -1, descriptor_ = -1;
  text_.clear();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

}  // namespace tessera::lsp
