#include "sema/FactTable.h"

namespace tessera::sema {

void FactTable::add(Fact fact) {
  auto [it, isNew] = byPlace_.try_emplace(key(fact.place), static_cast<uint32_t>(facts_.size()));
  if (isNew) {
    facts_.push_back(std::move(fact));
    return;
  }
  Fact &old = facts_[it->second];
  bool better = fact.view > old.view || (fact.view == old.view && fact.view == FactView::Guessed);
  if (!better) {
    bool same = fact.kind == old.kind && fact.text == old.text && fact.type.dtype == old.type.dtype && fact.type.shape == old.type.shape;
    if (fact.view == old.view && !same) old.several = true;
    return;
  }
  old = std::move(fact);
}

const Fact *FactTable::at(Span place) const {
  if (!wants(place)) return nullptr;
  auto it = byPlace_.find(key(place));
  return it == byPlace_.end() ? nullptr : &facts_[it->second];
}

const Effects *FactTable::effectsOf(const ast::FuncDef &def) const {
  auto it = effects_.find(&def);
  return it == effects_.end() ? nullptr : &it->second;
}

}  // namespace tessera::sema
