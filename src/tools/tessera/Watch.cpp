#include "tools/tessera/Watch.h"
#include <csignal>
#include <poll.h>
#include <sys/stat.h>

namespace tessera::tools {
namespace {
volatile std::sig_atomic_t gInterrupted = 0;
}

Stamps stampsOf(const std::vector<std::string> &files) {
  Stamps stamps;
  for (const std::string &file : files) {
    struct stat status {};
    std::string &stamp = stamps[file];
    if (stat(file.c_str(), &status) == 0)
      stamp = std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) + " " +
              std::to_string(status.st_size) + " " + std::to_string(status.st_ino);
  }
  return stamps;
}

void catchInterrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { gInterrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}
bool interrupted() { return gInterrupted != 0; }
void waitAMoment() { poll(nullptr, 0, 100); }

}  // namespace tessera::tools
