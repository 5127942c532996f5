// The right programs of the mistakes corpus through the whole compiler, for every target: each becomes text, or its message
// is the one that the list says. No vendor's compiler runs.
//
//   corpus_compiles FOLDER LIST
//
// LIST has a line for each program that does not compile: `topic/name.tsr CODE WORDS`, where the words are in the message.
// A program of the list that compiles is wrong, too: the list only shrinks.
#include "diag/Diagnostic.h"
#include "driver/Compiler.h"
#include "driver/Files.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace tessera;
using namespace tessera::driver;
namespace fs = std::filesystem;

namespace {

struct Expected {
  std::string code, words;
  bool met = false;
};

std::map<std::string, Expected> readList(const std::string &path) {
  std::map<std::string, Expected> list;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    Expected expected;
    words >> name >> expected.code >> std::ws;
    std::getline(words, expected.words);
    list[name] = expected;
  }
  return list;
}

/// Compiles a program for a target: empty if it becomes text, else "CODE message" of its first error.
std::string compiled(const fs::path &program, const TargetSpec &target) {
  Session session;
  if (!session.load(program.string())) return "cannot be read";
  CompileOptions options;
  options.target = target;
  options.sourceName = "model" + target.suffix();
  auto product = Compiler(session, options).emit();
  for (const diag::Diagnostic &d : session.diagnostics.all())
    if (d.severity == diag::Severity::Error) return std::string(diag::row(d.id).code) + " " + d.message;
  if (!product) return "nothing was emitted, and no message says why";
  return product->source.empty() || product->header.empty() || product->manifest.empty() ? "a file is empty" : "";
}

/// The same in a process of its own: what aborts is one failure, and not the end of the test.
std::string compiledApart(const fs::path &program, const TargetSpec &target) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string result;
    try {
      result = compiled(program, target);
    } catch (const std::exception &error) {
      result = std::string("E0709 ") + error.what();
    }
    ssize_t written = write(ends[1], result.data(), result.size());
    _exit(written == static_cast<ssize_t>(result.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string result;
  char part[512];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) result.append(part, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return result;
  return "it ended by signal " + std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "corpus_compiles FOLDER LIST\n");
    return 2;
  }
  const fs::path folder = argv[1];
  std::map<std::string, Expected> list = readList(argv[2]);
  std::vector<std::string> names;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".tsr" && entry.path().filename().string()[0] != '_')
      names.push_back(fs::relative(entry.path(), folder).generic_string());
  std::sort(names.begin(), names.end());
  int good = 0, bad = 0;
  for (const std::string &name : names)
    for (const char *target : {"cpu", "cuda:sm_90a", "hip:gfx942"}) {
      std::string result = compiledApart(folder / name, *parseTarget(target));
      auto expected = list.find(name);
      bool listed = expected != list.end() && result.rfind(expected->second.code + " ", 0) == 0 &&
                    result.find(expected->second.words) != std::string::npos;
      if (listed) expected->second.met = true;
      if (listed || (result.empty() && expected == list.end())) {
        ++good;
        continue;
      }
      ++bad;
      std::printf("FAILED %s for %s: %s\n", name.c_str(), target,
                  result.empty() ? "it compiles now: take it off the list" : result.c_str());
    }
  for (const auto &[name, expected] : list)
    if (!expected.met && std::find(names.begin(), names.end(), name) == names.end()) {
      ++bad;
      std::printf("FAILED %s is in the list, and no such program is there\n", name.c_str());
    }
  std::printf("%zu programs, %zu of them not compiled yet: %d right, %d wrong\n", names.size(), list.size(), good, bad);
  return good == 0 || bad != 0;
}
