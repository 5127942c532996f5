// The commands of `tessera`, one file each. Each adds its options to the program and gives what runs it.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace tessera::tools {

/// A command: registers itself and, if it was chosen, sets `chosen` to what must run.
using Chosen = std::function<int()>;
void addBuild(CLI::App &app, Chosen &chosen);
void addDoc(CLI::App &app, Chosen &chosen);
void addRepl(CLI::App &app, Chosen &chosen);
void addBench(CLI::App &app, Chosen &chosen);
void addTest(CLI::App &app, Chosen &chosen);
/// The words of a command line, where of `run` each `--steps 1000` that is no option, nor nearly one, gives a parameter: `--arg steps=1000`.
std::vector<std::string> withParameters(const CLI::App &app, int argc, const char *const *argv);
void addRun(CLI::App &app, Chosen &chosen);
void addCheck(CLI::App &app, Chosen &chosen);
void addFmt(CLI::App &app, Chosen &chosen);
void addExplain(CLI::App &app, Chosen &chosen);
void addInspect(CLI::App &app, Chosen &chosen);
void addMemory(CLI::App &app, Chosen &chosen);
void addRoofline(CLI::App &app, Chosen &chosen);
void addNew(CLI::App &app, Chosen &chosen);
void addPlayground(CLI::App &app, Chosen &chosen);
void addLaunch(CLI::App &app, Chosen &chosen);
void addLsp(CLI::App &app, Chosen &chosen);

}  // namespace tessera::tools
