// A small pretty printer in the manner of Wadler and Oppen: documents of text, breakable blanks and
// groups; a group is laid flat when it fits on its line and broken otherwise. Bracketed lists have
// their own node, because they can be broken in more than one way.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace tessera::frontend::fmt {

inline constexpr uint32_t kWidth = 120;
inline constexpr uint32_t kIndent = 4;

struct Doc;
using DocRef = const Doc *;

/// Between two items of a list: the author's line break, one for every item, or one where needed.
enum class Separator : uint8_t { Fill, Break };
enum class TrailingComma : uint8_t { Never, Always, WhenHanging };

struct ListItem {
  DocRef content;                 // without its comma
  DocRef above = nullptr;         // comments on lines of their own, or null
  DocRef commaComment = nullptr;  // comments behind the comma, or null
  Separator before = Separator::Fill;
};

struct Doc {
  enum Kind : uint8_t { Text, Line, HardLine, Comment, Concat, Group, Nest, List };
  explicit Doc(Kind kind) : kind(kind) {}
  Kind kind;
  bool forced = false;      // holds something that cannot be laid flat
  uint32_t flatWidth = 0;   // when laid flat
  uint32_t leastWidth = 0;  // when broken wherever possible
  std::string text;         // Text, Comment; Line: its flat text; List: the opening bracket
  std::optional<uint32_t> column;  // Comment: its column in the source
  bool ownLine = false;     // Comment: on a line of its own
  std::vector<DocRef> children;
  // List only
  std::string close;
  DocRef closeText = nullptr;
  std::vector<ListItem> items;
  DocRef openComment = nullptr, closeComments = nullptr;  // behind `(`; on lines in front of `)`
  bool rows = false;            // the author broke this list; keep the rows
  bool onePerLine = false;      // when it must be broken, at every comma
  bool hanging = false;         // items start on the line below the bracket
  bool neverHangs = false;      // no line break is allowed behind the opening word
  bool solid = false;           // to be broken only when what stands in front of it cannot be
  bool hugs = false;            // the last item ends with a bracket that carries the break
  TrailingComma comma = TrailingComma::Never;
};

/// Owns documents.
class Docs {
public:
  DocRef text(std::string text);
  /// A blank that may become a line break; `flat` is what it is on a line.
  DocRef line(std::string flat = " ");
  DocRef hardLine();
  DocRef comment(std::string text, std::optional<uint32_t> column, bool ownLine);
  DocRef concat(std::vector<DocRef> parts);
  DocRef group(std::vector<DocRef> parts);
  DocRef nest(DocRef part);
  DocRef list(Doc list);

private:
  DocRef keep(Doc doc);
  std::deque<Doc> all_;
};

struct PrintedLine {
  uint32_t indent = 0;
  std::string text;                       // without its comment and indentation
  std::string comment;                    // behind the text, or alone
  std::optional<uint32_t> commentColumn;  // in the source, when the author set the comment apart
};
/// Lays the document out, starting at column `indent`.
std::vector<PrintedLine> print(DocRef doc, uint32_t indent);

}  // namespace tessera::frontend::fmt
