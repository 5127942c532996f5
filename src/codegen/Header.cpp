// The C header: one documented declaration for each entry function.
#include "codegen/Printers.h"
#include "codegen/Types.h"
#include "codegen/source/Names.h"
#include <algorithm>
#include <sstream>

namespace tessera::codegen {
namespace {

std::string harmless(std::string text) {  // inside a C comment
  text = withoutTurns(std::move(text));
  for (size_t at; (at = text.find("*/")) != std::string::npos;) text.replace(at, 2, "* /");
  for (size_t at; (at = text.find("??/")) != std::string::npos;) text.replace(at, 3, "? ?/");
  for (size_t at; (at = text.find("/*")) != std::string::npos;) text.replace(at, 2, "/ *");  // compilers warn of it
  return text;
}

const char *modeText(const std::string &mode) {
  if (mode == "in") return "read";
  if (mode == "inout") return "read and written";
  if (mode == "scalar") return "by value";
  return "written; the caller gives the memory";
}

void document(const EntryFacts &entry, std::ostringstream &out) {
  out << "/* " << harmless(entry.signature) << "\n";
  std::istringstream doc(harmless(entry.doc));
  for (std::string line; std::getline(doc, line);) out << " *" << (line.empty() ? "" : "   ") << line << "\n";
  size_t nameWidth = 0, typeWidth = 0;
  for (const ParameterFacts &p : entry.parameters) {
    nameWidth = std::max(nameWidth, p.symbol.size());
    typeWidth = std::max(typeWidth, p.text().size());
  }
  for (const ParameterFacts &p : entry.parameters) {
    std::string type = p.text();
    out << " *   " << p.symbol << std::string(nameWidth - p.symbol.size() + 2, ' ') << type
        << std::string(typeWidth - type.size() + 2, ' ') << modeText(p.mode) << "\n";
  }
  if (!entry.requirements.empty()) out << " * Requires\n";
  for (ir::target::RequireOp require : entry.requirements)
    out << " *   " << harmless(require.getText().str()) << "\n";
  if (!entry.temporaries.empty())
    out << " * Takes " << (llvm::any_of(entry.temporaries, [](ir::target::TemporaryOp held) { return held.getWhenAttr() != nullptr; }) ? "at most " : "") << entry.workspaceBytes().str()
        << " bytes of device memory for the time of the call.\n";
  out << " */\n";
}

/// `TessStatus f(const TessTensor *x, TessTensor *result, float alpha, TessStream stream)`
std::string entryDeclaration(const EntryFacts &facts) {
  Spelling spell(Target::Cpu);
  Names names;
  for (const ParameterFacts &p : facts.parameters) names.take(p.symbol);
  std::vector<Doc> parameters;
  for (const ParameterFacts &p : facts.parameters) {
    if (p.scalar()) parameters.push_back(spell.abiScalar(p.dtype) + " " + p.symbol);
    else parameters.push_back((p.written() ? "TessTensor *" : "const TessTensor *") + p.symbol);
  }
  parameters.push_back("TessStream " + names.fresh("stream"));
  Doc doc = Doc("TessStatus " + facts.symbol + "(") + Doc::align(commaSeparated(parameters)) + ");";
  std::string text;
  for (const std::string &line : doc.lines(0, Writer::kWidth)) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace

std::string headerText(const std::vector<EntryFacts> &entries, const std::string &name,
                       const std::string &program, const std::string &includes) {
  std::ostringstream out;
  out << "/* The C interface of " << (program.empty() ? name : baseName(program))
      << ", for C and C++. Every function checks its arguments and returns TESS_OK or an error\n"
         " * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.\n"
         " * "
      << kSetComment << kNoSet << ". */\n";
  // No guard with a name: that of `a-b.h` would be that of `a_b.h`, and of each `model.h` of a program.
  out << "#pragma once\n"
      << includes << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const EntryFacts &entry : entries) {
    out << "\n";
    document(entry, out);
    out << entryDeclaration(entry) << "\n";
    out << "/* The same with uniform arguments. */\nTessStatus " << entry.call
        << "(const TessValue *args, int32_t count, TessStream stream);\n";
  }
  out << "\n#ifdef __cplusplus\n}\n#endif\n";
  return out.str();
}

}  // namespace tessera::codegen
