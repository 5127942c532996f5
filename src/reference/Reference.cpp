#include "reference/Reference.h"
#include "reference/Interpreter.h"

namespace tessera::reference {

Outcome run(const checked::Function &function, Arguments arguments, const Options &options) {
  std::vector<Ref> values;
  for (auto &argument : arguments) values.push_back(argument ? makeRef(std::move(*argument)) : nullptr);
  Interpreter interpreter(function, options);
  Outcome outcome;
  if (!interpreter.call(std::move(values))) {
    outcome.error = interpreter.error();
    return outcome;
  }
  for (const Ref &result : interpreter.results())
    if (result->kind == Datum::Kind::Number) outcome.values.push_back(static_cast<const Value &>(*result));
  for (const checked::Param &param : function.params)
    if (param.mode != checked::ParamMode::In && !param.isResult)
      outcome.written.emplace_back(param.var->name, static_cast<const Value &>(*interpreter.valueOf(param)));
  return outcome;
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
