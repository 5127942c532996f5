// What the C++ interface of emitted code is made of: views of tensors, and errors as exceptions.
//
//     #include "softmax.hpp"
//     std::vector<float> x(3000), y(3000);
//     tessera::softmax::softmax({x, {3, 1000}}, {y, {3, 1000}});    // throws tessera::Error
//
// C++17. What a newer standard has is taken where it is: std::span, std::mdspan, std::bfloat16_t.
#ifndef TESSERA_TENSOR_H
#define TESSERA_TENSOR_H

#include "tessera/abi.h"
#include "tessera/sizes.h"
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif

namespace tessera {

// Dtypes for which C++ has no type: what is in memory, without arithmetic.
struct bf16 { uint16_t bits; };
struct f16 { uint16_t bits; };
struct tf32 { uint32_t bits; };
struct f8e4m3 { uint8_t bits; };
struct f8e5m2 { uint8_t bits; };
struct f6e2m3 { uint8_t bits; };
struct f6e3m2 { uint8_t bits; };
struct f4e2m1 { uint8_t bits; };
struct i4 { uint8_t bits; };
using complex64 = std::complex<float>;

/// The dtype of the elements of a C++ type. Specialise it for a type of your own: `static constexpr TessDType value`.
template <class T> struct DTypeOf {
  static_assert(sizeof(T) == 0, "Tessera has no dtype for this type; specialise tessera::DTypeOf for it");
};
#define TESSERA_DTYPE_OF(type, code, bits) \
  template <> struct DTypeOf<type> {       \
    static constexpr TessDType value = {code, bits, 1}; \
  };
TESSERA_DTYPE_OF(double, TESS_FLOAT, 64)
TESSERA_DTYPE_OF(float, TESS_FLOAT, 32)
TESSERA_DTYPE_OF(tf32, TESS_TF32, 32)
TESSERA_DTYPE_OF(bf16, TESS_BFLOAT, 16)
TESSERA_DTYPE_OF(f16, TESS_FLOAT, 16)
TESSERA_DTYPE_OF(f8e4m3, TESS_FLOAT8_E4M3FN, 8)
TESSERA_DTYPE_OF(f8e5m2, TESS_FLOAT8_E5M2, 8)
TESSERA_DTYPE_OF(f6e2m3, TESS_FLOAT6_E2M3FN, 6)
TESSERA_DTYPE_OF(f6e3m2, TESS_FLOAT6_E3M2FN, 6)
TESSERA_DTYPE_OF(f4e2m1, TESS_FLOAT4_E2M1FN, 4)
TESSERA_DTYPE_OF(int64_t, TESS_INT, 64)
TESSERA_DTYPE_OF(int32_t, TESS_INT, 32)
TESSERA_DTYPE_OF(int16_t, TESS_INT, 16)
TESSERA_DTYPE_OF(int8_t, TESS_INT, 8)
TESSERA_DTYPE_OF(i4, TESS_INT, 4)
TESSERA_DTYPE_OF(uint32_t, TESS_UINT, 32)
TESSERA_DTYPE_OF(uint16_t, TESS_UINT, 16)
TESSERA_DTYPE_OF(uint8_t, TESS_UINT, 8)
TESSERA_DTYPE_OF(bool, TESS_BOOL, 8)
TESSERA_DTYPE_OF(complex64, TESS_COMPLEX, 64)
#if defined(__CUDA_BF16_TYPES_EXIST__)
TESSERA_DTYPE_OF(__nv_bfloat16, TESS_BFLOAT, 16)
#endif
#if defined(__CUDA_FP16_TYPES_EXIST__)
TESSERA_DTYPE_OF(__half, TESS_FLOAT, 16)
#endif
#if defined(__STDCPP_BFLOAT16_T__)
TESSERA_DTYPE_OF(decltype(0.0bf16), TESS_BFLOAT, 16)
#endif
#if defined(__STDCPP_FLOAT16_T__)
TESSERA_DTYPE_OF(decltype(0.0f16), TESS_FLOAT, 16)
#endif
#undef TESSERA_DTYPE_OF

/// A call that failed: its status, and the sentence that says why.
class Error : public std::runtime_error {
public:
  Error(TessStatus status, const std::string &text) : std::runtime_error(text), status_(status) {}
  TessStatus status() const { return status_; }

private:
  TessStatus status_;
};
#if defined(__cpp_exceptions)
/// Throws what was wrong with a call, if something was.
inline void check(TessStatus status) {
  if (status != TESS_OK) throw Error(status, tessLastErrorText());
}
#endif

namespace detail {

template <class T, class U> constexpr bool sameDType() {
  constexpr TessDType a = DTypeOf<std::remove_cv_t<T>>::value, b = DTypeOf<std::remove_cv_t<U>>::value;
  return a.code == b.code && a.bits == b.bits && (std::is_const_v<T> || !std::is_const_v<U>);
}
template <class Range, class = void> struct ElementOf {};
template <class Range>
struct ElementOf<Range, std::void_t<decltype(std::declval<Range &>().data()), decltype(std::declval<Range &>().size())>> {
  using type = std::remove_pointer_t<decltype(std::declval<Range &>().data())>;
};
template <class View, class = void> struct ElementOfMdspan {};
template <class View> struct ElementOfMdspan<View, std::void_t<decltype(std::declval<View &>().data_handle()), decltype(View::rank())>> {
  using type = std::remove_pointer_t<decltype(std::declval<View &>().data_handle())>;
};

}  // namespace detail

constexpr TessDevice cpu = {TESS_CPU, 0};
constexpr TessDevice cuda(int32_t id = 0) { return {TESS_CUDA, id}; }
constexpr TessDevice rocm(int32_t id = 0) { return {TESS_ROCM, id}; }

/// A view of memory that someone else owns: contiguous and row-major, on some device.
template <class T, int Rank> class Tensor {
public:
  using element_type = T;
  using Extents = std::array<int64_t, static_cast<size_t>(Rank)>;

  Tensor(T *data, const Extents &extents, TessDevice device = cpu) : data_(data), extents_(extents), device_(device) {}
  template <class U, class = std::enable_if_t<!std::is_same_v<T, U> && detail::sameDType<T, U>()>>
  Tensor(U *data, const Extents &extents, TessDevice device = cpu) : Tensor(castData(data), extents, device) {}
  /// Of a std::vector, std::span, std::array and what is like them: throws if it has too few or too many elements.
  template <class Range, class U = typename detail::ElementOf<std::remove_reference_t<Range>>::type,
            class = std::enable_if_t<detail::sameDType<T, U>()>>
  Tensor(Range &&range, const Extents &extents, TessDevice device = cpu) : Tensor(castData(range.data()), extents, device) {
    requireSize(range.size());
  }
  /// Rank 1 has the range's size.
  template <class Range, class U = typename detail::ElementOf<std::remove_reference_t<Range>>::type, int R = Rank,
            class = std::enable_if_t<R == 1 && detail::sameDType<T, U>()>>
  Tensor(Range &&range) : Tensor(castData(range.data()), Extents{static_cast<int64_t>(range.size())}) {}
  /// A std::mdspan; its strides are passed on, and a call refuses what is not contiguous.
  template <class View, class U = typename detail::ElementOfMdspan<std::remove_reference_t<View>>::type, class = void,
            class = std::enable_if_t<std::remove_reference_t<View>::rank() == Rank && detail::sameDType<T, U>()>>
  Tensor(View &&view, TessDevice device = cpu) : data_(castData(view.data_handle())), device_(device), hasStrides_(true) {
    for (int axis = 0; axis < Rank; ++axis) {
      extents_[static_cast<size_t>(axis)] = static_cast<int64_t>(view.extent(static_cast<size_t>(axis)));
      strides_[static_cast<size_t>(axis)] = static_cast<int64_t>(view.stride(static_cast<size_t>(axis)));
    }
  }
  /// One that may be written is also one that is read.
  template <class U, class = std::enable_if_t<std::is_same_v<T, const U>>>
  Tensor(const Tensor<U, Rank> &other)
      : data_(other.data()), extents_(other.extents()), strides_(other.strides()), device_(other.device()), hasStrides_(other.hasStrides()) {}

  T *data() const { return data_; }
  int64_t extent(int axis) const { return extents_[static_cast<size_t>(axis)]; }
  const Extents &extents() const { return extents_; }
  const Extents &strides() const { return strides_; }
  bool hasStrides() const { return hasStrides_; }
  TessDevice device() const { return device_; }
  int64_t size() const {
    int64_t count = 1;
    for (int64_t extent : extents_) count = tsr::saturating_multiply(count, extent);
    return count;
  }
#if defined(__cpp_lib_span)
  std::span<T> span() const { return {data_, static_cast<size_t>(size())}; }
#endif

  /// As the C functions take it; valid as long as this view lives and is not changed.
  TessTensor *abi() {
    using Plain = std::remove_cv_t<T>;
    abi_ = {const_cast<Plain *>(data_), device_, Rank, DTypeOf<Plain>::value, extents_.data(), hasStrides_ ? strides_.data() : nullptr, 0};
    return &abi_;
  }

private:
  template <class U> static T *castData(U *data) {
    if constexpr (std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>) return data;
    else return reinterpret_cast<T *>(data);
  }
  void requireSize(size_t given) const {
    if (given == static_cast<size_t>(size())) return;
#if defined(__cpp_exceptions)
    std::string shape;
    for (int64_t extent : extents_) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    throw Error(TESS_ERROR_SHAPE, "a tensor of shape [" + shape + "] has " + std::to_string(size()) + " elements, but " + std::to_string(given) +
                                      " were given");
#else
    const_cast<Tensor *>(this)->data_ = nullptr;  // the call says that there are no data
#endif
  }

  T *data_ = nullptr;
  Extents extents_{}, strides_{};
  TessDevice device_ = cpu;
  bool hasStrides_ = false;
  TessTensor abi_{};
};

/// `tessera::Tensor x(pointer, {3, 1000})`
template <class T, size_t Rank> Tensor(T *, const int64_t (&)[Rank]) -> Tensor<T, static_cast<int>(Rank)>;
template <class T, size_t Rank> Tensor(T *, const int64_t (&)[Rank], TessDevice) -> Tensor<T, static_cast<int>(Rank)>;
template <class Range, size_t Rank>
Tensor(Range &&, const int64_t (&)[Rank]) -> Tensor<typename detail::ElementOf<std::remove_reference_t<Range>>::type, static_cast<int>(Rank)>;

}  // namespace tessera

#endif
