// `@specialize(B=32)` above an entry point, or `f.specialize(B=32)` below it: one more entry point, checked with these
// sizes as numbers, to which the general one hands on the calls that have them.
#include "sema/FactTable.h"
#include "sema/Report.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <cctype>
#include <utility>

namespace tessera::sema {

using ast::as;

namespace {

/// Where sizes are given: in a decorator, or in a statement of the module.
struct Place {
  const ast::CallExpr *call = nullptr;
  Span span;
};

/// The call in a statement `f.specialize(...)` of a module; null of any other.
const ast::CallExpr *specializeOf(const ast::Stmt &stmt, std::string_view name) {
  auto *line = as<ast::ExprStmt>(&stmt);
  auto *call = line ? as<ast::CallExpr>(line->value) : nullptr;
  auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *of = member && member->attribute.text == "specialize" ? as<ast::NameExpr>(member->object) : nullptr;
  return of && of->name == name ? call : nullptr;
}

std::vector<Place> placesOf(Context &cx, const Callable &callable) {
  std::vector<Place> places;
  for (const ast::Decorator &decorator : callable.def->decorators)
    if (decoratorName(cx, *decorator.expression) == "specialize")
      places.push_back({as<ast::CallExpr>(decorator.expression), decorator.span});
  for (const ast::StmtPtr &stmt : callable.module->ast->body)
    if (const ast::CallExpr *call = specializeOf(*stmt, callable.def->name.text)) places.push_back({call, call->span});
  return places;
}

/// "B=32, T=1024"
std::string shown(const RunSizes &sizes) {
  std::string text;
  for (const auto &[dim, size] : sizes) text += (text.empty() ? "" : ", ") + dim + "=" + std::to_string(size);
  return text;
}

/// What `specialize` expects and what stands there instead. False, for the caller to return.
template <class Extend>
bool wrongSize(Context &cx, Span span, const std::string &wanted, const std::string &saw, const Extend &extend) {
  if (!fresh(cx, Id::wrongArgument, span)) return false;
  auto builder = report(cx, Id::wrongArgument, span, quoted("specialize"), wanted, saw);
  extend(builder);
  return false;
}

/// `f` has no dimension of this name.
bool noDimension(Context &cx, const Function &general, const ast::Identifier &name) {
  std::vector<std::string_view> known;
  std::string names;
  for (const std::string &dim : general.dims)
    if (std::all_of(dim.begin(), dim.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; })) {
      known.push_back(dim);
      names += (names.empty() ? "`" : ", `") + dim + "`";
    }
  return wrongSize(cx, name.span, "dimensions of `" + general.name + "`", "`" + name.text + "`", [&](diag::Builder &builder) {
    auto isSame = [&](std::string_view dim) {
      return std::equal(dim.begin(), dim.end(), name.text.begin(), name.text.end(), [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    };
    auto same = std::find_if(known.begin(), known.end(), isSame);
    std::string_view near = same != known.end() ? *same : diag::didYouMean(name.text, known);
    if (!near.empty()) builder.suggest(name.span, std::string(near), "write `" + std::string(near) + "`");
    else builder.help(known.empty() ? "it has no dimensions: it is compiled for its sizes already" : "its dimensions are " + names);
  });
}

/// The sizes at one place, in the order of the function's dimensions. False after a message.
bool sizesAt(Context &cx, const Function &general, const Place &place, RunSizes &sizes) {
  std::map<std::string, int64_t> given;
  const std::string example = general.dims.empty() ? "B" : general.dims.front();
  auto hint = [&](diag::Builder &builder) { builder.help("for example `specialize(" + example + "=32)`"); };
  if (!place.call || place.call->arguments.empty())
    return wrongSize(cx, place.span, "the sizes of some dimensions, by their names", "nothing", hint);
  for (const ast::Argument &argument : place.call->arguments) {
    if (!argument.keyword)
      return wrongSize(cx, argument.span, "the sizes of some dimensions, by their names", "`" + std::string(cx.sources.text(argument.span)) + "`", hint);
    const std::string &dim = argument.keyword->text;
    if (std::find(general.dims.begin(), general.dims.end(), dim) == general.dims.end())
      return noDimension(cx, general, *argument.keyword);
    Value size = checkExpr(cx, *argument.value);
    if (size.isPoison()) return false;
    if (!size.isKnownInt() || size.sym.constant() < 1)
      return wrongSize(cx, argument.value->span, "an integer of at least 1 for `" + dim + "`",
                       size.isKnownInt() ? std::to_string(size.sym.constant()) : describe(cx, size), hint);
    if (!given.emplace(dim, size.sym.constant()).second)
      return wrongSize(cx, argument.span, "one size for `" + dim + "`", "another", [](diag::Builder &) {});
  }
  for (const std::string &dim : general.dims)
    if (auto size = given.find(dim); size != given.end()) sizes.push_back(*size);
  return true;
}

/// Whether the facts of a function admit these sizes. False after a message.
bool areAdmitted(Context &cx, const Function &general, const Place &place, const RunSizes &sizes) {
  std::map<std::string, Dim> values;
  for (const auto &[dim, size] : sizes) values.emplace(dim, Dim(size));
  shape::Facts facts;
  for (const Requirement &fact : general.requirements) {
    const shape::Formula left = shape::asFormula(fact.claim()).map([&](const Dim &d) { return d.substitute(values); });
    if (facts.truth(left) == false)
      return wrongSize(cx, place.call->span, "sizes that `" + general.name + "` admits", "`" + shown(sizes) + "`",
                       [&](diag::Builder &builder) { builder.note(fact.span, "`" + fact.text + "` must hold"); });
    facts.add(left);
  }
  return true;
}

/// The general entry point with these sizes.
const Callable &withSizes(Context &cx, const Callable &general, const RunSizes &sizes) {
  cx.callables.push_back(general);
  Callable &made = cx.callables.back();
  for (const auto &[dim, size] : sizes) {
    made.name += "_" + dim + std::to_string(size);
    made.choices[std::string(kSizeChoice) + dim] = static_cast<size_t>(size);
  }
  made.checked = nullptr;
  made.failed = made.active = false;
  made.variants.clear();
  return made;
}

/// Why a function has no entry point that could be made for sizes; empty if it has one.
std::string whyNone(Context &cx, const ast::FuncDef &def) {
  for (const ast::Decorator &decorator : def.decorators) {
    const std::string which = decoratorName(cx, *decorator.expression);
    if (which == "test") return "stands above a test, whose sizes are in `@test(...)`";
    if (which == "model") return "stands above a model, which is a struct: put it above a function that calls one";
  }
  return whyNoSizes(def);
}

}  // namespace

std::optional<int64_t> specialSize(const Context &cx, const std::string &dim) {
  const Callable *entry = cx.function.calls.empty() ? nullptr : cx.function.calls.front().callable;
  auto size = entry ? entry->choices.find(std::string(kSizeChoice) + dim) : Choices::const_iterator();
  return entry && size != entry->choices.end() ? std::optional(static_cast<int64_t>(size->second)) : std::nullopt;
}

bool isSpecial(const Callable &callable) {
  auto first = callable.choices.lower_bound(std::string(kSizeChoice));
  return first != callable.choices.end() && first->first.starts_with(kSizeChoice);
}

std::string sizesText(const Callable &callable) {
  std::string text;
  for (auto choice = callable.choices.lower_bound(std::string(kSizeChoice)); choice != callable.choices.end() && choice->first.starts_with(kSizeChoice); ++choice)
    text += (text.empty() ? "  # " : ", ") + choice->first.substr(kSizeChoice.size()) + " = " + std::to_string(choice->second);
  return text;
}

void specializeDecorator(Context &cx, const ast::FuncDef &def, const ast::Decorator &decorator) {
  std::string why = whyNone(cx, def);
  if (why.empty() || !fresh(cx, Id::badDecorator, decorator.span)) return;
  report(cx, Id::badDecorator, decorator.span, "specialize", why)
      .help("it is for functions that others can call, whose parameters have types");
}

/// `g = f.specialize(B=32)` in a function: the entry point for these sizes.
static Value specialValue(Context &cx, const Callable &callable, const GivenList &args, Span span) {
  std::map<std::string, int64_t> sizes;
  const Function *general = ensureChecked(cx, callable);
  if (!general) return Value::poison();
  for (const Given &arg : args) {
    if (arg.value.isPoison()) return arg.value;
    const bool isDim = std::find(general->dims.begin(), general->dims.end(), arg.keyword) != general->dims.end();
    if (!isDim || !arg.value.isKnownInt() || arg.value.sym.constant() < 1) {
      wrongSize(cx, arg.keywordSpan.valid() ? arg.keywordSpan : arg.span, "sizes of its dimensions that are known when the program is compiled", arg.keyword.empty() ? describe(cx, arg.value) : "`" + arg.keyword + "`, " + describe(cx, arg.value),
                [&](diag::Builder &builder) { builder.help("for example `" + callable.name + ".specialize(" + (general->dims.empty() ? "B" : general->dims.front()) + "=32)`"); });
      return Value::poison();
    }
    sizes[arg.keyword] = arg.value.sym.constant();
  }
  RunSizes inOrder;
  for (const std::string &dim : general->dims)
    if (auto size = sizes.find(dim); size != sizes.end()) inOrder.push_back(*size);
  if (inOrder.empty()) return wrongSize(cx, span, "the sizes of some dimensions, by their names", "nothing", [](diag::Builder &) {}), Value::poison();
  auto isThat = [&](const Callable &c) {
    if (c.def != callable.def || !isSpecial(c)) return false;
    size_t count = 0;
    for (const auto &choice : c.choices) count += choice.first.starts_with(kSizeChoice);
    return count == inOrder.size() && std::all_of(inOrder.begin(), inOrder.end(), [&](const auto &size) {
      auto own = c.choices.find(std::string(kSizeChoice) + size.first);
      return own != c.choices.end() && own->second == static_cast<size_t>(size.second);
    });
  };
  auto found = std::find_if(cx.callables.begin(), cx.callables.end(), isThat);
  Value v = Value::of(ValueKind::Function);
  v.callable = found != cx.callables.end() ? &*found : &withSizes(cx, callable, inOrder);
  if (!ensureChecked(cx, *v.callable)) return Value::poison();
  return v;
}

Value specialize(Context &cx, const Callable &callable, const GivenList &args, Span span) {
  const std::string name = callable.def ? callable.def->name.text : callable.name;
  auto isHere = [&](const ast::StmtPtr &stmt) {
    const ast::CallExpr *call = specializeOf(*stmt, name);
    return call && call->span == span;
  };
  const bool statement = !cx.function.fn && cx.scope && std::any_of(cx.scope->ast->body.begin(), cx.scope->ast->body.end(), isHere);
  const bool mayBe = callable.def && whyNone(cx, *callable.def).empty() && mayBeEntry(cx, callable) && !callable.isKernel;
  if (inHost(cx) && mayBe) return specialValue(cx, callable, args, span);
  if (!statement || cx.scope != callable.module)
    return unsupported(cx, "`specialize` in this place", span, "it is a value in host code, a statement by itself in the module of the function, `" + name + ".specialize(...)`, or stands above it as `@specialize(...)`");
  if (std::string why = callable.def ? whyNone(cx, *callable.def) : ""; !why.empty() || !mayBeEntry(cx, callable))
    return unsupported(cx, "`specialize` of a function that is no entry point", span, "put its sizes to a function that others can call, whose parameters have types");
  return Value::of(ValueKind::None);
}

void checkSpecials(Context &cx, const Callable &general) {
  if (!general.def || !whyNone(cx, *general.def).empty() || isSpecial(general) || general.choices.count(std::string(kTrainingChoice))) return;
  const std::vector<Place> places = placesOf(cx, general);
  if (places.empty()) return;
  Function &function = *general.checked;
  const size_t at = cx.program->functions.size() - 1;
  ModuleScope *outer = std::exchange(cx.scope, general.module);
  FunctionState state = std::exchange(cx.function, {});
  std::vector<std::pair<RunSizes, Place>> all;
  for (const Place &place : places) {
    RunSizes sizes;
    if (!sizesAt(cx, function, place, sizes) || !areAdmitted(cx, function, place, sizes)) continue;
    auto before = std::find_if(all.begin(), all.end(), [&](const auto &other) { return other.first == sizes; });
    if (before == all.end()) all.emplace_back(std::move(sizes), place);
    else wrongSize(cx, place.span, "other sizes each time", "`" + shown(sizes) + "` again", [&](diag::Builder &builder) { builder.note(before->second.span, "here, too"); });
  }
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
  if (cx.options.facts) cx.options.facts->pause(true);  // an editor shows the function with its own dimensions
  for (const auto &[sizes, place] : all) {
    const Callable &made = withSizes(cx, general, sizes);
    if (const Function *special = ensureChecked(cx, made)) function.specials.push_back({special->name, sizes});
  }
  if (cx.options.facts) cx.options.facts->pause(false);
  cx.function = std::move(state);
  cx.scope = outer;
  auto begin = cx.program->functions.begin();
  std::rotate(begin + static_cast<long>(at), begin + static_cast<long>(at) + 1, cx.program->functions.end());
}

}  // namespace tessera::sema
