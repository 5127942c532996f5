// Accepted means compiled: programs that the checker accepts, made by changing programs that are right, through the whole
// compiler for several machines. No input may crash it, show a mistake of its own, take more than ten seconds, or become a text
// that is out of all proportion.
//
//   fuzz_whole [--seconds N] [--programs N] [--seed N] [--keep FOLDER] [--sample EVERY FOLDER] [--refused] [FILE...]
//
// With files: those alone, unchanged. `--keep`: where the shortest program of each finding is written. `--sample`: every so many
// accepted programs are written there, for compilers of the emitted text. `--refused`: lists what accepted programs were refused
// for. A process of its own does the work, so that one that crashes ends no run.
#include "Exercise.h"
#include "Mutation.h"
#include "driver/Compiler.h"
#include "support/Check.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tessera;
using namespace tessera::driver;
namespace fs = std::filesystem;

namespace {

constexpr const char *kTargets[] = {"cpu", "cuda:sm_80", "cuda:sm_90a", "hip:gfx90a"};
constexpr double kMostSeconds = 10;   // of the processor
constexpr double kMostWaiting = 120;  // of the clock: other programs may have the processor
/// Emitted text for each byte of the program, what any program needs, and what a derivative adds: kernels both ways for all
/// that is called, from a line of its own. A product has kernels for parts of its sums and for few rows beside the usual one: a U-Net
/// of six convolutions in 1,400 bytes, with its derivative, is a text of 520 KB.
constexpr size_t kMostGrowth = 200, kBaseText = 64 << 10, kDerivativeText = 256 << 10;
constexpr size_t kLongest = 6000;         // bytes of a program
// Of the process that compiles: 4 GiB, and the addresses that the allocator of the tools keeps free.
constexpr size_t kMostMemory = (4ull << 30) + (16ull << 30);

struct Options {
  double seconds = 60;
  unsigned long programs = ~0ul;
  unsigned seed = 1;
  std::string keep, sampleFolder;
  unsigned long sampleEvery = 0;
  bool refused = false;
  std::vector<std::string> files;
};

/// What the worker is at, where the process that watches it sees it.
struct Board {
  std::atomic<unsigned long> tried, accepted, compiled, refusals;
  std::atomic<double> since, sinceOfProcessor;  // when this compilation began; 0: none is running
  char target[32];
  char text[kLongest + 1];
};
Board *board;

double timeOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
double now() { return timeOf(CLOCK_MONOTONIC); }
void begin(const char *target) {
  std::strcpy(board->target, target);
  board->sinceOfProcessor = timeOf(CLOCK_PROCESS_CPUTIME_ID);
  board->since = now();
}

std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A message without what changes from program to program: its names and numbers.
std::string familyOf(const std::string &message) {
  std::string family;
  bool quoted = false;
  for (char c : message.substr(0, message.find('\n'))) {
    if (c == '`' || c == '\'' ) quoted = !quoted;
    else if (!quoted && !std::isdigit(static_cast<unsigned char>(c))) family += c;
  }
  return family.substr(0, 160);
}

// ---- the worker

struct Outcome {
  std::string finding;  // empty: nothing is wrong
  std::string refusal;  // the message, if it was accepted and not compiled
};

size_t mostText(const std::string &program) {
  size_t derivatives = 0;
  for (const char *word : {"grad(", "vjp(", "jvp(", "jacobian(", "hessian(", "hvp("})
    for (size_t at = program.find(word); at != std::string::npos; at = program.find(word, at + 1)) ++derivatives;
  return kBaseText + kMostGrowth * program.size() + kDerivativeText * derivatives;
}

Outcome compile(Session &session, const TargetSpec &target, size_t most) {
  CompileOptions options;
  options.target = target;
  options.sourceName = "model" + target.suffix();
  const size_t before = session.diagnostics.all().size();
  try {
    auto product = Compiler(session, options).emit();
    std::string first;
    std::vector<diag::Diagnostic> said(session.diagnostics.all().begin() + static_cast<ptrdiff_t>(before), session.diagnostics.all().end());
    session.diagnostics.truncate(before);  // for the next target
    for (const diag::Diagnostic &d : said) {
      if (d.severity != diag::Severity::Error) continue;
      if (d.id == diag::Id::internalError) return {"internal error: " + d.message, ""};
      if (first.empty()) first = std::string(diag::row(d.id).code) + " " + d.message;
    }
    if (!product) return first.empty() ? Outcome{"neither text nor a message", ""} : Outcome{"", first};
    if (!first.empty()) return {"a text, and an error: " + first, ""};
    if (product->source.size() > most) return {"long text: " + std::to_string(product->source.size()) + " bytes", ""};
  } catch (const InternalError &error) {
    return {std::string("internal error: ") + error.what(), ""};
  } catch (const std::exception &error) {
    return {std::string("exception: ") + error.what(), ""};
  }
  return {};
}

class Worker {
public:
  Worker(const Options &options, int findings, unsigned seed) : options_(options), findings_(findings), random_(seed) {}

  void file(const std::string &path) {
    std::string text = readAll(path);
    if (auto session = accepted(text)) down(*session, text);
    else found("the checker does not accept it", text);
  }
  void run() {
    for (const char *folder : {"tests/canon", "tests/corpus/right", "tests/e2e/programs", "tests/fuzz/whole", "examples", "stdlib"})
      for (std::string &text : fuzz::programsBelow(folder)) parts(text);
    while (board->accepted < options_.programs) {
      std::string text = seeds_[random_() % seeds_.size()];
      text = random_() % 10 == 0 ? fuzz::changed(text, static_cast<unsigned>(random_())) : fuzz::changedGently(text, seeds_, random_);
      ++board->tried;
      if (text.size() > kLongest) continue;
      auto session = accepted(text);
      if (!session || !down(*session, text)) continue;
      if (text.size() < 1500 && random_() % 4 == 0) seeds_.push_back(text);
    }
  }

private:
  /// Programs that are long become several: their imports with some of their definitions.
  void parts(const std::string &text) {
    if (text.size() <= 1500) return seeds_.push_back(text);
    std::vector<std::string> blocks;
    size_t begin = 0;
    for (size_t at = text.find("\n\n"); at != std::string::npos; at = text.find("\n\n", at + 1)) {
      size_t next = text.find_first_not_of('\n', at);
      if (next == std::string::npos || text[next] == ' ' || text[next] == '#') continue;
      blocks.push_back(text.substr(begin, at - begin) + "\n\n");
      begin = next;
    }
    blocks.push_back(text.substr(begin));
    std::string imports;
    for (const std::string &block : blocks)
      if (block.find("import ") == 0 || block.find("from ") == 0 || block.find("\nimport ") != std::string::npos) imports += block;
    for (size_t i = 0; i < blocks.size(); ++i) {
      std::string part = blocks[i] == imports ? "" : imports;
      for (size_t k = i; k < blocks.size() && part.size() + blocks[k].size() < 2000; ++k) part += blocks[k];
      if (part.size() > imports.size()) seeds_.push_back(part);
    }
  }

  std::unique_ptr<Session> sessionOf(const std::string &text) {
    auto session = std::make_unique<Session>([text](const std::string &path) {
      return path == "model.tsr" ? ReadResult{ReadProblem::None, text, text.size()} : ReadResult{ReadProblem::Missing, "no such file", 0};
    });
    sema::CheckOptions options;
    options.advice = false;
    if (session->load("model.tsr") && !session->diagnostics.hasErrors()) session->check(options);
    return session;
  }
  /// The checked program; null if it is refused.
  std::unique_ptr<Session> accepted(const std::string &text) {
    size_t shown = std::min(text.size(), kLongest);
    std::memcpy(board->text, text.data(), shown);
    board->text[shown] = 0;
    begin("check");
    std::unique_ptr<Session> session;
    try {
      session = sessionOf(text);
      if (!session->module() || session->diagnostics.hasErrors() || !session->check() || session->check()->functions.empty()) session = nullptr;
    } catch (const std::exception &error) {
      session = nullptr;
      found(std::string("check: ") + error.what(), text);
    }
    board->since = 0;
    return session;
  }
  /// False if it was refused everywhere.
  bool down(Session &session, const std::string &text) {
    unsigned long number = ++board->accepted;
    bool any = false;
    for (const char *name : kTargets) {
      begin(name);
      Outcome outcome = compile(session, *parseTarget(name), mostText(text));
      board->since = 0;
      if (!outcome.finding.empty()) found(outcome.finding + " (" + name + ")", text);
      else if (!outcome.refusal.empty()) ++board->refusals, refused(outcome.refusal, text);
      else ++board->compiled, any = true;
    }
    if (any && options_.sampleEvery && number % options_.sampleEvery == 0)
      std::ofstream(options_.sampleFolder + "/" + std::to_string(number) + ".tsr", std::ios::binary) << text;
    return any;
  }
  void tell(char kind, const std::string &message, const std::string &text) {
    std::string line = kind + message.substr(0, 1000) + '\0' + text + '\0';
    uint32_t size = static_cast<uint32_t>(line.size());
    if (write(findings_, &size, sizeof size) != sizeof size || write(findings_, line.data(), size) != static_cast<ssize_t>(size)) _exit(3);
  }
  void found(const std::string &message, const std::string &text) { tell('!', message, text); }
  void refused(const std::string &message, const std::string &text) {
    if (options_.refused) tell('?', message, text);
  }

  const Options &options_;
  int findings_;
  fuzz::Random random_;
  std::vector<std::string> seeds_;
};

// ---- the process that watches

class Watch {
public:
  explicit Watch(const Options &options) : options_(options) {}

  int run() {
    double end = now() + options_.seconds;
    for (const std::string &file : options_.files) once(file, options_.seed, now() + options_.seconds);
    for (unsigned round = 0; options_.files.empty() && !done_ && now() < end; ++round) once({}, options_.seed + round * 7919, end);
    for (const auto &[family, entry] : refusals_) std::printf("refused %6lu  %s\n", entry.count, entry.message.c_str());
    for (const auto &[family, entry] : findings_)
      std::printf("FOUND %lu times: %s\n%s%s\n", entry.count, entry.message.c_str(), entry.file.empty() ? entry.text.c_str() : "  see ", entry.file.c_str());
    std::printf("programs tried %lu, accepted %lu; compilations that became text %lu, that were refused with a message %lu; findings %zu\n",
                board->tried.load(), board->accepted.load(), board->compiled.load(), board->refusals.load(), findings_.size());
    return findings_.empty() ? 0 : 1;
  }

private:
  struct Entry {
    unsigned long count = 0;
    std::string message, text, file;
  };

  /// One process; of one file, or until it is done or fails.
  void once(const std::string &file, unsigned seed, double end) {
    int ends[2];
    if (pipe(ends) != 0) std::exit(3);
    pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      rlimit memory{kMostMemory, kMostMemory}, none{0, 0};
      setrlimit(RLIMIT_AS, &memory);
      setrlimit(RLIMIT_CORE, &none);
      Worker worker(options_, ends[1], seed);
      file.empty() ? worker.run() : worker.file(file);
      _exit(0);
    }
    close(ends[1]);
    board->since = 0;
    std::string hung;
    std::thread reader([&] { read(ends[0]); });
    int status = 0;
    clockid_t ofChild{};
    clock_getcpuclockid(child, &ofChild);
    for (;;) {
      if (waitpid(child, &status, WNOHANG) == child) break;
      double since = board->since;
      if (since > 0 && (timeOf(ofChild) - board->sinceOfProcessor > kMostSeconds || now() - since > kMostWaiting)) hung = "more than ten seconds";
      if (!hung.empty() || (file.empty() && (now() > end + kMostSeconds || (now() > end && since == 0)))) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        if (hung.empty()) status = 0;
        break;
      }
      if (options_.seconds > 300 && now() > nextReport_) {
        std::printf("... accepted %lu, findings %zu\n", board->accepted.load(), findings_.size());
        std::fflush(stdout);
        nextReport_ = now() + 60;
      }
      usleep(20'000);
    }
    reader.join();
    close(ends[0]);
    if (WIFSIGNALED(status)) take('!', (hung.empty() ? std::string("crash: ") + strsignal(WTERMSIG(status)) : hung) + " (" + board->target + ")", board->text);
    done_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  void read(int from) {
    auto all = [&](void *to, size_t size) {
      for (size_t got = 0; got < size;) {
        ssize_t n = ::read(from, static_cast<char *>(to) + got, size - got);
        if (n <= 0) return false;
        got += static_cast<size_t>(n);
      }
      return true;
    };
    uint32_t size = 0;
    while (all(&size, sizeof size)) {
      std::string line(size, '\0');
      if (!all(line.data(), size)) return;
      size_t split = line.find('\0');
      take(line[0], line.substr(1, split - 1), line.substr(split + 1, line.size() - split - 2));
    }
  }

  void take(char kind, const std::string &message, const std::string &text) {
    Entry &entry = (kind == '!' ? findings_ : refusals_)[familyOf(message)];
    ++entry.count;
    if (entry.count > 1 && text.size() >= entry.text.size()) return;
    entry.message = message;
    entry.text = text;
    if (options_.keep.empty()) return;
    std::string folder = options_.keep + (kind == '!' ? "" : "/refused");
    fs::create_directories(folder);
    if (entry.file.empty()) entry.file = folder + "/" + std::to_string(kind == '!' ? findings_.size() : refusals_.size()) + ".tsr";
    std::ofstream(entry.file, std::ios::binary) << "# " << message.substr(0, message.find('\n')) << "\n" << text;
  }

  const Options &options_;
  std::map<std::string, Entry> findings_, refusals_;
  bool done_ = false;
  double nextReport_ = now() + 60;
};

}  // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    bool more = i + 1 < argc;
    if (word == "--seconds" && more) options.seconds = std::atof(argv[++i]);
    else if (word == "--programs" && more) options.programs = std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--seed" && more) options.seed = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--keep" && more) options.keep = argv[++i];
    else if (word == "--refused") options.refused = true;
    else if (word == "--sample" && i + 2 < argc) options.sampleEvery = std::strtoul(argv[++i], nullptr, 10), options.sampleFolder = argv[++i];
    else if (word[0] != '-') options.files.push_back(word);
    else return std::fprintf(stderr, "fuzz_whole: what is `%s`?\n", word.c_str()), 2;
  }
  if (!options.sampleFolder.empty()) fs::create_directories(options.sampleFolder);
  board = static_cast<Board *>(mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (board == MAP_FAILED) return 3;
  return Watch(options).run();
}
