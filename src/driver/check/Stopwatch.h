// What checks of functions take, of the processor.
#pragma once
#include "driver/check/Report.h"
#include "support/Sources.h"
#include "support/Span.h"
#include <chrono>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace tessera::driver {

/// Of the processor, in this thread.
inline double threadMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// By the clock, from a moment that does not matter.
inline double clockMilliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Hears where the check of each function begins and ends.
class Stopwatch {
public:
  explicit Stopwatch(const Sources &sources) : sources_(sources) {}
  void operator()(const std::string &name, Span nameSpan, bool begins) {
    double now = threadMilliseconds();
    if (begins) {
      running_.push_back({name, nameSpan, now, 0});
      return;
    }
    Running done = std::move(running_.back());
    running_.pop_back();
    double all = now - done.begin;
    if (!running_.empty()) running_.back().others += all;
    const SourceFile &file = sources_.file(done.span.file);
    times_.push_back({done.name, file.path, file.lineColumn(done.span.begin).line, all - done.others});
  }
  std::vector<FunctionTime> take() { return std::move(times_); }

private:
  struct Running {
    std::string name;
    Span span;
    double begin, others;
  };
  const Sources &sources_;
  std::vector<Running> running_;
  std::vector<FunctionTime> times_;
};

}  // namespace tessera::driver
