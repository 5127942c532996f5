// Files of named tensors, as the emitted program reads and writes them (include/tessera/host/safetensors.h).
#include "reference/Interpreter.h"
#include "support/Npy.h"
#include "tessera/host/npz.h"
#include "tessera/host/tensor_file.h"

namespace tessera::reference {

using checked::Expr;
namespace node = checked::node;
namespace format = tsr::host::tensor_file;

namespace {
/// Empty, or what is wrong with the file.
std::string readHeader(const std::string &bytes, format::Header &header) {
  uint64_t length = 0;
  std::string problem = format::header_length(bytes, bytes.size(), length);
  return problem.empty() ? format::read_header(std::string_view(bytes).substr(8, length), bytes.size(), header) : problem;
}
}  // namespace

Ref Interpreter::expectTensors(const Expr &expr, const std::string &path, const format::Header &header) {
  std::vector<std::string> names;
  for (size_t i = 1; i < expr.args.size(); ++i) {
    Ref name = eval(*expr.args[i]);
    if (!name) return nullptr;
    names.push_back(name->text);
  }
  std::string problem = format::other_names(header, names);
  return problem.empty() ? makeNone() : fail(expr.span, "`" + path + "`: " + problem);
}

/// `load_tensor` and `expect_tensors`.
Ref Interpreter::readTensors(const Expr &expr, const std::string &path) {
  if (!options_.readFile) return fail(expr.span, "files cannot be read here");
  auto bytes = options_.readFile(path);
  if (!bytes) return fail(expr.span, "cannot read '" + path + "': " + bytes.error(), tsr::host::kFileNotFoundError);
  format::Header header;
  std::string problem = readHeader(*bytes, header);
  auto wrong = [&](const std::string &what) { return fail(expr.span, "`" + path + "`: " + what, tsr::host::kValueError); };
  if (!problem.empty()) return wrong(problem);
  if (expr.as<node::HostCall>().function == "expect_tensors") return expectTensors(expr, path, header);
  Ref name = eval(*expr.args.at(1)), dtype = name ? eval(*expr.args.at(2)) : nullptr;
  if (!dtype) return nullptr;
  format::Rows rows;
  problem = format::rows_named(header, name->text, rows);
  if (!problem.empty()) return wrong(problem);
  if (rows.entries.empty()) return wrong("it has no tensor `" + name->text + "`");
  std::string data;
  for (const format::Entry *entry : rows.entries) data += bytes->substr(header.data + entry->begin, entry->end - entry->begin);
  problem = format::other_dtype(*rows.entries[0], dtype->text);
  if (problem.empty()) problem = format::no_truth(*rows.entries[0], data);
  if (!problem.empty()) return wrong(problem);
  auto value = fromNpy(NpyArray{*dtypeByName(rows.entries[0]->dtype->language), format::shape_of(rows), std::move(data)});
  return value ? makeRef(std::move(*value)) : wrong(value.error());
}

Ref Interpreter::readNpz(const Expr &expr, const std::string &path) {
  Ref name = eval(*expr.args.at(1));
  if (!name) return nullptr;
  if (!options_.readFile) return fail(expr.span, "files cannot be read here");
  auto file = options_.readFile(path);
  if (!file) return fail(expr.span, "cannot read '" + path + "': " + file.error(), tsr::host::kFileNotFoundError);
  std::string_view bytes;
  const std::string problem = tsr::host::npz::array_named(*file, name->text, bytes);
  if (!problem.empty()) return fail(expr.span, "`" + path + "`: " + problem, tsr::host::kValueError);
  auto array = parseNpy(bytes);
  if (!array) return fail(expr.span, "`" + path + "`, `" + name->text + "`: " + array.error());
  auto value = fromNpy(*array);
  return value ? makeRef(std::move(*value)) : fail(expr.span, "`" + path + "`, `" + name->text + "`: " + value.error());
}

Ref Interpreter::saveNpz(const Expr &expr, const std::string &path) {
  std::vector<std::pair<std::string, std::string>> arrays;
  for (size_t i = 1; i + 1 < expr.args.size(); i += 2) {
    Ref name = eval(*expr.args[i]), tensor = name ? eval(*expr.args[i + 1]) : nullptr;
    if (!tensor) return nullptr;
    arrays.emplace_back(name->text, writeNpy(toNpy(*tensor)));
  }
  std::string file;
  std::string error = tsr::host::npz::archive(arrays, file);
  if (!error.empty()) return fail(expr.span, "`" + path + "`: " + error);
  if (!options_.writeFile) return fail(expr.span, "files cannot be written here");
  error = options_.writeFile(path, file);
  return error.empty() ? makeNone() : fail(expr.span, "cannot write '" + path + "': " + error);
}

Ref Interpreter::saveTensors(const Expr &expr, const std::string &path) {
  std::vector<format::Entry> entries;
  std::string data;
  for (size_t i = 1; i + 1 < expr.args.size(); i += 2) {
    Ref name = eval(*expr.args[i]), tensor = name ? eval(*expr.args[i + 1]) : nullptr;
    if (!tensor) return nullptr;
    const NpyArray array = toNpy(*tensor);
    format::Entry entry{name->text, format::dtype_of_language(tessera::name(array.dtype)), array.shape, data.size(), data.size() + array.data.size()};
    if (!entry.dtype)
      return fail(expr.span, "`" + path + "`: `" + entry.name + "` is of " + std::string(tessera::name(array.dtype)) + ", which .safetensors files do not have");
    data += array.data;
    format::add_rows(std::move(entry), entries);
  }
  if (!options_.writeFile) return fail(expr.span, "files cannot be written here");
  std::string error = options_.writeFile(path, format::header_text(entries) + data);
  return error.empty() ? makeNone() : fail(expr.span, "cannot write '" + path + "': " + error);
}

}  // namespace tessera::reference
