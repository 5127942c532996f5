// Edits that are tried in memory: the program is checked again with each, and what is said then tells whether it mends.
#pragma once
#include "sema/Check.h"
#include "sema/advice/Excerpt.h"
#include "sema/advice/Place.h"
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace tessera::sema {

/// How often a message was given, and about which words. Places move with an edit, so they do not count.
struct Said {
  int times = 0;
  uint32_t end = 0;  // of the last place
  std::set<std::string, std::less<>> words;
  std::set<std::string> facts;  // that were offered for `where`
};
using Messages = std::map<std::pair<diag::Id, std::string>, Said>;
Messages messagesOf(const std::vector<diag::Diagnostic> &diagnostics, size_t from, const Sources &sources);

/// Whether an edit narrows the program, or is one that only the author can choose.
inline bool assumes(const diag::Fix &fix) { return fix.applicability == diag::Applicability::Assumption; }

/// The part of the program that an edit is tried in, and what is said about it without the edit.
struct Part {
  Excerpt excerpt;
  Messages before;
};

class Trials {
public:
  Trials(const ast::Module &module, const Sources &sources, const ModuleLoader &load, const CheckOptions &options,
         Messages all);

  /// Where edits for this message are tried: the function it is about alone, if it is said there, too.
  const Part &partFor(const diag::Diagnostic &target, const Place &place);

  /// Whether this edit takes the message away and brings no other.
  /// `untried`: what is said where that could not be tried.
  bool mends(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part, bool untried = false);
  /// ... and leaves none of these, which would hide what it brings.
  bool mends(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part,
             const std::set<Messages::key_type> &others);
  /// ... in the whole program, with the callers of the function.
  bool mendsAll(const diag::Fix &fix, const diag::Diagnostic &target) { return mends(fix, target, whole_); }

  /// The other messages of the same part that an edit which mends this one takes away with it.
  std::set<Messages::key_type> mendedToo(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part);
  /// ... of the whole program: what a function declares, its callers read.
  std::set<Messages::key_type> mendedInAll(const diag::Fix &fix, const diag::Diagnostic &target) { return mendedToo(fix, target, whole_); }

  /// The assumption with those that are missing besides once it holds, for each axis one; nothing if all of them do not
  /// mend it.
  std::optional<diag::Fix> completed(diag::Fix fix, const diag::Diagnostic &target, const Part &part);

  /// Whether it takes the message away, whatever comes to light then. Also true where that could not be tried.
  bool helps(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part);

  /// How many messages about the whole program are left with it; nothing if that could not be tried.
  std::optional<size_t> leftWith(const diag::Fix &fix);

  /// Whether no more is tried.
  bool isSpent() const;
  /// Some more may be tried, of what the author has to be shown besides: what is declared.
  void allowMore() { most_ = std::max(most_, kMostTrials + kMostBesides); }
  /// ... and so many guesses.
  void allowGuesses(size_t count) { most_ = std::max(most_, std::min(trials_ + count, kMostTrials + kMostBesides + kMostGuesses)); }

private:
  /// At most so many times is the program checked again for all messages together.
  static constexpr size_t kMostTrials = 240, kMostBesides = 32, kMostGuesses = 180;

  const Part &partAt(Span place);
  const std::string &text() const { return sources_.file(module_.file).text; }
  bool isOpen(const Messages &after, const Part &part) const;
  bool isMended(const Messages &after, const diag::Diagnostic &target, const Part &part, const diag::Fix &fix) const;
  bool isGone(const Messages &after, const diag::Diagnostic &target, const Messages &before,
              const diag::Fix &fix) const;
  std::optional<Messages> with(const diag::Fix &fix, const Part &part);
  size_t bytesOf(const std::string &text) const;
  std::optional<Messages> check(std::string text);

  const ast::Module &module_;
  const Sources &sources_;
  const ModuleLoader &load_;
  CheckOptions options_;
  std::shared_ptr<LibraryScopes> library_;  // is evaluated once for all of them
  Part whole_;
  std::map<std::string, Part> parts_;                     // by their texts
  std::map<const ast::Stmt *, const Part *> partOf_;      // by the statement of the module that a message points into
  std::map<std::string, std::optional<Messages>> tried_;  // several edits may come to one text
  size_t trials_ = 0, bytes_ = 0, most_ = kMostTrials;
  bool untried_ = false;  // the last edit, as enough was tried already
  bool hurried_ = false;  // nobody waits for edits any more
};

}  // namespace tessera::sema
