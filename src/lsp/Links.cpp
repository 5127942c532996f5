// What a text points to: the modules that it imports, and files that its comments and texts name.
#include "driver/Files.h"
#include "lsp/Server.h"
#include "lsp/Uri.h"
#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tessera::lsp {

namespace {
/// "kernels", "nn.optim" -> the path that the import reads: as the driver finds it.
std::string pathOfImport(const std::string &importer, int level, const std::vector<ast::Identifier> &module) {
  std::string dotted;
  for (const ast::Identifier &part : module) dotted += (dotted.empty() ? "" : "/") + part.text;
  if (level == 0 && !module.empty() && module[0].text == "tessera") return "<" + dotted + ".tsr>";
  std::string folder = driver::folderOf(importer);
  for (int up = 1; up < level; ++up) folder += "/..";
  return (folder == "." ? "" : folder + "/") + dotted + ".tsr";
}

bool isOfPath(char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("._-/~+").find(c) != std::string_view::npos; }
}  // namespace

Json Server::links(const Json &params) {
  Document &document = required(params);
  const Analysis &found = analysis(document);
  const Sources &sources = found.view().sources;
  Json out = Json::array();
  auto link = [&](Span place, const std::string &uri) { out.push_back({{"range", range(document.text, place)}, {"target", uri}}); };
  auto module = [&](int level, const std::vector<ast::Identifier> &path) {
    if (path.empty()) return;
    const std::string file = pathOfImport(document.path, level, path);
    for (FileId id = 0; id < sources.size(); ++id)
      if (sources.file(id).path == file)
        if (std::string uri = uriOfSource(sources, id); !uri.empty()) return link(path.front().span.to(path.back().span), uri);
  };
  for (const ast::StmtPtr &stmt : found.view().module.body) {
    if (auto *from = ast::as<ast::FromImportStmt>(stmt)) module(from->level, from->module);
    if (auto *import = ast::as<ast::ImportStmt>(stmt))
      for (const ast::ImportItem &item : import->items) module(0, item.path);
  }
  // Paths in comments and texts: words with a suffix that name a file which is there.
  const std::string &text = document.text;
  const std::string folder = driver::folderOf(document.path);
  for (size_t at = 0; at < text.size(); ++at) {
    if (!isOfPath(text[at])) continue;
    size_t end = at;
    while (end < text.size() && isOfPath(text[end])) ++end;
    std::string word = text.substr(at, end - at);
    while (!word.empty() && word.back() == '.') word.pop_back();
    size_t dot = word.rfind('.');
    std::error_code error;
    bool named = dot != std::string::npos && dot > 0 && dot + 1 < word.size() && word.find('/', dot) == std::string::npos && word.size() < 256;
    const std::string path = word.front() == '/' ? word : folder + "/" + word;
    if (named && std::filesystem::is_regular_file(path, error))
      link({found.file(), static_cast<uint32_t>(at), static_cast<uint32_t>(at + word.size())}, uriOf(std::filesystem::absolute(path, error).lexically_normal().string()));
    at = end;
  }
  return out;
}

/// The line that was just ended. A line that is still empty would make the text unreadable, or go: `pass` stands for it.
Json Server::onTypeFormatting(const Json &params) {
  Document &document = required(params);
  const std::string &text = document.text;
  const uint32_t cursor = offsetOf(document, params.at("position"));
  const size_t begin = cursor == 0 ? 0 : text.rfind('\n', cursor - 1) == std::string::npos ? 0 : text.rfind('\n', cursor - 1) + 1;
  const size_t end = std::min(text.find('\n', begin), text.size());
  if (begin == 0) return Json::array();
  std::string whole = text;
  if (text.find_first_not_of(" \t\r", begin) >= end) whole.insert(end, "pass");
  std::optional<std::string> formatted = ide::formatted(document.path, whole);
  if (!formatted) return Json::array();  // it does not read
  const size_t before = begin < 2 || text.rfind('\n', begin - 2) == std::string::npos ? 0 : text.rfind('\n', begin - 2) + 1;
  std::vector<ide::TextEdit> edits;
  for (const ide::TextEdit &edit : ide::lineEdits(whole, *formatted)) {
    if (edit.begin > before || edit.end < begin) {
      if (edit.begin >= before && edit.end <= begin) edits.push_back(edit);
      continue;
    }
    // Lines beside it change, too: its own alone, where they are as many as before.
    auto lines = [](std::string_view part) { return std::count(part.begin(), part.end(), '\n'); };
    if (lines(std::string_view(whole).substr(edit.begin, edit.end - edit.begin)) != lines(edit.text)) continue;
    size_t from = 0;
    for (auto above = lines(std::string_view(whole).substr(edit.begin, before - edit.begin)); above > 0; --above) from = edit.text.find('\n', from) + 1;
    size_t to = edit.text.find('\n', from);
    if (to != std::string::npos) edits.push_back({static_cast<uint32_t>(before), static_cast<uint32_t>(begin), edit.text.substr(from, to + 1 - from)});
  }
  return this->edits(text, edits);
}

}  // namespace tessera::lsp
