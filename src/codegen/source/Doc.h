// Text with places where lines may break, laid out to a width (Wadler's algebra, Oppen's greedy choice).
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::codegen {

/// An immutable document. A group prints on one line if it fits; else its own line breaks become new lines.
class Doc {
public:
  Doc() = default;  // empty
  Doc(std::string text);
  Doc(const char *text) : Doc(std::string(text)) {}
  Doc(std::string_view text) : Doc(std::string(text)) {}

  /// A space, or a new line where the group does not fit.
  static Doc line();
  /// Nothing, or a new line.
  static Doc softline();
  static Doc group(Doc inner);
  /// New lines inside start `by` columns further right.
  static Doc nest(int by, Doc inner);
  /// New lines inside start at the column where `inner` starts.
  static Doc align(Doc inner);

  Doc &operator+=(const Doc &other);
  friend Doc operator+(Doc left, const Doc &right) { return left += right; }
  bool empty() const { return !node_; }

  /// The lines of the document when it starts in column `indent`; further lines carry their indentation.
  std::vector<std::string> lines(int indent, int width) const;

  struct Node;

private:
  std::shared_ptr<const Node> node_;
};

/// a, b, c with a possible new line after each comma, taken one by one as needed.
Doc commaSeparated(const std::vector<Doc> &items);
/// The parameters behind the `(` of a declaration: below each other, or, where they are very many, several on each line.
Doc parameterList(const std::vector<Doc> &items);

}  // namespace tessera::codegen
