#include "diag/Render.h"
#include "diag/RenderShared.h"

namespace tessera::diag {
namespace {

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

Json jsonOf(const Diagnostic &d, const Sources &sources) {
  const Row &r = row(d.id);
  Json one = {{"code", r.code}, {"name", r.name}, {"severity", wordOf(d.severity)}, {"message", d.message}};
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
    Json entry = {{"title", fix.title}, {"replacement", fix.replacement}, {"applicability", wordOf(fix.applicability)}};
    addPlace(entry, sources, fix.span);
    one["fixes"].push_back(std::move(entry));
  }
  return one;
}

}  // namespace

std::string renderJson(const Shortened &findings, const RunSummary *summary) {
  Json out = {{"diagnostics", Json::array()}};
  for (const Finding &finding : findings.shown) out["diagnostics"].push_back(jsonOf(*finding.diagnostic, *finding.sources));
  for (const auto &[code, count] : findings.hidden) out["notShown"][code] = count;
  if (summary)
    out["summary"] = {{"files", summary->files},
                      {"filesWithErrors", summary->filesWithErrors},
                      {"fromCache", summary->fromCache},
                      {"unreadable", summary->unreadable},
                      {"errors", summary->errors},
                      {"warnings", summary->warnings},
                      {"seconds", summary->seconds}};
  return dumped(out);
}

std::string renderJson(const Engine &engine, const Sources &sources) { return renderJson(shortened(findingsOf(engine, sources))); }

}  // namespace tessera::diag
