#include "reference/Elementwise.h"
#include "reference/Format.h"
#include "reference/Interpreter.h"
#include <cerrno>
#include <cstdlib>

namespace tessera::reference {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::ParamMode;
using checked::Stmt;
using checked::TypeKind;
namespace node = checked::node;

Ref Interpreter::evalHost(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Call: return evalCall(expr);
  case ExprKind::LoadNpy: return loadNpy(expr);
  case ExprKind::HostCall: return hostCall(expr);
  case ExprKind::Format: return format(expr);
  case ExprKind::HostItem: return hostItem(expr);
  case ExprKind::TupleItem: {
    Ref tuple = eval(*expr.args[0]);
    if (!tuple) return nullptr;
    auto item = static_cast<size_t>(expr.as<node::TupleItem>().item);
    TSR_CHECK(tuple->kind == Datum::Kind::Tuple && item < tuple->items.size(), "item of a tuple");
    return tuple->items[item];
  }
  case ExprKind::HostRank: {
    Ref array = eval(*expr.args[0]);
    return array ? makeInt(DType::I64, static_cast<int64_t>(array->shape.size())) : nullptr;
  }
  case ExprKind::HostShape: {
    Ref array = eval(*expr.args[0]);
    if (!array) return nullptr;
    const int64_t rank = static_cast<int64_t>(array->shape.size()), asked = expr.as<node::HostShape>().axis;
    int64_t axis = asked;
    if (axis < 0) axis += rank;
    if (array->kind != Datum::Kind::Number || axis < 0 || axis >= rank)
      return fail(expr.span, "I asked for dimension " + std::to_string(asked) +
                                 " of an array of shape " + shapeText(array->shape));
    return makeInt(DType::I64, array->shape[static_cast<size_t>(axis)]);
  }
  default: TSR_UNREACHABLE("host expression");
  }
}

Ref Interpreter::evalCall(const Expr &expr) {
  std::vector<Ref> args;
  if (!evalAll(expr.args, args)) return nullptr;
  size_t next = 0;
  for (const checked::Param &param : expr.as<node::Call>().callee->params) {
    if (param.isResult) continue;
    if (next >= args.size()) break;
    // Host code hands the array itself to an in-out parameter; the values of a tensor function do not change.
    bool written = param.mode != ParamMode::In;
    if (written && function_.kind != checked::FunctionKind::Host)
      args[next] = std::make_shared<Datum>(*args[next]);
    ++next;
  }
  Interpreter callee(*expr.as<node::Call>().callee, options_);
  if (!callee.call(std::move(args))) {
    RunError inner = callee.error();
    bool inside = callee.argumentsFit() && inner.span.valid();
    fail(inside ? inner.span : expr.span, inner.message, inner.kind);
    error_->exitCode = inner.exitCode, error_->caught = inner.caught;
    return nullptr;
  }
  auto &results = callee.results();
  if (function_.kind == checked::FunctionKind::Host && callee.function_.kind != checked::FunctionKind::Host)
    for (const Ref &result : results)
      if (result->nan)
        return fail(result->nan->span.valid() ? result->nan->span : expr.span,
                    "`" + callee.function_.name + "` " + aboutNaN(result->nan->span, result->nan->what));
  if (results.empty()) return makeNone();
  if (results.size() == 1) return results[0];
  auto tuple = std::make_shared<Datum>();
  tuple->kind = Datum::Kind::Tuple;
  tuple->items = std::move(results);
  return tuple;
}

Ref Interpreter::hostItem(const Expr &expr) {
  Ref array = eval(*expr.args[0]);
  if (!array) return nullptr;
  Ref item;
  if (expr.args.size() == 1) {
    if (array->size() != 1)
      return fail(expr.span, "only an array of one element has a value, and this one has the shape " +
                                 shapeText(array->shape));
    item = reshape(array, {});
  } else {
    auto row = evalInt(*expr.args[1]);
    if (!row) return nullptr;
    if (array->shape.empty()) return fail(expr.span, "an array without dimensions has no rows");
    int64_t extent = array->shape[0], at = *row < 0 ? *row + extent : *row;
    if (at < 0 || at >= extent)
      return fail(expr.span, "I asked for row " + std::to_string(*row) + " of an array of shape " + shapeText(array->shape), tsr::host::kIndexError);
    std::vector<SlicePart> parts{{at, 1, 1, true}};
    for (size_t d = 1; d < array->shape.size(); ++d) parts.push_back({0, array->shape[d], 1, false});
    item = slice(array, parts);
    item->rawBytes = array->rawBytes;
  }
  // Numbers of host code are f64 (F13); the array's dtype is known only now.
  if (expr.type.kind != TypeKind::Scalar || item->dtype == expr.type.dtype) return item;
  std::string error;
  if (!item->isFloat() && tessera::isFloat(expr.type.dtype) && !isExact(item->ints[0])) return fail(expr.span, inexactText(item->ints[0]));
  Ref number = cast(item, expr.type.dtype, {}, error);
  return number ? number : fail(expr.span, error);
}

Ref Interpreter::loadNpy(const Expr &expr) {
  Ref path = eval(*expr.args[0]);
  if (!path) return nullptr;
  if (!options_.readFile) return fail(expr.span, "files cannot be read here");
  auto bytes = options_.readFile(path->text);
  if (!bytes) return fail(expr.span, "cannot read '" + path->text + "': " + bytes.error(), tsr::host::kFileNotFoundError);
  // Two raw bytes can only be bf16; a single one may be of several dtypes, and its first use says which.
  auto array = parseNpy(*bytes);
  bool raw = false;
  for (DType dtype : {DType::BF16, DType::F8E4M3})
    if (!array && array.error().find("say which dtype") != std::string::npos) {
      array = parseNpy(*bytes, dtype);
      if (array) raw = storageBytes(dtype) == 1;
      if (!array) array = parseNpy(*bytes);
    }
  if (!array) return fail(expr.span, "'" + path->text + "': " + array.error(), tsr::host::kValueError);
  if (raw) array->dtype = DType::U8;
  auto value = fromNpy(*array);
  if (!value) return fail(expr.span, "'" + path->text + "': " + value.error());
  Ref out = makeRef(std::move(*value));
  out->rawBytes = raw;
  return out;
}

/// A parameter of `main`, as the emitted program reads it.
Ref Interpreter::argument(const Expr &expr, const std::string &name) {
  const std::string &wanted = expr.as<node::HostCall>().function;
  askedFor_.insert(name);
  auto given = options_.arguments.find(name);
  if (given == options_.arguments.end())
    return expr.args.size() > 1 ? eval(*expr.args[1]) : fail(expr.span, "--" + name + " is missing");
  const std::string &text = given->second;
  char *end = nullptr;
  errno = 0;
  Ref value;
  if (wanted == "text_argument") return makeText(text);
  if (wanted == "int_argument") value = makeInt(DType::I64, std::strtoll(text.c_str(), &end, 10));
  else if (wanted == "real_argument") value = makeFloat(DType::F64, std::strtod(text.c_str(), &end)), errno = 0;
  else {
    bool yes = text == "true" || text == "True" || text == "1", no = text == "false" || text == "False" || text == "0";
    if (yes || no) return makeInt(DType::Bool, yes);
  }
  if (!end || *end || text.empty() || errno) return fail(expr.span, "--" + name + " is '" + text + "', which is no " +
                                                         (wanted == "int_argument" ? "integer" : wanted == "real_argument" ? "number" : "truth value"));
  return value;
}

static Ref tensorOfBytes(const std::string &bytes) {
  Ref out = makeDatum(DType::U8, {static_cast<int64_t>(bytes.size())});
  for (size_t i = 0; i < bytes.size(); ++i) out->ints[i] = static_cast<unsigned char>(bytes[i]);
  return out;
}

Ref Interpreter::hostCall(const Expr &expr) {
  const std::string &name = expr.as<node::HostCall>().function;
  if (name == "perf_counter")
    return options_.seconds ? makeFloat(DType::F64, options_.seconds()) : fail(expr.span, "there is no clock here");
  if (name == "rank" || name == "axis_index") return makeInt(DType::I64, 0);
  if (name == "axis_size") return makeInt(DType::I64, 1);
  if (name == "no_more_arguments") {
    for (const auto &[name, text] : options_.arguments)
      if (!askedFor_.count(name)) return fail(expr.span, "there is no argument --" + name);
    return makeNone();
  }
  if (name.starts_with("caught_") || name.starts_with("raise_") || name == "exit_program") return errorCall(expr);
  if (name == "element_real" || name == "element_whole" || name == "element") return hostElement(expr);
  if (name.starts_with("file_")) return fileCall(expr);
  if (isOfRows(name)) return hostRows(expr);
  if (name.starts_with("store_next_")) return hostAppend(expr);
  if (name == "store_without") return hostWithout(expr);
  if (name == "store_key" || name == "has_key" || name.ends_with("_of_key") || name.ends_with("_or") || name.starts_with("column_") || name == "dict_text") return hostDict(expr);
  if (name.starts_with("store_rows_")) return hostStoreRows(expr);
  if (name == "chosen" || name == "store_chosen") return hostChosen(expr);
  if (name == "places") return hostPlaces(expr);
  if (name == "store_real" || name == "store_whole" || name == "store_part") return hostStore(expr);
  Ref first = eval(*expr.args.at(0));
  if (!first) return nullptr;
  if (name == "count") return makeInt(DType::I64, static_cast<int64_t>(first->size()));
  if (name.find("_argument") != std::string::npos) return argument(expr, first->text);
  if (name == "read_bytes") {
    if (!options_.readFile) return fail(expr.span, "files cannot be read here");
    auto bytes = options_.readFile(first->text);
    return bytes ? tensorOfBytes(*bytes) : fail(expr.span, "cannot read '" + first->text + "': " + bytes.error());
  }
  if (name == "character") {
    auto index = evalInt(*expr.args.at(1));
    const auto size = static_cast<int64_t>(first->text.size());
    if (!index) return nullptr;
    const int64_t at = *index < 0 ? *index + size : *index;
    if (at < 0 || at >= size) return fail(expr.span, "there is no index " + std::to_string(*index) + " of a text of " + std::to_string(size), tsr::host::kIndexError);
    return makeText(first->text.substr(static_cast<size_t>(at), 1));
  }
  if (name.starts_with("text_") || name.starts_with("json_") || name.find("of_text") != std::string::npos || name == "code_of" || name == "character_of") return textCall(expr, first->text);
  if (name == "power") return powerOf(expr);
  if (name == "same_text") {
    Ref second = eval(*expr.args.at(1));
    return second ? makeInt(DType::Bool, first->text == second->text) : nullptr;
  }
  if (name == "encode") return tensorOfBytes(first->text);
  if (name == "write_bytes") return writeBytes(expr, first->text);
  if (name == "load_npz") return readNpz(expr, first->text);
  if (name == "load_tensor" || name == "expect_tensors") return readTensors(expr, first->text);
  if (name == "save_npz") return saveNpz(expr, first->text);
  if (name == "save_tensors") return saveTensors(expr, first->text);
  if (name == "zeros" || name == "full_real" || name == "full_whole" || name == "iota")
    return hostTensor(expr, first->text);
  if (name == "tensor_real" || name == "tensor_whole") return hostTable(expr, first->text);
  if (name == "reshaped") {
    std::vector<int64_t> shape;
    for (size_t i = 1; i < expr.args.size(); ++i) {
      auto extent = evalInt(*expr.args[i]);
      if (!extent) return nullptr;
      shape.push_back(*extent);
    }
    return reshape(first, shape);
  }
  if (name == "shape_text") {
    std::string text;
    for (int64_t extent : first->shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
    return makeText("(" + text + (first->shape.size() == 1 ? ",)" : ")"));
  }
  TSR_CHECK(name == "decode", "a function of the host runtime that the interpreter does not know");
  std::string text;
  return appendBytes(expr, *first, text) ? makeText(std::move(text)) : nullptr;
}

/// What `except` asks of an error, and what makes one.
Ref Interpreter::errorCall(const Expr &expr) {
  const std::string &name = expr.as<node::HostCall>().function;
  if (name == "caught_text") return makeText(caught_.caught.empty() ? caught_.message : caught_.caught);
  if (name == "raise_again") return error_ = caught_, nullptr;
  std::vector<Ref> args;
  if (!evalAll(expr.args, args)) return nullptr;
  if (name == "caught_kind") return makeInt(DType::Bool, caught_.kind >= args[0]->ints[0] && caught_.kind <= args[1]->ints[0]);
  if (name == "exit_program") {
    fail(expr.span, "the program ends");
    error_->exitCode = args[0]->ints[0] & 255;
    return nullptr;
  }
  const std::string &text = args[2]->text;
  fail(expr.span, args[0]->text + (text.empty() ? "" : ": " + text), args[1]->ints[0]);
  error_->caught = text;
  return nullptr;
}

/// Appends the elements of a tensor of integers, each a byte, in row-major order.
bool Interpreter::appendBytes(const Expr &expr, const Datum &tensor, std::string &out) {
  if (tensor.isFloat()) return fail(expr.span, "bytes are integers, and these are floats"), false;
  for (int64_t byte : tensor.ints) {
    if (byte < 0 || byte > 255) return fail(expr.span, std::to_string(byte) + " is no byte: they are 0 to 255"), false;
    out += static_cast<char>(byte);
  }
  return true;
}

Ref Interpreter::writeBytes(const Expr &expr, const std::string &path) {
  std::string bytes;
  for (size_t i = 1; i < expr.args.size(); ++i) {
    Ref part = eval(*expr.args[i]);
    if (!part || !appendBytes(expr, *part, bytes)) return nullptr;
  }
  if (!options_.writeFile) return fail(expr.span, "files cannot be written here");
  std::string error = options_.writeFile(path, bytes);
  return error.empty() ? makeNone() : fail(expr.span, "cannot write '" + path + "': " + error);
}

/// A tensor of these numbers, of the dtype that is called `name`.
Ref Interpreter::hostTable(const Expr &expr, const std::string &name) {
  auto dtype = dtypeByName(name);
  TSR_CHECK(dtype, "a dtype that the checker knows");
  std::vector<Ref> numbers;
  for (size_t i = 1; i < expr.args.size(); ++i) {
    numbers.push_back(eval(*expr.args[i]));
    if (!numbers.back()) return nullptr;
  }
  const bool isReal = expr.as<node::HostCall>().function == "tensor_real";
  Ref all = table(numbers, {static_cast<int64_t>(numbers.size())}, isReal ? DType::F64 : DType::I64);
  std::string error;
  Ref out = cast(all, *dtype, {}, error);
  return out ? out : fail(expr.span, error);
}

/// Zeros, one number everywhere, or the indices along an axis, of the dtype that is called `name`.
Ref Interpreter::hostTensor(const Expr &expr, const std::string &name) {
  auto dtype = dtypeByName(name);
  TSR_CHECK(dtype, "a dtype that the checker knows");
  const bool zeros = expr.as<node::HostCall>().function == "zeros";
  Ref given = zeros ? makeInt(DType::I64, 0) : eval(*expr.args.at(1));
  if (!given) return nullptr;
  std::vector<int64_t> shape;
  for (size_t i = zeros ? 1 : 2; i < expr.args.size(); ++i) {
    auto extent = evalInt(*expr.args[i]);
    if (!extent) return nullptr;
    if (*extent < 0) return fail(expr.span, "a tensor with an extent of " + std::to_string(*extent));
    shape.push_back(*extent);
  }
  Ref out = makeDatum(given->isFloat() ? DType::F64 : DType::I64, shape);
  if (given->isFloat()) {
    std::fill(out->floats.begin(), out->floats.end(), given->floats.at(0));
  } else if (expr.as<node::HostCall>().function == "iota") {
    int64_t inner = 1;
    const auto axis = static_cast<size_t>(given->ints.at(0));
    for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    for (size_t i = 0; i < out->ints.size(); ++i) out->ints[i] = static_cast<int64_t>(i) / inner % shape[axis];
  } else {
    std::fill(out->ints.begin(), out->ints.end(), given->ints.at(0));
  }
  std::string error;
  Ref made = cast(out, *dtype, {}, error);
  return made ? made : fail(expr.span, error);
}

bool Interpreter::saveNpy(const Stmt &stmt) {
  Ref path = eval(*stmt.value);
  Ref array = path ? eval(*stmt.extra) : nullptr;
  if (!array) return false;
  if (!options_.writeFile) return fails(stmt.span, "files cannot be written here");
  std::string error = options_.writeFile(path->text, writeNpy(toNpy(*array)));
  return error.empty() || fails(stmt.span, "cannot write '" + path->text + "': " + error);
}

Ref Interpreter::format(const Expr &expr) {
  const auto &[texts, formats] = expr.as<node::Format>();
  TSR_CHECK(texts.size() == expr.args.size() + 1, "parts of a formatted string");
  std::string out = texts[0];
  for (size_t i = 0; i < expr.args.size(); ++i) {
    Ref value = eval(*expr.args[i]);
    if (!value) return nullptr;
    auto field = formatField(*value, i < formats.size() ? formats[i] : "");
    if (!field) return fail(expr.args[i]->span, field.error());
    out += *field + texts[i + 1];
  }
  return makeText(std::move(out));
}

bool Interpreter::print(const Stmt &stmt) {
  Ref text = stmt.value ? eval(*stmt.value) : makeText("");
  if (!text) return false;
  if (!options_.print) return fails(stmt.span, "nothing can be printed here");
  printText(textOf(*text) + "\n");
  return true;
}

bool Interpreter::evalArguments(const Expr &expr, std::vector<Ref> &values) {
  for (const ExprPtr &arg : expr.args)
    if (!values.emplace_back(eval(*arg))) return false;
  return true;
}

}  // namespace tessera::reference
