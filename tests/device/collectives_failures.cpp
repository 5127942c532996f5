// Meshes that are none, and devices that end or do other things than the others: each of those that are left ends with a message,
// within seconds, and nothing of the memory that they shared is left.
#include "harness.h"
#include "processes.h"
#include "tessera/collectives.h"
#include "tessera/host/mesh.h"
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <thread>

using harness::expect;
using processes::End;
using processes::Variables;

namespace {

/// One collective; ends the process where it fails.
void reduce(const char *axis, int64_t count) {
  std::vector<float> source(static_cast<size_t>(count), 1.0f), result(source);
  tsr::Call call("step", nullptr);
  tsr::all_reduce(call, axis, source.data(), result.data(), count);
  if (call.finish() == TESS_OK) return;
  std::printf("%s\n", tessLastErrorText());
  std::exit(call.status() == TESS_ERROR_MESH ? 3 : 4);
}
bool is_last() { return std::getenv("RANK") && std::getenv("WORLD_SIZE") && std::to_string(std::atoi(std::getenv("RANK")) + 1) == std::getenv("WORLD_SIZE"); }

/// What a process does: the device of the highest number often does something else.
int act(const std::string &mode) {
  const bool last = is_last();
  if (mode == "once") return reduce("dp", 5), std::printf("good\n"), 0;
  if (mode == "dies first" && last) raise(SIGKILL);
  if (mode == "dies first") return reduce("dp", 5), 0;
  if (mode == "place") return std::printf("%lld\n", static_cast<long long>(tsr::host::axis_index("dp"))), 0;
  reduce("dp", 1000);
  if (mode == "dies" && last) raise(SIGKILL);
  if (mode == "returns" && last) return 0;
  if (mode == "other count") return reduce("dp", last ? 6 : 5), 0;
  if (mode == "other function" && last) {
    float source[5] = {}, result[10];
    tsr::Call call("step", nullptr);
    tsr::all_gather(call, "dp", source, result, 5);
    std::printf("%s\n", tessLastErrorText());
    return call.finish() == TESS_ERROR_MESH ? 3 : 4;
  }
  if (mode == "forks") {
    // What a child of the process does to the file is not the end of the process.
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    if (last) std::this_thread::sleep_for(std::chrono::seconds(2));
  }
  if (mode == "is late" && last) std::this_thread::sleep_for(std::chrono::seconds(3));
  reduce("dp", 5);
  reduce("dp", 100001);
  std::printf("good\n");
  return 0;
}

double seconds_since(std::chrono::steady_clock::time_point start) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
bool has(const std::string &text, const std::string &part) {
  if (text.find(part) != std::string::npos) return true;
  std::printf("no `%s` in: %s\n", part.c_str(), text.c_str());
  return false;
}
/// Runs a mode, and what all but the last device end with and say. Within 10 seconds.
void all_end(const char *mode, const char *mesh, int devices, const Variables &variables, int status, const std::vector<std::string> &said, bool lastToo) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<End> ends = processes::run(mode, mesh, devices, variables);
  expect(seconds_since(start) < 10, mode, static_cast<long long>(seconds_since(start)));
  for (int rank = 0; rank < devices - (lastToo ? 0 : 1); ++rank) {
    const End &end = ends[static_cast<size_t>(rank)];
    bool good = end.status == status;
    for (const std::string &part : said) good = has(end.said, part) && good;
    expect(good, mode, end.status);
  }
}
/// One process alone with an environment that says no mesh.
void is_refused(const Variables &variables, const std::string &said) {
  Variables all = {{"TESSERA_MESH", "dp=2"}, {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29500"}};
  all.insert(all.end(), variables.begin(), variables.end());
  const End end = processes::end_of(processes::start("once", all));
  expect(end.status == 3 && has(end.said, "step: " + said), said.c_str(), end.status);
}
std::set<std::string> shared_files() {
  std::set<std::string> names;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator("/dev/shm", error)) names.insert(entry.path());
  return names;
}

void environments() {
  is_refused({{"TESSERA_MESH", ""}}, "TESSERA_MESH is ``: it is empty, and I expected axes such as dp=2,tp=2");
  is_refused({{"TESSERA_MESH", "dp"}}, "TESSERA_MESH is `dp`: `dp` has no size: I expected dp=2");
  is_refused({{"TESSERA_MESH", "dp=0"}}, "TESSERA_MESH is `dp=0`: the size of `dp` is `0`, and I expected a whole number from 1 on");
  is_refused({{"TESSERA_MESH", "dp=2x"}}, "TESSERA_MESH is `dp=2x`: the size of `dp` is `2x`, and I expected");
  is_refused({{"TESSERA_MESH", "dp=-2"}}, "TESSERA_MESH is `dp=-2`: the size of `dp` is `-2`, and I expected");
  is_refused({{"TESSERA_MESH", "=2"}}, "TESSERA_MESH is `=2`: an axis has no name");
  is_refused({{"TESSERA_MESH", "dp=2,"}}, "TESSERA_MESH is `dp=2,`: an axis has no name");
  is_refused({{"TESSERA_MESH", "dp=2, dp=2"}}, "TESSERA_MESH is `dp=2, dp=2`: the axis `dp` is there twice");
  is_refused({{"TESSERA_MESH", "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1"}}, "TESSERA_MESH is `a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1`: it has 9 axes, and 8 are the most");
  is_refused({{"TESSERA_MESH", "dp=1000,tp=1000"}}, "TESSERA_MESH is `dp=1000,tp=1000`: it has more than 65536 devices");
  is_refused({{"TESSERA_MESH", "dp=99999999999999999999"}}, "TESSERA_MESH is `dp=99999999999999999999`: the size of `dp`");
  is_refused({{"RANK", "-"}}, "RANK is not set, and TESSERA_MESH is `dp=2`: `tessera launch --mesh dp=2 PROGRAM` sets both, and torchrun RANK");
  is_refused({{"RANK", "one"}}, "RANK is `one`, and I expected a whole number");
  is_refused({{"RANK", "2"}}, "RANK is 2, and the devices of `dp=2` are 0 to 1");
  is_refused({{"WORLD_SIZE", "-"}}, "WORLD_SIZE is not set");
  is_refused({{"WORLD_SIZE", "3"}}, "TESSERA_MESH is `dp=2`, which is 2 devices, and there are 3 processes (WORLD_SIZE)");
  is_refused({{"MASTER_ADDR", "-"}}, "MASTER_ADDR is not set, and the devices of the mesh meet there");
  is_refused({{"MASTER_PORT", "-"}}, "MASTER_PORT is not set, and the devices of the mesh meet there");
  is_refused({{"MASTER_PORT", "99999"}}, "MASTER_PORT is `99999`, and I expected the number of a port");
  is_refused({{"MASTER_ADDR", "no.such.host.invalid"}}, "MASTER_ADDR is `no.such.host.invalid`: ");
  is_refused({{"TESSERA_MESH_TIMEOUT", "soon"}}, "TESSERA_MESH_TIMEOUT is `soon`, and I expected seconds");
  is_refused({{"TESSERA_MESH_TIMEOUT", "1"}, {"MASTER_PORT", processes::free_port()}}, "device 1 (dp 1) has not come to 127.0.0.1:");
  is_refused({{"TESSERA_MESH_TIMEOUT", "1"}, {"MASTER_PORT", processes::free_port()}, {"RANK", "1"}}, "device 0 (dp 0) does not answer at 127.0.0.1:");

  const End place = processes::end_of(processes::start("place", {{"TESSERA_MESH", "dp=2"}, {"RANK", "1"}, {"WORLD_SIZE", "2"}}));
  expect(place.status == 0 && place.said == "1\n", "host code knows its place without the others");
  const End wrong = processes::end_of(processes::start("place", {{"TESSERA_MESH", "dp"}}));
  expect(wrong.status == 1 && has(wrong.said, "TESSERA_MESH is `dp`: `dp` has no size"), "host code ends with a message", wrong.status);
  const End alone = processes::end_of(processes::start("once", {{"TESSERA_MESH", "-"}, {"RANK", "1"}, {"WORLD_SIZE", "2"}}));
  expect(alone.status == 0 && alone.said == "good\n", "without TESSERA_MESH a program is alone", alone.status);
}

void devices() {
  all_end("dies first", "dp=2", 2, {{"TESSERA_MESH_TIMEOUT", "2"}}, 3, {"device 1 (dp 1) has not come to "}, false);
  all_end("dies", "dp=2", 2, {}, 3, {"device 1 (dp 1) has ended, and this one waits for it in all_reduce(\"dp\") of 5 elements of 4 bytes"}, false);
  all_end("dies", "dp=3", 3, {}, 3, {"device 2 (dp 2) has ended"}, false);
  all_end("returns", "dp=2", 2, {}, 3, {"device 1 (dp 1) has ended"}, false);
  all_end("other count", "dp=2", 2, {}, 3, {"the devices along `dp` do different things: ", "all_reduce(\"dp\") of 5 elements of 4 bytes", "of 6 elements"}, true);
  all_end("other function", "dp=2", 2, {}, 3, {"do different things", "all_gather(\"dp\") of 5 elements of 4 bytes"}, true);
  all_end("is late", "dp=2", 2, {}, 0, {"good\n"}, true);
  all_end("forks", "dp=2", 2, {}, 0, {"good\n"}, true);
  // Device 3 of two by two: device 1 stands beside it along dp, and 0 and 2 go on without it.
  const std::vector<End> ends = processes::run("dies", "dp=2,tp=2", 4);
  expect(ends[1].status == 3 && has(ends[1].said, "device 3 (dp 1, tp 1) has ended"), "a device along the same axis has ended", ends[1].status);
  expect(ends[0].status == 0 && ends[2].status == 0, "the others go on");
}

void meetings() {
  // Something else listens at the port and never answers; it is found at the next one. With torchrun that is known before.
  int port = 0;
  const int silent = processes::listen_somewhere(port);
  const auto start = std::chrono::steady_clock::now();
  all_end("once", "dp=2", 2, {{"MASTER_PORT", std::to_string(port)}}, 0, {"good\n"}, true);
  expect(seconds_since(start) > 1.5, "a port that is taken");
  const auto again = std::chrono::steady_clock::now();
  all_end("once", "dp=3", 3, {{"MASTER_PORT", std::to_string(port)}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"MASTER_ADDR", "localhost"}}, 0, {"good\n"}, true);
  expect(seconds_since(again) < 1.5, "a port that is known to be taken", static_cast<long long>(1000 * seconds_since(again)));
  close(silent);

  // Two programs at once with ports that follow one another.
  std::vector<std::pair<pid_t, int>> all;
  const int first = std::stoi(processes::free_port());
  for (int program = 0; program < 2; ++program)
    for (int rank = 1; rank >= 0; --rank)
      all.push_back(processes::start("once", {{"TESSERA_MESH", "dp=2"}, {"RANK", std::to_string(rank)}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"},
                                              {"MASTER_PORT", std::to_string(first + program)}, {"TESSERA_MESH_TIMEOUT", "20"}}));
  for (const auto &process : all) {
    const End end = processes::end_of(process);
    expect(end.status == 0 && has(end.said, "good\n"), "two programs side by side", end.status);
  }

  // Device 1 says that it is device 2 of three, and that its mesh is another one.
  all.clear();
  const std::string port_text = processes::free_port();
  for (const char *rank : {"0", "1", "1"})
    all.push_back(processes::start("once", {{"TESSERA_MESH", "dp=3"}, {"RANK", rank}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", port_text}, {"TESSERA_MESH_TIMEOUT", "20"}}));
  for (const auto &process : all) {
    const End end = processes::end_of(process);
    expect(end.status == 3 && has(end.said, "two processes say that they are device 1 (RANK)"), "a number that two have", end.status);
  }
  all.clear();
  for (const char *rank : {"0", "1"})
    all.push_back(processes::start("once", {{"TESSERA_MESH", rank[0] == '0' ? "dp=2" : "tp=1,dp=2"}, {"RANK", rank}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", port_text}, {"TESSERA_MESH_TIMEOUT", "20"}}));
  for (const auto &process : all) {
    const End end = processes::end_of(process);
    expect(end.status == 3 && has(end.said, "the devices have different meshes: `tp=1,dp=2 for memory of one host` in device 1, `dp=2 for memory of one host` in device 0"), "two meshes", end.status);
  }
}

void given_meshes() {
  const auto is_refused = [](std::initializer_list<TessMeshAxis> axes, const char *said) {
    expect(tsr::Mesh::set(axes) == TESS_ERROR_MESH && has(tessLastErrorText(), said), said);
  };
  is_refused({{"dp", 2, 2, nullptr}}, "tessMeshSet: the axis `dp`: this device is at 2 of 2");
  is_refused({{"dp", 0, 0, nullptr}}, "tessMeshSet: the axis `dp`: this device is at 0 of 0");
  is_refused({{"dp", 2, -1, nullptr}}, "tessMeshSet: the axis `dp`: this device is at -1 of 2");
  is_refused({{nullptr, 1, 0, nullptr}}, "tessMeshSet: axis 0 has no name");
  is_refused({{"dp", 1, 0, nullptr}, {"dp", 1, 0, nullptr}}, "tessMeshSet: the axis `dp` is there twice");
  expect(tessMeshSet(nullptr, 1) == TESS_ERROR_MESH && has(tessLastErrorText(), "tessMeshSet: the axes are null"), "null");
  expect(tsr::Mesh::set({{"pp", 3, 1, nullptr}, {"dp", 2, 1, nullptr}}) == TESS_OK && *tessLastErrorText() == '\0', "a mesh");
  expect(tsr::Mesh::get().rank() == 3 && tsr::Mesh::get().text() == "pp=3,dp=2" && tsr::Mesh::get().device_text(4) == "device 4 (pp 2, dp 0)", "the last axis varies fastest");
  is_refused({{"dp", 2, 1, nullptr}}, "tessMeshSet: the mesh is in use: it is set before the first collective");
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1) return act(argv[1]);
  const std::set<std::string> before = shared_files();
  environments();
  devices();
  meetings();
  given_meshes();
  std::string left;
  for (const std::string &name : shared_files())
    if (!before.count(name) && name.find("tessera") != std::string::npos) left += name + " ";
  expect(left.empty(), ("memory that is left: " + left).c_str());
  std::printf("%d passed, %d failed\n", harness::passed, harness::failed);
  return harness::failed ? 1 : 0;
}
