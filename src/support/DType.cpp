#include "support/DType.h"

namespace tessera {
namespace {
const DTypeInfo kTable[] = {
#define TSR_DTYPE(id, name, bits, cls, accumulate, cuda, hip, cpu) \
  {DType::id, name, bits, DTypeClass::cls, DType::accumulate, cuda, hip, cpu},
#include "support/DTypes.def"
};
struct Alias {
  std::string_view name;
  DType dtype;
};
const Alias kAliases[] = {
#define TSR_DTYPE_ALIAS(name, id) {name, DType::id},
#include "support/DTypes.def"
};
}  // namespace

const DTypeInfo &info(DType dtype) { return kTable[static_cast<int>(dtype)]; }

std::optional<DType> dtypeByName(std::string_view name) {
  for (const DTypeInfo &row : kTable)
    if (row.name == name) return row.id;
  for (const Alias &alias : kAliases)
    if (alias.name == name) return alias.dtype;
  return std::nullopt;
}

std::string_view spelling(DType dtype, Target target) {
  const DTypeInfo &row = info(dtype);
  switch (target) {
  case Target::Cuda: return row.cuda;
  case Target::Hip: return row.hip;
  case Target::Cpu: return row.cpu;
  }
  return row.cpu;
}

std::vector<std::string_view> dtypeNames() {
  std::vector<std::string_view> names;
  for (const DTypeInfo &row : kTable) names.push_back(row.name);
  for (const Alias &alias : kAliases) names.push_back(alias.name);
  return names;
}

}  // namespace tessera
