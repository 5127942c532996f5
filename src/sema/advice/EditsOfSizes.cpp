// Edits for numbers and letters that say how a tensor is taken apart or put together: the axis and the parts of `split`,
// what `flatten`, `reshape` and `einsum` are told, a stride, an axis of extent 1, windows, slices in kernels.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class SizeEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::splitSizes: partsOfSplit(); break;
    case Id::badReshape: declaredShape(); break;
    case Id::windowTooLarge: paddedHere(); break;
    case Id::contractionMismatch: orderOfStruct(), flattenedFrom(), sizeOfSlice(), pairOfAxes(), otherMaker(); break;
    case Id::broadcastFails:
      oneAxisOfTwo(), withoutStride(), sizeOfSlice(), lettersOfEinsum(), otherMaker(), firstRows();
      break;
    case Id::unknownAttribute: sizeOfOrigin(); break;
    case Id::tileMismatch: sizeOfSlice(); break;
    case Id::badEquation: otherLetter(); break;
    case Id::rankMismatch: lettersOfEinsum(); break;
    case Id::shapeMismatch: withoutStride(), storedSlice(), storedElement(), lettersOfEinsum(); break;
    case Id::wrongResult:
      orderOfSizes(), sizesOfResult(), lettersOfEinsum(), fewerAxes(), secondIndex(), withoutLast();
      break;
    case Id::outOfBounds: sliceOfOthers(), numbersOfIndex(), columnOfIndex(), otherStop(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `a, b = split(x, 3, axis=0)`: another axis, or as many parts as names.
  void partsOfSplit() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "split") return;
    const ast::Argument *axis = keyword(*call, "axis");
    CandidateGroup &edits = group(true);
    if (axis)
      eachOtherAxis(axis->value.get(), [&](const std::string &other) {
        replace(edits, axis->value->span, other, "split along axis " + other);
      });
    auto *assign = as<ast::AssignStmt>(place_.statement);
    bool several = assign && assign->value.get() == call && assign->targets[0]->kind == ast::ExprKind::Tuple;
    if (!several) return;
    std::string names = std::to_string(static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items.size());
    for (const ast::Argument &arg : call->arguments)
      if (auto *parts = as<ast::IntExpr>(arg.value); parts && !arg.keyword && parts->text != names)
        replace(edits, parts->span, names, "make as many parts as there are names");
  }

  /// `x.reshape(S, 4)`, where `[S, 4, 16]` is declared.
  void declaredShape() {
    auto *call = place_.innermost<ast::CallExpr>();
    const ast::SubscriptExpr *type = declaredTensor();
    if (!call || nameOf(*call) != "reshape" || call->arguments.empty() || !type) return;
    size_t first = as<ast::AttributeExpr>(call->callee) && !isOfTile(*call) ? 0 : 1;
    if (call->arguments.size() <= first || place_.inKernel) return;
    const std::string shape = listOf(extentTexts(*type));
    Span sizes = call->arguments[first].span.to(call->arguments.back().span);
    const auto said = shapesSaid();
    if (shape == text(sizes) || (!said.empty() && listOf(said[0]) == shape)) return;  // that would leave it as it is
    size_t given = call->arguments.size() - first, declared = extentCount(*type);
    if (given == declared) return declaredSize(*call, first, *type);
    if (given < declared && text(sizes) == shape.substr(0, text(sizes).size()))
      insert(group(false), sizes.end, shape.substr(text(sizes).size()), "write the sizes that are declared");
    else replace(group(false), sizes, shape, "write the sizes that are declared");
  }

  /// `x.reshape(B, S, D)`, where `[B, S, H * D]` is declared: the one size that differs.
  void declaredSize(const ast::CallExpr &call, size_t first, const ast::SubscriptExpr &type) {
    const ast::Argument *differing = nullptr;
    std::string by;
    for (size_t i = first; i < call.arguments.size(); ++i) {
      const ast::Argument &declared = type.items[i - first];
      if (text(declared.span) == text(call.arguments[i].span)) continue;
      if (differing || declared.value->kind == ast::ExprKind::String) return;
      differing = &call.arguments[i], by = text(declared.span);
    }
    if (differing) replace(group(false), differing->span, by, "write the size that is declared");
  }

  /// The window that the message is about, before those of the values that it is given.
  void paddedHere() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || (nameOf(*call) != "conv1d" && nameOf(*call) != "conv2d") || keyword(*call, "padding")) return;
    CandidateGroup &edits = group(true);
    for (const char *padding : {"1", "2", "3", "4"})
      insert(edits, call->span.end - 1, std::string(", padding=") + padding, "pad the edges");
  }

  /// `x.flatten(0) @ w`
  void flattenedFrom() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || nameOf(*call) != "flatten") return;
      for (const ast::Argument &arg : call->arguments)
        if (auto *start = as<ast::IntExpr>(arg.value))
          for (uint64_t other = 0; other < 3; ++other)
            if (other != start->value)
              replace(edits, start->span, std::to_string(other), "keep the axes before " + std::to_string(other));
    });
  }

  /// `conv2d(x, w, stride=2, padding=1)`, where the extents are to stay.
  void withoutStride() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      bool convolution = call && (nameOf(*call) == "conv1d" || nameOf(*call) == "conv2d");
      for (size_t i = 1; convolution && i < call->arguments.size(); ++i)
        if (const ast::Argument &arg = call->arguments[i]; arg.keyword && arg.keyword->text == "stride")
          replace(edits, {arg.span.file, call->arguments[i - 1].span.end, arg.span.end}, "",
                  "let the window go on by 1");
    });
  }

  /// `(x - mean(x, axis=0)) / std(x, axis=1)`: reductions of one formula that go along different axes.
  void oneAxisOfTwo() {
    std::vector<const ast::IntExpr *> axes;
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *axis = call ? keyword(*call, "axis") : nullptr;
      if (auto *number = axis ? as<ast::IntExpr>(axis->value) : nullptr) axes.push_back(number);
    });
    CandidateGroup &edits = group(true);
    for (const ast::IntExpr *axis : axes)
      for (const ast::IntExpr *other : axes)
        if (axis->value != other->value) replaceOnce(edits, axis->span, std::to_string(other->value));
  }

  /// `b[n:n + T.m]` beside `x[m:m + T.m, n:n + T.n]`: a slice that starts here has that size.
  void sizeOfSlice() {
    if (!place_.inKernel || !place_.function) return;
    const std::vector<const ast::SliceExpr *> all = blocks();
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      if (auto *subscript = as<ast::SubscriptExpr>(&part))  // `B[k, n:n + T.n]`
        for (const ast::Argument &item : subscript->items)
          for (const ast::SliceExpr *other : all)
            if (text(*other->start) == text(item.span)) replaceOnce(edits, item.span, text(*other));
      if (!slice || !slice->start || !slice->stop) return;
      for (const ast::SliceExpr *other : all)
        if (text(*other->start) == text(*slice->start) && text(*other) != text(*slice) && !hasSizeOfOrigin(*slice))
          replaceOnce(edits, slice->span, text(*other));
    });
  }
  /// `n:n + T.p`
  void sizeOfOrigin() {
    auto *slice = place_.innermost<ast::SliceExpr>();
    auto *size = as<ast::AttributeExpr>(place_.expr());
    if (!slice || !slice->start || !size || !place_.inKernel || !place_.function) return;
    for (const char *name : {"m", "n", "k"})
      if (isSizeAt(text(*slice->start), name)) replace(group(false), size->attribute.span, name);
  }

  /// `l: Layer[O, I]` of a function over `[B, I, O]`, whose `l.w` does not fit.
  void orderOfStruct() {
    if (!place_.function) return;
    std::vector<std::string> order;
    for (const ast::TypeParameter &t : place_.function->typeParameters) order.push_back(t.name.text);
    CandidateGroup &edits = group(true);
    edits.ofSignature = true;
    eachInPlay([&](const ast::Expr &part) {
      auto *member = as<ast::AttributeExpr>(&part);
      auto *owner = member ? as<ast::NameExpr>(member->object) : nullptr;
      for (const ast::Parameter &p : place_.function->parameters) {
        auto *type = owner && p.name.text == owner->name ? as<ast::SubscriptExpr>(p.annotation) : nullptr;
        if (!type || type->items.size() != 2 || text(*type->object) == "Tensor") continue;
        std::string first = text(type->items[0].span), second = text(type->items[1].span);
        auto a = std::find(order.begin(), order.end(), first), b = std::find(order.begin(), order.end(), second);
        if (a != order.end() && b != order.end() && b < a)
          replaceOnce(edits, type->items[0].span.to(type->items[1].span), second + ", " + first);
      }
    });
  }

  /// `mean(x, axis=(1, 2)) @ w`
  void pairOfAxes() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *axis = call ? keyword(*call, "axis") : nullptr;
      if (!axis || axis->value->kind != ast::ExprKind::Tuple) return;
      for (const char *pair : {"(0, 1)", "(1, 2)", "(2, 3)"})
        if (text(*axis->value) != pair) replaceOnce(edits, axis->value->span, pair);
    });
  }

  /// `acc = zeros((N,))` where a row of M is added; `tile.zeros((T.m), f32)`, which lacks a size.
  void otherMaker() {
    static const std::set<std::string> makers = {"zeros", "ones", "full"};
    CandidateGroup &edits = group(true);
    auto tryMaker = [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || !makers.count(nameOf(*call)) || call->arguments.empty()) return;
      const ast::Expr &shape = *call->arguments[0].value;
      if (shape.kind != ast::ExprKind::Tuple) {
        auto *size = as<ast::AttributeExpr>(&shape);
        for (const char *other : {"m", "n", "k"})
          if (size && size->attribute.text != other) {
            std::string more = ", " + text(*size->object) + "." + other;
            bool inside = text({shape.span.file, shape.span.begin - 1, shape.span.begin}) == "(";
            bool bracket = inside && shape.span.begin > call->callee->span.end + 1;  // `((T.m), f32)`
            if (bracket) insert(edits, shape.span.end, more);
          }
        return;
      }
      auto &sizes = static_cast<const ast::SequenceExpr &>(shape).items;
      if (sizes.size() == 2 && text(*sizes[0]) == text(*sizes[1]) && sizes[0]->kind == ast::ExprKind::Name)
        for (const std::string &dim : dimensions())
          if (dim != text(*sizes[0])) replaceOnce(edits, sizes[0]->span.to(sizes[1]->span), dim + ", " + dim);
      if (sizes.size() == 2 && text(*sizes[0]) != text(*sizes[1]))
        replaceOnce(edits, sizes[0]->span.to(sizes[1]->span), text(*sizes[1]) + ", " + text(*sizes[0]));
      for (const ast::ExprPtr &size : sizes)
        for (const std::string &dim : dimensions())
          if (size->kind == ast::ExprKind::Name && dim != text(*size)) replaceOnce(edits, size->span, dim);
    };
    eachInPlay(tryMaker);
    // `acc += ...` and `acc = acc + ...`: what it was before the loop.
    auto *changed = as<ast::AugAssignStmt>(place_.statement);
    auto *name = changed ? as<ast::NameExpr>(changed->target) : nullptr;
    if (const ast::Expr *value = name ? place_.valueOf(name->name) : nullptr) visit(*value, tryMaker);
  }

  /// `y[i] = x`, where an element was meant.
  void storedElement() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *target = assign ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
    if (!target || !place_.inKernel) return;
    const std::string index = text({target->span.file, target->object->span.end, target->span.end});
    CandidateGroup &edits = group(true);
    visit(*assign->value, [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      for (size_t i = 0; name && i < place_.function->parameters.size(); ++i)
        if (place_.function->parameters[i].name.text == name->name)
          insert(edits, name->span.end, index, "take its element");
    });
  }

  /// `for i in range(N)` and `if i < N`, where the axis has M elements.
  void otherStop() {
    if (!place_.function) return;
    CandidateGroup &edits = group(true);
    for (const ast::Stmt *stmt : statementsAround()) {
      auto *loop = as<ast::ForStmt>(stmt);
      auto *call = loop ? as<ast::CallExpr>(loop->iterable) : nullptr;
      auto *guard = as<ast::IfStmt>(stmt);
      auto *compare = guard ? as<ast::CompareExpr>(guard->condition) : nullptr;
      const ast::Expr *stop = nullptr;
      if (call && nameOf(*call) == "range" && !call->arguments.empty())
        stop = call->arguments[call->arguments.size() > 1 ? 1 : 0].value.get();
      if (compare && compare->ops.size() == 1 && compare->ops[0] == ast::CompareOp::Lt)
        stop = compare->operands[1].get();
      for (const std::string &dim : dimensions())
        if (stop && (stop->kind == ast::ExprKind::Name || stop->kind == ast::ExprKind::Int) && dim != text(*stop))
          replace(edits, stop->span, dim);
    }
  }

  /// `x.reshape(B, H, S * D)`, where `[B, S, H * D]` is declared.
  void sizesOfResult() {
    auto *call = as<ast::CallExpr>(meant());
    const ast::SubscriptExpr *type = declaredTensor();
    if (!call || !as<ast::AttributeExpr>(call->callee) || nameOf(*call) != "reshape" || !type || place_.inKernel)
      return;
    auto *source = as<ast::AttributeExpr>(call->callee);
    if (call->arguments.size() != extentCount(*type) || call->arguments.empty()) return;
    if (as<ast::NameExpr>(source->object) && isPermutation(*call, *type))
      return;  // of a plain tensor it is a transpose rather
    replace(group(true), call->arguments.front().span.to(call->arguments.back().span), listOf(extentTexts(*type)),
            "write the sizes that are declared");
  }
  bool isPermutation(const ast::CallExpr &call, const ast::SubscriptExpr &type) const {
    std::multiset<std::string> given, declared;
    for (const ast::Argument &arg : call.arguments) given.insert(text(arg.span));
    for (size_t i = 0; i < extentCount(type); ++i) declared.insert(text(type.items[i].span));
    return given == declared;
  }

  /// `x[t]` of a tensor whose second axis `t` counts.
  void columnOfIndex() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (subscript && subscript->items.size() == 1 && subscript->items[0].value->kind == ast::ExprKind::Name &&
        !place_.inKernel)
      insert(group(true), subscript->items[0].span.begin, ":, ", "take a column");
  }

  /// `x + table`, where a table of 1024 rows is given and S are needed.
  void firstRows() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_))
      if (operand->kind == ast::ExprKind::Name || operand->kind == ast::ExprKind::Attribute)
        for (const std::string &dim : dimensions())
          insert(edits, operand->span.end, "[:" + dim + "]", "take as many rows");
  }

  /// `x[0]`, where a column is declared.
  void secondIndex() {
    auto *subscript = as<ast::SubscriptExpr>(meant());
    if (!subscript || subscript->items.size() != 1 || place_.inKernel) return;
    const ast::Expr &index = *subscript->items[0].value;
    if (index.kind == ast::ExprKind::Int || index.kind == ast::ExprKind::Name || index.kind == ast::ExprKind::Unary)
      insert(group(true), index.span.begin, ":, ", "take a column");
  }

  /// `n:n + T.n` of `m, n = tile.origin()`: the sizes of the dimensions of the output are called m, n and k.
  bool hasSizeOfOrigin(const ast::SliceExpr &slice) const {
    auto *stop = as<ast::BinaryExpr>(slice.stop);
    auto *size = stop ? as<ast::AttributeExpr>(stop->right) : nullptr;
    return size && isSizeAt(text(*slice.start), size->attribute.text);
  }
  bool isSizeAt(const std::string &start, std::string_view size) const {
    static constexpr std::string_view kSizes = "mnk";
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *loop = as<ast::ForStmt>(stmt);  // `for k in tile.range(0, K, T.k):`
      auto *range = loop && text(*loop->target) == start ? as<ast::CallExpr>(loop->iterable) : nullptr;
      if (range && range->arguments.size() == 3) {
        auto *step = as<ast::AttributeExpr>(range->arguments[2].value);
        return step && step->attribute.text == size;
      }
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
      if (!call || nameOf(*call) != "origin" || assign->targets[0]->kind != ast::ExprKind::Tuple) continue;
      auto &items = static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items;
      for (size_t i = 0; i < items.size() && i < kSizes.size(); ++i)
        if (text(*items[i]) == start) return size == kSizes.substr(i, 1);
    }
    return false;
  }

  /// `b[m:m + T.m]` of N elements, where others are read at `n:n + T.n`.
  void sliceOfOthers() {
    auto *slice = as<ast::SliceExpr>(place_.expr());
    if (!slice || !place_.inKernel || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const ast::SliceExpr *other : blocks())
      if (text(*other) != text(*slice)) replaceOnce(edits, slice->span, text(*other));
  }
  /// The slices `n:n + T.n` of the kernel.
  std::vector<const ast::SliceExpr *> blocks() const {
    std::vector<const ast::SliceExpr *> found;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      auto *stop = slice && slice->start && !slice->step ? as<ast::BinaryExpr>(slice->stop) : nullptr;
      bool block = stop && stop->op == ast::BinaryOp::Add && text(*stop->left) == text(*slice->start);
      if (block) found.push_back(slice);
    });
    return found;
  }

  /// `y[n] = x[n:n + 256]`
  void storedSlice() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *target = assign ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
    if (!target || !place_.inKernel || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : target->items)
      for (const ast::SliceExpr *block : blocks())
        if (text(*block->start) == text(item.span)) replaceOnce(edits, item.span, text(*block));
  }

  /// `s[64 - i]`
  void numbersOfIndex() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : subscript->items) {
      auto *index = as<ast::BinaryExpr>(item.value);
      for (const ast::Expr *side : {index ? index->left.get() : nullptr, index ? index->right.get() : nullptr}) {
        auto *number = as<ast::IntExpr>(side);
        if (!number) continue;
        replace(edits, number->span, std::to_string(number->value + 1));
        if (number->value > 1) replace(edits, number->span, std::to_string(number->value - 1));
      }
    }
  }

  /// `x.reshape(B, S, D // H, H)`: a reshape itself says the order, a transpose of it would mix up the elements.
  void orderOfSizes() {
    auto *call = as<ast::CallExpr>(meant());
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method || nameOf(*call) != "reshape" || place_.inKernel) return;
    const std::set<std::string> whole = extentsOf(*method->object);  // one that stays as it is stays where it is
    if (whole.empty()) return;
    CandidateGroup &edits = group(true);
    for (size_t i = 0; i < call->arguments.size(); ++i)
      for (size_t j = i + 1; j < call->arguments.size(); ++j) {
        const ast::Argument &a = call->arguments[i], &b = call->arguments[j];
        if (whole.count(text(a.span)) || whole.count(text(b.span)) || text(a.span) == text(b.span)) continue;
        replace(edits, a.span.to(b.span), text(b.span) + text({a.span.file, a.span.end, b.span.begin}) + text(a.span),
                "exchange the sizes");
      }
  }

  /// The extents of a parameter, as they are declared.
  std::set<std::string> extentsOf(const ast::Expr &object) const {
    std::set<std::string> found;
    if (!place_.function) return found;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = p.name.text == text(object) ? as<ast::SubscriptExpr>(p.annotation) : nullptr;
      for (size_t i = 0; type && i < extentCount(*type); ++i) found.insert(text(type->items[i].span));
    }
    return found;
  }

  /// `einsum("bst,btd->bds", p, v)`: the letters of the result in another order, a letter more in an operand.
  void lettersOfEinsum() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) { equation(part, edits); });
    if (auto *call = place_.innermost<ast::CallExpr>()) equation(*call, edits);
  }
  void equation(const ast::Expr &part, CandidateGroup &edits) {
    constexpr size_t kMostLetters = 4;
    auto *call = as<ast::CallExpr>(&part);
    if (!call || nameOf(*call) != "einsum" || call->arguments.empty()) return;
    auto *string = as<ast::StringExpr>(call->arguments[0].value);
    size_t arrow = string ? string->value.find("->") : std::string::npos;
    if (arrow == std::string::npos || text(*string) != "\"" + string->value + "\"") return;
    std::string operands = string->value.substr(0, arrow), result = string->value.substr(arrow + 2);
    if (diagnostic_.id == Id::rankMismatch) return missingLetter(*string, operands, result, edits);
    if (result.size() > kMostLetters) return;
    std::string order = result;
    std::sort(order.begin(), order.end());
    do {
      if (order != result) equationIs(edits, *string, operands + "->" + order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  void equationIs(CandidateGroup &edits, const ast::StringExpr &string, const std::string &equation) {
    replaceOnce(edits, string.span, "\"" + equation + "\"");
  }
  /// `"bhsd,bhtd->bhsk"`, whose result has a letter that no operand has.
  void otherLetter() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *string = call && nameOf(*call) == "einsum" && !call->arguments.empty()
                       ? as<ast::StringExpr>(call->arguments[0].value)
                       : nullptr;
    const size_t arrow = string ? string->value.find("->") : std::string::npos;
    if (arrow == std::string::npos || text(*string) != "\"" + string->value + "\"") return;
    const std::string operands = string->value.substr(0, arrow), result = string->value.substr(arrow + 2);
    CandidateGroup &edits = group(true);
    for (size_t i = 0; i < result.size(); ++i) {
      if (operands.find(result[i]) != std::string::npos) continue;
      for (char letter : std::set<char>(operands.begin(), operands.end())) {
        std::string changed = result;
        changed[i] = letter;
        bool other = letter != ',' && letter != ' ' && letter != '.' && result.find(letter) == std::string::npos;
        if (other) equationIs(edits, *string, operands + "->" + changed);
      }
    }
  }
  /// `"bn,nm,m->b"` of a third operand with two axes.
  void missingLetter(const ast::StringExpr &string, const std::string &operands, const std::string &result,
                     CandidateGroup &edits) {
    std::set<char> letters;
    for (char c : operands)
      if (c != ',' && c != ' ') letters.insert(c);
    for (char c : letters)
      for (size_t at = 0; at <= operands.size(); ++at)
        equationIs(edits, string, operands.substr(0, at) + c + operands.substr(at) + "->" + result);
  }

  /// `mean(x, axis=(1, 2))`, where one of them was meant.
  void fewerAxes() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *axis = call ? keyword(*call, "axis") : nullptr;
      if (!axis || axis->value->kind != ast::ExprKind::Tuple) return;
      for (const ast::ExprPtr &one : static_cast<const ast::SequenceExpr &>(*axis->value).items)
        replaceOnce(edits, axis->value->span, text(*one));
    });
  }

  /// `x @ w` of one column, where a row of numbers is declared.
  void withoutLast() {
    const ast::Expr *e = place_.expr();
    if (!e || place_.inKernel || e->kind == ast::ExprKind::Tuple || text(*e).find("keepdim") != std::string::npos)
      return;
    replace(group(true), e->span, asPrimary(*e) + ".squeeze(-1)", "drop the axis of extent 1");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfSizes(const diag::Diagnostic &diagnostic, const Place &place,
                                         const Sources &sources) {
  return SizeEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
