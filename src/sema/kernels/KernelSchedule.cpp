// Schedules of kernels: the decorators that give one, the tuner's space, and
// whether what is given means something for the kernel.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Trace.h"
#include "support/Lanes.h"
#include <algorithm>
#include <cctype>

namespace tessera::sema {

using ast::as;

/// What the tuner is told beside the space: kept in the schedule as text.
static void tunerOption(Context &cx, const std::string &option, const ast::Expr &expr) {
  Value v = checkExpr(cx, expr);
  if (v.isPoison()) return;
  std::string &kept = cx.function.fn->kernel.schedule.options[option];
  if (option == "budget_ms") {
    auto budget = knownInt(cx, v, expr.span, "the budget of the tuner");
    if (!budget) return;
    if (*budget < 1)
      report(cx, Id::badKernelOption, expr.span, "the tuner needs at least 1 ms, not " + std::to_string(*budget));
    kept = std::to_string(*budget);
  } else if (v.kind == ValueKind::String && !v.expr && !v.text.empty()) {
    kept = v.text;
    if (option == "metric" && kept != "latency_ms")
      report(cx, Id::badKernelOption, expr.span, "I know no metric \"" + kept + "\"")
          .suggest(expr.span, "\"latency_ms\"", "there is \"latency_ms\"");
  } else {
    report(cx, Id::badKernelOption, expr.span,
           "`" + option + "` of `kernel.autotune` is a text in quotes, but this is " + describe(cx, v));
  }
}

namespace {
/// Where a size stands in the space of a tuner, `m=[64, 128]` or `"m": [64,
/// 128]`; the space, if it is not written out.
Span spacePlace(const ast::Expr &space, const std::string &field) {
  if (auto *call = as<ast::CallExpr>(&space))
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword && arg.keyword->text == field) return arg.keyword->span.to(arg.value->span);
  if (auto *dict = as<ast::DictExpr>(&space))
    for (const ast::DictItem &item : dict->items)
      if (auto *key = as<ast::StringExpr>(item.key); key && key->value == field)
        return item.key->span.to(item.value->span);
  return space.span;
}
}  // namespace

/// True, with a message, if the kernel has this size already: what the schedule
/// fixes, the tuner does not choose.
static bool givenTwice(Context &cx, const std::string &field, Span span) {
  Schedule &schedule = cx.function.fn->kernel.schedule;
  bool fixed = schedule.sizes.count(field) > 0;
  if (!fixed && !schedule.space.count(field)) return false;
  if (!fresh(cx, Id::badSchedule, span)) return true;
  auto builder = report(cx, Id::badSchedule, span,
                        fixed ? "`" + field + "` is left to the tuner, but the schedule fixes it"
                              : "`" + field + "` is given twice, by the schedule and by the tuner's space");
  auto place = schedule.places.find(field);
  if (place != schedule.places.end()) builder.note(place->second, fixed ? "it is fixed here" : "it is given here, too");
  builder.help("say it in one of the two places");
  return true;
}

void scheduleDecorator(Context &cx, const ast::Decorator &decorator) {
  auto *call = as<ast::CallExpr>(decorator.expression);
  size_t given = call ? call->arguments.size() : 0;
  if (given > 0 && call->arguments[0].keyword) {  // block=(64, 64), warps=4
    Span all = call->arguments.front().span.to(call->arguments.back().span);
    std::string fields;
    for (const ast::Argument &arg : call->arguments) {
      std::string name = arg.keyword ? arg.keyword->text : "";
      if (std::string_view ours = fieldHere(name); !ours.empty()) name = ours;
      fields += (fields.empty() ? "" : ", ") + name + (name.empty() ? "" : "=") +
                std::string(cx.sources.text(arg.value->span));
    }
    report(cx, Id::wrongArgument, all, quoted("kernel.schedule"), "one schedule", "what a schedule is made of")
        .suggest(all, "Schedule(" + fields + ")", "make a schedule of it");
    return;
  }
  if (given != 1) {
    report(cx, Id::wrongArgument, decorator.span, quoted("kernel.schedule"), "one schedule",
           given == 0 ? "nothing" : diag::counted(given, "value"))
        .help("for example `@kernel.schedule(Schedule(block=(64, 64), warps=4))`");
    return;
  }
  Value v = checkExpr(cx, *call->arguments[0].value);
  if (v.isPoison()) return;
  if (v.kind != ValueKind::Schedule) {
    Span place = call->arguments[0].span;
    auto builder = report(cx, Id::wrongArgument, place, quoted("kernel.schedule"), "one schedule", describe(cx, v));
    std::string sizes = "Schedule(block=" + std::string(cx.sources.text(place)) + ")";
    if (v.kind == ValueKind::Tuple) builder.suggest(place, sizes, "write `" + sizes + "`");
    return;
  }
  Schedule made = *v.schedule, tuner = std::move(cx.function.fn->kernel.schedule);
  cx.function.fn->kernel.schedule = std::move(made);
  for (auto &[field, choices] : tuner.space)
    if (!givenTwice(cx, field, tuner.places[field])) cx.function.fn->kernel.schedule.space[field] = std::move(choices);
  cx.function.fn->kernel.schedule.options.merge(tuner.options);
  cx.function.fn->kernel.schedule.places.merge(tuner.places);
}

/// `space=dict(m=[64, 128], warps=[4, 8])`
static void tunerSpace(Context &cx, const ast::Expr &space) {
  Value v = checkExpr(cx, space);
  if (v.isPoison()) return;
  if (v.kind != ValueKind::Dict) {
    report(cx, Id::wrongArgument, space.span, quoted("space"), "a dict of sizes", describe(cx, v))
        .help("for example `space=dict(m=[64, 128], warps=[4, 8])`");
    return;
  }
  for (size_t i = 0; i + 1 < v.items.size(); i += 2) {
    if (v.items[i].kind != ValueKind::String || v.items[i].expr) {
      report(cx, Id::wrongArgument, space.span, quoted("space"), "names of sizes", describe(cx, v.items[i]));
      continue;
    }
    const std::string &field = v.items[i].text;
    std::string known = field == "BM" ? "m" : field == "BN" ? "n" : field == "BK" ? "k" : field;
    Span place = spacePlace(space, field);
    if (givenTwice(cx, known, place)) continue;
    scheduleField(cx, cx.function.fn->kernel.schedule, known, v.items[i + 1], place);
    cx.function.fn->kernel.schedule.places[known] = place;
  }
}

void autotuneOption(Context &cx, const ast::CallExpr &call) {
  size_t errors = cx.failures;
  for (const ast::Argument &arg : call.arguments) {
    std::string option = arg.keyword ? arg.keyword->text : "";
    if (option == "metric" || option == "cache" || option == "budget_ms") {
      tunerOption(cx, option, *arg.value);
      continue;
    }
    if (!arg.keyword) {
      auto builder = report(cx, Id::badKernelOption, arg.span, "the options of `kernel.autotune` are given by name");
      if (call.arguments.size() == 1)
        builder.suggest({arg.span.file, arg.span.begin, arg.span.begin}, "space=", "insert `space=`");
      return;
    }
    if (option != "space") {
      auto builder = report(cx, Id::badKernelOption, arg.span, "`kernel.autotune` has no option `" + option + "`");
      if (option == "configs" || option == "key") {  // of Triton; they come together
        builder.help("the sizes to choose from are its `space`: `space=dict(m=[64, 128], warps=[4, 8])`");
        return;
      }
      builder.help("it takes space, metric, budget_ms and cache");
      continue;
    }
    tunerSpace(cx, *arg.value);
  }
  bool hasSpace = std::any_of(call.arguments.begin(), call.arguments.end(),
                              [](const ast::Argument &arg) { return arg.keyword && arg.keyword->text == "space"; });
  if (!hasSpace && cx.failures == errors)
    report(cx, Id::badKernelOption, call.span, "`kernel.autotune` needs its `space`")
        .help("the sizes to choose from: `space=dict(m=[64, 128], warps=[4, "
              "8])`");
}

// ---------------------------------------------------------------- whether it
// fits the kernel

namespace {
/// The decorator that gives the schedule, or the name of a kernel made by
/// `with_schedule`.
Span scheduleSpan(const ast::FuncDef &def, const Callable &callable) {
  if (callable.schedule) return callable.nameSpan;
  for (const ast::Decorator &decorator : def.decorators) {
    auto *call = as<ast::CallExpr>(decorator.expression);
    auto *attribute = as<ast::AttributeExpr>(call ? call->callee.get() : decorator.expression.get());
    if (attribute && (attribute->attribute.text == "schedule" || attribute->attribute.text == "autotune"))
      return decorator.span;
  }
  return def.name.span;
}

/// `grid=(...)` of `@kernel(grid=(...), group=128)`; invalid if it is not
/// given.
Span kernelOptionSpan(const ast::FuncDef &def, std::string_view option) {
  for (const ast::Decorator &decorator : def.decorators)
    if (auto *call = as<ast::CallExpr>(decorator.expression))
      for (const ast::Argument &arg : call->arguments)
        if (arg.keyword && arg.keyword->text == option) return arg.keyword->span.to(arg.value->span);
  return {};
}

/// Names, in the order in which they stand in the text.
std::vector<std::string> namesIn(std::string_view text) {
  std::vector<std::string> names;
  bool inside = false;
  for (char c : text) {
    bool letter = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (letter && !inside) names.emplace_back();
    if (letter) names.back() += c;
    inside = letter;
  }
  return names;
}
}  // namespace

void scheduleOfGrid(Context &cx, const ast::FuncDef &def) {
  const KernelInfo &kernel = cx.function.fn->kernel;
  const Schedule &schedule = kernel.schedule;
  if (schedule.empty()) return;
  Span span = scheduleSpan(def, *cx.function.frame->function);
  auto say = [&](const std::string &field, const std::string &what, Span option, const std::string &help) {
    auto found = schedule.places.find(field);
    Span place = found == schedule.places.end() ? span : found->second;
    bool here = place.file == span.file && place.begin >= span.begin && place.end <= span.end;
    if (!fresh(cx, Id::badSchedule, here ? place : span)) return;
    auto builder = report(cx, Id::badSchedule, here ? place : span, what);
    if (!here) builder.note(place, "it is given here");
    if (option.valid()) builder.note(option, "the kernel says so itself here");
    builder.help(help);
  };
  bool ownGrid = kernel.grid == GridKind::Explicit || cx.function.lanesGiven;
  Span grid = kernelOptionSpan(def, kernel.grid == GridKind::Explicit ? "grid" : "lanes");
  for (const char *field : {"m", "n", "k", "split_k", "group_m", "cluster_m", "cluster_n"}) {
    bool given = schedule.sizes.count(field) || schedule.space.count(field);
    const auto &used = kernel.contextSizes;
    if (!ownGrid || !given || std::find(used.begin(), used.end(), field) != used.end()) continue;
    return say(field,
               "`" + std::string(field) +
                   "` of the schedule would be ignored: the kernel has a grid "
                   "of its own",
               grid,
               "leave it out, or take the size from the schedule: `T = "
               "tile.context()`, `T." +
                   std::string(field) + "`");
  }
  auto warps = schedule.sizes.find("warps");
  if (kernel.groupSize == 0 || (warps == schedule.sizes.end() && !schedule.space.count("warps"))) return;
  std::string group = std::to_string(kernel.groupSize) + (kernel.groupSize == 1 ? " lane" : " lanes");
  if (warps == schedule.sizes.end())
    say("warps", "the tuner cannot choose `warps`: a group of this kernel has " + group, kernelOptionSpan(def, "group"),
        "leave one of them out");
  else if (warps->second * kWarpLanes != kernel.groupSize)
    say("warps",
        diag::counted(static_cast<size_t>(warps->second), "warp") + " of the schedule are " +
            std::to_string(warps->second * kWarpLanes) + " lanes, but a group of this kernel has " + group,
        kernelOptionSpan(def, "group"), "leave one of them out");
}

void scheduleOrder(Context &cx, const ast::FuncDef &def) {
  const KernelInfo &kernel = cx.function.fn->kernel;
  auto order = kernel.schedule.options.find("order");
  if (order == kernel.schedule.options.end()) return;
  std::vector<std::string> known;
  auto add = [&](const std::string &name) {
    if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  };
  for (const char *size : {"m", "n", "k"})
    if (std::find(kernel.contextSizes.begin(), kernel.contextSizes.end(), size) != kernel.contextSizes.end()) add(size);
  for (const auto &[name, binding] : cx.function.frame->names)
    if (binding.value.kind == ValueKind::Int)
      if (Dim index = cx.function.facts.simplify(binding.value.sym); index.isVar())
        for (Query query : {Query::Origin, Query::GroupId})
          if (std::string all = queryName(query); index.varName().rfind(all.substr(0, all.size() - 1), 0) == 0)
            add(name);
  std::function<void(const Block &)> loops = [&](const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->kind == StmtKind::For) add(stmt->var->name);
      loops(stmt->body), loops(stmt->otherwise);
    }
  };
  loops(cx.function.fn->body);
  auto place = kernel.schedule.places.find("order");
  Span span = place == kernel.schedule.places.end() ? scheduleSpan(def, *cx.function.frame->function) : place->second;
  auto isKnown = [&](const std::string &name) { return std::find(known.begin(), known.end(), name) != known.end(); };
  std::vector<std::string> names = namesIn(order->second), letters;
  for (char c : order->second) letters.emplace_back(1, c);
  bool spelt = names.size() == 1 && !isKnown(names[0]) && std::all_of(letters.begin(), letters.end(), isKnown);
  std::set<std::string> seen;
  for (const std::string &name : spelt ? letters : names) {
    bool twice = !seen.insert(name).second;
    if ((!twice && isKnown(name)) || !fresh(cx, Id::badSchedule, span)) continue;
    auto builder =
        report(cx, Id::badSchedule, span,
               "the order names `" + name + "`" + (twice ? " twice" : ", which is no axis or loop of the kernel"));
    builder.note(def.name.span, "of this kernel");
    if (twice) return;
    std::vector<std::string_view> views(known.begin(), known.end());
    std::string near(diag::didYouMean(name, views)), all, text(cx.sources.text(span));
    for (const std::string &one : known) all += (all.empty() ? "`" : ", `") + one + "`";
    builder.help(known.empty() ? "it has none" : "it has " + all);
    size_t at = near.empty() ? std::string::npos : text.rfind(name);
    if (at != std::string::npos)
      builder.suggest(
          {span.file, span.begin + static_cast<uint32_t>(at), span.begin + static_cast<uint32_t>(at + name.size())},
          near, "write `" + near + "`");
    return;
  }
}

}  // namespace tessera::sema
