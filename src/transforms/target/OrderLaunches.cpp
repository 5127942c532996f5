// The order in which an entry function launches its kernels. A program says what is computed from what, and in which order it
// names that; what is named last may be the last to need much memory: a loss that is returned reads the logits, and an
// optimiser that comes behind the whole derivative all of its gradients. What makes more memory free than it takes comes as
// soon as everything that it reads is there. All else keeps its order.
#include "ir/tile/Tile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/target/Lives.h"
#include "transforms/target/Passes.h"
#include "llvm/ADT/SetVector.h"
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Launches, or an exchange between devices, that stay together: kernels of which conditions choose one, as they write the same memory.
struct Step {
  SmallVector<Operation *> launches;
  llvm::SetVector<Value> read, written;
  llvm::SmallDenseSet<size_t> before, after;  // steps that have to come before it, and behind it
};

struct OrderLaunches : PassWrapper<OrderLaunches, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderLaunches)
  StringRef getArgument() const override { return "tile-order-launches"; }
  StringRef getDescription() const override { return "kernels that make memory free run as soon as they can"; }
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>()) kernels_[kernel.getSymName()] = kernel;
    for (tile::FuncOp function : getOperation().getOps<tile::FuncOp>()) {
      // Between loops: what they have to do with stays in its place.
      SmallVector<Operation *> part;
      for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
        Operation *launch = &op;
        if (!isa<tile::LaunchOp, tile::ExchangeOp>(launch)) continue;
        if (!isInLoop(launch)) {
          part.push_back(launch);
          continue;
        }
        order(part);
        part.clear();
      }
      order(part);
    }
    kernels_.clear();
  }

private:
  bool writes(tile::LaunchOp launch, size_t i) { return kernels_.lookup(launch.getKernel()).param(i).getMode() != ParamMode::In; }
  bool reads(tile::LaunchOp launch, size_t i) { return kernels_.lookup(launch.getKernel()).param(i).getMode() != ParamMode::Out; }

  /// What it reads and writes. Writes of one memory keep their order: one under conditions may leave there what came before.
  void add(Step &step, Operation *op) {
    step.launches.push_back(op);
    if (auto exchange = dyn_cast<tile::ExchangeOp>(op)) {
      step.read.insert(exchange.getSource());
      step.written.insert(exchange.getTarget());
      return;
    }
    auto launch = cast<tile::LaunchOp>(op);
    for (auto [i, argument] : llvm::enumerate(launch.getArgs())) {
      if (!isa<ViewType>(argument.getType())) continue;
      if (reads(launch, i)) step.read.insert(argument);
      if (writes(launch, i)) step.written.insert(argument);
    }
  }

  std::vector<Step> stepsOf(ArrayRef<Operation *> launches) {
    std::vector<Step> steps;
    for (Operation *launch : launches) {
      Step step;
      add(step, launch);
      // What devices do together, one thing after the other, they begin at once.
      bool together = !steps.empty() && isa<tile::ExchangeOp>(launch) && isa<tile::ExchangeOp>(steps.back().launches.back()) &&
                      launch->getAttr(kWhen) == steps.back().launches.back()->getAttr(kWhen) &&
                      llvm::none_of(step.read, [&](Value value) { return steps.back().written.contains(value); });
      if (together) {
        add(steps.back(), launch);
        continue;
      }
      bool joins = !steps.empty() && launch->hasAttr(kWhen) && steps.back().launches.front()->hasAttr(kWhen) &&
                   steps.back().written.getArrayRef() == step.written.getArrayRef() && !step.written.empty();
      if (joins) add(steps.back(), launch);
      else steps.push_back(std::move(step));
    }
    struct Access {
      std::optional<size_t> writer;
      SmallVector<size_t> readers;
    };
    llvm::DenseMap<Value, Access> latest;
    for (auto [at, step] : llvm::enumerate(steps)) {
      auto follows = [&](size_t other) {
        if (other == at) return;
        step.before.insert(other);
        steps[other].after.insert(at);
      };
      for (Value value : step.read) {
        Access &access = latest[value];
        if (access.writer) follows(*access.writer);
        access.readers.push_back(at);
      }
      for (Value value : step.written) {
        Access &access = latest[value];
        if (access.writer) follows(*access.writer);
        llvm::for_each(access.readers, follows);
        access = {at, {}};
      }
    }
    return steps;
  }

  void order(ArrayRef<Operation *> launches) {
    if (launches.size() < 2) return;
    std::vector<Step> steps = stepsOf(launches);
    llvm::DenseSet<Operation *> here(launches.begin(), launches.end());
    llvm::DenseMap<Value, size_t> uses;  // of temporaries that nothing outside uses, by steps that are to come
    llvm::DenseMap<Value, double> sizes;
    for (Step &step : steps) {
      llvm::SetVector<Value> all(step.read);
      all.insert(step.written.begin(), step.written.end());
      for (Value value : all) {
        auto temp = value.getDefiningOp<tile::TempOp>();
        if (!temp || !llvm::all_of(value.getUsers(), [&](Operation *user) { return here.contains(user); })) continue;
        ++uses[value];
        sizes.try_emplace(value, typicalSize(bytesOf(temp)));
      }
    }
    SmallVector<size_t> order = orderOf(steps, std::move(uses), sizes);
    if (llvm::is_sorted(order)) return;
    Operation *end = launches.back()->getNextNode();
    for (tile::TempOp temp : llvm::to_vector(end->getBlock()->getOps<tile::TempOp>()))
      if (launches.front()->isBeforeInBlock(temp.getOperation())) temp->moveBefore(launches.front());
    for (size_t at : order)
      for (Operation *launch : steps[at].launches) launch->moveBefore(end);
  }

  static SmallVector<size_t> orderOf(std::vector<Step> &steps, llvm::DenseMap<Value, size_t> uses, const llvm::DenseMap<Value, double> &sizes) {
    llvm::DenseSet<Value> held;
    /// What is free behind a step, without what it takes.
    auto gain = [&](const Step &step) {
      llvm::SetVector<Value> all(step.read);
      all.insert(step.written.begin(), step.written.end());
      double gain = 0;
      for (Value value : all) {
        auto left = uses.find(value);
        if (left == uses.end()) continue;
        if (!held.contains(value)) gain -= sizes.lookup(value);
        if (left->second == 1) gain += sizes.lookup(value);
      }
      return gain;
    };
    SmallVector<size_t> waits, order;
    std::set<size_t> open, ready;
    for (auto [at, step] : llvm::enumerate(steps)) {
      waits.push_back(step.before.size());
      open.insert(at);
      if (step.before.empty()) ready.insert(at);
    }
    while (!open.empty()) {
      size_t next = *open.begin();  // all before it are done, so it is ready
      double best = 0;
      for (size_t at : ready)
        if (double gained = gain(steps[at]); gained > best) best = gained, next = at;
      order.push_back(next);
      open.erase(next);
      ready.erase(next);
      llvm::SetVector<Value> all(steps[next].read);
      all.insert(steps[next].written.begin(), steps[next].written.end());
      for (Value value : all)
        if (auto left = uses.find(value); left != uses.end()) {
          held.insert(value);
          --left->second;
        }
      for (size_t after : steps[next].after)
        if (--waits[after] == 0) ready.insert(after);
    }
    return order;
  }

  llvm::DenseMap<StringRef, tile::KernelOp> kernels_;
};

}  // namespace

std::unique_ptr<Pass> createOrderLaunchesPass() { return std::make_unique<OrderLaunches>(); }

}  // namespace tessera::transforms
