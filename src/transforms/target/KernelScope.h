#pragma once
#include "transforms/target/KernelEmitter.h"

namespace tessera::transforms::totarget {

struct KernelEmitter::Scope {
  explicit Scope(KernelEmitter &emitter) : emitter(emitter), guard(emitter.builder_) {
    emitter.names_.push();
  }
  ~Scope() {
    emitter.names_.pop();
    emitter.lastLoop_ = nullptr;
  }
  /// Statements go to the end of a new block of this region.
  mlir::Block *enter(mlir::Region &region) {
    emitter.lastLoop_ = nullptr;
    return emitter.builder_.createBlock(&region);
  }
  KernelEmitter &emitter;
  mlir::OpBuilder::InsertionGuard guard;
};

}  // namespace tessera::transforms::totarget
