// Collectives of processes of one host: memory that they share, which has no name and is gone with the last of them, and counters
// that each waits for. A device that dies lets go of a lock; those that wait for it see that.
#pragma once
#include "tessera/entry.h"
#include "tessera/mesh/meeting.h"
#include "tessera/unforeseen.h"
#if defined(TSR_CPU)
#include <climits>
#include <fcntl.h>
#include <linux/futex.h>
#include <memory>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

/// What a device does in one step of a collective. Those of an axis do the same.
struct Step {
  char what[16];
  int64_t count, size;  // elements, bytes of each
};

class SharedMemory {
public:
  static constexpr size_t kBytes = 1 << 19;  // that a device gives the others in one step

  static SharedMemory &of_process() {
    static SharedMemory memory;
    return memory;
  }
  /// Whether it is there; else the call has failed.
  bool ready(Call &call, const Mesh &mesh) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!made_) problem_ = make(mesh);
    made_ = true;
    if (!problem_.empty()) call.fail(TESS_ERROR_MESH, "%s", problem_.c_str());
    return problem_.empty();
  }
  /// One collective at a time along an axis.
  std::mutex &mutex(const Mesh::Axis &axis) { return mutexes_[number(axis)]; }

  /// What this device gives the others in its next step along the axis.
  unsigned char *mine(const Mesh::Axis &axis) { return data(mesh_->rank(), axis, next(axis)); }
  /// What the device at a place of the axis has given in the last step.
  const unsigned char *given(const Mesh::Axis &axis, int64_t index) { return data(peer(axis, index), axis, next(axis) - 1); }

  /// Waits until all devices along the axis have come to this step. There is room for two: who is here again has seen that all
  /// were here, and has done with what they gave before. False: the call has failed.
  bool step(Call &call, const Mesh::Axis &axis, const Step &step) {
    Counter &counter = counter_of(mesh_->rank(), axis);
    const uint32_t number = next(axis);
    counter.step[number % 2] = step;
    counter.steps.store(number, std::memory_order_release);
    wake(counter);
    for (int64_t index = 0; index < axis.size && problem_.empty(); ++index)
      if (index != axis.index) wait(peer(axis, index), axis, number, step);
    for (int64_t index = 0; index < axis.size && problem_.empty(); ++index) compare(peer(axis, index), axis, number, step);
    if (!problem_.empty()) call.fail(TESS_ERROR_MESH, "%s", problem_.c_str());
    return problem_.empty();
  }

private:
  struct alignas(64) Counter {
    std::atomic<uint32_t> steps;
    Step step[2];
  };
  static_assert(std::atomic<uint32_t>::is_always_lock_free, "a counter that processes share");

  size_t number(const Mesh::Axis &axis) const { return static_cast<size_t>(&axis - mesh_->axes().data()); }
  int64_t peer(const Mesh::Axis &axis, int64_t index) const { return mesh_->rank() + (index - axis.index) * axis.stride; }
  size_t place(int64_t rank, const Mesh::Axis &axis) const { return static_cast<size_t>(rank) * mesh_->axes().size() + number(axis); }
  size_t places() const { return static_cast<size_t>(mesh_->size()) * mesh_->axes().size(); }
  Counter &counter_of(int64_t rank, const Mesh::Axis &axis) const { return reinterpret_cast<Counter *>(memory_ + kHead)[place(rank, axis)]; }
  uint32_t next(const Mesh::Axis &axis) const { return counter_of(mesh_->rank(), axis).steps.load(std::memory_order_relaxed) + 1; }
  unsigned char *data(int64_t rank, const Mesh::Axis &axis, uint32_t step) const {
    return memory_ + begin_of_data() + (place(rank, axis) * 2 + step % 2) * kBytes;
  }
  size_t begin_of_data() const { return (kHead + places() * sizeof(Counter) + kPage - 1) / kPage * kPage; }
  size_t bytes() const { return begin_of_data() + places() * 2 * kBytes; }

  // ---------------------------------------------------------------- steps

  static void wake(Counter &counter) { (void)syscall(SYS_futex, &counter.steps, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }
  static bool has_come(const Counter &counter, uint32_t number) {
    return static_cast<int32_t>(counter.steps.load(std::memory_order_acquire) - number) >= 0;
  }
  void wait(int64_t rank, const Mesh::Axis &axis, uint32_t number, const Step &step) {
    Counter &counter = counter_of(rank, axis);
    for (int i = 0; i < 1000; ++i) {
      if (has_come(counter, number)) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    // What started the devices ends them all when one dies: it has a second to do so.
    for (int looks = 0; looks < 10;) {
      const timespec tenth{0, 100000000};
      const uint32_t seen = counter.steps.load(std::memory_order_acquire);
      if (static_cast<int32_t>(seen - number) >= 0) return;
      const bool slept = syscall(SYS_futex, &counter.steps, FUTEX_WAIT, seen, &tenth, nullptr, 0) != 0 && errno == ETIMEDOUT;
      if (slept && has_ended(rank)) ++looks;
    }
    if (!has_come(counter, number)) problem_ = mesh_->device_text(rank) + " has ended, and this one waits for it in " + words_of(step, axis);
  }
  void compare(int64_t rank, const Mesh::Axis &axis, uint32_t number, const Step &step) {
    const Step &other = counter_of(rank, axis).step[number % 2];
    if (std::memcmp(&other, &step, sizeof step) == 0) return;
    problem_ = "the devices along `" + axis.name + "` do different things: " + words_of(step, axis) + " here, in " + mesh_->device_text(mesh_->rank()) + ", and " +
               words_of(other, axis) + " in " + mesh_->device_text(rank);
  }
  static std::string words_of(const Step &step, const Mesh::Axis &axis) {
    return std::string(step.what) + "(\"" + axis.name + "\") of " + std::to_string(step.count) + " elements of " + std::to_string(step.size) +
           (step.size == 1 ? " byte" : " bytes");
  }

  // ---------------------------------------------------------------- the memory

  static constexpr size_t kPage = 4096, kHead = 64;

  /// Each process holds the lock of one byte while it lives.
  static struct flock lock_of(int64_t rank) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = rank;
    lock.l_len = 1;
    return lock;
  }
  bool has_ended(int64_t rank) const {
    struct flock lock = lock_of(rank);
    return fcntl(file_, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
  }

  std::string make(const Mesh &mesh) {
    mesh_ = &mesh;
    mutexes_ = std::make_unique<std::mutex[]>(mesh.axes().size());
    Meeting meeting(mesh, "memory of one host");
    std::string offer, problem;
    if (mesh.rank() == 0) problem = make_file(offer);
    if (problem.empty()) problem = meeting.meet(offer);
    if (problem.empty()) problem = open_file(offer);
    return meeting.part(problem);
  }
  /// Device 0 offers its process, the file, and a number that the memory begins with.
  std::string make_file(std::string &offer) {
    file_ = static_cast<int>(syscall(SYS_memfd_create, kName, 1u /* MFD_CLOEXEC */));
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes())) != 0) return std::string("there is no memory for the devices to share: ") + std::strerror(errno);
    const std::string mark = std::to_string(unforeseen());
    if (pwrite(file_, mark.c_str(), mark.size() + 1, 0) < 0) return std::string("there is no memory for the devices to share: ") + std::strerror(errno);
    offer = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_) + "\n" + mark;
    return {};
  }
  std::string open_file(const std::string &offer) {
    const size_t end = offer.find('\n');
    const std::string path = offer.substr(0, end), mark = offer.substr(end + 1);
    const std::string here = ", and the devices of a mesh on CPUs are processes of one user on one host";
    if (mesh_->rank() != 0) {
      char target[64] = "";
      (void)!readlink(path.c_str(), target, sizeof target - 1);
      if (!std::strstr(target, kName)) return "the memory of device 0 is not at " + path + here;
      file_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
      if (file_ < 0) return path + ": " + std::strerror(errno) + here;
    }
    void *memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) return std::string("the memory of the devices cannot be shared: ") + std::strerror(errno);
    memory_ = static_cast<unsigned char *>(memory);
    if (std::strncmp(reinterpret_cast<const char *>(memory_), mark.c_str(), kHead) != 0) return "the memory of device 0 is not at " + path + here;
    struct flock lock = lock_of(mesh_->rank());
    if (fcntl(file_, F_SETLK, &lock) != 0) return std::string("the memory of the devices cannot be locked: ") + std::strerror(errno);
    return {};
  }
  static constexpr const char *kName = "tessera-mesh";

  std::mutex mutex_;
  std::unique_ptr<std::mutex[]> mutexes_;  // of each axis
  const Mesh *mesh_ = nullptr;
  bool made_ = false;
  std::string problem_;
  int file_ = -1;  // open while the process lives: closing it would release the lock
  unsigned char *memory_ = nullptr;
};

}  // namespace detail
}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
