// Edits where the message names the symptom, and one idiom is what was meant: the largest value for its place, sizes of another
// rank, a shared buffer that is one too short, numbers of a program that contradict each other.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class IdiomEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement) return {};
    switch (diagnostic_.id) {
    case Id::wrongResult: declaredAsReturned(); break;
    case Id::narrowing: valuesFirst(), valueForPlace(); break;
    case Id::unpackCount: namesOfShape(); break;
    case Id::gradNotScalar: withRest(); break;
    case Id::rankMismatch: mapped(); break;
    case Id::redefinedType: otherOrder(); break;
    case Id::broadcastFails: wholeBesideRow(); break;
    case Id::indexShape: oneOfEachRow(); break;
    case Id::undefinedName: chosen(), storedSlice(); break;
    case Id::sharedRace: byOneLane(); break;
    case Id::unknownAttribute: storedAt(); break;
    case Id::outOfBounds: sharedAsLong(); break;
    case Id::factRefuted: labelsWithoutAxis(); break;
    case Id::shapeMismatch: writtenSizes(), otherWayRound(), flatIndex(); break;
    case Id::contractionMismatch: otherWayRound(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `return logits, loss`, where the type of one of them is declared: the message says what is returned.
  void declaredAsReturned() {
    constexpr std::string_view says = "what is returned is `";
    const ast::Expr *result = place_.function->result.get();
    for (const diag::Note &note : diagnostic_.notes) {
      if (!note.text.starts_with(says) || !result) continue;
      CandidateGroup &edits = group(false);
      edits.ofSignature = edits.assumes = true;
      replace(edits, result->span, note.text.substr(says.size(), note.text.rfind('`') - says.size()), "declare all that is returned");
    }
  }

  /// `indices, values = topk(x, 4)`, and `values` are wanted: they come first.
  void valuesFirst() {
    auto *name = as<ast::NameExpr>(place_.expr());
    if (!name || diagnostic_.message.find("would become f") == std::string::npos) return;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      auto *call = assign && assign->targets.size() == 1 && assign->targets[0]->kind == ast::ExprKind::Tuple ? as<ast::CallExpr>(assign->value) : nullptr;
      if (!call || nameOf(*call) != "topk") return;
      auto &items = static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items;
      if (items.size() == 2 && text(*items[1]) == name->name) replace(group(false), assign->targets[0]->span, name->name + ", " + text(*items[0]), "the values come first, then where they stand");
    });
  }

  /// `best = argmax(scores, axis=-1)`, where scores are wanted: the value, and not where it stands.
  void valueForPlace() {
    static const std::map<std::string, std::string> values = {{"argmax", "max"}, {"argmin", "min"}};
    if (diagnostic_.message.find("would become f") == std::string::npos) return;
    std::string said = place_.function->name.text;
    if (auto *name = as<ast::NameExpr>(place_.expr())) said += "_" + name->name;
    std::transform(said.begin(), said.end(), said.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    auto says = [&](std::initializer_list<const char *> words) { return std::any_of(words.begin(), words.end(), [&](const char *word) { return said.find(word) != std::string::npos; }); };
    if (!says({"best", "score", "value", "max", "min", "largest", "smallest", "peak", "highest", "lowest", "top"}) || says({"choice", "class", "token", "index", "label", "pred", "greedy", "arg"})) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto found = call ? values.find(nameOf(*call)) : values.end();
      if (found == values.end()) return;
      auto *method = as<ast::AttributeExpr>(call->callee);
      replaceOnce(edits, method ? method->attribute.span : call->callee->span, found->second, "take the value, not where it stands");
    });
  }

  /// `b, d = x.shape` of `x: Tensor[B, S, D, f32]`: the extent that has no name here stands behind `_`.
  void namesOfShape() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *shape = assign && assign->targets.size() == 1 ? as<ast::AttributeExpr>(assign->value) : nullptr;
    auto *target = shape && shape->attribute.text == "shape" && assign->targets[0]->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(assign->targets[0].get()) : nullptr;
    const ast::SubscriptExpr *type = target ? tensorTypeOf(shape->object.get()) : nullptr;
    if (!type) return;
    const std::vector<std::string> extents = extentTexts(*type);
    const size_t have = target->items.size();
    if (have >= extents.size() || extents.size() - have > 2) return;
    auto alike = [&](const ast::Expr &name, const std::string &extent) {
      const std::string shown = text(name);
      return shown.size() == extent.size() && std::equal(shown.begin(), shown.end(), extent.begin(), [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    };
    // Where names are extents, they say which are left out; else it is anybody's guess.
    std::string names;
    size_t at = 0;
    for (const std::string &extent : extents) {
      const bool named = at < have && alike(*target->items[at], extent);
      names += (names.empty() ? "" : ", ") + (named ? text(*target->items[at]) : "_");
      at += named;
    }
    if (at == have) return replace(group(false), target->span, names, "one name for each extent");
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (size_t i = 0; i <= have && extents.size() == have + 1; ++i) {
      std::string listed;
      for (size_t j = 0; j <= have; ++j) listed += (j ? ", " : "") + (j == i ? "_" : text(*target->items[j < i ? j : j - 1]));
      replace(edits, target->span, listed, "one name for each extent");
    }
  }

  /// `y.at[0].set(0.0)`, and `y = y.at[0].set(0.0)`: a store.
  void storedAt() {
    static const std::map<std::string, std::string> stores = {{"set", "="}, {"add", "+="}, {"multiply", "*="}, {"mul", "*="}, {"subtract", "-="}, {"divide", "/="}};
    auto *line = as<ast::ExprStmt>(place_.statement);
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = as<ast::CallExpr>(line ? line->value.get() : assign && assign->targets.size() == 1 ? assign->value.get() : nullptr);
    auto *method = call && call->arguments.size() == 1 ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *index = method ? as<ast::SubscriptExpr>(method->object) : nullptr;
    auto *at = index ? as<ast::AttributeExpr>(index->object) : nullptr;
    const auto op = method ? stores.find(method->attribute.text) : stores.end();
    if (!at || at->attribute.text != "at" || op == stores.end() || index->items.empty()) return;
    const std::string object = text(*at->object), target = assign ? text(*assign->targets[0]) : object;
    if (assign && (assign->targets[0]->kind != ast::ExprKind::Name || at->object->kind != ast::ExprKind::Name)) return;
    std::string store = target + "[" + text(index->items.front().span.to(index->items.back().span)) + "] " + op->second + " " + text(call->arguments[0].span);
    if (target != object) store = target + " = " + object + "\n" + indentOf(*place_.statement) + store;
    replace(group(false), trimmed(place_.statement->span), store, "store into the element");
  }

  /// `s = tile.alloc_shared((TILE, TILE - 1), f32)`, whose TILE elements are stored and read.
  void sharedAsLong() {
    constexpr std::string_view says = " lies outside `";
    const size_t begin = diagnostic_.message.find(says), end = begin == std::string::npos ? begin : diagnostic_.message.find('`', begin + says.size());
    if (!place_.inKernel || end == std::string::npos) return;
    const std::string name = diagnostic_.message.substr(begin + says.size(), end - begin - says.size());
    const ast::CallExpr *made = nullptr;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      if (assign && assign->targets.size() == 1 && text(*assign->targets[0]) == name) made = as<ast::CallExpr>(assign->value);
    });
    if (!made || nameOf(*made) != "alloc_shared" || made->arguments.empty() || made->arguments[0].value->kind != ast::ExprKind::Tuple) return;
    CandidateGroup longer, exact;
    longer.onlyIfUnique = exact.onlyIfUnique = false;
    longer.assumes = exact.assumes = true;  // or the index goes too far
    for (const ast::ExprPtr &size : static_cast<const ast::SequenceExpr &>(*made->arguments[0].value).items) {
      auto *less = as<ast::BinaryExpr>(size);
      if (!less || less->op != ast::BinaryOp::Sub || !as<ast::IntExpr>(less->right)) continue;
      replace(exact, size->span, text(*less->left), "make room for all");
      replace(longer, less->opSpan, "+", "one more, so that lanes meet different banks");
    }
    groups_.push_back(std::move(exact)), groups_.push_back(std::move(longer));
  }

  /// `cross_entropy(logits, labels)` of labels `[B, 1]`.
  void labelsWithoutAxis() {
    if (diagnostic_.message.find("labels.ndim") == std::string::npos) return;
    auto *call = as<ast::CallExpr>(place_.expr());
    if (!call || call->arguments.size() < 2) return;
    const ast::Expr &labels = *call->arguments[1].value;
    const ast::SubscriptExpr *type = tensorTypeOf(&labels);
    const size_t count = type ? extentCount(*type) : 0;
    if (count > 1 && text(type->items[count - 1].span) == "1") {
      CandidateGroup &declared = group(false);
      declared.ofSignature = true;
      replace(declared, {type->span.file, type->items[count - 2].span.end, type->items[count - 1].span.end}, "", "declare them without the axis of extent 1");
    }
    CandidateGroup &squeezed = group(false);
    replace(squeezed, labels.span, "squeeze(" + text(labels) + ", -1)", "leave the axis of extent 1 out");
  }

  /// `value_and_grad(loss)` of a loss that returns what it computed on the way, too.
  void withRest() {
    auto *call = place_.innermost<ast::CallExpr>();
    const bool derives = call && (nameOf(*call) == "grad" || nameOf(*call) == "value_and_grad");
    auto *assign = as<ast::AssignStmt>(place_.statement);
    const ast::Expr *target = assign && assign->targets.size() == 1 ? assign->targets[0].get() : nullptr;
    if (!derives || !target || target->kind != ast::ExprKind::Tuple) return;
    const bool inside = static_cast<const ast::SequenceExpr &>(*target).items[0]->kind == ast::ExprKind::Tuple;
    if (inside != (nameOf(*call) == "value_and_grad")) return;  // `(value, rest), g`, and `g, rest`
    if (!keyword(*call, "has_aux") && !call->arguments.empty() && diagnostic_.message.find(" results") != std::string::npos)
      insert(group(false), call->span.end - 1, ", has_aux=True", "the rest of what `" + text(call->arguments[0].span) + "` returns comes beside");
  }

  /// `value, w = step(w, x)`, which returns the weights first.
  void otherOrder() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    if (!assign || assign->targets.size() != 1 || assign->targets[0]->kind != ast::ExprKind::Tuple) return;
    auto &items = static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items;
    if (items.size() == 2) replace(group(false), assign->targets[0]->span, text(*items[1]) + ", " + text(*items[0]), "take the results in this order");
  }

  /// `row * w` of a row of C and `w: Tensor[R, f32]`: what a kernel reads as a whole has the extent of the row.
  void wholeBesideRow() {
    auto *both = place_.inKernel ? as<ast::BinaryExpr>(place_.expr()) : nullptr;
    size_t at = 0;
    const std::vector<std::string> left = extentsIn(diagnostic_.message, at), right = extentsIn(diagnostic_.message, at);
    if (!both || left.size() != 1 || right.size() != 1) return;
    for (bool ofLeft : {false, true}) {
      const ast::Expr *operand = ofLeft ? both->left.get() : both->right.get();
      const ast::SubscriptExpr *type = as<ast::NameExpr>(operand) ? tensorTypeOf(operand) : nullptr;
      const std::string &other = ofLeft ? right[0] : left[0];
      if (!parameterOf(operand) || !type || extentCount(*type) != 1 || text(type->items[0].span) == other) continue;
      CandidateGroup &edits = group(false);
      edits.ofSignature = edits.assumes = true;
      replace(edits, type->items[0].span, other, "declare the extent of what it is used with");
    }
  }

  /// `norm_of(x)` of a batch: the function for each of its rows.
  void mapped() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    const ast::FuncDef *def = name && !place_.inKernel ? functionNamed(name->name) : nullptr;
    if (!def || def->parameters.size() != call->arguments.size() || call->arguments.empty()) return;
    std::string axes;
    bool all = true;
    for (size_t i = 0; i < call->arguments.size(); ++i) {
      if (call->arguments[i].keyword) return;
      const ast::SubscriptExpr *wanted = tensorType(def->parameters[i].annotation.get()), *given = tensorTypeOf(call->arguments[i].value.get());
      const bool more = wanted && given && extentCount(*given) == extentCount(*wanted) + 1;
      axes += (i ? ", " : "") + std::string(more ? "0" : "None");
      all &= more;
    }
    if (axes.find('0') == std::string::npos) return;
    replace(group(false), name->span, "vmap(" + name->name + (all ? ")" : ", in_axes=(" + axes + "))"), "compute it for each of them");
  }

  /// `q.gather(actions, 1)` of `actions: Tensor[B, i32]`: one element of each row.
  void oneOfEachRow() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || (nameOf(*call) != "gather" && nameOf(*call) != "take_along_axis" && nameOf(*call) != "take_along_dim")) return;
    const size_t at = as<ast::AttributeExpr>(call->callee) && !isOfTile(*call) ? 0 : 1;
    if (at >= call->arguments.size()) return;
    const Span indices = call->arguments[at].value->span;
    const Span rest{indices.file, indices.end, call->span.end};
    CandidateGroup &edits = group(false);
    edits.last = true;  // where an axis of extent 1 alone does not mend it
    replace(edits, {indices.file, indices.begin, call->span.end}, text(indices) + "[:, None]" + text(rest) + "[:, 0]", "take one element of each row");
  }

  /// A text in which a name stands for another expression.
  std::string withName(const ast::Expr &e, const std::string &name, const std::string &by) const {
    std::vector<Span> places;
    visit(e, [&](const ast::Expr &part) {
      auto *own = as<ast::NameExpr>(&part);
      if (own && own->name == name) places.push_back(own->span);
    });
    std::sort(places.begin(), places.end(), [](Span a, Span b) { return a.begin > b.begin; });
    std::string shown = text(e);
    for (Span place : places) shown.replace(place.begin - e.span.begin, place.end - place.begin, by);
    return shown;
  }
  /// `lax.cond(flag, lambda v: v * 2.0, lambda v: v, x)`: an expression that chooses.
  void chosen() {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || nameOf(*call) != "cond" || call->arguments.size() < 3 || !as<ast::AttributeExpr>(call->callee)) continue;
      std::string ways[2];
      for (size_t way = 0; way < 2; ++way) {
        const ast::Expr &branch = *call->arguments[way + 1].value;
        auto *lambda = as<ast::LambdaExpr>(&branch);
        std::string given;
        for (size_t i = 3; i < call->arguments.size(); ++i) given += (i > 3 ? ", " : "") + text(call->arguments[i].span);
        if (!lambda) {
          ways[way] = asPrimary(branch) + "(" + given + ")";
          continue;
        }
        if (lambda->parameters.size() > 1 || lambda->parameters.size() + 3 != call->arguments.size()) return;
        ways[way] = lambda->parameters.empty() ? text(*lambda->body) : withName(*lambda->body, lambda->parameters[0].name.text, asPrimary(*call->arguments[3].value));
      }
      return replace(group(false), call->span, inPlaceOf(*call, ways[0] + " if " + text(call->arguments[0].span) + " else " + ways[1]), "choose by a condition");
    }
  }

  /// `tl.store(y + start, v)`, beside a part that begins there, `x[start:start + 256]`.
  void storedSlice() {
    auto *line = place_.inKernel ? as<ast::ExprStmt>(place_.statement) : nullptr;
    auto *call = line ? as<ast::CallExpr>(line->value) : nullptr;
    auto *to = call && nameOf(*call) == "store" && call->arguments.size() >= 2 ? as<ast::BinaryExpr>(call->arguments[0].value) : nullptr;
    if (!to || to->op != ast::BinaryOp::Add || !parameterOf(to->left.get())) return;
    CandidateGroup &edits = group(true);
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      if (slice && slice->start && slice->stop && text(*slice->start) == text(*to->right))
        replaceOnce(edits, trimmed(line->span), text(*to->left) + "[" + text(*slice) + "] = " + text(call->arguments[1].span), "store the part that begins there");
    });
  }

  /// `y[r] = v`, which all lanes of a group store: one of them does.
  void byOneLane() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *target = assign && assign->targets.size() == 1 ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
    if (!target || !parameterOf(target->object.get()) || diagnostic_.message.find("writes too") == std::string::npos) return;
    std::string lane;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *bound = as<ast::AssignStmt>(&stmt);
      if (!bound || bound->targets.size() != 1) return;
      auto look = [&](const ast::Expr &name, const ast::Expr &value) {
        auto *call = as<ast::CallExpr>(&value);
        if (call && isOfTile(*call) && nameOf(*call) == "local_id" && name.kind == ast::ExprKind::Name) lane = text(name);
      };
      if (bound->targets[0]->kind != bound->value->kind) return look(*bound->targets[0], *bound->value);
      if (bound->value->kind != ast::ExprKind::Tuple) return;
      auto &names = static_cast<const ast::SequenceExpr &>(*bound->targets[0]).items, &values = static_cast<const ast::SequenceExpr &>(*bound->value).items;
      for (size_t i = 0; i < names.size() && i < values.size(); ++i) look(*names[i], *values[i]);
    });
    const std::string shown = text(trimmed(assign->span));
    if (lane.empty()) lane = "tile.local_id()";
    if (shown.find('\n') != std::string::npos) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, trimmed(assign->span), "if " + lane + " == 0:\n" + indentOf(*assign) + "    " + shown, "let one lane store it");
  }

  /// `down: Dense[D, F]`, which is called with F features: its sizes the other way round.
  void otherWayRound() {
    CandidateGroup &edits = group(true);
    edits.ofSignature = true;
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      const ast::Expr *callee = call ? call->callee.get() : nullptr;
      if (auto *method = as<ast::AttributeExpr>(callee)) callee = method->object.get();
      const ast::Parameter *p = parameterOf(callee);
      auto *type = p ? as<ast::SubscriptExpr>(p->annotation) : nullptr;
      if (!type || text(*type->object) == "Tensor") continue;
      for (size_t i = 0; i < type->items.size(); ++i)
        for (size_t j = i + 1; j < type->items.size(); ++j)
          if (text(type->items[i].span) != text(type->items[j].span))
            replaceAll(edits, {{type->items[i].span, text(type->items[j].span)}, {type->items[j].span, text(type->items[i].span)}}, "declare its sizes in this order");
    }
  }

  /// `x[r * C + c]` of `x: Tensor[R, C, f32]`, as from a pointer: an index for each axis.
  void flatIndex() {
    if (!place_.inKernel) return;
    CandidateGroup &edits = group(false);
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs)
      visit(*e, [&](const ast::Expr &part) {
        auto *subscript = as<ast::SubscriptExpr>(&part);
        auto *sum = subscript && subscript->items.size() == 1 ? as<ast::BinaryExpr>(subscript->items[0].value) : nullptr;
        auto *row = sum && sum->op == ast::BinaryOp::Add ? as<ast::BinaryExpr>(sum->left) : nullptr;
        const ast::SubscriptExpr *type = row && row->op == ast::BinaryOp::Mul ? tensorTypeOf(subscript->object.get()) : nullptr;
        if (!type || extentCount(*type) != 2) return;
        const std::string width = text(type->items[1].span), left = text(*row->left), right = text(*row->right);
        if (left == width || right == width) replaceOnce(edits, sum->span, (left == width ? right : left) + ", " + text(*sum->right), "one index for each axis");
      });
  }

  // ---- sizes that are written as numbers
  /// The extents of `[64, 16]` in a text.
  static std::vector<std::string> extentsIn(const std::string &shown, size_t &at) {
    std::vector<std::string> found;
    const size_t begin = shown.find('[', at), end = shown.find(']', begin);
    if (end == std::string::npos) return found;
    at = end;
    std::string one;
    for (char c : shown.substr(begin + 1, end - begin - 1) + ",")
      if (c == ',') found.push_back(std::move(one)), one.clear();
      else if (c != ' ') one += c;
    return found;
  }
  static bool isNumber(const std::string &shown) { return !shown.empty() && shown.find_first_not_of("0123456789") == std::string::npos; }

  /// Whether what makes a tensor gives it values that are to be learnt: zeros, or numbers that are drawn small.
  bool isMadeAsWeights(const ast::Expr &value) const {
    static const std::set<std::string> fixed = {"zeros", "ones", "full"};
    if (auto *product = as<ast::BinaryExpr>(&value)) return product->op == ast::BinaryOp::Mul || product->op == ast::BinaryOp::Div;
    auto *call = as<ast::CallExpr>(&value);
    return call && fixed.count(nameOf(*call)) != 0;
  }

  /// `x = rng.normal((64, 16))` and `w = zeros((8,))`, which one call is given: one of the two numbers is wrong. Weights are made
  /// for data.
  void writtenSizes() {
    size_t at = 0;
    const std::vector<std::string> wanted = extentsIn(diagnostic_.message, at), had = extentsIn(diagnostic_.message, at);
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || wanted.size() != had.size() || place_.inKernel) return;
    CandidateGroup weights, data;
    weights.assumes = data.assumes = true;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == had[i] || !isNumber(wanted[i]) || !isNumber(had[i])) continue;
      for (const ast::Argument &argument : call->arguments) {
        auto *name = as<ast::NameExpr>(argument.value);
        const ast::Expr *made = name ? place_.valueOf(name->name) : argument.value.get();
        if (!made) continue;
        const bool own = argument.value->span == diagnostic_.span;
        visit(*made, [&](const ast::Expr &part) {
          auto *number = as<ast::IntExpr>(&part);
          if (!number || text(*number) != (own ? had[i] : wanted[i])) return;
          replaceOnce(isMadeAsWeights(*made) ? weights : data, number->span, own ? wanted[i] : had[i], "make it as large as what it is used with");
        });
      }
    }
    groups_.push_back(std::move(weights)), groups_.push_back(std::move(data));
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfIdioms(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return IdiomEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
