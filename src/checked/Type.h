// Types of the checked program: what a value is, its dtype and shape, and how its numbers are rounded.
#pragma once
#include "support/DType.h"
#include "support/Dim.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::checked {

enum class Rounding : uint8_t { NearestEven, TowardZero, Up, Down, Stochastic };
enum class Denormals : uint8_t { Keep, Flush };
enum class PolicyField : uint8_t { Accumulate, Compute, Round, RoundAt, Saturate, Denormals, LossScale, PerChannel, FastSums };
/// What rides on a dtype: bf16 @accum(f32) @saturate. What it means, and which fields go together: Policy.h.
struct Numerics {
  std::optional<DType> accumulate, compute;
  Rounding rounding = Rounding::NearestEven;
  bool roundEachOp = false;
  bool saturate = false;
  Denormals denormals = Denormals::Keep;
  int lossScale = 0;     // memory holds 2^lossScale times the value
  int perChannel = -1;   // memory holds integers; one scale for each index of this axis stands beside them
  bool fastSums = false; // sums of products may keep fewer bits where that is faster
  uint16_t stated = 0;   // bit by PolicyField: what was written, also where it says what holds anyway
  bool operator==(const Numerics &) const = default;
};

enum class TypeKind : uint8_t {
  Index,       // a program integer: sizes, offsets, loop counters (64 bits, signed)
  Scalar,      // one value of `dtype`
  Tensor,      // an immutable array value of `dtype` and `shape`: a tensor, or a tile inside a kernel
  View,        // a kernel's handle of a tensor in global memory: accessed by Load and Store
  Shared,      // a buffer in shared memory (alloc_shared): accessed by Load and Store
  HostTensor,  // host code: a tensor whose dtype and shape are known when it runs
  Stream,      // a parameter that is a stream of random numbers: its key, a scalar of i64 wherever it is used
  State,       // a KVCache of `dtype` and `shape`
  String, None,
  Tuple,       // results of a Call only
};
struct Type {
  TypeKind kind = TypeKind::None;
  DType dtype = DType::F32;   // Scalar, Tensor, View, Shared
  Numerics numerics;          // Scalar, Tensor, View
  std::vector<Dim> shape;     // Tensor, View, Shared; Index: {H} of a parameter `heads: Const[H]`, whose value is H
  std::vector<Type> items;    // Tuple
  bool rollingWindow = false; // State: what is appended behind the end takes the place of the oldest
  bool isArray() const { return kind == TypeKind::Tensor; }
  std::string str() const;    // as a user would write it: Tensor[M, K, bf16 @accum(f32)]
};

}  // namespace tessera::checked
