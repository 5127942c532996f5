// Mistakes in the header of a function or policy: facts, results and types of parameters in the wrong place.
#include "frontend/Kinds.h"
#include "frontend/Repair.h"
#include <algorithm>

namespace tessera::frontend {

using diag::Id;

bool Repair::isDef() const {
  return kind(first_) == K::DEF || (kind(first_) == K::ASYNC && first_ < last_ && kind(first_ + 1) == K::DEF);
}

/// Where the result of a function ends: before `where`, `effects` or the colon, else the end of the line.
size_t Repair::headerEnd(size_t from) const {
  return std::min({find(K::WHERE, from), find(K::EFFECTS, from), find(K::COLON, from)});
}

/// The bracket that closes the innermost one that is open before a token; `last_` when none does.
size_t Repair::closing(size_t inside) const {
  size_t depth = 0;
  for (size_t i = inside; i < last_; ++i) {
    if (isOpener(kind(i))) ++depth;
    if (isCloser(kind(i)) && depth-- == 0) return i;
  }
  return last_;
}

/// Is each of the parts between commas a comparison? No type and no parameter is one.
bool Repair::holdFacts(size_t from, size_t end) const {
  bool fact = false;
  size_t depth = 0, part = from;
  for (size_t i = from; i < end; ++i) {
    uint32_t here = kind(i);
    if (isOpener(here)) ++depth;
    if (isCloser(here)) --depth;
    if (depth > 0) continue;
    bool compares = here == K::EQ || here == K::NE || here == K::LE || here == K::GE || here == K::LT ||
                    here == K::GT || here == K::IN;
    fact |= compares && i > part && i + 1 < end && kind(i + 1) != K::COMMA;
    if (here != K::COMMA) continue;
    if (!fact) return false;
    fact = false;
    part = i + 1;
  }
  return fact;
}

bool Repair::misplacedFacts() {
  if (!isDef() || at_ > last_) return false;
  return factsInBrackets() || factsBehindColon() || factsBeforeResult() || factsWithoutWhere();
}

/// `def f[N where N > 1](x: T) -> T:`
bool Repair::factsInBrackets() {
  if (depthAt(at_) != 1 || !isWord(at_, "where")) return false;
  size_t close = closing(at_), facts = kind(close - 1) == K::COMMA ? close - 1 : close;
  if (close == last_ || facts <= at_ + 1) return false;
  size_t end = headerEnd(close);
  std::string clause = textOf(at_, facts - 1);
  auto report = diagnostics_.report(Id::syntaxError, span(at_), describe(at_));
  report.label("facts stand behind the result, or behind the parameters where there is none");
  if (end < last_ && holdFacts(at_ + 1, facts) && clause.find('\n') == std::string::npos) {
    uint32_t gone = tokens_[at_ - 1].end, rest = tokens_[facts - 1].end, stop = tokens_[end - 1].end;
    report.fix({file_, gone, stop}, source_.text.substr(rest, stop - rest) + " " + clause, "move it behind the result");
  }
  erase(at_, facts - at_);
  return true;
}

/// `def f(x: T) -> T: where N > 1`
bool Repair::factsBehindColon() {
  size_t colon = find(K::COLON, first_);
  if (colon + 2 >= last_ || at_ <= colon || !isWord(colon + 1, "where") || !hasBlock()) return false;
  size_t end = kind(last_ - 1) == K::COLON ? last_ - 1 : last_;
  if (end <= colon + 2) return false;
  auto report = diagnostics_.report(Id::syntaxError, span(colon + 1), describe(colon + 1));
  report.label("`where` stands before the `:`");
  if (holdFacts(colon + 2, end)) {
    std::string clause = textOf(colon + 1, end - 1);
    report.fix({file_, tokens_[colon].begin, tokens_[last_ - 1].end}, " " + clause + ":", "write the `:` behind it");
  }
  erase(colon + 1, last_ - colon - 1);
  return true;
}

/// `def f(x: T) where N > 1 -> T:`
bool Repair::factsBeforeResult() {
  if (kind(at_) != K::ARROW || depthAt(at_) > 0 || find(K::ARROW, first_) != at_) return false;
  size_t where = find(K::WHERE, first_), end = headerEnd(at_);
  if (where >= at_ || end == last_ || end <= at_ + 1) return false;
  std::string result = textOf(at_, end - 1), clause = textOf(where, at_ - 1);
  diagnostics_.report(Id::syntaxError, span(where), describe(where))
      .label("`where` stands behind the result")
      .fix(span(where, end - 1), result + " " + clause, "move it behind the result");
  erase(where, at_ - where);
  return true;
}

/// `-> T, where N > 1`, `-> T, N > 1`, `-> T if N > 1`, `-> T requires N > 1`, `-> T effects(io)`
bool Repair::factsWithoutWhere() {
  if (at_ == first_ || at_ >= last_ || depthAt(at_) > 0) return false;
  if (isWord(at_, "effects") && kind(at_ + 1) == K::LPAREN && at_ + 2 < last_) {
    size_t close = closing(at_ + 2);
    if (close == last_ || close == at_ + 2) return false;
    Span place = span(at_ + 1, close);
    std::string list = "[" + textOf(at_ + 2, close - 1) + "]";
    diagnostics_.report(Id::syntaxError, span(at_ + 1), describe(at_ + 1))
        .label("effects stand in brackets")
        .fix(place, list, "write `" + list + "`");
    replace(at_, K::EFFECTS);
    replace(at_ + 1, K::LBRACKET);
    replace(close, K::RBRACKET);
    return true;
  }
  size_t arrow = find(K::ARROW, first_), end = headerEnd(at_);
  if (arrow >= at_ - 1 || end == last_) return false;
  if (kind(at_) == K::COMMA && isWord(at_ + 1, "where")) {
    diagnostics_.report(Id::syntaxError, span(at_), describe(at_))
        .label("`where` follows the result directly")
        .fix({file_, tokens_[at_ - 1].end, tokens_[at_].end}, "", "delete `,`");
    erase(at_);
    replace(at_, K::WHERE);
    return true;
  }
  size_t choice = kind(at_) == K::COLON && failure_.expects(K::ELSE) ? find(K::IF, arrow) : last_;
  size_t word = choice < at_ ? choice : at_;
  bool comma = kind(at_) == K::COMMA, name = kind(at_) == K::NAME && endsValue(kind(at_ - 1));
  if (!comma && !name && word == at_) return false;
  if (!holdFacts(word + 1, word == at_ ? end : at_)) return false;
  auto report = diagnostics_.report(Id::syntaxError, span(word), describe(word));
  report.label("facts about dimensions stand behind `where`");
  if (comma) report.fix({file_, tokens_[at_ - 1].end, tokens_[at_].end}, " where", "write ` where`");
  else report.fix(span(word), "where", "write `where`");
  replace(word, K::WHERE);
  return true;
}

/// `def f(x) -> A, B:`
bool Repair::severalResults() {
  if (!isDef() || at_ >= last_ || kind(at_) != K::COMMA || depthAt(at_) > 0) return false;
  size_t arrow = find(K::ARROW, first_), end = headerEnd(at_);
  if (arrow >= at_ || end == last_) return false;
  size_t facts = end, comma = at_, depth = 0;  // `-> A, B, where N > 1`, `-> A, B, N > 1`: where the results end
  for (size_t i = at_ + 1; i <= end && !isWord(comma + 1, "where"); ++i) {
    if (isOpener(kind(i))) ++depth;
    if (isCloser(kind(i)) && depth > 0) --depth;
    if (i < end && (depth > 0 || kind(i) != K::COMMA)) continue;
    facts = holdFacts(comma + 1, i) ? std::min(facts, comma) : end;
    if (i < end) comma = i;
  }
  if (isWord(comma + 1, "where")) facts = std::min(facts, comma);
  end = facts;
  if (end <= at_ + 1) return false;
  std::string results = "(" + textOf(arrow + 1, end - 1) + ")";
  Span place = span(arrow + 1, end - 1);
  diagnostics_.report(Id::severalResults, place)
      .label("write `" + results + "`")
      .fix(place, results, "add the parentheses");
  insert(end, K::RPAREN);
  insert(arrow + 1, K::LPAREN);
  return true;
}

/// `def f<T>(x: T):`
bool Repair::angleParameters() {
  if (angleArguments()) return true;
  if (at_ < first_ + 2 || kind(at_) != K::LT) return false;
  bool type = kind(at_ - 2) == K::STRUCT || kind(at_ - 2) == K::CLASS;
  if (!type && kind(at_ - 2) != K::DEF) return false;
  size_t open = find(K::LPAREN, at_), close = find(K::GT, at_);
  if (close >= open || close == at_ + 1 || (open == last_ && !type)) return false;
  Span names = span(at_ + 1, close - 1);
  std::string text = "[" + source_.text.substr(names.begin, names.end - names.begin) + "]";
  diagnostics_.report(Id::angleParameters, span(at_, close))
      .label("write `" + text + "`")
      .fix(span(at_, close), text, "write `" + text + "`");
  replace(close, K::RBRACKET);
  replace(at_, K::LBRACKET);
  return true;
}

/// `x: Tensor<N, f32>` in the header of a function.
bool Repair::angleArguments() {
  if (!isDef() || at_ > last_) return false;
  std::string written;
  size_t first = last_, last = last_;  // from the first `<` to the last `>`
  for (size_t i = first_ + 1; i + 1 < last_; ++i) {
    if (kind(i) != K::LT || !isWord(i - 1, "Tensor")) continue;
    size_t close = i + 1, depth = 0;
    for (; close < last_ && kind(close) != K::GT && kind(close) != K::COLON; ++close) {
      if (isOpener(kind(close))) ++depth;
      if (isCloser(kind(close)) && depth-- == 0) break;
    }
    if (close == last_ || kind(close) != K::GT || depth > 0 || close == i + 1) continue;
    if (first == last_) first = i;
    else written += source_.text.substr(tokens_[last].end, tokens_[i].begin - tokens_[last].end);
    written += "[" + textOf(i + 1, close - 1) + "]";
    replace(i, K::LBRACKET);
    replace(close, K::RBRACKET);
    i = last = close;
  }
  if (first == last_) return false;
  diagnostics_.report(Id::angleParameters, span(first))
      .label("write `[`")
      .fix(span(first, last), written, "write brackets");
  return true;
}

/// Is the word a type, as far as can be told here: a dtype, of C too, or a name with a capital and more letters?
bool Repair::namesType(size_t index) const {
  if (kind(index) != K::NAME) return false;
  std::string_view name = word(index);
  for (std::string_view type :
       {"f64", "f32",  "tf32", "bf16",  "f16",    "i64", "i32",    "i16",  "i8",   "i4",      "u8",     "u16",
        "u32", "bool", "int",  "float", "double", "str", "string", "fp32", "fp16", "float32", "float16"})
    if (name == type) return true;
  return name.size() > 1 && name[0] >= 'A' && name[0] <= 'Z' &&
         name.find_first_of("abcdefghijklmnopqrstuvwxyz") != name.npos;
}

/// `def f(Tensor[N, f32] x)`, `def f(f32 x)`, `def f(const x: f32)`, `def f(x f32)`
bool Repair::typeFirst() {
  if (!isDef() || at_ >= last_ || at_ < first_ + 3 || bracketAround(at_) != K::LPAREN || depthAt(at_) != 1)
    return false;
  if (kind(at_ - 1) != K::NAME || (kind(at_ - 2) != K::LPAREN && kind(at_ - 2) != K::COMMA)) return false;
  size_t name = at_;
  if (kind(at_) == K::LBRACKET) {
    name = closing(at_ + 1);
    if (name < last_) ++name;
  }
  bool typeSecond = kind(at_) == K::NAME && namesType(at_) && !namesType(at_ - 1);  // `x f32`, `x Tensor[N, f32]`
  if (typeSecond && kind(at_ + 1) != K::COLON) {
    diagnostics_.report(Id::expectedToken, span(at_), "`:`", "behind " + describe(at_ - 1), describe(at_))
        .label("`:` is missing before this")
        .fix(behind(at_ - 1), ":", "insert `:`");
    insert(at_, K::COLON);
    return true;
  }
  if (name >= last_ || kind(name) != K::NAME) return false;
  uint32_t after = kind(name + 1);
  if (after == K::COLON && name == at_) {  // `const x: f32`
    for (std::string_view qualifier : {"const", "let", "var", "mut", "ref", "val", "final", "inout", "out"}) {
      if (!isWord(at_ - 1, qualifier)) continue;
      diagnostics_.report(Id::foreignDeclaration, span(at_ - 1), qualifier)
          .label("parameters have a name and a type")
          .fix({file_, tokens_[at_ - 1].begin, tokens_[at_].begin}, "", "delete `" + std::string(qualifier) + "`");
      erase(at_ - 1);
      return true;
    }
    return false;
  }
  if (after != K::COMMA && after != K::RPAREN && after != K::ASSIGN) return false;
  std::string type = textOf(at_ - 1, name - 1), meant = std::string(word(name)) + ": " + type;
  auto report = diagnostics_.report(Id::typeBeforeName, span(at_ - 1, name), word(name), type);
  report.label("the type stands before the name");
  if (namesType(at_ - 1)) report.fix(span(at_ - 1, name), meant, "write `" + meant + "`");
  else report.suggest(span(at_ - 1, name), meant, "write `" + meant + "`");  // a `,` or `:` may be missing as well
  erase(at_ - 1, name - at_ + 1);
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
  if (one == K::COLON && two == K::ARROW) {  // `def f(x): -> f32:`
    diagnostics_.report(Id::syntaxError, span(arrow), describe(arrow))
        .label("the `:` stands behind the result")
        .fix(span(arrow), "", "delete `:`");
    erase(arrow);
    return true;
  }
  bool pair = (one == K::ASSIGN && two == K::GT) || (one == K::MINUS && (two == K::GT || two == K::ARROW)) ||
              (one == K::ARROW && two == K::GT) || (one == K::TILDE && two == K::GT);
  bool colons = one == K::COLON && kind(last_ - 1) == K::COLON && last_ - 1 > arrow + 1;
  if (one == K::COLON && kind(last_ - 1) != K::COLON && kind(last_ + 1) == K::INDENT) {  // and no colon at the end
    Span rest{file_, tokens_[arrow].begin, tokens_[last_ - 1].end};
    std::string meant =
        " -> " + source_.text.substr(tokens_[arrow + 1].begin, rest.end - tokens_[arrow + 1].begin) + ":";
    diagnostics_.report(Id::wrongArrow, span(arrow), ":")
        .label("write `->`")
        .fix(rest, meant, "write `" + meant.substr(1) + "`");
    replace(arrow, K::ARROW);
    insert(last_, K::COLON);
    return true;
  }
  bool value = one == K::ASSIGN && !hasBlock() && find(K::COLON, arrow) == last_;  // `def f(x) = x * 2`
  if (value && arrow + (pair ? 2 : 1) < last_) {
    Span mark = span(arrow, pair ? arrow + 1 : arrow);
    diagnostics_.report(Id::syntaxError, mark, "`" + source_.text.substr(mark.begin, mark.end - mark.begin) + "`")
        .label("the body stands behind `:`, and its value behind `return`")
        .suggest({file_, tokens_[arrow - 1].end, mark.end}, ": return", "write `: return`");
    erase(arrow, pair ? 2 : 1);
    insert(arrow, K::RETURN);
    insert(arrow, K::COLON);
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

/// `policy p:` and a block; `policy p(accumulate=f32)`
bool Repair::policyBlock() {
  if (kind(first_) != K::POLICY || at_ != first_ + 2 || at_ >= last_) return false;
  bool block = kind(at_) == K::COLON && at_ + 1 == last_ && hasBlock();
  if (!block && kind(at_) != K::LPAREN) return false;
  auto report = diagnostics_.report(Id::expectedToken, span(at_), "`=`", "behind " + describe(at_ - 1), describe(at_));
  report.label("a policy is written `policy " + std::string(word(at_ - 1)) + " = Policy(accumulate=f32)`");
  if (block) {
    size_t end = last_ + 2;  // of the block
    std::string fields = policyFields(end);
    if (!fields.empty())
      report.suggest({file_, tokens_[at_ - 1].end, tokens_[end - 1].end}, " = Policy(" + fields + ")",
                     "write `= Policy(" + fields + ")`");
    end = last_ + 1;
    size_t depth = 0;
    do {
      depth += kind(end) == K::INDENT ? 1 : 0;
      depth -= kind(end) == K::DEDENT ? 1 : 0;
      ++end;
    } while (depth > 0 && end + 1 < tokens_.size());
    erase(last_ + 1, end - last_ - 1);
    erase(at_, last_ - at_);
  } else {
    report.fix(behind(at_ - 1), " = Policy", "write `= Policy`");
    erase(at_, last_ - at_);
  }
  insert(at_, K::ERROR_EXPRESSION);
  insert(at_, K::ASSIGN);
  return true;
}

/// "accumulate=f32, ..." of the lines of a block from `at` on, which is then at its DEDENT; empty if they are others.
std::string Repair::policyFields(size_t &at) const {
  std::string fields;
  while (at + 3 < tokens_.size() && kind(at) == K::NAME && (kind(at + 1) == K::ASSIGN || kind(at + 1) == K::COLON)) {
    size_t end = at + 2;
    while (end + 1 < tokens_.size() && kind(end) != K::NEWLINE) ++end;
    if (end == at + 2) return {};
    fields += (fields.empty() ? "" : ", ") + std::string(word(at)) + "=" + textOf(at + 2, end - 1);
    at = end + 1;
  }
  return kind(at) == K::DEDENT ? fields : std::string();
}

}  // namespace tessera::frontend
