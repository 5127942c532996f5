// The command line of a program: `--steps 1000` or `--steps=1000` for the parameter `steps` of `def main(steps: int)`.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/tensor.h"
#include <cerrno>
#include <cstdlib>

namespace tsr {
namespace host {
namespace detail {

struct Argument {
  std::string name, value;
  bool hasValue = false, used = false;
};
struct CommandLine {
  std::vector<Argument> given;
  std::string known;  // what the program takes, for messages
};
TSR_APART CommandLine &command_line() {
  static CommandLine line;
  return line;
}

/// The text given for a parameter, or null. `kind` is what messages call it.
TSR_APART const std::string *argument(const std::string &name, const char *kind, const std::string *preset) {
  CommandLine &line = command_line();
  line.known += (line.known.empty() ? "--" : ", --") + name + " " + kind + (preset ? " (" + *preset + ")" : "");
  const std::string *found = nullptr;
  for (Argument &argument : line.given) {
    if (argument.name != name) continue;
    if (argument.used || found) stop("--" + name + " is given twice");
    if (!argument.hasValue) stop("--" + name + " needs a value: " + kind);
    argument.used = true;
    found = &argument.value;
  }
  if (!found && !preset) stop("--" + name + " is missing: " + kind);
  return found;
}
[[noreturn]] inline void wrong_argument(const std::string &name, const std::string &value, const char *kind) {
  stop("--" + name + " is '" + value + "', and I expected " + kind);
}

TSR_APART int64_t int_argument(const std::string &name, const int64_t *preset) {
  const std::string shown = preset ? std::to_string(*preset) : "";
  const std::string *text = argument(name, "an integer", preset ? &shown : nullptr);
  if (!text) return *preset;
  char *end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text->c_str(), &end, 10);
  if (text->empty() || *end || errno) wrong_argument(name, *text, "an integer");
  return value;
}
TSR_APART double real_argument(const std::string &name, const double *preset) {
  char shown[40];
  std::snprintf(shown, sizeof shown, "%g", preset ? *preset : 0.0);
  const std::string preset_text = shown;
  const std::string *text = argument(name, "a number", preset ? &preset_text : nullptr);
  if (!text) return *preset;
  char *end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  if (text->empty() || *end) wrong_argument(name, *text, "a number");
  return value;
}
TSR_APART bool bool_argument(const std::string &name, const bool *preset) {
  const std::string shown = preset && *preset ? "true" : "false";
  const std::string *text = argument(name, "true or false", preset ? &shown : nullptr);
  if (!text) return *preset;
  if (*text == "true" || *text == "True" || *text == "1") return true;
  if (*text == "false" || *text == "False" || *text == "0") return false;
  wrong_argument(name, *text, "true or false");
}

}  // namespace detail

/// What the program was started with; the functions below take it apart.
TSR_APART void read_arguments(int count, char **values) {
  detail::CommandLine &line = detail::command_line();
  for (int i = 1; i < count; ++i) {
    const std::string text = values[i];
    if (text.size() < 3 || text.compare(0, 2, "--") != 0) stop("I do not know what '" + text + "' is: arguments are of the form --name value");
    detail::Argument argument;
    const size_t equals = text.find('=');
    argument.name = text.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (equals != std::string::npos) {
      argument.value = text.substr(equals + 1);
      argument.hasValue = true;
    } else if (i + 1 < count && std::string(values[i + 1]).compare(0, 2, "--") != 0) {
      argument.value = values[++i];
      argument.hasValue = true;
    }
    line.given.push_back(argument);
  }
}

TSR_APART int64_t int_argument(const std::string &name, int64_t preset) { return detail::int_argument(name, &preset); }
TSR_APART int64_t int_argument(const std::string &name) { return detail::int_argument(name, nullptr); }
TSR_APART double real_argument(const std::string &name, double preset) { return detail::real_argument(name, &preset); }
TSR_APART double real_argument(const std::string &name) { return detail::real_argument(name, nullptr); }
TSR_APART bool bool_argument(const std::string &name, bool preset) { return detail::bool_argument(name, &preset); }
TSR_APART bool bool_argument(const std::string &name) { return detail::bool_argument(name, nullptr); }
TSR_APART std::string text_argument(const std::string &name, const std::string &preset) {
  const std::string *text = detail::argument(name, "a text", &preset);
  return text ? *text : preset;
}
TSR_APART std::string text_argument(const std::string &name) { return *detail::argument(name, "a text", nullptr); }

/// After all parameters: what is left over is a mistake.
TSR_APART void no_more_arguments() {
  for (const detail::Argument &argument : detail::command_line().given)
    if (!argument.used) stop("there is no argument --" + argument.name + "; there are " + detail::command_line().known);
}

}  // namespace host
}  // namespace tsr
