// Random sentences of the grammar, from the grammar file itself.
#pragma once
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fuzz {

using Random = std::minstd_rand;

class Grammar {
public:
  /// Reads the text of TesseraParser.g4.
  explicit Grammar(std::string_view text);
  /// A sentence of a rule, about so many rules deep. `names`: what NAME may become.
  std::string sentence(const std::string &rule, size_t depth, const std::vector<std::string> &names, Random &random) const;

private:
  /// A node of a rule's right side.
  struct Node {
    enum Kind { Choice, Sequence, Literal, Token, Rule } kind = Choice;
    char repeat = 0;  // '?', '*' or '+'
    std::string text;
    std::vector<Node> parts;
    size_t depth = kNever;  // of the shallowest sentence
  };
  static constexpr size_t kNever = 1'000'000;
  struct Writer;
  class Reader;

  size_t shallowest(const Node &node) const;
  bool measure(Node &node);
  void write(const Node &node, size_t depth, Writer &writer) const;
  void writeOnce(const Node &node, size_t depth, Writer &writer) const;

  std::map<std::string, Node> rules_;
};

}  // namespace tessera::fuzz
