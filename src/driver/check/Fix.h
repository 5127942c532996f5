// Applying fixes to files: in memory until nothing is left to apply, then written.
#pragma once
#include "driver/check/Check.h"
#include "driver/check/Texts.h"
#include <string>
#include <vector>

namespace tessera::driver {

/// An edit that was made: its place in the text as it was when the edit was made.
struct MadeEdit {
  std::string path;
  uint32_t line = 0, column = 0;
  std::string code, edit;  // "E0130", "insert `:`"
};
struct FixedFile {
  std::string path, before, after;
};
struct FixOutcome {
  std::vector<MadeEdit> edits;
  std::vector<FixedFile> files;
  size_t rounds = 0;
};

inline constexpr size_t kMaxFixRounds = 10;

/// Checks the files, applies what may be applied, and does so again until nothing is left, at most kMaxFixRounds times.
/// Of edits that touch each other the first is applied, the others wait for the next round. Only these files are
/// changed, not what they import from elsewhere. An edit after which a file does not parse that parsed before is not
/// made. The new texts stand in `texts`; nothing is written.
FixOutcome applyAllFixes(const std::vector<std::string> &files, Texts &texts, bool suggestions);

}  // namespace tessera::driver
