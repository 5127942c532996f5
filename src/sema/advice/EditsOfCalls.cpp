// Edits for calls: arguments in another order, one that has no meaning here, a call that was forgotten or is one too many,
// what belongs to a struct.
#include "sema/advice/EditWriter.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class CallEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::unknownKeyword:
      withoutArgument(), policyOfDType(), streamOfKeyword(), castArgument(), addedNumber();
      break;
    case Id::noOverload: keywordsHere(), otherOrder(3); break;
    case Id::factRefuted:
      if (diagnostic_.message.find(".ndim") != std::string::npos) otherOrder(3);  // what kinds of numbers they hold is another mistake
      break;
    case Id::notSupportedYet:
    case Id::dtypeMismatch: otherOrder(3); break;
    case Id::wrongArgument:
      otherOrder(3), functionCalled(), tensorOfList(), typeOfOption(), dtypeOfMade(), streamOfSeed(), wholeIndices(),
          wholeNumber(), numberOfText();
      break;
    case Id::tooManyArguments: elementAndValue(), withoutSelf(), decimals(), withoutLast(); break;
    case Id::unknownAttribute:
      ofValue(), storedInTurn(), plainMember(), calledBefore(), ofNumber(), constantOf(), equalParts(), lengthOf();
      break;
    case Id::literalRange: dtypeOfMade(); break;
    case Id::badSchedule:
    case Id::notConstant: numberOfOption(); break;
    case Id::notCallable: sizes(), productOfCalled(); break;
    case Id::wrongResult: stateReturned(); break;
    case Id::badFormat: formatOfFloat(); break;
    case Id::unusedValue: keptValue(); break;
    case Id::badOperand: calledOperand(), lengthOfState(); break;
    case Id::notIterable: numbersOf(); break;
    case Id::unpackCount: oneName(); break;
    case Id::undefinedName: ofStruct(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `zeros((N,), device="cuda")`
  void withoutArgument() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    for (size_t i = 1; i < call->arguments.size(); ++i) {
      const ast::Argument &arg = call->arguments[i];
      bool here = arg.keyword && arg.span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= arg.span.end;
      if (here && !keywordInstead(arg.keyword->text).empty())
        replace(group(false), {arg.span.file, call->arguments[i - 1].span.end, arg.span.end}, "");
    }
  }

  /// `rmsnorm_safe(x, g, epsilon=1e-6)`
  void keywordsHere() {
    auto *call = place_.innermost<ast::CallExpr>();
    CandidateGroup &edits = group(true);
    for (size_t i = 0; call && i < call->arguments.size(); ++i) {
      const auto &keyword = call->arguments[i].keyword;
      if (!keyword) continue;
      for (std::string_view ours : argumentsHere(keyword->text))
        replace(edits, keyword->span, std::string(ours));
    }
  }

  /// `dropout(rng, x, 0.5)`, `cross_entropy(labels, logits)`
  void otherOrder(size_t most) {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    std::vector<std::string> given;
    for (const ast::Argument &arg : call->arguments) {
      if (arg.stars) return;
      if (!arg.keyword) given.push_back(text(arg.span));
    }
    if (given.size() < 2 || given.size() > most) return;
    std::vector<std::string> order = given;
    std::sort(order.begin(), order.end());
    CandidateGroup &edits = group(true);
    do {
      size_t first = 0, last = order.size();
      while (first < last && order[first] == given[first]) ++first;
      while (last > first && order[last - 1] == given[last - 1]) --last;
      std::string shown;
      for (size_t i = first; i < last; ++i) shown += (shown.empty() ? "" : ", ") + order[i];
      if (first < last)
        replace(edits, call->arguments[first].span.to(call->arguments[last - 1].span), shown,
                "give them in this order");
    } while (std::next_permutation(order.begin(), order.end()));
  }

  /// `l.apply(l, x)`
  void withoutSelf() {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
      if (method && call->arguments.size() > 1 && text(call->arguments[0].span) == text(*method->object))
        replace(group(false), {call->span.file, call->arguments[0].span.begin, call->arguments[1].span.begin}, "",
                "a method has its struct already");
    }
  }

  /// `round(x, 3)` in host code: a number is written with that many digits.
  void decimals() {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      auto *digits = call && nameOf(*call) == "round" && call->arguments.size() == 2
                         ? as<ast::IntExpr>(call->arguments[1].value)
                         : nullptr;
      if (digits)
        replace(group(false), call->span, "f\"{" + text(call->arguments[0].span) + ":." + digits->text + "f}\"",
                "write it with so many digits");
    }
  }

  /// `scale(x, 2.0, 1.0)` of a function that takes two.
  void withoutLast() {
    auto *call = place_.innermost<ast::CallExpr>();
    for (const ast::Expr *e : place_.around)
      if (auto *around = as<ast::CallExpr>(e); around && around->span != diagnostic_.span) {
        call = around;
        break;
      }
    CandidateGroup &edits = group(false);
    edits.assumes = edits.last = true;
    for (size_t i = 1; call && i < call->arguments.size(); ++i)
      if (call->arguments[i].span == diagnostic_.span)
        replace(edits, {call->span.file, call->arguments[i - 1].span.end, call->arguments.back().span.end}, "",
                "leave out what is too much");
  }

  /// `start(0, x)` of a function that takes a stream.
  void streamOfSeed() {
    auto *seed = as<ast::IntExpr>(place_.expr());
    auto *function = as<ast::NameExpr>(place_.expr());
    if (function && function->name == "Rng") insert(group(false), function->span.end, "(0)", "make a stream of a seed");
    if (seed && place_.innermost<ast::CallExpr>())
      replace(group(false), seed->span, "Rng(" + seed->text + ")", "make a stream of this seed");
  }

  /// `noise(x, seed=0)`
  void streamOfKeyword() {
    auto *call = place_.innermost<ast::CallExpr>();
    for (size_t i = 0; call && i < call->arguments.size(); ++i) {
      const ast::Argument &arg = call->arguments[i];
      bool seed = arg.keyword && (arg.keyword->text == "seed" || arg.keyword->text == "key");
      if (seed && arg.value->kind == ast::ExprKind::Int)
        replace(group(false), arg.span, "Rng(" + text(*arg.value) + ")", "make a stream of this seed");
    }
  }

  /// `log(x, eps=1e-6)`
  void addedNumber() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.size() != 2 || call->arguments[0].keyword || !call->arguments[1].keyword) return;
    const std::string &name = call->arguments[1].keyword->text;
    if (name == "eps" || name == "epsilon")
      replace(group(false), {call->span.file, call->arguments[0].span.end, call->arguments[1].span.end},
              " + " + text(*call->arguments[1].value), "keep it away from 0");
  }

  /// `sum(x, dtype=f32)`
  void castArgument() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    const ast::Argument *dtype = keyword(*call, "dtype");
    auto *method = as<ast::AttributeExpr>(call->callee);
    if (!dtype || method || call->arguments.size() < 2 || &call->arguments[0] == dtype) return;
    const size_t at = static_cast<size_t>(dtype - call->arguments.data());
    replaceAll(group(false),
               {{call->arguments[0].span, "cast(" + text(call->arguments[0].span) + ", " + text(*dtype->value) + ")"},
                {{call->span.file, call->arguments[at - 1].span.end, dtype->span.end}, ""}},
               "convert it first");
  }

  /// `take(x, i)` of an `i` of floats.
  void wholeIndices() {
    static const std::set<std::string> byIndex = {"take",      "gather",    "scatter",    "scatter_add",
                                                  "index_add", "embedding", "segment_sum"};
    const ast::Expr *e = place_.expr();
    auto *call = place_.innermost<ast::CallExpr>();
    static const std::set<std::string> indices = {"ids", "idx", "index", "indices", "labels", "tokens"};
    const ast::SubscriptExpr *type = tensorTypeOf(e);
    auto use = type && place_.names ? place_.names->find(text(*e)) : decltype(place_.names->end()){};
    const bool isIndex = type && place_.names && use != place_.names->end() && use->second.reads.size() == 1 && indices.count(text(*e));
    if (isIndex && call && byIndex.count(nameOf(*call)) && extentCount(*type) < type->items.size()) {  // it is nothing else, and is called so
      CandidateGroup &edits = group(false);
      edits.ofSignature = edits.assumes = true;
      replace(edits, type->items.back().span, "i32", "declare whole numbers");
    }
    if (call && byIndex.count(nameOf(*call)) && e->kind == ast::ExprKind::Name)
      replace(group(false), e->span, "cast(" + text(*e) + ", i32)", "make integers of it");
  }

  /// `range(epochs)` of `epochs: float = 10.0`
  void wholeOption() {
    const ast::Parameter *p = parameterOf(place_.expr());
    auto *type = p ? as<ast::NameExpr>(p->annotation) : nullptr;
    auto *value = type && type->name == "float" ? as<ast::FloatExpr>(p->defaultValue) : nullptr;
    const size_t point = value ? value->text.find(".0") : std::string::npos;
    if (point != std::string::npos && point + 2 == value->text.size())
      replaceAll(group(false), {{type->span, "int"}, {value->span, value->text.substr(0, point)}},
                 "make it a whole number");
  }
  /// `len(cache)`
  void lengthOfState() {
    auto *call = place_.innermost<ast::CallExpr>();
    bool state = diagnostic_.message.find("a state object") != std::string::npos;
    if (state && call && nameOf(*call) == "len" && call->arguments.size() == 1)
      replace(group(false), call->span, asPrimary(*call->arguments[0].value) + ".length", "how far it is filled");
  }
  /// `f"{x:.2d}"` of a number that is not whole.
  void formatOfFloat() {
    const std::string shown = text(diagnostic_.span);
    if (shown.size() > 1 && shown.back() == 'd' && diagnostic_.message.find("is for integers") != std::string::npos)
      replace(group(false), {diagnostic_.span.file, diagnostic_.span.end - 1, diagnostic_.span.end}, "f",
              "digits of a fraction");
  }

  /// `range(10.0)`
  void wholeNumber() {
    wholeOption();
    auto *number = as<ast::FloatExpr>(place_.expr());
    size_t point = number ? number->text.find(".0") : std::string::npos;
    if (point != std::string::npos && point + 2 == number->text.size())
      replace(group(false), number->span, number->text.substr(0, point), "it is a whole number");
  }

  /// `tile.atomic_add(counts, i, 1)`
  void elementAndValue() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.size() != 3 || nameOf(*call).rfind("atomic_", 0) != 0) return;
    replace(group(false), call->arguments[0].span.to(call->arguments[2].span),
            text(call->arguments[0].span) + "[" + text(call->arguments[1].span) + "], " + text(call->arguments[2].span),
            "name the element");
  }

  /// `x / x.sum`
  void calledOperand() {
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_))
      if (operand->kind == ast::ExprKind::Attribute) insert(edits, operand->span.end, "()", "call it");
  }

  /// `z.chunk(2, dim=1)`
  void equalParts() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!member || member->attribute.text != "chunk" || call->arguments.empty() || call->arguments.size() > 2) return;
    std::string axis = call->arguments.size() == 2 ? ", axis=" + text(*call->arguments[1].value) : "";
    replace(group(false), call->span,
            "split(" + text(*member->object) + ", " + text(call->arguments[0].span) + axis + ")", "make equal parts");
  }

  /// `sizes.length`
  void lengthOf() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    if (!member ||
        (member->attribute.text != "length" && member->attribute.text != "size" && member->attribute.text != "len"))
      return;
    const ast::Expr &whole = call && call->callee.get() == member ? static_cast<const ast::Expr &>(*call) : *member;
    replace(group(false), whole.span, "len(" + text(*member->object) + ")");
  }

  /// `x.detach()`
  void constantOf() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (member && member->attribute.text == "detach" && call->arguments.empty())
      replace(group(false), call->span, "stop_gradient(" + text(*member->object) + ")");
  }

  /// `Schedule(m="64")`
  void numberOfOption() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    for (const ast::Argument &arg : call->arguments) {
      auto *string = as<ast::StringExpr>(arg.value);
      bool number =
          string && !string->value.empty() && string->value.find_first_not_of("0123456789") == std::string::npos;
      if (number) replace(group(false), string->span, string->value, "it is a number");
    }
  }

  /// `Tensor[N, bf16, accum=f32]`
  void policyOfDType() {
    auto *type = place_.innermost<ast::SubscriptExpr>();
    if (!type || text(*type->object) != "Tensor") return;
    for (size_t i = 1; i < type->items.size(); ++i) {
      const ast::Argument &item = type->items[i];
      if (item.keyword && item.span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= item.span.end)
        replace(group(false), {item.span.file, type->items[i - 1].span.end, item.span.end},
                " @" + std::string(item.keyword->text == "accumulate" ? "accum" : item.keyword->text) + "(" +
                    text(*item.value) + ")",
                "a policy stands behind the dtype");
    }
  }

  /// `T = tile.context`, whose fields are read.
  void calledBefore() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    auto *name = as<ast::NameExpr>(member ? member->object.get() : place_.expr());
    const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
    if (value && (value->kind == ast::ExprKind::Attribute || value->kind == ast::ExprKind::Name))
      insert(group(false), value->span.end, "()", "call it");
  }

  /// `y = double`, where `x` is there and nothing reads it.
  void functionCalled() {
    auto *name = as<ast::NameExpr>(place_.expr());
    auto *function = name ? as<ast::NameExpr>(place_.valueOf(name->name)) : nullptr;
    if (!function || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const auto &[other, use] : *place_.names)
      if (use.isBound() && use.reads.empty()) insert(edits, function->span.end, "(" + other + ")", "call it");
  }

  /// `f([1.0, 2.0])`
  void tensorOfList() {
    const ast::Expr *list = meant();
    if (list && list->kind == ast::ExprKind::List)
      replace(group(false), list->span, "tensor(" + text(*list) + ")", "make a tensor of it");
  }

  /// `def main(steps=10):`
  void typeOfOption() {
    if (!place_.function || place_.function->name.text != "main") return;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *dtype = p.span == diagnostic_.span ? as<ast::NameExpr>(p.annotation) : nullptr;
      if (auto known = dtype ? dtypeByName(dtype->name) : std::nullopt)
        replace(group(false), dtype->span, isInt(*known) ? "int" : "float", "a type of the command line");
      if (p.span != diagnostic_.span || p.annotation || !p.defaultValue) continue;
      static const std::map<ast::ExprKind, std::string> types = {{ast::ExprKind::Int, "int"},
                                                                 {ast::ExprKind::Float, "float"},
                                                                 {ast::ExprKind::Bool, "bool"},
                                                                 {ast::ExprKind::String, "str"}};
      auto it = types.find(p.defaultValue->kind);
      if (it != types.end()) insert(group(false), p.name.span.end, ": " + it->second, "say its type");
    }
  }

  /// `def main(rate: str = "0.1"):`, and `scaled(x, rate)`
  void numberOfText() {
    const ast::Parameter *p = parameterOf(place_.expr());
    auto *value = p && p->annotation && text(*p->annotation) == "str" ? as<ast::StringExpr>(p->defaultValue) : nullptr;
    const bool digits = value && value->value.find_first_of("0123456789") == 0 &&
                        value->value.find_first_not_of("0123456789.e-+") == std::string::npos;
    if (!digits) return;
    const char *type = value->value.find_first_of(".e") == std::string::npos ? "int" : "float";
    replaceAll(group(false), {{p->annotation->span, type}, {value->span, value->value}}, "make it a number");
  }

  /// `x = ones((4,), i32)` for a function of f32.
  void dtypeOfMade() {
    auto *name = as<ast::NameExpr>(place_.expr());
    auto *call = as<ast::CallExpr>(name ? place_.valueOf(name->name) : place_.expr());
    static const std::set<std::string> made = {"zeros", "ones", "full", "arange", "tensor"};
    if (!call || !made.count(nameOf(*call)) || call->arguments.size() < 2) return;
    const ast::Expr &given = *call->arguments.back().value;
    auto *dtype = as<ast::NameExpr>(&given);
    if (!dtype || !dtypeByName(dtype->name)) return;
    if (place_.function && diagnostic_.id == Id::literalRange) {
      CandidateGroup &declared = group(true);
      for (const std::string &other : declaredDTypes(true))
        if (dtype->name != other) replace(declared, given.span, other, "make it of " + other);
      return;
    }
    CandidateGroup &edits = group(true);
    for (const char *other : {"f32", "f64", "f16", "bf16", "i32", "i64", "bool"})
      if (dtype->name != other) replace(edits, given.span, other, "make it of " + std::string(other));
  }

  /// `Layer.w` for `layer.w`
  void ofValue() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    auto *type = as<ast::NameExpr>(member ? member->object.get() : place_.expr());
    if (!type || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *declared = as<ast::SubscriptExpr>(p.annotation);
      bool ofType =
          declared ? text(*declared->object) == type->name : p.annotation && text(*p.annotation) == type->name;
      if (ofType) replace(edits, type->span, p.name.text, "take that of the value");
    }
  }

  /// `cache.keys()` for `cache.k`
  void plainMember() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    if (!member || !call || call->callee.get() != member || !call->arguments.empty()) return;
    CandidateGroup &edits = group(false);
    for (const diag::Fix &fix : diagnostic_.fixes)
      if (fix.span == member->attribute.span)
        replace(edits, {call->span.file, member->attribute.span.begin, call->span.end}, fix.replacement);
  }

  /// `hs.append(h)` of a tensor that is made with room for each turn of the loop.
  void storedInTurn() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *kept = method ? as<ast::NameExpr>(method->object) : nullptr;
    if (!kept || method->attribute.text != "append" || call->arguments.size() != 1 || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const ast::Stmt *stmt : statementsAround())
      if (auto *loop = as<ast::ForStmt>(stmt); loop && loop->target->kind == ast::ExprKind::Name)
        replace(edits, call->span, kept->name + "[" + text(*loop->target) + "] = " + text(call->arguments[0].span),
                "store it at its place");
  }

  /// `sum(x).item()`
  void ofNumber() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (member && member->attribute.text == "item" && call->arguments.empty())
      replace(group(false), {call->span.file, member->object->span.end, call->span.end}, "", "it is a number already");
  }

  /// `n, d = x.size()`
  void sizes() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (member && member->attribute.text == "size" && call->arguments.empty())
      replace(group(false), {call->span.file, member->attribute.span.begin, call->span.end}, "shape",
              "the extents are `shape`");
    auto *axis = member && member->attribute.text == "size" && call->arguments.size() == 1 ? call->arguments[0].value.get() : nullptr;
    if (axis) replace(group(false), {call->span.file, member->attribute.span.begin, call->span.end}, "shape[" + text(*axis) + "]", "an extent is one of `shape`");
  }

  /// `l.w(x)` of a weight: the product is meant.
  void productOfCalled() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.size() != 1 || call->arguments[0].keyword || place_.inKernel ||
        diagnostic_.message.rfind("a tensor ", 0) != 0)
      return;
    const ast::Expr &x = *call->arguments[0].value;
    auto *around = place_.around.size() > 1 ? as<ast::BinaryExpr>(place_.around[1]) : nullptr;
    const bool weaker = around && (around->op == ast::BinaryOp::Add || around->op == ast::BinaryOp::Sub);  // than `@`
    const std::string product = asPrimary(x) + " @ " + text(*call->callee);
    replace(group(false), call->span, weaker ? product : inPlaceOf(*call, product), "multiply them");
  }

  /// `return w - rate * m` of a function that makes a new `m`, too, and declares two results.
  void stateReturned() {
    if (declaredItems().empty() || !place_.expr() || !place_.names ||
        place_.expr()->kind == ast::ExprKind::Tuple)
      return;
    CandidateGroup &made = group(true);  // what was computed and nothing reads
    for (const auto &[name, use] : *place_.names)
      if (!use.parameter && !use.bindings.empty() && use.reads.empty() && name[0] != '_')
        insert(made, place_.expr()->span.end, ", " + name, "return it, too");
    CandidateGroup &edits = group(false);
    edits.assumes = true;  // whether it comes first or last
    for (const auto &[name, use] : *place_.names)
      if (use.parameter && !use.bindings.empty() && name != text(*place_.expr())) {
        insert(edits, place_.expr()->span.end, ", " + name, "return it, too");
        insert(edits, place_.expr()->span.begin, name + ", ", "return it, too");
      }
  }

  /// `double(x)` as a statement of host code.
  void keptValue() {
    auto *statement = as<ast::ExprStmt>(place_.statement);
    auto *call = statement ? as<ast::CallExpr>(statement->value) : nullptr;
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!call || !place_.names) return;
    std::vector<const ast::Expr *> operands = {method ? method->object.get() : nullptr};
    for (const ast::Argument &arg : call->arguments) operands.push_back(arg.value.get());
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operands) {
      auto *name = as<ast::NameExpr>(operand);
      auto it = name ? place_.names->find(name->name) : place_.names->end();
      if (it != place_.names->end() && it->second.isBound())
        insert(edits, call->span.begin, name->name + " = ", "give the name the new value");
    }
  }

  /// `values, places = sort(x)`, which gives the values alone.
  void oneName() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    const ast::Expr *target = assign && assign->targets.size() == 1 ? assign->targets[0].get() : nullptr;
    if (!target || target->kind != ast::ExprKind::Tuple || !place_.function) return;
    const std::map<std::string, NameUse> &names = *place_.names;
    CandidateGroup &edits = group(true);
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*target).items) {
      auto it = names.find(text(*item));
      if (it != names.end() && !it->second.reads.empty()) replace(edits, target->span, text(*item), "it is one value");
    }
  }

  /// `enumerate(3)`
  void numbersOf() {
    auto *call = as<ast::CallExpr>(place_.expr());
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if (name && name->name == "enumerate") replace(group(false), name->span, "range", "count with `range`");
  }

  /// `w` for `l.w`, and `apply(l, x)` for `l.apply(x)`.
  void ofStruct() {
    auto *name = as<ast::NameExpr>(place_.expr());
    auto *member = place_.around.size() > 1 ? as<ast::AttributeExpr>(place_.around[1]) : nullptr;
    if (!name || !place_.function || (member && member->object.get() == name && foreignName(name->name))) return;
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    CandidateGroup &edits = group(true);
    if (call && call->callee.get() == name) return methodCalled(*call, edits);
    for (const ast::Parameter &p : place_.function->parameters)
      if (p.annotation) insert(edits, name->span.begin, p.name.text + ".", "it belongs to `" + p.name.text + "`");
  }
  void methodCalled(const ast::CallExpr &call, CandidateGroup &edits) {
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const ast::Argument &owner = call.arguments[i];
      if (owner.keyword || owner.stars) continue;
      std::string rest;
      for (size_t j = 0; j < call.arguments.size(); ++j)
        if (j != i) rest += (rest.empty() ? "" : ", ") + text(call.arguments[j].span);
      replace(edits, call.span, asPrimary(*owner.value) + "." + text(*call.callee) + "(" + rest + ")");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfCalls(const diag::Diagnostic &diagnostic, const Place &place,
                                         const Sources &sources) {
  return CallEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
