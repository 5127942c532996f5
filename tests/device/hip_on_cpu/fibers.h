// Runs the threads of a HIP block as fibers on one thread of the CPU, for tests of HIP code without an AMD GPU.
//
// A barrier and every operation of a wave (a shuffle) are places where a fiber waits for others. A wave operation is done
// by the last lane to arrive, for all. What real hardware would not forgive stops the test: threads at different barriers,
// lanes of a wave in different operations, threads that wait for others that have ended.
// TSR_FIBER_ORDER=0, 1, 2 runs the fibers of a block forwards, backwards, in a random order, which exposes races.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef TSR_WAVE
#define TSR_WAVE 64
#endif

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// Emitted text is compiled without optimizing, which would take longer than it saves; but lanes change millions of times.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O2")
#endif
namespace hip_on_cpu {

constexpr unsigned kWave = TSR_WAVE, kMaxThreads = 1024;
constexpr size_t kStackBytes = 256 * 1024;
enum class State : uint8_t { Ready, AtBarrier, InWave, Done };

struct Fiber {
  void *stackPointer = nullptr;
  dim3 index;
  unsigned number = 0;
  State state = State::Ready;
  const char *where = "";  // the file of the barrier or the name of the wave operation
  int line = 0;
};
struct Wave {
  void *in[kWave] = {}, *out[kWave] = {};
  const char *operation = nullptr;
  void (*apply)(Wave &) = nullptr;
  unsigned arrived = 0, alive = 0;
};
struct Block {
  Fiber fiber[kMaxThreads];
  Wave wave[kMaxThreads / 32];
  void *mainStack = nullptr;
  unsigned threads = 0, alive = 0, atBarrier = 0;
  dim3 index, size, grid;
  void (*body)(void *) = nullptr;
  void *bodyArgument = nullptr;
  unsigned char *shared = nullptr;  // dynamic shared memory
  size_t sharedBytes = 0;
  unsigned char *stacks = nullptr;
};
inline thread_local Block *block = nullptr;
inline thread_local Fiber *current = nullptr;

// The System V ABI of x86-64: a called function keeps rbx, rbp, r12 to r15 and the stack.
extern "C" void hip_on_cpu_switch(void **saveStack, void *loadStack);
asm(R"(.text
.weak hip_on_cpu_switch
.type hip_on_cpu_switch,@function
hip_on_cpu_switch:
  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
  ret
.size hip_on_cpu_switch,.-hip_on_cpu_switch
)");

[[noreturn]] inline void fail(const char *message) {
  static const char *const names[] = {"running", "at the barrier", "in the wave operation", "finished"};
  fprintf(stderr, "hip on cpu: block (%u, %u, %u): %s\n", block->index.x, block->index.y, block->index.z, message);
  for (unsigned i = 0; i < block->threads; ++i) {
    const Fiber &fiber = block->fiber[i], &before = block->fiber[i ? i - 1 : 0];
    if (i && fiber.state == before.state && fiber.line == before.line) continue;
    fprintf(stderr, "  from thread %u: %s %s:%d\n", i, names[static_cast<int>(fiber.state)], fiber.where, fiber.line);
  }
  abort();
}

inline void wait_for_others(State state) {
  Fiber *self = current;
  self->state = state;
  hip_on_cpu_switch(&self->stackPointer, block->mainStack);
}

/// All lanes that still run are here: they get their results and go on.
inline void complete(unsigned number) {
  Wave &wave = block->wave[number];
  wave.apply(wave);
  wave.arrived = 0;
  for (unsigned l = 0; l < kWave; ++l) {
    const unsigned i = number * kWave + l;
    if (i < block->threads && block->fiber[i].state == State::InWave) block->fiber[i].state = State::Ready;
    wave.in[l] = nullptr;
  }
}

inline void fiber_main() {
  block->body(block->bodyArgument);
  --block->alive;
  const unsigned number = current->number / kWave;
  Wave &wave = block->wave[number];
  --wave.alive;
  if (wave.arrived > 0 && wave.arrived == wave.alive) complete(number);  // the others need not wait for this lane
  wait_for_others(State::Done);
  abort();
}

inline void barrier(const char *file, int line) {
  current->where = file;
  current->line = line;
  if (++block->atBarrier < block->threads) return wait_for_others(State::AtBarrier);
  for (unsigned i = 0; i < block->threads; ++i) {
    Fiber &fiber = block->fiber[i];
    if (fiber.state == State::AtBarrier && fiber.line != line) fail("threads wait at different barriers");
    if (fiber.state == State::AtBarrier) fiber.state = State::Ready;
  }
  block->atBarrier = 0;
}

/// An operation of all lanes of a wave together: `apply` sees the operands of all once the last has arrived.
template <class Apply> void wave_operation(const char *operation, void *in, void *out, Apply apply) {
  const unsigned number = current->number / kWave, lane = current->number % kWave;
  Wave &wave = block->wave[number];
  current->where = operation;
  current->line = 0;
  if (wave.arrived == 0) wave.operation = operation;
  if (wave.operation != operation && strcmp(wave.operation, operation) != 0) fail("lanes of one wave are in different operations");
  wave.in[lane] = in;
  wave.out[lane] = out;
  wave.apply = apply;
  if (++wave.arrived < wave.alive) return wait_for_others(State::InWave);
  complete(number);
}

template <class T> T value_of_lane(T value, unsigned from, const char *operation) {
  struct In {
    T value;
    unsigned from;
  } in{value, from};
  T result{};
  wave_operation(operation, &in, &result, [](Wave &wave) {
    for (unsigned lane = 0; lane < kWave; ++lane) {
      if (!wave.in[lane]) continue;
      const auto *source = static_cast<In *>(wave.in[static_cast<In *>(wave.in[lane])->from % kWave]);
      *static_cast<T *>(wave.out[lane]) = source ? source->value : T{};
    }
  });
  return result;
}

inline int order() {
  const char *text = getenv("TSR_FIBER_ORDER");
  return text ? atoi(text) : 0;
}

inline void start_fibers(Block &b) {
  for (unsigned w = 0; w * kWave < b.threads; ++w) {
    b.wave[w] = Wave{};
    b.wave[w].alive = std::min(kWave, b.threads - w * kWave);
  }
  for (unsigned i = 0; i < b.threads; ++i) {
    Fiber &fiber = b.fiber[i];
    fiber = Fiber{};
    fiber.number = i;
    fiber.index = dim3(i % b.size.x, i / b.size.x % b.size.y, i / (b.size.x * b.size.y));
    // What the switch will pop: six registers, the address of fiber_main, and a slot that keeps the stack aligned.
    void **top = reinterpret_cast<void **>(b.stacks + (i + 1) * kStackBytes);
    *--top = nullptr;
    *--top = reinterpret_cast<void *>(&fiber_main);
    for (int k = 0; k < 6; ++k) *--top = nullptr;
    fiber.stackPointer = top;
  }
}

inline void run_block(Block &b) {
  block = &b;
  b.alive = b.threads;
  b.atBarrier = 0;
  start_fibers(b);
  if (b.sharedBytes) memset(b.shared, 0xff, b.sharedBytes);  // NaN: what was never written must not look right
  uint32_t random = 12345u + b.index.x;
  const int mode = order();
  while (b.alive) {
    bool progress = false;
    for (unsigned k = 0; k < b.threads; ++k) {
      unsigned i = mode == 1 ? b.threads - 1 - k : k;
      if (mode == 2) {
        random = random * 1664525u + 1013904223u;
        i = (random >> 8) % b.threads;
        if (b.fiber[i].state != State::Ready) i = k;
      }
      if (b.fiber[i].state != State::Ready) continue;
      progress = true;
      current = &b.fiber[i];
      hip_on_cpu_switch(&b.mainStack, b.fiber[i].stackPointer);
    }
    if (!progress) fail("threads wait for others that have ended or went another way");
  }
}

template <class Body> void launch(dim3 grid, dim3 size, size_t sharedBytes, Body body) {
  const unsigned threads = size.x * size.y * size.z;
  if (threads > kMaxThreads) {
    fprintf(stderr, "hip on cpu: a block of %u threads\n", threads);
    abort();
  }
  static thread_local Block *b = [] {
    auto *made = new Block;
    made->stacks = static_cast<unsigned char *>(aligned_alloc(4096, kMaxThreads * kStackBytes));
    return made;
  }();
  if (b->sharedBytes < sharedBytes) {
    free(b->shared);
    b->shared = static_cast<unsigned char *>(aligned_alloc(256, (sharedBytes + 255) / 256 * 256));
  }
  b->sharedBytes = sharedBytes;
  b->threads = threads;
  b->size = size;
  b->grid = grid;
  b->bodyArgument = &body;
  b->body = [](void *argument) { (*static_cast<Body *>(argument))(); };
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        b->index = dim3(x, y, z);
        run_block(*b);
      }
}

}  // namespace hip_on_cpu
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
