// Messages: where a mistake shows, and what its text says of values.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

using diag::Id;

/// Where a mistake is reported: one that shows in the text of the standard library was made where that is called, in
/// the argument if it is one that does not fit.
Span placeOf(const Context &cx, Span span);
/// The way from the program to a mistake inside of what it calls. Functions that are checked by themselves, too, are
/// wrong without a call.
void noteCalls(const Context &cx, diag::Builder &builder, Span span);
/// "[M, K]", with the user's names.
std::string shapeText(const Context &cx, const std::vector<Dim> &shape);
/// A dimension or a claim with the user's names.
std::string show(const Context &cx, const Dim &dim);
/// What a value is, for a message: "a tensor `[M, K]` of f32".
std::string describe(const Context &cx, const Value &value);
/// Reports what parses and has no meaning yet. `instead`: what can be written; may be empty.
Value unsupported(Context &cx, const std::string &what, Span span, const std::string &instead = {});

/// "`x`", but "the result": what is no name stays as it is.
inline std::string quoted(std::string_view name) {
  std::string text(name);
  return text.find(' ') == std::string::npos ? "`" + text + "`" : text;
}

/// Reports a mistake, which makes what it is about a failure.
template <class... Holes> diag::Builder report(Context &cx, Id id, Span span, const Holes &...holes) {
  Span place = placeOf(cx, span);
  cx.reportedSpans.insert({static_cast<int>(id), place.file, place.begin});
  ++cx.failures;
  diag::Builder builder = cx.diagnostics.report(id, place, holes...);
  noteCalls(cx, builder, span);
  return builder;
}
/// A message that does not make what it is about a failure.
template <class... Holes> diag::Builder warn(Context &cx, Id id, Span span, const Holes &...holes) {
  cx.reportedSpans.insert({static_cast<int>(id), span.file, span.begin});
  return cx.diagnostics.report(id, span, holes...);
}
/// Counts a failure; false if this was reported at this place before (a callee is traced once for each call).
inline bool fresh(const Context &cx, Id id, Span span) {
  ++cx.failures;
  Span place = placeOf(cx, span);
  return !cx.reportedSpans.count({static_cast<int>(id), place.file, place.begin});
}

}  // namespace tessera::sema
