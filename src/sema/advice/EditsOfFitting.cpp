// Edits for arguments that do not fit: one too many, in another order, of another kind, what a call lacks by its name.
#include "sema/Builtins.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/Foreign.h"
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
    switch (diagnostic_.id) {
    case Id::noOverload:
      wholeNumbers(), noneForFalse(), streamOfFunction(), exchangedNeighbours(), lengthOfList(), oneLess(), withoutCall();
      break;
    case Id::wrongArgument:
      wholeNumbers(), noneForFalse(), streamOfFunction(), lengthOfList(), exchangedNeighbours(), withoutCall();
      break;
    case Id::badConstant:
    case Id::notConstant: exchangedNeighbours(), wholeNumbers(); break;
    case Id::tooManyArguments: oneLess(), exchangedNeighbours(); break;
    case Id::argumentNotGiven: axisOfCall(), unreadInOrder(); break;
    case Id::unknownKeyword: numberedKeywords(); break;
    case Id::broadcastFails:
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::dtypeMismatch: withoutCall(), exchangedNeighbours(); break;
    case Id::badAxis: withoutAxis(); break;
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

  /// `for i in range(layers)`
  void lengthOfList() {
    CandidateGroup &edits = group(true);
    for (const ast::CallExpr *call : callsAround())
      if (nameOf(*call) == "range")
        for (const ast::Argument &arg : call->arguments)
          if (arg.value->kind == ast::ExprKind::Name || arg.value->kind == ast::ExprKind::Attribute)
            replace(edits, arg.value->span, "len(" + text(*arg.value) + ")", "count its items");
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
    edits.assumes = true;
    for (const ast::CallExpr *call : callsAround())
      for (const ast::Argument &arg : call->arguments) {
        auto *made = as<ast::CallExpr>(arg.value);
        if (!made) continue;
        auto *method = as<ast::AttributeExpr>(made->callee);
        const ast::Expr *inner = method ? method->object.get() : made->arguments.empty() ? nullptr : made->arguments[0].value.get();
        if (inner && inner->kind == ast::ExprKind::Name) replace(edits, made->span, text(*inner), "give it as it is");
      }
  }

  /// `tile.sum(row, axis=1)` of a row.
  void withoutAxis() {
    auto *call = place_.innermost<ast::CallExpr>();
    const ast::Argument *axis = call ? keyword(*call, "axis") : nullptr;
    if (!axis || axis == call->arguments.data()) return;
    CandidateGroup &edits = group(false);
    replace(edits, {axis->span.file, (axis - 1)->span.end, axis->span.end}, "", "go along all axes");
  }

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
