// What loops and conditions share.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// What a block bound and deleted again means nothing behind it.
void dropDeleted(Names &names);
/// `if c:` where run time decides; `inside` and `outside` hold in the one and the other block. `returns`: it stands for a
/// `return` under a condition.
void choice(Context &cx, ExprPtr c, const ast::Block &then, const ast::Block &otherwise,
            const std::vector<shape::Formula> &inside, const std::vector<shape::Formula> &outside, Span span,
            Span condition, bool returns = false);

/// The parts of a value in variables of this way through a condition, which the variables behind it can be made of; `fields`: each named
/// after its field, too.
Value onThisWay(Context &cx, Value value, const std::string &name, bool fields, Span span);

}  // namespace tessera::sema
