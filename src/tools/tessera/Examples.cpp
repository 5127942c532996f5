// The `>>>` examples in the texts of a program's functions. Those of one text become a host function, which prints what
// they print behind a mark for each; one program has them all and runs those that its argument names.
#include "driver/Build.h"
#include "driver/Process.h"
#include "driver/Reference.h"
#include "frontend/Parser.h"
#include "tools/tessera/TestRun.h"
#include <algorithm>
#include <chrono>

namespace tessera::tools {
namespace {

using driver::Session;

struct Example {
  size_t line = 0;  // of its `>>>`
  std::vector<std::string> code;
  std::string expected;  // lines with their ends
};
/// Those of one text, which share their names.
struct Group {
  std::string name;  // of the function that the text is about
  size_t line = 0;
  std::vector<Example> examples;
};

std::string withoutBlanksBehind(std::string line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.pop_back();
  return line;
}

std::vector<Example> examplesIn(const SourceFile &file, Span text) {
  std::vector<Example> examples;
  bool open = false;  // the lines belong to the last example
  std::string indent;
  const uint32_t end = text.end >= 3 ? text.end - 3 : text.end;  // its quotes
  for (uint32_t number = file.lineColumn(text.begin).line; number <= file.lineColumn(text.end).line; ++number) {
    std::string line(file.lineText(number));
    const uint32_t start = file.lineStart(number);
    if (start >= end) break;
    if (start + line.size() > end) line.resize(end - start);
    if (start < text.begin) line.replace(0, text.begin + 3 - start, text.begin + 3 - start, ' ');
    line = withoutBlanksBehind(line);
    size_t first = line.find_first_not_of(" \t");
    bool prompt = first != std::string::npos && (line.compare(first, 4, ">>> ") == 0 || line.substr(first) == ">>>");
    if (prompt) {
      indent = line.substr(0, first);
      examples.push_back({number, {line.size() > first + 4 ? line.substr(first + 4) : ""}, ""});
      open = true;
    } else if (first == std::string::npos) {
      open = false;
    } else if (open) {
      std::string rest = line.rfind(indent, 0) == 0 ? line.substr(indent.size()) : line.substr(first);
      Example &last = examples.back();
      bool goesOn = last.expected.empty() && (rest.rfind("... ", 0) == 0 || rest == "...");
      if (goesOn) last.code.push_back(rest.size() > 4 ? rest.substr(4) : "");
      else last.expected += rest + "\n";
    }
  }
  return examples;
}

void collect(const Session &session, const ast::Block &body, const std::string &name, size_t line,
             std::vector<Group> &groups) {
  if (!body.empty())
    if (auto *first = ast::as<ast::ExprStmt>(body[0]))
      if (auto *text = ast::as<ast::StringExpr>(first->value); text && text->text.find("\"\"\"") != std::string::npos) {
        std::vector<Example> examples = examplesIn(session.sources.file(text->span.file), text->span);
        if (!examples.empty()) groups.push_back({name, line, std::move(examples)});
      }
  for (const ast::StmtPtr &stmt : body) {
    if (auto *def = ast::as<ast::FuncDef>(stmt.get()))
      collect(session, def->body, def->name.text, lineOf(session, def->name.span), groups);
    if (auto *def = ast::as<ast::StructDef>(stmt.get()))
      collect(session, def->body, def->name.text, lineOf(session, def->name.span), groups);
  }
}

/// Whether the code is one expression whose value is to be printed: not a call of `print`, nor an assignment.
bool isValue(const std::string &code, bool printsNothing) {
  Sources sources;
  diag::Engine messages;
  auto module = frontend::parse(sources, sources.add("example", code), messages);
  if (messages.hasErrors() || module->body.size() != 1) return false;
  auto *stmt = ast::as<ast::ExprStmt>(module->body[0]);
  if (!stmt) return false;
  auto *call = ast::as<ast::CallExpr>(stmt->value);
  auto *name = call ? ast::as<ast::NameExpr>(call->callee) : nullptr;
  return !(name && (name->name == "print" || printsNothing));
}

std::string markOf(const Example &example) { return "--- example in line " + std::to_string(example.line) + " ---"; }

/// A host function for the examples of a text. `lines`: takes for each of its lines which line of the program it is.
std::string functionFor(const Group &group, const std::string &name, std::vector<size_t> &lines) {
  std::string text;
  auto add = [&](const std::string &line, size_t of) {
    text += line + "\n";
    lines.push_back(of);
  };
  add("def " + name + "():", group.line);
  for (const Example &example : group.examples) {
    add("    print(\"" + markOf(example) + "\")", example.line);
    std::string whole;
    for (const std::string &line : example.code) whole += line + "\n";
    bool value = isValue(whole, example.expected.empty());
    for (size_t i = 0; i < example.code.size(); ++i) {
      std::string line = example.code[i];
      if (value && i == 0) line = "print(" + line;
      if (value && i + 1 == example.code.size()) line += ")";
      add("    " + line, example.line + i);
    }
  }
  return text;
}

constexpr const char *kArgument = "example";

std::string callOf(const std::vector<std::string> &functions) {
  std::string text = "def main(" + std::string(kArgument) + ": int):\n";
  for (size_t i = 0; i < functions.size(); ++i)
    text += "    if " + std::string(kArgument) + " == " + std::to_string(i) + ":\n        " + functions[i] + "()\n";
  return text;
}

/// The program's text without its own `def main()`, with the same lines.
std::string withoutMain(const Session &session) {
  std::string text = session.sources.file(session.module()->file).text;
  for (const ast::StmtPtr &stmt : session.module()->body)
    if (auto *def = ast::as<ast::FuncDef>(stmt.get()); def && def->name.text == "main")
      for (uint32_t at = def->span.begin; at < def->span.end && at < text.size(); ++at)
        if (text[at] != '\n') text[at] = ' ';
  return text + "\n\n\n";
}

Session sessionOf(const std::string &path, const std::string &text) {
  return Session([path, text](const std::string &asked) {
    return asked == path ? driver::ReadResult{driver::ReadProblem::None, text, text.size()}
                         : driver::readFile(asked, driver::kMaxSourceBytes);
  });
}

TestFailure failure(size_t line, std::string what) {
  TestFailure made;
  made.line = line, made.what = std::move(what);
  return made;
}

/// Checks the examples of one text in the program. Nothing if they can be run.
std::vector<TestFailure> mistakesOf(const Session &session, const std::string &program, const Group &group) {
  std::vector<size_t> lines;
  std::string text = program + functionFor(group, "_example", lines) + "\n\n" + callOf({"_example"});
  Session trial = sessionOf(session.path(), text);
  sema::CheckOptions options;
  options.advice = false;
  if (trial.load(session.path())) trial.check(options);
  if (!trial.diagnostics.hasErrors()) return {};
  size_t before = static_cast<size_t>(std::count(program.begin(), program.end(), '\n'));
  for (const diag::Diagnostic *d : trial.diagnostics.byCause()) {
    if (d->severity != diag::Severity::Error) continue;
    auto lineIn = [&](Span span) -> size_t {
      size_t line = lineOf(trial, span);
      bool ours = span.valid() && span.file == trial.module()->file && line > before && line <= before + lines.size();
      return ours ? lines[line - before - 1] : 0;
    };
    size_t line = lineIn(d->span);
    for (const diag::Note &note : d->notes) line = line ? line : lineIn(note.span);
    return {failure(line ? line : group.examples.front().line, d->message)};
  }
  return {};
}

/// What was printed behind the mark of an example; false if that was not reached.
bool outputOf(const std::string &output, const Example &example, const Example *next, std::string &own) {
  std::string mark = markOf(example) + "\n";
  size_t at = output.find(mark);
  if (at == std::string::npos) return false;
  at += mark.size();
  size_t end = next ? output.find(markOf(*next) + "\n", at) : std::string::npos;
  own = output.substr(at, end == std::string::npos ? end : end - at);
  return true;
}

std::string trimmed(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out += withoutBlanksBehind(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

/// Compares what a run of a text's examples has printed. `problem`: how it ended, if not well.
std::vector<TestFailure> wrongOutput(const Group &group, const std::string &output, const std::string &problem) {
  std::vector<TestFailure> failures;
  for (size_t i = 0; i < group.examples.size(); ++i) {
    const Example &example = group.examples[i];
    const Example *next = i + 1 < group.examples.size() ? &group.examples[i + 1] : nullptr;
    std::string own;
    if (!outputOf(output, example, next, own)) {
      if (failures.empty()) failures.push_back(failure(example.line, problem.empty() ? "it was not reached" : problem));
      break;
    }
    std::string follows;
    bool last = !problem.empty() && (!next || !outputOf(output, *next, nullptr, follows));
    std::string got = trimmed(own), expected = trimmed(example.expected), code;
    if (got == expected && !last) continue;
    for (const std::string &line : example.code) code += (code.empty() ? "" : "\n") + line;
    TestFailure wrong = failure(example.line, ">>> " + code);
    wrong.leftText = "printed", wrong.left = got.empty() ? "nothing" : got;
    wrong.rightText = "expected", wrong.right = expected.empty() ? "nothing" : expected;
    if (last) wrong.where = problem;
    failures.push_back(std::move(wrong));
    if (last) break;
  }
  return failures;
}

/// Runs the examples of one text in the program that has them all: what it printed. `problem`: how it ended, if not well.
std::string outputOf(Session &all, const TestOptions &options, const std::string &program, size_t which,
                     std::string &problem) {
  if (options.target.reference) {
    std::string output;
    const checked::Function *main = all.check()->find("main");
    int status = 0;
    problem = driver::interpretMain(all, *main, {{kArgument, std::to_string(which)}}, /*checks=*/{}, status,
                                    [&](const std::string &line) { output += line + "\n"; });
    if (problem.empty() && status != 0) problem = "the program ended with status " + std::to_string(status);
    return output;
  }
  driver::ProcessResult result =
      driver::runProcess({program, "--" + std::string(kArgument) + "=" + std::to_string(which)});
  if (result.exitCode != 0) problem = "the program ended with status " + std::to_string(result.exitCode);
  return result.output;
}

}  // namespace

void runExamples(const Session &session, const TestOptions &options, const TestReport &report) {
  std::vector<Group> groups;
  collect(session, session.module()->body, "the program", 1, groups);
  std::erase_if(groups, [&](const Group &group) { return group.name.find(options.only) == std::string::npos; });
  if (groups.empty()) return;
  const std::string program = withoutMain(session);
  std::string text = program;
  std::vector<std::string> functions;
  std::vector<TestOutcome> outcomes;
  std::vector<const Group *> sound;
  for (const Group &group : groups) {
    TestOutcome &outcome =
        outcomes.emplace_back(TestOutcome{session.path(), group.name, group.examples.front().line, true, 0, {}});
    outcome.failures = mistakesOf(session, program, group);
    sound.push_back(outcome.passed() ? &group : nullptr);
    if (!outcome.passed()) continue;
    functions.push_back("_example_" + std::to_string(functions.size()));
    std::vector<size_t> lines;
    text += functionFor(group, functions.back(), lines) + "\n\n";
  }
  Session all = sessionOf(session.path(), text + callOf(functions));
  std::string built, why;
  if (!functions.empty()) {
    if (all.load(session.path())) all.check();
    if (!all.diagnostics.hasErrors() && !options.target.reference) built = driver::buildProgram(all, options.target);
    for (const diag::Diagnostic &d : all.diagnostics.all())
      if (d.severity == diag::Severity::Error && why.empty()) why = "the examples cannot be compiled: " + d.message;
  }
  size_t which = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    TestOutcome &outcome = outcomes[i];
    auto start = std::chrono::steady_clock::now();
    if (sound[i] && !why.empty()) outcome.failures = {failure(outcome.line, why)};
    if (sound[i] && why.empty()) {
      std::string problem, output = outputOf(all, options, built, which++, problem);
      outcome.failures = wrongOutput(groups[i], output, problem);
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report(outcome);
  }
}

}  // namespace tessera::tools
