// tessera-lsp: the language server, over standard input and output. It carries the compiler, which alone knows why a product is
// not done by tensor cores.
#include "lsp/Server.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main(int argc, char **argv) {
  using namespace tessera;
  lsp::ServerOptions options;
  options.tiles = {"/proc/self/exe", "--tiles"};
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--stdio")) continue;                  // what some clients say; there is nothing else
    if (!std::strcmp(argv[i], "--tiles")) return lsp::serveTiles();  // what the server starts beside itself
    if (!std::strcmp(argv[i], "--version")) {
      std::puts("tessera-lsp " TESSERA_VERSION);
      return 0;
    }
    if (!std::strncmp(argv[i], "--debounce=", 11)) {
      char *end = nullptr;
      long value = std::strtol(argv[i] + 11, &end, 10);
      if (argv[i][11] && !*end && value >= 0 && value <= 5000) {
        options.debounce = static_cast<int>(value);
        continue;
      }
    }
    bool help = !std::strcmp(argv[i], "--help");
    std::fprintf(
        help ? stdout : stderr,
        "tessera-lsp: the language server of Tessera, for editors; it speaks JSON-RPC over standard input and output\n"
        "  --stdio           what it does anyway\n"
        "  --debounce=MS     how long after a key a text is checked (20)\n"
        "  --version, --help\n");
    return help ? 0 : 2;
  }
  lsp::Transport transport(STDIN_FILENO, STDOUT_FILENO);
  std::signal(SIGPIPE, SIG_IGN);  // an editor that is gone ends the input, too
  int code = lsp::Server(transport, options).run();
  std::_Exit(code);  // the end of the process gives memory back faster than destructors
}
