#include "autodiff/Sweep.h"
#include "checked/ExprBuild.h"
#include <set>

namespace tessera::autodiff {

using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::Stmt;
using checked::StmtKind;

namespace {

/// A variable is needed if something that stays reads it; what binds a variable stays if that is needed. In a loop, a variable may be
/// read before the place where it is assigned, so that this is asked until nothing changes.
class Sweep {
public:
  explicit Sweep(size_t first) : first_(first) {}

  void run(Block &block) {
    collect(block);
    do {
      needed_.clear();
      for (size_t before = SIZE_MAX; before != needed_.size();) {
        before = needed_.size();
        mark(block);
      }
    } while (remove(block));
  }

private:
  void collect(const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->kind == StmtKind::Let && stmt->var->id >= first_) ours_.insert(stmt->var->id);
      collect(stmt->body);
      collect(stmt->otherwise);
    }
  }
  bool isIdle(const Stmt &stmt) const {
    bool binds = stmt.kind == StmtKind::Let || stmt.kind == StmtKind::Assign;
    return binds && ours_.count(stmt.var->id) && !needed_.count(stmt.var->id);
  }
  void need(const Dim &dim) {
    std::set<std::string> names;
    dim.collectVars(names);
    for (const std::string &name : names)
      if (name.size() > 1 && name[0] == '%' && name[1] != 'q') needed_.insert(static_cast<uint32_t>(std::stoul(name.substr(1))));
  }
  void need(Expr *expr) {
    checked::visitExprs(expr, [&](Expr &e) {
      if (e.kind == ExprKind::VarRef) needed_.insert(checked::varOf(e)->id);
      if (const Dim *dim = checked::writtenDim(e)) need(*dim);
      for (const Dim &dim : e.type.shape) need(dim);
      if (const checked::Access *access = checked::accessOf(e))
        for (const checked::IndexPart &part : access->parts) need(part.size);
    });
  }
  void mark(Block &block) {
    for (size_t i = block.size(); i-- > 0;) {
      Stmt &stmt = *block[i];
      mark(stmt.body);
      mark(stmt.otherwise);
      if (isIdle(stmt)) continue;
      for (checked::ExprPtr *e : {&stmt.value, &stmt.extra, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) need(e->get());
      for (checked::Access *access : {&stmt.access, &stmt.source})
        checked::visitExprs(*access, [&](Expr &e) { need(&e); });
      for (checked::ExprPtr &e : stmt.values) need(e.get());
    }
  }
  bool remove(Block &block) {
    bool removed = false;
    for (size_t i = block.size(); i-- > 0;) {
      Stmt &stmt = *block[i];
      bool wasEmpty = stmt.body.empty();
      removed |= remove(stmt.body);
      removed |= remove(stmt.otherwise);
      bool isEmpty = stmt.body.empty() && stmt.otherwise.empty();
      bool isDone = (stmt.kind == StmtKind::If && isEmpty) || (stmt.kind == StmtKind::For && isEmpty && !wasEmpty);
      if (!isDone && !isIdle(stmt)) continue;
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
      removed = true;
    }
    return removed;
  }

  size_t first_;
  std::set<uint32_t> ours_, needed_;
};

}  // namespace

void sweep(Block &block, size_t first) { Sweep(first).run(block); }

}  // namespace tessera::autodiff
