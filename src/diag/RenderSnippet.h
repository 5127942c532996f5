// A piece of source under a message: numbered lines, carets, a label; and a fix shown as an edit.
#pragma once
#include "diag/Diagnostic.h"
#include "diag/Render.h"
#include "support/Sources.h"
#include <string>
#include <string_view>

namespace tessera::diag {

/// Colours by role; every function returns the text unchanged when colour is off.
class Paint {
public:
  explicit Paint(bool on) : on_(on) {}
  std::string severity(Severity severity, std::string_view text) const;
  std::string gutter(std::string_view text) const { return wrap("1;34", text); }
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string added(std::string_view text) const { return wrap("1;32", text); }
  std::string removed(std::string_view text) const { return wrap("1;31", text); }
  std::string help(std::string_view text) const { return wrap("1;36", text); }

private:
  std::string wrap(const char *code, std::string_view text) const;
  bool on_;
};

/// The width of the line-number column for a span that ends at this offset.
unsigned gutterWidth(const Sources &sources, Span span);

struct SnippetStyle {
  Paint paint;
  unsigned gutter;  // digits of the largest line number shown
  unsigned width;   // columns in all
};
/// The `-->` line, the source lines of the span, and its carets with the label.
std::string snippet(const Sources &sources, Span span, Severity severity, std::string_view label, const SnippetStyle &style);
/// The line (or lines) as the fix would leave them, with what changes marked.
std::string editSnippet(const Sources &sources, const Fix &fix, const SnippetStyle &style);

}  // namespace tessera::diag
