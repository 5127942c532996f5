#include "codegen/source/Writer.h"
#include <algorithm>
#include <cstdio>
#include <sstream>

namespace tessera::codegen {
namespace {
/// A comment's line as the lexer takes it: a backslash at the end would make the next line a part of it.
std::string closed(std::string line) {
  if (size_t last = line.find_last_not_of(' '); last != std::string::npos && line[last] == '\\') line += " //";
  return line;
}

/// A file's name as a string of C: #line reads escapes.
std::string quotedPath(const std::string &path) {
  std::string text = "\"";
  for (size_t at = 0, mark = 0; at < path.size(); ++at, mark -= mark > 0) {
    const char c = path[at];
    unsigned char byte = static_cast<unsigned char>(c);
    if (turnsText(std::string_view(path).substr(at))) mark = 3;
    char octal[5];
    std::snprintf(octal, sizeof octal, "\\%03o", byte);
    if (byte < 0x20 || byte == 0x7f || mark) text += octal;
    else if (c == '"' || c == '\\') text += std::string("\\") + c;
    else text += c;
  }
  return text + "\"";
}

/// Stands for "the number of the next line" until the text is put together.
constexpr const char *kBackHere = "#line \x01";
}  // namespace

bool turnsText(std::string_view text) {  // U+202A to U+202E, U+2066 to U+2069
  if (text.size() < 3 || text[0] != '\xE2') return false;
  return (text[1] == '\x80' && text[2] >= '\xAA' && text[2] <= '\xAE') || (text[1] == '\x81' && text[2] >= '\xA6' && text[2] <= '\xA9');
}
std::string withoutTurns(std::string text) {
  for (size_t at = 0; at < text.size(); ++at)
    if (turnsText(std::string_view(text).substr(at))) text.replace(at, 3, "?");
  return text;
}

std::string baseName(const std::string &path) {
  size_t slash = path.find_last_of('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (!path.empty() && path.front() == '<' && name.back() == '>') name.pop_back();
  for (char &c : name)  // the name stands in comments of one line
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') c = '?';
  return withoutTurns(name);
}

void Writer::blank() {
  if (lines_.empty() || lines_.back().text.empty()) return;
  char end = lines_.back().text.back();
  if (end == '{' && depth_ > 0) return;
  lines_.push_back({"", std::nullopt});
}

void Writer::line(const std::string &text) {
  lines_.push_back({text.empty() ? "" : std::string(static_cast<size_t>(depth_), ' ') + text, std::nullopt});
}

void Writer::directive(const std::string &text) {
  lines_.push_back({std::string(static_cast<size_t>(depth_), ' ') + text, std::nullopt});
}

void Writer::paste(const std::string &text) {
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) lines_.push_back({line, std::nullopt});
}
void Writer::append(const Writer &other) {
  lines_.push_back({"", std::nullopt});
  lines_.insert(lines_.end(), other.lines_.begin(), other.lines_.end());
}

std::string Writer::placeComment(const Place &place) const {
  return "// " + (named_ == place.file ? std::string() : baseName(place.file)) + ":" +
         std::to_string(place.line);
}

void Writer::statement(const Doc &doc, const std::optional<Place> &place) {
  std::vector<std::string> texts = doc.lines(depth_, kWidth);
  if (place && !(last_ && *last_ == *place)) {
    if (directives_) {
      lines_.push_back({"#line " + std::to_string(place->line) + " " + quotedPath(place->file), std::nullopt});
      away_ = true;
    } else {
      std::string comment = placeComment(*place);
      std::string &first = texts.front(), &final = texts.back();
      std::string &target = first.size() + 2 + comment.size() <= kWidth ? first : final;
      if (target.size() + 2 + comment.size() <= kWidth) target += "  " + comment;
      else {  // a line of its own, above the pragma that belongs to the statement
        bool marked = !lines_.empty() && lines_.back().text.find("#pragma") != std::string::npos;
        std::string text = std::string(static_cast<size_t>(depth_), ' ') + comment;
        lines_.insert(lines_.end() - (marked ? 1 : 0), {std::move(text), place});
      }
      named_ = place->file;
    }
    last_ = place;
  }
  for (std::string &text : texts) lines_.push_back({std::move(text), place ? place : last_});
}

void Writer::comment(const std::string &given) {
  std::string text = withoutTurns(given);
  if (size_t end = text.find('\n'); end != std::string::npos) {
    comment(text.substr(0, end));
    return comment(text.substr(end + 1));
  }
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  for (size_t at; (at = text.find("??/")) != std::string::npos;) text.replace(at, 3, "? ?/");  // a backslash, in old C
  std::string margin = std::string(static_cast<size_t>(depth_), ' ') + "//";
  if (margin.size() + 1 + text.size() <= kWidth) {  // as it is: runs of spaces may line up columns
    lines_.push_back({text.empty() ? margin : closed(margin + " " + text), std::nullopt});
    return;
  }
  size_t own = std::min(text.find_first_not_of(' '), text.size());
  std::string current = margin + std::string(own, ' '), further = margin + std::string(own + 2, ' ');
  std::istringstream words(text);
  bool any = false;
  for (std::string word; words >> word; any = true) {
    if (any && current.size() + 1 + word.size() > kWidth) {
      lines_.push_back({closed(current), std::nullopt});
      current = further;
    }
    current += " " + word;
  }
  lines_.push_back({closed(current), std::nullopt});
}

void Writer::endFunction() {
  if (away_) lines_.push_back({kBackHere, std::nullopt});
  away_ = false;
  last_.reset();
}

std::string Writer::text(const std::string &ownName) const {
  std::string result;
  int number = 0;
  for (const WrittenLine &line : lines_) {
    ++number;
    if (line.text == kBackHere) result += "#line " + std::to_string(number + 1) + " " + quotedPath(ownName);
    else result += line.text;
    result += '\n';
  }
  return result;
}

}  // namespace tessera::codegen
