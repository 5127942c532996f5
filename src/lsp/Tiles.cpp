// The sizes that the compiler has chosen for kernels, behind the heads of their functions. A pause in typing is enough for them:
// the program is compiled beside the server.
#include "driver/Compiler.h"
#include "driver/Schedules.h"
#include "driver/Targets.h"
#include "lsp/Server.h"
#include <algorithm>
#include <cerrno>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace tessera::lsp {

namespace {
using Schedules = std::vector<driver::KernelSchedule>;

/// Of a function and what it calls, or of all.
std::optional<Schedules> compiled(const std::string &path, const driver::Session::Reader &reader,
                                  const driver::CompileOptions &options, const std::vector<std::string> &functions) {
  driver::Session session(reader);
  if (!session.load(path)) return std::nullopt;
  std::optional<driver::Product> product = driver::Compiler(session, options).emit(functions);
  return product ? std::optional(driver::schedulesOf(product->manifest)) : std::nullopt;
}

/// Of all functions that compile, where some do not.
Schedules compiledEach(const std::string &path, const driver::Session::Reader &reader,
                       const driver::CompileOptions &options, const std::vector<std::string> &functions) {
  if (auto all = compiled(path, reader, options, {})) return *all;
  Schedules found;
  for (const std::string &function : functions) {
    Schedules own = compiled(path, reader, options, {function}).value_or(Schedules());
    std::copy_if(own.begin(), own.end(), std::back_inserter(found),
                 [&](const driver::KernelSchedule &one) { return one.function == function; });
  }
  return found;
}

std::vector<const ast::FuncDef *> functionsOf(const ide::View &view) {
  std::vector<const ast::FuncDef *> functions;
  for (const ast::StmtPtr &stmt : view.module.body)
    if (auto *function = ast::as<ast::FuncDef>(stmt)) functions.push_back(function);
  return functions;
}

/// "m=64 n=64 k=32 stages=3, 128 threads"
std::string labelOf(const driver::KernelSchedule &kernel) {
  std::string text;
  for (const auto &[name, size] : kernel.sizes) text += (text.empty() ? "" : " ") + name + "=" + size;
  if (kernel.threads > 0) text += (text.empty() ? "" : ", ") + std::to_string(kernel.threads) + " threads";
  return text;
}
}  // namespace

int serveTiles() {
  constexpr int kPoliteness = 10;
  if (nice(kPoliteness) == -1) errno = 0;  // it is as polite as it may be
  const Json asked = Json::parse(std::cin, nullptr, false);
  if (!asked.is_object()) return 1;
  const Json &texts = asked.at("texts");
  auto reader = [&](const std::string &path) {
    auto open = texts.find(path);
    if (open == texts.end()) return driver::readFile(path, driver::kMaxSourceBytes);
    return driver::ReadResult{driver::ReadProblem::None, *open, open->get_ref<const std::string &>().size()};
  };
  driver::CompileOptions options;
  options.target = *driver::parseTarget(asked.at("machine"));
  Json found = Json::array();
  for (const driver::KernelSchedule &kernel : compiledEach(asked.at("path"), reader, options, asked.at("functions")))
    if (std::string label = labelOf(kernel); !label.empty()) found.push_back({kernel.function, kernel.kernel, label});
  std::cout << found.dump() << std::flush;
  return std::cout ? 0 : 1;
}

void Server::startTiles(Document &document) {
  document.tiled = true;
  if (analysis(document).hasErrors()) return;  // what was compiled before still holds
  tilesOf_ = document.path;
  std::vector<std::string> functions;
  for (const ast::FuncDef *function : functionsOf(analysis(document).viewAt(0)))
    functions.push_back(function->name.text);
  Json texts = Json::object();
  for (const auto &[path, open] : documents_) texts[path] = open.text;
  background_.start(
      options_.tiles,
      Json{{"path", document.path}, {"machine", machine_}, {"functions", functions}, {"texts", texts}}.dump(
          -1, ' ', false, Json::error_handler_t::replace));
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
  const ide::View &view = analysis(document).viewAt(0);
  for (const ast::FuncDef *function : functionsOf(view)) {
    auto own = kernels.find(function->name.text);
    if (own == kernels.end()) continue;
    Document::Tiles &tiles = document.tiles[function->name.text];
    tiles.text = view.text(function->span);
    tiles.label = own->second.front().second;
    if (own->second.size() > 1) tiles.label += ", … (" + std::to_string(own->second.size()) + " kernels)";
    tiles.tooltip = "As compiled for " + machine_ + ":";
    for (const auto &[kernel, sizes] : own->second) tiles.tooltip += "\n" + kernel + ": " + sizes;
  }
  transport_.write(
      {{"jsonrpc", "2.0"}, {"id", "tiles-" + std::to_string(++refreshes_)}, {"method", "workspace/inlayHint/refresh"}});
}

/// Hints of functions that are as they were when they were compiled.
std::vector<ide::InlayHint> Server::tileHints(const Document &document, const ide::View &view, Span wanted) const {
  std::vector<ide::InlayHint> hints;
  for (const ast::FuncDef *function : functionsOf(view)) {
    auto known = document.tiles.find(function->name.text);
    if (known == document.tiles.end() || function->span.end < wanted.begin || function->span.begin > wanted.end)
      continue;
    std::optional<uint32_t> end = ide::headEnd(view, *function);
    if (end && view.text(function->span) == known->second.text)
      hints.push_back({*end, " " + known->second.label, known->second.tooltip});
  }
  return hints;
}

}  // namespace tessera::lsp
