// `@require(workspace <= 4 * GiB, B=32)` as it is written. Whether it holds is known when the function is compiled.
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

/// What a claim begins with, and whether a number follows.
struct Word {
  std::string_view text;
  Resource of;
  bool isLimited;
};
constexpr Word kWords[] = {{"workspace", Resource::Workspace, true},
                           {"flops", Resource::Flops, true},
                           {"smem", Resource::SharedMemory, true},
                           {"tensor_core", Resource::TensorCore, false},
                           {"no_spill", Resource::NoSpill, false}};

void wrongClaim(Context &cx, Span span, const std::string &what) {
  ++cx.failures;
  if (!fresh(cx, Id::badClaim, span)) return;
  report(cx, Id::badClaim, span, what)
      .help("for example `@require(workspace <= 4 * GiB, B=32)`, bytes of what a call takes for its temporaries, `@require(flops <= 2 * B * N)`, or of "
            "kernels on a GPU `@require(tensor_core, no_spill, smem <= 100 * KiB)`");
}

const Word *wordOf(const ast::ExprPtr &expr) {
  auto *name = as<ast::NameExpr>(expr);
  const Word *found = name ? std::find_if(std::begin(kWords), std::end(kWords), [&](const Word &word) { return word.text == name->name; }) : std::end(kWords);
  return found == std::end(kWords) ? nullptr : found;
}

/// `smem <= 100 * KiB`, `tensor_core`. Nothing after a message.
std::optional<ResourceClaim> claimOf(Context &cx, const ast::Argument &arg) {
  auto *compare = as<ast::CompareExpr>(arg.value);
  bool isLimit = compare && compare->operands.size() == 2 && compare->ops[0] == ast::CompareOp::Le;
  const Word *word = isLimit ? wordOf(compare->operands[0]) : wordOf(arg.value);
  if (!word || word->isLimited != isLimit) {
    wrongClaim(cx, arg.span, word && isLimit ? "`" + std::string(word->text) + "` has no number to compare with: it holds or it does not"
                                             : "what `@require` claims is not `workspace <= ...`, `flops <= ...`, `smem <= ...`, `tensor_core` or `no_spill`");
    return std::nullopt;
  }
  ResourceClaim claim;
  claim.of = word->of;
  claim.span = arg.span;
  if (!isLimit) return claim;
  Value most = checkExpr(cx, *compare->operands[1]);
  if (most.isPoison()) return std::nullopt;
  if (most.kind != ValueKind::Int || most.expr || (claim.of == Resource::SharedMemory && !most.sym.isConstant())) {
    wrongClaim(cx, compare->operands[1]->span, claim.of == Resource::SharedMemory ? "the shared memory of a group is a number of bytes, which no dimension changes"
                                                                                  : "what `@require` allows at most is not an integer of numbers and dimensions");
    return std::nullopt;
  }
  claim.most = most.sym;
  return claim;
}

/// The size of a dimension. False after a message.
bool size(Context &cx, const ast::FuncDef &def, const ast::Argument &arg, RunSizes &sizes) {
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
  sizes.emplace_back(arg.keyword->text, static_cast<int64_t>(number->value));
  return true;
}

}  // namespace

void resourceClaim(Context &cx, const ast::CallExpr *call, const ast::FuncDef &def, Span span) {
  if (!call || call->arguments.empty() || call->arguments[0].keyword) return wrongClaim(cx, span, "`@require` claims nothing");
  if (inHost(cx)) return wrongClaim(cx, span, "host code makes no claim about what it takes: write it above a function that it calls");
  std::vector<ResourceClaim> claims;
  RunSizes sizes;
  for (const ast::Argument &arg : call->arguments) {
    if (arg.keyword) {
      if (!size(cx, def, arg, sizes)) return;
      continue;
    }
    std::optional<ResourceClaim> claim = claimOf(cx, arg);
    if (!claim) return;
    claims.push_back(std::move(*claim));
  }
  // Of an entry point for some sizes, a claim about others says nothing.
  for (const auto &[dim, size] : sizes)
    if (auto known = specialSize(cx, dim); known && *known != size) return;
  std::erase_if(sizes, [&](const auto &given) { return specialSize(cx, given.first).has_value(); });
  for (ResourceClaim &claim : claims) {
    if (claim.of == Resource::Workspace || claim.of == Resource::Flops) claim.sizes = sizes;
    cx.function.fn->resources.push_back(std::move(claim));
  }
}

}  // namespace tessera::sema
