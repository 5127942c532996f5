#include "ir/common/WorkNotes.h"
#include "mlir/IR/Builders.h"
#include "support/Check.h"

namespace tessera::ir {

using namespace mlir;

static constexpr llvm::StringLiteral kProducts = "products", kArithmetic = "arithmetic", kGroupProducts = "group_products";

DictionaryAttr attributeOf(const Work &work, MLIRContext *context) {
  Builder builder(context);
  NamedAttrList list;
  auto add = [&](llvm::StringRef name, const Amount &amount) { list.set(name, builder.getStringAttr(amount.str())); };
  auto addEach = [&](llvm::StringRef name, const std::map<DType, Amount> &amounts) {
    NamedAttrList inner;
    for (const auto &[dtype, amount] : amounts) inner.set(tessera::name(dtype), builder.getStringAttr(amount.str()));
    if (!inner.empty()) list.set(name, inner.getDictionary(context));
  };
  add("read", work.readBytes);
  add("written", work.writtenBytes);
  add("groups", work.groups);
  add("instructions", work.instructions);
  add("beside_products", work.besideProducts);
  addEach(kProducts, work.products);
  addEach(kArithmetic, work.arithmetic);
  addEach(kGroupProducts, work.groupProducts);
  return list.getDictionary(context);
}

static Amount amountOf(Attribute text) {
  std::optional<Dim> dim = Dim::parse(cast<StringAttr>(text).getValue().str());
  TSR_CHECK(dim, "work that is no formula");
  return Amount(*dim);
}

Work workOf(DictionaryAttr attribute) {
  Work work;
  auto fill = [&](llvm::StringRef name, std::map<DType, Amount> &amounts) {
    auto inner = attribute.getAs<DictionaryAttr>(name);
    for (NamedAttribute each : inner ? inner.getValue() : llvm::ArrayRef<NamedAttribute>()) {
      std::optional<DType> dtype = dtypeByName(each.getName().str());
      TSR_CHECK(dtype, "work with a dtype that there is not");
      amounts[*dtype] = amountOf(each.getValue());
    }
  };
  work.readBytes = amountOf(attribute.get("read"));
  work.writtenBytes = amountOf(attribute.get("written"));
  work.groups = amountOf(attribute.get("groups"));
  work.instructions = amountOf(attribute.get("instructions"));
  work.besideProducts = amountOf(attribute.get("beside_products"));
  fill(kProducts, work.products);
  fill(kArithmetic, work.arithmetic);
  fill(kGroupProducts, work.groupProducts);
  return work;
}

}  // namespace tessera::ir
