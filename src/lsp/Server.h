// The language server: messages in, messages out, in one thread. What has come is answered in its order; a request that was
// cancelled while it waited is not begun.
#pragma once
#include "lsp/Analysis.h"
#include "lsp/Background.h"
#include "lsp/Positions.h"
#include "lsp/Transport.h"
#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>

namespace tessera::lsp {

/// Errors of JSON-RPC and of the protocol of language servers.
enum Code : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kNotInitialized = -32002,
  kCancelled = -32800,
  kRequestFailed = -32803,
};

/// An open file.
struct Document {
  std::string uri, path, text;
  int64_t version = 0;
  std::unique_ptr<Analysis> analysis;  // of `text`, or null
  std::shared_ptr<driver::Past> past = std::make_shared<driver::Past>();
  std::vector<std::string> dependencies;    // files that `past` rests on, and `analysis` if it is not checked yet
  bool published = false, advised = false;  // what is said about `text`, without and with edits found by trial
  std::chrono::steady_clock::time_point changed;
  double lastCheck = 0;  // milliseconds
  bool checkedOnce = false;
  struct Tiles {
    std::string text;  // of the function, as it was compiled
    std::string label, tooltip;
  };
  std::map<std::string, Tiles> tiles;  // by function
  bool tiled = false;                  // they are those of `text`, or being sought
  std::set<std::string> elsewhere;     // other files about which something was said on behalf of this one
};

struct ServerOptions {
  int debounce = 20;               // milliseconds after a key until the text is checked
  int adviceDelay = 250;           // ... and until edits are sought for what is wrong
  std::vector<std::string> tiles;  // the command that does serveTiles(); empty: there is none
};

/// The process beside the server: reads what is to be compiled from standard input, and writes the sizes of its kernels. The
/// exit code.
int serveTiles();

class Server {
public:
  Server(Transport &transport, ServerOptions options) : transport_(transport), options_(options) {}
  /// Serves until `exit` or the end of the input. The exit code.
  int run();

private:
  struct Failure {
    int code;
    std::string message;
  };
  using Clock = std::chrono::steady_clock;

  // ---- Server.cpp: the order of things
  void receive();
  std::optional<Json> next(std::optional<Clock::time_point> until);
  void handle(const Json &message);
  void request(const Json &id, const std::string &method, const Json &params);
  Json answer(const std::string &method, const Json &params);
  void notification(const std::string &method, const Json &params);
  Json initialize(const Json &params);
  void respond(const Json &id, Json result);
  void refuse(const Json &id, int code, const std::string &message);
  void notify(const std::string &method, Json params);
  std::optional<Clock::time_point> idleWorkOf(const Document &document) const;
  std::optional<Clock::time_point> nextIdleWork() const;
  void idleWork();

  // ---- Documents.cpp
  Document *find(const Json &params);
  Document &required(const Json &params);
  void open(const Json &params);
  void change(const Json &params);
  void close(const Json &params);
  void forget(Document &document);
  void filesChanged(const Json &params);
  const Analysis &analysis(Document &document, bool advice = false);
  const Analysis &analysisOf(Document &document, Span wanted, std::unique_ptr<Analysis> &other);
  std::unique_ptr<Analysis> read(const Document &document) const;
  bool seekEdits(Document &document);
  void publish(Document &document);
  driver::ReadResult read(const std::string &path) const;
  std::string uriOfSource(const Sources &sources, FileId file) const;

  // ---- Workspace.cpp: files beside the open one
  struct Elsewhere {
    std::string uri, text;
    std::vector<Span> places;
  };
  std::vector<std::string> programs() const;
  std::vector<Elsewhere> usesElsewhere(const Document &document, uint32_t offset);

  // ---- Convert.cpp: what `ide` says as the protocol has it
  static int kindOf(ide::SymbolKind kind);
  static Json rangeOf(const Positions &positions, Span span);
  Json range(const std::string &text, Span span);
  Json location(const Sources &sources, Span span);
  Json diagnostic(const Document &document, const diag::Diagnostic &d);
  Json edits(const std::string &text, const std::vector<ide::TextEdit> &list);
  uint32_t offsetOf(const Document &document, const Json &position) const;

  // ---- Features.cpp, Actions.cpp
  Json hover(const Json &params);
  Json definition(const Json &params);
  Json references(const Json &params);
  Json highlights(const Json &params);
  Json symbols(const Json &params);
  Json workspaceSymbols(const Json &params);
  Json completion(const Json &params);
  Json resolveCompletion(Json item);
  Json signature(const Json &params);
  Json inlayHints(const Json &params);
  Json semanticTokens(const Json &params);
  Json prepareRename(const Json &params);
  Json rename(const Json &params);
  Json formatting(const Json &params);
  Json folding(const Json &params);
  Json selection(const Json &params);
  Json callHierarchyItems(const Json &params);
  Json callers(const Json &params);
  Json callees(const Json &params);
  Json codeLenses(const Json &params);
  Json codeActions(const Json &params);
  Json resolveCodeAction(Json action);
  // ---- WhyNot.cpp
  std::optional<Json> whyNotAction(const Document &document, const ide::View &view, uint32_t offset);
  Json executeCommand(const Json &params);
  std::string whyNot(const Document &document, const std::string &function, uint32_t first, uint32_t last) const;
  // ---- Tiles.cpp
  void startTiles(Document &document);
  void takeTiles();
  std::vector<ide::InlayHint> tileHints(const Document &document, const ide::View &view, Span wanted) const;
  // ---- Links.cpp
  Json links(const Json &params);
  Json onTypeFormatting(const Json &params);

  Transport &transport_;
  ServerOptions options_;
  Encoding encoding_ = Encoding::Utf16;
  bool initialized_ = false, shutdown_ = false, lenses_ = false;
  bool lazyCompletions_ = false;  // the client takes one range for a list of completions, and asks for details of one
  bool refreshesHints_ = false;   // the client asks for hints again when it is told to
  std::string machine_ = "cuda:sm_90a";  // whose tensor cores are asked about, and for which tiles are chosen
  Background background_;                // compiles for the sizes of tiles
  std::string tilesOf_;                  // the path of the document that it compiles
  int refreshes_ = 0;                    // that the client was asked for
  std::vector<std::string> folders_;
  mutable PositionsOf positions_;              // cleared for each message, and where it changes a text
  std::map<std::string, Document> documents_;  // by path
  std::deque<Json> queue_;                     // what has come
};

}  // namespace tessera::lsp
