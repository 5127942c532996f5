// Mistakes on the command line: what was seen, what was expected, one way to right it.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Reads the command line into `app`. Nothing when the program may go on; else the exit code: help and version were
/// printed, or the mistake was, to stderr.
std::optional<int> readCommandLine(CLI::App &app, int argc, const char *const *argv);
/// Reads words that stand elsewhere, such as in a line of a file. Empty on success, else the mistake.
std::string readWords(CLI::App &app, std::vector<std::string> words);

/// Values of options: an integer from 0 to 2^64 - 1; a text that is not empty.
CLI::Validator isUnsigned();
CLI::Validator isGiven();

}  // namespace tessera::driver
