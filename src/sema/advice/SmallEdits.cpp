// Operators, methods and keywords of other languages, quotes, dtypes.
#include "sema/advice/EditWriter.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/SmallEdits.h"
#include "support/DType.h"
#include <map>
#include <set>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class SmallWordEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::wrongResult: notCalled(), summed(), stacked(), otherOperator(ast::BinaryOp::MatMul, "*"); break;
    case Id::broadcastFails: productOfMatrices(); break;
    case Id::badOperand:
      otherOperator(ast::BinaryOp::MatMul, "*"), otherOperator(ast::BinaryOp::Add, "|"), numberInQuotes();
      break;
    case Id::badConstant: otherShift(); break;
    case Id::badKernelOption: nearKeyword({"grid", "group", "lanes"}); break;
    case Id::badSchedule: blockByName(), numberInstead("64", "32"); break;
    case Id::notConstant: namedAxis(); break;
    case Id::wrongArgument:
      largerOfTwo(), quotedDType(), tupleOfSizes(), numberInQuotes(), wholeDivision(), bitsOfDType(), rangeFrom();
      break;
    case Id::tooManyArguments: tupleOfSizes(), countsFromZero(), storedByIndex(); break;
    case Id::argumentTwice: givenOnce(); break;
    case Id::notCallable: indexed(); break;
    case Id::notAType: tensorType(); break;
    case Id::unknownAttribute: methodOfTorch(); break;
    case Id::unknownPolicy:
      nearKeyword({"storage", "compute", "accumulate", "rounding", "round_at", "saturate", "denormals", "loss_scale"}),
          longerWord();
      break;
    case Id::policyConflict: otherAccumulator(); break;
    case Id::streamMissing: streamOfFunction(); break;
    case Id::unpackCount: innerTuple(); break;
    case Id::narrowing: valuesOfPlaces(), dtypeOfMade(); break;
    case Id::dtypeMismatch: dtypeOfMade(); break;
    case Id::literalRange: infinity(); break;
    case Id::undefinedName: quoted(), withoutStatement(); break;
    case Id::missingReturn: returnForgotten(); break;
    case Id::cannotReturnInside: returnBehindLoop(); break;
    case Id::factRefuted: remainderOfNothing(); break;
    case Id::notSupportedYet: withoutWord(), dataclass(); break;
    case Id::unknownModule: nearModule(), withoutImport(); break;
    case Id::immutableTensor: chosenElement(); break;
    case Id::numericsRefuted:
    case Id::numericsUndecided: awayFromZero(); break;
    default: break;
    }
    return taken();
  }

private:
  /// From the statement to the next line.
  Span wholeLine(const ast::Stmt &stmt) const {
    std::string_view all = sources_.file(stmt.span.file).text;
    uint32_t end = stmt.span.end;
    while (end < all.size() && (all[end] == ' ' || all[end] == '\t')) ++end;
    if (end < all.size() && all[end] == '\n') ++end;
    uint32_t begin = stmt.span.begin;
    while (begin > 0 && (all[begin - 1] == ' ' || all[begin - 1] == '\t')) --begin;
    return {stmt.span.file, begin, end};
  }

  /// `async def`, and `global n` where `n` is only read.
  void withoutWord() {
    if (place_.function && place_.function->isAsync) {
      size_t word = text(place_.function->span).find("async ");
      uint32_t at = place_.function->span.begin + static_cast<uint32_t>(word);
      if (word != std::string::npos && word < 4096 && at < place_.function->name.span.begin)
        replace(group(false), {place_.function->span.file, at, at + 6}, "", "leave `async` out: nothing waits");
    }
    if (place_.statement && place_.statement->kind == ast::StmtKind::Global)
      replace(group(false), wholeLine(*place_.statement), "",
              "leave it out: names of the module can be read without it");
  }

  /// `@dataclass` and `class`
  void dataclass() {
    auto *def = as<ast::ClassDef>(place_.statement);
    if (!def || def->decorators.size() != 1 || !def->bases.empty()) return;
    const ast::Decorator &decorator = def->decorators[0];
    std::string shown = text(*decorator.expression);
    if (shown.find("dataclass") == std::string::npos) return;
    std::string_view all = sources_.file(def->span.file).text;
    size_t word = all.find("class", decorator.span.end);
    if (word == std::string_view::npos || word > def->name.span.begin) return;
    replace(group(false), {def->span.file, decorator.span.begin, static_cast<uint32_t>(word + 5)}, "struct",
            "write `struct`, which needs no decorator");
  }

  /// `from typing import Optional`
  void withoutImport() {
    static const std::set<std::string> modules = {"typing", "__future__", "dataclasses", "collections.abc"};
    bool import = place_.statement && (place_.statement->kind == ast::StmtKind::Import ||
                                       place_.statement->kind == ast::StmtKind::FromImport);
    if (!import) return;
    CandidateGroup &edits = group(false);
    if (!modules.count(text(diagnostic_.span)))
      edits.last = edits.ofSignature = true;  // it mends where nothing needs what it names
    replace(edits, wholeLine(*place_.statement), "", "leave it out");
  }

  /// `from tesera import kernel`
  void nearModule() {
    static const std::vector<std::string_view> known = {"tessera"};
    const std::string module = text(diagnostic_.span);
    auto near = diag::didYouMean(module, known);
    if (!near.empty() && near != module) replace(group(false), diagnostic_.span, std::string(near));
  }

  /// `optimizer.zero_grad()`, `model.train()` and `super().__init__()` as statements.
  void withoutStatement() {
    static const std::set<std::string> idle = {
        "zero_grad",      "train",    "eval",        "show",           "synchronize",
        "empty_cache",    "__init__", "manual_seed", "requires_grad_", "set_grad_enabled",
        "register_buffer"};
    auto *statement = as<ast::ExprStmt>(place_.statement);
    auto *call = statement ? as<ast::CallExpr>(statement->value) : nullptr;
    if (call && idle.count(nameOf(*call))) replace(group(false), wholeLine(*statement), "", "leave it out");
  }

  /// Whether it chooses elements, and is no index: `x < 0`, `~mask`.
  bool isMask(const ast::Expr &e) const {
    auto *unary = as<ast::UnaryExpr>(&e);
    auto *binary = as<ast::BinaryExpr>(&e);
    const ast::SubscriptExpr *type = tensorTypeOf(&e);
    return e.kind == ast::ExprKind::Compare || (unary && isMask(*unary->operand)) ||
           (binary && isMask(*binary->left) && isMask(*binary->right)) || (type && text(type->items.back().span) == "bool");
  }

  /// `x[0] = v` of a vector in a function of whole tensors.
  void chosenElement() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *target = assign && assign->targets.size() == 1 ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
    auto *name = target && target->items.size() == 1 ? as<ast::NameExpr>(target->object) : nullptr;
    if (!name || !place_.function || place_.inKernel || target->items[0].value->kind == ast::ExprKind::Slice) return;
    if (isMask(*target->items[0].value))
      return replace(group(false), assign->span,
                     name->name + " = where(" + text(target->items[0].span) + ", " + text(*assign->value) + ", " +
                         name->name + ")",
                     "choose for each element");  // `x[x < 0] = 0.0`
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (p.name.text != name->name || !type || type->items.size() != 2) continue;
      auto *quotedName = as<ast::StringExpr>(type->items[0].value);
      std::string extent = quotedName ? quotedName->value : text(type->items[0].span), x = name->name;
      replace(group(false), assign->span,
              x + " = where(arange(" + extent + ") == " + text(target->items[0].span) + ", " + text(*assign->value) +
                  ", " + x + ")",
              "choose for each element");
    }
  }

  /// `x / y`, `rsqrt(y)` and `log(y)` of a y that may be 0. How small a number may be added is for the author to say.
  void awayFromZero() {
    if (diagnostic_.message.find("zero") == std::string::npos) return;
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    auto *call = place_.innermost<ast::CallExpr>();
    CandidateGroup &edits = group(false);
    bool made = binary && (binary->right->kind == ast::ExprKind::Call || binary->right->kind == ast::ExprKind::Name);
    if (made && binary->op == ast::BinaryOp::Div) {
      replace(edits, binary->right->span, "(" + text(*binary->right) + " + 1e-5)",
              "keep it away from 0 by a number of your choice");
    } else if (call && call->arguments.size() == 1 && (nameOf(*call) == "rsqrt" || nameOf(*call) == "sqrt")) {
      insert(edits, call->arguments[0].span.end, " + 1e-5", "keep it away from 0 by a number of your choice");
    } else if (call && call->arguments.size() == 1 && nameOf(*call).substr(0, 3) == "log") {
      replace(edits, call->arguments[0].span, "maximum(" + text(call->arguments[0].span) + ", 1e-30)",
              "keep it away from 0 by a number of your choice");
    }
    for (diag::Fix &fix : edits.edits) fix.applicability = diag::Applicability::Assumption;
  }

  void notCalled() {
    if (auto *member = as<ast::AttributeExpr>(place_.expr())) insert(group(false), member->span.end, "()");
  }

  /// `x * y` where one number is declared.
  void summed() {
    const ast::Expr *result = place_.function ? place_.function->result.get() : nullptr;
    auto *name = as<ast::NameExpr>(result);
    auto *call = as<ast::CallExpr>(place_.expr());
    if (place_.expr() && place_.expr()->kind == ast::ExprKind::Tuple) return;
    bool reduced = false;  // `x.mean(axis=1)`: somebody who names an axis wants the others
    if (call)
      for (const ast::Argument &arg : call->arguments) reduced |= arg.keyword && arg.keyword->text == "axis";
    if (name && dtypeByName(name->name) && place_.expr() && !reduced)
      replace(group(false), place_.expr()->span, "sum(" + text(*place_.expr()) + ")", "add the elements up");
  }

  void otherOperator(ast::BinaryOp op, const char *by) {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary || binary->op != op) return;
    replace(group(false), binary->opSpan, by);
  }

  /// `x * w`, where both are matrices: a vector lacks an axis rather, which `@` would hide.
  void productOfMatrices() {
    const std::string &said = diagnostic_.message;
    size_t between = said.find("] and ["), comma = said.find(',');
    bool matrices = between != std::string::npos && comma < between && said.find(',', between) != std::string::npos;
    if (matrices) otherOperator(ast::BinaryOp::Mul, "@");
  }

  /// `axis="M"`
  void namedAxis() {
    const ast::Expr *e = place_.expr();
    if (!e || (e->kind != ast::ExprKind::String && e->kind != ast::ExprKind::Name && e->kind != ast::ExprKind::Call))
      return;
    const ast::Expr *axis = e;
    if (auto *call = as<ast::CallExpr>(e)) {
      axis = nullptr;
      for (const ast::Argument &arg : call->arguments)
        if (arg.keyword && arg.keyword->text == "axis") axis = arg.value.get();
    }
    if (!axis) return;
    if (axis->kind == ast::ExprKind::Name) {  // `sum(x, x)` is another mistake
      auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
      const ast::Argument *given = call ? keyword(*call, "axis") : nullptr;
      const std::string name = text(*axis);
      if (!(given && given->value.get() == axis) && !(name[0] >= 'A' && name[0] <= 'Z')) return;
    }
    CandidateGroup &edits = group(true);
    for (int number = 0; number < 4; ++number) replace(edits, axis->span, std::to_string(number));
  }

  /// `max(x, y)` and `tile.max(x, y)` of tensors; the message may be about an argument that is a call itself.
  void largerOfTwo() {
    std::vector<std::pair<Span, std::string>> parts;
    if (!place_.around.empty() && !place_.inKernel)
      visit(*place_.around.back(), [&](const ast::Expr &part) {
        auto *call = as<ast::CallExpr>(&part);
        auto *name = call && call->arguments.size() == 2 ? as<ast::NameExpr>(call->callee) : nullptr;
        if (name && (name->name == "max" || name->name == "min") && !call->arguments[1].keyword)
          parts.push_back({name->span, name->name == "max" ? "maximum" : "minimum"});
      });
    if (parts.size() > 1) replaceAll(group(false), parts, "compare element by element");
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || call->arguments.size() != 2 || (nameOf(*call) != "max" && nameOf(*call) != "min")) continue;
      auto *member = as<ast::AttributeExpr>(call->callee);
      auto *owner = member ? as<ast::NameExpr>(member->object) : nullptr;
      if (member && (!owner || owner->name != "tile")) continue;
      Span name = member ? member->attribute.span : call->callee->span;
      return replace(group(false), name, nameOf(*call) == "max" ? "maximum" : "minimum");
    }
  }

  /// `arange(0, N)`, `arange(a, N)`
  void rangeFrom() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "arange" || call->arguments.size() != 2 || call->arguments[1].keyword) return;
    std::string from = text(call->arguments[0].span), to = text(call->arguments[1].span);
    Span both = call->arguments[0].span.to(call->arguments[1].span);
    if (from == "0") return replace(group(false), both, to, "it counts from 0");
    const ast::Expr &first = *call->arguments[0].value;
    bool plain = first.kind == ast::ExprKind::Name || first.kind == ast::ExprKind::Int;
    std::string start = plain ? from : "(" + from + ")", more = " + " + start, count = to + " - " + start;
    bool sum = to.size() > more.size() && to.compare(to.size() - more.size(), more.size(), more) == 0;
    if (sum) count = to.substr(0, to.size() - more.size());  // `arange(1, N + 1)`
    std::string moved = "arange(" + count + ")" + more;
    replace(group(false), call->span, call == place_.around.back() ? moved : "(" + moved + ")");
  }

  /// `arange(0, N, f32)`
  void countsFromZero() {
    auto *call = place_.innermost<ast::CallExpr>();
    for (const ast::Expr *e : place_.around)
      if (auto *around = as<ast::CallExpr>(e); around && nameOf(*around) == "arange") call = around;
    if (call && nameOf(*call) == "arange" && call->arguments.size() > 1 && text(call->arguments[0].span) == "0")
      replace(group(false), {call->span.file, call->arguments[0].span.begin, call->arguments[1].span.begin}, "",
              "it counts from 0");
  }

  /// `tile.store(y, i, v)`
  void storedByIndex() {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || nameOf(*call) != "store" || call->arguments.size() != 3 || !place_.inKernel) continue;
      replace(group(false), call->span,
              text(call->arguments[0].span) + "[" + text(call->arguments[1].span) +
                  "] = " + text(call->arguments[2].span),
              "store it by its index");
    }
  }

  /// `f(x, 2.0, by=2.0)`
  void givenOnce() {
    const ast::CallExpr *call = nullptr;
    for (const ast::Expr *e : place_.around)
      if (auto *around = as<ast::CallExpr>(e); around && !call && !around->arguments.empty()) call = around;
    for (size_t i = 1; call && i < call->arguments.size(); ++i) {
      if (!call->arguments[i].keyword) continue;
      CandidateGroup &edits = group(false);
      edits.assumes = text(*call->arguments[i].value) != text(*call->arguments[i - 1].value);
      replace(edits, {call->span.file, call->arguments[i - 1].span.end, call->arguments[i].span.end}, "",
              "give it once");
    }
  }

  void quotedDType() {
    auto *string = as<ast::StringExpr>(place_.expr());
    if (string && dtypeByName(string->value)) replace(group(false), string->span, string->value);
  }

  /// `x(0)`, `x.shape(0)`, `x.size(0)`
  void indexed() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (member && call->arguments.empty())  // `x.shape()`
      return replace(group(false), {call->span.file, member->span.end, call->span.end}, "",
                     "leave the parentheses out");
    if (!call || call->arguments.empty()) return;
    std::string items = text(call->arguments.front().span.to(call->arguments.back().span));
    bool size = member && member->attribute.text == "size";
    std::string object = size ? text(*member->object) + ".shape" : text(*call->callee);
    replace(group(false), call->span, object + "[" + items + "]");
  }

  /// `[N, f32]` and `Tensor[N]`
  void tensorType() {
    const ast::Expr *e = place_.expr();
    if (e && e->kind == ast::ExprKind::List) return insert(group(false), e->span.begin, "Tensor");
    auto *type = as<ast::SubscriptExpr>(e);
    if (type && (text(*type->object) == "tensor" || text(*type->object) == "TENSOR"))
      return replace(group(false), type->object->span, "Tensor");
    if (!type || !as<ast::NameExpr>(type->object) || text(*type->object) != "Tensor" || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const std::string &dtype : declaredDTypes(true)) insert(edits, type->span.end - 1, ", " + dtype);
  }

  /// `zeros((N,))` and `arange(N)` are f32 and i32.
  void dtypeOfMade() {
    static const std::set<std::string> made = {"zeros", "ones", "arange", "full"};
    const ast::Expr *e = place_.expr();
    if (!e || !place_.function) return;
    const std::set<std::string> dtypes = declaredDTypes(false);
    CandidateGroup &edits = group(true);
    visit(*e, [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || !made.count(nameOf(*call))) return;
      if (call->arguments.size() != (nameOf(*call) == "full" ? 2u : 1u)) return;
      for (const std::string &dtype : dtypes) insert(edits, call->span.end - 1, ", " + dtype, "make it of " + dtype);
    });
  }

  /// `return argsort(x)`, where values are declared.
  void valuesOfPlaces() {
    static const std::map<std::string, std::string> values = {{"argsort", "sort"}};
    auto *call = as<ast::CallExpr>(place_.expr());
    if (call && nameOf(*call) == "cast" && !call->arguments.empty()) {  // `cast(x, f16)`, where bf16 is declared
      const ast::Argument &dtype = call->arguments.back();
      CandidateGroup &edits = group(true);
      for (const std::string &other : declaredDTypes(true))
        if (other != text(dtype.span)) replace(edits, dtype.span, other, "convert it to what is declared");
    }
    auto it = call ? values.find(nameOf(*call)) : values.end();
    if (it == values.end() || (place_.statement && place_.statement->kind != ast::StmtKind::Return)) return;
    auto *member = as<ast::AttributeExpr>(call->callee);
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, member ? member->attribute.span : call->callee->span, it->second,
            "take the values, not their places");
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

  /// A `return` that stands at the end of the last loop, one level too far inside.
  void returnBehindLoop() {
    if (!place_.function || place_.function->body.empty()) return;
    auto *loop = as<ast::ForStmt>(place_.function->body.back());
    if (!loop || loop->body.size() < 2 || loop->body.back().get() != place_.statement) return;
    const SourceFile &file = sources_.file(loop->span.file);
    auto indentOf = [&](const ast::Stmt &stmt) { return file.lineColumn(stmt.span.begin).column - 1; };
    const uint32_t end = place_.statement->span.begin, begin = file.lineStart(file.lineColumn(end).line);
    replace(group(false), {loop->span.file, begin, end}, std::string(indentOf(*loop), ' '), "return behind the loop");
  }

  /// `[x, y]` where one tensor is declared.
  void stacked() {
    const ast::Expr *list = place_.expr();
    if (!list || list->kind != ast::ExprKind::List) return;
    std::string items = text(*list);
    replace(group(false), list->span, "stack(" + items.substr(1, items.size() - 2) + ")",
            "stack them along a new axis");
  }

  /// `x > "0"`
  void numberInQuotes() {
    CandidateGroup &edits = group(true);
    std::vector<const ast::Expr *> parts = operandsAt(place_);
    if (auto *compare = as<ast::CompareExpr>(place_.expr()))
      for (const ast::ExprPtr &operand : compare->operands) parts.push_back(operand.get());
    parts.push_back(place_.expr());
    std::set<uint32_t> seen;
    for (const ast::Expr *part : parts) {
      auto *string = as<ast::StringExpr>(part);
      bool number =
          string && !string->value.empty() && string->value.find_first_not_of("0123456789.") == std::string::npos;
      if (number && seen.insert(string->span.begin).second) replace(edits, string->span, string->value);
    }
  }

  /// `x << -4`
  void otherShift() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    auto *minus = binary ? as<ast::UnaryExpr>(binary->right) : nullptr;
    bool left = binary && binary->op == ast::BinaryOp::LeftShift;
    if (!minus || (!left && binary->op != ast::BinaryOp::RightShift)) return;
    replace(group(false), binary->opSpan.to(minus->span), std::string(left ? ">> " : "<< ") + text(*minus->operand));
  }

  /// `gird=(1,)`
  void nearKeyword(const std::vector<std::string_view> &known) {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    for (const ast::Argument &arg : call->arguments) {
      bool here = arg.span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= arg.span.end;
      if (!here || !arg.keyword) continue;
      auto near = diag::didYouMean(arg.keyword->text, known);
      std::string_view ours = optionHere(arg.keyword->text);
      if (std::find(known.begin(), known.end(), ours) != known.end()) near = ours;
      if (!near.empty() && near != arg.keyword->text) replace(group(false), arg.keyword->span, std::string(near));
    }
  }

  /// `Schedule(128, 128)`
  void blockByName() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.empty()) return;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword) return;
    Span all = call->arguments.front().span.to(call->arguments.back().span);
    replace(group(false), all, "block=(" + text(all) + (call->arguments.size() == 1 ? ",)" : ")"));
  }

  void numberInstead(const std::string &from, const std::string &by) {
    std::string shown = text(diagnostic_.span);
    if (shown.size() < from.size() || shown.substr(shown.size() - from.size()) != from) return;
    uint32_t end = diagnostic_.span.end;
    replace(group(false), {diagnostic_.span.file, end - static_cast<uint32_t>(from.size()), end}, by);
  }

  /// `zeros(N, M)`, `rng.normal(N, M)`
  void tupleOfSizes() {
    static const std::set<std::string> made = {"zeros", "ones", "full", "normal", "uniform"};
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !made.count(nameOf(*call))) return;
    std::vector<const ast::Argument *> sizes;
    for (const ast::Argument &arg : call->arguments) {
      auto *name = as<ast::NameExpr>(arg.value);
      if (!arg.keyword && !(name && dtypeByName(name->name))) sizes.push_back(&arg);
    }
    if (sizes.size() < 2) return;
    Span all = sizes.front()->span.to(sizes.back()->span);
    replace(group(false), all, "(" + text(all) + ")", "the shape is one argument");
  }

  /// `x[:N / 2]`
  void wholeDivision() {
    const ast::Expr *e = place_.expr();
    auto *slice = as<ast::SliceExpr>(e);
    for (const ast::Expr *part :
         std::vector<const ast::Expr *>{e, slice ? slice->start.get() : nullptr, slice ? slice->stop.get() : nullptr})
      if (auto *binary = as<ast::BinaryExpr>(part); binary && binary->op == ast::BinaryOp::Div)
        return replace(group(false), binary->opSpan, "//", "divide and round down");
    const ast::BinaryExpr *division = nullptr;  // `x[:, S / 2 - 1]`: the only one
    size_t divisions = 0;
    if (e)
      visit(*e, [&](const ast::Expr &part) {
        auto *binary = as<ast::BinaryExpr>(&part);
        if (binary && binary->op == ast::BinaryOp::Div) division = binary, ++divisions;
      });
    if (divisions == 1) return replace(group(false), division->opSpan, "//", "divide and round down");
    const diag::Note *only = nullptr;  // of the divisions that made the names float (noteOrigins)
    for (const diag::Note &note : diagnostic_.notes) {
      if (!note.span.valid() || note.text.rfind("`/` makes", 0) != 0) continue;
      if (only) return;
      only = &note;
    }
    size_t sign = only ? text(only->span).rfind('/') : std::string::npos;
    if (sign == std::string::npos) return;
    uint32_t at = only->span.begin + static_cast<uint32_t>(sign);
    replace(group(false), {only->span.file, at, at + 1}, "//", "divide and round down");
  }

  /// `accumulate=32`
  void bitsOfDType() {
    auto *number = as<ast::IntExpr>(place_.expr());
    if (number && dtypeByName("f" + number->text)) replace(group(false), number->span, "f" + number->text);
  }

  /// `x.add_(y)`
  void methodOfTorch() {
    static const std::map<std::string, std::string> changes = {
        {"add_", "+="}, {"sub_", "-="}, {"mul_", "*="}, {"div_", "/="}};
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method) return;
    if (auto it = changes.find(method->attribute.text); it != changes.end() && call->arguments.size() == 1)
      replace(group(false), call->span, text(*method->object) + " " + it->second + " " + text(call->arguments[0].span),
              "nothing changes in place: give the name another value");
  }

  /// `@round(nearest)`
  void longerWord() {
    static constexpr std::string_view words[] = {"nearest_even", "toward_zero", "each_op"};
    const ast::Expr *e = place_.expr();
    if (!e) return;
    CandidateGroup &edits = group(true);
    visit(*e, [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      for (std::string_view word : words)
        if (name && name->name.size() > 3 && name->name != word && word.substr(0, name->name.size()) == name->name)
          replace(edits, name->span, std::string(word));
    });
  }

  /// `@accum(f16)`, `Policy(accumulate=bf16)`
  void otherAccumulator() {
    const ast::Expr *e = place_.around.empty() ? nullptr : place_.around.back();
    if (!e) return;
    const std::vector<std::string> choices[] = {{"f32", "i32"}, {"f64", "i64"}};
    for (const std::vector<std::string> &dtypes : choices) accumulators(*e, dtypes, group(true));
  }
  void accumulators(const ast::Expr &e, const std::vector<std::string> &dtypes, CandidateGroup &edits) {
    visit(e, [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call) return;
      for (const ast::Argument &arg : call->arguments) {
        bool accumulate = arg.keyword ? arg.keyword->text == "accumulate" : nameOf(*call) == "accum";
        if (!accumulate || !as<ast::NameExpr>(arg.value)) continue;
        for (const std::string &dtype : dtypes)
          if (text(*arg.value) != dtype) replace(edits, arg.value->span, dtype);
      }
    });
  }

  /// A stream that the function has.
  void streamOfFunction() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const ast::Parameter &p : place_.function->parameters)
      if (p.annotation && text(*p.annotation) == "Rng")
        insert(edits, call->span.end - 1, ", rng=" + p.name.text, "round by the numbers of `" + p.name.text + "`");
  }

  /// `value, dw, db = value_and_grad(...)(...)`
  void innerTuple() {
    auto *tuple = place_.expr() && place_.expr()->kind == ast::ExprKind::Tuple
                      ? static_cast<const ast::SequenceExpr *>(place_.expr())
                      : nullptr;
    if (!tuple || tuple->items.size() < 3) return;
    Span rest = tuple->items[1]->span.to(tuple->items.back()->span);
    replace(group(false), rest, "(" + text(rest) + ")", "the derivatives are a tuple of their own");
  }

  /// `N % 8 == 8`
  void remainderOfNothing() {
    auto *compare = as<ast::CompareExpr>(place_.expr());
    auto *left = compare && compare->operands.size() == 2 ? as<ast::BinaryExpr>(compare->operands[0]) : nullptr;
    if (left && left->op == ast::BinaryOp::Mod && as<ast::IntExpr>(compare->operands[1]))
      replace(group(false), compare->operands[1]->span, "0", "what is divisible leaves nothing");
  }
};

}  // namespace

std::vector<CandidateGroup> smallEditsOfWords(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources) {
  return SmallWordEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
