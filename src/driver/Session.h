// The front half of a compilation: reading a program and what it imports, parsing, checking.
#pragma once
#include "diag/Diagnostic.h"
#include "driver/Files.h"
#include "frontend/AST.h"
#include "frontend/ReadBefore.h"
#include "sema/Check.h"
#include "sema/CheckedBefore.h"
#include "sema/Library.h"
#include "support/Sources.h"
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tessera::driver {

/// What is known from earlier versions of a program. Files beside it, and those of the library, are taken as they were: with
/// another text of one of them, a new past begins.
struct Past {
  frontend::ReadBefore statements;
  sema::CheckedBefore checked;
  struct File {
    std::string key, path, text;
    std::shared_ptr<ast::Module> module;
    bool onDisk = false;
  };
  std::shared_ptr<sema::LibraryScopes> library = sema::emptyLibrary();  // is evaluated once for all versions
  std::vector<File> files;  // behind the program itself, by their ids
};

/// One program: its files, trees, messages and checked form. Messages collect in `diagnostics`.
class Session {
public:
  Sources sources;
  diag::Engine diagnostics;

  /// Gives the text of a file; a caller with texts in memory (an editor's, fixes that are not written) brings its own.
  using Reader = std::function<ReadResult(const std::string &path)>;
  explicit Session(Reader reader = [](const std::string &path) { return readFile(path, kMaxSourceBytes); },
                   std::shared_ptr<Past> past = nullptr)
      : reader_(std::move(reader)), past_(std::move(past)) {}

  /// The prelude and what it imports, in the order in which a check asks for them: behind the program, in every session.
  using Prelude = std::vector<Past::File>;
  static Prelude readPrelude();
  /// What a check would read first. The trees may be those of other sessions, too.
  void take(const Prelude &prelude);
  /// Another session of the program for another thread, with the trees and messages of this one as they are now.
  std::unique_ptr<Session> beside() const;

  /// Reads and parses the program at `path`. Null if it could not be read.
  const ast::Module *load(const std::string &path);
  /// Checks the loaded program with everything that it imports, once. Null after an error of reading.
  const checked::Program *check(const sema::CheckOptions &options = {});
  /// Adds edits to the messages of a check without them.
  void advise(const sema::CheckOptions &options);
  /// The files on disk that were read, the program first: what a build system must watch.
  const std::vector<std::string> &filesRead() const { return filesRead_; }
  /// The files that imports name and that are not there: the result would be another one if they were.
  const std::vector<std::string> &filesMissed() const { return filesMissed_; }
  const std::string &path() const { return path_; }
  const ast::Module *module() const { return main_; }
  /// A module of the standard library that the program has read, "tessera.nn"; null if it has not.
  const ast::Module *library(const std::string &dotted) const;

private:
  const ast::Module *parse(const std::string &key, const std::string &path, std::string text, bool onDisk);
  void takePast();
  void takeFile(const Past::File &file);
  void importAll(const ast::Module &module);
  const ast::Module *import(FileId importer, int level, const std::string &dotted);

  Reader reader_;
  std::shared_ptr<Past> past_;  // may be null
  bool ofPast_ = true;          // the files beside the program are those of the past, with their ids
  std::string path_;
  const ast::Module *main_ = nullptr;
  std::map<std::string, std::shared_ptr<ast::Module>> modules_;  // by path, or "<tessera.nn>"
  std::vector<std::string> filesRead_, filesMissed_;
  std::unique_ptr<checked::Program> program_;
};

/// Puts a message about a file that could not be read into the engine.
void reportUnreadable(diag::Engine &diagnostics, const std::string &path, const ReadResult &result);

}  // namespace tessera::driver
