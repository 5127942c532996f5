// Edits for arguments that do not fit: one too many, in another order, of another kind, under another name.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cmath>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class FittingEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    movedArgument();
    conditionFirst();
    switch (diagnostic_.id) {
    case Id::noOverload:
      wholeNumbers(), noneForFalse(), streamOfFunction(), exchangedNeighbours(), lengthOfList(), oneLess(), withoutCall();
      break;
    case Id::wrongArgument:
      cacheOfOthers(), treeLikeOthers(), integersAsIndices(), extentOfShape(), otherParameter(), oneOfTuple(), wholeNumbers(), noneForFalse(), streamOfFunction(), lengthOfList(), exchangedNeighbours(), declaredLikeOther(), withoutCall();
      break;
    case Id::badConstant:
    case Id::notConstant: exchangedNeighbours(), wholeNumbers(); break;
    case Id::tooManyArguments: oneLess(), exchangedNeighbours(); break;
    case Id::unknownKeyword: numberedKeywords(), byPosition(), scheduledSizes(), meanOfDevices(); break;
    case Id::broadcastFails:
    case Id::shapeMismatch:
    case Id::rankMismatch: sameForBatch(), withoutCall(), exchangedNeighbours(); break;
    case Id::dtypeMismatch: withoutCall(), exchangedNeighbours(); break;
    case Id::badAxis: withoutAxis(); break;
    case Id::unknownAttribute:  // in a function of the library
      if (auto *call = as<ast::CallExpr>(place_.expr()); call && call->arguments.size() == 2) exchangedNeighbours();
      break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 16;

  /// The calls whose arguments the message may be about, the innermost first.
  std::vector<const ast::CallExpr *> callsAround() const {
    std::vector<const ast::CallExpr *> found;
    for (const ast::Expr *e : place_.around)
      if (auto *call = as<ast::CallExpr>(e); call && found.size() < 2) found.push_back(call);
    return found;
  }

  /// `group_norm(x, g, b, 8)`, `tile.dot(acc, a, b)`: one argument stands elsewhere, the others in their order.
  void movedArgument() {
    static const std::set<Id> ids = {Id::noOverload, Id::wrongArgument, Id::notSupportedYet, Id::contractionMismatch, Id::shapeMismatch,
                                     Id::rankMismatch, Id::broadcastFails, Id::factRefuted, Id::badOperand, Id::unknownAttribute};
    auto *call = as<ast::CallExpr>(place_.expr());
    const bool ofKinds = diagnostic_.id == Id::factRefuted && diagnostic_.message.find(".ndim") == std::string::npos;
    if (!call || ofKinds || !ids.count(diagnostic_.id)) return;
    const size_t count = call->arguments.size();
    if (count < 3 || count > 5) return;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword || arg.stars) return;
    CandidateGroup &edits = group(true);
    edits.last = true;
    for (size_t from = 0; from < count; ++from)
      for (size_t to = 0; to < count; ++to) {
        if (from == to || from == to + 1) continue;  // of two neighbours one move is enough
        std::vector<std::string> order;
        for (size_t i = 0; i < count; ++i)
          if (i != from) order.push_back(text(call->arguments[i].span));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), text(call->arguments[from].span));
        std::string shown;
        for (const std::string &one : order) shown += (shown.empty() ? "" : ", ") + one;
        replace(edits, call->arguments.front().span.to(call->arguments.back().span), shown, "give them in this order");
      }
  }

  /// `tree_map(f, g, slopes)` of `slopes = grad(loss, wrt="c")(g, c)`: the derivative by another parameter.
  void otherParameter() {
    if (diagnostic_.message.find("trees with the same parts") == std::string::npos) return;
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const std::string maker = call ? nameOf(*call) : "";
      if ((maker != "grad" && maker != "value_and_grad") || call->arguments.empty()) return;
      const ast::Argument *wrt = keyword(*call, "wrt");
      for (const ast::StmtPtr &stmt : place_.module->body) {
        auto *def = as<ast::FuncDef>(stmt);
        if (!def || def->name.text != text(call->arguments[0].span)) continue;
        for (const ast::Parameter &p : def->parameters)
          if (const std::string other = "\"" + p.name.text + "\""; !wrt) insert(edits, call->span.end - 1, ", wrt=" + other, "derive by `" + p.name.text + "`");
          else if (wrt->value->kind == ast::ExprKind::String && text(*wrt->value) != other) replace(edits, wrt->value->span, other, "derive by `" + p.name.text + "`");
      }
    });
  }

  /// `take(weight, scores)`: the integers that the function is given.
  void integersAsIndices() {
    if (diagnostic_.message.find("a tensor of integers as its indices") == std::string::npos) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::Parameter &p : place_.function->parameters) {
      const ast::SubscriptExpr *type = tensorType(p.annotation.get());
      const auto dtype = type ? dtypeByName(dtypeText(*type)) : std::nullopt;
      if (dtype && isInt(*dtype)) replace(edits, diagnostic_.span, p.name.text);
    }
  }
  /// `cache: KVCache[B, H, S, 64, f32]`, to which keys and values of 32 features are added.
  void cacheOfOthers() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    const ast::Parameter *cache = method && nameOf(*call) == "append" ? parameterOf(method->object.get()) : nullptr;
    auto *type = cache ? as<ast::SubscriptExpr>(cache->annotation) : nullptr;
    if (!type || type->items.size() < 4 || call->arguments.size() != 2) return;
    const ast::SubscriptExpr *keys = tensorTypeOf(call->arguments[0].value.get()), *values = tensorTypeOf(call->arguments[1].value.get());
    if (!keys || !values || extentTexts(*keys) != extentTexts(*values) || extentCount(*keys) != 4) return;
    CandidateGroup &edits = group(false);
    edits.ofSignature = edits.assumes = true;
    const std::vector<std::string> own = extentTexts(*keys);
    size_t differing = 0;
    for (size_t axis : {0, 1, 3}) differing += text(type->items[axis].span) != own[axis];
    for (size_t axis : {0, 1, 3})  // of two, the axes stand in another order rather
      if (const std::string declared = text(type->items[axis].span); differing == 1 && declared != own[axis] && declared != own[2]) replace(edits, type->items[axis].span, extentTexts(*keys)[axis], "declare what is added to it");
  }
  /// `permutation(x.shape, rng)`: its first extent.
  void extentOfShape() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || diagnostic_.message.find("this is a tuple") == std::string::npos) return;
    for (const ast::Argument &arg : call->arguments)
      if (auto *member = as<ast::AttributeExpr>(arg.value); member && member->attribute.text == "shape") insert(group(false), arg.span.end, "[0]", "take the first extent");
  }
  /// `concat(sink, k, axis=1)` of `[1, E]` and `[B, T, E]`: the same for each of the batch.
  void sameForBatch() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "concat") return;
    std::vector<std::pair<const ast::Argument *, const ast::SubscriptExpr *>> parts;
    for (const ast::Argument &arg : call->arguments) {
      auto *name = as<ast::NameExpr>(arg.value);
      const ast::Expr *value = name && !tensorTypeOf(name) ? place_.valueOf(name->name) : arg.value.get();
      if (const ast::SubscriptExpr *type = tensorTypeOf(value)) parts.push_back({&arg, type});
    }
    for (const auto &[arg, type] : parts)
      for (const auto &[other, longer] : parts)
        if (extentCount(*type) + 1 == extentCount(*longer)) {
          std::vector<std::string> shape = extentTexts(*type);
          shape.insert(shape.begin(), extentTexts(*longer)[0]);
          replace(group(false), arg->span, "broadcast_to(" + text(arg->span) + ", (" + listOf(shape) + "))", "the same for each of them");
        }
  }

  /// `momentum(p, g, m, rate)` of an m that is declared as another struct: that of the others.
  void treeLikeOthers() {
    const size_t end = diagnostic_.message.rfind('`'), begin = end == std::string::npos ? end : diagnostic_.message.rfind('`', end - 1);
    if (diagnostic_.message.find("trees with the same parts") == std::string::npos || begin == std::string::npos) return;
    const std::string own = diagnostic_.message.substr(begin + 1, end - begin - 1);
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = true;
    for (const ast::Parameter &p : place_.function->parameters)
      for (const ast::Parameter &like : place_.function->parameters)
        if (p.annotation && like.annotation && text(*p.annotation) == own && text(*like.annotation) != own && as<ast::SubscriptExpr>(like.annotation) && !tensorType(like.annotation.get()))
          replaceOnce(edits, p.annotation->span, text(*like.annotation), "declare it like the others");
  }

  /// `where(a, b, x > 0.0)`: the condition stands in front of the two, which keep their order.
  void conditionFirst() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (diagnostic_.id != Id::wrongArgument || !call || nameOf(*call) != "where" || call->arguments.size() != 3) return;
    const auto &arguments = call->arguments;
    for (const ast::Argument &arg : arguments)
      if (arg.keyword || arg.stars) return;
    const size_t at = isMask(*arguments[1].value) ? 1 : 2;
    if (isMask(*arguments[0].value) || !isMask(*arguments[at].value)) return;
    replace(group(false), arguments.front().span.to(arguments.back().span), text(arguments[at].span) + ", " + text(arguments[0].span) + ", " + text(arguments[3 - at].span), "the condition comes first");
  }

  /// `linear(x, D * 1.5)`: the product of whole numbers, `D * 3 // 2`.
  void wholeNumbers() {
    constexpr double kMostParts = 64;
    CandidateGroup &edits = group(true);
    for (const ast::CallExpr *call : callsAround())
      for (const ast::Argument &arg : call->arguments)
        visit(*arg.value, [&](const ast::Expr &part) {
          auto *product = as<ast::BinaryExpr>(&part);
          auto *factor = product && product->op == ast::BinaryOp::Mul ? as<ast::FloatExpr>(product->right) : nullptr;
          const ast::Expr *other = factor ? product->left.get() : nullptr;
          if (!factor && product && product->op == ast::BinaryOp::Mul) {
            factor = as<ast::FloatExpr>(product->left);
            other = product->right.get();
          }
          if (product && product->op == ast::BinaryOp::Div)
            replace(edits, product->opSpan, "//", "divide and round down");
          if (!factor) return;
          for (double parts = 1; parts <= kMostParts; ++parts) {
            const double whole = factor->value * parts;
            if (whole < 1 || std::abs(whole - std::round(whole)) > 1e-9) continue;
            const std::string times = asPrimary(*other) + " * " + std::to_string(static_cast<int64_t>(std::round(whole)));
            replace(edits, product->span, parts == 1 ? times : times + " // " + std::to_string(static_cast<int64_t>(parts)),
                    "count in whole numbers");
            return;
          }
        });
  }

  /// `bias=None`, where True or False is taken.
  void noneForFalse() {
    CandidateGroup &edits = group(true);
    for (const ast::CallExpr *call : callsAround())
      for (const ast::Argument &arg : call->arguments)
        if (arg.keyword && arg.value->kind == ast::ExprKind::None) replace(edits, arg.value->span, "False");
  }

  /// `dropout(x, 0.1, 42)`: the stream that the function has.
  void streamOfFunction() {
    if (!place_.function || !place_.names) return;
    CandidateGroup &edits = group(true);
    for (const auto &[name, use] : *place_.names) {
      const bool stream = use.parameter && use.parameter->annotation && text(*use.parameter->annotation) == "Rng";
      for (const ast::CallExpr *call : callsAround())
        for (const ast::Argument &arg : call->arguments)
          if (stream && (arg.value->kind == ast::ExprKind::Int || arg.value->kind == ast::ExprKind::None))
            replace(edits, arg.value->span, name, "draw from the stream that the function takes");
    }
  }

  /// `parameter((D,), "s")`: two neighbours in the other order.
  void exchangedNeighbours() {
    CandidateGroup &edits = group(true);
    for (const ast::CallExpr *call : callsAround())
      for (size_t i = 0; i + 1 < call->arguments.size() && edits.edits.size() < kMost; ++i) {
        const ast::Argument &a = call->arguments[i], &b = call->arguments[i + 1];
        if (!a.keyword && !b.keyword && !a.stars && !b.stars && text(a.span) != text(b.span))
          replace(edits, a.span.to(b.span), text(b.span) + ", " + text(a.span), "give them in this order");
      }
  }

  /// `conv_layer(x, (1, 4), 3)`, where one number is taken: the last of them, or another.
  void oneOfTuple() {
    if (diagnostic_.message.find("this is a tuple") == std::string::npos) return;
    CandidateGroup &edits = group(false);
    for (const ast::CallExpr *call : callsAround())
      for (const ast::Argument &arg : call->arguments) {
        if (arg.value->kind != ast::ExprKind::Tuple) continue;
        auto &items = static_cast<const ast::SequenceExpr &>(*arg.value).items;
        for (size_t i = items.size(); i-- > 0;) replace(edits, arg.value->span, text(*items[i]), "one number is taken");
      }
    edits.assumes = true;
  }

  /// `for layer in range(layers)`, and `layer.w` in the loop: an item, no number.
  void itemsOfList() {
    auto *loop = as<ast::ForStmt>(place_.statement);
    auto *range = loop ? as<ast::CallExpr>(loop->iterable) : nullptr;
    if (!range || nameOf(*range) != "range" || range->arguments.size() != 1 || !place_.function) return;
    bool asItem = false;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *member = as<ast::AttributeExpr>(&part);
      asItem |= member && text(*member->object) == text(*loop->target);
    });
    if (asItem) replace(group(false), range->span, text(range->arguments[0].span), "go over its items");
  }
  /// `for i in range(layers)`
  void lengthOfList() {
    itemsOfList();
    CandidateGroup &edits = group(true);
    const bool ofTensor = diagnostic_.message.find("this is a tensor") != std::string::npos;  // it says its own extents
    for (const ast::CallExpr *call : callsAround())
      if (nameOf(*call) == "range" && !ofTensor) {
        for (const ast::Argument &arg : call->arguments)
          if (auto *shape = as<ast::AttributeExpr>(arg.value); shape && shape->attribute.text == "shape")
            insert(edits, arg.span.end, "[0]", "count its rows");
          else if (arg.value->kind == ast::ExprKind::Name || arg.value->kind == ast::ExprKind::Attribute)
            replace(edits, arg.value->span, "len(" + text(*arg.value) + ")", "count its items");
      }
  }

  /// `linear(x, D, 32)`, as PyTorch counts the features: without one of the arguments.
  void oneLess() {
    const std::vector<const ast::CallExpr *> calls = callsAround();
    if (calls.empty()) return;
    const ast::CallExpr &call = *calls.front();
    CandidateGroup &edits = group(true);
    for (size_t i = 0; i < call.arguments.size() && call.arguments.size() > 1; ++i) {
      const Span gone = i == 0 ? Span{call.span.file, call.arguments[0].span.begin, call.arguments[1].span.begin}
                               : Span{call.span.file, call.arguments[i - 1].span.end, call.arguments[i].span.end};
      replace(edits, gone, "", "leave `" + text(call.arguments[i].span) + "` out");
    }
    edits.assumes = true;
  }

  /// `cross_entropy(x, one_hot(labels, C))`: the argument as it was before something was made of it.
  void withoutCall() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    for (const ast::CallExpr *call : callsAround())
      for (const ast::Argument &arg : call->arguments) {
        auto *made = as<ast::CallExpr>(arg.value);
        if (!made || (made->span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= made->span.end)) continue;  // itself, or what is wrong in it
        auto *method = as<ast::AttributeExpr>(made->callee);
        const ast::Expr *inner = method ? method->object.get() : made->arguments.empty() ? nullptr : made->arguments[0].value.get();
        if (inner && inner->kind == ast::ExprKind::Name) replace(edits, made->span, text(*inner), "give it as it is");
      }
  }

  /// `cache.append(k, v)` of `k: Tensor[B, 1, D]`: declared as the other argument is.
  void declaredLikeOther() {
    const std::vector<const ast::CallExpr *> calls = callsAround();
    if (calls.empty() || place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = edits.last = true;
    for (const ast::Argument &arg : calls.front()->arguments)
      for (const ast::Argument &like : calls.front()->arguments) {
        const ast::SubscriptExpr *type = tensorTypeOf(arg.value.get()), *other = tensorTypeOf(like.value.get());
        if (!type || !other || type == other || text(extentsSpan(*type)) == text(extentsSpan(*other))) continue;
        if (diagnostic_.span == arg.span)
          replace(edits, extentsSpan(*type), text(extentsSpan(*other)), "declare it like the other one");
      }
  }

  /// `k.transpose(dim0=-2, dim1=-1)`, which takes them by their places.
  void byPosition() {
    static const std::set<std::string> ofPlaces = {"transpose", "permute", "swapaxes", "moveaxis", "reshape", "expand"};
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !ofPlaces.count(nameOf(*call))) return;
    std::vector<std::pair<Span, std::string>> parts;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword) parts.push_back({{arg.span.file, arg.span.begin, arg.value->span.begin}, ""});
      else if (!parts.empty()) return;
    CandidateGroup &edits = group(false);
    edits.last = true;
    if (parts.size() == 1) replace(edits, parts[0].first, "", "give it by its place");
    else replaceAll(edits, parts, "give them by their places");
  }

  /// `all_reduce(x, "dp", op="mean")`: it adds up, and the mean is divided by the number of devices.
  void meanOfDevices() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "all_reduce" || call->arguments.size() != 3) return;
    const ast::Argument &how = call->arguments[2];
    auto *word = as<ast::StringExpr>(how.value);
    if (!how.keyword || !word) return;
    const Span gone{how.span.file, call->arguments[1].span.end, how.span.end};
    if (word->value == "sum") replace(group(false), gone, "", "it adds up");
    if (word->value == "mean" || word->value == "avg")
      replace(group(false), {gone.file, gone.begin, call->span.end}, ") / f32(axis_size(" + text(*call->arguments[1].value) + "))",
              "it adds up: divide by the number of devices");
  }

  /// `tile.context(m=256)`: the sizes are those of the schedule.
  void scheduledSizes() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "context" || !place_.function || place_.function->decorators.size() != 1) return;
    const ast::Decorator &decorator = place_.function->decorators[0];
    std::string block, rest;
    for (const ast::Argument &arg : call->arguments) {
      if (!arg.keyword || arg.value->kind != ast::ExprKind::Int) return;
      if (arg.keyword->text == "m" || arg.keyword->text == "n") block += (block.empty() ? "" : ", ") + text(*arg.value);
      else rest += ", " + text(arg.span);
    }
    if (block.empty() || decorator.expression->kind != ast::ExprKind::Name) return;
    const std::string comma = block.find(',') == std::string::npos ? "," : "";
    replaceAll(group(false),
               {{decorator.expression->span, "kernel.schedule(Schedule(block=(" + block + comma + ")" + rest + "))"},
                {call->arguments.front().span.to(call->arguments.back().span), ""}},
               "the sizes of tiles are those of the schedule");
  }

  /// `tile.sum(row, axis=1)` of a row.
  void withoutAxis() {
    auto *call = place_.innermost<ast::CallExpr>();
    const ast::Argument *axis = call ? keyword(*call, "axis") : nullptr;
    if (!axis || axis == call->arguments.data()) return;
    CandidateGroup &edits = group(false);
    edits.assumes = edits.last = true;
    replace(edits, {axis->span.file, (axis - 1)->span.end, axis->span.end}, "", "go along all axes");
  }

  /// `betas=(0.9, 0.95)`: each part has a name of its own, `beta1=0.9, beta2=0.95`.
  void numberedKeywords() {
    auto *call = place_.innermost<ast::CallExpr>();
    CandidateGroup &edits = group(false);
    for (size_t i = 0; call && i < call->arguments.size(); ++i) {
      const ast::Argument &arg = call->arguments[i];
      const bool several = arg.value->kind == ast::ExprKind::Tuple || arg.value->kind == ast::ExprKind::List;
      if (!arg.keyword || arg.keyword->span != diagnostic_.span || !several || arg.keyword->text.back() != 's') continue;
      const std::string name = arg.keyword->text.substr(0, arg.keyword->text.size() - 1);
      std::string parts;
      size_t number = 0;
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*arg.value).items)
        parts += (parts.empty() ? "" : ", ") + name + std::to_string(++number) + "=" + text(*item);
      if (!parts.empty()) replace(edits, arg.span, parts, "each has a name of its own");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfFitting(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return FittingEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
