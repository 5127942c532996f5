// Why a product is not done by tensor cores: a command, as the function is compiled for it.
#include "driver/Compiler.h"
#include "driver/Refusals.h"
#include "driver/Targets.h"
#include "lsp/Server.h"
#include "support/Machine.h"
#include <algorithm>

namespace tessera::lsp {

namespace {
constexpr int kInfo = 3;
constexpr const char *kCommand = "tessera.whyNot";
}  // namespace

std::optional<Json> Server::whyNotAction(const Document &document, const ide::View &view, uint32_t offset) {
  std::optional<Span> product = ide::productAt(view, offset);
  const ast::FuncDef *function = product ? view.names.functionAt(product->begin) : nullptr;
  if (!function) return std::nullopt;
  Json command = {{"title", "Why not tensor cores?"}, {"command", kCommand},
                  {"arguments", {document.uri, function->name.text, view.lineOf(product->begin), view.lineOf(product->end)}}};
  return Json{{"title", command.at("title")}, {"kind", "tessera.whyNot"}, {"command", command}};
}

Json Server::executeCommand(const Json &params) {
  if (params.at("command") != kCommand) throw Failure{kInvalidParams, "there is no command `" + params.at("command").get<std::string>() + "`"};
  const Json &arguments = params.at("arguments");
  const Document &document = required({{"textDocument", {{"uri", arguments.at(0)}}}});
  const std::string text = whyNot(document, arguments.at(1), arguments.at(2), arguments.at(3));
  notify("window/showMessage", {{"type", kInfo}, {"message", text}});
  return text;
}

std::string Server::whyNot(const Document &document, const std::string &function, uint32_t first, uint32_t last) const {
  driver::Session session([&](const std::string &path) {
    return path == document.path ? driver::ReadResult{driver::ReadProblem::None, document.text, document.text.size()} : read(path);
  });
  driver::CompileOptions options;
  options.target = *driver::parseTarget(machine_);
  std::optional<driver::Product> product;
  if (session.load(document.path)) product = driver::Compiler(session, options).emit({function});
  if (!product) {
    const auto &said = session.diagnostics.all();
    return "`" + function + "` cannot be compiled by itself for " + machine_ + (said.empty() ? "" : ": " + said.front().message);
  }
  std::vector<driver::Refusal> refusals = driver::refusalsOf(product->manifest);
  auto isHere = [&](const driver::Refusal &refusal) {
    for (uint32_t line = first; line <= last; ++line)
      if (refusal.why.ends_with("(line " + std::to_string(line) + ")")) return true;
    return false;
  };
  // Those of the product itself, where it has some: a kernel with several products speaks of one.
  if (std::any_of(refusals.begin(), refusals.end(), isHere)) std::erase_if(refusals, [&](const driver::Refusal &one) { return !isHere(one); });
  std::string text;
  for (const driver::Refusal &refusal : refusals)
    if (std::string line = "no " + refusal.instruction + ": " + refusal.why; text.find(line) == std::string::npos) text += (text.empty() ? "" : "\n") + line;
  if (text.empty()) return "on " + machine_ + " no product of `" + function + "` is refused a matrix instruction; one with a vector is a sum of rows, and needs none";
  return "`" + function + "` on " + machine_ + "\n" + text;
}

}  // namespace tessera::lsp
