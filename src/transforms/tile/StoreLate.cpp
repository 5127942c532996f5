// Stores behind the last use of what was read there before (StoreLate.h).
#include "transforms/tile/StoreLate.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

SmallVector<graph::LoadOp> streamedLoads(Value array) {
  SmallVector<graph::LoadOp> loads;
  SmallVector<Value> pending{array};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !isLong(value.getType()) || !seen.insert(value).second) continue;
    if (auto load = dyn_cast<graph::LoadOp>(op)) loads.push_back(load);
    pending.append(op->operand_begin(), op->operand_end());
  }
  return loads;
}

/// Whether `write` may run before `consumer`; `around` holds both, and runs after what is asked about.
static bool mayRunFirst(Operation *write, Operation *consumer, Operation *around) {
  if (write == consumer) return around != write;  // in a loop, the one of the turn before
  if (!isa<scf::IfOp>(around)) return true;
  for (Region &region : around->getRegions()) {
    if (region.empty()) continue;
    Operation *writer = region.front().findAncestorOpInBlock(*write), *reader = region.front().findAncestorOpInBlock(*consumer);
    if (!writer && !reader) continue;
    if (!writer || !reader) return false;  // one of two branches
    return writer == reader ? mayRunFirst(write, consumer, writer) : writer->isBeforeInBlock(reader);
  }
  return true;
}

bool isBetween(Operation *write, graph::LoadOp load, Operation *consumer) {
  Operation *writer = load->getBlock()->findAncestorOpInBlock(*write), *reader = load->getBlock()->findAncestorOpInBlock(*consumer);
  if (!writer || writer->isBeforeInBlock(load)) return false;  // in another branch, or before the turn that reads
  if (!reader) return true;
  return writer == reader ? mayRunFirst(write, consumer, writer) : writer->isBeforeInBlock(reader);
}

namespace {

/// An operation that takes the elements of arrays in turn: it stores them, or leaves a number.
struct Consumer {
  Operation *op;
  SmallVector<graph::LoadOp> loads;
};
SmallVector<Consumer> consumersOf(schedule::KernelOp kernel) {
  SmallVector<Consumer> consumers;
  kernel.walk([&](Operation *op) {
    if (llvm::any_of(op->getResultTypes(), [](Type type) { return isLong(type); })) return;
    Consumer consumer{op, {}};
    for (Value operand : op->getOperands()) llvm::append_range(consumer.loads, streamedLoads(operand));
    if (!consumer.loads.empty()) consumers.push_back(std::move(consumer));
  });
  return consumers;
}

/// The last operation of the store's block in which something reads what was there before; null if nothing does, or one that stands elsewhere.
Operation *lastUse(graph::StoreOp store, ArrayRef<Consumer> consumers) {
  Operation *last = nullptr;
  for (const Consumer &consumer : consumers) {
    bool reads = llvm::any_of(consumer.loads, [&](graph::LoadOp load) { return load.getBase() == store.getBase() && isBetween(store, load, consumer.op); });
    if (!reads) continue;
    Operation *use = store->getBlock()->findAncestorOpInBlock(*consumer.op);
    if (!use || !store->isBeforeInBlock(use)) return nullptr;
    if (!last || last->isBeforeInBlock(use)) last = use;
  }
  return last;
}

bool mayStandBehind(graph::StoreOp store, Operation *last) {
  llvm::DenseSet<Value> read;
  for (graph::LoadOp load : streamedLoads(store.getValue())) read.insert(load.getBase());
  auto hinders = [&](Operation *op) {
    if (isa<graph::BarrierOp, graph::WaitGroupOp, graph::AsyncCopyOp>(op)) return true;
    if (llvm::is_contained(op->getOperands(), store.getBase())) return true;
    if (auto other = dyn_cast<graph::StoreOp>(op)) return read.contains(other.getBase());
    if (auto atomic = dyn_cast<graph::AtomicOp>(op)) return read.contains(atomic.getBase());
    return false;
  };
  for (Operation *op = store->getNextNode();; op = op->getNextNode()) {
    if (op->walk([&](Operation *inner) { return hinders(inner) ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted()) return false;
    if (op == last) return true;
  }
}

}  // namespace

void storeAfterReads(schedule::KernelOp kernel) {
  const SmallVector<Consumer> consumers = consumersOf(kernel);
  SmallVector<graph::StoreOp> stores;
  kernel.walk([&](graph::StoreOp store) { stores.push_back(store); });
  for (graph::StoreOp store : llvm::reverse(stores))  // what stands behind has its place already
    if (Operation *last = lastUse(store, consumers); last && mayStandBehind(store, last)) store->moveAfter(last);
}

}  // namespace tessera::transforms
