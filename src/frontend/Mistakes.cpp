// Things that were left out, or stand in the wrong place.
#include "frontend/Kinds.h"
#include "frontend/Repair.h"
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace tessera::frontend {

using diag::Id;

namespace {
/// A type, or a word in front of a variable, of C and of languages like it.
bool isForeignType(std::string_view word) {
  static const std::set<std::string, std::less<>> kWords = {"int",  "float", "double", "char", "bool",   "auto",   "const",   "let",     "var",      "val",
                                                            "long", "short", "uint",   "byte", "size_t", "string", "int32_t", "int64_t", "uint32_t", "unsigned"};
  return kWords.find(word) != kWords.end();
}
}  // namespace

/// `x = a +`, and `b` in the next line.
bool Repair::continuedLine() {
  if (at_ >= last_ || at_ == first_ || kind(at_) != K::UNKNOWN || tokens_[at_].begin != tokens_[at_].end) return false;
  diagnostics_.report(Id::continuedLine, span(at_ - 1))
      .label("the line ends behind this")
      .fix(behind(at_ - 1), " \\", "join the lines with `\\`, or put parentheses around the expression");
  erase(at_);
  return true;
}

/// `else` without `if`, `except` without `try`.
bool Repair::orphanClause() {
  if (at_ != first_) return false;
  std::string owner;
  switch (kind(first_)) {
  case K::ELSE: owner = "`if`, `for`, `while` or `try`"; break;
  case K::ELIF: owner = "`if`"; break;
  case K::EXCEPT: case K::FINALLY: owner = "`try`"; break;
  default: return false;
  }
  // What it belongs to may be the line above that could not be read.
  if (afterReportedLine())
    lines_[tokens_[first_].begin].messages = 1;
  else
    diagnostics_.report(Id::orphanClause, span(first_), word(first_), owner)
        .label("nothing before it in this column that it could belong to");
  loseLine();
  return true;
}

bool Repair::lonelyDecorator() {
  if (kind(first_) == K::AT && at_ < last_ && (kind(at_) == K::DEF || kind(at_) == K::CLASS || kind(at_) == K::ASYNC)) {
    Span gap{file_, tokens_[at_ - 1].end, tokens_[at_].begin};
    uint32_t start = source_.lineStart(source_.lineColumn(tokens_[first_].begin).line);
    std::string blanks = source_.text.substr(start, tokens_[first_].begin - start);
    diagnostics_.report(Id::lonelyDecorator, span(at_)).label("this belongs on the next line").fix(gap, "\n" + blanks, "start a new line");
    insert(at_, K::NEWLINE);
    return true;
  }
  size_t line = first_;  // the first token of the decorator's line
  if (kind(first_) == K::AT) {
    if (at_ <= last_) return false;
  } else {
    if (at_ != first_ || first_ == 0) return false;
    do --line;
    while (line > 0 && kind(line - 1) != K::NEWLINE && kind(line - 1) != K::INDENT && kind(line - 1) != K::DEDENT);
    if (kind(line) != K::AT) return false;
  }
  size_t end = find(K::NEWLINE, line);
  for (end = line; kind(end) != K::NEWLINE;) ++end;
  diagnostics_.report(Id::lonelyDecorator, span(line, end - 1)).label("nothing follows that it could decorate");
  first_ = line;
  last_ = end;
  loseLine();
  return true;
}

/// Does the `if` of `a if x = 3 else b`, or of a comprehension, stand before the failure?
bool Repair::insideChoice() const {
  size_t depth = 0;
  for (size_t i = at_; i-- > first_;) {
    if (isCloser(kind(i))) ++depth;
    if (isOpener(kind(i)) && depth-- == 0) return false;
    if (depth > 0) continue;
    if (kind(i) == K::ELSE || kind(i) == K::COMMA || kind(i) == K::COLON || isAssignment(kind(i))) return false;
    if (kind(i) == K::IF) return i > first_;
  }
  return false;
}

/// `if x = 3:`
bool Repair::assignInCondition() {
  if (kind(at_) != K::ASSIGN) return false;
  bool condition = kind(first_) == K::RETURN || kind(first_) == K::IF || kind(first_) == K::ELIF || kind(first_) == K::WHILE || kind(first_) == K::ASSERT;
  for (size_t i = first_; i < at_; ++i) condition |= kind(i) == K::WHERE;
  condition = (condition && find(K::COLON, first_) >= at_) || insideChoice();
  if (!condition) return false;
  auto report = diagnostics_.report(Id::assignInCondition, span(at_));
  report.label("write `==`").fix(span(at_), "==", "compare with `==`");
  if (isHeader() && kind(first_) != K::DEF) report.help("to bind a name inside a condition, write `(name := value)`");
  replace(at_, K::EQ);
  return true;
}

/// `for x range(8)`, `for x of xs`, `[x for x xs]`, `for (x in xs):`
bool Repair::missingIn() {
  if (kind(first_) == K::FOR && at_ > first_ + 4 && kind(first_ + 1) == K::LPAREN && kind(first_ + 2) == K::NAME &&
      kind(first_ + 3) == K::IN && closing(first_ + 2) + 1 == at_) {
    std::string inside = textOf(first_ + 2, at_ - 2);
    diagnostics_.report(Id::syntaxError, span(first_ + 1), describe(first_ + 1))
        .label("no parentheses stand around this")
        .fix({file_, tokens_[first_].end, tokens_[at_ - 1].end}, " " + inside, "delete the parentheses");
    erase(at_ - 1);
    erase(first_ + 1);
    return true;
  }
  size_t depth = 0, loop = last_;
  for (size_t i = at_; i-- > first_ && loop == last_;) {
    if (isCloser(kind(i))) ++depth;
    if (isOpener(kind(i)) && depth-- == 0) break;
    if (depth == 0 && (kind(i) == K::IN || kind(i) == K::COLON)) break;
    if (depth == 0 && kind(i) == K::FOR) loop = i;
  }
  if (loop == last_ || at_ < loop + 2) return false;
  bool word2 = isWord(at_, "of") || kind(at_) == K::ASSIGN || (kind(at_) == K::COLON && find(K::COLON, at_ + 1) != last_) ||
               (kind(at_) == K::NAME && startsValue(kind(at_ + 1)) && !isOpener(kind(at_ + 1)));  // `for i on range(8)`
  bool value = startsValue(kind(at_)) && endsValue(kind(at_ - 1));
  bool ends = kind(at_) == K::COLON || at_ == last_ || isCloser(kind(at_));
  if (!word2 && !value && !ends) return false;
  if (value && !word2 && kind(at_) == K::NAME && kind(at_ + 1) == K::IN &&
      kind(at_ - 2) == K::FOR && !isForeignType(word(at_ - 1)) && !namesType(at_ - 1)) {  // `for name size in zip(names, sizes)`
    diagnostics_.report(Id::expectedToken, span(at_), "`,`", "between the names that a `for` binds", describe(at_))
        .suggest(behind(at_ - 1), ",", "insert `,`");
    insert(at_, K::COMMA);
    return true;
  }
  if (value && !word2 && kind(at_) == K::NAME && kind(at_ + 1) == K::IN &&
      kind(at_ - 2) == K::FOR) {  // `for int i in xs`
    diagnostics_.report(Id::foreignDeclaration, span(at_ - 1), word(at_ - 1))
        .label("what a `for` binds has no type")
        .fix({file_, tokens_[at_ - 1].begin, tokens_[at_].begin}, "", "delete `" + std::string(word(at_ - 1)) + "`");
    erase(at_ - 1);
    return true;
  }
  auto report = diagnostics_.report(Id::missingIn, word2 ? span(at_) : visible(at_));
  report.label(word2 ? "write `in`" : ends ? "`in` and a value are missing before this" : "`in` is missing before this");
  if (word2 && kind(at_) != K::COLON && !isWord(at_, "of")) report.suggest(span(at_), "in", "write `in`");  // most likely it counts
  else if (word2) report.fix(span(at_), "in", "write `in`");
  else if (!ends)
    report.fix({file_, tokens_[at_].begin, tokens_[at_].begin}, "in ", "insert `in`");
  if (word2)
    replace(at_, K::IN);
  else
    insert(at_, K::IN);
  if (ends) insert(at_ + 1, K::ERROR_EXPRESSION);
  return true;
}

/// `def in(x):`, `lambda = 3`, `f(from=2)`, `x.class`
bool Repair::keywordAsName() {
  size_t index = at_;
  uint32_t before = at_ > first_ ? kind(at_ - 1) : 0, after = at_ < last_ ? kind(at_ + 1) : 0;
  if (isKeyword(kind(at_))) {
    bool named = before == K::DEF || before == K::CLASS || before == K::STRUCT || before == K::DOT || before == K::AS ||
                 before == K::IMPORT || before == K::GLOBAL || before == K::NONLOCAL;
    bool loop = before == K::FOR && find(K::IN, at_ + 1) != last_;
    bool defined = kind(first_) == K::DEF || kind(first_) == K::ASYNC || kind(first_) == K::LAMBDA;
    bool parameter = defined && (before == K::LPAREN || before == K::COMMA || before == K::STAR || before == K::POWER) &&
                     (after == K::COLON || after == K::ASSIGN || after == K::COMMA || after == K::RPAREN);
    if (!named && !loop && !parameter && after != K::ASSIGN) return false;
  } else {
    bool assigned = isAssignment(kind(at_)) && isKeyword(before) && before != K::NOT && before != K::AND && before != K::OR &&
                    before != K::RETURN && before != K::IF && before != K::ELSE && before != K::IN && before != K::IS;
    if (!assigned && !(isAssignment(kind(at_)) && isKeyword(before) && at_ == first_ + 1)) return false;
    index = at_ - 1;
  }
  bool bound = (index == first_ && after != 0 && depthAt(at_) == 0) || (isDef() && depthAt(index) == 1);
  renameKeyword(index, bound && (kind(first_) != K::LAMBDA || index == first_));
  return true;
}

/// Is a keyword, which was declared as a name, one here, too? Where it can be a keyword, it is.
bool Repair::usesAsName(size_t index, size_t depth) const {
  if (index == 0 || index + 1 >= tokens_.size()) return false;
  uint32_t before = kind(index - 1), after = kind(index + 1);
  bool starts = before == K::NEWLINE || before == K::INDENT || before == K::DEDENT || before == K::SEMICOLON;
  if (starts) return isAssignment(after);
  if (endsValue(before) || before == K::DOT || before == K::NOT || (depth > 0 && after == K::ASSIGN)) return false;
  switch (kind(index)) {
  case K::NOT:
  case K::NONE:
  case K::TRUE:
  case K::FALSE:
  case K::IF:
  case K::ELSE:
  case K::FOR: return false;
  case K::LAMBDA: {
    bool packed =
        after == K::STAR && index + 3 < tokens_.size() && (kind(index + 3) == K::COLON || kind(index + 3) == K::COMMA);
    return after != K::NAME && after != K::COLON && !packed;
  }
  default: return true;
  }
}

/// One message for a name, and one edit for all that uses it in the rest of this function.
void Repair::renameKeyword(size_t index, bool everywhere) {
  std::string name(word(index)), meant = name + "_", edit = meant;
  auto report = diagnostics_.report(Id::keywordAsName, span(index), name);
  report.label("choose another name");
  uint32_t keyword = kind(index);
  size_t last = index, depth = depthAt(index);
  replace(index, K::NAME);
  for (size_t i = index + 1; everywhere && i + 1 < tokens_.size(); ++i) {
    if (isOpener(kind(i))) ++depth;
    if (isCloser(kind(i)) && depth > 0) --depth;
    if (kind(i) != keyword || !usesAsName(i, depth)) continue;
    edit += source_.text.substr(tokens_[last].end, tokens_[i].begin - tokens_[last].end) + meant;
    replace(i, K::NAME);
    last = i;
  }
  report.suggest(span(index, last), edit, "write `" + meant + "`");
}

/// `f"{d["k"]}"`, `"a "b" c"`: a quote inside ends the string.
bool Repair::innerQuote() {
  if (at_ == first_ || at_ >= last_ || kind(at_ - 1) != K::STRING || tokens_[at_ - 1].end != tokens_[at_].begin)
    return false;
  std::string_view string = word(at_ - 1);
  size_t start = string.find_first_of("\"'"), brace = string.rfind('{');
  char quote = string[start], other = quote == '"' ? '\'' : '"';
  size_t end = at_;
  while (end < last_ && (kind(end) != K::STRING || word(end)[0] != quote)) ++end;
  if (end == last_) return false;
  bool formatted = string.substr(0, start).find_first_of("fF") != string.npos && brace != string.npos &&
                   string.find('}', brace) == string.npos;
  Span inside{file_, tokens_[at_ - 1].end - 1, tokens_[end].begin + 1};
  Span whole{file_, tokens_[at_ - 1].begin + static_cast<uint32_t>(start), tokens_[end].end};
  Span place = formatted ? inside : whole;
  std::string meant = other + source_.text.substr(place.begin + 1, place.end - place.begin - 2) + other;
  bool mends =
      meant.find(other, 1) == meant.size() - 1 && meant.find('\n') == meant.npos && meant.find('\\') == meant.npos;
  if (formatted) {
    auto report = diagnostics_.report(Id::formatBrace, {file_, inside.begin, inside.begin + 1},
                                      std::string("a `") + quote + "` inside its braces");
    report.label("this ends the f-string");
    if (mends) report.fix(place, meant, "write `" + meant + "`");
  } else {
    auto report = diagnostics_.report(Id::syntaxError, span(at_), describe(at_));
    report.label("a quote in the text ended the string before this");
    if (mends) report.suggest(place, meant, "write `" + meant + "`");
  }
  replace(at_ - 1, K::ERROR_EXPRESSION);
  erase(at_, end + 1 - at_);
  return true;
}

/// A mark or word too many, or one for another, where nothing else can have been meant.
bool Repair::strayMark() {
  bool import = kind(first_) == K::FROM || kind(first_) == K::IMPORT;
  if (at_ == last_ && at_ > first_ && import && kind(at_ - 1) == K::COMMA) {  // `from a import b,`
    diagnostics_.report(Id::syntaxError, span(at_ - 1), describe(at_ - 1))
        .label("no name follows it")
        .fix(span(at_ - 1), "", "delete `,`");
    erase(at_ - 1);
    return true;
  }
  if (at_ == first_ || at_ >= last_) return false;
  uint32_t before = kind(at_ - 1), after = kind(at_ + 1);
  size_t depth = depthAt(at_);
  auto report = [&](std::string label) {
    auto made = diagnostics_.report(Id::syntaxError, span(at_), describe(at_));
    made.label(std::move(label));
    return made;
  };
  if (kind(at_) == K::WALRUS && depth == 0 && !isHeader() && find(K::ASSIGN, first_) == last_) {  // `y := 3`
    report("a statement assigns with `=`").fix(span(at_), "=", "write `=`");
    replace(at_, K::ASSIGN);
    return true;
  }
  bool field = kind(first_) == K::NAME && kind(first_ + 1) == K::COLON;
  if (at_ + 1 == last_ && depth == 0 &&
      ((kind(at_) == K::COMMA && field) ||
       (kind(at_) == K::SEMICOLON && (kind(first_) == K::AT || before == K::SEMICOLON)))) {
    std::string mark(word(at_));  // `x: f32,` in a struct; `@jit;`
    report("nothing follows it on this line").fix(span(at_), "", "delete `" + mark + "`");
    erase(at_);
    return true;
  }
  if (isHeader() && depth == 0 && (isWord(at_, "then") || isWord(at_, "do")) && after == K::COLON) {  // `if x then:`
    report("the `:` is enough")
        .fix({file_, tokens_[at_ - 1].end, tokens_[at_].end}, "", "delete `" + std::string(word(at_)) + "`");
    erase(at_);
    return true;
  }
  if (kind(at_) == K::COMMA && kind(first_) == K::EXCEPT && after == K::NAME &&
      kind(at_ + 2) == K::COLON) {  // `except E, e:`
    report("the name of an exception stands behind `as`").suggest(span(at_), " as", "write ` as`");
    replace(at_, K::AS);
    return true;
  }
  bool named =
      depth > 0 && before == K::NAME && startsValue(after) && (kind(at_ - 2) == K::LPAREN || kind(at_ - 2) == K::COMMA);
  if (kind(at_) == K::COLON && named && !isDef() && bracketAround(at_) == K::LPAREN &&
      find(K::ARROW, first_) == last_) {  // `f(x, k: 2)`
    report("an argument is named with `=`")
        .suggest({file_, tokens_[at_].begin, tokens_[at_ + 1].begin}, "=", "write `=`");
    replace(at_, K::ASSIGN);
    return true;
  }
  if (kind(at_) == K::COLON && depth > 0 && before == K::STRING && startsValue(after) && !isDef() &&
      bracketAround(at_) == K::LPAREN) {  // `print("x": x)`
    report("a comma stands between arguments").suggest({file_, tokens_[at_].begin, tokens_[at_].end}, ",", "write `,`");
    replace(at_, K::COMMA);
    return true;
  }
  bool pointer = kind(at_) == K::AMPERSAND || kind(at_) == K::STAR;
  if (pointer && before == K::COLON && depth == 1 && isDef() && after == K::NAME) {  // `x: &Tensor[N, f32]`
    std::string mark(word(at_));
    report("there are no references and pointers").fix(span(at_), "", "delete `" + mark + "`");
    erase(at_);
    return true;
  }
  if (kind(at_) == K::COLON && at_ == first_ + 1 && kind(first_) == K::RETURN && startsValue(after)) {  // `return: x`
    report("no `:` stands behind `return`").fix(span(at_), "", "delete `:`");
    erase(at_);
    return true;
  }
  bool value = after == K::INTEGER || after == K::FLOAT || after == K::STRING || after == K::TRUE || after == K::FALSE || after == K::NONE;
  if (kind(at_) == K::COLON && depth == 1 && isDef() && bracketAround(at_) == K::LPAREN && value && endsValue(before)) {  // `by: f32 : 2.0`
    report("a default stands behind `=`").suggest(span(at_), "=", "write `=`");
    replace(at_, K::ASSIGN);
    return true;
  }
  if (kind(at_) == K::SEMICOLON && depth > 0 && isDef()) {  // `f(x: f32; y: f32)`
    report("a list is separated by `,`").fix(span(at_), ",", "write `,`");
    replace(at_, K::COMMA);
    return true;
  }
  return false;
}

/// `def f:`
bool Repair::missingParameters() {
  if (!failure_.expects(K::LPAREN) || (kind(first_) != K::DEF && kind(first_) != K::ASYNC)) return false;
  if (kind(at_) != K::COLON && kind(at_) != K::ARROW && kind(at_) != K::NEWLINE) return false;
  auto report = diagnostics_.report(Id::missingParameters, behind(at_ - 1));
  report.label("`()` is missing");
  bool field =
      kind(at_) == K::COLON && at_ + 1 < last_ && kind(last_ - 1) != K::COLON && !startsStatement(kind(at_ + 1));
  if (!field) report.fix(behind(at_ - 1), "()", "insert `()`");  // `def x: f32` is no function
  insert(at_, K::RPAREN);
  insert(at_, K::LPAREN);
  return true;
}

bool Repair::missingName() {
  if (at_ == first_ || at_ > last_) return false;
  uint32_t before = kind(at_ - 1);
  bool named = before == K::DEF || before == K::CLASS || before == K::DOT || before == K::AS || before == K::IMPORT ||
               before == K::GLOBAL || before == K::NONLOCAL || before == K::FOR;
  if (!named || (before == K::FOR && kind(at_) != K::IN && kind(at_) != K::NEWLINE && kind(at_) != K::COLON)) return false;
  diagnostics_.report(Id::missingName, visible(at_), "behind `" + std::string(word(at_ - 1)) + "`", describe(at_))
      .label("a name is missing before this");
  if (before == K::FOR && kind(at_) == K::IN)
    insert(at_, K::ERROR_EXPRESSION);
  else if (before == K::DOT)
    erase(at_ - 1);
  else
    giveUpLine();
  return true;
}

void Repair::missing(size_t index, std::string where) {
  // The place of what is missing is best seen at the word before it.
  Span place = index > first_ ? span(index - 1) : visible(index);
  diagnostics_.report(Id::missingValue, place, where, describe(index))
      .label(index > first_ ? "a value must follow this" : "a value must stand before this");
  insert(index, K::ERROR_EXPRESSION);
}

/// An operator, `=`, `,` or keyword with nothing behind it.
bool Repair::missingValue() {
  if (at_ > last_ || startsValue(kind(at_))) {
    bool star = at_ <= last_ && (kind(at_) == K::STAR || kind(at_) == K::POWER);
    if (!star) return false;
  }
  bool first = at_ > first_ && isOpener(kind(at_ - 1)) && kind(at_) == K::COMMA;
  if (!first && !failure_.expected.empty() && !failure_.expects(K::ERROR_EXPRESSION)) return false;
  if (at_ == first_) {
    if (!isOperator(kind(at_)) && !isAssignment(kind(at_)) && kind(at_) != K::COMMA) return false;
    missing(at_, "at the start of the statement");
    return true;
  }
  uint32_t before = kind(at_ - 1);
  bool needs = isOperator(before) || isAssignment(before) || isOpener(before);
  for (uint32_t kind : {K::WALRUS, K::ARROW, K::WHERE, K::AWAIT, K::ELIF, K::WHILE, K::WITH, K::ASSERT, K::DEL, K::RETURN,
                        K::RAISE, K::FROM, K::COMMA, K::COLON})
    needs |= before == kind;
  if (!needs || before == K::DOT) return false;
  if (before == K::ELIF && kind(at_) == K::COLON) {  // `elif:`
    diagnostics_.report(Id::missingValue, span(at_ - 1), "behind `elif`", describe(at_))
        .label("a value must follow this")
        .suggest(span(at_ - 1), "else", "without a condition it is `else`");
    insert(at_, K::ERROR_EXPRESSION);
    return true;
  }
  missing(at_, "behind `" + std::string(word(at_ - 1)) + "`");
  return true;
}

/// `if x` at the end of a line; `else print(x)`; `if x then`
bool Repair::missingColon() {
  if (!isHeader() || at_ > last_ || at_ == first_ || depthAt(at_) > 0 || find(K::COLON, first_) < at_) return false;
  uint32_t before = kind(at_ - 1);
  // `for i in xs print(i)`: no colon anywhere, and no block below.
  bool sameLine = startsValue(kind(at_)) && find(K::COLON, first_) == last_ && kind(last_ + 1) != K::INDENT;
  bool complete = endsValue(before) || before == K::ELSE || before == K::TRY || before == K::FINALLY || before == K::EXCEPT;
  bool other = (isWord(at_, "then") || isWord(at_, "do") || kind(at_) == K::SEMICOLON) && at_ + 1 == last_;
  if (before == K::ELSE && at_ < last_ && startsValue(kind(at_)) && kind(last_ - 1) == K::COLON &&
      hasBlock()) {  // `else x == 2:`
    diagnostics_.report(Id::elseIf, span(at_ - 1), textOf(at_ - 1, last_ - 2))
        .label("write `elif`")
        .fix(span(at_ - 1), "elif", "write `elif`");
    replace(at_ - 1, K::ELIF);
    return true;
  }
  bool bare = (before == K::ELSE || before == K::TRY || before == K::FINALLY) && kind(at_) != K::IF;
  if (!complete || !(at_ == last_ || other || bare || sameLine || startsStatement(kind(at_)))) return false;
  auto report = diagnostics_.report(Id::missingColon, other ? span(at_) : behind(at_ - 1), word(first_));
  if (other) {
    report.label("write `:`").fix({file_, tokens_[at_ - 1].end, tokens_[at_].end}, ":", "write `:`");
    replace(at_, K::COLON);
    ++at_;
  } else {
    report.label("`:` is missing").fix(behind(at_ - 1), ":", "insert `:`");
    insert(at_, K::COLON);
    ++at_;
  }
  if (kind(at_) != K::NEWLINE || kind(at_ + 1) == K::INDENT) return true;
  for (uint32_t wanted : {K::DEDENT, K::NEWLINE, K::ERROR_LINE, K::INDENT}) insert(at_ + 1, wanted);
  return true;
}

/// `retrun x`, `improt tessera`, `Def f(x):`, `esle:`
bool Repair::misspeltKeyword() {
  if (kind(first_) != K::NAME || at_ == first_ || at_ > last_ + 1 || isForeignHeader(word(first_))) return false;
  bool block = kind(last_ - 1) == K::COLON, twoWords = at_ == first_ + 1 && startsValue(kind(at_)) && !isOpener(kind(at_));
  if (!twoWords && !(block && at_ >= last_ && last_ == first_ + 2)) return false;
  std::string text(word(first_));
  for (char &c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::vector<std::string_view> words;
  if (block) words = {"def", "if", "elif", "else", "for", "while", "with", "class", "try", "except", "finally", "struct"};
  else words = {"return", "import", "from", "assert", "raise", "global"};
  std::string_view near = diag::didYouMean(text, words);
  if (near.empty() || (near == "from" && find(K::IMPORT, first_) == last_)) return false;
  std::string meant(near);
  diagnostics_.report(Id::misspeltKeyword, span(first_), word(first_))
      .label("did you mean `" + meant + "`?")
      .fix(span(first_), meant, "write `" + meant + "`");
  for (uint32_t keyword = K::AND; keyword <= K::WITH; ++keyword)
    if (spelling(keyword) == near) replace(first_, keyword);
  if (near == "struct") replace(first_, K::STRUCT);
  return true;
}

/// `repeat (8):` and a block.
bool Repair::unknownBlock() {
  if (isHeader() || last_ == first_ || kind(last_ - 1) != K::COLON || kind(last_ + 1) != K::INDENT) return false;
  diagnostics_.report(Id::expectedToken, span(first_), "`if`, `for`, `while`, `with`, `try`, `def`, `class` or `struct`",
                      "at the start of a line that opens a block", describe(first_))
      .label("no statement with a block starts like this");
  loseLine();
  return true;
}

/// Two values side by side.
bool Repair::missingComma() {
  if (at_ == first_ || at_ >= last_ || !endsValue(kind(at_ - 1)) || !startsValue(kind(at_))) return false;
  uint32_t bracket = bracketAround(at_);
  if (bracket == K::LBRACE && (kind(at_ - 2) == K::COMMA || kind(at_ - 2) == K::LBRACE) && bracesHoldPairs()) {
    diagnostics_.report(Id::expectedToken, span(at_), "`:`", "behind the key " + describe(at_ - 1), describe(at_))
        .label("`:` is missing before this")
        .fix(behind(at_ - 1), ":", "insert `:`");
    insert(at_, K::COLON);
    return true;
  }
  bool expression = !startsStatement(kind(first_)) || kind(first_) == K::RETURN || isHeader();
  if (!bracket && !expression) return false;
  if (kind(at_ - 1) == K::NAME && word(at_ - 1) == "new" && kind(at_) == K::NAME) {
    diagnostics_.report(Id::foreignOperator, span(at_ - 1), "new")
        .label("what makes a value is called like a function")
        .fix({file_, tokens_[at_ - 1].begin, tokens_[at_].begin}, "", "leave `new` out");
    erase(at_ - 1);
    return true;
  }
  const bool inherits = kind(first_) == K::STRUCT && kind(at_) == K::LPAREN && !bracket;
  const size_t colon = inherits ? find(K::COLON, at_) : last_, close = colon - 1;
  if (colon < last_ && kind(close) == K::RPAREN && close > at_ + 1) {  // `struct Wide[D](Base):`
    diagnostics_.report(Id::syntaxError, span(at_, close), "these parentheses")
        .label("a struct inherits nothing: it has a field of the other type, `base: " + textOf(at_ + 1, close - 1) + "`");
    erase(at_, close + 1 - at_);
    return true;
  }
  if (!bracket && (missingArrow() || secondStatement())) return true;
  Id id = bracket ? Id::missingComma : Id::missingOperator;
  auto report = diagnostics_.report(id, span(at_));
  report.label("this cannot follow " + describe(at_ - 1));
  const bool policy = kind(at_) == K::NAME && (word(at_) == "accum" || word(at_) == "round" || word(at_) == "saturate");
  if (bracket && policy && at_ + 1 <= last_) {  // `bf16 accum(f32)`
    report.suggest(Span{file_, tokens_[at_].begin, tokens_[at_].begin}, "@", "a policy stands behind `@`");
    insert(at_, K::COMMA);
  } else if (bracket && word(at_) == word(at_ - 1)) {  // `sum(x x)` lacks an operator as likely
    report.assume(behind(at_ - 1), ",", "insert `,`");
    insert(at_, K::COMMA);
  } else if (bracket) {
    report.suggest(behind(at_ - 1), ",", "insert `,`");
    insert(at_, K::COMMA);
  } else {
    if (word(at_ - 1) == "__shared__") sharedMemory(report);
    dropRest();
  }
  return true;
}

/// `__shared__ float s[32][33];`
void Repair::sharedMemory(diag::Builder &report) {
  static const std::map<std::string, std::string, std::less<>> kTypes = {
      {"float", "f32"}, {"double", "f64"}, {"int", "i32"}, {"half", "f16"}, {"__half", "f16"}, {"unsigned", "u32"}, {"__nv_bfloat16", "bf16"}};
  auto type = kTypes.find(std::string(word(at_)));
  std::string sizes;
  size_t i = at_ + 2, count = 0, end = at_ + 1;
  for (; type != kTypes.end() && i + 2 <= last_ + 1 && kind(i) == K::LBRACKET; i = end + 1, ++count) {
    for (end = i + 1; end < last_ && kind(end) != K::RBRACKET;) ++end;
    sizes += (count ? ", " : "") + textOf(i + 1, end - 1);
  }
  if (count == 0 || kind(at_ + 1) != K::NAME || kind(end) != K::RBRACKET) return void(report.help("memory of a group is `s = tile.alloc_shared((64,), f32)`"));
  if (kind(end + 1) == K::SEMICOLON) ++end;
  const std::string meant = std::string(word(at_ + 1)) + " = tile.alloc_shared((" + sizes + (count == 1 ? ",), " : "), ") + type->second + ")";
  report.suggest(span(at_ - 1, end), meant, "write `" + meant + "`");
}

/// `def f(x: f32) f32:`
bool Repair::missingArrow() {
  bool result = isDef() && kind(at_ - 1) == K::RPAREN && kind(at_) == K::NAME && find(K::ARROW, first_) == last_;
  if (!result) return false;
  diagnostics_.report(Id::expectedToken, span(at_), "`->`", "before the type of the result", describe(at_))
      .label("`->` is missing before this")
      .fix(Span{file_, tokens_[at_].begin, tokens_[at_].begin}, "-> ", "insert `->`");
  insert(at_, K::ARROW);
  return true;
}

/// `y = x z = y`
bool Repair::secondStatement() {
  bool first = first_ + 1 < at_ && isAssignment(kind(first_ + 1)), second = kind(at_) == K::NAME && at_ < last_ && isAssignment(kind(at_ + 1));
  if (!first || !second) return false;
  size_t line = source_.text.rfind('\n', tokens_[first_].begin);
  line = line == std::string::npos || tokens_[first_].begin == 0 ? 0 : line + 1;
  std::string indent = source_.text.substr(line, tokens_[first_].begin - line);
  if (indent.find_first_not_of(" \t") != std::string::npos) return false;
  diagnostics_.report(Id::expectedToken, span(at_), "a new line", "between two statements", describe(at_))
      .label("another statement starts here")
      .fix(Span{file_, tokens_[at_ - 1].end, tokens_[at_].begin}, "\n" + indent, "start a new line");
  dropRest();
  return true;
}

/// Does a `:` stand between the innermost braces around the failure?
bool Repair::bracesHoldPairs() const {
  size_t depth = 0;
  for (size_t i = at_; i-- > first_;) {
    if (isCloser(kind(i))) ++depth;
    if (isOpener(kind(i)) && depth-- == 0) break;
    if (depth == 0 && kind(i) == K::COLON) return true;
  }
  return false;
}

/// `from tessera tile`, and where one mark was the only one that could stand here.
bool Repair::expected() {
  if (at_ == first_ || at_ > last_) return false;
  bool import = kind(first_) == K::FROM && find(K::IMPORT, first_) == last_ && failure_.expects(K::IMPORT);
  if (failure_.expected.size() != 1 && !import) return false;
  uint32_t wanted = import ? uint32_t(K::IMPORT) : failure_.expected[0];
  if (wanted == K::COLON && find(K::COLON, at_) != last_) return false;  // the header ends later
  std::string_view mark = spelling(wanted);
  if (mark.empty()) return false;
  diagnostics_.report(Id::expectedToken, visible(at_), "`" + std::string(mark) + "`", "behind " + describe(at_ - 1), describe(at_))
      .label("`" + std::string(mark) + "` is missing before this");
  insert(at_, wanted);
  return true;
}

bool Repair::anythingElse() {
  diagnostics_.report(Id::syntaxError, visible(at_), describe(at_)).label("I stopped reading the statement here");
  if (at_ <= first_ || at_ >= last_ || bracketAround(at_))
    giveUpLine();
  else
    dropRest();
  return true;
}

/// Keeps what was read of the line, and its colon when it is a header.
void Repair::dropRest() {
  size_t end = isHeader() ? find(K::COLON, at_) : last_;
  if (end == at_) return giveUpLine();
  erase(at_, end - at_);
}

}  // namespace tessera::frontend
