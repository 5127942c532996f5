// Edits of a place from its counterpart in the same statement: the other half of what is sliced there, the slice of the same
// axis beside it, the other operand of a product that is turned around, the tensor beside which another is to stand.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <algorithm>
#include <map>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class CounterpartEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement) return {};
    if (diagnostic_.id == Id::sliceSize) endOfSlice();
    if (!place_.expr()) return taken();
    switch (diagnostic_.id) {
    case Id::outOfBounds: sliceOfAxis(); break;
    case Id::broadcastFails: sliceOfAxis(), otherHalf(), withoutNewAxes(), sideBySide(), otherTurned(), stridden(); break;
    case Id::contractionMismatch: outerProduct(); break;
    case Id::rankMismatch: besideInList(); break;
    case Id::channelMismatch: otherAxisOfConcat(); break;
    case Id::dtypeMismatch: likeliestClass(); break;
    case Id::wrongResult: otherTurned(), stridden(), oneOfList(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 8;

  template <class Visit> void eachOfStatement(const Visit &each) const {
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, each);
  }

  /// `x[i:256]` in a kernel, as the end of a slice is written elsewhere by how many elements it has: `i:i + 256`.
  void endOfSlice() {
    auto *slice = place_.innermost<ast::SliceExpr>();
    auto *count = slice && slice->start && !slice->step ? as<ast::IntExpr>(slice->stop) : nullptr;
    if (!place_.inKernel || !count) return;
    const std::string start = text(*slice->start);
    replace(group(false), slice->stop->span, start + " + " + text(*count), "a slice ends at its start and its size: write `" + start + " + " + text(*count) + "`");
  }

  /// `x[r:r + 16, c:c + 64] + b[r:r + 16]` of x: [R, C] and b: [C]: the part of `b` begins where that of the axis does.
  void sliceOfAxis() {
    if (!place_.inKernel) return;
    struct Taken {
      const ast::SubscriptExpr *of;
      const ast::SliceExpr *slice;
    };
    std::map<std::string, std::vector<Taken>> parts;  // by the extent of their axis
    eachOfStatement([&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      const ast::SubscriptExpr *type = item ? tensorTypeOf(item->object.get()) : nullptr;
      if (!type || extentCount(*type) != item->items.size()) return;
      for (size_t i = 0; i < item->items.size(); ++i)
        if (auto *slice = as<ast::SliceExpr>(item->items[i].value); slice && slice->start && slice->stop) parts[extentText(type->items[i])].push_back({item, slice});
    });
    CandidateGroup along, across;  // across: for each row a value of its own
    for (const auto &[extent, all] : parts)
      for (const Taken &one : all)
        for (const Taken &other : all) {
          const std::string slice = text(*other.slice);
          if (text(*one.slice) == slice || along.edits.size() >= kMost) continue;
          replaceOnce(along, one.slice->span, slice, "take the part of `" + extent + "` that is taken beside it: `" + slice + "`");
          if (one.of->items.size() == 1) replaceOnce(across, {one.of->span.file, one.slice->span.begin, one.of->span.end}, slice + "][:, None]", "take the part of `" + extent + "` that is taken beside it, one for each row");
        }
    groups_.push_back(std::move(along)), groups_.push_back(std::move(across));
  }

  /// `silu(g[:, :F]) * g`: the rest of `g`.
  void otherHalf() {
    std::map<std::string, std::string> halves;
    std::set<const ast::Expr *> sliced;
    eachOfStatement([&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      auto *name = item ? as<ast::NameExpr>(item->object) : nullptr;
      if (!name) return;
      sliced.insert(name);
      for (const ast::Argument &index : item->items) {
        auto *slice = as<ast::SliceExpr>(index.value);
        const ast::Expr *bound = !slice || slice->step || !slice->start == !slice->stop ? nullptr : slice->start ? slice->start.get() : slice->stop.get();
        if (!bound || bound->kind == ast::ExprKind::Int || bound->kind == ast::ExprKind::Unary) continue;  // neighbours, not halves
        const std::string rest = slice->start ? ":" + text(*slice->start) : text(*slice->stop) + ":";
        halves[name->name] = text({item->span.file, item->span.begin, slice->span.begin}) + rest + text({item->span.file, slice->span.end, item->span.end});
      }
    });
    CandidateGroup &edits = group(true);
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      auto half = name && !sliced.count(name) ? halves.find(name->name) : halves.end();
      if (half != halves.end() && edits.edits.size() < kMost) replace(edits, name->span, half->second, "take the other part: `" + half->second + "`");
    });
  }

  /// `conv2d(x + skip, w)` of C and of D channels, where the weights have C + D: both stand side by side.
  void sideBySide() {
    auto *sum = as<ast::BinaryExpr>(place_.expr());
    const auto said = shapesSaid();
    if (place_.inKernel || !sum || sum->op != ast::BinaryOp::Add || said.size() != 2 || said[0].size() != said[1].size()) return;
    std::vector<size_t> differ;
    for (size_t i = 0; i < said[0].size(); ++i)
      if (said[0][i] != said[1][i]) differ.push_back(i);
    if (differ.size() != 1) return;
    const std::string both = "concat([" + text(*sum->left) + ", " + text(*sum->right) + "], axis=" + std::to_string(differ[0]) + ")";
    CandidateGroup &edits = group(true);
    edits.assumes = true;  // one that was declared otherwise is as likely
    replace(edits, sum->span, both, "put them side by side along axis " + std::to_string(differ[0]) + ": `" + both + "`");
  }

  /// `a.T @ b` for `a @ b.T`, a line before as well: rows are compared with rows more often than columns with columns.
  void otherTurned() {
    if (place_.inKernel) return;
    auto turned = [](const ast::Expr &e) {
      auto *member = as<ast::AttributeExpr>(&e);
      return member && member->attribute.text == "T" ? member->object.get() : nullptr;
    };
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *product = as<ast::BinaryExpr>(&part);
      if (!product || product->op != ast::BinaryOp::MatMul || edits.edits.size() >= kMost) return;
      const ast::Expr *left = turned(*product->left);
      if (!left || turned(*product->right)) return;
      const std::string other = text(*left) + " @ " + asPrimary(*product->right) + ".T";
      replace(edits, product->span, other, "turn the other operand around: `" + other + "`");
    });
  }

  /// `conv2d(x, w)` of [2*H, 2*W], where [H, W] is declared.
  void stridden() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      static const std::set<std::string> convolutions = {"conv1d", "conv2d"};
      if (!call || !convolutions.count(nameOf(*call)) || keyword(*call, "stride")) return;
      std::vector<std::string> strides = {"2", "3", "4"};
      const ast::SubscriptExpr *weights = call->arguments.size() > 1 ? tensorTypeOf(call->arguments[1].value.get()) : nullptr;
      auto *window = weights ? as<ast::IntExpr>(weights->items[extentCount(*weights) - 1].value) : nullptr;
      if (window && window->value > 4) strides.push_back(text(*window));  // windows side by side
      for (const std::string &stride : strides)
        if (edits.edits.size() < kMost) insert(edits, call->span.end - 1, ", stride=" + stride, "go on by " + stride);
    });
  }

  /// `m[:, None, None]` of colors beside an image that has them last: the new axes are for the other order.
  /// A single one rather stands on the wrong side.
  void withoutNewAxes() {
    CandidateGroup &edits = group(true);
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      const auto count = item ? std::count_if(item->items.begin(), item->items.end(), [](const ast::Argument &index) { return index.value->kind == ast::ExprKind::None; }) : 0;
      const bool isNew = count > 1 && std::all_of(item->items.begin(), item->items.end(), [](const ast::Argument &index) {
        auto *slice = as<ast::SliceExpr>(index.value);
        return index.value->kind == ast::ExprKind::None || (slice && !slice->start && !slice->stop && !slice->step);
      });
      if (isNew && edits.edits.size() < kMost) replace(edits, {item->span.file, item->object->span.end, item->span.end}, "", "leave out the new axes");
    });
  }

  /// `conv2d(concat([a, b], axis=3), w)`, which takes the channels of both.
  void otherAxisOfConcat() {
    CandidateGroup &edits = group(true);
    auto each = [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *axis = call && nameOf(*call) == "concat" ? keyword(*call, "axis") : nullptr;
      if (!axis) return;
      eachOtherAxis(axis->value.get(), [&](const std::string &other) { replaceOnce(edits, axis->value->span, other, "put them together along axis " + other); });
    };
    eachInPlay(each);
    eachOfStatement(each);
  }

  /// `logits == y` of floats for each class and of labels: the class that has the most.
  void likeliestClass() {
    auto *compared = as<ast::CompareExpr>(place_.expr());
    if (!compared || place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::Expr *operand : operandsAt(place_)) {
      const ast::SubscriptExpr *type = tensorTypeOf(operand);
      if (!type || extentCount(*type) < 2) continue;
      const std::string axis = std::to_string(extentCount(*type) - 1), best = "argmax(" + text(*operand) + ", axis=" + axis + ")";
      replace(edits, operand->span, best, "compare the class that has the most: `" + best + "`");
    }
  }

  /// `a @ b` of two vectors of different lengths, where a matrix of all pairs is wanted.
  void outerProduct() {
    auto *product = as<ast::BinaryExpr>(place_.expr());
    const auto said = shapesSaid();
    if (place_.inKernel || !product || product->op != ast::BinaryOp::MatMul || said.size() != 2 || said[0].size() != 1 || said[1].size() != 1) return;
    const std::string all = asPrimary(*product->left) + "[:, None] * " + asPrimary(*product->right);
    replace(group(true), product->span, all, "multiply each with each: `" + all + "`");
  }

  /// `concat([cls, x], axis=1)` of [B, D] and [B, S, D]: one of them lacks an axis.
  void besideInList() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "concat" || call->arguments.empty() || call->arguments[0].value->kind != ast::ExprKind::List) return;
    for (const char *index : {"[:, None]", "[None]"}) {
      CandidateGroup &edits = group(true);
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*call->arguments[0].value).items)
        if (edits.edits.size() < kMost) replace(edits, item->span, asPrimary(*item) + index, std::string("give it an axis of extent 1: `") + asPrimary(*item) + index + "`");
    }
  }

  /// `layers.w` of a list of layers is that of all: `layers[0].w`.
  void oneOfList() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;  // the first is as good as any
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *member = as<ast::AttributeExpr>(&part);
      const ast::Parameter *p = member ? parameterOf(member->object.get()) : nullptr;
      const std::string type = p && p->annotation ? text(*p->annotation) : "";
      if (type.starts_with("[") && edits.edits.size() < kMost) insert(edits, member->object->span.end, "[0]", "take that of one of them: `" + text(*member->object) + "[0]`");
    });
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfCounterparts(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return CounterpartEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
