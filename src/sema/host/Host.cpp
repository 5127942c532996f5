// Host code: tensors whose type is known when they are read, strings, printing.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "support/Check.h"
#include "support/HostFunctions.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
constexpr std::string_view kHostCalls[] = {
    "print", "load_npy", "load_npz", "save_npz", "save_npy", "load_safetensors", "save_safetensors", "read_bytes", "write_bytes", "decode", "encode", "perf_counter", "open", "input"};
bool isHostCall(const ast::CallExpr &call) {
  auto *name = as<ast::NameExpr>(call.callee);
  return name && std::find(std::begin(kHostCalls), std::end(kHostCalls), name->name) != std::end(kHostCalls);
}
template <class Node> const ast::CallExpr *hostCallBelow(const Node &node) {
  ast::Children children = ast::childrenOf(node);
  for (const ast::Expr *expr : children.exprs) {
    auto *call = as<ast::CallExpr>(expr);
    if (call && isHostCall(*call)) return call;
    if (auto *inner = hostCallBelow(*expr)) return inner;
  }
  for (const ast::Stmt *stmt : children.stmts)
    if (auto *inner = hostCallBelow(*stmt)) return inner;
  return nullptr;
}
}  // namespace

const ast::CallExpr *firstHostCall(const ast::Block &block) {
  for (const ast::StmtPtr &stmt : block)
    if (auto *call = hostCallBelow(*stmt)) return call;
  return nullptr;
}

bool isWholeTensor(const ast::Parameter &parameter) {
  auto *type = parameter.annotation ? as<ast::SubscriptExpr>(parameter.annotation) : nullptr;
  auto *name = type ? as<ast::NameExpr>(type->object) : nullptr;
  if (!name || name->name != "Tensor") return false;
  for (size_t i = 0; i + 1 < type->items.size(); ++i) {
    const ast::Expr &item = *type->items[i].value;
    auto *number = as<ast::IntExpr>(&item);
    bool dim =
        item.kind == ast::ExprKind::Name || item.kind == ast::ExprKind::Binary || item.kind == ast::ExprKind::String;
    if (dim || (number && number->value != 1)) return true;
  }
  return false;
}

namespace {
/// The functions of a module that only call others, by whom they call.
void namesCalled(const ast::Stmt &stmt, std::set<std::string> &names) {
  std::vector<const ast::Expr *> open;
  ast::Children children = ast::childrenOf(stmt);
  open.insert(open.end(), children.exprs.begin(), children.exprs.end());
  while (!open.empty()) {
    const ast::Expr *e = open.back();
    open.pop_back();
    auto *call = as<ast::CallExpr>(e);
    if (auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr) names.insert(name->name);
    ast::Children below = ast::childrenOf(*e);
    open.insert(open.end(), below.exprs.begin(), below.exprs.end());
  }
  for (const ast::Stmt *inner : children.stmts) namesCalled(*inner, names);
}

std::set<std::string> hostFunctionsOf(const Context &cx, const ast::Module &module) {
  std::set<std::string> host;
  std::vector<const ast::FuncDef *> others;
  for (const ast::StmtPtr &stmt : module.body) {
    auto *def = as<ast::FuncDef>(stmt);
    if (def && usesHost(cx, def->body)) host.insert(def->name.text);
    else if (def && std::none_of(def->parameters.begin(), def->parameters.end(), isWholeTensor)) others.push_back(def);
  }
  for (size_t known = 0; known != host.size() && !others.empty();) {
    known = host.size();
    for (const ast::FuncDef *def : others) {
      std::set<std::string> names;
      for (const ast::StmtPtr &stmt : def->body) namesCalled(*stmt, names);
      if (std::any_of(names.begin(), names.end(), [&](const std::string &name) { return host.count(name) != 0; }))
        host.insert(def->name.text);
    }
  }
  return host;
}
}  // namespace

/// `text: str`: what run time knows of texts, host code does.
static bool takesText(const Context &cx, const ast::FuncDef &def) {
  return std::any_of(def.parameters.begin(), def.parameters.end(), [&](const ast::Parameter &p) { return p.annotation && cx.sources.text(p.annotation->span) == "str"; });
}

bool isHostCode(const Context &cx, const Callable &callable) {
  if (!callable.def) return false;
  if (callable.inHost || takesText(cx, *callable.def) || usesHost(cx, callable.def->body)) return true;
  const ModuleScope *scope = callable.module;
  bool tensors = std::any_of(callable.def->parameters.begin(), callable.def->parameters.end(), isWholeTensor);
  if (!scope || !scope->ast || callable.structure || callable.closure || tensors) return false;
  if (!scope->hostFunctions) scope->hostFunctions = hostFunctionsOf(cx, *scope->ast);
  return scope->hostFunctions->count(callable.name) != 0;
}

/// Whether a `while` appends to a list: a tensor function has no list that grows so.
static bool appendsInWhile(const ast::Block &block) {
  return std::any_of(block.begin(), block.end(), [](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    if (stmt->kind == ast::StmtKind::While && appendsToNames(static_cast<const ast::WhileStmt &>(*stmt).body)) return true;
    std::vector<const ast::Block *> inner = ast::blocksOf(*stmt);
    return std::any_of(inner.begin(), inner.end(), [](const ast::Block *body) { return appendsInWhile(*body); });
  });
}

/// Whether a text may have a call of one of these, and of `append`, as far as the words in front of its parentheses say.
struct CallsInText {
  bool host = false, append = false;
};
static CallsInText callsIn(std::string_view text) {
  CallsInText found;
  auto inWord = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  for (size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    size_t end = open;
    while (end > 0 && !inWord(text[end - 1]) && text[end - 1] <= ' ') --end;
    size_t begin = end;
    while (begin > 0 && inWord(text[begin - 1])) --begin;
    const std::string_view word = text.substr(begin, end - begin);
    found.append |= word == "append";
    const bool endsAlike = word.size() > 4 && std::string_view("tyzser").find(word.back()) != std::string_view::npos;  // as all of them do
    const bool hidden = text.substr(end, open - end).find('\n') != std::string_view::npos || (end > 0 && text[end - 1] == '\\');  // behind a comment, or on another line
    found.host |= hidden || (endsAlike && std::find(std::begin(kHostCalls), std::end(kHostCalls), word) != std::end(kHostCalls));
  }
  return found;
}

bool usesHost(const Context &cx, const ast::Block &block) {
  if (block.empty()) return false;
  const CallsInText calls = callsIn(cx.sources.text(block.front()->span.to(block.back()->span)));
  if (calls.append && appendsInWhile(block)) return true;
  return calls.host && firstHostCall(block);
}

bool isHostElement(const Value &value) { return value.kind == ValueKind::HostTensor && value.madeOf && value.rank == 0 && value.text == kElement; }

Value hostItem(Context &cx, const Value &tensor, const Value *index, Span span) {
  if (index && isHeldRows(tensor)) return itemOfRows(cx, tensor, *index, span);
  ExprPtr e = makeExpr(ExprKind::HostItem, tensor.expr->type, span);
  e->args.push_back(clone(*tensor.expr));
  if (index) e->args.push_back(indexExpr(cx, *index, span));
  Value v = Value::of(ValueKind::HostTensor);
  v.type = e->type;
  v.rank = index ? std::max(0, tensor.rank - 1) : 0;
  v.madeOf = index ? knownDType(cx, tensor) : tensor.madeOf;
  if (v.rank == 0 && v.madeOf) v.text = kElement;
  if (index && !tensor.madeAs.empty() && knownRank(tensor, cx.function.rebindable) > 0) v.madeAs.assign(tensor.madeAs.begin() + 1, tensor.madeAs.end());
  v.expr = std::shared_ptr<Expr>(e.release());
  return v;
}

Value hostExtent(Context &cx, const Value &tensor, std::optional<int> axis, Span span) {
  if (size_t known = axis ? 0 : knownRank(tensor, cx.function.rebindable))
    return Value::integer(Dim(static_cast<int64_t>(known)));
  ExprPtr e = makeExpr(axis ? ExprKind::HostShape : ExprKind::HostRank, indexType(), span);
  e->args.push_back(clone(*tensor.expr));
  if (axis) e->as<node::HostShape>().axis = *axis;
  return indexValue(cx, std::move(e), !axis ? "rank" : *axis == 0 ? "length" : "extent", span);
}

bool meantForTensors(Context &cx, const Value &value, Span span) {
  // Its parameters are whole tensors: it was meant to be a tensor function, were it not for what it prints.
  const ast::FuncDef *def =
      cx.function.frame && cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  for (size_t i = 0; def && value.expr->kind == ExprKind::VarRef && i < def->parameters.size(); ++i) {
    auto binding = cx.function.frame->names.find(def->parameters[i].name.text);
    bool here = binding != cx.function.frame->names.end() && binding->second.value.expr &&
                binding->second.value.expr->kind == ExprKind::VarRef &&
                binding->second.value.expr->as<node::VarRef>().var == value.expr->as<node::VarRef>().var && isWholeTensor(def->parameters[i]);
    const ast::CallExpr *call = here ? firstHostCall(def->body) : nullptr;
    if (!call) continue;
    if (fresh(cx, Id::hostOnly, call->span))
      report(cx, Id::hostOnly, call->span, std::string(cx.sources.text(call->callee->span)))
          .note(span, "this computes with its tensors, as functions do that print nothing")
          .help("call it in `def main()`, or in a function that leaves the computing to others");
    return true;
  }
  return false;
}

Value hostScalar(Context &cx, const Value &value, Span span) {
  if (meantForTensors(cx, value, span)) return Value::poison();
  // One of one dimension may hold one number, as the result of a kernel does.
  if (const size_t rank = knownRank(value, cx.function.rebindable); rank >= 2)
    return unsupported(cx, "a tensor with " + std::to_string(rank) + " dimensions where host code takes a number", span,
                       "one number of it: an element, `x[0, 0]`, or what is computed of all, `sum(x)`");
  auto made = knownDType(cx, value);
  const bool whole = made && isInt(*made) && *made != DType::Bool;
  ExprPtr e = makeExpr(ExprKind::HostItem, scalarType(whole ? DType::I64 : DType::F64), span);
  if (auto *call = value.expr->get<node::HostCall>(); call && call->function == "element") {  // its number, without a tensor around it
    e = clone(*value.expr);
    e->as<node::HostCall>().function = whole ? "element_whole" : "element_real";
    e->type = whole ? indexType() : scalarType(DType::F64);
    if (whole) e = makeCast(std::move(e), DType::I64, {});
  } else {
    e->args.push_back(clone(*value.expr));
  }
  if (made == DType::Bool) {
    std::vector<ExprPtr> sides;
    sides.push_back(std::move(e));
    sides.push_back(makeConstant(DType::F64, 0, span));
    return arrayValue(cx, makeElementwise(ElementwiseOp::Ne, scalarType(DType::Bool), span, std::move(sides)), scalarType(DType::Bool), {}, span);
  }
  return arrayValue(cx, std::move(e), scalarType(whole ? DType::I64 : DType::F64), {}, span);
}

Value wholeOfHost(Context &cx, std::string_view name, std::vector<ExprPtr> args, Span span) {
  ExprPtr e = makeExpr(ExprKind::HostCall, indexType(), span);
  e->as<node::HostCall>().function = std::string(name);
  e->args = std::move(args);
  return arrayValue(cx, makeCast(std::move(e), DType::I64, {}), scalarType(DType::I64), {}, span);
}

ExprPtr numberOfHost(Context &cx, const Value &value, Span span) {
  Value number = value.kind == ValueKind::HostTensor ? hostScalar(cx, value, span) : value;
  if (number.isPoison()) return nullptr;
  if (number.kind == ValueKind::Bool) return makeBool(number.truth, span);
  if (number.isScalar() && number.type.dtype == DType::Bool) return takeExpr(number);
  if (number.kind != ValueKind::Int && !(number.isScalar() && isInt(number.type.dtype))) return inCarryType(cx, number, DType::F64, span);
  const Value whole = convertInt(cx, number, span);
  return whole.isPoison() ? nullptr : indexExpr(cx, whole, span);
}

ExprPtr hostArgument(Context &cx, const Value &value, Span span) {
  if (value.kind == ValueKind::HostTensor) return clone(*value.expr);
  if (!value.isPoison())
    report(cx, Id::wrongArgument, span, quoted("this call"), "a tensor", describe(cx, value))
        .help(value.kind == ValueKind::String ? "`encode(text)` is that of the bytes of a text" : "`load_npy` reads one");
  return nullptr;
}

Value formatText(Context &cx, const std::vector<Value> &given, std::vector<std::string> texts,
                 std::vector<std::string> formats, Span span) {
  std::vector<Value> parts = opened(cx, given, texts, formats, span);
  Type type;
  type.kind = TypeKind::String;
  ExprPtr e = makeExpr(ExprKind::Format, type, span);
  auto &[around, fields] = e->as<node::Format>();
  around = {texts[0]};
  for (size_t i = 0; i < parts.size(); ++i) {
    const Value &v = parts[i];
    bool plain = formats[i].empty();
    if (v.kind == ValueKind::String && v.expr && v.expr->kind == ExprKind::Format && plain) {  // one format, not two
      const auto &other = v.expr->as<node::Format>();
      for (size_t k = 0; k < v.expr->args.size(); ++k) {
        around.back() += other.texts[k];
        e->args.push_back(clone(*v.expr->args[k]));
        fields.push_back(other.formats[k]);
        around.push_back("");
      }
      around.back() += other.texts.back() + texts[i + 1];
      continue;
    }
    std::string literal;
    bool known = true;
    if (v.kind == ValueKind::String && !v.expr && plain) literal = v.text;
    else if (v.isKnownInt() && !v.expr && plain) literal = std::to_string(v.sym.constant());
    else if (v.kind == ValueKind::None && plain) literal = "None";
    else if (v.kind == ValueKind::DType && plain) literal = std::string(name(v.type.dtype));
    else known = false;
    if (known) {
      around.back() += literal + texts[i + 1];
      continue;
    }
    ExprPtr arg;
    if (v.kind == ValueKind::Int) arg = indexExpr(cx, v, span);
    else if (v.kind == ValueKind::Float) arg = inCarryType(cx, v, DType::F64, span);
    else if (v.kind == ValueKind::Bool) arg = makeBool(v.truth, span);
    else if (v.kind == ValueKind::String && !v.expr) {
      arg = makeExpr(ExprKind::String, type, span);
      arg->as<node::String>().text = v.text;
    } else if (v.expr && !v.isState()) {
      arg = clone(*v.expr);
    } else {
      auto builder = report(cx, Id::wrongArgument, span, quoted("a format"), "a value", describe(cx, v));
      if (v.isState()) builder.help("a state is what it keeps: print its parts, as the `length` of a cache");
      return Value::poison();
    }
    e->args.push_back(std::move(arg));
    fields.push_back(formats[i]);
    around.push_back(texts[i + 1]);
  }
  Value out = Value::of(ValueKind::String);
  out.type = type;
  if (e->args.empty()) {
    out.text = around[0];
    return out;
  }
  out.expr = std::shared_ptr<Expr>(e.release());
  return out;
}

ExprPtr formatExpr(Context &cx, const std::vector<Value> &parts, std::vector<std::string> texts, Span span) {
  Value line = formatText(cx, parts, std::move(texts), std::vector<std::string>(parts.size()), span);
  if (line.isPoison()) return nullptr;
  if (line.expr) return takeExpr(line);
  ExprPtr e = makeExpr(ExprKind::Format, line.type, span);
  e->as<node::Format>().texts = {line.text};
  return e;
}

Value checkFString(Context &cx, const ast::FStringExpr &expr) {
  std::vector<Value> parts;
  std::vector<std::string> texts = {""}, formats;
  bool wrong = false;
  for (const ast::FStringPart &part : expr.parts) {
    if (!part.value) {
      texts.back() += part.literal;
      continue;
    }
    Value v = checkExpr(cx, *part.value);
    if (v.isPoison()) return v;
    wrong |= !formatFits(cx, v, part);
    parts.push_back(std::move(v));
    std::string spec = part.format;
    if (part.conversion) spec = std::string("!") + part.conversion + (spec.empty() ? "" : ":" + spec);
    formats.push_back(spec);
    texts.push_back("");
  }
  if (wrong) return Value::poison();
  if (!inHost(cx)) {
    bool known = true;
    for (const Value &v : parts) known &= !v.expr;
    if (!known) {
      report(cx, Id::hostOnly, expr.span, "f\"...\"");
      return Value::poison();
    }
  }
  return formatText(cx, parts, std::move(texts), std::move(formats), expr.span);
}

Value hostCall(Context &cx, std::string_view name, std::vector<ExprPtr> args, Span span) {
  auto function = hostFunction(name);
  TSR_CHECK(function, "no such function of the host runtime");
  Type type;
  switch (function->result) {
  case 's': type.kind = TypeKind::String; break;
  case 't': type.kind = TypeKind::HostTensor; break;
  case 'i': type = indexType(); break;
  case 'f': type = scalarType(DType::F64); break;
  case 'b': type = scalarType(DType::Bool); break;
  default: type.kind = TypeKind::None;
  }
  ExprPtr e = makeExpr(ExprKind::HostCall, type, span);
  e->as<node::HostCall>().function = std::string(name);
  e->args = std::move(args);
  if (function->result == 'i') return indexValue(cx, std::move(e), std::string(name), span);
  if (function->result == '-') {
    emit(cx, StmtKind::Evaluate, span).value = std::move(e);
    return Value::of(ValueKind::None);
  }
  Value v = Value::of(function->result == 's'   ? ValueKind::String
                      : function->result == 't' ? ValueKind::HostTensor
                                                : ValueKind::Array);
  v.type = type;
  v.expr = std::shared_ptr<Expr>(e.release());
  return v;
}

Value mainParameter(Context &cx, const ast::Parameter &parameter) {
  std::string written(parameter.annotation ? cx.sources.text(parameter.annotation->span) : "");
  Span span = parameter.span;
  bool text = written == "str", whole = written == "int" || written == "i64",
       real = written == "float" || written == "f64", truth = written == "bool";
  if (!text && !whole && !real && !truth) {
    report(cx, Id::wrongArgument, span, quoted("main"), "parameters of the types `int`, `float`, `bool` and `str`",
           "`" + std::string(cx.sources.text(span)) + "`")
        .help("they come from the command line; tensors come from files that it names: `load_npy(path)`");
    return Value::poison();
  }
  std::vector<ExprPtr> args;
  args.push_back(textExpr(parameter.name.text, span));
  if (parameter.defaultValue) {
    Value v = checkExpr(cx, *parameter.defaultValue);
    Span at = parameter.defaultValue->span;
    bool number = v.kind == ValueKind::Float || v.isKnownInt();
    bool fits = text    ? v.kind == ValueKind::String && !v.expr
                : whole ? v.isKnownInt()
                : truth ? v.kind == ValueKind::Bool
                        : number;
    if (v.isPoison()) return v;
    if (!fits) {
      report(cx, Id::wrongArgument, at, quoted(parameter.name.text), "`" + written + "`", describe(cx, v))
          .note(parameter.annotation->span, "declared here");
      return Value::poison();
    }
    args.push_back(text    ? textExpr(v.text, at)
                   : whole ? indexExpr(cx, v, at)
                   : truth ? makeBool(v.truth, at)
                           : inCarryType(cx, v, DType::F64, at));
  }
  return hostCall(cx,
                  text    ? "text_argument"
                  : whole ? "int_argument"
                  : real  ? "real_argument"
                          : "bool_argument",
                  std::move(args), span);
}

Value callHostBuiltin(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &, Span span) {
  auto text = [&](const Value &v, Span at) -> ExprPtr {
    if (v.isPoison()) return nullptr;
    if (v.kind != ValueKind::String) {
      report(cx, Id::wrongArgument, at, quoted(std::string(row.name)), "a text in quotes", describe(cx, v));
      return nullptr;
    }
    Value copy = v;
    return copy.expr ? takeExpr(copy) : textExpr(v.text, at);
  };
  switch (row.kind) {
  case BuiltinKind::Print: return printed(cx, args, span);
  case BuiltinKind::LoadNpy: {
    ExprPtr path = text(args.values[0], args.spans[0]);
    if (!path) return Value::poison();
    Type type;
    type.kind = TypeKind::HostTensor;
    ExprPtr e = makeExpr(ExprKind::LoadNpy, type, span);
    e->args.push_back(std::move(path));
    Value v = Value::of(ValueKind::HostTensor);
    v.type = type;
    v.expr = std::shared_ptr<Expr>(e.release());
    return v;
  }
  case BuiltinKind::LoadTensors: {
    ExprPtr path = text(args.values[0], args.spans[0]);
    return path ? loadTensors(cx, std::move(path), args.values[1], args.spans[1], span) : Value::poison();
  }
  case BuiltinKind::SaveTensors: {
    ExprPtr path = text(args.values[0], args.spans[0]);
    return path ? saveTensors(cx, std::move(path), args.values[1], args.spans[1], span) : Value::poison();
  }
  case BuiltinKind::HostCall: {
    if (row.name == "json_text") return jsonText(cx, args.values[0], span);
    if (row.op == "places") return placesNotZero(cx, args.values[0], row.name == "flatnonzero", span);
    std::vector<ExprPtr> given;
    std::string_view letters = hostFunction(row.op)->arguments;
    letters = letters.substr(0, letters.find('('));  // what follows may be given any number of times
    for (size_t i = 0; i < letters.size(); ++i) {
      const Value &bytes = args.values[i];
      const std::optional<DType> dtype = row.op != "decode" ? std::nullopt : bytes.isArray() ? bytes.type.dtype : knownDType(cx, bytes);
      if (dtype && !isInt(*dtype)) {
        report(cx, Id::wrongArgument, args.spans[i], quoted("decode"), "the numbers of bytes, a tensor of integers", describe(cx, bytes))
            .help("a number with a fraction is no byte: `cast(x, u8)` makes one of it");
        return Value::poison();
      }
      if (letters[i] == 'i') {
        const Value whole = convertInt(cx, args.values[i], args.spans[i]);
        given.push_back(whole.isPoison() ? nullptr : indexExpr(cx, whole, args.spans[i]));
      } else {
        given.push_back(letters[i] == 's' ? text(args.values[i], args.spans[i]) : hostArgument(cx, args.values[i], args.spans[i]));
      }
      if (!given.back()) return Value::poison();
    }
    for (size_t i = 0; i < args.rest.size(); ++i) {
      given.push_back(hostArgument(cx, args.rest[i], args.restSpans[i]));
      if (!given.back()) return Value::poison();
    }
    Value v = hostCall(cx, row.op, std::move(given), span);
    if (v.kind == ValueKind::String && row.op.starts_with("file_")) return asVariable(cx, v, "text", span);  // each time it is another
    if (row.op == "json_items") return rowsWithSchema(std::move(v), "t");
    if (row.op == "read_bytes" || row.op == "encode") v.rank = 1, v.madeOf = DType::U8;
    return v;
  }
  case BuiltinKind::SaveNpy: {
    ExprPtr path = text(args.values[0], args.spans[0]);
    if (auto rows = args.values[1].kind == ValueKind::List ? asHeldRows(cx, args.values[1], span) : std::nullopt)  // of numbers
      if (Value list = asGrownList(cx, std::move(*rows), span); !isHeldRows(list)) args.values[1] = std::move(list);
    ExprPtr value = path ? hostArgument(cx, args.values[1], args.spans[1]) : nullptr;
    if (!value) return Value::poison();
    Stmt &stmt = emit(cx, StmtKind::SaveNpy, span);
    stmt.value = std::move(path);
    stmt.extra = std::move(value);
    return Value::of(ValueKind::None);
  }
  case BuiltinKind::ToStr: return formatText(cx, {args.values[0]}, {"", ""}, {""}, span);
  default: return unsupported(cx, "`" + std::string(row.name) + "`", span);
  }
}

}  // namespace tessera::sema
