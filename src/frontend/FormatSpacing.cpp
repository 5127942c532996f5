// Blanks between words: Python's conventions, and `bf16 @accum(f32)` for policies.
#include "frontend/FormatTokens.h"

namespace tessera::frontend::fmt {
namespace {

bool simpleEnd(const std::vector<Token> &words, size_t at) {
  while (true) {  // a chain of names behind dots, read backwards
    if (words[at].kind != TokenKind::Name && words[at].kind != TokenKind::Number) return false;
    if (at < 2 || !words[at - 1].is(".")) return true;
    at -= 2;
  }
}
bool simpleBegin(const std::vector<Token> &words, size_t at) {
  if (at < words.size() && (words[at].is("-") || words[at].is("+") || words[at].is("~"))) ++at;
  if (at >= words.size() || (words[at].kind != TokenKind::Name && words[at].kind != TokenKind::Number)) return false;
  for (++at; at + 1 < words.size() && words[at].is(".") && words[at + 1].kind == TokenKind::Name;) at += 2;
  return at >= words.size() || !isOpening(words[at]);
}

class Spacer {
public:
  explicit Spacer(LogicalLine &line) : words_(line.tokens) {}

  void run() {
    for (size_t i = 0; i < words_.size(); ++i) {
      Token &word = words_[i];
      classify(i);
      bool glued = unary(i);
      word.spaceBefore = i > 0 && !tight_ && blankBetween(i, glued);
      tight_ = glued || tightAfter(i);
      enterOrLeave(i);
    }
  }

private:
  struct Level {
    BracketKind kind = BracketKind::None;
    bool inLambda = false;   // between `lambda` and its colon: `=` is a default
    bool annotated = false;  // this parameter has a type
  };
  std::vector<Token> &words_;
  std::vector<Level> levels_ = {Level{}};
  bool tight_ = false;  // no blank behind the last word

  Level &level() { return levels_.back(); }
  const Token *previous(size_t i) const { return i > 0 ? &words_[i - 1] : nullptr; }
  bool behindOperand(size_t i) const { return i > 0 && endsOperand(words_[i - 1]) && !softKeyword(i - 1); }
  bool signature() const { return words_[0].is("def") || (words_.size() > 1 && words_[1].is("def")); }
  /// `where` in a signature, where it is followed by an expression and not called.
  bool softKeyword(size_t i) const {
    return words_[i].is("where") && signature() && levels_.size() == 1 && i > 0 && endsOperand(words_[i - 1]);
  }

  void classify(size_t i) {
    Token &word = words_[i];
    if (word.is("@") && !word.isPolicy) word.isPolicy = policy(i);
    if (!isOpening(word)) return;
    bool trailer = behindOperand(i);
    const Token *before = previous(i);
    bool definition = i >= 2 && (words_[i - 2].is("def") || words_[i - 2].is("class") || words_[i - 2].is("struct"));
    if (word.is("(")) {
      bool generic = i > 0 && before->is("]") && lastClosed_ == BracketKind::TypeParameters;
      bool parameters = signature() && levels_.size() == 1 && (definition || generic);
      word.bracket = parameters ? BracketKind::Parameters : trailer ? BracketKind::Call : BracketKind::Group;
      if (before && before->is("import")) word.bracket = BracketKind::Call;  // a list of names
    } else if (word.is("[")) {
      word.bracket = definition && levels_.size() == 1 ? BracketKind::TypeParameters
                     : trailer                         ? BracketKind::Subscript
                                                       : BracketKind::List;
    } else {
      word.bracket = BracketKind::Braces;
    }
  }
  BracketKind lastClosed_ = BracketKind::None;

  /// A policy outside of what the tree knows to be a type: written with a blank in front and none behind.
  bool policy(size_t i) const {
    if (words_[0].is("@") && levels_.size() == 1) return true;  // a decorator
    if (!behindOperand(i)) return true;
    if (levels_.size() == 1 || i + 1 >= words_.size() || words_[i + 1].kind != TokenKind::Name) return false;
    return words_[i].begin > words_[i - 1].end && words_[i + 1].begin == words_[i].end;
  }

  bool unary(size_t i) const {
    const Token &word = words_[i];
    if (word.isPolicy) return true;
    bool sign = word.is("-") || word.is("+") || word.is("~") || word.is("*") || word.is("**");
    return sign && !behindOperand(i);
  }

  bool tightAfter(size_t i) {
    const Token &word = words_[i];
    if (isOpening(word)) return true;
    if (word.is(".")) return !(i + 1 < words_.size() && words_[i + 1].is("import"));
    if (word.is("..") || word.is("...") || word.is("..=")) {
      if (endsOperandHere(i)) return false;
      bool dots = !import() && i + 1 < words_.size() && words_[i + 1].text.starts_with('.');  // `0.. .5`
      return !dots && !(i + 1 < words_.size() && words_[i + 1].is("import"));
    }
    if (word.is(":")) return level().kind == BracketKind::Subscript && !level().inLambda;
    if (word.is("=")) return tightAssign();
    if (word.is("**")) return i > 0 && simpleEnd(words_, i - 1) && simpleBegin(words_, i + 1);
    return false;
  }
  /// `...` as a value, and not as the dots of a relative import.
  bool endsOperandHere(size_t i) const { return words_[i].is("...") && !import(); }
  bool import() const { return words_[0].is("from") && levels_.size() == 1; }

  bool tightAssign() {
    Level &here = level();
    if (here.inLambda) return true;
    switch (here.kind) {
    case BracketKind::Call:
    case BracketKind::Subscript: return true;
    case BracketKind::Parameters: return !here.annotated;
    default: return false;
    }
  }

  bool blankBetween(size_t i, bool glued) {
    const Token &word = words_[i], &before = words_[i - 1];
    if (word.is(",") || word.is(";") || isClosing(word)) return false;
    if (word.is(":")) return false;
    if (word.is(".")) {
      bool whole = before.text.find_first_of(".eEjJxX") == std::string::npos;
      bool joins = before.kind == TokenKind::Number && (whole || before.text.back() == '.');  // `1 .real`, `2. .real`
      return before.is("from") || joins;
    }
    if (word.is("..") || word.is("..=") || (word.is("...") && import()))
      return before.kind == TokenKind::Keyword || (before.kind == TokenKind::Number && before.text.back() == '.');
    if (word.is("=")) return !tightAssign();
    if (word.is("**") && !glued) return !(simpleEnd(words_, i - 1) && simpleBegin(words_, i + 1));
    if (isOpening(word)) {
      if (before.is("await") && word.begin > before.end) return true;
      return !behindOperand(i);
    }
    return true;
  }

  void enterOrLeave(size_t i) {
    const Token &word = words_[i];
    if (isOpening(word)) {
      levels_.push_back({word.bracket});
    } else if (isClosing(word)) {
      lastClosed_ = level().kind;
      if (levels_.size() > 1) levels_.pop_back();
    } else if (word.is("lambda")) {
      level().inLambda = true;
    } else if (word.is(":")) {
      if (level().inLambda) level().inLambda = false;
      else level().annotated = true;
    } else if (word.is(",") && !level().inLambda) {
      level().annotated = false;
    }
  }
};

}  // namespace

void space(LogicalLine &line) {
  if (!line.tokens.empty()) Spacer(line).run();
}

}  // namespace tessera::frontend::fmt
