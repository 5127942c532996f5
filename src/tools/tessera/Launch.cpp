// tessera launch: a program that was built, once for each device of a mesh.
#include "driver/CommandLine.h"
#include "driver/Console.h"
#include "driver/Launch.h"
#include "tools/tessera/Commands.h"

namespace tessera::tools {
namespace {

struct Options {
  std::string mesh;
  std::vector<std::string> command;
};

int run(const Options &options) {
  driver::Session session;
  const auto axes = driver::readMesh(session, options.mesh);
  const int code = axes && driver::hasDevices(session, options.mesh, *axes, {}) ? driver::launchDevices(session, *axes, options.command, true) : driver::kBadUsage;
  driver::printMessages(session, driver::MessageFormat::Text);
  return code;
}

}  // namespace

void addLaunch(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("launch", "start a program that `tessera build` made, once for each device of a mesh");
  command->add_option("--mesh", options->mesh, "the axes and their sizes, dp=2,tp=2; the last one varies fastest")->required()->check(driver::isGiven());
  command->add_option("program", options->command, "the program and its arguments; `{rank}` in these is the number of the device")->required();
  command->positionals_at_end();
  command->footer(R"(The first device has the terminal; before what others write stands their number: `[1] `. If one fails, the others are ended.
Each gets TESSERA_MESH, RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT: other launchers, such as torchrun, do as well.
Examples:
  tessera build train.tsr -o train --target cuda && tessera launch --mesh dp=2 ./train --steps 100
  tessera launch --mesh dp=2,tp=2 ./train --data part{rank}.npy
  TESSERA_MESH=dp=8 torchrun --nproc-per-node 8 --no-python ./train)");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace tessera::tools
