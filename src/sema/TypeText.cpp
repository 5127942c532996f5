// Types as a user would write them.
#include "sema/Checked.h"

namespace tessera::sema {
namespace {
std::string dtypeText(const Type &t) {
  std::string text(name(t.dtype));
  const Numerics &n = t.numerics;
  if (n.compute) text += " @compute(" + std::string(name(*n.compute)) + ")";
  if (n.accumulate) text += " @accum(" + std::string(name(*n.accumulate)) + ")";
  switch (n.rounding) {
  case Rounding::NearestEven: break;
  case Rounding::TowardZero: text += " @round(toward_zero)"; break;
  case Rounding::Up: text += " @round(up)"; break;
  case Rounding::Down: text += " @round(down)"; break;
  case Rounding::Stochastic: text += " @stochastic_round"; break;
  }
  if (n.roundEachOp) text += " @round_at(each_op)";
  if (n.saturate) text += " @saturate";
  if (n.denormals == Denormals::Flush) text += " @denormals(flush)";
  return text;
}
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
    return text + dtypeText(*this) + "]";
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

}  // namespace tessera::sema
