// Which alternative of a rule comes next: ANTLR's prediction behind tables.
#pragma once
#include "grammar/TesseraParser.h"
#include <array>
#include <string>
#include <vector>

namespace tessera::frontend {

/// Under SLL an alternative follows from the decision, the precedence around it and the next few tokens. ANTLR keeps what
/// it found out in automata that it reads with locks and hashing; this remembers the same answers in tables and asks
/// ANTLR for what it has not seen yet. Under LL every question goes to ANTLR. It begins with the answers that the canon, the
/// library and the examples ask for (PredictionTable.inc): finding an answer costs far more than remembering it.
class Prediction final : public antlr4::atn::ParserATNSimulator {
public:
  /// Takes the place of `parser`'s own simulator, which it continues. `begins`: with the answers of the table.
  explicit Prediction(grammar::TesseraParser &parser, bool begins = true);
  /// What it remembers, as the text of PredictionTable.inc.
  std::string written() const;
  /// Whether the table was made of this grammar: else it is not read.
  static bool tableFits();
  size_t adaptivePredict(antlr4::TokenStream *input, size_t decision, antlr4::ParserRuleContext *context) override;

private:
  static constexpr size_t kKinds = 128;        // of tokens; the end of the file is kind 0
  static constexpr size_t kPrecedences = 16;   // of the rule `operation`; deeper ones are not remembered
  static constexpr uint16_t kFirstNode = 256;  // answers are below
  struct Node {
    std::array<uint16_t, kKinds> next{};  // by the next token: 0 unknown, an alternative, or kFirstNode + a node
  };

  uint16_t *start(size_t decision);  // null: not remembered
  void learn(antlr4::TokenStream *input, size_t decision, uint16_t &first);
  static size_t kindOf(size_t token) { return token == antlr4::Token::EOF ? 0 : token; }

  grammar::TesseraParser &parser_;
  std::vector<Node> nodes_;
  std::vector<uint16_t> starts_;  // for each decision and precedence; 0 unknown
};

}  // namespace tessera::frontend
