// `with`: effects that are suspended in a block, and what is fetched ahead of one.
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/Struct.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

/// True for `effects.suspend("io")`, and after a message about it.
static bool suspension(Context &cx, const ast::WithItem &item) {
  auto *call = as<ast::CallExpr>(item.context);
  auto *callee = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *space = callee ? as<ast::NameExpr>(callee->object) : nullptr;
  if (!space || space->name != "effects") return false;
  if (callee->attribute.text != "suspend") {
    if (diag::didYouMean(callee->attribute.text, {"suspend"}).empty() &&
        callee->attribute.text.rfind("suspend", 0) != 0)
      return false;
    if (fresh(cx, Id::unknownEffect, item.context->span))
      report(cx, Id::unknownEffect, callee->attribute.span, "effects." + callee->attribute.text)
          .help("did you mean `suspend`?")
          .suggest(callee->attribute.span, "suspend", "write `suspend`");
    return true;
  }
  auto *text = call->arguments.size() == 1 ? as<ast::StringExpr>(call->arguments[0].value) : nullptr;
  auto kind = text ? effectByName(text->value) : std::nullopt;
  if (!kind) {
    if (!fresh(cx, Id::unknownEffect, item.context->span)) return true;
    auto builder = report(cx, Id::unknownEffect, item.context->span,
                          text ? text->value : std::string(cx.sources.text(item.context->span)));
    builder.help("it is written `with effects.suspend(\"io\"):`");
    bool bare = call->arguments.empty() || cx.sources.text(call->arguments[0].span) == "io";
    if (call->arguments.size() <= 1 && bare)
      builder.suggest(call->span, "effects.suspend(\"io\")", "write `effects.suspend(\"io\")`");
  } else if (*kind != EffectKind::Io && fresh(cx, Id::cannotSuspend, text->span)) {
    report(cx, Id::cannotSuspend, text->span, "the effect `" + std::string(nameOf(*kind)) + "`")
        .label("results depend on it")
        .help("only `io` can be suspended, for what is printed to find mistakes");
  }
  return true;
}

/// True for `prefetch(x, into="smem")`, and after a message about it.
static bool prefetching(Context &cx, const ast::WithItem &item) {
  auto *call = as<ast::CallExpr>(item.context);
  if (!call) return false;
  auto *name = as<ast::NameExpr>(call->callee);
  auto *member = as<ast::AttributeExpr>(call->callee);
  if (!(name ? name->name == "prefetch" : member && member->attribute.text == "prefetch")) return false;
  Value callee = checkExpr(cx, *call->callee);
  if (callee.kind != ValueKind::Builtin || callee.builtin->kind != BuiltinKind::Prefetch) return callee.isPoison();
  cx.withItem = true;
  checkExpr(cx, *call);
  cx.withItem = false;
  return true;
}

Value prefetch(Context &cx, Bound &args, Span span) {
  if (!std::exchange(cx.withItem, false))
    return unsupported(cx, "`prefetch` outside of a `with`", span, "`with prefetch(x, into=\"smem\"):`");
  const Value &what = args.values[0];
  if (what.isPoison() || isUsedUp(cx, what, args.spans[0])) return Value::poison();
  bool data = what.isArray() || what.kind == ValueKind::View || what.kind == ValueKind::State;
  if (!data) {
    report(cx, Id::wrongArgument, args.spans[0], quoted("prefetch"), "a tensor or a state object", describe(cx, what));
    return Value::poison();
  }
  const std::vector<std::vector<std::string_view>> words = {{"smem", "l2"}, {"compute", "none"}};
  for (size_t i = 0; i < words.size(); ++i) {
    const Value &word = args.values[i + 1];
    if (!word.given() || word.isPoison()) continue;
    Span at = args.spans[i + 1];
    if (word.kind == ValueKind::String && std::find(words[i].begin(), words[i].end(), word.text) != words[i].end())
      continue;
    if (!fresh(cx, Id::wrongArgument, at)) return Value::poison();
    auto builder =
        report(cx, Id::wrongArgument, at, quoted("prefetch"),
               "\"" + std::string(words[i][0]) + "\" or \"" + std::string(words[i][1]) + "\"", describe(cx, word));
    auto near = word.kind == ValueKind::String ? diag::didYouMean(word.text, words[i]) : std::string_view();
    if (!near.empty()) builder.suggest(at, "\"" + std::string(near) + "\"", "write \"" + std::string(near) + "\"");
    return Value::poison();
  }
  return Value::of(ValueKind::None);
}

/// `with open(path) as file:`: what has a method `close`, which is called behind the block. Nothing, and nothing done, for what is no such.
static std::optional<Value> closable(Context &cx, const ast::WithItem &item) {
  auto *call = as<ast::CallExpr>(item.context);
  auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
  if (!name || !inHost(cx)) return std::nullopt;
  const Value callee = lookupName(cx, name->name, name->span, true);
  if (callee.kind != ValueKind::Function && callee.kind != ValueKind::StructType) return std::nullopt;
  return checkExpr(cx, *item.context);
}

/// One item after the other, and then the block.
static void closingWith(Context &cx, const ast::WithStmt &stmt, size_t item, Value value) {
  const ast::WithItem &opened = stmt.items[item];
  const auto *target = opened.target ? as<ast::NameExpr>(opened.target) : nullptr;
  if (value.isPoison() || (opened.target && !target)) {
    if (!value.isPoison()) unsupported(cx, "`with` and a target that is no name", stmt.span);
    return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  }
  if (value.kind != ValueKind::Struct || !value.instance->info->methods.count("close")) {
    report(cx, Id::wrongArgument, opened.context->span, "`with`", "a file that `open` gave, or a struct with a method `close`", describe(cx, value));
    return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  }
  if (target) assignName(cx, target->name, value, target->span);
  if (item + 1 < stmt.items.size()) {
    auto next = closable(cx, stmt.items[item + 1]);
    if (next) closingWith(cx, stmt, item + 1, std::move(*next));
    else unsupported(cx, "`with` of several kinds", stmt.span, "one `with` inside of the other");
  } else {
    checkBlock(cx, stmt.body);
  }
  callValue(cx, memberOfStruct(cx, value, "close", opened.context->span), {}, opened.context->span, "close");
}

void withStmt(Context &cx, const ast::WithStmt &stmt) {
  bool quiet = false;
  if (!stmt.isAsync)
    if (auto value = closable(cx, stmt.items[0])) return closingWith(cx, stmt, 0, std::move(*value));
  for (const ast::WithItem &item : stmt.items) {
    bool suspends = suspension(cx, item);
    quiet |= suspends;
    if (stmt.isAsync || item.target || (!suspends && !prefetching(cx, item))) {
      std::string_view shown = item.context ? cx.sources.text(item.context->span) : std::string_view();
      auto has = [&](const char *word) { return shown.find(word) != std::string_view::npos; };
      unsupported(cx, "`with`", stmt.span,
                  has("no_grad") || has("inference_mode") ? "nothing is needed: a derivative is made only where `grad` "
                                                            "asks for one, and `stop_gradient(x)` is constant for it"
                  : has("open(")
                      ? "files are read and written whole, and need no closing: `load_npy(path)`, `save_npy(path, x)`"
                  : has("autocast")
                      ? "what is computed in which dtype is said in types, `bf16 @accum(f32)`, and by `cast`"
                      : "write what stands in it without it: nothing has to be closed");
      return bindUnknown(*cx.function.frame, stmt, cx.blockId);
    }
  }
  cx.function.frame->quiet += quiet;
  checkBlock(cx, stmt.body);
  cx.function.frame->quiet -= quiet;
}

}  // namespace tessera::sema
