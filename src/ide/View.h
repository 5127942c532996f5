// One open file as it was read and checked: what all features of an editor look at. It owns nothing.
#pragma once
#include "diag/Diagnostic.h"
#include "ide/Names.h"
#include "sema/FactTable.h"
#include "support/Sources.h"
#include <string_view>
#include <vector>

namespace tessera::ide {

struct View {
  const Sources &sources;
  const ast::Module &module;
  const sema::FactTable &facts;
  const Names &names;
  std::vector<const ast::Module *> prelude{};  // the parts of the library that every program knows

  FileId file() const { return module.file; }
  const std::string &text() const { return sources.file(module.file).text; }
  std::string_view text(Span span) const { return sources.text(span); }
  uint32_t lineOf(uint32_t offset) const { return sources.file(module.file).lineColumn(offset).line; }
};

/// The fact about the smallest expression that holds the offset, or null.
const sema::Fact *factAt(const View &view, uint32_t offset);

}  // namespace tessera::ide
