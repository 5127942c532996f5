#include "frontend/Prediction.h"

namespace tessera::frontend {

using antlr4::atn::ParserATNSimulator;
using antlr4::atn::PredictionMode;

namespace {
ParserATNSimulator &simulatorOf(grammar::TesseraParser &parser) { return *parser.getInterpreter<ParserATNSimulator>(); }
}  // namespace

Prediction::Prediction(grammar::TesseraParser &parser)
    : ParserATNSimulator(&parser, simulatorOf(parser).atn, simulatorOf(parser).decisionToDFA,
                         simulatorOf(parser).getSharedContextCache()),
      parser_(parser), starts_(decisionToDFA.size() * kPrecedences) {}

uint16_t *Prediction::start(size_t decision) {
  size_t precedence = decisionToDFA[decision].isPrecedenceDfa() ? static_cast<size_t>(parser_.getPrecedence()) : 0;
  return precedence < kPrecedences ? &starts_[decision * kPrecedences + precedence] : nullptr;
}

size_t Prediction::adaptivePredict(antlr4::TokenStream *input, size_t decision, antlr4::ParserRuleContext *context) {
  if (getPredictionMode() != PredictionMode::SLL) return ParserATNSimulator::adaptivePredict(input, decision, context);
  uint16_t *first = start(decision);
  uint16_t known = first ? *first : 0;
  for (ssize_t ahead = 1; known >= kFirstNode; ++ahead) known = nodes_[known - kFirstNode].next[kindOf(input->LA(ahead))];
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
