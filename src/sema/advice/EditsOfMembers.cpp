// Edits of what belongs to something: a field of a struct, one of a tuple, the elements that a condition chooses.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class MemberEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.function) return {};
    if (diagnostic_.id == Id::outOfBounds) sizeOfShared();  // also where a statement stores
    if (diagnostic_.id == Id::wrongArgument) elementOfField();
    if (!place_.expr()) return taken();
    switch (diagnostic_.id) {
    case Id::unknownField: otherMethod(), otherField(), fieldOfKeyword(); break;
    case Id::missingField: fieldOfOther(); break;
    case Id::badOperand: fieldInQuotes(); break;
    case Id::tooManyArguments: namedField(); break;
    case Id::contractionMismatch:
    case Id::broadcastFails:
    case Id::rankMismatch:
    case Id::wrongResult: exchangedFields(), otherField(), unreadMatrix(); break;
    case Id::shapeMismatch: otherField(), unreadMatrix(); break;
    case Id::wrongArgument: sumOfChosen(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 8;

  /// The struct that this name is declared to be.
  const ast::StructDef *structOf(const std::string &name) const {
    for (const ast::Parameter &p : place_.function->parameters)
      if (p.name.text == name) return structOfType(p.annotation.get());
    return nullptr;
  }
  const ast::StructDef *structOfType(const ast::Expr *annotation) const {
    auto *type = as<ast::SubscriptExpr>(annotation);
    auto *head = as<ast::NameExpr>(type ? type->object.get() : annotation);
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = as<ast::StructDef>(stmt); head && def && def->name.text == head->name) return def;
    return nullptr;
  }
  /// The struct that an expression is: a parameter, `self`, an item of a stack that a loop goes over, a field of those.
  const ast::StructDef *structOf(const ast::Expr &e) const {
    if (auto *member = as<ast::AttributeExpr>(&e)) {
      const ast::StructDef *owner = structOf(*member->object);
      return owner ? structOfType(typeOfField(*owner, member->attribute.text)) : nullptr;
    }
    auto *name = as<ast::NameExpr>(&e);
    if (!name) return nullptr;
    if (name->name == "self") return as<ast::StructDef>(place_.outermost);
    if (const ast::StructDef *def = structOf(name->name)) return def;
    for (const ast::Stmt *stmt : statementsAround()) {
      auto *loop = as<ast::ForStmt>(stmt);
      auto *stack = loop && text(*loop->target) == name->name ? as<ast::AttributeExpr>(loop->iterable) : nullptr;
      const ast::StructDef *owner = stack ? structOf(*stack->object) : nullptr;
      if (owner) return structOfType(typeOfField(*owner, stack->attribute.text));
    }
    return nullptr;
  }
  /// The declared type of a field; of a stack, that of its items.
  static const ast::Expr *typeOfField(const ast::StructDef &def, const std::string &name) {
    for (const ast::StmtPtr &stmt : def.body) {
      auto *field = as<ast::AnnAssignStmt>(stmt);
      auto *target = field ? as<ast::NameExpr>(field->target) : nullptr;
      if (!target || target->name != name) continue;
      auto *stack = as<ast::StackExpr>(field->annotation);
      return stack ? stack->item.get() : field->annotation.get();
    }
    return nullptr;
  }
  static std::vector<std::string> fieldsOf(const ast::StructDef &def) {
    std::vector<std::string> fields;
    for (const ast::StmtPtr &stmt : def.body) {
      auto *field = as<ast::AnnAssignStmt>(stmt);
      auto *name = field ? as<ast::NameExpr>(field->target) : nullptr;
      if (name) fields.push_back(name->name);
    }
    return fields;
  }
  template <class Visit> void eachMember(const Visit &each) const {
    visit(*place_.around.back(), [&](const ast::Expr &part) {
      if (auto *member = as<ast::AttributeExpr>(&part)) each(*member);
    });
  }
  /// Each `p.w`, `p.up.w` that the function reads, as it is written.
  std::set<std::string> membersRead() const {
    std::set<std::string> read;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      if (auto *member = as<ast::AttributeExpr>(&part)) read.insert(text(*member));
    });
    return read;
  }
  /// `x + h`, where nothing reads `p.wo` yet: what does not fit is multiplied by it.
  void unreadMatrix() {
    if (place_.inKernel) return;
    const std::set<std::string> read = membersRead();
    CandidateGroup &edits = group(true);
    std::vector<const ast::Expr *> operands = operandsAt(place_);
    if (operands.empty()) operands.push_back(place_.expr());
    for (const ast::Parameter &p : place_.function->parameters) {
      const ast::StructDef *def = structOf(p.name.text);
      for (const std::string &field : def ? fieldsOf(*def) : std::vector<std::string>()) {
        const std::string matrix = p.name.text + "." + field;
        const ast::SubscriptExpr *type = tensorType(typeOfField(*def, field));
        if (!type || extentCount(*type) != 2 || read.count(matrix)) continue;
        for (const ast::Expr *operand : operands)
          if (edits.edits.size() < kMost && operand->kind != ast::ExprKind::Binary)
            insert(edits, operand->span.end, " @ " + matrix, "multiply by `" + matrix + "`, which nothing reads yet");
      }
    }
  }

  /// `params["w"]` of a struct.
  void fieldInQuotes() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    auto *owner = subscript ? as<ast::NameExpr>(subscript->object) : nullptr;
    auto *field = owner && subscript->items.size() == 1 ? as<ast::StringExpr>(subscript->items[0].value) : nullptr;
    if (field && structOf(owner->name))
      replace(group(false), {subscript->span.file, owner->span.end, subscript->span.end}, "." + field->value,
              "a field is named");
  }

  /// `p.apply(x)` of a struct whose method is `forward`.
  void otherMethod() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    for (const ast::Expr *e : place_.around)
      if (auto *call = as<ast::CallExpr>(e); call && !member) member = as<ast::AttributeExpr>(call->callee);
    auto *owner = member ? as<ast::NameExpr>(member->object) : nullptr;
    const ast::StructDef *def = owner ? structOf(owner->name) : nullptr;
    if (!def) return;
    CandidateGroup &edits = group(true);
    for (const ast::StmtPtr &stmt : def->body)
      if (auto *method = as<ast::FuncDef>(stmt)) {
        if (method->name.text.rfind("__", 0) != 0) replace(edits, member->attribute.span, method->name.text, "call `" + method->name.text + "`");
        else if (method->name.text == "__call__")
          replace(edits, {member->span.file, member->object->span.end, member->span.end}, "", "call the struct itself");
      }
  }

  /// `l.average` of a struct that has a `mean`; `x @ l.w1`, where `l.w2` was meant and nothing reads it yet.
  void otherField() {
    const std::set<std::string> read = membersRead();
    CandidateGroup unread, others;
    eachMember([&](const ast::AttributeExpr &member) {
      const ast::StructDef *def = structOf(*member.object);
      bool here = diagnostic_.id != Id::unknownField ||
                  (member.attribute.span.begin <= diagnostic_.span.begin &&
                   diagnostic_.span.end <= member.attribute.span.end) ||
                  member.span == diagnostic_.span;
      if (!def || !here) return;
      for (const std::string &field : fieldsOf(*def)) {
        if (field == member.attribute.text) continue;
        bool known = read.count(text(*member.object) + "." + field) != 0;
        if (known && diagnostic_.id != Id::unknownField) continue;
        CandidateGroup &edits = known ? others : unread;
        if (edits.edits.size() < kMost) replace(edits, member.attribute.span, field);
      }
      for (const ast::StmtPtr &stmt : def->body) {  // `net.w` for `net.first.w`
        auto *field = as<ast::AnnAssignStmt>(stmt);
        const ast::StructDef *inner = field ? structOfType(field->annotation.get()) : nullptr;
        if (!inner) continue;
        const std::vector<std::string> fields = fieldsOf(*inner);
        if (std::find(fields.begin(), fields.end(), member.attribute.text) == fields.end()) continue;
        const std::string name = text(*field->target);
        insert(read.count(text(*member.object) + "." + name) ? others : unread, member.attribute.span.begin, name + ".",
               "it belongs to `" + name + "`");
      }
    });
    groups_.push_back(std::move(unread)), groups_.push_back(std::move(others));
  }

  /// `Meter(total=m.total + x)`, which lacks the count: that of `m`.
  void fieldOfOther() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || call->arguments.empty()) return;
    CandidateGroup &edits = group(true);
    for (const ast::Parameter &p : place_.function->parameters) {
      const ast::StructDef *def = structOf(p.name.text);
      std::string more;
      if (def && def->name.text == nameOf(*call))
        for (const std::string &field : fieldsOf(*def))
          if (!keyword(*call, field)) more += ", " + field + "=" + p.name.text + "." + field;
      if (!more.empty())
        insert(edits, call->arguments.back().span.end, more, "take the others from `" + p.name.text + "`");
    }
  }

  /// `replace(m, m.total + x)`
  void namedField() {
    auto *call = place_.innermost<ast::CallExpr>();
    for (const ast::Expr *e : place_.around)
      if (auto *around = as<ast::CallExpr>(e); around && nameOf(*around) == "replace") call = around;
    if (!call || nameOf(*call) != "replace" || call->arguments.size() != 2 || call->arguments[1].keyword) return;
    const ast::StructDef *def = structOf(text(call->arguments[0].span));
    CandidateGroup &edits = group(true);
    for (const std::string &field : def ? fieldsOf(*def) : std::vector<std::string>())
      insert(edits, call->arguments[1].span.begin, field + "=", "name the field");
  }

  /// `replace(p, value=p.critic - rate * g.critic)`: a field that is not given yet, first one that its value reads.
  void fieldOfKeyword() {
    const ast::CallExpr *call = nullptr;
    const ast::Argument *given = nullptr;
    for (const ast::Expr *e : place_.around) {
      auto *around = call ? nullptr : as<ast::CallExpr>(e);
      for (size_t i = 0; around && i < around->arguments.size(); ++i) {
        const ast::Argument &argument = around->arguments[i];
        if (argument.keyword && argument.span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= argument.span.end) call = around, given = &argument;
      }
    }
    const ast::StructDef *def = call && nameOf(*call) == "replace" && !call->arguments.empty() ? structOf(*call->arguments[0].value) : nullptr;
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *made = as<ast::StructDef>(stmt); call && !def && made && made->name.text == nameOf(*call)) def = made;
    if (!def || !(given->keyword->span == diagnostic_.span || given->span == diagnostic_.span)) return;
    CandidateGroup read{{}, true}, others{{}, true};
    read.assumes = others.assumes = true;
    for (const std::string &field : fieldsOf(*def)) {
      if (keyword(*call, field)) continue;
      bool reads = false;
      visit(*given->value, [&](const ast::Expr &part) {
        auto *member = as<ast::AttributeExpr>(&part);
        auto *name = as<ast::NameExpr>(&part);
        reads |= (member && member->attribute.text == field) || (name && name->name == field);
      });
      replace(reads ? read : others, given->keyword->span, field, "give the field `" + field + "`");
    }
    groups_.push_back(std::move(read)), groups_.push_back(std::move(others));
  }

  /// `x @ l.b + l.w`
  void exchangedFields() {
    std::vector<const ast::AttributeExpr *> all;
    eachMember([&](const ast::AttributeExpr &member) {  // also `m.block.w`, and not `m.block`
      const ast::StructDef *owner = structOf(*member.object);
      if (owner && !structOfType(typeOfField(*owner, member.attribute.text))) all.push_back(&member);
    });
    CandidateGroup &edits = group(true);
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = i + 1; j < all.size() && edits.edits.size() < kMost; ++j)
        if (text(*all[i]) != text(*all[j]))
          replaceAll(edits, {{all[i]->span, text(*all[j])}, {all[j]->span, text(*all[i])}}, "exchange them");
  }

  /// `sum(x[x > 0.0])`
  void sumOfChosen() {
    const ast::SubscriptExpr *chosen = place_.innermost<ast::SubscriptExpr>();
    if (!chosen || chosen->items.size() != 1 || place_.inKernel) return;
    for (size_t i = 0; i + 1 < place_.around.size(); ++i) {
      auto *call = as<ast::CallExpr>(place_.around[i + 1]);
      if (place_.around[i] != chosen || !call || nameOf(*call) != "sum" || call->arguments.size() > 1) continue;
      replace(group(false), chosen->span,
              "where(" + text(chosen->items[0].span) + ", " + text(*chosen->object) + ", 0.0)",
              "add those that it holds of");
    }
  }

  /// `t.seen = t.seen[i] + 1.0`: the element that is read is the one that changes.
  void elementOfField() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *field = assign && assign->targets.size() == 1 ? as<ast::AttributeExpr>(assign->targets[0]) : nullptr;
    if (!field) return;
    CandidateGroup &edits = group(true);
    visit(*assign->value, [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      if (item && text(*item->object) == text(*field)) insert(edits, field->span.end, text({item->span.file, item->object->span.end, item->span.end}), "change the element that is read");
    });
  }

  /// `parts = tile.alloc_shared((128,), f32)` of a group of 256 lanes that each have an element.
  void sizeOfShared() {
    auto *item = place_.innermost<ast::SubscriptExpr>();
    auto *store = as<ast::AssignStmt>(place_.statement);
    if (!item && store) item = as<ast::SubscriptExpr>(store->targets[0]);
    auto *name = item ? as<ast::NameExpr>(item->object) : nullptr;
    auto *made = name ? as<ast::CallExpr>(place_.valueOf(name->name)) : nullptr;
    if (!place_.inKernel || !made || nameOf(*made) != "alloc_shared" || made->arguments.empty()) return;
    if (text(*item).find("//") != std::string::npos) return;  // an element for several lanes
    auto *shape = made->arguments[0].value->kind == ast::ExprKind::Tuple
                      ? static_cast<const ast::SequenceExpr *>(made->arguments[0].value.get())
                      : nullptr;
    for (const ast::Decorator &decorator : place_.function->decorators) {
      auto *call = as<ast::CallExpr>(decorator.expression);
      const ast::Argument *lanes = call ? keyword(*call, "group") : nullptr;
      if (lanes && shape && shape->items.size() == 1)
        replace(group(false), shape->items[0]->span, text(*lanes->value), "an element for each lane");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfMembers(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources) {
  return MemberEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
