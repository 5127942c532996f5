// What kernels of other languages write otherwise: sizes of tiles, slices, results.
#include "sema/advice/Foreign.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include "support/DType.h"
#include <map>
#include <set>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class SmallKernelEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (diagnostic_.id == Id::badOperand) launched();
    if (!place_.inKernel || !place_.function) return taken();
    switch (diagnostic_.id) {
    case Id::undefinedName: contextForgotten(), offsetsOfTiles(), sizesOfTiles(); break;
    case Id::cannotReturnInside: guardOfC(); break;
    case Id::divergentBarrier: behindTheCondition(); break;
    case Id::copyPending:
    case Id::copyOverUse: otherStage(); break;
    case Id::sharedRace: meetingInFront(); break;
    case Id::unknownAttribute: dtypeOfTile(); break;
    case Id::argumentNotGiven: dtypeOfShared(); break;
    case Id::wrongArgument: gridOfFunction(), sliceOfPointer(); break;
    case Id::unpackCount: contextTakenApart(); break;
    case Id::unknownKeyword: alongAnAxis(); break;
    case Id::missingReturn: storedParameter(); break;
    case Id::broadcastFails:
    case Id::contractionMismatch: tileOfTensor(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `copy[(cdiv(N, 64),)](x)`
  void launched() {
    auto *subscript = as<ast::SubscriptExpr>(place_.expr());
    auto *call = subscript && place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    if (call && call->callee.get() == subscript && as<ast::NameExpr>(subscript->object))
      replace(group(false), subscript->span, text(*subscript->object),
              "leave it out: the kernel itself says how many groups it has");
  }

  /// `T.m` without `T = tile.context()`.
  void contextForgotten() {
    auto *name = as<ast::NameExpr>(place_.expr());
    auto *member = place_.around.size() > 1 ? as<ast::AttributeExpr>(place_.around[1]) : nullptr;
    static const std::set<std::string> sizes = {"m", "n", "k"};
    if (!name || !member || !sizes.count(member->attribute.text) || place_.function->body.empty()) return;
    const ast::Stmt &first = *place_.function->body.front();
    insert(group(false), first.span.begin, name->name + " = tile.context()\n" + indentOf(first),
           "take the sizes of the schedule");
  }

  /// `x[tile_m:tile_m + T.m]`: what a slice starts at is an offset, not a size.
  void offsetsOfTiles() {
    std::set<std::string> bound;
    std::vector<std::string> starts;
    bool hasOrigin = false;
    walkAll(
        *place_.function,
        [&](const ast::Stmt &stmt) {
          if (auto *assign = as<ast::AssignStmt>(&stmt)) {
            visit(*assign->targets[0], [&](const ast::Expr &e) {
              if (auto *target = as<ast::NameExpr>(&e)) bound.insert(target->name);
            });
            auto *call = as<ast::CallExpr>(assign->value);
            hasOrigin |= call && nameOf(*call) == "origin";
          }
          if (auto *loop = as<ast::ForStmt>(&stmt)) bound.insert(text(*loop->target));
        },
        [&](const ast::Expr &e) {
          auto *slice = as<ast::SliceExpr>(&e);
          auto *start = slice ? as<ast::NameExpr>(slice->start) : nullptr;
          if (start && std::find(starts.begin(), starts.end(), start->name) == starts.end())
            starts.push_back(start->name);
        });
    for (const ast::Parameter &p : place_.function->parameters) bound.insert(p.name.text);
    std::erase_if(starts, [&](const std::string &name) { return bound.count(name) != 0; });
    startsHere_ = std::find(starts.begin(), starts.end(), text(diagnostic_.span)) != starts.end();
    const ast::Stmt *whole = statementOfFunction();
    if (!startsHere_ || hasOrigin || !whole) return;
    std::string names;
    for (const std::string &name : starts) names += (names.empty() ? "" : ", ") + name;
    if (starts.size() == 1) names += ",";
    insert(group(false), whole->span.begin, names + " = tile.origin()\n" + indentOf(*whole),
           "take where the tile of this group starts");
  }

  /// `if i >= n: return` in front of the work.
  void guardOfC() {
    static const std::map<ast::CompareOp, std::string> contrary = {{ast::CompareOp::Lt, " >= "},
                                                                   {ast::CompareOp::Le, " > "},
                                                                   {ast::CompareOp::Gt, " <= "},
                                                                   {ast::CompareOp::Ge, " < "}};
    const ast::Block &body = place_.function->body;
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      auto *guard = as<ast::IfStmt>(body[i]);
      auto *leave = guard && guard->then.size() == 1 ? as<ast::ReturnStmt>(guard->then[0]) : nullptr;
      auto *compare =
          leave && guard->otherwise.empty() ? as<ast::CompareExpr>(guard->condition) : nullptr;
      auto op = compare && compare->ops.size() == 1 ? contrary.find(compare->ops[0]) : contrary.end();
      if (op == contrary.end() || leave != place_.statement) continue;
      size_t last = body.size() - 1;
      while (last > i && body[last]->kind == ast::StmtKind::Return) --last;
      if (last == i) return;
      auto *final = as<ast::ReturnStmt>(body.back());
      if (leave->value && (!final || !final->value || text(*final->value) != text(*leave->value))) return;  // something else is returned
      std::string indent = indentOf(*guard), inner;
      for (char c : text(body[i + 1]->span.to(body[last]->span))) inner += c == '\n' ? "\n    " : std::string(1, c);
      CandidateGroup &edits = group(false);
      std::vector<std::string> conditions = {op->second};
      if (op->first == ast::CompareOp::Gt) conditions.push_back(" < ");  // `i > N` lets one too many through
      for (const std::string &condition : conditions)
        replace(edits, guard->span.to(body[last]->span), "if " + text(*compare->operands[0]) + condition + text(*compare->operands[1]) + ":\n" + indent + "    " + inner, "put the work under the opposite condition");
      return;
    }
  }

  /// `tile.barrier()` as the last thing that some lanes do.
  void behindTheCondition() {
    const ast::Stmt *barrier = place_.statement;
    walkAll(
        *place_.function,
        [&](const ast::Stmt &stmt) {
          auto *guard = as<ast::IfStmt>(&stmt);
          bool last =
              guard && guard->otherwise.empty() && guard->then.size() > 1 && guard->then.back().get() == barrier;
          if (!last) return;
          const SourceFile &file = sources_.file(barrier->span.file);
          uint32_t line = file.lineStart(file.lineColumn(barrier->span.begin).line);
          Span deeper{barrier->span.file, line + static_cast<uint32_t>(indentOf(*guard).size()), barrier->span.begin};
          replace(group(false), deeper, "", "move it out of the condition");
        },
        [](const ast::Expr &) {});
    auto *call = barrier && barrier->kind == ast::StmtKind::Expr ? as<ast::CallExpr>(static_cast<const ast::ExprStmt *>(barrier)->value) : nullptr;
    const std::vector<const ast::Stmt *> around = statementsAround();
    const bool ofLoop = std::any_of(around.begin(), around.end(), [](const ast::Stmt *stmt) { return stmt->kind == ast::StmtKind::For || stmt->kind == ast::StmtKind::While; });
    if (!call || nameOf(*call) != "barrier" || ofLoop) return;
    CandidateGroup &edits = group(false);
    edits.last = edits.assumes = true;
    const SourceFile &file = sources_.file(barrier->span.file);
    const uint32_t line = file.lineColumn(barrier->span.begin).line;
    const Span whole{barrier->span.file, file.lineStart(line), barrier->span.end + 1};
    replace(edits, whole, "", "leave it out");
    for (const ast::Stmt *stmt : statementsAround())
      if (auto *guard = as<ast::IfStmt>(stmt); guard && guard->then.front().get() != barrier) {
        const std::string between = text({whole.file, guard->span.begin, whole.begin});
        replace(edits, {whole.file, guard->span.begin, whole.end}, text(*call) + "\n" + indentOf(*guard) + between, "move it in front of the condition");
        break;
      }
  }

  /// `tile.load(x + start)` beside `y[start:start + 128]`: the same part of x.
  void sliceOfPointer() {
    auto *sum = as<ast::BinaryExpr>(place_.expr());
    if (!sum || sum->op != ast::BinaryOp::Add || !parameterOf(sum->left.get())) return;
    std::set<std::string> parts;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *item = as<ast::SubscriptExpr>(&part);
      auto *slice = item && item->items.size() == 1 ? as<ast::SliceExpr>(item->items[0].value) : nullptr;
      if (slice && slice->start && slice->stop && text(*slice->start) == text(*sum->right)) parts.insert(text(*slice));
    });
    if (parts.size() == 1) replace(group(false), sum->span, text(*sum->left) + "[" + *parts.begin() + "]", "take the part that is taken beside it");
  }

  /// `s[t] = s[t] + v` of a v that another element of s gave: all lanes have read it first.
  void meetingInFront() {
    auto *store = as<ast::AssignStmt>(place_.statement);
    auto *update = as<ast::AugAssignStmt>(place_.statement);
    const ast::Expr *value = store ? store->value.get() : update ? update->value.get() : nullptr;
    if (!value || !diagnostic_.fixes.empty() || (value->kind == ast::ExprKind::Subscript)) return;
    const std::string body = text({place_.function->span.file, place_.function->body.front()->span.begin, place_.function->span.end});
    const size_t known = body.find("barrier()");
    size_t begin = known == std::string::npos ? 0 : known;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(body[begin - 1])) || body[begin - 1] == '.')) --begin;
    const std::string prefix = known == std::string::npos ? "tile." : body.substr(begin, known - begin);
    CandidateGroup &edits = group(false);
    edits.last = edits.assumes = true;
    insert(edits, place_.statement->span.begin, prefix + "barrier()\n" + indentOf(*place_.statement), "insert `" + prefix + "barrier()`");
  }

  /// `sa[1 - stage]` for `sa[stage]`.
  void otherStage() {
    stageNotFilled(), stageOfOthers();
    CandidateGroup &edits = group(true);
    auto add = [&](const ast::Expr &part) {
      auto *subscript = as<ast::SubscriptExpr>(&part);
      if (!subscript || subscript->items.size() != 1 || !as<ast::NameExpr>(subscript->object)) return;
      const ast::Expr &index = *subscript->items[0].value;
      auto *binary = as<ast::BinaryExpr>(&index);
      bool other =
          binary && binary->op == ast::BinaryOp::Sub && text(*binary->left) == "1" && as<ast::NameExpr>(binary->right);
      if (other) replace(edits, index.span, text(*binary->right), "take the other stage");
      if (as<ast::NameExpr>(&index)) replace(edits, index.span, "1 - " + text(index), "take the other stage");
    };
    if (place_.expr())
      visit(
          *(place_.around.size() > 1 && place_.expr()->kind == ast::ExprKind::Name ? place_.around[1] : place_.expr()),
          add);
  }

  /// `ring[(i + 1) % 2, t]`, into which `cp_async(ring[(i + 1) % 2, :], ...)` copies: the stage that arrived is the other one.
  void stageNotFilled() {
    if (!place_.expr() || diagnostic_.id != Id::copyPending) return;
    std::set<std::string> filled;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *copy = as<ast::CallExpr>(&part);
      auto *target = copy && nameOf(*copy) == "cp_async" && !copy->arguments.empty() ? as<ast::SubscriptExpr>(copy->arguments[0].value) : nullptr;
      if (target && !target->items.empty()) filled.insert(text(*target->object) + "[" + text(target->items[0].span));
    });
    auto *read = place_.innermost<ast::SubscriptExpr>();
    if (read && !read->items.empty() && read->items[0].value->kind == ast::ExprKind::Int) otherStage(*read, filled);
    auto *turn = read && !read->items.empty() ? as<ast::BinaryExpr>(read->items[0].value) : nullptr;
    auto *next = turn && turn->op == ast::BinaryOp::Mod ? as<ast::BinaryExpr>(turn->left) : nullptr;
    if (!next || next->op != ast::BinaryOp::Add || next->right->kind != ast::ExprKind::Int || !filled.count(text(*read->object) + "[" + text(turn->span))) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;  // to wait longer mends it as well
    replace(edits, turn->span, text(*next->left) + " % " + text(*turn->right), "take the stage that has arrived");
  }

  /// `s[1, t]` where the copy into `s[1]` is on its way and that into `s[0]` has arrived: to wait for more is one edit of two.
  void otherStage(const ast::SubscriptExpr &read, const std::set<std::string> &filled) {
    CandidateGroup &edits = group(false);
    edits.rivals = true;
    const std::string own = text(read.items[0].span), buffer = text(*read.object) + "[";
    for (const std::string &stage : filled)
      if (stage.rfind(buffer, 0) == 0 && stage != buffer + own && stage.find_first_not_of("0123456789", buffer.size()) == std::string::npos)
        replace(edits, read.items[0].span, stage.substr(buffer.size()), "take the stage that has arrived");
  }

  /// `dot(sa[stage], sb[0])`: the number of the stage that stands beside it.
  void stageOfOthers() {
    auto *statement = place_.around.empty() ? nullptr : place_.around.back();
    if (!statement) return;
    std::vector<const ast::Expr *> fixed;
    std::set<std::string> moving;
    visit(*statement, [&](const ast::Expr &part) {
      auto *subscript = as<ast::SubscriptExpr>(&part);
      if (!subscript || subscript->items.size() != 1) return;
      const ast::Expr &index = *subscript->items[0].value;
      if (index.kind == ast::ExprKind::Int) fixed.push_back(&index);
      if (index.kind == ast::ExprKind::Name) moving.insert(text(index));
    });
    CandidateGroup &edits = group(true);
    for (const ast::Expr *number : fixed)
      for (const std::string &stage : moving)
        replace(edits, number->span, stage, "take the stage that the others take");
  }

  /// `tile.group_id(0) * BLOCK` with a grid of `cdiv(N, 128)` groups: that number.
  bool sizeOfGrid() {
    std::set<std::string> sizes;
    bool written = false;
    for (const ast::Decorator &decorator : place_.function->decorators) {
      auto *call = as<ast::CallExpr>(decorator.expression);
      const ast::Argument *grid = call ? keyword(*call, "grid") : nullptr;
      written |= grid != nullptr;
      if (grid)
        visit(*grid->value, [&](const ast::Expr &part) {
          auto *groups = as<ast::CallExpr>(&part);
          if (groups && nameOf(*groups) == "cdiv" && groups->arguments.size() == 2 && groups->arguments[1].value->kind == ast::ExprKind::Int) sizes.insert(text(groups->arguments[1].span));
        });
    }
    if (sizes.size() == 1) replace(group(false), diagnostic_.span, *sizes.begin(), "as many as the grid counts with");
    return written && sizes.size() == 1;
  }

  /// `BM` and `BLOCK_N`, which nothing defines: those of the function get the sizes of the schedule.
  void sizesOfTiles() {
    if (startsHere_ || sizeHere(text(diagnostic_.span)).empty() || sizeOfGrid()) return;
    const ast::Stmt *whole = statementOfFunction();
    if (!whole) return;
    std::vector<std::string> names;
    std::set<std::string> seen, bound;
    std::string context;
    visitNames(
        *place_.function,
        [&](const ast::Stmt &stmt) {
          auto *assign = as<ast::AssignStmt>(&stmt);
          auto *target = assign && assign->targets.size() == 1 ? as<ast::NameExpr>(assign->targets[0]) : nullptr;
          if (!target) return;
          bound.insert(target->name);
          auto *call = as<ast::CallExpr>(assign->value);
          if (call && nameOf(*call) == "context" && stmt.span.end <= whole->span.begin) context = target->name;
        },
        [&](const ast::NameExpr &name) {
          if (!sizeHere(name.name).empty() && seen.insert(name.name).second) names.push_back(name.name);
        });
    std::string left, right, indent = "\n" + indentOf(*whole), first;
    if (context.empty()) first = "T = tile.context()" + indent, context = "T";
    for (const std::string &name : names) {
      if (bound.count(name)) continue;
      left += (left.empty() ? "" : ", ") + name;
      right += (right.empty() ? "" : ", ") + context + "." + std::string(sizeHere(name));
    }
    if (!left.empty())
      insert(group(false), whole->span.begin, first + left + " = " + right + indent, "take the sizes of the schedule");
  }

  /// `tile.float32`
  void dtypeOfTile() {
    auto *member = as<ast::AttributeExpr>(place_.expr());
    auto dtype = member ? dtypeByName(member->attribute.text) : std::nullopt;
    if (dtype) replace(group(false), member->span, std::string(name(*dtype)));
  }

  /// `tile.alloc_shared((128,))`, where the parameters have one dtype.
  void dtypeOfShared() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "alloc_shared" || call->arguments.size() != 1) return;
    CandidateGroup &edits = group(true);
    for (const std::string &dtype : declaredDTypes(false)) insert(edits, call->span.end - 1, ", " + dtype);
  }

  /// `grid=lambda meta: (cdiv(N, 64),)`
  void gridOfFunction() {
    auto *function = as<ast::LambdaExpr>(place_.expr());
    if (function && function->body) replace(group(false), function->span, text(*function->body), "give its value");
  }

  /// `bm, bn = tile.context()`
  void contextTakenApart() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
    auto *tuple = assign && assign->targets.size() == 1 && assign->targets[0]->kind == ast::ExprKind::Tuple
                      ? static_cast<const ast::SequenceExpr *>(assign->targets[0].get())
                      : nullptr;
    if (!call || nameOf(*call) != "context" || !tuple || tuple->items.empty() || tuple->items.size() > 3) return;
    std::string sizes;
    for (size_t i = 0; i < tuple->items.size(); ++i) sizes += std::string(i ? ", " : "") + "T." + "mnk"[i];
    std::string apart = tuple->items.size() == 1 ? text(*tuple->items[0]) : text(*tuple);
    replace(group(false), assign->span, "T = " + text(*call) + "\n" + indentOf(*assign) + apart + " = " + sizes,
            "take its fields");
  }

  /// `tile.maximum(x, axis=1)`
  void alongAnAxis() {
    auto *call = place_.innermost<ast::CallExpr>();
    std::string name = call ? nameOf(*call) : "";
    if (name != "maximum" && name != "minimum") return;
    auto *member = as<ast::AttributeExpr>(call->callee);
    replace(group(false), member ? member->attribute.span : call->callee->span, name.substr(0, 3));
  }

  /// A parameter that is stored into, of the declared type, where nothing is returned.
  void storedParameter() {
    const ast::FuncDef &def = *place_.function;
    if (def.body.empty() || !def.result) return;
    std::set<std::string> stored;
    visitNames(
        def,
        [&](const ast::Stmt &stmt) {
          std::vector<const ast::Expr *> targets;
          if (auto *assign = as<ast::AssignStmt>(&stmt))
            for (const ast::ExprPtr &target : assign->targets) targets.push_back(target.get());
          if (auto *assign = as<ast::AugAssignStmt>(&stmt)) targets.push_back(assign->target.get());
          for (const ast::Expr *target : targets)
            if (auto *item = as<ast::SubscriptExpr>(target))
              if (auto *name = as<ast::NameExpr>(item->object)) stored.insert(name->name);
        },
        [](const ast::NameExpr &) {});
    Span last = def.body.back()->span;
    std::string shown = text(last);
    uint32_t end = last.begin + static_cast<uint32_t>(shown.find_last_not_of(" \t\r\n") + 1);
    CandidateGroup &edits = group(true);
    for (const ast::Parameter &p : def.parameters)
      if (p.annotation && stored.count(p.name.text) && text(*p.annotation) == text(*def.result))
        insert(edits, end, "\n" + indentOf(*def.body.front()) + "return " + p.name.text,
               "return `" + p.name.text + "`");
  }

  /// `m:m + T.m` and `n:n + T.n` of `m, n = tile.origin()`.
  std::vector<std::string> slicesOfOrigin() const {
    static constexpr std::string_view kSizes = "mnk";
    std::string context;
    std::vector<std::string> names, slices;
    walkAll(
        *place_.function,
        [&](const ast::Stmt &stmt) {
          auto *assign = as<ast::AssignStmt>(&stmt);
          auto *call = assign && assign->targets.size() == 1 ? as<ast::CallExpr>(assign->value) : nullptr;
          if (call && nameOf(*call) == "context") context = text(*assign->targets[0]);
          if (!call || nameOf(*call) != "origin" || assign->targets[0]->kind != ast::ExprKind::Tuple) return;
          for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items)
            names.push_back(text(*item));
        },
        [](const ast::Expr &) {});
    for (size_t i = 0; !context.empty() && i < names.size() && i < kSizes.size(); ++i)
      if (names[i] != "_") slices.push_back(names[i] + ":" + names[i] + " + " + context + "." + kSizes[i]);
    return slices;
  }

  /// `acc + bias`, where a tile of the parameter was meant: at the slices that the kernel takes of others.
  void tileOfTensor() {
    constexpr size_t kMostRank = 2, kMostSlices = 4;
    std::vector<std::string> slices;
    std::set<std::string> seen;
    visitAll(*place_.function, [&](const ast::Expr &e) {
      auto *slice = as<ast::SliceExpr>(&e);
      auto *stop = slice && slice->start && !slice->step ? as<ast::BinaryExpr>(slice->stop) : nullptr;
      bool block = stop && stop->op == ast::BinaryOp::Add && text(*stop->left) == text(*slice->start);
      if (block && slices.size() < kMostSlices && seen.insert(text(*slice)).second) slices.push_back(text(*slice));
    });
    for (const std::string &own : slicesOfOrigin())
      if (slices.size() < kMostSlices && seen.insert(own).second) slices.push_back(own);
    CandidateGroup &edits = group(true);
    for (const ast::Expr *operand : operandsAt(place_)) {
      auto *name = as<ast::NameExpr>(operand);
      const ast::Parameter *parameter = nullptr;
      for (const ast::Parameter &p : place_.function->parameters)
        if (name && p.name.text == name->name) parameter = &p;
      auto *type = parameter ? as<ast::SubscriptExpr>(parameter->annotation) : nullptr;
      size_t rank = type ? extentCount(*type) : 0;
      if (rank == 0 || rank > kMostRank) continue;
      std::vector<std::string> parts = slices;
      if (rank > 1) parts.push_back(":");
      for (const std::string &first : parts) {
        if (rank == 1) replace(edits, name->span, name->name + "[" + first + "]");
        for (const std::string &second : parts)
          if (rank > 1 && (first != ":" || second != ":") && (first == ":" || first != second))
            replace(edits, name->span, name->name + "[" + first + ", " + second + "]");
      }
    }
  }

  /// The statement of the function's own block that the message is about.
  const ast::Stmt *statementOfFunction() const {
    for (const ast::StmtPtr &stmt : place_.function->body)
      if (stmt->span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= stmt->span.end) return stmt.get();
    return nullptr;
  }
  template <class OfStmt, class OfExpr>
  static void walk(const ast::Stmt &stmt, const OfStmt &ofStmt, const OfExpr &ofExpr) {
    ofStmt(stmt);
    ast::Children below = ast::childrenOf(stmt);
    for (const ast::Expr *e : below.exprs) visit(*e, ofExpr);
    for (const ast::Stmt *inner : below.stmts) walk(*inner, ofStmt, ofExpr);
  }
  template <class OfStmt, class OfExpr>
  static void walkAll(const ast::FuncDef &def, const OfStmt &ofStmt, const OfExpr &ofExpr) {
    for (const ast::StmtPtr &stmt : def.body) walk(*stmt, ofStmt, ofExpr);
  }
  template <class OfExpr> static void visitAll(const ast::FuncDef &def, const OfExpr &ofExpr) {
    for (const ast::StmtPtr &stmt : def.body) walk(*stmt, [](const ast::Stmt &) {}, ofExpr);
  }
  template <class OfStmt, class OfName>
  static void visitNames(const ast::FuncDef &def, const OfStmt &ofStmt, const OfName &ofName) {
    for (const ast::StmtPtr &stmt : def.body)
      walk(*stmt, ofStmt, [&](const ast::Expr &e) {
        if (auto *name = as<ast::NameExpr>(&e)) ofName(*name);
      });
  }

  bool startsHere_ = false;  // the name of the message is what a slice starts at
};

}  // namespace

std::vector<CandidateGroup> smallEditsOfKernels(const diag::Diagnostic &diagnostic, const Place &place,
                                                const Sources &sources) {
  return SmallKernelEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
