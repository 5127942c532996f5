// tessera: run, check, format, explain and inspect Tessera programs.
#include "driver/CommandLine.h"
#include "driver/Console.h"
#include "tools/tessera/Commands.h"

int main(int argc, char **argv) {
  using namespace tessera;
  return driver::guardedMain([&]() -> int {
    CLI::App app{"tessera runs, checks, formats and explains Tessera programs; `tesserac` compiles them to source"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "tessera " TESSERA_VERSION);
    app.footer(R"(Examples:
  tessera new hello && tessera run hello/main.tsr
  tessera run softmax.tsr softmax --arg x=x.npy --out y.npy
  tessera run saxpy.tsr saxpy --random n=1000000 --arg alpha=2.0 --time
  tessera check model.tsr --json
  tessera explain E0404)");
    tools::Chosen chosen;
    tools::addRun(app, chosen);
    tools::addCheck(app, chosen);
    tools::addTest(app, chosen);
    tools::addBench(app, chosen);
    tools::addBuild(app, chosen);
    tools::addLaunch(app, chosen);
    tools::addFmt(app, chosen);
    tools::addExplain(app, chosen);
    tools::addDoc(app, chosen);
    tools::addInspect(app, chosen);
    tools::addMemory(app, chosen);
    tools::addRoofline(app, chosen);
    tools::addNew(app, chosen);
    tools::addPlayground(app, chosen);
    tools::addRepl(app, chosen);
    tools::addLsp(app, chosen);
    const std::vector<std::string> words = tools::withParameters(app, argc, argv);
    std::vector<const char *> given;
    for (const std::string &word : words) given.push_back(word.c_str());
    if (auto code = driver::readCommandLine(app, static_cast<int>(given.size()), given.data())) return *code;
    return chosen();
  });
}
