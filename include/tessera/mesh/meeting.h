// The processes of a mesh meet over TCP before their first collective: each gets the bytes that device 0 offers, such as the
// unique id of NCCL. Device 0 listens at MASTER_ADDR and MASTER_PORT, or at one of the ports behind it where that is taken
// (torchrun has its own store there); the others ask at each until one answers as the device 0 of their job.
#pragma once
#include "tessera/mesh.h"
#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tsr {
namespace detail {

using Moment = std::chrono::steady_clock::time_point;
inline Moment seconds_from_now(double seconds) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

/// One end of a connection.
class Socket {
public:
  Socket() = default;
  explicit Socket(int file) : file_(file) {}
  Socket(Socket &&other) noexcept : file_(other.file_) { other.file_ = -1; }
  Socket &operator=(Socket &&other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~Socket() { close(); }
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  bool is_open() const { return file_ >= 0; }
  int file() const { return file_; }

  /// Whether something happens until the moment.
  bool waits_for(short events, Moment until) const {
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
      pollfd wait{file_, events, 0};
      const int found = poll(&wait, 1, left > 0 ? static_cast<int>(left < 1000000 ? left : 1000000) : 0);
      if (found > 0) return true;
      if (left <= 0 || (found < 0 && errno != EINTR)) return false;
    }
  }
  bool write(const void *bytes, size_t count, Moment until) const {
    const char *at = static_cast<const char *>(bytes);
    while (count > 0) {
      if (!waits_for(POLLOUT, until)) return false;
      const ssize_t done = send(file_, at, count, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (done <= 0) return false;
      at += done, count -= static_cast<size_t>(done);
    }
    return true;
  }
  bool read(void *bytes, size_t count, Moment until) const {
    char *at = static_cast<char *>(bytes);
    while (count > 0) {
      if (!waits_for(POLLIN, until)) return false;
      const ssize_t done = recv(file_, at, count, MSG_DONTWAIT);
      if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (done <= 0) return false;
      at += done, count -= static_cast<size_t>(done);
    }
    return true;
  }
  bool write_text(const std::string &text, Moment until) const {
    const uint64_t size = text.size();
    return write(&size, sizeof size, until) && write(text.data(), text.size(), until);
  }
  bool read_text(std::string &text, Moment until) const {
    uint64_t size = 0;
    if (!read(&size, sizeof size, until) || size > (1u << 20)) return false;
    text.resize(size);
    return size == 0 || read(&text[0], size, until);
  }

private:
  int file_ = -1;
};

/// The first word of a process to device 0.
struct Hello {
  char mark[8];
  uint64_t job;
  int64_t rank;
  char mesh[488];  // the axes, and what the meeting is for
};

class Meeting {
public:
  /// `purpose`: what is offered. All devices of a mesh meet for the same.
  Meeting(const Mesh &mesh, const std::string &purpose) : mesh_(mesh) {
    hello_.rank = mesh.rank();
    const std::string text = mesh.text() + " for " + purpose;
    std::memcpy(hello_.mark, "TESSMSH1", sizeof hello_.mark);
    std::snprintf(hello_.mesh, sizeof hello_.mesh, "%s", text.c_str());
    problem_ = read_environment();
    until_ = seconds_from_now(static_cast<double>(seconds_));
  }

  /// All devices come together, and each gets the bytes that device 0 has. Empty, or what is wrong.
  std::string meet(std::string &offer) {
    if (!problem_.empty()) return problem_;
    if (mesh_.rank() != 0) return problem_ = go_to_device_0(offer);
    problem_ = wait_for_others();
    if (!problem_.empty()) return tell_problem(problem_);
    return problem_ = give_to_all(offer);
  }
  /// Then, when each has done its part or has a problem: all learn of the first one.
  std::string part(const std::string &mine) {
    until_ = seconds_from_now(static_cast<double>(seconds_));
    return mesh_.rank() == 0 ? conclude(mine) : part_at_device_0(mine);
  }

private:
  static constexpr int kPorts = 16;

  std::string read_environment() {
    const char *address = std::getenv("MASTER_ADDR"), *port = std::getenv("MASTER_PORT"), *seconds = std::getenv("TESSERA_MESH_TIMEOUT");
    const std::string how = ": start the program with `tessera launch --mesh " + mesh_.text() + " PROGRAM` or with torchrun";
    if (!address || !port) return std::string(address ? "MASTER_PORT" : "MASTER_ADDR") + " is not set, and the devices of the mesh meet there" + how;
    address_ = address;
    if (!Mesh::read_number(port, port_) || port_ < 1 || port_ > 65535 - kPorts) return std::string("MASTER_PORT is `") + port + "`, and I expected the number of a port";
    if (seconds && (!Mesh::read_number(seconds, seconds_) || seconds_ < 1)) return std::string("TESSERA_MESH_TIMEOUT is `") + seconds + "`, and I expected seconds";
    // Programs that run side by side have ports of their own, or names.
    std::string job = port;
    for (const char *name : {"TESSERA_JOB", "TORCHELASTIC_RUN_ID", "SLURM_JOB_ID"})
      if (const char *value = std::getenv(name)) job += std::string("\n") + value;
    hello_.job = 14695981039346656037ull;
    for (const char c : job) hello_.job = (hello_.job ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    const char *taken = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
    first_ = taken && std::strcmp(taken, "True") == 0 ? 1 : 0;
    return {};
  }
  std::string place() const { return address_ + ":" + std::to_string(port_); }

  /// Calls `use` with each address of a port until it is content.
  template <class Use> std::string each_address(int64_t port, const Use &use) const {
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    const int error = getaddrinfo(address_.c_str(), std::to_string(port).c_str(), &wanted, &found);
    if (error != 0) return "MASTER_ADDR is `" + address_ + "`: " + gai_strerror(error);
    for (const addrinfo *at = found; at; at = at->ai_next)
      if (use(*at)) break;
    freeaddrinfo(found);
    return {};
  }

  // ---------------------------------------------------------------- device 0

  static Socket listening(const addrinfo &at) {
    Socket socket(::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC, at.ai_protocol));
    const int yes = 1;
    if (!socket.is_open()) return Socket();
    (void)setsockopt(socket.file(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(socket.file(), at.ai_addr, at.ai_addrlen) != 0 || listen(socket.file(), 4096) != 0) return Socket();
    return socket;
  }
  std::string listen_at_first_port(Socket &listener) const {
    for (int i = first_; i < kPorts && !listener.is_open(); ++i) {
      bool isHere = true;  // else the address is a name of this machine outside, and any of its addresses will do
      std::string problem = each_address(port_ + i, [&](const addrinfo &at) {
        errno = 0;
        listener = listening(at);
        isHere = isHere && errno != EADDRNOTAVAIL;
        return listener.is_open();
      });
      if (!problem.empty()) return problem;
      if (listener.is_open() || isHere) continue;
      sockaddr_in any{};
      any.sin_family = AF_INET;
      any.sin_port = htons(static_cast<uint16_t>(port_ + i));
      addrinfo at{};
      at.ai_family = AF_INET, at.ai_socktype = SOCK_STREAM, at.ai_addr = reinterpret_cast<sockaddr *>(&any), at.ai_addrlen = sizeof any;
      listener = listening(at);
    }
    return listener.is_open() ? "" : "I cannot listen at " + place() + " (MASTER_ADDR, MASTER_PORT) nor at the ports behind it: " + std::strerror(errno);
  }

  std::string wait_for_others() {
    Socket listener;
    others_.resize(static_cast<size_t>(mesh_.size()));
    if (std::string problem = listen_at_first_port(listener); !problem.empty()) return problem;
    for (int64_t here = 1; here < mesh_.size();) {
      if (!listener.waits_for(POLLIN, sooner(0.2))) {
        if (std::string gone = who_left(); !gone.empty()) return gone;
        if (std::chrono::steady_clock::now() >= until_) return who_is_missing();
        continue;
      }
      Socket other(accept4(listener.file(), nullptr, nullptr, SOCK_CLOEXEC));
      Hello hello{};
      if (!other.is_open() || !other.read(&hello, sizeof hello, sooner(2)) || std::memcmp(hello.mark, hello_.mark, sizeof hello.mark) != 0 || hello.job != hello_.job) continue;
      hello.mesh[sizeof hello.mesh - 1] = '\0';
      const std::string wrong = what_is_wrong(hello);
      (void)other.write_text(wrong, sooner(2));
      if (!wrong.empty()) return wrong;
      others_[static_cast<size_t>(hello.rank)] = std::move(other);
      ++here;
    }
    return {};
  }
  std::string what_is_wrong(const Hello &hello) const {
    if (std::strcmp(hello.mesh, hello_.mesh) != 0)
      return "the devices have different meshes: `" + std::string(hello.mesh) + "` in device " + std::to_string(hello.rank) + ", `" + hello_.mesh + "` in device 0";
    if (hello.rank < 1 || hello.rank >= mesh_.size()) return "there is no device " + std::to_string(hello.rank) + " in the mesh `" + mesh_.text() + "`";
    if (others_[static_cast<size_t>(hello.rank)].is_open()) return "two processes say that they are device " + std::to_string(hello.rank) + " (RANK)";
    return {};
  }
  std::string who_left() const {
    for (size_t rank = 1; rank < others_.size(); ++rank) {
      char byte;
      if (others_[rank].is_open() && recv(others_[rank].file(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return has_ended(static_cast<int64_t>(rank));
    }
    return {};
  }
  std::string who_is_missing() const {
    std::string missing;
    int64_t count = 0;
    for (size_t rank = 1; rank < others_.size(); ++rank)
      if (!others_[rank].is_open() && ++count <= 4) missing += (missing.empty() ? "" : ", ") + mesh_.device_text(static_cast<int64_t>(rank));
    return missing + (count > 4 ? " and " + std::to_string(count - 4) + " others have" : count > 1 ? " have" : " has") + " not come to " + place() + " within " +
           std::to_string(seconds_) + " s (TESSERA_MESH_TIMEOUT)";
  }
  std::string has_ended(int64_t rank) const { return mesh_.device_text(rank) + " has ended before the first collective"; }

  // What the others hear first behind the welcome is `.` and the offer, or `!` and a problem.
  std::string tell_problem(const std::string &problem) {
    for (Socket &other : others_)
      if (other.is_open()) (void)other.write_text("!" + problem, sooner(2));
    others_.clear();
    return problem;
  }
  std::string give_to_all(const std::string &offer) {
    std::string problem;
    for (size_t rank = 1; rank < others_.size(); ++rank)
      if (!others_[rank].write_text("." + offer, until_) && problem.empty()) problem = has_ended(static_cast<int64_t>(rank));
    return problem;
  }
  /// Hears of all parts and tells all of the first problem.
  std::string conclude(std::string problem) {
    for (size_t rank = 1; rank < others_.size(); ++rank) {
      std::string its;
      if (!others_[rank].read_text(its, until_)) its = has_ended(static_cast<int64_t>(rank));
      if (problem.empty()) problem = its;
    }
    for (size_t rank = 1; rank < others_.size(); ++rank) (void)others_[rank].write_text(problem, sooner(2));
    return problem;
  }

  // ---------------------------------------------------------------- the others

  /// A connection to what listens there, if something does.
  static Socket connected(const addrinfo &at) {
    Socket socket(::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol));
    if (!socket.is_open()) return Socket();
    if (connect(socket.file(), at.ai_addr, at.ai_addrlen) == 0) return socket;
    int error = 0;
    socklen_t size = sizeof error;
    if (errno != EINPROGRESS || !socket.waits_for(POLLOUT, seconds_from_now(2)) || getsockopt(socket.file(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0)
      return Socket();
    return socket;
  }
  /// Asks whatever listens there: true if it is device 0. `problem`: what it has against this device.
  bool found_device_0(Socket socket, std::string &problem) {
    std::string answer;
    if (!socket.is_open() || !socket.write(&hello_, sizeof hello_, sooner(2)) || !socket.read_text(answer, sooner(2))) return false;
    problem = answer;
    others_.clear();
    others_.push_back(std::move(socket));
    return true;
  }
  std::string go_to_device_0(std::string &offer) {
    bool found = false;
    std::string problem;
    for (int round = 0; !found; ++round) {
      for (int i = first_; i < kPorts && !found; ++i) {
        std::string unknown = each_address(port_ + i, [&](const addrinfo &at) { return found = found_device_0(connected(at), problem); });
        if (!unknown.empty()) return unknown;
      }
      if (found) break;
      if (std::chrono::steady_clock::now() >= until_)
        return mesh_.device_text(0) + " does not answer at " + place() + " (MASTER_ADDR, MASTER_PORT) within " + std::to_string(seconds_) + " s (TESSERA_MESH_TIMEOUT)";
      std::this_thread::sleep_for(std::chrono::milliseconds(round < 50 ? 10 : 100));
    }
    if (!problem.empty()) return problem;
    // Device 0 gives up earlier, as it has waited for longer.
    if (!others_[0].read_text(offer, seconds_from_now(static_cast<double>(seconds_) + 10)) || offer.empty()) return has_ended(0);
    const bool isProblem = offer[0] == '!';
    offer.erase(0, 1);
    return isProblem ? offer : "";
  }
  std::string part_at_device_0(const std::string &problem) {
    std::string all;
    if (others_.empty()) return problem;
    if (!others_[0].write_text(problem, until_) || !others_[0].read_text(all, seconds_from_now(static_cast<double>(seconds_) + 10))) return problem.empty() ? has_ended(0) : problem;
    return all;
  }

  Moment sooner(double seconds) const { return std::min(until_, seconds_from_now(seconds)); }

  const Mesh &mesh_;
  Hello hello_{};
  std::string problem_, address_;
  int64_t port_ = 0, seconds_ = 300;
  int first_ = 0;
  Moment until_;
  std::vector<Socket> others_;  // device 0: by rank; else device 0 alone
};

}  // namespace detail
}  // namespace tsr
