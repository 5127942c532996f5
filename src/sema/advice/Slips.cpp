#include "sema/advice/Slips.h"
#include "frontend/Walk.h"
#include "support/DType.h"
#include <algorithm>
#include <set>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class Slips {
public:
  Slips(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources)
      : diagnostic_(diagnostic), place_(place), sources_(sources) {}

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::wrongResult: notCalled(), keptDimension(), exchanged(), axesOfCalls(), paddedWindows(), summed(), reshaped(); break;
    case Id::shapeMismatch: exchanged(), axesOfCalls(); break;
    case Id::broadcastFails: otherOperator(ast::BinaryOp::Mul, "@"), otherBounds(); break;
    case Id::contractionMismatch: exchanged(); break;
    case Id::badOperand: otherOperator(ast::BinaryOp::BitXor, "**"), otherOperator(ast::BinaryOp::MatMul, "*"),
        otherOperator(ast::BinaryOp::Add, "|"), masks(); break;
    case Id::notACondition: masks(); break;
    case Id::badAxis:
    case Id::badReshape: axesOfCalls(); break;
    case Id::badConstant: axesOfCalls(), plainOrigin(); break;
    case Id::notConstant: namedAxis(); break;
    case Id::wrongArgument: largerOfTwo(), quotedDType(), exchanged(), originOfOne(); break;
    case Id::notCallable: indexed(); break;
    case Id::notAType: tensorType(); break;
    case Id::outOfBounds: shorterSlice(), otherBounds(); break;
    case Id::sliceSize: offsetForgotten(); break;
    case Id::rankMismatch: fewerIndices(); break;
    case Id::unpackCount: originOfOne(); break;
    case Id::narrowing:
    case Id::dtypeMismatch: dtypeOfMade(); break;
    case Id::literalRange: infinity(); break;
    case Id::undefinedName: quoted(); break;
    case Id::missingReturn: returnForgotten(); break;
    case Id::unguardedLanes: guard(); break;
    case Id::channelMismatch: channelsFirst(); break;
    case Id::dependsOnTile: wholeAxis(); break;
    default: break;
    }
    std::erase_if(groups_, [](const CandidateGroup &group) { return group.edits.empty(); });
    return std::move(groups_);
  }

private:
  CandidateGroup &group(bool onlyIfUnique) {
    groups_.push_back({{}, onlyIfUnique});
    return groups_.back();
  }
  std::string text(Span span) const { return std::string(sources_.text(span)); }
  std::string text(const ast::Expr &e) const { return text(e.span); }
  void replace(CandidateGroup &group, Span span, std::string by, std::string title = {}) {
    if (title.empty()) title = by.empty() ? "leave it out" : "write `" + by + "`";
    group.edits.push_back({span, std::move(by), std::move(title), diag::Applicability::Suggestion});
  }
  void insert(CandidateGroup &group, uint32_t at, const std::string &what, std::string title = {}) {
    replace(group, {diagnostic_.span.file, at, at}, what, title.empty() ? "insert `" + what + "`" : std::move(title));
  }
  std::string asPrimary(const ast::Expr &e) const {
    bool primary = e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Attribute ||
                   e.kind == ast::ExprKind::Call || e.kind == ast::ExprKind::Subscript;
    return primary ? text(e) : "(" + text(e) + ")";
  }
  /// The expression that the message is about, or what the name there stands for.
  const ast::Expr *meant() const {
    const ast::Expr *e = place_.expr();
    if (auto *name = as<ast::NameExpr>(e))
      if (const ast::Expr *value = place_.valueOf(name->name)) return value;
    return e;
  }
  template <class Visit> static void visit(const ast::Expr &e, const Visit &each) {
    each(e);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) visit(*child, each);
  }
  static std::string nameOf(const ast::CallExpr &call) {
    if (auto *method = as<ast::AttributeExpr>(call.callee)) return method->attribute.text;
    auto *function = as<ast::NameExpr>(call.callee);
    return function ? function->name : "";
  }

  void notCalled() {
    if (auto *member = as<ast::AttributeExpr>(place_.expr())) insert(group(false), member->span.end, "()");
  }

  /// `keepdim=True` where the result lacks the dimension.
  void keptDimension() {
    const ast::Expr *e = meant();
    if (!e) return;
    CandidateGroup &edits = group(true);
    visit(*e, [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call) return;
      for (size_t i = 0; i < call->arguments.size(); ++i) {
        const ast::Argument &arg = call->arguments[i];
        if (!arg.keyword || arg.keyword->text != "keepdim") continue;
        uint32_t begin = i > 0 ? call->arguments[i - 1].span.end : arg.span.begin;
        replace(edits, {arg.span.file, begin, arg.span.end}, "", "drop the dimension that is reduced");
      }
    });
  }

  /// `outer(b, a)`: two arguments next to each other.
  void exchanged() {
    const ast::CallExpr *call = place_.innermost<ast::CallExpr>();
    if (!call) call = as<ast::CallExpr>(meant());
    if (!call) return;
    CandidateGroup &edits = group(true);
    for (size_t i = 0; i + 1 < call->arguments.size(); ++i) {
      const ast::Argument &a = call->arguments[i], &b = call->arguments[i + 1];
      bool plain = !a.keyword && !b.keyword && !a.stars && !b.stars;
      bool numbers = a.value->kind == ast::ExprKind::Int || b.value->kind == ast::ExprKind::Int;
      if (plain && !numbers && text(a.span) != text(b.span))
        replace(edits, a.span.to(b.span), text(b.span) + ", " + text(a.span), "exchange them");
    }
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
        pairsIn(static_cast<const ast::SequenceExpr &>(*arg.value).items.front()->span.to(
                    static_cast<const ast::SequenceExpr &>(*arg.value).items.back()->span), 4);
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
    if (name != "conv1d" && name != "conv2d") return;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword && arg.keyword->text == "padding") return;
    CandidateGroup &edits = group(true);
    for (int padding = 1; padding <= 3; ++padding)
      insert(edits, call->span.end - 1, ", padding=" + std::to_string(padding), "pad the edges");
  }

  /// `x * y` where one number is declared.
  void summed() {
    const ast::Expr *result = place_.function ? place_.function->result.get() : nullptr;
    auto *name = as<ast::NameExpr>(result);
    if (name && dtypeByName(name->name) && place_.expr())
      replace(group(false), place_.expr()->span, "sum(" + text(*place_.expr()) + ")", "add the elements up");
  }

  /// The declared shape, where it has another number of dimensions.
  void reshaped() {
    const ast::Expr *result = place_.function ? place_.function->result.get() : nullptr;
    auto *type = as<ast::SubscriptExpr>(result);
    if (!type || type->items.size() < 2 || !place_.expr() || place_.inKernel) return;
    std::string shape;
    for (size_t i = 0; i + 1 < type->items.size(); ++i) shape += (i ? ", " : "") + text(type->items[i].span);
    size_t rank = type->items.size() - 1;
    auto *source = as<ast::NameExpr>(place_.expr());
    if (!source) return;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *declared = as<ast::SubscriptExpr>(p.annotation);
      if (p.name.text == source->name && declared && declared->items.size() - 1 != rank)
        replace(group(false), source->span, source->name + ".reshape(" + shape + ")");
    }
  }

  void otherOperator(ast::BinaryOp op, const char *by) {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary || binary->op != op) return;
    replace(group(false), binary->opSpan, by);
  }

  /// `x > 0 and x < 1`, `not mask`, `-mask`, `x > 0 & x < 1` of tensors.
  void masks() {
    for (const ast::Expr *e : place_.around) {
      if (auto *both = as<ast::BoolOpExpr>(e)) {
        std::string all;
        for (const ast::ExprPtr &operand : both->operands)
          all += (all.empty() ? "" : both->isAnd ? " & " : " | ") + asOperand(*operand);
        return replace(group(false), e->span, all);
      }
      if (auto *unary = as<ast::UnaryExpr>(e)) return replace(group(false), e->span, "~" + asOperand(*unary->operand));
      auto *compare = as<ast::CompareExpr>(e);
      auto *middle = compare && compare->operands.size() == 3 ? as<ast::BinaryExpr>(compare->operands[1]) : nullptr;
      if (!middle || (middle->op != ast::BinaryOp::BitAnd && middle->op != ast::BinaryOp::BitOr)) continue;
      std::string first = text(compare->operands[0]->span.to(middle->left->span));
      std::string second = text(middle->right->span.to(compare->operands[2]->span));
      return replace(group(false), e->span, "(" + first + ") " + text(middle->opSpan) + " (" + second + ")");
    }
  }
  std::string asOperand(const ast::Expr &e) const {
    bool simple = e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Call || e.kind == ast::ExprKind::Subscript;
    return simple ? text(e) : "(" + text(e) + ")";
  }

  /// `axis="M"`
  void namedAxis() {
    const ast::Expr *e = place_.expr();
    if (!e || (e->kind != ast::ExprKind::String && e->kind != ast::ExprKind::Name && e->kind != ast::ExprKind::Call)) return;
    const ast::Expr *axis = e;
    if (auto *call = as<ast::CallExpr>(e)) {
      axis = nullptr;
      for (const ast::Argument &arg : call->arguments)
        if (arg.keyword && arg.keyword->text == "axis") axis = arg.value.get();
    }
    if (!axis) return;
    CandidateGroup &edits = group(true);
    for (int number = 0; number < 4; ++number) replace(edits, axis->span, std::to_string(number));
  }

  /// `max(x, y)` of tensors.
  void largerOfTwo() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if (name && call->arguments.size() == 2 && (name->name == "max" || name->name == "min"))
      replace(group(false), name->span, name->name == "max" ? "maximum" : "minimum");
  }

  void quotedDType() {
    auto *string = as<ast::StringExpr>(place_.expr());
    if (string && dtypeByName(string->value)) replace(group(false), string->span, string->value);
  }

  /// `x(0)`, `x.shape(0)`, `x.size(0)`
  void indexed() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.empty()) return;
    std::string items = text(call->arguments.front().span.to(call->arguments.back().span));
    auto *member = as<ast::AttributeExpr>(call->callee);
    bool size = member && member->attribute.text == "size";
    std::string object = size ? text(*member->object) + ".shape" : text(*call->callee);
    replace(group(false), call->span, object + "[" + items + "]");
  }

  /// `[N, f32]` and `Tensor[N]`
  void tensorType() {
    const ast::Expr *e = place_.expr();
    if (e && e->kind == ast::ExprKind::List) return insert(group(false), e->span.begin, "Tensor");
    auto *type = as<ast::SubscriptExpr>(e);
    if (!type || !as<ast::NameExpr>(type->object) || text(*type->object) != "Tensor" || !place_.function) return;
    std::set<std::string> dtypes;  // of the other parameters and the result
    std::vector<const ast::Expr *> others = {place_.function->result.get()};
    for (const ast::Parameter &p : place_.function->parameters) others.push_back(p.annotation.get());
    for (const ast::Expr *other : others)
      if (auto *declared = as<ast::SubscriptExpr>(other); declared && !declared->items.empty())
        if (auto *name = as<ast::NameExpr>(declared->items.back().value); name && dtypeByName(name->name))
          dtypes.insert(name->name);
    CandidateGroup &edits = group(true);
    for (const std::string &dtype : dtypes) insert(edits, type->span.end - 1, ", " + dtype);
  }

  /// `x[0:N + 1]`
  void shorterSlice() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : subscript->items) {
      auto *slice = as<ast::SliceExpr>(item.value);
      auto *sum = slice ? as<ast::BinaryExpr>(slice->stop) : as<ast::BinaryExpr>(item.value);
      if (sum && sum->op == ast::BinaryOp::Add && sum->right->kind == ast::ExprKind::Int)
        replace(edits, sum->span, text(*sum->left));
    }
  }

  /// The numbers in the slices of the operands, one more or less.
  void otherBounds() {
    std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (auto *subscript = place_.innermost<ast::SubscriptExpr>()) operands = {subscript};
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operands) {
      if (auto *name = as<ast::NameExpr>(operand)) operand = place_.valueOf(name->name);
      auto *subscript = as<ast::SubscriptExpr>(operand);
      if (!subscript) continue;
      for (const ast::Argument &item : subscript->items) {
        auto *slice = as<ast::SliceExpr>(item.value);
        if (!slice) continue;
        for (const ast::Expr *bound : {slice->start.get(), slice->stop.get()}) {
          auto *unary = as<ast::UnaryExpr>(bound);
          auto *number = as<ast::IntExpr>(unary ? unary->operand.get() : bound);
          if (!number) continue;
          replace(edits, number->span, std::to_string(number->value + 1));
          if (number->value > 0) replace(edits, number->span, std::to_string(number->value - 1));
        }
      }
    }
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

  void fewerIndices() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript || subscript->items.size() < 2) return;
    const auto &items = subscript->items;
    Span last{items.back().span.file, items[items.size() - 2].span.end, items.back().span.end};
    replace(group(false), last, "", "leave the last index out");
  }

  /// `m = tile.origin()`: there is a number for each dimension of the output.
  void originOfOne() {
    if (!place_.function) return;
    auto *tuple = place_.expr() && place_.expr()->kind == ast::ExprKind::Tuple
                      ? static_cast<const ast::SequenceExpr *>(place_.expr()) : nullptr;
    if (tuple && tuple->items.size() > 1) return replace(group(false), tuple->span, "(" + text(*tuple->items[0]) + ",)");
    auto *name = as<ast::NameExpr>(place_.expr());
    const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
    auto *call = as<ast::CallExpr>(value);
    if (!call || nameOf(*call) != "origin") return;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      if (!assign || assign->value.get() != value) continue;
      CandidateGroup &edits = group(false);
      replace(edits, assign->targets[0]->span, "(" + name->name + ",)");
      for (const char *rest : {", _", ", _, _", ", _, _, _"}) replace(edits, assign->targets[0]->span, name->name + rest);
    }
  }

  /// `zeros((N,))` and `arange(N)` are f32 and i32.
  void dtypeOfMade() {
    static const std::set<std::string> made = {"zeros", "ones", "arange", "full"};
    const ast::Expr *e = place_.expr();
    if (!e || !place_.function) return;
    std::set<std::string> dtypes;
    for (const ast::Parameter &p : place_.function->parameters)
      if (auto *type = as<ast::SubscriptExpr>(p.annotation); type && !type->items.empty())
        if (auto *name = as<ast::NameExpr>(type->items.back().value); name && dtypeByName(name->name))
          dtypes.insert(name->name);
    CandidateGroup &edits = group(true);
    visit(*e, [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || !made.count(nameOf(*call))) return;
      if (call->arguments.size() != (nameOf(*call) == "full" ? 2u : 1u)) return;
      for (const std::string &dtype : dtypes) insert(edits, call->span.end - 1, ", " + dtype, "make it of " + dtype);
    });
  }

  /// `-1e9` as the score of what is masked, in a dtype that has no such number.
  void infinity() {
    const ast::Expr *e = place_.expr();
    if (!e) return;
    CandidateGroup &edits = group(true);
    visit(*e, [&](const ast::Expr &part) {
      auto *unary = as<ast::UnaryExpr>(&part);
      auto *number = unary ? as<ast::FloatExpr>(unary->operand) : nullptr;
      if (number && number->value >= 1e4) replace(edits, unary->span, "-INF");
    });
  }

  /// `rounding=nearest_even`
  void quoted() {
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    auto *name = as<ast::NameExpr>(place_.expr());
    if (!call || !name) return;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword && arg.value.get() == name) replace(group(false), name->span, "\"" + name->name + "\"");
  }

  void returnForgotten() {
    auto *def = place_.function;
    auto *last = def && !def->body.empty() ? as<ast::ExprStmt>(def->body.back()) : nullptr;
    if (last && last->value->kind != ast::ExprKind::String) insert(group(false), last->span.begin, "return ");
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
    if (!first) return;
    const SourceFile &file = sources_.file(first->span.file);
    std::string indent(file.lineColumn(first->span.begin).column - 1, ' ');
    std::string body = text(first->span.to(last->span)), inner;
    for (char c : body) inner += c == '\n' ? "\n    " : std::string(1, c);
    CandidateGroup &edits = group(true);
    std::set<std::string> extents;
    for (const ast::Parameter &p : def->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (!type || type->items.size() != 2) continue;
      auto *quotedName = as<ast::StringExpr>(type->items[0].value);
      std::string extent = quotedName ? quotedName->value : text(type->items[0].span);
      if (extents.insert(extent).second)
        replace(edits, first->span.to(last->span),
                "if " + index->name + " < " + extent + ":\n" + indent + "    " + inner, "guard the work");
    }
  }

  /// An image whose channels stand last.
  void channelsFirst() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (call && !call->arguments.empty())
      replace(group(false), call->arguments[0].span, asPrimary(*call->arguments[0].value) + ".permute(0, 3, 1, 2)",
              "bring the channels to the front");
  }

  /// `x[r, c:c + T.n]`, where the whole row was meant.
  void wholeAxis() {
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_)) {
      if (auto *name = as<ast::NameExpr>(operand)) operand = place_.valueOf(name->name);
      if (!operand) continue;
      visit(*operand, [&](const ast::Expr &part) {
        if (auto *slice = as<ast::SliceExpr>(&part); slice && slice->start && slice->stop)
          replace(edits, slice->span, ":", "take the whole axis");
      });
    }
  }

  const diag::Diagnostic &diagnostic_;
  const Place &place_;
  const Sources &sources_;
  std::vector<CandidateGroup> groups_;
};

}  // namespace

std::vector<CandidateGroup> slipsFor(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return Slips(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
