// Types as a user would write them.
#include "checked/Policy.h"

namespace tessera::checked {
namespace {
std::string dtypeText(const Type &t) { return std::string(name(t.dtype)) + policyText(t.numerics); }
}  // namespace

std::string Type::str() const {
  switch (kind) {
  case TypeKind::Index: return "Int";
  case TypeKind::Scalar: return dtypeText(*this);
  case TypeKind::Tensor:
  case TypeKind::View:
  case TypeKind::Shared: {
    std::string text = kind == TypeKind::Shared ? "Shared[" : "Tensor[";
    for (const Dim &d : shape) text += d.str() + ", ";
    return text + dtypeText(*this) + "]";
  }
  case TypeKind::HostTensor: return "Tensor";
  case TypeKind::Stream: return "Rng";
  case TypeKind::State: {
    std::string text = "KVCache[";
    for (const Dim &d : shape) text += d.str() + ", ";
    return text + dtypeText(*this) + (rollingWindow ? "] @rolling_window" : "]");
  }
  case TypeKind::String: return "str";
  case TypeKind::None: return "None";
  case TypeKind::Tuple: {
    std::string text = "(";
    for (size_t i = 0; i < items.size(); ++i) text += (i ? ", " : "") + items[i].str();
    return text + ")";
  }
  }
  return "?";
}

const Function *Program::find(std::string_view name) const {
  for (const auto &f : functions)
    if (f->name == name) return f.get();
  return nullptr;
}

}  // namespace tessera::checked
