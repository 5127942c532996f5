#include "reference/Elementwise.h"
#include "reference/Format.h"
#include "reference/Interpreter.h"
#include <algorithm>
#include <array>

namespace tessera::reference {

using checked::FunctionKind;
using checked::ParamMode;
using checked::Stmt;
using checked::StmtKind;
using checked::TypeKind;

bool Interpreter::takeArguments(std::vector<Ref> &arguments) {
  uint32_t highest = 0;
  for (const auto &var : function_.vars) highest = std::max(highest, var->id);
  for (const checked::Param &param : function_.params) highest = std::max(highest, param.var->id);
  values_.assign(highest + 1, nullptr);
  if (!bindParameters(arguments) || (options_.checkIndices && !checkIndices())) return false;
  argumentsFit_ = true;
  return true;
}

bool Interpreter::call(std::vector<Ref> arguments) {
  if (!takeArguments(arguments)) return false;
  if (function_.kind == FunctionKind::Kernel) return runKernel() && finish(Flow::Next);
  return finish(exec(function_.body));
}

bool Interpreter::bindParameters(std::vector<Ref> &arguments) {
  size_t next = 0;
  std::vector<Ref> given(function_.params.size());
  for (size_t i = 0; i < function_.params.size(); ++i) {
    const checked::Param &param = function_.params[i];
    if (param.isResult) continue;
    Ref argument = next < arguments.size() ? arguments[next] : nullptr;
    ++next;
    if (!argument && param.defaultValue && !(argument = eval(*param.defaultValue))) return false;
    if (!argument && param.mode == ParamMode::Out) continue;
    if (!argument)
      return fails(param.var->span,
                   "the argument '" + param.var->name + "' of '" + function_.name + "' is missing");
    std::string error;
    given[i] = adaptArgument(function_, param, argument, error);
    if (!given[i]) return fails(param.var->span, error);
    Origins::inherit(*given[i], *argument);
  }
  if (next < arguments.size())
    return fails(function_.span, "'" + function_.name + "' takes " + std::to_string(next) +
                                     " arguments, and there are " + std::to_string(arguments.size()));
  if (auto error = bindDimensions(function_, given, dims_)) return fails(error->span, error->message);
  for (size_t i = 0; i < function_.params.size(); ++i) {
    const checked::Var &var = *function_.params[i].var;
    if (!given[i]) {  // a result: nothing is in it yet
      const Shape *extents = shape(var.type, var.span);
      if (!extents) return false;
      given[i] = makeRef(Value::poison(var.type.dtype, *extents));
    }
    values_[var.id] = given[i];
  }
  return true;
}

bool Interpreter::checkIndices() {
  const std::vector<checked::IndexParameter> all = checked::indexParameters(function_);
  return std::all_of(all.begin(), all.end(), [&](const checked::IndexParameter &indices) { return checkIndices(indices); });
}

bool Interpreter::checkIndices(const checked::IndexParameter &indices) {
  const Datum &values = *values_[function_.params[indices.param].var->id];
  auto extent = dim(indices.extent, indices.span);
  if (!extent) return false;
  std::vector<std::array<int64_t, 3>> used;  // begin, size, step
  int64_t count = 1;
  for (const checked::UsedAxis &axis : indices.axes) {
    auto begin = dim(axis.begin, indices.span), size = dim(axis.size, indices.span);
    if (!begin || !size) return false;
    used.push_back({*begin, *size, axis.step});
    count *= *size;
  }
  for (int64_t i = 0; i < count; ++i) {
    Shape at(used.size());
    int64_t place = 0, scale = 1, rest = i;
    for (size_t axis = used.size(); axis-- > 0; rest /= used[axis][1]) {
      at[axis] = used[axis][0] + rest % used[axis][1] * used[axis][2];
      place += at[axis] * scale;
      scale *= values.shape[axis];
    }
    const int64_t index = values.ints[static_cast<size_t>(place)];
    if (index < *extent && index >= (indices.fromEnd ? -*extent : 0)) continue;
    const std::string of = indices.of.empty() ? "what it chooses from" : "`" + indices.of + "`";
    return fails(indices.span, "`" + function_.name + "` was called with an index that lies outside: `" + function_.params[indices.param].var->name + "` holds " +
                                   std::to_string(index) + " at " + shapeText(at) + ", and " + of + " has " + std::to_string(*extent) + " elements there");
  }
  return true;
}

bool Interpreter::finish(Flow flow) {
  if (flow == Flow::Failed || error_) return false;
  if (function_.kind == FunctionKind::Kernel) {
    results_.clear();
    for (const checked::FunctionResult &result : function_.results) {
      TSR_CHECK(result.param >= 0, "a kernel's result without a parameter: " + result.name);
      results_.push_back(values_[function_.params[static_cast<size_t>(result.param)].var->id]);
    }
    return true;
  }
  if (flow != Flow::Return && !function_.results.empty())
    return fails(function_.span, "'" + function_.name + "' ended without returning a value");
  auto isState = [](const checked::FunctionResult &result) { return result.param >= 0; };
  bool states = std::any_of(function_.results.begin(), function_.results.end(), isState);
  for (Ref &result : results_)
    if (states) result = std::make_shared<Datum>(*result);  // none of them is in memory that another one changes
  for (size_t i = 0; i < results_.size() && i < function_.results.size(); ++i) {
    const checked::Type &type = function_.results[i].type;
    if (type.kind != TypeKind::Tensor && type.kind != TypeKind::Scalar) continue;
    const Shape *extents = shape(type, function_.span);
    if (!extents) return false;
    TSR_CHECK(*extents == results_[i]->shape, "the shape of a result of " + function_.name);
    std::string error;
    const Ref returned = results_[i];
    results_[i] = cast(returned, type.dtype, type.numerics, error);
    if (!results_[i]) return fails(function_.span, error);
    Origins::inherit(*results_[i], *returned);
    if (isState(function_.results[i]))
      *values_[function_.params[static_cast<size_t>(function_.results[i].param)].var->id] = *results_[i];
  }
  return true;
}

Flow Interpreter::exec(const checked::Block &block) {
  for (const auto &stmt : block) {
    Flow flow = exec(*stmt);
    if (flow != Flow::Next) return flow;
    if (laneReturned_ && active_ == 0) return Flow::Return;
  }
  return Flow::Next;
}

Flow Interpreter::exec(const Stmt &stmt) {
  auto done = [](bool ok) { return ok ? Flow::Next : Flow::Failed; };
  switch (stmt.kind) {
  case StmtKind::Let:
  case StmtKind::Assign: {
    Ref value = eval(*stmt.value);
    if (!value) return Flow::Failed;
    assign(*stmt.var, value);
    return Flow::Next;
  }
  case StmtKind::Store: return done(store(stmt));
  case StmtKind::Atomic: return done(atomic(stmt));
  case StmtKind::For: return execFor(stmt);
  case StmtKind::While: return execWhile(stmt);
  case StmtKind::If: return execIf(stmt);
  case StmtKind::Break: return Flow::Break;
  case StmtKind::Continue: return Flow::Continue;
  case StmtKind::AllocShared: {
    const Shape *extents = shape(stmt.var->type, stmt.span);
    if (!extents) return Flow::Failed;
    values_[stmt.var->id] = makeRef(Value::poison(stmt.var->type.dtype, *extents));
    races_.addBuffer(values_[stmt.var->id].get());
    return Flow::Next;
  }
  case StmtKind::AsyncCopy: return done(asyncCopy(stmt));
  case StmtKind::CommitGroup:
    committed_.push_back(std::move(uncommitted_));
    uncommitted_.clear();
    return Flow::Next;
  case StmtKind::WaitGroup:
    finishCopies(static_cast<size_t>(std::max<int64_t>(stmt.count, 0)));
    return Flow::Next;
  case StmtKind::Barrier:
    races_.barrier();
    if (allLanes()) return Flow::Next;
    return done(fails(
        stmt.span, "only " + std::to_string(active_) + " of the " + std::to_string(groupSize_) +
                       " lanes of the group reach this barrier: the others would be waited for without end"));
  case StmtKind::Return: return execReturn(stmt);
  case StmtKind::Evaluate: return done(eval(*stmt.value) != nullptr);
  case StmtKind::Print: return done(print(stmt));
  case StmtKind::SaveNpy: return done(saveNpy(stmt));
  case StmtKind::Assert: return done(assertion(stmt));
  }
  TSR_UNREACHABLE("statement kind");
}

/// Where not every lane of the group runs, the others keep what they had.
void Interpreter::assign(const checked::Var &var, const Ref &value) {
  Ref &slot = values_[var.id];
  bool mixes = !allLanes() && slot && slot != value && slot->kind == Datum::Kind::Number &&
               value->kind == Datum::Kind::Number && slot->shape == value->shape &&
               slot->dtype == value->dtype;
  if (!mixes) {
    slot = value;
    return;
  }
  Ref mixed = makeDatum(value->dtype, value->shape, groupSize_);
  size_t count = mixed->perLane();
  for (size_t lane = 0; lane < static_cast<size_t>(groupSize_); ++lane) {
    const Datum &from = mask_[lane] ? *value : *slot;
    size_t begin = from.lanes != 0 ? lane * count : 0;
    for (size_t i = 0; i < count; ++i) {
      if (mixed->isFloat()) mixed->floats[lane * count + i] = from.floats[begin + i];
      else mixed->ints[lane * count + i] = from.ints[begin + i];
    }
  }
  Origins::inherit(*mixed, *value);
  Origins::inherit(*mixed, *slot);
  slot = mixed;
}

bool Interpreter::store(const Stmt &stmt) {
  Region where;
  if (!region(stmt.access, stmt.span, where)) return false;
  const LaneMask all = mask_;
  LaneMask lanes = mask_;
  if (stmt.oncePerGroup)  // the first lane that takes part does it, with what it reads for it
    std::fill(std::find(lanes.begin(), lanes.end(), 1) + 1, lanes.end(), 0);
  setMask(lanes);
  Ref value = eval(*stmt.value);
  setMask(all);
  if (!value) return false;
  const checked::Type &type = stmt.access.base->type;
  Rounder round(where.base->dtype, type.numerics);
  if (type.kind == TypeKind::Shared &&
      !reportRace(races_.write(stmt.access.base->name, where, lanes, value->lanes != 0), stmt.span))
    return false;
  if (type.kind == TypeKind::View &&
      !reportTensorRace(races_.writeTensor(stmt.access.base->name, where, lanes, *value), stmt.span))
    return false;
  storeRegion(where, *value, lanes, round);
  Origins::inherit(*where.base, *value);
  return true;
}

LaneMask Interpreter::lanesWhere(const Datum &condition) const {
  LaneMask mask(mask_.size(), 0);
  for (size_t lane = 0; lane < mask.size(); ++lane)
    mask[lane] = mask_[lane] && condition.intAt(static_cast<int64_t>(lane)) != 0;
  return mask;
}

Flow Interpreter::execIf(const Stmt &stmt) {
  if (auto *call = stmt.condition->get<checked::node::HostCall>(); call && call->function == "tries") {
    const Flow flow = exec(stmt.body);
    if (flow != Flow::Failed || !error_ || error_->exitCode) return flow;
    caught_ = *std::exchange(error_, std::nullopt);
    return exec(stmt.otherwise);
  }
  Ref condition = eval(*stmt.condition);
  if (!condition) return Flow::Failed;
  TSR_CHECK(condition->isScalar() && !condition->isFloat(), "the condition of an if");
  if (condition->lanes != 0) return runIfByLanes(stmt, *condition);
  return exec(condition->ints[0] ? stmt.body : stmt.otherwise);
}

Flow Interpreter::execWhile(const Stmt &stmt) {
  while (true) {
    Ref condition = eval(*stmt.condition);
    if (!condition) return Flow::Failed;
    TSR_CHECK(condition->isScalar() && !condition->isFloat(), "the condition of a while");
    if (condition->lanes != 0) return runWhileByLanes(stmt, condition);
    if (!condition->ints[0]) return Flow::Next;
    Flow flow = exec(stmt.body);
    if (flow == Flow::Break) return Flow::Next;
    if (flow == Flow::Return || flow == Flow::Failed) return flow;
  }
}

Flow Interpreter::execFor(const Stmt &stmt) {
  Ref start = stmt.start ? eval(*stmt.start) : makeInt(DType::I64, 0);
  Ref stop = start ? eval(*stmt.stop) : nullptr;
  Ref by = !stop ? nullptr : stmt.step ? eval(*stmt.step) : makeInt(DType::I64, 1);
  if (!by) return Flow::Failed;
  if (by->lanes != 0)
    return fail(stmt.span, "the step of a loop must be the same in all lanes"), Flow::Failed;
  int64_t step = by->ints[0];
  if (step <= 0)
    return fail(stmt.span, "the step of a loop must be positive, and it is " + std::to_string(step)),
           Flow::Failed;
  if (start->lanes != 0 || stop->lanes != 0) return runForByLanes(stmt, *start, *stop, step);
  for (int64_t i = start->ints[0]; i < stop->ints[0]; i += step) {
    values_[stmt.var->id] = makeInt(DType::I64, i);
    Flow flow = exec(stmt.body);
    if (flow == Flow::Break) return Flow::Next;
    if (flow == Flow::Return || flow == Flow::Failed) return flow;
    if (i > INT64_MAX - step) break;
  }
  return Flow::Next;
}

Flow Interpreter::execReturn(const Stmt &stmt) {
  if (function_.kind == FunctionKind::Kernel && !allLanes()) {  // these lanes are done, the others go on
    for (size_t lane = 0; lane < mask_.size(); ++lane) gone_[lane] |= mask_[lane];
    laneReturned_ = true;
    setMask(LaneMask(mask_.size(), 0));
    return Flow::Next;
  }
  results_.clear();
  if (!evalAll(stmt.values, results_)) return Flow::Failed;
  return Flow::Return;
}

bool Interpreter::assertion(const Stmt &stmt) {
  Ref condition = eval(*stmt.condition);
  if (!condition) return false;
  bool holds = true;
  if (condition->lanes == 0) {
    for (int64_t element : condition->ints) holds &= element != 0;
  } else {
    for (size_t lane = 0; lane < mask_.size(); ++lane) holds &= !mask_[lane] || condition->ints[lane] != 0;
  }
  if (holds) return true;
  if (!stmt.value) return fails(stmt.span, "this assertion does not hold", tsr::host::kAssertionError);
  Ref message = eval(*stmt.value);
  if (!message) return false;
  fail(stmt.span, "this assertion does not hold: " + textOf(*message), tsr::host::kAssertionError);
  error_->caught = textOf(*message);
  return false;
}

}  // namespace tessera::reference
