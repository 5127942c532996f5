// Facts for an editor (FactTable.h), written down while the program is checked.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// What stands at a place of the text.
void noteFact(Context &cx, Span place, const Value &value);
/// What a name of this function was just bound to.
void noteBinding(Context &cx, const std::string &name, Span place);
/// Functions that others call were seen with the shapes of the calls: those with types are traced once more by
/// themselves.
void noteUntracedFunctions(Context &cx, const ModuleScope &main);

}  // namespace tessera::sema
