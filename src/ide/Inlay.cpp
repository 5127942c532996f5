// Inlay hints: the shapes of values behind the names that they are bound to, results and effects behind signatures.
#include "frontend/Walk.h"
#include "ide/Describe.h"
#include "ide/Ide.h"
#include <algorithm>
#include <functional>
#include <tuple>

namespace tessera::ide {

using ast::as;
using sema::ValueKind;

namespace {

class Hinter {
public:
  Hinter(const View &view, Span range) : view_(view), range_(range) {}

  std::vector<InlayHint> take() {
    std::sort(hints_.begin(), hints_.end(), [](const InlayHint &a, const InlayHint &b) {
      return std::tie(a.offset, a.label) < std::tie(b.offset, b.label);
    });
    return std::move(hints_);
  }
  void block(const ast::Block &body) {
    for (const ast::StmtPtr &stmt : body) {
      if (stmt->span.end < range_.begin || stmt->span.begin > range_.end) continue;
      statement(*stmt);
      for (const ast::Block *inner : ast::blocksOf(*stmt)) block(*inner);
    }
  }

private:
  void statement(const ast::Stmt &stmt) {
    if (auto *assign = as<ast::AssignStmt>(&stmt))
      for (const ast::ExprPtr &target : assign->targets) this->target(*target, assign->value.get());
    if (auto *loop = as<ast::ForStmt>(&stmt); loop && loop->target) target(*loop->target, nullptr);
    if (auto *def = as<ast::FuncDef>(&stmt)) function(*def);
  }

  /// What a target of an assignment or a loop is bound to.
  void target(const ast::Expr &target, const ast::Expr *value) {
    if (target.kind == ast::ExprKind::Tuple || target.kind == ast::ExprKind::List) {
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(target).items)
        this->target(*item, nullptr);
      return;
    }
    const sema::Fact *fact = target.kind == ast::ExprKind::Name ? view_.facts.at(target.span) : nullptr;
    if (!fact || fact->view == sema::FactView::Guessed) return;
    std::string label = labelOf(*fact, value);
    if (label.empty()) return;
    std::string tooltip = typeText(*fact);
    if (fact->view == sema::FactView::Called) {
      label += fact->several ? " …" : "";
      tooltip += fact->several ? "\n\nAs the first of several calls has it." : "\n\nAs the call has it.";
    }
    hints_.push_back({target.span.end, label, tooltip});
  }

  static std::string labelOf(const sema::Fact &fact, const ast::Expr *value) {
    switch (fact.kind) {
    case ValueKind::Array: {
      if (fact.type.kind != checked::TypeKind::Tensor) return ": " + std::string(name(fact.type.dtype));
      return ": " + shapeText(fact.type.shape) + " " + std::string(name(fact.type.dtype));
    }
    case ValueKind::Shared: return ": shared " + shapeText(fact.type.shape) + " " + std::string(name(fact.type.dtype));
    case ValueKind::Struct: {
      auto *call = as<ast::CallExpr>(value);  // `p = Block(...)` says it itself
      return call ? "" : ": " + fact.text;
    }
    case ValueKind::Int: {
      bool literal = value && (value->kind == ast::ExprKind::Int || value->kind == ast::ExprKind::Unary ||
                               value->kind == ast::ExprKind::Name);
      bool number = !fact.text.empty() && fact.text.find_first_not_of("-0123456789") == std::string::npos;
      return literal || !number || !value || fact.several ? "" : " = " + fact.text;
    }
    default: return "";
    }
  }

  void function(const ast::FuncDef &def) {
    const sema::FunctionFacts *checked = view_.facts.functionOf(def);
    std::optional<uint32_t> end = headEnd(view_, def);
    if (!end) return;
    std::string label;
    if (checked && !def.result && !checked->results.empty()) {
      std::string results;
      for (const checked::Type &type : checked->results) results += (results.empty() ? "" : ", ") + type.str();
      label = " -> " + (checked->results.size() > 1 ? "(" + results + ")" : results);
    }
    const checked::Effects *effects = view_.facts.effectsOf(def);
    bool host = def.name.text == "main";  // it reads and prints anyway
    if (effects && !effects->empty() && !def.effects && !host) {
      std::string list;
      for (const checked::Effect &effect : effects->all()) list += (list.empty() ? "" : ", ") + effect.str();
      label += " effects[" + list + "]";
    }
    if (label.empty()) return;
    constexpr size_t kMostBytes = 80;
    std::string tooltip = "Inferred: `" + label.substr(1) + "`";
    if (label.size() > kMostBytes) label = label.substr(0, label.rfind(',', kMostBytes)) + ", …";
    hints_.push_back({*end, label, tooltip});
  }

  const View &view_;
  Span range_;
  std::vector<InlayHint> hints_;
};

}  // namespace

std::optional<uint32_t> headEnd(const View &view, const ast::FuncDef &def) {
  std::string_view signature = view.text(def.span);
  int depth = 0;
  for (size_t i = def.name.span.end - def.span.begin; i < signature.size(); ++i) {
    char c = signature[i];
    if (c == '#') i = std::min(signature.find('\n', i), signature.size() - 1);
    else if (c == '"' || c == '\'') i = std::min(signature.find(c, i + 1), signature.size() - 1);
    else if (c == '(' || c == '[') ++depth;
    else if (c == ')' || c == ']') --depth;
    else if (c == ':' && depth == 0) return def.span.begin + static_cast<uint32_t>(i);
  }
  return std::nullopt;
}

std::vector<InlayHint> inlayHints(const View &view, Span range) {
  Hinter hinter(view, range);
  hinter.block(view.module.body);
  return hinter.take();
}

}  // namespace tessera::ide
