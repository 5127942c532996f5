// What `def main()` is compiled to: files, printing, formatting and tensors, in plain C++. A mistake ends the program with
// a message on standard error and exit status 1.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/arguments.h"
#include "tessera/host/dict.h"
#include "tessera/host/format.h"
#include "tessera/host/make.h"
#include "tessera/host/index_check.h"
#include "tessera/host/nan_check.h"
#include "tessera/host/npy.h"
#include "tessera/host/rows.h"
#include "tessera/host/safetensors.h"
#include "tessera/host/start.h"
#include "tessera/host/store.h"
#include "tessera/host/tensor.h"
#include "tessera/host/text.h"
#include <chrono>
#include <tuple>

namespace tsr {
namespace host {

TSR_APART std::string text_of(const std::string &text) { return text; }
TSR_APART std::string text_of(const char *text) { return text; }
TSR_APART std::string text_of(bool value) { return value ? "True" : "False"; }
template <class I, typename std::enable_if<std::is_integral<I>::value, int>::type = 0> std::string text_of(I value) {
  return std::to_string(value);
}
TSR_APART std::string text_of(double value) {
  return detail::shortest(value, [](double x) { return x; });
}
TSR_APART std::string text_of(float value) {
  return detail::shortest(static_cast<double>(value), [](double x) { return static_cast<double>(static_cast<float>(x)); });
}
/// Floats that C++ has no type for.
template <class T> constexpr bool is_small_float = tsr::detail::is_real<T> && !std::is_floating_point<T>::value;
template <class T> double rounded_to(double value) { return static_cast<double>(static_cast<float>(tsr::to<T>(value))); }
template <class T, typename std::enable_if<is_small_float<T>, int>::type = 0> std::string text_of(T value) {
  return detail::shortest(static_cast<double>(static_cast<float>(value)), rounded_to<T>);
}
TSR_APART std::string text_of(i4 value) { return std::to_string(static_cast<int>(value)); }

namespace detail {

TSR_APART std::string element_text(const Tensor &tensor, int64_t index) {
  if (tensor.is_real()) return shortest(tensor.real(index), [&](double x) { return tensor.rounded(x); });
  if (tensor.dtype().code == TESS_BOOL) return text_of(tensor.integer(index) != 0);
  return std::to_string(tensor.integer(index));
}
TSR_APART std::string array_text(const Tensor &tensor, size_t axis, int64_t begin, int64_t count, bool shorten) {
  if (axis == tensor.shape().size()) return element_text(tensor, begin);
  const int64_t extent = tensor.shape()[axis], inner = extent == 0 ? 0 : count / extent;
  const std::string gap = axis + 1 == tensor.shape().size() ? ", " : ",\n" + std::string(axis + 1, ' ');
  std::string text = "[";
  for (int64_t i = 0; i < extent; ++i) {
    if (i != 0) text += gap;
    if (shorten && extent > 6 && i == 3) {
      text += "...";
      i = extent - 4;
      continue;
    }
    text += array_text(tensor, axis + 1, begin + i * inner, inner, shorten);
  }
  return text + "]";
}

TSR_APART std::string formatted(const std::string &text, const Spec &spec) { return format_text(spec, text); }
TSR_APART std::string formatted(const char *text, const Spec &spec) { return format_text(spec, text); }
TSR_APART std::string formatted(double value, const Spec &spec) {
  return format_real(spec, value, [](double x) { return x; });
}
TSR_APART std::string formatted(float value, const Spec &spec) {
  return format_real(spec, static_cast<double>(value), [](double x) { return static_cast<double>(static_cast<float>(x)); });
}
template <class T, typename std::enable_if<is_small_float<T>, int>::type = 0> std::string formatted(T value, const Spec &spec) {
  return format_real(spec, static_cast<double>(static_cast<float>(value)), rounded_to<T>);
}
TSR_APART bool wants_real(const Spec &spec) { return std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos && spec.type != 0; }
TSR_APART bool wants_integer(const Spec &spec) { return std::string_view("bdoxX").find(spec.type) != std::string_view::npos && spec.type != 0; }
template <class I, typename std::enable_if<std::is_integral<I>::value, int>::type = 0>
std::string formatted(I value, const Spec &spec) {
  if (spec.type == 's') return format_text(spec, text_of(value));
  return wants_real(spec) ? formatted(static_cast<double>(value), spec) : format_integer(spec, static_cast<int64_t>(value));
}
TSR_APART std::string formatted(i4 value, const Spec &spec) { return formatted(static_cast<int>(value), spec); }

}  // namespace detail

/// Arrays look as NumPy's do, with a comma between elements and "..." in the middle of long axes.
TSR_APART std::string text_of(const Tensor &tensor) { return detail::array_text(tensor, 0, 0, tensor.count(), tensor.count() > 1000); }

namespace detail {
TSR_APART std::string formatted(const Tensor &tensor, const Spec &spec) {
  if (!tensor.shape().empty()) return format_text(spec, text_of(tensor));
  if (tensor.is_real()) return format_real(spec, tensor.real(0), [&](double x) { return tensor.rounded(x); });
  return formatted(tensor.integer(0), spec);
}
template <class T> bool is_number(const T &) { return std::is_arithmetic<T>::value || is_small_float<T> || std::is_same<T, i4>::value; }
TSR_APART bool is_number(const Tensor &tensor) { return tensor.shape().empty(); }
/// Whether a format without a type fits: tensors have no sign, no precision and no groups of digits.
template <class T> bool shows(const T &, const Spec &) { return true; }
TSR_APART bool shows(const Tensor &tensor, const Spec &spec) {
  const bool forText = spec.type == 's' || (spec.type == 0 && spec.precision < 0);
  return is_number(tensor) || (forText && spec.sign == '-' && !spec.grouping && !spec.alternate && spec.align != '=');
}
template <class T> std::string extents_text(const T &) { return "1"; }
TSR_APART std::string extents_text(const Tensor &tensor) {
  std::string text;
  for (const int64_t extent : tensor.shape()) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}
template <class T> bool is_real_number(const T &) { return std::is_floating_point<T>::value || is_small_float<T>; }
TSR_APART bool is_real_number(const Tensor &tensor) { return tensor.shape().empty() && tensor.is_real(); }
}  // namespace detail

/// The parts of an f-string, one behind the other.
template <class... Parts> std::string join(const Parts &...parts) {
  std::string text;
  (text.append(parts), ...);
  return text;
}

/// One replacement field of an f-string: `spec` is what stands behind the expression: ".4f", ">8", "!r:>8", ":>8".
template <class T> std::string format(const T &value, const std::string &spec) {
  std::string_view rest = spec;
  if (rest.size() >= 2 && rest[0] == '!') {
    const std::string shown = rest[1] == 'r' && std::is_convertible<T, std::string>::value ? detail::repr(text_of(value)) : text_of(value);
    rest.remove_prefix(2);
    if (rest.empty()) return shown;
    return format(shown, std::string(rest));
  }
  const std::string_view aligns = "<>^=";
  if (rest.size() > 0 && rest[0] == ':') {
    const bool isFill = rest.size() > 1 && aligns.find(rest[1]) != std::string_view::npos &&
                        !(rest.size() > 2 && aligns.find(rest[2]) != std::string_view::npos);
    if (!isFill || rest.size() > 2) rest.remove_prefix(1);
  }
  if (rest.empty()) return text_of(value);
  const std::optional<detail::Spec> parsed = detail::SpecReader(rest).read();
  if (!parsed) stop("the format '" + spec + "' is none that I know");
  if (!detail::shows(value, *parsed))
    stop("the format '" + spec + "' is for one number, and this is a tensor of " + detail::extents_text(value) + " elements");
  const bool number = detail::is_number(value);
  if ((!number && parsed->type != 0 && parsed->type != 's') || (detail::is_real_number(value) && detail::wants_integer(*parsed)))
    stop("the format '" + spec + "' does not fit the value " + text_of(value));
  return detail::formatted(value, *parsed);
}

/// ... as `print` shows it.
template <class T> std::string format(const T &value, const char (&)[1]) { return text_of(value); }

namespace detail {
/// The elements of a tensor of integers, each a byte, in row-major order; `function` is whom messages are about.
TSR_APART std::string elements_as_bytes(const Tensor &tensor, const std::string &function) {
  if (tensor.is_real()) stop(function + "() of a tensor of floats: bytes are integers");
  std::string text;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const int64_t byte = tensor.integer(i);
    if (byte < 0 || byte > 255) stop(function + "() of a tensor that holds " + std::to_string(byte) + ": a byte is 0 to 255", kValueError);
    text += static_cast<char>(byte);
  }
  return text;
}
}  // namespace detail
/// The text whose bytes are the elements of a tensor, in row-major order.
TSR_APART std::string decode(const Tensor &tensor) { return detail::elements_as_bytes(tensor, "decode"); }
/// The bytes of a text, as a tensor of u8.
TSR_APART Tensor encode(const std::string &text) {
  Tensor tensor = Tensor::make<uint8_t>({static_cast<int64_t>(text.size())});
  if (!text.empty()) std::memcpy(tensor.bytes_to_write(), text.data(), text.size());
  return tensor;
}
/// `a == b` of texts.
TSR_APART bool same_text(const std::string &a, const std::string &b) { return a == b; }

/// `text[i]`; an index below 0 counts from the end.
TSR_APART std::string character(const std::string &text, int64_t index) {
  const auto size = static_cast<int64_t>(text.size());
  const int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) stop("there is no index " + std::to_string(index) + " of a text of " + std::to_string(size), kIndexError);
  return text.substr(static_cast<size_t>(at), 1);
}
/// All bytes of a file, as a tensor of u8.
TSR_APART Tensor read_bytes(const std::string &path) { return encode(detail::read_file(path)); }
/// A file of the elements of tensors, each a byte, one tensor behind the other.
template <class... Tensors> void write_bytes(const std::string &path, const Tensors &...parts) {
  std::string bytes;
  ((bytes += detail::elements_as_bytes(parts, "write_bytes")), ...);
  detail::OutputFile file(path);
  file.write(bytes.data(), bytes.size());
  file.finish();
}
/// Seconds since some moment, which never go back.
TSR_APART double perf_counter() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace detail {
/// Lines wait in the buffer of stdout until it is full. One that would not fit goes out behind those that wait, so that whoever reads from a pipe,
/// or writes to it too, meets whole lines.
TSR_APART void put_line(const std::string &line) {
  constexpr size_t kRoom = 4096;  // of the buffer, and what a pipe takes at once
  static size_t waiting = 0;
  if (waiting + line.size() > kRoom) std::fflush(stdout), waiting = 0;
  std::fwrite(line.data(), 1, line.size(), stdout);
  waiting += line.size();
  if (waiting > kRoom) std::fflush(stdout), waiting = 0;
}
}  // namespace detail

/// Python's print(): the values with spaces between them, and a new line.
template <class... T> void print(const T &...values) {
  std::string line;
  bool first = true;
  ((line += (first ? "" : " ") + text_of(values), first = false), ...);
  line += '\n';
  detail::put_line(line);
}

}  // namespace host
}  // namespace tsr
