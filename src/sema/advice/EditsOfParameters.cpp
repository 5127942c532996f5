// Edits by the parameters of what is called: an argument that is given by its name, a name that is spelt as another library
// spells it, and what has the name of a parameter or is read nowhere else.
#include "sema/advice/CalleeParameters.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ParameterEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::noOverload:
    case Id::tooManyArguments:
    case Id::unknownKeyword:
    case Id::wrongArgument: break;
    default: return {};
    }
    call_ = callAround();
    if (!call_) return {};
    signatures_ = signaturesOf(nameOf(*call_), diagnostic_, place_, sources_);
    if (signatures_.empty()) return {};
    renamed(), givenByName(), otherName(), withoutKeyword();
    if (diagnostic_.id == Id::noOverload) namedAlike(), unreadInstead();
    return taken();
  }

private:
  static constexpr size_t kMost = 12;

  /// The call that the message is about: an argument may be a call, too.
  const ast::CallExpr *callAround() const {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      const bool isArgument = call && call->span == diagnostic_.span && diagnostic_.id != Id::noOverload;
      if (call && !isArgument) return call;
    }
    return nullptr;
  }
  bool isGiven(const std::string &name) const { return keyword(*call_, name) != nullptr; }
  bool isParameter(const std::string &name) const {
    for (const Signature &signature : signatures_)
      for (const CalleeParameter &p : signature)
        if (p.name == name) return true;
    return false;
  }
  /// Each parameter that is not given by its name, of all functions once.
  template <class Visit> void eachOpen(const Visit &visitParameter) const {
    std::set<std::string> seen;
    for (const Signature &signature : signatures_)
      for (const CalleeParameter &p : signature)
        if (!isGiven(p.name) && seen.insert(p.name).second) visitParameter(p);
  }

  /// `flash_attention(q, k, v, is_causal=True)`: the parameters whose names are in that one, or the other way round.
  void renamed() {
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : call_->arguments) {
      if (!arg.keyword || isParameter(arg.keyword->text)) continue;
      const std::string &given = arg.keyword->text;
      eachOpen([&](const CalleeParameter &p) {
        const bool alike = p.name.size() > 1 && (given.find(p.name) != std::string::npos || p.name.find(given) != std::string::npos);
        if (alike && edits.edits.size() < kMost) replace(edits, arg.keyword->span, p.name);
      });
    }
  }

  /// `rope(q, theta=500000.0)`: another parameter that fits, behind those that are given by their places.
  void otherName() {
    size_t byPlace = 0;
    for (const ast::Argument &arg : call_->arguments) byPlace += !arg.keyword;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    for (const ast::Argument &arg : call_->arguments) {
      if (!arg.keyword || isParameter(arg.keyword->text)) continue;
      for (const Signature &signature : signatures_)
        for (size_t i = byPlace; i < signature.size(); ++i)
          if (!isGiven(signature[i].name) && edits.edits.size() < kMost) replace(edits, arg.keyword->span, signature[i].name);
    }
  }

  /// `cross_entropy(z, y, reduction="mean")`: nothing of this kind is asked here. What it says may have been meant.
  void withoutKeyword() {
    if (diagnostic_.id != Id::unknownKeyword) return;
    CandidateGroup &edits = group(false);
    edits.assumes = edits.last = true;
    for (size_t i = 1; i < call_->arguments.size(); ++i)
      if (const ast::Argument &arg = call_->arguments[i]; arg.keyword && arg.keyword->span == diagnostic_.span)
        replace(edits, {arg.span.file, call_->arguments[i - 1].span.end, arg.span.end}, "", "leave `" + arg.keyword->text + "` out");
  }

  /// `flash_attention(q, k, v, True)`
  void givenByName() {
    CandidateGroup behindStar, others;
    for (const ast::Argument &arg : call_->arguments) {
      const ast::ExprKind kind = arg.value->kind;
      const bool plain = kind == ast::ExprKind::Bool || kind == ast::ExprKind::None || kind == ast::ExprKind::Int ||
                         kind == ast::ExprKind::Float || kind == ast::ExprKind::Name || kind == ast::ExprKind::String;
      if (arg.keyword || arg.stars || !plain) continue;
      eachOpen([&](const CalleeParameter &p) {
        CandidateGroup &edits = p.byName ? behindStar : others;
        if ((p.byName || (p.hasDefault && kind != ast::ExprKind::Name)) && edits.edits.size() < kMost)
          insert(edits, arg.span.begin, p.name + "=", "give `" + p.name + "` by its name");
      });
    }
    groups_.push_back(std::move(behindStar)), groups_.push_back(std::move(others));
  }

  bool isAtHand(const std::string &name) const {
    auto use = place_.names ? place_.names->find(name) : decltype(place_.names->end()){};
    if (!place_.names || use == place_.names->end() || !use->second.isBound()) return false;
    return use->second.parameter || use->second.bindings.front()->span.end < call_->span.begin;
  }

  /// `layernorm_safe(x, gamma)` where `beta` is there: all that a function lacks, if it is there by its name.
  void namedAlike() {
    CandidateGroup &edits = group(true);
    for (const Signature &signature : signatures_) {
      std::set<std::string> given;
      size_t byPlace = 0;
      for (const ast::Argument &arg : call_->arguments)
        if (given.insert(arg.keyword ? arg.keyword->text : text(arg.span)); !arg.keyword) ++byPlace;
      std::string more;
      bool all = true;
      for (size_t i = byPlace; i < signature.size(); ++i) {
        const CalleeParameter &p = signature[i];
        if (p.hasDefault || given.count(p.name)) continue;
        all &= isAtHand(p.name);
        more += ", " + (p.byName ? p.name + "=" : "") + p.name;
      }
      if (all && !more.empty() && !call_->arguments.empty())
        insert(edits, call_->arguments.back().span.end, more, "give it what has the names of its parameters");
    }
  }

  /// `layernorm_safe(x, D)`, where nothing reads the weights yet: they stand for the argument, or behind the others.
  void unreadInstead() {
    if (!place_.names || !place_.function || call_->arguments.empty()) return;
    std::string all;
    for (const ast::Parameter &p : place_.function->parameters)
      if (auto use = place_.names->find(p.name.text); use != place_.names->end() && use->second.reads.empty())
        all += (all.empty() ? "" : ", ") + p.name.text;
    if (all.empty()) return;
    CandidateGroup behind, instead;
    insert(behind, call_->arguments.back().span.end, ", " + all, "give it `" + all + "`, which nothing reads yet");
    for (const ast::Argument &arg : call_->arguments)
      if (!arg.keyword && !arg.stars) replace(instead, arg.span, all, "give it `" + all + "`, which nothing reads yet");
    groups_.push_back(std::move(behind)), groups_.push_back(std::move(instead));
  }

  const ast::CallExpr *call_ = nullptr;
  std::vector<Signature> signatures_;
};

}  // namespace

std::vector<CandidateGroup> editsOfParameters(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return ParameterEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
