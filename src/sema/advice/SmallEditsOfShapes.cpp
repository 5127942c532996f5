// Axes, arguments and sizes that are nearly the right ones.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include "support/DType.h"
#include <set>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class SmallShapeEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::wrongResult: keptDimension(), exchanged(), axesOfCalls(), paddedWindows(), joined(), reshaped(); break;
    case Id::shapeMismatch: exchanged(), turnedArgument(), axesOfCalls(), shiftedArgument(), keptDimension(); break;
    case Id::tileMismatch:
    case Id::factRefuted:
    case Id::redefinedType: keptDimension(); break;
    case Id::broadcastFails: keptDimension(), shiftedArgument(), uprightArguments(); break;
    case Id::contractionMismatch: keptDimension(), exchanged(), flattenedRows(), axesOfOperands(), rowsOfTable(), flattened(); break;
    case Id::badAxis:
    case Id::badReshape: axesOfCalls(); break;
    case Id::badConstant: axesOfCalls(); break;
    case Id::badKernelOption: takenApart(); break;
    case Id::wrongArgument: exchanged(), originOfOne(), rowsByIndex(), imageAlone(); break;
    case Id::rankMismatch: exchanged(), fewerIndices(), oneMoreAxis(); break;
    case Id::splitSizes: splitAxis(); break;
    case Id::unpackCount: originOfOne(); break;
    case Id::channelMismatch: channelsFirst(); break;
    case Id::dependsOnTile: wholeAxis(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `keepdim=True` where the result lacks the dimension.
  void keptDimension() {
    if (diagnostic_.id == Id::factRefuted && diagnostic_.message.find("ndim") == std::string::npos) return;
    CandidateGroup edits, ofAxis{{}, false};
    edits.onlyIfUnique = true, ofAxis.assumes = true;
    std::set<const ast::CallExpr *> seen;
    auto drop = [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || !seen.insert(call).second) return;
      for (size_t i = 0; i < call->arguments.size(); ++i) {
        const ast::Argument &arg = call->arguments[i];
        if (!arg.keyword || arg.keyword->text != "keepdim") continue;
        uint32_t begin = i > 0 ? call->arguments[i - 1].span.end : arg.span.begin;
        if (!place_.inKernel && i == 1 && call->arguments.size() == 2 && as<ast::NameExpr>(call->callee)) {  // of all axes: one number
          for (const char *axis : {"axis=1", "axis=-1", "axis=0"}) replace(ofAxis, arg.span, axis, std::string("go along one axis: `") + axis + "`");
        }
        replace(edits, {arg.span.file, begin, arg.span.end}, "", "drop the dimension that is reduced");
      }
    };
    eachInPlay(drop);
    if (place_.statement)  // `acc += sum(x, axis=1, keepdim=True)`
      for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, drop);
    groups_.push_back(std::move(ofAxis)), groups_.push_back(std::move(edits));
  }

  /// `outer(b, a)`: two arguments next to each other.
  void exchanged() {
    const ast::CallExpr *call = place_.innermost<ast::CallExpr>();
    if (!call) call = as<ast::CallExpr>(meant());
    static const std::set<std::string> sizes = {"reshape", "expand", "permute", "transpose"};
    if (!call || sizes.count(nameOf(*call))) return;
    const auto &args = call->arguments;
    CandidateGroup &neighbours = group(true);
    for (size_t i = 0; i + 1 < args.size(); ++i) exchange(neighbours, args[i], args[i + 1]);
    CandidateGroup &others = group(true);  // of which one is the argument that the message is about
    for (size_t i = 0; i < args.size(); ++i)
      for (size_t j = i + 2; j < args.size(); ++j)
        for (size_t here : {i, j})
          if (args[here].span.begin == diagnostic_.span.begin) exchange(others, args[i], args[j]);
  }
  void exchange(CandidateGroup &edits, const ast::Argument &a, const ast::Argument &b) {
    bool plain = !a.keyword && !b.keyword && !a.stars && !b.stars;
    auto isNumber = [](const ast::Argument &arg) {
      return arg.value->kind == ast::ExprKind::Int || arg.value->kind == ast::ExprKind::Float;
    };
    bool numbers = isNumber(a) || isNumber(b);
    if (!plain || numbers || text(a.span) == text(b.span)) return;
    std::string between = text({a.span.file, a.span.end, b.span.begin});
    replace(edits, a.span.to(b.span), text(b.span) + between + text(a.span), "exchange them");
  }

  /// `layer(x, w.T)`, where `w` is given.
  void turnedArgument() {
    auto *name = as<ast::NameExpr>(place_.expr());
    auto *member = as<ast::AttributeExpr>(place_.expr());
    if (place_.inKernel || (!name && !member) || !place_.innermost<ast::CallExpr>()) return;
    if (member && member->attribute.text == "T")
      replace(group(false), {member->span.file, member->object->span.end, member->span.end}, "");
    else insert(group(false), place_.expr()->span.end, ".T", "turn it around");
  }

  /// The axes of `transpose(2, 3)`, `permute(0, 2, 3, 1)`, `unsqueeze(0)`, `mean(axis=(1, 2))`.
  void axesOfCalls() {
    const ast::Expr *e = diagnostic_.id == Id::wrongResult ? meant() : place_.innermost<ast::CallExpr>();
    if (!e) return;
    visit(*e, [&](const ast::Expr &part) {
      if (auto *call = as<ast::CallExpr>(&part)) axesOf(*call);
    });
  }
  void axesOf(const ast::CallExpr &call) {
    std::string name = nameOf(call);
    std::vector<const ast::IntExpr *> axes;
    for (const ast::Argument &arg : call.arguments) {
      if (auto *number = as<ast::IntExpr>(arg.value); number && !arg.keyword) axes.push_back(number);
      bool several = arg.keyword && arg.keyword->text == "axis" && arg.value->kind == ast::ExprKind::Tuple;
      if (several && static_cast<const ast::SequenceExpr &>(*arg.value).items.size() == 2)
        pairsIn(static_cast<const ast::SequenceExpr &>(*arg.value)
                    .items.front()
                    ->span.to(static_cast<const ast::SequenceExpr &>(*arg.value).items.back()->span),
                4);
    }
    if (axes.empty()) return;
    Span all = axes.front()->span.to(axes.back()->span);
    if (name == "unsqueeze" || name == "squeeze") {
      CandidateGroup &edits = group(true);
      for (uint64_t axis = 0; axis < 4; ++axis)
        if (axis != axes[0]->value) replace(edits, axes[0]->span, std::to_string(axis));
    } else if (name == "transpose" && axes.size() == 2) {
      pairsIn(all, 4);
    } else if (name == "permute" && axes.size() >= 3 && axes.size() <= 4) {
      permutations(all, axes.size());
    }
  }
  void pairsIn(Span span, int count) {
    CandidateGroup &edits = group(true);
    for (int a = 0; a < count; ++a)
      for (int b = a + 1; b < count; ++b) {
        std::string pair = std::to_string(a) + ", " + std::to_string(b);
        if (pair != text(span)) replace(edits, span, pair);
      }
  }
  void permutations(Span span, size_t count) {
    CandidateGroup &edits = group(true);
    std::vector<int> order;
    for (size_t i = 0; i < count; ++i) order.push_back(static_cast<int>(i));
    while (std::next_permutation(order.begin(), order.end())) {
      std::string shown;
      for (int axis : order) shown += (shown.empty() ? "" : ", ") + std::to_string(axis);
      if (shown != text(span)) replace(edits, span, shown);
    }
  }

  /// A convolution that was meant to keep the size.
  void paddedWindows() {
    const ast::Expr *e = meant();
    auto *call = as<ast::CallExpr>(e);
    std::string name = call ? nameOf(*call) : "";
    if (name == "max_pool" || name == "avg_pool") return ownStride(*call);
    if (name != "conv1d" && name != "conv2d") return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword && arg.keyword->text == "padding") {
        for (int padding = 0; padding <= 4; ++padding)
          if (text(*arg.value) != std::to_string(padding)) replace(edits, arg.value->span, std::to_string(padding));
        return;
      }
    for (int padding = 1; padding <= 4; ++padding)
      insert(edits, call->span.end - 1, ", padding=" + std::to_string(padding), "pad the edges");
  }

  /// Windows that were meant to lie side by side.
  void ownStride(const ast::CallExpr &call) {
    for (size_t i = 1; i < call.arguments.size(); ++i)
      if (const ast::Argument &arg = call.arguments[i]; arg.keyword && arg.keyword->text == "stride")
        replace(group(false), {arg.span.file, call.arguments[i - 1].span.end, arg.span.end}, "",
                "let the windows lie side by side");
  }

  /// `stack` for `concat` and back.
  void joined() {
    auto *call = as<ast::CallExpr>(meant());
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if (name && (name->name == "stack" || name->name == "concat"))
      replace(group(false), name->span, name->name == "stack" ? "concat" : "stack",
              name->name == "stack" ? "join them along the axis" : "join them along a new axis");
  }

  /// `x.flatten() @ w`, where the batch has to stay.
  void flattenedRows() {
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_)) {
      if (auto *name = as<ast::NameExpr>(operand)) operand = place_.valueOf(name->name);
      auto *call = as<ast::CallExpr>(operand);
      bool method = call && as<ast::AttributeExpr>(call->callee);
      if (!call || nameOf(*call) != "flatten" || call->arguments.size() != (method ? 0 : 1)) continue;
      insert(edits, call->span.end - 1, method ? "1" : ", 1", "keep the first axis");
    }
  }

  /// `q @ k.transpose(1, 2)`, where the last two were meant.
  void axesOfOperands() {
    for (const ast::Expr *operand : operandsAt(place_)) {
      if (auto *name = as<ast::NameExpr>(operand)) operand = place_.valueOf(name->name);
      if (operand)
        visit(*operand, [&](const ast::Expr &part) {
          if (auto *call = as<ast::CallExpr>(&part)) axesOf(*call);
        });
    }
  }

  /// `table @ ids`: integers name rows.
  void rowsOfTable() {
    std::vector<const ast::Expr *> pair = operandsAt(place_);
    auto *product = as<ast::BinaryExpr>(place_.expr());
    if (!product || pair.size() != 2 || !place_.function || place_.inKernel) return;
    for (size_t i = 0; i < 2; ++i)
      for (const ast::Parameter &p : place_.function->parameters) {
        auto *type = p.name.text == text(*pair[i]) ? as<ast::SubscriptExpr>(p.annotation) : nullptr;
        auto *dtype = type && !type->items.empty() ? as<ast::NameExpr>(type->items.back().value) : nullptr;
        auto known = dtype ? dtypeByName(dtype->name) : std::nullopt;
        if (known && isInt(*known))
          replace(group(false), product->span, "take(" + text(*pair[1 - i]) + ", " + text(*pair[i]) + ")",
                  "take the rows");
      }
  }

  /// `x @ w` of images and a weight that takes all of an image.
  void flattened() {
    if (place_.inKernel) return;
    std::vector<const ast::Expr *> pair = operandsAt(place_);
    if (pair.empty()) return;
    replace(group(false), pair[0]->span, asPrimary(*pair[0]) + ".flatten(1)", "make rows of it");
  }

  /// `cross_entropy(logits[:, :-1], ids)`: the other one is shifted, too.
  void shiftedArgument() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || place_.inKernel) return;
    bool first = false, last = false;  // what others leave out
    visit(*call, [&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      if (!slice || slice->step) return;
      last |= !slice->start && slice->stop && text(*slice->stop) == "-1";
      first |= slice->start && !slice->stop && text(*slice->start) == "1";
    });
    if (first == last) return;
    CandidateGroup &edits = group(true);
    const std::string kept = last ? "1:" : ":-1";
    for (const ast::Argument &arg : call->arguments)
      if (!arg.keyword && (arg.value->kind == ast::ExprKind::Name || arg.value->kind == ast::ExprKind::Attribute))
        for (const std::string &index : {"[" + kept + "]", "[:, " + kept + "]"})
          insert(edits, arg.span.end, index, "shift it against the other one");
  }

  /// `split(x, 3)`, which takes the first axis.
  void splitAxis() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "split" || call->arguments.empty()) return;
    if (const ast::Argument *given = keyword(*call, "axis")) {
      CandidateGroup &others = group(true);
      eachOtherAxis(given->value.get(), [&](const std::string &other) { replace(others, given->value->span, other, "split along axis " + other); });
    }
    if (call->arguments.back().keyword) return;
    CandidateGroup &edits = group(true);
    for (int axis = 1; axis <= 3; ++axis) {
      std::string given = ", axis=" + std::to_string(axis);
      insert(edits, call->arguments.back().span.end, given, "split along axis " + std::to_string(axis));
    }
  }

  /// `table[ids]`, `logits[arange(B), y]`, `logits[:, y]`
  void rowsByIndex() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    bool ofTensor = diagnostic_.message.find("this is a tensor") != std::string::npos;
    if (!subscript || !ofTensor || place_.inKernel || subscript->items.empty() || subscript->items.size() > 2) return;
    const ast::Expr &index = *subscript->items.back().value;
    std::string x = text(*subscript->object), by = asPrimary(index);
    CandidateGroup &edits = group(false);
    if (subscript->items.size() == 1) return replace(edits, subscript->span, "take(" + x + ", " + text(index) + ")");
    replace(edits, subscript->span, "gather(" + x + ", " + by + ".unsqueeze(1), 1).squeeze(1)");
    auto *slice = as<ast::SliceExpr>(subscript->items.front().value);
    if (slice && !slice->start && !slice->stop)
      replace(edits, subscript->span, "take(" + x + ", " + text(index) + ", axis=1)");
  }

  /// The declared shape, where it has another number of dimensions.
  void reshaped() {
    const ast::Expr *result = place_.function ? place_.function->result.get() : nullptr;
    auto *type = as<ast::SubscriptExpr>(result);
    if (!type || extentCount(*type) == 0 || !place_.expr() || place_.inKernel) return;
    const std::string shape = listOf(extentTexts(*type));
    const size_t rank = extentCount(*type);
    auto *source = as<ast::NameExpr>(place_.expr());
    if (!source) return;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *declared = as<ast::SubscriptExpr>(p.annotation);
      if (p.name.text == source->name && declared && extentCount(*declared) != rank)
        replace(group(false), source->span, source->name + ".reshape(" + shape + ")");
    }
  }

  void fewerIndices() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript || subscript->items.size() < 2) return;
    const auto &items = subscript->items;
    auto *sum = items.size() == 2 ? as<ast::BinaryExpr>(items[1].value) : nullptr;
    if (sum && text(*sum->left) == text(items[0].span))  // `x[n, n + T.m]`
      replace(group(false), {items[0].span.file, items[0].span.end, items[1].span.begin}, ":", "a slice has a colon");
    auto isBound = [](const ast::Expr &e) { return e.kind == ast::ExprKind::Int || e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Unary; };
    if (items.size() == 2 && isBound(*items[0].value) && isBound(*items[1].value)) {  // `x[1, N]`
      CandidateGroup &slice = group(false);
      slice.assumes = true;
      replace(slice, {items[0].span.file, items[0].span.end, items[1].span.begin}, ":", "a slice has a colon");
    }
    CandidateGroup &fewer = group(false);
    fewer.assumes = true;
    for (size_t i = items.size(); i-- > 0;) {
      const Span gone = i == 0 ? Span{items[0].span.file, items[0].span.begin, items[1].span.begin}
                               : Span{items[i].span.file, items[i - 1].span.end, items[i].span.end};
      replace(fewer, gone, "", i + 1 == items.size() ? "leave the last index out" : "leave this index out");
    }
  }

  /// `m = tile.origin()`: there is a number for each dimension of the output.
  void originOfOne() {
    if (!place_.function) return;
    auto *tuple = place_.expr() && place_.expr()->kind == ast::ExprKind::Tuple
                      ? static_cast<const ast::SequenceExpr *>(place_.expr())
                      : nullptr;
    if (tuple && tuple->items.size() > 1)
      return replace(group(false), tuple->span, "(" + text(*tuple->items[0]) + ",)");
    auto *name = as<ast::NameExpr>(place_.expr());
    const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
    auto *call = as<ast::CallExpr>(value);
    if (!call || nameOf(*call) != "origin") return;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      if (!assign || assign->value.get() != value) continue;
      CandidateGroup &edits = group(false);
      replace(edits, assign->targets[0]->span, "(" + name->name + ",)");
      if (takesFirstTile()) continue;  // `x[m:m + T.m, 0:T.n]`: the other offset is needed, not left out
      for (const char *rest : {", _", ", _, _", ", _, _, _"})
        replace(edits, assign->targets[0]->span, name->name + rest);
    }
  }

  bool takesFirstTile() const {
    bool found = false;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      auto *start = slice ? as<ast::IntExpr>(slice->start) : nullptr;
      found |= start && start->value == 0 && slice->stop && slice->stop->kind == ast::ExprKind::Attribute;
    });
    return found;
  }

  /// An image whose channels stand last.
  void channelsFirst() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.empty()) return;
    const bool isOfTime = nameOf(*call) == "conv1d";
    CandidateGroup &edits = group(false);
    edits.assumes = isOfTime;  // or the axes are declared in the wrong order
    replace(edits, call->arguments[0].span, asPrimary(*call->arguments[0].value) + (isOfTime ? ".transpose(1, 2)" : ".permute(0, 3, 1, 2)"), "bring the channels to the front");
  }

  /// `x[r, c:c + T.n]`, where the whole row was meant, or another axis.
  void wholeAxis() {
    CandidateGroup &edits = group(true);
    if (auto *call = place_.innermost<ast::CallExpr>())
      for (const ast::Argument &arg : call->arguments) {
        auto *axis = arg.keyword && arg.keyword->text == "axis" ? as<ast::IntExpr>(arg.value) : nullptr;
        for (uint64_t other = 0; axis && other < 2; ++other)
          if (other != axis->value) replace(edits, axis->span, std::to_string(other));
      }
    for (const ast::Expr *operand : operandsAt(place_)) {
      if (auto *name = as<ast::NameExpr>(operand)) operand = place_.valueOf(name->name);
      if (!operand) continue;
      visit(*operand, [&](const ast::Expr &part) {
        if (auto *slice = as<ast::SliceExpr>(&part); slice && slice->start && slice->stop)
          replace(edits, slice->span, ":", "take the whole axis");
      });
    }
  }

  /// `cross_entropy(logits.reshape(B * S, V), ids)`
  void flattenedArgument(const ast::CallExpr &call) {
    std::string rows;
    for (const ast::Argument &arg : call.arguments) {
      auto *shaped = as<ast::CallExpr>(arg.value);
      if (shaped && nameOf(*shaped) == "reshape" && as<ast::AttributeExpr>(shaped->callee) &&
          !shaped->arguments.empty())
        rows = text(shaped->arguments[0].span);
    }
    if (rows.empty())  // `flat = logits.reshape(B * S, V)` in front
      eachInPlay([&](const ast::Expr &part) {
        auto *shaped = as<ast::CallExpr>(&part);
        const bool method = shaped && nameOf(*shaped) == "reshape" && as<ast::AttributeExpr>(shaped->callee);
        auto *first = method && !shaped->arguments.empty() ? as<ast::BinaryExpr>(shaped->arguments[0].value) : nullptr;
        if (first && first->op == ast::BinaryOp::Mul) rows = text(*first);
      });
    if (rows.empty()) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : call.arguments) {
      if (!as<ast::NameExpr>(arg.value)) continue;
      insert(edits, arg.span.end, ".reshape(" + rows + ")", "put it into the same rows");
      auto *type = tensorTypeOf(arg.value.get());
      if (type && extentCount(*type) > 2)  // `logits` of `[B, S, V]`
        insert(edits, arg.span.end, ".reshape(" + rows + ", " + text(type->items[extentCount(*type) - 1].span) + ")",
               "put it into the same rows");
    }
  }

  /// Whether the larger shape of the message ends with one extent twice.
  bool ofPairs() const {
    const std::string &said = diagnostic_.message;
    for (size_t close = said.find(']'); close != std::string::npos; close = said.find(']', close + 1)) {
      const size_t open = said.rfind('[', close), last = said.rfind(", ", close), before = last == std::string::npos ? last : said.rfind(", ", last - 1);
      if (before == std::string::npos || before < open) continue;
      if (said.substr(last + 2, close - last - 2) == said.substr(before + 2, last - before - 2)) return true;
    }
    return false;
  }

  /// `keep[:, None, :]` of keys beside scores of several heads: one more new axis beside it, so that the last one stays that of the keys.
  void oneMoreInFront(const ast::Expr &mask) {
    auto *name = as<ast::NameExpr>(&mask);
    auto *item = as<ast::SubscriptExpr>(name ? place_.valueOf(name->name) : &mask);
    auto *whole = item && item->items.size() > 1 ? as<ast::SliceExpr>(item->items.back().value) : nullptr;
    if (!whole || whole->start || whole->stop || whole->step) return;
    auto added = std::find_if(item->items.begin(), item->items.end(), [](const ast::Argument &index) { return index.value->kind == ast::ExprKind::None; });
    if (added != item->items.end()) insert(group(false), added->span.end, ", None", "let it hold for all heads and queries");
  }

  /// `where(mask, x, 0.0)`, where the mask lacks the last axis.
  void uprightArguments() {
    auto *call = as<ast::CallExpr>(place_.expr());
    if (!call) return;
    flattenedArgument(*call);
    size_t declared = 0;
    for (const ast::Argument &arg : call->arguments) declared += tensorTypeOf(arg.value.get()) != nullptr;
    bool chooses = nameOf(*call) == "where";
    if (chooses && ofPairs())  // scores of queries and keys: a mask is one of keys
      for (const ast::Argument &arg : call->arguments) {
        const ast::SubscriptExpr *type = tensorTypeOf(arg.value.get());
        if (type && extentCount(*type) == 2) insert(group(false), arg.span.end, "[:, None, :]", "let it hold for all queries");
        else oneMoreInFront(*arg.value);
      }
    if (!chooses && declared > 1) return;  // `mse(p, y)`: rather one is declared wrong
    CandidateGroup &edits = group(true);
    edits.assumes = !chooses;
    for (const ast::Argument &arg : call->arguments)
      if (as<ast::NameExpr>(arg.value)) insert(edits, arg.span.end, ".unsqueeze(-1)", "give it one more axis");
  }

  /// `grid=(2,)` of a kernel that returns one value.
  void takenApart() {
    if (!place_.function) return;
    CandidateGroup &edits = group(false);
    for (const ast::Decorator &decorator : place_.function->decorators) {
      auto *call = as<ast::CallExpr>(decorator.expression);
      if (!call) continue;
      for (const ast::Argument &arg : call->arguments)
        if (arg.keyword && arg.keyword->text == "grid") replace(edits, arg.value->span, "(1,)", "let one group do it");
    }
  }

  /// A row, or a column, for a matrix.
  void oneMoreAxis() {
    auto *name = as<ast::NameExpr>(place_.expr());
    if (!name || place_.inKernel) return;
    CandidateGroup &edits = group(true);
    for (const char *index : {"[None, :]", "[:, None]"}) insert(edits, name->span.end, index);
  }

  /// `conv2d(image, w)` of one image
  void imageAlone() {
    auto *name = as<ast::NameExpr>(place_.expr());
    if (!name || diagnostic_.message.find("a tensor `[batch, channels") == std::string::npos) return;
    CandidateGroup &edits = group(true);
    for (const char *index : {"[None]", "[None, None]"}) insert(edits, name->span.end, index, "put axes of extent 1 in front");
  }
};

}  // namespace

std::vector<CandidateGroup> smallEditsOfShapes(const diag::Diagnostic &diagnostic, const Place &place,
                                               const Sources &sources) {
  return SmallShapeEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
