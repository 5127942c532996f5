// What the renderers share.
#pragma once
#include "diag/Diagnostic.h"
#include "support/Sources.h"
#include <nlohmann/json.hpp>

namespace tessera::diag {

using Json = nlohmann::ordered_json;

inline const char *wordOf(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Note: return "note";
  }
  return "note";
}
inline const char *wordOf(Applicability applicability) {
  switch (applicability) {
  case Applicability::Certain: return "certain";
  case Applicability::Suggestion: return "suggestion";
  case Applicability::Assumption: return "assumption";
  }
  return "assumption";
}
inline bool placed(const Sources &sources, Span span) { return span.valid() && span.file < sources.size(); }
/// Text of a program need not be UTF-8; JSON must be, so wrong bytes become U+FFFD.
inline std::string dumped(const Json &json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace tessera::diag
