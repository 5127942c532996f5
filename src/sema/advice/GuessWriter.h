// What the makers of guesses have in common: what the function has, and how one guess is added.
#pragma once
#include "sema/advice/EditWriter.h"
#include "sema/advice/Guesses.h"

namespace tessera::sema {

class GuessWriter : public EditWriter {
public:
  GuessWriter(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
  std::vector<Guess> taken() { return std::move(found_); }

protected:
  static constexpr size_t kMost = 1024;
  bool isFull() const { return found_.size() >= kMost; }

  void add(Operator op, Span span, const std::string &by, const std::string &title = {});
  /// What stands behind an expression then, which is put in parentheses where it has to be.
  void behind(Operator op, const ast::Expr &e, const std::string &what);
  void exchange(Operator op, Span a, Span b);
  void exchangeAll(Operator op, const std::vector<Span> &parts);
  /// The first of three parts or more behind the others, and the last one before them.
  void rotate(Operator op, const std::vector<Span> &parts, const std::string &title);
  /// A list without one of its parts, and the comma beside it.
  void without(Operator op, const std::vector<Span> &parts, size_t i);

  static std::string asWritten(std::string extent);
  static std::vector<Span> argumentSpans(const std::vector<ast::Argument> &arguments);
  static std::vector<Span> itemSpans(const ast::SequenceExpr &list);
  /// ... and of those that have this field.
  std::vector<std::string> fieldsBeside(const std::string &field) const;
  bool isInParentheses(const ast::Expr &e) const;
  bool isBound(const std::string &name) const;

  Reach reach_ = Reach::Part;
  std::set<std::string> dims_, numbers_, dtypes_, items_;
  std::vector<std::string> extents_;            // that the message says and that are declared
  std::vector<std::string> counters_, unread_;  // of the loops around the place; what has a value and is never read
  std::vector<std::string> unreadFields_;       // `p.w` of parameters

private:
  void collectFacts();
  bool behindDot(Span name) const;

  std::vector<Guess> found_;
  std::set<std::pair<std::pair<uint32_t, uint32_t>, std::string>> known_;
};

/// Edits of more than one place, and of what stands around an expression: targets, loops, products. (GuessesOfStatements.cpp)
std::vector<Guess> guessesOfStatements(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// What the function declares, what the functions and structs declare that the statement mentions. (GuessesOfHeads.cpp)
std::vector<Guess> guessesOfHeads(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);

}  // namespace tessera::sema
