#include "driver/CommandLine.h"
#include "driver/Console.h"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <vector>

namespace tessera::driver {
namespace {

/// The command that was chosen, or the program itself.
const CLI::App &chosenIn(const CLI::App &app) {
  std::vector<CLI::App *> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

std::vector<std::string> optionNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string nearest(const std::string &word, const std::vector<std::string> &names) {
  std::vector<std::string_view> views(names.begin(), names.end());
  return std::string(diag::didYouMean(word, views));
}

std::string orNearest(std::string problem, const std::string &word, const std::vector<std::string> &names) {
  std::string near = nearest(word, names);
  return near.empty() ? problem : problem + "; did you mean `" + near + "`?";
}

std::string unknownWord(const CLI::App &app, const std::string &word) {
  if (word.rfind('-', 0) != 0) return "there is no place for `" + word + "`";
  std::string name = word.substr(0, word.find('='));
  std::string problem = "there is no option `" + name + "`", near = nearest(name, optionNames(app));
  if (!near.empty()) return problem + "; did you mean `" + near + "`?";
  const std::string parameter = name.substr(std::min<size_t>(2, name.size()));
  if (app.get_name() != "run" || parameter.empty()) return problem;
  return problem + "; a parameter of `main`, `def main(" + parameter + ": int = 1)`, gets its value by `--" + parameter + " 2` or `--arg " + parameter + "=2`";
}

/// The first word that nothing took: an option, if there is one, for the words behind it are its values.
std::string leftOver(const CLI::App &app) {
  std::vector<std::string> words = app.remaining(true);
  for (const std::string &word : words)
    if (word.rfind('-', 0) == 0) return word;
  return words.empty() ? "" : words.front();
}

std::string problemOf(const CLI::App &app, const CLI::ParseError &error, const char *first) {
  const CLI::App &command = chosenIn(app);
  if (&command == &app && !app.get_subcommands({}).empty()) {
    std::vector<std::string> names;
    std::string listed;
    for (const CLI::App *each : app.get_subcommands({})) {
      names.push_back(each->get_name());
      listed += (listed.empty() ? "" : ", ") + each->get_name();
    }
    std::string problem = !first ? "a command is missing" : first[0] == '-' ? unknownWord(app, first)
                                                          : orNearest("there is no command `" + std::string(first) + "`", first, names);
    return problem + "\n  the commands are " + listed;
  }
  if (dynamic_cast<const CLI::ExtrasError *>(&error)) return unknownWord(command, leftOver(app));
  if (dynamic_cast<const CLI::ArgumentMismatch *>(&error)) {
    std::string text = error.what(), option = text.substr(0, text.find(':'));
    return "`" + option + "` " + (text.find("missing") != std::string::npos ? "needs a value" : "was given more than once");
  }
  return error.what();
}

}  // namespace

CLI::Validator isUnsigned() {
  return {[](std::string &text) -> std::string {
            uint64_t value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            return end == text.data() + text.size() && error == std::errc() ? "" : "`" + text + "` is no integer from 0 to 2^64 - 1";
          },
          ""};
}
CLI::Validator isGiven() {
  return {[](std::string &text) -> std::string { return text.empty() ? "it needs a value" : ""; }, ""};
}

std::string readWords(CLI::App &app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
    return {};
  } catch (const CLI::ParseError &error) {
    return problemOf(app, error, nullptr);
  }
}

std::optional<int> readCommandLine(CLI::App &app, int argc, const char *const *argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success &wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError &error) {
    std::string program = app.get_name().empty() ? argv[0] : app.get_name();
    program = program.substr(program.find_last_of('/') + 1);
    const CLI::App &command = chosenIn(app);
    if (&command != &app) program += " " + command.get_name();
    std::fprintf(stderr, "error: %s\n  see `%s --help`\n", problemOf(app, error, argc > 1 ? argv[1] : nullptr).c_str(), program.c_str());
    return kBadUsage;
  }
}

}  // namespace tessera::driver
