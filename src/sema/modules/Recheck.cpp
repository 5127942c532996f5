#include "sema/modules/Recheck.h"
#include <algorithm>

namespace tessera::sema {

using Pass = CheckedBefore::Pass;

Recheck::Recheck(Context &cx, const Callable &callable, Pass pass)
    : cx_(cx), callable_(callable), pass_(pass), said_(cx.diagnostics.all().size()), failures_(cx.failures),
      functions_(cx.program->functions.size()), nested_(cx.reached.nested.size()) {
  if (CheckedBefore *before = cx.options.before; before && callable.def && cx.misnamed.empty())
    if (const CheckedBefore::Found *found = before->find(*callable.def, callable.name, pass, cx.options.facts != nullptr)) {
      holds_ = true;
      found_ = *found;
      cx.reached.traced.insert(found->traced.begin(), found->traced.end());
      cx.settled.insert(found->settled.begin(), found->settled.end());
      if (cx.options.facts) cx.options.facts->take(found->facts);
      return;
    }
  cx.reached.lately.clear(), cx.settledLately.clear();
  if (cx.options.facts) found_.facts = cx.options.facts->beginPart();
}

/// Whether a check of the function in a version where nothing that it rests on has changed would find the same.
bool Recheck::clean() const {
  if (cx_.diagnostics.all().size() != said_ || cx_.failures != failures_ || found_.outOfSteps || !cx_.misnamed.empty()) return false;
  if (pass_ == Pass::Entry && cx_.program->functions.size() == functions_) return false;  // it was checked on behalf of another
  if (cx_.reached.nested.size() != nested_)
    for (const auto &[def, callable] : cx_.reached.nested)
      if (!cx_.reached.traced.count(callable->body())) return false;  // something may have to be said about it
  const ast::Module &module = cx_.options.before->module();
  const std::vector<uint32_t> &rests = cx_.options.before->restsOf(*callable_.def);
  return std::none_of(cx_.diagnostics.all().begin(), cx_.diagnostics.all().end(), [&](const diag::Diagnostic &d) {
    if (!d.span.valid() || d.span.file != module.file) return true;
    return std::any_of(rests.begin(), rests.end(), [&](uint32_t index) {
      Span whole = module.body[index]->span;
      return whole.begin <= d.span.begin && d.span.begin <= whole.end;
    });
  });
}

Recheck::~Recheck() {
  if (holds_ || !cx_.options.before || !cx_.options.remember || !callable_.def || !clean()) return;
  found_.traced = cx_.reached.lately;
  found_.settled = cx_.settledLately;
  cx_.options.before->keep(*callable_.def, callable_.name, pass_, std::move(found_));
}

}  // namespace tessera::sema
