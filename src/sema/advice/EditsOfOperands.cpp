// Edits of operands that are of another kind than the place wants: heads that are to be repeated, vectors whose length was
// meant, products that no `@` says, a field of a state object, integers among floats, what a sum starts as.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>
#include <map>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;
using Extents = std::vector<std::string>;

class OperandEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement) return {};
    if (diagnostic_.id == Id::outOfBounds) shorterLoop(), functionsOfThisName();
    if (!place_.expr()) return taken();
    switch (diagnostic_.id) {
    case Id::broadcastFails: repeatedHeads(), exchangedFields(), lengthOfVectors(); break;
    case Id::contractionMismatch: exchangedFields(), byLetters(); break;
    case Id::shapeMismatch: exchangedFields(); break;
    case Id::wrongResult: startsAsNumber(); break;
    case Id::dtypeMismatch: castIntegers(); break;
    case Id::unknownAttribute: ofField(); break;
    case Id::missingAccumulate: accumulatorOfResult(); break;
    case Id::badAxis: functionsOfThisName(); break;
    default: break;
    }
    return taken();
  }

private:
  /// How often `seen` is in `wanted`, both as they are shown: 4 of "4*H" and "H".
  static std::string times(const std::string &wanted, const std::string &seen) {
    for (const std::string &end : {"*" + seen, " * " + seen})
      if (wanted.size() > end.size() && wanted.ends_with(end)) return wanted.substr(0, wanted.size() - end.size());
    if (wanted.starts_with(seen + "*")) return wanted.substr(seen.size() + 1);
    return "";
  }
  /// `p @ v` of [B, 4 * H, S, S] and [B, H, S, D]: each head of v serves four.
  void repeatedHeads() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    auto *product = as<ast::BinaryExpr>(place_.expr());
    const bool ofHeads = product && product->op == ast::BinaryOp::MatMul;  // of a sum, one operand has the wrong width rather
    if (!ofHeads || said.size() != 2 || operands.size() != 2 || said[0].size() != said[1].size() || place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (size_t side : {0, 1})
      for (size_t i = 0; i < said[side].size(); ++i) {
        const std::string count = times(said[1 - side][i], said[side][i]);
        if (count.empty() || said[side][i] == "1") continue;
        const std::string made = "repeat(" + text(*operands[side]) + ", " + count + ", axis=" + std::to_string(i) + ")";
        replace(edits, operands[side]->span, made, "repeat each of them: `" + made + "`");
      }
  }

  /// `d - rest` of [E, 3] and [E]: the length of each vector.
  void lengthOfVectors() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    auto *sum = as<ast::BinaryExpr>(place_.expr());
    if (!sum || (sum->op != ast::BinaryOp::Sub && sum->op != ast::BinaryOp::Add) || said.size() != 2 || operands.size() != 2) return;
    for (size_t side : {0, 1}) {
      const Extents &own = said[side], &other = said[1 - side];
      const bool vectors = own.size() == other.size() + 1 && (own.back() == "2" || own.back() == "3") && std::equal(other.begin(), other.end(), own.begin());
      if (!vectors || place_.inKernel) continue;
      CandidateGroup &edits = group(false);
      edits.assumes = edits.last = true;
      const std::string made = "norm(" + text(*operands[side]) + ", axis=" + std::to_string(other.size()) + ")";
      replace(edits, operands[side]->span, made, "take the length of each vector: `" + made + "`");
    }
  }

  /// The letters of a shape for `einsum`, one for each extent; empty where an extent has none.
  static std::string lettersOf(const Extents &shape, std::map<std::string, char> &letters) {
    std::string all;
    for (const std::string &extent : shape) {
      auto known = letters.find(extent);
      if (known == letters.end()) {
        char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(extent[0])));
        auto isTaken = [&](char c) { return std::any_of(letters.begin(), letters.end(), [&](const auto &entry) { return entry.second == c; }); };
        for (char c = 'a'; !std::isalpha(static_cast<unsigned char>(letter)) || isTaken(letter); ++c) {
          if (c > 'z') return "";
          letter = c;
        }
        known = letters.emplace(extent, letter).first;
      }
      all += known->second;
    }
    return all;
  }
  /// `outs @ gates` of [N, E, D] and [N, E], where [N, D] is returned: each of its axes is one of the operands'.
  void byLetters() {
    const auto said = shapesSaid();
    const std::vector<const ast::Expr *> operands = operandsAt(place_);
    auto *returned = as<ast::ReturnStmt>(place_.statement);
    const ast::SubscriptExpr *result = declaredTensor();
    if (place_.inKernel || said.size() != 2 || operands.size() != 2 || !result || !returned || returned->value.get() != place_.expr()) return;
    std::map<std::string, char> letters;
    const std::string left = lettersOf(said[0], letters), right = lettersOf(said[1], letters), made = lettersOf(extentTexts(*result), letters);
    auto repeats = [](std::string one) {
      std::sort(one.begin(), one.end());
      return std::adjacent_find(one.begin(), one.end()) != one.end();
    };
    auto goesOn = [&](const std::string &own, const std::string &other) { return own.find_first_not_of(other + made) == std::string::npos; };
    const bool meets = left.find_first_of(right) != std::string::npos && made.find_first_not_of(left + right) == std::string::npos &&
                       goesOn(left, right) && goesOn(right, left);  // what one of them has alone is an axis too many
    if (left.empty() || right.empty() || made.empty() || !meets || repeats(left) || repeats(right) || repeats(made)) return;
    CandidateGroup &edits = group(false);
    edits.assumes = edits.last = true;
    const std::string product = "einsum(\"" + left + "," + right + "->" + made + "\", " + text(*operands[0]) + ", " + text(*operands[1]) + ")";
    replace(edits, place_.expr()->span, product, "say which axes are summed: `" + product + "`");
  }

  /// `p.down.apply(x)` and `p.up.apply(h)` further on: two fields, each in the place of the other.
  void exchangedFields() {
    std::map<std::string, std::map<std::string, std::vector<Span>>> fields;  // of each name
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *member = as<ast::AttributeExpr>(&part);
      auto *owner = member ? as<ast::NameExpr>(member->object) : nullptr;
      if (owner && place_.names && place_.names->count(owner->name) && place_.names->at(owner->name).isBound()) fields[owner->name][member->attribute.text].push_back(member->attribute.span);
    });
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const auto &[owner, used] : fields)
      for (auto a = used.begin(); a != used.end(); ++a)
        for (auto b = std::next(a); b != used.end() && edits.edits.size() < kMost; ++b) {
          if (a->second.size() + b->second.size() > 4) continue;
          std::vector<std::pair<Span, std::string>> parts;
          for (Span span : a->second) parts.push_back({span, b->first});
          for (Span span : b->second) parts.push_back({span, a->first});
          replaceAll(edits, parts, "exchange `" + owner + "." + a->first + "` and `" + owner + "." + b->first + "`");
        }
  }
  static constexpr size_t kMost = 8;

  /// `cache.transpose(2, 3)` of a state object, `layer.T` of a struct: one of its tensors was meant. The message lists them.
  void ofField() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    if (!member) member = place_.innermost<ast::AttributeExpr>();
    const bool ofState = diagnostic_.message.starts_with("a state object");
    if (!member || member->attribute.span != diagnostic_.span || !ofState) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const char *field : {".k", ".v"}) insert(edits, member->object->span.end, field, std::string("take its tensor: `") + text(*member->object) + field + "`");
  }

  /// `for i in range(5):` whose last turn writes behind the end.
  void shorterLoop() {
    std::set<std::string> others;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      if (const ast::Expr *count = turnsOf(stmt)) others.insert(text(*count));
    });
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    for (const ast::Stmt *stmt : statementsAround()) {
      auto *count = as<ast::IntExpr>(turnsOf(*stmt));
      if (!count || count->value < 2) continue;
      std::vector<std::string> fewer(others.begin(), others.end());
      fewer.push_back(std::to_string(count->value - 1));
      for (const std::string &other : fewer)
        if (other != text(*count)) replaceOnce(edits, count->span, other, "end the loop earlier: `range(" + other + ")`");
    }
  }
  /// The number of turns of `for i in range(4):`.
  static const ast::Expr *turnsOf(const ast::Stmt &stmt) {
    auto *loop = as<ast::ForStmt>(&stmt);
    auto *range = loop ? as<ast::CallExpr>(loop->iterable) : nullptr;
    const bool counts = range && nameOf(*range).ends_with("range") && range->arguments.size() == 1;
    return counts && range->arguments[0].value->kind == ast::ExprKind::Int ? range->arguments[0].value.get() : nullptr;
  }

  /// `g = zeros((T,))` in front of a loop that computes one number, which is returned.
  void startsAsNumber() {
    auto *name = as<ast::NameExpr>(place_.expr());
    if (!name || diagnostic_.message.find("but `[]` is declared") == std::string::npos) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    bool inLoop = false;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      auto *call = assign && text(*assign->targets[0]) == name->name ? as<ast::CallExpr>(assign->value) : nullptr;
      if (call && (nameOf(*call) == "zeros" || nameOf(*call) == "ones")) replace(edits, call->span, nameOf(*call) == "zeros" ? "0.0" : "1.0", "begin with one number");
      inLoop |= as<ast::ForStmt>(&stmt) != nullptr;
    });
    if (!inLoop) edits.edits.clear();
  }

  /// `tile.dot(a, b, acc)` of an accumulator that is made as f16, where f32 is returned.
  void accumulatorOfResult() {
    auto *call = place_.innermost<ast::CallExpr>();
    const ast::SubscriptExpr *result = declaredTensor();
    auto *name = call && call->arguments.size() == 3 ? as<ast::NameExpr>(call->arguments[2].value) : nullptr;
    auto *made = name ? as<ast::CallExpr>(place_.valueOf(name->name)) : nullptr;
    if (!result || !made || made->arguments.size() != 2) return;
    const std::string wanted = dtypeText(*result);
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    if (wanted != text(made->arguments[1].span)) replace(edits, made->arguments[1].span, wanted, "add up in what is returned: `" + wanted + "`");
  }

  /// `peak * step / warmup` of two integers: each of them becomes a float.
  void castIntegers() {
    std::vector<std::pair<Span, std::string>> parts;
    std::set<std::string> dtypes;
    auto *whole = as<ast::BinaryExpr>(place_.expr());
    for (const ast::Expr *e : place_.around)
      if (auto *binary = as<ast::BinaryExpr>(e)) whole = binary;
      else break;
    if (!whole) return;
    std::vector<Span> cast;
    visit(*whole, [&](const ast::Expr &part) {
      if (auto *call = as<ast::CallExpr>(&part); call && (nameOf(*call) == "cast" || nameOf(*call) == "astype" || dtypeByName(nameOf(*call)))) cast.push_back(part.span);
    });
    visit(*whole, [&](const ast::Expr &part) {
      if (std::any_of(cast.begin(), cast.end(), [&](Span span) { return span.begin <= part.span.begin && part.span.end <= span.end; })) return;
      const ast::Parameter *p = parameterOf(&part);
      const auto dtype = p && p->annotation ? dtypeByName(text(*p->annotation)) : std::nullopt;
      if (dtype && isInt(*dtype)) parts.push_back({part.span, "cast(" + text(part) + ", f32)"});
    });
    if (parts.size() < 2) return;
    CandidateGroup &edits = group(false);
    replaceAll(edits, parts, "make floats of them");
  }

  /// `diagonal(d)` of a vector: a function of the library whose name begins as this one.
  void functionsOfThisName() {
    static const std::vector<std::pair<std::string_view, std::string_view>> kAlike = {{"diagonal", "diag"}, {"stack", "concat"}, {"row_sum", "sum"}, {"row_max", "max"}, {"row_min", "min"}, {"bmm", "dot"}};
    auto *call = place_.innermost<ast::CallExpr>();
    auto *name = call && !place_.inKernel ? as<ast::NameExpr>(call->callee) : nullptr;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const auto &[one, other] : kAlike) {
      if (name && name->name == one) replace(edits, name->span, std::string(other));
      if (name && name->name == other) replace(edits, name->span, std::string(one));
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfOperands(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return OperandEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
