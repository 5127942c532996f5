// Parses and checks a program of the tests, with the standard library of the source tree.
#pragma once
#include "frontend/Parser.h"
#include "sema/Check.h"
#include "sema/Library.h"
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace tessera::test {

inline std::string fileText(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The library's modules, parsed once for all programs of a test: each program has their texts in the same order, behind its own,
/// so that they have the same ids in all.
class Library {
public:
  static const Library &get() {
    static const Library library;
    return library;
  }
  void addTo(Sources &sources) const {
    for (const File &file : files_) sources.add(file.name, file.text);
  }
  const ast::Module *find(const std::string &name) const {
    for (const File &file : files_)
      if (file.name == name) return file.module.get();
    return nullptr;
  }

private:
  struct File {
    std::string name, text;
    std::unique_ptr<ast::Module> module;
  };
  Library() {
    Sources sources;
    diag::Engine diagnostics;
    sources.add("test.tsr", "");
    std::set<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::directory_iterator(TSR_SOURCE_DIR "/stdlib/tessera"))
      if (entry.path().extension() == ".tsr") paths.insert(entry.path());
    for (const auto &path : paths) {
      File file{"tessera." + path.stem().string(), fileText(path.string()), nullptr};
      file.module = frontend::parse(sources, sources.add(file.name, file.text), diagnostics);
      files_.push_back(std::move(file));
    }
  }
  std::vector<File> files_;
};

struct Checking {
  Sources sources;
  diag::Engine diagnostics;
  std::map<std::string, std::unique_ptr<ast::Module>> modules;
  std::map<std::string, std::string> siblings;  // texts of modules beside the main one
  std::unique_ptr<ast::Module> main;
  std::unique_ptr<checked::Program> program;

  explicit Checking(const std::string &text, std::map<std::string, std::string> beside = {}, const sema::CheckOptions &options = {})
      : siblings(std::move(beside)) {
    const FileId file = sources.add("test.tsr", text);
    Library::get().addTo(sources);
    main = frontend::parse(sources, file, diagnostics);
    sema::CheckOptions all = options;
    if (!all.library) all.library = evaluated();
    program = sema::check(
        *main, sources, [this](FileId, int level, const std::string &path) { return load(level, path); },
        diagnostics, all);
  }
  /// The library, evaluated once for all programs of a test.
  static sema::LibraryScopes *evaluated() {
    static const std::shared_ptr<sema::LibraryScopes> library = sema::emptyLibrary();
    return library.get();
  }

  const ast::Module *load(int level, const std::string &path) {
    if (level == 0) return Library::get().find(path);
    auto &slot = modules[std::to_string(level) + path];
    if (slot) return slot.get();
    if (level != sema::kWrittenModule && !siblings.count(path)) return nullptr;
    slot = frontend::parse(sources, sources.add(path, level == sema::kWrittenModule ? path : siblings[path]), diagnostics);
    return slot.get();
  }

  std::string messages() const {
    std::string all;
    for (const diag::Diagnostic &d : diagnostics.all()) {
      LineColumn at = sources.file(d.span.file).lineColumn(d.span.begin);
      all += std::string(diag::row(d.id).code) + " " + std::to_string(at.line) + ":" +
             std::to_string(at.column) + " " + d.message + "\n";
    }
    return all;
  }
  /// The codes and places of the messages, "E0540 4:18, E0200 5:3".
  std::string codes() const {
    std::string all;
    for (const diag::Diagnostic &d : diagnostics.all()) {
      LineColumn at = sources.file(d.span.file).lineColumn(d.span.begin);
      all += (all.empty() ? "" : ", ") + std::string(diag::row(d.id).code) + " " + std::to_string(at.line) + ":" +
             std::to_string(at.column);
    }
    return all;
  }
  std::string dump() const { return checked::dump(*program); }
};

}  // namespace tessera::test
