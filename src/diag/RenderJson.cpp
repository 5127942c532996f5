#include "diag/Render.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace tessera::diag {
namespace {

using Json = nlohmann::ordered_json;

const char *word(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Note: return "note";
  }
  return "note";
}

// Text of a program need not be UTF-8; JSON must be, so wrong bytes become U+FFFD.
std::string dumped(const Json &json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

bool placed(const Sources &sources, Span span) { return span.valid() && span.file < sources.size(); }

void addPlace(Json &to, const Sources &sources, Span span) {
  if (!placed(sources, span)) return;
  const SourceFile &file = sources.file(span.file);
  LineColumn begin = file.lineColumn(span.begin), end = file.lineColumn(span.end);
  to["file"] = file.path;
  to["line"] = begin.line;
  to["column"] = begin.column;
  to["endLine"] = end.line;
  to["endColumn"] = end.column;
  to["byteBegin"] = span.begin;
  to["byteEnd"] = span.end;
}

/// A path as a URI reference: what RFC 3986 does not allow is percent-encoded.
std::string uri(const std::string &path) {
  std::string out = !path.empty() && path[0] == '/' ? "file://" : "";
  const char *hex = "0123456789ABCDEF";
  for (unsigned char c : path) {
    bool kept = std::isalnum(c) || std::string_view("-._~/").find(static_cast<char>(c)) != std::string_view::npos;
    if (kept) out += static_cast<char>(c);
    else out += {'%', hex[c >> 4], hex[c & 15]};
  }
  return out;
}

Json region(const SourceFile &file, Span span) {
  LineColumn begin = file.lineColumn(span.begin), end = file.lineColumn(span.end);
  return {{"startLine", begin.line}, {"startColumn", begin.column}, {"endLine", end.line}, {"endColumn", end.column}};
}

Json location(const Sources &sources, Span span) {
  const SourceFile &file = sources.file(span.file);
  return {{"physicalLocation", {{"artifactLocation", {{"uri", uri(file.path)}}}, {"region", region(file, span)}}}};
}

Json sarifFix(const Sources &sources, const Fix &fix) {
  const SourceFile &file = sources.file(fix.span.file);
  Json replacement = {{"deletedRegion", region(file, fix.span)}, {"insertedContent", {{"text", fix.replacement}}}};
  Json change = {{"artifactLocation", {{"uri", uri(file.path)}}}, {"replacements", Json::array({replacement})}};
  return {{"description", {{"text", fix.title}}}, {"artifactChanges", Json::array({change})}};
}

Json sarifResult(const Sources &sources, const Diagnostic &d, size_t ruleIndex) {
  std::string text = d.message;
  if (!d.label.empty()) text += ": " + d.label;
  for (const Note &note : d.notes)
    if (!placed(sources, note.span)) text += "\n" + note.text;
  Json result = {{"ruleId", row(d.id).code}, {"ruleIndex", ruleIndex}, {"level", word(d.severity)}, {"message", {{"text", text}}}};
  if (placed(sources, d.span)) result["locations"] = Json::array({location(sources, d.span)});
  Json related = Json::array(), fixes = Json::array();
  for (const Note &note : d.notes) {
    if (!placed(sources, note.span)) continue;
    Json place = location(sources, note.span);
    place["id"] = related.size();
    place["message"] = {{"text", note.text}};
    related.push_back(std::move(place));
  }
  for (const Fix &fix : d.fixes)
    if (placed(sources, fix.span)) fixes.push_back(sarifFix(sources, fix));
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  if (!fixes.empty()) result["fixes"] = std::move(fixes);
  return result;
}

}  // namespace

std::string renderJson(const Engine &engine, const Sources &sources) {
  Json list = Json::array();
  for (const Diagnostic &d : engine.all()) {
    Json one = {{"code", row(d.id).code}, {"name", row(d.id).name}, {"severity", word(d.severity)}, {"message", d.message}};
    if (!d.label.empty()) one["label"] = d.label;
    addPlace(one, sources, d.span);
    one["notes"] = Json::array();
    for (const Note &note : d.notes) {
      Json entry = {{"message", note.text}};
      addPlace(entry, sources, note.span);
      one["notes"].push_back(std::move(entry));
    }
    one["fixes"] = Json::array();
    for (const Fix &fix : d.fixes) {
      Json entry = {{"title", fix.title}, {"replacement", fix.replacement}};
      addPlace(entry, sources, fix.span);
      one["fixes"].push_back(std::move(entry));
    }
    list.push_back(std::move(one));
  }
  return dumped({{"diagnostics", std::move(list)}});
}

std::string renderSarif(const Engine &engine, const Sources &sources) {
  Json rules = Json::array(), results = Json::array();
  std::map<Id, size_t> ruleIndex;  // rules in the order in which they first occur
  for (const Diagnostic &d : engine.all()) {
    auto [it, inserted] = ruleIndex.try_emplace(d.id, rules.size());
    const Row &r = row(d.id);
    if (inserted)
      rules.push_back({{"id", r.code}, {"name", r.name}, {"shortDescription", {{"text", r.text}}},
                       {"defaultConfiguration", {{"level", word(r.severity)}}}});
    results.push_back(sarifResult(sources, d, it->second));
  }
  Json run = {{"tool", {{"driver", {{"name", "tesserac"}, {"rules", std::move(rules)}}}}},
              {"columnKind", "unicodeCodePoints"},
              {"results", std::move(results)}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

}  // namespace tessera::diag
