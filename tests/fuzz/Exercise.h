// One text through the whole front end: lexer, parser, formatter, checker, renderers. Stops the process where a promise
// of these is broken, so that the fuzzer keeps the text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fuzz {

/// Texts longer than this are cut by the fuzzers: long ones find little that short ones do not.
inline constexpr size_t kMaxText = 4096;

void exercise(std::string_view text);

/// All programs (.tsr) below a folder of the source tree.
std::vector<std::string> programsBelow(const std::string &folder);

}  // namespace tessera::fuzz
