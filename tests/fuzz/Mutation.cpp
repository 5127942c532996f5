#include "Mutation.h"
#include "Exercise.h"
#include "diag/Diagnostic.h"
#include "frontend/Parser.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

namespace tessera::fuzz {

std::vector<Piece> nodesOf(const std::string &text) {
  Sources sources;
  diag::Engine diagnostics;
  auto module = frontend::parse(sources, sources.add("input.tsr", text), diagnostics);
  std::string dump = ast::dump(*module, true);
  std::vector<Piece> nodes;
  for (size_t at = dump.find('@'); at != std::string::npos; at = dump.find('@', at + 1)) {
    size_t begin = 0, end = 0, word = dump.rfind('(', at);
    if (std::sscanf(dump.c_str() + at, "@%zu-%zu", &begin, &end) == 2 && begin < end && end <= text.size())
      nodes.push_back({dump.substr(word + 1, at - word - 1), begin, end});
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

namespace {

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
    replace({{}, begin, end}, number ? oneOf(numbers) : oneOf(names()));
  }

  std::string text_;
  Random random_;
};


const std::vector<std::string> &dtypes() {
  static const std::vector<std::string> names = {
#define TSR_DTYPE(id, name, ...) name,
#include "support/DTypes.def"
      "f32", "f32", "f16", "bf16", "i32"};
  return names;
}

using Families = std::vector<std::vector<std::string>>;

/// Words that may stand in each other's place.
const Families &families() {
  static const Families lists = [] {
    Families made = {dtypes(),
                     {"sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin", "cumsum", "softmax"},
                     {"maximum", "minimum", "pow"},
                     {"zeros", "ones", "zeros_like", "ones_like", "iota", "arange", "full"},
                     {"reshape", "transpose", "permute", "flatten", "squeeze", "unsqueeze", "broadcast_to", "repeat", "tile_repeat"},
                     {"concat", "stack", "split"},
                     {"True", "False", "None"},
                     {"Tensor", "View"}};
    std::vector<std::string> unary;
#define TSR_BUILTIN(name, places, signature, kind, op) \
  if (std::string_view(#kind) == "Elementwise" && std::string_view(signature) == "x") unary.push_back(name);
#include "sema/Builtins.def"
    made.push_back(unary);
    return made;
  }();
  return lists;
}

const Families &operators() {
  static const Families lists = {{" + ", " - ", " * ", " / ", " // ", " % ", " ** ", " @ ", " & ", " | ", " ^ ", " << ", " >> "},
                                 {" < ", " <= ", " > ", " >= ", " == ", " != "},
                                 {" and ", " or "},
                                 {" += ", " -= ", " *= ", " /= "}};
  return lists;
}

class GentleMutation {
public:
  GentleMutation(std::string text, const std::vector<std::string> &others, Random &random) : text_(std::move(text)), others_(others), random_(random) {}

  std::string run() {
    for (size_t steps = 1 + below(3); steps; --steps) step();
    return std::move(text_);
  }

private:
  size_t below(size_t limit) { return limit ? random_() % limit : 0; }
  template <class List> const auto &oneOf(const List &list) { return list[below(list.size())]; }

  void step() {
    switch (below(8)) {
    case 0:
    case 1: return node(text_);
    case 2: return node(others_.empty() ? text_ : oneOf(others_));
    case 3: return among(operators(), false);
    case 4: return number();
    case 5: return around();
    default: return among(families(), true);
    }
  }

  /// A node becomes one of its kind, of this or another program.
  void node(const std::string &from) {
    std::vector<Piece> nodes = nodesOf(text_), fitting;
    if (nodes.empty()) return;
    const Piece at = oneOf(nodes);
    for (Piece &piece : from == text_ ? nodes : nodesOf(from))
      if (piece.kind == at.kind && piece.end - piece.begin < 200) fitting.push_back(piece);
    if (fitting.empty()) return;
    const Piece &by = oneOf(fitting);
    std::string words = from.substr(by.begin, by.end - by.begin);
    text_.replace(at.begin, at.end - at.begin, words);
  }

  /// An expression inside a call or an operation.
  void around() {
    static const std::vector<std::array<const char *, 2>> frames = {
        {"(", " + 1)"}, {"(", " * 2)"}, {"(-", ")"}, {"(", " - 1)"}, {"abs(", ")"}, {"(", " // 2)"}, {"max(1, ", ")"}, {"min(", ", 4)"},
        {"sum(", ")"}, {"cast(", ", f32)"}, {"cast(", ", i32)"}, {"cast(", ", bool)"}, {"cast(", ", c64)"}, {"cast(", ", f16)"},
        {"(", " > 0)"}, {"(not ", ")"}, {"(", " ** 2)"}, {"(", " % 3)"}, {"(", " << 1)"}};
    static const std::vector<std::string> kinds = {"name", "call", "number", "+", "-", "*", "/", "subscript", "int", "float"};
    std::vector<Piece> nodes = nodesOf(text_);
    std::erase_if(nodes, [](const Piece &n) { return std::find(kinds.begin(), kinds.end(), n.kind) == kinds.end(); });
    if (nodes.empty()) return;
    const Piece &at = oneOf(nodes);
    const auto &frame = oneOf(frames);
    text_.replace(at.begin, at.end - at.begin, frame[0] + text_.substr(at.begin, at.end - at.begin) + frame[1]);
  }

  static bool inWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  bool isWhole(size_t at, size_t length) const {
    return (at == 0 || !inWord(text_[at - 1])) && (at + length >= text_.size() || !inWord(text_[at + length]));
  }

  /// One word or mark becomes another of its family.
  void among(const Families &lists, bool words) {
    struct Found {
      size_t at, length, family;
    };
    std::vector<Found> found;
    for (size_t family = 0; family < lists.size(); ++family)
      for (const std::string &word : lists[family])
        for (size_t at = text_.find(word); at != std::string::npos; at = text_.find(word, at + 1))
          if (!words || isWhole(at, word.size())) found.push_back({at, word.size(), family});
    if (found.empty()) return;
    const Found &one = oneOf(found);
    text_.replace(one.at, one.length, oneOf(lists[one.family]));
  }

  void number() {
    static const std::vector<std::string> numbers = {"0", "1", "-1", "2", "3", "4", "7", "8", "16", "31", "32", "33", "63", "64", "100", "128", "1000",
                                                     "4096", "65536", "2147483647", "2147483648", "-2147483648", "4294967296",
                                                     "9223372036854775807", "0.0", "-0.0", "0.1", "1e38", "1e308", "1e-45", "3.5"};
    std::vector<size_t> places;
    for (size_t i = 0; i < text_.size(); ++i)
      if (std::isdigit(static_cast<unsigned char>(text_[i])) && (i == 0 || !inWord(text_[i - 1]))) places.push_back(i);
    if (places.empty()) return;
    size_t begin = oneOf(places), end = begin;
    auto point = [&](size_t at) { return text_[at] == '.' && at + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at + 1])); };
    while (end < text_.size() && (inWord(text_[end]) || point(end))) ++end;
    text_.replace(begin, end - begin, oneOf(numbers));
  }

  std::string text_;
  const std::vector<std::string> &others_;
  Random &random_;
};

}  // namespace

std::string changed(std::string text, unsigned seed) { return Mutation(std::move(text), seed).run(); }
std::string changedGently(std::string text, const std::vector<std::string> &others, Random &random) {
  return GentleMutation(std::move(text), others, random).run();
}

}  // namespace tessera::fuzz
