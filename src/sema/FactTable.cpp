#include "sema/FactTable.h"
#include <algorithm>

namespace tessera::sema {

namespace {
uint64_t key(Span place) { return static_cast<uint64_t>(place.begin) << 32 | place.end; }

/// Of several views of a place one stays. `byPlace`: of the facts that there are.
void merge(std::vector<Fact> &facts, std::unordered_map<uint64_t, uint32_t> &byPlace, Fact fact) {
  auto [it, isNew] = byPlace.try_emplace(key(fact.place), static_cast<uint32_t>(facts.size()));
  if (isNew) {
    facts.push_back(std::move(fact));
    return;
  }
  Fact &old = facts[it->second];
  bool better = fact.view > old.view || (fact.view == old.view && fact.view == FactView::Guessed);
  if (!better) {
    bool same = fact.kind == old.kind && fact.text == old.text && fact.type.dtype == old.type.dtype && fact.type.shape == old.type.shape;
    if (fact.view == old.view && (!same || fact.several)) old.several = true;
    return;
  }
  old = std::move(fact);
}

/// The statement at module level around an offset; null where there is none.
const StatementPlace *placeOf(const StatementPlaces &places, uint32_t offset) {
  auto after = std::upper_bound(places.begin(), places.end(), offset, [](uint32_t at, const StatementPlace &place) { return at < place.from; });
  return after == places.begin() ? nullptr : &*std::prev(after);
}

void move(Span &span, const StatementPlace &from) {
  uint32_t by = from.stmt->span.begin - from.at;  // wraps round where it moved up
  span.begin += by, span.end += by;
}
}  // namespace

// ---------------------------------------------------------------- a part

void FactPart::add(Fact fact) { merge(facts_, byPlace_, std::move(fact)); }

void FactPart::group() const {
  if (grouped_) return;
  grouped_ = true;
  byPlace_ = {};
  for (uint32_t i = 0; i < facts_.size(); ++i)
    if (const StatementPlace *place = placeOf(*places_, facts_[i].place.begin)) groups_[place->stmt.get()].push_back(i);
}

Fact FactPart::moved(Fact fact) const {
  if (const StatementPlace *place = placeOf(*places_, fact.place.begin)) move(fact.place, *place);
  if (fact.definition.valid() && fact.definition.file == file_)
    if (const StatementPlace *place = placeOf(*places_, fact.definition.begin)) move(fact.definition, *place);
  return fact;
}

// ---------------------------------------------------------------- the table

void FactTable::begin(const ast::Module &module) {
  file_ = module.file;
  auto places = std::make_shared<StatementPlaces>();
  uint32_t from = 0;
  for (const ast::StmtPtr &stmt : module.body) {
    places->push_back({from, stmt->span.begin, stmt});
    from = stmt->span.end;
  }
  statements_.resize(places->size());
  places_ = std::move(places);
  beginPart();
}

std::shared_ptr<FactPart> FactTable::beginPart() {
  parts_.push_back(std::make_shared<FactPart>(file_, places_));
  return parts_.back();
}

void FactTable::add(Fact fact) { parts_.back()->add(std::move(fact)); }

const FactTable::Statement &FactTable::statement(size_t index) const {
  Statement &found = statements_[index];
  if (found.known) return found;
  found.known = true;
  for (const auto &part : parts_)
    part->of((*places_)[index].stmt.get(), [&](Fact fact) { merge(found.facts, found.byPlace, std::move(fact)); });
  return found;
}

const FactTable::Statement *FactTable::statement(uint32_t offset) const {
  const StatementPlace *place = places_ ? placeOf(*places_, offset) : nullptr;
  return place ? &statement(static_cast<size_t>(place - places_->data())) : nullptr;
}

const Fact *FactTable::at(Span place) const {
  if (!wants(place)) return nullptr;
  const Statement *found = statement(place.begin);
  if (!found) return nullptr;
  auto it = found->byPlace.find(key(place));
  return it == found->byPlace.end() ? nullptr : &found->facts[it->second];
}

const std::vector<Fact> &FactTable::all() const {
  if (allKnown_) return all_;
  allKnown_ = true;
  for (size_t i = 0; i < statements_.size(); ++i) all_.insert(all_.end(), statement(i).facts.begin(), statement(i).facts.end());
  return all_;
}

const std::vector<Fact> &FactTable::around(uint32_t offset) const {
  static const std::vector<Fact> none;
  const Statement *found = statement(offset);
  return found ? found->facts : none;
}

void FactTable::addEffects(const ast::FuncDef &def, const Effects &effects) {
  auto &list = parts_.back()->effects;
  bool known = std::any_of(list.begin(), list.end(), [&](const auto &entry) { return entry.first == &def; });
  if (!known) list.emplace_back(&def, effects);
}
void FactTable::addFunction(const ast::FuncDef &def, FunctionFacts facts) { parts_.back()->functions.emplace_back(&def, std::move(facts)); }

/// Of several the first stays.
void FactTable::index() const {
  if (indexed_) return;
  indexed_ = true;
  for (const auto &part : parts_) {
    for (const auto &[def, effects] : part->effects) effects_.try_emplace(def, &effects);
    for (const auto &[def, facts] : part->functions) functions_.try_emplace(def, &facts);
  }
}

const Effects *FactTable::effectsOf(const ast::FuncDef &def) const {
  index();
  auto it = effects_.find(&def);
  return it == effects_.end() ? nullptr : it->second;
}

const FunctionFacts *FactTable::functionOf(const ast::FuncDef &def) const {
  index();
  auto it = functions_.find(&def);
  return it == functions_.end() ? nullptr : it->second;
}

}  // namespace tessera::sema
