// What `ide` says in the shapes of the protocol.
#include "lsp/Server.h"
#include "lsp/Uri.h"
#include <algorithm>

namespace tessera::lsp {

namespace {
Json json(Position p) { return {{"line", p.line}, {"character", p.character}}; }
Json rangeIn(const Positions &positions, uint32_t begin, uint32_t end) {
  return {{"start", json(positions.position(begin))}, {"end", json(positions.position(end))}};
}
}  // namespace

int Server::kindOf(ide::SymbolKind kind) {  // SymbolKind of the protocol
  switch (kind) {
  case ide::SymbolKind::Function:
  case ide::SymbolKind::Kernel: return 12;
  case ide::SymbolKind::Method: return 6;
  case ide::SymbolKind::Struct: return 23;
  case ide::SymbolKind::Field: return 8;
  case ide::SymbolKind::Constant: return 14;
  case ide::SymbolKind::Dimension:
  case ide::SymbolKind::DTypeParameter: return 26;
  case ide::SymbolKind::Import: return 2;
  default: return 13;
  }
}
Json Server::rangeOf(const Positions &positions, Span span) { return rangeIn(positions, span.begin, span.end); }
Json Server::range(const std::string &text, Span span) { return rangeIn(positions_(text, encoding_), span.begin, span.end); }

Json Server::location(const Sources &sources, Span span) {
  std::string uri = uriOfSource(sources, span.file);
  if (uri.empty()) return nullptr;
  return {{"uri", uri}, {"range", range(sources.file(span.file).text, span)}};
}

uint32_t Server::offsetOf(const Document &document, const Json &position) const {
  auto number = [&](const char *name) {
    int64_t value = position.at(name).get<int64_t>();
    return static_cast<uint32_t>(std::clamp<int64_t>(value, 0, UINT32_MAX));
  };
  return positions_(document.text, encoding_).offset({number("line"), number("character")});
}

Json Server::edits(const std::string &text, const std::vector<ide::TextEdit> &list) {
  const Positions &positions = positions_(text, encoding_);
  Json out = Json::array();
  for (const ide::TextEdit &edit : list) out.push_back({{"range", rangeIn(positions, edit.begin, edit.end)}, {"newText", edit.text}});
  return out;
}

Json Server::diagnostic(const Document &document, const diag::Diagnostic &d) {
  const Analysis &found = *document.analysis;
  const diag::Row &row = diag::row(d.id);
  std::string message = d.message;
  if (!d.label.empty()) message += "\n" + d.label;
  Json related = Json::array();
  for (const diag::Note &note : d.notes) {
    Json place = note.span.valid() ? location(found.sources(), note.span) : Json(nullptr);
    if (place.is_null()) message += "\nhelp: " + note.text;
    else related.push_back({{"location", std::move(place)}, {"message", note.text}});
  }
  Span span = d.span.valid() ? d.span : Span{found.file(), 0, 0};
  Json out = {{"range", range(found.sources().file(span.file).text, span)},
              {"severity", d.severity == diag::Severity::Error ? 1 : d.severity == diag::Severity::Warning ? 2 : 3},
              {"code", std::string(row.code)},
              {"source", "tessera"},
              {"message", message}};
  if (!related.empty()) out["relatedInformation"] = std::move(related);
  if (row.name == "unreadFunction") out["tags"] = {1};  // shown faded
  return out;
}

}  // namespace tessera::lsp
