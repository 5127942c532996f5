// Edits for structs and dtypes that were taken for others: a field of a struct, the same for each of its tensors, a dtype that
// one of several declares or is made of.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <iterator>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class StructEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::wrongArgument: fieldOfStruct(); break;
    case Id::badOperand: overFields(), fieldOfStruct(); break;
    case Id::contractionMismatch: turnedField(); break;
    case Id::unknownField: fieldThatFits(); break;
    case Id::dtypeMismatch:
    case Id::narrowing:
    case Id::redefinedType: madeOfOtherDType(), declaredDType(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 16;

  const ast::StructDef *structNamed(const std::string &name) const {
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = as<ast::StructDef>(stmt); def && def->name.text == name) return def;
    return nullptr;
  }
  /// `up: Tensor[D, F]` and `down: Tensor[D, F]`, where the product needs `[F, D]`: of two fields that are declared alike, one was
  /// copied.
  void turnedField() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.ofSignature = true;
    for (const ast::Expr *operand : operandsAt(place_)) {
      auto *member = as<ast::AttributeExpr>(operand);
      const ast::Parameter *p = member ? parameterOf(member->object.get()) : nullptr;
      auto *type = p ? as<ast::SubscriptExpr>(p->annotation) : nullptr;
      const ast::StructDef *def = p && p->annotation ? structNamed(text(type ? *type->object : *p->annotation)) : nullptr;
      const ast::SubscriptExpr *declared = nullptr;
      size_t alike = 0;
      for (const ast::SubscriptExpr *field : def ? matricesOf(*def) : std::vector<const ast::SubscriptExpr *>()) {
        if (fieldOf(*def, *field) == member->attribute.text) declared = field;
      }
      for (const ast::SubscriptExpr *field : def ? matricesOf(*def) : std::vector<const ast::SubscriptExpr *>())
        alike += declared && text(*field) == text(*declared);
      if (alike > 1)
        replace(edits, declared->items[0].span.to(declared->items[1].span),
                text(declared->items[1].span) + ", " + text(declared->items[0].span), "declare the axes in this order");
    }
  }
  std::vector<const ast::SubscriptExpr *> matricesOf(const ast::StructDef &def) const {
    std::vector<const ast::SubscriptExpr *> found;
    for (const ast::StmtPtr &stmt : def.body) {
      auto *field = as<ast::AnnAssignStmt>(stmt);
      auto *type = field ? as<ast::SubscriptExpr>(field->annotation) : nullptr;
      if (type && extentCount(*type) == 2) found.push_back(type);
    }
    return found;
  }
  std::string fieldOf(const ast::StructDef &def, const ast::SubscriptExpr &type) const {
    for (const ast::StmtPtr &stmt : def.body)
      if (auto *field = as<ast::AnnAssignStmt>(stmt); field && field->annotation.get() == &type) return text(*field->target);
    return "";
  }
  /// The struct of the module that the message names, `Layer[D]`.
  const ast::StructDef *structSaid() const {
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = as<ast::StructDef>(stmt); def && diagnostic_.message.find("`" + def->name.text) != std::string::npos) return def;
    return nullptr;
  }
  /// `x @ net.second`, where one of its fields was meant.
  void fieldOfStruct() {
    const ast::StructDef *def = structSaid();
    if (!def || place_.around.empty()) return;
    CandidateGroup &edits = group(true);
    std::vector<const ast::Expr *> parts = operandsAt(place_);
    if (parts.empty()) parts.push_back(place_.expr());
    for (const ast::Expr *operand : parts) {
      if (operand->kind != ast::ExprKind::Name && operand->kind != ast::ExprKind::Attribute && operand->kind != ast::ExprKind::Subscript) continue;
      for (const ast::StmtPtr &part : def->body)
        if (auto *field = as<ast::AnnAssignStmt>(part); field && edits.edits.size() < kMost)
          insert(edits, operand->span.end, "." + text(*field->target), "take this field");
    }
  }
  /// `net - rate * g` of structs: the same for each of their tensors.
  void overFields() {
    const ast::StructDef *def = structSaid();
    const ast::Expr *whole = nullptr;
    for (const ast::Expr *e : place_.around)
      if (e->kind == ast::ExprKind::Binary) whole = e;
    if (!def || !whole || !place_.function) return;
    static constexpr const char *kNames[] = {"w", "g", "m", "v"};
    std::vector<std::string> trees;
    std::vector<std::pair<Span, std::string>> parts;
    visit(*whole, [&](const ast::Expr &part) {
      const ast::Parameter *p = parameterOf(&part);
      auto *type = p ? as<ast::SubscriptExpr>(p->annotation) : nullptr;
      if (!p || !p->annotation || !structNamed(type ? text(*type->object) : text(*p->annotation))) return;
      auto known = std::find(trees.begin(), trees.end(), p->name.text);
      const size_t at = static_cast<size_t>(known - trees.begin());
      if (known == trees.end()) trees.push_back(p->name.text);
      if (at < std::size(kNames)) parts.push_back({part.span, kNames[at]});
    });
    if (trees.empty() || trees.size() > std::size(kNames)) return;
    std::sort(parts.begin(), parts.end(), [](const auto &a, const auto &b) { return a.first.begin < b.first.begin; });
    std::string body, names, all;
    uint32_t at = whole->span.begin;
    for (const auto &[span, by] : parts) body += text({span.file, at, span.begin}) + by, at = span.end;
    body += text({whole->span.file, at, whole->span.end});
    for (size_t i = 0; i < trees.size(); ++i) names += (i ? ", " : "") + std::string(kNames[i]), all += ", " + trees[i];
    replace(group(false), whole->span, "tree_map(lambda " + names + ": " + body + all + ")", "do it for each of the tensors");
  }
  /// `self.weight` of a struct that has `gain` and `bias`: the fields that fit, those that nothing here reads first.
  void fieldThatFits() {
    auto *member = place_.innermost<ast::AttributeExpr>();
    const ast::StructDef *def = structSaid();
    if (!member || !def || !place_.function) return;
    const std::string object = text(*member->object);
    std::set<std::string> read;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      if (auto *other = as<ast::AttributeExpr>(&part); other && text(*other->object) == object) read.insert(other->attribute.text);
    });
    for (bool isRead : {false, true}) {
      CandidateGroup &edits = group(true);
      edits.assumes = edits.last = true;
      for (const ast::StmtPtr &part : def->body)
        if (auto *field = as<ast::AnnAssignStmt>(part); field && (read.count(text(*field->target)) != 0) == isRead)
          replace(edits, member->attribute.span, text(*field->target), "this field fits");
    }
  }

  /// The dtypes that the message is about, as they are written.
  std::vector<std::string> dtypesSaid() const {
    std::vector<std::string> found;
    const std::string &said = diagnostic_.message;
    for (size_t at = 0; at < said.size();) {
      size_t end = at;
      while (end < said.size() && std::isalnum(static_cast<unsigned char>(said[end]))) ++end;
      const std::string word = said.substr(at, end - at);
      if (end > at && dtypeByName(word) && std::find(found.begin(), found.end(), word) == found.end()) found.push_back(word);
      at = end + 1;
    }
    return found;
  }
  /// Whether the message is about a name that a loop adds to.
  bool isAccumulated() const {
    auto *name = as<ast::NameExpr>(place_.expr());
    auto use = name && place_.names ? place_.names->find(name->name) : decltype(place_.names->end()){};
    return name && place_.names && use != place_.names->end() && use->second.bindings.size() > 1;
  }
  /// `total = zeros((N,), i32)`, to which floats are added: a dtype that a call is given, with the other of the message.
  void madeOfOtherDType() {
    const std::vector<std::string> said = dtypesSaid();
    CandidateGroup &edits = group(true);
    edits.last = diagnostic_.id == Id::narrowing && isAccumulated();  // it is rounded at the end rather
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || nameOf(*call) == "cast" || nameOf(*call) == "astype") return;
      for (const ast::Argument &arg : call->arguments) {
        auto *name = as<ast::NameExpr>(arg.value);
        if (!name || std::find(said.begin(), said.end(), name->name) == said.end()) continue;
        for (const std::string &other : said)
          if (other != name->name && edits.edits.size() < kMost) replace(edits, name->span, other, "make it of " + other);
      }
    });
  }
  /// `w: Tensor[I, O, f64]` where all others are of f32: the one that is declared otherwise.
  void declaredDType() {
    const std::vector<std::string> said = dtypesSaid();
    if (said.size() != 2 || !place_.function) return;
    std::vector<const ast::NameExpr *> odd[2];
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      auto *dtype = type && !type->items.empty() ? as<ast::NameExpr>(type->items.back().value) : nullptr;
      for (size_t i = 0; dtype && i < 2; ++i)
        if (dtype->name == said[i]) odd[i].push_back(dtype);
    }
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = true;
    for (size_t i = 0; i < 2; ++i)
      if (said[i] == "f64" && odd[i].size() == 1 && !odd[1 - i].empty()) replace(edits, odd[i][0]->span, said[1 - i], "declare it like the others");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfStructs(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return StructEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
