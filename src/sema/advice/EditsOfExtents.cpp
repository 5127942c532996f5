// Edits for sizes that were taken from the wrong place: the extents that are declared, the ends of slices, the order of the
// sizes of a reshape, another size of the schedule, the order of a struct's dimensions.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <map>
#include <optional>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ExtentEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function) return {};
    if (!place_.expr()) {  // about a whole statement
      if (diagnostic_.id == Id::rankMismatch || diagnostic_.id == Id::shapeMismatch) storedAtPlace();
      return taken();
    }
    switch (diagnostic_.id) {
    case Id::wrongResult:
      takenPosition(), movedBeforeJoin(), exchangedReshape(), adjoiningSlices(), shiftedSlices(), exchangedArguments(), declaredExtents(), otherFields(), keptBatch();
      break;
    case Id::broadcastFails:
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::tileMismatch:
    case Id::redefinedType:
      takenPosition(), oneShorter(), otherFields(), exchangedReshape(), adjoiningSlices(), paddedByOne(), shiftedSlices(), wideIndex(), storedAtPlace(), declaredExtents(), neededExtents(), typeArguments();
      break;
    case Id::splitSizes: declaredManifold(); break;
    case Id::contractionMismatch:
      movedBeforeJoin(), exchangedReshape(), otherFields(), neededExtents(), typeArguments(), keptBatch();
      break;
    case Id::badReshape: sizeLeftOpen(), neededExtents(); break;
    case Id::badConstant: sizeLeftOpen(); break;
    case Id::outOfBounds: shiftedSlices(); break;
    case Id::wrongArgument: typeArguments(), countOfStack(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 16;

  void add(CandidateGroup &edits, Span span, const std::string &by, const std::string &title = {}) {
    if (edits.edits.size() < kMost && by != text(span)) replaceOnce(edits, span, by, title);
  }

  /// What is in play, and what the name that `acc += value` changes got before.
  template <class Visit> void eachNear(const Visit &each) const {
    eachInPlay(each);
    if (const ast::Expr *value = valueBefore()) visit(*value, each);
    if (auto *call = place_.innermost<ast::CallExpr>(); call && call != place_.expr()) visit(*call, each);
  }

  /// What the name of `acc += value` stood for.
  const ast::Expr *valueBefore() const {
    auto *changed = as<ast::AugAssignStmt>(place_.statement);
    auto *name = changed ? as<ast::NameExpr>(changed->target) : nullptr;
    return name ? place_.valueOf(name->name) : nullptr;
  }

  /// `x[:, T - 1:T]`, which keeps an axis of extent 1.
  void takenPosition() {
    CandidateGroup &edits = group(true);
    eachNear([&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      if (!slice || slice->step || !slice->start || !slice->stop) return;
      const std::string start = text(*slice->start), stop = text(*slice->stop);
      if (stop == start + " + 1" || start == stop + " - 1") add(edits, slice->span, start, "take this one position");
    });
  }

  /// `x.reshape(B, S, D, H)` for `(B, S, H, D)`: the sizes of two neighbours.
  void exchangedReshape() {
    if (place_.inKernel) return;
    CandidateGroup parts, wholes;  // the parts of an axis that is taken apart; sizes that axes have as they are
    eachNear([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || nameOf(*call) != "reshape") return;
      const size_t first = as<ast::AttributeExpr>(call->callee) ? 0 : 1;
      if (isOfItsOwnSizes(*call)) return;
      for (size_t i = first + keptInFront(*call); i + 1 < call->arguments.size(); ++i) {
        const ast::Argument &a = call->arguments[i], &b = call->arguments[i + 1];
        if (a.keyword || b.keyword || a.value->kind == ast::ExprKind::Tuple) continue;
        const bool plain = as<ast::NameExpr>(a.value) && as<ast::NameExpr>(b.value);
        add(plain ? wholes : parts, a.span.to(b.span), text(b.span) + ", " + text(a.span), "exchange the sizes");
      }
    });
    wholes.assumes = wholes.last = true;  // rather the axes are to be exchanged
    groups_.push_back(std::move(parts)), groups_.push_back(std::move(wholes));
  }

  /// `x.reshape(B, H, S * E)`, where heads and their features are to be one axis: the heads move behind the rows first.
  void movedBeforeJoin() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    eachNear([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto *method = call && nameOf(*call) == "reshape" ? as<ast::AttributeExpr>(call->callee) : nullptr;
      auto *moved = method ? as<ast::CallExpr>(method->object) : nullptr;
      if (moved && (nameOf(*moved) == "transpose" || nameOf(*moved) == "permute")) return;
      for (size_t i = 0; method && i + 1 < call->arguments.size(); ++i) {
        const ast::Argument &before = call->arguments[i];
        auto *product = as<ast::BinaryExpr>(call->arguments[i + 1].value);
        if (!product || product->op != ast::BinaryOp::Mul || before.value->kind != ast::ExprKind::Name) continue;
        std::string sizes;
        for (size_t j = 0; j < call->arguments.size(); ++j)
          sizes += (j ? ", " : "") + (j == i       ? text(*product->left)
                                      : j == i + 1 ? text(before.span) + " * " + text(*product->right)
                                                   : text(call->arguments[j].span));
        add(edits, {call->span.file, method->object->span.end, call->span.end},
            ".transpose(" + std::to_string(i) + ", " + std::to_string(i + 1) + ").reshape(" + sizes + ")",
            "move the axis, then make one of the two");
      }
    });
  }

  /// How many of the first sizes of `x.reshape(B, S, H, D // H)` are those of `x`: they stay where they are.
  size_t keptInFront(const ast::CallExpr &call) const {
    auto *method = as<ast::AttributeExpr>(call.callee);
    const ast::SubscriptExpr *type = method ? tensorTypeOf(method->object.get()) : nullptr;
    size_t kept = 0;
    while (type && kept < extentCount(*type) && kept < call.arguments.size() &&
           text(type->items[kept].span) == text(call.arguments[kept].span))
      ++kept;
    return kept;
  }

  /// `x.reshape(C, R)` of `x: Tensor[R, C]`: a transpose was meant rather.
  bool isOfItsOwnSizes(const ast::CallExpr &call) const {
    auto *method = as<ast::AttributeExpr>(call.callee);
    const ast::SubscriptExpr *type = method ? tensorTypeOf(method->object.get()) : nullptr;
    if (!type || extentCount(*type) != call.arguments.size()) return false;
    std::multiset<std::string> own, given;
    for (size_t i = 0; i < call.arguments.size(); ++i) own.insert(text(type->items[i].span)), given.insert(text(call.arguments[i].span));
    return own == given;
  }

  /// `y[:, :D], y[:, D:2 * D], y[:, D:]`: a part begins where the one before it ends.
  void adjoiningSlices() {
    std::map<std::string, std::vector<const ast::SliceExpr *>> slices;  // by what is cut, and along which axis
    auto take = [&](const ast::Expr &item) {
      auto *subscript = as<ast::SubscriptExpr>(&item);
      for (size_t i = 0; subscript && i < subscript->items.size(); ++i)
        if (auto *slice = as<ast::SliceExpr>(subscript->items[i].value); slice && !slice->step && (slice->start || slice->stop))
          slices[text(*subscript->object) + "#" + std::to_string(i)].push_back(slice);
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs)
      visit(*e, [&](const ast::Expr &part) {  // of a stencil, slices overlap
        if (part.kind == ast::ExprKind::Tuple)
          for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(part).items) take(*item);
      });
    CandidateGroup &edits = group(true);
    for (auto &[what, list] : slices) {
      for (size_t i = 0; i + 1 < list.size(); ++i) {
        const ast::ExprPtr &end = list[i]->stop, &start = list[i + 1]->start;
        if (!end || !start || text(*end) == text(*start) || end->kind == ast::ExprKind::Unary || start->kind == ast::ExprKind::Unary) continue;
        add(edits, start->span, text(*end), "begin where the part before it ends");
        add(edits, end->span, text(*start), "end where the next part begins");
      }
    }
  }

  /// `pad(a[:, :S - 1], ((0, 0), (0, 0)))`, which is one shorter than the value beside it: in front of the axis, or behind it.
  void paddedByOne() {
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    eachNear([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || nameOf(*call) != "pad" || call->arguments.size() < 2 || call->arguments[1].value->kind != ast::ExprKind::Tuple) return;
      for (const ast::ExprPtr &pair : static_cast<const ast::SequenceExpr &>(*call->arguments[1].value).items)
        if (pair->kind == ast::ExprKind::Tuple)
          for (const ast::ExprPtr &width : static_cast<const ast::SequenceExpr &>(*pair).items)
            if (auto *number = as<ast::IntExpr>(width)) add(edits, number->span, std::to_string(number->value + 1), "pad by one more");
    });
  }

  /// `x[1:] - x[:T]`: an end that is one too far, or not far enough.
  void shiftedSlices() {
    constexpr size_t kMostSlices = 4;
    std::vector<const ast::SliceExpr *> slices;
    eachNear([&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      if (slice && !slice->step && (slice->start || slice->stop) && slices.size() < kMostSlices &&
          std::find(slices.begin(), slices.end(), slice) == slices.end())
        slices.push_back(slice);
    });
    CandidateGroup &edits = group(true);  // where several ends could be moved, nothing says which was meant
    for (const ast::SliceExpr *slice : slices) {
      const std::set<std::string> dims = dimensions();
      if (slice->start && !slice->stop && as<ast::IntExpr>(slice->start) && !place_.inKernel)  // `u[1:-1, 1:]`
        add(edits, {slice->span.file, slice->span.end, slice->span.end}, "-1", "stop before the last");
      if (slice->stop && dims.count(text(*slice->stop)) && !place_.inKernel)
        add(edits, slice->stop->span, "-1", "end one earlier");
      for (const ast::ExprPtr *end : {&slice->stop, &slice->start}) {
        if (!*end) continue;
        for (const std::string &moved : neighbours(**end)) add(edits, (*end)->span, moved, "move it by one");
      }
    }
  }
  /// `T - 1` and `T + 1` of `T`; `T` and `T - 2` of `T - 1`.
  std::vector<std::string> neighbours(const ast::Expr &e) const {
    const std::string shown = text(e);
    if (auto *number = as<ast::IntExpr>(&e)) {
      std::vector<std::string> found = {std::to_string(number->value + 1)};
      if (number->value > 0) found.push_back(std::to_string(number->value - 1));
      return found;
    }
    auto *minus = as<ast::UnaryExpr>(&e);
    auto *last = minus && minus->op == ast::UnaryOp::Neg ? as<ast::IntExpr>(minus->operand) : nullptr;
    if (last) return {std::to_string(-static_cast<int64_t>(last->value) - 1)};
    auto *sum = as<ast::BinaryExpr>(&e);
    auto *one = sum ? as<ast::IntExpr>(sum->right) : nullptr;
    if (one && one->value == 1 && (sum->op == ast::BinaryOp::Sub || sum->op == ast::BinaryOp::Add))
      return {text(*sum->left), text(*sum->left) + (sum->op == ast::BinaryOp::Sub ? " - 2" : " + 2")};
    if (e.kind == ast::ExprKind::Name || sum) return {shown + " - 1", shown + " + 1"};
    return {};
  }

  /// The extents that the function declares to return, as they are written.
  std::vector<std::string> extentsOfResult() const {
    auto *type = as<ast::SubscriptExpr>(place_.function->result);
    std::vector<std::string> found;
    if (!type || text(*type->object) != "Tensor") return found;
    for (size_t i = 0; i < extentCount(*type); ++i) {
      const ast::ExprKind kind = type->items[i].value->kind;
      const bool size = kind == ast::ExprKind::Int || kind == ast::ExprKind::Binary || kind == ast::ExprKind::Name;
      if (size) found.push_back(text(type->items[i].span));
    }
    return found;
  }
  /// `linear(x, D)`, where `[B, 10]` is declared: an argument that is a size, with each extent that the result needs.
  void declaredExtents() {
    CandidateGroup &edits = group(true);
    const std::vector<std::string> extents = extentsOfResult();
    static const std::set<std::string> ofOrder = {"transpose", "permute", "reshape", "split", "flatten", "unsqueeze", "squeeze", "repeat"};
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || ofOrder.count(nameOf(*call))) return;
      for (const ast::Argument &arg : call->arguments) {
        const bool size = arg.value->kind == ast::ExprKind::Int || isSize(*arg.value);
        if (!size || (arg.keyword && arg.keyword->text == "axis")) continue;
        for (const std::string &extent : extents) add(edits, arg.value->span, extent, "make it as large as is declared");
      }
    });
  }
  /// `embedding(ids, D, V)` for `V, D`: two sizes that stand side by side.
  void exchangedArguments() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      for (size_t i = 0; call && i + 1 < call->arguments.size(); ++i) {
        const ast::Argument &a = call->arguments[i], &b = call->arguments[i + 1];
        if (!a.keyword && !b.keyword && as<ast::NameExpr>(a.value) && as<ast::NameExpr>(b.value) && isSize(*a.value) && isSize(*b.value) && nameOf(*call) != "reshape")
          add(edits, a.span.to(b.span), text(b.span) + ", " + text(a.span), "give the sizes in this order");
      }
    });
  }

  /// What is left out at an end, the one first that no slice in play leaves out yet: `p[1:] / p` is `p[1:] / p[:-1]`.
  std::vector<const char *> otherEnd() const {
    bool first = false;
    eachInPlay([&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      first |= slice && slice->start && !slice->stop && text(*slice->start) == "1";
    });
    return first ? std::vector<const char *>{":-1", "1:"} : std::vector<const char *>{"1:", ":-1"};
  }

  /// `cross_entropy(logits, ids)` of `ids: Tensor[B, T + 1]`: without the first of them, or the last.
  void oneShorter() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    std::set<std::string> said;
    for (const auto &shape : shapesSaid()) said.insert(shape.begin(), shape.end());
    eachNear([&](const ast::Expr &part) {
      const ast::SubscriptExpr *type = tensorTypeOf(&part);
      std::string before;
      for (size_t i = 0; type && i < extentCount(*type); ++i, before += ":, ") {
        const std::string extent = text(type->items[i].span);
        const bool more = extent.size() >= 5 && extent.substr(extent.size() - 4) == " + 1";
        if (!more && !(said.count(extent) && said.count(extent + " - 1"))) continue;
        for (const char *kept : otherEnd())
          add(edits, {part.span.file, part.span.end, part.span.end}, "[" + before + kept + "]", "take one less");
      }
    });
  }

  /// `split(x @ w, 2)` of `w: Tensor[D, F]`: declared as many times as large.
  void declaredManifold() {
    auto *call = place_.innermost<ast::CallExpr>();
    std::string count;
    for (size_t i = 0; call && i < call->arguments.size(); ++i)
      if (auto *number = as<ast::IntExpr>(call->arguments[i].value); number && count.empty() && !call->arguments[i].keyword) count = number->text;
    if (count.empty()) return;
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = edits.last = true;
    const std::set<std::string> dims = dimensions();
    eachNear([&](const ast::Expr &part) {
      const ast::SubscriptExpr *type = tensorTypeOf(&part);
      for (size_t i = 0; type && i < extentCount(*type); ++i)
        if (dims.count(text(type->items[i].span))) add(edits, type->items[i].span, count + " * " + text(type->items[i].span), "declare room for all parts");
    });
  }

  /// `memory.rows = x` of one row: it is stored at the place that the function is given.
  void storedAtPlace() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    const ast::Expr *target = assign ? assign->targets[0].get() : nullptr;
    if (!target || target->kind != ast::ExprKind::Attribute) return;
    CandidateGroup &edits = group(true);
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (type && text(*type->object) == "Const" && type->items.size() == 1)
        add(edits, {target->span.file, target->span.end, target->span.end}, "[" + text(type->items[0].span) + "]", "store it at this place");
    }
  }

  /// A dimension of the function, or a number of the module.
  bool isSize(const ast::Expr &e) const {
    auto *name = as<ast::NameExpr>(&e);
    if (!name) return e.kind == ast::ExprKind::Binary && !place_.inKernel && isSizes(e);
    if (dimensions().count(name->name)) return true;
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *assign = as<ast::AssignStmt>(stmt); assign && text(*assign->targets[0]) == name->name)
        return assign->value->kind == ast::ExprKind::Int;
    return false;
  }
  bool isSizes(const ast::Expr &e) const {
    auto *binary = as<ast::BinaryExpr>(&e);
    if (!binary) return e.kind == ast::ExprKind::Int || isSize(e);
    return binary->op != ast::BinaryOp::Div && isSizes(*binary->left) && isSizes(*binary->right);
  }

  /// `acc = tile.zeros((T.m, T.k), f32)` for `T.n`: another size of the schedule.
  void otherFields() {
    static const std::set<std::string> fields = {"m", "n", "k"};
    if (!place_.inKernel) return;
    CandidateGroup made, used;
    auto others = [&](const ast::Expr &part, CandidateGroup &edits) {
      auto *member = as<ast::AttributeExpr>(&part);
      if (!member || !as<ast::NameExpr>(member->object) || !fields.count(member->attribute.text)) return;
      for (const std::string &other : fields) add(edits, member->attribute.span, other, "take another size of the schedule");
    };
    if (const ast::Expr *value = valueBefore()) visit(*value, [&](const ast::Expr &part) { others(part, made); });
    eachNear([&](const ast::Expr &part) { others(part, used); });
    used.assumes = true;  // where a slice starts may be what is wrong: `q0:q0 + T.m` for `k0:k0 + T.n`
    groups_.push_back(std::move(made)), groups_.push_back(std::move(used));
  }

  /// `x.flatten()` of a batch.
  void keptBatch() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const bool method = call && as<ast::AttributeExpr>(call->callee);
      if (call && nameOf(*call) == "flatten" && call->arguments.size() == (method ? 0 : 1))
        add(edits, {call->span.file, call->span.end - 1, call->span.end - 1}, method ? "1" : ", 1", "keep the first axis");
    });
  }

  /// `cache.k[P] = x` of rows `[T, D]`: an index that has to be as many positions as the value has.
  void wideIndex() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *target = assign ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
    const auto shapes = shapesSaid();
    if (!target || shapes.size() != 2 || shapes[1].size() != shapes[0].size() + 1) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : target->items) {
      if (item.value->kind != ast::ExprKind::Name && item.value->kind != ast::ExprKind::Int) continue;
      for (const std::string &extent : shapes[1]) {
        const std::string from = text(item.span);
        add(edits, item.span, from == "0" ? ":" + extent : from + ":" + from + " + " + extent, "take as many positions");
      }
    }
  }

  /// The number that a constant size stands for: `4 * 8 * 8` is 256.
  static std::optional<int64_t> valueOfSize(const ast::Expr &e) {
    if (auto *number = as<ast::IntExpr>(&e)) return number->tooLarge ? std::nullopt : std::optional(static_cast<int64_t>(number->value));
    auto *binary = as<ast::BinaryExpr>(&e);
    auto left = binary ? valueOfSize(*binary->left) : std::nullopt, right = binary ? valueOfSize(*binary->right) : std::nullopt;
    constexpr int64_t kLargest = int64_t{1} << 30;
    if (!left || !right || *left > kLargest || *right > kLargest) return std::nullopt;
    switch (binary->op) {
    case ast::BinaryOp::Mul: return *left * *right;
    case ast::BinaryOp::Add: return *left + *right;
    case ast::BinaryOp::Sub: return *left - *right;
    default: return std::nullopt;
    }
  }
  /// A number as the function writes it, `64 * 16 * 16`.
  std::string asWritten(const std::string &number) const {
    std::string found = number;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto value = part.kind == ast::ExprKind::Binary ? valueOfSize(part) : std::nullopt;
      if (value && std::to_string(*value) == number) found = text(part);
    });
    return found;
  }
  /// A constant extent of a parameter in play, with what the message says of the other side: `64 is not 256`.
  void neededExtents() {
    std::set<std::string> said;
    for (const auto &shape : shapesSaid())
      for (const std::string &extent : shape)
        if (extent.find_first_not_of("0123456789") == std::string::npos) said.insert(extent);
    if (said.size() < 2) return;
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = edits.rivals = true;
    eachNear([&](const ast::Expr &part) {
      const ast::SubscriptExpr *type = tensorTypeOf(&part);
      for (size_t i = 0; type && i < extentCount(*type); ++i) {
        auto value = valueOfSize(*type->items[i].value);
        if (!value || !said.count(std::to_string(*value))) continue;
        for (const std::string &other : said)
          if (other != std::to_string(*value)) add(edits, type->items[i].span, asWritten(other), "declare the extent that is needed");
      }
    });
  }

  /// `down: Linear[D, F]`, and `out: Linear[V, D]`: two dimensions of a struct in the other order.
  void typeArguments() {
    CandidateGroup fields, parameters;
    auto exchanged = [&](const ast::Expr *annotation, CandidateGroup &edits) {
      auto *type = as<ast::SubscriptExpr>(annotation);
      static const std::set<std::string> others = {"Tensor", "Const", "tuple", "Tuple", "list", "dict"};
      if (!type || others.count(text(*type->object))) return;
      for (size_t i = 0; i + 1 < type->items.size(); ++i)
        add(edits, type->items[i].span.to(type->items[i + 1].span), text(type->items[i + 1].span) + ", " + text(type->items[i].span),
            "give the dimensions in this order");
    };
    std::set<std::string> seen;
    eachNear([&](const ast::Expr &part) {
      const ast::Parameter *p = parameterOf(&part);
      if (!p || !p->annotation || !seen.insert(p->name.text).second) return;
      exchanged(p->annotation.get(), parameters);
      auto *type = as<ast::SubscriptExpr>(p->annotation);
      const ast::StructDef *def = structNamed(type ? text(*type->object) : text(*p->annotation));
      for (size_t i = 0; def && i < def->body.size(); ++i)
        if (auto *field = as<ast::AnnAssignStmt>(def->body[i])) {
          auto *stack = as<ast::StackExpr>(field->annotation);
          exchanged(stack ? stack->item.get() : field->annotation.get(), fields);
        }
    });
    for (CandidateGroup *found : {&parameters, &fields}) {
      found->onlyIfUnique = found->ofSignature = found->assumes = true;
      groups_.push_back(std::move(*found));
    }
  }
  /// `zip(a, b)` of `a: [Block[D]; L]` and `b: [Block[D]; M]`
  void countOfStack() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "zip") return;
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = true;
    std::vector<const ast::StackExpr *> stacks;
    for (const ast::Argument &arg : call->arguments)
      if (const ast::Parameter *p = parameterOf(arg.value.get()))
        if (auto *stack = as<ast::StackExpr>(p->annotation)) stacks.push_back(stack);
    for (size_t i = stacks.size(); i-- > 0;)
      for (const ast::StackExpr *other : stacks) add(edits, stacks[i]->count->span, text(*other->count), "declare as many");
  }

  const ast::StructDef *structNamed(const std::string &name) const {
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = as<ast::StructDef>(stmt); def && def->name.text == name) return def;
    return nullptr;
  }

  /// `x.reshape(-1, -1)`: a dimension for one of them.
  void sizeLeftOpen() {
    const ast::CallExpr *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "reshape") return;
    std::vector<const ast::Argument *> open;
    for (const ast::Argument &arg : call->arguments)
      if (text(arg.span) == "-1") open.push_back(&arg);
    if (open.size() < 2) return;
    CandidateGroup &edits = group(true);
    for (size_t i = open.size(); i-- > 0;) {
      for (const std::string &extent : extentsOfResult()) add(edits, open[i]->span, extent, "say this size");
      for (const std::string &dim : dimensions()) add(edits, open[i]->span, dim, "say this size");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfExtents(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return ExtentEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
