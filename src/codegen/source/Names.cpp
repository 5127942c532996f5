#include "codegen/source/Names.h"
#include <algorithm>
#include <array>

namespace tessera::codegen {
namespace {

constexpr std::array kReserved = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "class", "compl", "const", "const_cast", "constexpr", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "restrict", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
    "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "while", "xor", "xor_eq", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "tsr", "std",
    "NAN", "INFINITY", "NULL",
};

}  // namespace

bool isReserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

std::string Names::fresh(std::string_view wanted) {
  std::string name(wanted);
  for (int i = 2; isReserved(name) || taken_.count(name); ++i) name = std::string(wanted) + std::to_string(i);
  taken_.insert(name);
  return name;
}

}  // namespace tessera::codegen
