// The expressions of a function: what each part may have been meant to be.
#include "sema/advice/Guesses.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/GuessWriter.h"
#include "sema/advice/ShapesOfValues.h"

namespace tessera::sema {

using ast::as;

namespace {

bool goesAlong(const std::string &name) {
  static const std::set<std::string> names = {"softmax", "log_softmax", "cumsum", "cumprod", "concat", "stack", "repeat", "flip", "sort", "argsort",
                                              "normalize", "take", "split", "roll", "gather", "topk", "median", "quantile", "diff"};
  return isReduction(name) || names.count(name) != 0;
}

/// `.T`, `.transpose(1, 2)`, `.permute(...)`
bool isTurn(const std::string &method) { return method == "T" || method == "transpose" || method == "permute" || method == "t" || method == "mT"; }

/// What is taken for one another, each with what it may have been meant to be.
std::vector<std::string> functionsLike(const std::string &name) {
  static const std::vector<std::vector<std::string>> kinds = {
      {"max", "argmax", "maximum", "cummax"}, {"min", "argmin", "minimum", "cummin"}, {"sort", "argsort"}, {"sum", "mean", "cumsum"}, {"concat", "stack"},
      {"softmax", "log_softmax"}, {"dot", "outer"}, {"var", "std"}, {"diag", "diagonal"}, {"take", "gather"}, {"prod", "cumprod"}, {"index_add", "scatter_add"}, {"all_reduce", "reduce_scatter", "all_gather"}, {"grad", "value_and_grad"}};
  std::vector<std::string> found;
  for (const std::vector<std::string> &kind : kinds)
    if (std::find(kind.begin(), kind.end(), name) != kind.end())
      for (const std::string &other : kind)
        if (other != name) found.push_back(other);
  return found;
}

bool isNewAxis(const ast::Argument &item) { return item.value->kind == ast::ExprKind::None; }

class ExpressionGuesses : public GuessWriter {
public:
  using GuessWriter::GuessWriter;

  void collect() {
    if (const ast::Expr *e = place_.expr()) walk(*e, nullptr, Reach::Part);
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) walk(*e, nullptr, Reach::Statement);
    for (const ast::Expr *value : inPlay()) walk(*value, nullptr, Reach::Value);
    for (const ast::Stmt *stmt : statementsAround())
      for (const ast::Expr *e : ast::childrenOf(*stmt).exprs) walk(*e, nullptr, Reach::Value);
    for (const ast::Decorator &decorator : place_.function->decorators) walk(*decorator.expression, nullptr, Reach::Head);
    auto *changed = as<ast::AugAssignStmt>(place_.statement);
    auto *target = changed ? as<ast::NameExpr>(changed->target) : nullptr;
    if (const ast::Expr *start = target ? place_.valueOf(target->name) : nullptr) walk(*start, nullptr, Reach::Value);
  }

private:
  void walk(const ast::Expr &e, const ast::Expr *around, Reach reach) {
    if (isFull() || !seen_.insert(&e).second) return;
    reach_ = reach;
    around_ = around;
    switch (e.kind) {
    case ast::ExprKind::Name: ofName(static_cast<const ast::NameExpr &>(e)); break;
    case ast::ExprKind::Int: ofNumber(static_cast<const ast::IntExpr &>(e)); break;
    case ast::ExprKind::String: ofText(static_cast<const ast::StringExpr &>(e)), ofEquation(static_cast<const ast::StringExpr &>(e)); break;
    case ast::ExprKind::Binary: ofOperator(static_cast<const ast::BinaryExpr &>(e)); break;
    case ast::ExprKind::Call: ofCall(static_cast<const ast::CallExpr &>(e)); break;
    case ast::ExprKind::Attribute: ofMember(static_cast<const ast::AttributeExpr &>(e)); break;
    case ast::ExprKind::Subscript: ofSubscript(static_cast<const ast::SubscriptExpr &>(e)); break;
    case ast::ExprKind::Tuple: ofList(static_cast<const ast::SequenceExpr &>(e)); break;
    default: break;
    }
    if (isValue(e)) ofValue(e);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) walk(*child, &e, reach);
  }

  bool isCallee(const ast::Expr &e) const {
    auto *call = as<ast::CallExpr>(around_);
    return call && call->callee.get() == &e;
  }
  /// Whether an expression may have axes: no number, no callee, no list, no dimension, no part of one that is looked at itself.
  bool isValue(const ast::Expr &e) const {
    if (isCallee(e)) return false;
    if (auto *name = as<ast::NameExpr>(&e)) return !dims_.count(name->name) && isBound(name->name);
    if (auto *member = as<ast::AttributeExpr>(&e)) return member->attribute.text != "T" && member->attribute.text != "shape";
    return e.kind == ast::ExprKind::Binary || e.kind == ast::ExprKind::Call || e.kind == ast::ExprKind::Subscript;
  }

  /// What may stand behind a value, or around it.
  void ofValue(const ast::Expr &e) {
    const std::string own = text(e);
    if (auto *member = as<ast::AttributeExpr>(around_)) {  // its members are another value
      if (member->attribute.text == "reshape") partOf(e);
      return wrapped(e, own);
    }
    auto *call = as<ast::CallExpr>(&e);
    const bool turned = call && isTurn(nameOf(*call));  // what is turned around already is turned in another way by other axes
    if (place_.inKernel) add(Operator::Turn, e.span, "tile.transpose(" + own + ")");
    if (!turned) behind(Operator::Turn, e, ".T");
    behind(Operator::NewLast, e, "[:, None]"), behind(Operator::NewFirst, e, "[None, :]");
    behind(Operator::NewLast, e, "[:, :, None]"), behind(Operator::NewMiddle, e, "[:, None, :]");
    if (!place_.inKernel) {
      behind(Operator::NewSeveral, e, "[:, None, None]"), behind(Operator::NewLast, e, "[:, :, :, None]");
      behind(Operator::NewMiddle, e, "[:, None, None, :]"), behind(Operator::NewSeveral, e, "[None, :, None, None]");
      if (!turned) {
        behind(Operator::TurnLast, e, ".transpose(-2, -1)"), behind(Operator::TurnInner, e, ".transpose(1, 2)");
        for (const char *axes : {"0, 3, 1, 2", "0, 2, 3, 1", "2, 0, 1", "1, 2, 0", "1, 0, 2"}) behind(Operator::Permute, e, std::string(".permute(") + axes + ")");
      }
      behind(Operator::First, e, "[0]"), behind(Operator::First, e, "[:, 0]");
      behind(Operator::NewSeveral, e, "[:, :, None, None]");
      partOf(e);
      for (const std::vector<std::string> &shape : shapesSaid()) {
        if (shape.size() < 2) continue;
        std::vector<std::string> written;
        for (const std::string &extent : shape) written.push_back(asWritten(extent));
        behind(Operator::Regroup, e, ".reshape(" + listOf(written) + ")");
      }
      for (const std::string &weight : unread_)
        if (as<ast::BinaryExpr>(around_) || e.kind != ast::ExprKind::Binary) add(Operator::Project, e.span, inPlaceOf(e, own + " @ " + weight, around_));
    }
    if (!place_.inKernel && e.kind == ast::ExprKind::Name) ofFields(e, own);
    for (const std::string &counter : counters_) behind(Operator::OfTurn, e, "[" + counter + "]");
    wrapped(e, own);
  }
  /// `conv2d(y, p.w)`, `y @ p.w` with a field that nothing reads.
  void ofFields(const ast::Expr &e, const std::string &own) {
    const std::string body = text({place_.function->span.file, place_.function->body.front()->span.begin, place_.function->span.end});
    for (const std::string &field : unreadFields_) {
      for (const char *layer : {"conv2d", "conv1d"})
        if (body.find(std::string(layer) + "(") != std::string::npos) add(Operator::Project, e.span, std::string(layer) + "(" + own + ", " + field + ")");
      add(Operator::Project, e.span, inPlaceOf(e, own + " @ " + field, around_));
    }
  }
  /// A part of a value that is none of another one.
  void partOf(const ast::Expr &e) {
    if (e.kind == ast::ExprKind::Subscript) return;
    for (const char *part : {"[1:]", "[:-1]"}) behind(Operator::Shorter, e, part);
    for (const char *part : {"[:, 1:]", "[:, :-1]", "[1:-1]"}) behind(Operator::Slice, e, part);
    for (const char *part : {"[-1]", "[:, -1]"}) behind(Operator::Last, e, part);
    for (const std::string &dim : dims_) behind(Operator::Slice, e, "[:" + dim + "]");
  }
  void wrapped(const ast::Expr &e, const std::string &own) {
    if (place_.inKernel) return;
    add(Operator::Sum, e.span, "sum(" + own + ")"), add(Operator::Mean, e.span, "mean(" + own + ")");
    for (const char *axis : {"1", "0", "-1", "2"}) {
      add(Operator::SumAxis, e.span, "sum(" + own + ", axis=" + axis + ")");
      add(Operator::MeanAxis, e.span, "mean(" + own + ", axis=" + axis + ")");
    }
    for (const std::string &dtype : dtypes_) add(Operator::Cast, e.span, "cast(" + own + ", " + dtype + ")");
    for (const char *axis : {"1", "-1"}) add(Operator::Norm, e.span, "norm(" + own + ", axis=" + axis + ")");
    for (const std::string &extent : extents_) {
      const size_t times = extent.find(" * ");
      const std::string factor = extent.substr(0, times == std::string::npos ? 0 : times);
      if (factor.empty() || factor.find_first_not_of("0123456789") != std::string::npos) continue;
      for (const char *axis : {"1", "2", "0"}) add(Operator::Repeat, e.span, "repeat(" + own + ", " + factor + ", axis=" + axis + ")");
    }
  }

  /// Another value of the function, another dimension, a field of it.
  void ofName(const ast::NameExpr &name) {
    if (isCallee(name)) return;
    if (dims_.count(name.name)) return ofDimension(name);
    if (!place_.names) return;
    const bool undefined = diagnostic_.id == diag::Id::undefinedName && name.span == diagnostic_.span;
    if (!isBound(name.name) && !undefined) return;
    for (const auto &[other, use] : *place_.names) {
      if (other == name.name || other == "_" || dims_.count(other) || !isBoundBefore(use, name)) continue;
      add(use.reads.empty() ? Operator::UnreadName : Operator::Name, name.span, other);
    }
    if (!as<ast::AttributeExpr>(around_))
      for (const std::string &field : fieldsOfType(&name)) behind(Operator::FieldOf, name, "." + field);
  }
  bool isBoundBefore(const NameUse &use, const ast::NameExpr &name) const {
    return use.parameter || std::any_of(use.bindings.begin(), use.bindings.end(), [&](const ast::NameExpr *binding) { return binding->span.end < name.span.begin; });
  }
  void ofDimension(const ast::NameExpr &name) {
    for (const std::string &dim : dims_) add(Operator::Dimension, name.span, dim);
    add(Operator::Double, name.span, "2 * " + name.name), add(Operator::Step, name.span, name.name + " - 1"), add(Operator::Step, name.span, name.name + " + 1");
    for (const std::string &number : numbers_) add(Operator::NumberForDimension, name.span, number);
    for (const std::string &extent : extents_) add(Operator::Extent, name.span, inPlaceOf(name, extent, around_));
  }

  void ofNumber(const ast::IntExpr &number) {
    constexpr uint64_t kLargest = uint64_t{1} << 40;
    if (number.tooLarge || number.value > kLargest) return;
    if (isAxis(number)) {
      eachOtherAxis(&number, [&](const std::string &axis) { add(Operator::Axis, number.span, axis); });
      for (const char *other : {"-1", "(1, 2)", "(2, 3)"}) add(Operator::Axis, number.span, other);
      return;
    }
    add(Operator::Step, number.span, std::to_string(number.value + 1));
    if (number.value > 0) add(Operator::Step, number.span, std::to_string(number.value - 1));
    if (number.value > 1) add(Operator::Double, number.span, std::to_string(number.value * 2));
    if (number.value > 1 && number.value % 2 == 0) add(Operator::Double, number.span, std::to_string(number.value / 2));
    for (const std::string &other : numbers_) add(Operator::OtherNumber, number.span, other);
    for (const std::string &dim : dims_) add(Operator::DimensionForNumber, number.span, dim);
    for (const std::string &extent : extents_) add(Operator::Extent, number.span, inPlaceOf(number, extent, around_));
  }
  /// Whether a number counts axes: that of `axis=`, and those of transposes and of calls that go along an axis.
  bool isAxis(const ast::IntExpr &number) const {
    auto *call = as<ast::CallExpr>(around_);
    if (!call) return false;
    for (size_t i = 0; i < call->arguments.size(); ++i) {
      const ast::Argument &argument = call->arguments[i];
      if (argument.value.get() != &number) continue;
      if (argument.keyword) return argument.keyword->text == "axis" || argument.keyword->text == "dim";
      const std::string name = nameOf(*call);
      return isTurn(name) || name == "unsqueeze" || name == "squeeze" || (goesAlong(name) && (i > 0 || as<ast::AttributeExpr>(call->callee)));
    }
    return false;
  }

  void ofOperator(const ast::BinaryExpr &e) {
    using ast::BinaryOp;
    if (e.op == BinaryOp::MatMul || e.op == BinaryOp::Sub) exchange(Operator::ExchangeOperands, e.left->span, e.right->span);
    const std::string left = text(*e.left), right = text(*e.right);
    if (e.op == BinaryOp::MatMul) ofProduct(e);
    if (e.op == BinaryOp::Add)
      for (const char *axis : {"1", "-1", "0"}) add(Operator::Join, e.span, "concat(" + left + ", " + right + ", axis=" + axis + ")");
    if (e.op == BinaryOp::Div || e.op == BinaryOp::FloorDiv) add(Operator::CastBoth, e.span, "f32(" + left + ") / f32(" + right + ")"), add(Operator::CastBoth, e.span, "cast(" + left + ", f32) / cast(" + right + ", f32)");
    for (const std::string &extent : extents_)
      if (e.op == BinaryOp::Mul && std::find(extents_.begin(), extents_.end(), text(e)) != extents_.end()) add(Operator::Extent, e.span, extent);
    if (e.op == BinaryOp::Mul) add(Operator::ElementsToProduct, e.opSpan, "@");
    if (e.op == BinaryOp::FloorDiv) add(Operator::OtherOperator, e.opSpan, "/");
    if (e.op == BinaryOp::Div) add(Operator::OtherOperator, e.opSpan, "//"), add(Operator::OtherOperator, e.opSpan, "*");
    if (e.op == BinaryOp::BitXor || e.op == BinaryOp::Mul) add(Operator::OtherOperator, e.opSpan, "**");
  }

  void ofProduct(const ast::BinaryExpr &e) {
    const std::string left = text(*e.left), right = text(*e.right), plain = right.ends_with(".T") ? right.substr(0, right.size() - 2) : right;
    add(Operator::ProductToElements, e.opSpan, "*");
    add(Operator::TurnProduct, e.span, right + " @ " + asPrimary(*e.left) + ".T");
    add(Operator::TurnProduct, e.span, asPrimary(*e.right) + ".T @ " + left);
    add(Operator::PairSum, e.span, "sum(" + left + " * " + plain + ", axis=1)"), add(Operator::Sum, e.span, "sum(" + left + " * " + plain + ")");
    add(Operator::PairSum, e.span, "sum(" + left + " * " + plain + ", axis=-1)");
    add(Operator::PairSum, e.span, "sum(" + asPrimary(*e.left) + "[:, :, None] * " + right + ", axis=1)"), add(Operator::PairSum, e.span, "sum(" + asPrimary(*e.right) + "[:, :, None] * " + left + ", axis=1)");
  }

  void ofCall(const ast::CallExpr &call) {
    const std::vector<Span> spans = argumentSpans(call.arguments);
    auto *method = as<ast::AttributeExpr>(call.callee);
    const std::string name = nameOf(call);
    exchangeAll(Operator::ExchangeArguments, spans);
    if (isTurn(name)) moveAxes(spans);
    rotate(Operator::ExchangeArguments, spans, "give them in this order");  // `f(g, x, y)` for `f(x, y, g)`
    if (method && spans.size() == 1) exchange(Operator::ExchangeArguments, method->object->span, spans[0]);
    for (size_t i = 0; i < spans.size(); ++i) {
      const std::string keyword = call.arguments[i].keyword ? call.arguments[i].keyword->text : "";
      const Operator op = keyword == "axis" || keyword == "dim" ? Operator::DropAxis : keyword == "keepdim" ? Operator::Unkeep : Operator::DropArgument;
      without(op, spans, i);
    }
    if (goesAlong(name) && !keyword(call, "axis") && !keyword(call, "dim") && !spans.empty())
      for (const char *axis : {"1", "0", "-1", "2"}) append(Operator::AddAxis, call, std::string("axis=") + axis);
    if (isReduction(name) && !keyword(call, "keepdim") && !spans.empty()) append(Operator::Keep, call, "keepdim=True");
    for (const std::string &other : functionsLike(name)) add(Operator::OtherFunction, method ? method->attribute.span : call.callee->span, other);
    if (!spans.empty() && !isTurn(name)) add(name == "cast" ? Operator::Uncast : Operator::Unwrap, call.span, inPlaceOf(*call.arguments[0].value, text(spans[0]), around_));
    if (method) add(isTurn(name) ? Operator::Unturn : Operator::Unwrap, {call.span.file, method->object->span.end, call.span.end}, "");
    for (const std::string &other : unread_) {
      append(Operator::AddArgument, call, other);
      for (const ast::Argument &argument : call.arguments) add(Operator::AddArgument, {argument.span.file, argument.span.begin, argument.span.begin}, other + ", ");
    }
  }
  void append(Operator op, const ast::CallExpr &call, const std::string &argument) {
    if (call.arguments.empty()) return;
    const uint32_t at = call.arguments.back().span.end;
    add(op, {call.span.file, at, at}, ", " + argument, "insert `" + argument + "`");
  }
  void ofMember(const ast::AttributeExpr &member) {
    if (member.attribute.text == "T") return add(Operator::Unturn, {member.span.file, member.object->span.end, member.span.end}, "");
    if (isCallee(member)) return;
    for (const std::string &field : fieldsBeside(member.attribute.text)) add(Operator::Field, member.attribute.span, field);
    if (place_.inKernel && text(*member.object) == "T")
      for (const char *size : {"m", "n", "k"}) add(Operator::Field, member.attribute.span, size);
  }

  void ofSubscript(const ast::SubscriptExpr &subscript) {
    const std::vector<Span> spans = argumentSpans(subscript.items);
    const bool news = std::any_of(subscript.items.begin(), subscript.items.end(), isNewAxis);
    const Span brackets{subscript.span.file, subscript.object->span.end, subscript.span.end};
    exchangeAll(news ? Operator::MoveNew : Operator::ExchangeItems, spans);
    add(news ? Operator::Unnew : Operator::Unindex, brackets, "");
    if (spans.size() > 1)
      for (size_t i = 0; i < spans.size(); ++i) without(news && isNewAxis(subscript.items[i]) ? Operator::Unnew : Operator::DropItem, spans, i);
    for (const Span item : spans) add(Operator::AddItem, {item.file, item.begin, item.begin}, ":, ", "take all of an axis in front of it");
    if (place_.inKernel && spans.size() == 2)
      add(Operator::TurnTile, subscript.span, "tile.transpose(" + text(*subscript.object) + "[" + text(spans[1]) + ", " + text(spans[0]) + "])");
    if (news && spans.size() == 2)
      for (const char *more : {"[:, None, None]", "[:, :, None]", "[:, None, :]", "[:, None, None, :]"}) add(Operator::NewSeveral, brackets, more);
    for (const ast::Argument &item : subscript.items) keptAxis(item);
    likeOthers(subscript);
  }
  /// `x[N - 1:]` for `x[N - 1]`: the part of one element keeps its axis.
  void keptAxis(const ast::Argument &item) {
    const std::string own = text(item.span);
    const bool isLast = own == "-1" || own.ends_with(" - 1"), isNumber = item.value->kind == ast::ExprKind::Int;
    if (isLast) insertBehind(item.span, ":");
    else if (isNumber && own == "0") add(Operator::KeepIndex, {item.span.file, item.span.begin, item.span.end}, ":1", "keep the axis: `:1`");
    else if (as<ast::NameExpr>(item.value) && isBound(own)) insertBehind(item.span, ":" + own + " + 1");
  }
  void insertBehind(Span item, const std::string &what) { add(Operator::KeepIndex, {item.file, item.end, item.end}, what, "keep the axis: `" + text(item) + what + "`"); }
  /// An item as other subscripts of the function have it, in place of one or beside them.
  void likeOthers(const ast::SubscriptExpr &subscript) {
    constexpr size_t kMostItems = 8;
    size_t made = 0;
    for (const std::string &other : items_) {
      const bool known = std::any_of(subscript.items.begin(), subscript.items.end(), [&](const ast::Argument &item) { return text(item.span) == other; });
      if (known || made == kMostItems) continue;
      ++made;
      for (const ast::Argument &item : subscript.items)
        if (!isNewAxis(item)) add(Operator::Item, item.span, other, "take the part that is taken beside it");
      const uint32_t end = subscript.items.empty() ? subscript.span.end : subscript.items.back().span.end;
      if (subscript.items.empty()) continue;
      add(Operator::AddItem, {subscript.span.file, end, end}, ", " + other), add(Operator::AddItem, {subscript.span.file, subscript.items[0].span.begin, subscript.items[0].span.begin}, other + ", ");
    }
  }

  /// A list: two exchanged, one less, one more; axes that are counted from elsewhere.
  void ofList(const ast::SequenceExpr &list) {
    const std::vector<Span> spans = itemSpans(list);
    exchangeAll(Operator::ExchangeItems, spans);
    for (size_t i = 0; i < spans.size(); ++i) {
      if (spans.size() > 2 || !list.parenthesised) without(Operator::DropItem, spans, i);
      if (!around_ && as<ast::ReturnStmt>(place_.statement)) continue;  // results are no extents
      for (const std::string &extent : extents_) {
        add(Operator::AddItem, {spans[i].file, spans[i].begin, spans[i].begin}, extent + ", ");
        if (i + 1 == spans.size()) add(Operator::AddItem, {spans[i].file, spans[i].end, spans[i].end}, ", " + extent);
      }
    }
    auto *call = as<ast::CallExpr>(around_);
    const ast::Argument *axes = call ? keyword(*call, "axis") : nullptr;
    if (axes && axes->value.get() == &list) moveAxes(spans);
  }
  /// `(2, 3)` for `(1, 2)`
  void moveAxes(const std::vector<Span> &spans) {
    if (spans.size() < 2) return;
    std::string more, less;
    for (const Span &span : spans) {
      const std::string own = text(span);
      if (own.size() != 1 || own[0] < '0' || own[0] > '4') return;
      more += (more.empty() ? "" : ", ") + std::string(1, static_cast<char>(own[0] + 1));
      less += (less.empty() ? "" : ", ") + std::string(1, static_cast<char>(own[0] - 1));
    }
    const Span all = spans.front().to(spans.back());
    add(Operator::Axis, all, more), add(Operator::Axis, all, less);
  }
  /// `wrt="w"`: another parameter of this function or of what is differentiated.
  void ofText(const ast::StringExpr &shown) {
    auto *call = as<ast::CallExpr>(around_);
    if (!call) return;
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = as<ast::FuncDef>(stmt); def && text(call->span).find(def->name.text) != std::string::npos)
        for (const ast::Parameter &p : def->parameters) add(Operator::Text, shown.span, "\"" + p.name.text + "\"");
  }

  /// The letters of an equation: another one of them at a place, two exchanged.
  void ofEquation(const ast::StringExpr &equation) {
    const std::string own = equation.text;
    if (own.find("->") == std::string::npos || own.find(' ') != std::string::npos) return;
    std::set<char> letters;
    for (char c : own)
      if (c >= 'a' && c <= 'z') letters.insert(c);
    for (size_t i = 1; i + 1 < own.size(); ++i) {
      if (!letters.count(own[i])) continue;
      const uint32_t at = equation.span.begin + static_cast<uint32_t>(i);
      const Span place{equation.span.file, at, at + 1};
      for (char c : letters) add(Operator::Letters, place, std::string(1, c));
      if (i + 2 < own.size() && letters.count(own[i + 1])) exchange(Operator::Letters, place, {place.file, at + 1, at + 2});
    }
  }

  std::set<const ast::Expr *> seen_;
  const ast::Expr *around_ = nullptr;
};

}  // namespace

std::vector<Guess> guessesFor(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  if (!place.function || !place.statement || !place.module || diagnostic.span.file != place.module->file || place.function->body.empty()) return {};
  ExpressionGuesses expressions(diagnostic, place, sources);
  if (diagnostic.span.begin >= place.function->body.front()->span.begin) expressions.collect();
  std::vector<Guess> found = expressions.taken();
  for (Guess &guess : guessesOfStatements(diagnostic, place, sources)) found.push_back(std::move(guess));
  for (Guess &guess : guessesOfHeads(diagnostic, place, sources)) found.push_back(std::move(guess));
  return found;
}

}  // namespace tessera::sema
