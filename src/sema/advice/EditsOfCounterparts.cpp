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
    case Id::broadcastFails: remade(), axesWhereMade(), besideAxes(), otherNewAxes(), sliceOfAxis(), otherHalf(), withoutNewAxes(), sideBySide(), otherTurned(), stridden(); break;
    case Id::contractionMismatch: projected(), outerProduct(), elementwise(); break;
    case Id::badReshape: factorsLeft(); break;
    case Id::windowTooLarge: halfOfWindow(); break;
    case Id::rankMismatch: besideInList(); break;
    case Id::channelMismatch: otherAxisOfConcat(), declaredChannels(); break;
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

  /// The index that gives a tensor of `seen` the axes of `wanted` which it lacks, `[:, :, None]`, where there is one way only.
  static std::string indexBeside(const std::vector<std::string> &seen, const std::vector<std::string> &wanted) {
    std::vector<size_t> at;  // of each axis, taken from the front
    for (size_t i = 0; i < wanted.size() && at.size() < seen.size(); ++i)
      if (wanted[i] == seen[at.size()]) at.push_back(i);
    if (seen.empty() || at.size() != seen.size() || seen.size() >= wanted.size()) return "";
    size_t from = wanted.size();  // ... and from the end, which has to be the same
    for (size_t i = seen.size(); i-- > 0;) {
      while (from-- > 0 && wanted[from] != seen[i]) {}
      if (from != at[i]) return "";
    }
    std::string index;
    size_t last = 0, next = 0;
    for (size_t i = at.front(); i < wanted.size(); ++i) {
      const bool own = next < at.size() && at[next] == i;
      index += std::string(index.empty() ? "" : ", ") + (own ? ":" : "None");
      next += own;
      if (!own) last = index.size();
    }
    return last == 0 ? "" : "[" + index.substr(0, last) + "]";
  }
  /// The operand with fewer axes, and the index that it lacks.
  std::pair<const ast::Expr *, std::string> lacking() const {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (place_.inKernel || said.size() != 2 || operands.size() != 2) return {};
    const size_t fewer = said[0].size() < said[1].size() ? 0 : 1;
    return {operands[fewer], indexBeside(said[fewer], said[1 - fewer])};
  }
  /// `k` of [B, G, S, D] beside [B, G, R, S, D] lacks the axis of `R`.
  void besideAxes() {
    const auto [operand, index] = lacking();
    if (index.find("None, :") == std::string::npos && std::count(index.begin(), index.end(), 'N') < 3) return;  // others add one behind
    replace(group(true), operand->span, asPrimary(*operand) + index, "give it axes of extent 1: `" + asPrimary(*operand) + index + "`");
  }

  /// `s = take(a, t)`, of which several parts of a statement lack the same axes.
  void axesWhereMade() {
    const auto [operand, index] = lacking();
    if (index.empty() || !place_.names) return;
    CandidateGroup &edits = group(true);
    visit(*operand, [&, &added = index](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      auto use = name ? place_.names->find(name->name) : place_.names->end();
      const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
      if (!value || use == place_.names->end() || use->second.reads.size() < 2) return;
      replaceOnce(edits, value->span, asPrimary(*value) + added, "give it axes of extent 1 where it is made: `" + asPrimary(*value) + added + "`");
    });
  }

  /// `sqrt(1.0 - a) * e` behind `s = a[:, None, None]`: what was made of `a` for this.
  void remade() {
    if (place_.inKernel || !place_.names || !place_.expr()) return;
    CandidateGroup &edits = group(true);
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      auto *made = assign && assign->targets.size() == 1 ? as<ast::NameExpr>(assign->targets[0]) : nullptr;
      auto *item = made ? as<ast::SubscriptExpr>(assign->value) : nullptr;
      const bool widened = item && text(*item).find("None") != std::string::npos && item->object->kind == ast::ExprKind::Name;
      if (!widened || stmt.span.end > place_.expr()->span.begin) return;
      for (const ast::Expr *operand : operandsAt(place_))
        visit(*operand, [&](const ast::Expr &part) {
          auto *name = as<ast::NameExpr>(&part);
          if (name && name->name == text(*item->object)) replaceOnce(edits, name->span, made->name, "take `" + made->name + "`, which was made of it with more axes");
        });
    });
  }

  /// `x.reshape(B, 8, C // 8)` of [B, C, H, W]: the extents that are not among the sizes belong to the last one.
  void factorsLeft() {
    auto *call = place_.innermost<ast::CallExpr>();
    const auto said = shapesSaid();
    if (!call || nameOf(*call) != "reshape" || call->arguments.empty() || said.size() != 2 || said[1].size() >= said[0].size()) return;
    const ast::Expr &last = *call->arguments.back().value;
    const std::string sizes = text(call->arguments.front().span.to(call->arguments.back().span));
    if (sizes.find("-1") != std::string::npos || last.kind == ast::ExprKind::Tuple) return;
    std::string front, behind;  // in the order in which they lie
    bool passed = false;
    for (const std::string &extent : said[0]) {
      passed |= extent == text(last);
      if (sizes.find(extent) != std::string::npos) continue;
      if (passed || sizes.find(text(last)) == std::string::npos) behind += " * " + extent;
      else front += extent + " * ";
    }
    if (!passed) behind = front.empty() ? behind : " * " + front.substr(0, front.size() - 3) + behind, front.clear();
    CandidateGroup edits, rest;
    edits.assumes = rest.assumes = edits.last = rest.last = true;  // what is joined with it is a guess
    const std::string joined = front + text(last) + behind;
    if (joined != text(last)) replace(edits, last.span, joined, "let it hold what is left as well: `" + joined + "`");
    replace(rest, last.span, "-1", "let the last axis hold what is left: `-1`");
    groups_.push_back(std::move(edits)), groups_.push_back(std::move(rest));
  }

  /// A window that does not fit with the padding that it has: half of it on each side keeps the extents.
  void halfOfWindow() {
    auto *call = place_.innermost<ast::CallExpr>();
    const ast::Argument *padding = call ? keyword(*call, "padding") : nullptr;
    const ast::SubscriptExpr *weights = padding && call->arguments.size() > 1 ? tensorTypeOf(call->arguments[1].value.get()) : nullptr;
    if (!weights || extentCount(*weights) < 3) return;
    std::vector<std::string> halves;
    for (size_t i = 2; i < extentCount(*weights); ++i)
      if (auto *window = as<ast::IntExpr>(weights->items[i].value)) halves.push_back(std::to_string(window->value / 2));
    if (halves.size() + 2 != extentCount(*weights)) return;
    const bool same = std::all_of(halves.begin(), halves.end(), [&](const std::string &half) { return half == halves[0]; });
    const std::string by = same ? halves[0] : "(" + listOf(halves) + ")";
    CandidateGroup edits, declared;
    edits.assumes = declared.assumes = true;
    replace(edits, padding->value->span, by, "pad by half of the window on each side: `padding=" + by + "`");
    for (size_t i = 2; i < extentCount(*weights); ++i)  // a square one
      for (size_t j = 2; j < extentCount(*weights); ++j)
        if (text(weights->items[i].span) != text(weights->items[j].span)) replaceOnce(declared, weights->items[i].span, text(weights->items[j].span), "declare the extent of the other side");
    groups_.push_back(std::move(edits)), groups_.push_back(std::move(declared));
  }

  /// `x * keep[:, None]` of [B, S, D] and of `keep: Tensor[B, S]`: the new axis stands where the other one has an axis of its own.
  void otherNewAxes() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (place_.inKernel || said.size() != 2 || operands.size() != 2) return;
    CandidateGroup &edits = group(true);
    for (size_t side : {0, 1}) {
      auto *item = as<ast::SubscriptExpr>(operands[side]);
      const ast::SubscriptExpr *type = item ? tensorTypeOf(item->object.get()) : nullptr;
      if (!type) continue;
      const bool isNew = std::all_of(item->items.begin(), item->items.end(), [](const ast::Argument &index) {
        auto *slice = as<ast::SliceExpr>(index.value);
        return index.value->kind == ast::ExprKind::None || (slice && !slice->start && !slice->stop && !slice->step);
      });
      const std::string index = isNew ? indexBeside(extentTexts(*type), said[1 - side]) : "";
      const Span own{item->span.file, item->object->span.end, item->span.end};
      if (!index.empty() && index != text(own)) replaceOnce(edits, own, index, "put the new axis where `" + text(*operands[1 - side]) + "` has one of its own");
    }
  }

  /// `q @ k.T` of D and of E columns, where nothing reads `w: Tensor[E, D]`: it makes the ones of the others.
  void projected() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (place_.inKernel || said.size() != 2 || operands.size() != 2 || said[0].empty() || said[1].size() < 2 || !place_.names) return;
    const std::string &left = said[0].back(), &right = said[1][said[1].size() - 2];
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      auto use = place_.names->find(p.name.text);
      if (!type || extentCount(*type) != 2 || use == place_.names->end() || !use->second.reads.empty()) continue;
      const std::string from = extentText(type->items[0]), to = extentText(type->items[1]);
      for (size_t side : {1, 0}) {
        if (from != (side ? right : left) || to != (side ? left : right)) continue;
        visit(*operands[side], [&](const ast::Expr &part) {
          auto *name = as<ast::NameExpr>(&part);
          const ast::SubscriptExpr *own = name ? tensorTypeOf(name) : nullptr;
          if (!own || extentCount(*own) == 0 || extentText(own->items[extentCount(*own) - 1]) != from) return;
          const std::string product = name->name + " @ " + p.name.text;
          replaceOnce(edits, name->span, name == operands[0] ? product : "(" + product + ")", "multiply it with `" + p.name.text + "`, which nothing reads: `" + product + "`");
        });
      }
    }
  }

  /// `w: Tensor[32, 3, 3, 3]` of a convolution that is given 16 channels.
  void declaredChannels() {
    constexpr std::string_view kGiven = "is given ";
    auto *call = place_.innermost<ast::CallExpr>();
    const ast::SubscriptExpr *weights = call && call->arguments.size() > 1 ? tensorTypeOf(call->arguments[1].value.get()) : nullptr;
    const size_t at = diagnostic_.message.find(kGiven), end = diagnostic_.message.find(" channels");
    if (at == std::string::npos || end == std::string::npos) return;
    const std::string given = diagnostic_.message.substr(at + kGiven.size(), end - at - kGiven.size());
    if (!weights && call && call->arguments.size() > 1) channelsOfStruct(*call->arguments[1].value, given);
    if (!weights || extentCount(*weights) < 3) return;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.ofSignature = edits.last = true;
    replace(edits, weights->items[1].span, given, "declare the channels that are given: " + given);
  }

  /// `conv2d(x, second.w)` of 16 channels and `second: Conv[3, 32]`: the argument of the struct that is what the weights take.
  void channelsOfStruct(const ast::Expr &weights, const std::string &given) {
    auto *field = as<ast::AttributeExpr>(&weights);
    auto *object = field ? as<ast::NameExpr>(field->object) : nullptr;
    constexpr std::string_view kTake = "weights take ";
    const size_t at = diagnostic_.message.find(kTake);
    if (!object || !place_.function || at == std::string::npos) return;
    const std::string taken = diagnostic_.message.substr(at + kTake.size());
    CandidateGroup &edits = group(true);
    edits.assumes = edits.ofSignature = true;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = p.name.text == object->name ? as<ast::SubscriptExpr>(p.annotation) : nullptr;
      for (size_t i = 0; type && i < type->items.size(); ++i)
        if (text(type->items[i].span) == taken) replace(edits, type->items[i].span, given, "declare the channels that are given: " + given);
    }
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
    auto isScaled = [](const ast::Expr &e) {  // `0.9 * a` is mixed with something
      auto *product = as<ast::BinaryExpr>(&e);
      return product && product->op == ast::BinaryOp::Mul && (product->left->kind == ast::ExprKind::Float || product->right->kind == ast::ExprKind::Float);
    };
    if (differ.size() != 1 || isScaled(*sum->left) || isScaled(*sum->right)) return;
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
    placesOfExtremes();
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::Expr *operand : operandsAt(place_)) {
      const ast::SubscriptExpr *type = tensorTypeOf(operand);
      if (!type || extentCount(*type) < 2) continue;
      const std::string axis = std::to_string(extentCount(*type) - 1), best = "argmax(" + text(*operand) + ", axis=" + axis + ")";
      replace(edits, operand->span, best, "compare the class that has the most: `" + best + "`");
    }
  }

  /// `max(logits, axis=1) == y` of labels: where the largest lies.
  void placesOfExtremes() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const std::string name = call ? nameOf(*call) : "";
      if ((name != "max" && name != "min") || !keyword(*call, "axis") || edits.edits.size() >= kMost) return;
      auto *method = as<ast::AttributeExpr>(call->callee);
      replace(edits, method ? method->attribute.span : call->callee->span, "arg" + name, "where it lies is `arg" + name + "`");
    });
  }

  /// `sum(a @ w @ b, axis=1)` of two that have the same shape, whose products are added up: element by element.
  void elementwise() {
    auto *product = as<ast::BinaryExpr>(place_.expr());
    const auto said = shapesSaid();
    if (!product || place_.inKernel || said.size() != 2 || said[0] != said[1]) return;
    auto *sum = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    if (!sum || nameOf(*sum) != "sum") return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    replace(edits, product->opSpan, "*", "multiply element by element: `*`");
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
    if (!call || nameOf(*call) != "concat" || call->arguments.empty()) return;
    std::vector<const ast::Expr *> parts;
    for (const ast::Argument &argument : call->arguments) {
      if (argument.keyword) continue;
      auto *list = argument.value->kind == ast::ExprKind::List ? static_cast<const ast::SequenceExpr *>(argument.value.get()) : nullptr;
      if (!list) parts.push_back(argument.value.get());
      for (size_t i = 0; list && i < list->items.size(); ++i) parts.push_back(list->items[i].get());
    }
    for (const char *index : {"[:, None]", "[None]"}) {
      CandidateGroup &edits = group(true);
      for (const ast::Expr *item : parts)
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
