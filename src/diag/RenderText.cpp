#include "diag/Render.h"
#include "diag/RenderShared.h"
#include "diag/RenderSnippet.h"
#include "diag/RenderWidth.h"
#include <algorithm>

namespace tessera::diag {
namespace {

/// Text that may hold what the user wrote: control characters must not reach the terminal.
std::string safe(std::string_view text) {
  std::string out;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '\n') continue;
    out += printable(text.substr(begin, i - begin));
    if (i < text.size()) out += '\n';
    begin = i + 1;
  }
  return out;
}

std::string indented(std::string text, unsigned by) {
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) text.insert(at + 1, by, ' ');
  return text;
}

}  // namespace

Findings findingsOf(const Engine &engine, const Sources &sources) {
  Findings findings;
  for (const Diagnostic *d : engine.byCause()) findings.push_back({d, &sources});
  return findings;
}

Shortened shortened(const Findings &findings) {
  Shortened result;
  std::map<std::string, size_t> seen;
  for (const Finding &finding : findings) {
    std::string code(row(finding.diagnostic->id).code);
    if (seen[code]++ < kMostOfOneCode) result.shown.push_back(finding);
    else ++result.hidden[code];
  }
  return result;
}

std::string Shortened::text() const {
  std::string out;
  for (const auto &[code, count] : hidden)
    out += counted(count, "more message") + " of " + code + (count == 1 ? " is" : " are") + " not shown\n";
  return out;
}

std::string renderText(const Diagnostic &d, const Sources &sources, TextStyle textStyle) {
  Paint paint(textStyle.colour);
  unsigned gutter = gutterWidth(sources, d.span);
  for (const Note &note : d.notes) gutter = std::max(gutter, gutterWidth(sources, note.span));
  for (const Fix &fix : d.fixes) gutter = std::max(gutter, gutterWidth(sources, fix.span));
  SnippetStyle style{paint, gutter, std::max(textStyle.width, 40u)};

  std::string code(row(d.id).code);
  std::string out = paint.severity(d.severity, std::string(wordOf(d.severity)) + "[" + code + "]") +
                    paint.bold(": " + safe(d.message)) + "\n";
  out += snippet(sources, d.span, d.severity, safe(d.label), style);
  bool snippetAbove = d.span.valid();
  for (const Note &note : d.notes) {
    if (note.span.valid()) {
      out += paint.severity(Severity::Note, "note") + ": " + safe(note.text) + "\n";
      out += snippet(sources, note.span, Severity::Note, "", style);
      snippetAbove = true;
      continue;
    }
    if (snippetAbove) out += paint.gutter(std::string(gutter, ' ') + " |") + "\n";
    snippetAbove = false;
    out += paint.gutter(std::string(gutter, ' ') + " = ") + paint.help("help") + ": " + indented(safe(note.text), gutter + 9) + "\n";
  }
  for (const Fix &fix : d.fixes) {
    out += paint.help("help") + ": " + safe(fix.title) + "\n";
    out += editSnippet(sources, fix, style);
  }
  return out;
}

std::string renderText(const Engine &engine, const Sources &sources, TextStyle style) {
  std::string out;
  size_t errors = 0, warnings = 0;
  for (const Diagnostic *d : engine.byCause()) {
    errors += d->severity == Severity::Error;
    warnings += d->severity == Severity::Warning;
  }
  Shortened findings = shortened(findingsOf(engine, sources));
  for (const Finding &finding : findings.shown) out += renderText(*finding.diagnostic, sources, style) + "\n";
  out += findings.text();
  if (errors + warnings == 0) return out;
  std::string summary;
  if (errors) summary = counted(errors, "error");
  if (warnings) summary += (errors ? ", " : "") + counted(warnings, "warning");
  return out + Paint(style.colour).severity(errors ? Severity::Error : Severity::Warning, summary) + "\n";
}

}  // namespace tessera::diag
