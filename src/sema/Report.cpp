// What a message says besides its sentence: where a mistake shows, the calls on the way to it, and values, sizes and shapes as
// a user would write them.
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/modules/Modules.h"
#include "sema/types/Types.h"
#include "support/MeshDims.h"
#include <cctype>
#include <map>
#include <set>

namespace tessera::sema {

using ast::as;
using shape::Formula;

Span placeOf(const Context &cx, Span span) {
  for (size_t i = cx.function.calls.size();
       i-- > 0 && cx.libraryFiles.count(span.file) && cx.function.calls[i].span.valid();) {
    const TracedCall &call = cx.function.calls[i];
    const std::vector<ast::Parameter> &parameters = parametersOf(*call.callable);
    std::string_view text = cx.sources.text(span);
    span = call.span;
    for (size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].name.text == text) span = call.arguments[k];
  }
  return span;
}

/// ", where `gamma` is `g`": the user's arguments that occur in a place of a library function, by its parameters.
static std::string argumentsIn(const Context &cx, Span span) {
  const TracedCall &call = cx.function.calls.back();
  const std::vector<ast::Parameter> &parameters = parametersOf(*call.callable);
  std::string_view text = cx.sources.text(span);
  std::string told;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const std::string &name = parameters[k].name.text;
    Span given = call.arguments[k];
    size_t at = text.find(name);
    auto inWord = [&](size_t i) {
      return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    while (at != std::string_view::npos && ((at > 0 && inWord(at - 1)) || inWord(at + name.size())))
      at = text.find(name, at + 1);
    bool own = given == call.span || cx.libraryFiles.count(given.file) || cx.sources.text(given) == name;
    if (at == std::string_view::npos || own) continue;
    told += (told.empty() ? ", where `" : " and `") + name + "` is `" + std::string(cx.sources.text(given)) + "`";
  }
  return told;
}

void noteCalls(const Context &cx, diag::Builder &builder, Span span) {
  bool inLibrary = cx.libraryFiles.count(span.file) != 0;
  if (inLibrary && !(placeOf(cx, span) == span))
    builder.note(span, "this stands in `" + cx.function.calls.back().callable->name + "` of the standard library" +
                           argumentsIn(cx, span));
  constexpr int kMostCalls = 3;
  int told = 0;
  for (size_t i = cx.function.calls.size(); i-- > 1 && told < kMostCalls;) {
    const TracedCall &call = cx.function.calls[i];
    bool outside = call.span.file == span.file && call.span.begin <= span.begin && span.end <= call.span.end;
    if (!call.span.valid() || outside || cx.libraryFiles.count(call.callable->nameSpan.file)) continue;
    if (!call.callable->def || isEntry(cx, *call.callable)) continue;
    builder.note(call.span, "`" + call.callable->name + "` is called here");
    ++told;
  }
}

std::string show(const Context &cx, const Dim &dim) {
  static const char *const queries[] = {"origin",  "group_id",  "group_size", "local_id",
                                        "lane_id", "linear_id", "group_count"};
  std::set<std::string> vars;
  dim.collectVars(vars);
  std::map<std::string, Dim> names;
  for (const std::string &v : vars) {
    if (auto ofMesh = meshDim(v)) names[v] = Dim::var(ofMesh->call());
    if (v[0] != '%') continue;
    auto it = cx.function.symVars.find(v);
    if (it != cx.function.symVars.end()) names[v] = Dim::var(it->second->name.empty() ? "index" : it->second->name);
    else if (v.rfind("%q:", 0) == 0) names[v] = Dim::var(std::string("tile.") + queries[std::stoi(v.substr(3))] + "()");
  }
  return dim.substitute(names).str();
}

std::string shapeText(const Context &cx, const std::vector<Dim> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + show(cx, shape[i]);
  return text + "]";
}

std::string describe(const Context &cx, const Value &value) {
  switch (value.kind) {
  case ValueKind::Poison:
  case ValueKind::Absent: return "nothing";
  case ValueKind::None: return "`None`";
  case ValueKind::Ellipsis: return "`...`";
  case ValueKind::Bool: return value.truth ? "`True`" : "`False`";
  case ValueKind::Float: return "a number";
  case ValueKind::Int: return value.isKnownInt() ? "the integer " + show(cx, value.sym) : "an integer";
  case ValueKind::String: return "a string";
  case ValueKind::DType: return "the dtype `" + std::string(name(value.type.dtype)) + "`";
  case ValueKind::TypeName: return "the type `" + value.text + "`";
  case ValueKind::Array:
    return value.isArray()
               ? "a tensor `" + shapeText(cx, value.type.shape) + "` of " + std::string(name(value.type.dtype))
               : "a scalar `" + value.type.str() + "`";
  case ValueKind::View: return "the tensor `" + value.var->name + "`";
  case ValueKind::Shared: return "the shared buffer `" + value.var->name + "`";
  case ValueKind::HostTensor: return value.text.starts_with("rows:") ? "a list" : "a tensor";
  case ValueKind::HostShape: return "the shape of a tensor in host code";
  case ValueKind::Tuple: return "a tuple";
  case ValueKind::List: return "a list";
  case ValueKind::Dict: return "a dict";
  case ValueKind::Range: return "a range";
  case ValueKind::Enumerate: return "an enumeration";
  case ValueKind::Zip: return "stacks side by side";
  case ValueKind::Slice: return "a slice";
  case ValueKind::Module: return "the module `" + value.text + "`";
  case ValueKind::Builtin:
  case ValueKind::Method:
    return "the function `" + std::string(value.builtin ? value.builtin->name : std::string_view(value.text)) + "`";
  case ValueKind::Function: return "the function `" + value.callable->name + "`";
  case ValueKind::Overloads: return "the functions `" + value.text + "`";
  case ValueKind::Partial: return describe(cx, value.items[0]) + " with some arguments";
  case ValueKind::Derivative: return "the derivative of `" + value.callable->name + "`";
  case ValueKind::Transform: return "`" + value.text + "` of " + describe(cx, value.items[0]);
  case ValueKind::Struct: return "a `" + instanceText(cx, *value.instance) + "`";
  case ValueKind::StructType: return "the struct `" + value.instance->info->name + "`";
  case ValueKind::Schedule: return "a schedule";
  case ValueKind::Policy: return "a policy";
  case ValueKind::Context: return "the tile context";
  case ValueKind::Rng: return "a stream of random numbers";
  case ValueKind::State: return "a state object `" + value.type.str() + "`";
  }
  return "this";
}

Value unsupported(Context &cx, const std::string &what, Span span, const std::string &instead) {
  if (cx.options.keepUnsupported) ++cx.failures;
  else if (fresh(cx, Id::notSupportedYet, span)) {
    auto builder = report(cx, Id::notSupportedYet, span, what);
    builder.label("this parses, but has no meaning yet");
    if (!instead.empty()) builder.help(instead);
  }
  return Value::poison();
}

}  // namespace tessera::sema
