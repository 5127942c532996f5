// `object.name`: members of modules, properties and methods of values, sizes of the tile context.
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/calls/Models.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tessera::sema {

Value builtinMember(Context &cx, const std::string &space, const std::string &name) {
  char place = space == "tile" ? 'T' : 'P';
  if (const BuiltinRow *row = builtinByName(name, place)) {
    Value v = Value::of(ValueKind::Builtin);
    v.builtin = row;
    v.text = name;
    return v;
  }
  if (place == 'T') {  // the helpers over tiles are written in the language
    if (cx.prelude) {
      auto it = cx.prelude->names.find(name);
      if (it != cx.prelude->names.end() && isCallable(it->second)) return it->second;
    }
    return Value::poison();
  }
  if (name == "tile") {
    Value v = Value::of(ValueKind::Module);
    v.text = "tile";
    return v;
  }
  if (auto dtype = dtypeByName(name)) return Value::dtype(*dtype);
  static const std::map<std::string, double> constants = {{"INF", std::numeric_limits<double>::infinity()},
                                                          {"NAN", std::numeric_limits<double>::quiet_NaN()},
                                                          {"inf", std::numeric_limits<double>::infinity()},
                                                          {"nan", std::numeric_limits<double>::quiet_NaN()},
                                                          {"pi", 3.14159265358979323846}};
  if (auto it = constants.find(name); it != constants.end()) return Value::real(it->second);
  if (name == "KiB") return Value::integer(Dim(1024));
  if (name == "MiB") return Value::integer(Dim(1024 * 1024));
  if (name == "GiB") return Value::integer(Dim(int64_t(1) << 30));
  for (const char *type : {"Tensor", "Const", "Int", "Tile", "Callable", "tuple", "list"})
    if (name == type) {
      Value v = Value::of(ValueKind::TypeName);
      v.text = name;
      return v;
    }
  return Value::poison();
}

Value memberOfMath(Context &cx, const std::string &name) {
  static const std::map<std::string, double> constants = {{"e", 2.71828182845904523536},
                                                          {"tau", 6.28318530717958647693},
                                                          {"inf", std::numeric_limits<double>::infinity()}};
  if (auto it = constants.find(name); it != constants.end()) return Value::real(it->second);
  const std::string ours = name == "fabs" ? "abs" : name;
  if (cx.prelude && cx.prelude->names.count(ours)) return cx.prelude->names.at(ours);
  return builtinMember(cx, "", ours);
}

Value moduleMember(const ModuleScope &scope, const std::string &name) {
  auto it = scope.names.find(name);
  return it == scope.names.end() ? Value::poison() : it->second;
}

static Value member(Context &cx, const Value &object, const std::string &name, Span span);

Value checkAttribute(Context &cx, const ast::AttributeExpr &expr) {
  Value object = checkExpr(cx, *expr.object);
  if (object.isPoison()) return object;
  if (object.kind == ValueKind::Dict || isHeldDict(object)) {
    if (const BuiltinRow *row = builtinByName(expr.attribute.text, 'D'))
      return methodOf(object, expr.attribute.text, row, nullptr);
    if (!fresh(cx, Id::unknownAttribute, expr.attribute.span)) return Value::poison();
    auto builder = report(cx, Id::unknownAttribute, expr.attribute.span, describe(cx, object), expr.attribute.text);
    std::string dict(cx.sources.text(expr.object->span)), key = "key";
    for (size_t i = object.items.size(); i > 1; i -= 2)
      if (object.items[i - 2].kind == ValueKind::String && key != expr.attribute.text) key = object.items[i - 2].text;
    auto near = diag::didYouMean(expr.attribute.text, {"keys", "values", "items", "get"});
    if (!near.empty()) {
      builder.help("did you mean `" + std::string(near) + "`?").suggest(expr.attribute.span, std::string(near), "write `" + std::string(near) + "`");
      return Value::poison();
    }
    builder.help("what it holds is read by its keys: `" + dict + "[\"" + key + "\"]`");
    if (key == expr.attribute.text) builder.fix(expr.span, dict + "[\"" + key + "\"]", "read it by its key");
    return Value::poison();
  }
  Value v = member(cx, object, expr.attribute.text, expr.attribute.span);
  auto *name = ast::as<ast::NameExpr>(expr.object);
  if (v.isPoison() && name && cx.function.frame &&
      (object.kind == ValueKind::List ||      // it was to be changed: what it holds is not known
       object.kind == ValueKind::Function || object.kind == ValueKind::Builtin))  // it was to be called: what it gives is not known
    if (auto bound = cx.function.frame->names.find(name->name); bound != cx.function.frame->names.end())
      bound->second.value = Value::poison();
  return v;
}

static Value memberOfModule(Context &cx, const Value &object, const std::string &name, Span span,
                            std::vector<std::string> &known) {
  if (object.module) {
    Value v = moduleMember(*object.module, name);
    if (!v.isPoison()) return v;
    if (object.module->path == "tessera.sys" && name == "argv")
      return unsupported(cx, "`sys.argv`", span, "what changes from run to run is a parameter of `main`: `def main(steps: int = 100)`, and `--steps 200` behind the program's name");
    for (const auto &[n, value] : object.module->names) known.push_back(n);
    return Value::of(ValueKind::Absent);
  }
  Value v = object.text == "math" ? memberOfMath(cx, name) : builtinMember(cx, object.text, name);
  if (!v.isPoison()) return v;
  if (object.text == "tessera") {
    if (cx.prelude && cx.prelude->names.count(name)) return cx.prelude->names.at(name);
    if (ModuleScope *inner = loadModule(cx, span.file, 0, "tessera." + name, {})) {
      Value m = Value::of(ValueKind::Module);
      m.text = inner->path;
      m.module = inner;
      return m;
    }
  }
  for (const BuiltinRow &row : builtinRows())
    if (row.places.find(object.text == "tile" ? 'T' : 'P') != std::string_view::npos) known.emplace_back(row.name);
  if (cx.prelude)
    for (const auto &[n, value] : cx.prelude->names) known.push_back(n);
  return Value::of(ValueKind::Absent);
}

/// A size of `tile.context()`.
static Value memberOfContext(Context &cx, const std::string &name, std::vector<std::string> &known) {
  known = {"m", "n", "k", "warps", "stages", "vector", "split_k"};
  if (std::find(known.begin(), known.end(), name) == known.end()) return Value::of(ValueKind::Absent);
  auto &sizes = cx.function.fn->kernel.contextSizes;
  if (std::find(sizes.begin(), sizes.end(), name) == sizes.end()) sizes.push_back(name);
  return Value::integer(Dim::var("T." + name));
}

/// Properties and methods of tensors, tiles, scalars, views and shared buffers.
static Value memberOfTensor(Context &cx, const Value &object, const std::string &name, Span span,
                            std::vector<std::string> &known) {
  const Type &type = object.kind == ValueKind::Array ? object.type : object.var->type;
  if (name == "shape") {
    std::vector<Value> items;
    for (const Dim &d : type.shape) items.push_back(Value::integer(d));
    return Value::tuple(std::move(items));
  }
  if (name == "dtype") return Value::dtype(type.dtype, type.numerics);
  if (name == "ndim") return Value::integer(Dim(static_cast<int64_t>(type.shape.size())));
  if (name == "size") {
    Dim size(1);
    for (const Dim &d : type.shape) size = size * d;
    return Value::integer(size);
  }
  if (object.kind == ValueKind::Shared) return Value::of(ValueKind::Absent);
  if (name == "T") {
    Value x = toArray(cx, object, DType::F32, span);
    return x.isArray() ? transpose(cx, std::move(x), {}, span) : x;
  }
  if (const BuiltinRow *row = builtinByName(name, 'M')) return methodOf(object, name, row, nullptr);
  if (name == kCopy && object.kind == ValueKind::Array) return methodOf(object, name, nullptr, nullptr);
  if (cx.prelude)
    if (auto it = cx.prelude->names.find(name); it != cx.prelude->names.end()) {
      if (it->second.kind == ValueKind::Function) return methodOf(object, name, nullptr, it->second.callable);
      if (it->second.kind == ValueKind::Overloads) {
        Value method = methodOf(object, name, nullptr, nullptr);
        method.items.push_back(it->second);
        return method;
      }
    }
  known = {"shape", "dtype", "ndim", "size", "T"};
  for (const BuiltinRow &row : builtinRows())
    if (row.places.find('M') != std::string_view::npos) known.emplace_back(row.name);
  if (cx.prelude)
    for (const auto &[n, value] : cx.prelude->names)
      if (isCallable(value)) known.push_back(n);
  return Value::of(ValueKind::Absent);
}

static Value memberOfHostTensor(Context &cx, const Value &object, const std::string &name, Span span,
                                std::vector<std::string> &known) {
  if (isListOfHost(object) && (name == "index" || name == "count")) return methodOf(object, name, nullptr, nullptr);
  if (isHeldRows(object)) {
    known = {"append", "extend", "insert", "pop", "remove", "reverse", "sort", "clear", "index", "count", "copy"};
    return name == kCopy ? methodOf(object, name, nullptr, nullptr) : Value::of(ValueKind::Absent);
  }
  if (name == "shape") {
    Value v = Value::of(ValueKind::HostShape);
    v.items = {object};
    return v;
  }
  if (name == kCopy) return methodOf(object, name, nullptr, nullptr);
  if (name == "ndim") return hostExtent(cx, object, std::nullopt, span);
  if (name == "item") {
    auto made = knownDType(cx, object);
    return methodOf(object, name, builtinByName(made == DType::Bool ? "bool" : made && isInt(*made) ? "int" : "float", 'P'), nullptr);
  }
  if (size_t rank = name == "size" ? knownRank(object, cx.function.rebindable) : 0) {
    Value count = Value::integer(Dim(1));
    for (int axis = 0; axis < static_cast<int>(rank); ++axis) count = intElementwise(cx, ElementwiseOp::Mul, {count, hostExtent(cx, object, axis, span)}, span, "*");
    return count;
  }
  if (name == "size") {
    std::vector<ExprPtr> tensor;
    tensor.push_back(clone(*object.expr));
    return hostCall(cx, "count", std::move(tensor), span);
  }
  if (name == "dtype" && object.madeOf) {
    Value v = Value::of(ValueKind::DType);
    v.type.dtype = *object.madeOf;
    return v;
  }
  if (name == "dtype" || name == "T")
    return unsupported(cx, "`" + name + "` of a tensor whose type only run time knows", span,
                       "its type, where it gets its name: `x: Tensor[N, D, f32] = load_npy(path)`");
  known = {"shape", "ndim", "size", "dtype", "item"};
  if (const BuiltinRow *row = builtinByName(name, 'M'))
    return unsupported(cx, "`" + std::string(row->name) + "` of a tensor in host code", span,
                       "do it in a tensor function, and call that");
  return Value::of(ValueKind::Absent);
}

static Value memberOfSchedule(const Value &object, const std::string &name, std::vector<std::string> &known) {
  known = {"with_block",   "with_k",       "with_warps", "with_stages", "with_vector", "with_swizzle",
           "with_cluster", "with_split_k", "with_order", "block",       "k",           "warps",
           "stages",       "vector",       "swizzle",    "cluster",     "split_k",     "order"};
  bool has = std::find(known.begin(), known.end(), name) != known.end();
  return has ? methodOf(object, name, nullptr, nullptr) : Value::of(ValueKind::Absent);
}

static Value memberOfFunction(const Value &object, const std::string &name, std::vector<std::string> &known) {
  if (name == "with_schedule" && object.callable->isKernel) return methodOf(object, name, nullptr, nullptr);
  if (name == "specialize" && object.callable->def && !object.callable->closure) return methodOf(object, name, nullptr, nullptr);
  const Callable *rule = name == "vjp" ? object.callable->vjp : name == "jvp" ? object.callable->jvp : nullptr;
  if (rule) {
    Value v = Value::of(ValueKind::Function);
    v.callable = rule;
    return v;
  }
  known = {"specialize"};
  if (object.callable->isKernel) known.push_back("with_schedule");
  return Value::of(ValueKind::Absent);
}

static Value memberOfDType(const Value &object, const std::string &name, std::vector<std::string> &known) {
  if (!isFloat(object.type.dtype)) return Value::of(ValueKind::Absent);
  known = {"max", "min"};
  if (name != "max" && name != "min") return Value::of(ValueKind::Absent);
  double big = object.type.dtype == DType::F16    ? 65504
               : object.type.dtype == DType::BF16 ? 3.3895313892515355e38
                                                  : 3.4028234663852886e38;
  return Value::real(name == "max" ? big : -big);
}

Value methodOf(const Value &object, const std::string &name, const BuiltinRow *row, const Callable *callable) {
  Value v = Value::of(ValueKind::Method);
  v.text = name;
  v.items = {object};
  v.builtin = row;
  v.callable = callable;
  return v;
}

/// `rng.permutation(n)`: a function of the library whose last parameter is the stream.
static const Callable *drawOfLibrary(Context &cx, const std::string &name) {
  auto found = cx.prelude ? cx.prelude->names.find(name) : std::map<std::string, Value>::iterator();
  if (!cx.prelude || found == cx.prelude->names.end() || found->second.kind != ValueKind::Function) return nullptr;
  const ast::FuncDef *def = found->second.callable->def;
  const bool draws = def && !def->parameters.empty() && def->parameters.back().name.text == "rng";
  return draws ? found->second.callable : nullptr;
}

static Value member(Context &cx, const Value &object, const std::string &name, Span span) {
  std::vector<std::string> known;
  Value found = Value::of(ValueKind::Absent);
  switch (object.kind) {
  case ValueKind::Module: found = memberOfModule(cx, object, name, span, known); break;
  case ValueKind::Context: found = memberOfContext(cx, name, known); break;
  case ValueKind::State: found = memberOfState(cx, object, name, span, known); break;
  case ValueKind::Rng:
    if (const BuiltinRow *row = builtinByName(name, 'R')) return methodOf(object, name, row, nullptr);
    if (const Callable *drawn = drawOfLibrary(cx, name)) return methodOf(object, name, nullptr, drawn);
    for (const BuiltinRow &row : builtinRows())
      if (row.places.find('R') != std::string_view::npos) known.emplace_back(row.name);
    break;
  case ValueKind::Array:
  case ValueKind::View:
  case ValueKind::Shared: found = memberOfTensor(cx, object, name, span, known); break;
  case ValueKind::HostTensor: found = memberOfHostTensor(cx, object, name, span, known); break;
  case ValueKind::String:
    known = methodsOfTexts();
    if (std::find(known.begin(), known.end(), name) != known.end()) return methodOf(object, name, nullptr, nullptr);
    break;
  case ValueKind::List:
    if (name == kCopy || (inHost(cx) && (name == "index" || name == "count"))) return methodOf(object, name, nullptr, nullptr);
    break;
  case ValueKind::Schedule: found = memberOfSchedule(object, name, known); break;
  case ValueKind::Transform:
    if (object.text == "mixed") return member(cx, object.items[0], name, span);
    break;
  case ValueKind::Function: found = memberOfFunction(object, name, known); break;
  case ValueKind::Struct: return memberOfStruct(cx, object, name, span);
  case ValueKind::StructType:
    if (!object.instance->info->model) {
      for (const auto &[method, callable] : object.instance->info->methods)
        if (callable && callable->makes) known.push_back(method);
      auto made = object.instance->info->methods.find(name);
      if (made != object.instance->info->methods.end() && made->second && made->second->makes) return makerOf(object, made->second);
      break;
    }
    known = {"init"};
    if (name == "init") return initOfModel(cx, object);
    break;
  case ValueKind::DType: found = memberOfDType(object, name, known); break;
  default: break;
  }
  if (found.given() || reportNone(cx, object, span)) return found.given() ? found : Value::poison();
  // `loss.backward()`, and then `w.grad`: one mistake.
  bool repeated = cx.function.fn && !memberInstead(name).empty() && memberInstead(name) == memberInstead("grad") &&
                  !cx.reportedSpans.insert({-1 - static_cast<int>(Id::unknownAttribute), cx.function.fn->span.file, cx.function.fn->span.begin}).second;
  if (repeated) ++cx.failures;
  if (!repeated && fresh(cx, Id::unknownAttribute, span)) {
    std::vector<std::string_view> views(known.begin(), known.end());
    auto near = diag::didYouMean(name, views);
    if (std::string_view ours = nameHere(name); std::find(views.begin(), views.end(), ours) != views.end()) near = ours;
    bool tile = object.kind == ValueKind::Module && object.text == "tile";
    if (std::string_view ours = tile ? tileNameHere(name) : ""; !ours.empty()) near = ours;
    constexpr size_t kMostTold = 16;
    if (near.empty() && known.size() <= kMostTold) near = nearArgument(name, views, {});
    auto builder = report(cx, Id::unknownAttribute, span, describe(cx, object), name);
    if (object.kind == ValueKind::Tuple && (name == "values" || name == "indices") && span.begin > 0)  // `topk(x, 3).values`
      builder.suggest({span.file, span.begin - 1, span.end}, name == "values" ? "[0]" : "[1]", "take it by its place");
    bool tensor = object.kind == ValueKind::Array || object.kind == ValueKind::View;
    std::string ofTensor = tensor || object.kind == ValueKind::HostTensor ? wordsOfMethod(name) : "";
    if (auto signature = ofTensor.empty() && tensor ? signatureHere(cx, name, false) : std::nullopt)
      ofTensor = "`" + name + "` is a function, and takes `" + *signature + "`";
    if (tensor && (!memberInstead(name).empty() || (!ofTensor.empty() && near != nameHere(name)))) near = {};
    if (!near.empty()) {
      builder.help("did you mean `" + std::string(near) + "`?")
          .suggest(span, std::string(near), "write `" + std::string(near) + "`");
    } else if (const Foreign *foreign = tile ? foreignName(name) : nullptr; foreign && foreign->here.empty()) {
      builder.help(std::string(foreign->why));
    } else if (!ofTensor.empty() && object.kind == ValueKind::HostTensor) {
      builder.help(ofTensor);
    } else if (!known.empty() && known.size() <= kMostTold) {
      std::string all;
      for (const std::string &one : known) all += (all.empty() ? "`" : ", `") + one + "`";
      builder.help("it has " + all);
    } else if (!ofTensor.empty()) {
      builder.help(ofTensor);
    } else if (object.kind == ValueKind::List) {
      static const std::set<std::string_view> growing = {"push", "push_back", "emplace_back", "add"};
      if (!inHost(cx)) builder.help("it does not change: build a new one, such as `parts + [x]`");
      else builder.help("`append(x)` puts one more behind the others");
      if (inHost(cx) && growing.count(name)) builder.suggest(span, "append", "write `append`");
    }
  }
  return Value::poison();
}

}  // namespace tessera::sema
