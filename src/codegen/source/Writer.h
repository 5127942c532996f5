// The lines of a file that is being written: indentation, comments, and from which line of the program each
// comes.
#pragma once
#include "codegen/source/Doc.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::codegen {

/// A line of the program's text.
struct Place {
  std::string file;  // as the location has it
  int line = 0;
  bool operator==(const Place &other) const { return line == other.line && file == other.file; }
};

struct WrittenLine {
  std::string text;
  std::optional<Place> place;
};

class Writer {
public:
  static constexpr int kWidth = 100, kIndent = 2;
  explicit Writer(bool lineDirectives = false) : directives_(lineDirectives) {}

  void indent() { depth_ += kIndent; }
  void dedent() { depth_ -= kIndent; }
  /// An empty line; none at the start of a block and no two in a row.
  void blank();
  /// One line as it is.
  void line(const std::string &text);
  /// A statement or the head of a block; the first line of each group from one place tells it in a comment.
  void statement(const Doc &doc, const std::optional<Place> &place = std::nullopt);
  /// `// text`, wrapped to the width.
  void comment(const std::string &text);
  void directive(const std::string &text);  // `#...` where the statement stands
  void paste(const std::string &text);      // lines as they are
  void append(const Writer &other);

  /// A function begins: the next comment about a place names the file again.
  void beginFunction() {
    named_.clear();
    last_.reset();
  }
  const std::vector<WrittenLine> &lines() const { return lines_; }
  int currentIndent() const { return depth_; }
  /// What `#line` goes back to is filled in by `text`.
  std::string text(const std::string &ownName) const;
  void endFunction();

private:
  std::string placeComment(const Place &place) const;
  std::vector<WrittenLine> lines_;
  int depth_ = 0;
  bool directives_, away_ = false;
  std::string named_;  // the file that places were last said of
  std::optional<Place> last_;
};

/// Whether a character begins the text that turns the direction in which text is shown: what is read would not be what is compiled,
/// and compilers warn.
bool turnsText(std::string_view text);
/// The text with `?` in the place of such characters: for comments.
std::string withoutTurns(std::string text);

/// The file's name without its folders and the brackets of a file inside the tools: "<tessera/nn.tsr>" is
/// "nn.tsr".
std::string baseName(const std::string &path);

}  // namespace tessera::codegen
