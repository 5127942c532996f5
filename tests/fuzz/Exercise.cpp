#include "Exercise.h"
#include "diag/Render.h"
#include "frontend/Format.h"
#include "frontend/Parser.h"
#include "sema/Check.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace tessera::fuzz {
namespace fs = std::filesystem;
namespace {

/// An input may take so long, sanitizers included.
constexpr double kMaxSeconds = 1.0;
/// Sanitizers make each step ten times as long; the limit of the product is checked in a test of its own.
constexpr size_t kMostSteps = 20'000;

[[noreturn]] void broken(const std::string &promise) {
  std::fprintf(stderr, "BROKEN PROMISE: %s\n", promise.c_str());
  std::abort();
}
void promise(bool kept, const std::string &what) {
  if (!kept) broken(what);
}

double cpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string read(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The standard library, parsed once. Its files are the first of every input's `Sources`, so that its trees fit them all.
class Library {
public:
  Library() {
    fs::path root = fs::path(TSR_SOURCE_DIR) / "stdlib";
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(root))
      if (entry.path().extension() == ".tsr") paths_.push_back(entry.path());
    std::sort(paths_.begin(), paths_.end());
    for (const fs::path &path : paths_) texts_.push_back(read(path));
    Sources sources;
    diag::Engine diagnostics;
    addTo(sources);
    for (size_t i = 0; i < paths_.size(); ++i) {
      std::string name = fs::relative(paths_[i], root).replace_extension().string();
      std::replace(name.begin(), name.end(), '/', '.');
      modules_[name] = frontend::parse(sources, static_cast<FileId>(i), diagnostics);
    }
    promise(!diagnostics.hasErrors() && modules_.count("tessera.prelude"), "the standard library reads");
  }
  void addTo(Sources &sources) const {
    for (size_t i = 0; i < paths_.size(); ++i) sources.add("<" + paths_[i].filename().string() + ">", texts_[i]);
  }
  const ast::Module *find(const std::string &name) const {
    auto it = modules_.find(name);
    return it == modules_.end() ? nullptr : it->second.get();
  }

private:
  std::vector<fs::path> paths_;
  std::vector<std::string> texts_;
  std::map<std::string, std::unique_ptr<ast::Module>> modules_;
};

void spanIsInside(Span span, const Sources &sources, const char *what) {
  if (!span.valid()) return;
  promise(span.file < sources.size(), std::string(what) + " is in a file");
  promise(span.begin <= span.end && span.end <= sources.file(span.file).text.size(), std::string(what) + " is inside the text");
}

/// Of the texts, so many went how far; said at the end.
struct Counts {
  unsigned long texts = 0, readable = 0, entries = 0, right = 0;
  ~Counts() {
    std::fprintf(stderr, "texts %lu, of them readable %lu, with functions that were checked %lu, right %lu\n", texts,
                 readable, entries, right);
  }
};

/// Messages are rendered, and trees formatted, for some of the texts only, always for the same: that costs as much as
/// all the rest.
bool oneOf(size_t n, std::string_view text) { return std::hash<std::string_view>()(text) % n == 0; }

void messagesAreGood(const diag::Engine &engine, const Sources &sources, bool render) {
  for (const diag::Diagnostic &d : engine.all()) {
    promise(d.span.valid(), "a message about text has a place: " + d.message);
    promise(!d.message.empty(), "a message has words");
    spanIsInside(d.span, sources, "a message");
    for (const diag::Note &note : d.notes) spanIsInside(note.span, sources, "a note");
    for (const diag::Fix &fix : d.fixes) spanIsInside(fix.span, sources, "a fix");
  }
  if (!render) return;
  bool any = !engine.all().empty();
  promise(diag::renderText(engine, sources).empty() != any, "messages become text");
  promise(!diag::renderJson(engine, sources).empty() && !diag::renderSarif(diag::findingsOf(engine, sources), {"tessera", "1.0.0", nullptr}).empty(), "messages become JSON");
}

void formatKeeps(const ast::Module &module, const Sources &sources) {
  std::string once = frontend::format(module, sources, {.shortDTypes = false});
  Sources again;
  diag::Engine diagnostics;
  FileId file = again.add("formatted.tsr", once);
  auto second = frontend::parse(again, file, diagnostics);
  promise(!diagnostics.hasErrors(), "formatted text reads:\n" + once);
  promise(ast::equal(module, *second), "formatted text means the same:\n" + once);
  promise(frontend::format(*second, again, {.shortDTypes = false}) == once, "formatting twice changes nothing:\n" + once);
}

}  // namespace

void exercise(std::string_view text) {
  static const Library library;
  static Counts counts;
  double start = cpuSeconds();
  Sources sources;
  library.addTo(sources);
  FileId file = sources.add("input.tsr", std::string(text));
  diag::Engine diagnostics;
  std::unique_ptr<ast::Module> module = frontend::parse(sources, file, diagnostics);
  promise(module != nullptr, "parsing gives a tree");
  bool readable = !diagnostics.hasErrors();
  if (oneOf(16, text)) ast::dump(*module, true);
  if (readable && oneOf(8, text)) formatKeeps(*module, sources);
  auto load = [&](FileId, int level, const std::string &name) { return level == 0 ? library.find(name) : nullptr; };
  // Fixes are found by checking again, many times: for some of the texts, and with fewer steps.
  sema::CheckOptions options;
  options.advice = oneOf(16, text);
  options.mostSteps = options.advice ? 2'000 : kMostSteps;
  std::unique_ptr<checked::Program> program = sema::check(*module, sources, load, diagnostics, options);
  bool right = program && !diagnostics.hasErrors();
  if (right && oneOf(4, text)) checked::dump(*program);
  messagesAreGood(diagnostics, sources, oneOf(32, text));
  ++counts.texts;
  counts.readable += readable;
  counts.entries += program && !program->functions.empty();
  counts.right += right;
  double seconds = cpuSeconds() - start;
  promise(seconds < kMaxSeconds, "a second is enough; it took " + std::to_string(seconds));
}

}  // namespace tessera::fuzz
