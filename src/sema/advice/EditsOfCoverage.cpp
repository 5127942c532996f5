// Edits for outputs that a kernel does not write as a whole: groups that are not counted, lanes of one group alone.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class CoverageEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.inKernel) return {};
    if (diagnostic_.id == Id::unwrittenOutput || diagnostic_.id == Id::writtenTwice) groupsReached(), otherExtent(), placeInGroup(), lanesOfAll();
    return taken();
  }

private:
  /// `grid=(N // 256,)`, whose last group is missing.
  void groupsReached() {
    CandidateGroup &edits = group(true);
    for (const ast::Decorator &decorator : place_.function->decorators)
      visit(*decorator.expression, [&](const ast::Expr &part) {
        auto *division = as<ast::BinaryExpr>(&part);
        if (division && division->op == ast::BinaryOp::FloorDiv)
          replace(edits, division->span, "cdiv(" + text(*division->left) + ", " + text(*division->right) + ")",
                  "count the group of what is left, too");
      });
  }

  /// `i = tile.group_id(0) * 128` of a group of 128 lanes: each of them has a place of its own.
  void placeInGroup() {
    std::string lanes;
    for (const ast::Decorator &decorator : place_.function->decorators)
      if (auto *call = as<ast::CallExpr>(decorator.expression))
        if (const ast::Argument *given = keyword(*call, "group")) lanes = text(*given->value);
    CandidateGroup &edits = group(true);
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *product = assign ? as<ast::BinaryExpr>(assign->value) : nullptr;
      auto *groups = product && product->op == ast::BinaryOp::Mul && text(*product->right) == lanes ? as<ast::CallExpr>(product->left) : nullptr;
      auto *method = groups ? as<ast::AttributeExpr>(groups->callee) : nullptr;
      if (method && method->attribute.text == "group_id") insert(edits, product->span.end, " + " + text(*method->object) + ".local_id(0)", "add the place of the lane");
    }
  }

  /// `grid=(cdiv(N, 64), cdiv(N, 32))` of [N, M]: a dimension that the grid counts twice stands for one that it does not count.
  void otherExtent() {
    std::vector<const ast::NameExpr *> counted;
    const std::set<std::string> dims = dimensions();
    std::set<std::string> seen;
    for (const ast::Decorator &decorator : place_.function->decorators)
      visit(*decorator.expression, [&](const ast::Expr &part) {
        auto *name = as<ast::NameExpr>(&part);
        if (name && dims.count(name->name)) counted.push_back(name), seen.insert(name->name);
      });
    CandidateGroup &edits = group(true);
    for (auto name = counted.rbegin(); name != counted.rend(); ++name)
      for (const std::string &dim : dims)
        if (!seen.count(dim)) replace(edits, (*name)->span, dim, "count the groups of `" + dim + "`");
  }

  /// `i = tile.local_id()` of several groups.
  void lanesOfAll() {
    bool countsGroups = false;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *member = as<ast::AttributeExpr>(&part);
      countsGroups |= member && member->attribute.text == "group_id";
    });
    if (countsGroups) return;
    CandidateGroup &edits = group(true);
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto *callee = call && isOfTile(*call) ? as<ast::AttributeExpr>(call->callee) : nullptr;
      if (callee && callee->attribute.text == "local_id" && call->arguments.empty())
        replace(edits, callee->attribute.span, "linear_id", "count the lanes of all groups");
    });
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfCoverage(const diag::Diagnostic &diagnostic, const Place &place,
                                            const Sources &sources) {
  return CoverageEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
