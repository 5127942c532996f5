// Small edits of what calls and types are given: dtypes, numbers, sizes, options.
#include "sema/advice/EditWriter.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/SmallEdits.h"
#include "support/DType.h"
#include <map>
#include <set>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class SmallValueEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::badOperand: numberInQuotes(); break;
    case Id::badConstant: otherShift(); break;
    case Id::badKernelOption: nearKeyword({"grid", "group", "lanes"}); break;
    case Id::badSchedule: blockByName(), numberInstead("64", "32"); break;
    case Id::notConstant: namedAxis(); break;
    case Id::wrongArgument:
      largerOfTwo(), quotedDType(), tupleOfSizes(), numberInQuotes(), wholeDivision(), bitsOfDType(), rangeFrom(), storedByIndex();
      break;
    case Id::tooManyArguments: tupleOfSizes(), countsFromZero(), storedByIndex(); break;
    case Id::notAType: tensorType(); break;
    case Id::unknownPolicy:
      nearKeyword({"storage", "compute", "accumulate", "rounding", "round_at", "saturate", "denormals", "loss_scale", "fast_sums"}),
          longerWord();
      break;
    case Id::policyConflict: otherAccumulator(); break;
    case Id::narrowing: valuesOfPlaces(), dtypeOfMade(); break;
    case Id::dtypeMismatch: dtypeOfMade(); break;
    case Id::literalRange: infinity(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `axis="M"`
  void namedAxis() {
    const ast::Expr *e = place_.expr();
    if (!e || (e->kind != ast::ExprKind::String && e->kind != ast::ExprKind::Name && e->kind != ast::ExprKind::Call))
      return;
    const ast::Expr *axis = e;
    if (auto *call = as<ast::CallExpr>(e)) {
      axis = nullptr;
      for (const ast::Argument &arg : call->arguments)
        if (arg.keyword && arg.keyword->text == "axis") axis = arg.value.get();
    }
    if (!axis) return;
    if (axis->kind == ast::ExprKind::Name) {  // `sum(x, x)` is another mistake
      auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
      const ast::Argument *given = call ? keyword(*call, "axis") : nullptr;
      const std::string name = text(*axis);
      if (!(given && given->value.get() == axis) && !(name[0] >= 'A' && name[0] <= 'Z')) return;
    }
    CandidateGroup &edits = group(true);
    for (int number = 0; number < 4; ++number) replace(edits, axis->span, std::to_string(number));
  }

  /// `max(x, y)` and `tile.max(x, y)` of tensors; the message may be about an argument that is a call itself.
  void largerOfTwo() {
    std::vector<std::pair<Span, std::string>> parts;
    if (!place_.around.empty() && !place_.inKernel)
      visit(*place_.around.back(), [&](const ast::Expr &part) {
        auto *call = as<ast::CallExpr>(&part);
        auto *name = call && call->arguments.size() == 2 ? as<ast::NameExpr>(call->callee) : nullptr;
        if (name && (name->name == "max" || name->name == "min") && !call->arguments[1].keyword)
          parts.push_back({name->span, name->name == "max" ? "maximum" : "minimum"});
      });
    if (parts.size() > 1) replaceAll(group(false), parts, "compare element by element");
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || call->arguments.size() != 2 || (nameOf(*call) != "max" && nameOf(*call) != "min")) continue;
      auto *member = as<ast::AttributeExpr>(call->callee);
      auto *owner = member ? as<ast::NameExpr>(member->object) : nullptr;
      if (member && (!owner || owner->name != "tile")) continue;
      Span name = member ? member->attribute.span : call->callee->span;
      return replace(group(false), name, nameOf(*call) == "max" ? "maximum" : "minimum");
    }
  }

  /// `arange(0, N)`, `arange(a, N)`
  void rangeFrom() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "arange" || call->arguments.size() != 2 || call->arguments[1].keyword) return;
    std::string from = text(call->arguments[0].span), to = text(call->arguments[1].span);
    Span both = call->arguments[0].span.to(call->arguments[1].span);
    if (from == "0") return replace(group(false), both, to, "it counts from 0");
    const ast::Expr &first = *call->arguments[0].value;
    bool plain = first.kind == ast::ExprKind::Name || first.kind == ast::ExprKind::Int;
    std::string start = plain ? from : "(" + from + ")", more = " + " + start, count = to + " - " + start;
    bool sum = to.size() > more.size() && to.compare(to.size() - more.size(), more.size(), more) == 0;
    if (sum) count = to.substr(0, to.size() - more.size());  // `arange(1, N + 1)`
    const bool numbers = first.kind == ast::ExprKind::Int && call->arguments[1].value->kind == ast::ExprKind::Int;
    const std::string moved = numbers ? countedHere(writtenArguments(*call)) : "arange(" + count + ")" + more;
    if (!moved.empty()) replace(group(false), call->span, inPlaceOf(*call, moved));
  }

  /// `arange(0, N, f32)`
  void countsFromZero() {
    auto *call = place_.innermost<ast::CallExpr>();
    for (const ast::Expr *e : place_.around)
      if (auto *around = as<ast::CallExpr>(e); around && nameOf(*around) == "arange") call = around;
    if (call && nameOf(*call) == "arange" && call->arguments.size() > 1 && text(call->arguments[0].span) == "0")
      replace(group(false), {call->span.file, call->arguments[0].span.begin, call->arguments[1].span.begin}, "",
              "it counts from 0");
  }

  /// `tile.store(y, i, v)`
  void storedByIndex() {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || nameOf(*call) != "store" || call->arguments.size() != 3 || !place_.inKernel) continue;
      replace(group(false), call->span,
              text(call->arguments[0].span) + "[" + text(call->arguments[1].span) +
                  "] = " + text(call->arguments[2].span),
              "store it by its index");
    }
  }

  void quotedDType() {
    auto *string = as<ast::StringExpr>(place_.expr());
    if (string && dtypeByName(string->value)) replace(group(false), string->span, string->value);
  }

  /// `[N, f32]` and `Tensor[N]`
  void tensorType() {
    const ast::Expr *e = place_.expr();
    if (e && e->kind == ast::ExprKind::List) return insert(group(false), e->span.begin, "Tensor");
    auto *type = as<ast::SubscriptExpr>(e);
    if (type && (text(*type->object) == "tensor" || text(*type->object) == "TENSOR"))
      return replace(group(false), type->object->span, "Tensor");
    if (type && !type->items.empty() && as<ast::NameExpr>(type->object) && dtypeByName(text(*type->object)))  // `f32[N, M]`
      return replace(group(false), type->span, "Tensor[" + text(type->items.front().span.to(type->items.back().span)) + ", " + text(*type->object) + "]");
    if (!type || !as<ast::NameExpr>(type->object) || text(*type->object) != "Tensor" || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const std::string &dtype : declaredDTypes(true)) insert(edits, type->span.end - 1, ", " + dtype);
  }

  /// `zeros((N,))` and `arange(N)` are f32 and i32.
  void dtypeOfMade() {
    static const std::set<std::string> made = {"zeros", "ones", "arange", "full"};
    const ast::Expr *e = place_.expr();
    if (!e || !place_.function) return;
    const std::set<std::string> dtypes = declaredDTypes(false);
    CandidateGroup &edits = group(true);
    visit(*e, [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || !made.count(nameOf(*call))) return;
      if (call->arguments.size() != (nameOf(*call) == "full" ? 2u : 1u)) return;
      for (const std::string &dtype : dtypes) insert(edits, call->span.end - 1, ", " + dtype, "make it of " + dtype);
    });
  }

  /// `return argsort(x)`, where values are declared.
  void valuesOfPlaces() {
    static const std::map<std::string, std::string> values = {{"argsort", "sort"}};
    auto *call = as<ast::CallExpr>(place_.expr());
    if (call && nameOf(*call) == "cast" && !call->arguments.empty()) {  // `cast(x, f16)`, where bf16 is declared
      const ast::Argument &dtype = call->arguments.back();
      CandidateGroup &edits = group(true);
      for (const std::string &other : declaredDTypes(true))
        if (other != text(dtype.span)) replace(edits, dtype.span, other, "convert it to what is declared");
    }
    auto it = call ? values.find(nameOf(*call)) : values.end();
    if (it == values.end() || (place_.statement && place_.statement->kind != ast::StmtKind::Return)) return;
    auto *member = as<ast::AttributeExpr>(call->callee);
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, member ? member->attribute.span : call->callee->span, it->second,
            "take the values, not their places");
  }

  /// `-1e9` as the score of what is masked, in a dtype that has no such number.
  void infinity() {
    const ast::Expr *e = place_.expr();
    if (!e) return;
    CandidateGroup &edits = group(true);
    visit(*e, [&](const ast::Expr &part) {
      auto *unary = as<ast::UnaryExpr>(&part);
      auto *number = unary ? as<ast::FloatExpr>(unary->operand) : nullptr;
      if (number && number->value >= 1e4) replace(edits, unary->span, "-INF");
    });
  }

  /// `x > "0"`
  void numberInQuotes() {
    CandidateGroup &edits = group(true);
    std::vector<const ast::Expr *> parts = operandsAt(place_);
    if (auto *compare = as<ast::CompareExpr>(place_.expr()))
      for (const ast::ExprPtr &operand : compare->operands) parts.push_back(operand.get());
    parts.push_back(place_.expr());
    std::set<uint32_t> seen;
    for (const ast::Expr *part : parts) {
      auto *string = as<ast::StringExpr>(part);
      bool number =
          string && !string->value.empty() && string->value.find_first_not_of("0123456789.") == std::string::npos;
      if (number && seen.insert(string->span.begin).second) replace(edits, string->span, string->value);
    }
  }

  /// `x << -4`
  void otherShift() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    auto *minus = binary ? as<ast::UnaryExpr>(binary->right) : nullptr;
    bool left = binary && binary->op == ast::BinaryOp::LeftShift;
    if (!minus || (!left && binary->op != ast::BinaryOp::RightShift)) return;
    replace(group(false), binary->opSpan.to(minus->span), std::string(left ? ">> " : "<< ") + text(*minus->operand));
  }

  /// `gird=(1,)`
  void nearKeyword(const std::vector<std::string_view> &known) {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call) return;
    for (const ast::Argument &arg : call->arguments) {
      bool here = arg.span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= arg.span.end;
      if (!here || !arg.keyword) continue;
      auto near = diag::didYouMean(arg.keyword->text, known);
      std::string_view ours = optionHere(arg.keyword->text);
      if (std::find(known.begin(), known.end(), ours) != known.end()) near = ours;
      if (!near.empty() && near != arg.keyword->text) replace(group(false), arg.keyword->span, std::string(near));
    }
  }

  /// `Schedule(128, 128)`
  void blockByName() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.empty()) return;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword) return;
    Span all = call->arguments.front().span.to(call->arguments.back().span);
    replace(group(false), all, "block=(" + text(all) + (call->arguments.size() == 1 ? ",)" : ")"));
  }

  void numberInstead(const std::string &from, const std::string &by) {
    std::string shown = text(diagnostic_.span);
    if (shown.size() < from.size() || shown.substr(shown.size() - from.size()) != from) return;
    uint32_t end = diagnostic_.span.end;
    replace(group(false), {diagnostic_.span.file, end - static_cast<uint32_t>(from.size()), end}, by);
  }

  /// `zeros(N, M)`, `rng.normal(N, M)`
  void tupleOfSizes() {
    static const std::set<std::string> made = {"zeros", "ones", "full", "normal", "uniform"};
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !made.count(nameOf(*call))) return;
    std::vector<const ast::Argument *> sizes;
    for (const ast::Argument &arg : call->arguments) {
      auto *name = as<ast::NameExpr>(arg.value);
      if (!arg.keyword && !(name && dtypeByName(name->name))) sizes.push_back(&arg);
    }
    if (sizes.size() < 2) return;
    Span all = sizes.front()->span.to(sizes.back()->span);
    replace(group(false), all, "(" + text(all) + ")", "the shape is one argument");
  }

  /// `x[:N / 2]`
  void wholeDivision() {
    const ast::Expr *e = place_.expr();
    auto *slice = as<ast::SliceExpr>(e);
    for (const ast::Expr *part :
         std::vector<const ast::Expr *>{e, slice ? slice->start.get() : nullptr, slice ? slice->stop.get() : nullptr})
      if (auto *binary = as<ast::BinaryExpr>(part); binary && binary->op == ast::BinaryOp::Div)
        return replace(group(false), binary->opSpan, "//", "divide and round down");
    const ast::BinaryExpr *division = nullptr;  // `x[:, S / 2 - 1]`: the only one
    size_t divisions = 0;
    if (e)
      visit(*e, [&](const ast::Expr &part) {
        auto *binary = as<ast::BinaryExpr>(&part);
        if (binary && binary->op == ast::BinaryOp::Div) division = binary, ++divisions;
      });
    if (divisions == 1) return replace(group(false), division->opSpan, "//", "divide and round down");
    const diag::Note *only = nullptr;  // of the divisions that made the names float (noteOrigins)
    for (const diag::Note &note : diagnostic_.notes) {
      if (!note.span.valid() || note.text.rfind("`/` makes", 0) != 0) continue;
      if (only) return;
      only = &note;
    }
    size_t sign = only ? text(only->span).rfind('/') : std::string::npos;
    if (sign == std::string::npos) return;
    uint32_t at = only->span.begin + static_cast<uint32_t>(sign);
    replace(group(false), {only->span.file, at, at + 1}, "//", "divide and round down");
  }

  /// `accumulate=32`
  void bitsOfDType() {
    auto *number = as<ast::IntExpr>(place_.expr());
    if (number && dtypeByName("f" + number->text)) replace(group(false), number->span, "f" + number->text);
  }

  /// `@round(nearest)`
  void longerWord() {
    static constexpr std::string_view words[] = {"nearest_even", "toward_zero", "each_op"};
    const ast::Expr *e = place_.expr();
    if (!e) return;
    CandidateGroup &edits = group(true);
    visit(*e, [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      for (std::string_view word : words)
        if (name && name->name.size() > 3 && name->name != word && word.substr(0, name->name.size()) == name->name)
          replace(edits, name->span, std::string(word));
    });
  }

  /// `@accum(f16)`, `Policy(accumulate=bf16)`
  void otherAccumulator() {
    const ast::Expr *e = place_.around.empty() ? nullptr : place_.around.back();
    if (!e) return;
    const std::vector<std::string> choices[] = {{"f32", "i32"}, {"f64", "i64"}};
    for (const std::vector<std::string> &dtypes : choices) accumulators(*e, dtypes, group(true));
  }
  void accumulators(const ast::Expr &e, const std::vector<std::string> &dtypes, CandidateGroup &edits) {
    visit(e, [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call) return;
      for (const ast::Argument &arg : call->arguments) {
        bool accumulate = arg.keyword ? arg.keyword->text == "accumulate" : nameOf(*call) == "accum";
        if (!accumulate || !as<ast::NameExpr>(arg.value)) continue;
        for (const std::string &dtype : dtypes)
          if (text(*arg.value) != dtype) replace(edits, arg.value->span, dtype);
      }
    });
  }
};

}  // namespace

std::vector<CandidateGroup> smallEditsOfValues(const diag::Diagnostic &diagnostic, const Place &place,
                                               const Sources &sources) {
  return SmallValueEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
