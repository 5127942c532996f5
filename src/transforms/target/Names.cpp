#include "transforms/target/Names.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera::transforms::totarget {
namespace {

// Keywords of C++, words of CUDA and HIP, and macros of the headers that emitted code includes.
const char *const reservedWords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char8_t", "char16_t", "char32_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "consteval", "constexpr", "constinit", "const_cast", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
    "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "while", "xor", "xor_eq", "restrict", "typeof",
    // of the languages on GPUs
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3", "half", "__global__", "__shared__", "__device__",
    // types and names that emitted code uses itself
    "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "std", "tsr",
    "main",
    // macros
    "NULL", "INFINITY", "NAN", "EOF", "assert", "errno", "stdin", "stdout", "stderr", "I", "complex", "linux", "unix",
    "isnan", "isinf", "HUGE_VAL", "RAND_MAX", "CHAR_BIT", "INT_MAX", "INT_MIN"};

}  // namespace

std::string identifier(llvm::StringRef name) {
  static const llvm::StringSet<> reserved = [] {
    llvm::StringSet<> words;
    for (const char *word : reservedWords) words.insert(word);
    return words;
  }();
  std::string text;
  for (char c : name) text += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (text.empty() || llvm::isDigit(text.front())) text.insert(text.begin(), '_');
  if (reserved.contains(text) || llvm::StringRef(text).starts_with("TSR_")) text += '_';
  return text;
}

bool NameTable::taken(llvm::StringRef name) const {
  return llvm::any_of(scopes_, [&](const llvm::StringSet<> &scope) { return scope.contains(name); });
}

std::string NameTable::declare(llvm::StringRef name) {
  std::string base = identifier(name), unique = base;
  for (int i = 2; taken(unique); ++i) unique = base + "_" + std::to_string(i);
  scopes_.back().insert(unique);
  return unique;
}

std::string NameTable::fresh(llvm::StringRef name) {
  std::string base = identifier(name), unique = base;
  for (int i = 2; taken(unique) || users_.contains(unique); ++i) unique = base + "_" + std::to_string(i);
  scopes_.back().insert(unique);
  return unique;
}

}  // namespace tessera::transforms::totarget
