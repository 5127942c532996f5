// One text read and checked, with all that the features look at.
#pragma once
#include "driver/Session.h"
#include "ide/Ide.h"
#include <memory>
#include <optional>
#include <string>

namespace tessera::lsp {

class Analysis {
public:
  using Reader = driver::Session::Reader;
  /// Reads and checks `text` as the file `path`; files that it imports come from the reader. Never throws: a mistake of the
  /// compiler becomes a diagnostic.
  /// `past`: of the same file. `remember`: the text is one of its versions.
  static std::unique_ptr<Analysis> of(const std::string &path, const std::string &text, const Reader &reader, bool advice,
                                      std::shared_ptr<driver::Past> past, bool remember = true);

  const ide::View &view() const;
  /// All that is to be known about a place; of names in other functions as much as matters there.
  const ide::View &viewAt(uint32_t offset) const;
  const sema::FactTable &facts() const { return table_; }
  const std::string &text() const { return text_; }
  /// What is said about the text, with causes first.
  const diag::Engine &diagnostics() const { return said_->diagnostics; }
  const Sources &sources() const { return said_->sources; }
  FileId file() const { return said_->module() ? said_->module()->file : kNoFile; }
  bool advised() const { return advised_; }
  /// The files that the result rests on, also those that were looked for in vain.
  std::vector<std::string> dependencies() const;

private:
  using SessionPtr = std::shared_ptr<driver::Session>;
  std::string text_;
  SessionPtr said_, facts_;  // with messages; with facts: of the same text, or of one without the lines that did not read
  sema::FactTable table_;
  struct Seen {
    Seen(const driver::Session &known, const sema::FactTable &facts, std::optional<uint32_t> around);
    ide::Names names;
    ide::View view;
  };
  std::unique_ptr<Seen> seen(std::optional<uint32_t> around) const;
  mutable std::unique_ptr<Seen> whole_, near_;
  mutable uint32_t nearTo_ = 0;
  bool advised_ = false;
};

}  // namespace tessera::lsp
