#include "sema/CheckedBefore.h"
#include <algorithm>
#include <cctype>

namespace tessera::sema {

using ast::as;

uint32_t CheckedBefore::wordOf(std::string_view text) {
  return words_.try_emplace(std::string(text), static_cast<uint32_t>(words_.size())).first->second;
}

/// All words of a statement, also those in comments and texts: dimensions stand in texts.
const std::vector<uint32_t> &CheckedBefore::wordsOf(const ast::StmtPtr &stmt, const Sources &sources) {
  Words &entry = wordsIn_[stmt.get()];
  if (entry.stmt) return entry.words;
  entry.stmt = stmt;
  std::string_view text = sources.text(stmt->span);
  auto isDigit = [](unsigned char c) { return c >= '0' && c <= '9'; };
  auto inWord = [&](size_t i) {
    auto c = static_cast<unsigned char>(text[i]);
    return (c | 0x20) - 'a' < 26u || isDigit(c) || c == '_' || c >= 0x80;
  };
  for (size_t i = 0; i < text.size();) {
    size_t begin = i;
    while (i < text.size() && inWord(i)) ++i;
    bool number = isDigit(static_cast<unsigned char>(text[begin]));
    if (i > begin && !number) entry.words.push_back(wordOf(text.substr(begin, i - begin)));
    if (i == begin) ++i;
  }
  std::sort(entry.words.begin(), entry.words.end());
  entry.words.erase(std::unique(entry.words.begin(), entry.words.end()), entry.words.end());
  return entry.words;
}

void CheckedBefore::bindName(const std::string &name, uint32_t index) { binders_[wordOf(name)].push_back(index); }

void CheckedBefore::bindTarget(const ast::Expr *target, uint32_t index) {
  if (auto *name = as<ast::NameExpr>(target)) return bindName(name->name, index);
  if (target && (target->kind == ast::ExprKind::Tuple || target->kind == ast::ExprKind::List))
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*target).items) bindTarget(item.get(), index);
}

/// What a statement at module level binds.
void CheckedBefore::bind(const ast::Stmt &stmt, uint32_t index) {
  auto items = [&](const std::vector<ast::ImportItem> &list) {
    for (const ast::ImportItem &item : list)
      if (item.alias || !item.path.empty()) bindName((item.alias ? *item.alias : item.path[0]).text, index);
  };
  if (auto *s = as<ast::FuncDef>(&stmt)) bindName(s->name.text, index);
  if (auto *s = as<ast::StructDef>(&stmt)) bindName(s->name.text, index);
  if (auto *s = as<ast::ClassDef>(&stmt)) bindName(s->name.text, index);
  if (auto *s = as<ast::PolicyDef>(&stmt)) bindName(s->name.text, index);
  if (auto *s = as<ast::StateDef>(&stmt)) bindName(s->name.text, index);
  if (auto *s = as<ast::AssignStmt>(&stmt))
    for (const ast::ExprPtr &target : s->targets) bindTarget(target.get(), index);
  if (auto *s = as<ast::AnnAssignStmt>(&stmt)) bindTarget(s->target.get(), index);
  if (auto *s = as<ast::ImportStmt>(&stmt)) items(s->items);
  if (auto *s = as<ast::FromImportStmt>(&stmt)) {
    items(s->items);
    if (s->star) bindersOfAll_.push_back(index);
  }
}

/// `@f.vjp` gives a rule to `f`, which rests on it.
void CheckedBefore::attach(const ast::Stmt &stmt, uint32_t index) {
  auto *line = as<ast::ExprStmt>(&stmt);
  auto *call = line ? as<ast::CallExpr>(line->value) : nullptr;
  auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *of = member ? as<ast::NameExpr>(member->object) : nullptr;
  if (auto found = of ? binders_.find(wordOf(of->name)) : binders_.end(); found != binders_.end())
    for (uint32_t binder : found->second) edges_[binder].push_back(index);  // `f.specialize(B=32)`
  auto *def = as<ast::FuncDef>(&stmt);
  if (!def) return;
  for (const ast::Decorator &decorator : def->decorators) {
    const ast::Expr *root = decorator.expression.get();
    auto *last = as<ast::AttributeExpr>(root);
    bool rule = last && last->attribute.text == "vjp";
    if (auto *call = as<ast::CallExpr>(root)) root = call->callee.get();
    while (auto *member = as<ast::AttributeExpr>(root)) root = member->object.get();
    auto *name = as<ast::NameExpr>(root);
    auto found = name ? binders_.find(wordOf(name->name)) : binders_.end();
    if (found == binders_.end()) continue;
    for (uint32_t binder : found->second) {
      bool function = module_->body[binder]->kind == ast::StmtKind::FuncDef;
      if (function) edges_[binder].push_back(index);
      else if (rule)  // of a function under another name
        for (std::vector<uint32_t> &edges : edges_) edges.push_back(index);
    }
  }
}

void CheckedBefore::begin(const ast::Module &module, const Sources &sources, const std::set<const ast::Stmt *> &unread) {
  if (share.others) return;  // who have found all that will be asked for
  module_ = &module;
  unread_ = unread;
  binders_.clear(), bindersOfAll_.clear();
  size_t count = module.body.size();
  if (wordsIn_.size() > 4 * count + 100) wordsIn_.clear();
  for (uint32_t i = 0; i < count; ++i) bind(*module.body[i], i);
  edges_.assign(count, {}), rests_.assign(count, {}), restsKnown_.assign(count, false);
  for (uint32_t i = 0; i < count; ++i) {
    std::vector<uint32_t> &edges = edges_[i] = bindersOfAll_;
    for (uint32_t word : wordsOf(module.body[i], sources))
      if (auto found = binders_.find(word); found != binders_.end()) edges.insert(edges.end(), found->second.begin(), found->second.end());
  }
  ++checks_;
  constexpr uint64_t kMostAge = 12;  // a text may be checked several times between two keys
  for (uint32_t i = 0; i < count; ++i) attach(*module.body[i], i);
  std::erase_if(found_, [&](const auto &entry) { return entry.second.check + kMostAge < checks_; });
}

uint32_t CheckedBefore::indexOf(const ast::FuncDef &def) const {
  const ast::Block &body = module_->body;
  auto after = std::upper_bound(body.begin(), body.end(), def.name.span.begin, [](uint32_t at, const ast::StmtPtr &stmt) { return at < stmt->span.begin; });
  return static_cast<uint32_t>(after - body.begin()) - (after == body.begin() ? 0 : 1);
}

const std::vector<uint32_t> &CheckedBefore::restsOf(const ast::FuncDef &def) {
  uint32_t index = indexOf(def);
  if (restsKnown_[index]) return rests_[index];
  restsKnown_[index] = true;
  std::vector<bool> seen(edges_.size());
  std::vector<uint32_t> &found = rests_[index] = {index};
  seen[index] = true;
  for (size_t next = 0; next < found.size(); ++next)
    for (uint32_t other : edges_[found[next]])
      if (!seen[other]) seen[other] = true, found.push_back(other);
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<CheckedBefore::Rest> CheckedBefore::namesOf(const std::vector<uint32_t> &rests) const {
  std::vector<Rest> found;
  for (uint32_t index : rests) found.push_back({module_->body[index], unread_.count(module_->body[index].get()) != 0});
  return found;
}

const CheckedBefore::Found *CheckedBefore::find(const ast::FuncDef &def, const std::string &name, Pass pass, bool facts) {
  if (share.others) {
    uint32_t place = def.name.span.begin;
    CheckedBefore *other = share.has(place) || pass != Pass::Entry ? nullptr : share.others(place);
    return other ? other->find(def, name, pass, facts) : nullptr;
  }
  auto it = found_.find({&def, name, pass});
  if (it == found_.end() || (facts && !it->second.facts)) return nullptr;
  const std::vector<uint32_t> &rests = restsOf(def);
  const std::vector<Rest> &then = it->second.rests;
  if (then.size() != rests.size()) return nullptr;
  for (size_t i = 0; i < rests.size(); ++i) {
    const ast::StmtPtr &stmt = module_->body[rests[i]];
    if (then[i].stmt != stmt || then[i].unread != (unread_.count(stmt.get()) != 0)) return nullptr;
  }
  it->second.check = checks_;
  return &it->second;
}

void CheckedBefore::keep(const ast::FuncDef &def, const std::string &name, Pass pass, Found found) {
  found.rests = namesOf(restsOf(def));
  found.check = checks_;
  found_.insert_or_assign({&def, name, pass}, std::move(found));
}

}  // namespace tessera::sema
