// Requests about a place or a whole text.
#include "lsp/Server.h"
#include <algorithm>
#include <functional>

namespace tessera::lsp {

namespace {
int itemKindOf(ide::Completion::Kind kind) {  // CompletionItemKind of the protocol
  using Item = ide::Completion::Kind;
  switch (kind) {
  case Item::Function: return 3;
  case Item::Method: return 2;
  case Item::Variable: return 6;
  case Item::Field: return 5;
  case Item::Struct: return 22;
  case Item::Module: return 9;
  case Item::Property: return 10;
  case Item::Keyword: return 14;
  case Item::Constant: return 21;
  case Item::Dimension:
  case Item::DType: return 25;
  case Item::Policy: return 15;
  }
  return 1;
}
Json markdown(const std::string &text) { return {{"kind", "markdown"}, {"value", text}}; }
}  // namespace

Json Server::hover(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  uint32_t offset = offsetOf(document, params.at("position"));
  auto hover = ide::hoverAt(found.viewAt(offset), offset);
  if (!hover) return nullptr;
  return {{"contents", markdown(hover->markdown)}, {"range", range(document.text, hover->place)}};
}

Json Server::definition(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  Json out = Json::array();
  for (Span span : ide::definitionsAt(found.view(), offsetOf(document, params.at("position"))))
    if (Json place = location(found.view().sources, span); !place.is_null()) out.push_back(std::move(place));
  return out;
}

Json Server::references(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  bool declaration = true;
  if (auto context = params.find("context"); context != params.end())
    declaration = context->value("includeDeclaration", true);
  Json out = Json::array();
  for (const ide::Occurrence &o : ide::referencesAt(found.view(), offsetOf(document, params.at("position"))))
    if (declaration || o.use != ide::UseKind::Definition)
      out.push_back({{"uri", document.uri}, {"range", range(document.text, o.place)}});
  for (const Elsewhere &file : usesElsewhere(document, offsetOf(document, params.at("position")))) {
    Positions positions(file.text, encoding_);
    for (Span place : file.places) out.push_back({{"uri", file.uri}, {"range", rangeOf(positions, place)}});
  }
  return out;
}

Json Server::highlights(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  Json out = Json::array();
  for (const ide::Occurrence &o : ide::referencesAt(found.view(), offsetOf(document, params.at("position"))))
    out.push_back({{"range", range(document.text, o.place)}, {"kind", o.use == ide::UseKind::Read ? 2 : 3}});
  return out;
}

Json Server::symbols(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  std::function<Json(const std::vector<ide::OutlineItem> &)> list = [&](const std::vector<ide::OutlineItem> &items) {
    Json out = Json::array();
    for (const ide::OutlineItem &item : items)
      out.push_back({{"name", item.name},
                     {"detail", item.detail},
                     {"kind", kindOf(item.kind)},
                     {"range", range(document.text, item.whole.to(item.nameSpan))},
                     {"selectionRange", range(document.text, item.nameSpan)},
                     {"children", list(item.children)}});
    return out;
  };
  return list(ide::outlineOf(found.view()));
}

/// The analysis that knows `wanted`, which stands before the cursor: of the whole text, or where that does not read yet, of
/// the text with `wanted` alone in its statement. `other` owns the second.
const Analysis &Server::analysisOf(Document &document, Span wanted, std::unique_ptr<Analysis> &other) {
  const Analysis &whole = analysis(document);
  wanted.file = whole.file();
  if (whole.reads() && whole.facts().at(wanted)) return whole;
  auto reader = [this](const std::string &path) { return read(path); };
  other = Analysis::of(document.path, ide::reducedTo(document.text, wanted), reader, document.past, false);
  bool known = other && other->facts().at({other->file(), wanted.begin, wanted.end});
  return known ? *other : whole;
}

Json Server::completion(const Json &params) {
  Document &document = required(params);
  uint32_t offset = offsetOf(document, params.at("position"));
  ide::Context context = ide::contextAt(document.text, 0, offset);
  if (context.kind == ide::Context::Kind::None) return Json::array();
  bool member = context.kind == ide::Context::Kind::Member;
  if (!member) context.object = {};
  if (context.callee.end <= context.callee.begin) context.callee = {};
  const Span wanted = member ? context.object : context.callee;
  std::unique_ptr<Analysis> other;
  const Analysis *found = wanted.end > wanted.begin ? &analysisOf(document, wanted, other) : &analysis(document);
  if (context.object.valid()) context.object.file = found->file();
  if (context.callee.valid()) context.callee.file = found->file();
  Json items = Json::array();
  Json word = range(document.text, {0, context.wordBegin, offset});
  for (const ide::Completion &item : ide::completionsOf(found->viewAt(offset), context, offset, lazyCompletions_)) {
    const std::string &text = item.insert.empty() ? item.label : item.insert;
    Json out = {{"label", item.label}, {"kind", itemKindOf(item.kind)}, {"sortText", item.sort + item.label}};
    if (!lazyCompletions_) out["textEdit"] = {{"range", word}, {"newText", text}};
    else if (text != item.label) out["textEditText"] = text;
    if (!item.detail.empty()) out["detail"] = item.detail;
    if (!item.doc.empty()) out["documentation"] = markdown(item.doc);
    items.push_back(std::move(out));
  }
  Json list = {{"isIncomplete", false}, {"items", std::move(items)}};
  if (lazyCompletions_) list["itemDefaults"] = {{"editRange", std::move(word)}, {"data", {{"uri", document.uri}}}};
  return list;
}

/// The details of a completion that was sent without them.
Json Server::resolveCompletion(Json item) {
  auto data = item.find("data");
  if (data == item.end() || item.contains("detail")) return item;
  const Analysis &found = analysis(required({{"textDocument", {{"uri", data->at("uri")}}}}));
  ide::Completion known;
  known.label = item.at("label");
  known.kind = item.value("kind", 0) == itemKindOf(ide::Completion::Kind::Method) ? ide::Completion::Kind::Method
                                                                                  : ide::Completion::Kind::Function;
  ide::describe(found.view(), known);
  if (!known.detail.empty()) item["detail"] = known.detail;
  if (!known.doc.empty()) item["documentation"] = markdown(known.doc);
  return item;
}

Json Server::signature(const Json &params) {
  Document &document = required(params);
  uint32_t offset = offsetOf(document, params.at("position"));
  ide::Context context = ide::contextAt(document.text, 0, offset);
  if (context.callee.end <= context.callee.begin) return nullptr;
  std::unique_ptr<Analysis> other;
  const Analysis *found = &analysisOf(document, context.callee, other);
  context.callee.file = found->file();
  auto help = ide::signatureHelp(found->viewAt(offset), context);
  if (!help) return nullptr;
  auto units = [&](size_t bytes) {  // the label is ASCII but for names of texts
    return Positions(help->label, encoding_).position(static_cast<uint32_t>(bytes)).character;
  };
  Json parameters = Json::array();
  for (size_t i = 0; i < help->parameters.size(); ++i) {
    const auto &[begin, end] = help->parameters[i];
    parameters.push_back({{"label", {units(begin), units(end)}}});
    if (!help->here[i].empty()) parameters.back()["documentation"] = markdown("Here: `" + help->here[i] + "`");
  }
  Json signature = {{"label", help->label}, {"parameters", std::move(parameters)}};
  if (!help->doc.empty()) signature["documentation"] = markdown(help->doc);
  return {{"signatures", {signature}}, {"activeSignature", 0}, {"activeParameter", help->active}};
}

Json Server::inlayHints(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  Span wanted{0, 0, static_cast<uint32_t>(document.text.size())};
  if (auto it = params.find("range"); it != params.end())
    wanted = {0, offsetOf(document, it->at("start")), offsetOf(document, it->at("end"))};
  const Positions &positions = positions_(document.text, encoding_);
  Json out = Json::array();
  std::vector<ide::InlayHint> hints = ide::inlayHints(found.view(), wanted);
  for (ide::InlayHint &hint : tileHints(document, found.view(), wanted)) hints.push_back(std::move(hint));
  for (const ide::InlayHint &hint : hints) {
    if (hint.offset < wanted.begin || hint.offset > wanted.end) continue;
    Position at = positions.position(hint.offset);
    out.push_back({{"position", {{"line", at.line}, {"character", at.character}}},
                   {"label", hint.label},
                   {"kind", 1},
                   {"tooltip", hint.tooltip}});
  }
  return out;
}

Json Server::semanticTokens(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  Span wanted{0, 0, static_cast<uint32_t>(document.text.size())};
  if (auto it = params.find("range"); it != params.end())
    wanted = {0, offsetOf(document, it->at("start")), offsetOf(document, it->at("end"))};
  const Positions &positions = positions_(document.text, encoding_);
  Json data = Json::array();
  Position last;
  for (const ide::SemanticToken &token : ide::semanticTokens(found.view())) {
    if (token.place.end <= wanted.begin || token.place.begin >= wanted.end) continue;
    Position begin = positions.position(token.place.begin), end = positions.position(token.place.end);
    if (end.line != begin.line || end.character <= begin.character) continue;
    data.push_back(begin.line - last.line);
    data.push_back(begin.line == last.line ? begin.character - last.character : begin.character);
    data.push_back(end.character - begin.character);
    data.push_back(static_cast<int>(token.kind));
    data.push_back((token.definition ? 1 : 0) | (token.library ? 2 : 0) | (token.readonly ? 4 : 0));
    last = begin;
  }
  return {{"data", std::move(data)}};
}

Json Server::prepareRename(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  ide::Rename rename = ide::renameAt(found.view(), offsetOf(document, params.at("position")), "");
  if (!rename.problem.empty()) throw Failure{kRequestFailed, rename.problem};
  return {{"range", range(document.text, rename.place)}, {"placeholder", rename.current}};  // words: allowed
}

Json Server::rename(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  std::string name = params.at("newName");
  ide::Rename rename = ide::renameAt(found.view(), offsetOf(document, params.at("position")), name);
  if (name.empty()) throw Failure{kInvalidParams, "a name is not empty"};
  if (!rename.problem.empty()) throw Failure{kRequestFailed, rename.problem};
  Json edits = Json::array();
  for (Span place : rename.places) edits.push_back({{"range", range(document.text, place)}, {"newText", name}});
  Json changes = {{document.uri, std::move(edits)}};
  for (const Elsewhere &file : usesElsewhere(document, offsetOf(document, params.at("position")))) {
    Positions positions(file.text, encoding_);
    Json &list = changes[file.uri] = Json::array();
    for (Span place : file.places) list.push_back({{"range", rangeOf(positions, place)}, {"newText", name}});
  }
  return {{"changes", std::move(changes)}};
}

Json Server::formatting(const Json &params) {
  Document &document = required(params);
  std::optional<std::string> text = ide::formatted(document.path, document.text);
  if (!text) return Json::array();  // it does not read
  std::vector<ide::TextEdit> edits = ide::lineEdits(document.text, *text);
  if (auto it = params.find("range"); it != params.end()) {
    uint32_t begin = offsetOf(document, it->at("start")), end = offsetOf(document, it->at("end"));
    std::erase_if(edits, [&](const ide::TextEdit &edit) { return edit.end < begin || edit.begin > end; });
  }
  return this->edits(document.text, edits);
}

Json Server::folding(const Json &params) {
  Document &document = required(params);
  Json out = Json::array();
  for (const ide::Fold &fold : ide::foldsOf(analysis(document).view())) {
    Json one = {{"startLine", fold.firstLine - 1}, {"endLine", fold.lastLine - 1}};
    if (fold.comment) one["kind"] = "comment";
    if (fold.imports) one["kind"] = "imports";
    out.push_back(std::move(one));
  }
  return out;
}

Json Server::selection(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  Json out = Json::array();
  for (const Json &position : params.at("positions")) {
    Json chain = nullptr;
    std::vector<Span> spans = ide::enclosing(found.view(), offsetOf(document, position));
    for (auto it = spans.rbegin(); it != spans.rend(); ++it) {
      Json one = {{"range", range(document.text, *it)}};
      if (!chain.is_null()) one["parent"] = std::move(chain);
      chain = std::move(one);
    }
    out.push_back(std::move(chain));
  }
  return out;
}

}  // namespace tessera::lsp
