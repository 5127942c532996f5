// The functions of a large module, checked in several threads. Each thread has a check of its own, over the same trees. What it
// finds right is taken over by the first one. What it has something to say about is checked again there, in the order of the
// text, so that messages are those of one check, whichever thread is done first.
#pragma once
#include "driver/Session.h"
#include "driver/check/Report.h"
#include "sema/CheckedBefore.h"
#include <memory>
#include <vector>

namespace tessera::driver {

/// What is said of a program that is right, as far as it is known before it is compiled.
void checkWhatIsRight(const checked::Program &program, const Sources &sources, diag::Engine &diagnostics);

class Shares {
public:
  /// Other threads, up to `threads` with this one, begin with their shares of the program that was loaded.
  Shares(const Session &session, size_t threads);
  ~Shares();
  /// Of the check in this thread; null if it has the module for itself.
  sema::CheckedBefore *before() { return others_.empty() ? nullptr : &first_; }
  /// Waits for all threads, and adds what they took and what they read.
  void addTo(Report &report, Texts &texts);

private:
  struct Other;
  sema::CheckedBefore first_;
  std::vector<std::unique_ptr<Other>> others_;  // in the order of the text
};

}  // namespace tessera::driver
