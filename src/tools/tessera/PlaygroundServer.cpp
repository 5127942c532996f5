#include "tools/tessera/PlaygroundServer.h"
#include "driver/Embedded.h"
#include "driver/Files.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera::tools {
namespace {

constexpr int kThreads = 4;
constexpr size_t kMostBody = PlaygroundAnswers::kMaxProgramBytes * 2 + (64u << 10);  // a text as JSON may be longer than itself

std::string typeOf(const std::string &path) {
  const std::string suffix = driver::suffixOf(path);
  if (suffix == ".html") return "text/html; charset=utf-8";
  if (suffix == ".js") return "text/javascript; charset=utf-8";
  if (suffix == ".css") return "text/css; charset=utf-8";
  if (suffix == ".json") return "application/json";
  if (suffix == ".svg") return "image/svg+xml";
  return suffix == ".ttf" ? "font/ttf" : "application/octet-stream";
}

/// A path below a folder, without a way out of it.
bool isPlain(const std::string &path) {
  for (unsigned char c : path)
    if (!(std::isalnum(c) || c == '/' || c == '.' || c == '-' || c == '_')) return false;
  return path.find("..") == std::string::npos && path.find("//") == std::string::npos;
}

/// "localhost:8137" is this machine; a name that somebody else made to lead here is not.
bool isThisMachine(const char *host) {
  if (!host) return false;
  std::string name = host;
  size_t colon = name.rfind(':');
  if (colon != std::string::npos && name.find_first_not_of("0123456789", colon + 1) == std::string::npos) name.resize(colon);
  return name == "127.0.0.1" || name == "localhost";
}

bool sameText(const std::string &a, const char *b) {
  if (!b || a.size() != std::strlen(b)) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

void reply(evhttp_request *request, int status, const std::string &type, const std::string &bytes) {
  evkeyvalq *headers = evhttp_request_get_output_headers(request);
  auto add = [&](const char *name, const char *value) { evhttp_add_header(headers, name, value); };
  add("Content-Type", type.c_str());
  add("Cache-Control", "no-store");
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Resource-Policy", "same-origin");
  // Monaco sets styles of elements and starts its worker from a blob.
  add("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
                                 "worker-src 'self' blob:; frame-ancestors 'none'; form-action 'none'; base-uri 'none'");
  add("Connection", "close");  // the next request goes to a thread that has time
  evbuffer *body = evbuffer_new();
  if (evhttp_request_get_command(request) != EVHTTP_REQ_HEAD) evbuffer_add(body, bytes.data(), bytes.size());
  evhttp_send_reply(request, status, nullptr, body);
  evbuffer_free(body);
}
void refuse(evhttp_request *request, int status, const std::string &sentence) { reply(request, status, "text/plain; charset=utf-8", sentence + "\n"); }

}  // namespace

std::optional<PageFile> pageFile(const std::string &asked, const std::string &monaco) {
  const std::string path = asked.empty() ? "index.html" : asked;
  if (!isPlain(path)) return std::nullopt;
  if (path.rfind("vs/", 0) == 0) {
    driver::ReadResult read = monaco.empty() ? driver::ReadResult{driver::ReadProblem::Missing, {}} : driver::readFile(monaco + path.substr(2));
    return read.problem == driver::ReadProblem::None ? std::optional(PageFile{typeOf(path), std::move(read.text)}) : std::nullopt;
  }
  if (path == "examples.json") {
    PlaygroundAnswers::Json list = PlaygroundAnswers::Json::array();
    for (const driver::EmbeddedFile &file : driver::embeddedPlayground())
      if (file.path.find("examples/") != std::string::npos) list.push_back({{"name", driver::stemOf(std::string(file.path))}, {"text", file.text}});
    return PageFile{typeOf(path), list.dump()};
  }
  for (const driver::EmbeddedFile &file : driver::embeddedPlayground())
    if (file.path == "editors/playground/page/" + path) return PageFile{typeOf(path), std::string(file.text)};
  return std::nullopt;
}

struct PlaygroundServer::State {
  PlaygroundAnswers answers;
  std::string monaco, token;
  int socket = -1;

  void page(evhttp_request *request, const std::string &path) {
    if (auto file = pageFile(path, monaco)) return reply(request, 200, file->type, file->bytes);
    refuse(request, 404, "there is no such page");
  }

  void question(evhttp_request *request, const std::string &kind) {
    evkeyvalq *headers = evhttp_request_get_input_headers(request);
    const char *type = evhttp_find_header(headers, "Content-Type");
    if (!type || std::strncmp(type, "application/json", 16) != 0) return refuse(request, 415, "a question is application/json");
    if (!sameText(token, evhttp_find_header(headers, "X-Tessera-Token"))) return refuse(request, 403, "open the address that `tessera playground` printed: it has a key");
    evbuffer *body = evhttp_request_get_input_buffer(request);
    std::string text(evbuffer_get_length(body), '\0');
    evbuffer_copyout(body, text.data(), text.size());
    using Json = PlaygroundAnswers::Json;
    Json asked = Json::parse(text, nullptr, false), answer;
    if (!asked.is_object()) return refuse(request, 400, "the question is no object of JSON");
    try {
      answer = answers.answer(kind, asked);
    } catch (const std::exception &error) {
      answer = {{"failure", std::string("the question cannot be answered: ") + error.what()}};
    }
    reply(request, 200, typeOf(".json"), answer.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void handle(evhttp_request *request) {
    evkeyvalq *headers = evhttp_request_get_input_headers(request);
    const char *host = evhttp_find_header(headers, "Host"), *origin = evhttp_find_header(headers, "Origin");
    if (!isThisMachine(host)) return refuse(request, 403, "the playground answers to 127.0.0.1 and localhost only");
    if (origin && std::string(origin) != "http://" + std::string(host)) return refuse(request, 403, "another page may not ask the playground");
    const evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
    std::string path = uri && evhttp_uri_get_path(uri) ? evhttp_uri_get_path(uri) : "";
    path = path.substr(std::min<size_t>(1, path.size()));
    constexpr std::string_view questions = "api/";
    bool isQuestion = path.rfind(questions, 0) == 0, isPost = evhttp_request_get_command(request) == EVHTTP_REQ_POST;
    if (isQuestion != isPost) return refuse(request, 405, isQuestion ? "questions are sent with POST" : "pages are fetched with GET");
    if (isQuestion) question(request, path.substr(questions.size()));
    else page(request, path);
  }

  /// One thread: a loop of its own on the one socket. A question keeps a thread busy, and the others take what comes.
  void serve() {
    event_base *base = event_base_new();
    evhttp *http = base ? evhttp_new(base) : nullptr;
    if (!http) return;
    evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST);
    evhttp_set_max_headers_size(http, 16 << 10);
    evhttp_set_max_body_size(http, static_cast<ev_ssize_t>(kMostBody));
    evhttp_set_timeout(http, 30);
    evhttp_set_gencb(http, [](evhttp_request *request, void *self) { static_cast<State *>(self)->handle(request); }, this);
    if (evhttp_accept_socket(http, socket) == 0) event_base_dispatch(base);
  }
};

PlaygroundServer::PlaygroundServer(PlaygroundAnswers answers, std::string monaco, std::string token)
    : state_(std::make_unique<State>(State{std::move(answers), std::move(monaco), std::move(token)})) {}
PlaygroundServer::~PlaygroundServer() = default;

Result<int> PlaygroundServer::listen(int port) {
  auto problem = [&] { return Failure{std::strerror(errno)}; };
  int made = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
  if (made < 0) return problem();
  state_->socket = made;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto *any = reinterpret_cast<sockaddr *>(&address);
  if (bind(made, any, sizeof address) != 0 || ::listen(made, 64) != 0 || getsockname(made, any, &length) != 0) return problem();
  return static_cast<int>(ntohs(address.sin_port));
}

void PlaygroundServer::start() {
  for (int i = 0; i < kThreads; ++i) std::thread([this] { state_->serve(); }).detach();
}

}  // namespace tessera::tools
