// How many terminal columns text takes: tabs, wide and combining characters, and bytes that are no text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::diag {

/// One character of a line as it is shown. `text` is safe to print: control characters are shown as
/// pictures, bytes that are not UTF-8 as U+FFFD, tabs as blanks up to the next multiple of four.
struct Cell {
  uint32_t byte = 0;    // offset in the line
  uint32_t column = 0;  // first column, from 0
  uint32_t width = 0;   // 0 for combining characters, 2 for wide ones
  std::string text;
};
std::vector<Cell> cellsOf(std::string_view line);
/// The text as it is printed: control characters must not reach the terminal. Line feeds are among them.
std::string printable(std::string_view line);
/// Columns that the text takes when printed from column 0.
uint32_t displayWidth(std::string_view text);

}  // namespace tessera::diag
