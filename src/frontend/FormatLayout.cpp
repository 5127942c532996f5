#include "frontend/FormatLayout.h"
#include "support/Check.h"
#include <span>
#include <utility>

namespace tessera::frontend::fmt {
namespace {

struct Item;
/// A word, or a bracket with everything in it.
struct Node {
  const Token *word;             // or the opening bracket
  const Token *close = nullptr;  // of a bracket
  std::vector<Item> items;
  const Token &last() const { return close ? *close : *word; }
};
struct Item {
  std::vector<Node> nodes;
  const Token *comma = nullptr;
};
using Nodes = std::span<const Node>;

class TreeReader {
public:
  explicit TreeReader(const std::vector<Token> &words) : words_(words) {}
  /// Words up to the end or a closing bracket; commas split items only inside brackets.
  std::vector<Node> top() {
    std::vector<Node> nodes;
    while (at_ < words_.size()) nodes.push_back(node());
    return nodes;
  }

private:
  const std::vector<Token> &words_;
  size_t at_ = 0;

  Node node() {
    Node made{&words_[at_++], nullptr, {}};
    if (!isOpening(*made.word)) return made;
    Item item;
    int lambdas = 0;  // the commas of a lambda's parameters do not split
    for (; at_ < words_.size() && !isClosing(words_[at_]);) {
      const Token &word = words_[at_];
      if (word.is("lambda")) ++lambdas;
      if (word.is(":") && lambdas > 0) --lambdas;
      if (word.is(",") && lambdas == 0) {
        item.comma = &word;
        made.items.push_back(std::move(item));
        item = {};
        ++at_;
      } else {
        item.nodes.push_back(node());
      }
    }
    if (!item.nodes.empty()) made.items.push_back(std::move(item));
    TSR_CHECK(at_ < words_.size(), "a bracket without an end in a program that parsed");
    made.close = &words_[at_++];
    return made;
  }
};

constexpr int kNoBreak = 99;

class Layout {
public:
  Layout(const LogicalLine &line, Docs &docs) : line_(line), docs_(docs) {}

  DocRef run() {
    std::vector<Node> nodes = TreeReader(line_.tokens).top();
    Nodes all(nodes);
    if (signature())
      for (const Node &node : nodes)
        if (node.word->is("->")) behindArrow_ = node.word;
    std::vector<DocRef> parts;
    size_t at = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!startsFacts(all, i)) continue;
      parts.push_back(words(all.subspan(at, i - at), false, true));
      at = factsEnd(all, i);
      parts.push_back(facts(all.subspan(i, at - i)));
      i = at - 1;
    }
    if (at < nodes.size()) parts.push_back(words(all.subspan(at), false, true));
    return docs_.concat(std::move(parts));
  }

private:
  const LogicalLine &line_;
  Docs &docs_;
  bool nestOperators_ = false;           // pieces of an item among others stand four columns further in
  const Token *leadComments_ = nullptr;  // the word whose comments above are printed by its list,
  const Token *tailComment_ = nullptr;   // and the one whose comment behind is: a comma may come between
  const Token *behindArrow_ = nullptr;  // in a signature: from here on stands the result

  bool signature() const {
    return line_.tokens[0].is("def") || (line_.tokens[0].is("async") && line_.tokens.size() > 1 && line_.tokens[1].is("def"));
  }
  bool startsFacts(Nodes nodes, size_t i) const {
    return signature() && i > 2 && !nodes[i].close && nodes[i].word->kind == TokenKind::Name && nodes[i].word->is("where") &&
           endsOperand(nodes[i - 1].last());
  }
  static size_t factsEnd(Nodes nodes, size_t from) {
    int lambdas = 0;
    for (size_t i = from + 1; i < nodes.size(); ++i) {
      const Token &word = *nodes[i].word;
      if (word.is("lambda")) ++lambdas;
      if (word.is(":") && lambdas-- == 0) return i;
      bool behindFact = i > from + 1 && endsOperand(nodes[i - 1].last());
      if (behindFact && (word.is("effects") || word.is("where"))) return i;
    }
    return nodes.size();
  }

  /// ` where a, b`: may go to a line of its own, and be broken behind its commas.
  DocRef facts(Nodes nodes) {
    const Token &where = *nodes[0].word;
    Doc list{Doc::List};
    list.text = "where ";
    list.neverHangs = true;
    size_t begin = 1;
    for (size_t i = 1; i <= nodes.size(); ++i) {
      if (i < nodes.size() && !nodes[i].word->is(",")) continue;
      ListItem item{words(nodes.subspan(begin, i - begin), false)};
      const Token &first = *nodes[begin].word;
      if (begin > 1 && (first.lineBreakBefore || !first.before.empty())) item.before = Separator::Break, list.rows = true;
      if (i < nodes.size()) item.commaComment = comments(nullptr, nodes[i].word);
      list.items.push_back(item);
      begin = i + 1;
    }
    std::vector<DocRef> parts = {where.lineBreakBefore || !where.before.empty() ? docs_.hardLine() : docs_.line()};
    addComments(where.before, parts);
    parts.push_back(docs_.list(std::move(list)));
    if (where.trailing) parts.push_back(docs_.comment(where.trailing->text, {}, false));
    return docs_.nest(docs_.nest(group(std::move(parts))));
  }
  DocRef group(std::vector<DocRef> parts) { return docs_.group(std::move(parts)); }

  static std::optional<uint32_t> setApart(const SourceComment &comment) {
    return comment.gap > 2 ? std::optional(comment.column) : std::nullopt;
  }
  /// The comments behind an item and around its comma, or null.
  DocRef comments(const Token *last, const Token *comma) {
    std::vector<DocRef> parts;
    if (last && last->trailing) parts.push_back(behind(*last));
    if (comma) addComments(comma->before, parts);
    if (comma && comma->trailing) parts.push_back(behind(*comma));
    return parts.empty() ? nullptr : docs_.concat(std::move(parts));
  }
  void addComments(const std::vector<SourceComment> &comments, std::vector<DocRef> &parts) {
    for (const SourceComment &comment : comments) parts.push_back(docs_.comment(comment.text, {}, true));
  }
  void word(const Token &token, std::vector<DocRef> &parts) {
    if (&token != leadComments_) addComments(token.before, parts);
    parts.push_back(docs_.text(token.text));
    if (token.trailing && &token != tailComment_) parts.push_back(behind(token));
  }
  DocRef behind(const Token &token) { return docs_.comment(token.trailing->text, setApart(*token.trailing), false); }

  /// How loosely the operator at `i` binds: where to break first. kNoBreak for what is no operator.
  static int looseness(Nodes nodes, size_t i) {
    const Token &token = *nodes[i].word;
    if (i == 0 || nodes[i].close || !endsOperand(nodes[i - 1].last())) return kNoBreak;
    if (token.kind != TokenKind::Operator && token.kind != TokenKind::Keyword)
      return token.is("async") && i + 1 < nodes.size() && nodes[i + 1].word->is("for") ? 0 : kNoBreak;
    if (nodes[i - 1].word->is("async")) return kNoBreak;
    static constexpr std::pair<std::string_view, int> kTable[] = {
        {"for", 0}, {"if", 1}, {"else", 1}, {"or", 2}, {"and", 3}, {"in", 4}, {"not", 4}, {"is", 4}, {"==", 4}, {"!=", 4},
        {"<", 4},   {"<=", 4}, {">", 4},    {">=", 4}, {"|", 5},   {"^", 6},  {"&", 7},   {"<<", 8}, {">>", 8}, {"+", 9},
        {"-", 9},   {"*", 10}, {"/", 10},   {"//", 10}, {"%", 10}, {"@", 10}};
    if (token.isPolicy) return kNoBreak;
    bool clause = nodes[0].word->is("for") || nodes[0].word->is("async");
    for (const auto &[text, level] : kTable)
      if (token.text == text) return clause && token.is("in") ? kNoBreak : level;
    return kNoBreak;
  }

  /// Words in a row. Inside brackets they may be broken in front of the loosest operators.
  DocRef words(Nodes nodes, bool breakable, bool leadingBlank = false) {
    if (breakable) {
      if (DocRef split = splitAtSign(nodes)) return split;
      if (DocRef split = splitAtOperators(nodes)) return split;
    }
    std::vector<DocRef> parts;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Token &token = *nodes[i].word;
      bool keptBreak = breakable && token.lineBreakBefore && i > 0 &&
                       (token.is(".") || (token.kind == TokenKind::String && nodes[i - 1].word->kind == TokenKind::String));
      if (keptBreak) parts.push_back(docs_.hardLine());
      else if (token.spaceBefore && (i > 0 || leadingBlank)) parts.push_back(docs_.text(" "));
      if (nodes[i].close) parts.push_back(bracket(nodes[i]));
      else word(token, parts);
    }
    return docs_.concat(std::move(parts));
  }

  /// `name: type = value`, `key=value`, `key: value`, `start:stop`: the sides are laid out on their own.
  DocRef splitAtSign(Nodes nodes) {
    for (size_t i = 0; i < nodes.size() && !nodes[i].word->is("lambda"); ++i) {
      const Token &token = *nodes[i].word;
      if (nodes[i].close || !(token.is(":") || token.is("=") || token.is(":="))) continue;
      std::vector<DocRef> parts;
      if (i > 0) parts.push_back(words(nodes.first(i), true));
      if (token.spaceBefore) parts.push_back(docs_.text(" "));
      word(token, parts);
      if (i + 1 < nodes.size()) {
        if (nodes[i + 1].word->spaceBefore) parts.push_back(docs_.text(" "));
        parts.push_back(words(nodes.subspan(i + 1), true));
      }
      return docs_.concat(std::move(parts));
    }
    return nullptr;
  }

  DocRef splitAtOperators(Nodes nodes) {
    int loosest = kNoBreak;
    size_t end = nodes.size();
    for (size_t i = 0; i < end; ++i) {
      if (nodes[i].word->is("lambda")) end = i;  // its body reaches to the end
      else loosest = std::min(loosest, looseness(nodes, i));
    }
    if (loosest == kNoBreak) return nullptr;
    bool nest = std::exchange(nestOperators_, false);
    std::vector<DocRef> parts;
    size_t begin = 0;
    for (size_t i = 1; i <= nodes.size(); ++i) {
      if (i < nodes.size() && (i >= end || looseness(nodes, i) != loosest)) continue;
      if (begin > 0) parts.push_back(docs_.line());
      parts.push_back(operand(nodes.subspan(begin, i - begin), begin > 0));
      begin = i;
    }
    nestOperators_ = nest;
    return nest ? docs_.nest(group(std::move(parts))) : group(std::move(parts));
  }

  /// A piece between two breaks; `led`: its first word is the operator.
  DocRef operand(Nodes nodes, bool led) {
    bool clause = nodes[0].word->is("for") || nodes[0].word->is("async");
    if (!led || clause || nodes.size() < 2) return words(nodes, !led || clause);
    std::vector<DocRef> parts;
    word(*nodes[0].word, parts);
    if (nodes[1].word->spaceBefore) parts.push_back(docs_.text(" "));
    parts.push_back(words(nodes.subspan(1), true));
    return docs_.concat(std::move(parts));
  }

  static bool isComprehension(const Item &item) {
    for (size_t i = 1; i < item.nodes.size(); ++i)
      if (item.nodes[i].word->is("for") && !item.nodes[i].close) return true;
    return false;
  }
  static bool hasSign(const Item &item) {
    for (const Node &node : item.nodes)
      if (!node.close && (node.word->is("=") || node.word->is(":"))) return true;
    return false;
  }

  static TrailingComma trailingComma(const Node &node) {
    bool written = !node.items.empty() && node.items.back().comma;
    bool single = node.items.size() == 1;
    switch (node.word->bracket) {
    case BracketKind::Subscript: return written ? TrailingComma::Always : TrailingComma::Never;
    case BracketKind::Group:
      if (single) return written ? TrailingComma::Always : TrailingComma::Never;
      return TrailingComma::WhenHanging;
    default: return single && isComprehension(node.items[0]) ? TrailingComma::Never : TrailingComma::WhenHanging;
    }
  }

  DocRef bracket(const Node &node) {
    const Token &open = *node.word, &close = *node.close;
    bool ownComments = &open == leadComments_, ownTail = &close == tailComment_;
    Doc list{Doc::List};
    list.text = open.text;
    list.close = close.text;
    list.comma = trailingComma(node);
    bool anyComma = !node.items.empty() && node.items[0].comma;
    std::vector<DocRef> openComments, closeComments;
    addComments(close.before, closeComments);
    if (!closeComments.empty()) list.closeComments = docs_.concat(closeComments);
    if (open.trailing) list.openComment = behind(open);
    bool signs = false;
    for (size_t i = 0; i < node.items.size(); ++i) {
      const Item &item = node.items[i];
      TSR_CHECK(!item.nodes.empty(), "an empty item in a program that parsed");
      const Token &first = *item.nodes.front().word;
      ListItem made{itemContent(item, node.items.size() > 1)};
      std::vector<DocRef> above;
      addComments(first.before, above);
      if (!above.empty()) made.above = docs_.concat(std::move(above));
      bool commentAbove = !first.before.empty() || (i > 0 && list.items.back().commaComment);
      if (i == 0) list.hanging |= (first.lineBreakBefore && anyComma) || !first.before.empty();
      else if (first.lineBreakBefore || commentAbove) made.before = Separator::Break, list.rows = true;
      made.commaComment = comments(&item.nodes.back().last(), item.comma);
      if (i + 1 == node.items.size() && made.commaComment) list.hanging = true;
      signs |= hasSign(item);
      list.items.push_back(made);
    }
    list.rows |= list.hanging && anyComma;
    list.onePerLine = open.bracket == BracketKind::Parameters || (signs && open.bracket == BracketKind::Braces);
    list.solid = behindArrow_ && &open > behindArrow_;
    list.hugs = hugs(node, list);
    std::vector<DocRef> parts;
    if (!ownComments) addComments(open.before, parts);
    parts.push_back(docs_.list(std::move(list)));
    if (close.trailing && !ownTail) parts.push_back(behind(close));
    return docs_.concat(std::move(parts));
  }

  DocRef itemContent(const Item &item, bool amongOthers) {
    const Token *first = item.nodes.front().word;
    const Token *outerLead = std::exchange(leadComments_, first);
    const Token *outerTail = std::exchange(tailComment_, &item.nodes.back().last());
    bool outerNest = std::exchange(nestOperators_, amongOthers);
    DocRef content = words(item.nodes, true);
    nestOperators_ = outerNest;
    leadComments_ = outerLead;
    tailComment_ = outerTail;
    return content;
  }

  /// `f([...])`, `f(g(...))`, and `f(a, [...])` where the author broke the last one.
  static bool hugs(const Node &node, const Doc &list) {
    if (node.items.empty()) return false;
    const Item &last = node.items.back();
    if (!last.nodes.back().close) return false;
    if (node.items.size() > 1) return last.nodes.size() == 1 && list.items.back().content->forced;
    if (node.word->bracket == BracketKind::Group) return false;
    for (size_t i = 0; i < last.nodes.size(); ++i)
      if (looseness(last.nodes, i) != kNoBreak) return false;
    return true;
  }
};

}  // namespace

DocRef layout(const LogicalLine &line, Docs &docs) { return Layout(line, docs).run(); }

}  // namespace tessera::frontend::fmt
