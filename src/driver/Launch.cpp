#include "driver/Launch.h"
#include "driver/Console.h"
#include "tessera/tessera.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tessera::driver {
namespace {

constexpr const char *kLauncher = "TESSERA_LAUNCHER";  // the number of the process that has started this one
constexpr auto kGrace = std::chrono::seconds(5);        // from asking a process to end until it is ended

std::string replaced(std::string text, int64_t rank) {
  const std::string mark = "{rank}", number = std::to_string(rank);
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + number.size())) text.replace(at, mark.size(), number);
  return text;
}

/// A port of this machine that nothing uses.
std::string freePort() {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  // The ports behind it are tried as well (include/tessera/mesh/meeting.h): it must not be one of the last.
  do at.sin_port = 0;
  while (file >= 0 && bind(file, reinterpret_cast<sockaddr *>(&at), sizeof at) == 0 && getsockname(file, reinterpret_cast<sockaddr *>(&at), &size) == 0 &&
         ntohs(at.sin_port) > 65000);
  if (file >= 0) close(file);
  return std::to_string(ntohs(at.sin_port));
}

std::map<std::string, std::string> environmentOf(const MeshAxes &axes) {
  std::map<std::string, std::string> all;
  for (char **word = environ; *word; ++word) {
    const std::string text = *word;
    all[text.substr(0, text.find('='))] = text.substr(std::min(text.size(), text.find('=') + 1));
  }
  std::random_device random;
  std::string mesh;
  for (const tsr::Mesh::Axis &axis : axes) mesh += (mesh.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  all["TESSERA_MESH"] = mesh;
  all["WORLD_SIZE"] = all["LOCAL_WORLD_SIZE"] = std::to_string(devicesOf(axes));
  all["MASTER_ADDR"] = "127.0.0.1";
  all["MASTER_PORT"] = freePort();
  all["TESSERA_JOB"] = std::to_string(random()) + "-" + std::to_string(random());
  all[kLauncher] = std::to_string(getpid());
  for (const char *ofOthers : {"TORCHELASTIC_USE_AGENT_STORE", "TORCHELASTIC_RUN_ID"}) all.erase(ofOthers);
  // Processes that each take all cores take them from each other.
  const auto cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  all.emplace("OMP_NUM_THREADS", std::to_string(std::max<int64_t>(1, cores / devicesOf(axes))));
  return all;
}

/// What a device writes, by lines.
struct Stream {
  int from = -1, to = 1;
  std::string line;
  void copy(const std::string &mark, bool wait) {
    char buffer[65536];
    while (from >= 0) {
      const ssize_t count = read(from, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN && !wait) return;
      if (count <= 0) return finish(mark);
      line.append(buffer, static_cast<size_t>(count));
      std::string whole;
      for (size_t end; (end = line.find('\n')) != std::string::npos; line.erase(0, end + 1)) whole += mark + line.substr(0, end + 1);
      put(whole);
    }
  }
  void finish(const std::string &mark) {
    if (!line.empty()) put(mark + line + "\n");
    line.clear();
    if (from >= 0) close(from);
    from = -1;
  }
  /// Whole lines at a time, as many as a pipe takes at once: the first device writes there, too.
  void put(const std::string &text) const {
    for (size_t at = 0; at < text.size();) {
      const size_t most = text.size() - at <= PIPE_BUF ? std::string::npos : text.rfind('\n', at + PIPE_BUF - 1);
      const size_t size = most == std::string::npos || most < at ? text.size() - at : most + 1 - at;
      const ssize_t count = write(to, text.data() + at, size);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;
      at += static_cast<size_t>(count);
    }
  }
};

struct Device {
  int64_t rank = 0;
  pid_t process = -1;  // -1: it has ended
  int status = 0;
  Stream out, err;
  std::string mark() const { return "[" + std::to_string(rank) + "] "; }
};

int wakeUp[2] = {-1, -1};             // each signal is a byte
volatile sig_atomic_t interrupted = 0;  // the signal that is to end all
void onSignal(int number) {
  const int before = errno;
  if (number != SIGCHLD) interrupted = number;
  const char byte = 0;
  (void)!write(wakeUp[1], &byte, 1);
  errno = before;
}

/// The signals that end all devices, and those of a child's end, while there are devices.
class Signals {
public:
  Signals() {
    (void)!pipe2(wakeUp, O_CLOEXEC | O_NONBLOCK);
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < std::size(kNumbers); ++i) sigaction(kNumbers[i], &action, &before_[i]);
  }
  ~Signals() {
    for (size_t i = 0; i < std::size(kNumbers); ++i) sigaction(kNumbers[i], &before_[i], nullptr);
    close(wakeUp[0]);
    close(wakeUp[1]);
  }
  Signals(const Signals &) = delete;

private:
  static constexpr int kNumbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kNumbers)];
};

std::vector<char *> pointersTo(std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (std::string &word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

class Launch {
public:
  Launch(const MeshAxes &axes, std::vector<std::string> command, bool fillsRank) : command_(std::move(command)), fillsRank_(fillsRank), environment_(environmentOf(axes)) {
    devices_.resize(static_cast<size_t>(devicesOf(axes)));
  }
  /// Empty, or why the command could not be started.
  std::string start() {
    for (size_t rank = 0; rank < devices_.size(); ++rank) {
      devices_[rank].rank = static_cast<int64_t>(rank);
      std::string problem = startOne(devices_[rank]);
      if (problem.empty()) continue;
      signalAll(SIGKILL);
      for (Device &device : devices_)
        if (device.process > 0) waitpid(device.process, nullptr, 0);
      return problem;
    }
    return {};
  }
  /// Waits for all. The first that has failed, or null.
  const Device *wait() {
    while (anyLives()) {
      std::vector<pollfd> events = {{wakeUp[0], POLLIN, 0}};
      for (const Device &device : devices_)
        for (const Stream *stream : {&device.out, &device.err})
          if (stream->from >= 0) events.push_back({stream->from, POLLIN, 0});
      (void)poll(events.data(), events.size(), ending_ ? 100 : -1);
      char bytes[64];
      while (read(wakeUp[0], bytes, sizeof bytes) > 0) {}
      for (Device &device : devices_) device.out.copy(device.mark(), false), device.err.copy(device.mark(), false);
      reap();
      if (interrupted && !ending_) endAll(interrupted);
      if (ending_ && std::chrono::steady_clock::now() > killAt_) signalAll(SIGKILL);
    }
    return failed_ < 0 ? nullptr : &devices_[static_cast<size_t>(failed_)];
  }
  bool endedOthers() const { return endedOthers_; }

private:
  bool anyLives() const {
    return std::any_of(devices_.begin(), devices_.end(), [](const Device &device) { return device.process > 0; });
  }
  void signalAll(int number) {
    for (const Device &device : devices_)
      if (device.process > 0) kill(-device.process, number);  // and what it has started
  }
  void endAll(int number) {
    ending_ = true;
    killAt_ = std::chrono::steady_clock::now() + kGrace;
    signalAll(number);
  }
  void reap() {
    for (Device &device : devices_) {
      if (device.process <= 0 || waitpid(device.process, &device.status, WNOHANG) != device.process) continue;
      device.process = -1;
      for (Stream *stream : {&device.out, &device.err}) {
        stream->copy(device.mark(), false);
        stream->finish(device.mark());
      }
      if (device.status == 0 || ending_) continue;
      failed_ = device.rank;
      endedOthers_ = anyLives();
      endAll(SIGTERM);
    }
  }

  std::string startOne(Device &device) {
    std::vector<std::string> words = command_, variables;
    if (fillsRank_)
      for (size_t i = 1; i < words.size(); ++i) words[i] = replaced(words[i], device.rank);
    environment_["RANK"] = environment_["LOCAL_RANK"] = std::to_string(device.rank);
    for (const auto &[name, value] : environment_) variables.push_back(name + "=" + value);
    std::vector<char *> arguments = pointersTo(words), environment = pointersTo(variables);
    int failure[2], out[2] = {-1, -1}, err[2] = {-1, -1};
    const bool isFirst = device.rank == 0;
    if (pipe2(failure, O_CLOEXEC) != 0 || (!isFirst && (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0))) return std::strerror(errno);
    const int nothing = !isFirst || isatty(0) ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;  // a terminal stops who reads it from behind
    const pid_t launcher = getpid();
    device.process = fork();
    if (device.process == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != launcher) _exit(1);
      if (nothing >= 0) dup2(nothing, 0);
      if (!isFirst) dup2(out[1], 1), dup2(err[1], 2);
      execvpe(arguments[0], arguments.data(), environment.data());
      const int error = errno;
      (void)!write(failure[1], &error, sizeof error);
      _exit(127);
    }
    const int forkError = errno;
    if (device.process > 0) setpgid(device.process, device.process);
    for (const int end : {failure[1], out[1], err[1], nothing})
      if (end >= 0) close(end);
    device.out.from = out[0], device.err.from = err[0], device.err.to = 2;
    for (const int end : {out[0], err[0]})
      if (end >= 0) fcntl(end, F_SETFL, O_NONBLOCK);
    int error = device.process < 0 ? forkError : 0;
    if (device.process > 0 && read(failure[0], &error, sizeof error) != sizeof error) error = 0;
    close(failure[0]);
    return error ? std::strerror(error) : "";
  }

  std::vector<std::string> command_;
  bool fillsRank_;
  std::map<std::string, std::string> environment_;
  std::vector<Device> devices_;
  int64_t failed_ = -1;
  bool ending_ = false, endedOthers_ = false;
  std::chrono::steady_clock::time_point killAt_;
};

}  // namespace

std::optional<MeshAxes> readMesh(Session &session, const std::string &text) {
  MeshAxes axes;
  const std::string problem = tsr::Mesh::read(text, axes);
  if (problem.empty()) return axes;
  session.diagnostics.report(diag::Id::badMesh, {}, text, problem).help("`--mesh dp=2,tp=4` is eight devices; the last axis varies fastest in their numbers");
  return std::nullopt;
}

int64_t devicesOf(const MeshAxes &axes) {
  int64_t count = 1;
  for (const tsr::Mesh::Axis &axis : axes) count *= axis.size;
  return count;
}

bool hasDevices(Session &session, const std::string &mesh, const MeshAxes &axes, const TargetSpec &target) {
  const int64_t wanted = devicesOf(axes);
  if (target.reference && wanted > 1) {
    session.diagnostics.report(diag::Id::badMesh, {}, mesh, "it has " + std::to_string(wanted) + " devices, and the reference interpreter is one")
        .help("`--target cpu` runs a process for each device");
    return false;
  }
  if (target.target == Target::Cpu || target.reference) {
    constexpr int64_t mostProcesses = 1024;
    if (wanted <= mostProcesses) return true;
    session.diagnostics.report(diag::Id::badMesh, {}, mesh, "it has " + std::to_string(wanted) + " devices, and " + std::to_string(mostProcesses) + " processes are the most that I start");
    return false;
  }
  int32_t count = 0;
  tessInit(0);
  if (tessDeviceCount(target.target == Target::Cuda ? TESS_CUDA : TESS_ROCM, &count) != TESS_OK) count = 0;
  tessShutdown();
  if (wanted <= count) return true;
  const std::string here = count == 0 ? "there is no GPU of " + target.name() + " here" : count == 1 ? "there is 1 GPU here" : "there are " + std::to_string(count) + " GPUs here";
  session.diagnostics.report(diag::Id::badMesh, {}, mesh, "it has " + std::to_string(wanted) + (wanted == 1 ? " device, and " : " devices, and ") + here)
      .help("`--target cpu` runs a process for each device on the CPU");
  return false;
}

int launchDevices(Session &session, const MeshAxes &axes, const std::vector<std::string> &command, bool fillsRank) {
  std::fflush(nullptr);
  Signals signals;
  Launch launch(axes, command, fillsRank);
  if (std::string problem = launch.start(); !problem.empty()) {
    session.diagnostics.report(diag::Id::runFailed, {}, command[0], "it could not be started: " + problem);
    return kProgramHasErrors;
  }
  const Device *failed = launch.wait();
  if (!failed) return interrupted ? 128 + interrupted : kSuccess;
  const bool bySignal = WIFSIGNALED(failed->status);
  const int number = bySignal ? WTERMSIG(failed->status) : WEXITSTATUS(failed->status);
  const std::string how = bySignal ? "signal " + std::to_string(number) + " (" + strsignal(number) + ")" : "status " + std::to_string(number);
  auto message = session.diagnostics.report(diag::Id::deviceEnded, {}, tsr::Mesh::device_text(axes, failed->rank), how);
  if (launch.endedOthers()) message.help("I have ended the others, which would wait for it");
  return bySignal ? 128 + number : number;
}

std::vector<std::string> ownCommand() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  char path[4096] = "";
  if (readlink("/proc/self/exe", path, sizeof path - 1) > 0 && !words.empty()) words[0] = path;
  return words;
}

bool isLaunched() {
  const char *launcher = std::getenv(kLauncher);
  return launcher && launcher == std::to_string(getppid());
}

int32_t localDevice() {
  const char *number = std::getenv("LOCAL_RANK");
  int64_t device = 0;
  return std::getenv("TESSERA_MESH") && number && tsr::Mesh::read_number(number, device) && device < INT32_MAX ? static_cast<int32_t>(device) : 0;
}

std::string withRank(const std::string &text) {
  const char *number = std::getenv("RANK");
  int64_t rank = 0;
  return std::getenv("TESSERA_MESH") && number && tsr::Mesh::read_number(number, rank) ? replaced(text, rank) : text;
}

}  // namespace tessera::driver
