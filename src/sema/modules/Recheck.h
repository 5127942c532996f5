// The check of one function at module level, or what an earlier one found in its place.
#pragma once
#include "sema/CheckedBefore.h"
#include "sema/Context.h"

namespace tessera::sema {

/// Stands around the check of a function. What it finds is kept at the end, if nothing was said about anything that the
/// function rests on.
class Recheck {
public:
  Recheck(Context &cx, const Callable &callable, CheckedBefore::Pass pass);
  ~Recheck();
  Recheck(const Recheck &) = delete;
  Recheck &operator=(const Recheck &) = delete;
  /// An earlier check holds: what it found is taken over already.
  bool holds() const { return holds_; }
  CheckedBefore::Found &found() { return found_; }

private:
  bool clean() const;
  Context &cx_;
  const Callable &callable_;
  CheckedBefore::Pass pass_;
  CheckedBefore::Found found_;
  bool holds_ = false;
  size_t said_, failures_, functions_, nested_;
};

}  // namespace tessera::sema
