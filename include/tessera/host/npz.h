// The format of .npz files: a ZIP archive with an .npy file for each array. Members that are stored as they are can be read;
// what does not hold together is an error, never a guess. Needs nothing but the standard library.
#pragma once
#include "tessera/host/apart.h"
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tsr {
namespace host {
namespace npz {

struct Member {
  std::string name;
  uint64_t header = 0, stored = 0, size = 0;  // where its header begins, its bytes in the file and outside of it
  uint32_t crc = 0;
  unsigned method = 0, flags = 0;
};

/// The number of `bytes` bytes at a place, the lowest first; the place has been checked.
TSR_APART uint64_t number(std::string_view file, uint64_t at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file[static_cast<size_t>(at) + static_cast<size_t>(i)]);
  return value;
}
TSR_APART bool has(std::string_view file, uint64_t at, uint64_t bytes) { return at <= file.size() && bytes <= file.size() - at; }
TSR_APART bool marked(std::string_view file, uint64_t at, uint64_t bytes, std::string_view mark) {
  return has(file, at, bytes) && file.substr(static_cast<size_t>(at), mark.size()) == mark;
}

TSR_APART uint32_t crc_of(std::string_view bytes) {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0u);
  }
  uint32_t crc = 0xffffffffu;
  for (char c : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

/// Sizes that do not fit 32 bits stand in a field behind the name.
TSR_APART bool wide_sizes(std::string_view extra, Member &member) {
  uint64_t *const wanted[] = {&member.size, &member.stored, &member.header};
  for (uint64_t at = 0; has(extra, at, 4);) {
    const uint64_t kind = number(extra, at, 2), bytes = number(extra, at + 2, 2), end = at + 4 + bytes;
    if (!has(extra, at + 4, bytes)) return false;
    at += 4;
    for (uint64_t *value : wanted) {
      if (kind != 1 || *value != 0xffffffffu) continue;
      if (at + 8 > end) return false;
      *value = number(extra, at, 8);
      at += 8;
    }
    at = end;
  }
  return true;
}

/// The members of an archive. Empty, or what is wrong with it.
TSR_APART std::string members(std::string_view file, std::vector<Member> &out) {
  constexpr uint64_t kEnd = 22, kWideEnd = 56, kWhere = 20, kEntry = 46;
  if (file.size() < kEnd) return "it is no .npz file: it has " + std::to_string(file.size()) + " bytes";
  uint64_t end = file.size() - kEnd;
  const uint64_t least = end > 0xffff ? end - 0xffff : 0;
  while (end > least && !marked(file, end, kEnd, "PK\5\6")) --end;
  if (!marked(file, end, kEnd, "PK\5\6")) return "it is no .npz file: the end of a ZIP archive is missing";
  uint64_t count = number(file, end + 10, 2), at = number(file, end + 16, 4);
  if (end >= kWhere && marked(file, end - kWhere, kWhere, "PK\6\7")) {
    const uint64_t wide = number(file, end - kWhere + 8, 8);
    if (!marked(file, wide, kWideEnd, "PK\6\6")) return "its list of members is not where it is said to be";
    count = number(file, wide + 32, 8), at = number(file, wide + 48, 8);
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (!marked(file, at, kEntry, "PK\1\2")) return "its list of members ends before the member " + std::to_string(i);
    Member member;
    member.flags = static_cast<unsigned>(number(file, at + 8, 2)), member.method = static_cast<unsigned>(number(file, at + 10, 2));
    member.crc = static_cast<uint32_t>(number(file, at + 16, 4)), member.stored = number(file, at + 20, 4);
    member.size = number(file, at + 24, 4), member.header = number(file, at + 42, 4);
    const uint64_t name = number(file, at + 28, 2), extra = number(file, at + 30, 2), comment = number(file, at + 32, 2);
    if (!has(file, at + kEntry, name + extra + comment)) return "its list of members ends within the member " + std::to_string(i);
    member.name = std::string(file.substr(static_cast<size_t>(at + kEntry), static_cast<size_t>(name)));
    if (!wide_sizes(file.substr(static_cast<size_t>(at + kEntry + name), static_cast<size_t>(extra)), member))
      return "the sizes of its member `" + member.name + "` are damaged";
    out.push_back(std::move(member));
    at += kEntry + name + extra + comment;
  }
  return "";
}

/// The .npy file of the array `name`. Empty, or why there is none.
TSR_APART std::string array_named(std::string_view file, const std::string &name, std::string_view &out) {
  std::vector<Member> all;
  std::string problem = members(file, all), names;
  if (!problem.empty()) return problem;
  const Member *found = nullptr;
  for (const Member &member : all) {
    const bool isArray = member.name.size() > 4 && member.name.compare(member.name.size() - 4, 4, ".npy") == 0;
    const std::string own = isArray ? member.name.substr(0, member.name.size() - 4) : member.name;
    if (own == name) found = &member;
    names += (names.empty() ? "`" : ", `") + own + "`";
  }
  if (!found) return "it has no array `" + name + "`" + (names.empty() ? ", and no other" : "; it has " + names);
  if (found->flags & 1) return "`" + name + "` is encrypted";
  if (found->method != 0) return "`" + name + "` is compressed: save it with `numpy.savez`, which stores arrays as they are";
  constexpr uint64_t kHeader = 30;
  if (!marked(file, found->header, kHeader, "PK\3\4")) return "`" + name + "` is not where it is said to be";
  const uint64_t data = found->header + kHeader + number(file, found->header + 26, 2) + number(file, found->header + 28, 2);
  if (found->stored != found->size || !has(file, data, found->size)) return "it ends before `" + name + "` does";
  out = file.substr(static_cast<size_t>(data), static_cast<size_t>(found->size));
  return crc_of(out) == found->crc ? "" : "`" + name + "` is damaged: its check sum is another one";
}

TSR_APART void put(std::string &to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) to += static_cast<char>(value & 0xff);
}

/// An archive of these .npy files, stored as they are, each under the name of its array. Empty, or why there is none.
TSR_APART std::string archive(const std::vector<std::pair<std::string, std::string>> &arrays, std::string &out) {
  constexpr uint64_t kMost = 0xffffffffu;
  std::string list;
  for (const auto &[name, bytes] : arrays) {
    const std::string member = name + ".npy";
    if (bytes.size() > kMost || out.size() > kMost) return "an archive holds 4 GiB: save `" + name + "` in a file of its own";
    std::string about;  // what both headers say
    put(about, 20, 2), put(about, 0, 4), put(about, 0, 2), put(about, 0x21, 2);  // version, flags and method, 1980-01-01
    put(about, crc_of(bytes), 4), put(about, bytes.size(), 4), put(about, bytes.size(), 4), put(about, member.size(), 2), put(about, 0, 2);
    list += "PK\1\2", put(list, 20, 2), list += about, put(list, 0, 2), put(list, 0, 2), put(list, 0, 2), put(list, 0, 4), put(list, out.size(), 4);
    list += member;
    out += "PK\3\4" + about + member + bytes;
  }
  const uint64_t at = out.size();
  if (at > kMost) return "an archive holds 4 GiB: save the arrays in files of their own";
  out += list + "PK\5\6";
  put(out, 0, 4), put(out, arrays.size(), 2), put(out, arrays.size(), 2), put(out, list.size(), 4), put(out, at, 4), put(out, 0, 2);
  return "";
}

}  // namespace npz
}  // namespace host
}  // namespace tsr
