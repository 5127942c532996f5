#include "reference/Elementwise.h"
#include "reference/Interpreter.h"
#include "support/Lanes.h"
#include <algorithm>

namespace tessera::reference {

using checked::Expr;
using checked::GridKind;
using checked::Query;
using checked::Stmt;
namespace node = checked::node;

namespace {
constexpr int64_t kDefaultGroup = 128, kDefaultTile = 16;
int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
}  // namespace

bool Interpreter::contextSizes() {
  const checked::Schedule &schedule = function_.kernel.schedule;
  for (const std::string &field : function_.kernel.contextSizes) {
    int64_t size = kDefaultTile;
    if (auto chosen = options_.sizes.find(field); chosen != options_.sizes.end()) size = chosen->second;
    else if (auto fixed = schedule.sizes.find(field); fixed != schedule.sizes.end()) size = fixed->second;
    else if (auto space = schedule.space.find(field); space != schedule.space.end() && !space->second.empty())
      size = space->second[0];
    if (size <= 0)
      return fails(function_.span,
                   "the size '" + field + "' must be positive, and it is " + std::to_string(size));
    dims_["T." + field] = size;
  }
  dimCache_.clear();  // sizes of the context may occur in what was asked before
  shapeCache_.clear();
  return true;
}

int64_t Interpreter::chooseGroupSize() const {
  if (function_.kernel.groupSize > 0) return function_.kernel.groupSize;
  if (options_.groupSize > 0) return options_.groupSize;
  auto warps = function_.kernel.schedule.sizes.find("warps");
  if (warps != function_.kernel.schedule.sizes.end() && warps->second > 0)
    return warps->second * kWarpLanes;
  return kDefaultGroup;
}

bool Interpreter::prepareGrid() {
  const checked::KernelInfo &kernel = function_.kernel;
  groupSize_ = chooseGroupSize();
  gridShape_.clear();
  tileShape_.clear();
  switch (kernel.grid) {
  case GridKind::Explicit:
    for (const Dim &d : kernel.gridDims) {
      auto extent = dim(d, function_.span);
      if (!extent) return false;
      gridShape_.push_back(std::max<int64_t>(*extent, 0));
    }
    return true;
  case GridKind::Lanes: {
    auto extent = dim(kernel.laneExtent, function_.span);
    if (!extent) return false;
    gridShape_ = {ceilDiv(std::max<int64_t>(*extent, 0), groupSize_)};
    return true;
  }
  case GridKind::Output: break;
  }
  TSR_CHECK(kernel.outputParam >= 0, "a kernel's grid without an output");
  const Shape &extents = values_[function_.params[static_cast<size_t>(kernel.outputParam)].var->id]->shape;
  TSR_CHECK(kernel.tileShape.size() == extents.size(), "the tile of a kernel's output");
  for (size_t d = 0; d < extents.size(); ++d) {
    auto tile = dim(kernel.tileShape[d], function_.span);
    if (!tile) return false;
    tileShape_.push_back(*tile);
    gridShape_.push_back(*tile <= 0 ? 0 : ceilDiv(extents[d], *tile));
  }
  return true;
}

bool Interpreter::runKernel() {
  if (!contextSizes() || !prepareGrid()) return false;
  int64_t count = 1;
  for (int64_t extent : gridShape_) count *= extent;
  return runGroups(count);
}

bool Interpreter::runGroups(int64_t count) {
  std::vector<Ref> arguments = values_;
  races_.clear();
  for (const checked::Param &param : function_.params)
    if (param.mode != checked::ParamMode::In && !param.isResult && param.var->type.kind == checked::TypeKind::View)
      races_.addTensor(values_[param.var->id].get());
  groupCoordinates_.assign(gridShape_.size(), 0);
  for (int64_t group = 0; group < count; ++group) {
    values_ = arguments;
    resetMask();
    races_.enterGroup(group);
    if (exec(function_.body) == Flow::Failed) return false;
    uncommitted_.clear();
    committed_.clear();
    for (size_t d = gridShape_.size(); d-- > 0;) {
      if (++groupCoordinates_[d] < gridShape_[d]) break;
      groupCoordinates_[d] = 0;
    }
  }
  values_ = arguments;
  return true;
}

std::optional<int64_t> Interpreter::groupQuery(Query query, size_t axis) const {
  int64_t coordinate = axis < groupCoordinates_.size() ? groupCoordinates_[axis] : 0;
  switch (query) {
  case Query::Origin: return coordinate * (axis < tileShape_.size() ? tileShape_[axis] : 1);
  case Query::GroupId: return coordinate;
  case Query::GroupSize: return groupSize_;
  case Query::GroupCount: return axis < gridShape_.size() ? gridShape_[axis] : 1;
  case Query::LocalId:
  case Query::LaneId:
  case Query::LinearId: break;
  }
  return std::nullopt;
}

Ref Interpreter::query(const Expr &expr) {
  if (function_.kind != checked::FunctionKind::Kernel)
    return fail(expr.span, "only a kernel runs in groups and lanes");
  if (auto same = groupQuery(expr.as<node::Query>().what, static_cast<size_t>(expr.as<node::Query>().axis)))
    return makeInt(DType::I64, *same);
  int64_t first = expr.as<node::Query>().what == Query::LinearId ? *groupQuery(Query::GroupId, 0) * groupSize_ : 0;
  Ref out = makeDatum(DType::I64, {}, groupSize_);
  for (int64_t lane = 0; lane < groupSize_; ++lane)
    out->ints[static_cast<size_t>(lane)] = first + (expr.as<node::Query>().what == Query::LaneId ? lane % kWarpLanes : lane);
  return out;
}

// ---------------------------------------------------------------- lanes

void Interpreter::resetMask() {
  laneReturned_ = false;
  gone_.assign(static_cast<size_t>(groupSize_), 0);
  mask_.assign(static_cast<size_t>(groupSize_), 1);
  active_ = groupSize_;
}

void Interpreter::setMask(LaneMask mask) {
  mask_ = std::move(mask);
  active_ = 0;
  for (size_t lane = 0; lane < mask_.size(); ++lane) {
    if (laneReturned_ && gone_[lane]) mask_[lane] = 0;
    active_ += mask_[lane];
  }
}

Flow Interpreter::runIfByLanes(const Stmt &stmt, const Datum &condition) {
  LaneMask before = mask_, then = lanesWhere(condition), otherwise = before;
  for (size_t lane = 0; lane < before.size(); ++lane) otherwise[lane] = before[lane] && !then[lane];
  const std::pair<const LaneMask *, const checked::Block *> branches[] = {{&then, &stmt.body},
                                                                       {&otherwise, &stmt.otherwise}};
  for (auto [mask, block] : branches) {
    setMask(*mask);
    if (active_ == 0 || block->empty()) continue;
    if (exec(*block) == Flow::Failed) return Flow::Failed;
  }
  setMask(std::move(before));
  return Flow::Next;
}

Flow Interpreter::runWhileByLanes(const Stmt &stmt, Ref condition) {
  LaneMask before = mask_;
  while (true) {
    if (condition->lanes == 0 && condition->ints[0] == 0) break;
    setMask(lanesWhere(*condition));
    if (active_ == 0) break;
    if (exec(stmt.body) == Flow::Failed) return Flow::Failed;
    if (active_ == 0) break;
    if (!(condition = eval(*stmt.condition))) return Flow::Failed;
  }
  setMask(std::move(before));
  return Flow::Next;
}

Flow Interpreter::runForByLanes(const Stmt &stmt, const Datum &start, const Datum &stop, int64_t step) {
  LaneMask before = mask_;
  Ref index = makeDatum(DType::I64, {}, groupSize_);
  for (int64_t lane = 0; lane < groupSize_; ++lane)
    index->ints[static_cast<size_t>(lane)] = start.intAt(lane);
  while (true) {
    LaneMask mask = mask_;
    for (int64_t lane = 0; lane < groupSize_; ++lane) {
      auto at = static_cast<size_t>(lane);
      mask[at] = mask[at] && index->ints[at] < stop.intAt(lane);
    }
    setMask(std::move(mask));
    if (active_ == 0) break;
    values_[stmt.var->id] = index;
    if (exec(stmt.body) == Flow::Failed) return Flow::Failed;
    auto next = std::make_shared<Datum>(*index);
    for (int64_t &i : next->ints)
      if (i <= INT64_MAX - step) i += step;
    index = next;
  }
  setMask(std::move(before));
  return Flow::Next;
}

// ---------------------------------------------------------------- asynchronous copies

bool Interpreter::asyncCopy(const Stmt &stmt) {
  if (!allLanes())
    return fails(stmt.span,
                 "only " + std::to_string(active_) + " of the " + std::to_string(groupSize_) +
                     " lanes of the group reach this asynchronous copy, which is the whole group's");
  PendingCopy copy;
  copy.data = load(stmt.source, stmt.span);
  if (!copy.data || !region(stmt.access, stmt.span, copy.destination)) return false;
  Origins::inherit(*copy.data, *values_[stmt.source.base->id]);
  copy.numerics = stmt.access.base->type.numerics;
  auto race = races_.write(stmt.access.base->name, copy.destination, mask_, false);
  if (!reportRace(std::move(race), stmt.span)) return false;
  poisonRegion(copy.destination);
  uncommitted_.push_back(std::move(copy));
  return true;
}

void Interpreter::finishCopies(size_t keep) {
  for (; committed_.size() > keep; committed_.pop_front())
    for (const PendingCopy &copy : committed_.front()) {
      storeRegion(copy.destination, *copy.data, mask_, Rounder(copy.destination.base->dtype, copy.numerics));
      Origins::inherit(*copy.destination.base, *copy.data);
      races_.arrive(copy.destination);
    }
}

bool Interpreter::reportRace(std::optional<std::string> race, Span span) {
  if (!race) return true;
  return fails(span, "a race in shared memory: " + *race + ", with no barrier between");
}

bool Interpreter::reportTensorRace(std::optional<std::string> race, Span span) {
  if (!race) return true;
  return fails(span, "a race in global memory, " + *race + ": nothing orders them");
}

}  // namespace tessera::reference
