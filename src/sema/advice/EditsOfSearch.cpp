// Edits that are searched for where no likelier one mends it: each name of a dimension, each number, the order of sizes and
// of axes, the declared extents of what is in play. They are small, and know nothing of what the program is about.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>
#include <cstdlib>
#include <utility>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class SearchEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function || !place_.expr()) return {};
    switch (diagnostic_.id) {
    case Id::wrongResult:
    case Id::broadcastFails:
    case Id::contractionMismatch:
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::badReshape:
    case Id::splitSizes:
    case Id::tileMismatch:
    case Id::redefinedType:
    case Id::indexShape:
    case Id::windowTooLarge:
    case Id::outOfBounds:
      otherDimensions(), exchangedSizes(), joinedSizes(), otherNumbers(), scaledNumbers(), reshapedAsDeclared(), otherTensors(), movedAxes(), declaredSizes();
      break;
    case Id::channelMismatch:  // weights are declared as they are used: nobody moves their axes
      otherDimensions(), exchangedSizes(), otherNumbers(), scaledNumbers(), otherTensors(), declaredSizes(), movedAxes();
      break;
    case Id::unpackCount:
    case Id::badAxis:
    case Id::callFactFails: otherNumbers(), otherDimensions(); break;
    case Id::wrongArgument: exchangedSizes(), castNumbers(), movedAxes(), declaredSizes(); break;
    case Id::badOperand:
    case Id::dtypeMismatch:
    case Id::narrowing: castNumbers(); break;
    default: break;
    }
    return taken();
  }

  /// Tried early.
  std::vector<CandidateGroup> saidGroups() {
    if (!place_.function || !place_.expr()) return {};
    switch (diagnostic_.id) {
    case Id::wrongResult: takenPosition(), saidDimensions(); break;
    case Id::rankMismatch:
    case Id::shapeMismatch:
    case Id::contractionMismatch:
    case Id::broadcastFails: saidDimensions(), takenPosition(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 16;

  void add(CandidateGroup &edits, Span span, const std::string &by, const std::string &title = {}) {
    if (edits.edits.size() < kMost && by != text(span)) replaceOnce(edits, span, by, title);
  }

  /// Whether the message shows the word: what it is about is likelier the mistake.
  bool isSaid(const std::string &word) const {
    const std::string &said = diagnostic_.message;
    auto inWord = [&](size_t i) {
      return i < said.size() && (std::isalnum(static_cast<unsigned char>(said[i])) || said[i] == '_');
    };
    for (size_t at = said.find(word); at != std::string::npos; at = said.find(word, at + 1))
      if (!(at > 0 && inWord(at - 1)) && !inWord(at + word.size())) return true;
    return false;
  }

  /// The expressions in play and the call around the place.
  template <class Visit> void eachNear(const Visit &each) const {
    eachInPlay(each);
    if (auto *call = place_.innermost<ast::CallExpr>(); call && call != place_.expr()) {
      visit(*call, each);
      for (const ast::Argument &arg : call->arguments)  // `tile.cp_async(part, x[...])`, and what `part` was made as
        if (auto *name = as<ast::NameExpr>(arg.value))
          if (const ast::Expr *value = place_.valueOf(name->name)) visit(*value, each);
    }
  }

  /// Each name of a dimension that is an argument of a call, or an item of one, with each other dimension.
  template <class Visit> void eachOtherDimension(const Visit &visitOther) const {
    const std::set<std::string> dims = dimensions();
    auto each = [&](const ast::Expr &e) {
      auto *name = as<ast::NameExpr>(&e);
      if (!name || !dims.count(name->name)) return;
      for (const std::string &dim : dims)
        if (dim != name->name) visitOther(*name, dim);
    };
    eachNear([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || ordersElements(nameOf(*call))) return;
      for (const ast::Argument &arg : call->arguments) {
        each(*arg.value);
        if (arg.value->kind == ast::ExprKind::Tuple)
          for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*arg.value).items) each(*item);
      }
    });
  }
  /// `one_hot(y, B)` for `one_hot(y, C)`, where the message is about both.
  void saidDimensions() {
    CandidateGroup &edits = group(true);
    eachOtherDimension([&](const ast::NameExpr &name, const std::string &dim) {
      if (isSaid(dim) && isSaid(name.name)) add(edits, name.span, dim);
    });
  }
  void otherDimensions() {
    CandidateGroup &edits = group(true);
    eachOtherDimension([&](const ast::NameExpr &name, const std::string &dim) { add(edits, name.span, dim); });
  }

  /// `h[:, 0:1]` keeps an axis of extent 1.
  void takenPosition() {
    CandidateGroup &edits = group(true);
    eachNear([&](const ast::Expr &part) {
      auto *slice = as<ast::SliceExpr>(&part);
      auto *start = slice ? as<ast::IntExpr>(slice->start) : nullptr;
      auto *stop = slice ? as<ast::IntExpr>(slice->stop) : nullptr;
      if (start && stop && stop->value == start->value + 1)
        add(edits, slice->span, text(*start), "take this one position");
    });
  }

  static bool ordersElements(const std::string &name) {
    static const std::set<std::string> names = {"reshape", "expand", "permute", "transpose", "flatten", "view"};
    return names.count(name) != 0;
  }
  /// `rng.normal((O, I))` for `(I, O)`
  void exchangedSizes() {
    CandidateGroup &edits = group(true);
    auto isSize = [](const ast::Expr &e) { return e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Int; };
    eachNear([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || ordersElements(nameOf(*call))) return;
      for (const ast::Argument &arg : call->arguments) {
        if (arg.value->kind != ast::ExprKind::Tuple) continue;
        auto &items = static_cast<const ast::SequenceExpr &>(*arg.value).items;
        for (size_t i = 0; i + 1 < items.size(); ++i)
          if (isSize(*items[i]) && isSize(*items[i + 1]) && text(*items[i]) != text(*items[i + 1]))
            add(edits, items[i]->span.to(items[i + 1]->span), text(*items[i + 1]) + ", " + text(*items[i]),
                "exchange the sizes");
      }
    });
  }

  /// `y.reshape(B, S, H, D)`, where `[B, S, H * D]` is needed.
  void joinedSizes() {
    CandidateGroup &edits = group(true);
    eachNear([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || nameOf(*call) != "reshape") return;
      for (size_t i = 0; i + 1 < call->arguments.size(); ++i) {
        const ast::Expr &a = *call->arguments[i].value, &b = *call->arguments[i + 1].value;
        if (a.kind == ast::ExprKind::Name && b.kind == ast::ExprKind::Name && dimensions().count(text(a)))
          add(edits, a.span.to(b.span), text(a) + " * " + text(b), "make one axis of the two");
      }
    });
  }

  /// `rng.normal(w.shape)` for `x.shape`: another tensor of the function.
  void otherTensors() {
    if (place_.inKernel) return;
    std::vector<std::string> tensors;
    for (const ast::Parameter &p : place_.function->parameters)
      if (auto *type = as<ast::SubscriptExpr>(p.annotation); type && text(*type->object) == "Tensor")
        tensors.push_back(p.name.text);
    std::set<const ast::Expr *> asked;  // of `w.shape`: that nothing else reads `w` says nothing
    eachNear([&](const ast::Expr &part) {
      if (auto *member = as<ast::AttributeExpr>(&part); member && member->attribute.text == "shape")
        asked.insert(member->object.get());
    });
    CandidateGroup &edits = group(true);
    eachNear([&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      if (!name || !mayBeOther(*name, tensors)) return;
      auto use = place_.names ? place_.names->find(name->name) : decltype(place_.names->end()){};
      bool only = place_.names && use != place_.names->end() && use->second.reads.size() == 1;
      for (const std::string &other : tensors)
        if (!only || asked.count(name)) add(edits, name->span, other);
    });
  }

  /// A parameter, or what the function computed: `h + y` for `x + y`, where something else reads `h` as well.
  bool mayBeOther(const ast::NameExpr &name, const std::vector<std::string> &tensors) const {
    if (std::find(tensors.begin(), tensors.end(), name.name) != tensors.end()) return true;
    auto use = place_.names ? place_.names->find(name.name) : decltype(place_.names->end()){};
    return place_.names && use != place_.names->end() && !use->second.bindings.empty();
  }

  /// `split(x, 2)` for 3 names, `axis=1`, `window=3`: as many as there are names, one more or less.
  void otherNumbers() {
    CandidateGroup asNames, near;
    auto *assign = as<ast::AssignStmt>(place_.statement);
    const size_t names = assign && assign->targets[0]->kind == ast::ExprKind::Tuple
                             ? static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items.size()
                             : 0;
    auto ofNumber = [&](const ast::Expr &value, bool isWindow) {
      auto *number = as<ast::IntExpr>(&value);
      if (!number || isWindow) return;
      if (names > 1) add(asNames, number->span, std::to_string(names), "make as many as there are names");
      add(near, number->span, std::to_string(number->value + 1));
      if (number->value > 0) add(near, number->span, std::to_string(number->value - 1));
    };
    auto ofCall = [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      const bool pools = call && (nameOf(*call) == "max_pool" || nameOf(*call) == "avg_pool");  // of one element nothing is pooled
      for (size_t i = 0; call && i < call->arguments.size(); ++i)
        ofNumber(*call->arguments[i].value, pools && !call->arguments[i].keyword);
    };
    eachNear(ofCall);
    if (assign) visit(*assign->value, ofCall);
    groups_.push_back(std::move(asNames)), groups_.push_back(std::move(near));
  }

  /// `repeat(k, 2, 1)`, where the message says 8 and 4: twice as many.
  void scaledNumbers() {
    std::vector<uint64_t> said;
    const std::string &message = diagnostic_.message;
    for (size_t i = 0; i < message.size(); ++i) {
      const bool starts = std::isdigit(static_cast<unsigned char>(message[i])) &&
                          (i == 0 || !(std::isalnum(static_cast<unsigned char>(message[i - 1])) || message[i - 1] == '_'));
      if (starts) said.push_back(std::strtoull(message.c_str() + i, nullptr, 10));
    }
    CandidateGroup &edits = group(true);
    eachNear([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      for (size_t i = 0; call && i < call->arguments.size(); ++i) {
        const ast::Argument &arg = call->arguments[i];
        auto *number = arg.keyword && arg.keyword->text == "axis" ? nullptr : as<ast::IntExpr>(arg.value);
        for (uint64_t a : said)
          for (uint64_t b : said)
            if (number && a != b && b != 0 && number->value * a % b == 0)
              add(edits, number->span, std::to_string(number->value * a / b));
      }
    });
  }

  /// `a.reshape(B, H * S, D)` on the way to a declared `[B, S, H * D]`: the same factors, in the order that is declared.
  void reshapedAsDeclared() {
    const ast::SubscriptExpr *type = declaredTensor();
    if (!type || extentCount(*type) < 2 || place_.inKernel) return;
    const std::string shape = listOf(extentTexts(*type));
    CandidateGroup &edits = group(true);
    eachNear([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      if (!call || nameOf(*call) != "reshape" || !as<ast::AttributeExpr>(call->callee)) return;
      if (call->arguments.size() != extentCount(*type)) return;
      const Span sizes = call->arguments.front().span.to(call->arguments.back().span);
      if (factorsOf(text(sizes)) == factorsOf(shape)) add(edits, sizes, shape, "write the sizes that are declared");
    });
  }
  /// The names and numbers of some sizes, in the order of the alphabet.
  static std::multiset<std::string> factorsOf(const std::string &sizes) {
    std::multiset<std::string> factors;
    std::string word;
    for (char c : sizes + ",") {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') word += c;
      else if (!word.empty()) factors.insert(std::exchange(word, ""));
    }
    return factors;
  }

  /// `x.permute(2, 0, 1)`: one axis goes to another place, the others stay in their order.
  void movedAxes() {
    if (place_.inKernel) return;
    CandidateGroup &edits = group(true);
    eachNear([&](const ast::Expr &part) {
      const ast::SubscriptExpr *type = tensorTypeOf(&part);
      const size_t rank = type ? extentCount(*type) : 0;
      if (rank < 3 || rank > 4) return;
      for (size_t from = 0; from < rank; ++from)
        for (size_t to = 0; to < rank; ++to) {
          if (from == to || from == to + 1) continue;  // of two neighbours one move is enough
          std::vector<size_t> order;
          for (size_t i = 0; i < rank; ++i)
            if (i != from) order.push_back(i);
          order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
          std::string axes;
          for (size_t axis : order) axes += (axes.empty() ? "" : ", ") + std::to_string(axis);
          add(edits, {part.span.file, part.span.end, part.span.end}, ".permute(" + axes + ")",
              "put the axes into this order");
        }
    });
  }

  /// `step / steps` of integers: each of them, then all.
  void castNumbers() {
    const std::set<std::string> dims = dimensions();
    std::vector<std::pair<Span, std::string>> all;
    CandidateGroup &each = group(true);
    for (const ast::Expr *e : operandsAt(place_)) {
      const ast::Parameter *p = parameterOf(e);
      auto *dtype = p ? as<ast::NameExpr>(p->annotation) : nullptr;
      auto known = dtype ? dtypeByName(dtype->name) : std::nullopt;
      bool whole = (known && isInt(*known)) || dims.count(text(*e)) != 0;
      if (!whole) continue;
      all.push_back({e->span, "f32(" + text(*e) + ")"});
      add(each, e->span, all.back().second, "make a float of it");
    }
    if (all.size() > 1) replaceAll(group(true), all, "make floats of them");
  }

  /// The declared type of a parameter in play: a number in it, a dimension, one that stands elsewhere.
  void declaredSizes() {
    CandidateGroup numbers, names, moved;
    const std::set<std::string> dims = dimensions();
    eachNear([&](const ast::Expr &part) {
      const ast::SubscriptExpr *type = tensorTypeOf(&part);
      if (!type) type = typeOfField(part);
      if (!type) return;
      const size_t rank = extentCount(*type);
      for (size_t i = 0; i < rank; ++i) {
        const ast::Expr &whole = *type->items[i].value;
        visit(whole, [&](const ast::Expr &size) {
          auto *number = &size == &whole ? nullptr : as<ast::IntExpr>(&size);  // the factor of a dimension
          auto *name = as<ast::NameExpr>(&size);
          if (number) add(numbers, number->span, std::to_string(number->value + 1), "declare one more");
          if (number && number->value > 1)
            add(numbers, number->span, std::to_string(number->value - 1), "declare one less");
          for (const std::string &dim : dims)
            if (name && isSaid(name->name) && isSaid(dim))
              add(names, name->span, dim, "declare the extent that is needed");
        });
        for (size_t to = 0; to < rank; ++to) movedSize(*type, i, to, moved);
      }
    });
    for (CandidateGroup *found : {&numbers, &names, &moved}) {
      found->ofSignature = found->assumes = found->rivals =
          true;  // nothing says whether the body or the declaration was meant
      groups_.push_back(std::move(*found));
    }
  }
  /// `m.w1` of `m: Mlp[D, F]`: the type that the struct says.
  const ast::SubscriptExpr *typeOfField(const ast::Expr &e) const {
    auto *member = as<ast::AttributeExpr>(&e);
    const ast::Parameter *p = member ? parameterOf(member->object.get()) : nullptr;
    auto *type = p ? as<ast::SubscriptExpr>(p->annotation) : nullptr;
    const std::string name = type ? text(*type->object) : p && p->annotation ? text(*p->annotation) : "";
    for (size_t i = 0; p && i < place_.module->body.size(); ++i) {
      auto *def = as<ast::StructDef>(place_.module->body[i]);
      for (size_t j = 0; def && def->name.text == name && j < def->body.size(); ++j) {
        auto *field = as<ast::AnnAssignStmt>(def->body[j]);
        auto *declared = field && text(*field->target) == member->attribute.text
                             ? as<ast::SubscriptExpr>(field->annotation)
                             : nullptr;
        if (tensorType(declared)) return declared;
      }
    }
    return nullptr;
  }
  void movedSize(const ast::SubscriptExpr &type, size_t from, size_t to, CandidateGroup &edits) {
    if (from == to || from == to + 1) return;
    std::vector<std::string> sizes;
    for (size_t i = 0; i < extentCount(type); ++i)
      if (i != from) sizes.push_back(text(type.items[i].span));
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(to), text(type.items[from].span));
    const size_t first = std::min(from, to), last = std::max(from, to);
    std::string shown;
    for (size_t i = first; i <= last; ++i) shown += (i > first ? ", " : "") + sizes[i];
    add(edits, type.items[first].span.to(type.items[last].span), shown, "declare the axes in this order");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfSearch(const diag::Diagnostic &diagnostic, const Place &place,
                                          const Sources &sources) {
  return SearchEdits(diagnostic, place, sources).groups();
}
std::vector<CandidateGroup> editsOfSaid(const diag::Diagnostic &diagnostic, const Place &place,
                                        const Sources &sources) {
  return SearchEdits(diagnostic, place, sources).saidGroups();
}

}  // namespace tessera::sema
