// Edits of what a function declares, where that contradicts what it does: its result, the dtypes of its parameters, the
// channels of its weights. Nothing says whether the body or the declaration was meant, so the author alone applies them.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class DeclarationEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::wrongResult: declaredResult(), fewerResults(), oneResult(); break;
    case Id::narrowing: declaredDType(), declaredByParameter(); break;
    case Id::channelMismatch: declaredChannels(); break;
    case Id::contractionMismatch: declaredNumber(), declaredExtent(); break;
    case Id::broadcastFails:
    case Id::shapeMismatch: declaredExtent(); break;
    case Id::factRefuted: declaredIntegers(); break;
    case Id::wrongArgument:
      if (diagnostic_.message.find("a tensor of integers") != std::string::npos) declaredIntegers();
      break;
    case Id::gradNotScalar: lossOfRow(), lossWithoutMetrics(); break;
    default: break;
    }
    for (CandidateGroup &group : groups_) group.ofSignature = group.assumes = group.rivals = true;
    return taken();
  }

private:
  /// What stands between backquotes behind these words of the message.
  std::string shownAfter(std::string_view words) const {
    size_t begin = diagnostic_.message.find(words);
    if (begin == std::string::npos) return {};
    begin += words.size();
    return diagnostic_.message.substr(begin, diagnostic_.message.find('`', begin) - begin);
  }

  void declaredResult() {
    const ast::Expr *result = place_.function ? place_.function->result.get() : nullptr;
    if (!result || place_.inKernel) return;
    auto *type = as<ast::SubscriptExpr>(result);
    std::string returned = shownAfter("returns `["), declared = text(*result);
    bool plain = returned.find(") //") == std::string::npos;  // else a fact was meant rather, `N % 2 == 0`
    if (!returned.empty() && returned.back() == ']' && plain) {
      returned.pop_back();
      if (type && text(*type->object) == "Tensor") otherShape(*type, returned);
      else if (as<ast::NameExpr>(result) && dtypeByName(declared))
        replace(group(false), result->span, "Tensor[" + returned + ", " + declared + "]", "declare what is returned");
    }
    if (result->kind == ast::ExprKind::None) return declaredInsteadOfNone(*result);
    manyOfOne(*result);
    size_t several = diagnostic_.message.find(" values, but 1 result");
    auto *tuple = place_.expr() && place_.expr()->kind == ast::ExprKind::Tuple
                      ? static_cast<const ast::SequenceExpr *>(place_.expr())
                      : nullptr;
    if (several == std::string::npos || !tuple) return;
    std::string types;
    for (size_t i = 0; i < tuple->items.size(); ++i) types += (i ? ", " : "") + declared;
    replace(group(false), result->span, "(" + types + ")", "declare all of them");
  }

  /// `return momentum(net, g, m, rate)` of two nets, where one `Net[D]` is declared.
  void manyOfOne(const ast::Expr &result) {
    const std::string &said = diagnostic_.message;
    const size_t begin = said.find(" returns "), values = said.find(" values, but ");
    if (result.kind == ast::ExprKind::Tuple || begin == std::string::npos || values == std::string::npos || values < begin + 9) return;
    const std::string count = said.substr(begin + 9, values - begin - 9);
    if (count.size() != 1 || count[0] < '2' || count[0] > '4') return;
    std::string types = text(result);
    for (char i = '1'; i < count[0]; ++i) types += ", " + text(result);
    replace(group(false), result.span, "(" + types + ")", "declare all of them");
  }

  /// `-> None` of a function that returns a tensor.
  void declaredInsteadOfNone(const ast::Expr &result) {
    const std::string shape = shownAfter("returns a tensor `["), scalar = shownAfter("returns a scalar `");
    const size_t dtype = diagnostic_.message.find("]` of ");
    if (!scalar.empty()) replace(group(false), result.span, scalar, "declare what is returned");
    if (shape.empty() || dtype == std::string::npos) return;
    const size_t begin = dtype + 6, end = diagnostic_.message.find(',', begin);
    replace(group(false), result.span,
            "Tensor[" + shape.substr(0, shape.size() - 1) + ", " + diagnostic_.message.substr(begin, end - begin) + "]",
            "declare what is returned");
  }

  void otherShape(const ast::SubscriptExpr &type, const std::string &returned) {
    const auto &items = type.items;
    if (returned.empty()) return replace(group(false), type.span, dtypeText(type), "declare one number");
    const size_t count = extentCount(type);
    if (count == 0) return;
    std::vector<std::string> dims = split(returned);
    Span sizes = extentsSpan(type);
    if (dims.size() == count) {  // where one differs, it alone is the edit
      size_t differing = 0, at = 0;
      for (size_t i = 0; i < dims.size(); ++i)
        if (quotedAs(items[i], dims[i]) != text(items[i].span)) ++differing, at = i;
      if (differing == 1)
        return replace(group(false), items[at].span, quotedAs(items[at], dims[at]), "declare what is returned");
    }
    bool one = false;  // what is missing in the result is an extent of 1, or an operand lacks an axis
    for (size_t i = 0; i < count; ++i) one |= text(items[i].span) == "1";
    if (dims.size() < count && !one) return;
    std::string shown;
    for (size_t i = 0; i < dims.size(); ++i)
      shown += (i ? ", " : "") + quotedAs(items[std::min(i, count - 1)], dims[i]);
    replace(group(false), sizes, shown, "declare what is returned");
  }
  static std::vector<std::string> split(const std::string &list) {
    std::vector<std::string> items(1);
    int depth = 0;
    for (char c : list) {
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (c == ',' && depth == 0) items.emplace_back();
      else if (c != ' ' || !items.back().empty()) items.back() += c;
    }
    return items;
  }
  /// A dimension in the form that the type has: `N * 2` is shown as `2*N`, and names may be in quotes.
  std::string quotedAs(const ast::Argument &like, const std::string &dim) const {
    std::string shown;
    for (size_t i = 0; i < dim.size(); ++i)
      shown += dim[i] == '*' && i > 0 && dim[i - 1] != ' ' ? std::string(" * ") : std::string(1, dim[i]);
    bool name = dim.find_first_not_of("0123456789") != std::string::npos;
    return as<ast::StringExpr>(like.value) && name ? "\"" + shown + "\"" : shown;
  }

  /// `w: Tensor[C, O, 3, 3, f32]`, whose first dimension is that of the result.
  void declaredChannels() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.size() < 2 || !place_.function) return;
    auto *weight = as<ast::NameExpr>(call->arguments[1].value);
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (!weight || p.name.text != weight->name || !type || extentCount(*type) < 3) continue;
      std::string first = text(type->items[0].span), second = text(type->items[1].span);
      if (type->items[1].value->kind == ast::ExprKind::Int) {  // `w: Tensor[16, 1, 3, 3, f32]` of 3 channels
        auto *image = as<ast::NameExpr>(call->arguments[0].value);
        for (const ast::Parameter &q : place_.function->parameters) {
          auto *given = image && q.name.text == image->name ? as<ast::SubscriptExpr>(q.annotation) : nullptr;
          if (given && extentCount(*given) == extentCount(*type))
            replace(group(false), type->items[1].span, text(given->items[1].span));
        }
      }
      replace(group(false), type->items[0].span.to(type->items[1].span), second + ", " + first,
              "the channels of the result come first");
    }
  }

  /// `grad(loss, ...)` of a loss that returns its metrics, too: the first result alone is differentiated.
  void lossWithoutMetrics() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *name = call && !call->arguments.empty() ? as<ast::NameExpr>(call->arguments[0].value) : nullptr;
    if (!name) name = as<ast::NameExpr>(place_.expr());
    for (const ast::StmtPtr &stmt : place_.module->body) {
      auto *def = as<ast::FuncDef>(stmt);
      if (!name || !def || def->name.text != name->name || def->body.empty()) continue;
      auto *last = as<ast::ReturnStmt>(def->body.back());
      const ast::SequenceExpr *values = last ? tupleOf(last->value.get()) : nullptr, *types = tupleOf(def->result.get());
      if (!values || values->items.empty() || (def->result && !types)) return;
      std::vector<std::pair<Span, std::string>> parts = {{last->value->span, text(*values->items[0])}};
      if (types) parts.push_back({def->result->span, text(*types->items[0])});
      replaceAll(group(false), parts, "return the loss alone");
    }
  }

  static const ast::SequenceExpr *tupleOf(const ast::Expr *e) {
    return e && e->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(e) : nullptr;
  }

  /// `return low, high, middle` of a function that declares two results: one more is declared, or the last is left out.
  void fewerResults() {
    auto *declared = place_.function ? tupleOf(place_.function->result.get()) : nullptr;
    auto *returned = tupleOf(place_.expr());
    if (!declared || !returned || declared->items.empty() || returned->items.size() <= declared->items.size()) return;
    const size_t more = returned->items.size() - declared->items.size();
    std::set<std::string> types = {"f32", "i32"};
    for (const ast::ExprPtr &item : declared->items) types.insert(text(*item));
    CandidateGroup &longer = group(true);
    for (const std::string &type : types) {
      std::string added;
      for (size_t i = 0; i < more; ++i) added += ", " + type;
      insert(longer, declared->items.back()->span.end, added, "declare all of them");
    }
    const Span last{returned->span.file, returned->items[declared->items.size() - 1]->span.end,
                    returned->items.back()->span.end};
    replace(group(false), last, "", "return as many as are declared");
  }

  /// `return low`, where two results are declared.
  void oneResult() {
    auto *declared = place_.function ? tupleOf(place_.function->result.get()) : nullptr;
    if (!declared || declared->items.empty() || !place_.expr() || tupleOf(place_.expr())) return;
    CandidateGroup &edits = group(true);
    std::set<std::string> seen;
    for (const ast::ExprPtr &item : declared->items)
      if (seen.insert(text(*item)).second) replace(edits, declared->span, text(*item), "declare the one that is returned");
  }

  /// The name of the dtype in `Tensor[N, f16 @accum(f32)]`, or the whole of `f16`.
  static const ast::NameExpr *dtypeOf(const ast::Expr *type) {
    const ast::NameExpr *found = nullptr;
    auto look = [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      if (name && !found && dtypeByName(name->name)) found = name;
    };
    if (auto *tensor = as<ast::SubscriptExpr>(type); tensor && !tensor->items.empty()) visit(*tensor->items.back().value, look);
    else if (as<ast::NameExpr>(type)) look(*type);
    return found;
  }
  void otherDTypes(const ast::NameExpr *declared) {
    CandidateGroup &edits = group(true);
    const std::string had = diagnostic_.message.substr(0, diagnostic_.message.find(' '));  // "f32 would become bf16"
    const bool said = diagnostic_.id == Id::narrowing && dtypeByName(had);
    for (const std::string &other : said ? std::vector<std::string>{had} : std::vector<std::string>{"f64", "f32", "i64", "i32"})
      if (declared && declared->name != other) replace(edits, declared->span, other, "declare the dtype that is returned");
  }
  /// `return x * 2.0` of f32, where `Tensor[N, f16]` is declared.
  void declaredDType() {
    bool returns = place_.statement && place_.statement->kind == ast::StmtKind::Return;
    if (returns && place_.function) otherDTypes(dtypeOf(place_.function->result.get()));
  }
  /// `cache.append(k, v)`, where `k: Tensor[..., f32]` is declared and a cache of bf16.
  void declaredByParameter() {
    auto *given = as<ast::NameExpr>(place_.expr());
    if (!given || !place_.function) return;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *declared = p.name.text == given->name ? dtypeOf(p.annotation.get()) : nullptr;
      CandidateGroup &edits = group(true);
      for (const std::string &other : declaredDTypes(true))
        if (declared && declared->name != other) replace(edits, declared->span, other, "declare the dtype that is needed");
    }
  }

  /// `cross_entropy(logits, labels)` of labels that are declared as floats, and what is declared as integers for floats.
  void declaredIntegers() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || (diagnostic_.id == Id::factRefuted && diagnostic_.message.find(".dtype") == std::string::npos)) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : call->arguments) {
      const ast::SubscriptExpr *type = tensorTypeOf(arg.value.get());
      if (!type) continue;
      auto known = dtypeByName(dtypeText(*type));
      const std::string other = known && isInt(*known) ? "f32" : "i32";
      if (extentCount(*type) == type->items.size()) insert(edits, type->items.back().span.end, ", " + other, "declare it as " + other);
      else replace(edits, type->items.back().span, other, "declare it as " + other);
    }
  }

  /// `x @ w` of 128 columns and `w: Tensor[64, 10, f32]`.
  void declaredNumber() {
    std::vector<const ast::Expr *> pair = operandsAt(place_);
    if (pair.size() != 2 || !place_.function) return;
    const std::string &said = diagnostic_.message;
    const size_t first = said.find("multiplied: "), is = said.find(" is not ");
    if (first == std::string::npos || is == std::string::npos) return;
    const std::string left = said.substr(first + 12, is - first - 12), right = said.substr(is + 8);
    auto isNumber = [](const std::string &shown) { return shown.find_first_not_of("0123456789") == std::string::npos; };
    if (!isNumber(left) || !isNumber(right)) return;
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : {pair[1], pair[0]})
      for (const ast::Parameter &p : place_.function->parameters) {
        auto *type = p.name.text == text(*operand) ? as<ast::SubscriptExpr>(p.annotation) : nullptr;
        for (size_t i = 0; type && i < extentCount(*type); ++i) {
          const std::string shown = text(type->items[i].span);
          if (shown == left || shown == right)
            replace(edits, type->items[i].span, shown == left ? right : left, "declare the extent that is needed");
        }
      }
  }

  /// `mse(p, y)` of `p: Tensor[B, D, f32]` and `y: Tensor[B, f32]`: the one with fewer axes is declared as the other.
  void declaredLikeOther() {
    std::vector<const ast::SubscriptExpr *> types;
    for (const ast::Expr *operand : operandsAt(place_))
      for (const ast::Parameter &p : place_.function->parameters)
        if (auto *type = p.name.text == text(*operand) ? as<ast::SubscriptExpr>(p.annotation) : nullptr) types.push_back(type);
    if (types.size() != 2 || extentCount(*types[0]) == extentCount(*types[1]) || extentCount(*types[0]) == 0 ||
        extentCount(*types[1]) == 0)
      return;
    bool first = extentCount(*types[0]) < extentCount(*types[1]);
    replace(group(false), extentsSpan(*types[first ? 0 : 1]), text(extentsSpan(*types[first ? 1 : 0])), "declare it like the other one");
  }

  /// `b: Tensor[H, f32]`, where what it is added to has `4 * H` columns.
  void declaredExtent() {
    constexpr size_t kMost = 16;
    if (!place_.function || place_.inKernel) return;
    std::set<std::string> extents;
    auto add = [&](const ast::ExprPtr &annotation) {
      auto *type = as<ast::SubscriptExpr>(annotation);
      for (size_t i = 0; type && i < extentCount(*type); ++i)
        if (type->items[i].value->kind != ast::ExprKind::String) extents.insert(text(type->items[i].span));
    };
    for (const ast::Parameter &p : place_.function->parameters) add(p.annotation);
    add(place_.function->result);
    if (place_.expr() && place_.expr()->kind == ast::ExprKind::Call) declaredLikeOther();
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_))
      for (const ast::Parameter &p : place_.function->parameters) {
        auto *type = p.name.text == text(*operand) ? as<ast::SubscriptExpr>(p.annotation) : nullptr;
        if (!type || text(*type->object) != "Tensor") continue;
        for (size_t i = 0; i < extentCount(*type); ++i)
          for (const std::string &extent : extents)
            if (extent != text(type->items[i].span) && edits.edits.size() < kMost)
              replace(edits, type->items[i].span, extent, "declare the extent that is needed");
      }
  }

  /// `grad(energy)` of an energy that returns a row of numbers.
  void lossOfRow() {
    auto *name = as<ast::NameExpr>(place_.expr());
    for (const ast::Expr *e : place_.around)
      if (auto *call = as<ast::CallExpr>(e); call && !name && !call->arguments.empty())
        name = as<ast::NameExpr>(call->arguments[0].value);
    if (!name || !place_.module) return;
    for (const ast::StmtPtr &stmt : place_.module->body) {
      auto *def = as<ast::FuncDef>(stmt);
      if (!def || def->name.text != name->name || !def->result || def->body.empty()) continue;
      auto *last = as<ast::ReturnStmt>(def->body.back());
      const ast::SubscriptExpr *row = tensorType(def->result.get());
      if (!last || !last->value || !row) continue;
      const Span between{def->span.file, def->result->span.end, last->value->span.begin};
      replace(group(false), def->result->span.to(last->value->span),
              dtypeText(*row).substr(0, dtypeText(*row).find(' ')) + text(between) + "sum(" + text(*last->value) + ")", "return one number");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfSignatures(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources) {
  return DeclarationEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
