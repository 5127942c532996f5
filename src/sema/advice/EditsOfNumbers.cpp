// Edits for numbers that do not fit: counts in calls, bounds of loops and guards, sizes that are not given.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class NumberEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.expr()) return {};
    switch (diagnostic_.id) {
    case Id::outOfBounds: madeLonger(), laterStart(), boundOfGuard(), loopOfWindow(), otherOrigin(); break;
    case Id::argumentNotGiven: declaredSize(); break;
    case Id::wrongResult: declaredCount(), dimensionsOfThree(); break;
    case Id::notConstant: partsAsNames(); break;
    case Id::tileMismatch: transposedTile(); break;
    case Id::notSupportedYet: indexByIndex(); break;
    case Id::unknownAttribute: plainDimension(); break;
    case Id::undefinedName: declaredDimension(), element(); break;
    default: break;
    }
    return taken();
  }

private:
  static const ast::CallExpr *rangeOf(const ast::Stmt *stmt) {
    auto *loop = as<ast::ForStmt>(stmt);
    auto *call = loop ? as<ast::CallExpr>(loop->iterable) : nullptr;
    return call && nameOf(*call) == "range" ? call : nullptr;
  }

  /// `i, f, g, o = split(z, H, axis=-1)`: as many parts as there are names, not how long they are.
  void partsAsNames() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *assign = as<ast::AssignStmt>(place_.statement);
    if (!call || nameOf(*call) != "split" || !assign || assign->targets[0]->kind != ast::ExprKind::Tuple) return;
    const std::string names = std::to_string(static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items.size());
    for (const ast::Argument &arg : call->arguments)
      if (!arg.keyword && arg.value->span == diagnostic_.span)
        replace(group(false), arg.span, names, "make as many parts as there are names");
  }

  /// `for t in range(T)`, and `y[t - 1]`.
  void laterStart() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : subscript->items) {
      auto *index = as<ast::BinaryExpr>(item.value);
      auto *back = index && index->op == ast::BinaryOp::Sub ? as<ast::IntExpr>(index->right) : nullptr;
      if (!back) continue;
      for (const ast::Stmt *stmt : statementsAround()) {
        auto *range = rangeOf(stmt);
        bool counts = range && text(*static_cast<const ast::ForStmt *>(stmt)->target) == text(*index->left);
        if (!counts || range->arguments.empty()) continue;
        if (range->arguments.size() == 1) insert(edits, range->arguments[0].span.begin, back->text + ", ", "start later");
        else if (text(range->arguments[0].span) != back->text)
          replace(edits, range->arguments[0].span, back->text, "start later");
      }
    }
  }

  /// `if i < 128:`, and `s[i + 64]` of 128 elements.
  void boundOfGuard() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : subscript->items) {
      auto *index = as<ast::BinaryExpr>(item.value);
      auto *ahead = index && index->op == ast::BinaryOp::Add ? as<ast::IntExpr>(index->right) : nullptr;
      for (const ast::Stmt *stmt : statementsAround()) {
        auto *guard = as<ast::IfStmt>(stmt);
        auto *compare = guard ? as<ast::CompareExpr>(guard->condition) : nullptr;
        bool less = ahead && compare && compare->ops.size() == 1 && compare->ops[0] == ast::CompareOp::Lt;
        auto *bound = less ? compare->operands[1].get() : nullptr;
        auto *number = as<ast::IntExpr>(bound);
        if (number && number->value > ahead->value)
          replace(edits, bound->span, std::to_string(number->value - ahead->value), "stop earlier");
        if (bound && bound->kind == ast::ExprKind::Name) insert(edits, bound->span.end, " - " + ahead->text, "stop earlier");
      }
    }
  }

  /// `y = zeros((N - 1,), f32)`, whose N elements are stored.
  void madeLonger() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    auto *name = subscript ? as<ast::NameExpr>(subscript->object) : nullptr;
    auto *made = name && !place_.inKernel ? as<ast::CallExpr>(place_.valueOf(name->name)) : nullptr;
    static const std::set<std::string> makers = {"zeros", "ones", "full"};
    if (!made || !makers.count(nameOf(*made)) || made->arguments.empty() || made->arguments[0].value->kind != ast::ExprKind::Tuple)
      return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;  // or the loop goes too far
    for (const ast::ExprPtr &size : static_cast<const ast::SequenceExpr &>(*made->arguments[0].value).items)
      if (auto *less = as<ast::BinaryExpr>(size); less && less->op == ast::BinaryOp::Sub)
        replace(edits, size->span, text(*less->left), "make room for all");
  }

  /// `for t in range(T)`, and `x[t:t + 5]` or `x[t + 4]`.
  void loopOfWindow() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript || place_.inKernel) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &item : subscript->items) {
      auto *slice = as<ast::SliceExpr>(item.value);
      auto *index = as<ast::BinaryExpr>(slice ? slice->stop.get() : item.value.get());
      auto *ahead = index && index->op == ast::BinaryOp::Add ? as<ast::IntExpr>(index->right) : nullptr;
      if (!ahead || ahead->value < (slice ? 2u : 1u)) continue;
      const std::string less = " - " + std::to_string(ahead->value - (slice ? 1 : 0));
      for (const ast::Stmt *stmt : statementsAround()) {
        auto *range = rangeOf(stmt);
        bool counts = range && text(*static_cast<const ast::ForStmt *>(stmt)->target) == text(*index->left);
        if (!counts || range->arguments.empty() || range->arguments.size() > 2) continue;
        if (range->arguments.back().value->kind == ast::ExprKind::Name) insert(edits, range->arguments.back().span.end, less, "stop earlier");
      }
    }
  }

  /// `n, m = tile.origin()`, whose first is that of the rows.
  void otherOrigin() {
    if (!place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = edits.last = true;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *call = assign && assign->targets.size() == 1 ? as<ast::CallExpr>(assign->value) : nullptr;
      if (!call || nameOf(*call) != "origin" || assign->targets[0]->kind != ast::ExprKind::Tuple) continue;
      auto &items = static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items;
      for (size_t i = 0; i < items.size(); ++i)
        for (size_t j = i + 1; j < items.size(); ++j)
          replaceAll(edits, {{items[i]->span, text(*items[j])}, {items[j]->span, text(*items[i])}}, "exchange the origins");
    }
  }

  /// The dimensions of the declared result as they are written.
  std::vector<std::string> declaredDims() const {
    auto *type = as<ast::SubscriptExpr>(place_.function->result);
    return type ? extentTexts(*type) : std::vector<std::string>();
  }

  /// `segment_sum(x, ids)`, where 16 sums are declared.
  void declaredSize() {
    auto *call = place_.innermost<ast::CallExpr>();
    static const std::set<std::string> counts = {"bins", "classes", "count", "parts", "repeats", "size"};
    const std::string &said = diagnostic_.message;
    const size_t end = said.rfind('`'), begin = end == std::string::npos || end == 0 ? end : said.rfind('`', end - 1);
    bool counted = begin != std::string::npos && counts.count(said.substr(begin + 1, end - begin - 1));
    if (!counted || !call || call->arguments.empty() || call->arguments.back().keyword || place_.inKernel) return;
    CandidateGroup &edits = group(true);
    std::set<std::string> seen;
    for (const std::string &dim : declaredDims())
      if (seen.insert(dim).second) insert(edits, call->arguments.back().span.end, ", " + dim, "as many as are declared");
  }

  /// `one_hot(y, 9)`, where 10 are declared.
  void declaredCount() {
    CandidateGroup &edits = group(true);
    const std::vector<std::string> dims = declaredDims();
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || place_.inKernel || nameOf(*call) == "transpose" || nameOf(*call) == "permute") return;
      auto *method = as<ast::AttributeExpr>(call->callee);
      bool ofShape = nameOf(*call) == "reshape" || nameOf(*call) == "expand" || (method && nameOf(*call) == "view");
      for (const ast::Argument &arg : call->arguments) {
        auto *extent = as<ast::NameExpr>(arg.value);
        auto isDim = [&](const ast::TypeParameter &t) { return extent && t.name.text == extent->name; };
        const auto &all = place_.function->typeParameters;
        if (extent && !ofShape && std::any_of(all.begin(), all.end(), isDim))
          for (const std::string &dim : dims)
            if (dim != extent->name) replace(edits, extent->span, dim, "as many as are declared");
        auto *number = as<ast::IntExpr>(arg.value);
        bool count = number && number->value > 1 && !(arg.keyword && arg.keyword->text == "axis");
        for (const std::string &dim : dims)
          if (count && dim != number->text && dim.find_first_not_of("0123456789") == std::string::npos)
            replace(edits, number->span, dim, "as many as are declared");
      }
    });
  }

  /// `mean(x, axis=(1, 2, 3))`, where the channels are declared.
  void dimensionsOfThree() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const ast::Argument *axis = call ? keyword(*call, "axis") : nullptr;
      if (!axis || axis->value->kind != ast::ExprKind::Tuple) return;
      if (static_cast<const ast::SequenceExpr &>(*axis->value).items.size() != 3) return;
      for (const char *three : {"(0, 1, 2)", "(0, 1, 3)", "(0, 2, 3)", "(1, 2, 3)"})
        if (text(*axis->value) != three) replace(edits, axis->value->span, three, "reduce along these");
    });
  }

  /// `x.N` for `N`
  void plainDimension() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    for (const ast::TypeParameter &t : place_.function->typeParameters)
      if (member && !place_.inKernel && t.name.text == member->attribute.text) replace(group(false), member->span, t.name.text, "a dimension is a name");
  }

  /// `x[1, 2]` of a tensor in host code.
  void indexByIndex() {
    auto *item = as<ast::SubscriptExpr>(place_.expr());
    if (!item || item->items.size() != 2) return;
    replace(group(false), {item->span.file, item->items[0].span.end, item->items[1].span.begin}, "][", "take one index after the other");
  }

  /// A tile of a transposed tensor that is returned as it was read.
  void transposedTile() {
    const ast::Expr *e = place_.expr();
    if (place_.inKernel && text(*e).find("transpose") == std::string::npos)
      replace(group(false), e->span, "tile.transpose(" + text(*e) + ")", "exchange the axes");
  }

  /// `-> Tensor[M, M, f32]` of a function over N.
  void declaredDimension() {
    const ast::Expr *result = place_.function->result.get();
    auto *name = as<ast::NameExpr>(place_.expr());
    if (!result || !name || diagnostic_.span.begin < result->span.begin || result->span.end < diagnostic_.span.end) return;
    CandidateGroup &edits = group(true);
    for (const ast::TypeParameter &t : place_.function->typeParameters) {
      std::vector<std::pair<Span, std::string>> parts;
      visit(*result, [&](const ast::Expr &part) {
        auto *dim = as<ast::NameExpr>(&part);
        if (dim && dim->name == name->name) parts.push_back({dim->span, t.name.text});
      });
      replaceAll(edits, parts, "write `" + t.name.text + "`");
    }
  }

  /// `x0` for `x[0]`
  void element() {
    auto *name = as<ast::NameExpr>(place_.expr());
    const size_t digits = name ? name->name.find_last_not_of("0123456789") + 1 : 0;
    if (!name || digits == 0 || digits == name->name.size() || !place_.names) return;
    auto it = place_.names->find(name->name.substr(0, digits));
    if (it != place_.names->end() && it->second.isBound())
      replace(group(false), name->span, it->first + "[" + name->name.substr(digits) + "]", "take an element");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfNumbers(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return NumberEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
