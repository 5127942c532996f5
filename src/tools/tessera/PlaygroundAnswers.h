// What the playground knows about a program's text: each answer is a command of `tessera` or `tesserac`, run with limits.
#pragma once
#include "tools/tessera/Limited.h"
#include <nlohmann/json.hpp>
#include <string>

namespace tessera::tools {

/// The keys of an answer are those of the page (editors/playground/page/service.js). Where there is no answer, it has
/// `diagnostics` as `tessera check --json` prints them, or `failure`: a sentence.
class PlaygroundAnswers {
public:
  using Json = nlohmann::ordered_json;
  static constexpr size_t kMaxProgramBytes = 256u << 10;

  /// `programs`: the folder of `tessera` and `tesserac`; `scratch`: where folders of single answers are made.
  PlaygroundAnswers(std::string programs, std::string scratch, Limits limits)
      : programs_(std::move(programs)), scratch_(std::move(scratch)), limits_(limits) {}

  /// The kinds of question: check, emit, level, run, ask. `question.text` is the program.
  Json answer(const std::string &kind, const Json &question) const;

private:
  Json check(const Json &question, const std::string &folder) const;
  Json emit(const Json &question, const std::string &folder) const;
  Json level(const Json &question, const std::string &folder) const;
  Json run(const Json &question, const std::string &folder) const;
  Json runMain(const std::string &folder) const;
  Json ask(const Json &question, const std::string &folder) const;
  Finished tool(const std::string &name, std::vector<std::string> words, const std::string &folder, const std::string &input = {}) const;

  std::string programs_, scratch_;
  Limits limits_;
};

/// An array as the page plots it: at most a few thousand values, taken in steps from rows and columns, and facts about all.
PlaygroundAnswers::Json plotOf(const std::string &name, const std::string &dtype, const std::string &npy);

}  // namespace tessera::tools
