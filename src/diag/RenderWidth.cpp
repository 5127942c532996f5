#include "diag/RenderWidth.h"
#include <algorithm>
#include <iterator>

namespace tessera::diag {
namespace {

struct CodeRange {
  uint32_t first, last;
};
// East Asian Wide and Fullwidth, and the emoji that terminals draw two columns wide.
constexpr CodeRange kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26A1, 0x26A1},
    {0x2705, 0x2705},   {0x2728, 0x2728},   {0x274C, 0x274C},   {0x2753, 0x2757},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};
constexpr CodeRange kZero[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},
    {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
};

template <size_t N> bool inTable(const CodeRange (&table)[N], uint32_t code) {
  auto it = std::upper_bound(std::begin(table), std::end(table), code,
                             [](uint32_t value, const CodeRange &range) { return value < range.first; });
  return it != std::begin(table) && code <= std::prev(it)->last;
}

/// The code point at `at` and its length in bytes; length 0 when the bytes are not UTF-8.
std::pair<uint32_t, uint32_t> decode(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  uint32_t lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  uint32_t length = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xC2 && lead < 0xE0 ? 2 : 0;
  if (length == 0 || at + length > text.size()) return {0, 0};
  uint32_t code = lead & (0xFFu >> (length + 1));
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {0, 0};
    code = code << 6 | (byte(at + i) & 0x3F);
  }
  bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {0, 0};
  return {code, length};
}

std::string controlPicture(uint32_t code) {  // U+2400..U+241F, U+2421 for DEL
  uint32_t picture = code == 0x7F ? 0x2421 : 0x2400 + code;
  return {static_cast<char>(0xE0 | picture >> 12), static_cast<char>(0x80 | (picture >> 6 & 0x3F)),
          static_cast<char>(0x80 | (picture & 0x3F))};
}

constexpr uint32_t kTab = 4;
const char *const kReplacement = "\xEF\xBF\xBD";

}  // namespace

std::vector<Cell> cellsOf(std::string_view line) {
  std::vector<Cell> cells;
  cells.reserve(line.size());
  uint32_t column = 0;
  for (size_t at = 0; at < line.size();) {
    auto [code, length] = decode(line, at);
    Cell cell{static_cast<uint32_t>(at), column, 1, {}};
    bool directionMark = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    if (length == 0) {
      cell.text = kReplacement;
      length = 1;
    } else if (code == '\t') {
      cell.width = kTab - column % kTab;
      cell.text = std::string(cell.width, ' ');
    } else if (code < 0x20 || code == 0x7F) {
      cell.text = controlPicture(code);
    } else if ((code >= 0x80 && code < 0xA0) || directionMark) {  // would move the terminal's cursor or mirror text
      cell.text = kReplacement;
    } else {
      cell.text = std::string(line.substr(at, length));
      cell.width = inTable(kZero, code) ? 0 : inTable(kWide, code) ? 2 : 1;
    }
    column += cell.width;
    at += length;
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::string printable(std::string_view line) {
  std::string text;
  for (const Cell &cell : cellsOf(line)) text += cell.text;
  return text;
}

uint32_t displayWidth(std::string_view text) {
  bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
  if (plain) return static_cast<uint32_t>(text.size());
  std::vector<Cell> cells = cellsOf(text);
  return cells.empty() ? 0 : cells.back().column + cells.back().width;
}

}  // namespace tessera::diag
