// A program in f64 whose derivatives are compared with differences of its own values.
#pragma once
#include "autodiff/Expand.h"
#include "diag/Render.h"
#include "frontend/Parser.h"
#include "reference/Reference.h"
#include "sema/Check.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>

namespace tessera::test {

/// A module, checked and with its derivatives written out.
class Module {
public:
  explicit Module(std::string text) {
    FileId file = sources_.add("module.tsr", std::move(text));
    modules_.push_back(frontend::parse(sources_, file, diagnostics_));
    program_ = sema::check(
        *modules_.back(), sources_,
        [this](FileId, int level, const std::string &path) { return library(level, path); }, diagnostics_);
    if (!diagnostics_.hasErrors()) autodiff::expand(*program_, sources_, diagnostics_);
  }
  bool hasErrors() const { return diagnostics_.hasErrors(); }
  std::string messages() const { return diag::renderText(diagnostics_, sources_); }
  const checked::Program &program() const { return *program_; }
  const checked::Function &function(const std::string &name) const {
    const checked::Function *found = program_->find(name);
    EXPECT_TRUE(found) << name;
    return *found;
  }
  std::vector<reference::Value> run(const std::string &name, const std::vector<reference::Value> &arguments) const {
    reference::Arguments given(arguments.begin(), arguments.end());
    reference::Outcome outcome = reference::run(function(name), given);
    EXPECT_FALSE(outcome.error) << name << ": " << (outcome.error ? outcome.error->message : "");
    return outcome.values;
  }

private:
  Sources sources_;
  diag::Engine diagnostics_;
  std::vector<std::unique_ptr<ast::Module>> modules_;
  std::map<std::string, const ast::Module *> loaded_;
  std::unique_ptr<checked::Program> program_;

  const ast::Module *library(int level, const std::string &path) {
    if (level != 0 || loaded_.count(path)) return level != 0 ? nullptr : loaded_[path];
    std::string name = path;
    for (char &c : name)
      if (c == '.') c = '/';
    std::ifstream in(std::string(TSR_SOURCE_DIR) + "/stdlib/" + name + ".tsr", std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (text.str().empty()) return loaded_[path] = nullptr;
    FileId file = sources_.add("<" + path + ">", text.str());
    modules_.push_back(frontend::parse(sources_, file, diagnostics_));
    return loaded_[path] = modules_.back().get();
  }
};

inline double dot(const reference::Value &a, const reference::Value &b) {
  double total = 0;
  EXPECT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) total += a.floats[i] * b.floats[i];
  return total;
}

/// The value at an index of an array's first axis.
inline reference::Value part(const reference::Value &all, int64_t index) {
  reference::Value one = all;
  one.shape.erase(one.shape.begin());
  size_t size = reference::elementCount(one.shape);
  auto cut = [&](auto &values) {
    if (values.empty()) return;
    auto first = values.begin() + static_cast<std::ptrdiff_t>(size * static_cast<size_t>(index));
    values = {first, first + static_cast<std::ptrdiff_t>(size)};
  };
  cut(one.floats);
  cut(one.ints);
  return one;
}

}  // namespace tessera::test
