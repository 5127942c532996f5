// tessera repl: definitions, and expressions over arrays that are computed at once, with their shapes.
//
// What is typed becomes a function of the variables that it names, `def input(x: Tensor[2, 3, f32]): return x + 1`, which is
// checked as any program and run by the reference interpreter in a process of its own: Ctrl-C ends that one alone.
#include "driver/Arguments.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "driver/Reference.h"
#include "frontend/AST.h"
#include "support/Check.h"
#include "tools/tessera/ArrayText.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/Limited.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::tools {
namespace {

using ast::StmtKind;

constexpr const char *kPath = "<input>", *kFunction = "input__", *kUnit = "unit__", *kGiven = "__given";
constexpr const char *kHelp = R"(An expression is computed and shown; `x = ...` keeps it. `def`, `struct`, `import` and so on define.
A block ends with an empty line. Names that were defined may be defined anew.
  :list             what there is
  :read x FILE      an array from a .npy file
  :write x FILE     ... and into one
  :quit             the end; Ctrl-D, too
)";

/// A text as a program of its own, read and checked.
struct Program {
  explicit Program(const std::string &text, const std::string &folder)
      : session([text, path = folder + kPath](const std::string &file) {
          return file == path ? driver::ReadResult{driver::ReadProblem::None, text, text.size()} : driver::readFile(file, driver::kMaxSourceBytes);
        }) {
    module = session.load(folder + kPath);
  }
  bool wrong() const { return session.diagnostics.hasErrors(); }
  driver::Session session;
  const ast::Module *module = nullptr;
};

void namesIn(const ast::Expr &target, std::vector<std::string> &names) {
  if (target.kind == ast::ExprKind::Name) {
    const std::string &name = static_cast<const ast::NameExpr &>(target).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (target.kind == ast::ExprKind::Subscript) namesIn(*static_cast<const ast::SubscriptExpr &>(target).object, names);
  if (target.kind == ast::ExprKind::Tuple)
    for (const ast::ExprPtr &one : static_cast<const ast::SequenceExpr &>(target).items) namesIn(*one, names);
}

void assignedIn(const ast::Block &block, std::vector<std::string> &names);
/// The variables that a statement gives values.
void assignedIn(const ast::Stmt &stmt, std::vector<std::string> &names) {
  switch (stmt.kind) {
  case StmtKind::Assign:
    for (const ast::ExprPtr &target : static_cast<const ast::AssignStmt &>(stmt).targets) namesIn(*target, names);
    break;
  case StmtKind::AnnAssign: namesIn(*static_cast<const ast::AnnAssignStmt &>(stmt).target, names); break;
  case StmtKind::AugAssign: namesIn(*static_cast<const ast::AugAssignStmt &>(stmt).target, names); break;
  case StmtKind::For: assignedIn(static_cast<const ast::ForStmt &>(stmt).body, names); break;
  case StmtKind::If:
    assignedIn(static_cast<const ast::IfStmt &>(stmt).then, names);
    assignedIn(static_cast<const ast::IfStmt &>(stmt).otherwise, names);
    break;
  case StmtKind::While: assignedIn(static_cast<const ast::WhileStmt &>(stmt).body, names); break;
  default: break;
  }
}
void assignedIn(const ast::Block &block, std::vector<std::string> &names) {
  for (const ast::StmtPtr &stmt : block) assignedIn(*stmt, names);
}

/// The words of a text that may be names.
std::set<std::string> wordsOf(const std::string &text) {
  std::set<std::string> words;
  std::string word;
  for (char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') word += c;
    else if (!word.empty()) words.insert(std::move(word)), word.clear();
  }
  return words;
}

std::string typeOf(const NpyArray &array) {
  if (array.shape.empty()) return std::string(name(array.dtype));
  std::string extents;
  for (int64_t extent : array.shape) extents += std::to_string(extent) + ", ";
  return "Tensor[" + extents + std::string(name(array.dtype)) + "]";
}

class Repl {
public:
  explicit Repl(std::string folder) : folder_(std::move(folder)) {}
  bool define(const std::string &name, const std::string &text);
  bool feed(const std::string &text);
  bool command(const std::string &line);
  bool ended = false;

private:
  struct Definition {
    std::string name, text;
  };
  bool statement(const ast::Stmt &stmt, const std::string &text);
  bool compute(const std::string &text, const std::string &reads, const std::string &result, const std::vector<std::string> &names, bool assigns);
  bool run(Program &program, std::vector<NpyArray> &results);
  std::string prelude(const std::string &without = {}) const;
  bool isConstant(const std::string &name, const std::string &text) const;
  void keep(const std::string &name, NpyArray value);

  std::string folder_;  // of imports, with a slash
  std::vector<Definition> definitions_;
  std::map<std::string, NpyArray> values_;
  std::vector<std::pair<std::string, std::string>> passed_;  // parameters of the input's function, and whose values they get
};

void say(const driver::Session &session) { driver::printMessages(session, driver::MessageFormat::Text); }

std::string Repl::prelude(const std::string &without) const {
  std::string text;
  for (const Definition &definition : definitions_)
    if (without.empty() || definition.name != without) text += definition.text + "\n\n";
  return text;
}

/// Adds a definition if the program is right with it, in the place of another one of its name.
bool Repl::define(const std::string &name, const std::string &text) {
  Program program(prelude(name) + text + "\n", folder_);
  if (!program.wrong()) program.session.check();
  if (program.wrong()) return say(program.session), false;
  auto same = std::find_if(definitions_.begin(), definitions_.end(), [&](const Definition &d) { return !name.empty() && d.name == name; });
  if (same != definitions_.end()) definitions_.erase(same);
  definitions_.push_back({name, text});
  values_.erase(name);
  return true;
}

/// A variable takes the place of a definition of its name.
void Repl::keep(const std::string &name, NpyArray value) {
  std::printf("%s: %s\n", name.c_str(), typeOf(value).c_str());
  definitions_.erase(std::remove_if(definitions_.begin(), definitions_.end(), [&](const Definition &d) { return d.name == name; }), definitions_.end());
  values_.insert_or_assign(name, std::move(value));
}

/// Whether a definition is that of a function, `slope = grad(f, wrt="x")`, or of a whole number that may be a size: it is
/// known before anything runs.
bool Repl::isConstant(const std::string &name, const std::string &text) const {
  std::string before = prelude(name) + text + "\n";
  Program function(before, folder_);
  const checked::Program *checked = function.wrong() ? nullptr : function.session.check();
  if (!checked || function.wrong()) return false;
  if (checked->find(name)) return true;
  Program size(before + "def " + kFunction + "(" + kUnit + ": i64):\n    return zeros((" + name + ",), f32)\n", folder_);
  return size.session.check() && !size.wrong();
}

/// Runs the function of the input in a process of its own. Arguments are values: what a kernel writes is what it returns.
bool Repl::run(Program &program, std::vector<NpyArray> &results) {
  const checked::Function *function = program.session.check() ? program.session.check()->find(kFunction) : nullptr;
  if (program.wrong() || !function) return say(program.session), false;
  std::map<std::string, NpyArray> named{{kUnit, NpyArray{DType::I64, {}, std::string(8, '\0')}}};
  for (const auto &[parameter, name] : passed_) named.emplace(parameter, values_.at(name));
  auto bound = driver::bindArguments(*function, std::move(named));
  if (!bound) return std::fprintf(stderr, "%s\n", bound.error().c_str()), false;
  ScratchFolder scratch(std::filesystem::temp_directory_path());
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    int code = driver::guardedMain([&] {
      std::signal(SIGINT, SIG_DFL);
      std::vector<double> seconds;
      std::string problem = driver::interpret(program.session, *function, *bound, 0, seconds);
      std::vector<driver::OutputFile> files;
      for (size_t i : bound->results) files.push_back({scratch.path() + "/" + std::to_string(i), writeNpy(bound->arrays[i])});
      if (problem.empty()) problem = driver::writeFiles(files);
      if (!problem.empty()) std::fprintf(stderr, "%s\n", problem.c_str());
      return problem.empty() ? 0 : 1;
    });
    std::fflush(nullptr);
    _exit(code);
  }
  auto before = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0) {}
  std::signal(SIGINT, before);
  if (child < 0 || !WIFEXITED(status)) return std::fprintf(stderr, "it was ended\n"), false;
  if (WEXITSTATUS(status) != 0) return false;
  auto arrayAt = [&](size_t i) { return parseNpy(driver::readFile(scratch.path() + "/" + std::to_string(i)).text, bound->arrays[i].dtype); };
  for (size_t result : bound->results)
    if (auto array = arrayAt(result)) results.push_back(std::move(*array));
  return true;
}

/// The input as a function: `text` (statements, may be empty), then `return result`. `names`: what the results are called.
/// `reads`: the part of it that may name variables.
bool Repl::compute(const std::string &text, const std::string &reads, const std::string &result, const std::vector<std::string> &names, bool assigns) {
  std::string parameters = std::string(kUnit) + ": i64", body;
  passed_.clear();
  std::set<std::string> words = wordsOf(reads);
  for (const auto &[name, value] : values_)
    if (words.count(name)) {
      bool changes = std::find(names.begin(), names.end(), name) != names.end();  // parameters themselves do not
      parameters += ", " + name + (changes ? kGiven : "") + ": " + typeOf(value);
      if (changes) body += "    " + name + " = " + name + kGiven + "\n";
      passed_.emplace_back(name + (changes ? kGiven : ""), name);
    }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) body += "    " + line + "\n";
  Program program(prelude() + "def " + kFunction + "(" + parameters + "):\n" + body + "    return " + result + "\n", folder_);
  std::vector<NpyArray> results;
  if (program.wrong()) return say(program.session), false;
  if (!run(program, results)) return false;
  if (assigns) {
    for (size_t i = 0; i < names.size() && i < results.size(); ++i) keep(names[i], std::move(results[i]));
  } else {
    for (const NpyArray &array : results) std::printf("%s\n%s\n", typeOf(array).c_str(), arrayText(array).c_str());
  }
  return true;
}

bool Repl::statement(const ast::Stmt &stmt, const std::string &text) {
  switch (stmt.kind) {
  case StmtKind::Expr: return compute("", text, text, {}, false);
  case StmtKind::FuncDef: return define(static_cast<const ast::FuncDef &>(stmt).name.text, text);
  case StmtKind::StructDef: return define(static_cast<const ast::StructDef &>(stmt).name.text, text);
  case StmtKind::ClassDef:
  case StmtKind::PolicyDef:
  case StmtKind::StateDef:
  case StmtKind::Import:
  case StmtKind::FromImport: return define("", text);
  default: break;
  }
  std::vector<std::string> names;
  assignedIn(stmt, names);
  std::string result;
  for (const std::string &name : names) result += (result.empty() ? "" : ", ") + name;
  if (names.size() == 1 && stmt.kind == StmtKind::Assign && isConstant(names[0], text)) return define(names[0], text);
  // `x = 1` makes a new variable, whatever `x` was.
  std::string reads = text;
  if (stmt.kind == StmtKind::Assign) {
    const auto &assign = static_cast<const ast::AssignStmt &>(stmt);
    bool plain = std::all_of(assign.targets.begin(), assign.targets.end(), [](const ast::ExprPtr &t) { return t->kind == ast::ExprKind::Name || t->kind == ast::ExprKind::Tuple; });
    if (plain) reads = text.substr(text.size() - std::min<size_t>(text.size(), stmt.span.end - assign.value->span.begin));
  }
  return compute(text, reads, names.empty() ? kUnit : result, names, true);
}

bool Repl::feed(const std::string &text) {
  Program program(text, folder_);
  if (program.wrong() || !program.module) return say(program.session), false;
  bool good = true;
  for (const ast::StmtPtr &stmt : program.module->body) {
    uint32_t begin = stmt->span.begin;
    if (stmt->kind == StmtKind::FuncDef)
      for (const auto &decorator : static_cast<const ast::FuncDef &>(*stmt).decorators) begin = std::min(begin, decorator.span.begin);
    begin = static_cast<uint32_t>(text.rfind('\n', begin) == std::string::npos || begin == 0 ? 0 : text.rfind('\n', begin) + 1);
    good = statement(*stmt, text.substr(begin, stmt->span.end - begin)) && good;
  }
  return good;
}

/// Empty on success. A file that holds no array is not replaced.
std::string writeArray(const std::string &path, const NpyArray &array) {
  driver::OutputFile file{path, writeNpy(array), "\x93NUMPY"};
  return driver::foreignAmong({file}).empty() ? driver::writeFiles({file}) : "`" + path + "` is there and holds no array; give another name";
}

bool Repl::command(const std::string &line) {
  std::istringstream words(line);
  std::string what, name, path;
  words >> what >> name >> path;
  if (what == ":quit" || what == ":q") return ended = true;
  if (what == ":help" || what == ":h") return std::fputs(kHelp, stdout) >= 0;
  if (what == ":list") {
    for (const Definition &definition : definitions_) std::printf("%s\n", definition.text.substr(0, definition.text.find('\n')).c_str());
    for (const auto &[variable, value] : values_) std::printf("%s: %s\n", variable.c_str(), typeOf(value).c_str());
    return true;
  }
  if ((what == ":read" || what == ":write") && !path.empty()) {
    if (what == ":write") {
      auto value = values_.find(name);
      std::string problem = value == values_.end() ? "there is no variable `" + name + "`" : writeArray(path, value->second);
      return problem.empty() || (std::fprintf(stderr, "%s\n", problem.c_str()), false);
    }
    driver::ReadResult read = driver::readFile(path);
    auto array = read.problem == driver::ReadProblem::None ? parseNpy(read.text) : Result<NpyArray>(Failure{read.text});
    if (!array) return std::fprintf(stderr, "I cannot read `%s`: %s\n", path.c_str(), array.error().c_str()), false;
    return keep(name, std::move(*array)), true;
  }
  return std::fprintf(stderr, "there is no such command; :help lists them\n"), false;
}

// ---------------------------------------------------------------- reading lines

/// Whether brackets are open at the end of a text.
bool isOpen(const std::string &text) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      if (c == '\\') ++i;
      else if (c == quote || c == '\n') quote = 0;
    } else if (c == '"' || c == '\'') quote = c;
    else if (c == '#') i = std::min(text.find('\n', i), text.size());
    else if (c == '(' || c == '[' || c == '{') ++depth;
    else if (c == ')' || c == ']' || c == '}') --depth;
  }
  return depth > 0;
}

class Input {
public:
  explicit Input(bool prompts) : prompts_(prompts) {}
  /// The next whole input: a line, or a block with the lines that belong to it.
  bool next(std::string &text) {
    text.clear();
    std::string line;
    if (!read(line, ">>> ")) return false;
    text = line;
    bool block = isHead(line);
    while (isOpen(text) || block) {
      if (!read(line, "... ")) break;
      if (block && line.find_first_not_of(" \t") == std::string::npos && prompts_ && !isOpen(text)) break;
      bool inside = line.empty() || line[0] == ' ' || line[0] == '\t' || line[0] == '#' || isOpen(text) || text[text.rfind('\n') + 1] == '@';
      if (block && !inside) {  // of a file: the first line that does not belong to it
        kept_ = line;
        break;
      }
      text += "\n" + line;
    }
    return true;
  }

private:
  static bool isHead(const std::string &line) {
    size_t last = line.find_last_not_of(" \t", line.find(" #"));
    return line[0] == '@' || (last != std::string::npos && line[last] == ':');
  }
  bool read(std::string &line, const char *prompt) {
    if (kept_) return line = *kept_, kept_.reset(), true;
    if (prompts_) std::fputs(prompt, stdout), std::fflush(stdout);
    return static_cast<bool>(std::getline(std::cin, line));
  }
  bool prompts_;
  std::optional<std::string> kept_;
};

int start(const std::string &path) {
  Repl repl(path.empty() ? "" : driver::folderOf(path) + "/");
  if (!path.empty()) {
    driver::ReadResult read = driver::readFile(path, driver::kMaxSourceBytes);
    driver::Session session;
    if (read.problem != driver::ReadProblem::None) return driver::reportUnreadable(session.diagnostics, path, read), say(session), driver::kBadUsage;
    if (!repl.define("", read.text)) return driver::kProgramHasErrors;
  }
  bool terminal = isatty(0), good = true;
  if (terminal) std::printf("tessera %s; :help says what there is, Ctrl-D ends it\n", TESSERA_VERSION);
  Input input(terminal);
  for (std::string text; !repl.ended && input.next(text);) {
    if (text.find_first_not_of(" \t\n") == std::string::npos) continue;
    try {
      good = (text[0] == ':' ? repl.command(text) : repl.feed(text)) && good;
    } catch (const InternalError &error) {
      std::fprintf(stderr, "error[E0709]: this is a mistake in the compiler, not in your program: %s\n", error.what());
      good = false;
    }
    std::fflush(stdout);
  }
  if (terminal && !repl.ended) std::printf("\n");
  return good || terminal ? driver::kSuccess : driver::kProgramHasErrors;
}

}  // namespace

void addRepl(CLI::App &app, Chosen &chosen) {
  auto path = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("repl", "compute expressions over arrays as they are typed, and show their shapes");
  command->add_option("program", *path, "a .tsr file whose functions are there from the beginning");
  command->footer(R"(Everything is computed by the reference interpreter: the language's own rounding, and nothing to wait for.
Examples:
  tessera repl
  tessera repl softmax.tsr
  echo 'softmax(iota((2, 3), axis=1, dtype=f32))' | tessera repl softmax.tsr)");
  command->callback([path, &chosen] { chosen = [path] { return start(*path); }; });
}

}  // namespace tessera::tools
