#include "Grammar.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

namespace tessera::fuzz {

// ---------------------------------------------------------------- reading the grammar

class Grammar::Reader {
public:
  explicit Reader(std::string_view text) : text_(text) { next(); }
  bool atEnd() const { return word_.empty(); }
  bool take(std::string_view word) {
    if (word_ != word) return false;
    next();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) throw std::runtime_error("grammar: expected " + std::string(word) + " before " + word_);
  }
  std::string word() {
    std::string taken = word_;
    next();
    return taken;
  }
  void skipPast(std::string_view word) {
    while (!atEnd() && !take(word)) next();
  }

  Node choice() {
    Node node;
    do node.parts.push_back(sequence());
    while (take("|"));
    return node;
  }

private:
  Node sequence() {
    Node node{Node::Sequence, 0, {}, {}, kNever};
    while (!atEnd() && word_ != "|" && word_ != ")" && word_ != ";") {
      if (take("#")) next();                           // the name of an alternative
      else if (take("<")) skipPast(">");               // <assoc=right>
      else node.parts.push_back(item());
    }
    return node;
  }
  Node item() {
    Node node;
    if (take("(")) {
      node = choice();
      expect(")");
    } else {
      std::string name = word();
      if (word_ == "=" || word_ == "+=") {  // a label
        next();
        return item();
      }
      bool literal = name[0] == '\'', token = std::isupper(static_cast<unsigned char>(name[0]));
      node.kind = literal ? Node::Literal : token ? Node::Token : Node::Rule;
      node.text = literal ? name.substr(1, name.size() - 2) : name;
    }
    if (word_ == "?" || word_ == "*" || word_ == "+") node.repeat = word()[0];
    return node;
  }

  void next() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      else if (text_.substr(at_, 2) == "/*") at_ = text_.find("*/", at_) + 2;
      else break;
    }
    size_t begin = at_;
    if (at_ == text_.size()) {
      word_.clear();
      return;
    }
    if (text_[at_] == '\'') {
      at_ = text_.find('\'', at_ + 1) + 1;
    } else if (std::isalpha(static_cast<unsigned char>(text_[at_]))) {
      while (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_') ++at_;
    } else {
      at_ += text_.substr(at_, 2) == "+=" ? 2 : 1;
    }
    word_ = std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string word_;
};

Grammar::Grammar(std::string_view text) {
  Reader reader(text);
  reader.skipPast(";");  // parser grammar TesseraParser;
  if (reader.take("options")) reader.skipPast("}");
  if (reader.take("@")) reader.skipPast("}");
  while (!reader.atEnd()) {
    std::string name = reader.word();
    reader.expect(":");
    rules_[name] = reader.choice();
    reader.expect(";");
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, node] : rules_) changed |= measure(node);
  }
}

size_t Grammar::shallowest(const Node &node) const {
  if (node.repeat == '?' || node.repeat == '*') return 0;
  return node.depth;
}

/// How deep the shallowest sentence of a node is; true if that changed.
bool Grammar::measure(Node &node) {
  bool changed = false;
  for (Node &part : node.parts) changed |= measure(part);
  size_t depth = 0;
  switch (node.kind) {
  case Node::Choice:
    depth = kNever;
    for (const Node &part : node.parts) depth = std::min(depth, shallowest(part));
    break;
  case Node::Sequence:
    for (const Node &part : node.parts) depth = std::max(depth, shallowest(part));
    break;
  case Node::Literal: break;
  case Node::Token: depth = node.text.rfind("ERROR_", 0) == 0 ? kNever : 0; break;
  case Node::Rule: {
    auto it = rules_.find(node.text);
    if (it == rules_.end()) throw std::runtime_error("grammar: no rule " + node.text);
    depth = it->second.depth == kNever ? kNever : it->second.depth + 1;
  }
  }
  changed |= depth != node.depth;
  node.depth = depth;
  return changed;
}

// ---------------------------------------------------------------- writing sentences

struct Grammar::Writer {
  const std::vector<std::string> &names;
  Random &random;
  std::string text;
  size_t indent = 0;
  bool lineStart = true;

  size_t below(size_t limit) { return random() % limit; }
  template <class List> std::string_view oneOf(const List &list) { return list[below(list.size())]; }

  void word(std::string_view word) {
    if (lineStart) text.append(4 * indent, ' ');
    else if (below(12)) text += ' ';
    else if (!text.empty() && std::isalnum(static_cast<unsigned char>(text.back()))) text += ' ';
    text += word;
    lineStart = false;
  }
  void token(const std::string &kind) {
    static constexpr std::array<std::string_view, 8> integers = {"0", "1", "2", "3", "8", "64", "0x_ff", "18446744073709551615"};
    static constexpr std::array<std::string_view, 5> floats = {"0.5", "1e-5", "2.", ".25", "1e400"};
    static constexpr std::array<std::string_view, 5> strings = {"\"a\"", "'b'", "f\"{N:.2f}\"", "r\"\\d\"", "\"\"\"text\n\"\"\""};
    if (kind == "NEWLINE") text += '\n', lineStart = true;
    else if (kind == "INDENT") ++indent;
    else if (kind == "DEDENT") --indent;
    else if (kind == "NAME") word(names.empty() ? "x" : oneOf(names));
    else if (kind == "INTEGER") word(oneOf(integers));
    else if (kind == "FLOAT") word(oneOf(floats));
    else if (kind == "IMAGINARY") word("2j");
    else if (kind == "STRING") word(oneOf(strings));
    else if (kind != "EOF") {  // a contextual keyword is spelled like its token
      std::string spelled = kind;
      for (char &c : spelled) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      word(spelled);
    }
  }
};

void Grammar::writeOnce(const Node &node, size_t depth, Writer &writer) const {
  switch (node.kind) {
  case Node::Literal: return writer.word(node.text);
  case Node::Token: return writer.token(node.text);
  case Node::Rule: return write(rules_.at(node.text), depth ? depth - 1 : 0, writer);
  case Node::Sequence:
    for (const Node &part : node.parts) write(part, depth, writer);
    return;
  case Node::Choice: break;
  }
  std::vector<const Node *> fitting;
  for (const Node &part : node.parts)
    if (shallowest(part) <= std::max(depth, node.depth) && shallowest(part) < kNever) fitting.push_back(&part);
  write(*fitting[writer.below(fitting.size())], depth, writer);
}

void Grammar::write(const Node &node, size_t depth, Writer &writer) const {
  size_t times = 1;
  bool fits = node.depth < depth;
  if (node.repeat == '?') times = fits && writer.below(3) == 0;
  if (node.repeat == '*') times = fits ? writer.below(3) : 0;
  if (node.repeat == '+') times = fits ? 1 + writer.below(2) : 1;
  for (size_t i = 0; i < times && writer.text.size() < 4096; ++i) writeOnce(node, depth, writer);
}

std::string Grammar::sentence(const std::string &rule, size_t depth, const std::vector<std::string> &names, Random &random) const {
  Writer writer{names, random, {}, 0, true};
  write(rules_.at(rule), depth, writer);
  return std::move(writer.text);
}

}  // namespace tessera::fuzz
