// Mistakes on the command line: what was seen, what was expected, one way to right it.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>

namespace tessera::driver {

/// Reads the command line into `app`. Nothing when the program may go on; else the exit code: help and version were
/// printed, or the mistake was, to stderr.
std::optional<int> readCommandLine(CLI::App &app, int argc, const char *const *argv);

}  // namespace tessera::driver
