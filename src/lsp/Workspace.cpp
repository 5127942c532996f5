// Programs beside the open one: they are read, but not checked.
#include "driver/check/Tree.h"
#include "frontend/Parser.h"
#include "lsp/Server.h"
#include "lsp/Uri.h"
#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tessera::lsp {

namespace {
struct Parsed {
  Sources sources;
  diag::Engine diagnostics;
  std::unique_ptr<ast::Module> module;
  sema::FactTable none;
  ide::Names names;
  Parsed(const std::string &path, const std::string &text)
      : module(frontend::parse(sources, sources.add(path, text), diagnostics)), names(ide::Names::of(*module, sources, none)) {}
  ide::View view() const { return {sources, *module, none, names}; }
};
}  // namespace

/// The programs of the open folders, and the open ones.
std::vector<std::string> Server::programs() const {
  std::vector<std::string> files = folders_.empty() ? std::vector<std::string>{} : driver::programsBelow(folders_);
  constexpr size_t kMostFiles = 1000;
  if (files.size() > kMostFiles) files.resize(kMostFiles);
  for (const auto &[path, document] : documents_)
    if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
  return files;
}

/// Names of all programs in the open folders, which are read but not checked.
Json Server::workspaceSymbols(const Json &params) {
  std::string query = params.value("query", "");
  auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  query = lower(query);
  std::vector<std::string> files = programs();
  constexpr size_t kMostSymbols = 500;
  Json out = Json::array();
  for (size_t i = 0; i < files.size() && out.size() < kMostSymbols; ++i) {
    driver::ReadResult text = read(files[i]);
    if (text.problem != driver::ReadProblem::None) continue;
    Parsed file(files[i], text.text);
    Positions positions(text.text, encoding_);
    for (const ide::OutlineItem &item : ide::outlineOf(file.view())) {
      if (lower(item.name).find(query) == std::string::npos) continue;
      out.push_back({{"name", item.name}, {"kind", kindOf(item.kind)}, {"location", {{"uri", uriOf(files[i])}, {"range", rangeOf(positions, item.nameSpan)}}}});
    }
  }
  return out;
}

/// Where other programs use a name that this one gives them.
std::vector<Server::Elsewhere> Server::usesElsewhere(const Document &document, uint32_t offset) {
  const ide::View &own = document.analysis->view();
  const ide::Occurrence *at = own.names.at(offset);
  const ide::Symbol *symbol = at ? &own.names.symbols()[at->symbol] : nullptr;
  using Kind = ide::SymbolKind;
  bool given = symbol && !symbol->owner && (symbol->kind == Kind::Function || symbol->kind == Kind::Kernel || symbol->kind == Kind::Struct ||
                                            symbol->kind == Kind::Constant || symbol->kind == Kind::Policy);
  std::vector<Elsewhere> found;
  if (!given) return found;
  auto normal = [](const std::string &path) { return std::filesystem::path(path).lexically_normal().string(); };
  for (const std::string &path : programs()) {
    driver::ReadResult text = path == document.path ? driver::ReadResult{driver::ReadProblem::Missing, "", 0} : read(path);
    bool mentions = text.problem == driver::ReadProblem::None && text.text.find(symbol->name) != std::string::npos;
    if (!mentions) continue;
    ide::IsModule isThat = [&](int level, const std::string &dotted) {
      std::string folder = driver::folderOf(path), inner = dotted;
      for (int up = 1; up < level; ++up) folder += "/..";
      std::replace(inner.begin(), inner.end(), '.', '/');
      return normal(folder + "/" + inner + ".tsr") == normal(document.path);
    };
    std::vector<Span> places = ide::importedUses(Parsed(path, text.text).view(), isThat, symbol->name);
    auto open = documents_.find(path);
    if (!places.empty()) found.push_back({open != documents_.end() ? open->second.uri : uriOf(path), text.text, std::move(places)});
  }
  return found;
}

}  // namespace tessera::lsp
