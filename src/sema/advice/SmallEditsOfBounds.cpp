// Slices, indices, loops and guards that go one too far, and offsets of another axis.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class SmallBoundEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::wrongResult: boundsOfResult(); break;
    case Id::broadcastFails: otherBounds(); break;
    case Id::badConstant: plainOrigin(); break;
    case Id::outOfBounds:
      boundsOfGuard(), guardOfLane(), guardOfLanes(), otherAxis(), shorterLoop(), shorterSlice(), exchangedBounds(), otherBounds();
      break;
    case Id::sliceSize: offsetForgotten(); break;
    case Id::unguardedLanes: guard(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `x[0:N + 1]`
  void shorterSlice() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : subscript->items) {
      auto *slice = as<ast::SliceExpr>(item.value);
      auto *sum = slice ? as<ast::BinaryExpr>(slice->stop) : nullptr;
      if (sum && sum->op == ast::BinaryOp::Add && sum->right->kind == ast::ExprKind::Int)
        replace(edits, sum->span, text(*sum->left));
    }
  }

  /// `x[-1:-2]`
  void exchangedBounds() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : subscript->items)
      if (auto *slice = as<ast::SliceExpr>(item.value); slice && slice->start && slice->stop)
        replace(edits, {slice->span.file, slice->start->span.begin, slice->stop->span.end},
                text(*slice->stop) + ":" + text(*slice->start), "from the lower index to the higher one");
  }

  /// The numbers in the slices of the operands, one more or less.
  void otherBounds() {
    std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (auto *subscript = place_.innermost<ast::SubscriptExpr>()) operands = {subscript};
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operands) {
      if (auto *name = as<ast::NameExpr>(operand)) operand = place_.valueOf(name->name);
      if (!operand) continue;
      visit(*operand, [&](const ast::Expr &part) {
        if (auto *subscript = as<ast::SubscriptExpr>(&part)) boundsOf(edits, *subscript);
      });
    }
    for (const ast::Expr *operand : operands)  // `x[1:] / x`
      if (operand->kind == ast::ExprKind::Name && slicesAWhole(text(*operand)))
        for (const char *slice : {"[:-1]", "[1:]"}) {
          bool known = false;
          for (const ast::Expr *e : place_.around)
            visit(*e, [&](const ast::Expr &part) { known |= text(part) == text(*operand) + slice; });
          if (!known) insert(edits, operand->span.end, slice, "take as many elements");
        }
  }
  /// `u[1:-1, 1:]`, where one row less is declared.
  void boundsOfResult() {
    if (place_.inKernel || !place_.expr()) return;
    CandidateGroup &alike = group(true);  // as its neighbour
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *subscript = as<ast::SubscriptExpr>(&part);
      for (size_t i = 0; subscript && i < subscript->items.size(); ++i)
        for (size_t j = 0; j < subscript->items.size(); ++j) {
          const ast::Argument &a = subscript->items[i], &b = subscript->items[j];
          bool slices = as<ast::SliceExpr>(a.value) && as<ast::SliceExpr>(b.value);
          if (slices && text(a.span) != text(b.span) && text(a.span) != ":" && text(b.span) != ":")
            replace(alike, a.span, text(b.span));
        }
    });
    CandidateGroup &edits = group(true);
    visit(*place_.expr(), [&](const ast::Expr &part) {
      if (auto *subscript = as<ast::SubscriptExpr>(&part)) boundsOf(edits, *subscript);
    });
  }
  bool slicesAWhole(const std::string &name) const {
    bool found = false;
    visit(*place_.around.front(), [&](const ast::Expr &part) {
      auto *subscript = as<ast::SubscriptExpr>(&part);
      found |= subscript && subscript->items.size() == 1 && text(*subscript->object) == name &&
               subscript->items[0].value->kind == ast::ExprKind::Slice;
    });
    return found;
  }
  void boundsOf(CandidateGroup &edits, const ast::SubscriptExpr &subscript) {
    for (const ast::Argument &item : subscript.items) {
      auto *slice = as<ast::SliceExpr>(item.value);
      if (!slice) continue;
      for (const ast::Expr *bound : {slice->start.get(), slice->stop.get()}) {
        auto *unary = as<ast::UnaryExpr>(bound);
        auto *number = as<ast::IntExpr>(unary ? unary->operand.get() : bound);
        if (!number) continue;
        otherNumber(edits, subscript, *number, number->value + 1);
        if (number->value > 0) otherNumber(edits, subscript, *number, number->value - 1);
      }
      if (slice->start && !slice->stop) insert(edits, slice->span.end, "-1", "stop before the last");
      auto *stop = slice->start ? as<ast::NameExpr>(slice->stop) : nullptr;
      if (stop && !place_.inKernel) insert(edits, stop->span.end, " - 1", "stop before the last");
    }
  }

  /// Unless the slice stands there already: `x[:-2] + x[1:] + x[2:]`.
  void otherNumber(CandidateGroup &edits, const ast::SubscriptExpr &subscript, const ast::IntExpr &number,
                   uint64_t value) {
    const std::string whole = text(subscript);
    const size_t at = number.span.begin - subscript.span.begin;
    const std::string edited =
        whole.substr(0, at) + std::to_string(value) + whole.substr(at + (number.span.end - number.span.begin));
    auto toTheEnd = [&](std::string shown) {  // `x[2:N]` is `x[2:]`
      size_t colon = shown.rfind(':');
      bool name = colon != std::string::npos && shown.size() > colon + 2 &&
                  std::isupper(static_cast<unsigned char>(shown[colon + 1]));
      return name && shown.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", colon + 1) == shown.size() - 1
                 ? shown.substr(0, colon + 1) + "]"
                 : shown;
    };
    bool known = false;
    for (const ast::Expr *e : place_.around)
      visit(*e, [&](const ast::Expr &part) {
        known |= part.kind == ast::ExprKind::Subscript && toTheEnd(text(part)) == toTheEnd(edited);
      });
    if (!known) replace(edits, number.span, std::to_string(value));
  }

  /// `x[n:T.m]`
  void offsetForgotten() {
    auto *slice = as<ast::SliceExpr>(place_.expr());
    if (slice && slice->start && slice->stop && slice->stop->kind == ast::ExprKind::Attribute)
      replace(group(false), slice->stop->span, text(*slice->start) + " + " + text(*slice->stop));
  }

  /// `x[n * T.m:n * T.m + T.m]` at an origin n.
  void plainOrigin() {
    auto *slice = as<ast::SliceExpr>(place_.expr());
    auto *product = slice ? as<ast::BinaryExpr>(slice->start) : nullptr;
    auto *end = slice ? as<ast::BinaryExpr>(slice->stop) : nullptr;
    if (!product || !end || product->op != ast::BinaryOp::Mul || end->op != ast::BinaryOp::Add) return;
    std::string origin = text(*product->left);
    replace(group(false), slice->span, origin + ":" + origin + " + " + text(*end->right));
  }

  /// `if i < n:` around what the lanes do.
  void guard() {
    auto *def = place_.function;
    auto *origin = as<ast::AssignStmt>(place_.statement);
    auto *index = origin ? as<ast::NameExpr>(origin->targets[0]) : nullptr;
    if (!def || !index) return;
    const ast::Stmt *first = nullptr, *last = nullptr;
    for (const ast::StmtPtr &stmt : def->body) {
      if (stmt->span.begin <= origin->span.begin || stmt->kind == ast::StmtKind::Return) continue;
      if (!first) first = stmt.get();
      last = stmt.get();
    }
    if (first) guarded(*def, index->name, *first, *last);
  }
  /// The statement with this condition that stands behind others at the same depth; null where there is none.
  const ast::IfStmt *guardBehind(const ast::FuncDef &def, const ast::Stmt &first, const std::string &condition) const {
    for (const ast::StmtPtr &stmt : def.body)
      if (auto *own = as<ast::IfStmt>(stmt); own && own->span.begin > first.span.begin && own->otherwise.empty() && text(*own->condition) == condition)
        return own;
    return nullptr;
  }
  /// What stands in front of a guard, as its first statements.
  void behindGuard(CandidateGroup &edits, const ast::Stmt &first, const ast::IfStmt &own, const std::string &indent) {
    const std::string before = text({own.span.file, first.span.begin, own.span.begin});
    std::string inner = "    ";
    for (char c : before.substr(0, before.find_last_not_of(" \n") + 1)) inner += c == '\n' ? "\n    " : std::string(1, c);
    replace(edits, {own.span.file, first.span.begin, own.then.front()->span.begin},
            "if " + text(*own.condition) + ":\n" + indent + inner + "\n" + indent + "    ", "move it behind the guard");
  }
  void guarded(const ast::FuncDef &def, const std::string &index, const ast::Stmt &from, const ast::Stmt &to) {
    const ast::Stmt *first = &from, *last = &to;
    const std::string indent = indentOf(*first);
    CandidateGroup &edits = group(true);
    std::set<std::string> extents;
    for (const ast::Parameter &p : def.parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (!type || extentCount(*type) != 1) continue;
      std::string extent = extentText(type->items[0]);
      if (!extents.insert(extent).second) continue;
      const std::string condition = index + " < " + extent;
      if (const ast::IfStmt *own = guardBehind(def, *first, condition)) behindGuard(edits, *first, *own, indent);
      else below(edits, condition, *first, *last);
    }
  }
  /// These statements below a condition.
  void below(CandidateGroup &edits, const std::string &condition, const ast::Stmt &first, const ast::Stmt &last) {
    std::string inner;
    for (char c : text(first.span.to(last.span))) inner += c == '\n' ? "\n    " : std::string(1, c);
    replace(edits, first.span.to(last.span), "if " + condition + ":\n" + indentOf(first) + "    " + inner, "guard the work");
  }

  /// `y[r, c]` of lanes along two axes: each is compared with its extent, one of them or all.
  void guardOfLanes() {
    auto *element = place_.innermost<ast::SubscriptExpr>();
    const ast::SubscriptExpr *type = element ? tensorTypeOf(element->object.get()) : nullptr;
    if (!type || !place_.inKernel || underCondition() || element->items.size() < 2 || element->items.size() != extentCount(*type)) return;
    std::vector<std::string> conditions;
    uint32_t behind = 0;
    for (size_t i = 0; i < element->items.size(); ++i) {
      auto *name = as<ast::NameExpr>(element->items[i].value);
      const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
      if (!value || text(*value).find("_id(") == std::string::npos) continue;
      conditions.push_back(name->name + " < " + extentText(type->items[i]));
      behind = std::max(behind, value->span.end);
    }
    if (conditions.empty()) return;
    std::string all;
    for (const std::string &condition : conditions) all += (all.empty() ? "" : " and ") + condition;
    if (conditions.size() > 1) conditions.push_back(all);
    const ast::Block &body = place_.function->body;
    auto isWork = [&](const ast::StmtPtr &stmt) { return stmt->span.begin > behind && stmt->kind != ast::StmtKind::Return; };
    auto first = std::find_if(body.begin(), body.end(), isWork);
    auto last = std::find_if(body.rbegin(), body.rend(), isWork);
    CandidateGroup &edits = group(false);
    for (const std::string &condition : conditions) {
      if (first != body.end()) below(edits, condition, **first, **last);
      if (place_.statement->kind == ast::StmtKind::Assign || place_.statement->kind == ast::StmtKind::AugAssign) below(edits, condition, *place_.statement, *place_.statement);
    }
  }

  /// The number of a lane that is an index: the work behind it, or only the one statement, where others need all lanes.
  void guardOfLane() {
    if (!place_.expr() || !place_.inKernel || underCondition()) return;
    auto *name = as<ast::NameExpr>(place_.expr());
    const ast::Expr *value = name ? place_.valueOf(name->name) : place_.expr();
    if (!value || text(*value).find("_id(") == std::string::npos) return;
    const std::string index = text(*place_.expr());
    const ast::Block &body = place_.function->body;
    auto behind = [&](const ast::StmtPtr &stmt) {
      return stmt->span.begin > value->span.end && stmt->kind != ast::StmtKind::Return;
    };
    auto first = std::find_if(body.begin(), body.end(), behind);
    auto last = std::find_if(body.rbegin(), body.rend(), behind);
    if (name && first != body.end()) guarded(*place_.function, index, **first, **last);
    if (place_.statement->kind == ast::StmtKind::Assign || place_.statement->kind == ast::StmtKind::AugAssign)
      guarded(*place_.function, index, *place_.statement, *place_.statement);
  }

  /// `if r < C and c < R:` around `y[r, c]`: the bounds of two comparisons exchanged, or another dimension as the bound of one.
  void boundsOfGuard() {
    if (!place_.function || !place_.inKernel) return;
    std::vector<const ast::Expr *> bounds;
    for (const ast::Stmt *stmt : statementsAround())
      if (auto *guard = as<ast::IfStmt>(stmt))
        visit(*guard->condition, [&](const ast::Expr &part) {
          auto *compare = as<ast::CompareExpr>(&part);
          if (compare && compare->ops.size() == 1 && compare->ops[0] == ast::CompareOp::Lt) bounds.push_back(compare->operands[1].get());
        });
    CandidateGroup exchanged, others;
    exchanged.last = agree(bounds);
    for (size_t i = 0; i < bounds.size(); ++i)
      for (size_t j = i + 1; j < bounds.size(); ++j)
        if (text(*bounds[i]) != text(*bounds[j]))
          replaceAll(exchanged, {{bounds[i]->span, text(*bounds[j])}, {bounds[j]->span, text(*bounds[i])}}, "exchange the bounds");
    const std::set<std::string> dims = dimensions();
    for (const ast::Expr *bound : bounds)
      for (const std::string &dim : dims)
        if (dims.count(text(*bound)) && dim != text(*bound)) replace(others, bound->span, dim, "compare with the extent of its axis");
    for (CandidateGroup *group : {&exchanged, &others}) groups_.push_back(std::move(*group));
  }

  /// `r < R and c < C`: each name is compared with the dimension that it is called after, so that the index is wrong rather.
  bool agree(const std::vector<const ast::Expr *> &bounds) const {
    size_t count = 0;
    for (const ast::Stmt *stmt : statementsAround())
      if (auto *guard = as<ast::IfStmt>(stmt))
        visit(*guard->condition, [&](const ast::Expr &part) {
          auto *compare = as<ast::CompareExpr>(&part);
          if (!compare || std::find(bounds.begin(), bounds.end(), compare->operands.back().get()) == bounds.end()) return;
          std::string dim = text(*compare->operands[1]);
          std::transform(dim.begin(), dim.end(), dim.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
          bool named = false;
          visit(*compare->operands[0], [&](const ast::Expr &word) { named |= as<ast::NameExpr>(&word) && text(word) == dim; });
          count += named;
        });
    return bounds.size() > 1 && count == bounds.size();
  }

  bool underCondition() const {
    const std::vector<const ast::Stmt *> around = statementsAround();
    return std::any_of(around.begin(), around.end(),
                       [](const ast::Stmt *stmt) { return stmt->kind == ast::StmtKind::If; });
  }

  /// `B[n:n + T.n, k:k + T.k]` of a tensor that has them the other way round.
  void otherAxis() {
    auto *slice = as<ast::SliceExpr>(place_.expr());
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!slice || !slice->start || !slice->stop || !subscript || !place_.inKernel) return;
    exchangedSlices(*subscript);
    if (auto *name = as<ast::NameExpr>(slice->start)) otherCounter(*slice, name->name);
    otherEnd(text(*slice->start));
  }
  void exchangedSlices(const ast::SubscriptExpr &subscript) {
    if (subscript.items.size() != 2) return;
    auto *a = as<ast::SliceExpr>(subscript.items[0].value), *b = as<ast::SliceExpr>(subscript.items[1].value);
    auto length = [&](const ast::SliceExpr *s) {
      auto *sum = s ? as<ast::BinaryExpr>(s->stop) : nullptr;
      return sum && s->start && text(*sum->left) == text(*s->start) ? text(*sum->right) : "";
    };
    if (!a || !b) return;
    const Span all = a->span.to(b->span);
    const std::string first = length(a), second = length(b), whole = text(*b) + ", " + text(*a);
    CandidateGroup &edits = group(false);
    replace(edits, all, whole, "exchange them");
    if (first.empty() || second.empty()) return;
    auto part = [](const std::string &from, const std::string &size) { return from + ":" + from + " + " + size; };
    std::string i = text(*a->start), j = text(*b->start);
    auto isOwn = [](const std::string &from, const std::string &size) { return !from.empty() && size.size() > 2 && size.compare(size.size() - 2, 2, "." + from.substr(0, 1)) == 0; };
    auto turned = [&] { replace(edits, subscript.span, "tile.transpose(" + text(*subscript.object) + "[" + whole + "])"); };
    const bool agree = isOwn(i, first) && isOwn(j, second);  // `k:k + T.k, n:n + T.n`: each starts where its size says
    if (agree) turned();
    replace(edits, all, part(j, first) + ", " + part(i, second), "exchange where they start");
    if (!agree) turned();
  }
  /// `g[n:n + T.m]` where `g[m:m + T.m]` was meant.
  void otherCounter(const ast::SliceExpr &slice, const std::string &name) {
    auto *sum = as<ast::BinaryExpr>(slice.stop);
    if (!sum || text(*sum->left) != name) return;
    std::set<std::string> names;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
      if (call && nameOf(*call) == "origin" && assign->targets[0]->kind == ast::ExprKind::Tuple)
        for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items)
          names.insert(text(*item));
      if (auto *loop = as<ast::ForStmt>(stmt)) names.insert(text(*loop->target));
    }
    names.erase(name), names.erase("_");
    CandidateGroup &edits = group(true);
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    for (size_t i = 0; subscript && i < subscript->items.size(); ++i)  // an offset belongs to one axis
      if (auto *beside = as<ast::SliceExpr>(subscript->items[i].value); beside && beside->start) names.erase(text(*beside->start));
    for (const std::string &other : names) replace(edits, slice.start->span.to(sum->left->span), other + ":" + other);
  }
  /// `for k in tile.range(0, M, T.k)`, which goes over K elements.
  void otherEnd(const std::string &counter) {
    std::set<std::string> dims;
    for (const ast::Parameter &p : place_.function->parameters)
      if (auto *type = as<ast::SubscriptExpr>(p.annotation))
        for (const std::string &extent : extentTexts(*type)) dims.insert(extent);
    CandidateGroup &edits = group(true);
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *loop = as<ast::ForStmt>(stmt);
      auto *call = loop && text(*loop->target) == counter ? as<ast::CallExpr>(loop->iterable) : nullptr;
      if (!call || nameOf(*call) != "range" || call->arguments.empty()) continue;
      const Span stop = call->arguments[call->arguments.size() > 1 ? 1 : 0].span;
      for (const std::string &dim : dims)
        if (dim != text(stop)) replace(edits, stop, dim);
    }
  }

  /// `for i in range(N + 1)`, `range(N)` with `x[i + 1]`, `range(N, 0, -1)`, `if i <= n:`
  void shorterLoop() {
    if (!place_.function) return;
    std::vector<const ast::Stmt *> open;
    for (const ast::StmtPtr &stmt : place_.function->body) open.push_back(stmt.get());
    CandidateGroup &edits = group(true);
    while (!open.empty()) {
      const ast::Stmt *stmt = open.back();
      open.pop_back();
      bool around = stmt->span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= stmt->span.end;
      if (!around) continue;
      for (const ast::Stmt *inner : ast::childrenOf(*stmt).stmts) open.push_back(inner);
      auto *guard = as<ast::IfStmt>(stmt);
      auto *compare = guard ? as<ast::CompareExpr>(guard->condition) : nullptr;
      if (compare && compare->ops.size() == 1 && compare->ops[0] == ast::CompareOp::Le)
        replace(edits, {compare->span.file, compare->operands[0]->span.end, compare->operands[1]->span.begin}, " < ");
      auto *loop = as<ast::ForStmt>(stmt);
      auto *call = loop ? as<ast::CallExpr>(loop->iterable) : nullptr;
      if (!call || nameOf(*call) != "range" || call->arguments.empty()) continue;
      const auto &args = call->arguments;
      const ast::Expr &stop = *args[args.size() > 1 ? 1 : 0].value;
      auto *sum = as<ast::BinaryExpr>(&stop);
      if (args.size() == 3 && text(args[2].span) == "-1")
        replace(edits, args[0].span.to(args[1].span),
                text(args[0].span) + " - 1, " + (text(stop) == "0" ? "-1" : text(stop) + " - 1"),
                "start at the last index");
      else if (sum && sum->op == ast::BinaryOp::Add && text(*sum->right) == "1")
        replace(edits, stop.span, text(*sum->left));
      else if (as<ast::NameExpr>(&stop)) insert(edits, stop.span.end, " - 1", "stop one earlier");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> smallEditsOfBounds(const diag::Diagnostic &diagnostic, const Place &place,
                                               const Sources &sources) {
  return SmallBoundEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
