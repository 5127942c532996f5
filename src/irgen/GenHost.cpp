// Host code: calls of entry points, files, text and assertions.
#include "ir/graph/HostCalls.h"
#include "irgen/FunctionGen.h"
#include "support/Check.h"

namespace tessera::irgen {
using namespace mlir;
using checked::ExprKind;
using checked::StmtKind;
namespace node = checked::node;

bool FunctionGen::genHostStmt(const checked::Stmt &stmt) {
  Location location = place(stmt.span);
  switch (stmt.kind) {
  case StmtKind::Print: builder_.create<graph::PrintOp>(location, genExpr(*stmt.value)); return true;
  case StmtKind::SaveNpy: {
    Value path = genExpr(*stmt.value), tensor = genExpr(*stmt.extra);
    builder_.create<graph::SaveNpyOp>(location, tensor, path);
    return true;
  }
  case StmtKind::Assert: {
    TSR_CHECK(isHost(), "an assert outside host code; the checker refuses it");
    Value condition = genExpr(*stmt.condition);
    Value message = stmt.value ? genExpr(*stmt.value) : Value();
    builder_.create<graph::AssertOp>(location, condition, message);
    return true;
  }
  default: return false;
  }
}

Value FunctionGen::genHostExpr(const checked::Expr &expr, Location location) {
  switch (expr.kind) {
  case ExprKind::String:
    return builder_.create<graph::StringOp>(location, ir::StringType::get(builder_.getContext()),
                                            builder_.getStringAttr(expr.as<node::String>().text));
  case ExprKind::LoadNpy: {
    Type type = ir::HostTensorType::get(builder_.getContext());
    return builder_.create<graph::LoadNpyOp>(location, type, genExpr(*expr.args[0]));
  }
  case ExprKind::HostCall: {
    SmallVector<Value> operands;
    for (const auto &arg : expr.args) operands.push_back(genExpr(*arg));
    SmallVector<Type> results;
    if (expr.type.kind != checked::TypeKind::None) results.push_back(typeOf(expr.type));
    auto call = builder_.create<graph::HostCallOp>(location, results, builder_.getStringAttr(expr.as<node::HostCall>().function), operands);
    return results.empty() ? Value() : call.getResult(0);
  }
  case ExprKind::HostRank:
    return builder_.create<graph::HostRankOp>(location, builder_.getIndexType(), genExpr(*expr.args[0]));
  case ExprKind::HostShape:
    return builder_.create<graph::HostShapeOp>(location, builder_.getIndexType(), genExpr(*expr.args[0]),
                                               builder_.getI64IntegerAttr(expr.as<node::HostShape>().axis));
  case ExprKind::HostItem: {
    Value tensor = genExpr(*expr.args[0]);
    Value index = expr.args.size() > 1 ? genExpr(*expr.args[1]) : Value();
    return builder_.create<graph::HostItemOp>(location, typeOf(expr.type), tensor, index);
  }
  case ExprKind::Format: {
    SmallVector<Value> values;
    for (const auto &arg : expr.args) values.push_back(genExpr(*arg));
    auto strings = [&](const std::vector<std::string> &texts) {
      return builder_.getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end()));
    };
    return builder_.create<graph::FormatOp>(location, ir::StringType::get(builder_.getContext()), values,
                                            strings(expr.as<node::Format>().texts), strings(expr.as<node::Format>().formats));
  }
  default: TSR_UNREACHABLE("an expression that no phase knows in " + function_.name);
  }
}

SmallVector<Value> FunctionGen::genCall(const checked::Expr &expr, Location location) {
  TSR_CHECK(expr.as<node::Call>().callee, "a call of nothing");
  SmallVector<Value> operands;
  for (const auto &arg : expr.args) operands.push_back(genExpr(*arg));
  SmallVector<Type> types;
  if (expr.type.kind == checked::TypeKind::Tuple)
    for (const checked::Type &item : expr.type.items) types.push_back(typeOf(item));
  else if (expr.type.kind != checked::TypeKind::None) types.push_back(typeOf(expr.type));
  auto call = builder_.create<graph::CallOp>(location, types, StringRef(expr.as<node::Call>().callee->name), operands);
  if (types.size() > 1) {
    SmallVector<StringRef> names;
    for (const auto &result : expr.as<node::Call>().callee->results) names.push_back(result.name);
    call->setAttr("tsr.names", builder_.getStrArrayAttr(names));
  }
  return SmallVector<Value>(call.getResults());
}

SmallVector<Value> FunctionGen::genTuple(const checked::Expr &expr) {
  if (expr.kind == ExprKind::Call) return genCall(expr, place(expr.span, expr.nameHint));
  TSR_CHECK(expr.kind == ExprKind::VarRef && values_.count(expr.as<node::VarRef>().var),
            "a tuple that is neither a call nor a name");
  return llvm::to_vector<6>(values_.at(expr.as<node::VarRef>().var));
}

}  // namespace tessera::irgen
