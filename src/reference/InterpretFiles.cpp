// Files of text that host code opens, reads line by line and writes (include/tessera/host/files.h).
#include "reference/Interpreter.h"
#include "support/Check.h"

namespace tessera::reference {

using checked::Expr;
namespace node = checked::node;

HostFiles::HostFiles() : files{{"/dev/stdin", {}, 0, false, false, true}, {"", {}, 0, true, true, true}, {"", {}, 0, true, true, true}} {}

/// Prints whole lines; what is behind the last waits for its end.
void Interpreter::printText(const std::string &text) {
  std::string &waiting = options_.files->waiting;
  waiting += text;
  for (size_t end; (end = waiting.find('\n')) != std::string::npos; waiting.erase(0, end + 1))
    if (options_.print) options_.print(waiting.substr(0, end));
}

Ref Interpreter::openFile(const Expr &expr) {
  Ref path = eval(*expr.args.at(0)), mode = path ? eval(*expr.args.at(1)) : nullptr;
  if (!mode) return nullptr;
  const std::string way = mode->text.substr(0, mode->text.find('t'));
  if (way != "r" && way != "w" && way != "a")
    return fail(expr.span, "cannot open `" + path->text + "` as \"" + mode->text + "\": \"r\" reads, \"w\" writes, \"a\" appends");
  HostFiles::File file{path->text, {}, 0, way != "r", true, true};
  if (way != "w") {
    auto bytes = options_.readFile ? options_.readFile(path->text) : Result<std::string>(Failure{"files cannot be read here"});
    if (!bytes && way == "r") return fail(expr.span, "cannot read `" + path->text + "`: " + bytes.error(), tsr::host::kFileNotFoundError);
    if (bytes) file.text = *bytes;
  }
  if (way != "r") {
    const std::string error = options_.writeFile ? options_.writeFile(path->text, file.text) : "files cannot be written here";
    if (!error.empty()) return fail(expr.span, "cannot write `" + path->text + "`: " + error, tsr::host::kOSError);
  }
  options_.files->files.push_back(std::move(file));
  return makeInt(DType::I64, static_cast<int64_t>(options_.files->files.size()) - 1);
}

Ref Interpreter::fileCall(const Expr &expr) {
  const std::string &name = expr.as<node::HostCall>().function;
  if (name == "file_open") return openFile(expr);
  if (name == "file_exists") {
    Ref path = eval(*expr.args.at(0));
    return path ? makeInt(DType::Bool, options_.readFile && options_.readFile(path->text)) : nullptr;
  }
  auto number = evalInt(*expr.args.at(0));
  if (!number) return nullptr;
  std::vector<HostFiles::File> &files = options_.files->files;
  if (*number < 0 || static_cast<size_t>(*number) >= files.size()) return fail(expr.span, "there is no open file " + std::to_string(*number));
  HostFiles::File &file = files[static_cast<size_t>(*number)];
  if (name == "file_close") return file.isOpen = *number <= 2, makeNone();
  if (!file.isOpen) return fail(expr.span, "`" + file.path + "` is closed");
  if (file.writes != (name == "file_write"))
    return fail(expr.span, "`" + file.path + "` is open for " + (file.writes ? "writing" : "reading"));
  if (name == "file_write") {
    Ref text = eval(*expr.args.at(1));
    if (!text) return nullptr;
    if (*number == 1) return printText(text->text), makeNone();
    if (*number == 2) return makeNone();
    file.text += text->text;
    const std::string error = options_.writeFile(file.path, file.text);
    return error.empty() ? makeNone() : fail(expr.span, "cannot write `" + file.path + "`: " + error);
  }
  if (!file.isRead) {
    auto bytes = options_.readFile ? options_.readFile(file.path) : Result<std::string>(Failure{"files cannot be read here"});
    if (!bytes) return fail(expr.span, "cannot read `" + file.path + "`: " + bytes.error());
    file.text = *bytes, file.isRead = true;
  }
  TSR_CHECK(name == "file_line" || name == "file_text", "a function of files that the interpreter does not know");
  const size_t end = name == "file_text" ? std::string::npos : file.text.find('\n', file.at);
  const size_t begin = std::exchange(file.at, end == std::string::npos ? file.text.size() : end + 1);
  return makeText(file.text.substr(begin, file.at - begin));
}

}  // namespace tessera::reference
