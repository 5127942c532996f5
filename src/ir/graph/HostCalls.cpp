#include "ir/graph/HostCalls.h"
#include "support/HostFunctions.h"

#define GET_OP_CLASSES
#include "ir/graph/HostCallOps.cpp.inc"

namespace tessera::ir::graph {
using namespace mlir;

static bool isHostType(Type type, char letter) {
  switch (letter) {
  case 's': return isa<StringType>(type);
  case 't': return isa<HostTensorType>(type);
  case 'i': return type.isIndex();
  case 'f': return type.isF64();
  case 'b': return type.isInteger(1);
  case 'n': return type.isIndex() || type.isF64() || type.isInteger(1);
  default: return false;
  }
}

LogicalResult HostCallOp::verify() {
  auto function = hostFunction(getCallee());
  if (!function) return emitOpError() << "calls '" << getCallee() << "', which the host runtime does not have";
  StringRef letters(function->arguments.data(), function->arguments.size());
  bool optional = letters.consume_back("?");
  size_t given = getInputs().size();
  std::string all = letters.take_front(letters.find('(')).str();  // and what is repeated, as often as it is given
  StringRef repeated = letters.drop_front(all.size()).trim("()");
  while (!repeated.empty() && all.size() < given) all += repeated;
  letters = all;
  if (given > letters.size() || given + optional < letters.size())
    return emitOpError() << "gives '" << getCallee() << "' " << given << " operands, and it takes " << letters.size();
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (!isHostType(input.getType(), letters[i]))
      return emitOpError() << "gives '" << getCallee() << "' an operand " << i << " of the type " << input.getType();
  bool none = function->result == '-';
  if (none ? getNumResults() != 0 : getNumResults() != 1 || !isHostType(getResultTypes()[0], function->result))
    return emitOpError() << "has another result than '" << getCallee() << "'";
  return success();
}

}  // namespace tessera::ir::graph
