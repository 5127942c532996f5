// A program of the canon, parsed and checked for a test.
#pragma once
#include "diag/Render.h"
#include "frontend/Parser.h"
#include "reference/Reference.h"
#include "sema/Check.h"
#include "support/FloatFormats.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace tessera::test {

class Compiled {
public:
  /// A file of tests/canon.
  explicit Compiled(const std::string &name) : Compiled(name, read("tests/canon/" + name)) {}
  Compiled(const std::string &name, std::string text) {
    FileId file = sources_.add(name, std::move(text));
    modules_.push_back(frontend::parse(sources_, file, diagnostics_));
    program_ = sema::check(
        *modules_.back(), sources_,
        [this](FileId, int level, const std::string &path) { return library(level, path); }, diagnostics_);
    EXPECT_FALSE(diagnostics_.hasErrors()) << diag::renderText(diagnostics_, sources_);
  }

  const checked::Function *find(const std::string &name) const {
    const checked::Function *function = program_ ? program_->find(name) : nullptr;
    EXPECT_TRUE(function) << "no entry point " << name;
    return function;
  }
  reference::Outcome run(const std::string &name, reference::Arguments arguments,
                         const reference::Options &options = {}) const {
    const checked::Function *function = find(name);
    if (!function) return {{}, {}, reference::RunError{{}, "no entry point " + name}};
    return reference::run(*function, std::move(arguments), options);
  }
  const checked::Program &program() const { return *program_; }

private:
  Sources sources_;
  diag::Engine diagnostics_;
  std::vector<std::unique_ptr<ast::Module>> modules_;
  std::map<std::string, const ast::Module *> loaded_;
  std::unique_ptr<checked::Program> program_;

  static std::string read(const std::string &path) {
    std::ifstream in(std::string(TSR_SOURCE_DIR) + "/" + path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  const ast::Module *library(int level, const std::string &path) {
    if (level != 0 || loaded_.count(path)) return level != 0 ? nullptr : loaded_[path];
    std::string name = path;
    for (char &c : name)
      if (c == '.') c = '/';
    std::string text = read("stdlib/" + name + ".tsr");
    if (text.empty()) return loaded_[path] = nullptr;
    FileId file = sources_.add("<" + path + ">", std::move(text));
    modules_.push_back(frontend::parse(sources_, file, diagnostics_));
    return loaded_[path] = modules_.back().get();
  }
};

/// Values of a dtype from a normal distribution, the same on every run.
inline reference::Value normal(DType dtype, std::vector<int64_t> shape, unsigned seed, double scale = 1) {
  std::mt19937 random(seed);
  auto uniform = [&] { return (random() + 0.5) / 4294967296.0; };
  auto value = reference::Value::poison(dtype, std::move(shape));
  for (double &v : value.floats) {
    double radius = std::sqrt(-2 * std::log(uniform())), angle = 6.283185307179586 * uniform();
    v = roundToFloat(dtype, scale * radius * std::cos(angle));
  }
  return value;
}

}  // namespace tessera::test
