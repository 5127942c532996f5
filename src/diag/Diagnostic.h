// Diagnostics as data: what is wrong, where, why (notes) and what to do (fixes). Renderers are in Render.h.
#pragma once
#include "support/Span.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::diag {

enum class Severity : uint8_t { Error, Warning, Note };

/// One value per row of the *.def files, named by the row's name: `Id::unclosedBracket`.
enum class Id : uint16_t {
#define TSR_DIAG(code, name, severity, text) name,
#include "diag/Diagnostics.def"
#undef TSR_DIAG
};

struct Row {
  Id id;
  std::string_view code;  // "E0412"
  std::string_view name;
  Severity severity;
  std::string_view text;
};
const Row &row(Id id);
/// All rows, in the order of the files.
const std::vector<Row> &rows();
/// The row with this code ("E0412"), or null.
const Row *rowByCode(std::string_view code);

/// How sure a fix is. A certain one is the only thing that can have been meant, so a tool may apply it unasked;
/// a suggestion (a near name, a cast, a transposed operand) is one of several and is applied when asked for. An assumption
/// (`where A == B`) narrows what the program is for: only its author can say whether that was meant.
enum class Applicability : uint8_t { Certain, Suggestion, Assumption };

/// An edit that would mend the program: replace `span` by `replacement` (an empty span inserts).
struct Fix {
  Span span;
  std::string replacement;
  std::string title;  // "insert `:`"
  Applicability applicability = Applicability::Certain;
};
/// A further place or sentence. An invalid span makes it a sentence without a place.
struct Note {
  Span span;
  std::string text;
};
struct Diagnostic {
  Id id;
  Severity severity;
  Span span;
  std::string message;  // the row's text with its holes filled
  std::string label;    // short text under the caret; may be empty
  std::vector<Note> notes;
  std::vector<Fix> fixes;
  bool settled = false;  // its own edits say what to do: no others are searched for
};

inline std::string toHole(std::string_view text) { return std::string(text); }
inline std::string toHole(const char *text) { return text; }
inline std::string toHole(const std::string &text) { return text; }
inline std::string toHole(char c) { return std::string(1, c); }
template <class Number> std::string toHole(Number number) { return std::to_string(number); }

/// Chained after Engine::report(): `.label("…").note(span, "…").fix(span, "…", "…")`. `fix` is for edits that are
/// certain, `suggest` for those that are only likely, `assume` for those that narrow the program.
class Builder {
public:
  explicit Builder(Diagnostic *diagnostic) : diagnostic_(diagnostic) {}
  Builder &label(std::string text);
  Builder &note(Span span, std::string text);
  Builder &help(std::string text) { return note({}, std::move(text)); }
  Builder &fix(Span span, std::string replacement, std::string title);
  Builder &suggest(Span span, std::string replacement, std::string title);
  Builder &assume(Span span, std::string replacement, std::string title);
  Builder &settled();

private:
  Diagnostic *diagnostic_;
};

/// Collects the diagnostics of one compilation, in order. Never prints, never stops.
class Engine {
public:
  template <class... Holes> Builder report(Id id, Span span, const Holes &...holes) {
    return add(id, span, {toHole(holes)...});
  }
  const std::vector<Diagnostic> &all() const { return diagnostics_; }
  /// Causes before consequences: what cannot be read, then mistakes of reading text, then the others; of imported
  /// files (which have later ids) before those of the file that imports them; in a file from top to bottom.
  std::vector<const Diagnostic *> byCause() const;
  bool hasErrors() const { return errors_ != 0; }
  size_t errorCount() const { return errors_; }
  /// Takes over a diagnostic that another engine made (a phase that puts its messages in order first).
  void append(Diagnostic diagnostic) {
    if (diagnostic.severity == Severity::Error) ++errors_;
    diagnostics_.push_back(std::move(diagnostic));
  }
  /// Takes these instead of all that it has.
  void replace(std::vector<Diagnostic> diagnostics);
  /// Forgets what came after `count` diagnostics (speculative checking).
  void truncate(size_t count);

private:
  Builder add(Id id, Span span, std::vector<std::string> holes);
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0;
};

/// "1 file", "2 files".
std::string counted(size_t count, std::string_view noun);

/// The candidate nearest to `name` by edit distance (insert, delete, replace, exchange two neighbours), or nothing: it
/// may differ in a third of the letters, at least in one. One letter is near nothing. The first of equals wins.
std::string_view didYouMean(std::string_view name, const std::vector<std::string_view> &candidates);

}  // namespace tessera::diag
