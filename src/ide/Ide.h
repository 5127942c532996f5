// What an editor asks about a program, and the answers as plain data: places are bytes, texts are Markdown where said.
// Nothing here fails on programs with mistakes; what is not known is left out.
#pragma once
#include "ide/View.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera::ide {

// ---------------------------------------------------------------- Hover.cpp
struct Hover {
  Span place;
  std::string markdown;
};
std::optional<Hover> hoverAt(const View &view, uint32_t offset);
/// The innermost product of matrices around the offset.
std::optional<Span> productAt(const View &view, uint32_t offset);

// ---------------------------------------------------------------- Navigate.cpp
/// Where the name at the offset is bound; also in files that this one imports.
std::vector<Span> definitionsAt(const View &view, uint32_t offset);
std::vector<Occurrence> referencesAt(const View &view, uint32_t offset);
struct Rename {
  Span place;  // of the name at the offset
  std::string current;
  std::vector<Span> places;
  std::string problem;  // not empty: it cannot be done, and why
};
/// `to`: empty to ask whether there is something to rename.
Rename renameAt(const View &view, uint32_t offset, const std::string &to);

/// Where a file that imports another one uses a name of it: in the import, bare, and behind the module's name.
/// `isThat`: whether `from <level dots><path> import` means that other file.
using IsModule = std::function<bool(int level, const std::string &path)>;
std::vector<Span> importedUses(const View &view, const IsModule &isThat, const std::string &name);

// ---------------------------------------------------------------- Outline.cpp
struct OutlineItem {
  std::string name, detail;
  SymbolKind kind;
  Span whole, nameSpan;
  std::vector<OutlineItem> children;
};
std::vector<OutlineItem> outlineOf(const View &view);
struct Fold {
  uint32_t firstLine, lastLine;  // 1-based
  bool comment = false, imports = false;
};
std::vector<Fold> foldsOf(const View &view);
/// The expressions and statements around an offset, the smallest first.
std::vector<Span> enclosing(const View &view, uint32_t offset);

// ---------------------------------------------------------------- Inlay.cpp
struct InlayHint {
  uint32_t offset;
  std::string label, tooltip;
};
std::vector<InlayHint> inlayHints(const View &view, Span range);
/// Where the `:` of a definition's head stands; nothing: it is not found.
std::optional<uint32_t> headEnd(const View &view, const ast::FuncDef &def);

// ---------------------------------------------------------------- Tokens.cpp
enum class TokenKind : uint8_t {
  Function,
  Kernel,
  Struct,
  Property,
  Parameter,
  Variable,
  Dimension,
  Constant,
  Module,
  DType,
  Type,
  Decorator,
  Policy,
};
struct SemanticToken {
  Span place;
  TokenKind kind;
  bool definition = false, library = false, readonly = false;
};
std::vector<SemanticToken> semanticTokens(const View &view);

// ---------------------------------------------------------------- Complete.cpp
struct Completion {
  std::string label, detail, doc, insert;
  enum class Kind : uint8_t {
    Function,
    Method,
    Variable,
    Field,
    Struct,
    Module,
    Property,
    Keyword,
    Constant,
    Dimension,
    DType,
    Policy
  } kind;
  std::string sort;  // smaller ones first
};
/// What stands before the offset, as far as completion and signature help need it.
struct Context {
  enum class Kind : uint8_t { None, Name, Member, Decorator, Policy, Import } kind = Kind::Name;
  uint32_t wordBegin = 0;             // where the word that is being typed begins
  std::string word;                   // as far as it is typed
  Span object;                        // Member: the text before the dot
  Span callee;                        // of the innermost call around, or invalid
  size_t argument = 0;                // its place in that call
  std::string keyword;                // the argument's, if it is given by name
  std::vector<std::string> keywords;  // that the call has already
  struct Operand {                    // a value with its text, which a text that is mended may not hold any more
    Span place;
    std::string text;
  };
  struct Given {
    std::string keyword;  // empty: by its place
    Operand value;
  };
  std::vector<Given> given;  // the arguments before the one at the cursor
  Operand operand;           // what stands before an operator whose right side is being typed
  std::optional<ast::BinaryOp> op;
  std::string module;  // Import: `from module import |`
};
Context contextAt(const std::string &text, FileId file, uint32_t offset);
/// The text with the statement around an offset taken down to `kept`, which stays where it is: what is being typed does
/// not read yet, and what is asked about is a part of it. As long as the text was.
std::string reducedTo(const std::string &text, Span kept);
/// The text with lines that did not parse taken out, as long as it was; empty: there is nothing to take out.
std::string withoutBrokenLines(const std::string &text, FileId file, const std::vector<diag::Diagnostic> &said);

/// Those that what is typed may still become, with letters between and behind it: editors show no others.
/// `lazy`: what can be called comes without its details, which describe() gives.
std::vector<Completion> completionsOf(const View &view, const Context &context, uint32_t offset, bool lazy = false);
/// The detail and the documentation of a completion that came without.
void describe(const View &view, Completion &item);
struct SignatureHelp {
  std::string label, doc;
  std::vector<std::pair<size_t, size_t>> parameters;  // where each stands in the label
  std::vector<std::string> here;  // the type of each with what is solved so far; empty: as it is written
  size_t active = 0;
};
std::optional<SignatureHelp> signatureHelp(const View &view, const Context &context);

// ---------------------------------------------------------------- Edits.cpp
struct TextEdit {
  uint32_t begin, end;
  std::string text;
};
/// The edits that lead from one text to another, by whole lines.
std::vector<TextEdit> lineEdits(const std::string &from, const std::string &to);
/// The formatted text; nothing if it does not parse.
std::optional<std::string> formatted(const std::string &path, const std::string &text);

}  // namespace tessera::ide
