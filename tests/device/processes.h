// A test of several processes: the program starts itself once for each device of a mesh, as a launcher does.
#pragma once
#include <arpa/inet.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace processes {

/// How one of them ended.
struct End {
  int status = 0;  // 128 + n: by signal n
  std::string said;
};
using Variables = std::vector<std::pair<std::string, std::string>>;

/// A socket that listens at a port which nothing else uses.
inline int listen_somewhere(int &port) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (file < 0 || bind(file, reinterpret_cast<sockaddr *>(&at), sizeof at) != 0 || listen(file, 16) != 0 ||
      getsockname(file, reinterpret_cast<sockaddr *>(&at), &size) != 0) {
    std::perror("a port of this machine");
    std::exit(1);
  }
  port = ntohs(at.sin_port);
  return file;
}
inline std::string free_port() {
  int port = 0;
  close(listen_somewhere(port));
  return std::to_string(port);
}

/// One process: `mode` is its argument. Variables with the value "-" are not set.
inline std::pair<pid_t, int> start(const std::string &mode, const Variables &variables) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::exit(1);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) {
    close(ends[1]);
    return {child, ends[0]};
  }
  dup2(ends[1], 1);
  dup2(ends[1], 2);
  for (const auto &[name, value] : variables) value == "-" ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  execl("/proc/self/exe", "test", mode.c_str(), static_cast<char *>(nullptr));
  _exit(127);
}
inline End end_of(const std::pair<pid_t, int> &process) {
  End end;
  char buffer[4096];
  for (ssize_t n; (n = read(process.second, buffer, sizeof buffer)) > 0;) end.said.append(buffer, static_cast<size_t>(n));
  close(process.second);
  int status = 0;
  waitpid(process.first, &status, 0);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}
/// One for each device. `variables` come last, and may say otherwise.
inline std::vector<End> run(const std::string &mode, const std::string &mesh, int devices, const Variables &variables = {}) {
  std::vector<std::pair<pid_t, int>> started;
  const std::string port = free_port();
  for (int rank = 0; rank < devices; ++rank) {
    Variables all = {{"TESSERA_MESH", mesh}, {"RANK", std::to_string(rank)}, {"LOCAL_RANK", std::to_string(rank)}, {"WORLD_SIZE", std::to_string(devices)},
                     {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", port}, {"TESSERA_MESH_TIMEOUT", "120"}, {"NCCL_NVLS_ENABLE", "0"}};
    all.insert(all.end(), variables.begin(), variables.end());
    started.push_back(start(mode, all));
  }
  std::vector<End> ends;
  for (const auto &process : started) ends.push_back(end_of(process));
  return ends;
}

}  // namespace processes
