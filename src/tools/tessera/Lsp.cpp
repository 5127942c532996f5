// tessera lsp: the language server, for editors that are told to start `tessera`. tessera-lsp is the same in a program of
// its own, which starts faster.
#include "lsp/Server.h"
#include "tools/tessera/Commands.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace tessera::tools {

void addLsp(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<lsp::ServerOptions>();
  CLI::App *command = app.add_subcommand("lsp", "the language server for editors, over standard input and output");
  command->add_option("--debounce", options->debounce, "milliseconds after a key until a text is checked")
      ->check(CLI::Range(0, 5000))
      ->capture_default_str();
  command->add_flag("--stdio")->description("what it does anyway; some clients say it");
  auto tiles = std::make_shared<bool>(false);
  command->add_flag("--tiles", *tiles)->group("");  // what the server starts beside itself
  options->tiles = {"/proc/self/exe", "lsp", "--tiles"};
  command->callback([options, tiles, &chosen] {
    chosen = [options, tiles]() -> int {
      if (*tiles) return lsp::serveTiles();
      lsp::Transport transport(STDIN_FILENO, STDOUT_FILENO);
      std::signal(SIGPIPE, SIG_IGN);  // an editor that is gone ends the input, too
      int code = lsp::Server(transport, *options).run();
      std::_Exit(code);  // the end of the process gives memory back faster than destructors
    };
  });
}

}  // namespace tessera::tools
