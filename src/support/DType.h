// The dtype table (DTypes.def) as C++: the one place that knows names, sizes and spellings.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

enum class DType : uint8_t {
#define TSR_DTYPE(id, ...) id,
#include "support/DTypes.def"
};
enum class DTypeClass : uint8_t { Float, SignedInt, UnsignedInt, Bool, Complex };
enum class Target : uint8_t { Cuda, Hip, Cpu };

struct DTypeInfo {
  DType id;
  std::string_view name;
  int bits;  // of the value; storage is rounded up to whole bytes
  DTypeClass cls;
  DType accumulate;
  std::string_view cuda, hip, cpu;
};

const DTypeInfo &info(DType dtype);
inline std::string_view name(DType dtype) { return info(dtype).name; }
inline bool isFloat(DType dtype) { return info(dtype).cls == DTypeClass::Float; }
inline bool isInt(DType dtype) {
  return info(dtype).cls == DTypeClass::SignedInt || info(dtype).cls == DTypeClass::UnsignedInt;
}
inline int storageBytes(DType dtype) { return (info(dtype).bits + 7) / 8; }
/// A dtype by name or alias; nothing when there is none of that name.
std::optional<DType> dtypeByName(std::string_view name);
std::string_view spelling(DType dtype, Target target);
/// Every name and alias, for did-you-mean.
std::vector<std::string_view> dtypeNames();

}  // namespace tessera
