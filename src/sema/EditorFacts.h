// Facts for an editor (FactTable.h), written down while the program is checked.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// What stands at a place of the text.
void noteFact(Context &cx, Span place, const Value &value);
/// Stands around a call at a place of the text, whose arguments are known: what it does is written down at the end.
class NotedWork {
public:
  NotedWork(Context &cx, Span place);
  /// An argument is a part of what the call returns; its own work is not the call's.
  void without(const Value &argument);
  void returned(const Value &result);

private:
  Context &cx_;
  Span place_;
  bool wanted_;
  const Block *block_;
  size_t from_;
  std::optional<Dim> before_ = Dim(0);
};
/// ... or a call that stays one.
void noteWork(Context &cx, Span place, const Expr &call);
/// What a name of this function was just bound to.
void noteBinding(Context &cx, const std::string &name, Span place);
/// Functions that others call were seen with the shapes of the calls: those with types are traced once more by
/// themselves.
void noteUntracedFunctions(Context &cx, const ModuleScope &main);

}  // namespace tessera::sema
