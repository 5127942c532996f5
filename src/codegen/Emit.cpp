#include "codegen/Emit.h"
#include "codegen/Printers.h"
#include "ir/common/Common.h"
#include "support/Check.h"
#include "support/Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "mlir/IR/BuiltinOps.h"
#include <nlohmann/json.hpp>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

std::string lineMapText(const Writer &writer, const std::string &file) {
  nlohmann::ordered_json json{
      {"version", 1}, {"file", file}, {"set", kNoSet}, {"lines", nlohmann::ordered_json::array()}};
  int number = 0;
  for (const WrittenLine &line : writer.lines()) {
    ++number;
    if (line.place)
      json["lines"].push_back(
          {{"line", number}, {"program", baseName(line.place->file)}, {"program_line", line.place->line}});
  }
  return json.dump(1) + "\n";
}

/// `part`: what it says of itself where it is one of several.
void printHead(Writer &writer, const std::vector<EntryFacts> &entries, const Language &language,
               const EmitOptions &options, const std::string &part) {
  std::string from = options.program.empty() ? options.name : baseName(options.program);
  std::string names;
  for (const EntryFacts &entry : entries) names += (names.empty() ? "" : ", ") + entry.name;
  writer.comment(std::string(language.name) + " for " + from + part +
                 ", compiled by tesserac. Edit the program, not this file.");
  if (!names.empty()) writer.comment("Functions: " + names + " (declared in " + options.name + ".h).");
  for (const auto &[name, reason] : options.leftOut) writer.comment("Left out: " + name + ", which cannot be compiled: " + reason);
  if (options.standalone) writer.comment("Needs C++17: `-std=c++17` where the compiler's own default is older.");
}

/// Numbers the files by what is in all of them, so that those of two compiles can be told apart.
void numberSet(Emitted &emitted, const std::string &inSource) {
  llvm::BLAKE3 hasher;
  const std::pair<std::string *, std::string> places[] = {{&emitted.source, inSource},
                                                          {&emitted.header, kSetComment},
                                                          {&emitted.cppHeader, kSetComment},
                                                          {&emitted.manifest, "\"set\": \""},
                                                          {&emitted.lineMap, "\"set\": \""}};
  for (const auto &[text, before] : places) hasher.update(std::to_string(text->size()) + " " + *text);
  for (const std::string &part : emitted.parts) hasher.update(std::to_string(part.size()) + " " + part);
  auto digest = hasher.final();
  const std::string number = llvm::toHex(llvm::ArrayRef(digest.data(), std::string_view(kNoSet).size() / 2), true);
  for (const auto &[text, before] : places) {
    size_t at = text->find(before + kNoSet);
    TSR_CHECK(at != std::string::npos, "a file without the place of its set number");
    text->replace(at + before.size(), number.size(), number);
  }
  emitted.set = number;
}

void includeHeaders(Writer &writer, const std::vector<std::string> &headers, const EmitOptions &options) {
  if (options.standalone) {
    TSR_CHECK(options.headerText, "a file that needs no headers is made from their texts, which are not given");
    writer.paste(pastedHeaders(headers, options.headerText));
  } else {
    for (const std::string &header : headers) writer.line("#include \"" + header + "\"");
  }
}

/// The program's header as it stands in each of several parts: what a main file has no use for is left out.
std::string declarationsOf(const std::string &header) {
  const std::string once = "#pragma once\n";
  const size_t at = header.find(once);
  return at == std::string::npos ? header : header.substr(0, at) + header.substr(at + once.size());
}

/// The text without its head; several where it is taken apart.
std::vector<Writer> bodiesOf(ModuleOp module, const std::vector<EntryFacts> &entries, const Language &language, const EmitOptions &options) {
  Writer body(options.lineDirectives);
  if (!options.dispatch.empty()) {
    printDispatch(entries, options, body);
    return {body};
  }
  const bool hasHost = options.hostCode && !module.getOps<target::HostFuncOp>().empty();
  if (options.mostParts > 1) {
    Writer host(options.lineDirectives);
    if (hasHost) printHost(module, entries, language, options.checks, host);
    if (std::vector<Writer> parts = partsOf(module, entries, language, options, host); parts.size() > 1) return parts;
  }
  for (auto kernel : module.getOps<target::KernelOp>()) printKernel(kernel, language, body);
  for (const Starter &starter : startersOf(entries)) printStarter(starter, StarterForm::Static, language, body);
  for (const EntryFacts &entry : entries) printEntry(entry, language, body);
  if (hasHost) printHost(module, entries, language, options.checks, body);
  return {body};
}

}  // namespace

Emitted emit(ModuleOp module, const EmitOptions &options) {
  const Machine *machine = ir::machineOf(module);
  TSR_CHECK(machine, "the module does not say which machine it is compiled for");
  const Language &language = languageOf(machine->family);
  std::vector<EntryFacts> entries = entriesOf(module, options.nameSpace);
  // The bodies first: which headers one needs is read off it. The head's lines then come before it.
  bool dispatch = !options.dispatch.empty();
  std::vector<Writer> bodies = bodiesOf(module, entries, language, options);
  Emitted result;
  result.suffix = dispatch ? cpuLanguage().suffix : language.suffix;
  std::string file = options.name + result.suffix;
  std::string abi = "#include \"tessera/abi.h\"\n";
  result.header = headerText(entries, options.name, options.program,
                             options.standalone ? pastedHeaders({"tessera/abi.h"}, options.headerText) : abi);
  const Writer &body = bodies.front();
  const std::string ofHowMany = " of " + std::to_string(bodies.size());
  Writer whole(options.lineDirectives);
  printHead(whole, entries, dispatch ? cpuLanguage() : language, options, bodies.size() > 1 ? ", part 1" + ofHowMany : "");
  includeHeaders(whole, headersFor(body.text(file)), options);
  if (bodies.size() > 1) whole.paste(declarationsOf(result.header));
  const std::string same = "  // the headers and the manifest of this compile have the same number";
  whole.line(entries.empty() ? std::string("// ") + kSetComment + kNoSet
                             : std::string(kSetMacro) + kNoSet + ")" + same);
  whole.append(body);
  result.source = whole.text(file);
  result.lineMap = lineMapText(whole, file);
  std::string all = body.text(file);
  for (size_t i = 1; i < bodies.size(); ++i) {
    all += bodies[i].text(file);
    Writer part(options.lineDirectives);
    printHead(part, {}, language, options, ", part " + std::to_string(i + 1) + ofHowMany);
    includeHeaders(part, headersFor(bodies[i].text(file)), options);
    part.paste(declarationsOf(result.header));
    part.append(bodies[i]);
    result.parts.push_back(part.text(file));
  }
  result.cppHeader = cppHeaderText(entries, options,
                                   options.standalone ? pastedHeaders({"tessera/tensor.h"}, options.headerText)
                                                      : "#include \"tessera/tensor.h\"\n");
  result.manifest = manifestText(
      module, entries,
      {options.name, options.program, machine, &language, options.tools, featuresOf(all, language.target), options.leftOut});
  numberSet(result, entries.empty() ? kSetComment : kSetMacro);
  return result;
}

}  // namespace tessera::codegen
