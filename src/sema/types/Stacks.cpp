// Stacks: `[Block[D]; L]` is L structs of one type, held as the arrays of one struct with one more axis in front. So a
// loop over them is one loop of run time, and a program is as long with 80 layers as with two.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

namespace {
std::shared_ptr<const StructInstance> withStack(const StructInstance &instance, std::vector<Dim> stack) {
  auto made = std::make_shared<StructInstance>(instance);
  made->stack = std::move(stack);
  return made;
}

/// One struct of the stack has this instance.
std::shared_ptr<const StructInstance> ofOne(const StructInstance &instance) {
  return withStack(instance, {instance.stack.begin() + 1, instance.stack.end()});
}

/// Puts the axis in front of all arrays of a type. False, after a message, if a part of it is no array.
bool stackOver(Context &cx, DeclaredType &type, const Dim &count) {
  if (type.kind == DeclaredType::Kind::Plain) {
    Type &plain = type.plain;
    if (plain.kind != TypeKind::Scalar && plain.kind != TypeKind::Tensor) {
      if (fresh(cx, Id::notAType, type.span))
        report(cx, Id::notAType, type.span, "the structs of a stack hold numbers and tensors");
      return false;
    }
    plain.kind = TypeKind::Tensor;
    plain.shape.insert(plain.shape.begin(), count);
    if (plain.numerics.perChannel >= 0) ++plain.numerics.perChannel;
  }
  if (type.instance) {
    std::vector<Dim> stack = type.instance->stack;
    stack.insert(stack.begin(), count);
    type.instance = withStack(*type.instance, std::move(stack));
  }
  return std::all_of(type.items.begin(), type.items.end(),
                     [&](DeclaredType &item) { return stackOver(cx, item, count); });
}

/// f of each array of a value, in structs without the first axis of their stack; poison where f says so.
Value mapArrays(const Value &value, const std::function<Value(const Value &)> &f) {
  if (value.kind == ValueKind::Array || value.kind == ValueKind::HostTensor) return f(value);
  Value made = value;
  if (value.isStack()) made.instance = ofOne(*value.instance);
  for (Value &item : made.items) {
    item = mapArrays(item, f);
    if (item.isPoison()) return item;
  }
  return made;
}

/// `[init(r) for r in streams]` for a parameter or field of the type `[Block[D]; L]`.
bool matchList(Context &cx, const Value &list, const ast::StackExpr &annotation, const std::string &name, Span span,
               Value &out) {
  if (list.items.empty()) return wrongValue(cx, list, annotation, name, span, "a stack of at least one struct");
  std::vector<Value> all(list.items.size());
  for (size_t i = 0; i < all.size(); ++i)
    if (!matchParameter(cx, list.items[i], *annotation.item, "item " + std::to_string(i) + " of " + name, span, all[i]))
      return false;
  out = stackOfStructs(cx, std::move(all), span);
  return !out.isPoison();
}
}  // namespace

std::optional<DeclaredType> stackType(Context &cx, const ast::StackExpr &annotation, const std::string &path) {
  auto type = declaredType(cx, *annotation.item, path);
  auto count = dimOf(cx, *annotation.count, cx.bindDims);
  if (!type || !count) return std::nullopt;
  if (type->kind != DeclaredType::Kind::Struct) {
    if (fresh(cx, Id::notAType, annotation.span)) {
      auto builder = report(cx, Id::notAType, annotation.span, "a stack holds structs");
      auto *tensor = as<ast::SubscriptExpr>(annotation.item);
      if (type->kind == DeclaredType::Kind::Plain && tensor && !tensor->items.empty()) {
        std::string text(cx.sources.text(tensor->span));
        text.insert(tensor->items[0].span.begin - tensor->span.begin, std::string(cx.sources.text(annotation.count->span)) + ", ");
        builder.fix(annotation.span, text, "tensors of one shape are one tensor with one more dimension");
      }
    }
    return std::nullopt;
  }
  if (type->instance->info->isState) {
    if (fresh(cx, Id::notAType, annotation.span))
      report(cx, Id::notAType, annotation.span, "`" + type->instance->info->name + "` is a state, and a stack holds none")
          .help("the struct that has the stack as a field may be one");
    return std::nullopt;
  }
  type->span = annotation.span;
  return stackOver(cx, *type, *count) ? type : std::nullopt;
}

Value elementOfStack(const Value &stack) {
  return mapArrays(stack, [](const Value &array) {
    Value one = array;
    if (array.kind == ValueKind::HostTensor) {
      one.madeAs.clear();
      one.rank = std::max(0, array.rank - 1);
      ++one.stackAxes;
      return one;
    }
    ExprPtr typed = clone(*array.expr);
    for (Type *type : {&one.type, &typed->type}) {
      type->shape.erase(type->shape.begin());
      if (type->shape.empty()) type->kind = TypeKind::Scalar;
    }
    if (!one.limits.empty()) one.limits.erase(one.limits.begin());
    one.expr = std::shared_ptr<Expr>(typed.release());
    return one;
  });
}

Value rowOfStack(Context &cx, const Value &stack, const Value &index, Span span) {
  return mapArrays(stack, [&](const Value &array) {
    return array.kind == ValueKind::HostTensor ? hostItem(cx, array, &index, span) : rowOfArray(cx, array, index, span);
  });
}

Value lengthOfStack(Context &cx, const Value &stack, Span span) {
  if (!inHost(cx)) return Value::integer(stack.instance->stack[0]);
  const Value *array = &stack;
  while (array->kind != ValueKind::HostTensor) {
    if (array->items.empty()) return Value::integer(Dim(0));
    array = &array->items[0];
  }
  return hostExtent(cx, *array, 0, span);
}

Value stackSubscript(Context &cx, const Value &stack, const ast::SubscriptExpr &expr) {
  if (expr.items.size() != 1 || expr.items[0].keyword || expr.items[0].stars)
    return unsupported(cx, "several indices of a stack of structs", expr.span,
                       "an index takes one struct, whose arrays have indices of their own");
  const ast::Expr &item = *expr.items[0].value;
  if (item.kind == ast::ExprKind::Slice) {
    if (inHost(cx)) return unsupported(cx, "a part of a stack in host code", expr.span, "a function of tensors can take one");
    std::optional<Dim> left;
    Value made = mapArrays(stack, [&](const Value &array) {
      Value part = sliceArray(cx, array, expr);
      if (!part.isPoison()) left = part.type.shape[0];
      return part;
    });
    if (made.isPoison() || !left) return made.isPoison() ? made : stack;
    return restacked(made, *left);
  }
  Value index = convertInt(cx, checkExpr(cx, item), item.span);
  if (index.isPoison()) return index;
  if (index.isKnownInt() && !index.expr && index.sym.constant() < 0 && !inHost(cx))
    index.sym = stack.instance->stack[0] + index.sym;
  return rowOfStack(cx, stack, index, expr.span);
}

Value stackOfStructs(Context &cx, std::vector<Value> all, Span span) {
  Value made = all[0];
  if (made.kind == ValueKind::None) return made;
  if (made.kind != ValueKind::Struct && !made.isSequence()) {
    if (inHost(cx)) {
      if (auto rows = rowsOfHost(cx, all, span)) return std::move(*rows);
      return unsupported(cx, "a stack that host code puts together of structs with numbers, or with arrays of a dtype that only run time knows,", span,
                         "a function of tensors can return it");
    }
    for (Value &one : all) {
      one = toArray(cx, one, DType::F32, span);
      if (one.isPoison()) return one;
    }
    return stack(cx, std::move(all), 0, span);
  }
  if (made.instance) {
    std::vector<Dim> axes = made.instance->stack;
    axes.insert(axes.begin(), Dim(static_cast<int64_t>(all.size())));
    made.instance = withStack(*made.instance, std::move(axes));
  }
  for (size_t i = 0; i < made.items.size(); ++i) {
    std::vector<Value> parts;
    for (Value &one : all) parts.push_back(one.items[i]);
    made.items[i] = stackOfStructs(cx, std::move(parts), span);
    if (made.items[i].isPoison()) return made.items[i];
  }
  return made;
}

Value restacked(const Value &value, const Dim &count) {
  if (value.kind == ValueKind::Array) return value;
  Value made = value;
  if (value.kind == ValueKind::HostTensor) {
    if (value.rank > 0) ++made.rank;
    if (value.stackAxes > 0) --made.stackAxes;
    made.madeAs.clear();
  }
  if (value.kind == ValueKind::Struct) {
    std::vector<Dim> stack = value.instance->stack;
    stack.insert(stack.begin(), count);
    made.instance = withStack(*value.instance, std::move(stack));
  }
  for (Value &item : made.items) item = restacked(item, count);
  return made;
}

bool matchStack(Context &cx, const Value &value, const ast::StackExpr &annotation, const std::string &name, Span span,
                Value &out) {
  if (value.isSequence()) {
    if (!matchList(cx, value, annotation, name, span, out)) return false;
  } else if (!value.isStack()) {
    return wrongValue(cx, value, annotation, name, span, "a stack `" + std::string(cx.sources.text(annotation.span)) + "`");
  } else {
    Value one = value, ignored;
    one.instance = ofOne(*value.instance);
    if (!matchParameter(cx, one, *annotation.item, name, span, ignored)) return false;
    out = value;
  }
  if (inHost(cx)) return true;  // run time compares extents
  auto want = dimOf(cx, *annotation.count, false);
  if (!want) return false;
  const Dim &have = out.instance->stack[0];
  if (sameDim(cx, *want, have, span, "this call needs " + show(cx, *want) + " == " + show(cx, have))) return true;
  return wrongValue(cx, out, annotation, name, span, "a stack of " + show(cx, *want) + " structs");
}

Value constructStack(Context &cx, const Value &type, const GivenList &fields, Span span) {
  GivenList ones = fields;
  for (Given &field : ones)
    for (size_t axis = 0; axis < type.instance->stack.size(); ++axis) field.value = elementOfStack(field.value);
  Value open = type;
  open.instance = withStack(*type.instance, {});
  Block ofOne;  // of one struct only the type is wanted: what host code would compare of it goes with this block
  auto *block = std::exchange(cx.function.block, inHost(cx) ? &ofOne : nullptr);
  Value made = constructStruct(cx, open, std::move(ones), span);
  cx.function.block = block;
  if (made.isPoison()) return made;
  made.instance = withStack(*made.instance, type.instance->stack);
  const std::vector<StructField> &declared = made.instance->info->fields;
  for (const Given &field : fields)
    for (size_t i = 0; i < declared.size(); ++i)
      if (declared[i].name == field.keyword) made.items[i] = field.value;
  return made;
}

}  // namespace tessera::sema
