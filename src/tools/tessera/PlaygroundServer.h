// The playground's pages and answers over HTTP, for this machine alone.
#pragma once
#include "support/Result.h"
#include "tools/tessera/PlaygroundAnswers.h"
#include <memory>
#include <optional>
#include <string>

namespace tessera::tools {

/// A file of the page, by its path without the first slash; nothing if there is none.
struct PageFile {
  std::string type, bytes;
};
std::optional<PageFile> pageFile(const std::string &path, const std::string &monaco);

/// Listens on 127.0.0.1 only. It answers requests whose `Host` is this machine's name and whose `Origin`, if there is one,
/// is the page itself: a page of another site can neither ask nor read. Questions need the token of the address that was
/// printed, too: other users of the machine reach the port.
class PlaygroundServer {
public:
  PlaygroundServer(PlaygroundAnswers answers, std::string monaco, std::string token);
  ~PlaygroundServer();
  /// `port` 0: one that is free. The port, or why not.
  Result<int> listen(int port);
  /// Serves in threads of its own until the process ends.
  void start();

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::tools
