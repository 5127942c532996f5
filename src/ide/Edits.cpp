// Formatting, and edits between two texts.
#include "frontend/Format.h"
#include "frontend/Parser.h"
#include "ide/Ide.h"
#include <algorithm>

namespace tessera::ide {

std::optional<std::string> formatted(const std::string &path, const std::string &text) {
  Sources sources;
  diag::Engine diagnostics;
  auto module = frontend::parse(sources, sources.add(path, text), diagnostics);
  if (diagnostics.hasErrors()) return std::nullopt;
  return frontend::format(*module, sources);
}

namespace {
std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    end = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}
}  // namespace

std::vector<TextEdit> lineEdits(const std::string &from, const std::string &to) {
  std::vector<std::string_view> a = linesOf(from), b = linesOf(to);
  std::vector<uint32_t> starts(a.size() + 1, 0);
  for (size_t i = 0; i < a.size(); ++i) starts[i + 1] = starts[i] + static_cast<uint32_t>(a[i].size());
  // Runs of equal lines are found by looking a little ahead: a formatter moves lines by few.
  constexpr size_t kAhead = 64;
  std::vector<TextEdit> edits;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
      continue;
    }
    size_t bestI = a.size(), bestJ = b.size(), best = SIZE_MAX;
    for (size_t di = 0; di <= kAhead && i + di < a.size(); ++di)
      for (size_t dj = 0; dj <= kAhead && j + dj < b.size() && di + dj < best; ++dj)
        if (a[i + di] == b[j + dj] && a[i + di].size() > 1) best = di + dj, bestI = i + di, bestJ = j + dj;
    TextEdit edit{starts[i], starts[bestI], ""};
    for (; j < bestJ; ++j) edit.text += b[j];
    i = bestI;
    edits.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace tessera::ide
