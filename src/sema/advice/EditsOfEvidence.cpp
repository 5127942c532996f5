// Edits for which the function itself speaks: a parameter that nothing reads, the extents and the dtype that it declares.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>
#include <utility>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class EvidenceEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement || !place_.names || !place_.module) return {};
    elementsOfTurns();
    switch (diagnostic_.id) {
    case Id::undefinedName:
      if (!isMisspelt()) unreadNames();
      break;
    case Id::indexShape: lookedUp(); break;
    case Id::einsumExtent:
    case Id::factRefuted:
    case Id::wrongArgument:
    case Id::dtypeMismatch: unreadNames(); break;
    case Id::badOperand: unreadNames(), axesOfCalls(); break;
    case Id::wrongResult: unreadNames(), declaredBounds(), axesOfCalls(), joinedAxes(); break;
    case Id::rankMismatch: unreadNames(), axesOfCalls(); break;
    case Id::contractionMismatch: unreadNames(), declaredBounds(), joinedAxes(); break;
    case Id::broadcastFails:
    case Id::shapeMismatch: lookedUp(), unreadNames(), declaredBounds(); break;
    case Id::badReshape: unreadNames(), sizesOfReshape(); break;
    case Id::argumentNotGiven: declaredDType(), smallNumbers(); break;
    default: break;
    }
    return taken();
  }

private:
  /// A name like it is offered already.
  bool isMisspelt() const {
    return std::any_of(diagnostic_.notes.begin(), diagnostic_.notes.end(), [](const diag::Note &note) { return note.text.starts_with("did you mean `"); });
  }

  static constexpr size_t kMost = 12;

  void add(CandidateGroup &edits, Span span, const std::string &by, const std::string &title = {}) {
    if (by != text(span) && edits.edits.size() < kMost) replaceOnce(edits, span, by, title);
  }

  /// The names that have a value here and that nothing reads, but perhaps a store into them.
  std::vector<std::string> unread() const {
    const std::set<std::string> dims = dimensions();
    std::vector<std::string> found;
    for (const auto &[name, use] : *place_.names) {
      bool before = use.parameter != nullptr;
      for (const ast::NameExpr *binding : use.bindings) before |= binding->span.end <= place_.statement->span.begin;
      const bool stored = std::all_of(use.reads.begin(), use.reads.end(), [&](const ast::NameExpr *read) { return isStoredInto(*read); });
      auto *type = use.parameter ? as<ast::SubscriptExpr>(use.parameter->annotation) : nullptr;
      const bool givesSize = type && text(*type->object) == "Const";
      const bool isResult = place_.inKernel && use.parameter && !use.reads.empty();  // what a kernel stores into, its caller reads
      if (before && stored && !isResult && !givesSize && !use.takenApart && name[0] != '_' && !dims.count(name)) found.push_back(name);
    }
    return found;
  }
  /// Whether a name stands in the target of an assignment, `out[t] = h`.
  bool isStoredInto(const ast::NameExpr &name) const {
    bool stored = false;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      auto *item = assign ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
      stored |= item && item->object.get() == &name;
    });
    return stored;
  }

  /// `mse(x, x)` where nothing reads `y`, `return h` where `out` was filled.
  void unreadNames() {
    CandidateGroup &edits = group(true);
    edits.assumes = true;  // what was forgotten may have been meant elsewhere
    const std::vector<std::string> others = unread();
    if (others.empty()) return;
    std::set<const ast::Expr *> callees;
    auto each = [&](const ast::Expr &part) {
      if (auto *call = as<ast::CallExpr>(&part)) callees.insert(call->callee.get());
      auto *name = as<ast::NameExpr>(&part);
      if (!name || callees.count(name)) return;
      auto own = place_.names->find(name->name);
      const bool isMeant = name->span == diagnostic_.span && diagnostic_.id == Id::undefinedName;
      if (own == place_.names->end() || (!isMeant && !own->second.isBound())) return;
      if (!isMeant && own->second.reads.size() < 2 && !own->second.parameter && as<ast::ReturnStmt>(place_.statement) == nullptr) return;
      for (const std::string &other : others)
        if (other != name->name) add(edits, name->span, other, "write `" + other + "`, which nothing reads yet");
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, each);
  }

  /// `index_add(y, to, x)` where nothing reads `from: Tensor[E, i32]`: the rows of `x` that it names.
  void lookedUp() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const std::string &other : unread()) {
      auto use = place_.names->find(other);
      const ast::SubscriptExpr *type = use->second.parameter ? tensorType(use->second.parameter->annotation.get()) : nullptr;
      auto dtype = type ? dtypeByName(dtypeText(*type)) : std::nullopt;
      if (!dtype || !isInt(*dtype)) continue;
      for (const ast::Expr *operand : operandsAt(place_)) {
        const ast::SubscriptExpr *own = tensorTypeOf(operand);
        const std::string made = "take(" + text(*operand) + ", " + other + ")";
        if (own && isFloat(dtypeByName(dtypeText(*own)).value_or(DType::Bool))) add(edits, operand->span, made, "take those that `" + other + "` names, which nothing reads yet: `" + made + "`");
      }
    }
  }

  /// `h @ p.w` in a loop over layers: each turn takes the layer that it counts. Sure only where nothing reads the counter.
  void elementsOfTurns() {
    static const std::set<Id> ofShapes = {Id::redefinedType, Id::wrongArgument, Id::contractionMismatch, Id::rankMismatch,
                                          Id::shapeMismatch, Id::broadcastFails, Id::wrongResult};
    if (!ofShapes.count(diagnostic_.id)) return;
    CandidateGroup &edits = group(true);
    std::set<std::string> counters;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *loop = as<ast::ForStmt>(&stmt);
      auto *counter = loop ? as<ast::NameExpr>(loop->target) : nullptr;
      auto *range = counter ? as<ast::CallExpr>(loop->iterable) : nullptr;
      const bool around = range && stmt.span.begin <= place_.statement->span.begin && place_.statement->span.end <= stmt.span.end;
      auto use = around && nameOf(*range) == "range" ? place_.names->find(counter->name) : place_.names->end();
      if (use == place_.names->end()) return;
      counters.insert(counter->name);
      if (!use->second.reads.empty()) edits.assumes = edits.last = true;
    });
    if (counters.empty()) return;
    std::set<const ast::Expr *> others;  // what is called or stored into, and in front of a dot
    auto *assign = as<ast::AssignStmt>(place_.statement);
    for (size_t i = 0; assign && i < assign->targets.size(); ++i) others.insert(assign->targets[i].get());
    auto each = [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto *field = as<ast::AttributeExpr>(&part);
      if (call) others.insert(call->callee.get());
      if (field) others.insert(field->object.get());
      if (others.count(&part) || (!field && !as<ast::NameExpr>(&part))) return;
      const Span end{part.span.file, part.span.end, part.span.end};
      for (const std::string &counter : counters) add(edits, end, "[" + counter + "]", "take the one of this turn");
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, each);
  }

  /// The extents of the result and of the parameters, each once: names and numbers.
  std::vector<std::string> extents() const {
    std::vector<std::string> found;
    auto of = [&](const ast::SubscriptExpr *type) {
      for (const std::string &extent : type ? extentTexts(*type) : std::vector<std::string>())
        if (std::find(found.begin(), found.end(), extent) == found.end()) found.push_back(extent);
    };
    of(declaredTensor());
    for (const ast::Parameter &p : place_.function->parameters) of(tensorType(p.annotation.get()));
    return found;
  }
  /// `x[:-2]` for `x[:8]`, `y[:, 2:]` for `y[:, D:]`: a slice that ends or begins at an extent that is declared.
  void declaredBounds() {
    if (place_.inKernel) return;
    CandidateGroup &ends = group(true), begins;
    ends.last = begins.last = true;
    ends.assumes = begins.assumes = true;  // another step, or another part, fits as well
    eachInPlay([&](const ast::Expr &part) {
      auto *subscript = as<ast::SubscriptExpr>(&part);
      const ast::SubscriptExpr *type = subscript ? tensorTypeOf(subscript->object.get()) : nullptr;
      const std::vector<std::string> own = type ? extentTexts(*type) : std::vector<std::string>();
      for (size_t i = 0; subscript && i < subscript->items.size(); ++i) {
        auto *slice = as<ast::SliceExpr>(subscript->items[i].value);
        for (const std::string &extent : slice ? extents() : std::vector<std::string>()) {
          if (extent.find(' ') != std::string::npos || extent == "1" || (i < own.size() && own[i] == extent)) continue;
          add(ends, slice->span, ":" + extent, "take as many as are declared");
          add(begins, slice->span, extent + ":", "begin behind them");
        }
      }
    });
    groups_.push_back(std::move(begins));
  }

  /// `concat(a, b)` that was to join the last axes, `norm(x)` of each row, `mean(h) @ w`.
  void axesOfCalls() {
    static const std::set<std::string> alongAxes = {"concat", "stack", "sum", "mean", "max", "min", "norm", "var", "std", "prod", "argmax", "argmin",
                                                    "softmax", "logsumexp", "cumsum", "any", "all", "median", "flip", "sort", "argsort"};
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || !alongAxes.count(nameOf(*call)) || keyword(*call, "axis") || call->arguments.size() > 4) return;
      for (const char *axis : {"1", "2", "0"})
        add(edits, {call->span.file, call->span.end - 1, call->span.end - 1}, std::string(call->arguments.empty() ? "" : ", ") + "axis=" + axis, std::string("go along axis ") + axis);
    });
  }

  /// `y @ w` where w takes the heads and their features as one axis: the axes are joined first, in the value or where it is made.
  void joinedAxes() {
    if (place_.inKernel || !place_.expr()) return;
    CandidateGroup &shaped = group(true), flat;
    const ast::SubscriptExpr *type = declaredTensor();
    const auto said = shapesSaid();
    const bool fewer = type && !said.empty() && extentCount(*type) < said[0].size() && text(extentsSpan(*type)).find("1") == std::string::npos;
    if (diagnostic_.id == Id::wrongResult && fewer) {
      const ast::Expr &e = *place_.expr();
      const std::string made = asPrimary(e) + ".reshape(" + listOf(extentTexts(*type)) + ")";
      if (e.kind != ast::ExprKind::Tuple) add(shaped, e.span, made, "make it of the shape that is declared");
      shaped.assumes = shaped.last = true;  // the elements are in the order in which they lie, whatever was meant
    }
    if (diagnostic_.id == Id::contractionMismatch) {
      const std::vector<const ast::Expr *> operands = operandsAt(place_);
      if (operands.empty()) return;
      for (const char *joined : {".flatten(2)", ".flatten(1)"}) add(flat, {operands[0]->span.file, operands[0]->span.begin, operands[0]->span.end}, asPrimary(*operands[0]) + joined, "join the last axes");
      flat.last = true;
    }
    groups_.push_back(std::move(flat));
  }

  /// `x.reshape(B, S, S, D // H)` for `(B, S, H, D // H)`: the one other dimension with which the elements are as many.
  void sizesOfReshape() {
    CandidateGroup &edits = group(true);
    const std::set<std::string> dims = dimensions();
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || (nameOf(*call) != "reshape" && nameOf(*call) != "view")) return;
      const size_t first = as<ast::AttributeExpr>(call->callee) ? 0 : 1;
      for (size_t i = first; i < call->arguments.size(); ++i)
        visit(*call->arguments[i].value, [&](const ast::Expr &size) {
          auto *name = as<ast::NameExpr>(&size);
          for (const std::string &dim : dims)
            if (name && dims.count(name->name) && dim != name->name) add(edits, name->span, dim);
        });
    });
  }

  /// `cast(x)`: to the dtype of the result that is declared.
  void declaredDType() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "cast" || diagnostic_.message.find("`dtype`") == std::string::npos) return;
    std::vector<std::string> dtypes;
    if (auto *type = declaredTensor()) dtypes.push_back(extentCount(*type) == type->items.size() ? "f32" : text(type->items.back().span));
    else if (place_.function->result) dtypes.push_back(text(*place_.function->result));
    CandidateGroup &edits = group(false);
    for (const std::string &dtype : dtypes)
      if (dtypeByName(dtype)) insert(edits, call->span.end - 1, (call->arguments.empty() ? "" : ", ") + dtype, "make it " + dtype);
  }
  /// `max_pool(x)`, `upsample_nearest(x)`: where one small number alone fits what is declared.
  void smallNumbers() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) == "cast" || diagnostic_.message.find("`axis`") != std::string::npos) return;
    static const std::set<std::string> counted = {"window", "scale", "parts", "times", "k", "count", "repeats"};
    const std::string &said = diagnostic_.message;
    const size_t begin = said.rfind('`', said.size() - 2);
    if (begin == std::string::npos || !counted.count(said.substr(begin + 1, said.size() - begin - 2))) return;
    for (const ast::Argument &argument : call->arguments)
      if (argument.keyword) return;
    CandidateGroup &edits = group(true);
    for (const char *number : {"2", "3", "4"}) insert(edits, call->span.end - 1, (call->arguments.empty() ? "" : ", ") + std::string(number), std::string("give it ") + number);
    edits.assumes = true;
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfEvidence(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return EvidenceEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
