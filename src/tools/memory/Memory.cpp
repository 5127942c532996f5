// operator new and delete of the tools. A compiler makes millions of small objects and gives most of them back at once;
// with the C library's allocator that is a third of all its work. Here objects of up to 1 KiB lie in pages of objects of
// one size, in one range of addresses; each thread has a list of free objects for each size and asks nobody. Memory is kept
// for the next object and never goes back to the system. Larger objects, and all where the range cannot be had, are the C
// library's. Builds with sanitizers keep the sanitizer's allocator.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace {

constexpr size_t kRange = size_t{1} << 34;     // 16 GiB of addresses; memory only where they are used
constexpr size_t kPage = size_t{1} << 16;
constexpr size_t kPages = kRange / kPage;
constexpr size_t kStep = 16;                   // sizes are multiples of it, which is also the alignment
constexpr size_t kMostBytes = 1024;
constexpr size_t kSizes = kMostBytes / kStep + 1;

struct Free {
  Free *next;
};
/// What a thread may hand out.
struct Lists {
  Free *free[kSizes];
  char *fresh[kSizes], *end[kSizes];  // the rest of a page that was never handed out
};

char *rangeBegin() {
  void *range = mmap(nullptr, kRange, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return nullptr;
  madvise(range, kRange, MADV_HUGEPAGE);
  return static_cast<char *>(range);
}

std::atomic<size_t> nextPage = 0;
uint8_t sizeOfPage[kPages];  // in steps
thread_local Lists mine;

/// Lists of threads that ended, for threads that begin.
struct Orphans {
  std::mutex mutex;
  Lists lists[64];
  size_t count = 0;
};
Orphans &orphans() {
  static Orphans *all = new (std::malloc(sizeof(Orphans))) Orphans();  // outlives every thread
  return *all;
}
struct Heir {
  Heir() {
    std::lock_guard lock(orphans().mutex);
    if (!orphans().count) return;
    Lists own = mine;  // what the thread gave back before it asked for something
    mine = orphans().lists[--orphans().count];
    for (size_t steps = 0; steps < kSizes; ++steps)
      while (Free *object = own.free[steps]) {
        own.free[steps] = object->next;
        object->next = mine.free[steps];
        mine.free[steps] = object;
      }
  }
  ~Heir() {
    std::lock_guard lock(orphans().mutex);
    if (orphans().count < std::size(orphans().lists)) orphans().lists[orphans().count++] = mine;
    mine = {};
  }
};

char *range() {
  static char *const begin = rangeBegin();
  return begin;
}
std::atomic<char *> rangeKnown = nullptr;  // range(), once it has been asked for

void *large(size_t bytes) {
  while (true) {
    if (void *memory = std::malloc(bytes ? bytes : 1)) return memory;
    std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

/// The thread has no object of that size left.
[[gnu::noinline]] void *more(size_t steps) {
  thread_local Heir heir;
  if (Free *object = mine.free[steps]) {
    mine.free[steps] = object->next;
    return object;
  }
  char *&fresh = mine.fresh[steps];
  size_t bytes = steps * kStep;
  if (fresh == mine.end[steps]) {
    char *begin = range();
    size_t page = begin ? nextPage.fetch_add(1, std::memory_order_relaxed) : kPages;
    if (page >= kPages) return large(bytes);
    rangeKnown.store(begin, std::memory_order_relaxed);
    sizeOfPage[page] = static_cast<uint8_t>(steps);
    fresh = begin + page * kPage;
    mine.end[steps] = fresh + kPage / bytes * bytes;
  }
  void *object = fresh;
  fresh += bytes;
  return object;
}

}  // namespace

void *operator new(size_t bytes) {
  if (bytes > kMostBytes) return large(bytes);
  size_t steps = (bytes + kStep - 1) / kStep + (bytes == 0);
  if (Free *object = mine.free[steps]) {
    mine.free[steps] = object->next;
    return object;
  }
  return more(steps);
}
void operator delete(void *memory) noexcept {
  auto offset = reinterpret_cast<uintptr_t>(memory) - reinterpret_cast<uintptr_t>(rangeKnown.load(std::memory_order_relaxed));
  if (offset >= kRange || !memory) return std::free(memory);
  size_t steps = sizeOfPage[offset / kPage];
  auto *object = static_cast<Free *>(memory);
  object->next = mine.free[steps];
  mine.free[steps] = object;
}
void operator delete(void *memory, size_t) noexcept { operator delete(memory); }
void *operator new[](size_t bytes) { return operator new(bytes); }
void operator delete[](void *memory) noexcept { operator delete(memory); }
void operator delete[](void *memory, size_t) noexcept { operator delete(memory); }
