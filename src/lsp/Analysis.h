// One text read and checked, with all that the features look at.
#pragma once
#include "driver/Session.h"
#include "ide/Ide.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tessera::lsp {

/// What is found out is found out when it is first asked for: the text is read at once, and checked for its facts, for its
/// messages, or for both in one go where it reads.
class Analysis {
public:
  using Reader = driver::Session::Reader;
  /// Reads `text` as the file `path`; files that it imports come from the reader. Nothing here throws: a mistake of the
  /// compiler becomes a diagnostic.
  /// `past`: of the same file. `remember`: the text is one of its versions.
  static std::unique_ptr<Analysis> of(const std::string &path, const std::string &text, const Reader &reader,
                                      std::shared_ptr<driver::Past> past, bool remember = true);
  /// Looks for edits that mend what is wrong, if that was not done yet. `hurried` is asked while they are tried: once it is true, no more are,
  /// and what is said stays as it was. False then.
  bool seekEdits(const std::function<bool()> &hurried = nullptr);

  const ide::View &view() const;
  /// All that is to be known about a place; of names in other functions as much as matters there.
  const ide::View &viewAt(uint32_t offset) const;
  const sema::FactTable &facts() const;
  const std::string &text() const { return text_; }
  /// Whether nothing is wrong with the words and their order, so that facts are those of the text as it stands.
  bool reads() const { return reads_; }
  /// What is said about the text, with causes first.
  const diag::Engine &diagnostics() const;
  bool hasErrors() const { return !reads_ || diagnostics().hasErrors(); }
  const Sources &sources() const { return said_->sources; }
  FileId file() const { return said_->module() ? said_->module()->file : kNoFile; }
  bool advised() const { return options_.advice; }
  /// Milliseconds that were spent until now.
  double spent() const { return spent_; }
  /// The files that the result rests on, also those that were looked for in vain. Nothing: it is not checked yet.
  std::optional<std::vector<std::string>> dependencies() const;

private:
  using SessionPtr = std::shared_ptr<driver::Session>;
  void mend() const;
  std::string path_, text_;
  Reader reader_;
  std::shared_ptr<driver::Past> past_;
  sema::CheckOptions options_;
  SessionPtr said_;           // with messages
  mutable SessionPtr facts_;  // of the same text, or of one without the lines that did not read; null: not known yet
  mutable bool saidChecked_ = false, factsChecked_ = false;
  bool reads_ = false;
  mutable double spent_ = 0;
  mutable sema::FactTable table_;
  struct Seen {
    Seen(const driver::Session &known, const sema::FactTable &facts, std::optional<uint32_t> around);
    ide::Names names;
    ide::View view;
  };
  std::unique_ptr<Seen> seen(std::optional<uint32_t> around) const;
  mutable std::unique_ptr<Seen> whole_, near_;
  mutable uint32_t nearTo_ = 0;
};

}  // namespace tessera::lsp
