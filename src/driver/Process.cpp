#include "driver/Process.h"
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tessera::driver {

namespace {

std::vector<char *> wordsOf(const std::vector<std::string> &command) {
  std::vector<char *> words;
  for (const std::string &word : command) words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

/// Waits for the end of a child.
int exitCodeOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult runProcess(const std::vector<std::string> &command) {
  int ends[2];  // closed in the child, and in those that other threads start meanwhile
  if (pipe2(ends, O_CLOEXEC) != 0) return {127, "no pipe for the output"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char *> arguments = wordsOf(command);
  pid_t child = 0;
  int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ProcessResult result{127, {}};
  if (failed) {
    close(ends[0]);
    result.output = command[0] + " could not be started";
    return result;
  }
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) result.output.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  result.exitCode = exitCodeOf(child);
  return result;
}

int runInForeground(const std::vector<std::string> &command) {
  std::vector<char *> arguments = wordsOf(command);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ)) return 127;
  return exitCodeOf(child);
}

std::string findProgram(const std::string &name, const std::vector<std::string> &folders) {
  std::vector<std::string> places = folders;
  if (const char *path = std::getenv("PATH")) {
    std::istringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');) places.push_back(folder);
  }
  for (const std::string &folder : places) {
    std::string candidate = folder + "/" + name;
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace tessera::driver
