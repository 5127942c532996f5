// Operators, methods, keywords and statements that were nearly written.
#include "sema/advice/EditWriter.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
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
    case Id::wrongResult: notCalled(), summedByTerms(), summed(), stacked(), otherOperator(ast::BinaryOp::MatMul, "*"); break;
    case Id::broadcastFails: productOfMatrices(); break;
    case Id::badOperand:
      truthOfSome();
      otherOperator(ast::BinaryOp::MatMul, "*"), otherOperator(ast::BinaryOp::Add, "|");
      break;
    case Id::argumentTwice: givenOnce(); break;
    case Id::notCallable: indexed(); break;
    case Id::unknownAttribute: methodOfTorch(), withoutStatement(); break;
    case Id::unknownField: withoutStatement(); break;
    case Id::wrongArgument: chosenMask(); break;
    case Id::modelParameters: drawnModel(); break;
    case Id::streamMissing: streamOfFunction(); break;
    case Id::unpackCount: innerTuple(); break;
    case Id::undefinedName: quoted(), withoutStatement(); break;
    case Id::missingReturn: returnForgotten(); break;
    case Id::cannotReturnInside: returnBehindLoop(); break;
    case Id::factRefuted: remainderOfNothing(); break;
    case Id::notSupportedYet: withoutWord(), dataclass(); break;
    case Id::unknownModule: nearModule(), withoutImport(); break;
    case Id::unknownImport: withoutItem(); break;
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

  /// `from tessera import kernel, threadIdx`: a name that is nowhere, and that nothing reads.
  void withoutItem() {
    auto *import = as<ast::FromImportStmt>(place_.statement);
    if (!import) return;
    const std::vector<ast::ImportItem> &items = import->items;
    auto item = std::find_if(items.begin(), items.end(), [&](const ast::ImportItem &one) { return one.span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= one.span.end; });
    if (item == items.end()) return;
    const std::string name = item->alias ? item->alias->text : item->path[0].text;
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (stmt.get() != place_.statement && text(stmt->span).find(name) != std::string::npos) return;
    CandidateGroup &edits = group(false);
    edits.last = true;  // a name that is near was meant rather
    if (items.size() == 1) return replace(edits, wholeLine(*import), "", "leave it out: nothing reads it");
    const bool isFirst = item == items.begin();
    replace(edits, isFirst ? Span{item->span.file, item->span.begin, (item + 1)->span.begin} : Span{item->span.file, (item - 1)->span.end, item->span.end}, "", "leave it out: nothing reads it");
  }

  /// `from tesera import kernel`
  void nearModule() {
    static const std::vector<std::string_view> known = {"tessera"};
    const std::string module = text(diagnostic_.span);
    auto near = diag::didYouMean(module, known);
    if (!near.empty() && near != module) replace(group(false), diagnostic_.span, std::string(near));
    if (module.rfind("tessera.", 0) != 0) return;
    CandidateGroup &edits = group(false);  // `tessera.functional`: what it is asked for is in another one
    for (const char *other : {"tessera.nn", "tessera.optim", "tessera.losses", "tessera"}) replace(edits, diagnostic_.span, other, std::string("it is in `") + other + "`");
  }

  /// `optimizer.zero_grad()`, `model.train()` and `super().__init__()` as statements.
  void withoutStatement() {
    static const std::set<std::string> idle = {
        "zero_grad",      "train",    "eval",        "show",           "synchronize",
        "empty_cache",    "__init__", "manual_seed", "requires_grad_", "set_grad_enabled",
        "register_buffer"};
    auto *statement = as<ast::ExprStmt>(place_.statement);
    auto *call = statement ? as<ast::CallExpr>(statement->value) : nullptr;
    const bool saysSo = call && (wordsOfMethod(nameOf(*call)).ends_with(": leave it out"));
    if (saysSo || (call && idle.count(nameOf(*call)))) replace(group(false), wholeLine(*statement), "", "leave it out");
  }

  /// `net = Model(rng)` for `Model.init(rng)`
  void drawnModel() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (call && as<ast::NameExpr>(call->callee))
      insert(group(false), call->callee->span.end, ".init", "draw the parameters");
  }

  /// `y[y > top] = top`, `y[mask] += 1.0`
  void chosenMask() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *update = as<ast::AugAssignStmt>(place_.statement);
    const ast::Expr *place = update ? update->target.get() : assign && assign->targets.size() == 1 ? assign->targets[0].get() : nullptr;
    auto *target = as<ast::SubscriptExpr>(place);
    auto *name = target && target->items.size() == 1 ? as<ast::NameExpr>(target->object) : nullptr;
    if (!name || place_.inKernel || !(target->items[0].span == diagnostic_.span)) return;
    std::string value = text(update ? *update->value : *assign->value);
    if (update) {  // `+= v` between target and value
      const std::string sign = text({update->span.file, target->span.end, update->value->span.begin});
      const size_t equals = sign.find('=');
      if (equals == std::string::npos) return;
      value = name->name + sign.substr(0, equals) + " " + asPrimary(*update->value);
    }
    replace(group(false), place_.statement->span,
            name->name + " = where(" + text(target->items[0].span) + ", " + value + ", " + name->name + ")", "choose for each element");
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
      if (p.name.text != name->name || !type || extentCount(*type) != 1) continue;
      std::string extent = extentText(type->items[0]), x = name->name;
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

  /// The axes of the first tensor of a term, `p.w * p.w`, as it is declared; 0 where that is not known.
  size_t axesOfTerm(const ast::Expr &term) const {
    size_t axes = 0;
    visit(term, [&](const ast::Expr &part) {
      if (axes) return;
      if (const ast::SubscriptExpr *type = tensorTypeOf(&part)) axes = extentCount(*type);
      auto *member = as<ast::AttributeExpr>(&part);
      const ast::Parameter *p = member ? parameterOf(member->object.get()) : nullptr;
      auto *list = p ? as<ast::SubscriptExpr>(p->annotation) : nullptr;
      for (const ast::StmtPtr &stmt : place_.module->body) {
        auto *def = as<ast::StructDef>(stmt);
        for (size_t i = 0; list && def && def->name.text == text(*list->object) && i < def->body.size(); ++i)
          if (auto *field = as<ast::AnnAssignStmt>(def->body[i]); field && text(*field->target) == member->attribute.text)
            if (const ast::SubscriptExpr *type = tensorType(field->annotation.get())) axes = extentCount(*type);
      }
    });
    return axes;
  }
  /// `0.5 * (p.w * p.w + p.b * p.b)` of a matrix and a vector, where one number is declared: each is added up by itself.
  void summedByTerms() {
    auto *result = place_.function ? as<ast::NameExpr>(place_.function->result) : nullptr;
    const ast::Expr *sum = place_.expr();
    for (auto *product = as<ast::BinaryExpr>(sum); product && product->op == ast::BinaryOp::Mul; product = as<ast::BinaryExpr>(sum)) sum = product->right.get();
    std::vector<const ast::Expr *> terms;
    for (auto *add = as<ast::BinaryExpr>(sum); add && add->op == ast::BinaryOp::Add; add = as<ast::BinaryExpr>(sum)) terms.push_back(add->right.get()), sum = add->left.get();
    if (!result || terms.empty() || place_.inKernel) return;
    terms.push_back(sum);
    std::vector<std::pair<Span, std::string>> parts;
    std::set<size_t> axes;
    for (const ast::Expr *term : terms) axes.insert(axesOfTerm(*term)), parts.push_back({term->span, "sum(" + text(*term) + ")"});
    if (axes.size() > 1 && !axes.count(0)) replaceAll(group(false), parts, "add up each of them");
  }

  void notCalled() {
    if (auto *member = as<ast::AttributeExpr>(place_.expr())) insert(group(false), member->span.end, "()");
  }

  /// `x * y` where one number is declared.
  void summed() {
    const ast::Expr *result = place_.function ? place_.function->result.get() : nullptr;
    auto *name = as<ast::NameExpr>(result);
    auto *call = as<ast::CallExpr>(place_.expr());
    if (place_.expr() && place_.expr()->kind == ast::ExprKind::Tuple) return addedUp(static_cast<const ast::SequenceExpr &>(*place_.expr()));
    bool reduced = false;  // `x.mean(axis=1)`: somebody who names an axis wants the others
    if (call)
      for (const ast::Argument &arg : call->arguments) reduced |= arg.keyword && arg.keyword->text == "axis";
    if (!name || !dtypeByName(name->name) || !place_.expr() || reduced) return;
    auto *quotient = as<ast::BinaryExpr>(place_.expr());
    const bool divided = quotient && quotient->op == ast::BinaryOp::Div;  // by how many there are
    if (isFloat(*dtypeByName(name->name)) && isCalledMean(place_.function->name.text) && !divided)
      replace(group(false), place_.expr()->span, "mean(" + text(*place_.expr()) + ")", "take the mean of the elements");
    replace(group(false), place_.expr()->span, "sum(" + text(*place_.expr()) + ")", "add the elements up");
  }
  /// `return cross_entropy(a, y), mse(b, t)` of a loss: the terms are added.
  void addedUp(const ast::SequenceExpr &terms) {
    auto *result = as<ast::NameExpr>(place_.function->result);
    if (!result || terms.items.size() < 2 || place_.function->name.text.find("loss") == std::string::npos) return;
    std::vector<std::pair<Span, std::string>> parts;
    for (size_t i = 0; i + 1 < terms.items.size(); ++i) parts.push_back({{terms.span.file, terms.items[i]->span.end, terms.items[i + 1]->span.begin}, " + "});
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replaceAll(edits, parts, "add the terms up");
  }
  /// A loss, an error, an accuracy: over a batch it is a mean.
  static bool isCalledMean(const std::string &name) {
    static const std::vector<std::string> words = {"loss", "mean", "average", "error", "mse", "mae", "nll", "entropy", "accuracy", "cost", "perplexity"};
    return std::any_of(words.begin(), words.end(), [&](const std::string &word) { return name.find(word) != std::string::npos; });
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
    for (const auto &shape : shapesSaid())  // an axis of extent 1 is there to broadcast
      matrices &= std::find(shape.begin(), shape.end(), "1") == shape.end();
    if (const auto shapes = shapesSaid(); shapes.size() > 1) {  // nor is one that lacks the last axis of the other
      const auto &shorter = shapes[0].size() < shapes[1].size() ? shapes[0] : shapes[1], &longer = shapes[0].size() < shapes[1].size() ? shapes[1] : shapes[0];
      matrices &= shorter.size() == longer.size() || !std::equal(shorter.begin(), shorter.end(), longer.begin());
    }
    if (matrices) otherOperator(ast::BinaryOp::Mul, "@");
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

  /// `x(0)`, `x.shape(0)`, `x.size(0)`
  void indexed() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (member && member->attribute.text == "size" && call->arguments.empty()) return;  // the extents were meant, not their product
    if (member && call->arguments.empty())  // `x.shape()`
      return replace(group(false), {call->span.file, member->span.end, call->span.end}, "",
                     "leave the parentheses out");
    if (!call || call->arguments.empty()) return;
    std::string items = text(call->arguments.front().span.to(call->arguments.back().span));
    bool size = member && member->attribute.text == "size";
    std::string object = size ? text(*member->object) + ".shape" : text(*call->callee);
    replace(group(false), call->span, object + "[" + items + "]");
  }

  /// `rounding=nearest_even`
  void quoted() {
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    auto *name = as<ast::NameExpr>(place_.expr());
    path();
    if (!call || !name) return;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword && arg.value.get() == name) replace(group(false), name->span, "\"" + name->name + "\"");
  }

  /// `max(x > 0.0, axis=-1)`: whether one of them holds.
  void truthOfSome() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || diagnostic_.message.find("is not defined for bool") == std::string::npos) return;
    const std::string called = nameOf(*call);
    if (called != "max" && called != "min") return;
    auto *method = as<ast::AttributeExpr>(call->callee);
    replace(group(false), method ? method->attribute.span : call->callee->span, called == "max" ? "any" : "all", called == "max" ? "whether one holds" : "whether all hold");
  }

  /// `load_npy(weights.npy)`: a path is text.
  void path() {
    auto *call = place_.innermost<ast::CallExpr>();
    static const std::set<std::string> ofFiles = {"load_npy", "save_npy", "load_npz", "save_npz", "load_safetensors", "save_safetensors", "read_bytes", "write_bytes"};
    if (!call || call->arguments.empty() || !ofFiles.count(nameOf(*call))) return;
    const ast::Expr &given = *call->arguments[0].value;
    if (given.span.begin != diagnostic_.span.begin || (given.kind != ast::ExprKind::Name && given.kind != ast::ExprKind::Attribute)) return;
    CandidateGroup &edits = group(true);
    edits.assumes = given.kind == ast::ExprKind::Name;  // or it was never given a value
    replace(edits, given.span, "\"" + text(given) + "\"", "a path is text: put it in quotes");
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
    auto *name = as<ast::NameExpr>(list);
    const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
    const bool named = value && (value->kind == ast::ExprKind::List || value->kind == ast::ExprKind::ListComp);
    if (!list || (list->kind != ast::ExprKind::List && !named)) return;
    std::string items = named ? name->name : text(*list).substr(1, text(*list).size() - 2);
    CandidateGroup &edits = group(false);
    for (const char *axis : {"", ", axis=1", ", axis=2"})
      replace(edits, list->span, "stack(" + items + axis + ")", "stack them along a new axis");
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
