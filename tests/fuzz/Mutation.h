// Changed programs: trees of known programs recombined, sentences of the grammar put in, words exchanged.
#pragma once
#include "Grammar.h"
#include <string>
#include <vector>

namespace tessera::fuzz {

/// A node of a program's tree: its kind, as the dump names it, and its place in the text.
struct Piece {
  std::string kind;
  size_t begin, end;
};
std::vector<Piece> nodesOf(const std::string &text);
/// The words that are no numbers.
std::vector<std::string> wordsOf(const std::string &text);

/// One to three changes of any kind: most of the texts are wrong programs.
std::string changed(std::string text, unsigned seed);
/// One to three changes that tend to leave a right program right: a node becomes another of its kind, an operator, a dtype, a
/// function or a number another one. `others`: programs that may give nodes.
std::string changedGently(std::string text, const std::vector<std::string> &others, Random &random);

}  // namespace tessera::fuzz
