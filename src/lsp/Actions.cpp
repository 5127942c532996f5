// Edits for what is wrong, who calls whom, and what can be done with a function.
#include "diag/Edits.h"
#include "driver/check/Fix.h"
#include "lsp/Server.h"
#include <algorithm>

namespace tessera::lsp {

namespace {
bool wants(const Json &params, const std::string &kind) {
  auto context = params.find("context");
  if (context == params.end() || !context->contains("only") || !context->at("only").is_array()) return true;
  for (const Json &only : context->at("only"))
    if (only.is_string() && (kind == only.get<std::string>() || kind.rfind(only.get<std::string>() + ".", 0) == 0)) return true;
  return false;
}
}  // namespace

Json Server::codeActions(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document, true);  // with edits found by trial
  uint32_t begin = offsetOf(document, params.at("range").at("start")), end = offsetOf(document, params.at("range").at("end"));
  Json out = Json::array();
  size_t certain = 0;
  for (const diag::Diagnostic *d : found.diagnostics().byCause()) {
    if (diag::fixOf(*d, false)) ++certain;
    bool here = d->span.valid() && d->span.file == found.file() && d->span.begin <= end && begin <= d->span.end;
    for (const diag::Fix &fix : d->fixes) {
      bool touches = fix.span.file == found.file() && fix.span.begin <= end && begin <= fix.span.end;
      if (fix.span.file != found.file() || !(here || touches) || !wants(params, "quickfix")) continue;
      std::string title = fix.title.empty() ? diag::editText(fix, found.sources()) : fix.title;
      out.push_back({{"title", title},
                     {"kind", "quickfix"},
                     {"isPreferred", fix.applicability == diag::Applicability::Certain},
                     {"diagnostics", {diagnostic(document, *d)}},
                     {"edit", {{"changes", {{document.uri, edits(document.text, {{fix.span.begin, fix.span.end, fix.replacement}})}}}}}});
    }
  }
  if (wants(params, "tessera.whyNot") && !found.diagnostics().hasErrors())
    if (auto action = whyNotAction(document, found.view(), begin)) out.push_back(std::move(*action));
  if (certain > 0 && wants(params, "source.fixAll"))
    out.push_back({{"title", "Apply all certain fixes of this file"}, {"kind", "source.fixAll"}, {"data", {{"uri", document.uri}, {"version", document.version}}}});
  return out;
}

/// "Fix all": as `tessera check --fix` does it, again and again until nothing is left.
Json Server::resolveCodeAction(Json action) {
  auto data = action.find("data");
  if (data == action.end()) return action;
  Document &document = required({{"textDocument", {{"uri", data->at("uri")}}}});
  driver::Texts texts;
  for (const auto &[path, open] : documents_) texts.replace(path, open.text);
  driver::FixOutcome outcome = driver::applyAllFixes({document.path}, texts, false);
  for (const driver::FixedFile &file : outcome.files)
    action["edit"] = {{"changes", {{document.uri, edits(document.text, ide::lineEdits(file.before, file.after))}}}};
  return action;
}

// ---------------------------------------------------------------- calls

namespace {
/// The function that a name at the offset means, as the index of its symbol.
std::optional<uint32_t> functionSymbol(const ide::View &view, uint32_t offset) {
  const ide::Occurrence *at = view.names.at(offset);
  if (!at || !view.names.symbols()[at->symbol].function) return std::nullopt;
  return at->symbol;
}
}  // namespace

Json Server::callHierarchyItems(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  auto symbol = functionSymbol(found.view(), offsetOf(document, params.at("position")));
  if (!symbol) return nullptr;
  const ide::Symbol &s = found.view().names.symbols()[*symbol];
  return Json::array({{{"name", s.name}, {"kind", 12}, {"uri", document.uri}, {"range", range(document.text, s.function->span)},
                       {"selectionRange", range(document.text, s.definition)}}});
}

Json Server::callers(const Json &params) {
  const Json &item = params.at("item");
  Document &document = required({{"textDocument", {{"uri", item.at("uri")}}}});
  const Analysis &found = analysis(document);
  const ide::Names &names = found.view().names;
  auto symbol = functionSymbol(found.view(), offsetOf(document, item.at("selectionRange").at("start")));
  if (!symbol) return nullptr;
  std::map<const ast::FuncDef *, Json> places;
  for (const ide::Occurrence &o : names.of(*symbol)) {
    const ast::FuncDef *around = o.use == ide::UseKind::Definition ? nullptr : names.functionAt(o.place.begin);
    if (around) places.try_emplace(around, Json::array()).first->second.push_back(range(document.text, o.place));
  }
  Json out = Json::array();
  for (auto &[def, ranges] : places)
    out.push_back({{"from", {{"name", def->name.text}, {"kind", 12}, {"uri", document.uri}, {"range", range(document.text, def->span)},
                             {"selectionRange", range(document.text, def->name.span)}}},
                   {"fromRanges", std::move(ranges)}});
  return out;
}

Json Server::callees(const Json &params) {
  const Json &item = params.at("item");
  Document &document = required({{"textDocument", {{"uri", item.at("uri")}}}});
  const Analysis &found = analysis(document);
  const ide::Names &names = found.view().names;
  auto symbol = functionSymbol(found.view(), offsetOf(document, item.at("selectionRange").at("start")));
  if (!symbol) return nullptr;
  const ast::FuncDef *def = names.symbols()[*symbol].function;
  std::map<uint32_t, Json> places;
  for (const ide::Occurrence &o : names.occurrences()) {
    bool inside = def->span.begin <= o.place.begin && o.place.end <= def->span.end && o.use == ide::UseKind::Read;
    if (inside && names.symbols()[o.symbol].function)
      places.try_emplace(o.symbol, Json::array()).first->second.push_back(range(document.text, o.place));
  }
  Json out = Json::array();
  for (auto &[index, ranges] : places) {
    const ide::Symbol &s = names.symbols()[index];
    out.push_back({{"to", {{"name", s.name}, {"kind", 12}, {"uri", document.uri}, {"range", range(document.text, s.function->span)},
                           {"selectionRange", range(document.text, s.definition)}}},
                   {"fromRanges", std::move(ranges)}});
  }
  return out;
}

Json Server::codeLenses(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  Json out = Json::array();
  for (const ide::OutlineItem &item : ide::outlineOf(found.view())) {
    bool function = item.kind == ide::SymbolKind::Function || item.kind == ide::SymbolKind::Kernel;
    if (!function || item.name[0] == '_') continue;
    Json place = range(document.text, {item.whole.file, item.whole.begin, item.whole.begin});
    if (item.name == "main") {
      out.push_back({{"range", place}, {"command", {{"title", "Run"}, {"command", "tessera.run"}, {"arguments", {document.uri}}}}});
      continue;
    }
    for (const char *target : {"cuda", "hip", "cpu"})
      out.push_back({{"range", place}, {"command", {{"title", std::string(target) == "cuda" ? "Emitted CUDA" : std::string(target) == "hip" ? "HIP" : "C++"},
                                                    {"command", "tessera.showEmitted"}, {"arguments", {document.uri, target, item.name}}}}});
    out.push_back({{"range", place}, {"command", {{"title", "Levels"}, {"command", "tessera.showLevel"}, {"arguments", {document.uri, item.name}}}}});
    out.push_back({{"range", place}, {"command", {{"title", "Run"}, {"command", "tessera.runFunction"}, {"arguments", {document.uri, item.name}}}}});
    out.push_back({{"range", place}, {"command", {{"title", "Memory plan"}, {"command", "tessera.memoryPlan"}, {"arguments", {document.uri, item.name}}}}});
    out.push_back({{"range", place}, {"command", {{"title", "Roofline"}, {"command", "tessera.roofline"}, {"arguments", {document.uri, item.name}}}}});
  }
  return out;
}

}  // namespace tessera::lsp
