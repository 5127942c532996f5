// What to say about a statement that does not fit the grammar, and tokens in its place that do. Looks for the mistakes
// that people make, says what was meant, and mends it, so that the rest of the statement is still read.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/GrammarParser.h"
#include "frontend/Token.h"
#include "support/Sources.h"
#include <map>
#include <string>

namespace tessera::frontend {

class Repair {
public:
  /// `reported`: where lines begin that have a message already.
  Repair(const SourceFile &source, FileId file, diag::Engine &diagnostics, Tokens tokens, const std::vector<uint32_t> &reported);
  const Tokens &tokens() const { return tokens_; }
  /// Where the lines are that have a message.
  std::vector<Span> reported() const;
  /// From here on the whole statement counts as unreadable.
  void giveUp() { attempts_ = SIZE_MAX - 1; }
  /// Gives a message for the place where the grammar stopped, and changes the tokens there.
  void mend(const Failure &failure);

private:
  /// A way to see one kind of mistake: reports, mends and returns true when it is that one.
  using Detector = bool (Repair::*)();

  // Words and punctuation of other languages (ForeignMistakes.cpp).
  bool foreignComment();
  bool foreignOperator();
  bool opensLambda() const;
  bool typedLambda();
  bool joinsBrackets(size_t sign) const;
  bool increment();
  bool launch();
  bool elseIf();
  bool foreignFunction();
  bool foreignDeclaration();
  bool foreignLoop();
  std::string countedLoop() const;
  bool arrowFunction(size_t arrow);
  bool choiceInFront();
  bool foreignConditional();
  bool namesTensor(size_t from, size_t to) const;
  bool foreignCast();
  bool foreignWord();
  bool countedRange();
  bool printStatement();
  bool braces();

  // Headers of functions and policies (SignatureMistakes.cpp).
  bool isDef() const;
  size_t headerEnd(size_t from) const;
  size_t closing(size_t inside) const;
  bool holdFacts(size_t from, size_t end) const;
  bool misplacedFacts();
  bool factsInBrackets();
  bool factsBehindColon();
  bool factsBeforeResult();
  bool factsWithoutWhere();
  bool severalResults();
  bool angleParameters();
  bool angleArguments();
  bool namesType(size_t index) const;
  bool typeFirst();
  bool wrongArrow();
  bool policyBlock();
  std::string policyFields(size_t &at) const;

  // Things left out or in the wrong place (Mistakes.cpp).
  bool continuedLine();
  bool orphanClause();
  bool lonelyDecorator();
  bool insideChoice() const;
  bool assignInCondition();
  bool missingIn();
  bool innerQuote();
  bool strayMark();
  bool keywordAsName();
  bool usesAsName(size_t index, size_t depth) const;
  void renameKeyword(size_t index, bool everywhere);
  bool missingParameters();
  bool missingName();
  bool missingValue();
  bool missingColon();
  bool misspeltKeyword();
  bool unknownBlock();
  bool missingComma();
  bool missingArrow();
  bool secondStatement();
  bool expected();
  bool anythingElse();

  // Tokens (Repair.cpp).
  void locate(size_t index);
  void giveUpLine();
  void loseLine();
  bool afterReportedLine() const;
  bool giveUpHeader();
  void dropRest();
  void missing(size_t index, std::string where);
  void replace(size_t index, uint32_t kind) { tokens_[index].kind = kind; }
  void insert(size_t index, uint32_t kind);
  void erase(size_t index, size_t count = 1);
  uint32_t kind(size_t index) const { return tokens_[index].kind; }
  bool touching(size_t index, uint32_t first, uint32_t second) const;
  std::string_view word(size_t index) const;
  void sharedMemory(diag::Builder &report);
  std::string textOf(size_t first, size_t last) const;
  bool hasBlock() const;
  bool isWord(size_t index, std::string_view text) const;
  Span span(size_t index) const { return {file_, tokens_[index].begin, tokens_[index].end}; }
  Span span(size_t first, size_t last) const { return {file_, tokens_[first].begin, tokens_[last].end}; }
  Span behind(size_t index) const { return {file_, tokens_[index].end, tokens_[index].end}; }
  Span visible(size_t index) const;
  std::string describe(size_t index) const;
  size_t depthAt(size_t index) const;
  uint32_t bracketAround(size_t index) const;
  bool isHeader() const;
  bool bracesHoldPairs() const;
  size_t find(uint32_t kind, size_t from) const;

  const SourceFile &source_;
  FileId file_;
  diag::Engine &diagnostics_;
  Tokens tokens_;
  struct LineState {
    size_t messages = 0, attempts = 0;
  };
  std::map<uint32_t, LineState> lines_;  // by where the line begins
  size_t attempts_ = 0;
  Failure failure_;
  size_t at_ = 0;                // the token that did not fit
  size_t first_ = 0, last_ = 0;  // its line: the first token, and its NEWLINE
};

}  // namespace tessera::frontend
