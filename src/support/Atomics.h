// Operations that update an element of memory in one step.
#pragma once
#include "support/DType.h"
#include "support/Ops.h"

namespace tessera {

/// Whether elements of a dtype can be combined with a value in one step, on every target: add, min and max of numbers of 32 and
/// 64 bits and of f16 and bf16; and, or and xor of integers of 32 and 64 bits.
inline bool hasAtomicForm(ElementwiseOp op, DType dtype) {
  const int bits = info(dtype).bits;
  const bool isWord = (isInt(dtype) || isFloat(dtype)) && (bits == 32 || bits == 64) && dtype != DType::TF32;
  const bool ofNumbers = op == ElementwiseOp::Add || op == ElementwiseOp::Min || op == ElementwiseOp::Max;
  const bool ofBits = op == ElementwiseOp::And || op == ElementwiseOp::Or || op == ElementwiseOp::Xor;
  return (ofNumbers && (isWord || dtype == DType::F16 || dtype == DType::BF16)) || (ofBits && isWord && isInt(dtype));
}

}  // namespace tessera
