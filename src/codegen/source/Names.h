// Names of one scope of emitted text: the program's as they are, the compiler's made distinct from them.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace tessera::codegen {

class Names {
public:
  /// A name that stands already.
  void take(std::string_view name) { taken_.insert(std::string(name)); }
  /// `wanted`, or with a number behind it where that is taken or a word of the language.
  std::string fresh(std::string_view wanted);

private:
  std::set<std::string> taken_;
};

/// A word of C, C++, CUDA or HIP that no variable can be called.
bool isReserved(std::string_view name);

}  // namespace tessera::codegen
