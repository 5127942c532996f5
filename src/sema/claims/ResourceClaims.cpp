// `@require(workspace <= 4 * GiB, B=32)` as it is written. Whether it holds is known when the function is compiled.
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

void wrongClaim(Context &cx, Span span, const std::string &what) {
  ++cx.failures;
  if (!fresh(cx, Id::badClaim, span)) return;
  report(cx, Id::badClaim, span, what)
      .help("for example `@require(workspace <= 4 * GiB, B=32)`, bytes of what a call takes for its temporaries, or `@require(flops <= 2 * B * N)`");
}

/// What is claimed to be at most what. False after a message.
bool comparison(Context &cx, const ast::Argument &arg, ResourceClaim &claim) {
  auto *compare = as<ast::CompareExpr>(arg.value);
  auto *name = compare && compare->operands.size() == 2 && compare->ops[0] == ast::CompareOp::Le ? as<ast::NameExpr>(compare->operands[0]) : nullptr;
  bool isKnown = name && (name->name == "workspace" || name->name == "flops");
  if (!isKnown) {
    wrongClaim(cx, arg.span, "what `@require` claims is not `workspace <= ...` or `flops <= ...`");
    return false;
  }
  claim.of = name->name == "flops" ? Resource::Flops : Resource::Workspace;
  claim.span = arg.span;
  Value most = checkExpr(cx, *compare->operands[1]);
  if (most.isPoison()) return false;
  if (most.kind != ValueKind::Int || most.expr) {
    wrongClaim(cx, compare->operands[1]->span, "what `@require` allows at most is not an integer of numbers and dimensions");
    return false;
  }
  claim.most = most.sym;
  return true;
}

/// The size of a dimension. False after a message.
bool size(Context &cx, const ast::FuncDef &def, const ast::Argument &arg, ResourceClaim &claim) {
  std::vector<std::string> dims = cx.function.fn->dims;
  if (specialSize(cx, arg.keyword->text)) dims.push_back(arg.keyword->text);
  auto *number = as<ast::IntExpr>(arg.value);
  if (!number) {
    wrongClaim(cx, arg.span, "the size of `" + arg.keyword->text + "` is not a number");
    return false;
  }
  if (std::find(dims.begin(), dims.end(), arg.keyword->text) == dims.end()) {
    wrongClaim(cx, arg.span, "`" + arg.keyword->text + "` is no dimension of `" + def.name.text + "`");
    return false;
  }
  claim.sizes.emplace_back(arg.keyword->text, static_cast<int64_t>(number->value));
  return true;
}

}  // namespace

void resourceClaim(Context &cx, const ast::CallExpr *call, const ast::FuncDef &def, Span span) {
  if (!call || call->arguments.empty() || call->arguments[0].keyword) return wrongClaim(cx, span, "`@require` claims nothing");
  if (inHost(cx)) return wrongClaim(cx, span, "host code makes no claim about what it takes: write it above a function that it calls");
  ResourceClaim claim;
  for (const ast::Argument &arg : call->arguments) {
    bool isFirst = &arg == &call->arguments[0];
    if (!isFirst && !arg.keyword) return wrongClaim(cx, arg.span, "sizes are given by name, and each claim has a `@require` of its own");
    if (isFirst ? !comparison(cx, arg, claim) : !size(cx, def, arg, claim)) return;
  }
  // Of an entry point for some sizes, a claim about others says nothing.
  for (const auto &[dim, size] : claim.sizes)
    if (auto known = specialSize(cx, dim); known && *known != size) return;
  std::erase_if(claim.sizes, [&](const auto &given) { return specialSize(cx, given.first).has_value(); });
  cx.function.fn->resources.push_back(std::move(claim));
}

}  // namespace tessera::sema
