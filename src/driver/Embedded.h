// The standard library and the headers that emitted code includes, inside the tools.
#pragma once
#include <string_view>
#include <vector>

namespace tessera::driver {

struct EmbeddedFile {
  std::string_view path;  // "tessera/nn.tsr", "tessera/device/tile.h"
  std::string_view text;
};
const std::vector<EmbeddedFile> &embeddedStdlib();
const std::vector<EmbeddedFile> &embeddedHeaders();
/// The explanation pages, "E0412.md".
const std::vector<EmbeddedFile> &embeddedPages();
/// docs/library.md
const std::vector<EmbeddedFile> &embeddedLibrary();
/// The files of the playground and its programs: "editors/playground/page/page.js", "examples/softmax.tsr".
const std::vector<EmbeddedFile> &embeddedPlayground();

}  // namespace tessera::driver
