// What is declared: the extents, the order of the axes and the dtypes of parameters, results and fields.
#include "sema/advice/GuessWriter.h"

namespace tessera::sema {

using ast::as;

namespace {

class HeadGuesses : public GuessWriter {
public:
  using GuessWriter::GuessWriter;

  void collect() {
    headOf(*place_.function, Reach::Head);
    computed();
    std::set<std::string> mentioned;
    auto note = [&](const ast::Expr &part) {
      if (auto *name = as<ast::NameExpr>(&part)) mentioned.insert(name->name);
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, note);
    if (diagnostic_.id == diag::Id::contractionMismatch) eachInPlay(note);  // `k = x @ p.w` in front of it
    for (const ast::Parameter &p : place_.function->parameters)
      if (p.annotation && mentioned.count(p.name.text)) visit(*p.annotation, note);
    for (const ast::StmtPtr &stmt : place_.module->body) {
      if (auto *def = as<ast::FuncDef>(stmt); def && def != place_.function && mentioned.count(def->name.text)) headOf(*def, Reach::Elsewhere);
      if (auto *def = as<ast::StructDef>(stmt); def && mentioned.count(def->name.text)) fieldsOf(*def);
    }
  }

private:
  void headOf(const ast::FuncDef &def, Reach reach) {
    reach_ = reach;
    std::set<std::string> dims;
    for (const ast::TypeParameter &t : def.typeParameters) dims.insert(t.name.text);
    for (const ast::Parameter &p : def.parameters)
      if (p.annotation) typeOf(*p.annotation, dims);
    if (def.result) typeOf(*def.result, dims);
  }
  void fieldsOf(const ast::StructDef &def) {
    reach_ = Reach::Elsewhere;
    std::set<std::string> dims;
    for (const ast::TypeParameter &t : def.typeParameters) dims.insert(t.name.text);
    for (const ast::StmtPtr &stmt : def.body)
      if (auto *field = as<ast::AnnAssignStmt>(stmt); field && field->annotation) typeOf(*field->annotation, dims);
  }

  void typeOf(const ast::Expr &type, const std::set<std::string> &dims) {
    visit(type, [&](const ast::Expr &part) {
      auto *list = as<ast::SubscriptExpr>(&part);
      if (list && !list->items.empty()) extentsOf(*list, dims);
      auto *scalar = as<ast::NameExpr>(&part);
      if (scalar && dtypeByName(scalar->name) && !choosesByCondition())  // what a condition chooses is no matter of its dtype
        for (const char *other : {"f32", "bf16", "f16", "i32", "i64", "bool"}) add(Operator::DeclareType, scalar->span, other, "declare this dtype");
    });
  }
  void extentsOf(const ast::SubscriptExpr &type, const std::set<std::string> &dims) {
    const size_t count = extentCount(type);
    const std::vector<Span> spans = [&] {
      std::vector<Span> found = argumentSpans(type.items);
      found.resize(count);
      return found;
    }();
    const bool isTensor = text(*type.object) == "Tensor";
    exchangeAll(Operator::DeclareOrder, spans);
    rotate(Operator::DeclareOrder, spans, "declare the axes in this order");
    for (size_t i = 0; i < count; ++i) {
      const std::string own = text(spans[i]);
      for (const std::string &dim : dims)
        if (dim != own) add(Operator::DeclareDimension, spans[i], dim, "declare the extent that is needed");
      for (const std::string &number : numbers_) add(Operator::DeclareDimension, spans[i], number, "declare the extent that is needed");
      for (const std::string &extent : extents_)
        if (extent != own) add(Operator::DeclareExtent, spans[i], extent, "declare the extent that is needed");
      if (!isTensor) continue;
      if (count > 1) without(Operator::DeclareShorter, argumentSpans(type.items), i);
      for (const std::string &dim : dims) add(Operator::DeclareLonger, {spans[i].file, spans[i].begin, spans[i].begin}, dim + ", ", "declare one more axis");
    }
    if (!isTensor || count == 0) return;
    for (const std::string &dim : dims) add(Operator::DeclareLonger, {spans.back().file, spans.back().end, spans.back().end}, ", " + dim, "declare one more axis");
    add(Operator::DeclareScalar, type.span, dtypeText(type), "declare one number");
    if (count == type.items.size())
      for (const char *dtype : {"i32", "i64", "bool", "bf16", "f16"}) add(Operator::DeclareType, {type.span.file, type.items.back().span.end, type.items.back().span.end}, std::string(", ") + dtype, "declare this dtype");
  }

  /// What is returned, as the message says it.
  void computed() {
    auto *result = declaredTensor();
    const bool scalar = !result && place_.function->result && place_.function->result->kind == ast::ExprKind::Name;
    if ((!result && !scalar) || diagnostic_.id != diag::Id::wrongResult) return;
    reach_ = Reach::Head;
    for (const std::vector<std::string> &shape : shapesSaid()) {
      if (shape.empty()) continue;
      std::vector<std::string> written;
      for (const std::string &extent : shape) written.push_back(asWritten(extent));
      const std::string shown = listOf(written);
      if (result) add(Operator::DeclareComputed, extentsSpan(*result), shown, "declare what is returned");
      else add(Operator::DeclareComputed, place_.function->result->span, "Tensor[" + shown + ", " + text(*place_.function->result) + "]", "declare what is returned");
    }
  }
};

}  // namespace

std::vector<Guess> guessesOfHeads(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  HeadGuesses heads(diagnostic, place, sources);
  heads.collect();
  return heads.taken();
}

}  // namespace tessera::sema
