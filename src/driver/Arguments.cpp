#include "driver/Arguments.h"
#include "driver/Files.h"
#include "reference/Elementwise.h"
#include "reference/Value.h"
#include "support/FloatFormats.h"
#include "support/LinearDim.h"
#include "support/MeshDims.h"
#include "tessera/mesh.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace tessera::driver {
namespace {

using reference::elementCount;
using reference::shapeText;
using checked::TypeKind;
namespace node = checked::node;

Result<NpyArray> scalarArgument(const checked::Param &param, const std::string &text) {
  DType dtype = dtypeOf(param);
  NpyArray scalar{dtype, {}, std::string(static_cast<size_t>(storageBytes(dtype)), '\0')};
  if (dtype == DType::Bool) {
    bool yes = text == "true" || text == "True" || text == "1";
    if (!yes && text != "false" && text != "False" && text != "0") return Failure{"I expected true or false, but saw `" + text + "`"};
    scalar.data[0] = yes;
    return scalar;
  }
  char *end = nullptr;
  if (isFloat(dtype)) {
    double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end) return Failure{"I expected a number, but saw `" + text + "`"};
    const bool isWord = text.find_first_of("iInN") != std::string::npos;  // inf, nan
    const FloatFormat &format = floatFormat(dtype);
    const bool fits = std::abs(value) <= format.max || (format.hasInfinity && std::abs(roundToFloat(dtype, value)) <= format.max);
    if (!isWord && !fits) return Failure{text + " does not fit " + std::string(name(dtype))};
    storeFloat(dtype, value, scalar.data.data());
  } else {
    errno = 0;
    long long value = std::strtoll(text.c_str(), &end, 0);
    if (text.empty() || *end) return Failure{"I expected an integer, but saw `" + text + "`"};
    if (errno || value < minInt(dtype) || value > maxInt(dtype)) return Failure{text + " does not fit " + std::string(name(dtype))};
    storeInt(dtype, value, scalar.data.data());
  }
  return scalar;
}

/// The value of a Constant default as an array of the parameter's dtype.
NpyArray defaultArray(const checked::Param &param) {
  DType dtype = dtypeOf(param);
  NpyArray scalar{dtype, {}, std::string(static_cast<size_t>(storageBytes(dtype)), '\0')};
  const auto &value = param.defaultValue->as<node::Constant>().value;
  const auto *real = std::get_if<double>(&value);
  const auto *integer = std::get_if<int64_t>(&value);
  const bool *truth = std::get_if<bool>(&value);
  const int64_t whole = integer ? *integer : truth ? *truth : real ? static_cast<int64_t>(*real) : 0;
  if (isFloat(dtype)) storeFloat(dtype, real ? *real : static_cast<double>(whole), scalar.data.data());
  else storeInt(dtype, whole, scalar.data.data());
  return scalar;
}

/// Learns dimension variables from one array; a message if its rank or a variable disagrees.
std::string learnDims(const checked::Param &param, const NpyArray &array, std::map<std::string, int64_t> &dims) {
  const std::vector<Dim> &shape = param.var->type.shape;
  if (array.shape.size() != shape.size())
    return "it has shape " + shapeText(array.shape) + ", but `" + param.var->name + ": " + describe(param) + "` has " + std::to_string(shape.size()) + " dimensions";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].isVar()) continue;
    auto [it, inserted] = dims.try_emplace(shape[i].varName(), array.shape[i]);
    if (!inserted && it->second != array.shape[i])
      return "dimension " + std::to_string(i) + " is " + std::to_string(array.shape[i]) + ", but `" + it->first + "` is " + std::to_string(it->second);
  }
  return {};
}

/// Learns the variables that only an extent such as `2 * N` gives. The entry function checks that it is such a one.
void solveDims(const checked::Function &function, const std::map<std::string, NpyArray> &arrays, std::map<std::string, int64_t> &dims) {
  std::vector<std::vector<Dim>> shapes;
  std::vector<const NpyArray *> given;
  std::set<std::string> known;
  for (const checked::Param &param : function.params) {
    auto array = arrays.find(param.var->name);
    const std::vector<Dim> &shape = param.var->type.shape;
    const bool fits = array != arrays.end() && array->second.shape.size() == shape.size();
    shapes.push_back(fits ? shape : std::vector<Dim>());
    given.push_back(fits ? &array->second : nullptr);
  }
  for (const auto &[name, size] : dims) known.insert(name);
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto found = dims.find(name);
    return found == dims.end() ? std::nullopt : std::optional(found->second);
  };
  for (const SolvedExtent &solved : solvedExtents(shapes, known))
    if (auto rest = solved.extent.rest.evaluate(valueOf), factor = solved.extent.factor.evaluate(valueOf); rest && factor) {
      const int64_t left = given[solved.parameter]->shape[solved.axis] - *rest;
      dims.try_emplace(solved.extent.variable, *factor == 0 ? 0 : std::max<int64_t>(0, left) / *factor);
    }
}

/// What the mesh of this process gives under the name.
std::optional<int64_t> meshNumberHere(const std::string &variable) {
  auto asked = meshDim(variable);
  if (!asked) return std::nullopt;
  const tsr::Mesh &mesh = tsr::Mesh::get();
  const tsr::Mesh::Axis *axis = mesh.axis(asked->axis.c_str());
  switch (asked->what) {
  case MeshNumber::Size: return axis ? axis->size : 1;
  case MeshNumber::Index: return axis ? axis->index : 0;
  case MeshNumber::Rank: return mesh.rank();
  }
  return std::nullopt;
}

Result<std::vector<int64_t>> shapeOf(const std::vector<Dim> &extents, const std::map<std::string, int64_t> &dims) {
  std::vector<int64_t> shape;
  for (const Dim &dim : extents) {
    auto value = dim.evaluate([&](const std::string &variable) -> std::optional<int64_t> {
      auto it = dims.find(variable);
      return it == dims.end() ? meshNumberHere(variable) : std::optional(it->second);
    });
    if (!value) return Failure{"the value of `" + dim.str() + "` is not known; give it"};
    if (*value < 0) return Failure{"`" + dim.str() + "` is " + std::to_string(*value) + "; an extent cannot be negative"};
    shape.push_back(*value);
  }
  return shape;
}

/// Bytes of an array; none if no memory of any machine could hold it.
std::optional<size_t> byteCount(DType dtype, const std::vector<int64_t> &shape) {
  int64_t bytes = storageBytes(dtype);
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  if (bytes > int64_t(1) << 47) return std::nullopt;
  return static_cast<size_t>(bytes);
}
Failure tooLarge(DType dtype, const std::vector<int64_t> &shape) {
  return {"an array of " + std::string(name(dtype)) + shapeText(shape) + " is larger than any memory; give smaller sizes"};
}

/// A place for a result. All bits set is NaN in every float format: an element that is never written cannot look right.
Result<NpyArray> poisoned(const std::string &name, DType dtype, const std::vector<Dim> &extents, const std::map<std::string, int64_t> &dims) {
  auto shape = shapeOf(extents, dims);
  if (!shape) return Failure{"result `" + name + "`: " + shape.error()};
  NpyArray place{dtype, *shape, {}};
  auto total = byteCount(dtype, place.shape);
  if (!total) return tooLarge(dtype, place.shape);
  place.data.assign(*total, '\xff');
  return place;
}

uint64_t nextRandom(uint64_t &state) {  // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace

bool isTensorParam(const checked::Param &param) {
  TypeKind kind = param.var->type.kind;
  return kind == TypeKind::Tensor || kind == TypeKind::View;
}

DType dtypeOf(const checked::Param &param) {
  return param.var->type.kind == TypeKind::Index ? DType::I64 : param.var->type.dtype;
}

std::string describe(const checked::Param &param) {
  if (param.var->type.kind == TypeKind::Stream) return "Rng";
  if (!isTensorParam(param)) return param.var->type.kind == TypeKind::Index ? "Int" : std::string(name(param.var->type.dtype));
  std::string text = "Tensor[";
  for (const Dim &dim : param.var->type.shape) text += dim.str() + ", ";
  return text + std::string(name(param.var->type.dtype)) + "]";
}

/// The same numbers rounded to another dtype, as a cast does it.
static Result<NpyArray> converted(const NpyArray &array, DType dtype) {
  auto given = reference::fromNpy(array);
  if (!given) return Failure{given.error()};
  reference::Value value = reference::Value::poison(dtype, given->shape);
  const reference::Rounder round(dtype, {});
  for (size_t i = 0; i < given->size(); ++i) {
    if (value.isFloat()) value.floats[i] = given->isFloat() ? round(given->floats[i]) : round.ofInt(given->ints[i]);
    else value.ints[i] = given->isFloat() ? round.toInt(given->floats[i]) : round.wrap(given->ints[i]);
  }
  return reference::toNpy(value);
}

Result<NpyArray> readArgument(const checked::Param &param, const std::string &text, bool casts) {
  if (!isTensorParam(param)) return scalarArgument(param, text);
  if (auto tensor = readTensorArgument(param, text)) return *tensor;
  ReadResult read = readFile(text);
  if (read.problem != ReadProblem::None) return Failure{"I cannot read `" + text + "`: " + read.text};
  auto array = parseNpy(read.text, dtypeOf(param));
  if (array) return array;
  std::string wanted(name(dtypeOf(param))), problem = "`" + text + "`: " + array.error();
  auto other = parseNpy(read.text, std::nullopt);
  if (!other) return Failure{problem};
  if (!casts) return Failure{problem + " (`--cast` rounds its numbers to " + wanted + ")"};
  auto made = converted(*other, dtypeOf(param));
  if (!made) return Failure{"`" + text + "`: " + made.error()};
  return made;
}

Result<BoundArguments> bindArguments(const checked::Function &function, std::map<std::string, NpyArray> named,
                                     const std::map<std::string, int64_t> &dims) {
  BoundArguments bound;
  bound.dims = dims;
  for (const checked::Param &param : function.params) {
    auto it = named.find(param.var->name);
    if (param.isResult || it == named.end() || !isTensorParam(param)) continue;
    if (std::string message = learnDims(param, it->second, bound.dims); !message.empty())
      return Failure{"argument `" + param.var->name + "`: " + message};
  }
  solveDims(function, named, bound.dims);
  for (const checked::Param &param : function.params) {
    const std::string &key = param.var->name;
    auto it = named.find(key);
    if (!param.isResult && it != named.end()) {
      bound.arrays.push_back(std::move(it->second));
    } else if (!param.isResult && param.defaultValue) {
      bound.arrays.push_back(defaultArray(param));
    } else if (!param.isResult && param.mode != checked::ParamMode::Out) {
      return Failure{"`" + function.name + "` needs an argument `" + key + ": " + describe(param) + "`"};
    } else {
      auto place = poisoned(key, dtypeOf(param), param.var->type.shape, bound.dims);
      if (!place) return Failure{place.error()};
      bound.arrays.push_back(std::move(*place));
    }
    if (function.results.empty() && param.mode != checked::ParamMode::In) {
      bound.results.push_back(bound.arrays.size() - 1);
      bound.resultNames.push_back(key);
    }
    bound.isTensor.push_back(isTensorParam(param));
    bound.bytesMoved += (param.mode == checked::ParamMode::InOut ? 2 : 1) * bound.arrays.back().data.size();
  }
  for (const checked::FunctionResult &result : function.results) {
    bound.resultNames.push_back(result.name);
    bound.results.push_back(result.param >= 0 ? static_cast<size_t>(result.param) : bound.arrays.size());
    if (result.param >= 0) continue;
    auto place = poisoned(result.name, result.type.dtype, result.type.shape, bound.dims);
    if (!place) return Failure{place.error()};
    bound.bytesMoved += place->data.size();
    bound.arrays.push_back(std::move(*place));
    bound.isTensor.push_back(true);
  }
  return bound;
}

Result<std::map<std::string, NpyArray>> randomArguments(const checked::Function &function, const std::map<std::string, int64_t> &dims, uint64_t seed) {
  std::map<std::string, NpyArray> made;
  uint64_t state = seed;
  for (const checked::Param &param : function.params) {
    if (param.isResult || param.defaultValue) continue;
    NpyArray array{dtypeOf(param), {}, {}};
    auto shape = shapeOf(param.var->type.shape, dims);
    if (!shape) return Failure{"argument `" + param.var->name + "`: " + shape.error() + ", such as `--random " + "n=1000`"};
    if (isTensorParam(param)) array.shape = *shape;
    const bool stream = param.var->type.kind == TypeKind::Stream;  // any seed
    bool givesDim = !isTensorParam(param) && !shape->empty();  // `heads: Const[H]` is H
    auto total = byteCount(array.dtype, array.shape);
    if (!total) return tooLarge(array.dtype, array.shape);
    array.data.resize(*total);
    size_t count = elementCount(array.shape), bytes = static_cast<size_t>(storageBytes(array.dtype));
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits = nextRandom(state);
      double value = isFloat(array.dtype)           ? static_cast<double>(bits >> 11) * 0x1p-52 - 1.0
                     : array.dtype == DType::Bool ? static_cast<double>(bits >> 63)
                     : stream                     ? static_cast<double>(bits >> 12)
                                                  : static_cast<double>(bits % 100);
      if (givesDim) value = static_cast<double>((*shape)[0]);
      char *place = array.data.data() + i * bytes;
      if (array.dtype == DType::Complex64) {
        const float parts[] = {static_cast<float>(value / 50 - 1), static_cast<float>(static_cast<double>(bits >> 11) * 0x1p-52 - 1.0)};
        std::memcpy(place, parts, sizeof parts);
      } else if (isFloat(array.dtype)) storeFloat(array.dtype, value, place);
      else storeInt(array.dtype, static_cast<int64_t>(value), place);
    }
    made.emplace(param.var->name, std::move(array));
  }
  return made;
}

}  // namespace tessera::driver
