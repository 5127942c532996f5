// Which parts of an expression in host code are computed with arrays, and which are evaluated before.
#include "frontend/Walk.h"
#include "sema/Builtins.h"
#include "sema/calls/Calls.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

/// An array of a stack of structs, with which the whole is passed.
Value ofStack(Value item) {
  if (item.kind == ValueKind::HostTensor) item.stackAxes = 0;
  return item;
}

SeenPart seenIn(const Value &v) {
  SeenPart seen;
  switch (v.kind) {
  case ValueKind::HostTensor:
    seen.touches = true;
    seen.array = v.madeOf && v.rank > 0;
    seen.barred = v.stackAxes > 0 || isHeldDict(v) || isHeldRows(v);
    break;
  case ValueKind::String: seen.barred = v.expr != nullptr; break;
  case ValueKind::Tuple:
  case ValueKind::List: break;
  case ValueKind::Struct: seen.barred = v.isState() || !v.instance->info; break;
  case ValueKind::Rng:
  case ValueKind::State:
  case ValueKind::Dict:
  case ValueKind::Zip:
  case ValueKind::Enumerate:
  case ValueKind::HostShape:
  case ValueKind::Poison: seen.barred = true; break;
  case ValueKind::Function: seen.barred = v.callable->closure != nullptr; break;  // it reads variables of host code
  default: seen.barred = v.handle != 0;
  }
  for (const Value &item : v.items) {
    if (!v.isSequence() && v.kind != ValueKind::Struct) break;
    SeenPart part = seenIn(v.kind == ValueKind::Struct && v.isStack() ? ofStack(item) : item);
    part.array &= v.kind != ValueKind::Struct;  // a struct is no array, though it holds some
    seen.add(part);
  }
  return seen;
}

/// Whether it computes with the elements of arrays; the others make tensors, ask about them, or belong to host code.
bool computesWithArrays(const BuiltinRow &row) {
  using K = BuiltinKind;
  if (row.op == "sorted") return true;
  switch (row.kind) {
  case K::Elementwise:
  case K::Reduce:
  case K::Where:
  case K::MinMax:
  case K::Mean:
  case K::Cast:
  case K::Transpose:
  case K::Reshape:
  case K::BroadcastTo:
  case K::Unsqueeze:
  case K::Squeeze:
  case K::Concat:
  case K::Split:
  case K::Dot:
  case K::Stack:
  case K::Flatten:
  case K::Expand:
  case K::Repeat:
  case K::Einsum:
  case K::Take:
  case K::Gather:
  case K::ScatterAdd:
  case K::Argsort:
  case K::Conv:
  case K::Pool:
  case K::Scan:
  case K::Collective: return true;
  case K::Table:
  case K::Full:
  case K::Zeros:
  case K::Ones:
  case K::Iota:
  case K::Arange:
  case K::Identity:
  case K::Load:
  case K::Store:
  case K::Origin:
  case K::Context:
  case K::Query:
  case K::Range:
  case K::StaticRange:
  case K::AllocShared:
  case K::CpAsync:
  case K::Commit:
  case K::Wait:
  case K::Barrier:
  case K::LoadVector:
  case K::StoreVector:
  case K::AllocRegister:
  case K::Warp:
  case K::Atomic:
  case K::Cdiv:
  case K::Len:
  case K::Enumerate:
  case K::IsTraining:
  case K::Parameter:
  case K::Zip:
  case K::Reversed:
  case K::DictParts:
  case K::ToInt:
  case K::ToFloat:
  case K::ToBool:
  case K::ToStr:
  case K::Dict:
  case K::Set:
  case K::Schedule:
  case K::Policy:
  case K::Print:
  case K::Stream:
  case K::SplitStream:
  case K::Draw:
  case K::Dropout:
  case K::Prefetch:
  case K::MeshQuery:
  case K::State:
  case K::MoveOn:
  case K::Replace:
  case K::Partial:
  case K::Grad:
  case K::Vmap:
  case K::Checkpoint:
  case K::IsInstance:
  case K::TreeMap:
  case K::TreeLeaves:
  case K::HostCall:
  case K::LoadNpy:
  case K::SaveNpy:
  case K::LoadTensors:
  case K::SaveTensors:
  case K::Unsupported:
  case K::Decorator: return false;
  }
  return false;
}

bool mentionsAny(const ast::Expr *e, const std::set<std::string> &names) {
  return e && std::any_of(names.begin(), names.end(), [&](const std::string &name) { return mentions(*e, name); });
}

/// Whether a part of an array in it has a size that a loop decides, as `x[:j]`: the other end does not move along.
bool hasPartOfTurn(const ast::Expr &e, const std::set<std::string> &counters) {
  auto *part = as<ast::SubscriptExpr>(&e);
  auto *object = part ? as<ast::AttributeExpr>(part->object) : nullptr;
  if (object && object->attribute.text == "shape") return false;  // known when compiled
  if (auto *slice = as<ast::SliceExpr>(&e); slice && mentionsAny(slice->start.get(), counters) != mentionsAny(slice->stop.get(), counters)) return true;
  ast::Children below = ast::childrenOf(e);
  return std::any_of(below.exprs.begin(), below.exprs.end(), [&](const ast::Expr *part) { return hasPartOfTurn(*part, counters); });
}
bool hasPartOfTurn(const ast::Stmt &stmt, std::set<std::string> counters) {
  if (stmt.kind == ast::StmtKind::FuncDef) return false;
  auto *loop = as<ast::ForStmt>(&stmt);
  auto *range = loop ? as<ast::CallExpr>(loop->iterable) : nullptr;
  auto *called = range ? as<ast::NameExpr>(range->callee) : nullptr;
  auto *counter = loop ? as<ast::NameExpr>(loop->target) : nullptr;
  if (counter && called && called->name != "static_range") {
    counters.insert(counter->name);
    collectAssigned(loop->body, counters);
  }
  ast::Children below = ast::childrenOf(stmt);
  return std::any_of(below.exprs.begin(), below.exprs.end(), [&](const ast::Expr *e) { return hasPartOfTurn(*e, counters); }) ||
         std::any_of(below.stmts.begin(), below.stmts.end(), [&](const ast::Stmt *s) { return hasPartOfTurn(*s, counters); });
}

/// Tensors of a function have their sizes before it runs. Where a loop decides the size of a part, host code runs the function.
bool hasPartsOfTurns(const Callable &callable) {
  return callable.def && std::any_of(callable.def->body.begin(), callable.def->body.end(), [](const ast::StmtPtr &s) { return hasPartOfTurn(*s, {}); });
}

bool isQuestion(std::string_view attribute) {
  return attribute == "shape" || attribute == "ndim" || attribute == "size" || attribute == "dtype";
}

class OperandSearch {
public:
  OperandSearch(Context &cx, std::vector<ArrayOperand> &operands) : cx_(cx), operands_(operands) {}

  std::optional<SeenPart> inside(const ast::Expr &e) {
    using K = ast::ExprKind;
    switch (e.kind) {
    case K::Unary: {
      auto &unary = static_cast<const ast::UnaryExpr &>(e);
      return unary.op == ast::UnaryOp::Not ? std::nullopt : together({unary.operand.get()}, true);
    }
    case K::Binary: {
      auto &binary = static_cast<const ast::BinaryExpr &>(e);
      if (binary.op == ast::BinaryOp::MatMul && isDTypeExpr(cx_, *binary.left)) return std::nullopt;
      if (binary.op == ast::BinaryOp::Add && joinsLists(*binary.left, *binary.right)) return std::nullopt;
      return together({binary.left.get(), binary.right.get()}, true, givesIntegers(*binary.left) || givesIntegers(*binary.right));
    }
    case K::Compare: {
      auto &compare = static_cast<const ast::CompareExpr &>(e);
      auto asks = [](ast::CompareOp op) { return op >= ast::CompareOp::In; };
      if (std::any_of(compare.ops.begin(), compare.ops.end(), asks)) return std::nullopt;
      std::vector<const ast::Expr *> parts;
      for (const ast::ExprPtr &part : compare.operands) parts.push_back(part.get());
      return together(parts, true);
    }
    case K::Tuple:
    case K::List: {
      std::vector<const ast::Expr *> parts;
      for (const ast::ExprPtr &part : static_cast<const ast::SequenceExpr &>(e).items) parts.push_back(part.get());
      return together(parts, false);
    }
    case K::Starred: return together({static_cast<const ast::StarredExpr &>(e).value.get()}, false);
    case K::Attribute: return insideAttribute(static_cast<const ast::AttributeExpr &>(e));
    case K::Subscript: return insideSubscript(static_cast<const ast::SubscriptExpr &>(e));
    case K::Call: return insideCall(static_cast<const ast::CallExpr &>(e));
    case K::Lambda: return insideLambda(static_cast<const ast::LambdaExpr &>(e));
    default: return std::nullopt;
    }
  }

  /// Nothing if none of the parts reads a tensor: then the whole is evaluated before.
  std::optional<SeenPart> together(const std::vector<const ast::Expr *> &parts, bool asNumbers, bool amongIntegers = false) {
    SeenPart all;
    for (const ast::Expr *part : parts) all.add(operand(*part, asNumbers, amongIntegers));
    return all.touches && !all.barred ? std::optional(all) : std::nullopt;
  }

private:
  /// `argmax(x)`, `order.argsort()`: integers, whatever they are made of.
  bool givesIntegers(const ast::Expr &e) {
    auto *call = as<ast::CallExpr>(&e);
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    const std::string_view called = name ? std::string_view(name->name) : method ? std::string_view(method->attribute.text) : std::string_view();
    return called == "argmax" || called == "argmin" || called == "argsort" || called == "count_nonzero" || called == "searchsorted" || called == "bincount";
  }

  /// `tokens + [t]`: one list behind another.
  bool joinsLists(const ast::Expr &a, const ast::Expr &b) {
    using K = ast::ExprKind;
    auto mayBe = [](const ast::Expr &e) { return e.kind == K::Name || e.kind == K::List || e.kind == K::ListComp || e.kind == K::Subscript || e.kind == K::Call || e.kind == K::Attribute || e.kind == K::Binary; };
    if (!mayBe(a) || !mayBe(b) || (a.kind == K::List && b.kind == K::List)) return false;
    auto written = [](const ast::Expr &e) { return e.kind == K::List || e.kind == K::ListComp; };
    auto held = [&](const ast::Expr &e) {
      if (e.kind != K::Name) return false;
      const Value &v = evaluated(e);
      return v.kind == ValueKind::HostTensor && (v.text == kHeldList || isHeldRows(v));
    };
    return (written(a) || held(a)) && (written(b) || held(b)) && (held(a) || held(b));
  }

  SeenPart operand(const ast::Expr &e, bool asNumber = false, bool amongIntegers = false) {
    auto known = cx_.function.operands.find(&e);
    if (known == cx_.function.operands.end()) {
      if (auto seen = inside(e)) return *seen;
      evaluated(e);
      known = cx_.function.operands.find(&e);
    }
    auto listed = std::find_if(operands_.begin(), operands_.end(), [&](const ArrayOperand &o) { return o.syntax == &e; });
    if (listed == operands_.end()) operands_.push_back({&e, asNumber, amongIntegers});
    return seenIn(known->second);
  }
  const Value &evaluated(const ast::Expr &e) {
    if (auto known = cx_.function.operands.find(&e); known != cx_.function.operands.end()) return known->second;
    Value v = checkExpr(cx_, e);
    cx_.function.operandsInTurn.push_back(&e);
    return cx_.function.operands[&e] = std::move(v);
  }

  std::optional<SeenPart> insideAttribute(const ast::AttributeExpr &e) {
    SeenPart object = operand(*e.object);
    if (!object.array || object.barred) return std::nullopt;
    if (isQuestion(e.attribute.text)) return SeenPart{true, false, false};
    if (e.attribute.text == "T") return SeenPart{true, true, false};
    return std::nullopt;
  }

  /// One row by its number, or an element by those of all axes, is a place of memory, which nothing has to compute.
  bool isPlace(const ast::SubscriptExpr &e) {
    if (e.items.size() != 1) {
      auto object = cx_.function.operands.find(e.object.get());
      if (object == cx_.function.operands.end() || static_cast<size_t>(object->second.rank) != e.items.size()) return false;
    }
    return std::all_of(e.items.begin(), e.items.end(), [&](const ast::Argument &item) {
      const ast::Expr &index = *item.value;
      if (index.kind == ast::ExprKind::Slice) return false;
      if (auto seen = inside(index); seen && seen->array) return false;  // numbers are computed by host code
      const Value &v = evaluated(index);
      return v.kind == ValueKind::Int || v.isScalar() || (v.kind == ValueKind::HostTensor && v.rank == 0);
    });
  }

  /// `x[x > 0.5]`: how many elements that gives only run time knows. What may be a mask is evaluated to know whether it is one.
  bool hasMask(const ast::SubscriptExpr &e) {
    using K = ast::ExprKind;
    if (e.items.size() != 1) return false;
    const ast::Expr &index = *e.items[0].value;
    auto *unary = as<ast::UnaryExpr>(&index);
    auto *binary = as<ast::BinaryExpr>(&index);
    auto *call = as<ast::CallExpr>(&index);
    const bool joins = binary && (binary->op == ast::BinaryOp::BitAnd || binary->op == ast::BinaryOp::BitOr || binary->op == ast::BinaryOp::BitXor);
    const bool plain = index.kind == K::Compare || index.kind == K::Name || index.kind == K::Attribute || index.kind == K::Subscript;
    if (!plain && !joins && !(unary && unary->op == ast::UnaryOp::Invert) && !(call && mayGiveTruth(*call))) return false;
    return isHostMask(evaluated(index));
  }
  /// `isfinite(x)`, `x.isnan()`, and functions of the program.
  bool mayGiveTruth(const ast::CallExpr &e) {
    auto *name = as<ast::NameExpr>(e.callee);
    auto *method = as<ast::AttributeExpr>(e.callee);
    const std::string_view called = name ? std::string_view(name->name) : method ? std::string_view(method->attribute.text) : std::string_view();
    if (called.starts_with("is") || called.starts_with("logical_") || called == "any" || called == "all") return true;
    const Value *callee = name ? &evaluated(*name) : nullptr;
    return callee && callee->kind == ValueKind::Function && callee->callable->def && !cx_.libraryFiles.count(callee->callable->nameSpan.file);
  }

  /// `x.shape[0] - 1`, `len(x)`: extents that the function which computes the expression has, too.
  static bool asksExtents(const ast::Expr &e) {
    auto *attribute = as<ast::AttributeExpr>(&e);
    auto *call = as<ast::CallExpr>(&e);
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if ((attribute && isQuestion(attribute->attribute.text)) || (name && name->name == "len")) return true;
    const ast::Children below = ast::childrenOf(e);
    return std::any_of(below.exprs.begin(), below.exprs.end(), [](const ast::Expr *part) { return asksExtents(*part); });
  }

  std::optional<SeenPart> insideSubscript(const ast::SubscriptExpr &e) {
    SeenPart object = operand(*e.object);
    if (!object.touches || object.barred) return std::nullopt;
    if (object.array && (hasMask(e) || isPlace(e))) return std::nullopt;
    for (const ast::Argument &item : e.items) {
      auto *slice = as<ast::SliceExpr>(item.value);
      std::vector<const ast::Expr *> parts = {item.value.get()};
      if (slice) parts = {slice->start.get(), slice->stop.get(), slice->step.get()};
      for (const ast::Expr *part : parts) {
        if (!part) continue;
        const bool ofData = slice && !asksExtents(*part);
        if (ofData) evaluated(*part);  // numbers of run time say how many elements there are
        if (operand(*part).barred) return std::nullopt;
        if (ofData) std::find_if(operands_.begin(), operands_.end(), [&](const ArrayOperand &o) { return o.syntax == part; })->asSize = true;
      }
    }
    return object;
  }

  /// What is called, if it is a function of tensors. A method's object is its first argument.
  bool callsArrays(const ast::CallExpr &e, bool &elementwise, bool &method) {
    auto takes = [&](const Value &f) {
      const Callable &callable = *f.callable;
      return !callable.isKernel && !callable.closure && !isEntry(cx_, callable) && !isHostCode(cx_, callable) && !hasPartsOfTurns(callable);
    };
    auto *attribute = as<ast::AttributeExpr>(e.callee);
    if (attribute) {
      SeenPart object = operand(*attribute->object);
      if (object.touches || object.barred) {
        method = object.array && !object.barred;
        auto inPrelude = [&] { return cx_.prelude && cx_.prelude->names.count(attribute->attribute.text) != 0; };
        const BuiltinRow *row = builtinByName(attribute->attribute.text, 'M');
        return method && (row ? computesWithArrays(*row) : inPrelude());
      }
    }
    const Value &callee = evaluated(*e.callee);
    switch (callee.kind) {
    case ValueKind::Builtin:
      elementwise = callee.builtin->kind == BuiltinKind::Elementwise || callee.builtin->kind == BuiltinKind::Where ||
                    callee.builtin->kind == BuiltinKind::MinMax;
      if (callee.builtin->kind == BuiltinKind::Where && e.arguments.size() == 1) return false;  // the places where it holds: `nonzero`
      return computesWithArrays(*callee.builtin) || callee.builtin->kind == BuiltinKind::TreeMap;
    case ValueKind::DType:
    case ValueKind::Derivative: return true;
    case ValueKind::Transform: {  // a lambda may take values of host code from around it
      const Value &mapped = callee.items[0];
      return mapped.kind == ValueKind::Function && mapped.callable->def && !mapped.callable->closure;
    }
    case ValueKind::Function: return takes(callee);
    case ValueKind::Struct: return callsModel(*e.callee, callee);
    case ValueKind::Overloads: return std::all_of(callee.items.begin(), callee.items.end(), takes);
    default: return false;
    }
  }

  /// `model(x)`: the model is an operand like others.
  bool callsModel(const ast::Expr &written, const Value &model) {
    const StructInfo *info = model.instance->info;
    auto found = info ? info->methods.find("__call__") : std::map<std::string, const Callable *>::const_iterator();
    if (!info || found == info->methods.end() || !found->second || isHostCode(cx_, *found->second) || hasPartsOfTurns(*found->second)) return false;
    return !operand(written).barred;
  }

  /// `adamw(model, slopes, ...)`, `tree_map(f, model)` and `model(x)`: all that is done to the arrays of structs at once.
  bool goesOverTrees(const ast::CallExpr &e) {
    auto found = cx_.function.operands.find(e.callee.get());
    if (found == cx_.function.operands.end()) return false;
    const Value &callee = found->second;
    if (callee.kind == ValueKind::Builtin) return callee.builtin->kind == BuiltinKind::TreeMap;
    if (callee.kind == ValueKind::Struct) return true;
    return callee.kind == ValueKind::Function && cx_.libraryFiles.count(callee.callable->nameSpan.file) != 0;
  }

  std::optional<SeenPart> insideCall(const ast::CallExpr &e) {
    bool elementwise = false, method = false;
    auto hasKey = [](const ast::Argument &arg) { return arg.keyword && arg.keyword->text == "key"; };
    if (std::any_of(e.arguments.begin(), e.arguments.end(), hasKey)) return std::nullopt;  // `sorted(items, key=f)`
    if (!callsArrays(e, elementwise, method)) return std::nullopt;
    SeenPart all{method, method, false};
    for (const ast::Argument &arg : e.arguments) all.add(argument(e, *arg.value, elementwise));
    auto callee = cx_.function.operands.find(e.callee.get());
    if (callee != cx_.function.operands.end() && callee->second.kind == ValueKind::Derivative) all.touches = all.array = true;  // of a struct or a number alone, too
    if (auto *made = as<ast::CallExpr>(e.callee))  // `grad(lambda x: f(net, x))(x)`: the function that is compiled would not be given `net`
      for (const ast::Argument &arg : made->arguments)
        if (auto *lambda = as<ast::LambdaExpr>(arg.value))
          if (auto taken = insideLambda(*lambda); taken && taken->touches) return std::nullopt;
    if (goesOverTrees(e) && all.touches && !all.array) all.array = all.tried = true;
    if (callee != cx_.function.operands.end() && callee->second.kind == ValueKind::Struct) all.tried = true;
    return all.array && !all.barred ? std::optional(all) : std::nullopt;
  }

  /// A derivative takes a stream along: no host code could run it. Other functions that draw are run by host code.
  SeenPart argument(const ast::CallExpr &call, const ast::Expr &e, bool asNumber) {
    SeenPart seen = operand(e, asNumber);
    auto callee = cx_.function.operands.find(call.callee.get());
    auto known = cx_.function.operands.find(&e);
    const bool stream = known != cx_.function.operands.end() && known->second.kind == ValueKind::Rng;
    return stream && callee != cx_.function.operands.end() && callee->second.kind == ValueKind::Derivative ? SeenPart{} : seen;
  }

  /// What it takes from around it.
  std::optional<SeenPart> insideLambda(const ast::LambdaExpr &e) {
    SeenPart all;
    std::vector<const ast::Expr *> open = {e.body.get()};
    while (!open.empty()) {
      const ast::Expr *part = open.back();
      open.pop_back();
      auto *name = as<ast::NameExpr>(part);
      auto own = [&](const ast::Parameter &p) { return name && p.name.text == name->name; };
      if (name && std::none_of(e.parameters.begin(), e.parameters.end(), own)) {
        SeenPart seen = operand(*name, true);
        all.touches |= seen.touches, all.barred |= seen.barred;
      }
      ast::Children below = ast::childrenOf(*part);
      open.insert(open.end(), below.exprs.begin(), below.exprs.end());
    }
    return all;
  }

  Context &cx_;
  std::vector<ArrayOperand> &operands_;
};

}  // namespace

std::optional<SeenPart> lookInside(Context &cx, const ast::Expr &expr, std::vector<ArrayOperand> &operands) {
  return OperandSearch(cx, operands).inside(expr);
}

std::optional<SeenPart> lookInside(Context &cx, const std::vector<const ast::Expr *> &parts, std::vector<ArrayOperand> &operands) {
  return OperandSearch(cx, operands).together(parts, true);
}

}  // namespace tessera::sema
