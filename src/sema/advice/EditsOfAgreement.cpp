// Edits of one place that has to agree with another: a declared number with how it is used, a table with its index, weights
// with the groups of a convolution, an index with the guard around it, new axes with those of the other operand.
#include "sema/advice/CalleeParameters.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class AgreementEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function) return {};
    if (diagnostic_.id == Id::outOfBounds) tableOfIndex(), placeOfWarp(), countedFromEnd(), otherEnd();  // also where a statement stores
    if (!place_.expr()) return taken();
    switch (diagnostic_.id) {
    case Id::dtypeMismatch: declaredFloat(); break;
    case Id::channelMismatch: weightsOfGroups(); break;
    case Id::broadcastFails: moreNewAxes(), enlarged(), widthOfFactor(), reducedLikeOther(); break;
    case Id::argumentNotGiven: ofAllElements(); break;
    case Id::wrongArgument: namedLikeParameters(); break;
    case Id::badOperand: listReduced(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 12;

  /// Whether a name counts something: `n`, `num_steps`, `t`.
  static bool counts(const std::string &name) {
    static const std::set<std::string> words = {"n", "num", "count", "step", "steps", "size", "len", "length", "index", "id", "k", "i", "j", "t", "seed", "axis", "heads", "epoch", "pos", "position", "start", "stop"};
    for (size_t at = 0; at <= name.size();) {
      const size_t end = std::min(name.find('_', at), name.size());
      if (words.count(name.substr(at, end - at))) return true;
      at = end + 1;
    }
    return false;
  }
  /// `lr: i32` that is multiplied by floats: a number that counts nothing was hardly meant to be whole.
  void declaredFloat() {
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = edits.rivals = edits.last = true;  // a cast may have been meant as well
    for (const ast::Expr *operand : operandsAt(place_)) {
      const ast::Parameter *p = parameterOf(operand);
      auto *declared = p ? as<ast::NameExpr>(p->annotation) : nullptr;
      const auto dtype = declared ? dtypeByName(declared->name) : std::nullopt;
      if (dtype && isInt(*dtype) && !counts(p->name.text)) replace(edits, declared->span, "f32", "declare it as a float");
    }
  }

  /// One more than what is shown: "2*S - 2" and "2 * S - 1".
  static std::string oneMore(const std::string &shown) {
    std::string spaced;
    for (char c : shown) spaced += c == '*' ? std::string(" * ") : std::string(1, c);
    const size_t minus = spaced.rfind(" - ");
    const std::string tail = minus == std::string::npos ? spaced : spaced.substr(minus + 3);
    const bool number = !tail.empty() && tail.size() < 6 && tail.find_first_not_of("0123456789") == std::string::npos;
    if (!number) return spaced + " + 1";
    if (minus == std::string::npos) return std::to_string(std::stol(tail) + 1);
    const long less = std::stol(tail) - 1;
    return less == 0 ? spaced.substr(0, minus) : spaced.substr(0, minus + 3) + std::to_string(less);
  }
  /// `take(table, at)` with indices up to 2 * S - 2 of a table that is declared with S rows.
  void tableOfIndex() {
    constexpr std::string_view kIndex = "the index ";
    const std::string &said = diagnostic_.message;
    const size_t dots = said.find(".."), outside = said.find(" lies outside");
    if (said.rfind(kIndex, 0) != 0 || dots == std::string::npos || outside == std::string::npos || outside < dots) return;
    const std::string needed = oneMore(said.substr(dots + 2, outside - dots - 2));
    if (needed.find_first_not_of("0123456789") == std::string::npos) return;  // of a number, a fact says how many there are
    auto *call = place_.innermost<ast::CallExpr>();
    auto *item = place_.innermost<ast::SubscriptExpr>();
    const ast::Expr *table = item ? item->object.get() : call && !call->arguments.empty() ? call->arguments[0].value.get() : nullptr;
    const ast::SubscriptExpr *type = nullptr;
    if (table) visit(*table, [&](const ast::Expr &part) { type = type ? type : tensorTypeOf(&part); });
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = true;
    for (size_t i = 0; type && i < extentCount(*type); ++i)
      if (type->items[i].value->kind != ast::ExprKind::String) replace(edits, type->items[i].span, needed, "declare as many as the index needs");
  }

  /// `parts[tile.local_id()]` under `if tile.lane_id() == 0`: the number of the warp.
  void placeOfWarp() {
    if (!place_.inKernel) return;
    bool firstLane = false;
    for (const ast::Stmt *stmt : statementsAround())
      if (auto *guard = as<ast::IfStmt>(stmt)) {
        const std::string condition = text(*guard->condition);
        firstLane |= condition.find("lane_id()") != std::string::npos && condition.find("== 0") != std::string::npos;
      }
    if (!firstLane || !place_.statement) return;
    CandidateGroup &edits = group(true);
    auto of = [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      auto *index = item && item->items.size() == 1 ? as<ast::CallExpr>(item->items[0].value) : nullptr;
      if (index && nameOf(*index) == "local_id") insert(edits, index->span.end, " // 32", "take the place of the warp");
      auto *quotient = item && item->items.size() == 1 ? as<ast::BinaryExpr>(item->items[0].value) : nullptr;
      auto *lanes = quotient && quotient->op == ast::BinaryOp::FloorDiv ? as<ast::IntExpr>(quotient->right) : nullptr;
      if (lanes && lanes->value != 32) replace(edits, lanes->span, "32", "a warp has 32 lanes");
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, of);
  }

  /// `out[T - t]`, which begins one behind the end: `T - 1 - t`.
  void countedFromEnd() {
    if (!place_.statement) return;
    CandidateGroup &edits = group(true);
    auto of = [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      for (size_t i = 0; item && i < item->items.size() && edits.edits.size() < kMost; ++i) {
        auto *index = as<ast::BinaryExpr>(item->items[i].value);
        if (index && index->op == ast::BinaryOp::Sub && as<ast::NameExpr>(index->left)) insert(edits, index->left->span.end, " - 1", "the last one is at the size less 1");
      }
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, of);
  }

  /// `table[:B]` of a table that has rows for each of S positions.
  void otherEnd() {
    if (!place_.statement || place_.inKernel) return;
    const std::set<std::string> dims = dimensions();
    CandidateGroup &edits = group(true);
    auto of = [&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      auto *end = slice ? as<ast::NameExpr>(slice->stop) : nullptr;
      for (const std::string &dim : dims)
        if (end && dims.count(end->name) && dim != end->name && edits.edits.size() < kMost) replace(edits, end->span, dim, "take as many as `" + dim + "`");
    };
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs) visit(*e, of);
  }

  /// `x @ w + h @ u` of w: [I, H] and u: [H, 4 * H], where the result is as wide as one of them.
  void widthOfFactor() {
    const ast::SubscriptExpr *result = declaredTensor();
    if (!result || place_.inKernel) return;
    const std::string wanted = extentText(result->items[extentCount(*result) - 1]);
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = true;
    for (const ast::Expr *operand : operandsAt(place_)) {
      auto *product = as<ast::BinaryExpr>(operand);
      const ast::SubscriptExpr *type = product && product->op == ast::BinaryOp::MatMul ? tensorTypeOf(product->right.get()) : nullptr;
      if (!type || extentCount(*type) < 2) continue;
      const ast::Argument &width = type->items[extentCount(*type) - 1];
      if (extentText(width) != wanted) replace(edits, width.span, wanted, "declare the width that is returned");
    }
  }

  /// `dp = sum((a - p) ** 2, axis=1)` and `dn = (a - n) ** 2`, which are subtracted: both are sums.
  void reducedLikeOther() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    for (const ast::Expr *a : operands)
      for (const ast::Expr *b : operands) {
        auto *one = as<ast::NameExpr>(a), *other = as<ast::NameExpr>(b);
        auto *call = one && other && a != b ? as<ast::CallExpr>(place_.valueOf(one->name)) : nullptr;
        const ast::Expr *bare = call ? place_.valueOf(other->name) : nullptr;
        if (!bare || call->arguments.size() < 2 || call->arguments[0].value->kind != bare->kind || !keyword(*call, "axis")) continue;
        const std::string rest = text({call->span.file, call->arguments[0].span.end, call->span.end});
        replace(edits, bare->span, text(*call->callee) + "(" + text(*bare) + rest, "reduce it like `" + one->name + "`");
      }
  }

  /// `conv2d(x, w, groups=32)` of 32 channels and weights that are declared with 32 each: they are for those of one group.
  void weightsOfGroups() {
    auto *call = as<ast::CallExpr>(meant());
    if (!call) call = place_.innermost<ast::CallExpr>();
    const ast::Argument *groups = call ? keyword(*call, "groups") : nullptr;
    constexpr std::string_view kGiven = "is given ";
    const size_t given = diagnostic_.message.find(kGiven);
    if (!groups || given == std::string::npos || call->arguments.size() < 2) return;
    const ast::SubscriptExpr *type = tensorTypeOf(call->arguments[1].value.get());
    auto *count = as<ast::IntExpr>(groups->value);
    const unsigned long channels = std::strtoul(diagnostic_.message.c_str() + given + kGiven.size(), nullptr, 10);
    if (!type || extentCount(*type) < 3 || !count || count->value == 0 || channels == 0 || channels % count->value != 0) return;
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = true;
    replace(edits, type->items[1].span, std::to_string(channels / count->value), "declare the channels of one group");
  }

  /// `mask[:, None]` beside `[B, H, S, T]`: one more new axis, or two.
  void moreNewAxes() {
    CandidateGroup &one = group(true), two;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      if (!item || one.edits.size() + two.edits.size() > kMost) return;
      for (const ast::Argument &index : item->items) {
        if (index.value->kind != ast::ExprKind::None) continue;
        insert(one, index.span.end, ", None", "give it one more axis of extent 1");
        insert(two, index.span.end, ", None, None", "give it two more axes of extent 1");
        return;
      }
    });
    groups_.push_back(std::move(two));
  }

  /// `x + skip` of [B, C, H, W] and [B, C, 2*H, 2*W]: the smaller image is enlarged.
  void enlarged() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (place_.inKernel || said.size() != 2 || operands.size() != 2 || said[0].size() != 4 || said[1].size() != 4) return;
    CandidateGroup &edits = group(true);
    for (size_t small : {0u, 1u})
      for (const char *times : {"2", "3", "4"}) {
        const auto &a = said[small], &b = said[1 - small];
        const std::string by = std::string(times) + "*";
        if (b[2] == by + a[2] && b[3] == by + a[3])
          replace(edits, operands[small]->span, "upsample_nearest(" + text(*operands[small]) + ", " + times + ")", "make it " + std::string(times) + " times as large");
      }
  }

  /// `maximum(v)` of one argument: of all its elements, or of those so far.
  void ofAllElements() {
    auto *call = place_.innermost<ast::CallExpr>();
    const std::string name = call ? nameOf(*call) : "";
    if ((name != "maximum" && name != "minimum") || call->arguments.size() != 1 || call->callee->kind != ast::ExprKind::Name) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const std::string prefix : {"", "cum"}) replace(edits, call->callee->span, prefix + name.substr(0, 3), prefix.empty() ? "take that of all elements" : "take that of those so far");
  }

  /// `Adam(t + 1.0, m, v)` of fields m, v, t: what has the name of a parameter goes to its place, the others where room is left.
  void namedLikeParameters() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.size() < 2) return;
    for (const Signature &known : signaturesOf(nameOf(*call), diagnostic_, place_, sources_)) {
      if (known.size() != call->arguments.size()) continue;
      std::vector<std::string> order(known.size()), rest;
      size_t named = 0;
      for (const ast::Argument &arg : call->arguments) {
        if (arg.keyword || arg.stars) return;
        auto it = std::find_if(known.begin(), known.end(), [&](const CalleeParameter &p) { return p.name == text(arg.span); });
        if (it == known.end()) rest.push_back(text(arg.span));
        else order[static_cast<size_t>(it - known.begin())] = text(arg.span), ++named;
      }
      size_t next = 0;
      for (std::string &one : order)
        if (one.empty() && next < rest.size()) one = rest[next++];
      if (named >= 1 && next == rest.size()) replace(group(false), call->arguments.front().span.to(call->arguments.back().span), listOf(order), "give them in this order");
    }
  }

  /// `mean(losses)` of a list in host code.
  void listReduced() {
    auto *call = as<ast::CallExpr>(place_.expr());
    if (!call) call = place_.innermost<ast::CallExpr>();
    const bool ofList = diagnostic_.message.find(" for a list") != std::string::npos;
    if (!call || !ofList || call->arguments.size() != 1 || nameOf(*call) != "mean") return;
    const std::string list = text(call->arguments[0].span);
    replace(group(false), call->span, inPlaceOf(*call, "sum(" + list + ") / len(" + list + ")"), "divide the sum by how many they are");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfAgreement(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return AgreementEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
