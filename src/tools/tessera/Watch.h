// Waiting until files change.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace tessera::tools {

/// Times and sizes of files; of a file that is not there, nothing.
using Stamps = std::map<std::string, std::string>;
Stamps stampsOf(const std::vector<std::string> &files);
/// From now on an interrupt (Ctrl-C, SIGTERM) does not end the process but the wait.
void catchInterrupts();
bool interrupted();
/// Sleeps for a tenth of a second, or until an interrupt.
void waitAMoment();

}  // namespace tessera::tools
