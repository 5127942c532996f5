// Words and marks of other languages: what they are called here.
#include "frontend/Kinds.h"
#include "frontend/Repair.h"
#include <algorithm>
#include <initializer_list>

namespace tessera::frontend {

using diag::Id;

namespace {
bool oneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
}  // namespace

/// `// text` and `/* text */`.
bool Repair::foreignComment() {
  size_t begin = last_;
  if (at_ == first_ && kind(at_) == K::FLOOR) begin = at_;
  if (touching(at_, K::SLASH, K::STAR)) begin = at_;
  if (at_ > first_ && touching(at_ - 1, K::SLASH, K::STAR)) begin = at_ - 1;
  // `x = 3 // the width`: a division by `the`, and then a word too many.
  bool words = at_ >= first_ + 2 && kind(at_ - 2) == K::FLOOR && kind(at_ - 1) == K::NAME;
  if (words && (kind(at_) == K::NAME || isKeyword(kind(at_)))) begin = at_ - 2;
  if (begin == last_ || depthAt(begin) > 0) return false;
  bool block = kind(begin) == K::SLASH;
  Span mark = block ? span(begin, begin + 1) : span(begin);
  diagnostics_.report(Id::foreignComment, mark, block ? "/*" : "//")
      .label(block ? "start each line of a comment with `#`" : "`//` divides and rounds down")
      .fix(mark, "#", "write `#`");
  if (begin == first_)
    giveUpLine();
  else
    erase(begin, last_ - begin);
  return true;
}

bool Repair::foreignOperator() {
  struct Pair {
    uint32_t first, second;
    std::string_view text, meant;
    uint32_t kind;
  };
  static constexpr Pair pairs[] = {
      {K::AMPERSAND, K::AMPERSAND, "&&", "and", K::AND}, {K::PIPE, K::PIPE, "||", "or", K::OR},
      {K::NE, K::ASSIGN, "!==", "!=", K::NE},            {K::EQ, K::ASSIGN, "===", "==", K::EQ},
      {K::LT, K::GT, "<>", "!=", K::NE},                 {K::ASSIGN, K::GT, "=>", ">=", K::GE},
      {K::ASSIGN, K::LT, "=<", "<=", K::LE},             {K::COLON, K::COLON, "::", ".", K::DOT},
  };
  if (at_ < last_ && kind(at_) == K::UNKNOWN && word(at_) == "!") {
    diagnostics_.report(Id::foreignOperator, span(at_), "!").label("write `not`").fix(span(at_), "not ", "write `not`");
    replace(at_, K::NOT);
    return true;
  }
  if (at_ > first_ && kind(at_) == K::ARROW && kind(first_) != K::DEF && kind(first_) != K::ASYNC) {
    diagnostics_.report(Id::foreignOperator, span(at_), "->").label("members stand behind `.`").fix(span(at_), ".", "write `.`");
    replace(at_, K::DOT);
    return true;
  }
  for (size_t begin : {at_ - 1, at_}) {
    if (begin < first_ || begin >= last_) continue;
    for (const Pair &pair : pairs) {
      if (!touching(begin, pair.first, pair.second)) continue;
      if (pair.first == K::ASSIGN && (kind(first_) == K::DEF || kind(first_) == K::ASYNC)) continue;  // an arrow
      if (pair.text == "=>" && arrowFunction(begin)) return true;
      auto report = diagnostics_.report(Id::foreignOperator, span(begin, begin + 1), pair.text);
      std::string write = "write `" + std::string(pair.meant) + "`";
      if (pair.text == "=>" && kind(first_) != K::IF && kind(first_) != K::WHILE && kind(first_) != K::ELIF)
        report.label("`>=` compares; a function without a name is written `lambda x: x + 1`");
      else
        report.label(write).fix(span(begin, begin + 1), std::string(pair.meant), write);
      replace(begin, pair.kind);
      erase(begin + 1);
      return true;
    }
  }
  return false;
}

/// `(x, y) => x + y`, `x => x + 1`
bool Repair::arrowFunction(size_t arrow) {
  size_t open = arrow;
  if (arrow > first_ && kind(arrow - 1) == K::NAME)  // `a => b` compares, unless `a` is used behind it
    for (size_t i = arrow + 2; i < last_; ++i)
      if (isWord(i, word(arrow - 1))) open = arrow - 1;
  if (arrow > first_ + 1 && kind(arrow - 1) == K::RPAREN)
    for (size_t i = arrow - 1; i-- > first_ && open == arrow && (kind(i) == K::NAME || kind(i) == K::COMMA || kind(i) == K::LPAREN);)
      if (kind(i) == K::LPAREN) open = i;
  bool condition = kind(first_) == K::IF || kind(first_) == K::ELIF || kind(first_) == K::WHILE;
  if (open == arrow || condition || (kind(open) == K::NAME && open > first_ && endsValue(kind(open - 1)))) return false;
  std::string names;
  for (size_t i = open; i < arrow; ++i)
    if (kind(i) == K::NAME) names += (names.empty() ? " " : ", ") + std::string(word(i));
  diagnostics_.report(Id::foreignOperator, span(arrow, arrow + 1), "=>")
      .label("a function without a name is written `lambda`")
      .suggest(span(open, arrow + 1), "lambda" + names + ":", "write `lambda" + names + ":`");
  giveUpLine();
  return true;
}

/// `i++`, `i--`
bool Repair::increment() {
  if (at_ < first_ + 2 || startsValue(kind(at_))) return false;
  bool plus = touching(at_ - 2, K::PLUS, K::PLUS), minus = touching(at_ - 2, K::MINUS, K::MINUS);
  if (!plus && !minus) return false;
  std::string update = plus ? " += 1" : " -= 1";
  Span mark = span(at_ - 2, at_ - 1);
  auto report = diagnostics_.report(Id::increment, mark, plus ? "++" : "--");
  report.label("write `" + update.substr(1) + "`, as a statement of its own");
  bool assigned = std::any_of(tokens_.begin() + static_cast<ptrdiff_t>(first_), tokens_.begin() + static_cast<ptrdiff_t>(at_),
                              [](const Token &token) { return isAssignment(token.kind); });
  if (at_ == last_ && !assigned) report.fix(mark, update, "write `" + update.substr(1) + "`");
  if (depthAt(at_) > 0) {
    erase(at_ - 2, 2);
  } else {
    replace(at_ - 2, plus ? K::PLUS_ASSIGN : K::MINUS_ASSIGN);
    replace(at_ - 1, K::ERROR_EXPRESSION);
  }
  return true;
}

/// `else if`, `elseif`, `elsif`
bool Repair::elseIf() {
  if (at_ != first_ + 1) return false;
  bool twoWords = kind(first_) == K::ELSE && kind(at_) == K::IF;
  bool oneWord = kind(first_) == K::NAME && oneOf(word(first_), {"elseif", "elsif", "elseIf", "elif"});
  if (!twoWords && !oneWord) return false;
  Span words = twoWords ? span(first_, at_) : span(first_);
  diagnostics_.report(Id::elseIf, words, twoWords ? std::string("else if") : std::string(word(first_)))
      .label("write `elif`")
      .fix(words, "elif", "write `elif`");
  replace(first_, K::ELIF);
  if (twoWords) erase(at_);
  return true;
}

/// `function f(x):`
bool Repair::foreignFunction() {
  if (at_ != first_ + 1 || kind(first_) != K::NAME || kind(at_) != K::NAME) return false;
  if (!oneOf(word(first_), {"function", "func", "fn", "fun", "sub", "proc", "define", "void", "defun"})) return false;
  diagnostics_.report(Id::foreignFunction, span(first_), word(first_)).label("write `def`").fix(span(first_), "def", "write `def`");
  replace(first_, K::DEF);
  return true;
}

/// `let x = 3`, `const x = 3`, `float x = 3`
bool Repair::foreignDeclaration() {
  if (at_ != first_ + 1 || kind(first_) != K::NAME || kind(at_) != K::NAME) return false;
  uint32_t after = kind(at_ + 1);
  if (after != K::ASSIGN && after != K::COLON && after != K::COMMA) return false;
  if (!oneOf(word(first_), {"let", "var", "const", "auto", "val", "mut", "int", "float", "double", "bool", "string", "char",
                            "f32", "f64", "bf16", "f16", "i32", "i64"}))
    return false;
  Span gone{file_, tokens_[first_].begin, tokens_[at_].begin};
  diagnostics_.report(Id::foreignDeclaration, span(first_), word(first_))
      .label("delete it; a type may stand behind the name, as in `" + std::string(word(at_)) + ": f32`")
      .fix(gone, "", "delete `" + std::string(word(first_)) + "`");
  erase(first_);
  return true;
}

/// "for i in range(n)" of `for (int i = 0; i < n; i++):`; empty if it is not as simple as that.
std::string Repair::countedLoop() const {
  std::vector<size_t> marks;
  size_t open = first_ + 1;
  for (size_t i = first_; i < last_; ++i)
    if (kind(i) == K::SEMICOLON) marks.push_back(i);
  if (marks.size() != 2 || kind(open) != K::LPAREN || kind(last_ - 1) != K::COLON || kind(last_ - 2) != K::RPAREN) return {};
  auto text = [&](size_t first, size_t last) {
    Span place = span(first, last);
    return source_.text.substr(place.begin, place.end - place.begin);
  };
  size_t assign = open + (kind(open + 2) == K::NAME ? 3 : 2), close = last_ - 2;
  if (kind(assign) != K::ASSIGN || assign + 1 >= marks[0] || marks[0] + 3 >= marks[1] || kind(marks[0] + 2) != K::LT) return {};
  std::string name(word(assign - 1)), start = text(assign + 1, marks[0] - 1), step = "1";
  size_t update = marks[1] + 1;
  bool plusPlus = touching(update + 1, K::PLUS, K::PLUS) && close == update + 3;
  if (!plusPlus) {
    if (kind(update + 1) != K::PLUS_ASSIGN || close < update + 3) return {};
    step = text(update + 2, close - 1);
  }
  if (word(update) != name || word(marks[0] + 1) != name) return {};
  std::string range = text(marks[0] + 3, marks[1] - 1);
  if (start != "0" || step != "1") range = start + ", " + range;
  if (step != "1") range += ", " + step;
  return "for " + name + " in range(" + range + ")";
}

/// `for (int i = 0; i < n; i++)`
bool Repair::foreignLoop() {
  if (kind(first_) != K::FOR) return false;
  for (size_t i = first_; i < last_; ++i) {
    if (kind(i) != K::SEMICOLON) continue;
    auto report = diagnostics_.report(Id::foreignLoop, span(first_, last_ - 1));
    report.label("a loop that counts by hand");
    if (std::string loop = countedLoop(); !loop.empty()) report.fix(span(first_, last_ - 1), loop + ":", "write `" + loop + ":`");
    giveUpLine();
    return true;
  }
  return false;
}

/// `condition ? a : b`
bool Repair::foreignConditional() {
  if (at_ >= last_ || kind(at_) != K::UNKNOWN || word(at_) != "?") return false;
  diagnostics_.report(Id::foreignConditional, span(at_)).label("`?` is no operator");
  giveUpLine();
  return true;
}

/// `(f32)x`
bool Repair::foreignCast() {
  if (at_ < first_ + 3 || at_ >= last_ || !startsValue(kind(at_))) return false;
  if (kind(at_ - 3) != K::LPAREN || kind(at_ - 2) != K::NAME || kind(at_ - 1) != K::RPAREN) return false;
  if (at_ > first_ + 3 && endsValue(kind(at_ - 4))) return false;  // a call
  std::string type(word(at_ - 2));
  if (!oneOf(type, {"f64", "f32", "bf16", "f16", "i64", "i32", "i16", "i8", "u8", "int", "float", "bool"})) return false;
  bool alone = kind(at_) == K::NAME && kind(at_ + 1) != K::LPAREN && kind(at_ + 1) != K::LBRACKET && kind(at_ + 1) != K::DOT;
  std::string call = type + "(" + (alone ? std::string(word(at_)) : "x") + ")";
  auto report = diagnostics_.report(Id::foreignCast, span(at_ - 3, at_ - 1), type);
  report.label("write `" + call + "`");
  if (alone) report.fix(span(at_ - 3, at_), call, "write `" + call + "`");
  erase(at_ - 3, 3);
  return true;
}

/// `def f(x) -> A, B:`
bool Repair::severalResults() {
  bool def = kind(first_) == K::DEF || kind(first_) == K::ASYNC;
  if (!def || at_ >= last_ || kind(at_) != K::COMMA || depthAt(at_) > 0) return false;
  size_t arrow = find(K::ARROW, first_), end = std::min(find(K::WHERE, at_), find(K::COLON, at_));
  if (arrow >= at_ || end == last_ || end == at_ + 1) return false;
  Span results = span(arrow + 1, end - 1);
  std::string text = "(" + source_.text.substr(results.begin, results.end - results.begin) + ")";
  diagnostics_.report(Id::severalResults, results).label("write `" + text + "`").fix(results, text, "add the parentheses");
  insert(end, K::RPAREN);
  insert(arrow + 1, K::LPAREN);
  return true;
}

/// `def f<T>(x: T):`
bool Repair::angleParameters() {
  if (at_ < first_ + 2 || kind(at_) != K::LT || kind(at_ - 2) != K::DEF) return false;
  size_t open = find(K::LPAREN, at_), close = find(K::GT, at_);
  if (close >= open || close == at_ + 1 || open == last_) return false;
  Span names = span(at_ + 1, close - 1);
  std::string text = "[" + source_.text.substr(names.begin, names.end - names.begin) + "]";
  diagnostics_.report(Id::angleParameters, span(at_, close)).label("write `" + text + "`").fix(span(at_, close), text, "write `" + text + "`");
  replace(close, K::RBRACKET);
  replace(at_, K::LBRACKET);
  return true;
}

/// `print x`
bool Repair::printStatement() {
  if (at_ != first_ + 1 || !isWord(first_, "print") || at_ >= last_) return false;
  Span arguments{file_, tokens_[first_].end, tokens_[last_ - 1].end};
  std::string inside(std::string_view(source_.text).substr(tokens_[at_].begin, tokens_[last_ - 1].end - tokens_[at_].begin));
  diagnostics_.report(Id::printStatement, span(first_)).label("write `print(...)`").fix(arguments, "(" + inside + ")", "add the parentheses");
  insert(last_, K::RPAREN);
  insert(at_, K::LPAREN);
  return true;
}

/// `def f(x) => T:`, `def f(x) - > T:`, `def f(x): T:`, `def f(x): T`
bool Repair::wrongArrow() {
  size_t def = kind(first_) == K::ASYNC ? first_ + 1 : first_;
  if (kind(def) != K::DEF) return false;
  size_t open = find(K::LPAREN, def + 1);
  if (open == last_) return false;
  size_t arrow = find(K::RPAREN, open) + 1;  // find() counts from inside the opened bracket
  for (size_t depth = 0, i = open; i < last_; ++i) {
    if (isOpener(kind(i))) ++depth;
    if (isCloser(kind(i)) && --depth == 0) {
      arrow = i + 1;
      break;
    }
  }
  if (arrow + 1 >= last_) return false;
  uint32_t one = kind(arrow), two = kind(arrow + 1);
  bool pair = (one == K::ASSIGN && two == K::GT) || (one == K::MINUS && (two == K::GT || two == K::ARROW)) ||
              (one == K::ARROW && two == K::GT) || (one == K::TILDE && two == K::GT);
  bool colons = one == K::COLON && kind(last_ - 1) == K::COLON && last_ - 1 > arrow + 1;
  if (one == K::COLON && kind(last_ - 1) != K::COLON && kind(last_ + 1) == K::INDENT) {  // and no colon at the end
    Span rest{file_, tokens_[arrow].begin, tokens_[last_ - 1].end};
    std::string meant = " -> " + source_.text.substr(tokens_[arrow + 1].begin, rest.end - tokens_[arrow + 1].begin) + ":";
    diagnostics_.report(Id::wrongArrow, span(arrow), ":").label("write `->`").fix(rest, meant, "write `" + meant.substr(1) + "`");
    replace(arrow, K::ARROW);
    insert(last_, K::COLON);
    return true;
  }
  if (!pair && !colons) return false;
  Span mark = pair ? span(arrow, arrow + 1) : span(arrow);
  std::string text(std::string_view(source_.text).substr(mark.begin, mark.end - mark.begin));
  diagnostics_.report(Id::wrongArrow, mark, text).label("write `->`").fix(mark, colons ? " ->" : "->", "write `->`");
  replace(arrow, K::ARROW);
  if (pair) erase(arrow + 1);
  return true;
}

/// `if x { y = 1 }` on one line.
bool Repair::braces() {
  if (!isHeader() && !(kind(first_) == K::NAME && isForeignHeader(word(first_)))) return false;
  if (find(K::COLON, first_) != last_) return false;
  size_t brace = find(K::LBRACE, first_);
  if (brace == last_ || brace == first_ || (at_ != brace && bracketAround(at_) != K::LBRACE)) return false;
  if (!endsValue(kind(brace - 1)) && kind(brace - 1) != K::ELSE && kind(brace - 1) != K::TRY) return false;
  diagnostics_.report(Id::braceBlock, span(brace))
      .label("no `{` here")
      .help("write `:` instead, and the block below it, indented");
  giveUpLine();
  return true;
}

}  // namespace tessera::frontend
