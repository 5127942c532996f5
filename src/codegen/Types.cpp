#include "codegen/Types.h"
#include "codegen/source/Writer.h"
#include "ir/common/Conversions.h"
#include "ir/target/Target.h"
#include "support/Check.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallString.h"
#include <charconv>
#include <cmath>

using namespace mlir;

namespace tessera::codegen {
namespace {

std::string describe(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

DType dtypeOrFail(Type type) {
  if (isa<IndexType>(type)) return DType::I64;
  std::optional<DType> dtype = ir::dtypeOf(type);
  TSR_CHECK(dtype, "no spelling for type " + describe(type));
  return *dtype;
}

template <class Float> std::string shortest(Float value) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  TSR_CHECK(error == std::errc(), "a float has no text");
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

Expr floatLiteral(double value, bool single) {
  std::string suffix = single ? "f" : "";
  auto wrapped = [&](const char *macro) {
    return single ? std::string(macro) : "double(" + std::string(macro) + ")";
  };
  bool negative = std::signbit(value) && !std::isnan(value);
  double magnitude = std::fabs(value);
  std::string text = std::isnan(value)       ? wrapped("NAN")
                     : std::isinf(magnitude) ? wrapped("INFINITY")
                     : single                ? shortest(static_cast<float>(magnitude)) + suffix
                                             : shortest(magnitude);
  Expr expr{text, Precedence::Primary};
  return negative ? unaryExpr("-", expr) : expr;
}

Expr integerLiteral(const llvm::APSInt &value, DType dtype) {
  if (value.isSigned() && dtype == DType::I64 && value.isMinSignedValue())
    return {"INT64_MIN", Precedence::Primary};
  if (value.isSigned() && dtype == DType::I32 && value.isMinSignedValue())
    return {"INT32_MIN", Precedence::Primary};
  llvm::SmallString<24> digits;
  value.toString(digits, 10);
  std::string text = digits.str().str();
  if (dtype == DType::U32) text += "u";
  if (text[0] == '-') return unaryExpr("-", {text.substr(1), Precedence::Primary});
  return {text, Precedence::Primary};
}

}  // namespace

std::string dtypeName(Type type) { return std::string(name(dtypeOrFail(type))); }

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (size_t at = 0, mark = 0; at < text.size(); ++at, mark -= mark > 0) {
    const char c = text[at];
    if (turnsText(text.substr(at))) mark = 3;
    switch (c) {
    case '"': result += "\\\""; break;
    case '\\': result += "\\\\"; break;
    case '\n': result += "\\n"; break;
    case '\t': result += "\\t"; break;
    case '\r': result += "\\r"; break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || mark) {
        char octal[5];
        snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
        result += octal;
      } else {
        result += c;
      }
    }
  }
  return result + "\"";
}

std::string Spelling::type(Type type) const {
  if (isa<NoneType>(type)) return "void";
  if (isa<ir::target::DivisorType>(type)) return "tsr::Divisor";
  if (auto named = dyn_cast<ir::target::NamedType>(type)) return named.getText().str();
  auto viewText = [&](auto view, const std::string &kind) {
    const std::string lies = view.getWindows() ? "Window" : view.getStrided() ? "Strided" : "";
    return "tsr::" + lies + kind + "<" + (view.getReadOnly() ? "const " : "") + this->type(view.getElement()) + ", " +
           std::to_string(view.getWindows() ? view.getWindows() : view.getRank()) + ">";
  };
  if (auto view = dyn_cast<ir::target::ViewType>(type)) return viewText(view, "View");
  if (auto view = dyn_cast<ir::target::TiledViewType>(type)) return viewText(view, "TiledView");
  if (auto array = dyn_cast<ir::target::ArrayType>(type)) return this->type(array.getElement());
  if (auto place = dyn_cast<ir::target::LValueType>(type)) return this->type(place.getValue());
  if (auto pointer = dyn_cast<ir::target::PointerType>(type))
    return (pointer.getReadOnly() ? "const " : "") + this->type(pointer.getPointee()) + " *";
  return std::string(spelling(dtypeOrFail(type), target_));
}

std::string Spelling::declaration(Type type, const std::string &name, const std::string &restrictMark) const {
  std::string extents;
  if (auto array = dyn_cast<ir::target::ArrayType>(type))
    for (auto extent : array.getExtents().getAsRange<StringAttr>())
      extents += "[" + extent.getValue().str() + "]";
  std::string text = this->type(type);
  if (text.back() != '*') return text + " " + name + extents;
  return text + restrictMark + name + extents;
}

Expr Spelling::literal(Attribute value, Type type) const {
  if (auto text = dyn_cast<StringAttr>(value)) return {quoted(text.getValue()), Precedence::Primary};
  if (auto truth = dyn_cast<BoolAttr>(value))
    return {truth.getValue() ? "true" : "false", Precedence::Primary};
  DType dtype = dtypeOrFail(type);
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    llvm::APSInt number(integer.getValue(), info(dtype).cls == DTypeClass::UnsignedInt);
    if (dtype == DType::I4) return callExpr(Doc("tsr::to<tsr::i4>"), {integerLiteral(number, dtype)});
    return integerLiteral(number, dtype);
  }
  auto real = dyn_cast<FloatAttr>(value);
  TSR_CHECK(real, "a literal of type " + describe(type) + " is neither a number nor text");
  llvm::APFloat number = real.getValue();
  bool lost = false;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  Expr text = floatLiteral(number.convertToDouble(), dtype != DType::F64);
  if (dtype == DType::F32 || dtype == DType::F64) return text;
  return callExpr(Doc("tsr::to<" + this->type(type) + ">"), {text});
}

std::string Spelling::abiScalar(Type type) const {
  DType dtype = dtypeOrFail(type);
  if (dtype == DType::F64) return "double";
  if (isFloat(dtype)) return "float";
  if (dtype == DType::I4) return "int8_t";
  TSR_CHECK(dtype != DType::Complex64, "a complex scalar cannot cross the C interface by value");
  return std::string(spelling(dtype, Target::Cpu));
}

std::string Spelling::templateArgument(Attribute attribute) const {
  if (auto type = dyn_cast<TypeAttr>(attribute)) return this->type(type.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    llvm::SmallString<24> digits;
    integer.getValue().toString(digits, 10, true);
    return digits.str().str();
  }
  auto text = dyn_cast<StringAttr>(attribute);
  TSR_CHECK(text, "a template argument is a type, an integer or text");
  return text.getValue().str();
}

}  // namespace tessera::codegen
