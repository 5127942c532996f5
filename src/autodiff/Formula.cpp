#include "autodiff/Formula.h"
#include "support/Check.h"
#include <cctype>
#include <cstdlib>

namespace tessera::autodiff {
namespace {

class Reader {
public:
  Reader(std::string_view text, const Operands &operands, Builder &builder)
      : text_(text), operands_(operands), builder_(builder) {}

  Term all() {
    Term value = comparison();
    skip();
    TSR_CHECK(at_ == text_.size(), "the end of the partial `" + std::string(text_) + "` cannot be read");
    return value;
  }

private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Term comparison() {
    Term left = sum();
    if (take("==")) return builder_.apply(ElementwiseOp::Eq, {left, sum()});
    if (take(">")) return builder_.apply(ElementwiseOp::Gt, {left, sum()});
    if (take("<")) return builder_.apply(ElementwiseOp::Lt, {left, sum()});
    return left;
  }
  Term sum() {
    Term left = product();
    while (true) {
      if (take("+")) left = builder_.apply(ElementwiseOp::Add, {left, product()});
      else if (take("-")) left = builder_.apply(ElementwiseOp::Sub, {left, product()});
      else return left;
    }
  }
  Term product() {
    Term left = factor();
    while (true) {
      if (take("*")) left = builder_.apply(ElementwiseOp::Mul, {left, factor()});
      else if (take("/")) left = builder_.apply(ElementwiseOp::Div, {left, factor()});
      else return left;
    }
  }
  Term factor() {
    if (take("-")) return builder_.apply(ElementwiseOp::Neg, {factor()});
    if (take("(")) {
      Term value = comparison();
      TSR_CHECK(take(")"), "`)` is missing in the partial `" + std::string(text_) + "`");
      return value;
    }
    skip();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    return named();
  }
  Term number() {
    std::string digits(text_.substr(at_));
    char *end = nullptr;
    double value = std::strtod(digits.c_str(), &end);
    at_ += static_cast<size_t>(end - digits.c_str());
    return builder_.number(value, operands_.result->type);
  }
  Term named() {
    size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    std::string_view name = text_.substr(begin, at_ - begin);
    if (!take("(")) return operand(name);
    auto op = elementwiseByMnemonic(name);
    TSR_CHECK(op, "the partial `" + std::string(text_) + "` calls `" + std::string(name) + "`, which is no operation");
    std::vector<Term> args;
    do args.push_back(comparison());
    while (take(","));
    TSR_CHECK(take(")") && static_cast<int>(args.size()) == info(*op).arity,
              "the arguments of `" + std::string(name) + "` in the partial `" + std::string(text_) + "`");
    return builder_.apply(*op, std::move(args));
  }
  Term operand(std::string_view name) {
    if (name == "y") return operands_.result;
    size_t i = name.size() == 1 ? static_cast<size_t>(name[0] - 'a') : operands_.args.size();
    TSR_CHECK(i < operands_.args.size(), "the partial `" + std::string(text_) + "` names no operand here");
    return operands_.args[i];
  }

  std::string_view text_;
  const Operands &operands_;
  Builder &builder_;
  size_t at_ = 0;
};

}  // namespace

Term evaluate(std::string_view formula, const Operands &operands, Builder &builder) {
  return Reader(formula, operands, builder).all();
}

Term divisorOf(std::string_view formula, const Operands &operands) {
  if (formula.size() != 3 || formula.substr(0, 2) != "1/") return nullptr;
  size_t i = static_cast<size_t>(formula[2] - 'a');
  return i < operands.args.size() ? operands.args[i] : nullptr;
}

}  // namespace tessera::autodiff
