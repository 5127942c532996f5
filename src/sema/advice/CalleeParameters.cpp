#include "sema/advice/CalleeParameters.h"
#include <cctype>

namespace tessera::sema {
namespace {

Signature declaredIn(const ast::FuncDef &def) {
  Signature signature;
  for (const ast::Parameter &p : def.parameters)
    if (p.kind == ast::ParameterKind::Plain || p.kind == ast::ParameterKind::KeywordOnly)
      signature.push_back({p.name.text, p.kind == ast::ParameterKind::KeywordOnly, p.defaultValue != nullptr});
  return signature;
}

/// From the text of another file, whose tree is not at hand: what stands between the brackets of `def name(...)`.
Signature writtenIn(const std::string &text, size_t open) {
  Signature signature;
  CalleeParameter one;
  int depth = 0;
  bool inName = true, byName = false;
  for (size_t i = open + 1; i < text.size(); ++i) {
    const char c = text[i];
    const bool closes = c == ')' && depth == 0;
    if (closes || (c == ',' && depth == 0)) {
      if (!one.name.empty()) one.byName = byName, signature.push_back(one);
      one = {}, inName = true;
      if (closes) return signature;
      continue;
    }
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (inName && c == '*') byName = true;
    else if (inName && (std::isalnum(static_cast<unsigned char>(c)) || c == '_')) one.name += c;
    else if (!std::isspace(static_cast<unsigned char>(c))) inName = false;
    one.hasDefault |= c == '=' && depth == 0;
  }
  return {};
}

/// From a note, "it takes `x`, `start`, `base`".
Signature namedIn(const std::string &note) {
  Signature signature;
  for (size_t begin = note.find('`'), end; begin != std::string::npos; begin = note.find('`', end + 1)) {
    end = note.find('`', begin + 1);
    if (end == std::string::npos) break;
    signature.push_back({note.substr(begin + 1, end - begin - 1), false, true});
  }
  return signature;
}

}  // namespace

std::vector<Signature> signaturesOf(const std::string &callee, const diag::Diagnostic &diagnostic, const Place &place,
                                    const Sources &sources) {
  std::vector<Signature> found;
  if (callee.empty() || !place.module) return found;
  for (const ast::StmtPtr &stmt : place.module->body)
    if (auto *def = ast::as<ast::FuncDef>(stmt); def && def->name.text == callee) found.push_back(declaredIn(*def));
  if (!found.empty()) return found;
  for (const diag::Note &note : diagnostic.notes)
    if (note.text.rfind("it takes `", 0) == 0) found.push_back(namedIn(note.text));
  for (const diag::Note &note : diagnostic.notes) {
    if (!note.span.valid() || note.span.file == diagnostic.span.file) continue;
    const std::string &text = sources.file(note.span.file).text;
    const size_t def = text.rfind("def " + callee + "(", note.span.begin);
    if (def != std::string::npos) found.push_back(writtenIn(text, text.find('(', def)));
  }
  return found;
}

}  // namespace tessera::sema
