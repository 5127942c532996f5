// Kernels: decorators, the grid, results, and how parameters are used.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/races/KernelSafety.h"
#include "sema/trace/Trace.h"
#include "support/Check.h"
#include "support/Lanes.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
const char linearName[] = "%q:5:0";

/// The parameter that the first store of a body writes to.
std::string firstStored(const ast::Block &block) {
  for (const ast::StmtPtr &stmt : block) {
    const ast::Expr *target = nullptr;
    if (auto *s = as<ast::AssignStmt>(stmt)) target = s->targets[0].get();
    else if (auto *s = as<ast::AugAssignStmt>(stmt)) target = s->target.get();
    else if (auto *s = as<ast::ExprStmt>(stmt)) {
      auto *call = as<ast::CallExpr>(s->value);
      auto *callee = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
      if (callee && callee->attribute.text == "store" && !call->arguments.empty())
        target = call->arguments[0].value.get();
    }
    if (auto *index = as<ast::SubscriptExpr>(target))
      if (auto *name = as<ast::NameExpr>(index->object)) return name->name;
    for (const ast::Block *inner : {as<ast::IfStmt>(stmt) ? &as<ast::IfStmt>(stmt)->then : nullptr,
                                    as<ast::IfStmt>(stmt) ? &as<ast::IfStmt>(stmt)->otherwise : nullptr,
                                    as<ast::ForStmt>(stmt) ? &as<ast::ForStmt>(stmt)->body : nullptr,
                                    as<ast::WhileStmt>(stmt) ? &as<ast::WhileStmt>(stmt)->body : nullptr})
      if (inner)
        if (std::string found = firstStored(*inner); !found.empty()) return found;
  }
  return "";
}

/// `BLOCK` of `grid=(cdiv(N, BLOCK),)`, where it is a parameter `BLOCK: i32`: a number of the run. Null if none.
const ast::Parameter *numberOfRun(const ast::Expr &grid, const ast::FuncDef &def) {
  if (auto *name = as<ast::NameExpr>(&grid))
    for (const ast::Parameter &p : def.parameters)
      if (auto *type = as<ast::NameExpr>(p.annotation); type && p.name.text == name->name)
        if (auto dtype = dtypeByName(type->name); type->name == "Int" || (dtype && !isFloat(*dtype))) return &p;
  for (const ast::Expr *part : ast::childrenOf(grid).exprs)
    if (const ast::Parameter *found = numberOfRun(*part, def)) return found;
  return nullptr;
}
}  // namespace

std::string decoratorName(Context &cx, const ast::Expr &expr) {
  if (auto *call = as<ast::CallExpr>(&expr)) return decoratorName(cx, *call->callee);
  if (auto *name = as<ast::NameExpr>(&expr)) {
    Value v = lookupName(cx, name->name, expr.span, true);
    if (v.kind == ValueKind::Module) return "";
    return v.kind == ValueKind::Builtin ? std::string(v.builtin->name) : name->name;
  }
  if (auto *attribute = as<ast::AttributeExpr>(&expr)) {
    std::string base = decoratorName(cx, *attribute->object);
    return base.empty() ? attribute->attribute.text : base + "." + attribute->attribute.text;
  }
  return "";
}

/// `group=(32, 8)`: how many lanes that are; 0 after a message.
static int64_t lanesOfAxes(Context &cx, const Value &extents, Span span) {
  int64_t lanes = 1;
  std::vector<int64_t> known;
  for (const Value &item : extents.items) {
    auto extent = knownInt(cx, item, span, "the size of a group");
    if (!extent) return 0;
    const bool fits = *extent >= 1 && *extent <= kMostGroupLanes && lanes * *extent <= kMostGroupLanes;
    lanes = fits ? lanes * *extent : 0;
    known.push_back(std::max<int64_t>(*extent, 1));
  }
  cx.function.groupExtents = std::move(known);
  if (extents.items.empty() || extents.items.size() > 3) {
    report(cx, Id::badKernelOption, span, "a group has one, two or three dimensions, not " + std::to_string(extents.items.size()));
    return 0;
  }
  if (lanes == 0) {
    report(cx, Id::badKernelOption, span, "a group has 1 to " + std::to_string(kMostGroupLanes) + " lanes, along all its dimensions together");
    return 0;
  }
  return lanes;
}

static void kernelOption(Context &cx, const std::string &option, const ast::Expr &expr) {
  KernelInfo &kernel = cx.function.fn->kernel;
  if (option == "grid") {
    Value v = checkExpr(cx, expr);
    if (v.isPoison()) return;
    kernel.grid = GridKind::Explicit;
    const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
    if (const ast::Parameter *number = def ? numberOfRun(expr, *def) : nullptr) {
      std::string asDim = "Const[\"" + number->name.text + "\"]";
      report(cx, Id::notConstant, number->name.span.to(number->annotation->span), "a number that the grid depends on")
          .note(expr.span, "the grid is computed from `" + number->name.text + "`")
          .help("as a dimension it is known: `" + number->name.text + ": " + asDim + "`")
          .suggest(number->annotation->span, asDim, "write `" + asDim + "`");
      cx.function.frame->names[number->name.text].value =
          Value::poison();  // the sizes that depend on it are the same mistake
      return;
    }
    if (!shapeArgument(cx, v, expr.span, kernel.gridDims)) return;
    if (kernel.gridDims.empty() || kernel.gridDims.size() > 3)
      report(cx, Id::badKernelOption, expr.span,
             "a grid has one, two or three dimensions, not " + std::to_string(kernel.gridDims.size()));
    for (const Dim &d : kernel.gridDims)
      if (d.isConstant() && d.constant() < 1) {
        report(cx, Id::badKernelOption, expr.span,
               "a grid has at least one group along each dimension, not " + std::to_string(d.constant()));
        break;
      }
  } else if (option == "group") {
    Value v = checkExpr(cx, expr);
    if (v.isSequence()) {  // `group=(32, 8)`
      kernel.groupSize = lanesOfAxes(cx, v, expr.span);
      return;
    }
    auto size = knownInt(cx, v, expr.span, "the size of a group");
    if (size && (*size < 1 || *size > kMostGroupLanes))
      report(cx, Id::badKernelOption, expr.span,
             "a group has 1 to " + std::to_string(kMostGroupLanes) + " lanes, not " + std::to_string(*size));
    else if (size) kernel.groupSize = *size;
  } else if (option == "lanes") {
    std::vector<Dim> shape;
    Value v = checkExpr(cx, expr);
    if (v.isPoison() || !shapeArgument(cx, v, expr.span, shape)) return;
    if (shape.size() != 1) {
      report(cx, Id::badKernelOption, expr.span, "`lanes` is one number");
      return;
    }
    kernel.grid = GridKind::Lanes;
    kernel.laneExtent = shape[0];
    cx.function.lanesKnown = cx.function.lanesGiven = true;
  }  // of another one decoratorNames() tells
}

/// The seed is that of the function's random streams; a function without any needs none.
static void deterministicOption(Context &cx, const ast::CallExpr &call) {
  for (const ast::Argument &arg : call.arguments) {
    if (!arg.keyword) {
      auto builder = report(cx, Id::unknownKeyword, arg.span, "deterministic", std::string(cx.sources.text(arg.span)));
      builder.help("its seed is given by name");
      if (call.arguments.size() == 1)
        builder.suggest({arg.span.file, arg.span.begin, arg.span.begin}, "seed=", "name it");
    } else if (arg.keyword->text != "seed")
      report(cx, Id::unknownKeyword, arg.span, "deterministic", arg.keyword->text).help("it takes `seed`");
    else knownInt(cx, checkExpr(cx, *arg.value), arg.value->span, "a seed");
  }
}

void checkDecorators(Context &cx, const ast::FuncDef &def) {
  for (const ast::Decorator &decorator : def.decorators) {
    std::string which = decoratorName(cx, *decorator.expression);
    auto *call = as<ast::CallExpr>(decorator.expression);
    if (which == "kernel") {
      if (!call) continue;
      for (const ast::Argument &arg : call->arguments)
        kernelOption(cx, arg.keyword ? arg.keyword->text : "", *arg.value);
    } else if (which == "kernel.schedule") {
      scheduleDecorator(cx, decorator);
    } else if (which == "kernel.autotune") {
      if (call) autotuneOption(cx, *call);
    } else if (which == "deterministic") {
      cx.function.fn->deterministic = true;
      if (call) deterministicOption(cx, *call);
    } else if (which == "verify.numerics") {
      numericsClaim(cx, call, def, decorator.span);
    } else if (which == "fast") {
      continue;  // freedoms() looks at it
    } else if (which == "autodiff") {
      differentiable(cx, decorator.span);
    }
  }
}

// ---------------------------------------------------------------- the grid

void startKernel(Context &cx, const ast::FuncDef &def) {
  KernelInfo &kernel = cx.function.fn->kernel;
  cx.function.loopsByOne.clear();  // variables are numbered anew in each function
  cx.function.counters.clear();
  cx.function.ofData.clear();
  cx.function.dataEnds.clear();
  if (cx.function.declared && !cx.function.declared->empty()) {
    cx.function.outputShape = cx.function.declared->front().shape;
  } else if (std::string stored = firstStored(def.body); !stored.empty()) {
    for (size_t i = 0; i < cx.function.fn->params.size(); ++i)
      if (cx.function.fn->params[i].var->name == stored) {
        cx.function.outputShape = cx.function.fn->params[i].var->type.shape;
        kernel.outputParam = static_cast<int>(i);
      }
  }
  auto bound = [&](Query q, int axis, const Dim &extent) {
    Dim var = Dim::var("%q:" + std::to_string(static_cast<int>(q)) + ":" + std::to_string(axis));
    cx.function.facts.addNonNegative(var);
    cx.function.facts.addNonNegative(extent - Dim(1) - var);
  };
  for (size_t i = 0; i < cx.function.outputShape.size(); ++i)
    bound(Query::Origin, static_cast<int>(i), cx.function.outputShape[i]);
  for (size_t i = 0; i < kernel.gridDims.size(); ++i) bound(Query::GroupId, static_cast<int>(i), kernel.gridDims[i]);
  if (kernel.groupSize > 0) bound(Query::LocalId, 0, Dim(kernel.groupSize));
  cx.function.facts.addNonNegative(Dim::var(linearName));
}

Value gridQuery(Context &cx, Query which, int axis, Span span) {
  bool lane = which == Query::LocalId || which == Query::LaneId || which == Query::LinearId;
  cx.function.fn->kernel.usesLanes |= lane;
  if (which == Query::LinearId && !cx.function.linearSpan.valid()) cx.function.linearSpan = span;
  Value v = Value::of(ValueKind::Int);
  v.type = indexType();
  bool known = which == Query::GroupSize && cx.function.fn->kernel.groupSize > 0;
  v.sym = known ? Dim(cx.function.fn->kernel.groupSize)
                : Dim::var("%q:" + std::to_string(static_cast<int>(which)) + ":" + std::to_string(axis));
  ExprPtr e = makeExpr(ExprKind::Query, indexType(), span);
  e->as<node::Query>() = {which, axis};
  v.expr = std::shared_ptr<Expr>(e.release());
  return v;
}

Value tileOrigin(Context &cx, Span span) {
  if (cx.function.fn->kernel.grid != GridKind::Output) {
    report(cx, Id::badKernelOption, span, "`tile.origin()` has no meaning in a kernel with a grid of its own")
        .help("use `tile.group_id(axis)`");
    return Value::poison();
  }
  if (cx.function.outputShape.empty()) {
    if (fresh(cx, Id::noOutput, span))
      report(cx, Id::noOutput, span).help("declare the result, `-> Tensor[...]`, or store into a parameter");
    return Value::poison();
  }
  std::vector<Value> items;
  for (size_t i = 0; i < cx.function.outputShape.size(); ++i)
    items.push_back(gridQuery(cx, Query::Origin, static_cast<int>(i), span));
  return Value::tuple(std::move(items));
}

void noteLaneGuard(Context &cx, const std::vector<Dim> &implies, Span span) {
  if (!cx.function.linearSpan.valid()) return;
  for (const Dim &fact : implies) {
    Dim extent = cx.function.facts.external(fact) + Dim(1) + Dim::var(linearName);
    std::set<std::string> vars;
    extent.collectVars(vars);
    bool pure = true;
    for (const std::string &v : vars) pure &= v[0] != '%';
    if (!pure) continue;
    if (cx.function.lanesGiven || cx.function.fn->kernel.grid == GridKind::Explicit) continue;
    cx.function.fn->kernel.grid = GridKind::Lanes;
    cx.function.fn->kernel.laneExtent =
        cx.function.lanesKnown ? Dim::max(cx.function.fn->kernel.laneExtent, extent) : extent;
    cx.function.lanesKnown = true;
    return;
  }
}

// ---------------------------------------------------------------- results

static void returnTile(Context &cx, Value value, int index, int count, Span span);
static std::optional<std::vector<int>> groupsOfAxes(Context &cx, const std::vector<Dim> &tileDims, const Type &type);
static void storeResult(Context &cx, ExprPtr stored, const std::vector<Dim> &tileDims, Type type, int index, int count,
                        Span span);
static void unplacedStore(Context &cx, const Stmt &store, const ast::FuncDef &def);
static void unknownGrid(Context &cx, const std::set<Var *> &written, const ast::FuncDef &def);

void returnFromKernel(Context &cx, const ast::ReturnStmt &stmt) {
  if (!stmt.value || stmt.value->kind == ast::ExprKind::None) {
    if (cx.function.declared && !cx.function.declared->empty())
      report(cx, Id::missingReturn, stmt.span, cx.function.fn->name);
    return;
  }
  Value value = checkExpr(cx, *stmt.value);
  TSR_CHECK(!value.isPoison() || cx.failures > 0 || cx.diagnostics.hasErrors(), "a mistake without a message");
  if (value.isPoison()) return;
  std::vector<Value> values = value.isSequence() ? value.items : std::vector<Value>{value};
  if (cx.function.declared && cx.function.declared->size() != values.size()) {
    report(cx, Id::wrongResult, stmt.value->span, cx.function.fn->name, std::to_string(values.size()) + " values",
           std::to_string(cx.function.declared->size()) + (cx.function.declared->size() == 1 ? " result" : " results"));
    return;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const ast::Expr *item = value.isSequence() ? itemOf(stmt.value.get(), i, values.size()) : nullptr;
    returnTile(cx, values[i], static_cast<int>(i), static_cast<int>(values.size()),
               item ? item->span : stmt.value->span);
  }
}

/// A parameter that is returned: the result is what was stored into it. False if it is no parameter.
static bool returnParameter(Context &cx, const Value &value, int index, Span span) {
  if (value.kind != ValueKind::View) return false;
  for (size_t i = 0; i < cx.function.fn->params.size(); ++i) {
    if (cx.function.fn->params[i].var != value.var) continue;
    Type type = value.var->type;
    type.kind = TypeKind::Tensor;
    if (cx.function.declared) {
      const Type &want = (*cx.function.declared)[index];
      bool same = want.dtype == type.dtype && want.shape.size() == type.shape.size();
      for (size_t a = 0; same && a < want.shape.size(); ++a)
        same = cx.function.facts.same(want.shape[a], type.shape[a]);
      if (!same) {
        report(cx, Id::wrongResult, span, cx.function.fn->name, "`" + type.str() + "`", "`" + want.str() + "`");
        return true;
      }
    }
    cx.function.fn->results.push_back({value.var->name, type, static_cast<int>(i)});
    if (index == 0 && cx.function.fn->kernel.outputParam < 0)
      cx.function.fn->kernel.outputParam = static_cast<int>(i);  // its tiles are the grid
    return true;
  }
  return false;
}

/// Whether a tile of this shape can be a part of the declared output.
static bool tileFits(Context &cx, const std::vector<Dim> &tileDims, const Type &type, Span declaredAt, Span span) {
  if (tileDims.size() > type.shape.size()) {
    report(cx, Id::tileMismatch, span, shapeText(cx, tileDims), "`" + type.str() + "`")
        .note(declaredAt, "declared here");
    return false;
  }
  size_t lead = type.shape.size() - tileDims.size();
  for (size_t a = 0; a < tileDims.size(); ++a) {
    // A tile that is larger than the whole output, or refers to another dimension of it, was meant otherwise.
    const Dim &have = tileDims[a], &whole = type.shape[lead + a];
    std::set<std::string> vars;
    have.collectVars(vars);
    bool ofContext = have.isConstant();
    for (const std::string &v : vars) ofContext |= shape::isPositiveName(v);
    if (ofContext || cx.function.facts.same(have, whole)) continue;
    report(cx, Id::tileMismatch, span, shapeText(cx, tileDims), "`" + type.str() + "`")
        .label(show(cx, have) + " is not " + show(cx, whole))
        .note(declaredAt, "declared here");
    return false;
  }
  if (!type.shape.empty() && cx.function.fn->kernel.grid != GridKind::Output && !groupsOfAxes(cx, tileDims, type)) {
    report(cx, Id::badKernelOption, span,
           "a kernel with a grid of its own stores its result: the place of a returned tile is not known")
        .help("take the output as a parameter and write `C[...] = tile`");
    return false;
  }
  return true;
}

constexpr int kWholeAxis = -1;

/// For each axis of the output the axis of a grid of the kernel's own whose groups own an index of it, or a tile along it: `grid=(R,)` and
/// a row, `grid=(cdiv(M, 32), cdiv(N, 32))` and a tile of 32 times 32. Nothing if the grid is not made of the output so.
static std::optional<std::vector<int>> groupsOfAxes(Context &cx, const std::vector<Dim> &tileDims, const Type &type) {
  const KernelInfo &kernel = cx.function.fn->kernel;
  if (kernel.grid != GridKind::Explicit) return std::nullopt;
  const size_t lead = type.shape.size() - tileDims.size();
  std::vector<int> groups;
  size_t next = 0;
  for (size_t axis = 0; axis < type.shape.size(); ++axis) {
    const Dim size = axis < lead ? Dim(1) : tileDims[axis - lead];
    if (axis >= lead && cx.function.facts.same(size, type.shape[axis])) {
      groups.push_back(kWholeAxis);
      continue;
    }
    const Dim count = axis < lead ? type.shape[axis] : Dim::ceilDiv(type.shape[axis], size);
    if (next >= kernel.gridDims.size() || !cx.function.facts.same(kernel.gridDims[next], count)) return std::nullopt;
    groups.push_back(static_cast<int>(next++));
  }
  return next == kernel.gridDims.size() ? std::optional(std::move(groups)) : std::nullopt;
}

/// A tile that was cut at the edge of a tensor by the origin of another axis than the one along which it is stored:
/// its rows are the output's columns. True after a message.
static bool cutElsewhere(Context &cx, const Value &tile, const Type &type, Span span) {
  const std::string prefix = "%q:" + std::to_string(static_cast<int>(Query::Origin)) + ":";
  size_t rank = tile.type.shape.size(), lead = type.shape.size() - rank;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (!tile.limit(axis)) continue;
    std::set<std::string> vars;
    cx.function.facts.simplify(tile.limit(axis)->end).collectVars(vars);
    std::string other;
    for (const std::string &v : vars)
      if (v.rfind(prefix, 0) == 0) other = v.substr(prefix.size());
    if (other.empty() || vars.count(prefix + std::to_string(lead + axis))) continue;
    report(cx, Id::tileMismatch, span, shapeText(cx, tile.type.shape), "`" + type.str() + "`")
        .label("its axis " + std::to_string(axis) + " starts at the origin of the output's axis " + other)
        .help("a tile is stored where the group's origin is, axis by axis: `tile.transpose` exchanges them");
    return true;
  }
  return false;
}

static bool hasSubscript(const ast::Expr &expr) {
  const std::vector<const ast::Expr *> parts = ast::childrenOf(expr).exprs;
  auto *subscript = as<ast::SubscriptExpr>(&expr);  // of a tensor: `tile.origin()[0]` is none
  return (subscript && subscript->object->kind == ast::ExprKind::Name) ||
         std::any_of(parts.begin(), parts.end(), [](const ast::Expr *e) { return hasSubscript(*e); });
}
/// Whether these statements take a part of anything: who writes `x[:]` means one group.
static bool takesSlices(const ast::Block &block) {
  return std::any_of(block.begin(), block.end(), [](const ast::StmtPtr &stmt) {
    const ast::Children below = ast::childrenOf(*stmt);
    const std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(below.exprs.begin(), below.exprs.end(), [](const ast::Expr *e) { return hasSubscript(*e); }) ||
           std::any_of(blocks.begin(), blocks.end(), [](const ast::Block *inner) { return takesSlices(*inner); });
  });
}

/// A tile that is the whole output, whatever its size: it is computed by one group, and the rest of the machine waits.
static void wholeOutput(Context &cx, const std::vector<Dim> &tileDims, const Type &type, Span span) {
  bool whole = tileDims.size() == type.shape.size(), large = false;
  for (size_t axis = 0; whole && axis < tileDims.size(); ++axis) {
    whole &= cx.function.facts.same(tileDims[axis], type.shape[axis]);
    large |= !tileDims[axis].isConstant();
  }
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  if (!whole || !large || !def || takesSlices(def->body) ||
      cx.reportedSpans.count({static_cast<int>(Id::oneGroup), span.file, span.begin}))
    return;
  warn(cx, Id::oneGroup, span, cx.function.fn->name)
      .label("this tile has the shape of the whole result")
      .help("a group computes a part: `T = tile.context()`, `m, n = tile.origin()`, and slices `x[m:m + T.m, n:n + "
            "T.n]`, or a row, `x[m, :]`");
}

static void returnTile(Context &cx, Value value, int index, int count, Span span) {
  if (returnParameter(cx, value, index, span)) return;
  if (!cx.function.declared) {
    report(cx, Id::noOutput, span)
        .help("declare the result of `" + cx.function.fn->name + "`, `-> Tensor[...]`: its shape gives the grid");
    return;
  }
  Type type = (*cx.function.declared)[index];
  Value tile = toArray(cx, value, type.dtype, span);
  if (tile.isPoison()) return;
  if (tile.kind != ValueKind::Array) {
    report(cx, Id::wrongResult, span, cx.function.fn->name, describe(cx, tile), "`" + type.str() + "`");
    return;
  }
  std::vector<Dim> tileDims = tile.type.shape;
  if (type.shape.empty() && tileDims.empty() && lanesDisagree(cx, tile, span)) return;
  if (!tileFits(cx, tileDims, type, cx.function.declaredSpans[index], span) || cutElsewhere(cx, tile, type, span))
    return;
  ExprPtr stored = castToPlace(cx, tile, type, span, "the declared result");
  if (!stored) return;
  wholeOutput(cx, tileDims, type, span);
  storeResult(cx, std::move(stored), tileDims, type, index, count, span);
}

/// Stores a returned tile at the origin of the group, into a result parameter of its own.
static void storeResult(Context &cx, ExprPtr stored, const std::vector<Dim> &tileDims, Type type, int index, int count,
                        Span span) {
  Type view = type;
  view.kind = TypeKind::View;
  std::string name = resultName(cx, count == 1 ? "result" : "result_" + std::to_string(index));
  Param param;
  param.var = newVar(cx, name, view, cx.function.declaredSpans[index]);
  param.mode = ParamMode::Out;
  param.isResult = true;
  Stmt &store = emit(cx, StmtKind::Store, span);
  store.access.base = param.var;
  store.value = std::move(stored);
  store.oncePerGroup = tileDims.empty();
  size_t lead = type.shape.size() - tileDims.size();
  const std::optional<std::vector<int>> groups = groupsOfAxes(cx, tileDims, type);
  std::vector<Dim> tileShape;
  for (size_t axis = 0; axis < type.shape.size(); ++axis) {
    IndexPart part;
    part.isPoint = axis < lead;
    part.size = part.isPoint ? Dim(1) : tileDims[axis - lead];
    bool whole = !part.isPoint && cx.function.facts.same(part.size, type.shape[axis]);
    if (!whole) {
      part.offset = makeExpr(ExprKind::Query, indexType(), span);
      part.offset->as<node::Query>().what = groups ? Query::GroupId : Query::Origin;
      part.offset->as<node::Query>().axis = groups ? (*groups)[axis] : static_cast<int>(axis);
      if (groups && !part.isPoint) {
        std::vector<ExprPtr> factors;
        factors.push_back(std::move(part.offset));
        factors.push_back(dimExpr(cx, part.size, span));
        part.offset = makeElementwise(ElementwiseOp::Mul, indexType(), span, std::move(factors));
      }
    }
    part.inBounds = part.isPoint || whole;
    tileShape.push_back(part.size);
    store.access.parts.push_back(std::move(part));
  }
  int at = static_cast<int>(cx.function.fn->params.size());
  if (index == 0 && cx.function.fn->kernel.grid == GridKind::Output) {
    cx.function.fn->kernel.outputParam = at;
    cx.function.fn->kernel.tileShape = tileShape;
  }
  cx.function.fn->params.push_back(std::move(param));
  type.kind = TypeKind::Tensor;
  cx.function.fn->results.push_back({name, type, at});
}

/// The parameter that the first store of a block is to; -1: there is none.
static int firstStoredParam(const Block &block, const std::vector<Param> &params) {
  for (const auto &s : block) {
    if (s->kind == StmtKind::Store)
      for (size_t i = 0; i < params.size(); ++i)
        if (params[i].var == s->access.base) return static_cast<int>(i);
    for (const Block *inner : {&s->body, &s->otherwise})
      if (int found = firstStoredParam(*inner, params); found >= 0) return found;
  }
  return -1;
}

void finishKernel(Context &cx, const ast::FuncDef &def) {
  KernelInfo &kernel = cx.function.fn->kernel;
  if (kernel.outputParam < 0) kernel.outputParam = firstStoredParam(cx.function.fn->body, cx.function.fn->params);
  if (!cx.function.frame->returned && cx.function.declared && !cx.function.declared->empty())
    report(cx, Id::missingReturn, def.name.span, cx.function.fn->name);
  std::set<Var *> loaded, stored;
  visitExprs(cx.function.fn->body, [&](Expr &e) {
    if (e.kind == ExprKind::Load) loaded.insert(e.as<node::Load>().access.base);
  });
  const Stmt *tileStore = nullptr;
  std::function<void(const Block &)> stores = [&](const Block &block) {
    for (const auto &s : block) {
      if (s->kind == StmtKind::Store) {
        stored.insert(s->access.base);
        bool output = kernel.outputParam >= 0 && s->access.base == cx.function.fn->params[kernel.outputParam].var;
        if (output && !tileStore) tileStore = s.get();
      }
      if (s->kind == StmtKind::Atomic) loaded.insert(s->access.base), stored.insert(s->access.base);
      if (s->kind == StmtKind::AsyncCopy) loaded.insert(s->source.base);
      stores(s->body);
      stores(s->otherwise);
    }
  };
  stores(cx.function.fn->body);
  if (cx.function.linearSpan.valid() && cx.function.lanesKnown &&
      !cx.function.lanesGiven)  // work outside of the guard would need more lanes
    for (const auto &s : cx.function.fn->body)
      if (s->kind == StmtKind::Store && isVarying(s->access))
        report(cx, Id::unguardedLanes, s->span)
            .label("this lies outside of the guard")
            .help("move it under the guard, or say `@kernel(lanes=n)`");
  bool writes = false;
  for (Param &p : cx.function.fn->params) {
    bool in = loaded.count(p.var), out = stored.count(p.var);
    p.mode = out ? (in ? ParamMode::InOut : ParamMode::Out) : ParamMode::In;
    writes |= out;
  }
  if (cx.function.linearSpan.valid() && !cx.function.lanesKnown && kernel.grid != GridKind::Explicit)
    report(cx, Id::unguardedLanes, cx.function.linearSpan)
        .label("every lane gets a number here")
        .help("guard the work, `if i < n:`, or say `@kernel(lanes=n)`");
  if (!writes) {
    report(cx, Id::noOutput, def.name.span)
        .label("it stores nothing and returns nothing")
        .help("return a tile, or store into a parameter");
    return;
  }
  unwrittenResults(cx, def, stored);
  if (tileStore) unplacedStore(cx, *tileStore, def);
  else if (kernel.grid == GridKind::Output && kernel.tileShape.empty()) unknownGrid(cx, stored, def);
  size_t failures = cx.failures;
  checkCoverage(cx);
  if (cx.failures == failures) checkOverlap(cx);
  if (cx.failures == failures) checkAtomics(cx, def);
  if (cx.failures == failures) checkGridAxes(cx, def);
  if (cx.failures == failures) checkPartsOfTurns(cx, def);
  scheduleOfGrid(cx, def);
  scheduleOrder(cx, def);
  if (kernel.grid == GridKind::Explicit || kernel.grid == GridKind::Lanes) kernel.outputParam = -1;
  if (kernel.grid == GridKind::Output && kernel.tileShape.empty() && tileStore)
    for (const IndexPart &part : tileStore->access.parts) kernel.tileShape.push_back(part.isPoint ? Dim(1) : part.size);
}

/// A grid that would come from the output, of which no group stores a part: all write to elements in one step.
static void unknownGrid(Context &cx, const std::set<Var *> &written, const ast::FuncDef &def) {
  const KernelInfo &kernel = cx.function.fn->kernel;
  const Var *first = kernel.outputParam >= 0 ? cx.function.fn->params[kernel.outputParam].var : *written.begin();
  report(cx, Id::noOutput, def.name.span)
      .label("nothing says how many groups there are: each only updates elements of `" + first->name + "` in one step")
      .help("say how many, `@kernel(grid=(1,), group=64)`, or let each lane do one: `i = tile.linear_id()` under `if i < n:`");
}

/// A grid that comes from a store to a part of a parameter, in a kernel whose groups all do the same.
static void unplacedStore(Context &cx, const Stmt &store, const ast::FuncDef &def) {
  if (cx.function.fn->kernel.grid != GridKind::Output) return;
  bool placed = false, whole = true;
  visitExprs(cx.function.fn->body, [&](Expr &e) { placed |= e.kind == ExprKind::Query; });
  for (size_t axis = 0; axis < store.access.parts.size(); ++axis) {
    const IndexPart &part = store.access.parts[axis];
    whole &= !part.isPoint && !part.offset && cx.function.facts.same(part.size, store.access.base->type.shape[axis]);
  }
  if (placed || whole) return;
  report(cx, Id::noOutput, def.name.span)
      .label("nothing says which part of `" + store.access.base->name + "` a group does")
      .note(store.span, "every group stores the same part")
      .help("store at `tile.origin()`, or say how many groups there are: `@kernel(grid=(1,), group=64)`");
}

void checkRaces(Context &cx, const ast::FuncDef &def) {
  diag::Engine found;
  const Effects effects = races::checkKernelSafety(*cx.function.fn, def, cx.sources, found);
  for (const Effect &effect : effects.all()) noteEffect(cx, effect);
  for (const diag::Diagnostic &d : found.all()) {
    if (cx.reportedSpans.insert({static_cast<int>(d.id), d.span.file, d.span.begin}).second) cx.diagnostics.append(d);
    cx.failures += d.severity == diag::Severity::Error;
  }
}

}  // namespace tessera::sema
