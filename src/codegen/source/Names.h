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
  /// A name of the program: `wanted`, with an underscore behind it where it is a word of the language or of
  /// emitted text itself, with a number where it is taken.
  std::string fresh(std::string_view wanted);
  /// A word of emitted text itself (`Shared`), with a number where it is taken.
  std::string own(std::string_view wanted);

private:
  std::string distinct(const std::string &base);
  std::set<std::string> taken_;
};

}  // namespace tessera::codegen
