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
#include <iterator>
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

constexpr const char *kTargets[] = {"cpu", "cuda:sm_90a", "hip:gfx942"};

/// Compiles a checked program for a target: empty if it becomes text, else "CODE message" of its first error.
std::string compiled(Session &session, const TargetSpec &target) {
  const size_t said = session.diagnostics.all().size();
  CompileOptions options;
  options.target = target;
  options.sourceName = "model" + target.suffix();
  std::string result;
  try {
    auto product = Compiler(session, options).emit();
    if (!product) result = "nothing was emitted, and no message says why";
    else if (product->source.empty() || product->header.empty() || product->manifest.empty()) result = "a file is empty";
  } catch (const std::exception &error) {
    result = std::string("E0709 ") + error.what();
  }
  for (const diag::Diagnostic &d : session.diagnostics.all())
    if (d.severity == diag::Severity::Error) {
      result = std::string(diag::row(d.id).code) + " " + d.message;
      break;
    }
  session.diagnostics.truncate(said);
  return result;
}

/// What compiled() says for the targets from the one with number `first` on, each closed by a zero byte.
void writeResults(const fs::path &program, size_t first, int pipeEnd) {
  Session session;
  const bool isRead = session.load(program.string()) != nullptr;
  for (size_t i = first; i < std::size(kTargets); ++i) {
    const std::string result = isRead ? compiled(session, *parseTarget(kTargets[i])) : "cannot be read";
    if (write(pipeEnd, result.c_str(), result.size() + 1) != static_cast<ssize_t>(result.size() + 1)) _exit(1);
  }
}

/// Checks a program once and compiles it for each target, in a process of its own: what aborts is one failure, and not the
/// end of the test. The targets behind that one have a process that begins with them.
std::vector<std::string> compiledApart(const fs::path &program) {
  std::vector<std::string> results;
  while (results.size() < std::size(kTargets)) {
    int ends[2];
    if (pipe(ends) != 0) return std::vector<std::string>(std::size(kTargets), "no pipe");
    pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      writeResults(program, results.size(), ends[1]);
      _exit(0);
    }
    close(ends[1]);
    std::string said;
    char part[512];
    for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    for (size_t end; (end = said.find('\0')) != std::string::npos; said.erase(0, end + 1)) results.push_back(said.substr(0, end));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) results.push_back("it ended by signal " + std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0));
  }
  return results;
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
  for (const std::string &name : names) {
    const std::vector<std::string> results = compiledApart(folder / name);
    for (size_t i = 0; i < std::size(kTargets); ++i) {
      const std::string &result = results[i];
      auto expected = list.find(name);
      bool listed = expected != list.end() && result.rfind(expected->second.code + " ", 0) == 0 &&
                    result.find(expected->second.words) != std::string::npos;
      if (listed) expected->second.met = true;
      if (listed || (result.empty() && expected == list.end())) {
        ++good;
        continue;
      }
      ++bad;
      std::printf("FAILED %s for %s: %s\n", name.c_str(), kTargets[i],
                  result.empty() ? "it compiles now: take it off the list" : result.c_str());
    }
  }
  for (const auto &[name, expected] : list)
    if (!expected.met && std::find(names.begin(), names.end(), name) == names.end()) {
      ++bad;
      std::printf("FAILED %s is in the list, and no such program is there\n", name.c_str());
    }
  std::printf("%zu programs, %zu of them not compiled yet: %d right, %d wrong\n", names.size(), list.size(), good, bad);
  return good == 0 || bad != 0;
}
