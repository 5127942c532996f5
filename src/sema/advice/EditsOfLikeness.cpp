// Edits by likeness: what stands beside it is written in the same way but for one part, so that this part is likely the
// mistake. `q = (x @ wq).reshape(B, S, H, D).transpose(1, 2)` tells what `k = (x @ wk).reshape(B, S, H, D)` lacks.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>
#include <utility>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

struct Word {
  std::string text;
  Span span;
};

class LikenessEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.statement) return {};
    if (diagnostic_.id == Id::outOfBounds) sameStart();
    if (!isAboutParts(diagnostic_.id)) return taken();
    collectModels();
    CandidateGroup parts{{}, true}, items{{}, false};
    parts.assumes = items.assumes = true;  // that it stands so beside it is a guess, for the author to choose
    for (const ast::Expr *e : targets()) {
      likeModels(*e, parts);
      visit(*e, [&](const ast::Expr &part) {
        if (auto *subscript = as<ast::SubscriptExpr>(&part)) likeItems(*subscript, items);
      });
    }
    groups_.push_back(std::move(parts)), groups_.push_back(std::move(items));
    return taken();
  }

private:
  static constexpr size_t kMost = 12, kMostWords = 80, kMostModels = 24;

  /// The values that the statements of the function give or return.
  void collectModels() {
    std::vector<const ast::Stmt *> open;
    for (const ast::StmtPtr &stmt : place_.function->body) open.push_back(stmt.get());
    while (!open.empty()) {
      const ast::Stmt *stmt = open.back();
      open.pop_back();
      const ast::Children below = ast::childrenOf(*stmt);
      open.insert(open.end(), below.stmts.begin(), below.stmts.end());
      for (const ast::Expr *e : below.exprs)
        if (models_.size() < kMostModels && e->kind != ast::ExprKind::Name) models_.push_back(e);
    }
  }
  /// What the message may be about: the values in play, and the parts of the statement.
  std::vector<const ast::Expr *> targets() const {
    std::vector<const ast::Expr *> found = inPlay();
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs)
      if (std::find(found.begin(), found.end(), e) == found.end()) found.push_back(e);
    return found;
  }

  std::vector<Word> wordsOf(const ast::Expr &e) const {
    std::vector<Word> words;
    const std::string shown = text(e);
    auto inName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = 0; at < shown.size();) {
      size_t end = at + 1;
      if (std::isspace(static_cast<unsigned char>(shown[at]))) {
        at = end;
        continue;
      }
      if (inName(shown[at]))
        while (end < shown.size() && inName(shown[end])) ++end;
      const uint32_t begin = e.span.begin + static_cast<uint32_t>(at);
      words.push_back({shown.substr(at, end - at), {e.span.file, begin, e.span.begin + static_cast<uint32_t>(end)}});
      at = end;
    }
    return words;
  }

  /// For each word of `a` its partner in `b`; b.size() where it has none.
  static std::vector<size_t> partners(const std::vector<Word> &a, const std::vector<Word> &b) {
    std::vector<std::vector<size_t>> longest(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
    for (size_t i = a.size(); i-- > 0;)
      for (size_t j = b.size(); j-- > 0;)
        longest[i][j] = a[i].text == b[j].text ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    std::vector<size_t> partner(a.size(), b.size());
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i].text == b[j].text) partner[i++] = j++;
      else if (longest[i + 1][j] >= longest[i][j + 1]) ++i;
      else ++j;
    }
    return partner;
  }

  static bool isBalanced(const std::string &shown) {
    int depth = 0;
    for (char c : shown) {
      if (c == '(' || c == '[') ++depth;
      if ((c == ')' || c == ']') && --depth < 0) return false;
    }
    return depth == 0;
  }
  static bool isName(const std::string &shown) {
    return !shown.empty() && !std::isdigit(static_cast<unsigned char>(shown[0])) &&
           shown.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  }

  /// Each part in which an alike expression differs, written as it is there.
  void likeModels(const ast::Expr &target, CandidateGroup &edits) {
    const std::vector<Word> own = wordsOf(target);
    if (own.size() < 4 || own.size() > kMostWords) return;
    for (const ast::Expr *model : models_) {
      if (model == &target || overlap(model->span, target.span)) continue;
      const std::vector<Word> other = wordsOf(*model);
      if (other.size() < 4 || other.size() > kMostWords) continue;
      const std::vector<size_t> partner = partners(own, other);
      const size_t shared = static_cast<size_t>(std::count_if(partner.begin(), partner.end(), [&](size_t p) { return p < other.size(); }));
      if (shared * 10 < 6 * std::max(own.size(), other.size())) continue;
      eachDifference(own, other, partner, edits);
    }
  }
  static bool overlap(Span a, Span b) { return a.file == b.file && a.begin < b.end && b.begin < a.end; }

  void eachDifference(const std::vector<Word> &own, const std::vector<Word> &other, const std::vector<size_t> &partner, CandidateGroup &edits) {
    size_t j = 0;
    for (size_t i = 0; i <= own.size();) {
      size_t end = i;
      while (end < own.size() && partner[end] == other.size()) ++end;
      const size_t next = end < own.size() ? partner[end] : other.size();
      if (end > i || next > j) {
        const std::string wrong = end > i ? text(own[i].span.to(own[end - 1].span)) : "";
        const std::string right = next > j ? text(other[j].span.to(other[next - 1].span)) : "";
        const uint32_t at = i > 0 ? own[i - 1].span.end : own[0].span.begin;
        const Span span = end > i ? own[i].span.to(own[end - 1].span) : Span{own[0].span.file, at, at};
        const std::string before = end > i || i == 0 || right.empty() || j == 0 ? "" : text({other[j].span.file, other[j - 1].span.end, other[j].span.begin});
        add(edits, span, wrong, before + right);
      }
      i = end + 1, j = next + 1;
    }
  }
  void add(CandidateGroup &edits, Span span, const std::string &wrong, const std::string &right) {
    if (isName(wrong) && isName(right)) return;  // they are about different values
    if (wrong.empty() && right.find_first_not_of("0123456789, ") == std::string::npos) return;  // an extent more is another tensor
    if (right.empty() || wrong.ends_with(',') != right.ends_with(',') || !isBalanced(wrong) || !isBalanced(right) || edits.edits.size() == kMost) return;
    replaceOnce(edits, span, right, "write it as beside it");
  }

  /// `u[1:-1, 1:]`, where `u[2:, 1:-1]` stands in the function: an index as one of another part of the same tensor, or as its
  /// mirror image, `x[1:] - x[:-1]`; those that stand there oftener first.
  void likeItems(const ast::SubscriptExpr &subscript, CandidateGroup &edits) {
    std::vector<std::pair<size_t, std::string>> others;  // how often, negated in order
    auto count = [&](const std::string &item, size_t times) {
      if (item.empty() || item == ":") return;
      auto known = std::find_if(others.begin(), others.end(), [&](const auto &other) { return other.second == item; });
      if (known == others.end()) others.push_back({times, item});
      else known->first += times;
    };
    const std::string object = text(*subscript.object);
    auto each = [&](const ast::Expr &part) {
      auto *other = as<ast::SubscriptExpr>(&part);
      if (!other || other == &subscript || (text(*other->object) != object && !place_.inKernel) || other->items.size() != subscript.items.size()) return;
      for (const ast::Argument &item : other->items)
        if (auto *slice = as<ast::SliceExpr>(item.value)) count(text(item.span), 1), count(mirrored(*slice), 0);
    };
    visitBody(*place_.function, each);
    std::sort(others.begin(), others.end(), [](const auto &a, const auto &b) { return std::pair(b.first, a.second) < std::pair(a.first, b.second); });
    for (const ast::Argument &item : subscript.items)
      for (const auto &[times, other] : others)
        if (item.value->kind == ast::ExprKind::Slice && other != text(item.span) && edits.edits.size() < kMost)
          replace(edits, item.span, other, "take the part that is taken beside it");
  }
  /// `v[l, :, P:T]` beside `k[l, :, P:P + T]`: a slice that begins where another one of this axis does ends where that one ends.
  void sameStart() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::Expr *e : ast::childrenOf(*place_.statement).exprs)
      visit(*e, [&](const ast::Expr &part) {
        auto *own = as<ast::SubscriptExpr>(&part);
        if (own && own->span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= own->span.end) likeSlices(*own, edits);
      });
  }
  void likeSlices(const ast::SubscriptExpr &own, CandidateGroup &edits) {
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *other = as<ast::SubscriptExpr>(&part);
      if (!other || other == &own || other->items.size() != own.items.size()) return;
      for (size_t i = 0; i < own.items.size() && edits.edits.size() < kMost; ++i) {
        auto *mine = as<ast::SliceExpr>(own.items[i].value), *theirs = as<ast::SliceExpr>(other->items[i].value);
        const bool both = mine && theirs && mine->start && theirs->start && mine->stop && theirs->stop;
        if (both && text(*mine->start) == text(*theirs->start) && text(*mine->stop) != text(*theirs->stop))
          replaceOnce(edits, mine->stop->span, text(*theirs->stop), "end it as the slice beside it");
      }
    });
  }
  /// `:-1` of `1:`, and the other way round.
  std::string mirrored(const ast::SliceExpr &slice) const {
    if (slice.step) return {};
    auto *start = as<ast::IntExpr>(slice.start);
    auto *minus = as<ast::UnaryExpr>(slice.stop);
    if (start && !slice.stop) return ":-" + text(*start);
    return minus && minus->op == ast::UnaryOp::Neg && !slice.start && minus->operand->kind == ast::ExprKind::Int ? text(*minus->operand) + ":" : "";
  }

  std::vector<const ast::Expr *> models_;
};

}  // namespace

std::vector<CandidateGroup> editsOfLikeness(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return LikenessEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
