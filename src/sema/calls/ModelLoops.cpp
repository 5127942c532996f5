// Loops of models: what the turns of `for _ in range(12): x = block(x)` make is one stack of the model's struct.
#include "frontend/Walk.h"
#include "sema/calls/Models.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

namespace {

/// Whether two turns make the same, with the same first values.
bool isSame(const ModelNode &a, const ModelNode &b, bool named) {
  bool alike = (named ? a.name == b.name : a.called == b.called) && a.count == b.count && a.type == b.type && a.init == b.init &&
               a.model == b.model && a.dims == b.dims && a.children.size() == b.children.size();
  for (size_t i = 0; alike && i < a.children.size(); ++i) alike = isSame(a.children[i], b.children[i], true);
  return alike;
}

/// Layers and models are stacked; a parameter that the body of the model makes itself is a tensor of its own, and a stack has no stacks.
bool canBeStacked(const ModelNode &node) { return node.count == 0 && (node.model || !node.children.empty()); }

/// What the compiler knows of a value, apart from what run time gives it.
std::string knownOf(const Value &value) {
  std::string text = std::to_string(static_cast<int>(value.kind)) + value.text;
  if (value.kind == ValueKind::Array) return text + value.type.str();
  if (value.kind == ValueKind::Int) text += value.sym.str();
  if (value.kind == ValueKind::Float) text += std::to_string(value.number);
  if (value.kind == ValueKind::Bool) text += std::to_string(value.truth);
  for (const Value &item : value.items) text += "," + knownOf(item);
  return text;
}

std::map<std::string, std::string> knownOf(const Names &names) {
  std::map<std::string, std::string> all;
  for (const auto &[name, binding] : names) all[name] = knownOf(binding.value);
  return all;
}

bool mentions(const ast::Expr &expr, const std::string &name);
/// Whether a body needs to be written out: it asks for the number of its turn, or is left before its end.
bool asksOrLeaves(const ast::Stmt &stmt, const std::string &name) {
  using K = ast::StmtKind;
  if (stmt.kind == K::Break || stmt.kind == K::Continue || stmt.kind == K::Return) return true;
  auto children = ast::childrenOf(stmt);
  return std::any_of(children.exprs.begin(), children.exprs.end(), [&](const ast::Expr *e) { return mentions(*e, name); }) ||
         std::any_of(children.stmts.begin(), children.stmts.end(), [&](const ast::Stmt *s) { return asksOrLeaves(*s, name); });
}
bool mentions(const ast::Expr &expr, const std::string &name) {
  auto *own = as<ast::NameExpr>(&expr);
  if (own && own->name == name) return true;
  auto children = ast::childrenOf(expr);
  return std::any_of(children.exprs.begin(), children.exprs.end(), [&](const ast::Expr *e) { return mentions(*e, name); });
}

/// The model whose body is checked here.
const StructInfo *modelHere(const Context &cx) {
  for (const StructInfo &info : cx.structs)
    if (info.model && info.model == cx.function.frame->function) return &info;
  return nullptr;
}

}  // namespace

LayerLoop::LayerLoop(Context &cx, const ast::ForStmt &stmt, int64_t turns) : cx_(cx), stmt_(stmt), trace_(cx.function.model), turns_(turns) {
  collects_ = trace_->collects && trace_->inner == 0;
  first_ = trace_->next;
  if (collects_) names_ = knownOf(cx.function.frame->names);
  if (trace_->collects) return;
  const StructInfo *info = modelHere(cx);
  auto found = info ? info->layerLoops.find(stmt.span.begin) : decltype(info->layerLoops.end()){};
  stacked_ = info && found != info->layerLoops.end();
  stays_ = stacked_ && found->second;
  if (stays_) ++trace_->marks;  // a loop of run time, in which the same parameters are made in each turn
}

LayerLoop::~LayerLoop() {
  if (stays_) --trace_->marks;
  if (inTurn_) trace_->rows.pop_back();
  if (collects_) join();
}

void LayerLoop::beginTurn(const Value &row) {
  begin_ = trace_->open.back()->children.size();
  if (made_.empty()) firstField_ = begin_;
  if (!stacked_) return;
  if (inTurn_) trace_->rows.pop_back();  // the turn is checked once more
  trace_->next = first_;
  trace_->rows.push_back(row);
  inTurn_ = true;
}

void LayerLoop::endTurn() {
  if (std::exchange(inTurn_, false)) trace_->rows.pop_back();
  if (!collects_) return;
  const std::vector<ModelNode> &fields = trace_->open.back()->children;
  made_.emplace_back(fields.begin() + static_cast<std::ptrdiff_t>(begin_), fields.end());
  for (const auto &[name, known] : knownOf(cx_.function.frame->names))
    if (auto before = names_.find(name); before != names_.end()) steady_ &= before->second == known;
}

/// Of fields that are the same in all turns those of the first stay, as stacks.
void LayerLoop::join() {
  bool same = turns_ > 1 && made_.size() == static_cast<size_t>(turns_) && !made_[0].empty() &&
              std::all_of(made_[0].begin(), made_[0].end(), canBeStacked);
  for (size_t t = 1; same && t < made_.size(); ++t) {
    same = made_[t].size() == made_[0].size();
    for (size_t i = 0; same && i < made_[t].size(); ++i) same = isSame(made_[0][i], made_[t][i], false);
  }
  if (!same) return;
  std::vector<ModelNode> &fields = trace_->open.back()->children;
  const size_t each = made_[0].size();
  if (fields.size() != firstField_ + made_.size() * each) return;  // an `else` behind the loop made some, too
  for (size_t i = 0; i < each; ++i) fields[firstField_ + i].count = turns_;
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(firstField_ + each), fields.end());
  auto *counter = as<ast::NameExpr>(stmt_.target);
  auto *range = as<ast::CallExpr>(stmt_.iterable);
  bool counts = counter && range && range->arguments.size() == 1 && stmt_.otherwise.empty();
  trace_->loops[stmt_.span.begin] = counts && steady_ && std::none_of(stmt_.body.begin(), stmt_.body.end(), [&](const auto &s) { return asksOrLeaves(*s, counter->name); });
}

}  // namespace tessera::sema
