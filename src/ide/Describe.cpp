#include "ide/Describe.h"
#include "frontend/Walk.h"
#include "sema/Builtins.h"
#include "sema/Struct.h"
#include <algorithm>
#include <optional>
#include <set>

namespace tessera::ide {

using ast::as;
using sema::ValueKind;

const sema::Fact *factAt(const View &view, uint32_t offset) {
  const sema::Fact *best = nullptr;
  auto size = [](const sema::Fact &fact) { return fact.place.end - fact.place.begin; };
  for (const sema::Fact &fact : view.facts.around(offset)) {
    bool holds = fact.place.begin <= offset && offset <= fact.place.end;
    if (holds && (!best || size(fact) < size(*best))) best = &fact;
  }
  return best;
}

namespace {
/// A dimension with the names of constants in the place of their numbers.
std::string dimText(const Dim &dim) {
  if (!dim.hasNames()) return dim.str();
  std::set<std::string> vars;
  dim.written().collectVars(vars);
  std::map<std::string, Dim> names;
  for (const std::string &v : vars)
    if (auto constant = namedConstant(v)) names[v] = Dim::var(constant->first);
  return dim.written().substitute(names).str();
}

std::string oneLine(std::string_view text) {
  std::string out;
  bool blank = false, comment = false;
  for (char c : text) {
    if (c == '\n') comment = false;
    if (c == '#') comment = true;
    if (comment) continue;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\') {
      blank = true;
      continue;
    }
    bool tight = out.empty() || out.back() == '(' || out.back() == '[' || c == ')' || c == ']' || c == ',';
    if (blank && !tight) out += ' ';
    blank = false;
    if ((c == ')' || c == ']') && !out.empty() && out.back() == ',') out.pop_back();
    out += c;
  }
  return out;
}
}  // namespace

std::string shapeText(const std::vector<Dim> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + dimText(shape[i]);
  return text + "]";
}

std::string typeText(const sema::Fact &fact) {
  auto array = [&](const char *name) {
    checked::Type scalar = fact.type;
    scalar.kind = checked::TypeKind::Scalar;
    scalar.shape.clear();
    std::string text = std::string(name) + "[";
    for (const Dim &d : fact.type.shape) text += dimText(d) + ", ";
    return text + scalar.str() + "]";
  };
  switch (fact.kind) {
  case ValueKind::Array: return fact.type.kind == checked::TypeKind::Tensor ? array("Tensor") : fact.type.str();
  case ValueKind::View: return array("Tensor");
  case ValueKind::Shared: return array("Shared");
  case ValueKind::State: return fact.type.str();
  case ValueKind::HostTensor: return "Tensor (shape known when it runs)";
  case ValueKind::Int: return fact.text.empty() ? "Int" : "Int = " + fact.text;
  case ValueKind::Float: return "Float = " + fact.text;
  case ValueKind::Bool: return "Bool = " + fact.text;
  case ValueKind::String: return fact.text.empty() ? "str" : "str = \"" + fact.text + "\"";
  case ValueKind::None: return "None";
  case ValueKind::DType: {
    checked::Type scalar = fact.type;
    scalar.kind = checked::TypeKind::Scalar;
    return "dtype " + scalar.str();
  }
  case ValueKind::TypeName: return "type";
  case ValueKind::Tuple: return "(" + fact.text + ")";
  case ValueKind::List: return "[" + fact.text + "]";
  case ValueKind::Dict: return "dict";
  case ValueKind::Range: return "range";
  case ValueKind::Struct: return fact.text;
  case ValueKind::StructType: return "struct " + fact.text;
  case ValueKind::Module: return "module " + fact.text;
  case ValueKind::Function:
  case ValueKind::Overloads:
  case ValueKind::Builtin:
  case ValueKind::Method: return "function " + fact.text;
  case ValueKind::Partial: return "function " + fact.text + ", with some arguments";
  case ValueKind::Derivative: return "derivative of " + fact.text;
  case ValueKind::Transform: return "function made of " + fact.text;
  case ValueKind::Schedule: return "Schedule";
  case ValueKind::Policy: return "Policy";
  case ValueKind::Context: return "tile context";
  case ValueKind::Rng: return "Rng";
  default: return "";
  }
}

std::string signatureText(const ast::FuncDef &def, const Sources &sources) {
  std::string_view whole = sources.file(def.span.file).text;
  uint32_t begin = def.name.span.begin, end = begin;
  int depth = 0;
  for (end = begin; end < def.span.end && end < whole.size(); ++end) {
    char c = whole[end];
    if (c == '#') {
      while (end + 1 < whole.size() && whole[end + 1] != '\n') ++end;
      continue;
    }
    if (c == '"' || c == '\'') {  // a dimension in quotes
      size_t close = whole.find(c, end + 1);
      if (close == std::string_view::npos) break;
      end = static_cast<uint32_t>(close);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ':' && depth <= 0) break;
  }
  return "def " + oneLine(whole.substr(begin, end - begin));
}

std::string signatureText(const sema::BuiltinRow &row) { return callableOf(row, false).label; }

std::string docOf(const ast::Block &body) {
  auto *first = body.empty() ? nullptr : as<ast::ExprStmt>(body[0]);
  auto *text = first ? as<ast::StringExpr>(first->value) : nullptr;
  if (!text) return "";
  // Lines behind the first are indented as the program is.
  std::string doc;
  size_t common = std::string::npos;
  for (size_t at = text->value.find('\n'); at != std::string::npos; at = text->value.find('\n', at + 1)) {
    size_t start = text->value.find_first_not_of(' ', at + 1);
    if (start != std::string::npos && text->value[start] != '\n') common = std::min(common, start - at - 1);
  }
  for (size_t i = 0; i < text->value.size(); ++i) {
    doc += text->value[i];
    if (text->value[i] == '\n' && common != std::string::npos)
      for (size_t k = 0; k < common && i + 1 < text->value.size() && text->value[i + 1] == ' '; ++k) ++i;
  }
  while (!doc.empty() && (doc.back() == ' ' || doc.back() == '\n')) doc.pop_back();
  size_t start = doc.find_first_not_of(" \n");
  return start == std::string::npos ? "" : doc.substr(start);
}

std::string commentAbove(const Sources &sources, Span place) {
  const SourceFile &file = sources.file(place.file);
  uint32_t line = file.lineColumn(place.begin).line;
  std::string doc;
  while (line > 1) {
    std::string_view text = file.lineText(--line);
    size_t hash = text.find_first_not_of(" \t");
    if (hash == std::string_view::npos || text[hash] != '#') break;
    size_t from = text.find_first_not_of("# ", hash);
    doc = (from == std::string_view::npos ? "" : std::string(text.substr(from))) + (doc.empty() ? "" : "\n") + doc;
  }
  return doc;
}

CallableText callableOf(const ast::FuncDef &def, const Sources &sources, bool method) {
  CallableText out;
  out.name = def.name.text;
  out.label = signatureText(def, sources);
  out.doc = docOf(def.body);
  for (size_t i = 0; i < def.parameters.size(); ++i) {
    const ast::Parameter &p = def.parameters[i];
    if (method && i == 0) continue;
    ParameterText parameter;
    parameter.name = p.name.text;
    parameter.text = oneLine(sources.text(p.span));
    parameter.type = p.annotation.get();
    parameter.many = p.kind == ast::ParameterKind::VarPositional || p.kind == ast::ParameterKind::VarKeyword;
    out.parameters.push_back(std::move(parameter));
  }
  return out;
}

CallableText callableOf(const ast::StructDef &def, const Sources &sources) {
  CallableText out;
  out.name = def.name.text;
  out.doc = docOf(def.body);
  for (const ast::StmtPtr &part : def.body) {
    auto *field = as<ast::AnnAssignStmt>(part);
    auto *name = field ? as<ast::NameExpr>(field->target) : nullptr;
    if (!name) continue;
    std::string text = name->name;
    if (field->annotation) text += ": " + oneLine(sources.text(field->annotation->span));
    if (field->value) text += " = " + oneLine(sources.text(field->value->span));
    out.parameters.push_back({name->name, text, false, field->annotation.get()});
  }
  out.label = def.name.text + "(";
  for (size_t i = 0; i < out.parameters.size(); ++i) out.label += (i ? ", " : "") + out.parameters[i].text;
  out.label += ")";
  return out;
}

CallableText callableOf(const sema::BuiltinRow &row, bool method) {
  CallableText out;
  out.name = std::string(row.name);
  size_t at = 0;
  bool first = true;
  while (at < row.signature.size()) {
    size_t end = std::min(row.signature.find(", ", at), row.signature.size());
    std::string_view word = row.signature.substr(at, end - at);
    at = end + 2;
    bool self = method && first;
    first = false;
    if (self) continue;
    ParameterText parameter;
    parameter.many = word.starts_with("*");
    bool optional = word.ends_with("=");
    while (word.starts_with("*")) word.remove_prefix(1);
    if (word.ends_with("=")) word.remove_suffix(1);
    parameter.name = std::string(word);
    parameter.text = parameter.many ? (parameter.name.empty() ? "…" : "*" + parameter.name)
                     : optional     ? parameter.name + "=…"
                                    : parameter.name;
    out.parameters.push_back(std::move(parameter));
  }
  out.label = out.name + "(";
  for (size_t i = 0; i < out.parameters.size(); ++i) out.label += (i ? ", " : "") + out.parameters[i].text;
  out.label += ")";
  return out;
}

std::vector<std::string> factsAbout(const View &view, const ast::FuncDef &def, const std::vector<Dim> &shape) {
  std::set<std::string> vars;
  for (const Dim &d : shape) d.collectVars(vars);
  std::vector<std::string> found;
  std::function<bool(const ast::Expr &)> speaks = [&](const ast::Expr &e) {
    auto *name = as<ast::NameExpr>(&e);
    if (name && vars.count(name->name)) return true;
    auto children = ast::childrenOf(e).exprs;
    return std::any_of(children.begin(), children.end(), [&](const ast::Expr *child) { return speaks(*child); });
  };
  for (const ast::ExprPtr &fact : def.where)
    if (speaks(*fact))
      found.push_back("`" + oneLine(view.text(fact->span)) + "` (line " +
                      std::to_string(view.lineOf(fact->span.begin)) + ")");
  return found;
}

bool isProduct(const View &view, const ast::Expr &expr) {
  if (auto *binary = as<ast::BinaryExpr>(&expr)) return binary->op == ast::BinaryOp::MatMul;
  auto *call = as<ast::CallExpr>(&expr);
  const sema::Fact *callee = call ? view.facts.at(call->callee->span) : nullptr;
  return callee && callee->builtin && callee->builtin->kind == sema::BuiltinKind::Dot;
}

namespace {

Dim elementsOf(const sema::Fact &fact) {
  Dim count(1);
  for (const Dim &d : fact.type.shape) count = count * d;
  return count;
}
bool isNumbers(const sema::Fact *fact) {
  return fact && (fact->kind == ValueKind::Array || fact->kind == ValueKind::View || fact->kind == ValueKind::Shared);
}

/// The operands of an operator, the arguments of a call: those that are arrays, each once.
std::vector<const sema::Fact *> operandsOf(const View &view, const ast::Expr &expr) {
  std::vector<const sema::Fact *> operands;
  std::set<std::string_view> seen;
  auto take = [&](const ast::Expr *e) {
    const sema::Fact *fact = e ? view.facts.at(e->span) : nullptr;
    if (isNumbers(fact) && !fact->type.shape.empty() && seen.insert(view.text(e->span)).second)
      operands.push_back(fact);
  };
  if (auto *binary = as<ast::BinaryExpr>(&expr)) take(binary->left.get()), take(binary->right.get());
  if (auto *call = as<ast::CallExpr>(&expr)) {
    if (auto *member = as<ast::AttributeExpr>(call->callee)) take(member->object.get());
    for (const ast::Argument &argument : call->arguments) take(argument.value.get());
  }
  return operands;
}

/// Operations on floats of a call or an operator, without those of its operands.
std::optional<Dim> flopsOf(const View &view, const ast::Expr &expr, const sema::Fact &result) {
  auto *binary = as<ast::BinaryExpr>(&expr);
  if (!binary) return result.work;
  if (result.kind != ValueKind::Array) return std::nullopt;
  if (binary->op != ast::BinaryOp::MatMul) return isFloat(result.type.dtype) ? elementsOf(result) : Dim(0);
  const sema::Fact *left = view.facts.at(binary->left->span);
  bool known = isNumbers(left) && !left->type.shape.empty();
  return known ? std::optional(Dim(2) * elementsOf(result) * left->type.shape.back()) : std::nullopt;
}

}  // namespace

std::string costText(const View &view, const ast::Expr &expr) {
  if (!as<ast::BinaryExpr>(&expr) && !as<ast::CallExpr>(&expr)) return "";
  const sema::Fact *result = view.facts.at(expr.span);
  std::vector<const sema::Fact *> operands = operandsOf(view, expr);
  if (!result || operands.empty()) return "";
  std::optional<Dim> flops = flopsOf(view, expr, *result);
  std::string text = flops ? dimText(*flops) + " FLOPs" : "";
  const ast::FuncDef *around = view.names.functionAt(expr.span.begin);
  if (around && isKernel(*around)) return text;         // tiles are in registers, or come by loads of their own
  const bool whole = result->kind == ValueKind::Array;  // the parts of a tuple are not known here
  Dim bytes = whole ? elementsOf(*result) * Dim(storageBytes(result->type.dtype)) : Dim(0);
  for (const sema::Fact *operand : operands)
    bytes = bytes + elementsOf(*operand) * Dim(storageBytes(operand->type.dtype));
  return text + (text.empty() ? "" : ", ") + dimText(bytes) + " bytes if each operand is read once" +
         (whole ? "" : ", without the results");
}

}  // namespace tessera::ide
