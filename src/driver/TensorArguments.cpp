// Arguments from .safetensors files: a tensor by its name, or all parts of a struct by the names of its fields.
#include "driver/Arguments.h"
#include "driver/Files.h"
#include "tessera/host/tensor_file.h"
#include <algorithm>

namespace tessera::driver {

namespace format = tsr::host::tensor_file;

namespace {
constexpr std::string_view kSuffix = ".safetensors";

/// A file and its header, which says where each tensor lies.
struct TensorFile {
  std::string bytes;
  format::Header header;

  Result<NpyArray> tensor(const format::Entry &entry, DType dtype) const {
    std::string data = bytes.substr(header.data + entry.begin, entry.end - entry.begin);
    std::string problem = format::other_dtype(entry, name(dtype));
    if (problem.empty()) problem = format::no_truth(entry, data);
    if (!problem.empty()) return Failure{problem};
    return NpyArray{dtype, entry.shape, std::move(data)};
  }
};

Result<TensorFile> open(const std::string &path) {
  ReadResult read = readFile(path);
  if (read.problem != ReadProblem::None) return Failure{"I cannot read `" + path + "`: " + read.text};
  TensorFile file{std::move(read.text), {}};
  uint64_t length = 0;
  std::string problem = format::header_length(file.bytes, file.bytes.size(), length);
  if (problem.empty()) problem = format::read_header(std::string_view(file.bytes).substr(8, length), file.bytes.size(), file.header);
  if (!problem.empty()) return Failure{"`" + path + "`: " + problem};
  return file;
}

/// `layers.0.wq` of a file is the part `layers_0_wq` of a parameter.
std::string partOf(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
bool hasTensorFile(std::string_view text) { return text.find(kSuffix) != std::string_view::npos; }
}  // namespace

std::optional<Result<NpyArray>> readTensorArgument(const checked::Param &param, const std::string &text) {
  const size_t at = text.find(std::string(kSuffix) + ":");
  const bool named = at != std::string::npos;
  if (!isTensorParam(param) || (!named && !text.ends_with(kSuffix))) return std::nullopt;
  const std::string path = named ? text.substr(0, at + kSuffix.size()) : text;
  const std::string wanted = named ? text.substr(at + kSuffix.size() + 1) : param.var->name;
  auto file = open(path);
  if (!file) return Failure{file.error()};
  const format::Entry *entry = file->header.find(wanted);
  if (!entry) {
    std::vector<std::string> names;
    for (const format::Entry &other : file->header.tensors) names.push_back(other.name);
    return Failure{"`" + path + "` has no tensor `" + wanted + "`; it has " + format::listed(names)};
  }
  auto array = file->tensor(*entry, dtypeOf(param));
  if (!array) return Failure{"`" + path + "`: " + array.error()};
  return array;
}

std::optional<Result<std::map<std::string, NpyArray>>> readStructArgument(const checked::Function &function, const std::string &parameter,
                                                                          const std::string &path) {
  std::map<std::string, const checked::Param *> parts;
  for (const checked::Param &param : function.params)
    if (!param.isResult && isTensorParam(param) && param.var->name.starts_with(parameter + "_")) parts[param.var->name.substr(parameter.size() + 1)] = &param;
  if (parts.empty() || !hasTensorFile(path)) return std::nullopt;
  auto file = open(path);
  if (!file) return Failure{file.error()};
  std::map<std::string, const format::Entry *> found;
  for (const format::Entry &entry : file->header.tensors) found[partOf(entry.name)] = &entry;
  std::vector<std::string> missing, extra;
  for (const auto &[part, param] : parts)
    if (!found.count(part) && !param->defaultValue) missing.push_back(part);
  for (const auto &[part, entry] : found)
    if (!parts.count(part)) extra.push_back(entry->name);
  if (!missing.empty() || !extra.empty())
    return Failure{"`" + path + "`: " + (missing.empty() ? "" : "it lacks " + format::listed(missing)) + (missing.empty() || extra.empty() ? "" : ", and ") +
                   (extra.empty() ? "" : "it has " + format::listed(extra) + ", which `" + parameter + "` does not have")};
  std::map<std::string, NpyArray> arrays;
  for (const auto &[part, entry] : found) {
    auto array = file->tensor(*entry, dtypeOf(*parts[part]));
    if (!array) return Failure{"`" + path + "`: " + array.error()};
    arrays[parameter + "_" + part] = std::move(*array);
  }
  return arrays;
}

}  // namespace tessera::driver
