// The lexer of the grammar, driven by tables.
#include "frontend/Lex.h"
#include "grammar/TesseraLexer.h"
#include "support/Check.h"
#include <algorithm>
#include <array>
#include <deque>

namespace tessera::frontend {
namespace {

/// The bytes of a part of a file as ANTLR's characters: the index of a character is its byte offset in the file.
class ByteStream final : public antlr4::CharStream {
public:
  ByteStream(std::string_view text, uint32_t begin, uint32_t end) : text_(text), at_(begin), end_(end) {}
  void consume() override {
    if (at_ >= end_) throw antlr4::IllegalStateException("cannot consume the end of a file");
    ++at_;
  }
  size_t LA(ssize_t i) override {
    if (i == 0) return 0;
    size_t where = i > 0 ? at_ + static_cast<size_t>(i) - 1 : at_ - static_cast<size_t>(-i);
    return where < end_ ? static_cast<unsigned char>(text_[where]) : IntStream::EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = std::min<size_t>(index, end_); }
  size_t size() override { return end_; }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval &range) override {
    if (range.a < 0 || range.b < range.a) return {};
    return std::string(text_.substr(static_cast<size_t>(range.a), static_cast<size_t>(range.b - range.a + 1)));
  }
  std::string toString() const override { return std::string(text_); }

private:
  std::string_view text_;
  size_t at_, end_;
};

/// The automaton that ANTLR makes from the lexer grammar, state by state as text asks for it, as tables: its own loop
/// hashes and locks for each byte and does not remember bytes behind 127.
class Automaton final : private antlr4::atn::LexerATNSimulator {
  using DfaState = antlr4::dfa::DFAState;

public:
  struct State {
    DfaState *dfa;
    std::array<State *, 256> next{};  // null: not known yet; &kNone: there is none
  };

  Automaton(LexerATNSimulator &simulator, ByteStream &stream)
      : LexerATNSimulator(simulator.atn, simulator._decisionToDFA, simulator.getSharedContextCache()), stream_(stream) {
    if (!_decisionToDFA[0].s0) match(&stream_, 0);  // makes the start state
    start_ = add(_decisionToDFA[0].s0);
  }
  State *start() const { return start_; }
  /// The state behind a byte; null where no word goes on with it.
  State *step(State *state, unsigned char byte) {
    State *&next = state->next[byte];
    if (!next) {
      DfaState *target = getExistingTargetState(state->dfa, byte);
      if (!target) target = computeTargetState(&stream_, state->dfa, byte);
      next = target == ERROR.get() ? &none_ : add(target);
    }
    return next == &none_ ? nullptr : next;
  }
  static bool accepts(const State *state) { return state->dfa->isAcceptState; }
  static uint32_t kind(const State *state) { return static_cast<uint32_t>(state->dfa->prediction); }
  /// The grammar's only action is `-> skip`.
  static bool skips(const State *state) { return state->dfa->lexerActionExecutor != nullptr; }

private:
  State *add(DfaState *dfa) {
    for (State &state : states_)
      if (state.dfa == dfa) return &state;
    states_.push_back({dfa, {}});
    return &states_.back();
  }
  ByteStream &stream_;
  std::deque<State> states_;
  State none_{nullptr, {}};
  State *start_ = nullptr;
};

/// `1..=8` comes as RANGE_START `1..=`: the integer and the operator behind it.
void pushRangeStart(Tokens &tokens, std::string_view text, Token token) {
  bool inclusive = text[token.end - 1] == '=';
  uint32_t dots = token.end - (inclusive ? 3 : 2);
  tokens.push_back({grammar::TesseraLexer::INTEGER, token.begin, dots});
  tokens.push_back({inclusive ? grammar::TesseraLexer::RANGE_INCLUSIVE : grammar::TesseraLexer::RANGE, dots, token.end});
}

}  // namespace

Tokens lex(std::string_view text, uint32_t begin, uint32_t end) {
  ByteStream stream(text, begin, end);
  grammar::TesseraLexer lexer(&stream);
  Automaton automaton(*lexer.getInterpreter<antlr4::atn::LexerATNSimulator>(), stream);
  Tokens tokens;
  tokens.reserve((end - begin) / 3 + 8);
  while (begin < end) {
    // The longest word: as far as the automaton goes, then back to where a word last ended.
    const Automaton::State *word = nullptr;
    uint32_t at = begin, wordEnd = begin;
    for (Automaton::State *state = automaton.start(); at < end;) {
      state = automaton.step(state, static_cast<unsigned char>(text[at]));
      if (!state) break;
      ++at;
      if (!Automaton::accepts(state)) continue;
      word = state;
      wordEnd = at;
    }
    TSR_CHECK(word, "the lexer grammar has no word for a byte");
    Token token{Automaton::kind(word), begin, wordEnd};
    begin = wordEnd;
    if (Automaton::skips(word)) continue;
    if (token.kind == grammar::TesseraLexer::RANGE_START) pushRangeStart(tokens, text, token);
    else tokens.push_back(token);
  }
  return tokens;
}

std::string_view indentationOf(std::string_view text, size_t lineStart) {
  size_t end = std::min(text.find_first_not_of(" \t\f", lineStart), text.size());
  std::string_view blanks = text.substr(lineStart, end - lineStart);
  return blanks.substr(blanks.rfind('\f') + 1);  // npos + 1 is 0
}

}  // namespace tessera::frontend
