// Programs that were built with --check-nan look at what each entry function returns. At the first NaN they keep what it was
// called with, as .npy files in a folder, and end: the one call can then be looked at again.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/npy.h"
#include <cmath>
#include <utility>

namespace tsr {
namespace host {
namespace detail {

TSR_APART int64_t first_nan(const Tensor &tensor) {
  if (!tensor.is_real()) return -1;
  const int64_t count = tensor.count();
  if (tensor.dtype().code == TESS_FLOAT && tensor.dtype().bits == 32) {  // most are, and they are many
    const float *values = reinterpret_cast<const float *>(tensor.bytes());
    for (int64_t i = 0; i < count; ++i)
      if (std::isnan(values[i])) return i;
    return -1;
  }
  for (int64_t i = 0; i < count; ++i)
    if (std::isnan(tensor.real(i))) return i;
  return -1;
}

/// "[3, 7]"
TSR_APART std::string place_text(const Tensor &tensor, int64_t index) {
  std::string text;
  for (size_t axis = tensor.shape().size(); axis-- > 0; index /= tensor.shape()[axis])
    text = std::to_string(index % tensor.shape()[axis]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

TSR_APART Tensor copy_of(const Tensor &tensor) {
  Tensor copy(tensor.dtype(), tensor.shape());
  if (copy.byte_count()) std::memcpy(copy.bytes_to_write(), tensor.bytes(), copy.byte_count());
  return copy;
}

TSR_APART void make_folder(const std::string &path) {
#if defined(TSR_HAS_POSIX_FILES)
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) stop("cannot make the folder `" + path + "`: " + std::strerror(errno));
#else
  check(std::getenv("TESSERA_NAN_FOLDER") != nullptr, "make the folder `" + path + "`, and let TESSERA_NAN_FOLDER name it");
#endif
}

}  // namespace detail

/// The calls of one entry function.
class NanCheck {
public:
  struct Argument {
    Argument(const char *name_, const Tensor &value_) : name(name_), value(value_) {}
    template <class T, typename = decltype(tsr::detail::DTypeOf<T>::dtype())>
    Argument(const char *name_, T value_) : name(name_), value(Tensor::make<T>({})), scalar(true) {
      std::memcpy(value.bytes_to_write(), &value_, sizeof value_);
    }
    const char *name;
    Tensor value;
    bool scalar = false;
  };
  explicit NanCheck(const char *function) : function_(function) {}

  /// `written`: those of the arguments that the call changes.
  void before(std::vector<Argument> arguments, const std::vector<std::string> &written) {
    ++calls_;
    arguments_ = std::move(arguments);
    for (Argument &argument : arguments_)
      for (const std::string &name : written)
        if (name == argument.name) argument.value = detail::copy_of(argument.value);
  }
  /// Ends the program where one of what the call has written holds a NaN.
  void after(const std::vector<Argument> &results) {
    for (const Argument &result : results)
      if (const int64_t at = detail::first_nan(result.value); at >= 0) report(result, at);
    arguments_.clear();
  }

private:
  [[noreturn]] void report(const Argument &result, int64_t at) const {
    const char *asked = std::getenv("TESSERA_NAN_FOLDER");
    const std::string folder = asked ? asked : "nan_" + function_;
    detail::make_folder(folder);
    std::string numbers, given;
    for (const Argument &argument : arguments_) {
      save_npy(folder + "/" + argument.name + ".npy", argument.value);
      if (argument.scalar) numbers += (numbers.empty() ? "" : ", ") + (argument.name + (" = " + scalar_text(argument.value)));
      if (given.empty() && detail::first_nan(argument.value) >= 0) given = argument.name;
    }
    std::string text = "call " + std::to_string(calls_) + " of `" + function_ + "`" + (numbers.empty() ? "" : " (" + numbers + ")") + " gave a NaN: `" +
                       result.name + "`, element " + detail::place_text(result.value, at);
    if (!given.empty()) text += "; it was called with a NaN in `" + given + "`";
    detail::OutputFile call(folder + "/call");
    const std::string words = function_ + "\n" + text + "\n";
    call.write(words.data(), words.size());
    call.finish();
    if (asked) std::exit(1);  // whoever asked says it
    stop(text + ". What it was called with is in `" + folder + "`; `tessera run PROGRAM.tsr --check-nan` finds the operation");
  }
  static std::string scalar_text(const Tensor &value) {
    if (!value.is_real()) return std::to_string(value.integer(0));
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", value.real(0));
    return buffer;
  }

  std::string function_;
  int64_t calls_ = 0;
  std::vector<Argument> arguments_;
};

}  // namespace host
}  // namespace tsr
