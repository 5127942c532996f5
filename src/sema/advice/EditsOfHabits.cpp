// Edits of habits: what is an assignment, an option or a closure elsewhere and has another form here, as whole statements and
// calls have it.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cmath>
#include <cstdlib>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class HabitEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement) return {};
    if (place_.inKernel) {
      if (diagnostic_.id == Id::dtypeMismatch) elementsOfPointer();
      if (diagnostic_.id == Id::redefinedType) storedElement();
      return taken();
    }
    switch (diagnostic_.id) {
    case Id::contractionMismatch: joinedAxis(), keptBatch(), byParameter(); break;
    case Id::broadcastFails:
    case Id::wrongResult: byParameter(), shapeForSize(); break;
    case Id::badOperand: eachOfTree(), numberWithoutQuotes(); break;
    case Id::tooManyArguments: logarithmOfBase(); break;
    case Id::unknownAttribute: appended(); break;
    case Id::undefinedName: turnsOfLoop(), declaredDimensions(); break;
    case Id::maybeNone: askedFirst(); break;
    case Id::wrongArgument: underItsName(), numberInQuotes(), numberWithoutQuotes(); break;
    case Id::unknownKeyword: pointsByStep(); break;
    case Id::unpackCount: stateAndResult(); break;
    default: break;
    }
    return taken();
  }

private:
  /// Whether all of a text is a number of digits: no `nan`, no `inf`.
  static bool isNumber(const std::string &shown) {
    char *end = nullptr;
    std::strtod(shown.c_str(), &end);
    return !shown.empty() && !*end && shown.find_first_not_of("0123456789.+-eE") == std::string::npos;
  }

  /// `tile.load(x + offs)`, as from a pointer.
  void elementsOfPointer() {
    auto *sum = as<ast::BinaryExpr>(place_.expr());
    auto *call = place_.innermost<ast::CallExpr>();
    if (!sum || !call || sum->op != ast::BinaryOp::Add || !parameterOf(sum->left.get()) || call->arguments.empty() || call->arguments[0].value.get() != sum) return;
    if (nameOf(*call) == "load" || nameOf(*call) == "store") replace(group(false), sum->span, text(*sum->left) + "[" + text(*sum->right) + "]", "elements are named in brackets");
  }

  /// `y = 0.5 * x[i]` of a tensor y: the element with this index.
  void storedElement() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    const ast::Expr *target = assign && assign->targets.size() == 1 ? assign->targets[0].get() : nullptr;
    const ast::SubscriptExpr *type = tensorTypeOf(target);
    if (!type) return;
    CandidateGroup &edits = group(true);
    visit(*assign->value, [&](const ast::Expr &part) {
      auto *read = as<ast::SubscriptExpr>(&part);
      if (!read || read->items.size() != extentCount(*type)) return;
      replaceOnce(edits, target->span, text(*target) + "[" + text(read->items.front().span.to(read->items.back().span)) + "]", "store into the element");
    });
  }

  /// `total + g` of structs: the same for each of their tensors.
  void eachOfTree() {
    auto *both = as<ast::BinaryExpr>(place_.expr());
    if (!both || diagnostic_.message.find("is not defined for a `") == std::string::npos) return;
    const size_t first = diagnostic_.message.find('`'), second = diagnostic_.message.find('`', first + 1);
    const std::string op = " " + diagnostic_.message.substr(first + 1, second - first - 1) + " ", left = text(*both->left), right = text(*both->right);
    CandidateGroup &edits = group(false);
    replace(edits, both->span, "tree_map(lambda a, b: a" + op + "b, " + left + ", " + right + ")", "do it with each of their tensors");
    replace(edits, both->span, "tree_map(lambda a: " + asPrimary(*both->left) + op + "a, " + right + ")", "do it with each of its tensors");
    replace(edits, both->span, "tree_map(lambda a: a" + op + asPrimary(*both->right) + ", " + left + ")", "do it with each of its tensors");
  }

  /// `sgd(net, g, "1e-3")`
  void numberWithoutQuotes() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || diagnostic_.message.find("string") == std::string::npos) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : call->arguments) {
      auto *given = as<ast::StringExpr>(arg.value);
      if (given && isNumber(given->value)) replace(edits, given->span, given->value, "write it as the number that it is");
    }
  }

  /// `log(x, 2)`
  void logarithmOfBase() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "log" || call->arguments.size() != 2 || !as<ast::NameExpr>(call->callee)) return;
    const std::string of = text(call->arguments[0].span), base = text(call->arguments[1].span);
    const bool isNamed = base == "2" || base == "10" || base == "2.0" || base == "10.0";
    replace(group(false), call->span, isNamed ? "log" + base.substr(0, base.find('.')) + "(" + of + ")" : "(log(" + of + ") / log(" + base + "))", "the logarithm to this base");
  }

  /// `x + ones(x.size)`, which is how many elements x has.
  void shapeForSize() {
    static const std::set<std::string> makers = {"zeros", "ones", "full", "normal", "uniform", "empty"};
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto *size = call && makers.count(nameOf(*call)) && !call->arguments.empty() ? as<ast::AttributeExpr>(call->arguments[0].value) : nullptr;
      if (size && size->attribute.text == "size") replaceOnce(edits, size->attribute.span, "shape", "as large along each axis");
    });
  }

  /// `def scaled(x: Tensor[N, D, f32])`: all dimensions of its parameters that nothing declares.
  void declaredDimensions() {
    const ast::FuncDef &def = *place_.function;
    std::vector<std::string> names;
    std::set<std::string> known;
    for (const ast::StmtPtr &stmt : place_.module->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      for (size_t i = 0; assign && i < assign->targets.size(); ++i) known.insert(text(*assign->targets[i]));
    }
    if (!def.typeParameters.empty() || place_.outermost != place_.function) return;  // a method has those of its struct
    for (const ast::Parameter &p : def.parameters) {
      const ast::SubscriptExpr *type = tensorType(p.annotation.get());
      for (size_t i = 0; type && i < extentCount(*type); ++i)
        if (auto *name = as<ast::NameExpr>(type->items[i].value); name && known.insert(name->name).second) names.push_back(name->name);
    }
    if (names.size() < 2 || std::find(names.begin(), names.end(), text(diagnostic_.span)) == names.end()) return;  // one alone stands in quotes
    replace(group(false), {def.name.span.file, def.name.span.end, def.name.span.end}, "[" + listOf(names) + "]", "declare the dimensions");
  }

  /// `stack([a, b], axis=-1) @ w`, whose weights take the features of both.
  void joinedAxis() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
      if (name && name->name == "stack") replaceOnce(edits, name->span, "concat", "join them along the axis");
    });
  }

  /// `x.reshape(-1) @ w` of a batch: the first axis that the function is given stays.
  void keptBatch() {
    std::string batch;
    for (const ast::Parameter &p : place_.function->parameters)
      if (auto *type = tensorType(p.annotation.get()); batch.empty() && type && extentCount(*type) > 1) batch = extentTexts(*type)[0];
    if (batch.empty()) return;
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const bool isMethod = call && as<ast::AttributeExpr>(call->callee);
      if (!call || (nameOf(*call) != "reshape" && nameOf(*call) != "view") || call->arguments.size() != (isMethod ? 1 : 2)) return;
      const ast::Expr &size = *call->arguments.back().value;
      if (text(size) == "-1") replaceOnce(edits, size.span, batch + ", -1", "keep the first axis");
    });
  }

  /// `w - rate * g` of `g = grad(loss)(x, w)`: a derivative is by the first parameter, where none is named.
  void byParameter() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const bool derives = call && (nameOf(*call) == "grad" || nameOf(*call) == "value_and_grad") && call->arguments.size() == 1;
      const ast::FuncDef *loss = derives ? functionNamed(text(call->arguments[0].span)) : nullptr;
      for (size_t i = 1; loss && i < loss->parameters.size(); ++i) {
        const std::string &name = loss->parameters[i].name.text;
        insert(edits, call->span.end - 1, ", wrt=\"" + name + "\"", "derive by `" + name + "`");
      }
    });
  }

  /// `losses = losses.append(x)`: the list changes, and nothing is returned.
  void appended() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = assign && assign->targets.size() == 1 ? as<ast::CallExpr>(assign->value) : nullptr;
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    static const std::set<std::string> changing = {"append", "sort"};
    if (!method || !changing.count(method->attribute.text) || text(*method->object) != text(*assign->targets[0])) return;
    replace(group(false), {assign->span.file, assign->span.begin, call->span.begin}, "", "`" + method->attribute.text + "` changes the list itself");
  }

  /// `x = lax.fori_loop(0, n, lambda i, x: f(x), x)`
  void turnsOfLoop() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = assign && assign->targets.size() == 1 ? as<ast::CallExpr>(assign->value) : nullptr;
    if (!call || nameOf(*call) != "fori_loop" || call->arguments.size() != 4) return;
    auto *body = as<ast::LambdaExpr>(call->arguments[2].value);
    const std::string first = text(call->arguments[0].span), stop = text(call->arguments[1].span), start = text(call->arguments[3].span), target = text(*assign->targets[0]);
    if (!body || body->parameters.size() != 2 || assign->targets[0]->kind != ast::ExprKind::Name) return;
    const std::string counter = body->parameters[0].name.text, state = body->parameters[1].name.text, indent = indentOf(*assign);
    std::string loop = state == start ? "" : state + " = " + start + "\n" + indent;
    loop += "for " + counter + " in range(" + (first == "0" ? "" : first + ", ") + stop + "):\n" + indent + "    " + state + " = " + text(*body->body);
    if (state != target) loop += "\n" + indent + target + " = " + state;
    replace(group(false), trimmed(assign->span), loop, "write it as a loop");
  }

  /// `x = x * mask` of an optional mask: nothing is done without it.
  void askedFirst() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    const bool renews = assign ? assign->targets.size() == 1 && assign->targets[0]->kind == ast::ExprKind::Name : as<ast::AugAssignStmt>(place_.statement) != nullptr;
    const size_t begin = diagnostic_.message.find('`'), end = diagnostic_.message.find('`', begin + 1);
    if (!renews || end == std::string::npos) return;
    const std::string name = diagnostic_.message.substr(begin + 1, end - begin - 1), indent = indentOf(*place_.statement);
    const Span span = trimmed(place_.statement->span);
    if (text(span).find('\n') != std::string::npos) return;
    replace(group(false), span, "if " + name + " is not None:\n" + indent + "    " + text(span), "do it where there is one");
  }

  /// `save_npz(path, x, y)`: each array has a name in the file.
  void underItsName() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "save_npz") return;
    std::vector<std::pair<Span, std::string>> names;
    for (size_t i = 1; i < call->arguments.size(); ++i) {
      const ast::Argument &array = call->arguments[i];
      if (array.keyword) continue;
      auto *name = as<ast::NameExpr>(array.value);
      if (!name) return;
      names.emplace_back(array.span, name->name + "=" + name->name);
    }
    replaceAll(group(false), std::move(names), "give it a name in the file");
  }

  /// `rate: str = "0.1"` of `main`, given where a number is expected.
  void numberInQuotes() {
    if (diagnostic_.message.find("this is a string") == std::string::npos) return;
    const ast::Parameter *p = parameterOf(place_.expr());
    auto *given = p ? as<ast::StringExpr>(p->defaultValue) : nullptr;
    auto *type = p ? as<ast::NameExpr>(p->annotation) : nullptr;
    if (!given || !type || !isNumber(given->value)) return;
    const bool whole = given->value.find_first_not_of("0123456789-") == std::string::npos;
    CandidateGroup &edits = group(false);
    edits.ofSignature = true;
    replace(edits, type->span.to(given->span), (whole ? "int = " : "float = ") + given->value, "declare it as the number that it is");
  }

  /// `linspace(0.0, 1.0, step=0.1)`: how many points there are.
  void pointsByStep() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "linspace" || call->arguments.size() != 3) return;
    const ast::Argument *step = keyword(*call, "step");
    double numbers[3];
    for (size_t i = 0; i < 3; ++i) {
      char *end = nullptr;
      const std::string shown = text(call->arguments[i].value->span);
      numbers[i] = std::strtod(shown.c_str(), &end);
      if (*end || (i < 2 && call->arguments[i].keyword)) return;
    }
    if (!step || numbers[2] == 0) return;
    const double steps = (numbers[1] - numbers[0]) / numbers[2], whole = std::round(steps);
    if (whole < 1 || whole > 1e6 || std::fabs(steps - whole) > 1e-6 * whole) return;
    replace(group(false), step->span, std::to_string(static_cast<long>(whole) + 1), "count the points, the last one, too");
  }

  /// `scan(body, state, xs)` of a body that returns the state alone, which is what each turn gives as well.
  void stateAndResult() {
    auto *call = place_.innermost<ast::CallExpr>();
    const ast::FuncDef *body = call && nameOf(*call) == "scan" && call->arguments.size() == 3 ? functionNamed(text(call->arguments[0].span)) : nullptr;
    for (const ast::StmtPtr &stmt : place_.function->body)  // or nested in this one
      if (auto *own = as<ast::FuncDef>(stmt); own && call && nameOf(*call) == "scan" && own->name.text == text(call->arguments[0].span)) body = own;
    auto *result = body && !body->body.empty() ? as<ast::ReturnStmt>(body->body.back()) : nullptr;
    if (!result || !result->value || result->value->kind == ast::ExprKind::Tuple || body->result) return;
    const std::string state = text(*result->value);
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, result->value->span, state + ", " + state, "return the state, and what the turn gives");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfHabits(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return HabitEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
