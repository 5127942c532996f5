// Public names of NumPy, PyTorch, JAX, Triton, CUDA and Python, as their pages list them (foreign/*.txt): each of them
// leads to what does it here. A file has `place:`, the function that the name stands in, and `form:`, how it is written.
#include "tests/sema/Checking.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tessera;

namespace {

struct NamesOf {
  std::string place, form;
  std::vector<std::string> names;
};

NamesOf namesIn(const std::filesystem::path &path) {
  NamesOf found;
  std::istringstream lines(test::fileText(path.string()));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#", 0) == 0) continue;
    if (line.rfind("place: ", 0) == 0) found.place = line.substr(7);
    else if (line.rfind("form: ", 0) == 0) found.form = line.substr(6);
    else
      for (std::istringstream words(line); words >> line;) found.names.push_back(line);
  }
  return found;
}

/// A function of its own for each of these names, of so many lines.
constexpr uint32_t kLines = 4;
std::string programWith(const NamesOf &file, size_t from, size_t to) {
  const bool kernel = file.place == "kernel";
  std::string program;
  for (size_t i = from; i < to; ++i) {
    std::string use = file.form;
    use.replace(use.find("{}"), 2, file.names[i]);
    program += std::string(kernel ? "@kernel(grid=(cdiv(N, 64),), group=64)" : "") + "\ndef f" + std::to_string(i) +
               "[N](x: Tensor[N, f32]" + (kernel ? ", y: Tensor[N, f32])" : ") -> Tensor[N, f32]") + ":\n    v = " + use +
               "\n    return" + (kernel ? "\n" : " x\n");
  }
  return program;
}

/// Sentences that say no more than that there is no such name.
bool saysNoMore(const std::string &note) {
  for (std::string_view begin : {"functions such as `exp` and types such as", "a tile is a slice at `m, n = tile.origin()` of the size",
                                 "a tensor has the functions of its elements and axes", "tensors have `", "functions that are there",
                                 "the function has `", "`tile` has ", "it takes "})
    if (note.rfind(begin, 0) == 0) return true;
  return false;
}

/// A message that is about something else, such as an argument, is of a name that is here, too.
bool leadsOn(const diag::Diagnostic &d, const std::string &name) {
  const bool unknown = d.id == diag::Id::undefinedName ||
                       (d.id == diag::Id::unknownAttribute && d.message.ends_with(" `" + name + "`"));
  return !unknown || !d.fixes.empty() || std::any_of(d.notes.begin(), d.notes.end(), [](const diag::Note &note) {
    return !note.span.valid() && !saysNoMore(note.text);
  });
}

}  // namespace

TEST(Foreign, EachNameOfTheirPagesLeadsToWhatDoesItHere) {
  constexpr size_t kAtOnce = 20;
  size_t asked = 0;
  for (const auto &entry : std::filesystem::directory_iterator(TSR_SOURCE_DIR "/tests/sema/foreign")) {
    const NamesOf file = namesIn(entry.path());
    std::string without;
    for (size_t from = 0; from < file.names.size(); from += kAtOnce) {
      const size_t to = std::min(from + kAtOnce, file.names.size());
      test::Checking checking(programWith(file, from, to));
      asked += to - from;
      for (const diag::Diagnostic &d : checking.diagnostics.all()) {
        const uint32_t line = checking.sources.file(d.span.file).lineColumn(d.span.begin).line;
        const std::string &name = file.names.at(from + (line - 1) / kLines);
        if (!leadsOn(d, name)) without += " " + name;
      }
    }
    EXPECT_EQ(without, "") << entry.path().filename();
  }
  EXPECT_GE(asked, 1500u);
}
