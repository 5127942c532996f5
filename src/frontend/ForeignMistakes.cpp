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
  if (at_ == first_ && kind(at_) == K::PERCENT && at_ < last_) {
    diagnostics_.report(Id::foreignComment, span(at_), "%")
        .label("`%` is the remainder of a division")
        .fix(span(at_), "#", "write `#`");
    giveUpLine();
    return true;
  }
  if (at_ == first_ && kind(at_) == K::FLOOR) begin = at_;
  if (touching(at_, K::SLASH, K::STAR)) begin = at_;
  if (at_ > first_ && touching(at_ - 1, K::SLASH, K::STAR)) begin = at_ - 1;
  // `x = 3 // the width`: a division by `the`, and then a word too many.
  bool words = at_ >= first_ + 2 && kind(at_ - 2) == K::FLOOR && kind(at_ - 1) == K::NAME;
  if (words && (kind(at_) == K::NAME || isKeyword(kind(at_)))) begin = at_ - 2;
  const bool behindStatement = at_ > first_ && at_ < last_ && kind(at_) == K::FLOOR && kind(at_ - 1) == K::SEMICOLON;
  if (behindStatement) begin = at_;  // `x = 3;  // the width`
  if (begin == last_ || depthAt(begin) > 0) return false;
  bool block = kind(begin) == K::SLASH;
  Span mark = block ? span(begin, begin + 1) : span(begin), whole = mark;
  std::string by = "#";
  size_t close = block ? source_.text.find("*/", mark.end) : std::string::npos, line = source_.text.find('\n', mark.end);
  if (close != std::string::npos && close < line) {  // `/* text */`
    by = "#" + source_.text.substr(mark.end, source_.text.find_last_not_of(' ', close - 1) + 1 - mark.end);
    whole.end = static_cast<uint32_t>(close + 2);
  }
  if (behindStatement && !block) whole = span(at_ - 1, at_), by = "  #";  // nor does a statement end with `;`
  diagnostics_.report(Id::foreignComment, mark, block ? "/*" : "//")
      .label(block ? "start each line of a comment with `#`" : "`//` divides and rounds down")
      .fix(whole, by, "write `" + by + "`");
  if (begin == first_)
    giveUpLine();
  else
    erase(begin, last_ - begin);
  return true;
}

/// `lambda x` in front of this place, whose `:` is missing.
bool Repair::opensLambda() const {
  for (size_t i = at_; i-- > first_;) {
    if (kind(i) == K::LAMBDA) return true;
    if (kind(i) != K::NAME && kind(i) != K::COMMA) return false;
  }
  return false;
}

/// `lambda x: f32: x + 1`, `lambda a: f32, b: f32: a + b`: the grammar stops behind the first type.
bool Repair::typedLambda() {
  size_t begin = at_;
  while (begin > first_ && kind(begin) != K::LAMBDA) --begin;
  if (kind(begin) != K::LAMBDA) return false;
  std::vector<std::pair<size_t, size_t>> types;  // from its `:` to what ends it
  size_t i = begin + 1;
  for (;; ++i) {
    if (i + 1 >= last_ || kind(i) != K::NAME) return false;
    const size_t colon = ++i;
    if (kind(colon) == K::COMMA) continue;
    if (kind(colon) != K::COLON || kind(colon + 1) != K::NAME) return false;
    i = colon + 2;
    if (kind(i) == K::LBRACKET)
      for (size_t depth = 0; i < last_; ++i) {
        depth += isOpener(kind(i)) ? 1 : 0;
        if (isCloser(kind(i)) && --depth == 0) break;
      }
    i += i < last_ && kind(i) == K::RBRACKET ? 1 : 0;
    types.emplace_back(colon, i);
    if (i >= last_ || (kind(i) != K::COMMA && kind(i) != K::COLON)) return false;
    if (kind(i) == K::COLON) break;
  }
  if (at_ < types.front().second || at_ > i) return false;
  const uint32_t start = tokens_[begin].begin;
  std::string meant = source_.text.substr(start, tokens_[types.front().first].begin - start);
  for (size_t t = 0; t < types.size(); ++t) {
    const uint32_t from = tokens_[types[t].second].begin,
                   to = t + 1 < types.size() ? tokens_[types[t + 1].first].begin : tokens_[types[t].second].end;
    meant += source_.text.substr(from, to - from);
  }
  diagnostics_.report(Id::syntaxError, span(at_), describe(at_))
      .label("parameters of a `lambda` have no types: they have those of what it is called with")
      .fix({file_, start, tokens_[i].end}, meant, "write `" + meant + "`");
  for (auto type = types.rbegin(); type != types.rend(); ++type) erase(type->first, type->second - type->first);
  return true;
}

/// `(x > 0.0) && (x < 1.0)`, and no condition of a statement: of tensors `&` is meant, and it does for numbers, too.
bool Repair::joinsBrackets(size_t sign) const {
  bool condition = kind(first_) == K::IF || kind(first_) == K::ELIF || kind(first_) == K::WHILE || kind(first_) == K::ASSERT;
  return !condition && sign > first_ && sign + 2 <= last_ && kind(sign - 1) == K::RPAREN && kind(sign + 2) == K::LPAREN;
}

/// `f<<<blocks, threads>>>(x)`
bool Repair::launch() {
  if (at_ < first_ + 2 || at_ >= last_ || !touching(at_ - 1, K::LSHIFT, K::LT) || kind(at_ - 2) != K::NAME) return false;
  size_t close = at_ + 1;
  while (close + 1 < last_ && !(touching(close, K::RSHIFT, K::GT) && kind(close + 2) == K::LPAREN)) ++close;
  if (close + 1 >= last_) return false;
  diagnostics_.report(Id::foreignOperator, span(at_ - 1, at_), "<<<")
      .label("how many groups and lanes there are stands above the kernel, `@kernel(grid=(cdiv(N, 256),), group=256)`, "
             "and it is called like a function")
      .fix(span(at_ - 1, close + 1), "", "call it like a function");
  erase(at_ - 1, close + 2 - (at_ - 1));
  return true;
}

bool Repair::foreignOperator() {
  struct Pair {
    uint32_t first, second;
    std::string_view text, meant;
    uint32_t kind;
  };
  static constexpr Pair pairs[] = {
      {K::AMPERSAND, K::AMPERSAND, "&&", "and", K::AND},
      {K::PIPE, K::PIPE, "||", "or", K::OR},
      {K::NE, K::ASSIGN, "!==", "!=", K::NE},
      {K::EQ, K::ASSIGN, "===", "==", K::EQ},
      {K::LT, K::GT, "<>", "!=", K::NE},
      {K::ASSIGN, K::GT, "=>", ">=", K::GE},
      {K::ASSIGN, K::LT, "=<", "<=", K::LE},
      {K::COLON, K::COLON, "::", ".", K::DOT},
      {K::TILDE, K::ASSIGN, "~=", "!=", K::NE},
      {K::DOT, K::STAR, ".*", "*", K::STAR},
      {K::DOT, K::SLASH, "./", "/", K::SLASH},
      {K::DOT, K::CARET, ".^", "**", K::POWER},
  };
  if (launch()) return true;
  if (at_ < last_ && kind(at_) == K::UNKNOWN && word(at_) == "!") {
    diagnostics_.report(Id::foreignOperator, span(at_), "!").label("write `not`").fix(span(at_), "not ", "write `not`");
    replace(at_, K::NOT);
    return true;
  }
  if (at_ > first_ && at_ < last_ && kind(at_) == K::AMPERSAND && kind(at_ + 1) == K::NAME &&
      (kind(at_ - 1) == K::LPAREN || kind(at_ - 1) == K::COMMA)) {
    bool atomic = at_ > first_ + 1 && word(at_ - 2) == "atomicAdd";
    diagnostics_.report(Id::foreignOperator, span(at_), "&")
        .label("nothing has an address: an element is named, `tile.atomic_add(counts[i], 1)`")
        .fix(atomic ? span(at_ - 2, at_) : span(at_), atomic ? "tile.atomic_add(" : "",
             atomic ? "write `tile.atomic_add`" : "leave `&` out");
    erase(at_);
    return true;
  }
  if (kind(at_) == K::ARROW && opensLambda()) {
    diagnostics_.report(Id::foreignOperator, span(at_), "->").label("the value stands behind `:`").fix({file_, tokens_[at_ - 1].end, tokens_[at_].end}, ":", "write `:`");
    replace(at_, K::COLON);
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
      bool colon =
          pair.first == K::COLON && isDef() && (depthAt(begin) == 1 || begin + 2 == last_);  // `f(x::f32)`, `-> T::`
      bool result = pair.first == K::COLON && isDef() && begin > first_ && kind(begin - 1) == K::RPAREN &&
                    depthAt(begin) == 0 && begin + 2 < last_;  // `f(x)::f32`
      bool elementwise = (pair.kind == K::AND || pair.kind == K::OR) && joinsBrackets(begin);
      std::string meant(elementwise ? pair.text.substr(1) : result ? "->" : colon ? ":" : pair.meant),
          write = "write `" + meant + "`";
      auto report = diagnostics_.report(Id::foreignOperator, span(begin, begin + 1), pair.text);
      if (pair.text == "=>" && kind(first_) != K::IF && kind(first_) != K::WHILE && kind(first_) != K::ELIF)
        report.label("`>=` compares; a function without a name is written `lambda x: x + 1`");
      else
        report.label(write).fix(span(begin, begin + 1),
                                result                       ? " -> "
                                : colon && begin + 2 < last_ ? ": "
                                                             : meant,
                                write);
      replace(begin, result ? uint32_t(K::ARROW) : colon ? uint32_t(K::COLON) : elementwise ? pair.first : pair.kind);
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
  bool typed =
      kind(at_ + 1) == K::LPAREN && kind(last_ - 1) == K::COLON && hasBlock() &&
      oneOf(word(first_), {"float", "double", "int", "auto", "bool", "f64", "f32", "bf16", "f16", "i64", "i32"});
  if (typed) {
    diagnostics_.report(Id::foreignFunction, span(first_), word(first_))
        .label("write `def`; the type of the result stands behind `->`")
        .suggest(span(first_), "def", "write `def`");
    replace(first_, K::DEF);
    return true;
  }
  if (!oneOf(word(first_), {"function", "func", "fn", "fun", "sub", "proc", "define", "void", "defun"})) return false;
  diagnostics_.report(Id::foreignFunction, span(first_), word(first_)).label("write `def`").fix(span(first_), "def", "write `def`");
  replace(first_, K::DEF);
  return true;
}

/// `let x = 3`, `const x = 3`, `float x = 3`
bool Repair::foreignDeclaration() {
  if (at_ == first_ + 1 && at_ + 1 < last_ && kind(first_) == K::NAME && kind(at_) == K::NAME &&
      kind(at_ + 1) == K::NAME && kind(at_ + 2) == K::ASSIGN &&
      oneOf(word(first_), {"let", "const", "static", "constexpr", "final", "unsigned", "long"})) {
    diagnostics_.report(Id::foreignDeclaration, span(first_, at_), textOf(first_, at_))
        .label("delete it; a type may stand behind the name, as in `" + std::string(word(at_ + 1)) + ": f32`")
        .fix({file_, tokens_[first_].begin, tokens_[at_ + 1].begin}, "", "delete `" + textOf(first_, at_) + "`");
    erase(first_, 2);
    return true;
  }
  if (at_ != first_ + 1 || kind(first_) != K::NAME || kind(at_) != K::NAME) return false;
  uint32_t after = kind(at_ + 1);
  if (at_ + 1 == last_ && namesType(first_)) {  // `f32 x`
    std::string type(word(first_)), meant = std::string(word(at_)) + ": " + type;
    diagnostics_.report(Id::foreignDeclaration, span(first_), type)
        .label("the type stands behind the name")
        .fix(span(first_, at_), meant, "write `" + meant + "`");
    giveUpLine();
    return true;
  }
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

/// `y = if c then a else b`, `y = if c: a else b`
bool Repair::choiceInFront() {
  if (at_ <= first_ || at_ >= last_ || kind(at_) != K::IF || depthAt(at_) > 0) return false;
  if (!isAssignment(kind(at_ - 1)) && kind(at_ - 1) != K::RETURN) return false;
  size_t otherwise = find(K::ELSE, at_), behind = otherwise + 1;
  if (behind >= last_) return false;
  if (kind(behind) == K::COLON) ++behind;
  size_t middle = at_ + 1;
  while (middle < otherwise && !isWord(middle, "then") && kind(middle) != K::COLON) ++middle;
  auto report = diagnostics_.report(Id::foreignConditional, span(at_));
  report.label("the `if` stands behind the first value");
  if (middle > at_ + 1 && middle + 1 < otherwise && behind < last_) {
    std::string meant =
        textOf(middle + 1, otherwise - 1) + " if " + textOf(at_ + 1, middle - 1) + " else " + textOf(behind, last_ - 1);
    report.suggest(span(at_, last_ - 1), meant, "write `" + meant + "`");
  }
  giveUpLine();
  return true;
}

/// Whether a name between these tokens is a parameter that is declared as a tensor: what is chosen is chosen for each element.
bool Repair::namesTensor(size_t from, size_t to) const {
  const std::string &text = source_.text;
  const size_t def = text.rfind("def ", span(from).begin);
  if (def == std::string::npos) return false;
  const std::string_view head = std::string_view(text).substr(def, span(from).begin - def);
  for (size_t i = from; i < to; ++i) {
    const bool part = i + 1 < to && (kind(i + 1) == K::DOT || isOpener(kind(i + 1)));  // `x.shape[0]`, `x[i]`
    const std::string declared = std::string(word(i)) + ": Tensor[";
    const size_t at = kind(i) == K::NAME && !part ? head.find(declared) : std::string_view::npos;
    if (at != std::string_view::npos && (head[at - 1] == ' ' || head[at - 1] == '(')) return true;
  }
  return false;
}

/// `condition ? a : b`
bool Repair::foreignConditional() {
  if (choiceInFront()) return true;
  if (at_ >= last_ || kind(at_) != K::UNKNOWN || word(at_) != "?") return false;
  auto report = diagnostics_.report(Id::foreignConditional, span(at_));
  report.label("`?` is no operator");
  // It reaches from the bracket, `,`, `=` or `return` before it to the bracket or `,` behind it.
  size_t begin = at_, depth = 0, colon = last_, end = at_ + 1;
  for (; begin > first_; --begin) {
    uint32_t before = kind(begin - 1);
    if (isCloser(before)) ++depth;
    if (isOpener(before) && depth-- == 0) break;
    if (depth == 0 && (before == K::COMMA || before == K::COLON || before == K::SEMICOLON || before == K::RETURN ||
                       isAssignment(before)))
      break;
  }
  bool nested = false;
  for (depth = 0; end < last_; ++end) {
    uint32_t here = kind(end);
    if (isOpener(here)) ++depth;
    if (isCloser(here) && depth-- == 0) break;
    if (depth == 0 && (here == K::COMMA || here == K::SEMICOLON)) break;
    nested |= here == K::UNKNOWN || (depth == 0 && here == K::COLON && colon != last_);
    if (depth == 0 && here == K::COLON) colon = end;
  }
  if (!nested && begin < at_ && colon > at_ + 1 && colon + 1 < end) {
    const std::string condition = textOf(begin, at_ - 1), then = textOf(at_ + 1, colon - 1), otherwise = textOf(colon + 1, end - 1);
    const std::string meant = namesTensor(begin, at_) ? "where(" + condition + ", " + then + ", " + otherwise + ")"
                                                      : then + " if " + condition + " else " + otherwise;
    report.suggest(span(begin, end - 1), meant, "write `" + meant + "`");
  }
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

/// `throw e`, `catch E:`, `unless x:`, `loop:`, `match n:`, and `f(x) -> T:` without `def`.
bool Repair::foreignWord() {
  if (kind(first_) != K::NAME || at_ == first_ || at_ > last_) return false;
  std::string_view name = word(first_);
  bool opens = last_ > first_ + 1 && kind(last_ - 1) == K::COLON && hasBlock(),
       next = at_ == first_ + 1 && at_ < last_ && !isOperator(kind(at_));
  struct Meaning {
    std::string_view word, meant;
    bool block;
    uint32_t kind;
  };
  static constexpr Meaning meanings[] = {
      {"throw", "raise", false, K::RAISE},    {"catch", "except", true, K::EXCEPT},
      {"foreach", "for", true, K::FOR},       {"unless", "if not", true, K::IF},
      {"until", "while not", true, K::WHILE}, {"loop", "while True", true, K::WHILE}};
  for (const Meaning &meaning : meanings) {
    bool alone = meaning.word == "loop";
    if (name != meaning.word || meaning.block != opens || (alone ? last_ != first_ + 2 : !next)) continue;
    std::string write(meaning.meant);
    auto report = diagnostics_.report(Id::misspeltKeyword, span(first_), name);
    report.label("this is `" + write + "` here");
    bool parts = find(K::AND, at_) < last_ || find(K::OR, at_) < last_;  // `unless a or b`
    if (write.ends_with(" not") && parts)
      report.suggest(span(first_, last_ - 2), write + " (" + textOf(at_, last_ - 2) + ")",
                     "write `" + write + " (...)`");
    else report.suggest(span(first_), write, "write `" + write + "`");
    replace(first_, meaning.kind);
    if (alone) insert(first_ + 1, K::TRUE);
    if (write.ends_with(" not")) insert(first_ + 1, K::NOT);
    return true;
  }
  if (opens && at_ > first_ + 1 && (kind(first_ + 1) == K::LPAREN || kind(first_ + 1) == K::LBRACKET) &&
      find(K::ARROW, first_) < last_) {
    Span place{file_, tokens_[first_].begin, tokens_[first_].begin};
    diagnostics_.report(Id::expectedToken, span(first_), "`def`", "before the name of a function", describe(first_))
        .label("`def` is missing before this")
        .fix(place, "def ", "insert `def`");
    insert(first_, K::DEF);
    return true;
  }
  if (!opens || !next || (name != "match" && name != "switch")) return false;
  diagnostics_.report(Id::misspeltKeyword, span(first_), name)
      .label("a choice is written with `if`, `elif` and `else`");
  size_t depth = 0;  // the lines of its block that are cases have this message, too
  for (size_t i = last_ + 1; i + 1 < tokens_.size(); ++i) {
    depth += kind(i) == K::INDENT ? 1 : 0;
    depth -= kind(i) == K::DEDENT ? 1 : 0;
    if (depth == 0) break;
    bool starts = depth == 1 && (kind(i - 1) == K::INDENT || kind(i - 1) == K::NEWLINE || kind(i - 1) == K::DEDENT);
    if (starts && kind(i) == K::NAME) lines_[tokens_[i].begin].messages = 1;
  }
  loseLine();
  return true;
}

/// `for i = 1:n`
bool Repair::countedRange() {
  if (kind(first_) != K::FOR || at_ != first_ + 2 || kind(at_) != K::ASSIGN || !hasBlock()) return false;
  size_t end = kind(last_ - 1) == K::COLON ? last_ - 1 : last_, colon = at_ + 1;
  while (colon < end && kind(colon) != K::COLON && !isWord(colon, "to")) ++colon;
  if (colon + 1 >= end || colon == at_ + 1 || find(K::COLON, colon + 1) < end) return false;
  std::string start = textOf(at_ + 1, colon - 1), stop = textOf(colon + 1, end - 1), range = "in range(";
  if (start != "0") range += start + ", ";
  bool number = colon + 2 == end && kind(colon + 1) == K::INTEGER && stop.size() < 10 &&
                stop.find_first_not_of("0123456789") == stop.npos;
  range += number ? std::to_string(std::stoul(stop) + 1) + ")" : stop + " + 1)";  // the last number belongs to it
  diagnostics_.report(Id::missingIn, span(at_))
      .label("a range of numbers is written `range(start, stop)`, without `stop`")
      .suggest({file_, tokens_[at_].begin, tokens_[last_ - 1].end}, range + ":", "write `" + range + "`");
  giveUpLine();
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
