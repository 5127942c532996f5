// What a sort by digits moves: a word of 64 bits, the key in front and the place in the row behind it.
#pragma once
#include "ir/common/Names.h"
#include "ir/graph/Graph.h"
#include "mlir/IR/Builders.h"

namespace tessera::transforms {

inline constexpr int64_t kDigitBits = 8, kDigits = int64_t(1) << kDigitBits;
inline constexpr int64_t kWordBits = 32;  // of the key, in front of as many for the place

/// The digits of 32 bits of a key that count, from the last on: [begin, end). Wide: first those of its low half, then of its high one.
struct RadixDigits {
  int64_t begin = 0, end = 0;
  bool isWide = false;
};
RadixDigits digitsOf(mlir::Type element);

/// What a word has of an element.
struct RadixKey {
  enum Half { Whole, Low, High } half = Whole;
  bool falls = false;
  bool isCount = false;  // an integer from 0 on, below 2^32, which is its own key
};
mlir::Value wordOf(mlir::OpBuilder &builder, mlir::Value element, mlir::Value place, const RadixKey &form, mlir::Location line);
mlir::Value placeOfWord(mlir::OpBuilder &builder, mlir::Value word, mlir::Location line);
/// `shift`: bits of the word behind the digit.
mlir::Value digitOfWord(mlir::OpBuilder &builder, mlir::Value word, mlir::Value shift, mlir::Location line);

}  // namespace tessera::transforms
