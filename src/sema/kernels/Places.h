// Elements of memory that tiles of integers name, in the place of a store or of an update.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// `access` says what may be reached, `places` which element along each axis.
struct NamedPlaces {
  Access access;
  std::vector<Value> places;                 // Absent: `access` says it
  std::vector<std::optional<Limit>> limits;  // of the ranges of `access`
  std::vector<Dim> shape;                    // empty: one element
  Value mask = Value::of(ValueKind::Absent);  // a condition for each element; those where it does not hold are left out
  bool isNamed() const;                      // by a tile, along some axis
};

/// What `object[...]` names; false after a message.
bool placesNamed(Context &cx, const Value &object, const ast::SubscriptExpr &syntax, NamedPlaces &out);
/// Of an access that was looked at already: its shape, with the tiles of indices broadcast to it. `newAxes`: of `None`.
bool shapeOfPlaces(Context &cx, const std::vector<int> &newAxes, Span span, NamedPlaces &out);
/// The index of each element of `value` along each axis; -1, which is outside, where the value comes from outside of the tensor that
/// it was read from. False after a message.
bool indexTiles(Context &cx, NamedPlaces &target, const Value &value, Span span, std::vector<ExprPtr> &out);
/// `tile.store(out[a:b], value, mask=m)`.
void storeWhere(Context &cx, const Value &object, const ast::SubscriptExpr &syntax, const Value &value, Value mask, Span valueSpan, Span maskSpan, Span span);
/// `out[rows, a:b] = value`: each element takes the place of what was there; those outside are left out (S25).
void storeAtPlaces(Context &cx, const Value &object, NamedPlaces target, ExprPtr value, const Value &from, Span span);

}  // namespace tessera::sema
