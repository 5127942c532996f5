// Edits for tiles that do not fit one another: a size that is not that of the offset before it, an offset alone where a
// tile begins, slices of the axes in another order.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <array>
#include <map>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class TileEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.inKernel || !place_.function) return {};
    switch (diagnostic_.id) {
    case Id::tileMismatch:
    case Id::broadcastFails:
    case Id::contractionMismatch:
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::redefinedType:
    case Id::wrongArgument:
    case Id::badOperand: findOffsets(), sizeOfOffset(), stepOfOffset(), turnedTile(), tileAtOffset(), exchangedSlices(); break;
    case Id::outOfBounds: findOffsets(), exchangedOrigin(); break;
    case Id::immutableTensor: oneBracket(); break;
    case Id::dependsOnTile: alongRows(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 12;

  /// The size of the schedule that belongs to each offset: `m, n = tile.origin()` are where a tile of T.m rows and T.n
  /// columns starts, and `for k in tile.range(0, K, T.k)` goes on by T.k.
  void findOffsets() {
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      auto *call = assign && assign->targets.size() == 1 ? as<ast::CallExpr>(assign->value) : nullptr;
      if (call && nameOf(*call) == "context") context_ = text(*assign->targets[0]);
      if (call && nameOf(*call) == "origin" && assign->targets[0]->kind == ast::ExprKind::Tuple) {
        auto &items = static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items;
        const size_t count = items.size();
        if (count == 1) sizes_[text(*items[0])] = "m";
        if (count >= 2) origin_ = {items[count - 2].get(), items[count - 1].get()};
        if (count >= 2) sizes_[text(*items[count - 2])] = "m", sizes_[text(*items[count - 1])] = "n";
      }
      auto *loop = as<ast::ForStmt>(&stmt);
      auto *range = loop ? as<ast::CallExpr>(loop->iterable) : nullptr;
      auto *step = range && range->arguments.size() == 3 ? as<ast::AttributeExpr>(range->arguments[2].value) : nullptr;
      if (step && text(*step->object) == context_) sizes_[text(*loop->target)] = step->attribute.text;
    });
    sizes_.erase("_");
  }

  /// `tile.sum(x[r:r + T.m, :])` for the sum of each row.
  void alongRows() {
    CandidateGroup &edits = group(false);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      static const std::set<std::string> reductions = {"sum", "max", "min", "mean", "prod"};
      if (!call || !reductions.count(nameOf(*call)) || keyword(*call, "axis") || call->arguments.size() != 1) return;
      for (const char *axis : {"1", "0"})
        if (edits.edits.size() < kMost) insert(edits, call->span.end - 1, std::string(", axis=") + axis, std::string("reduce along axis ") + axis);
    });
  }

  /// `y[c:c + 64, r:r + 32] = x[r:r + 32, c:c + 64]` of x: [R, C] and y: [C, R]: the tile is turned around.
  void turnedTile() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *from = assign ? as<ast::SubscriptExpr>(assign->value) : nullptr;
    auto *to = from ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
    const ast::SubscriptExpr *given = to ? tensorTypeOf(from->object.get()) : nullptr, *made = to ? tensorTypeOf(to->object.get()) : nullptr;
    if (!given || !made) return;
    const std::vector<std::string> a = extentTexts(*given), b = extentTexts(*made);
    if (a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0] && a[0] != a[1])
      replace(group(false), from->span, "tile.transpose(" + text(*from) + ")", "turn the tile around");
  }

  /// `x[i][j] = v` for `x[i, j] = v`.
  void oneBracket() {
    auto *element = as<ast::SubscriptExpr>(place_.expr());
    auto *row = element ? as<ast::SubscriptExpr>(element->object) : nullptr;
    if (!row || row->items.empty() || element->items.empty()) return;
    replace(group(false), {row->span.file, row->items.back().span.end, element->items.front().span.begin}, ", ", "put all indices into one bracket");
  }

  /// `n, m = tile.origin()`, where every slice has T.m with `m` and T.n with `n`.
  void exchangedOrigin() {
    if (!origin_[0]) return;
    bool all = true;
    std::set<std::string> seen;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      auto *stop = slice && slice->start ? as<ast::BinaryExpr>(slice->stop) : nullptr;
      auto *size = stop ? as<ast::AttributeExpr>(stop->right) : nullptr;
      const std::string start = slice && slice->start ? text(*slice->start) : "";
      if (!size || (start != text(*origin_[0]) && start != text(*origin_[1]))) return;
      seen.insert(start), all &= size->attribute.text == (start == text(*origin_[0]) ? "n" : "m");
    });
    if (all && seen.size() == 2)
      replaceAll(group(false), {{origin_[0]->span, text(*origin_[1])}, {origin_[1]->span, text(*origin_[0])}}, "exchange the origins");
  }

  /// `m:m + T.k` for `m:m + T.m`, `tile.zeros((T.m, T.k), f32)` for `(T.m, T.n)`.
  void sizeOfOffset() {
    CandidateGroup &edits = group(false);
    auto other = [&](const ast::Expr *size, const std::string &right) {
      auto *member = as<ast::AttributeExpr>(size);
      if (member && text(*member->object) == context_ && member->attribute.text != right && edits.edits.size() < kMost)
        replace(edits, member->attribute.span, right, "take the size that belongs to this axis");
    };
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      auto *stop = slice && slice->start ? as<ast::BinaryExpr>(slice->stop) : nullptr;
      auto it = stop && stop->op == ast::BinaryOp::Add ? sizes_.find(text(*slice->start)) : sizes_.end();
      if (it != sizes_.end() && text(*stop->left) == it->first) other(stop->right.get(), it->second);
      auto *call = as<ast::CallExpr>(&part);
      const bool makes = call && (nameOf(*call) == "zeros" || nameOf(*call) == "full") && !call->arguments.empty();
      const ast::Expr *shape = makes ? call->arguments[0].value.get() : nullptr;
      if (!shape || shape->kind != ast::ExprKind::Tuple) return;
      auto &items = static_cast<const ast::SequenceExpr &>(*shape).items;
      for (size_t i = 0; items.size() <= 2 && i < items.size(); ++i) other(items[i].get(), i == 0 ? "m" : "n");
    });
  }

  /// The step by which each offset goes on: `k` of `tile.range(0, K, 32)`, `m` of `tile.group_id(0) * 64`.
  std::map<std::string, std::string> stepsOfOffsets() const {
    std::map<std::string, std::string> steps;
    auto ofGroup = [&](const ast::Expr &target, const ast::Expr &value) {
      auto *product = as<ast::BinaryExpr>(&value);
      auto *call = product && product->op == ast::BinaryOp::Mul ? as<ast::CallExpr>(product->left) : nullptr;
      if (call && nameOf(*call) == "group_id") steps[text(target)] = text(*product->right);
    };
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *loop = as<ast::ForStmt>(&stmt);
      auto *range = loop ? as<ast::CallExpr>(loop->iterable) : nullptr;
      if (range && nameOf(*range) == "range" && range->arguments.size() == 3) steps[text(*loop->target)] = text(range->arguments[2].span);
      auto *assign = as<ast::AssignStmt>(&stmt);
      if (!assign || assign->targets.size() != 1) return;
      const ast::Expr &target = *assign->targets[0], &value = *assign->value;
      if (target.kind != ast::ExprKind::Tuple) return ofGroup(target, value);
      if (value.kind != ast::ExprKind::Tuple) return;
      auto &targets = static_cast<const ast::SequenceExpr &>(target).items;
      auto &values = static_cast<const ast::SequenceExpr &>(value).items;
      for (size_t i = 0; i < std::min(targets.size(), values.size()); ++i) ofGroup(*targets[i], *values[i]);
    });
    return steps;
  }
  /// `k:k + 64` of a loop that goes on by 32.
  void stepOfOffset() {
    const std::map<std::string, std::string> steps = stepsOfOffsets();
    CandidateGroup &edits = group(true);
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      auto *stop = slice && slice->start ? as<ast::BinaryExpr>(slice->stop) : nullptr;
      auto it = stop && stop->op == ast::BinaryOp::Add ? steps.find(text(*slice->start)) : steps.end();
      if (it != steps.end() && text(*stop->left) == it->first && text(*stop->right) != it->second && edits.edits.size() < kMost)
        replace(edits, stop->right->span, it->second, "take as many as the offset goes on by");
    });
  }

  /// `x[m:m + T.m, n]` for `x[m:m + T.m, n:n + T.n]`.
  void tileAtOffset() {
    CandidateGroup &edits = group(true);
    if (context_.empty()) return;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *subscript = as<ast::SubscriptExpr>(&part);
      for (size_t i = 0; subscript && i < subscript->items.size() && edits.edits.size() < kMost; ++i) {
        auto it = sizes_.find(text(subscript->items[i].span));
        if (it != sizes_.end())
          replace(edits, subscript->items[i].span, it->first + ":" + it->first + " + " + context_ + "." + it->second,
                  "take the tile that starts there");
      }
    });
  }

  /// `tile.cp_async(part, B[n:n + 64, k:k + 32])` for `B[k:k + 32, n:n + 64]`.
  void exchangedSlices() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || diagnostic_.id == Id::tileMismatch || keyword(*call, "axis")) return;  // of a reduction, rather its axis
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : call->arguments) {
      auto *subscript = as<ast::SubscriptExpr>(arg.value);
      if (!subscript || subscript->items.size() != 2) continue;
      const ast::Argument &a = subscript->items[0], &b = subscript->items[1];
      if (a.value->kind == ast::ExprKind::Slice && b.value->kind == ast::ExprKind::Slice && text(a.span) != text(b.span))
        replace(edits, a.span.to(b.span), text(b.span) + ", " + text(a.span), "exchange them");
    }
  }

  std::array<const ast::Expr *, 2> origin_{};  // what the last two of `tile.origin()` are called
  std::string context_;                       // the name of `tile.context()`
  std::map<std::string, std::string> sizes_;  // by the name of an offset: "m", "n" or "k"
};

}  // namespace

std::vector<CandidateGroup> editsOfTiles(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return TileEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
