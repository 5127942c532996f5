// Elements as integers whose order is that of a sort (order_words.h says which), digit by digit.
#include "transforms/schedule/RadixKey.h"
#include "ir/common/BitCasts.h"
#include "ir/common/Conversions.h"
#include "support/DType.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class KeyWriter {
public:
  KeyWriter(OpBuilder &builder, Location line, bool falls) : builder_(builder), line_(line), falls_(falls) {}

  /// Of up to 32 bits, in an i64; of elements of 64 bits all of them.
  Value keyOf(Value element) {
    Type type = element.getType();
    if (isa<FloatType>(type)) return ofFloat(element);
    const DTypeInfo &held = info(*dtypeOf(type));
    Value key = cast(element, i64());
    if (held.bits == 64) {
      Value rising = binary("xor", key, number(std::numeric_limits<int64_t>::min()));
      return falls_ ? unary("not", rising) : rising;
    }
    const bool isSigned = held.cls == DTypeClass::SignedInt;
    const int64_t most = type.isInteger(1) ? 1 : (int64_t(1) << (isSigned ? held.bits - 1 : held.bits)) - 1;
    const int64_t least = isSigned ? -most - 1 : 0;
    Value rising = least == 0 ? key : binary("sub", key, number(least));
    // Not the difference from the greatest: with `(2147483647 - x) << 32` rows came in no order on one H200 (CUDA 13.0), where this of floats does.
    return falls_ ? binary("xor", rising, number(most - least)) : rising;
  }
  Value binary(StringRef name, Value a, Value b) { return builder_.create<graph::ElementwiseOp>(line_, a.getType(), name, ValueRange{a, b}); }
  Value number(int64_t value) { return builder_.create<graph::ConstantOp>(line_, i64(), builder_.getI64IntegerAttr(value)); }
  Value cast(Value value, Type to) { return value.getType() == to ? value : builder_.create<graph::CastOp>(line_, to, value, StringAttr(), UnitAttr()).getResult(); }

private:
  Type i64() { return builder_.getI64Type(); }
  Value unary(StringRef name, Value a) { return builder_.create<graph::ElementwiseOp>(line_, a.getType(), name, ValueRange{a}); }
  Value select(Value condition, Value yes, Value no) { return builder_.create<graph::ElementwiseOp>(line_, yes.getType(), "select", ValueRange{condition, yes, no}); }

  Value ofFloat(Value element) {
    const bool isWide = element.getType().isF64();
    Value value = cast(element, isWide ? builder_.getF64Type() : builder_.getF32Type());
    Value zero = builder_.create<graph::ConstantOp>(line_, value.getType(), builder_.getZeroAttr(value.getType()));
    Value isZero = builder_.create<graph::ElementwiseOp>(line_, builder_.getI1Type(), "eq", ValueRange{value, zero});
    Value isNan = builder_.create<graph::ElementwiseOp>(line_, builder_.getI1Type(), "isnan", ValueRange{value});
    Value bits = cast(builder_.create<graph::CastOp>(line_, builder_.getIntegerType(isWide ? 64 : 32), select(isZero, zero, value),
                                                     builder_.getStringAttr(kBits), UnitAttr()),
                      i64());
    Value isBelow = builder_.create<graph::ElementwiseOp>(line_, builder_.getI1Type(), "lt", ValueRange{bits, number(0)});
    const int64_t top = isWide ? std::numeric_limits<int64_t>::min() : int64_t(1) << (kWordBits - 1), last = isWide ? -1 : (int64_t(1) << kWordBits) - 1;
    Value rising = select(isBelow, unary("not", bits), binary("xor", bits, number(top)));
    // No number is the last key.
    return select(isNan, number(last), falls_ ? binary("xor", rising, number(last)) : rising);
  }

  OpBuilder &builder_;
  Location line_;
  bool falls_;
};

}  // namespace

RadixDigits digitsOf(Type element) {
  RadixDigits digits;
  const DTypeInfo &held = info(*dtypeOf(element));
  if (isa<FloatType>(element)) {
    digits.isWide = element.isF64();
    digits.end = kWordBits / kDigitBits;
    // As f32 these have zeros behind their own digits, or ones where they are below 0.
    digits.begin = element.isBF16() || held.bits <= 8 ? 2 : element.isF16() ? 1 : 0;
  } else {
    digits.isWide = held.bits == 64;
    digits.end = digits.isWide ? kWordBits / kDigitBits : (std::max(held.bits == 8 && element.isInteger(1) ? 1 : held.bits, 1) + kDigitBits - 1) / kDigitBits;
  }
  return digits;
}

/// The half of the key that counts now in front, the place behind it.
Value wordOf(OpBuilder &builder, Value element, Value place, const RadixKey &form, Location line) {
  KeyWriter write(builder, line, form.falls);
  Value key = form.isCount ? write.cast(element, builder.getI64Type()) : write.keyOf(element);
  if (form.half == RadixKey::High) key = write.binary("shr", key, write.number(kWordBits));
  if (form.half != RadixKey::Whole) key = write.binary("and", key, write.number((int64_t(1) << kWordBits) - 1));
  Value first = write.binary("shl", key, write.number(kWordBits));
  Value word = write.binary("or", first, write.cast(place, builder.getI64Type()));
  word.setLoc(named("word", line));
  return word;
}

Value placeOfWord(OpBuilder &builder, Value word, Location line) {
  KeyWriter write(builder, line, false);
  return write.binary("and", word, write.number((int64_t(1) << kWordBits) - 1));
}

Value digitOfWord(OpBuilder &builder, Value word, Value shift, Location line) {
  KeyWriter write(builder, line, false);
  Value moved = write.binary("shr", word, write.cast(shift, builder.getI64Type()));
  return write.cast(write.binary("and", moved, write.number(kDigits - 1)), builder.getIndexType());
}

}  // namespace tessera::transforms
