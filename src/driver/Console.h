// What the programs share at the terminal: colours, printing messages, catching mistakes of the compiler.
#pragma once
#include "driver/Session.h"
#include <functional>
#include <string>

namespace tessera::driver {

/// Exit codes of the programs: a build system or a script may tell them apart.
enum ExitCode { kSuccess = 0, kProgramHasErrors = 1, kBadUsage = 2, kInternalError = 70 };

enum class MessageFormat { Text, Json, Sarif };
/// Prints a session's messages: text to stderr (colours on a terminal only), JSON and SARIF to stdout.
void printMessages(const Session &session, MessageFormat format);
/// Whether a stream is a terminal that wants colours (NO_COLOR is honoured).
bool wantsColour(int fileDescriptor);
/// Runs a program's body; an internal error or exhausted memory becomes a message and an exit code, never an abort.
int guardedMain(const std::function<int()> &body);

}  // namespace tessera::driver
