// A value or the text of an error, for operations whose failure the caller reports.
#pragma once
#include "support/Check.h"
#include <string>
#include <utility>
#include <variant>

namespace tessera {

struct Failure {
  std::string message;
};

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::move(value)) {}
  Result(Failure failure) : state_(std::move(failure)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T &operator*() { return get(); }
  const T &operator*() const { return std::get<0>(state_); }
  T *operator->() { return &get(); }
  const std::string &error() const { return std::get<1>(state_).message; }

private:
  T &get() {
    TSR_CHECK(state_.index() == 0, "value of a failed Result: " + std::get<1>(state_).message);
    return std::get<0>(state_);
  }
  std::variant<T, Failure> state_;
};

}  // namespace tessera
