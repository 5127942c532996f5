// Edits by what the function does with its names: one that nothing reads was meant where another does not fit, two were
// exchanged, or what a tuple is taken apart into stands in another order.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class UseEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.names || !place_.expr()) return {};
    switch (diagnostic_.id) {
    case Id::undefinedName:
      if (isPlainName())
        bindingOfUnread(), unreadInstead(), sumFromZero(), dimensionOfFact(), abbreviated(), onlyThatFits();
      else beginningOf();
      for (CandidateGroup &group : groups_) group.last = true;
      break;
    case Id::outOfBounds: sliceOfUnread(); break;
    case Id::unpackCount: namesRead(); break;
    case Id::badEquation: unreadAdded(); break;
    case Id::argumentNotGiven:
    case Id::missingField: unreadAmong(), unreadGiven(), notGivenAmong(); break;
    case Id::usedUp:
    case Id::oldState: unreadInstead(); break;
    case Id::contractionMismatch:
    case Id::broadcastFails:
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::wrongArgument:
    case Id::tileMismatch: unreadInstead(), otherOrderOfTuple(), unreadFactor(), unreadWeight(); break;
    case Id::badOperand: unreadInstead(), otherOrderOfTuple(); break;
    case Id::wrongResult:
      unreadInstead(), unreadBehind(), exchangedInReturn(), otherOrderOfTuple(), unreadFactor();
      break;
    default: break;
    }
    return taken();
  }

  /// Tried late: two parameters of one rank, each in the place of the other, and one of a tuple.
  std::vector<CandidateGroup> exchangedGroups() {
    if (!place_.names || !place_.expr() || place_.inKernel) return {};
    switch (diagnostic_.id) {
    case Id::contractionMismatch:
    case Id::broadcastFails: exchangedParameters(); break;
    case Id::badOperand: withoutComma(), oneOfTuple(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `rate = 0.1 / n,`: the comma makes a tuple of it.
  void withoutComma() {
    for (const ast::Expr *operand : operandsAt(place_)) {
      auto *name = as<ast::NameExpr>(operand);
      const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
      if (!value || value->kind != ast::ExprKind::Tuple || static_cast<const ast::SequenceExpr *>(value)->items.size() != 1) continue;
      const Span item = static_cast<const ast::SequenceExpr *>(value)->items[0]->span;
      const std::string behind = text({item.file, item.end, value->span.end});
      if (behind.find(')') == std::string::npos && behind.find(',') != std::string::npos) replace(group(false), {item.file, item.end, value->span.end}, "", "leave out the comma, which makes a tuple of it");
    }
  }
  /// `x - ends(x)`, which gives two numbers: which one is for the author to say.
  void oneOfTuple() {
    CandidateGroup &edits = group(true);  // nothing says which
    edits.assumes = edits.last = true;
    for (const ast::Expr *operand : operandsAt(place_))
      for (const std::string &name : unread())
        if (isBoundBefore(name, place_.expr()->span.begin) && takenFrom(name) == text(*operand)) replace(edits, operand->span, name);
    for (const ast::Expr *operand : operandsAt(place_))
      if (operand->kind == ast::ExprKind::Call || operand->kind == ast::ExprKind::Name)
        for (const char *index : {"[0]", "[1]"}) insert(edits, operand->span.end, index, "take one of the tuple");
  }

  /// Of `low, high = ends(x)`, what was taken apart.
  std::string takenFrom(const std::string &name) const {
    const ast::Expr *value = takenApart(name);
    return value ? text(*value) : "";
  }

  /// No `np` of `np.exp(x)`, and nothing that is called.
  bool isPlainName() const {
    if (place_.around.size() < 2) return true;
    auto *member = as<ast::AttributeExpr>(place_.around[1]);
    auto *call = as<ast::CallExpr>(place_.around[1]);
    return !(member && member->object.get() == place_.expr()) && !(call && call->callee.get() == place_.expr());
  }
  static constexpr size_t kMost = 8;

  /// What the function binds and nothing reads, in the order of the alphabet.
  std::vector<std::string> unread() const {
    std::vector<std::string> found;
    for (const auto &[name, use] : names())
      if (name[0] != '_' && use.isBound() && use.reads.empty() && !givesSize(use) && found.size() < kMost) found.push_back(name);
    return found;
  }
  /// `heads: Const[H]`, of which the types read `H`.
  bool givesSize(const NameUse &use) const {
    auto *type = use.parameter ? as<ast::SubscriptExpr>(use.parameter->annotation) : nullptr;
    return type && text(*type->object) == "Const";
  }
  bool isBoundBefore(const std::string &name, uint32_t place) const {
    const NameUse &use = names().at(name);
    bool before = use.parameter != nullptr;
    for (const ast::NameExpr *binding : use.bindings) before |= binding->span.end <= place;
    return before;
  }
  /// The value of this statement is being made: its own target is no name to read.
  bool isTargetHere(const std::string &name) const {
    for (const ast::NameExpr *binding : names().at(name).bindings)
      if (place_.statement && place_.statement->span.begin <= binding->span.begin &&
          binding->span.end <= place_.statement->span.end && place_.statement->kind != ast::StmtKind::For)
        return true;
    return false;
  }

  /// `y = double`, where a call was forgotten rather.
  bool isFunction(const std::string &name) const {
    auto *value = as<ast::NameExpr>(place_.valueOf(name));
    auto it = value ? names().find(value->name) : names().end();
    return it != names().end() && !it->second.isBound();
  }

  void unreadInstead() {
    unreadIn(*place_.expr());
    if (auto *call = place_.innermost<ast::CallExpr>(); call && call != place_.expr()) unreadIn(*call);
  }
  /// `einsum("mk,kn->mn", a)`
  void unreadAdded() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.empty() || call->arguments.back().keyword) return;
    CandidateGroup &edits = group(true);
    for (const std::string &other : unread())
      if (isBoundBefore(other, call->span.begin))
        insert(edits, call->arguments.back().span.end, ", " + other, "give it `" + other + "`, too");
  }
  /// `vjp(f)(x)`, which needs its `cotangent`, where nothing reads `g` yet.
  void unreadGiven() {
    auto *call = place_.innermost<ast::CallExpr>();
    size_t end = diagnostic_.message.rfind('`');
    size_t begin = end == std::string::npos || end == 0 ? end : diagnostic_.message.rfind('`', end - 1);
    if (!call || begin == std::string::npos || call->arguments.empty()) return;
    const std::string name = diagnostic_.message.substr(begin + 1, end - begin - 1);
    CandidateGroup &edits = group(true);
    for (const std::string &other : unread())
      if (names().at(other).parameter && other != name)
        insert(edits, call->arguments.back().span.end, ", " + name + "=" + other, "give it `" + other + "`");
  }
  /// `f(x, w)` for `f(x, y, w)`.
  void unreadAmong() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    CandidateGroup &edits = group(true);
    for (const std::string &other : unread())
      for (size_t i = 0; (names().at(other).parameter || call->arguments.empty()) && i <= call->arguments.size() &&
                         edits.edits.size() < kMost;
           ++i) {
        bool last = i == call->arguments.size();
        if (!last) insert(edits, call->arguments[i].span.begin, other + ", ", "give it `" + other + "`");
        else
          insert(edits, call->span.end - 1, (call->arguments.empty() ? "" : ", ") + other, "give it `" + other + "`");
      }
  }
  /// `cell(x, h, w, u)` of a cell that takes `c`, too: a name of the function that the call does not mention yet.
  void notGivenAmong() {
    constexpr size_t kMostPlaces = 24;
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.empty()) return;
    std::set<std::string> given;
    visit(*call, [&](const ast::Expr &part) {
      if (auto *name = as<ast::NameExpr>(&part)) given.insert(name->name);
    });
    CandidateGroup &edits = group(false);
    edits.assumes = edits.last = true;
    for (const auto &[name, use] : names()) {
      if (!use.isBound() || given.count(name) || name[0] == '_' || !isBoundBefore(name, call->span.begin)) continue;
      if (place_.function && countsFor(name) && wantsFloat(*call)) continue;
      for (size_t i = call->arguments.size(); i > 0 && edits.edits.size() < kMostPlaces; --i)
        insert(edits, call->arguments[i - 1].span.end, ", " + name, "give it `" + name + "`");
    }
  }

  /// `velocity` for `v`, and `learning_rate` for `lr`.
  void abbreviated() {
    const std::string missing = text(diagnostic_.span);
    std::string initials;
    for (size_t i = 0; i < missing.size(); ++i)
      if (i == 0 || missing[i - 1] == '_') initials += missing[i];
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const auto &[name, use] : names())
      if (use.isBound() && isBoundBefore(name, place_.expr()->span.begin) &&
          (name == initials || missing.rfind(name, 0) == 0 || name.rfind(missing, 0) == 0))
        replace(edits, place_.expr()->span, name);
  }

  /// `l.w` for `layer.w`: the only name of the function that begins so.
  void beginningOf() {
    const std::string missing = text(diagnostic_.span);
    CandidateGroup &edits = group(true);
    for (const auto &[name, use] : names())
      if (use.isBound() && isBoundBefore(name, place_.expr()->span.begin) &&
          (name.rfind(missing, 0) == 0 || missing.rfind(name, 0) == 0))
        replace(edits, place_.expr()->span, name);
  }

  /// `m, n = tile.origin()` of three, where `i` is read and nothing binds it.
  void namesRead() {
    auto *tuple =
        place_.expr()->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(place_.expr()) : nullptr;
    if (!tuple || tuple->items.empty()) return;
    CandidateGroup &edits = group(true);
    std::set<std::string> called;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      if (auto *call = as<ast::CallExpr>(&part)) called.insert(nameOf(*call));
    });
    for (const auto &[name, use] : names()) {
      if (use.isBound() || use.reads.empty() || called.count(name) || std::isupper(static_cast<unsigned char>(name[0]))) continue;
      insert(edits, tuple->items.front()->span.begin, name + ", ", "bind `" + name + "`, which is read");
      insert(edits, tuple->items.back()->span.end, ", " + name, "bind `" + name + "`, which is read");
    }
  }

  /// `x[idx]` in a function that has one integer, `i`.
  void onlyThatFits() {
    auto missing = names().find(text(diagnostic_.span));
    if (missing != names().end() && missing->second.isBound()) return;  // it gets its value further on
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const auto &[name, use] : names())
      if (use.isBound() && isBoundBefore(name, place_.expr()->span.begin) && !isTargetHere(name) &&
          edits.edits.size() < kMost)
        replace(edits, place_.expr()->span, name, "write `" + name + "`, which fits here");
  }

  /// `x + conv2d(x, w)`, where nothing reads the weight of the shortcut yet.
  void unreadWeight() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_))
      if (auto *name = as<ast::NameExpr>(operand))
        for (const std::string &other : unread())
          if (names().at(other).parameter && edits.edits.size() < kMost)
            replace(edits, name->span, "conv2d(" + name->name + ", " + other + ")",
                    "convolve it with `" + other + "`, which nothing reads yet");
  }
  /// `x + h`, where `h @ w2` was meant and nothing reads `w2` yet.
  void unreadFactor() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    auto times = [&](const ast::Expr &whole) {
      auto *call = as<ast::CallExpr>(&whole);  // `relu(a @ h)`: the function of each element comes last
      bool around = call && call->arguments.size() == 1 && call->arguments[0].value->kind == ast::ExprKind::Binary;
      const ast::Expr &e = around ? *call->arguments[0].value : whole;
      auto *binary = as<ast::BinaryExpr>(&e);
      bool product = !binary || binary->op == ast::BinaryOp::MatMul,
           made = binary || e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Call;
      bool bracket = !around && text({e.span.file, e.span.end, e.span.end + 1}) == ")" &&
                     text({e.span.file, e.span.begin - 1, e.span.begin}) == "(";
      for (const std::string &other : unread()) {
        if (!made || !names().at(other).parameter || edits.edits.size() == kMost) continue;
        const std::string title = "multiply by `" + other + "`, which nothing reads yet";
        if (isFactor(e)) replace(edits, e.span, "(" + text(e) + " @ " + other + ")", title);
        else if (product || bracket) insert(edits, e.span.end + (product ? 0 : 1), " @ " + other, title);
        else replace(edits, e.span, "(" + text(e) + ") @ " + other, title);
      }
    };
    if (diagnostic_.id == Id::wrongResult) return times(*place_.expr());
    for (const ast::Expr *operand : operandsAt(place_)) {
      auto *name = as<ast::NameExpr>(operand);
      if (name) times(*name);
      const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;  // `v = item`, and `u * v` further on
      if (value && value->kind == ast::ExprKind::Name) times(*value);
    }
  }
  /// `silu(g) * x`: a product in the place of `x` stands in parentheses.
  bool isFactor(const ast::Expr &e) const {
    auto *product = as<ast::BinaryExpr>(place_.expr());
    const bool binds = product && (product->op == ast::BinaryOp::Mul || product->op == ast::BinaryOp::Div || product->op == ast::BinaryOp::MatMul);
    auto *name = as<ast::NameExpr>(&e);
    const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;  // of `v = item`, rather that is a product
    return binds && name && product->right.get() == &e && !(value && value->kind == ast::ExprKind::Name);
  }
  /// `total = total + x[i]` in a loop, and no value before it.
  void sumFromZero() {
    auto *name = as<ast::NameExpr>(place_.expr());
    auto *loop = name && isTargetOfStatement(name->name) ? loopAround() : nullptr;
    if (!loop) return;
    const std::string indent(sources_.file(loop->span.file).lineColumn(loop->span.begin).column - 1, ' ');
    CandidateGroup &edits = group(false);
    if (place_.inKernel) return tileFromZero(edits, *name, *loop, indent);
    if (const ast::SubscriptExpr *type = declaredTensor())  // `h = tanh(x[t] + h @ w)`
      insert(edits, loop->span.begin, name->name + " = " + zerosOf(*type, extentTexts(*type)) + "\n" + indent, "start from zeros");
    for (const char *zero : {"0.0", "0"})
      insert(edits, loop->span.begin, name->name + " = " + zero + "\n" + indent, "start from 0");
  }
  /// `acc += tile.dot(...)` in a loop: a tile of the sizes of the schedule, one for each dimension of the output.
  void tileFromZero(CandidateGroup &edits, const ast::NameExpr &name, const ast::ForStmt &loop, const std::string &indent) {
    std::string sizes = "tile.context()";
    for (const ast::StmtPtr &stmt : place_.function->body)
      if (auto *assign = as<ast::AssignStmt>(stmt))
        if (auto *call = as<ast::CallExpr>(assign->value); call && nameOf(*call) == "context") sizes = text(*assign->targets[0]);
    for (const std::string &shape : {"(" + sizes + ".m, " + sizes + ".n)", "(" + sizes + ".m,)"})
      insert(edits, loop.span.begin, name.name + " = tile.zeros(" + shape + ", f32)\n" + indent, "start from zeros");
    insert(edits, loop.span.begin, name.name + " = 0.0\n" + indent, "start from 0");
  }
  bool isTargetOfStatement(const std::string &name) const {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *changed = as<ast::AugAssignStmt>(place_.statement);
    const ast::Expr *target = assign ? assign->targets[0].get() : changed ? changed->target.get() : nullptr;
    return target && target->kind == ast::ExprKind::Name && text(*target) == name;
  }
  const ast::ForStmt *loopAround() const {
    for (const ast::StmtPtr &stmt : place_.function->body)
      if (stmt->span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= stmt->span.end)
        return as<ast::ForStmt>(stmt);
    return nullptr;
  }
  /// `where M % 2 == 0` of a function over `N`.
  void dimensionOfFact() {
    const ast::FuncDef &def = *place_.function;
    bool inFact = std::any_of(def.where.begin(), def.where.end(), [&](const ast::ExprPtr &fact) {
      return fact->span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= fact->span.end;
    });
    CandidateGroup &edits = group(true);
    for (size_t i = 0; inFact && i < def.typeParameters.size(); ++i)
      replace(edits, diagnostic_.span, def.typeParameters[i].name.text);
  }
  /// In the values of the names that are returned.
  void unreadBehind() {
    const ast::Expr *value = meant();
    if (value && value != place_.expr()) unreadIn(*value);
  }
  void unreadIn(const ast::Expr &e) {
    CandidateGroup &edits = group(true);
    visit(e, [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      auto it = name ? names().find(name->name) : names().end();
      bool ours = it != names().end() && (it->second.isBound() || diagnostic_.id == Id::undefinedName);
      if (!ours || isFunction(name->name)) return;
      for (const std::string &other : unread())
        if (edits.edits.size() < kMost && isBoundBefore(other, name->span.begin) && !isTargetHere(other) &&
            isOffset(other) == isOffset(name->name))
          replace(edits, name->span, other, "write `" + other + "`, which nothing reads yet");
    });
  }

  /// One of `m, n = tile.origin()`, which stands for no tile.
  bool isOffset(const std::string &name) const {
    auto it = names().find(name);
    const ast::SequenceExpr *tuple = place_.inKernel && it != names().end() ? it->second.takenApart : nullptr;
    for (size_t i = 0; tuple && i < place_.function->body.size(); ++i) {
      auto *assign = as<ast::AssignStmt>(place_.function->body[i]);
      auto *call = assign && assign->targets[0].get() == tuple ? as<ast::CallExpr>(assign->value) : nullptr;
      if (call) return nameOf(*call) == "origin";
    }
    return false;
  }

  /// `for i in range(N)`, whose body reads `k`.
  void bindingOfUnread() {
    const std::string missing = text(diagnostic_.span);
    auto it = names().find(missing);
    if (it == names().end() || it->second.isBound() || it->second.reads.size() < 2) return;  // else that one is mended
    CandidateGroup &edits = group(true);
    for (const std::string &name : unread()) {
      const NameUse &use = names().at(name);
      if (use.bindings.size() == 1 && !use.parameter && use.bindings[0]->span.end <= diagnostic_.span.begin)
        replace(edits, use.bindings[0]->span, missing, "bind `" + missing + "`, which is read");
    }
  }

  /// `db, dw = grad(loss, wrt=("w", "b"))(w, b)`: the names are bound, or read, in the other order. Where both would do,
  /// the call says which.
  void otherOrderOfTuple() {
    if (place_.inKernel) return;  // `tile.origin()` has one order
    std::set<const ast::SequenceExpr *> tuples;
    CandidateGroup &edits = group(true);
    auto add = [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      auto it = name ? names().find(name->name) : names().end();
      const ast::SequenceExpr *tuple = it == names().end() ? nullptr : it->second.takenApart;
      if (!tuple || tuple->span.end > diagnostic_.span.begin || !tuples.insert(tuple).second) return;
      const Order order = orderOf(*tuple);
      if (order == Order::Unknown && givesSeveralOf(*tuple)) return;
      if (order != Order::Right) reordered(edits, *tuple);
      if (order != Order::Wrong) readInOtherOrder(edits, *tuple);
    };
    visit(*place_.expr(), add);
    if (const ast::Expr *value = meant()) visit(*value, add);
  }
  /// `step(x, w)` of `w, x = make()`: rather the arguments are exchanged.
  bool givesSeveralOf(const ast::SequenceExpr &tuple) const {
    auto *call = place_.innermost<ast::CallExpr>();
    size_t given = 0;
    for (size_t i = 0; call && i < call->arguments.size(); ++i)
      for (const ast::ExprPtr &item : tuple.items) given += text(*item) == text(call->arguments[i].span);
    return given > 1;
  }
  /// `out, h = f(x)`, and `return h, out`: where nothing says in which order the results come, that of the names is right.
  void exchangedInReturn() {
    const ast::SequenceExpr *returned = nullptr;
    for (const ast::Expr *e : place_.around)
      if (e->kind == ast::ExprKind::Tuple) returned = static_cast<const ast::SequenceExpr *>(e);
    if (!returned || returned->items.size() != 2 || place_.inKernel) return;
    for (const ast::ExprPtr &item : returned->items) {
      auto *name = as<ast::NameExpr>(item);
      auto it = name ? names().find(name->name) : names().end();
      if (it == names().end() || (it->second.takenApart && orderOf(*it->second.takenApart) == Order::Wrong)) return;
    }
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    replace(edits, returned->items[0]->span.to(returned->items[1]->span),
            text(*returned->items[1]) + ", " + text(*returned->items[0]), "exchange them");
  }
  enum class Order { Unknown, Right, Wrong };
  /// What a derivative gives has the order of `wrt`, and the value of a function comes before its derivatives.
  Order orderOf(const ast::SequenceExpr &tuple) const {
    const ast::CallExpr *made = makerOf(tuple);
    if (!made) return Order::Unknown;
    if (nameOf(*made) == "value_and_grad") return isCalledValue(text(*tuple.items[0])) ? Order::Right : Order::Wrong;
    const ast::SequenceExpr *wrt = nullptr;
    for (const ast::Argument &arg : made->arguments)
      if (arg.keyword && arg.keyword->text == "wrt" && arg.value->kind == ast::ExprKind::Tuple)
        wrt = static_cast<const ast::SequenceExpr *>(arg.value.get());
    if (nameOf(*made) != "grad" || !wrt || wrt->items.size() != tuple.items.size()) return Order::Unknown;
    for (size_t i = 0; i < wrt->items.size(); ++i) {
      auto *parameter = as<ast::StringExpr>(wrt->items[i]);
      if (!parameter || !endsIn(text(*tuple.items[i]), parameter->value)) return Order::Wrong;
    }
    return Order::Right;
  }
  /// Whether a name says that it is what a function gives, and no derivative of it.
  static bool isCalledValue(const std::string &name) {
    static const std::set<std::string> kNames = {"value", "val", "v", "loss", "cost", "error", "err", "l", "energy", "total", "objective", "nll", "score"};
    return kNames.count(name) != 0 || endsIn(name, "_loss") || endsIn(name, "_value") || name.rfind("loss_", 0) == 0;
  }
  static bool endsIn(const std::string &name, const std::string &end) {
    return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  }
  /// The `grad(loss, wrt=...)` of `dw, db = grad(loss, wrt=...)(w, b)`.
  const ast::CallExpr *makerOf(const ast::SequenceExpr &tuple) const {
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *call = assign && assign->targets[0].get() == &tuple ? as<ast::CallExpr>(assign->value) : nullptr;
      if (call) return as<ast::CallExpr>(call->callee);
    }
    return nullptr;
  }
  void reordered(CandidateGroup &edits, const ast::SequenceExpr &tuple) {
    const auto &items = tuple.items;
    if (items.size() < 2) return;
    Span all = items.front()->span.to(items.back()->span);
    for (size_t i = 0; i < items.size(); ++i)
      for (size_t j = i + 1; j < items.size() && edits.edits.size() < kMost; ++j) {
        std::string shown;
        for (size_t k = 0; k < items.size(); ++k) shown += (k ? ", " : "") + text(*items[k == i ? j : k == j ? i : k]);
        if (shown != text(all)) replace(edits, all, shown, "take the results in this order");
      }
  }
  void readInOtherOrder(CandidateGroup &edits, const ast::SequenceExpr &tuple) {
    for (size_t i = 0; i < tuple.items.size(); ++i)
      for (size_t j = i + 1; j < tuple.items.size() && edits.edits.size() < kMost; ++j) {
        auto a = names().find(text(*tuple.items[i])), b = names().find(text(*tuple.items[j]));
        bool once =
            a != names().end() && b != names().end() && a->second.reads.size() == 1 && b->second.reads.size() == 1;
        if (once) exchange(edits, *a->second.reads[0], *b->second.reads[0]);
      }
  }

  /// `x @ w1 + b2` here and `h @ w2 + b1` further on.
  void exchangedParameters() {
    CandidateGroup &edits = group(true);
    std::set<std::pair<std::string, std::string>> tried;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      auto it = name ? names().find(name->name) : names().end();
      size_t rank = it == names().end() ? 0 : rankOf(it->second);
      if (rank == 0) return;
      for (const auto &[other, use] : names()) {
        bool same = other != name->name && rankOf(use) == rank && use.reads.size() == 1 && it->second.reads.size() == 1;
        bool apart = same && !inside(*use.reads[0], *place_.expr());  // else the operands are exchanged
        if (!apart || edits.edits.size() == kMost || !tried.insert(std::minmax(other, name->name)).second) continue;
        exchange(edits, *it->second.reads[0], *use.reads[0]);
      }
    });
  }
  static bool inside(const ast::Expr &part, const ast::Expr &whole) {
    return whole.span.begin <= part.span.begin && part.span.end <= whole.span.end;
  }
  size_t rankOf(const NameUse &use) const {
    auto *type = use.parameter ? as<ast::SubscriptExpr>(use.parameter->annotation) : nullptr;
    if (!type || !use.bindings.empty()) return 0;
    return text(*type->object) == "Tensor" ? extentCount(*type) + 1 : type->items.size();
  }
  void exchange(CandidateGroup &edits, const ast::NameExpr &a, const ast::NameExpr &b) {
    const ast::NameExpr &first = a.span.begin < b.span.begin ? a : b, &second = &first == &a ? b : a;
    replace(edits, first.span.to(second.span),
            second.name + text({first.span.file, first.span.end, second.span.begin}) + first.name,
            "exchange `" + first.name + "` and `" + second.name + "`");
  }

  /// `x[m:m + T.m, m:m + T.m]`, where nothing is read at `n`, the other origin.
  void sliceOfUnread() {
    auto *item = place_.innermost<ast::SubscriptExpr>();
    if (item && !item->items.empty() && place_.inKernel) {  // `x[m:m + T.m, n:n + T.n]` of a batch
      CandidateGroup &more = group(true);
      for (const auto &[name, use] : names())
        if (use.takenApart && use.reads.empty() && name[0] != '_')
          insert(more, item->items[0].span.begin, name + ", ", "take that of this group");
    }
    auto *slice = as<ast::SliceExpr>(place_.expr());
    auto *stop = slice ? as<ast::BinaryExpr>(slice->stop) : nullptr;
    auto *size = stop ? as<ast::AttributeExpr>(stop->right) : nullptr;
    if (!size || !place_.inKernel || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const auto &[name, use] : names()) {
      if (!use.takenApart || !use.reads.empty() || name[0] == '_') continue;
      static constexpr std::string_view kSizes = "mnk";  // of the dimensions of the output, in this order
      for (size_t i = 0; i < use.takenApart->items.size() && i < kSizes.size(); ++i)
        if (text(*use.takenApart->items[i]) == name)
          replace(edits, slice->span, name + ":" + name + " + " + text(*size->object) + "." + kSizes[i]);
    }
  }

  const std::map<std::string, NameUse> &names() const { return *place_.names; }
};

}  // namespace

std::vector<CandidateGroup> editsOfUse(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return UseEdits(diagnostic, place, sources).groups();
}
std::vector<CandidateGroup> editsOfExchange(const diag::Diagnostic &diagnostic, const Place &place,
                                            const Sources &sources) {
  return UseEdits(diagnostic, place, sources).exchangedGroups();
}

}  // namespace tessera::sema
