// Models: calls of functions with `@model`, and what `parameter` means in them.
#include "sema/calls/Models.h"
#include "checked/ExprBuild.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/calls/ModelStruct.h"
#include "sema/claims/Claims.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

namespace tessera::sema {

namespace {
/// The name, with a number behind it if a field has it.
std::string newField(const ModelNode &layer, const std::string &name) {
  auto isTaken = [&](const std::string &text) {
    return std::any_of(layer.children.begin(), layer.children.end(), [&](const ModelNode &n) { return n.name == text; });
  };
  std::string made = name;
  for (int n = 2; isTaken(made); ++n) made = name + "_" + std::to_string(n);
  return made;
}

/// The arrays of a struct, in the order of its fields.
void arraysOf(const Value &value, std::vector<Value> &arrays) {
  if (value.kind != ValueKind::Struct) return arrays.push_back(value);
  for (const Value &item : value.items) arraysOf(item, arrays);
}

Value failed(Context &cx, Span span, const std::string &what, const std::string &help) {
  if (cx.function.model) cx.function.model->failed = true;
  if (fresh(cx, Id::modelParameters, span)) report(cx, Id::modelParameters, span, what).help(help);
  return Value::poison();
}

/// A number as it is written, with all its digits.
std::string scaleText(double number) {
  std::ostringstream text;
  text << std::setprecision(17) << number;
  return text.str().find_first_of(".en") == std::string::npos ? text.str() + ".0" : text.str();
}

/// The text of the first value of a parameter. `shape`: the rest of a call that makes an array of it, `(I, O), f32)`. Nothing
/// after a message.
std::optional<std::string> firstValue(Context &cx, const Bound &args, const std::string &shape, Span span) {
  const Value &scale = args.values[3], &fan = args.values[5];
  const bool isKnown = !scale.given() || scale.kind == ValueKind::Float || scale.isKnownInt();
  if (!isKnown || (fan.given() && fan.kind != ValueKind::Int)) {
    if (!(isKnown ? fan : scale).isPoison())
      report(cx, Id::notConstant, args.spans[isKnown ? 5 : 3], isKnown ? "the fan of a parameter" : "the scale of a parameter");
    return std::nullopt;
  }
  std::string number = scaleText(!scale.given() ? 1 : scale.kind == ValueKind::Float ? scale.number : static_cast<double>(scale.sym.constant()));
  if (fan.given()) number = "(" + number + " / sqrt(f32(" + show(cx, fan.sym) + ")))";
  const Value &init = args.values[2];
  if (init.isPoison()) return std::nullopt;
  const std::string text = init.given() ? init.text : "normal";
  if (text == "zeros" || text == "ones") return text + "(" + shape;
  if (text == "normal") return number + " * $.normal(" + shape;
  if (text == "uniform") return number + " * (2.0 * $.uniform(" + shape + " - 1.0)";
  report(cx, Id::wrongArgument, init.given() ? args.spans[2] : span, quoted("init"),
         R"("normal", "uniform", "zeros" or "ones")", init.kind == ValueKind::String ? "\"" + text + "\"" : describe(cx, init));
  return std::nullopt;
}

/// An array of that type, while nothing but types matters.
Value standIn(Context &cx, const std::string &name, Type type, Span span) {
  Value v = Value::of(ValueKind::Array);
  v.expr = std::shared_ptr<Expr>(makeRef(newVar(cx, name, type, span), span).release());
  v.type = std::move(type);
  return v;
}

/// The next of the parameters that a call has.
Value nextParameter(Context &cx, ModelTrace &trace, const Type &type, Span span) {
  const std::string model = "`" + trace.info->name + "`";
  if (trace.next == trace.given.size())
    return failed(cx, span, "this call of the model " + model + " makes more parameters than it has",
                  "which parameters a model has must not depend on a call: on `is_training()`, or on a type that may be None");
  Value found = trace.given[trace.next++];
  for (const Value &row : trace.rows) found = rowOfArray(cx, found, row, span);
  if (found.type.shape == type.shape && found.type.dtype == type.dtype) return found;
  const std::vector<Dim> &have = found.type.shape;
  bool fits = cx.function.inArrayWork && have.size() == type.shape.size() && found.type.dtype == type.dtype;  // host code gives sizes a name each
  for (size_t axis = 0; fits && axis < have.size(); ++axis) {
    const shape::Formula equal(have[axis], Relation::Eq, type.shape[axis]);
    fits = have[axis] == type.shape[axis] || (have[axis].isVar() && claim(cx, equal, show(cx, equal), span));
  }
  if (fits) return found;
  return failed(cx, span, "a parameter of the model " + model + " is " + describe(cx, found) + ", and this call makes it another",
                "which parameters a model has must not depend on a call: on `is_training()`, or on a type that may be None");
}
/// Whether this can be a size of a parameter: it is known, or one of dimensions that the signature of the model names. False after a
/// message.
bool isSize(Context &cx, const Dim &size, const std::string &name, Span span) {
  std::set<std::string> vars;
  size.collectVars(vars);
  const std::vector<std::string> &dims = cx.function.fn->dims;
  if (std::all_of(vars.begin(), vars.end(), [&](const std::string &v) { return std::find(dims.begin(), dims.end(), v) != dims.end(); }))
    return true;
  failed(cx, span, "the parameter `" + name + "` has the size " + show(cx, size) + ", which is another in each call",
         "a size is a number, or made of dimensions that the signature of the model names");
  return false;
}

/// Whether run time decides if, or how often, this place is met. True after a message.
bool isInBranch(Context &cx, const ModelTrace &trace, Span span) {
  if (cx.function.loopMarks.size() == trace.marks) return false;
  failed(cx, span, "a layer makes a parameter inside of a loop or a branch of run time",
         "a model has its parameters in every call: loop over numbers that are known, `for _ in range(4)`, in the function with "
         "`@model`");
  return true;
}
}  // namespace

ModelLayer::ModelLayer(Context &cx, const Callable &callable) {
  const std::shared_ptr<ModelTrace> &trace = cx.function.model;
  if (!trace || !trace->collects) return;
  if (callable.isModel && trace->inner == 1) trace->dimsOfInner = cx.function.frame->dims;
  if (trace->inner || callable.isModel) return;
  trace_ = trace;
  ModelNode layer;
  layer.name = newField(*trace->open.back(), callable.name);
  layer.called = callable.name;
  trace->open.back()->children.push_back(std::move(layer));
  trace->open.push_back(&trace->open.back()->children.back());
}

ModelLayer::~ModelLayer() {
  if (!trace_) return;
  trace_->open.pop_back();
  std::vector<ModelNode> &layers = trace_->open.back()->children;
  ModelNode &layer = layers.back();
  for (const ModelNode &child : layer.children) layer.names.insert(child.names.begin(), child.names.end());
  if (layer.children.empty()) layers.pop_back();
}

Value modelParameter(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  ModelTrace *trace = cx.function.model.get();
  if (!trace)
    return failed(cx, span, "a layer makes a parameter here, outside of a model",
                  "the function that calls it needs `@model`, or the layer its weights, as in `linear(x, w, b)`; `grad`, `vmap` and "
                  "`checkpoint` inside of a model take values, not layers");
  if (trace->failed) {
    ++cx.failures;
    return Value::poison();
  }
  if (isInBranch(cx, *trace, span)) return Value::poison();
  if (args.values[0].kind != ValueKind::String || args.values[0].expr) {
    if (!args.values[0].isPoison()) report(cx, Id::notConstant, args.spans[0], "the name of a parameter");
    return Value::poison();
  }
  const std::string &name = args.values[0].text;
  std::vector<Dim> shape;
  if (!shapeArgument(cx, args.values[1], args.spans[1], shape) || !sizesArePossible(cx, shape, args.spans[1])) return Value::poison();
  for (const Dim &d : shape)
    if (trace->collects && !trace->inner && !isSize(cx, d, name, span)) return Value::poison();
  std::optional<DType> dtype = args.values[4].given() ? dtypeArgument(cx, args.values[4], args.spans[4]) : DType::F32;
  if (!dtype) return Value::poison();
  Type type = sema::tensorType(*dtype, shape);
  if (!trace->collects) return nextParameter(cx, *trace, type, span);
  if (!trace->inner && !collectParameter(cx, *trace, name, type, args, span)) return Value::poison();
  return standIn(cx, name, std::move(type), span);
}

Value callModelType(Context &cx, const Value &type, GivenList args, Span span) {
  const StructInfo &info = *type.instance->info;
  ModelTrace *trace = cx.function.model.get();
  if (!trace) {
    bool named = std::all_of(args.begin(), args.end(), [](const Given &g) { return !g.keyword.empty(); });
    if (named && !args.empty()) return constructStruct(cx, type, std::move(args), span);
    return failed(cx, span, "the model `" + info.name + "` is called without its parameters",
                  "they are a value: `net = " + info.name + ".init(rng)`, and then `net(x)`");
  }
  if (!findModel(cx, info, span)) return Value::poison();
  if (!trace->collects) return callFunction(cx, *info.model, std::move(args), span);
  if (!trace->inner) {
    ModelNode part;
    part.name = newField(*trace->open.back(), info.name);
    part.called = info.name;
    part.model = &info;
    trace->open.back()->children.push_back(std::move(part));
  }
  ++trace->inner;
  Value result = callFunction(cx, *info.model, std::move(args), span);
  if (--trace->inner || result.isPoison()) return result;
  ModelNode &part = trace->open.back()->children.back();
  for (const ast::TypeParameter &t : info.def->typeParameters) {
    Dim size = part.dims[t.name.text] = trace->dimsOfInner[t.name.text];
    if (!isSize(cx, size, t.name.text, span)) return Value::poison();
    size.collectVars(part.names);
  }
  return result;
}

Value callModel(Context &cx, const Value &model, GivenList args, Span span) {
  const StructInfo &info = *model.instance->info;
  if (info.recursive) return Value::poison();
  if (inHost(cx)) {
    args.insert(args.begin(), Given{"", model, span, {}, nullptr});
    return callFunction(cx, *info.modelCall, std::move(args), span);
  }
  auto trace = std::make_shared<ModelTrace>();
  trace->info = &info;
  trace->marks = cx.function.loopMarks.size();
  arraysOf(model, trace->given);
  std::shared_ptr<ModelTrace> outer = std::exchange(cx.function.model, trace);
  Value result = callFunction(cx, *info.model, std::move(args), span);
  cx.function.model = std::move(outer);
  if (result.isPoison() || trace->next == trace->given.size()) return result;
  return failed(cx, span, "this call of the model `" + info.name + "` makes fewer parameters than it has",
                "which parameters a model has must not depend on a call: on `is_training()`, or on a type that may be None");
}

Value initOfModel(Context &cx, const Value &type) {
  const StructInfo &info = *type.instance->info;
  if (!info.modelInit) {  // a message was given
    ++cx.failures;
    return Value::poison();
  }
  Value v = Value::of(ValueKind::Function);
  v.callable = info.modelInit;
  return v;
}

bool isLoopOfLayers(const Context &cx, const Value &range) {
  const Frame &frame = *cx.function.frame;
  if (!cx.function.model || !frame.function || !frame.function->isModel) return false;
  return std::all_of(range.items.begin(), range.items.end(), [](const Value &v) { return v.isKnownInt(); });
}

bool collectParameter(Context &cx, ModelTrace &trace, const std::string &name, const Type &type, const Bound &args, Span span) {
  std::string shape;
  for (const Dim &d : type.shape) shape += show(cx, d) + ", ";
  const std::string dtype(tessera::name(type.dtype));
  std::optional<std::string> init = firstValue(cx, args, "(" + shape + "), " + dtype + ")", span);
  if (!init) return false;
  ModelNode leaf;
  leaf.name = newField(*trace.open.back(), name);
  leaf.called = name;
  leaf.type = "Tensor[" + shape + dtype + "]";
  leaf.init = std::move(*init);
  for (const Dim &d : type.shape) d.collectVars(leaf.names);
  trace.open.back()->children.push_back(std::move(leaf));
  return true;
}

}  // namespace tessera::sema
