// Edits by what else a function has in scope: the names that a tuple lacks, another name that has the member, fits the index
// or is called like the parameter.
#include "sema/Builtins.h"
#include "sema/advice/CalleeParameters.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>
#include <cstdlib>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ScopeEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.names || !place_.expr() || !place_.function) return {};
    switch (diagnostic_.id) {
    case Id::undefinedName: missingOfTuple(); break;
    case Id::unknownAttribute: otherOwner(); break;
    case Id::wrongArgument: missingOfTuple(), streamOfSeed(), calledLikeParameter(), otherIndex(); break;
    case Id::badOperand: missingTensor(), missingOfTuple(); break;
    case Id::wrongResult: missingOfTuple(), otherWrt(); break;
    case Id::unpackCount: missingOfTuple(); break;
    case Id::dtypeMismatch: ofLabels(); break;
    case Id::contractionMismatch: exchangedFactors(), calledLikeParameter(); break;
    case Id::broadcastFails: ofLabels(), otherWrt(), calledLikeParameter(); break;
    case Id::shapeMismatch:
    case Id::rankMismatch: otherWrt(), calledLikeParameter(); break;
    case Id::badReshape: missingSize(); break;
    case Id::badConstant: missingAxis(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 12;

  /// The names that the function reads and nothing gives a value, in the order in which they are read first.
  std::vector<std::string> unknownNames() const {
    std::vector<std::pair<uint32_t, std::string>> found;
    std::set<std::string> called;  // a function is read, too
    visitBody(*place_.function, [&](const ast::Expr &part) {
      if (auto *call = as<ast::CallExpr>(&part)) called.insert(nameOf(*call));
    });
    for (const auto &[name, use] : *place_.names)
      if (!use.isBound() && !use.reads.empty() && !called.count(name) && !isKnown(name)) {
        uint32_t first = use.reads[0]->span.begin;
        for (const ast::NameExpr *read : use.reads) first = std::min(first, read->span.begin);
        found.emplace_back(first, name);
      }
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (auto &[at, name] : found) names.push_back(std::move(name));
    return names;
  }
  bool isKnown(const std::string &name) const {
    if (builtinByName(name, 'P') || dtypeByName(name) || dimensions().count(name) || name == "tile" || name == "ts") return true;
    bool known = false;
    for (const ast::Parameter &p : place_.function->parameters)  // `heads: Const[H]`, `x: Tensor["B"]`
      if (p.annotation)
        visit(*p.annotation, [&](const ast::Expr &part) {
          auto *quotedName = as<ast::StringExpr>(&part);
          auto *plain = as<ast::NameExpr>(&part);
          known |= (quotedName && quotedName->value == name) || (plain && plain->name == name);
        });
    for (const ast::StmtPtr &stmt : place_.module->body) {
      if (auto *def = as<ast::FuncDef>(stmt)) known |= def->name.text == name;
      else if (auto *made = as<ast::StructDef>(stmt)) known |= made->name.text == name;
      else if (auto *assign = as<ast::AssignStmt>(stmt))
        visit(*assign->targets[0], [&](const ast::Expr &part) { known |= as<ast::NameExpr>(&part) && text(part) == name; });
      else if (auto *import = as<ast::ImportStmt>(stmt)) known |= imports(import->items, name);
      else if (auto *from = as<ast::FromImportStmt>(stmt)) known |= from->star || imports(from->items, name);
    }
    return known;
  }

  static bool imports(const std::vector<ast::ImportItem> &items, const std::string &name) {
    return std::any_of(items.begin(), items.end(), [&](const ast::ImportItem &item) {
      return item.alias ? item.alias->text == name : !item.path.empty() && item.path.front().text == name;
    });
  }

  /// `m = tile.origin()`, and `n` is read: what the call gives is taken apart, the unknown names get the rest.
  void missingOfTuple() {
    const std::vector<std::string> names = unknownNames();
    constexpr size_t kMostNames = 3;
    if (names.empty() || names.size() > kMostNames) return;
    const std::string rest = listOf(names);
    std::set<std::string> indexed;  // `g[0]`: it is to stay a tuple
    visitBody(*place_.function, [&](const ast::Expr &part) {
      if (auto *subscript = as<ast::SubscriptExpr>(&part)) indexed.insert(text(*subscript->object));
    });
    CandidateGroup behind, before;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      if (!assign || assign->targets.size() != 1 || assign->value->kind != ast::ExprKind::Call) continue;
      if (stmt->span.begin > diagnostic_.span.begin) break;
      const ast::Expr &target = *assign->targets[0];
      if (target.kind != ast::ExprKind::Name && target.kind != ast::ExprKind::Tuple) continue;
      if (indexed.count(text(target))) continue;
      replace(behind, target.span, text(target) + ", " + rest, "take apart what it gives");
      if (target.kind == ast::ExprKind::Name) replace(before, target.span, rest + ", " + text(target), "take apart what it gives");
    }
    groups_.push_back(std::move(behind)), groups_.push_back(std::move(before));
  }

  /// What is bound in front of the message, the names that stand for the sizes of a schedule first.
  std::vector<std::string> boundBefore() const {
    std::vector<std::string> sizes, others;
    for (const auto &[name, use] : *place_.names) {
      bool before = use.parameter != nullptr;
      for (const ast::NameExpr *binding : use.bindings) before |= binding->span.end <= diagnostic_.span.begin;
      if (!before || name[0] == '_') continue;
      auto *call = as<ast::CallExpr>(place_.valueOf(name));
      (call && nameOf(*call) == "context" ? sizes : others).push_back(name);
    }
    sizes.insert(sizes.end(), others.begin(), others.end());
    if (sizes.size() > kMost) sizes.resize(kMost);
    return sizes;
  }

  /// `A.k` for `T.k`: another name of the function has it.
  void otherOwner() {
    auto *member = place_.innermost<ast::AttributeExpr>();
    auto *owner = member ? as<ast::NameExpr>(member->object) : nullptr;
    auto it = owner ? place_.names->find(owner->name) : place_.names->end();
    if (it == place_.names->end() || !it->second.isBound()) return;
    CandidateGroup &edits = group(true);
    for (const std::string &name : boundBefore())
      if (name != owner->name) replace(edits, owner->span, name, "`" + name + "` has it");
  }

  /// `loss(w, x, x)` for `loss(w, x, y)`, whose third parameter is `y`.
  void calledLikeParameter() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    auto *made = as<ast::CallExpr>(call->callee);  // `grad(loss, wrt="w")(w, x, x)`
    auto *inner = made && !made->arguments.empty() ? as<ast::NameExpr>(made->arguments[0].value) : nullptr;
    const std::vector<Signature> known = signaturesOf(inner ? inner->name : nameOf(*call), diagnostic_, place_, sources_);
    CandidateGroup &edits = group(true);
    for (size_t i = 0; !known.empty() && i < std::min(call->arguments.size(), known[0].size()); ++i) {
      const ast::Argument &arg = call->arguments[i];
      const std::string &name = known[0][i].name;
      auto it = place_.names->find(name);
      bool bound = it != place_.names->end() && it->second.isBound();
      const bool given = std::any_of(call->arguments.begin(), call->arguments.end(),
                                     [&](const ast::Argument &other) { return text(other.value->span) == name; });
      if (arg.value->kind == ast::ExprKind::Name && !arg.keyword && !arg.stars && bound && !given)
        replace(edits, arg.span, name, "give `" + name + "` for `" + name + "`");
    }
  }

  /// `transpose(-2, -1)`: the tensor that it is of, one that nothing reads yet first.
  void missingTensor() {
    auto *call = as<ast::CallExpr>(place_.expr());
    auto *callee = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if (!callee || call->arguments.empty() || !axisNumber(call->arguments[0].value.get())) return;
    CandidateGroup unread, read;
    for (const std::string &name : boundBefore()) {
      const NameUse &use = place_.names->at(name);
      insert(use.reads.empty() ? unread : read, call->arguments[0].span.begin, name + ", ", "give it `" + name + "`");
    }
    groups_.push_back(std::move(unread)), groups_.push_back(std::move(read));
  }

  /// `start(seed)` of a function that takes a stream.
  void streamOfSeed() {
    const ast::Expr &e = *place_.expr();
    const bool number = e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Int;
    if (number && diagnostic_.message.find("expects a stream") != std::string::npos && diagnostic_.message.find("an integer") != std::string::npos)
      replace(group(false), e.span, "Rng(" + text(e) + ")", "make a stream of the seed");
  }

  /// `grad(loss, wrt="x")`, whose result has the shape of another parameter.
  void otherWrt() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *wrt = call ? keyword(*call, "wrt") : nullptr;
      auto *name = wrt ? as<ast::StringExpr>(wrt->value) : nullptr;
      auto *loss = name && !call->arguments.empty() ? as<ast::NameExpr>(call->arguments[0].value) : nullptr;
      if (!loss) return;
      for (const Signature &known : signaturesOf(loss->name, diagnostic_, place_, sources_))
        for (const CalleeParameter &p : known)
          if (p.name != name->value && edits.edits.size() < kMost)
            replace(edits, name->span, "\"" + p.name + "\"", "differentiate by `" + p.name + "`");
    });
  }

  /// Whether a parameter is part of an operand here: it is what is computed with, and no label of it.
  bool isBeside(const std::string &name) const {
    bool found = false;
    for (const ast::Expr *operand : operandsAt(place_))
      visit(*operand, [&](const ast::Expr &part) { found |= &part != operand && as<ast::NameExpr>(&part) && text(part) == name; });
    return found;
  }
  /// Whether what is in play was taken by these labels already: `k = take(x, near)`.
  bool isTaken(const std::string &labels) const {
    bool found = false;
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const size_t at = call && nameOf(*call) == "embedding" ? 0 : 1;  // where they stand
      const bool takes = call && (nameOf(*call) == "take" || nameOf(*call) == "embedding");
      found |= takes && call->arguments.size() > at && text(call->arguments[at].span) == labels;
    });
    return found;
  }
  /// The dimensions that may count classes: labels have an extent of their own.
  std::set<std::string> classesBeside(const ast::SubscriptExpr &labels) const {
    std::set<std::string> dims = dimensions();
    for (const std::string &extent : extentTexts(labels)) dims.erase(extent);
    return dims;
  }
  /// `rows * weight` of a weight for each class, `mse(p, y)` of labels: a class has its own number, or its own column.
  void ofLabels() {
    if (place_.inKernel || place_.expr()->kind == ast::ExprKind::Compare) return;  // what is compared with labels is one of them
    CandidateGroup rows, columns;
    for (const ast::Parameter &labels : place_.function->parameters) {
      const ast::SubscriptExpr *type = tensorType(labels.annotation.get());
      auto dtype = type ? dtypeByName(dtypeText(*type)) : std::nullopt;
      if (!dtype || !isInt(*dtype) || isBeside(labels.name.text) || isTaken(labels.name.text)) continue;
      for (const ast::Expr *operand : operandsAt(place_)) {
        if (operand->kind != ast::ExprKind::Name && operand->kind != ast::ExprKind::Attribute) continue;
        if (text(*operand) != labels.name.text)
          replace(rows, operand->span, "take(" + text(*operand) + ", " + labels.name.text + ")", "take that of each label");
        else
          for (const std::string &dim : classesBeside(*type))
            replace(columns, operand->span, "one_hot(" + labels.name.text + ", " + dim + ")", "a column for each class");
      }
    }
    rows.assumes = columns.assumes = true;  // that it fits says nothing of what was meant
    groups_.push_back(std::move(rows)), groups_.push_back(std::move(columns));
  }

  /// `w @ x` for `x @ w`: an operand that is turned around besides would be one thing more. A rotation from the left, `r @ p` of [3, 3]
  /// and of points in rows, is `p @ r.T`.
  void exchangedFactors() {
    auto *product = as<ast::BinaryExpr>(place_.expr());
    if (!product || product->op != ast::BinaryOp::MatMul || place_.inKernel) return;
    for (const ast::Expr *operand : {product->left.get(), product->right.get()})  // rather it was turned around once too often
      if (text(*operand).ends_with(".T") || text(*operand).find("transpose") != std::string::npos) return;
    auto factor = [&](const ast::Expr &e) { return e.kind == ast::ExprKind::Binary ? "(" + text(e) + ")" : text(e); };
    const auto said = shapesSaid();
    const bool isNumber = !said.empty() && said[0].size() == 2 && said[0][0].find_first_not_of("0123456789") == std::string::npos;
    if (isNumber && said.size() == 2 && said[0][0] == said[0][1] && said[1].size() == 2 && said[1][1] == said[0][0])
      replace(group(false), product->span, factor(*product->right) + " @ " + asPrimary(*product->left) + ".T", "exchange them, and turn the second around");
    replace(group(false), product->span, factor(*product->right) + " @ " + factor(*product->left), "exchange them");
  }

  /// `x.reshape(S, H, D // H)` of `[B, S, D]`: an extent that none of the sizes mentions, at each place.
  void missingSize() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "reshape" || call->arguments.empty()) return;
    const size_t first = as<ast::AttributeExpr>(call->callee) && !isOfTile(*call) ? 0 : 1;
    if (first >= call->arguments.size()) return;
    const std::string sizes = text(call->arguments[first].span.to(call->arguments.back().span)), &said = diagnostic_.message;
    CandidateGroup &edits = group(true);
    for (const std::string &dim : dimensions()) {
      auto isWord = [&](const std::string &in) {
        for (size_t at = in.find(dim); at != std::string::npos; at = in.find(dim, at + 1)) {
          auto part = [&](size_t i) { return i < in.size() && (std::isalnum(static_cast<unsigned char>(in[i])) || in[i] == '_'); };
          if (!(at > 0 && part(at - 1)) && !part(at + dim.size())) return true;
        }
        return false;
      };
      if (isWord(sizes) || !isWord(said)) continue;
      for (size_t i = first; i < call->arguments.size() && edits.edits.size() < kMost; ++i)
        insert(edits, call->arguments[i].span.begin, dim + ", ", "keep `" + dim + "`");
    }
  }

  /// `y.permute(0, 2, 1, 3, 5)` of 6 axes, `transpose(k, -1)`: what is missing, at each place.
  void missingAxis() {
    auto *call = place_.innermost<ast::CallExpr>();
    const std::string &said = diagnostic_.message;
    const size_t of = said.find("needs each of the "), axes = said.find(" axes once");
    if (!call || of == std::string::npos || axes == std::string::npos) return;
    const long count = std::strtol(said.c_str() + of + 18, nullptr, 10);
    std::vector<const ast::Argument *> given;
    std::set<long> there;
    bool negative = false;
    for (const ast::Argument &arg : call->arguments)
      if (std::optional<int64_t> axis = axisNumber(arg.value.get()); axis && !arg.keyword) {
        given.push_back(&arg);
        negative |= *axis < 0;
        there.insert(*axis < 0 ? *axis + count : *axis);
      }
    CandidateGroup &edits = group(true);
    for (long axis = count - 1; axis >= 0 && !given.empty(); --axis) {
      if (there.count(axis)) continue;
      const std::string shown = std::to_string(negative ? axis - count : axis);
      for (size_t i = 0; i <= given.size() && edits.edits.size() < kMost; ++i)
        if (i < given.size()) insert(edits, given[i]->span.begin, shown + ", ", "say where axis " + shown + " goes");
        else insert(edits, given.back()->span.end, ", " + shown, "say where axis " + shown + " goes");
    }
  }

  /// `y[y]`, `A[acc:acc + T.m]`: a name that is a number here.
  void otherIndex() {
    auto *name = as<ast::NameExpr>(place_.expr());
    const bool ofIndex = diagnostic_.message.rfind("an index expects an integer", 0) == 0;
    const bool tuple = diagnostic_.message.find("this is a tuple") != std::string::npos;
    if (!name || !ofIndex || tuple) return;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    auto *slice = place_.innermost<ast::SliceExpr>();
    for (const std::string &other : boundBefore()) {
      auto it = place_.names->find(other);
      if (other == name->name || it->second.parameter) continue;
      if (!slice) replace(edits, name->span, other, "`" + other + "` is a number");
      std::vector<std::pair<Span, std::string>> parts;  // where a slice begins with it and ends behind it
      if (slice)
        visit(*slice, [&](const ast::Expr &part) {
          if (as<ast::NameExpr>(&part) && text(part) == name->name) parts.emplace_back(part.span, other);
        });
      replaceAll(edits, parts, "`" + other + "` is a number");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfScope(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return ScopeEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
