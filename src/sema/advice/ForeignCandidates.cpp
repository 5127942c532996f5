// Edits for habits from Python's libraries, C, CUDA and Triton.
#include "frontend/Walk.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include "support/DType.h"
#include <algorithm>
#include <iterator>
#include <map>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class ForeignFinder : EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::badOperand:
      otherOperator(), comparedParts(), calledOperand(), oneDerivative(), asText(), percentFormat(), lengthOfNumber();
      break;
    case Id::undefinedName:
      drawn(), withoutPrefix(), laneNumber(), withoutPrefixes(), laneNumbers(), laneOfNumba(), importTessera(),
          axisInQuotes();
      break;
    case Id::notACondition: elementwiseCondition(), comparedWithZero(); break;
    case Id::wrongArgument: maskOfNumbers(); break;
    case Id::rankMismatch: newAxis(); break;
    case Id::notSupportedYet: assertion(); break;
    case Id::unknownModule: ourModule(); break;
    case Id::unknownAttribute:
      longerList(), withoutMethods(), withoutMethod(), atIndex(), formatOfText(), convertedTo();
      break;
    default: break;
    }
    return std::move(groups_);
  }

private:
  /// `a / b` of integers, `x ^ 2`.
  void otherOperator() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary || (binary->op != ast::BinaryOp::Div && binary->op != ast::BinaryOp::BitXor)) return;
    bool division = binary->op == ast::BinaryOp::Div;
    Span between{binary->span.file, binary->left->span.end, binary->right->span.begin};
    size_t sign = text(between).find(division ? '/' : '^');
    if (sign == std::string::npos) return;
    uint32_t at = between.begin + static_cast<uint32_t>(sign);
    replace(group(false), {between.file, at, at + 1}, division ? "//" : "**",
            division ? "divide and round down" : "powers are written `**`");
  }

  /// `x > 0 & x < 1`, which compares `0 & x`.
  void comparedParts() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    bool bits = binary && (binary->op == ast::BinaryOp::BitAnd || binary->op == ast::BinaryOp::BitOr);
    auto *whole = bits && place_.around.size() > 1 ? as<ast::CompareExpr>(place_.around[1]) : nullptr;
    if (!whole) return;
    std::string parts = "(";
    uint32_t from = whole->span.begin;
    for (size_t i = 1; i + 1 < whole->operands.size(); ++i) {
      auto *middle = as<ast::BinaryExpr>(whole->operands[i]);
      if (!middle || middle->op != binary->op) continue;
      parts += text({whole->span.file, from, middle->left->span.end});
      parts += binary->op == ast::BinaryOp::BitAnd ? ") & (" : ") | (";
      from = middle->right->span.begin;
    }
    replace(group(false), whole->span, parts + text({whole->span.file, from, whole->span.end}) + ")");
  }

  /// `rank == 0` for `rank() == 0`
  void calledOperand() {
    auto *compare = as<ast::CompareExpr>(place_.expr());
    if (!compare) return;
    CandidateGroup &edits = group(true);
    for (const auto &operand : compare->operands)
      if (operand->kind == ast::ExprKind::Name) insert(edits, operand->span.end, "()", "call it");
  }

  /// `grad(loss, wrt=("w",))(x, w)` is a tuple of one.
  void oneDerivative() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary) return;
    for (const ast::Expr *operand : {binary->left.get(), binary->right.get()}) {
      auto *call = as<ast::CallExpr>(operand);
      auto *made = call ? as<ast::CallExpr>(call->callee) : nullptr;
      for (size_t i = 0; made && i < made->arguments.size(); ++i) {
        const ast::Argument &argument = made->arguments[i];
        bool several = argument.value->kind == ast::ExprKind::Tuple || argument.value->kind == ast::ExprKind::List;
        auto *names = several ? static_cast<const ast::SequenceExpr *>(argument.value.get()) : nullptr;
        if (argument.keyword && argument.keyword->text == "wrt" && names && names->items.size() == 1)
          replace(group(false), names->span, text(names->items[0]->span));
      }
    }
  }

  /// `all_reduce(x, dp)`: axes of the mesh are words in quotes.
  void axisInQuotes() {
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    auto *callee = call ? as<ast::NameExpr>(call->callee) : nullptr;
    static constexpr std::string_view kCollectives[] = {"all_reduce", "all_gather", "reduce_scatter", "axis_index",
                                                        "axis_size"};
    if (!callee || std::find(std::begin(kCollectives), std::end(kCollectives), callee->name) == std::end(kCollectives))
      return;
    for (const ast::Argument &argument : call->arguments)
      if (argument.value.get() == place_.around[0])
        replace(group(false), argument.value->span, "\"" + text(argument.value->span) + "\"", "put it in quotes");
  }

  /// `x > 0 and x < 1` and `not x` of tensors.
  void elementwiseCondition() {
    const ast::BoolOpExpr *list = place_.innermost<ast::BoolOpExpr>();
    auto *choice = place_.around.size() > 1 ? as<ast::ConditionalExpr>(place_.around[1]) : nullptr;
    if (choice && choice->condition.get() == place_.expr())
      return replace(group(false), choice->span,
                     "where(" + text(choice->condition->span) + ", " + text(choice->then->span) + ", " +
                         text(choice->otherwise->span) + ")",
                     "choose for each element");
    auto *unary = as<ast::UnaryExpr>(place_.expr());
    if (unary && unary->op == ast::UnaryOp::Not)
      return replace(group(false), unary->span, "~" + asPrimary(*unary->operand));
    if (!list) return;
    std::string joined;
    for (const auto &operand : list->operands)
      joined += (joined.empty() ? ""
                 : list->isAnd  ? " & "
                                : " | ") +
                (operand->kind == ast::ExprKind::Compare ? "(" + text(operand->span) + ")" : asPrimary(*operand));
    replace(group(false), list->span, joined);
  }

  void importTessera() {
    std::string name = text(diagnostic_.span);
    if (name != "ts" && name != "tessera") return;
    std::string line = name == "ts" ? "import tessera as ts" : "import tessera";
    insert(group(false), 0, line + "\n", "write `" + line + "` at the start");
  }

  /// `if x.shape[1] != 64: raise ValueError(...)`
  void assertion() {
    static const std::map<ast::CompareOp, std::string> contrary = {
        {ast::CompareOp::Eq, " != "}, {ast::CompareOp::Ne, " == "}, {ast::CompareOp::Lt, " >= "},
        {ast::CompareOp::Le, " > "},  {ast::CompareOp::Gt, " <= "}, {ast::CompareOp::Ge, " < "}};
    if (!place_.function || !place_.statement || place_.statement->kind != ast::StmtKind::Raise) return;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *guard = as<ast::IfStmt>(stmt);
      bool around = guard && guard->then.size() == 1 && guard->then[0].get() == place_.statement;
      auto *compare = around && guard->otherwise.empty() ? as<ast::CompareExpr>(guard->condition) : nullptr;
      auto op = compare && compare->ops.size() == 1 ? contrary.find(compare->ops[0]) : contrary.end();
      if (op == contrary.end()) continue;
      replace(group(false), guard->span.to(place_.statement->span),
              "assert " + text(compare->operands[0]->span) + op->second + text(compare->operands[1]->span),
              "say what must hold");
    }
  }

  /// `"n = " + n`
  void asText() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary || binary->op != ast::BinaryOp::Add) return;
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : {binary->left.get(), binary->right.get()})
      replace(edits, operand->span, "str(" + text(operand->span) + ")");
  }

  /// `"n = %d" % n`
  void percentFormat() {
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    auto *string = binary && binary->op == ast::BinaryOp::Mod ? as<ast::StringExpr>(binary->left) : nullptr;
    if (!string || text(string->span) != "\"" + string->value + "\"") return;
    std::vector<std::string> values;
    if (binary->right->kind == ast::ExprKind::Tuple)
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*binary->right).items)
        values.push_back(text(item->span));
    else values.push_back(text(binary->right->span));
    std::string out = "f\"";
    size_t next = 0;
    for (size_t i = 0; i < string->value.size(); ++i) {
      if (string->value[i] != '%') {
        out += string->value[i];
        continue;
      }
      size_t end = string->value.find_first_of("dsfgei%", i + 1);
      if (end == std::string::npos || next == values.size()) return;
      std::string how = string->value.substr(i + 1, end - i - 1);
      if (string->value[end] != 's' && string->value[end] != 'd') how += string->value[end];
      out += "{" + values[next++] + (how.empty() ? "" : ":" + how) + "}";
      i = end;
    }
    if (next == values.size()) replace(group(false), binary->span, out + "\"", "values stand in an f-string");
  }

  /// `"n = {}".format(n)`
  void formatOfText() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *string = method && method->attribute.text == "format" ? as<ast::StringExpr>(method->object) : nullptr;
    if (!string || text(string->span) != "\"" + string->value + "\"") return;
    std::string out = "f\"";
    size_t next = 0;
    for (size_t i = 0; i < string->value.size(); ++i) {
      bool hole = string->value[i] == '{' && i + 1 < string->value.size() &&
                  (string->value[i + 1] == '}' || string->value[i + 1] == ':');
      if (hole && (next == call->arguments.size() || call->arguments[next].keyword)) return;
      out += string->value[i];
      if (hole) out += text(call->arguments[next++].span);
    }
    if (next == call->arguments.size()) replace(group(false), call->span, out + "\"", "values stand in an f-string");
  }

  /// `x.to(torch.float16)`
  void convertedTo() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    bool converts = method && (method->attribute.text == "to" || method->attribute.text == "type" ||
                               method->attribute.text == "astype");
    auto *dtype = converts && call->arguments.size() == 1 ? as<ast::AttributeExpr>(call->arguments[0].value) : nullptr;
    if (!dtype) return;
    if (auto ours = dtypeByName(dtype->attribute.text))
      replace(group(false), call->span,
              asPrimary(*method->object) + ".astype(" + std::string(tessera::name(*ours)) + ")");
  }

  /// `len(x.shape[1])`
  void lengthOfNumber() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if (name && name->name == "len" && call->arguments.size() == 1)
      replace(group(false), call->span, text(call->arguments[0].span), "it is a number already");
  }

  /// `if n:` and `not n` of a number.
  void comparedWithZero() {
    const ast::Expr *e = place_.expr();
    bool operand = place_.innermost<ast::BoolOpExpr>();  // `b or 1.0`: something else was meant
    if (!e || operand || diagnostic_.message.find("this is a scalar `") == std::string::npos) return;
    auto isNot = [&](const ast::Expr *around) {
      auto *unary = as<ast::UnaryExpr>(around);
      return unary && unary->op == ast::UnaryOp::Not ? unary : nullptr;
    };
    const ast::UnaryExpr *negation = isNot(e) ? isNot(e) : place_.around.size() > 1 ? isNot(place_.around[1]) : nullptr;
    if (negation) return replace(group(false), negation->span, text(negation->operand->span) + " == 0", "compare it");
    insert(group(false), e->span.end, " != 0", "compare it");
  }

  /// `where(mask, x, 0.0)` of a mask of 0 and 1.
  void maskOfNumbers() {
    bool condition = diagnostic_.message.find("expects a condition") != std::string::npos;
    if (condition && place_.expr()) insert(group(false), place_.expr()->span.end, " != 0", "compare it");
  }

  /// `b[:, np.newaxis]`
  void newAxis() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    if (!subscript) return;
    CandidateGroup &edits = group(false);
    for (const ast::Argument &item : subscript->items) {
      std::string shown = text(item.span);
      bool member = shown.size() > 8 && shown.substr(shown.size() - 8) == ".newaxis";
      if (shown == "newaxis" || member) replace(edits, item.span, "None", "a new axis is `None`");
    }
  }

  /// The longest `jax.lax.f` that begins with the name of the message.
  const ast::AttributeExpr *wholeMember() const {
    const ast::AttributeExpr *whole = nullptr;
    for (size_t i = 1; i < place_.around.size(); ++i) {
      auto *member = as<ast::AttributeExpr>(place_.around[i]);
      if (!member || member->object.get() != place_.around[i - 1]) break;
      whole = member;
    }
    return whole;
  }

  static bool isDeviation(const ast::AttributeExpr &member) {
    return member.attribute.text == "var" || member.attribute.text == "std";
  }
  /// Whether a function has our name and another meaning: a deviation of PyTorch is that of a sample, and its `linear` takes
  /// the weights turned around.
  static bool meansOther(const ast::AttributeExpr &member) {
    const std::string *root = rootOf(member);
    return root && ((*root == "torch" && isDeviation(member)) || member.attribute.text == "linear");
  }
  /// The arguments of a call of another library, with one that it takes for granted.
  std::vector<WrittenArgument> argumentsOf(const ast::CallExpr &call) const {
    std::vector<WrittenArgument> arguments = writtenArguments(call);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (std::string shown = unchained(*call.arguments[i].value); shown != text(*call.arguments[i].value))
        arguments[i].text = shown, arguments[i].primary = isOnePart(shown);
    auto *member = as<ast::AttributeExpr>(call.callee);
    const bool says = keyword(call, "correction") || keyword(call, "unbiased") || keyword(call, "ddof");
    if (member && isDeviation(*member) && meansOther(*member) && !says) arguments.push_back({"ddof", "1"});
    return arguments;
  }

  /// `np.exp(x)`, `concatenate([a, b], axis=0)`: the call under our names.
  void translatedCall(const ast::Expr &callee, const std::string &name) {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || call->callee.get() != &callee) continue;
      for (const ast::Argument &argument : call->arguments)
        if (argument.stars) return;
      CandidateGroup &edits = group(false);
      for (const std::string &whole : callsHere(name, argumentsOf(*call)))
        if (whole != text(call->span)) replace(edits, call->span, inPlaceOf(*call, whole));
      return;
    }
  }

  /// `np.exp(x)`, where the functions have no prefix.
  void withoutPrefix() {
    auto *member = wholeMember();
    if (!member) {
      if (place_.expr()) translatedCall(*place_.expr(), text(place_.expr()->span));
      return;
    }
    std::string name = member->attribute.text;
    if (std::string_view constant = constantHere(name); !constant.empty())
      replace(group(false), member->span, std::string(constant));
    if (auto dtype = dtypeByName(name)) return replace(group(false), member->span, std::string(tessera::name(*dtype)));
    if (name == "constexpr" && place_.function)  // `BLOCK: tl.constexpr`
      for (const ast::Parameter &p : place_.function->parameters)
        if (p.annotation.get() == member) return replace(group(false), member->span, "Const[\"" + p.name.text + "\"]");
    if (std::string_view ours = nameHere(name); !ours.empty()) name = ours;
    if (name == "cdiv") return replace(group(false), member->span, name);  // also in kernels
    if (place_.inKernel)
      counted(*member), replace(group(false), member->span, ofTile(member->attribute.text));  // of Triton
    if (ofFunction(*member))  // `np.subtract.outer(a, b)`
      return translatedCall(*member,
                            static_cast<const ast::AttributeExpr &>(*member->object).attribute.text + "." + name);
    CandidateGroup &edits = group(false);
    if (!meansOther(*member)) replace(edits, member->span, name);
    if (!place_.inKernel) return translatedCall(*member, member->attribute.text);
    const ast::Expr &whole = *place_.around.back();
    std::string all = text(whole.span);
    std::vector<const ast::AttributeExpr *> members;
    membersOf(text(place_.around[0]->span), whole, members);
    for (size_t i = members.size(); i-- > 0;) {
      Span span = members[i]->span;
      all.replace(span.begin - whole.span.begin, span.end - span.begin, ofTile(members[i]->attribute.text));
    }
    if (members.size() > 1) replace(edits, whole.span, all, "write what `tile` has");
  }

  /// `np.subtract.outer`: what stands between is a function, no part of the package.
  static bool ofFunction(const ast::AttributeExpr &member) {
    static const std::set<std::string_view> parts = {
        "linalg",    "nn",    "functional",   "utils",  "lax",       "numpy",    "random",   "special",
        "fft",       "scipy", "ops",          "jit",    "optim",     "cuda",     "autograd", "distributed",
        "init",      "math",  "experimental", "pallas", "libdevice", "language", "extra",    "initializers",
        "keras",     "tree",  "stats",        "signal", "sparse",    "jnp",      "F",        "clip_grad",
        "tree_util", "scipy", "ndimage"};
    auto *inner = as<ast::AttributeExpr>(member.object);
    return inner && !parts.count(inner->attribute.text);
  }

  static const std::string *rootOf(const ast::AttributeExpr &member) {
    const ast::Expr *object = member.object.get();
    while (auto *inner = as<ast::AttributeExpr>(object)) object = inner->object.get();
    auto *name = as<ast::NameExpr>(object);
    return name ? &name->name : nullptr;
  }
  /// What `np.f` is called here, wherever it stands.
  std::string nameOfMember(const std::string &theirs) const {
    if (std::string_view constant = constantHere(theirs); !constant.empty()) return std::string(constant);
    if (auto dtype = dtypeByName(theirs)) return std::string(tessera::name(*dtype));
    if (place_.inKernel) return theirs == "cdiv" ? theirs : ofTile(theirs);
    std::string_view ours = nameHere(theirs);
    return ours.empty() ? theirs : std::string(ours);
  }
  /// Whether a name or call is one of a module: `np.sum` and `np.sum(x)` of `np`.
  static const ast::AttributeExpr *memberOf(const std::string &module, const ast::Expr &e) {
    auto *call = as<ast::CallExpr>(&e);
    auto *member = as<ast::AttributeExpr>(call ? call->callee.get() : &e);
    const std::string *root = member ? rootOf(*member) : nullptr;
    return root && *root == module ? member : nullptr;
  }
  /// The expression with all that it has of a module under our names.
  std::string translated(const std::string &module, const ast::Expr &e) {
    const ast::AttributeExpr *member = memberOf(module, e);
    auto *call = member && !place_.inKernel && !ofFunction(*member) ? as<ast::CallExpr>(&e) : nullptr;
    if (call && std::none_of(call->arguments.begin(), call->arguments.end(), [](const auto &a) { return a.stars; })) {
      std::vector<WrittenArgument> arguments = argumentsOf(*call);
      for (size_t i = 0; i < call->arguments.size(); ++i) {
        arguments[i].text = translated(module, *call->arguments[i].value);
        arguments[i].primary &= isOnePart(arguments[i].text);
      }
      return callsHere(member->attribute.text, std::move(arguments)).front();
    }
    if (member && member == &e) return nameOfMember(member->attribute.text);
    std::string out;
    uint32_t at = e.span.begin;
    std::vector<const ast::Expr *> children = ast::childrenOf(e).exprs;
    std::sort(children.begin(), children.end(), [](auto *a, auto *b) { return a->span.begin < b->span.begin; });
    for (const ast::Expr *child : children) {
      if (child->span.begin < at) continue;
      std::string shown = translated(module, *child);
      if (memberOf(module, *child)) shown = inPlaceOf(*child, shown, &e);
      out += text({e.span.file, at, child->span.begin}) + shown;
      at = child->span.end;
    }
    return out + text({e.span.file, at, e.span.end});
  }
  /// `np.exp(x) / np.sum(np.exp(x))`: with one of them mended, the others say the same.
  void withoutPrefixes() {
    auto *module = as<ast::NameExpr>(place_.expr());
    if (!module || !wholeMember() || !place_.function) return;
    std::vector<std::pair<Span, std::string>> parts;
    std::set<const ast::Expr *> inner;
    std::map<const ast::Expr *, const ast::Expr *> around;
    size_t count = 0;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      const bool below = inner.count(&part) != 0;
      for (const ast::Expr *child : ast::childrenOf(part).exprs) around[child] = &part;
      const ast::AttributeExpr *member = memberOf(module->name, part);
      if (below || member)
        for (const ast::Expr *child : ast::childrenOf(part).exprs) inner.insert(child);
      count += member == &part;
      if (!below && member) parts.push_back({part.span, inPlaceOf(part, translated(module->name, part), around[&part])});
    });
    if (count > 1) replaceAll(group(false), parts, "leave `" + module->name + ".` out");
  }

  /// What CUDA and numba call the numbers of lanes and groups, by the first axis.
  static std::string_view numberHere(std::string_view theirs) {
    static const std::map<std::string_view, std::string_view> numbers = {{"threadIdx", "tile.local_id()"},
                                                                         {"blockIdx", "tile.group_id(0)"},
                                                                         {"blockDim", "tile.group_size()"},
                                                                         {"gridDim", "tile.group_count(0)"}};
    auto it = numbers.find(theirs);
    return it == numbers.end() ? std::string_view() : it->second;
  }
  /// `cuda.grid(1)` of numba
  void laneOfNumba() {
    auto *member = wholeMember();
    if (!place_.inKernel || !member || text(diagnostic_.span) != "cuda") return;
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (call && call->callee.get() == member && member->attribute.text == "grid")
        replace(group(false), call->span, "tile.linear_id()");
    }
  }

  /// `blockIdx.x * 256 + threadIdx.x`, and the same in other statements.
  void laneNumbers() {
    if (!place_.inKernel || !place_.function || numberHere(text(diagnostic_.span)).empty()) return;
    std::vector<std::pair<Span, std::string>> parts;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *member = as<ast::AttributeExpr>(&part);
      auto *object = member && member->attribute.text == "x" ? as<ast::NameExpr>(member->object) : nullptr;
      if (object && !numberHere(object->name).empty())
        parts.push_back({member->span, std::string(numberHere(object->name))});
    });
    if (parts.size() > 1) replaceAll(group(false), parts, "ask `tile` for the numbers");
  }

  /// `tl.arange(0, 64)`
  void counted(const ast::AttributeExpr &member) {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || call->callee.get() != &member || member.attribute.text != "arange" || call->arguments.empty())
        continue;
      const ast::Argument &first = call->arguments.front(), &last = call->arguments.back();
      bool fromZero = call->arguments.size() == 1 || (call->arguments.size() == 2 && text(first.span) == "0");
      if (fromZero && !first.keyword && !last.keyword)
        replace(group(false), call->span, "tile.iota(" + text(last.span) + ")");
    }
  }

  /// `tl.zeros`, and `tl.float32`, which needs no prefix.
  static std::string ofTile(const std::string &theirs) {
    if (auto dtype = dtypeByName(theirs)) return std::string(name(*dtype));
    std::string_view ours = tileNameHere(theirs);
    return "tile." + (ours.empty() ? theirs : std::string(ours));
  }

  static void membersOf(const std::string &module, const ast::Expr &e, std::vector<const ast::AttributeExpr *> &found) {
    auto *member = as<ast::AttributeExpr>(&e);
    auto *object = member ? as<ast::NameExpr>(member->object) : nullptr;
    if (object && object->name == module) found.push_back(member);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) membersOf(module, *child, found);
  }

  /// `blockIdx.x * blockDim.x + threadIdx.x`
  void laneNumber() {
    const ast::Expr *whole = nullptr;
    for (const ast::Expr *e : place_.around)
      if (e->kind == ast::ExprKind::Binary) whole = e;
    const Foreign *foreign = foreignName(text(diagnostic_.span));
    if (!foreign || !foreign->oncePerFunction || !place_.inKernel) return;
    std::string shown = whole ? text(whole->span) : "";
    auto names = [&](const char *name) { return shown.find(name) != std::string::npos; };
    if (names("blockIdx") && names("threadIdx") && names("blockDim"))
      replace(group(false), whole->span, "tile.linear_id()");
    const std::string_view query = numberHere(text(diagnostic_.span));
    auto *member = wholeMember();
    if (!query.empty() && member && member->attribute.text == "x")
      replace(group(false), member->span, std::string(query));
  }

  /// `import numpy as np`: the same functions are in `tessera`.
  void ourModule() {
    std::string path = text(diagnostic_.span), alias = path;
    bool plain = place_.statement && place_.statement->kind == ast::StmtKind::Import;
    if (size_t as = path.find(" as "); as != std::string::npos) alias = path.substr(as + 4), path.resize(as);
    static constexpr std::string_view kKernels[] = {"triton", "triton.language", "numba"};  // not the same functions
    if (std::find(std::begin(kKernels), std::end(kKernels), path) != std::end(kKernels)) return;
    if (!foreignPackage(path) || (plain && alias.find('.') != std::string::npos)) return;
    replace(group(false), diagnostic_.span, plain ? "tessera as " + alias : "tessera");
  }

  /// `w.t().contiguous()`: methods of PyTorch behind one another, without those that say nothing here.
  std::string unchained(const ast::Expr &e) const {
    static const std::map<std::string_view, std::string_view> casts = {
        {"float", "f32"}, {"double", "f64"}, {"half", "f16"}, {"int", "i32"}, {"long", "i64"}, {"bool", "bool"}};
    auto *call = as<ast::CallExpr>(&e);
    auto *method = call && call->arguments.empty() ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method) return text(e);
    const std::string object = unchained(*method->object), &name = method->attribute.text;
    if (memberInstead(name) == memberInstead("clone")) return object;
    if (name == "t") return (isOnePart(object) ? object : "(" + object + ")") + ".T";
    if (auto cast = casts.find(name); cast != casts.end()) return "cast(" + object + ", " + std::string(cast->second) + ")";
    return object + "." + name + "()";
  }
  void withoutMethods() {
    const ast::Expr *whole = nullptr;
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (call && call->arguments.empty() && as<ast::AttributeExpr>(call->callee)) whole = e;
      else if (!as<ast::AttributeExpr>(e)) break;
    }
    auto *outer = as<ast::CallExpr>(whole);
    auto *method = outer ? as<ast::AttributeExpr>(outer->callee) : nullptr;
    if (method && as<ast::CallExpr>(method->object)) replace(group(false), whole->span, unchained(*whole), "leave out what says nothing here");
  }

  /// `x.contiguous()`, `x.float()`
  void withoutMethod() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method || !call->arguments.empty() || memberInstead(method->attribute.text).empty()) return;
    bool sameWithout = memberInstead(method->attribute.text) == memberInstead("clone");
    static const std::map<std::string_view, std::string_view> casts = {
        {"float", "f32"}, {"double", "f64"}, {"half", "f16"}, {"int", "i32"}, {"long", "i64"}, {"bool", "bool"}};
    std::string object = text(method->object->span);
    static const std::map<std::string_view, std::string_view> properties = {{"dim", "ndim"}, {"t", "T"}};
    if (auto it = properties.find(method->attribute.text); it != properties.end())
      return replace(group(false), call->span, asPrimary(*method->object) + "." + std::string(it->second));
    auto cast = casts.find(method->attribute.text);
    if (cast == casts.end() && sameWithout) replace(group(false), call->span, object, "leave it out");
    else if (cast != casts.end())
      replace(group(false), call->span, "cast(" + object + ", " + std::string(cast->second) + ")");
  }

  /// `x.at[i].set(v)`, `x.at[i].add(v)` of a vector.
  void atIndex() {
    const ast::CallExpr *call = nullptr;
    for (const ast::Expr *e : place_.around)
      if (auto *found = as<ast::CallExpr>(e); found && found->arguments.size() == 1) call = found;
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *element = method ? as<ast::SubscriptExpr>(method->object) : nullptr;
    auto *at = element && element->items.size() == 1 ? as<ast::AttributeExpr>(element->object) : nullptr;
    auto *vector = at && at->attribute.text == "at" ? as<ast::NameExpr>(at->object) : nullptr;
    if (!vector || !place_.function || element->items[0].value->kind == ast::ExprKind::Slice) return;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (p.name.text != vector->name || !type || type->items.size() != 2) continue;
      auto *quotedName = as<ast::StringExpr>(type->items[0].value);
      std::string extent = quotedName ? quotedName->value : text(type->items[0].span), x = vector->name,
                  here = "where(arange(" + extent + ") == " + text(element->items[0].span) + ", ",
                  value = text(call->arguments[0].value->span);
      if (method->attribute.text == "set")
        replace(group(false), call->span, here + value + ", " + x + ")", "choose for each element");
      const std::string index = text(element->items[0].span);
      if (method->attribute.text == "add")
        replace(group(false), call->span, "index_add(" + x + ", " + index + ", " + value + ")", "add at those places");
      if (method->attribute.text == "set")
        replace(group(false), call->span, "scatter(" + x + ", " + index + ", " + value + ", 0)", "write at those places");
      if (method->attribute.text == "add")
        replace(group(false), call->span, x + " + " + here + value + ", 0.0)", "add to that element");
    }
  }

  /// `torch.randn(N)`, `np.random.normal(size=(N,))`, from a stream that the function has, or takes then.
  void drawn() {
    static const std::map<std::string_view, std::string_view> draws = {
        {"normal", "normal"},  {"randn", "normal"},    {"standard_normal", "normal"}, {"rand", "uniform"},
        {"random", "uniform"}, {"uniform", "uniform"}, {"randn_like", "normal"},      {"rand_like", "uniform"}};
    const ast::CallExpr *call = nullptr;
    for (const ast::Expr *e : place_.around)
      if ((call = as<ast::CallExpr>(e))) break;
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (member && member->attribute.text == "permutation" && place_.function && !call->arguments.empty())
      for (const ast::Parameter &p : place_.function->parameters)
        if (p.annotation && text(p.annotation->span) == "Rng")
          replace(group(false), call->span,
                  "permutation(" + text(call->arguments.front().span.to(call->arguments.back().span)) + ", " +
                      p.name.text + ")");
    auto draw = member ? draws.find(member->attribute.text) : draws.end();
    if (draw == draws.end() || !place_.function || place_.inKernel || call->arguments.empty()) return;
    std::string shape;
    for (const ast::Argument &arg : call->arguments) {
      if (arg.keyword && arg.keyword->text != "size" && arg.keyword->text != "shape") return;
      shape += (shape.empty() ? "" : ", ") + text(arg.value->span);
    }
    const bool like = draw->first.ends_with("_like");
    if (like && call->arguments.size() != 1) return;
    if (like) shape = asPrimary(*call->arguments[0].value) + ".shape";
    else if (shape.front() != '(') shape = "(" + shape + (call->arguments.size() == 1 ? ",)" : ")");
    std::string how = "." + std::string(draw->second) + "(" + shape + ")";
    CandidateGroup &edits = group(false);
    for (const ast::Parameter &p : place_.function->parameters)
      if (p.annotation && text(p.annotation->span) == "Rng") replace(edits, call->span, p.name.text + how);
    if (!edits.edits.empty() || place_.function->parameters.empty()) return;
    const uint32_t end = place_.function->parameters.back().span.end;
    replace(edits, {call->span.file, end, call->span.end},
            ", rng: Rng" + text({call->span.file, end, call->span.begin}) + "rng" + how,
            "draw from a stream that the function takes");
    edits.ofSignature = true;
  }

  /// `parts.append(x)`: lists are values.
  void longerList() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *list = method ? as<ast::NameExpr>(method->object) : nullptr;
    if (!list || call->arguments.size() != 1 || call->arguments[0].keyword) return;
    std::string items = text(call->arguments[0].value->span);
    if (method->attribute.text == "append") replace(group(false), call->span, list->name + " += [" + items + "]");
    if (method->attribute.text == "extend") replace(group(false), call->span, list->name + " += " + items);
  }
};

}  // namespace

std::vector<CandidateGroup> foreignCandidates(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources) {
  return ForeignFinder(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
