// Raw tokens to logical lines: line breaks inside brackets are dropped, comments set aside, brackets made to match,
// characters and literals that cannot be read reported.
#pragma once
#include "frontend/Layout.h"
#include <set>

namespace tessera::frontend {

struct Line {
  Tokens tokens;          // never empty
  uint32_t start = 0;     // offset of the physical line that the first token stands on
  bool reported = false;  // a message was given for something in it
};

class LineSplitter {
public:
  LineSplitter(const SourceFile &source, FileId file, diag::Engine &diagnostics);
  void run();
  std::vector<Line> lines;
  std::vector<ast::Comment> comments;

private:
  struct Open {
    uint32_t kind;
    Span span;
    uint32_t indent;   // of the physical line it stands on
    size_t chain = 0;  // operators at this level since its last comma
  };

  bool pass();
  void take(Token token);
  void newline();
  void physicalLine();
  void finishLine();
  bool headerGoesOn() const;
  bool oddlyContinued() const;

  // Brackets (Brackets.cpp).
  void open(Token token);
  void close(Token token);
  bool closesLater(size_t keep) const;
  bool braceBlock(Token token);
  void matchBraces();
  bool lineOpensBlock(const Tokens &tokens) const;
  bool closeParameters(bool report);
  void closeAll(uint32_t at, bool report);
  bool closeDimensions(bool report);
  bool mayCloseBefore() const;
  std::optional<uint32_t> behindEps() const;
  void closeLost(uint32_t at);
  void tooDeep(Token token, std::string_view what, size_t limit);
  void countChain(Token token);

  // Characters and literals (Characters.cpp).
  bool readable(Token &token);
  bool strayCharacter(Token &token);
  bool number(Token &token);
  void unterminated(Token &token);
  void mergeName(Token &token);
  bool touchesString(Token token) const;
  bool unopened(Token token, size_t index, char quote);
  void unclosed(Token token, char quote);
  bool forgottenQuote(Token token, char quote);
  bool transposedOrApostrophe(Token token, char quote);

  Span span(Token token) const { return {file_, token.begin, token.end}; }
  Span span(uint32_t begin, uint32_t end) const { return {file_, begin, end}; }
  const Token *next(size_t ahead = 0) const { return at_ + ahead < raw_.size() ? &raw_[at_ + ahead] : nullptr; }
  uint32_t indentAt(uint32_t offset) const;
  std::string_view word(Token token) const { return text_.substr(token.begin, token.end - token.begin); }
  /// The engine for a message about the current line, or null when the line has one already.
  diag::Engine *speak();

  const SourceFile &source_;
  std::string_view text_;
  FileId file_;
  diag::Engine &diagnostics_;
  Tokens raw_;
  size_t at_ = 0;  // the next raw token
  Line line_;
  std::vector<Open> open_;
  size_t chain_ = 0;             // over all open levels
  uint32_t indent_ = 0;          // of the current physical line
  size_t baseChain_ = 0;         // outside of brackets
  bool physicalStart_ = true;    // no token yet on this physical line
  bool colonSeen_ = false;       // a `:` outside of brackets in this line, which belongs to no `lambda`
  size_t lambdas_ = 0;           // outside of brackets, their `:` to come
  bool spoilt_ = false;          // the whole line is to become an ERROR_LINE
  bool brokenString_ = false;    // a string ran to the end of this physical line
  size_t skippedDepth_ = 0;      // inside brackets that nest too deep
  std::set<uint32_t> suspects_;  // openers that are known to be unclosed
  bool suspectAll_ = false;
  uint32_t unclosed_ = 0;        // the opener that made a pass fail
  std::set<size_t> droppedBraces_;
  std::vector<size_t> braces_;  // for each raw `{` the index of its `}`, else the number of tokens
};

}  // namespace tessera::frontend
