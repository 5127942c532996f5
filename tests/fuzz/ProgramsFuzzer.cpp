// Programs that are nearly right: trees of known programs are recombined, and sentences of the grammar put in.
#include "Exercise.h"
#include "Grammar.h"
#include "diag/Diagnostic.h"
#include "frontend/Parser.h"
#include <cctype>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace tessera::fuzz {
namespace {

struct Piece {
  size_t begin, end;
};

/// The places of all nodes of a program's tree, from the dump that names them.
std::vector<Piece> nodesOf(const std::string &text) {
  Sources sources;
  diag::Engine diagnostics;
  auto module = frontend::parse(sources, sources.add("input.tsr", text), diagnostics);
  std::string dump = ast::dump(*module, true);
  std::vector<Piece> nodes;
  for (size_t at = dump.find('@'); at != std::string::npos; at = dump.find('@', at + 1)) {
    size_t begin = 0, end = 0;
    if (std::sscanf(dump.c_str() + at, "@%zu-%zu", &begin, &end) == 2 && begin < end && end <= text.size()) nodes.push_back({begin, end});
  }
  return nodes;
}

std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words;
  for (size_t i = 0, end; i < text.size(); i = end + 1) {
    for (end = i; end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_');) ++end;
    if (end > i && !std::isdigit(static_cast<unsigned char>(text[i]))) words.push_back(text.substr(i, end - i));
  }
  return words;
}

/// What programs are made of: the nodes and words of the canon and of programs with one mistake each.
struct Stock {
  std::vector<std::string> pieces, words;
  Grammar grammar;

  Stock() : grammar(grammarText()) {
    for (const char *folder : {"tests/canon", "tests/sema/errors", "stdlib"})
      for (const std::string &text : programsBelow(folder)) {
        for (Piece node : nodesOf(text))
          if (node.end - node.begin < 400) pieces.push_back(text.substr(node.begin, node.end - node.begin));
        for (std::string &word : wordsOf(text)) words.push_back(std::move(word));
      }
  }
  static std::string grammarText() {
    std::ifstream in(TSR_SOURCE_DIR "/grammar/TesseraParser.g4", std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
};
const Stock &stock() {
  static const Stock made;
  return made;
}

class Mutation {
public:
  Mutation(std::string text, unsigned seed) : text_(std::move(text)), random_(seed) {}

  std::string run() {
    if (below(50) == 0) return stock().grammar.sentence("module", 4 + below(12), names(), random_);
    for (size_t steps = 1 + below(3); steps; --steps) step();
    return std::move(text_);
  }

private:
  size_t below(size_t limit) { return limit ? random_() % limit : 0; }
  template <class List> const auto &oneOf(const List &list) { return list[below(list.size())]; }
  std::vector<std::string> names() {
    std::vector<std::string> names = wordsOf(text_);
    for (int i = 0; i < 8; ++i) names.push_back(oneOf(stock().words));
    return names;
  }
  void replace(Piece piece, const std::string &by) { text_.replace(piece.begin, piece.end - piece.begin, by); }
  std::string textOf(Piece piece) const { return text_.substr(piece.begin, piece.end - piece.begin); }

  void step() {
    std::vector<Piece> nodes = nodesOf(text_);
    if (nodes.empty()) {
      text_ += stock().grammar.sentence("statement", 3 + below(8), names(), random_);
      return;
    }
    Piece node = oneOf(nodes);
    switch (below(9)) {
    case 0:
    case 1: return replace(node, textOf(oneOf(nodes)));
    case 2:
    case 3: return replace(node, oneOf(stock().pieces));
    case 4: return replace(node, stock().grammar.sentence("expression", 2 + below(8), names(), random_));
    case 5: return exchange(node, oneOf(nodes));
    case 6: return line();
    default: return word(node);
    }
  }

  void exchange(Piece a, Piece b) {
    if (a.begin > b.begin) std::swap(a, b);
    if (a.end > b.begin) return;
    std::string first = textOf(a), second = textOf(b);
    replace(b, first);
    replace(a, second);
  }

  /// A line comes again elsewhere, goes away, or a statement of the grammar comes in.
  void line() {
    size_t begin = text_.rfind('\n', below(text_.size())) + 1, end = text_.find('\n', begin);
    end = end == std::string::npos ? text_.size() : end + 1;
    std::string line = text_.substr(begin, end - begin);
    size_t indent = line.find_first_not_of(' ');
    switch (below(3)) {
    case 0: text_.erase(begin, end - begin); return;
    case 1: text_.insert(text_.rfind('\n', below(text_.size())) + 1, line); return;
    default:
      text_.insert(begin, std::string(indent == std::string::npos ? 0 : indent, ' ') +
                              stock().grammar.sentence("simpleLine", 3 + below(6), names(), random_));
    }
  }

  /// One word of a node becomes another, a number becomes an odd one.
  void word(Piece node) {
    static const std::vector<std::string> numbers = {"0", "1", "-1", "2", "7", "8", "63", "64", "4096", "2147483648",
                                                     "9223372036854775807", "9223372036854775808", "0.0", "1e308", "1e999"};
    size_t begin = node.begin + below(node.end - node.begin);
    auto inWord = [&](size_t at) { return std::isalnum(static_cast<unsigned char>(text_[at])) || text_[at] == '_'; };
    while (begin > node.begin && inWord(begin - 1)) --begin;
    size_t end = begin;
    while (end < text_.size() && inWord(end)) ++end;
    bool number = end > begin && std::isdigit(static_cast<unsigned char>(text_[begin]));
    replace({begin, end}, number ? oneOf(numbers) : oneOf(names()));
  }

  std::string text_;
  Random random_;
};

}  // namespace
}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tessera::fuzz::exercise({reinterpret_cast<const char *>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  if (seed % 20 == 0) return LLVMFuzzerMutate(data, size, maxSize);
  std::string text = tessera::fuzz::Mutation({reinterpret_cast<const char *>(data), size}, seed).run();
  size_t length = text.size() < maxSize ? text.size() : maxSize;
  std::memcpy(data, text.data(), length);
  return length;
}
