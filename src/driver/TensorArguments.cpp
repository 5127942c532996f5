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

  Result<NpyArray> tensor(const format::Rows &rows, DType dtype) const {
    std::string data;
    for (const format::Entry *entry : rows.entries) data += bytes.substr(header.data + entry->begin, entry->end - entry->begin);
    std::string problem = format::other_dtype(*rows.entries[0], name(dtype));
    if (problem.empty()) problem = format::no_truth(*rows.entries[0], data);
    if (!problem.empty()) return Failure{problem};
    return NpyArray{dtype, format::shape_of(rows), std::move(data)};
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

/// The ways to read a name of a file: as it stands, and with `*` for some of the numbers in it, which then count the structs
/// of a stack. `layers.0.wq` may be a row of `layers_wq`, which are all of `layers.*.wq`.
std::vector<std::pair<std::string, std::string>> readings(const std::string &name) {
  std::vector<std::pair<std::string, std::string>> all = {{name, name}};  // with `*`, and without these words
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const std::string word = name.substr(begin, end - begin);
    const bool counts = end < name.size() && !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    for (size_t i = 0, before = all.size(); counts && i < before && all.size() < 64; ++i) {
      const auto &[pattern, part] = all[i];
      const size_t tail = name.size() - end;  // what follows is the same in all of them
      all.emplace_back(pattern.substr(0, pattern.size() - tail - word.size()) + "*" + name.substr(end),
                       part.substr(0, part.size() - tail - word.size()) + name.substr(end + 1));
    }
    begin = end + 1;
  }
  return all;
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
  format::Rows rows;
  const std::string problem = format::rows_named(file->header, wanted, rows);
  if (!problem.empty()) return Failure{"`" + path + "`: " + problem};
  if (rows.entries.empty()) {
    std::vector<std::string> names;
    for (const format::Entry &other : file->header.tensors) names.push_back(other.name);
    return Failure{"`" + path + "` has no tensor `" + wanted + "`; it has " + format::listed(names)};
  }
  auto array = file->tensor(rows, dtypeOf(param));
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
  std::map<std::string, std::string> found;  // by parts, how they are called in the file
  for (const format::Entry &entry : file->header.tensors) {
    auto all = readings(entry.name);
    auto read = std::find_if(all.begin(), all.end(), [&](const auto &one) { return parts.count(partOf(one.second)) != 0; });
    const auto &[pattern, part] = read == all.end() ? all[0] : *read;
    found[partOf(part)] = pattern;
  }
  std::vector<std::string> missing, extra;
  for (const auto &[part, param] : parts)
    if (!found.count(part) && !param->defaultValue) missing.push_back(part);
  for (const auto &[part, called] : found)
    if (!parts.count(part)) extra.push_back(called);
  if (!missing.empty() || !extra.empty())
    return Failure{"`" + path + "`: " + (missing.empty() ? "" : "it lacks " + format::listed(missing)) + (missing.empty() || extra.empty() ? "" : ", and ") +
                   (extra.empty() ? "" : "it has " + format::listed(extra) + ", which `" + parameter + "` does not have")};
  std::map<std::string, NpyArray> arrays;
  for (const auto &[part, called] : found) {
    format::Rows rows;
    const std::string problem = format::rows_named(file->header, called, rows);
    if (!problem.empty()) return Failure{"`" + path + "`: " + problem};
    auto array = file->tensor(rows, dtypeOf(*parts[part]));
    if (!array) return Failure{"`" + path + "`: " + array.error()};
    arrays[parameter + "_" + part] = std::move(*array);
  }
  return arrays;
}

}  // namespace tessera::driver
