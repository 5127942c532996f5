// Edits of what a function returns: the values that a tuple lacks, an operand that was to be reduced like the one beside it.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ResultEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.names || !place_.expr()) return {};
    if (diagnostic_.id == Id::wrongResult) missingResults(), summedOverBatch(), wholeReduction(), reducedOperand(), reducedTerms(), sumInsideRoot();
    if (diagnostic_.id == Id::narrowing) updatedParameter(), castAlike();
    return taken();
  }

private:
  static constexpr size_t kMost = 12;

  /// `w - rate * slope` of `slope = x * error[:, None]`, where the shape of `w` is declared: the slopes of a batch are added up.
  void summedOverBatch() {
    const std::vector<std::vector<std::string>> said = shapesSaid();
    auto *change = as<ast::BinaryExpr>(place_.expr());
    const bool updates = change && (change->op == ast::BinaryOp::Add || change->op == ast::BinaryOp::Sub);
    if (!updates || place_.inKernel || said.size() < 2 || said[0].size() != said[1].size() + 1) return;
    if (!std::equal(said[1].begin(), said[1].end(), said[0].begin() + 1)) return;  // the first axis is the one that is too many
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    visit(*change->right, [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr;
      if (!value || value->kind != ast::ExprKind::Binary) return;
      for (const char *reduction : {"sum", "mean"}) replaceOnce(edits, value->span, std::string(reduction) + "(" + text(*value) + ", axis=0)", "one for all of the batch");
    });
  }

  /// The dtypes of "f32 would become bf16", each as it is written there.
  std::pair<std::string, std::string> dtypesSaid() const {
    constexpr std::string_view kBetween = " would become ";
    const std::string &said = diagnostic_.message;
    const size_t between = said.find(kBetween), begin = between + kBetween.size();
    if (between == std::string::npos) return {};
    return {said.substr(0, between), said.substr(begin, said.find_first_of(", ", begin) - begin)};
  }
  /// `return w - rate * g` of `w: Tensor[N, f32]`, declared as bf16: what takes the place of a parameter has its dtype.
  void updatedParameter() {
    auto *change = as<ast::BinaryExpr>(place_.expr());
    const ast::SubscriptExpr *own = change ? tensorTypeOf(change->left.get()) : nullptr, *result = declaredTensor();
    const bool updates = change && (change->op == ast::BinaryOp::Add || change->op == ast::BinaryOp::Sub) && as<ast::ReturnStmt>(place_.statement);
    if (!updates || !own || !result || extentTexts(*own) != extentTexts(*result) || extentCount(*result) == result->items.size()) return;
    const auto [had, declared] = dtypesSaid();
    const auto dtype = dtypeByName(had);
    if (!dtype || !isFloat(*dtype) || dtypeText(*own) != had || dtypeText(*result) != declared) return;
    CandidateGroup &edits = group(true);
    edits.ofSignature = edits.assumes = true;
    replace(edits, result->items.back().span, had, "declare the dtype of `" + text(*change->left) + "`");
  }
  /// `cache.append(k, v)` of two parameters of f32 and a cache of bf16: both are rounded.
  void castAlike() {
    auto *call = place_.innermost<ast::CallExpr>();
    const auto [had, wanted] = dtypesSaid();
    if (!call || had.empty() || !tensorTypeOf(place_.expr())) return;
    std::vector<std::pair<Span, std::string>> parts;
    for (const ast::Argument &arg : call->arguments)
      if (const ast::SubscriptExpr *type = tensorTypeOf(arg.value.get()); type && dtypeText(*type) == had)
        parts.push_back({arg.value->span, "cast(" + text(*arg.value) + ", " + wanted + ")"});
    if (parts.size() > 1) replaceAll(group(false), std::move(parts), "round all of them here");
  }

  /// `return m, v`, where three results are declared and nothing reads `new`.
  void missingResults() {
    const size_t declared = declaredItems().size();
    if (declared == 0 || !as<ast::ReturnStmt>(place_.statement)) return;
    auto *tuple = place_.expr()->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(place_.expr()) : nullptr;
    std::vector<const ast::Expr *> items;
    if (tuple) for (const ast::ExprPtr &item : tuple->items) items.push_back(item.get());
    else items.push_back(place_.expr());
    if (items.size() + 1 != declared || items.empty()) return;
    CandidateGroup unread, read;
    for (const std::string &name : boundBefore(items)) {
      const NameUse &use = place_.names->at(name);
      CandidateGroup &edits = use.reads.empty() ? unread : read;
      const size_t likely = likelyPlace(name, items);
      insertAt(edits, items, likely, name);
      for (size_t i = 0; i <= items.size(); ++i)
        if (i != likely && edits.edits.size() < kMost) insertAt(edits, items, i, name);
    }
    for (CandidateGroup *edits : {&unread, &read}) edits->onlyIfUnique = false, edits->assumes = true;
    groups_.push_back(std::move(unread)), groups_.push_back(std::move(read));
  }
  void insertAt(CandidateGroup &edits, const std::vector<const ast::Expr *> &items, size_t at, const std::string &name) {
    if (at < items.size()) insert(edits, items[at]->span.begin, name + ", ", "return `" + name + "`, too");
    else insert(edits, items.back()->span.end, ", " + name, "return `" + name + "`, too");
  }
  /// The names that have a value here and are not returned; those that were bound last come first, parameters last.
  std::vector<std::string> boundBefore(const std::vector<const ast::Expr *> &items) const {
    std::vector<std::pair<uint32_t, std::string>> found;
    for (const auto &[name, use] : *place_.names) {
      const bool returned = std::any_of(items.begin(), items.end(), [&](const ast::Expr *item) { return text(*item) == name; });
      if (returned || use.bindings.empty() || name[0] == '_' || use.bindings.back()->span.begin > place_.statement->span.begin) continue;
      found.emplace_back(use.bindings.back()->span.begin, name);
    }
    std::sort(found.rbegin(), found.rend());
    std::vector<std::string> names;
    for (auto &[at, name] : found) names.push_back(std::move(name));
    return names;
  }
  /// Results stand in the order of the parameters of which they are made: `new` of `w` in front of `m`.
  size_t likelyPlace(const std::string &name, const std::vector<const ast::Expr *> &items) const {
    const size_t own = parameterBehind(place_.valueOf(name));
    for (size_t i = 0; i < items.size(); ++i)
      if (own < parameterBehind(items[i])) return i;
    return items.size();
  }
  /// The number of the first parameter that a value is made of; that of a name is its own.
  size_t parameterBehind(const ast::Expr *value) const {
    size_t first = place_.function->parameters.size();
    if (value)
      visit(*value, [&](const ast::Expr &part) {
        if (const ast::Parameter *p = parameterOf(&part))
          first = std::min(first, static_cast<size_t>(p - place_.function->parameters.data()));
      });
    auto *name = as<ast::NameExpr>(value);
    const ast::Expr *made = name && !parameterOf(value) ? place_.valueOf(name->name) : nullptr;
    return made && made != value ? std::min(first, parameterBehind(made)) : first;
  }

  /// Whether the whole of what is returned is a tensor, where one number is declared.
  bool wantsNumber() const {
    const auto said = shapesSaid();
    auto *returned = as<ast::ReturnStmt>(place_.statement);
    return !place_.inKernel && said.size() == 2 && said[1].empty() && !said[0].empty() && returned && returned->value.get() == place_.expr();
  }

  /// `0.5 * sum(e, axis=1)`, where one number is declared: the sum of all.
  void wholeReduction() {
    if (!wantsNumber()) return;
    CandidateGroup &edits = group(true);
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      for (size_t i = 0; call && i < call->arguments.size() && edits.edits.size() < kMost; ++i) {
        const ast::Argument &arg = call->arguments[i];
        const uint32_t before = i > 0 ? call->arguments[i - 1].span.end : arg.span.begin;
        if (arg.keyword && arg.keyword->text == "axis") replace(edits, {arg.span.file, before, arg.span.end}, "", "go along all axes");
      }
    });
  }

  /// `sqrt(x * x)`, where one number is declared: the root of the sum.
  void sumInsideRoot() {
    auto *call = wantsNumber() ? as<ast::CallExpr>(place_.expr()) : nullptr;
    if (!call || call->arguments.size() != 1 || call->callee->kind != ast::ExprKind::Name) return;
    if (nameOf(*call) != "sqrt" && nameOf(*call) != "rsqrt" && nameOf(*call) != "log") return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    for (const char *reduction : {"sum", "mean"})
      replace(edits, call->arguments[0].span, reduction + ("(" + text(call->arguments[0].span) + ")"), "reduce what is under it");
  }

  /// `sum(x * w) / w`, where one number is declared: what stands beside a sum is summed, too.
  void reducedOperand() {
    static const std::set<std::string> reductions = {"sum", "mean", "max", "min", "prod", "norm"};
    if (!wantsNumber() || place_.expr()->kind != ast::ExprKind::Binary) return;
    std::vector<const ast::Expr *> open = {place_.expr()}, bare;
    std::vector<const ast::CallExpr *> reduced;
    while (!open.empty()) {
      const ast::Expr *e = open.back();
      open.pop_back();
      auto *call = as<ast::CallExpr>(e);
      if (call && reductions.count(nameOf(*call))) reduced.push_back(call);
      else if (auto *binary = as<ast::BinaryExpr>(e)) open.push_back(binary->left.get()), open.push_back(binary->right.get());
      else if (e->kind == ast::ExprKind::Name || e->kind == ast::ExprKind::Call) bare.push_back(e);
    }
    CandidateGroup &edits = group(true);
    for (const ast::CallExpr *call : reduced) {
      const bool method = call->callee->kind == ast::ExprKind::Attribute;
      if (call->arguments.empty() && !method) continue;
      const uint32_t from = method || call->arguments.size() == 1 ? call->span.end : call->arguments[0].span.end;
      const std::string rest = method ? text({call->span.file, call->callee->span.end, call->span.end}) : text({call->span.file, from, call->span.end});
      for (const ast::Expr *operand : bare) {
        const std::string made = method ? asPrimary(*operand) + "." + nameOf(*call) + rest
                                        : nameOf(*call) + "(" + text(*operand) + (rest.empty() ? ")" : rest);
        if (edits.edits.size() < kMost) replaceOnce(edits, operand->span, made, "reduce it like what stands beside it");
      }
    }
  }

  /// `mean(e * e) + 0.1 * w * w`, where one number is declared: a term of the sum that is not reduced.
  void reducedTerms() {
    if (!wantsNumber() || place_.expr()->kind != ast::ExprKind::Binary) return;
    std::vector<const ast::Expr *> open = {place_.expr()}, terms;
    while (!open.empty()) {
      const ast::Expr *e = open.back();
      open.pop_back();
      auto *binary = as<ast::BinaryExpr>(e);
      const bool sum = binary && (binary->op == ast::BinaryOp::Add || binary->op == ast::BinaryOp::Sub);
      if (!sum) terms.push_back(e);
      else open.push_back(binary->left.get()), open.push_back(binary->right.get());
    }
    CandidateGroup added, averaged;
    for (const ast::Expr *term : terms) {
      const ast::Expr *first = term;  // the leftmost factor: a number stays in front of the sum
      while (auto *product = as<ast::BinaryExpr>(first)) first = product->left.get();
      auto *whole = as<ast::BinaryExpr>(term);
      bool reduced = false;
      visit(*term, [&](const ast::Expr &part) {
        auto *call = as<ast::CallExpr>(&part);
        reduced |= call && (nameOf(*call) == "sum" || nameOf(*call) == "mean");
      });
      if (!whole || reduced || terms.size() < 2) continue;
      uint32_t begin = term->span.begin;
      if (first->kind == ast::ExprKind::Float || first->kind == ast::ExprKind::Int) begin = text(term->span).find("* ") == std::string::npos ? begin : begin + static_cast<uint32_t>(text(term->span).find("* ")) + 2;
      const Span rest{term->span.file, begin, term->span.end};
      replaceOnce(added, rest, "sum(" + text(rest) + ")", "add its elements up");
      replaceOnce(averaged, rest, "mean(" + text(rest) + ")", "take their mean");
    }
    added.assumes = averaged.assumes = true;
    groups_.push_back(std::move(added)), groups_.push_back(std::move(averaged));
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfResults(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return ResultEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
