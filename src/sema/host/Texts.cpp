// Texts in host code: their characters and parts, how many they have, and what numbers they show. A character is a byte.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "support/HostParts.h"
#include "tessera/host/texts.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace tessera::sema {

using ast::as;

constexpr int64_t kLongText = 4096;  // a longer one is made when the program runs

static ExprPtr textArgument(const Value &text, Span span) { return text.expr ? clone(*text.expr) : textExpr(text.text, span); }

Value hostTextCall(Context &cx, std::string_view name, const Value &text, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(textArgument(text, span));
  return hostCall(cx, name, std::move(args), span);
}

/// `text[::-1]`.
static std::optional<Value> turnedText(Context &cx, const Value &text, const ast::SliceExpr &slice, Span span) {
  const Value step = checkExpr(cx, *slice.step);
  if (slice.start || slice.stop || !step.isKnownInt() || step.sym.constant() != -1) return std::nullopt;
  if (!text.expr) return Value::string(tsr::host::text_turned(text.text));
  return inHost(cx) ? std::optional(hostTextCall(cx, "text_turned", text, span)) : std::nullopt;
}

bool countsTexts(const Value &times) {
  if (times.kind == ValueKind::HostTensor) return times.rank == 0 && times.madeOf && isInt(*times.madeOf);
  return times.kind == ValueKind::Int || (times.isScalar() && isInt(times.type.dtype));
}

Value repeatedText(Context &cx, const Value &text, const Value &times, Span span) {
  if (!text.expr && times.isKnownInt() && times.sym.constant() * static_cast<int64_t>(text.text.size()) < kLongText)
    return Value::string(tsr::host::text_times(text.text, times.sym.constant()));
  if (!inHost(cx)) return unsupported(cx, "a text as often as run time says", span);
  std::vector<ExprPtr> args;
  args.push_back(textArgument(text, span));
  args.push_back(indexExpr(cx, times, span));
  return hostCall(cx, "text_times", std::move(args), span);
}

/// `text[a:b]`, of known ends or in host code by run time.
static std::optional<Value> partOfText(Context &cx, const Value &text, const ast::SliceExpr &slice, Span span) {
  if (slice.step) return turnedText(cx, text, slice, span);
  auto end = [&](const ast::Expr *written, int64_t otherwise) { return written ? convertInt(cx, checkExpr(cx, *written), written->span) : Value::integer(Dim(otherwise)); };
  const Value from = end(slice.start.get(), 0), to = end(slice.stop.get(), kPartToEnd);
  if (from.isPoison() || to.isPoison()) return Value::poison();
  if (!text.expr && from.isKnownInt() && to.isKnownInt()) {
    const auto size = static_cast<int64_t>(text.text.size());
    auto within = [&](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size); };
    const int64_t begin = within(from.sym.constant()), stop = std::max(begin, within(to.sym.constant()));
    return Value::string(text.text.substr(static_cast<size_t>(begin), static_cast<size_t>(stop - begin)));
  }
  if (!inHost(cx)) return std::nullopt;
  std::vector<ExprPtr> args;
  args.push_back(textArgument(text, span));
  for (const Value *index : {&from, &to}) args.push_back(indexExpr(cx, *index, span));
  return hostCall(cx, "text_part", std::move(args), span);
}

Value characterAt(Context &cx, const Value &text, const Value &index, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(textArgument(text, span));
  args.push_back(indexExpr(cx, index, span));
  return hostCall(cx, "character", std::move(args), span);
}

Value numberOfText(Context &cx, const Value &text, bool whole, Span span) {
  const char *function = whole ? "int" : "float";
  if (!text.expr) {
    const char *begin = text.text.c_str();
    char *end = nullptr;
    errno = 0;
    const int64_t integer = whole ? std::strtoll(begin, &end, 10) : 0;
    const double real = whole ? 0 : std::strtod(begin, &end);
    if (end != begin && !*end && errno == 0) return whole ? Value::integer(Dim(integer)) : Value::real(real);
    report(cx, Id::badOperand, span, function, describe(cx, text)).label("this text shows no number");
    return Value::poison();
  }
  if (inHost(cx)) return hostTextCall(cx, whole ? "whole_of_text" : "real_of_text", text, span);
  report(cx, Id::badOperand, span, function, describe(cx, text));
  return Value::poison();
}

namespace {
/// Methods of texts that give a text, a number or a truth value, by what the host runtime calls them.
struct TextMethod {
  std::string_view name, function;
  size_t arguments;
};
constexpr TextMethod kTextMethods[] = {{"lower", "text_lower", 0},     {"upper", "text_upper", 0}, {"strip", "text_strip", 0}, {"startswith", "text_starts", 1},
                                       {"lstrip", "text_lstrip", 0},    {"rstrip", "text_rstrip", 0}, {"isdigit", "text_digits", 0}, {"isalpha", "text_letters", 0},
                                       {"isspace", "text_blank", 0}, {"isalnum", "text_words", 0}, {"title", "text_title", 0}, {"capitalize", "text_capital", 0}, {"rfind", "text_rfind", 1}, {"count", "text_count", 1},   {"endswith", "text_ends", 1}, {"find", "text_find", 1},   {"replace", "text_replace", 2}};
}  // namespace

std::vector<std::string> methodsOfTexts() {
  std::vector<std::string> names = {"join", "split", "splitlines"};
  for (const TextMethod &method : kTextMethods) names.emplace_back(method.name);
  for (const char *method : {"ljust", "rjust", "center", "zfill"}) names.emplace_back(method);
  return names;
}

/// `text.lower()`, `text.replace(a, b)`: of known texts the compiler's, else of run time.
static Value ofText(Context &cx, const Value &text, const TextMethod &method, const GivenList &args, Span span) {
  std::vector<Value> all = {text};
  for (const Given &arg : args) {
    if (arg.value.isPoison()) return arg.value;
    if (arg.value.kind != ValueKind::String) {
      report(cx, Id::wrongArgument, arg.span, quoted(std::string(method.name)), "a text", describe(cx, arg.value));
      return Value::poison();
    }
    all.push_back(arg.value);
  }
  if (args.size() != method.arguments) {
    report(cx, Id::tooManyArguments, span, std::string(method.name), diag::counted(method.arguments, "argument"), std::to_string(args.size()));
    return Value::poison();
  }
  const bool known = std::none_of(all.begin(), all.end(), [](const Value &one) { return one.expr != nullptr; });
  if (!known && !inHost(cx)) return unsupported(cx, "`" + std::string(method.name) + "` of a text that only run time knows", span);
  if (!known) {
    std::vector<ExprPtr> given;
    for (const Value &one : all) given.push_back(textArgument(one, span));
    return hostCall(cx, method.function, std::move(given), span);
  }
  using namespace tsr::host;
  const std::string &whole = text.text;
  if (method.name == "lower") return Value::string(text_lower(whole));
  if (method.name == "upper") return Value::string(text_upper(whole));
  if (method.name == "strip") return Value::string(text_strip(whole));
  if (method.name == "lstrip") return Value::string(text_lstrip(whole));
  if (method.name == "rstrip") return Value::string(text_rstrip(whole));
  if (method.name == "isdigit") return Value::boolean(text_digits(whole));
  if (method.name == "isalpha") return Value::boolean(text_letters(whole));
  if (method.name == "isspace") return Value::boolean(text_blank(whole));
  if (method.name == "isalnum") return Value::boolean(text_words(whole));
  if (method.name == "title") return Value::string(text_title(whole));
  if (method.name == "capitalize") return Value::string(text_capital(whole));
  if (method.name == "rfind") return Value::integer(Dim(text_rfind(whole, all[1].text)));
  if (method.name == "count") return Value::integer(Dim(text_count(whole, all[1].text)));
  if (method.name == "startswith") return Value::boolean(text_starts(whole, all[1].text));
  if (method.name == "endswith") return Value::boolean(text_ends(whole, all[1].text));
  if (method.name == "find") return Value::integer(Dim(text_find(whole, all[1].text)));
  return Value::string(text_replace(whole, all[1].text, all[2].text));
}

/// `mark.join(texts)`.
static Value joinedText(Context &cx, const Value &mark, const GivenList &args, Span span) {
  const bool one = args.size() == 1 && (args[0].value.isSequence() || args[0].value.kind == ValueKind::HostTensor);
  const Value given = one ? args[0].value : Value::of(ValueKind::Absent);
  if (one && args[0].value.isPoison()) return Value::poison();
  auto isText = [](const Value &v) { return v.kind == ValueKind::String; };
  if (given.isSequence() && !mark.expr && std::all_of(given.items.begin(), given.items.end(), [&](const Value &v) { return isText(v) && !v.expr; })) {
    std::string all;
    for (size_t i = 0; i < given.items.size(); ++i) all += (i > 0 ? mark.text : std::string()) + given.items[i].text;
    return Value::string(std::move(all));
  }
  auto rows = one && inHost(cx) ? asHeldRows(cx, given, span) : std::nullopt;
  if (!rows || (schemaOfRows(*rows) != "t" && schemaOfRows(*rows) != "?")) {
    report(cx, Id::wrongArgument, span, "`join`", "a list of texts", one ? describe(cx, given) : "something else").help("`str(x)` makes a text of a number: `\", \".join([str(x) for x in items])`");
    return Value::poison();
  }
  std::vector<ExprPtr> parts;
  parts.push_back(textArgument(mark, span));
  parts.push_back(takeExpr(*rows));
  return hostCall(cx, "text_joined", std::move(parts), span);
}

/// `text.strip("/")`: without these characters at its ends.
static Value strippedOf(Context &cx, const Value &text, const std::string &name, const Value &characters, Span span) {
  const std::string where = name == "strip" ? "" : name.substr(0, 1);
  if (!text.expr && !characters.expr) return Value::string(tsr::host::text_without(text.text, characters.text, where));
  if (!inHost(cx)) return unsupported(cx, "`" + name + "` of a text that only run time knows", span);
  std::vector<ExprPtr> parts;
  parts.push_back(textArgument(text, span));
  parts.push_back(textArgument(characters, span));
  parts.push_back(textExpr(where, span));
  return hostCall(cx, "text_without", std::move(parts), span);
}

/// `text.splitlines()`; with True the lines keep their ends.
static Value linesOf(Context &cx, const Value &text, const GivenList &args, Span span) {
  const auto keep = args.empty() ? std::optional(false) : knownCondition(args[0].value);
  if (!keep) return unsupported(cx, "`splitlines` with a condition that only run time knows", span);
  Value lines = Value::of(ValueKind::List);
  if (!text.expr) {
    tsr::host::lines_of(text.text, *keep, [&](const std::string &line) { lines.items.push_back(Value::string(line)); });
    return lines;
  }
  if (!inHost(cx)) return unsupported(cx, "`splitlines` of a text that only run time knows", span);
  std::vector<ExprPtr> parts;
  parts.push_back(textArgument(text, span));
  parts.push_back(makeBool(*keep, span));
  return rowsWithSchema(hostCall(cx, "text_lines", std::move(parts), span), "t");
}

/// `text.ljust(8)`, `text.rjust(8, ".")`, `text.center(8)`, `text.zfill(3)`.
static Value paddedText(Context &cx, const Value &text, const std::string &name, const GivenList &args, Span span) {
  const bool zeros = name == "zfill";
  const Value fill = args.size() == 2 ? args[1].value : Value::string(" ");
  for (const Given &arg : args)
    if (arg.value.isPoison()) return arg.value;
  if (args.empty() || args.size() > (zeros ? 1u : 2u) || fill.kind != ValueKind::String || (!fill.expr && fill.text.size() != 1)) {
    report(cx, Id::wrongArgument, span, quoted(name), zeros ? "a width" : "a width, and one character", args.empty() ? "nothing" : describe(cx, args.back().value));
    return Value::poison();
  }
  const Value width = convertInt(cx, args[0].value, args[0].span);
  if (width.isPoison()) return width;
  const std::string side = name.substr(0, 1);
  if (!text.expr && !fill.expr && width.isKnownInt() && width.sym.constant() < kLongText)
    return Value::string(zeros ? tsr::host::text_zfill(text.text, width.sym.constant()) : tsr::host::text_padded(text.text, width.sym.constant(), fill.text, side));
  if (!inHost(cx)) return unsupported(cx, "`" + name + "` of a text that only run time knows", span);
  std::vector<ExprPtr> parts;
  parts.push_back(textArgument(text, span));
  parts.push_back(indexExpr(cx, width, span));
  if (zeros) return hostCall(cx, "text_zfill", std::move(parts), span);
  parts.push_back(textArgument(fill, span));
  parts.push_back(textExpr(side, span));
  return hostCall(cx, "text_padded", std::move(parts), span);
}

Value textHolds(Context &cx, const Value &text, const Value &part, Span span) {
  if (!text.expr && !part.expr) return Value::boolean(text.text.find(part.text) != std::string::npos);
  if (!inHost(cx)) return unsupported(cx, "`in` of a text that only run time knows", span);
  std::vector<ExprPtr> args;
  for (const Value *one : {&text, &part}) args.push_back(textArgument(*one, span));
  return compareValues(cx, ast::CompareOp::Ge, hostCall(cx, "text_find", std::move(args), span), Value::integer(Dim(0)), span);
}

Value textMethod(Context &cx, const Value &text, const std::string &name, const GivenList &args, Span span) {
  const bool strips = name == "strip" || name == "lstrip" || name == "rstrip";
  if (strips && args.size() == 1 && args[0].value.kind == ValueKind::String) return strippedOf(cx, text, name, args[0].value, span);
  if (name == "ljust" || name == "rjust" || name == "center" || name == "zfill") return paddedText(cx, text, name, args, span);
  for (const TextMethod &method : kTextMethods)
    if (method.name == name) return ofText(cx, text, method, args, span);
  if (args.size() > 1) {
    report(cx, Id::tooManyArguments, span, name, "one argument", std::to_string(args.size()));
    return Value::poison();
  }
  if (name == "join") return joinedText(cx, text, args, span);
  if (name == "splitlines") return linesOf(cx, text, args, span);
  if (inHost(cx) && name == "split" && (text.expr || (!args.empty() && args[0].value.expr)) && (args.empty() || args[0].value.kind == ValueKind::String)) {
    std::vector<ExprPtr> parts;
    parts.push_back(textArgument(text, span));
    parts.push_back(args.empty() ? textExpr("", span) : textArgument(args[0].value, span));
    return rowsWithSchema(hostCall(cx, "text_parts", std::move(parts), span), "t");
  }
  if (text.expr || (!args.empty() && (args[0].value.kind != ValueKind::String || args[0].value.expr || args[0].value.text.empty())))
    return unsupported(cx, "`" + name + "` of a text that only run time knows", span, "a loop over its characters finds where it is to be cut, `for i in range(len(text)):`, and `text[a:b]` is a part");
  const std::string &all = text.text;
  Value parts = Value::of(ValueKind::List);
  if (!args.empty()) {
    const std::string &mark = args[0].value.text;
    size_t at = 0, next;
    for (; (next = all.find(mark, at)) != std::string::npos; at = next + mark.size()) parts.items.push_back(Value::string(all.substr(at, next - at)));
    parts.items.push_back(Value::string(all.substr(at)));
    return parts;
  }
  for (auto at = std::find_if_not(all.begin(), all.end(), tsr::host::is_blank); at != all.end();) {
    auto end = std::find_if(at, all.end(), tsr::host::is_blank);
    parts.items.push_back(Value::string(std::string(at, end)));
    at = std::find_if_not(end, all.end(), tsr::host::is_blank);
  }
  return parts;
}

std::optional<Value> characterOf(Context &cx, const Value &text, const ast::SubscriptExpr &expr) {
  if (expr.items.size() != 1) return std::nullopt;
  if (auto *slice = as<ast::SliceExpr>(expr.items[0].value)) return partOfText(cx, text, *slice, expr.span);
  Value index = convertInt(cx, checkExpr(cx, *expr.items[0].value), expr.items[0].span);
  if (index.isPoison()) return index;
  const auto size = static_cast<int64_t>(text.text.size());
  if (index.isKnownInt() && !text.expr) {
    const int64_t at = index.sym.constant() < 0 ? index.sym.constant() + size : index.sym.constant();
    if (at >= 0 && at < size) return Value::string(text.text.substr(static_cast<size_t>(at), 1));
    if (fresh(cx, Id::outOfBounds, expr.items[0].span)) report(cx, Id::outOfBounds, expr.items[0].span, std::to_string(index.sym.constant()), "a text of " + std::to_string(size));
    return Value::poison();
  }
  return inHost(cx) ? std::optional(characterAt(cx, text, index, expr.span)) : std::nullopt;
}

}  // namespace tessera::sema
