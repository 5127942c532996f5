// Trees: structs, tuples and lists of values, to any depth. A function is applied to all their leaves.
#include "sema/Arguments.h"
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/types/Types.h"

namespace tessera::sema {

namespace {
bool isTree(const Value &value) { return value.kind == ValueKind::Struct || value.isSequence(); }

/// Whether two trees have the same parts here: structs of one declaration, tuples of one length.
bool isLike(const Value &a, const Value &b) {
  if (!isTree(a)) return !isTree(b) && (a.kind == ValueKind::None) == (b.kind == ValueKind::None);
  bool sameKind = a.kind == ValueKind::Struct ? b.kind == ValueKind::Struct && a.instance->info == b.instance->info &&
                                                    a.instance->stack.size() == b.instance->stack.size()
                                              : b.isSequence();
  return sameKind && a.items.size() == b.items.size();
}

void collectLeaves(const Value &tree, std::vector<Value> &leaves) {
  if (tree.kind == ValueKind::None) return;
  if (!isTree(tree)) return leaves.push_back(tree);
  for (const Value &item : tree.items) collectLeaves(item, leaves);
}

std::string partName(const Value &tree, size_t i, const std::string &path) {
  if (tree.kind != ValueKind::Struct) return path + "[" + std::to_string(i) + "]";
  return (path.empty() ? "" : path + ".") + tree.instance->info->fields[i].name;
}

/// The leaves of the trees at one place, and where that is.
struct LeafCall {
  std::vector<Value> leaves;
  std::string path;
};

/// Goes down all trees at once. False if they differ at `path`, where the tree `other` has another part.
bool collectCalls(const std::vector<const Value *> &trees, const std::string &path, std::vector<LeafCall> &calls,
                  std::string &differs, size_t &other) {
  for (size_t i = 1; i < trees.size(); ++i)
    if (!isLike(*trees[0], *trees[i])) return differs = path, other = i, false;
  if (trees[0]->kind == ValueKind::None) return true;
  if (!isTree(*trees[0])) {
    LeafCall call;
    call.path = path;
    for (const Value *tree : trees) call.leaves.push_back(*tree);
    calls.push_back(std::move(call));
    return true;
  }
  for (size_t k = 0; k < trees[0]->items.size(); ++k) {
    std::vector<const Value *> parts;
    for (const Value *tree : trees) parts.push_back(&tree->items[k]);
    if (!collectCalls(parts, partName(*trees[0], k, path), calls, differs, other)) return false;
  }
  return true;
}
}  // namespace

Value treeMap(Context &cx, const GivenList &args, Span span) {
  for (const Given &arg : args) {
    if (arg.value.isPoison()) return Value::poison();
    if (arg.keyword.empty()) continue;
    report(cx, Id::unknownKeyword, arg.keywordSpan, "tree_map", arg.keyword)
        .help("its arguments are a function, and trees");
    return Value::poison();
  }
  if (args.size() < 2 || !isCallable(args[0].value)) {
    report(cx, Id::wrongArgument, args.empty() ? span : args[0].span, quoted("tree_map"), "a function and a tree",
           args.empty() ? "nothing" : describe(cx, args[0].value))
        .help("`tree_map(lambda x, y: x + y, p, q)`");
    return Value::poison();
  }
  std::vector<const Value *> trees;
  for (size_t i = 1; i < args.size(); ++i) trees.push_back(&args[i].value);
  std::vector<LeafCall> calls;
  std::string differs;
  size_t other = 0;
  if (!collectCalls(trees, "", calls, differs, other)) {
    auto builder = report(cx, Id::wrongArgument, args[other + 1].span, quoted("tree_map"), "trees with the same parts",
                          describe(cx, args[other + 1].value));
    builder.note(args[1].span, "this is " + describe(cx, args[1].value));
    if (!differs.empty()) builder.help("they differ at `" + differs + "`");
    return Value::poison();
  }
  std::vector<std::vector<Value>> results;  // of each call, what f returns
  std::optional<size_t> count;              // of the items of a tuple; 0: f returns one value
  for (const LeafCall &call : calls) {
    GivenList given;
    for (size_t i = 0; i < call.leaves.size(); ++i)
      given.push_back({"", call.leaves[i], args[i + 1].span, {}, nullptr});
    Value result = callValue(cx, args[0].value, std::move(given), span, "tree_map");
    if (result.isPoison()) return result;
    size_t here = result.kind == ValueKind::Tuple ? result.items.size() : 0;
    if (here != count.value_or(here)) {
      report(cx, Id::wrongArgument, span, quoted("tree_map"), "a function that returns as many values for each leaf",
             "one that returns " + diag::counted(here ? here : 1, "value") + " for `" + call.path + "`");
      return Value::poison();
    }
    count = here;
    results.push_back(here ? std::move(result.items) : std::vector<Value>{std::move(result)});
  }
  if (!count) return args[1].value;  // no leaves
  std::vector<Value> made;
  for (size_t k = 0; k < std::max<size_t>(*count, 1); ++k) {
    size_t next = 0;
    std::function<Value(const Value &)> build = [&](const Value &like) -> Value {
      if (like.kind == ValueKind::None) return like;
      if (!isTree(like)) return results[next++][k];
      if (like.kind != ValueKind::Struct) {
        Value list = like;
        for (Value &item : list.items) item = build(item);
        return list;
      }
      GivenList fields;
      for (size_t i = 0; i < like.items.size(); ++i)
        fields.push_back({like.instance->info->fields[i].name, build(like.items[i]), span, span, nullptr});
      Value type = Value::of(ValueKind::StructType);
      auto open = std::make_shared<StructInstance>();
      open->info = like.instance->info;
      open->stack = like.instance->stack;
      type.instance = std::move(open);
      for (const Given &field : fields)
        if (field.value.isPoison()) return Value::poison();
      return constructStruct(cx, type, std::move(fields), span);
    };
    made.push_back(build(args[1].value));
    if (made.back().isPoison()) return made.back();
  }
  return *count ? Value::tuple(std::move(made)) : made[0];
}

Value treeLeaves(Context &cx, const GivenList &args, Span span) {
  if (args.size() != 1 || !args[0].keyword.empty()) {
    report(cx, Id::tooManyArguments, span, "tree_leaves", "one tree", std::to_string(args.size()));
    return Value::poison();
  }
  if (args[0].value.isPoison()) return args[0].value;
  Value list = Value::of(ValueKind::List);
  collectLeaves(args[0].value, list.items);
  return list;
}

}  // namespace tessera::sema
