// Edits of the equations of `einsum`: a letter that the result lacks, letters in another order, one for another.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class EquationEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    static const std::set<Id> about = {Id::wrongResult,    Id::einsumExtent, Id::badEquation,         Id::rankMismatch,
                                       Id::broadcastFails, Id::shapeMismatch, Id::contractionMismatch, Id::redefinedType};
    if (!about.count(diagnostic_.id) || !place_.expr()) return {};
    eachInPlay([&](const ast::Expr &part) { ofCall(as<ast::CallExpr>(&part)); });
    if (auto *call = place_.innermost<ast::CallExpr>(); groups_.empty()) ofCall(call);
    for (CandidateGroup &group : groups_) group.assumes = true;  // other letters make another sum that fits as well
    return taken();
  }

private:
  static constexpr size_t kMost = 24;

  void ofCall(const ast::CallExpr *call) {
    if (!call || nameOf(*call) != "einsum" || call->arguments.empty()) return;
    auto *string = as<ast::StringExpr>(call->arguments[0].value);
    const size_t arrow = string ? string->value.find("->") : std::string::npos;
    if (arrow == std::string::npos || string->value.find('.') != std::string::npos) return;
    const std::string operands = string->value.substr(0, arrow), result = string->value.substr(arrow + 2);
    if (diagnostic_.id == Id::einsumExtent) renamed(*string, operands, result, false);  // one letter stands for two extents
    results(*string, operands, result);
    exchanged(*string, operands, result);
    relabelled(*string, operands, result);
    renamed(*string, operands, result, true);
  }
  void write(CandidateGroup &edits, const ast::StringExpr &string, const std::string &operands, const std::string &result,
             const char *title) {
    const std::string shown = "\"" + operands + "->" + result + "\"";
    if (edits.edits.size() < kMost && shown != string.text) replace(edits, string.span, shown, title);
  }

  /// Each letter once, in order.
  static std::string lettersOf(const std::string &text) {
    std::string letters;
    for (char c : text)
      if (std::isalpha(static_cast<unsigned char>(c)) && letters.find(c) == std::string::npos) letters += c;
    return letters;
  }
  /// A letter more or less behind the arrow, or the same in another order.
  void results(const ast::StringExpr &string, const std::string &operands, const std::string &result) {
    const std::string letters = lettersOf(operands);
    CandidateGroup more, ordered, less;
    for (size_t at = 0; at <= result.size(); ++at)  // the axes of the first operand come first
      for (char c : letters)
        if (result.find(c) == std::string::npos)
          write(more, string, operands, result.substr(0, at) + c + result.substr(at), "keep this axis");
    std::string order = result;
    std::sort(order.begin(), order.end());
    do write(ordered, string, operands, order, "put the axes of the result into this order");
    while (result.size() <= 4 && std::next_permutation(order.begin(), order.end()));
    for (size_t at = 0; at < result.size(); ++at)
      write(less, string, operands, result.substr(0, at) + result.substr(at + 1), "add this axis up");
    for (CandidateGroup *found : {&more, &ordered, &less}) groups_.push_back(std::move(*found));
  }
  /// `na,abc,nc->nb` for `na,abc,nb->nc`: one operand and the result have two letters the other way round.
  void relabelled(const ast::StringExpr &string, const std::string &operands, const std::string &result) {
    CandidateGroup &edits = group(true);
    edits.rivals = true;
    for (size_t begin = 0; begin < operands.size();) {
      const size_t end = std::min(operands.find(',', begin), operands.size());
      for (size_t i = begin; i < end; ++i)
        for (char other : result) {
          const char own = operands[i];
          if (own == other || own == ' ' || other == ' ') continue;
          auto turned = [&](std::string part) {
            for (char &c : part) c = c == own ? other : c == other ? own : c;
            return part;
          };
          write(edits, string, operands.substr(0, begin) + turned(operands.substr(begin, end - begin)) + operands.substr(end),
                turned(result), "name these axes the other way round");
        }
      begin = end + 1;
    }
  }
  /// Two letters of an operand in the other order: the neighbours first.
  void exchanged(const ast::StringExpr &string, const std::string &operands, const std::string &result) {
    CandidateGroup &edits = group(true);
    for (size_t apart = 1; apart < operands.size(); ++apart)
      for (size_t i = 0; i + apart < operands.size(); ++i) {
        const std::string between = operands.substr(i, apart + 1);
        if (between.find(',') != std::string::npos) continue;
        std::string other = operands;
        std::swap(other[i], other[i + apart]);
        write(edits, string, other, result, "name the axes in this order");
      }
  }
  /// One letter of an operand or of the result for another.
  void renamed(const ast::StringExpr &string, const std::string &operands, const std::string &result, bool last) {
    CandidateGroup &edits = group(true);
    edits.last = last;
    const std::string letters = lettersOf(operands + result);
    for (size_t i = 0; i < result.size(); ++i)
      for (char c : letters)
        if (std::string other = result; c != result[i]) other[i] = c, write(edits, string, operands, other, "name the axis that is meant");
    for (size_t i = operands.size(); i-- > 0;)
      for (char c : letters)
        if (std::string other = operands; other[i] != ',' && other[i] != ' ' && c != other[i])
          other[i] = c, write(edits, string, other, result, "name the axis that is meant");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfEquations(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return EquationEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
