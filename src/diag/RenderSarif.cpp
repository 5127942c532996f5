// SARIF 2.1.0 (OASIS standard of 2020-03-27): section numbers below are its.
#include "diag/Render.h"
#include "diag/RenderShared.h"
#include <cctype>
#include <map>

namespace tessera::diag {
namespace {

/// A path as a URI reference: what RFC 3986 does not allow is percent-encoded. Relative paths stay relative (3.4.3).
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

/// Lines and columns from 1, the end behind the last character (3.30); columns count code points, as the run says.
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
  return {{"description", {{"text", fix.title}}},
          {"artifactChanges", Json::array({change})},
          {"properties", {{"applicability", wordOf(fix.applicability)}}}};
}

Json result(const Finding &finding, size_t ruleIndex) {
  const Diagnostic &d = *finding.diagnostic;
  const Sources &sources = *finding.sources;
  std::string text = d.message;
  if (!d.label.empty()) text += ": " + d.label;
  for (const Note &note : d.notes)
    if (!placed(sources, note.span)) text += "\n" + note.text;
  Json one = {{"ruleId", row(d.id).code}, {"ruleIndex", ruleIndex}, {"level", wordOf(d.severity)}, {"message", {{"text", text}}}};
  if (placed(sources, d.span)) one["locations"] = Json::array({location(sources, d.span)});
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
  if (!related.empty()) one["relatedLocations"] = std::move(related);
  if (!fixes.empty()) one["fixes"] = std::move(fixes);
  return one;
}

/// "A name that is not known" of the page "# E0200: A name that is not known".
std::string titleOf(std::string_view page) {
  std::string_view line = page.substr(0, page.find('\n'));
  size_t colon = line.find(": ");
  return colon == std::string_view::npos ? std::string() : std::string(line.substr(colon + 2));
}

/// A reporting descriptor (3.49); its help is the explanation page.
Json rule(const Row &r, const PageOf &pageOf) {
  std::string page(pageOf ? pageOf(r.code) : std::string_view());
  std::string title = titleOf(page);
  Json one = {{"id", r.code}, {"name", r.name}, {"shortDescription", {{"text", title.empty() ? std::string(r.text) : title}}}};
  if (!page.empty()) one["help"] = {{"text", page}, {"markdown", page}};
  one["defaultConfiguration"] = {{"level", wordOf(r.severity)}};
  return one;
}

}  // namespace

std::string renderSarif(const Findings &findings, const SarifTool &tool) {
  Json rules = Json::array(), results = Json::array();
  std::map<Id, size_t> ruleIndex;  // rules in the order in which they first occur
  for (const Finding &finding : findings) {
    Id id = finding.diagnostic->id;
    auto [it, inserted] = ruleIndex.try_emplace(id, rules.size());
    if (inserted) rules.push_back(rule(row(id), tool.pageOf));
    results.push_back(result(finding, it->second));
  }
  Json driver = {{"name", tool.name}, {"semanticVersion", tool.version}, {"rules", std::move(rules)}};
  Json run = {{"tool", {{"driver", std::move(driver)}}}, {"columnKind", "unicodeCodePoints"}, {"results", std::move(results)}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

}  // namespace tessera::diag
