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
  static std::unique_ptr<Analysis> of(const std::string &path, const std::string &text, const Reader &reader, bool advice);

  const ide::View &view() const { return *view_; }
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
  ide::Names names_;
  std::optional<ide::View> view_;
  bool advised_ = false;
};

}  // namespace tessera::lsp
