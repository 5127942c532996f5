// Which files a command means: named files, and the programs below named folders.
#pragma once
#include <string>
#include <vector>

namespace tessera::driver {

/// The .tsr files that the paths name, each once: files as they are named, folders as all below them in order of their
/// names. Hidden folders and build folders (named `build`, `build-...`, or holding CMakeCache.txt) are not entered
/// unless they are named themselves; links to folders are not followed.
std::vector<std::string> programsBelow(const std::vector<std::string> &paths);

}  // namespace tessera::driver
