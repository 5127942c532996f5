// Edits for calls whose arguments follow NumPy, PyTorch or JAX: other keywords, values that stand for another argument.
#include "sema/Builtins.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include "sema/advice/SmallEdits.h"
#include <charconv>
#include <optional>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ForeignCallEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::unknownKeyword: storedOutside(), keywordsTogether(), countedInSteps(); break;
    case Id::tooManyArguments: countedInSteps(); break;
    case Id::channelMismatch: groupsOfChannels(); break;
    case Id::factRefuted: pairForEachAxis(); break;
    case Id::undefinedName: eachChannelAlone(), valuesAndPlaces(); break;
    case Id::unknownAttribute: methodAsFunction(), matrixTurned(), numberOfElements(), valuesAlone(); break;
    case Id::unpackCount: valuesAndPlaces(); break;
    case Id::wrongResult:
    case Id::outOfBounds:
    case Id::rankMismatch: valuesAlone(); break;
    default: break;
    }
    return taken();
  }

private:
  /// The innermost call whose arguments the message is about.
  const ast::CallExpr *callOfArgument() const {
    for (const ast::Expr *e : place_.around)
      if (auto *call = as<ast::CallExpr>(e); call && call->span != diagnostic_.span) return call;
    return place_.innermost<ast::CallExpr>();
  }

  /// `clip(x, min=0.0, max=1.0)`, `searchsorted(a, v, side="right")`: all keywords of others in one edit.
  void keywordsTogether() {
    const ast::CallExpr *call = callOfArgument();
    if (!call) return;
    CandidateGroup &edits = group(false);
    constexpr size_t kMostChoices = 8;
    for (size_t choice = 0; choice < kMostChoices; ++choice) {
      size_t rest = choice;
      std::vector<std::pair<Span, std::string>> parts = partsOf(*call, rest);
      if (rest > 0) return;
      const bool several = parts.size() > 1;
      if (parts.empty() || (!several && parts.front().first == diagnostic_.span)) continue;
      replaceAll(edits, parts, several                          ? "write the arguments as they are called here"
                               : parts.front().second.empty() ? "it is so without it"
                                                              : "write `" + parts.front().second + "`");
    }
  }
  /// What each keyword of others is written as: `choice` says which of several names, and is 0 then if there are so many.
  std::vector<std::pair<Span, std::string>> partsOf(const ast::CallExpr &call, size_t &choice) const {
    std::vector<std::pair<Span, std::string>> parts;
    for (size_t i = 1; i < call.arguments.size(); ++i) {
      const ast::Argument &argument = call.arguments[i];
      if (!argument.keyword) continue;
      const std::string &keyword = argument.keyword->text, value = text(*argument.value);
      std::vector<std::string_view> names = argumentsHere(keyword);
      if (std::string_view ours = argumentWithValue(keyword, value); !ours.empty())
        parts.push_back({argument.span, std::string(ours)});
      else if (saysNothing(nameOf(call), keyword, value) || !keywordInstead(keyword).empty())
        parts.push_back({{argument.span.file, call.arguments[i - 1].span.end, argument.span.end}, ""});
      else if (!names.empty()) {
        if (argument.keyword->span != diagnostic_.span) names.push_back(keyword);  // it may be called so here, too
        if (std::string_view name = names[choice % names.size()]; name != keyword)
          parts.push_back({argument.keyword->span, std::string(name)});
        choice /= names.size();
      }
    }
    return parts;
  }

  /// `tile.store(y[offsets], v, mask=offsets < n)`: a mask of what lies inside of the tensor says what is so without it.
  void storedOutside() {
    const ast::CallExpr *call = callOfArgument();
    if (!call || nameOf(*call) != "store" || !place_.inKernel || call->arguments.size() < 2) return;
    const ast::Argument &last = call->arguments.back();
    if (!last.keyword || last.keyword->text != "mask" || !isBelow(*last.value)) return;
    const uint32_t from = call->arguments[call->arguments.size() - 2].span.end;
    replace(group(false), {call->span.file, from, last.span.end}, "", "what lies outside of the tensor is never written");
  }
  /// `i < n`, and several of them joined by `&`.
  bool isBelow(const ast::Expr &mask) const {
    auto *name = as<ast::NameExpr>(&mask);
    const ast::Expr *value = name ? place_.valueOf(name->name) : &mask;
    if (auto *both = as<ast::BinaryExpr>(value)) return both->op == ast::BinaryOp::BitAnd && isBelow(*both->left) && isBelow(*both->right);
    auto *compare = as<ast::CompareExpr>(value);
    return compare && compare->ops.size() == 1 && compare->ops[0] == ast::CompareOp::Lt;
  }

  /// `arange(0, 10, 2)`
  void countedInSteps() {
    const ast::CallExpr *call = callOfArgument();
    if (!call || nameOf(*call) != "arange" || call->callee->kind != ast::ExprKind::Name) return;
    const std::string counted = countedHere(writtenArguments(*call));
    if (counted.empty()) return;
    replace(group(false), call->span, inPlaceOf(*call, counted), "it counts from 0, in steps of 1");
  }

  /// `conv2d(x, w)` of 8 channels and filters `[8, 1, 3, 3]`
  void groupsOfChannels() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || keyword(*call, "groups")) return;
    auto numberBehind = [&](std::string_view words) -> std::optional<int64_t> {
      size_t at = diagnostic_.message.find(words);
      if (at == std::string::npos) return std::nullopt;
      int64_t number = 0;
      const char *begin = diagnostic_.message.data() + at + words.size(),
                 *end = diagnostic_.message.data() + diagnostic_.message.size();
      auto [rest, error] = std::from_chars(begin, end, number);
      bool whole = error == std::errc() && (rest == end || *rest == ' ');
      return whole ? std::optional(number) : std::nullopt;
    };
    auto channels = numberBehind(" is given "), taken = numberBehind(" weights take ");
    if (!channels || !taken || *taken == 0 || *channels % *taken != 0 || *channels <= *taken) return;
    const std::string groups = std::to_string(*channels / *taken);
    insert(group(false), call->arguments.back().span.end, ", groups=" + groups,
           *taken == 1 ? "go over each channel alone" : "divide the channels into groups");
  }

  /// `depthwise_conv2d(x, w)`, where the channels of x are a number or a dimension.
  void eachChannelAlone() {
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    const std::string name = text(diagnostic_.span);
    const bool one = name.find("1d") != std::string::npos;
    if (!call || call->callee.get() != place_.expr() || call->arguments.empty()) return;
    if (name.find("depthwise") == std::string::npos || name.find("conv") == std::string::npos) return;
    const ast::SubscriptExpr *type = tensorTypeOf(call->arguments[0].value.get());
    if (!type || extentCount(*type) < 3) return;
    const ast::ExprKind kind = type->items[1].value->kind;
    if (kind != ast::ExprKind::Int && kind != ast::ExprKind::Name) return;
    replaceAll(group(false),
               {{call->callee->span, one ? "conv1d" : "conv2d"},
                {{call->span.file, call->span.end - 1, call->span.end - 1}, ", groups=" + text(type->items[1].span)}},
               "go over each channel alone");
  }

  /// `x.masked_fill_(mask, 0.0)`, `x.softmax(dim=1)`: what is a method elsewhere and a function here.
  void methodAsFunction() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method || method->attribute.span != diagnostic_.span || place_.inKernel) return;
    std::string name = method->attribute.text;
    if (name.size() > 1 && name.back() == '_') name.pop_back();  // in place
    for (const ast::Argument &argument : call->arguments)
      if (argument.stars) return;
    std::vector<WrittenArgument> arguments = writtenArguments(*call);
    arguments.insert(arguments.begin(), {"", text(*method->object), asPrimary(*method->object) == text(*method->object)});
    if (name == "where" && arguments.size() == 3) std::swap(arguments[0], arguments[1]);
    const bool alone = place_.statement && place_.statement->kind == ast::StmtKind::Expr && call == place_.around.back();
    const std::string kept = alone && method->object->kind == ast::ExprKind::Name ? text(*method->object) + " = " : "";
    const std::string_view named = nameHere(name), ours = named.empty() ? std::string_view(name) : named;
    const bool isMethod = builtinByName(ours, 'M') && !alone;  // then another name is enough
    CandidateGroup &edits = group(false);
    if (!isMethod && !alone && !named.empty()) replace(edits, method->attribute.span, std::string(named));
    for (const std::string &whole : callsHere(name, arguments))
      if (!isMethod || !whole.starts_with(std::string(ours) + "("))
        replace(edits, call->span, kept + inPlaceOf(*call, whole));
  }

  /// Whether a call gives values with their places in PyTorch, and the values alone here.
  static bool givesPairs(const ast::CallExpr &call) {
    static const std::set<std::string> names = {"max", "min", "sort", "cummax", "cummin"};
    return names.count(nameOf(call)) != 0 && !call.arguments.empty();
  }
  /// `values, places = torch.max(x, dim=1)`
  void valuesAndPlaces() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
    auto *names = assign && assign->targets.size() == 1 && assign->targets[0]->kind == ast::ExprKind::Tuple
                      ? static_cast<const ast::SequenceExpr *>(assign->targets[0].get())
                      : nullptr;
    if (!call || !names || names->items.size() != 2 || !givesPairs(*call) || place_.inKernel) return;
    auto *method = as<ast::AttributeExpr>(call->callee);
    std::vector<WrittenArgument> arguments = writtenArguments(*call);
    if (method && diagnostic_.id == Id::unpackCount)
      arguments.insert(arguments.begin(), {"", text(*method->object), asPrimary(*method->object) == text(*method->object)});
    const std::string name = nameOf(*call);
    CandidateGroup &edits = group(false);
    std::vector<std::string> values = callsHere(name, arguments), places = callsHere("arg" + name, arguments);
    for (size_t i = 0; i < values.size() && i < places.size(); ++i)
      replace(edits, call->span, values[i] + ", " + places[i], "the values, and where they lie");
  }
  /// `x.max(axis=1)[0]`, `x.max(axis=1).values`
  void valuesAlone() {
    for (const ast::Expr *e : place_.around) {
      auto *element = as<ast::SubscriptExpr>(e);
      auto *member = as<ast::AttributeExpr>(e);
      const ast::Expr *object = element ? element->object.get() : member ? member->object.get() : nullptr;
      auto *call = as<ast::CallExpr>(object);
      const bool first = element && element->items.size() == 1 && text(element->items[0].span) == "0";
      if (!call || !givesPairs(*call) || (!first && !(member && member->attribute.text == "values"))) continue;
      replace(group(false), {e->span.file, call->span.end, e->span.end}, "", "`" + nameOf(*call) + "` gives the values alone");
    }
  }

  /// `k.mT`
  void matrixTurned() {
    auto *member = place_.innermost<ast::AttributeExpr>();
    if (member && (member->attribute.text == "mT" || member->attribute.text == "mH"))
      replace(group(false), member->span, "transpose(" + text(*member->object) + ", -2, -1)", "turn the last two axes around");
  }

  /// `x.numel()`
  void numberOfElements() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    const ast::SubscriptExpr *type = method ? tensorTypeOf(method->object.get()) : nullptr;
    if (!type || !call->arguments.empty() || (method->attribute.text != "numel" && method->attribute.text != "nelement"))
      return;
    std::string product;
    for (size_t axis = 0; axis < extentCount(*type); ++axis)
      product += (axis == 0 ? "" : " * ") + text(*method->object) + ".shape[" + std::to_string(axis) + "]";
    replace(group(false), call->span, inPlaceOf(*call, product));
  }

  /// `pad(x, (1, 2))` of a matrix, as PyTorch has it, the last axis first, or as NumPy has it.
  void pairForEachAxis() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "pad") return;
    if (const ast::Argument *mode = keyword(*call, "mode"))
      if (std::string_view ours = argumentWithValue("mode", text(*mode->value)); !ours.empty())
        replace(group(false), mode->span, std::string(ours));
    const ast::SequenceExpr *widths = nullptr;
    for (const ast::Argument &argument : call->arguments) {
      auto kind = argument.value->kind;
      if (!widths && (kind == ast::ExprKind::Tuple || kind == ast::ExprKind::List))
        widths = static_cast<const ast::SequenceExpr *>(argument.value.get());
    }
    if (!widths || widths->items.empty() || widths->items.size() % 2 != 0) return;
    constexpr size_t kMostAxes = 5;
    CandidateGroup &edits = group(true);
    for (size_t rank = widths->items.size() / 2; rank <= kMostAxes; ++rank) {
      std::string lastFirst, same;
      for (size_t axis = rank; axis-- > 0;) {
        const bool given = 2 * axis + 1 < widths->items.size();
        const std::string before = given ? text(*widths->items[2 * axis]) : "0",
                          after = given ? text(*widths->items[2 * axis + 1]) : "0";
        lastFirst += (lastFirst.empty() ? "(" : ", (") + before + ", " + after + ")";
        same += (same.empty() ? "" : ", ") + text(*widths);
      }
      const std::string end = rank == 1 ? ",)" : ")";
      replace(edits, widths->span, "(" + lastFirst + end, "give a pair for each axis, the first one first");
      if (widths->items.size() == 2)
        replace(edits, widths->span, "(" + same + end, "give a pair for each axis, the same one");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> foreignCalls(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return ForeignCallEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
