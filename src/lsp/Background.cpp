#include "lsp/Background.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tessera::lsp {

namespace {
/// A file in memory with this text, to be read from its beginning; -1: there is none.
int fileWith(const std::string &text) {
  const int file = memfd_create("tessera-lsp", MFD_CLOEXEC);
  for (size_t at = 0; file >= 0 && at < text.size();) {
    const ssize_t count = write(file, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      close(file);
      return -1;
    }
    at += static_cast<size_t>(count);
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}
}  // namespace

Background::~Background() {
  stop();
  for (pid_t child : stopped_) waitpid(child, nullptr, 0);
}

/// The end of a process with much memory takes a while, for which a key does not wait.
void Background::bury() {
  std::erase_if(stopped_, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
}

void Background::start(const std::vector<std::string> &command, const std::string &input) {
  stop();
  bury();
  const int in = fileWith(input);
  int ends[2];
  if (in < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    if (in >= 0) close(in);
    return;
  }
  posix_spawn_file_actions_t actions;  // not fork(): each page would have to be made our own again when a key comes
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char *> arguments;
  for (const std::string &argument : command) arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const bool failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0;
  posix_spawn_file_actions_destroy(&actions);
  close(in), close(ends[1]);
  if (failed) close(ends[0]);
  else child_ = child, descriptor_ = ends[0];
}

void Background::stop() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  close(descriptor_);
  stopped_.push_back(child_);
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
