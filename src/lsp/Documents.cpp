// Open files: their texts, what is found out about them, and when it is said.
#include "driver/CacheFolder.h"
#include "lsp/Server.h"
#include "lsp/Uri.h"
#include <algorithm>
#include <utility>

namespace tessera::lsp {

namespace {
/// Where files of the standard library are written to be shown.
/// Empty: there is no folder for it.
std::string libraryFolder() {
  auto cache = driver::cacheFolder();
  return cache ? *cache + "/library/" : "";
}
}  // namespace

Document *Server::find(const Json &params) {
  auto it = documents_.find(pathOf(params.at("textDocument").at("uri").get<std::string>()));
  return it == documents_.end() ? nullptr : &it->second;
}

Document &Server::required(const Json &params) {
  Document *document = find(params);
  if (!document) throw Failure{kInvalidParams, "this file is not open"};
  return *document;
}

void Server::open(const Json &params) {
  const Json &given = params.at("textDocument");
  std::string uri = given.at("uri");
  Document document;
  document.path = pathOf(uri);
  document.uri = uri;
  document.text = given.at("text");
  document.version = given.value("version", int64_t{0});
  document.changed = Clock::now() - std::chrono::seconds(1);  // nothing to wait for
  std::string path = document.path;
  documents_.insert_or_assign(path, std::move(document));
  filesChanged(params);
}

void Server::change(const Json &params) {
  Document &document = required(params);
  for (const Json &change : params.at("contentChanges")) {
    positions_.clear();  // they are those of the text before
    const std::string &text = change.at("text").get_ref<const std::string &>();
    auto range = change.find("range");
    if (range == change.end() || range->is_null()) {
      document.text = text;
      continue;
    }
    uint32_t begin = offsetOf(document, range->at("start")), end = offsetOf(document, range->at("end"));
    if (end < begin) std::swap(begin, end);
    document.text.replace(begin, end - begin, text);
  }
  positions_.clear();
  document.version = params.at("textDocument").value("version", document.version + 1);
  forget(document);
  document.past->statements.beginVersion();
  document.published = document.advised = document.tiled = false;
  if (tilesOf_ == document.path) background_.stop();
  document.changed = Clock::now();
  filesChanged(params);
}

void Server::close(const Json &params) {
  Document *document = find(params);
  if (!document) return;
  for (const std::string &uri : document->elsewhere)
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  notify("textDocument/publishDiagnostics", {{"uri", document->uri}, {"diagnostics", Json::array()}});
  if (tilesOf_ == document->path) background_.stop();
  documents_.erase(document->path);
}

/// What was found out about the text. What the past rests on stays known.
void Server::forget(Document &document) {
  if (document.analysis)
    if (auto files = document.analysis->dependencies()) document.dependencies = std::move(*files);
  document.analysis.reset();
}

/// A file has another text: what rests on it is checked again.
void Server::filesChanged(const Json &params) {
  std::set<std::string> changed;
  if (auto it = params.find("textDocument"); it != params.end()) changed.insert(pathOf(it->at("uri")));
  if (auto it = params.find("changes"); it != params.end())
    for (const Json &one : *it) changed.insert(pathOf(one.at("uri")));
  for (auto &[path, document] : documents_) {
    if (changed.count(path)) continue;
    auto rests = document.analysis ? document.analysis->dependencies() : std::nullopt;
    const std::vector<std::string> &files = rests ? *rests : document.dependencies;
    if (std::none_of(files.begin(), files.end(), [&](const std::string &file) { return changed.count(file) != 0; }))
      continue;
    forget(document);
    document.past = std::make_shared<driver::Past>();
    document.published = document.advised = document.tiled = false;
    document.changed = Clock::now();
  }
}

driver::ReadResult Server::read(const std::string &path) const {
  auto it = documents_.find(path);
  if (it != documents_.end()) return {driver::ReadProblem::None, it->second.text, it->second.text.size()};
  return driver::readFile(path, driver::kMaxSourceBytes);
}

const Analysis &Server::analysis(Document &document, bool advice) {
  if (!document.analysis) document.analysis = read(document);
  if (advice && document.analysis->hasErrors()) document.analysis->seekEdits();
  return *document.analysis;
}

std::unique_ptr<Analysis> Server::read(const Document &document) const {
  auto reader = [this](const std::string &path) { return read(path); };
  std::unique_ptr<Analysis> found = Analysis::of(document.path, document.text, reader, document.past);
  if (!found) throw Failure{kInvalidParams, "this file cannot be read"};
  return found;
}

/// Looks for edits that mend what is wrong, as long as nobody wants anything else. False: somebody did, and the search is for
/// the next pause. What was known stays known.
bool Server::seekEdits(Document &document) {
  if (!analysis(document).hasErrors()) return true;
  return document.analysis->seekEdits([this] { return transport_.waiting(); });
}

/// Says what is known about a text: at once what is wrong, later with the edits that would mend it.
void Server::publish(Document &document) {
  const Analysis &found = *document.analysis;
  bool advised = found.advised() || !found.hasErrors();
  document.published = true;
  document.advised = advised;
  // The first check knows nothing of earlier ones: the next will be faster.
  if (std::exchange(document.checkedOnce, true) && !found.advised()) document.lastCheck = found.spent();
  Json own = Json::array();
  std::map<std::string, Json> others;
  constexpr size_t kMost = 1000;
  const std::string folder = libraryFolder();
  bool library = !folder.empty() && document.path.starts_with(folder);  // not the user's to mend
  for (const diag::Diagnostic *d : found.diagnostics().byCause()) {
    bool elsewhere = d->span.valid() && d->span.file != found.file();
    std::string uri = elsewhere ? uriOfSource(found.sources(), d->span.file) : "";
    bool said = elsewhere && (uri.empty() || documents_.count(pathOf(uri)));  // by its own check
    if (library || said) continue;
    Json &list = elsewhere ? others.try_emplace(uri, Json::array()).first->second : own;
    if (list.size() < kMost) list.push_back(diagnostic(document, *d));
  }
  notify("textDocument/publishDiagnostics",
         {{"uri", document.uri}, {"version", document.version}, {"diagnostics", std::move(own)}});
  std::set<std::string> before = std::move(document.elsewhere);
  document.elsewhere.clear();
  for (auto &[uri, list] : others) {
    document.elsewhere.insert(uri);
    before.erase(uri);
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", std::move(list)}});
  }
  for (const std::string &uri : before)
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
}

/// The address of a file of an analysis. One of the standard library is written to the user's cache folder, so that an editor
/// can show it; empty: it cannot be shown.
std::string Server::uriOfSource(const Sources &sources, FileId file) const {
  const SourceFile &source = sources.file(file);
  if (source.path.empty() || source.path[0] != '<') {
    auto it = documents_.find(source.path);
    return it != documents_.end() ? it->second.uri : uriOf(source.path);
  }
  std::string inner = source.path.substr(1, source.path.size() - 2);
  const std::string folder = libraryFolder();
  if (folder.empty()) return "";
  std::string path = folder + driver::contentHash(source.text) + "/" + inner;
  if (!driver::makeFolders(driver::folderOf(path)).empty()) return "";
  driver::ReadResult there = driver::readFile(path);
  bool same = there.problem == driver::ReadProblem::None && there.text == source.text;
  if (!same && !driver::writeFiles({{path, source.text}}).empty()) return "";
  return uriOf(path);
}

}  // namespace tessera::lsp
