#include "lsp/Server.h"
#include "driver/Targets.h"
#include "lsp/Uri.h"
#include "support/Check.h"
#include "support/Machine.h"
#include <algorithm>
#include <cstdlib>

namespace tessera::lsp {

namespace {
const Json *at(const Json &json, std::initializer_list<const char *> path) {
  const Json *found = &json;
  for (const char *key : path) {
    if (!found->is_object()) return nullptr;
    auto it = found->find(key);
    if (it == found->end()) return nullptr;
    found = &*it;
  }
  return found;
}
}  // namespace

/// Puts what has come into the queue. Requests that wait there and are cancelled are not begun.
void Server::receive() {
  transport_.receive();
  while (std::optional<std::string> text = transport_.next()) {
    Json message = Json::parse(*text, nullptr, false);
    const Json *method = at(message, {"method"}), *id = at(message, {"params", "id"});
    if (method && *method == "$/cancelRequest" && id) {
      for (Json &waiting : queue_)
        if (const Json *own = at(waiting, {"id"}); own && *own == *id && at(waiting, {"method"}))
          waiting["cancelled"] = true;
      continue;
    }
    queue_.push_back(std::move(message));
  }
}

/// The next message; nothing at the end of the input, at `until`, or when there is news from beside.
std::optional<Json> Server::next(std::optional<Clock::time_point> until) {
  receive();
  while (queue_.empty() && !transport_.ended()) {
    bool news = transport_.await(until, background_.descriptor());
    receive();
    if (news && queue_.empty()) takeTiles();
    if (news || (until && Clock::now() >= *until)) break;
  }
  if (queue_.empty()) return std::nullopt;
  Json message = std::move(queue_.front());
  queue_.pop_front();
  return message;
}

int Server::run() {
  while (true) {
    std::optional<Json> message = next(nextIdleWork());
    if (!message && transport_.ended()) return shutdown_ ? 0 : 1;
    if (!message) {
      idleWork();
      continue;
    }
    const Json *method = at(*message, {"method"});
    if (method && *method == "exit") return shutdown_ ? 0 : 1;
    handle(*message);
  }
}

void Server::handle(const Json &message) {
  positions_.clear();
  if (message.is_discarded()) return refuse(nullptr, kParseError, "this is no JSON");
  if (!message.is_object()) return refuse(nullptr, kInvalidRequest, "a message is an object");
  const Json *method = at(message, {"method"}), *id = at(message, {"id"}), *params = at(message, {"params"});
  if (!method || !method->is_string()) {
    bool response = at(message, {"result"}) || at(message, {"error"});
    if (!response) refuse(id ? *id : Json(nullptr), kInvalidRequest, "a message has a method");
    return;
  }
  static const Json none = Json::object();
  const Json &given = params ? *params : none;
  if (!id) return notification(*method, given);
  if (message.contains("cancelled")) return refuse(*id, kCancelled, "cancelled");
  request(*id, *method, given);
}

void Server::request(const Json &id, const std::string &method, const Json &params) {
  if (!initialized_ && method != "initialize") return refuse(id, kNotInitialized, "`initialize` comes first");
  if (shutdown_) return refuse(id, kInvalidRequest, "the server was shut down");
  try {
    respond(id, answer(method, params));
  } catch (const Failure &failure) {
    refuse(id, failure.code, failure.message);
  } catch (const Json::exception &error) {
    refuse(id, kInvalidParams, error.what());
  } catch (const std::exception &error) {
    refuse(id, kInternalError, error.what());
  }
}

Json Server::answer(const std::string &method, const Json &params) {
  using Handler = Json (Server::*)(const Json &);
  static const std::map<std::string, Handler> handlers = {
      {"initialize", &Server::initialize},
      {"textDocument/hover", &Server::hover},
      {"textDocument/definition", &Server::definition},
      {"textDocument/references", &Server::references},
      {"textDocument/documentHighlight", &Server::highlights},
      {"textDocument/documentSymbol", &Server::symbols},
      {"workspace/symbol", &Server::workspaceSymbols},
      {"textDocument/completion", &Server::completion},
      {"textDocument/signatureHelp", &Server::signature},
      {"textDocument/inlayHint", &Server::inlayHints},
      {"textDocument/semanticTokens/full", &Server::semanticTokens},
      {"textDocument/semanticTokens/range", &Server::semanticTokens},
      {"textDocument/prepareRename", &Server::prepareRename},
      {"textDocument/rename", &Server::rename},
      {"textDocument/formatting", &Server::formatting},
      {"textDocument/rangeFormatting", &Server::formatting},
      {"textDocument/onTypeFormatting", &Server::onTypeFormatting},
      {"textDocument/documentLink", &Server::links},
      {"textDocument/foldingRange", &Server::folding},
      {"textDocument/selectionRange", &Server::selection},
      {"textDocument/prepareCallHierarchy", &Server::callHierarchyItems},
      {"callHierarchy/incomingCalls", &Server::callers},
      {"callHierarchy/outgoingCalls", &Server::callees},
      {"textDocument/codeLens", &Server::codeLenses},
      {"textDocument/codeAction", &Server::codeActions},
      {"workspace/executeCommand", &Server::executeCommand},
  };
  if (method == "shutdown") {
    shutdown_ = true;
    return nullptr;
  }
  if (method == "codeAction/resolve") return resolveCodeAction(params);
  if (method == "completionItem/resolve") return resolveCompletion(params);
  auto it = handlers.find(method);
  if (it == handlers.end()) throw Failure{kMethodNotFound, "I do not know `" + method + "`"};
  return (this->*it->second)(params);
}

void Server::notification(const std::string &method, const Json &params) {
  if (!initialized_) return;
  try {
    if (method == "textDocument/didOpen") open(params);
    else if (method == "textDocument/didChange") change(params);
    else if (method == "textDocument/didClose") close(params);
    else if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") filesChanged(params);
  } catch (const Failure &failure) {
    notify("window/logMessage", {{"type", 2}, {"message", method + ": " + failure.message}});
  } catch (const std::exception &error) {
    notify("window/logMessage", {{"type", 1}, {"message", method + ": " + error.what()}});
  }
}

Json Server::initialize(const Json &params) {
  if (initialized_) throw Failure{kInvalidRequest, "`initialize` came before"};
  initialized_ = true;
  if (const Json *encodings = at(params, {"capabilities", "general", "positionEncodings"});
      encodings && encodings->is_array())
    if (!encodings->empty() && (*encodings)[0] == "utf-8") encoding_ = Encoding::Utf8;
  auto names = [&](std::initializer_list<const char *> path, const char *name) {
    const Json *list = at(params, path);
    return list && list->is_array() && std::find(list->begin(), list->end(), name) != list->end();
  };
  auto shared = [&](const char *name) {
    return names({"capabilities", "textDocument", "completion", "completionList", "itemDefaults"}, name);
  };
  auto resolved = [&](const char *name) {
    return names({"capabilities", "textDocument", "completion", "completionItem", "resolveSupport", "properties"},
                 name);
  };
  lazyCompletions_ = shared("editRange") && shared("data") && resolved("detail") && resolved("documentation");
  if (const Json *refresh = at(params, {"capabilities", "workspace", "inlayHint", "refreshSupport"}))
    refreshesHints_ = refresh->is_boolean() && refresh->get<bool>();
  if (const Json *lens = at(params, {"initializationOptions", "codeLens"}))
    lenses_ = lens->is_boolean() && lens->get<bool>();
  if (const Json *machine = at(params, {"initializationOptions", "machine"}); machine && machine->is_string())
    if (auto target = driver::parseTarget(machine->get<std::string>());
        target && !target->reference && target->machine().family == Target::Cuda)
      machine_ = *machine;
  if (const Json *debounce = at(params, {"initializationOptions", "debounce"});
      debounce && debounce->is_number_integer())
    options_.debounce = std::clamp(debounce->get<int>(), 0, 5000);
  if (const Json *folders = at(params, {"workspaceFolders"}); folders && folders->is_array())
    for (const Json &folder : *folders)
      if (const Json *uri = at(folder, {"uri"}); uri && uri->is_string()) folders_.push_back(pathOf(*uri));
  if (const Json *root = at(params, {"rootUri"}); folders_.empty() && root && root->is_string())
    folders_.push_back(pathOf(*root));
  static const std::vector<const char *> types = {"function", "function",      "struct",   "property",  "parameter",
                                                  "variable", "typeParameter", "variable", "namespace", "type",
                                                  "type",     "decorator",     "macro"};
  Json capabilities = {
      {"positionEncoding", encoding_ == Encoding::Utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", Json::object()}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"documentSymbolProvider", true},
      {"workspaceSymbolProvider", true},
      {"completionProvider", {{"triggerCharacters", {".", "@"}}, {"resolveProvider", true}}},
      {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}, {"retriggerCharacters", {","}}}},
      {"inlayHintProvider", true},
      {"semanticTokensProvider",
       {{"legend", {{"tokenTypes", types}, {"tokenModifiers", {"definition", "defaultLibrary", "readonly"}}}},
        {"full", true},
        {"range", true}}},
      {"renameProvider", {{"prepareProvider", true}}},
      {"documentFormattingProvider", true},
      {"documentRangeFormattingProvider", true},
      {"documentOnTypeFormattingProvider", {{"firstTriggerCharacter", "\n"}}},
      {"documentLinkProvider", {{"resolveProvider", false}}},
      {"foldingRangeProvider", true},
      {"selectionRangeProvider", true},
      {"callHierarchyProvider", true},
      {"codeActionProvider",
       {{"codeActionKinds", {"quickfix", "source.fixAll", "tessera.whyNot"}}, {"resolveProvider", true}}},
      {"executeCommandProvider", {{"commands", {"tessera.whyNot"}}}},
  };
  if (lenses_) capabilities["codeLensProvider"] = Json::object();
  return {{"capabilities", capabilities}, {"serverInfo", {{"name", "tessera-lsp"}, {"version", TESSERA_VERSION}}}};
}

void Server::respond(const Json &id, Json result) {
  transport_.write({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}
void Server::refuse(const Json &id, int code, const std::string &message) {
  transport_.write({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}
void Server::notify(const std::string &method, Json params) {
  transport_.write({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

// ---------------------------------------------------------------- what waits for a pause

/// A text is checked a moment after its last change: half as long as a check of it takes if that is long, at least as long as asked for. Edits
/// that would mend it come after a pause, the sizes of its kernels after a longer one. Nothing: all is known.
std::optional<Server::Clock::time_point> Server::idleWorkOf(const Document &document) const {
  constexpr double kMostWait = 300, kTilesDelay = 600;  // milliseconds
  constexpr double kLongCheck = 20;                     // a shorter one delays no key that anybody would notice
  const bool tiles = refreshesHints_ && !options_.tiles.empty() && !document.tiled && background_.descriptor() < 0;
  double wait = 0;
  if (!document.published) wait = std::max<double>(options_.debounce, document.lastCheck < kLongCheck ? 0 : std::min(document.lastCheck / 2, kMostWait));
  else if (!document.advised) wait = options_.adviceDelay;
  else if (tiles) wait = kTilesDelay;
  else return std::nullopt;
  return document.changed + std::chrono::microseconds(static_cast<int64_t>(wait * 1e3));
}

std::optional<Server::Clock::time_point> Server::nextIdleWork() const {
  std::optional<Clock::time_point> first;
  for (const auto &[path, document] : documents_) {
    std::optional<Clock::time_point> when = idleWorkOf(document);
    if (when && (!first || *when < *first)) first = when;
  }
  return first;
}

void Server::idleWork() {
  positions_.clear();
  Clock::time_point now = Clock::now();
  for (auto &[path, document] : documents_) {
    std::optional<Clock::time_point> when = idleWorkOf(document);
    if (!when || now < *when) continue;
    if (document.published && document.advised) return startTiles(document);
    if (!document.published) analysis(document);
    else if (!seekEdits(document)) return;
    publish(document);
    return;  // messages that came meanwhile go first
  }
}

}  // namespace tessera::lsp
