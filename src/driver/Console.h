// What the programs share at the terminal: colours, printing messages, catching mistakes of the compiler.
#pragma once
#include "diag/Render.h"
#include "driver/Session.h"
#include <functional>
#include <string>

namespace tessera::driver {

/// Exit codes of the programs: a build system or a script may tell them apart.
enum ExitCode { kSuccess = 0, kProgramHasErrors = 1, kBadUsage = 2, kInternalError = 70 };

/// Which of them a session's errors ask for: kBadUsage if all are about what the command line says, else kProgramHasErrors.
ExitCode exitCodeOf(const diag::Engine &diagnostics);

enum class MessageFormat { Text, Json };
/// Prints a session's messages: text to stderr (colours on a terminal only), JSON to stdout.
void printMessages(const Session &session, MessageFormat format);
/// Width and colours of stderr.
diag::TextStyle terminalStyle();
/// Writes findings as SARIF, with the explanation pages as help; "-" is stdout. It replaces such a log only. Empty on success, else what went wrong.
std::string writeSarif(const std::string &path, const diag::Findings &findings, const std::string &tool);
/// Whether a stream is a terminal that wants colours (NO_COLOR is honoured).
bool wantsColour(int fileDescriptor);
/// Runs a program's body; an internal error or exhausted memory becomes a message and an exit code, never an abort.
int guardedMain(const std::function<int()> &body);

}  // namespace tessera::driver
