// Texts of JSON as host code reads them: a value is the text that it has, and its parts are looked up in it. What is wrong with a text is a
// sentence in `problem`.
#pragma once
#include "tessera/host/apart.h"
#include <cstdint>
#include <cstdlib>
#include <string>

namespace tsr {
namespace host {
namespace json {

constexpr int kMostDepth = 512;

class Reader {
public:
  explicit Reader(const std::string &text) : text_(text) {}
  std::string problem;

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) ++at_;
  }
  bool takes(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool ends() {
    blanks();
    return at_ == text_.size();
  }
  /// Calls `visit(key, begin, end)` for each entry of an object, or each item of a list with an empty key.
  template <class Visit> bool parts(char open, const Visit &visit, int depth = 0) {
    if (!takes(open)) return fails(std::string("a `") + open + "` is missing");
    const char close = open == '{' ? '}' : ']';
    if (takes(close)) return true;
    do {
      std::string key;
      if (open == '{' && (!string(key) || !takes(':'))) return fails("a key and a `:` are missing");
      blanks();
      const size_t begin = at_;
      if (!value(depth + 1)) return false;
      visit(key, begin, at_);
    } while (takes(','));
    return takes(close) || fails(std::string("a `,` or a `") + close + "` is missing");
  }
  bool value(int depth = 0) {
    blanks();
    if (depth > kMostDepth) return fails("it is nested too deeply");
    if (at_ >= text_.size()) return fails("it ends where a value is missing");
    const char c = text_[at_];
    auto nothing = [](const std::string &, size_t, size_t) {};
    if (c == '{' || c == '[') return parts(c, nothing, depth);
    std::string word;
    if (c == '"') return string(word) || fails("a text has no end, or an escape that there is not");
    const size_t begin = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || (text_[at_] >= '0' && text_[at_] <= '9') || text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.')) ++at_;
    word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false" || word == "null" || word == "NaN" || word == "Infinity" || word == "-Infinity") return true;
    char *end = nullptr;
    const bool digit = !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'));
    if (digit) (void)std::strtod(word.c_str(), &end);
    if (digit && !*end) return true;
    at_ = begin;
    return fails("a value is missing");
  }
  /// A text in quotes, as the characters that it stands for.
  bool string(std::string &out) {
    if (!takes('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        out += text_[at_++];
      } else if (!escape(out)) {
        return false;
      }
    }
    return at_++ < text_.size();
  }
  size_t at() const { return at_; }

private:
  static bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  bool fails(const std::string &what) {
    if (problem.empty()) problem = what + " at byte " + std::to_string(at_);
    return false;
  }
  bool escape(std::string &out) {
    if (at_ + 1 >= text_.size()) return false;
    const char c = text_[at_ + 1];
    at_ += 2;
    switch (c) {
    case '"':
    case '\\':
    case '/': return out += c, true;
    case 'n': return out += '\n', true;
    case 't': return out += '\t', true;
    case 'r': return out += '\r', true;
    case 'b': return out += '\b', true;
    case 'f': return out += '\f', true;
    case 'u': return character(out);
    default: return false;
    }
  }
  bool hex(uint32_t &code) {
    if (at_ + 4 > text_.size()) return false;
    char *end = nullptr;
    const std::string digits = text_.substr(at_, 4);
    code = static_cast<uint32_t>(std::strtoul(digits.c_str(), &end, 16));
    at_ += 4;
    return !*end && digits[0] != '-' && digits[0] != '+' && digits[0] != ' ';
  }
  /// `\u00e9`, and two of them for what is beyond 16 bits, as UTF-8.
  bool character(std::string &out) {
    uint32_t code = 0, low = 0;
    if (!hex(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
      if (text_.compare(at_, 2, "\\u") != 0) return false;
      at_ += 2;
      if (!hex(low) || low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) put(code);
    else if (code < 0x800) put(0xc0 | code >> 6), put(0x80 | (code & 63));
    else if (code < 0x10000) put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 63)), put(0x80 | (code & 63));
    else put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 63)), put(0x80 | (code >> 6 & 63)), put(0x80 | (code & 63));
    return true;
  }

  const std::string &text_;
  size_t at_ = 0;
};

/// What kind of value a text shows, for messages.
TSR_APART std::string kind_of(const std::string &value) {
  switch (value.empty() ? ' ' : value[0]) {
  case '{': return "an object";
  case '[': return "a list";
  case '"': return "a text";
  case 't':
  case 'f': return "a truth value";
  case 'n': return "null";
  default: return "a number";
  }
}
/// One value, without what stands around it.
TSR_APART std::string whole(const std::string &text, std::string &problem) {
  Reader reader(text);
  reader.blanks();
  const size_t begin = reader.at();
  if (!reader.value()) return problem = "this is no JSON: " + reader.problem, "";
  const size_t end = reader.at();
  if (!reader.ends()) problem = "this is no JSON: something follows its end at byte " + std::to_string(end);
  return text.substr(begin, end - begin);
}
/// The value of a key; the last one, where there are several.
TSR_APART std::string member(const std::string &value, const std::string &key, std::string &problem) {
  if (value.empty() || value[0] != '{') return problem = "`[\"" + key + "\"]` of " + kind_of(value) + ", which has no keys", "";
  std::string found, keys;
  bool is = false;
  Reader(value).parts('{', [&](const std::string &name, size_t begin, size_t end) {
    keys += (keys.empty() ? "`" : ", `") + name + "`";
    if (name == key) found = value.substr(begin, end - begin), is = true;
  });
  if (!is) problem = "there is no key `" + key + "`: there " + (keys.empty() ? "are none" : "is " + keys);
  return found;
}
TSR_APART int64_t count(const std::string &value, std::string &problem) {
  int64_t count = 0;
  const char open = value.empty() ? ' ' : value[0];
  if (open != '{' && open != '[') return problem = "the length of " + kind_of(value), 0;
  Reader(value).parts(open, [&](const std::string &, size_t, size_t) { ++count; });
  return count;
}
TSR_APART std::string item(const std::string &value, int64_t index, std::string &problem) {
  if (value.empty() || value[0] != '[') return problem = "`[" + std::to_string(index) + "]` of " + kind_of(value) + ", which has no items", "";
  const int64_t items = count(value, problem), wanted = index < 0 ? index + items : index;
  int64_t at = 0;
  std::string found;
  Reader(value).parts('[', [&](const std::string &, size_t begin, size_t end) {
    if (at++ == wanted) found = value.substr(begin, end - begin);
  });
  if (wanted < 0 || wanted >= items) problem = "there is no item " + std::to_string(index) + " of a list of " + std::to_string(items);
  return found;
}
/// A text without its quotes; what `print` shows of other values.
TSR_APART std::string shown(const std::string &value) {
  std::string text;
  if (!value.empty() && value[0] == '"') return Reader(value).string(text), text;
  return value == "true" ? "True" : value == "false" ? "False" : value == "null" ? "None" : value;
}
/// The items of a list, or the keys of an object, as `shown` shows them.
template <class Visit> void items(const std::string &value, std::string &problem, const Visit &visit) {
  const char open = value.empty() ? ' ' : value[0];
  if (open != '{' && open != '[') return problem = "a loop over " + kind_of(value), void();
  Reader(value).parts(open, [&](const std::string &key, size_t begin, size_t end) { visit(open == '{' ? key : shown(value.substr(begin, end - begin))); });
}

}  // namespace json
}  // namespace host
}  // namespace tsr
