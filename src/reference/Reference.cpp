#include "reference/Reference.h"
#include "reference/Interpreter.h"

namespace tessera::reference {
namespace {

std::optional<FoundNaN> foundIn(const std::string &result, const Datum &value) {
  if (value.kind != Datum::Kind::Number || !value.nan) return std::nullopt;
  auto at = firstNaN(value, {1});
  if (!at) return std::nullopt;
  FoundNaN found{result, {}, value.nan->span, value.nan->what, {}, {}};
  for (size_t axis = value.shape.size(), left = *at; axis-- > 0; left /= static_cast<size_t>(value.shape[axis]))
    found.index.insert(found.index.begin(), static_cast<int64_t>(left) % value.shape[axis]);
  if (const auto &cause = value.nan->cause) found.infinitySpan = cause->span, found.infinity = cause->what;
  return found;
}

}  // namespace

Outcome run(const checked::Function &function, Arguments arguments, const Options &options) {
  std::vector<Ref> values;
  for (auto &argument : arguments) values.push_back(argument ? makeRef(std::move(*argument)) : nullptr);
  Interpreter interpreter(function, options);
  Outcome outcome;
  if (!interpreter.call(std::move(values))) {
    outcome.error = interpreter.error();
    return outcome;
  }
  for (size_t i = 0; i < interpreter.results().size(); ++i) {
    const Datum &result = *interpreter.results()[i];
    if (result.kind != Datum::Kind::Number) continue;
    outcome.values.push_back(static_cast<const Value &>(result));
    if (!outcome.nan && i < function.results.size()) outcome.nan = foundIn(function.results[i].name, result);
  }
  for (const checked::Param &param : function.params)
    if (param.mode != checked::ParamMode::In && !param.isResult) {
      const Datum &value = *interpreter.valueOf(param);
      outcome.written.emplace_back(param.var->name, static_cast<const Value &>(value));
      if (!outcome.nan) outcome.nan = foundIn(param.var->name, value);
    }
  return outcome;
}

std::optional<RunError> checkIndices(const checked::Function &function, Arguments arguments) {
  std::vector<Ref> values;
  for (auto &argument : arguments) values.push_back(argument ? makeRef(std::move(*argument)) : nullptr);
  Options options;
  options.checkIndices = true;
  Interpreter interpreter(function, options);
  if (interpreter.takeArguments(values)) return std::nullopt;
  return interpreter.error();
}

Result<Value> evaluate(const checked::Expr &expression) {
  checked::Function none;
  none.kind = checked::FunctionKind::Host;
  Options options;
  Interpreter interpreter(none, options);
  Ref value = interpreter.eval(expression);
  if (!value) return Failure{interpreter.error().message};
  if (value->kind != Datum::Kind::Number) return Failure{"the value is no number"};
  return static_cast<const Value &>(*value);
}

}  // namespace tessera::reference
