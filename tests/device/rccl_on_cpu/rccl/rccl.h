// Stands in for <rccl/rccl.h> where there is none: what emitted code uses of it, between processes of this machine, for tests.
// Each process has a slot in memory that all map; a communicator has counters in it by which its processes wait for each other.
#pragma once
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NCCL_UNIQUE_ID_BYTES 128
typedef struct { char internal[NCCL_UNIQUE_ID_BYTES]; } ncclUniqueId;
typedef enum { ncclSuccess = 0, ncclSystemError = 2, ncclInvalidArgument = 4 } ncclResult_t;
typedef enum { ncclInt8, ncclUint8, ncclInt32, ncclUint32, ncclInt64, ncclUint64, ncclFloat16, ncclFloat32, ncclFloat64, ncclBfloat16 } ncclDataType_t;
typedef enum { ncclSum = 0 } ncclRedOp_t;
typedef struct ncclConfig ncclConfig_t;

namespace rccl_on_cpu {

constexpr int kProcesses = 16, kCommunicators = 16;
constexpr size_t kSlot = 1 << 18;
struct Memory {
  std::atomic<uint32_t> arrived[kProcesses][kCommunicators];
  int color[kProcesses], key[kProcesses];
  unsigned char slot[kProcesses][kSlot];
};
struct Communicator {
  Memory *memory;
  int number, rank, size, process[kProcesses];  // of each rank
  void barrier() const {
    const uint32_t mine = ++memory->arrived[process[rank]][number];
    for (int i = 0; i < size; ++i)
      while (static_cast<int32_t>(memory->arrived[process[i]][number] - mine) < 0) sched_yield();
  }
  unsigned char *slot(int of) const { return memory->slot[process[of]]; }
};
inline int &made() {
  static int count = 0;
  return count;
}

template <class T> void add(void *result, const Communicator &all, size_t offset, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    T sum{};
    for (int k = 0; k < all.size; ++k) {
      T one;
      std::memcpy(&one, all.slot(k) + offset + i * sizeof(T), sizeof one);
      sum = static_cast<T>(sum + one);
    }
    std::memcpy(static_cast<char *>(result) + i * sizeof(T), &sum, sizeof sum);
  }
}
inline float widened(uint16_t bits, bool half) {
  if (!half) {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const float size = exponent == 0 ? ldexpf(static_cast<float>(mantissa), -24) : ldexpf(static_cast<float>(mantissa + 1024), exponent - 25);
  return bits & 0x8000 ? -size : size;
}
/// Of whole numbers up to 2048, which both types have.
inline uint16_t narrowed(float value, bool half) {
  uint32_t wide;
  std::memcpy(&wide, &value, sizeof wide);
  if (!half || value == 0) return static_cast<uint16_t>(wide >> 16);
  const uint32_t exponent = (wide >> 23 & 255) - 127 + 15;
  return static_cast<uint16_t>((wide >> 31 << 15) | (exponent << 10) | (wide >> 13 & 1023));
}
inline void add_short(void *result, const Communicator &all, size_t offset, size_t count, bool half) {
  for (size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (int k = 0; k < all.size; ++k) {
      uint16_t one;
      std::memcpy(&one, all.slot(k) + offset + i * 2, sizeof one);
      sum += widened(one, half);
    }
    const uint16_t bits = narrowed(sum, half);
    std::memcpy(static_cast<char *>(result) + i * 2, &bits, sizeof bits);
  }
}
inline size_t bytes_of(ncclDataType_t type) {
  static const size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return bytes[type];
}
inline void add_of(ncclDataType_t type, void *result, const Communicator &all, size_t offset, size_t count) {
  if (type == ncclInt8) add<int8_t>(result, all, offset, count);
  else if (type == ncclUint8) add<uint8_t>(result, all, offset, count);
  else if (type == ncclInt32 || type == ncclUint32) add<uint32_t>(result, all, offset, count);
  else if (type == ncclInt64 || type == ncclUint64) add<uint64_t>(result, all, offset, count);
  else if (type == ncclFloat32) add<float>(result, all, offset, count);
  else if (type == ncclFloat64) add<double>(result, all, offset, count);
  else add_short(result, all, offset, count, type == ncclFloat16);
}

}  // namespace rccl_on_cpu

typedef rccl_on_cpu::Communicator *ncclComm_t;

inline const char *ncclGetErrorString(ncclResult_t result) { return result == ncclSuccess ? "no error" : "unhandled system error"; }
inline const char *ncclGetLastError(ncclComm_t) { return ""; }
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t *state) { return *state = ncclSuccess; }
inline ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  const int file = static_cast<int>(syscall(SYS_memfd_create, "rccl", 0u));
  if (file < 0 || ftruncate(file, sizeof(rccl_on_cpu::Memory)) != 0) return ncclSystemError;
  std::snprintf(id->internal, sizeof id->internal, "/proc/%d/fd/%d", getpid(), file);
  return ncclSuccess;
}
inline ncclResult_t ncclCommInitRank(ncclComm_t *to, int size, ncclUniqueId id, int rank) {
  const int file = open(id.internal, O_RDWR);
  void *memory = file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(rccl_on_cpu::Memory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED || size > rccl_on_cpu::kProcesses) return ncclSystemError;
  auto *all = new rccl_on_cpu::Communicator{static_cast<rccl_on_cpu::Memory *>(memory), rccl_on_cpu::made()++, rank, size, {}};
  for (int i = 0; i < size; ++i) all->process[i] = i;
  all->barrier();
  *to = all;
  return ncclSuccess;
}
inline ncclResult_t ncclCommSplit(ncclComm_t of, int color, int key, ncclComm_t *to, ncclConfig_t *) {
  const int mine = of->process[of->rank];
  of->memory->color[mine] = color;
  of->memory->key[mine] = key;
  of->barrier();
  auto *part = new rccl_on_cpu::Communicator{of->memory, rccl_on_cpu::made()++, -1, 0, {}};
  for (int wanted = 0; wanted < of->size; ++wanted)
    for (int i = 0; i < of->size; ++i) {
      const int process = of->process[i];
      if (of->memory->color[process] != color || of->memory->key[process] != wanted) continue;
      if (process == mine) part->rank = part->size;
      part->process[part->size++] = process;
    }
  of->barrier();
  *to = part;
  return ncclSuccess;
}
inline ncclResult_t ncclAllReduce(const void *source, void *result, size_t count, ncclDataType_t type, ncclRedOp_t, ncclComm_t all, hipStream_t) {
  const size_t each = rccl_on_cpu::bytes_of(type), most = rccl_on_cpu::kSlot / each;
  for (size_t begin = 0; begin < count; begin += most) {
    const size_t size = count - begin < most ? count - begin : most;
    std::memcpy(all->slot(all->rank), static_cast<const char *>(source) + begin * each, size * each);
    all->barrier();
    rccl_on_cpu::add_of(type, static_cast<char *>(result) + begin * each, *all, 0, size);
    all->barrier();
  }
  return ncclSuccess;
}
inline ncclResult_t ncclAllGather(const void *source, void *result, size_t count, ncclDataType_t type, ncclComm_t all, hipStream_t) {
  const size_t each = rccl_on_cpu::bytes_of(type), most = rccl_on_cpu::kSlot / each;
  for (size_t begin = 0; begin < count; begin += most) {
    const size_t size = count - begin < most ? count - begin : most;
    std::memcpy(all->slot(all->rank), static_cast<const char *>(source) + begin * each, size * each);
    all->barrier();
    for (int k = 0; k < all->size; ++k) std::memcpy(static_cast<char *>(result) + (static_cast<size_t>(k) * count + begin) * each, all->slot(k), size * each);
    all->barrier();
  }
  return ncclSuccess;
}
inline ncclResult_t ncclReduceScatter(const void *source, void *result, size_t count, ncclDataType_t type, ncclRedOp_t, ncclComm_t all, hipStream_t) {
  const size_t each = rccl_on_cpu::bytes_of(type), devices = static_cast<size_t>(all->size), most = rccl_on_cpu::kSlot / each / devices;
  for (size_t begin = 0; begin < count; begin += most) {
    const size_t size = count - begin < most ? count - begin : most;
    for (size_t k = 0; k < devices; ++k)
      std::memcpy(all->slot(all->rank) + k * size * each, static_cast<const char *>(source) + (k * count + begin) * each, size * each);
    all->barrier();
    rccl_on_cpu::add_of(type, static_cast<char *>(result) + begin * each, *all, static_cast<size_t>(all->rank) * size * each, size);
    all->barrier();
  }
  return ncclSuccess;
}
inline ncclResult_t ncclBroadcast(const void *source, void *result, size_t count, ncclDataType_t type, int root, ncclComm_t all, hipStream_t) {
  const size_t bytes = count * rccl_on_cpu::bytes_of(type), most = rccl_on_cpu::kSlot;
  for (size_t begin = 0; begin < bytes; begin += most) {
    const size_t size = bytes - begin < most ? bytes - begin : most;
    if (all->rank == root) std::memcpy(all->slot(root), static_cast<const char *>(source) + begin, size);
    all->barrier();
    std::memcpy(static_cast<char *>(result) + begin, all->slot(root), size);
    all->barrier();
  }
  return ncclSuccess;
}

namespace rccl_on_cpu {
/// What one process gives another, and gets from it, in a group.
struct Given {
  const char *source;
  char *result;
  size_t bytes;
  int peer;
};
struct Group {
  ncclComm_t all = nullptr;
  Given given[2 * kProcesses];
  int count = 0;
};
inline Group &group() {
  static Group collected;
  return collected;
}
inline ncclResult_t collect(const void *source, void *result, size_t bytes, int peer, ncclComm_t all) {
  if (group().count == 2 * kProcesses) return ncclInvalidArgument;
  group().all = all;
  group().given[group().count++] = {static_cast<const char *>(source), static_cast<char *>(result), bytes, peer};
  return ncclSuccess;
}
}  // namespace rccl_on_cpu

inline ncclResult_t ncclSend(const void *source, size_t count, ncclDataType_t type, int peer, ncclComm_t all, hipStream_t) {
  return rccl_on_cpu::collect(source, nullptr, count * rccl_on_cpu::bytes_of(type), peer, all);
}
inline ncclResult_t ncclRecv(void *result, size_t count, ncclDataType_t type, int peer, ncclComm_t all, hipStream_t) {
  return rccl_on_cpu::collect(nullptr, result, count * rccl_on_cpu::bytes_of(type), peer, all);
}
inline ncclResult_t ncclGroupStart() { return ncclSuccess; }
/// What was not sent or received as it was asked for is done here, in rounds; each process says whether it has more to do.
inline ncclResult_t ncclGroupEnd() {
  rccl_on_cpu::Group &group = rccl_on_cpu::group();
  if (group.count == 0) return ncclSuccess;
  const ncclComm_t all = group.all;
  const size_t part = (rccl_on_cpu::kSlot - 64) / rccl_on_cpu::kProcesses;
  for (size_t begin = 0, more = 1; more; begin += part) {
    const auto size = [&](const rccl_on_cpu::Given &one) { return one.bytes <= begin ? 0 : one.bytes - begin < part ? one.bytes - begin : part; };
    uint64_t mine = 0;
    for (int i = 0; i < group.count; ++i) {
      const rccl_on_cpu::Given &one = group.given[i];
      mine |= one.bytes > begin + part;
      if (one.source) std::memcpy(all->slot(all->rank) + 64 + static_cast<size_t>(one.peer) * part, one.source + begin, size(one));
    }
    std::memcpy(all->slot(all->rank), &mine, sizeof mine);
    all->barrier();
    for (int i = 0; i < group.count; ++i) {
      const rccl_on_cpu::Given &one = group.given[i];
      if (one.result) std::memcpy(one.result + begin, all->slot(one.peer) + 64 + static_cast<size_t>(all->rank) * part, size(one));
    }
    more = 0;
    for (int k = 0; k < all->size; ++k) {
      uint64_t other;
      std::memcpy(&other, all->slot(k), sizeof other);
      more |= other;
    }
    all->barrier();
  }
  group.count = 0;
  return ncclSuccess;
}
