// The sizes that the compiler has chosen for kernels, behind the heads of their functions. A pause in typing is enough for them:
// the program is compiled beside the server.
#include "driver/Compiler.h"
#include "driver/Schedules.h"
#include "driver/Targets.h"
#include "lsp/Server.h"
#include <algorithm>

namespace tessera::lsp {

namespace {
using Schedules = std::vector<driver::KernelSchedule>;

/// Of a function and what it calls, or of all.
std::optional<Schedules> compiled(const std::string &path, const driver::Session::Reader &reader, const driver::CompileOptions &options,
                                  const std::vector<std::string> &functions) {
  driver::Session session(reader);
  if (!session.load(path)) return std::nullopt;
  std::optional<driver::Product> product = driver::Compiler(session, options).emit(functions);
  return product ? std::optional(driver::schedulesOf(product->manifest)) : std::nullopt;
}

/// Of all functions that compile, where some do not.
Schedules compiledEach(const std::string &path, const driver::Session::Reader &reader, const driver::CompileOptions &options,
                       const std::vector<std::string> &functions) {
  if (auto all = compiled(path, reader, options, {})) return *all;
  Schedules found;
  for (const std::string &function : functions) {
    Schedules own = compiled(path, reader, options, {function}).value_or(Schedules());
    std::copy_if(own.begin(), own.end(), std::back_inserter(found), [&](const driver::KernelSchedule &one) { return one.function == function; });
  }
  return found;
}

/// "m=64 n=64 k=32 stages=3, 128 threads"
std::string labelOf(const driver::KernelSchedule &kernel) {
  std::string text;
  for (const auto &[name, size] : kernel.sizes) text += (text.empty() ? "" : " ") + name + "=" + size;
  if (kernel.threads > 0) text += (text.empty() ? "" : ", ") + std::to_string(kernel.threads) + " threads";
  return text;
}
}  // namespace

void Server::startTiles(Document &document) {
  document.tiled = true;
  if (analysis(document).hasErrors()) return;  // what was compiled before still holds
  tilesOf_ = document.path;
  std::vector<std::string> functions;
  for (const ide::Symbol &symbol : analysis(document).view().names.symbols())
    if (symbol.function && !symbol.owner) functions.push_back(symbol.name);
  auto reader = [&](const std::string &path) {
    return path == document.path ? driver::ReadResult{driver::ReadProblem::None, document.text, document.text.size()} : read(path);
  };
  driver::CompileOptions options;
  options.target = *driver::parseTarget(machine_);
  background_.start([&] {
    Json found = Json::array();
    for (const driver::KernelSchedule &kernel : compiledEach(document.path, reader, options, functions))
      if (std::string label = labelOf(kernel); !label.empty()) found.push_back({kernel.function, kernel.kernel, label});
    return found.dump();
  });
}

/// What has come of the compilation; once it is whole, the editor is told that there are other hints.
void Server::takeTiles() {
  std::optional<std::string> text = background_.take();
  if (!text) return;
  auto it = documents_.find(tilesOf_);
  Json found = Json::parse(*text, nullptr, false);
  if (it == documents_.end() || !found.is_array()) return;
  Document &document = it->second;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> kernels;  // with their sizes, by function
  for (const Json &one : found) kernels[one.at(0)].push_back({one.at(1), one.at(2)});
  document.tiles.clear();
  for (const ide::Symbol &symbol : analysis(document).view().names.symbols()) {
    auto own = symbol.function && !symbol.owner ? kernels.find(symbol.name) : kernels.end();
    if (own == kernels.end()) continue;
    Document::Tiles &tiles = document.tiles[symbol.name];
    tiles.text = document.analysis->view().text(symbol.function->span);
    tiles.label = own->second.front().second;
    if (own->second.size() > 1) tiles.label += ", … (" + std::to_string(own->second.size()) + " kernels)";
    tiles.tooltip = "As compiled for " + machine_ + ":";
    for (const auto &[kernel, sizes] : own->second) tiles.tooltip += "\n" + kernel + ": " + sizes;
  }
  transport_.write({{"jsonrpc", "2.0"}, {"id", "tiles-" + std::to_string(++refreshes_)}, {"method", "workspace/inlayHint/refresh"}});
}

/// Hints of functions that are as they were when they were compiled.
std::vector<ide::InlayHint> Server::tileHints(const Document &document, const ide::View &view, Span wanted) const {
  std::vector<ide::InlayHint> hints;
  for (const ide::Symbol &symbol : view.names.symbols()) {
    auto known = symbol.function && !symbol.owner ? document.tiles.find(symbol.name) : document.tiles.end();
    if (known == document.tiles.end() || symbol.function->span.end < wanted.begin || symbol.function->span.begin > wanted.end) continue;
    std::optional<uint32_t> end = ide::headEnd(view, *symbol.function);
    if (end && view.text(symbol.function->span) == known->second.text) hints.push_back({*end, " " + known->second.label, known->second.tooltip});
  }
  return hints;
}

}  // namespace tessera::lsp
