// Sentences for the comment over a kernel. A parameter stands in them by its number, `%2`: its name may change on the way, and
// kernels that differ in names alone have the same sentences.
#pragma once
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <string>

namespace tessera::ir {

/// How parameter `number` of the kernel stands in a sentence.
inline std::string inReason(size_t number) { return "%" + std::to_string(number); }

/// The sentence with names in the places of numbers.
inline std::string withNames(llvm::StringRef reason, llvm::function_ref<llvm::StringRef(size_t)> nameOf) {
  std::string text;
  while (!reason.empty()) {
    auto [before, behind] = reason.split('%');
    text += before.str();
    reason = behind;
    size_t number = 0;
    if (!reason.consumeInteger(10, number)) text += nameOf(number).str();
  }
  return text;
}

}  // namespace tessera::ir
