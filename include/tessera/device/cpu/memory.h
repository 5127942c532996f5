// Memory of a task on the CPU for what is too large for its stack.
//
//   TaskMemory memory(bytes);   memory.data() until the end of the block
//   Row<T> row(count);          likewise, row(i) for i < count
//
// Each thread keeps what it once needed, so that tasks after the first allocate nothing; but for blocks of more than 64 MiB.
// Blocks are given back in the opposite order, as the blocks of a program end.
#pragma once
#include "tessera/device/platform.h"

#if defined(TSR_CPU)
#include <new>

namespace tsr {
inline namespace TSR_TARGET {
namespace cpu {

/// The chunks of one thread. Once all of it is given back, one chunk as large as all of them takes their place.
class Arena {
public:
  static Arena &of_thread() {
    static thread_local Arena arena;
    return arena;
  }
  char *take(size_t bytes) {
    if (!newest_ || newest_->used + bytes > newest_->size) {
      const size_t size = bytes > wanted_ ? bytes : wanted_;
      newest_ = new Chunk{newest_, static_cast<char *>(::operator new(size, alignment)), size, 0};
    }
    char *const at = newest_->data + newest_->used;
    newest_->used += bytes;
    return at;
  }
  void give_back(size_t bytes) {
    Chunk *holder = newest_;
    while (holder->used == 0) holder = holder->older;
    holder->used -= bytes;
    size_t total = 0;
    for (const Chunk *chunk = newest_; chunk; chunk = chunk->older) {
      if (chunk->used != 0) return;
      total += chunk->size;
    }
    if (!newest_->older) return;
    wanted_ = total;
    while (newest_) drop();
  }
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena() {
    while (newest_) drop();
  }

private:
  struct Chunk {
    Chunk *older;
    char *data;
    size_t size, used;
  };
  static constexpr std::align_val_t alignment{4096};
  void drop() {
    Chunk *const chunk = newest_;
    newest_ = chunk->older;
    ::operator delete(chunk->data, alignment);
    delete chunk;
  }
  Chunk *newest_ = nullptr;
  size_t wanted_ = 0;  // bytes of the next chunk at least
};

class TaskMemory {
public:
  explicit TaskMemory(size_t bytes)
      : bytes_((bytes + 63) / 64 * 64),
        data_(is_kept() ? Arena::of_thread().take(bytes_) : static_cast<char *>(::operator new(bytes_, std::align_val_t(64)))) {}
  TaskMemory(const TaskMemory &) = delete;
  TaskMemory &operator=(const TaskMemory &) = delete;
  ~TaskMemory() {
    if (is_kept()) Arena::of_thread().give_back(bytes_);
    else ::operator delete(data_, std::align_val_t(64));
  }
  void *data() const { return data_; }

private:
  static constexpr size_t kept_at_most = size_t(64) << 20;  // the rest of a program needs its memory, too
  bool is_kept() const { return bytes_ <= kept_at_most; }
  size_t bytes_;
  char *data_;
};

}  // namespace cpu

/// What a group computes for each element of a row, and needs again.
template <class T> class Row {
  cpu::TaskMemory memory_;
  T *const data_;

public:
  explicit Row(int64_t count) : memory_(static_cast<size_t>(count) * sizeof(T)), data_(static_cast<T *>(memory_.data())) {}
  T &operator()(int64_t i) const { return data_[i]; }
};
}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
