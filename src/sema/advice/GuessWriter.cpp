// How guesses are made, and what the function has for them.
#include "sema/advice/GuessWriter.h"
#include <cctype>

namespace tessera::sema {

using ast::as;

GuessWriter::GuessWriter(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) : EditWriter(diagnostic, place, sources) {
  dims_ = dimensions();
  collectFacts();
}

void GuessWriter::collectFacts() {
  visitBody(*place_.function, [&](const ast::Expr &part) {
    constexpr uint64_t kSmallest = 3;
    if (auto *number = as<ast::IntExpr>(&part); number && number->value >= kSmallest && !number->tooLarge) numbers_.insert(number->text);
    auto *subscript = as<ast::SubscriptExpr>(&part);
    for (size_t i = 0; subscript && i < subscript->items.size(); ++i)
      if (const std::string item = text(subscript->items[i].span); item != ":" && item != "None") items_.insert(item);
  });
  auto extent = [&](const std::string &shown) {
    constexpr size_t kMostExtents = 12;
    const bool known = std::find(extents_.begin(), extents_.end(), shown) != extents_.end();
    if (!known && shown != "..." && extents_.size() < kMostExtents) extents_.push_back(shown);
  };
  for (const std::vector<std::string> &shape : shapesSaid())
    for (const std::string &shown : shape) extent(asWritten(shown));
  auto declared = [&](const ast::Expr *annotation) {
    if (const ast::SubscriptExpr *type = tensorType(annotation))
      for (const std::string &shown : extentTexts(*type)) extent(shown);
  };
  for (const ast::Parameter &p : place_.function->parameters) declared(p.annotation.get());
  declared(place_.function->result.get());
  dtypes_ = declaredDTypes(true);
  dtypes_.insert("f32");
  visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
    auto *loop = as<ast::ForStmt>(&stmt);
    auto *counter = loop ? as<ast::NameExpr>(loop->target) : nullptr;
    if (counter && stmt.span.begin <= place_.statement->span.begin && place_.statement->span.end <= stmt.span.end) counters_.push_back(counter->name);
  });
  if (place_.names)
    for (const auto &[name, use] : *place_.names)
      if (use.isBound() && use.reads.empty() && name[0] != '_' && !dims_.count(name)) unread_.push_back(name);
  std::set<std::string> read;  // `p.w` and, as a whole, `p`
  visitBody(*place_.function, [&](const ast::Expr &part) {
    if (part.kind == ast::ExprKind::Attribute) read.insert(text(part));
    else if (auto *name = as<ast::NameExpr>(&part); name && !fieldsOfType(name).empty() && !behindDot(part.span)) read.insert(name->name);
  });
  for (const ast::Parameter &p : place_.function->parameters) {
    if (read.count(p.name.text)) continue;
    for (const std::string &field : fieldsOf(&p))
      if (!read.count(p.name.text + "." + field)) unreadFields_.push_back(p.name.text + "." + field);
  }
}

/// Whether a name stands in front of a dot, `p` of `p.w`.
bool GuessWriter::behindDot(Span name) const {
  const std::string_view all = sources_.file(name.file).text;
  return name.end < all.size() && all[name.end] == '.';
}

/// An extent of a message, `2*N`, as it is written.
std::string GuessWriter::asWritten(std::string extent) {
  for (size_t at = extent.find('*'); at != std::string::npos; at = extent.find('*', at + 3))
    if (at > 0 && extent[at - 1] != ' ') extent.replace(at, 1, " * ");
  return extent;
}

void GuessWriter::add(Operator op, Span span, const std::string &by, const std::string &title) {
  if (isFull() || by == text(span) || !known_.insert({{span.begin, span.end}, by}).second) return;
  const std::string shown = !title.empty() ? title : span.begin == span.end ? "insert `" + by + "`" : by.empty() ? "leave it out" : "write `" + by + "`";
  found_.push_back({{span, by, shown, diag::Applicability::Assumption}, op, reach_});
}
void GuessWriter::behind(Operator op, const ast::Expr &e, const std::string &what) {
  const Span end{e.span.file, e.span.end, e.span.end};
  if (asPrimary(e) == text(e)) add(op, end, what);
  else if (isInParentheses(e)) add(op, {end.file, end.end + 1, end.end + 1}, what);
  else add(op, e.span, "(" + text(e) + ")" + what);
}
void GuessWriter::exchange(Operator op, Span a, Span b) {
  if (text(a) != text(b)) add(op, a.to(b), text(b) + text({a.file, a.end, b.begin}) + text(a), "exchange them");
}
void GuessWriter::exchangeAll(Operator op, const std::vector<Span> &parts) {
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t j = i + 1; j < parts.size(); ++j) exchange(op, parts[i], parts[j]);
}
void GuessWriter::without(Operator op, const std::vector<Span> &parts, size_t i) {
  if (parts.size() < 2) return;
  const Span gone = i == 0 ? Span{parts[0].file, parts[0].begin, parts[1].begin} : Span{parts[i].file, parts[i - 1].end, parts[i].end};
  add(op, gone, "", "leave out `" + text(parts[i]) + "`");
}

std::vector<Span> GuessWriter::argumentSpans(const std::vector<ast::Argument> &arguments) {
  std::vector<Span> spans;
  for (const ast::Argument &argument : arguments) spans.push_back(argument.span);
  return spans;
}
std::vector<Span> GuessWriter::itemSpans(const ast::SequenceExpr &list) {
  std::vector<Span> spans;
  for (const ast::ExprPtr &item : list.items) spans.push_back(item->span);
  return spans;
}
/// Whether the parentheses around an expression are its own, and not those of a call.
bool GuessWriter::isInParentheses(const ast::Expr &e) const {
  const std::string_view all = sources_.file(e.span.file).text;
  if (e.span.begin < 2 || e.span.end >= all.size() || all[e.span.begin - 1] != '(' || all[e.span.end] != ')') return false;
  const char before = all[e.span.begin - 2];
  return !std::isalnum(static_cast<unsigned char>(before)) && before != '_' && before != ')' && before != ']';
}
std::vector<std::string> GuessWriter::fieldsBeside(const std::string &field) const {
  std::vector<std::string> found;
  for (const ast::StmtPtr &stmt : place_.module->body) {
    std::vector<std::string> own;
    auto *def = as<ast::StructDef>(stmt);
    for (size_t i = 0; def && i < def->body.size(); ++i)
      if (auto *declared = as<ast::AnnAssignStmt>(def->body[i])) own.push_back(text(*declared->target));
    if (std::find(own.begin(), own.end(), field) != own.end()) found.insert(found.end(), own.begin(), own.end());
  }
  return found;
}
bool GuessWriter::isBound(const std::string &name) const {
  auto use = place_.names ? place_.names->find(name) : decltype(place_.names->end()){};
  return place_.names && use != place_.names->end() && use->second.isBound();
}
void GuessWriter::rotate(Operator op, const std::vector<Span> &parts, const std::string &title) {
  if (parts.size() < 3) return;
  std::string firstLast, lastFirst = text(parts.back());
  for (size_t i = 1; i < parts.size(); ++i) firstLast += text(parts[i]) + ", ";
  for (size_t i = 0; i + 1 < parts.size(); ++i) lastFirst += ", " + text(parts[i]);
  const Span whole = parts.front().to(parts.back());
  add(op, whole, firstLast + text(parts.front()), title);
  add(op, whole, lastFirst, title);
}

}  // namespace tessera::sema
