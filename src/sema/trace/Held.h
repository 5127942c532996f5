// Lists of host code whose items are no numbers of one kind: lists of several lengths, texts, arrays, and tuples of such. Run time holds an item
// as a row of words, each value with its kind (include/tessera/host/words.h). What the items of a list are is its schema here: `w` an integer, `r`
// a number with a fraction, `b` a truth value, `t` a text, `[X]` a list, `(XYZ)` a tuple, `{f32 2}` arrays of that dtype and so many axes.
#pragma once
#include "sema/Arguments.h"
#include "sema/Context.h"

namespace tessera::sema {

/// Whether it is such a list, as run time holds it, and how its items are read.
bool isHeldRows(const Value &value);
std::string schemaOfRows(const Value &rows);
/// How a value is read that is an item of such a list; empty if it cannot be one. `?`: items of a list that has none.
std::string schemaOf(const Context &cx, const Value &value);
/// The parts of a tuple's.
std::vector<std::string> partsOfSchema(const std::string &tuple);
/// What reads the items of both; empty if nothing does.
std::string schemaTogether(const std::string &a, const std::string &b);

/// The words of a value; null after a message.
ExprPtr wordsOf(Context &cx, const Value &value, Span span);
/// The value that words stand for.
Value valueOfWords(Context &cx, Value words, const std::string &schema, Span span);

/// A list as run time holds it, of these items or of a tensor of numbers. Nothing if an item is none.
std::optional<Value> asHeldRows(Context &cx, const Value &list, Span span);
/// The same as an expression alone, which needs nothing in front of it.
ExprPtr rowsOfItems(Context &cx, const std::vector<Value> &items, Span span);
Value rowsWithSchema(Value rows, const std::string &schema);
/// Of numbers: the tensor that a list of numbers is; else the list as it is.
Value asGrownList(Context &cx, Value rows, Span span);

/// `rows[i]`, `rows[a:b]`, `a + b` of lists, `x in rows`, and the text that `print` shows.
Value itemOfRows(Context &cx, const Value &rows, const Value &index, Span span);
std::optional<Value> subscriptOfRows(Context &cx, const Value &rows, const ast::SubscriptExpr &expr);
/// `a + b`, where one of them is a list that run time holds and the other one a list. Nothing if this is none.
std::optional<Value> joinedLists(Context &cx, const Value &a, const Value &b, Span span);
std::optional<Value> rowsHold(Context &cx, const Value &rows, const Value &item, Span span);
Value rowsText(Context &cx, const Value &rows, Span span);

/// What run time goes over side by side, or with numbers, as a list; anything else as it is.
Value listOfIterated(Context &cx, const Value &iterable, Span span);
/// Items in order, or in falling order; by what `key` gives for each, if there is one.
Value sortedList(Context &cx, const Value &list, const Value &key, const Value &reverse, Span span);
/// `items.sort(key=f, reverse=True)`. False if this is none.
bool sortInPlace(Context &cx, const ast::ExprStmt &stmt);

/// `[f(x) for x in items if g(x)]` over what run time has: a list that grows turn by turn.
Value heldComprehension(Context &cx, const ast::ComprehensionExpr &expr, const ast::ComprehensionFor &clause, const Value &iterable);

// ---- Lists of host code that a loop appends to: how many items they get is known when the program runs.
/// Whether a statement of it is `name.append(x)`.
bool appendsToNames(const ast::Block &block);
/// The lists that statements append to or take items from.
void collectChangedLists(const ast::Block &body, std::set<std::string> &names);
/// Before a loop with this body: lists of numbers, or of tuples of them, that it appends to or takes items from become tensors.
/// Not `renewed`: those alone that change where they lie.
void holdGrowingLists(Context &cx, const ast::Block &body, bool renewed = true);
/// Behind a turn of the check: whether such a list turned out to hold other numbers than was known. `before` has them from then on.
bool foundItemsOfLists(Context &cx, Names &before);
/// Binds a name to a list without items that run time holds. False after a message.
bool bindEmptyList(Context &cx, const std::string &name, Span span);
/// Puts an item behind the others of such a list. `written`: as the program has it.
void appendToHeld(Context &cx, const std::string &name, Value item, const ast::Expr &written);
/// A list that gets the name of one that run time holds, as that one is held.
Value asHeldLike(Context &cx, const Binding &held, Value value, Span span);
/// `rows[i].append(x)`. False if this is no list of lists that has a name.
bool appendToItem(Context &cx, const ast::ExprStmt &stmt);
/// `losses.append(x)` of such a list. False if this is none.
bool appendToHeldList(Context &cx, const ast::ExprStmt &stmt);
/// `items.pop()`, `items.pop(0)` of such a list: the item, and the name stands for the others. Nothing if this is none.
std::optional<Value> popFromHeldList(Context &cx, const ast::CallExpr &expr);

/// Arrays of one shape as the rows of one more axis, behind one another. Nothing if one of them is no array whose dtype is known.
std::optional<Value> rowsOfHost(Context &cx, const std::vector<Value> &arrays, Span span);

/// `xs.pop(i)` of a list that the compiler has, and `d.pop(key)`: the item, and the name stands for the others. Nothing if this is none.
std::optional<Value> popped(Context &cx, const ast::CallExpr &expr);
/// `xs.index(x)`, `xs.count(x)` of a list of host code.
Value askList(Context &cx, const Value &list, const std::string &method, const GivenList &args, Span span);
bool isListOfHost(const Value &value);
/// From its last item to its first.
Value turnedList(Context &cx, const Value &list, Span span);
/// The items that a condition of run time keeps, of those that the compiler has.
Value chosenAtRunTime(Context &cx, const ast::ComprehensionExpr &expr, const ast::ComprehensionFor &clause, const Value &iterable, const std::vector<Value> &items, Span condition);
/// A dict of pairs that run time holds, of a key that comes twice the last one. Nothing if they are no pairs.
std::optional<Value> dictOfPairs(Context &cx, const Value &pairs, Span span);

// ---- Dicts of host code. Those whose keys the compiler knows are its own, with a value for each key. Those that get keys while the program runs
// are held by it: a row for each key, with its value.
/// Whether it is a dict that run time holds.
bool isHeldDict(const Value &value);
/// A dict of numbers as run time holds it; nothing if it is no such.
std::optional<Value> asHeldDict(Context &cx, Value dict, Span span);
/// Before statements that run time may do or not, or several times: dicts of numbers that they store to are held by run time.
void holdGrowingDicts(Context &cx, const ast::Block &body);
/// `d[key] = value`. False if this is no dict that has a name.
bool storeToDict(Context &cx, const ast::SubscriptExpr &syntax, const Value &value, Span span);
/// `d[key].append(x)`, `d.setdefault(key, []).append(x)`, `d.setdefault(key, x)`. False if this is none of them.
bool changeEntry(Context &cx, const ast::ExprStmt &stmt);
/// `d[key]` of a dict that run time holds, `d.get(key, other)` of any, and `key in d`.
Value readDict(Context &cx, const Value &dict, Value key, Span span);
Value readDictOr(Context &cx, const Value &dict, const Value &key, const Value &other, Span span);
Value dictHolds(Context &cx, const Value &dict, const Value &key, Span span);
/// What `d.keys()`, `d.values()` and `d.items()` go over, of a dict that run time holds.
Value partsOfDict(Context &cx, const Value &dict, const std::string &what, Span span);
/// `set()`, `set(items)`: a dict whose values say nothing, known or held by run time.
Value setOf(Context &cx, const Value &items, Span span);
inline constexpr const char *kSet = "set";  // the text of a known one
/// A key of a dict of the compiler gets this value.
void addToDict(Context &cx, Value &dict, const Value &key, const Value &value, Span span);
/// The keys of a dict of the compiler, as a list.
Value keysOfDict(const Value &dict);
/// As Python shows it: `{3: 1.5}`.
Value dictText(Context &cx, const Value &dict, Span span);

}  // namespace tessera::sema
