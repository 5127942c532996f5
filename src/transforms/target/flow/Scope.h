// A new scope of names and the point where statements go in the block, for the life of the object.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct Scope {
  explicit Scope(Emission &em) : em(em), guard(em.builder) { em.names.push(); }
  ~Scope() {
    em.names.pop();
    em.lastLoop = nullptr;
  }
  /// Statements go to the end of a new block of this region.
  mlir::Block *enter(mlir::Region &region) {
    em.lastLoop = nullptr;
    return em.builder.createBlock(&region);
  }
  Emission &em;
  mlir::OpBuilder::InsertionGuard guard;
};

}  // namespace tessera::transforms::totarget
