#include "frontend/Prediction.h"
#include "frontend/PredictionTable.inc"
#include "frontend/TokenBuffer.h"

namespace tessera::frontend {

using antlr4::atn::ParserATNSimulator;
using antlr4::atn::PredictionMode;

namespace {
ParserATNSimulator &simulatorOf(grammar::TesseraParser &parser) { return *parser.getInterpreter<ParserATNSimulator>(); }
}  // namespace

bool Prediction::tableFits() { return table::kGrammar == TSR_GRAMMAR; }

/// As pairs of a place in `starts_` and what stands there; as triples of a node, a kind of token and what stands there.
std::string Prediction::written() const {
  std::string text = "// Which alternative of the grammar comes next in the canon, the library and the examples. Made by frontend_test with\n"
                     "// TESSERA_UPDATE_GOLDENS=1, and read only with the grammar that it was made of.\n"
                     "#include <cstdint>\n#include <string_view>\n\nnamespace tessera::frontend::table {\n\n";
  text += "constexpr std::string_view kGrammar = \"" TSR_GRAMMAR "\";\nconstexpr size_t kNodes = " + std::to_string(nodes_.size()) + ";\n";
  constexpr size_t kWidth = 120;
  size_t column = 0;
  auto open = [&](const char *name) {
    text += std::string("constexpr uint16_t ") + name + "[] = {";
    column = kWidth;
  };
  auto add = [&](size_t number) {
    const std::string shown = std::to_string(number) + ",";
    if (column + shown.size() > kWidth) text += "\n", column = 0;
    text += shown;
    column += shown.size();
  };
  open("kStarts");
  for (size_t at = 0; at < starts_.size(); ++at)
    if (starts_[at]) add(at), add(starts_[at]);
  text += "};\n";
  open("kEdges");
  for (size_t node = 0; node < nodes_.size(); ++node)
    for (size_t kind = 0; kind < kKinds; ++kind)
      if (nodes_[node].next[kind]) add(node), add(kind), add(nodes_[node].next[kind]);
  return text + "};\n\n}  // namespace tessera::frontend::table\n";
}

Prediction::Prediction(grammar::TesseraParser &parser, bool begins)
    : ParserATNSimulator(&parser, simulatorOf(parser).atn, simulatorOf(parser).decisionToDFA,
                         simulatorOf(parser).getSharedContextCache()),
      parser_(parser), starts_(decisionToDFA.size() * kPrecedences) {
  if (!begins || !tableFits()) return;
  nodes_.resize(table::kNodes);
  for (size_t i = 0; i + 1 < std::size(table::kStarts); i += 2) starts_[table::kStarts[i]] = table::kStarts[i + 1];
  for (size_t i = 0; i + 2 < std::size(table::kEdges); i += 3) nodes_[table::kEdges[i]].next[table::kEdges[i + 1]] = table::kEdges[i + 2];
}

uint16_t *Prediction::start(size_t decision) {
  size_t precedence = decisionToDFA[decision].isPrecedenceDfa() ? static_cast<size_t>(parser_.getPrecedence()) : 0;
  return precedence < kPrecedences ? &starts_[decision * kPrecedences + precedence] : nullptr;
}

size_t Prediction::adaptivePredict(antlr4::TokenStream *input, size_t decision, antlr4::ParserRuleContext *context) {
  if (getPredictionMode() != PredictionMode::SLL) return ParserATNSimulator::adaptivePredict(input, decision, context);
  uint16_t *first = start(decision);
  uint16_t known = first ? *first : 0;
  const auto &tokens = static_cast<const TokenBuffer &>(*input);  // the only stream that parsers here have
  for (size_t ahead = 1; known >= kFirstNode; ++ahead) known = nodes_[known - kFirstNode].next[kindOf(tokens.ahead(ahead))];
  if (known) return known;
  size_t alternative = ParserATNSimulator::adaptivePredict(input, decision, context);
  if (first) learn(input, decision, *first);
  return alternative;
}

/// Follows the automaton of a decision along the tokens that were just looked at.
void Prediction::learn(antlr4::TokenStream *input, size_t decision, uint16_t &first) {
  const antlr4::dfa::DFA &automaton = decisionToDFA[decision];
  antlr4::dfa::DFAState *state =
      automaton.isPrecedenceDfa() ? automaton.getPrecedenceStartState(parser_.getPrecedence()) : automaton.s0;
  auto nodeIn = [&](uint16_t slot) -> uint16_t {
    if (slot || nodes_.size() >= UINT16_MAX - kFirstNode) return slot;
    nodes_.emplace_back();
    return static_cast<uint16_t>(kFirstNode + nodes_.size() - 1);
  };
  if (!state) return;
  uint16_t node = first = nodeIn(first);
  for (ssize_t ahead = 1; node >= kFirstNode; ++ahead) {
    size_t token = input->LA(ahead);
    state = getExistingTargetState(state, token);
    if (!state || state == ERROR.get() || !state->predicates.empty()) return;
    uint16_t &slot = nodes_[node - kFirstNode].next[kindOf(token)];
    if (state->isAcceptState) {
      if (state->prediction > 0 && state->prediction < kFirstNode) slot = static_cast<uint16_t>(state->prediction);
      return;
    }
    if (token == antlr4::Token::EOF) return;
    size_t place = static_cast<size_t>(node - kFirstNode), kind = kindOf(token);
    node = nodeIn(slot);  // moves `nodes_`
    nodes_[place].next[kind] = node;
  }
}

}  // namespace tessera::frontend
