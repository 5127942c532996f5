#include "frontend/GrammarParser.h"
#include "frontend/Build.h"
#include "frontend/Prediction.h"
#include "frontend/TokenBuffer.h"
#include <algorithm>

namespace tessera::frontend {

bool Failure::expects(uint32_t kind) const { return std::find(expected.begin(), expected.end(), kind) != expected.end(); }

namespace {

/// Stops at the first token that does not fit, with its index; repairs nothing by itself.
class StopAtFailure final : public antlr4::ANTLRErrorStrategy {
public:
  void reset(antlr4::Parser *) override {}
  antlr4::Token *recoverInline(antlr4::Parser *parser) override {
    stop(parser, parser->getCurrentToken(), true);
  }
  void recover(antlr4::Parser *, std::exception_ptr error) override { std::rethrow_exception(error); }
  void sync(antlr4::Parser *) override {}
  bool inErrorRecoveryMode(antlr4::Parser *) override { return false; }
  void reportMatch(antlr4::Parser *) override {}
  void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &error) override {
    auto *alternatives = dynamic_cast<const antlr4::NoViableAltException *>(&error);
    bool first = !alternatives || alternatives->getStartToken() == alternatives->getOffendingToken();
    stop(parser, error.getOffendingToken(), first);
  }

private:
  [[noreturn]] static void stop(antlr4::Parser *parser, antlr4::Token *token, bool knowsExpected) {
    Failure failure;
    failure.index = token->getTokenIndex();
    if (knowsExpected)
      for (ssize_t kind : parser->getExpectedTokens().toList())
        failure.expected.push_back(kind < 0 ? kEndOfFile : static_cast<uint32_t>(kind));
    throw failure;
  }
};

}  // namespace

struct GrammarParser::Implementation {
  TokenBuffer buffer;
  grammar::TesseraParser parser{&buffer};
  AstBuilder builder;
  Prediction *prediction;  // the parser's

  Implementation(const Sources &sources, FileId file, diag::Engine &diagnostics, bool begins) : builder(sources, file, diagnostics) {
    auto prediction = std::make_unique<Prediction>(parser, begins);
    this->prediction = prediction.get();
    parser.setInterpreter(prediction.release());
    parser.removeErrorListeners();
    parser.setErrorHandler(std::make_shared<StopAtFailure>());
  }

  /// Runs a start rule in both prediction modes; null when both fail.
  template <class Rule> auto run(const Tokens &tokens, Failure &failure, Rule rule) -> decltype((parser.*rule)()) {
    using antlr4::atn::PredictionMode;
    for (PredictionMode mode : {PredictionMode::SLL, PredictionMode::LL}) {
      buffer.assign(tokens);
      parser.reset();
      prediction->setPredictionMode(mode);
      try {
        return (parser.*rule)();
      } catch (Failure &stopped) {
        failure = std::move(stopped);
      }
    }
    return nullptr;
  }
};

GrammarParser::GrammarParser(const Sources &sources, FileId file, diag::Engine &diagnostics, bool begins)
    : implementation_(std::make_unique<Implementation>(sources, file, diagnostics, begins)) {}
GrammarParser::~GrammarParser() = default;

bool GrammarParser::statements(const Tokens &tokens, ast::Block &out, Failure &failure) {
  auto *module = implementation_->run(tokens, failure, &grammar::TesseraParser::module);
  if (!module) return false;
  implementation_->builder.statements(module->statement(), out);
  return true;
}

std::string GrammarParser::predictions() const { return implementation_->prediction->written(); }

ast::ExprPtr GrammarParser::interpolation(const Tokens &tokens, Failure &failure) {
  auto *context = implementation_->run(tokens, failure, &grammar::TesseraParser::interpolation);
  if (!context) return nullptr;
  return implementation_->builder.expressions(context->expressions());
}

}  // namespace tessera::frontend
