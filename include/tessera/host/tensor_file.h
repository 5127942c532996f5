// The format of .safetensors files: 8 bytes with the length of a header, the header, a JSON object that names each tensor
// with its dtype, its shape and where its bytes lie, and the bytes. A file may come from anywhere: what does not hold
// together is an error, never a guess. Needs nothing but the standard library.
#pragma once
#include "tessera/host/apart.h"
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tsr {
namespace host {
namespace tensor_file {

constexpr uint64_t kMostHeader = 100000000;  // bytes; longer ones are no headers of weights

struct DTypeName {
  const char *file, *language;
  int bytes;
};
/// How files and the language call the dtypes that both have.
TSR_APART const std::vector<DTypeName> &dtypes() {
  static const std::vector<DTypeName> all = {{"F64", "f64", 8}, {"F32", "f32", 4},  {"F16", "f16", 2},        {"BF16", "bf16", 2},      {"I64", "i64", 8},
                                             {"I32", "i32", 4}, {"I16", "i16", 2},  {"I8", "i8", 1},          {"U32", "u32", 4},        {"U16", "u16", 2},
                                             {"U8", "u8", 1},   {"BOOL", "bool", 1}, {"F8_E4M3", "f8e4m3", 1}, {"F8_E5M2", "f8e5m2", 1}, {"C64", "complex64", 8}};
  return all;
}
TSR_APART const DTypeName *dtype_of_file(std::string_view name) {
  for (const DTypeName &dtype : dtypes())
    if (name == dtype.file) return &dtype;
  return nullptr;
}
TSR_APART const DTypeName *dtype_of_language(std::string_view name) {
  for (const DTypeName &dtype : dtypes())
    if (name == dtype.language) return &dtype;
  return nullptr;
}

struct Entry {
  std::string name;
  const DTypeName *dtype = nullptr;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // of its bytes, behind the header
};
struct Header {
  std::vector<Entry> tensors;  // in the order of the file's text
  uint64_t data = 0;           // where their bytes begin in the file
  const Entry *find(std::string_view name) const {
    for (const Entry &entry : tensors)
      if (entry.name == name) return &entry;
    return nullptr;
  }
};

/// Bytes of a tensor; false if there cannot be so many.
TSR_APART bool byte_count(const std::vector<int64_t> &shape, int elementBytes, uint64_t &out) {
  uint64_t bytes = static_cast<uint64_t>(elementBytes);
  bool empty = false;
  for (int64_t extent : shape) empty = empty || extent == 0;
  for (int64_t extent : shape) {
    if (extent < 0 || (!empty && bytes > UINT64_MAX / 4 / static_cast<uint64_t>(extent))) return false;
    bytes = empty ? 0 : bytes * static_cast<uint64_t>(extent);
  }
  out = empty ? 0 : bytes;
  return true;
}

/// Whether a text is valid UTF-8.
TSR_APART bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const unsigned char lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    if (length == 0 || text.size() - i < length) return false;
    for (size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    const unsigned char second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90)) return false;
    i += length;
  }
  return true;
}

/// Reads the JSON of a header. A message stands in `error()` if something is wrong.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text_(text) {}
  const std::string &error() const { return error_; }

  bool read(Header &header) {
    if (!is_utf8(text_)) return wrong("is no UTF-8");
    if (text_.empty() || text_[0] != '{') return wrong("does not begin with `{`");
    std::set<std::string> names;  // a header may have a million
    const bool good = object([&](const std::string &name) {
      if (!names.insert(name).second) return wrong("has `" + name + "` twice");
      if (name == "__metadata__") return metadata();
      if (std::any_of(name.begin(), name.end(), isControl)) return wrong("names a tensor `" + name + "`, with a control character");
      Entry entry;
      entry.name = name;
      if (!tensor(entry)) return false;
      header.tensors.push_back(std::move(entry));
      return true;
    });
    if (!good) return false;
    blanks();
    return at_ == text_.size() || wrong("goes on behind its last `}`");
  }

private:
  static bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
  bool wrong(const std::string &what) {
    if (!error_.empty()) return false;
    error_ = "its header " + what;
    for (char &c : error_)  // for a terminal
      if (isControl(c)) c = '?';
    return false;
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool need(char c) { return take(c) || wrong(std::string("needs a `") + c + "` at byte " + std::to_string(at_)); }

  template <class Value> bool object(Value value) {
    if (!need('{')) return false;
    if (take('}')) return true;
    do {
      std::string key;
      if (!string(key) || !need(':') || !value(key)) return false;
    } while (take(','));
    return need('}');
  }
  bool metadata() {
    std::set<std::string> keys;
    return object([&](const std::string &key) {
      std::string value;
      if (!keys.insert(key).second) return wrong("has `" + key + "` of `__metadata__` twice");
      return string(value);
    });
  }
  bool tensor(Entry &entry) {
    std::vector<int64_t> offsets;
    std::string dtype;
    unsigned seen = 0;
    auto once = [&](unsigned bit, const std::string &key) {
      if (seen & bit) return wrong("has `" + key + "` of `" + entry.name + "` twice");
      seen |= bit;
      return true;
    };
    const bool good = object([&](const std::string &key) {
      if (key == "dtype") return once(1, key) && string(dtype);
      if (key == "shape") return once(2, key) && integers(entry.shape);
      if (key == "data_offsets") return once(4, key) && integers(offsets);
      return wrong("has `" + key + "` of `" + entry.name + "`, which is neither dtype nor shape nor data_offsets");
    });
    if (!good) return false;
    if (seen != 7 || offsets.size() != 2) return wrong("does not say of `" + entry.name + "` its dtype, its shape and its two data_offsets");
    entry.dtype = dtype_of_file(dtype);
    if (!entry.dtype) return wrong("gives `" + entry.name + "` the dtype " + dtype + ", which I do not know");
    entry.begin = static_cast<uint64_t>(offsets[0]);
    entry.end = static_cast<uint64_t>(offsets[1]);
    return true;
  }
  bool integers(std::vector<int64_t> &out) {
    if (!need('[')) return false;
    if (take(']')) return true;
    do {
      int64_t value = 0;
      if (!integer(value)) return false;
      out.push_back(value);
      if (out.size() > 64) return wrong("has a list of more than 64 numbers");
    } while (take(','));
    return need(']');
  }
  bool integer(int64_t &out) {
    blanks();
    const size_t first = at_;
    for (out = 0; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const int digit = text_[at_] - '0';
      if (out > (INT64_MAX - digit) / 10) return wrong("has a number of more than 63 bits");
      out = out * 10 + digit;
    }
    return at_ != first || wrong("needs a number at byte " + std::to_string(at_));
  }
  bool string(std::string &out) {
    if (!need('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (static_cast<unsigned char>(c) < 0x20) return wrong("has a control character in a text");
      if (c != '\\') out += c;
      else if (!escape(out)) return false;
    }
    return need('"');
  }
  bool escape(std::string &out) {
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    const std::string_view plain = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const size_t found = plain.find(c);
    if (c != '\0' && found != std::string_view::npos) {
      out += meant[found];
      return true;
    }
    uint32_t code = 0;
    if (c != 'u' || !hex(code)) return wrong("has an escape that JSON does not have");
    if (code >= 0xd800 && code < 0xdc00) {
      uint32_t low = 0;
      if (text_.substr(at_, 2) != "\\u") return wrong("has half of a character");
      at_ += 2;
      if (!hex(low) || low < 0xdc00 || low >= 0xe000) return wrong("has half of a character");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      return wrong("has half of a character");
    }
    if (code < 0x80) out += static_cast<char>(code);
    else if (code < 0x800) out += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
    else if (code < 0x10000) out += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)), static_cast<char>(0x80 | (code & 63))};
    else
      out += {static_cast<char>(0xf0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 63)), static_cast<char>(0x80 | (code >> 6 & 63)),
              static_cast<char>(0x80 | (code & 63))};
    return true;
  }
  bool hex(uint32_t &out) {
    if (text_.size() - at_ < 4) return false;
    out = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = text_[at_++];
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) return false;
      out = out << 4 | static_cast<uint32_t>(digit);
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

/// How long the header is that the first 8 bytes announce. Empty, or what is wrong.
TSR_APART std::string header_length(std::string_view first, uint64_t fileBytes, uint64_t &length) {
  if (fileBytes < 8 || first.size() < 8) return "it is no .safetensors file: it has " + std::to_string(fileBytes) + " bytes, fewer than the length of a header";
  length = 0;
  for (size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(first[i]);
  if (length > kMostHeader) return "it is no .safetensors file: its first 8 bytes announce a header of " + std::to_string(length) + " bytes";
  if (length > fileBytes - 8) return "it ends before its header does: " + std::to_string(length) + " bytes are announced, " + std::to_string(fileBytes - 8) + " are left";
  return "";
}

/// Reads a header and checks it against the size of the file: the tensors fill it, without holes and without overlaps.
/// Empty, or what is wrong.
TSR_APART std::string read_header(std::string_view text, uint64_t fileBytes, Header &header) {
  HeaderReader reader(text);
  if (!reader.read(header)) return reader.error();
  header.data = 8 + text.size();
  const uint64_t data = fileBytes - header.data;
  std::vector<const Entry *> order;
  for (const Entry &entry : header.tensors) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Entry *a, const Entry *b) { return std::make_pair(a->begin, a->end) < std::make_pair(b->begin, b->end); });
  uint64_t end = 0;
  for (const Entry *entry : order) {
    uint64_t bytes = 0;
    const std::string range = "[" + std::to_string(entry->begin) + ", " + std::to_string(entry->end) + "]";
    if (!byte_count(entry->shape, entry->dtype->bytes, bytes)) return "`" + entry->name + "` has more bytes than a machine can have";
    if (entry->end > data) return "it ends before its elements do: `" + entry->name + "` lies at " + range + " of " + std::to_string(data) + " bytes";
    if (entry->begin > entry->end || entry->end - entry->begin != bytes)
      return "`" + entry->name + "` lies at " + range + ", and its shape and dtype need " + std::to_string(bytes) + " bytes";
    if (entry->begin != end)
      return "`" + entry->name + "` lies at " + range + ", and what is before it ends at " + std::to_string(end) + ": there are neither holes nor overlaps";
    end = entry->end;
  }
  if (end != data) return std::to_string(data - end) + " bytes behind its last tensor belong to none";
  return "";
}

/// "`a`, `b`"
TSR_APART std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 8; ++i) text += (i ? ", `" : "`") + names[i] + "`";
  return names.size() > 8 ? text + " and " + std::to_string(names.size() - 8) + " more" : text;
}
/// The tensors that one name stands for: itself, or `layers.0.w`, `layers.1.w`, ... for `layers.*.w`, the arrays of a stack
/// of structs. `counts`: how many there are in place of each `*`.
struct Rows {
  std::vector<const Entry *> entries;
  std::vector<int64_t> counts;
};
/// Empty, or why the tensors are no rows of one: "layers.1.w is missing".
TSR_APART std::string rows_named(const Header &header, const std::string &name, Rows &out) {
  const size_t star = name.find('*');
  if (const Entry *entry = header.find(name)) out.entries.push_back(entry);
  else if (star != std::string::npos) {
    out.counts.assign(1, 0);
    for (bool more = true; more;) {
      Rows inner;
      const std::string problem = rows_named(header, name.substr(0, star) + std::to_string(out.counts[0]) + name.substr(star + 1), inner);
      if (!problem.empty()) return problem;
      more = !inner.entries.empty();
      if (!more) break;
      if (out.counts[0] == 0) out.counts.insert(out.counts.end(), inner.counts.begin(), inner.counts.end());
      else if (!std::equal(inner.counts.begin(), inner.counts.end(), out.counts.begin() + 1))
        return "`" + name + "` has more of them for some numbers than for others";
      ++out.counts[0];
      out.entries.insert(out.entries.end(), inner.entries.begin(), inner.entries.end());
    }
  }
  for (const Entry *entry : out.entries)
    if (entry->dtype != out.entries[0]->dtype || entry->shape != out.entries[0]->shape)
      return "`" + entry->name + "` has another shape or dtype than `" + out.entries[0]->name + "`, and both are part of `" + name + "`";
  return "";
}
/// The shape of the tensor that has these tensors as its rows.
TSR_APART std::vector<int64_t> shape_of(const Rows &rows) {
  std::vector<int64_t> shape = rows.counts;
  shape.insert(shape.end(), rows.entries[0]->shape.begin(), rows.entries[0]->shape.end());
  return shape;
}
/// A tensor as it is written: of a name with `*`, a tensor for each of its rows.
TSR_APART void add_rows(Entry whole, std::vector<Entry> &out) {
  const size_t star = whole.name.find('*');
  if (star == std::string::npos || whole.shape.empty()) return out.push_back(std::move(whole));
  const int64_t count = whole.shape[0];
  const uint64_t bytes = count > 0 ? (whole.end - whole.begin) / static_cast<uint64_t>(count) : 0;
  Entry row = whole;
  row.shape.erase(row.shape.begin());
  for (int64_t i = 0; i < count; ++i) {
    row.name = whole.name.substr(0, star) + std::to_string(i) + whole.name.substr(star + 1);
    row.begin = whole.begin + static_cast<uint64_t>(i) * bytes;
    row.end = row.begin + bytes;
    add_rows(row, out);
  }
}
/// A tensor that is wanted, `w [784, D]`: its name, and its extents where they are known. A name of an extent is the same one for all tensors.
struct Wanted {
  explicit Wanted(const std::string &text) {
    const size_t blank = text.find(" [");
    name = text.substr(0, blank);
    sized = blank != std::string::npos;
    std::string extent;
    for (size_t at = sized ? blank + 2 : text.size(); at < text.size(); ++at) {
      const char c = text[at];
      if (c != ',' && c != ']' && c != ' ') extent += c;
      else if (!extent.empty()) extents.push_back(extent), extent.clear();
    }
  }
  std::string name;
  std::vector<std::string> extents;
  bool sized = false;
};
/// Empty, or what other shape a tensor has than the one that is wanted. `sizes`: what the names of extents are, and which tensor said so.
TSR_APART std::string other_shape(const Wanted &wanted, const Rows &rows, std::map<std::string, std::pair<int64_t, std::string>> &sizes) {
  const std::vector<int64_t> shape = shape_of(rows);
  const size_t front = rows.counts.size();
  std::string has, wants, why;
  bool fits = shape.size() == front + wanted.extents.size();
  for (size_t i = front; i < shape.size(); ++i) has += (has.empty() ? "" : ", ") + std::to_string(shape[i]);
  for (size_t i = 0; i < wanted.extents.size(); ++i) {
    const std::string &extent = wanted.extents[i];
    wants += (wants.empty() ? "" : ", ") + extent;
    if (!fits || extent == "?") continue;
    const int64_t own = shape[front + i];
    if (extent[0] >= '0' && extent[0] <= '9') {
      fits = std::to_string(own) == extent;
      continue;
    }
    const auto known = sizes.emplace(extent, std::make_pair(own, wanted.name)).first;
    if (known->second.first == own) continue;
    fits = false;
    why = ", where " + extent + " is " + std::to_string(known->second.first) + " in `" + known->second.second + "`";
  }
  return fits ? "" : "`" + wanted.name + "` has the shape [" + has + "], and [" + wants + "] is expected" + why;
}
/// Empty, or which of the tensors that are wanted are missing in the file, which others it has, and whose shapes differ.
TSR_APART std::string other_names(const Header &header, const std::vector<std::string> &texts) {
  std::vector<std::string> missing, extra;
  std::set<const Entry *> known;
  std::map<std::string, std::pair<int64_t, std::string>> sizes;
  std::string shapes;
  int differ = 0;
  for (const std::string &text : texts) {
    const Wanted wanted(text);
    Rows rows;
    const std::string problem = rows_named(header, wanted.name, rows);
    if (!problem.empty()) return problem;
    if (rows.entries.empty()) missing.push_back(wanted.name);
    known.insert(rows.entries.begin(), rows.entries.end());
    const std::string other = rows.entries.empty() || !wanted.sized ? "" : other_shape(wanted, rows, sizes);
    if (!other.empty() && ++differ <= 8) shapes += (shapes.empty() ? "" : "; ") + other;
  }
  if (differ > 8) shapes += "; and " + std::to_string(differ - 8) + " more";
  for (const Entry &entry : header.tensors)
    if (!known.count(&entry)) extra.push_back(entry.name);
  if (missing.empty() && extra.empty()) return shapes;
  return (shapes.empty() ? "" : shapes + "; ") + (missing.empty() ? "" : "it lacks " + listed(missing)) + (missing.empty() || extra.empty() ? "" : ", and ") +
         (extra.empty() ? "" : "it has " + listed(extra) + ", which nothing asks for");
}
/// Empty, or why this tensor cannot be given as one of the dtype that the language calls `dtype`; any if that is empty.
TSR_APART std::string other_dtype(const Entry &entry, std::string_view dtype) {
  if (dtype.empty() || dtype == entry.dtype->language) return "";
  return "`" + entry.name + "` is of " + entry.dtype->language + ", and " + std::string(dtype) + " is needed";
}
/// Empty, or that a truth value is neither 0 nor 1.
TSR_APART std::string no_truth(const Entry &entry, std::string_view bytes) {
  if (std::string_view(entry.dtype->file) != "BOOL") return "";
  for (char byte : bytes)
    if (byte != 0 && byte != 1) return "`" + entry.name + "` holds " + std::to_string(static_cast<unsigned char>(byte)) + " where a truth value is 0 or 1";
  return "";
}

TSR_APART std::string quoted(const std::string &name) {
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}
/// The first bytes of a file with these tensors, whose offsets follow from their sizes: the length and the header.
TSR_APART std::string header_text(const std::vector<Entry> &tensors) {
  std::string text;
  for (const Entry &entry : tensors) {
    std::string shape;
    for (int64_t extent : entry.shape) shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    text += (text.empty() ? "{" : ",") + quoted(entry.name) + ":{\"dtype\":\"" + entry.dtype->file + "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
            std::to_string(entry.begin) + "," + std::to_string(entry.end) + "]}";
  }
  text += text.empty() ? "{}" : "}";
  while (text.size() % 8 != 0) text += ' ';
  std::string head;
  for (int i = 0; i < 8; ++i) head += static_cast<char>(static_cast<uint64_t>(text.size()) >> 8 * i & 0xff);
  return head + text;
}

}  // namespace tensor_file
}  // namespace host
}  // namespace tsr
