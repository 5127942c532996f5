#include "ir/common/Conversions.h"
#include "ir/common/Common.h"
#include "mlir/IR/BuiltinTypes.h"
#include "support/Check.h"

namespace tessera::ir {
using namespace mlir;

Type typeOf(MLIRContext *context, DType dtype) {
  auto integer = [&](unsigned width, IntegerType::SignednessSemantics sign = IntegerType::Signless) -> Type {
    return IntegerType::get(context, width, sign);
  };
  switch (dtype) {
  case DType::F64: return Float64Type::get(context);
  case DType::F32: return Float32Type::get(context);
  case DType::TF32: return FloatTF32Type::get(context);
  case DType::BF16: return BFloat16Type::get(context);
  case DType::F16: return Float16Type::get(context);
  case DType::F8E4M3: return Float8E4M3FNType::get(context);
  case DType::F8E5M2: return Float8E5M2Type::get(context);
  case DType::F6E2M3: return F6E2M3Type::get(context);
  case DType::F6E3M2: return F6E3M2Type::get(context);
  case DType::F4E2M1: return F4E2M1Type::get(context);
  case DType::I64: return integer(64);
  case DType::I32: return integer(32);
  case DType::I16: return integer(16);
  case DType::I8: return integer(8);
  case DType::I4: return integer(4);
  case DType::U32: return integer(32, IntegerType::Unsigned);
  case DType::U16: return integer(16, IntegerType::Unsigned);
  case DType::U8: return integer(8, IntegerType::Unsigned);
  case DType::Bool: return integer(1);
  case DType::Complex64: return ComplexType::get(Float32Type::get(context));
  }
  TSR_UNREACHABLE("a dtype without an IR type");
}

std::optional<DType> dtypeOf(Type type) {
  if (!isDType(type)) return std::nullopt;
#define TSR_DTYPE(id, ...)                                                                                   \
  if (type == typeOf(type.getContext(), DType::id)) return DType::id;
#include "support/DTypes.def"
  TSR_UNREACHABLE("a dtype's IR type without a row");
}

}  // namespace tessera::ir
