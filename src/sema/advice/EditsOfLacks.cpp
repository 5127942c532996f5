// Edits for what a call lacks: an axis, fields of a struct, what has the name of a parameter, the other part of a pair.
#include "sema/advice/CalleeParameters.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <map>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class LackEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::missingField: madeField(); break;
    case Id::argumentNotGiven: axisOfCall(), zeroOtherwise(), namedAlike(), bothOfTuple(), unreadInOrder(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 16;

  /// `x.repeat(3)`: the axis is missing.
  void axisOfCall() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || diagnostic_.message.find("`axis`") == std::string::npos) return;
    CandidateGroup &edits = group(true);
    for (const char *axis : {"0", "1", "2", "3"})
      insert(edits, call->span.end - 1, (call->arguments.empty() ? "" : ", ") + std::string(axis), "along axis " + std::string(axis));
  }

  /// `adamw(p, g, step, rate)` without `m, v`: what nothing reads yet, in the order of the parameters.
  void unreadInOrder() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !place_.function || !place_.names) return;
    std::vector<std::string> unread;
    for (const ast::Parameter &p : place_.function->parameters)
      if (auto use = place_.names->find(p.name.text); use != place_.names->end() && use->second.reads.empty()) unread.push_back(p.name.text);
    if (unread.size() < 2) return;
    std::string all;
    for (const std::string &name : unread) all += (all.empty() ? "" : ", ") + name;
    CandidateGroup &edits = group(true);
    for (size_t i = 0; i <= call->arguments.size() && edits.edits.size() < kMost; ++i) {
      const bool last = i == call->arguments.size();
      if (!last && call->arguments[i].keyword) break;
      if (!last) insert(edits, call->arguments[i].span.begin, all + ", ", "give it `" + all + "`");
      else insert(edits, call->span.end - 1, (i == 0 ? "" : ", ") + all, "give it `" + all + "`");
    }
  }

  /// `where(mask, x)`
  void zeroOtherwise() {
    auto *call = place_.innermost<ast::CallExpr>();
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    if (!call || nameOf(*call) != "where" || call->arguments.size() != 2 || call->arguments.back().value->kind != ast::ExprKind::Name) return;
    auto *compared = as<ast::CompareExpr>(call->arguments.front().value);
    const bool ofName = compared && compared->operands.front()->kind == ast::ExprKind::Name;  // `where(abs(x) < limit, x)`: x is it already
    const std::string value = ofName ? text(*compared->operands.front()) : "", given = text(call->arguments.back().span);
    if (!value.empty() && value != given) insert(edits, call->arguments.back().span.end, ", " + value, "and what is compared where it does not hold");
    insert(edits, call->arguments.back().span.end, ", 0.0", "and 0 where it does not hold");
  }

  /// `Layer(w)` of a struct that has `b: Tensor[O, f32]`, too: zeros of the shape that is declared. Which values were meant is for
  /// the author to say.
  void madeField() {
    auto *call = place_.innermost<ast::CallExpr>();
    const std::string name = call ? nameOf(*call) : "", missing = missingArgument();
    if (!call || !place_.function || place_.inKernel) return;
    auto own = place_.names ? place_.names->find(missing) : decltype(place_.names->end()){};
    if (place_.names && own != place_.names->end() && own->second.isBound())  // something of its name is there
      insert(group(false), call->span.end - 1, (call->arguments.empty() ? "" : ", ") + missing + "=" + missing, "give it `" + missing + "`");
    for (const ast::StmtPtr &stmt : place_.module->body) {
      auto *def = as<ast::StructDef>(stmt);
      if (!def || def->name.text != name) continue;
      std::map<std::string, std::string> sizes;  // what its dimensions are called in the result of the function
      auto *result = as<ast::SubscriptExpr>(place_.function->result);
      for (size_t i = 0; result && text(*result->object) == name && i < def->typeParameters.size() && i < result->items.size(); ++i)
        sizes[def->typeParameters[i].name.text] = text(result->items[i].span);
      std::set<std::string> before;  // the fields in front of it
      for (const ast::StmtPtr &part : def->body) {
        auto *field = as<ast::AnnAssignStmt>(part);
        if (!field) continue;
        if (text(*field->target) != missing) {
          before.insert(text(*field->target));
          continue;
        }
        std::string value = zerosOf(*field->annotation, sizes);
        CandidateGroup &edits = group(false);
        edits.assumes = edits.last = true;
        if (value.empty()) continue;
        auto behind = std::find_if(call->arguments.begin(), call->arguments.end(), [&](const ast::Argument &arg) { return arg.keyword && !before.count(arg.keyword->text); });
        if (behind == call->arguments.end()) insert(edits, call->span.end - 1, (call->arguments.empty() ? "" : ", ") + missing + "=" + value, "begin with zeros");
        else insert(edits, behind->span.begin, missing + "=" + value + ", ", "begin with zeros");
      }
    }
  }
  std::string zerosOf(const ast::Expr &annotation, const std::map<std::string, std::string> &sizes) const {
    auto *type = as<ast::SubscriptExpr>(&annotation);
    if (auto *dtype = as<ast::NameExpr>(&annotation)) {
      auto known = dtypeByName(dtype->name);
      return known ? isInt(*known) ? "0" : "0.0" : "";
    }
    if (!tensorType(&annotation)) return "";
    std::vector<std::string> shape;
    for (size_t i = 0; i < extentCount(*type); ++i) {
      auto it = sizes.find(text(type->items[i].span));
      shape.push_back(it == sizes.end() ? text(type->items[i].span) : it->second);
    }
    return EditWriter::zerosOf(*type, shape);
  }

  /// The parameters of what is called; none if its declaration is not known.
  std::vector<std::string> parametersOfCallee(const ast::CallExpr &call) const {
    std::vector<std::string> names;
    const std::vector<Signature> known = signaturesOf(nameOf(call), diagnostic_, place_, sources_);
    for (size_t i = 0; !known.empty() && i < known[0].size(); ++i) names.push_back(known[0][i].name);
    return names;
  }
  /// `adamw(p, g, step, rate)` where `m` and `v` are there: what has the name of a parameter goes to its place.
  void namedAlike() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !place_.names || isOfTile(*call)) return;
    const std::vector<std::string> parameters = parametersOfCallee(*call);
    std::set<std::string> given;
    for (const ast::Argument &arg : call->arguments) given.insert(arg.keyword ? arg.keyword->text : text(arg.span));
    std::vector<std::string> written;
    size_t next = 0;
    bool added = false;
    for (const std::string &name : parameters) {
      auto use = place_.names->find(name);
      const bool missing = name != parameters.front() && !given.count(name) && use != place_.names->end() && use->second.isBound() &&
                           (use->second.parameter || use->second.bindings.front()->span.end < call->span.begin);
      if (missing) written.push_back(name), added = true;
      else if (next < call->arguments.size() && !call->arguments[next].keyword) written.push_back(text(call->arguments[next++].span));
    }
    if (!added || call->arguments.empty()) return;
    for (; next < call->arguments.size(); ++next) written.push_back(text(call->arguments[next].span));
    std::string all;
    for (const std::string &arg : written) all += (all.empty() ? "" : ", ") + arg;
    CandidateGroup &edits = group(false);
    edits.assumes = std::find(written.begin(), written.end(), missingArgument()) == written.end();
    replace(edits, call->arguments.front().span.to(call->arguments.back().span), all, "give it what has the names of its parameters");
  }

  /// `x = batch(rng)`, which gives a pair, and `loss(x)`, which takes two: the pair is taken apart.
  void bothOfTuple() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !place_.names || call->arguments.empty()) return;
    const std::vector<std::string> parameters = parametersOfCallee(*call);
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : call->arguments) {
      auto *name = as<ast::NameExpr>(arg.value);
      auto use = name ? place_.names->find(name->name) : place_.names->end();
      if (use == place_.names->end() || use->second.parameter || use->second.bindings.size() != 1 || use->second.takenApart) continue;
      const std::string missing = missingArgument();
      if (missing.empty() || missing == name->name || (place_.names->count(missing) && place_.names->at(missing).isBound())) continue;
      const std::string both = name->name + ", " + missing;
      replaceAll(edits, {{use->second.bindings[0]->span, both}, {arg.span, both}}, "take the pair apart");
    }
  }
  std::string missingArgument() const {
    const std::string &said = diagnostic_.message;
    const size_t end = said.rfind('`'), begin = end == std::string::npos || end == 0 ? end : said.rfind('`', end - 1);
    return begin == std::string::npos ? "" : said.substr(begin + 1, end - begin - 1);
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfLacks(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return LackEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
