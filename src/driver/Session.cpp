#include "driver/Session.h"
#include "autodiff/Expand.h"
#include "driver/Embedded.h"
#include "driver/Files.h"
#include "frontend/Parser.h"
#include "sema/Advise.h"
#include "support/Check.h"
#include <algorithm>

namespace tessera::driver {

void reportUnreadable(diag::Engine &diagnostics, const std::string &path, const ReadResult &result) {
  switch (result.problem) {
  case ReadProblem::Directory:
    diagnostics.report(diag::Id::isDirectory, {}, path).help("name a file inside it, such as `" + path + "/model.tsr`");
    break;
  case ReadProblem::TooLarge:
    diagnostics.report(diag::Id::fileTooLarge, {}, path, result.bytes, kMaxSourceBytes)
        .help("keep data in `.npy` files and read them with `load_npy`");
    break;
  default:
    diagnostics.report(diag::Id::cannotReadFile, {}, path, result.text).help("check the path and its permissions");
  }
}

const ast::Module *Session::parse(const std::string &key, const std::string &path, std::string text, bool onDisk) {
  FileId file = sources.add(path, std::move(text));
  auto &slot = modules_[key];
  size_t said = diagnostics.all().size();
  slot = frontend::parse(sources, file, diagnostics, past_ && file == 0 ? &past_->statements : nullptr);
  if (!past_ || file == 0) return slot.get();
  ofPast_ &= diagnostics.all().size() == said;  // what is said of a file is said in each version
  if (ofPast_) past_->files.push_back({key, path, sources.file(file).text, slot, onDisk});
  else past_->checked.forget();  // it speaks of other files
  return slot.get();
}

/// Other texts of the same version may have read files meanwhile.
void Session::takePast() {
  while (past_ && ofPast_ && sources.size() <= past_->files.size()) takeFile(past_->files[sources.size() - 1]);
}

void Session::takeFile(const Past::File &file) {
  sources.add(file.path, file.text);
  modules_[file.key] = file.module;
  if (file.onDisk) filesRead_.push_back(file.path);
}

/// What `from m import *` names, in turn: the prelude and its parts import nothing else.
void Session::importAll(const ast::Module &module) {
  for (const ast::StmtPtr &stmt : module.body)
    if (auto *from = ast::as<ast::FromImportStmt>(stmt)) {
      std::string dotted;
      for (const ast::Identifier &part : from->module) dotted += (dotted.empty() ? "" : ".") + part.text;
      if (size_t known = sources.size(); const ast::Module *part = import(module.file, 0, dotted))
        if (sources.size() > known) importAll(*part);
    }
}

Session::Prelude Session::readPrelude() {
  auto past = std::make_shared<Past>();
  Session session({}, past);
  session.sources.add({}, {});  // in the place of a program
  if (const ast::Module *prelude = session.import(0, 0, "tessera.prelude")) session.importAll(*prelude);
  return std::move(past->files);
}

void Session::take(const Prelude &prelude) {
  TSR_CHECK(sources.size() == 1, "the prelude stands behind the program");
  for (const Past::File &file : prelude) takeFile(file);
}

std::unique_ptr<Session> Session::beside() const {
  auto other = std::make_unique<Session>(reader_);
  for (FileId id = 0; id < sources.size(); ++id) other->sources.add(sources.file(id).path, sources.file(id).text);
  for (const diag::Diagnostic &said : diagnostics.all()) other->diagnostics.append(said);
  other->path_ = path_, other->main_ = main_, other->modules_ = modules_;
  return other;
}

const ast::Module *Session::load(const std::string &path) {
  path_ = path;
  ReadResult read = reader_(path);
  if (read.problem != ReadProblem::None) {
    reportUnreadable(diagnostics, path, read);
    return nullptr;
  }
  filesRead_.push_back(path);
  return main_ = parse(path, path, std::move(read.text), true);
}

const ast::Module *Session::import(FileId importer, int level, const std::string &dotted) {
  takePast();
  if (level == sema::kWrittenModule) {
    std::string key = "<model>\n" + dotted;
    auto it = modules_.find(key);
    return it != modules_.end() ? it->second.get() : parse(key, "<model>", dotted, false);
  }
  std::string relative = dotted;
  std::replace(relative.begin(), relative.end(), '.', '/');
  if (level == 0 && (dotted == "tessera" || dotted.rfind("tessera.", 0) == 0)) {
    std::string key = "<" + dotted + ">";
    if (auto it = modules_.find(key); it != modules_.end()) return it->second.get();
    for (const EmbeddedFile &file : embeddedStdlib())
      if (file.path == relative + ".tsr") return parse(key, "<" + std::string(file.path) + ">", std::string(file.text), false);
    return nullptr;
  }
  std::string folder = folderOf(sources.file(importer).path);
  for (int up = 1; up < level; ++up) folder += "/..";
  std::string path = (folder == "." ? "" : folder + "/") + relative + ".tsr";
  if (auto it = modules_.find(path); it != modules_.end()) return it->second.get();
  // A pipe might never end, and nobody has named it here.
  ReadResult read = isDevice(path) ? ReadResult{ReadProblem::Unreadable, "it is a pipe or a device", 0} : reader_(path);
  if (read.problem != ReadProblem::None) filesMissed_.push_back(path);
  if (read.problem == ReadProblem::Missing) return nullptr;
  if (read.problem != ReadProblem::None) {
    reportUnreadable(diagnostics, path, read);
    return nullptr;
  }
  filesRead_.push_back(path);
  return parse(path, path, std::move(read.text), true);
}

const ast::Module *Session::library(const std::string &dotted) const {
  auto it = modules_.find("<" + dotted + ">");
  return it == modules_.end() ? nullptr : it->second.get();
}

void Session::advise(const sema::CheckOptions &options) {
  auto load = [this](FileId importer, int level, const std::string &path) { return import(importer, level, path); };
  sema::adviseLater(*main_, sources, load, diagnostics, options);
}

const checked::Program *Session::check(const sema::CheckOptions &options) {
  if (!main_ || program_) return program_.get();
  program_ = sema::check(*main_, sources,
                         [this](FileId importer, int level, const std::string &path) { return import(importer, level, path); },
                         diagnostics, options);
  size_t said = diagnostics.all().size();
  if (!diagnostics.hasErrors()) autodiff::expand(*program_, sources, diagnostics);
  bool more = diagnostics.all().size() != said;  // it is said of what is checked alone
  if (options.before && (more || !ofPast_)) options.before->forget();
  return program_.get();
}

}  // namespace tessera::driver
