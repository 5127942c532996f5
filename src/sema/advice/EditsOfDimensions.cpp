// Edits of types whose dimensions cannot all be found: one that no parameter has belongs into one of their types.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class DimensionEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (diagnostic_.id == Id::unboundDimension && place_.outermost) missingDimension();
    for (CandidateGroup &group : groups_) group.ofSignature = true;
    return taken();
  }

private:
  static constexpr size_t kMost = 12;

  /// The types of the parameters, or of the fields of a struct.
  std::vector<const ast::SubscriptExpr *> types() const {
    std::vector<const ast::SubscriptExpr *> found;
    auto add = [&](const ast::Expr *annotation) {
      if (const ast::SubscriptExpr *type = tensorType(annotation)) found.push_back(type);
    };
    if (auto *def = as<ast::StructDef>(place_.outermost); def && !place_.function) {
      for (const ast::StmtPtr &stmt : def->body)
        if (auto *field = as<ast::AnnAssignStmt>(stmt)) add(field->annotation.get());
      return found;
    }
    auto *def = place_.function ? place_.function : as<ast::FuncDef>(place_.outermost);
    for (size_t i = 0; def && i < def->parameters.size(); ++i) add(def->parameters[i].annotation.get());
    return found;
  }

  /// `Tensor[M, M]` where `N` is missing, then `Tensor[M]`.
  void missingDimension() {
    const std::string name = text(diagnostic_.span);
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    if (!plain) return;
    CandidateGroup twice, more;
    for (const ast::SubscriptExpr *type : types()) {
      const std::vector<std::string> extents = extentTexts(*type);
      for (size_t i = extents.size(); i-- > 0;)
        if (std::count(extents.begin(), extents.end(), extents[i]) > 1 && twice.edits.size() < kMost)
          replace(twice, type->items[i].span, name, "declare `" + name + "` here");
      const Span all = extentsSpan(*type);
      if (more.edits.size() + 1 >= kMost) continue;
      insert(more, all.begin, name + ", ", "declare `" + name + "` here");
      insert(more, all.end, ", " + name, "declare `" + name + "` here");
    }
    groups_.push_back(std::move(twice)), groups_.push_back(std::move(more));
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfDimensions(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return DimensionEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
