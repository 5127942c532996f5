// What finders of edits have in common. Private to this folder.
#pragma once
#include "sema/advice/Candidates.h"
#include <string>
#include <utility>
#include <vector>

namespace tessera::sema {

class EditFinder {
public:
  EditFinder(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources)
      : diagnostic_(diagnostic), place_(place), sources_(sources) {}

protected:
  CandidateGroup &group(bool onlyIfUnique) {
    groups_.push_back({{}, onlyIfUnique});
    return groups_.back();
  }
  std::string text(Span span) const { return std::string(sources_.text(span)); }
  void replace(CandidateGroup &group, Span span, std::string by, std::string title = {}) {
    if (title.empty()) title = "write `" + by + "`";
    group.edits.push_back({span, std::move(by), std::move(title), diag::Applicability::Suggestion});
  }
  void insert(CandidateGroup &group, uint32_t at, std::string what, std::string title) {
    group.edits.push_back({{diagnostic_.span.file, at, at},
                           std::move(what),
                           std::move(title),
                           diag::Applicability::Suggestion});
  }
  /// The operand as something that may stand in front of `.` or `[`.
  std::string asPrimary(const ast::Expr &e) const {
    std::string shown = text(e.span);
    bool primary = e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Attribute ||
                   e.kind == ast::ExprKind::Call || e.kind == ast::ExprKind::Subscript;
    return primary ? shown : "(" + shown + ")";
  }

  const diag::Diagnostic &diagnostic_;
  const Place &place_;
  const Sources &sources_;
  std::vector<CandidateGroup> groups_;
};

/// Edits for what stands in another order, or is one too many or too few. (EditsOfOrder.cpp)
std::vector<CandidateGroup> editsOfOrder(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// Edits for habits from Python's libraries, C, CUDA and Triton. (ForeignCandidates.cpp)
std::vector<CandidateGroup> foreignCandidates(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);

}  // namespace tessera::sema
