// Functions of host code that call themselves.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// Whether a function of a module calls itself, also by way of others.
bool callsItself(const Callable &callable);
/// A call of such a function in host code: it stays a call.
Value callOwnFunction(Context &cx, const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans, Span span);
/// Whether statements of a block, from this one on, call such functions: they have to run only where they are meant to.
bool callsOwnFunctions(const Block &block, size_t from);
/// Whether statements from here on ask the host runtime for something, which ends the program where there is none.
bool readsItems(const Block &block, size_t from);
/// Two numbers or truth values in one type, for a choice between them. False after a message.
bool asNumbersAlike(Context &cx, Value &a, Value &b, Span span);
/// What a `return` of host code gives: a tensor that is one integer is that number. Of functions that call themselves it says what their calls
/// give, also those in its own body, and an integer is a fraction where others are.
Value asReturned(Context &cx, Value value, Span span);

}  // namespace tessera::sema
