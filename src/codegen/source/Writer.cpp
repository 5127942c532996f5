#include "codegen/source/Writer.h"
#include <algorithm>
#include <sstream>

namespace tessera::codegen {
namespace {
/// Stands for "the number of the next line" until the text is put together.
constexpr const char *kBackHere = "#line \x01";
}  // namespace

std::string baseName(const std::string &path) {
  size_t slash = path.find_last_of('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (!path.empty() && path.front() == '<' && name.back() == '>') name.pop_back();
  return name;
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
      lines_.push_back({"#line " + std::to_string(place->line) + " \"" + place->file + "\"", std::nullopt});
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

void Writer::comment(const std::string &text) {
  std::string margin = std::string(static_cast<size_t>(depth_), ' ') + "//";
  if (margin.size() + 1 + text.size() <= kWidth) {  // as it is: runs of spaces may line up columns
    lines_.push_back({text.empty() ? margin : margin + " " + text, std::nullopt});
    return;
  }
  size_t own = std::min(text.find_first_not_of(' '), text.size());
  std::string current = margin + std::string(own, ' '), further = margin + std::string(own + 2, ' ');
  std::istringstream words(text);
  bool any = false;
  for (std::string word; words >> word; any = true) {
    if (any && current.size() + 1 + word.size() > kWidth) {
      lines_.push_back({current, std::nullopt});
      current = further;
    }
    current += " " + word;
  }
  lines_.push_back({current, std::nullopt});
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
    if (line.text == kBackHere) result += "#line " + std::to_string(number + 1) + " \"" + ownName + "\"";
    else result += line.text;
    result += '\n';
  }
  return result;
}

}  // namespace tessera::codegen
