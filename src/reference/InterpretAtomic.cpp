// Updates of memory in one step. Lanes do them in ascending order here, groups one after the other.
#include "reference/Interpreter.h"
#include "support/SetAtPlaces.h"
#include <algorithm>
#include <cmath>

namespace tessera::reference {

using checked::Stmt;

namespace {

int64_t combined(ElementwiseOp op, int64_t old, int64_t value) {
  switch (op) {
  case ElementwiseOp::Add: return static_cast<int64_t>(static_cast<uint64_t>(old) + static_cast<uint64_t>(value));
  case ElementwiseOp::Min: return std::min(old, value);
  case ElementwiseOp::Max: return std::max(old, value);
  case ElementwiseOp::And: return old & value;
  case ElementwiseOp::Or: return old | value;
  case ElementwiseOp::Xor: return old ^ value;
  default: TSR_UNREACHABLE("an update of integers in one step");
  }
}

/// A NaN is the least and the greatest of all, and -0 is below 0: no order changes what is left.
double combined(ElementwiseOp op, double old, double value) {
  if (op == ElementwiseOp::Add) return old + value;
  if (std::isnan(old) || std::isnan(value)) return std::isnan(old) ? old : value;
  auto below = [](double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); };
  if (op == ElementwiseOp::Max) return below(old, value) ? value : old;
  if (op == ElementwiseOp::Min) return below(value, old) ? value : old;
  TSR_UNREACHABLE("an update of floats in one step");
}

/// Where an element lies in an array of these extents; nothing if outside.
struct Place {
  const std::vector<int64_t> &extents;
  size_t axis = 0;
  int64_t linear = 0;
  bool inside = true;
  void step(int64_t index) {
    inside = inside && index >= 0 && index < extents[axis];
    linear = linear * extents[axis++] + index;
  }
};

}  // namespace

/// A tile stores an element at a place that data name: one that it, or another group, stores something else to is a race.
bool Interpreter::setElement(const Stmt &stmt, const Datum &memory, size_t element, double value, std::unordered_map<size_t, double> &set) {
  const std::string &name = stmt.access.base->name;
  auto [before, isNew] = set.try_emplace(element, value);
  const bool same = isNew || before->second == value || (before->second != before->second && value != value);
  if (!same) return reportTensorRace("'" + name + "': two elements of a tile are written to one place", stmt.span);
  return reportTensorRace(races_.writeElement(name, &memory, element, value), stmt.span);
}

bool Interpreter::atomic(const Stmt &stmt) {
  const checked::Var &var = *stmt.access.base;
  const Ref &memory = values_[var.id];
  if (!memory) return fails(stmt.span, "'" + var.name + "' has no value here");
  LaneMask lanes = mask_;
  if (stmt.oncePerGroup) std::fill(std::find(lanes.begin(), lanes.end(), 1) + 1, lanes.end(), 0);
  Ref value = eval(*stmt.value);
  std::vector<Ref> indices;
  if (!value || !evalAll(stmt.values, indices)) return false;
  if (stmt.values.empty())
    for (const checked::IndexPart &part : stmt.access.parts) {
      Ref index = part.offset ? eval(*part.offset) : makeInt(DType::I64, 0);
      if (!index) return false;
      indices.push_back(std::move(index));
    }
  const bool isTile = !value->shape.empty();
  bool byLanes = value->lanes != 0 || !isTile;
  for (const Ref &index : indices) byLanes |= index->lanes != 0;
  const Rounder round(memory->dtype, var.type.numerics);
  Ref old = stmt.var ? makeDatum(memory->dtype, {}, groupSize_) : nullptr;
  const size_t count = elementCount(value->shape);
  const bool sets = stmt.combine == kSetAtPlaces;
  std::unordered_map<size_t, double> set;  // by this statement: where, and to what
  auto at = [&](const Datum &datum, size_t lane, size_t i) { return (datum.lanes != 0 ? lane * datum.perLane() : 0) + (datum.shape.empty() ? 0 : i); };
  for (size_t lane = 0; lane < (byLanes ? lanes.size() : 1); ++lane) {
    if (byLanes && !lanes[lane]) continue;
    for (size_t i = 0; i < count; ++i) {
      Place place{memory->shape};
      for (const Ref &index : indices) place.step(index->ints[at(*index, lane, i)]);
      if (!place.inside) continue;
      const auto element = static_cast<size_t>(place.linear);
      const size_t from = at(*value, lane, i);
      if (sets && !setElement(stmt, *memory, element, value->number(from), set)) return false;
      auto race = sets ? std::nullopt : races_.update(var.name, memory.get(), element, lane, isTile, stmt.combine);
      const bool isShared = var.type.kind == checked::TypeKind::Shared;
      if (isShared ? !reportRace(std::move(race), stmt.span) : !reportTensorRace(std::move(race), stmt.span)) return false;
      if (memory->isFloat()) {
        double &there = memory->floats[element];
        if (old) old->floats[lane] = there;
        there = round(sets ? value->floats[from] : combined(stmt.combine, there, value->floats[from]));
      } else {
        int64_t &there = memory->ints[element];
        if (old) old->ints[lane] = there;
        there = round.wrap(sets ? value->ints[from] : combined(stmt.combine, there, value->ints[from]));
      }
    }
  }
  Origins::inherit(*memory, *value);
  if (old) assign(*stmt.var, old);
  return true;
}

}  // namespace tessera::reference
