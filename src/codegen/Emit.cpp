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

void printHead(Writer &writer, const std::vector<EntryFacts> &entries, const Language &language,
               const EmitOptions &options) {
  std::string from = options.program.empty() ? options.name : baseName(options.program);
  std::string names;
  for (const EntryFacts &entry : entries) names += (names.empty() ? "" : ", ") + entry.name;
  writer.comment(std::string(language.name) + " for " + from +
                 ", compiled by tesserac. Edit the program, not this file.");
  if (!names.empty()) writer.comment("Functions: " + names + " (declared in " + options.name + ".h).");
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
  auto digest = hasher.final();
  const std::string number = llvm::toHex(llvm::ArrayRef(digest.data(), std::string_view(kNoSet).size() / 2), true);
  for (const auto &[text, before] : places) {
    size_t at = text->find(before + kNoSet);
    TSR_CHECK(at != std::string::npos, "a file without the place of its set number");
    text->replace(at + before.size(), number.size(), number);
  }
  emitted.set = number;
}

}  // namespace

Emitted emit(ModuleOp module, const EmitOptions &options) {
  const Machine *machine = ir::machineOf(module);
  TSR_CHECK(machine, "the module does not say which machine it is compiled for");
  const Language &language = languageOf(machine->family);
  std::vector<EntryFacts> entries = entriesOf(module, options.nameSpace);
  // The body first: which headers it needs is read off it. The head's lines then come before it.
  Writer body(options.lineDirectives);
  bool dispatch = !options.dispatch.empty();
  if (dispatch) {
    printDispatch(entries, options, body);
  } else {
    for (auto kernel : module.getOps<target::KernelOp>()) printKernel(kernel, language, body);
    printStarters(entries, language, body);
    for (const EntryFacts &entry : entries) printEntry(entry, language, body);
  }
  bool host = !dispatch && !module.getOps<target::HostFuncOp>().empty();
  if (host) printHost(module, entries, language, options.checks, body);
  Emitted result;
  result.suffix = dispatch ? cpuLanguage().suffix : language.suffix;
  std::string file = options.name + result.suffix;
  std::vector<std::string> headers = headersFor(body.text(file));
  Writer whole(options.lineDirectives);
  printHead(whole, entries, dispatch ? cpuLanguage() : language, options);
  if (options.standalone) {
    TSR_CHECK(options.headerText, "a file that needs no headers is made from their texts, which are not given");
    whole.paste(pastedHeaders(headers, options.headerText));
  } else {
    for (const std::string &header : headers) whole.line("#include \"" + header + "\"");
  }
  const std::string same = "  // the headers and the manifest of this compile have the same number";
  whole.line(entries.empty() ? std::string("// ") + kSetComment + kNoSet
                             : std::string(kSetMacro) + kNoSet + ")" + same);
  whole.append(body);
  result.source = whole.text(file);
  result.lineMap = lineMapText(whole, file);
  std::string abi = "#include \"tessera/abi.h\"\n";
  result.header = headerText(entries, options.name, options.program,
                             options.standalone ? pastedHeaders({"tessera/abi.h"}, options.headerText) : abi);
  result.cppHeader = cppHeaderText(entries, options,
                                   options.standalone ? pastedHeaders({"tessera/tensor.h"}, options.headerText)
                                                      : "#include \"tessera/tensor.h\"\n");
  result.manifest = manifestText(
      module, entries,
      {options.name, options.program, machine, &language, options.tools, featuresOf(body.text(file), language.target)});
  numberSet(result, entries.empty() ? kSetComment : kSetMacro);
  return result;
}

}  // namespace tessera::codegen
