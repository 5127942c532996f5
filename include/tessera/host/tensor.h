// A tensor of host code: dtype and shape are known when the program runs. It has a copy in host memory and, on GPUs, one
// on the device; what is stale is copied when it is needed. Copies of a Tensor share their elements.
#pragma once
#include "tessera/device/math.h"
#include "tessera/entry.h"
#include "tessera/host/stop.h"
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tsr {
namespace host {

inline void stop_unless_ok(TessStatus status) {
  if (status != TESS_OK) stop(tessLastErrorText());
}
inline void check(bool condition, const std::string &message) {
  if (!condition) stop(message, kAssertionError);
}

/// Quotient and remainder rounded to minus infinity, as in Python; a divisor of 0 ends the program.
template <class T> T floordiv(T a, T b) {
  if (b == T{0}) stop("a division by zero", kZeroDivisionError);
  return tsr::floordiv<T>(a, b);
}
template <class T> T mod(T a, T b) {
  if (b == T{0}) stop("a division by zero", kZeroDivisionError);
  return tsr::mod<T>(a, b);
}

namespace detail {

inline void device_ok(tsr::detail::DeviceError error, const char *what) {
  if (error != tsr::detail::kDeviceOk) stop(std::string(what) + ": " + tsr::detail::device_error_text(error));
}
#if defined(TSR_CUDA)
inline void to_device(void *to, const void *from, size_t bytes) { device_ok(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy to the device"); }
inline void to_host(void *to, const void *from, size_t bytes) { device_ok(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the device"); }
inline void on_device(void *to, const void *from, size_t bytes) { device_ok(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice), "copy on the device"); }
inline void device_synchronize() { device_ok(cudaDeviceSynchronize(), "the device"); }
constexpr int32_t kDevice = TESS_CUDA;
#elif defined(TSR_HIP)
inline void to_device(void *to, const void *from, size_t bytes) { device_ok(hipMemcpy(to, from, bytes, hipMemcpyHostToDevice), "copy to the device"); }
inline void to_host(void *to, const void *from, size_t bytes) { device_ok(hipMemcpy(to, from, bytes, hipMemcpyDeviceToHost), "copy from the device"); }
inline void on_device(void *to, const void *from, size_t bytes) { device_ok(hipMemcpy(to, from, bytes, hipMemcpyDeviceToDevice), "copy on the device"); }
inline void device_synchronize() { device_ok(hipDeviceSynchronize(), "the device"); }
constexpr int32_t kDevice = TESS_ROCM;
#else
constexpr int32_t kDevice = TESS_CPU;
#endif

/// The number of the device that the process works on.
inline int32_t this_device() {
  int number = 0;
  device_ok(tsr::detail::device_get(&number), "the device");
  return number;
}

struct Storage {
  std::vector<unsigned char> bytes;
  bool hostFresh = true;
  void *device = nullptr;
  bool deviceFresh = false;
  Storage() = default;
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;
  ~Storage() {
    if (device) (void)tsr::detail::device_free(device, nullptr);
  }
};

}  // namespace detail

class Tensor {
public:
  Tensor() : Tensor(tsr::detail::DTypeOf<float>::dtype(), {}) {}
  /// Zeros.
  Tensor(TessDType dtype, std::vector<int64_t> shape) : dtype_(dtype), shape_(std::move(shape)), storage_(std::make_shared<detail::Storage>()) {
    const size_t bytes = bytes_of(shape_, element_bytes());
    try {
      storage_->bytes.resize(bytes);
    } catch (const std::exception &) {
      stop("no memory for a tensor of " + std::to_string(bytes) + " bytes", kMemoryError);
    }
  }
  /// What elements of these extents take; ends the program where there cannot be such a tensor.
  static size_t bytes_of(const std::vector<int64_t> &shape, size_t elementBytes) {
    int64_t bytes = static_cast<int64_t>(elementBytes);
    for (int64_t extent : shape) {
      if (extent < 0) stop("a tensor with an extent of " + std::to_string(extent), kValueError);
      bytes = saturating_multiply(bytes, extent);
    }
    if (bytes == kMostSize) stop("a tensor with more bytes than a machine can have");
    return static_cast<size_t>(bytes);
  }
  template <class T> static Tensor make(std::vector<int64_t> shape) { return Tensor(tsr::detail::DTypeOf<T>::dtype(), std::move(shape)); }

  TessDType dtype() const { return dtype_; }
  const std::vector<int64_t> &shape() const { return shape_; }
  /// 0 where there is no such dimension; the entry function then says what is wrong.
  int64_t extent(int axis) const { return axis < static_cast<int>(shape_.size()) ? shape_[static_cast<size_t>(axis)] : 0; }
  /// What the variable of an extent `factor * variable + rest` is, at least 0; 0 where the factor is, as a size may be.
  int64_t solved(int axis, int64_t factor, int64_t rest) const {
    return extent(axis) < rest || factor == 0 ? 0 : (extent(axis) - rest) / factor;
  }
  int64_t count() const {
    int64_t product = 1;
    for (int64_t extent : shape_) product = saturating_multiply(product, extent);
    return product;
  }
  size_t element_bytes() const { return (dtype_.bits + 7u) / 8u; }

  /// The elements in host memory, row-major.
  const unsigned char *bytes() const {
    refresh_host();
    return storage_->bytes.data();
  }
  unsigned char *bytes_to_write() {
    refresh_host();
    storage_->deviceFresh = false;
    return storage_->bytes.data();
  }
  size_t byte_count() const { return storage_->bytes.size(); }
  /// Gives it elements that no other tensor shares.
  void own() {
    if (storage_.use_count() == 1) return;
    auto copy = std::make_shared<detail::Storage>();
    refresh_host();
    copy->bytes = storage_->bytes;
    storage_ = std::move(copy);
  }

#if !defined(TSR_CPU)
  /// Whether its elements are up to date on the device, and nowhere else.
  bool is_on_device() const { return storage_->deviceFresh && !storage_->hostFresh; }
  /// Its elements on the device, to be written there: no other tensor shares them.
  void *device_to_write() {
    if (storage_.use_count() > 1) {
      const std::shared_ptr<detail::Storage> shared = storage_;
      storage_ = std::make_shared<detail::Storage>();
      storage_->bytes.resize(shared->bytes.size());
      storage_->deviceFresh = true;  // once the copy is done
      refresh_device();
      if (!shared->bytes.empty()) detail::on_device(storage_->device, shared->device, shared->bytes.size());
    }
    storage_->hostFresh = false;
    return storage_->device;
  }
#endif
  /// Gives it room for another row, which is 0; of one axis, for another element.
  void grow() {
    keep_on_host();
    storage_->bytes.resize(storage_->bytes.size() + row_bytes());
    ++shape_[0];
  }
  /// Takes a row away.
  void shrink(int64_t row) {
    keep_on_host();
    const auto bytes = static_cast<std::ptrdiff_t>(row_bytes()), from = static_cast<std::ptrdiff_t>(row) * bytes;
    storage_->bytes.erase(storage_->bytes.begin() + from, storage_->bytes.begin() + from + bytes);
    --shape_[0];
  }

  /// The same elements under another shape, with as many.
  void reshape(std::vector<int64_t> shape) { shape_ = std::move(shape); }

  /// For an entry function that reads it. Valid until the next call for this tensor.
  const TessTensor *read() const {
    refresh_device();
    return view();
  }
  /// For an entry function that writes it.
  TessTensor *written() const {
    refresh_device();
#if !defined(TSR_CPU)
    storage_->hostFresh = false;
#endif
    return view();
  }

  /// Element `index` in row-major order as a number. Integers up to 2^53 are exact.
  double real(int64_t index) const {
    const unsigned char *at = bytes() + static_cast<size_t>(index) * element_bytes();
    switch (dtype_.code) {
    case TESS_FLOAT:
      if (dtype_.bits == 64) return load<double>(at);
      return dtype_.bits == 32 ? static_cast<double>(load<float>(at)) : tsr::to<double>(load<f16>(at));
    case TESS_TF32: return load<float>(at);
    case TESS_BFLOAT: return tsr::to<double>(load<bf16>(at));
    case TESS_FLOAT8_E4M3FN: return tsr::to<double>(load<f8e4m3>(at));
    case TESS_FLOAT8_E5M2: return tsr::to<double>(load<f8e5m2>(at));
    case TESS_FLOAT6_E2M3FN: return tsr::to<double>(load<f6e2m3>(at));
    case TESS_FLOAT6_E3M2FN: return tsr::to<double>(load<f6e3m2>(at));
    case TESS_FLOAT4_E2M1FN: return tsr::to<double>(load<f4e2m1>(at));
    default: return static_cast<double>(integer(index));
    }
  }
  int64_t integer(int64_t index) const {
    const unsigned char *at = bytes() + static_cast<size_t>(index) * element_bytes();
    const bool isUnsigned = dtype_.code == TESS_UINT || dtype_.code == TESS_BOOL;
    switch (dtype_.bits) {
    case 64: return load<int64_t>(at);
    case 32: return isUnsigned ? static_cast<int64_t>(load<uint32_t>(at)) : load<int32_t>(at);
    case 16: return isUnsigned ? static_cast<int64_t>(load<uint16_t>(at)) : load<int16_t>(at);
    default: return isUnsigned ? static_cast<int64_t>(load<uint8_t>(at)) : load<int8_t>(at);
    }
  }
  bool is_real() const { return dtype_.code != TESS_INT && dtype_.code != TESS_UINT && dtype_.code != TESS_BOOL; }
  /// `value` rounded to the dtype.
  double rounded(double value) const {
    switch (dtype_.code) {
    case TESS_FLOAT:
      if (dtype_.bits == 64) return value;
      return dtype_.bits == 32 ? static_cast<double>(static_cast<float>(value)) : tsr::to<double>(tsr::to<f16>(value));
    case TESS_TF32: return static_cast<double>(tsr::to<tf32>(value).value);
    case TESS_BFLOAT: return tsr::to<double>(tsr::to<bf16>(value));
    case TESS_FLOAT8_E4M3FN: return tsr::to<double>(tsr::to<f8e4m3>(value));
    case TESS_FLOAT8_E5M2: return tsr::to<double>(tsr::to<f8e5m2>(value));
    case TESS_FLOAT6_E2M3FN: return tsr::to<double>(tsr::to<f6e2m3>(value));
    case TESS_FLOAT6_E3M2FN: return tsr::to<double>(tsr::to<f6e3m2>(value));
    case TESS_FLOAT4_E2M1FN: return tsr::to<double>(tsr::to<f4e2m1>(value));
    default: return value;
    }
  }

private:
  size_t row_bytes() const { return bytes_of(std::vector<int64_t>(shape_.begin() + 1, shape_.end()), element_bytes()); }
  /// Gives it elements that no other tensor shares, in host memory alone: their number is to change.
  void keep_on_host() {
    own();
    refresh_host();
    if (storage_->device) (void)tsr::detail::device_free(storage_->device, nullptr);
    storage_->device = nullptr, storage_->deviceFresh = false;
  }
  template <class T> static T load(const unsigned char *at) {
    T value;
    memcpy(static_cast<void *>(&value), at, sizeof(T));
    return value;
  }
  TessTensor *view() const {
#if defined(TSR_CPU)
    void *data = storage_->bytes.data();
#else
    void *data = storage_->device;
#endif
    view_ = {data, {detail::kDevice, detail::this_device()}, static_cast<int32_t>(shape_.size()), dtype_, shape_.data(), nullptr, 0};
    return &view_;
  }
  void refresh_host() const {
#if !defined(TSR_CPU)
    if (storage_->hostFresh) return;
    detail::device_synchronize();
    detail::to_host(storage_->bytes.data(), storage_->device, storage_->bytes.size());
    storage_->hostFresh = true;
#endif
  }
  void refresh_device() const {
#if !defined(TSR_CPU)
    const size_t bytes = storage_->bytes.empty() ? 1 : storage_->bytes.size();
    if (!storage_->device)
      detail::device_ok(tsr::detail::device_allocate(&storage_->device, bytes, tsr::detail::device_pool(), nullptr), "device memory");
    if (storage_->deviceFresh) return;
    if (!storage_->bytes.empty()) detail::to_device(storage_->device, storage_->bytes.data(), storage_->bytes.size());
    storage_->deviceFresh = true;
#endif
  }

  TessDType dtype_;
  std::vector<int64_t> shape_;
  std::shared_ptr<detail::Storage> storage_;
  mutable TessTensor view_{};
};

namespace detail {
/// The dtype among these that has this name; ends the program if none has.
template <class... T> TessDType dtype_among(const std::string &name) {
  TessDType found{};
  const bool any = ((name == tsr::detail::DTypeOf<T>::text() && (found = tsr::detail::DTypeOf<T>::dtype(), true)) || ...);
  if (!any) stop("there is no dtype '" + name + "'", kTypeError);
  return found;
}
TSR_APART TessDType dtype_named(const std::string &name) {
  return dtype_among<double, float, tf32, bf16, f16, f8e4m3, f8e5m2, f6e2m3, f6e3m2, f4e2m1, int64_t, int32_t, int16_t, int8_t, i4, uint32_t,
                     uint16_t, uint8_t, bool, complex64>(name);
}
/// Likewise of real numbers, integers and truth values.
TSR_APART TessDType real_dtype_named(const std::string &name) {
  const TessDType dtype = dtype_named(name);
  if (dtype.code == TESS_COMPLEX) stop("there is no dtype '" + name + "' here: it is one of complex numbers");
  return dtype;
}
}  // namespace detail

/// As Python prints it: `(2, 3)`, `(2,)`, `()`.
TSR_APART std::string shape_text(const Tensor &tensor) {
  std::string text = "(";
  for (size_t i = 0; i < tensor.shape().size(); ++i) text += (i ? ", " : "") + std::to_string(tensor.shape()[i]);
  return text + (tensor.shape().size() == 1 ? ",)" : ")");
}

inline int64_t count(const Tensor &tensor) { return tensor.count(); }
inline int64_t rank(const Tensor &tensor) { return static_cast<int64_t>(tensor.shape().size()); }

inline int64_t shape(const Tensor &tensor, int64_t axis) {
  const int64_t axes = rank(tensor);
  if (axis < 0) axis += axes;
  if (axis < 0 || axis >= axes) stop("axis " + std::to_string(axis) + " of a tensor with " + std::to_string(axes) + " dimensions", kIndexError);
  return tensor.shape()[static_cast<size_t>(axis)];
}

/// Row `index` along the first axis, as a tensor of its own; negative indices count from the end.
TSR_APART Tensor row(const Tensor &tensor, int64_t index) {
  const int64_t rows = shape(tensor, 0);
  if (index < 0) index += rows;
  if (index < 0 || index >= rows) stop("row " + std::to_string(index) + " of a tensor with " + std::to_string(rows) + " rows", kIndexError);
  Tensor result(tensor.dtype(), std::vector<int64_t>(tensor.shape().begin() + 1, tensor.shape().end()));
  const size_t bytes = result.byte_count();
  if (bytes) memcpy(result.bytes_to_write(), tensor.bytes() + static_cast<size_t>(index) * bytes, bytes);
  return result;
}

namespace detail {
/// An integer as f64, which holds all up to 2^53 and some beyond.
TSR_APART double exact_real(int64_t value) {
  const double real = static_cast<double>(value);
  if (!(real < 0x1p63) || static_cast<int64_t>(real) != value)
    stop("the integer " + std::to_string(value) + " is read as a number of f64, which cannot hold it: say that it is one, `cast(x, i64)`");
  return real;
}
}  // namespace detail

/// The one element of a tensor.
template <class T> T item(const Tensor &tensor) {
  if (tensor.count() != 1)
    stop("host code takes one number here, and this tensor has " + std::to_string(tensor.count()) +
         " elements: compute with it in a function that has a tensor for a parameter, and call that");
  if (tensor.is_real()) return tsr::to<T>(tensor.real(0));
  if (std::is_same<T, double>::value) return tsr::to<T>(detail::exact_real(tensor.integer(0)));
  return tsr::to<T>(tensor.integer(0));
}

}  // namespace host
}  // namespace tsr
