#include "sema/races/KernelSafety.h"
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/races/Edits.h"
#include "sema/races/Order.h"
#include "sema/races/Simulation.h"
#include <algorithm>
#include <functional>

namespace tessera::sema::races {
namespace {

using diag::Id;

constexpr int64_t kFuel = 3'000'000;   // elements and lanes' statements of all runs: about 20 ms
constexpr int64_t kGlobalFuel = 1'000'000;  // the same, of the runs of several groups
constexpr int64_t kMostGroups = 8;     // of one run
constexpr size_t kUsualLanes = 64;     // of a group whose size the compiler chooses
constexpr int64_t kMostIdle = 4;       // waits that allow more than this are not judged: the runs may be too short

std::string groupText(int64_t group) { return group < 0 ? "another group" : "group " + std::to_string(group); }
std::string laneText(int32_t lane, const char *some) {
  return lane == kEveryLane ? "every lane" : lane == kSomeLanes ? some : "lane " + std::to_string(lane);
}

bool storesTo(const Block &block, const Var *buffer) {
  return std::any_of(block.begin(), block.end(), [&](const auto &stmt) {
    bool stores = stmt->kind == StmtKind::Store || stmt->kind == StmtKind::Atomic || stmt->kind == StmtKind::AsyncCopy;
    return (stores && stmt->access.base == buffer) || storesTo(stmt->body, buffer) || storesTo(stmt->otherwise, buffer);
  });
}

/// A loop that only reads what was written before it: one barrier in front of it is enough.
bool onlyReadsOn(const Around &around, const Finding &finding) {
  bool loop = around.stmt->kind == StmtKind::For || around.stmt->kind == StmtKind::While;
  return loop && finding.first.when < around.since && !storesTo(around.stmt->body, finding.buffer);
}

class Safety {
public:
  Safety(const Function &kernel, const ast::FuncDef &def, const Sources &sources, diag::Engine &diagnostics)
      : kernel_(kernel), def_(def), sources_(sources), diagnostics_(diagnostics) {}

  void run() {
    bool stores = std::any_of(kernel_.params.begin(), kernel_.params.end(),
                              [](const Param &p) { return p.mode != ParamMode::In && !p.isResult; });
    if (divergentTile(kernel_.body, {}) || tileOfLane(kernel_.body) || (!findPrefix(kernel_.body) && !stores)) return;
    Observations seen;
    seen.fuel = kFuel;
    const std::vector<Sizes> tries = sizesToTry(kernel_);
    for (const Sizes &sizes : tries)
      if (tryOut(sizes, seen)) return;
    if (stores) {
      Observations several;
      several.fuel = kGlobalFuel;
      for (const Sizes &sizes : tries)
        if (tryGroups(sizes, several)) return;
    }
    unwrittenReads(seen);
    idleWaits(seen);
  }

private:
  // ---- operations of the whole group
  bool divergentTile(const Block &block, Span cause);
  bool tileOfLane(const Block &block);
  bool isOfLane(const Access &access, Span span);
  // ---- shared memory
  bool findPrefix(const Block &block);
  std::optional<GroupPlace> firstGroup(const Sizes &sizes, size_t lanes) const;
  size_t lanesOfGroup() const;
  bool tryOut(const Sizes &sizes, Observations &seen);
  bool tryGroups(const Sizes &sizes, Observations &seen);
  void report(const Finding &finding);
  void reportRace(const Finding &finding);
  void reportPending(const Finding &finding);
  void reportOutside(const Finding &finding);
  void reportEmptyWait(const EmptyWait &wait);
  void unwrittenReads(const Observations &seen);
  void idleWaits(const Observations &seen);
  const ast::Stmt *writtenOutAround(const ast::Block &block, Span inside, const Finding &finding) const;
  bool storesInside(const ast::Stmt &stmt, const std::string &buffer) const;
  std::optional<uint32_t> barrierInFront(uint32_t at, const std::string &indent) const;
  void offer(diag::Builder &builder, const Finding &finding, const std::vector<std::string> &calls,
             const std::string &title, bool certain = true);
  uint32_t lineOfText(Span span) const { return sources_.file(span.file).lineColumn(span.begin).line; }
  std::string elementText(const Finding &finding) const;
  std::string sizesText(const Sizes &sizes) const;

  const Function &kernel_;
  const ast::FuncDef &def_;
  const Sources &sources_;
  diag::Engine &diagnostics_;
  std::string prefix_ = "tile.";  // how the program calls the functions of tiles
};

// ---------------------------------------------------------------- operations of the whole group

/// A tile is the whole group's: its operations are for all lanes. `cause`: what the lanes disagree about.
bool Safety::divergentTile(const Block &block, Span cause) {
  for (const auto &stmt : block) {
    Span found;
    if (cause.valid())
      for (const ExprPtr *e : {&stmt->value, &stmt->condition, &stmt->start, &stmt->stop, &stmt->step})
        visitExprs(e->get(), [&](Expr &inner) {
          bool whole = inner.type.kind == TypeKind::Tensor || inner.kind == ExprKind::Reduce;
          if (whole && !found.valid()) found = inner.span.valid() ? inner.span : stmt->span;
        });
    if (found.valid()) {
      diagnostics_.report(Id::divergentBarrier, found, "tile operation")
          .label("the lanes of a group share out the elements of a tile")
          .note(cause, "lanes disagree about this")
          .help("do it for all lanes, in front of the condition");
      return true;
    }
    Span inner = cause;
    for (const ExprPtr *e : {&stmt->condition, &stmt->start, &stmt->stop, &stmt->step})
      if (*e && !inner.valid() && differsBetweenLanes(**e)) inner = (*e)->span.valid() ? (*e)->span : stmt->span;
    if (divergentTile(stmt->body, inner) || divergentTile(stmt->otherwise, inner)) return true;
  }
  return false;
}

/// The lanes share out the elements of one tile: each would take its part of another one.
bool Safety::isOfLane(const Access &access, Span span) {
  if (access.vector > 0) return false;  // neighbours for each lane
  for (const IndexPart &part : access.parts) {
    if (!part.offset || part.offset->type.kind == TypeKind::Tensor || !differsBetweenLanes(*part.offset)) continue;
    diagnostics_.report(Id::tileOfLane, span)
        .label("the lanes of a group share out the elements of a tile")
        .note(part.offset->span.valid() ? part.offset->span : span, "this is another number in each lane")
        .help("a tile begins at the same place for all lanes, at `" + prefix_ + "group_id(0) * size` or `" + prefix_ +
              "origin()`; what a lane has of its own are elements, `x[i]`, and neighbours, `" + prefix_ + "load_vector(x[i:i + 4])`");
    return true;
  }
  return false;
}

bool Safety::tileOfLane(const Block &block) {
  for (const auto &stmt : block) {
    auto isTile = [](const Expr *expr) { return expr && expr->type.kind == TypeKind::Tensor; };
    const bool writes = stmt->kind == StmtKind::Store || stmt->kind == StmtKind::Atomic;
    bool found = writes && isTile(stmt->value.get()) && isOfLane(stmt->access, stmt->span);
    if (stmt->kind == StmtKind::AsyncCopy) found = isOfLane(stmt->access, stmt->span) || isOfLane(stmt->source, stmt->span);
    for (const ExprPtr *e : {&stmt->value, &stmt->condition, &stmt->start, &stmt->stop, &stmt->step})
      visitExprs(e->get(), [&](Expr &inner) {
        if (const Access *access = accessOf(inner); access && !found && isTile(&inner)) found = isOfLane(*access, inner.span.valid() ? inner.span : stmt->span);
      });
    if (found || tileOfLane(stmt->body) || tileOfLane(stmt->otherwise)) return true;
  }
  return false;
}

// ---------------------------------------------------------------- shared memory

/// "ts.tile." of the first `ts.tile.alloc_shared(...)`. False if the kernel has no shared memory.
bool Safety::findPrefix(const Block &block) {
  for (const auto &stmt : block) {
    if (stmt->kind != StmtKind::AllocShared) continue;
    std::string text(sources_.text(stmt->span));
    size_t name = text.find("alloc_shared");
    if (name != std::string::npos && text.find_first_of("(\n") > name) prefix_ = text.substr(0, name);
    return true;
  }
  return false;
}

size_t Safety::lanesOfGroup() const {
  return kernel_.kernel.groupSize > 0 ? static_cast<size_t>(kernel_.kernel.groupSize) : kUsualLanes;
}

/// Nothing if no group runs, or how many is not known.
std::optional<GroupPlace> Safety::firstGroup(const Sizes &sizes, size_t lanes) const {
  const KernelInfo &kernel = kernel_.kernel;
  Lanes values(1, sizes, {});
  GroupPlace place;
  auto along = [&](std::optional<int64_t> count) {
    place.grid.push_back(count.value_or(0));
    return count && *count >= 1;
  };
  auto inParts = [](int64_t extent, int64_t part) { return part > 0 ? (extent + part - 1) / part : 0; };
  bool known = true;
  switch (kernel.grid) {
  case GridKind::Explicit:
    for (const Dim &dim : kernel.gridDims) known &= along(values.size(dim));
    break;
  case GridKind::Lanes: {
    auto extent = values.size(kernel.laneExtent);
    known &= along(extent ? std::optional(inParts(*extent, static_cast<int64_t>(lanes))) : std::nullopt);
    break;
  }
  case GridKind::Output: {
    if (kernel.outputParam < 0) return std::nullopt;
    const std::vector<Dim> &shape = kernel_.params[static_cast<size_t>(kernel.outputParam)].var->type.shape;
    for (size_t d = 0; d < shape.size() && d < kernel.tileShape.size(); ++d) {
      auto extent = values.size(shape[d]), tile = values.size(kernel.tileShape[d]);
      known &= along(extent && tile ? std::optional(inParts(*extent, *tile)) : std::nullopt);
      place.tile.push_back(tile.value_or(1));
    }
    break;
  }
  }
  place.at.assign(place.grid.size(), 0);
  return known ? std::optional(place) : std::nullopt;
}

/// Runs one group. True if something was found.
bool Safety::tryOut(const Sizes &sizes, Observations &seen) {
  const size_t lanes = lanesOfGroup();
  auto place = firstGroup(sizes, lanes);
  if (!place) {
    if (kernel_.kernel.grid == GridKind::Explicit) return false;
    place = GroupPlace{};
  }
  for (bool decision : {true, false}) {
    Simulation simulation(kernel_, sizes, lanes, *place, decision, seen);
    simulation.run();
    if (simulation.finding()) {
      report(*simulation.finding());
      return true;
    }
    if (simulation.emptyWait()) {
      reportEmptyWait(*simulation.emptyWait());
      return true;
    }
    if (!simulation.metUnknown()) break;
  }
  return false;
}

/// Runs all groups, of many the first and the last ones, and looks for uses of one element by two of them.
bool Safety::tryGroups(const Sizes &sizes, Observations &seen) {
  const size_t lanes = lanesOfGroup();
  auto first = firstGroup(sizes, lanes);
  if (!first) return false;
  int64_t count = 1;
  for (int64_t extent : first->grid)
    if (__builtin_mul_overflow(count, extent, &count)) return false;
  if (count < 2) return false;
  std::vector<int64_t> groups;
  for (int64_t group = 0; group < count; ++group) {
    if (count > kMostGroups && group == kMostGroups / 2) group = count - kMostGroups / 2;
    groups.push_back(group);
  }
  for (bool decision : {true, false}) {
    GlobalMemory global;
    bool unknown = false;
    for (int64_t group : groups) {
      GroupPlace place = *first;
      int64_t rest = group;
      for (size_t d = place.grid.size(); d-- > 0; rest /= place.grid[d]) place.at[d] = rest % place.grid[d];
      Simulation simulation(kernel_, sizes, lanes, std::move(place), decision, seen);
      simulation.share(global, group);
      simulation.run();
      unknown |= simulation.metUnknown();
      if (!simulation.finding()) continue;
      report(*simulation.finding());
      return true;
    }
    if (!unknown) break;
  }
  return false;
}

std::string Safety::elementText(const Finding &finding) const {
  std::string text = finding.buffer->name + "[";
  for (size_t i = 0; i < finding.element.size(); ++i)
    text += (i ? ", " : "") + std::to_string(finding.element[i]);
  return text + "]";
}

std::string Safety::sizesText(const Sizes &sizes) const {
  std::string text;
  for (const auto &[name, size] : sizes)
    if (name.find('.') == std::string::npos) text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  return text;
}

bool Safety::storesInside(const ast::Stmt &stmt, const std::string &buffer) const {
  auto *assign = ast::as<ast::AssignStmt>(&stmt);
  auto *update = ast::as<ast::AugAssignStmt>(&stmt);
  auto *call = ast::as<ast::ExprStmt>(&stmt);
  const ast::Expr *target = assign ? assign->targets[0].get() : update ? update->target.get() : nullptr;
  const Span changed = target ? target->span : call ? call->span : Span{};
  if (changed.valid() && sources_.text(changed).find(buffer) != std::string_view::npos) return true;
  const std::vector<const ast::Stmt *> below = ast::childrenOf(stmt).stmts;
  return std::any_of(below.begin(), below.end(), [&](const ast::Stmt *inner) { return storesInside(*inner, buffer); });
}

/// The outermost loop around a place that is written out, and that only reads what was written before it.
const ast::Stmt *Safety::writtenOutAround(const ast::Block &block, Span inside, const Finding &finding) const {
  for (const auto &stmt : block) {
    if (inside.begin < stmt->span.begin || stmt->span.end < inside.end) continue;
    auto *loop = ast::as<ast::ForStmt>(stmt.get());
    const bool writtenOut = loop && sources_.text(loop->iterable->span).find("static_range(") != std::string_view::npos;
    if (writtenOut && finding.first.span.end <= stmt->span.begin && !storesInside(*stmt, finding.buffer->name)) return stmt.get();
    for (const ast::Block *inner : ast::blocksOf(*stmt))
      if (const ast::Stmt *found = writtenOutAround(*inner, inside, finding)) return found;
  }
  return nullptr;
}

/// Offers to put calls on lines of their own in front of the later use, where every lane gets.
/// Where the barrier begins that stands on the line above, alone and as far in: lanes meet there already.
std::optional<uint32_t> Safety::barrierInFront(uint32_t at, const std::string &indent) const {
  const std::string &all = sources_.file(def_.span.file).text;
  const std::string line = indent + prefix_ + "barrier()\n";
  const size_t begin = at - indent.size();
  const bool above = begin >= line.size() && all.compare(begin - line.size(), line.size(), line) == 0 &&
                     (begin == line.size() || all[begin - line.size() - 1] == '\n');
  return above ? std::optional(static_cast<uint32_t>(begin - line.size() + indent.size())) : std::nullopt;
}

void Safety::offer(diag::Builder &builder, const Finding &finding, const std::vector<std::string> &calls,
                   const std::string &title, bool certain) {
  Span before = finding.second.span;
  for (const Around &around : finding.around) {
    if (!around.lanesDisagree && !onlyReadsOn(around, finding)) continue;
    if (finding.first.when > around.since) {
      builder.help("not every lane gets here, so no barrier can stand between them: split the condition in two");
      return;
    }
    before = around.stmt->span;
    break;
  }
  if (const ast::Stmt *loop = writtenOutAround(def_.body, before, finding)) before = loop->span;
  auto place = lineBefore(def_, sources_, before);
  if (!place) {
    builder.help(title + " between them");
    return;
  }
  auto barrier = calls.size() > 1 ? barrierInFront(place->at.begin, place->indent) : std::nullopt;
  std::string text;
  for (const std::string &call : calls)
    if (!barrier || call != "barrier()") text += prefix_ + call + "\n" + place->indent;
  const Span at = barrier ? Span{place->at.file, *barrier, *barrier} : place->at;
  const std::string shown = barrier ? "insert `" + prefix_ + calls[calls.size() - 2] + "` in front of the barrier" : title;
  certain ? builder.fix(at, text, shown) : builder.suggest(at, text, shown);
}

void Safety::reportRace(const Finding &finding) {
  const Use &first = finding.first, &second = finding.second;
  const bool groups = finding.secondGroup >= 0;
  std::string who = groups ? groupText(finding.secondGroup) : laneText(finding.secondLane, "a lane");
  std::string other = groups ? groupText(finding.firstGroup) : laneText(finding.firstLane, "another lane");
  bool copy = finding.problem == Problem::CopyOverUse;
  bool shared = finding.buffer->type.kind == TypeKind::Shared;
  std::string element = "`" + elementText(finding) + "`";
  auto builder =
      copy ? diagnostics_.report(Id::copyOverUse, second.span, "`" + finding.buffer->name + "`",
                                 first.writes ? "writes" : "reads")
           : diagnostics_.report(Id::sharedRace, second.span, shared ? "shared memory" : "global memory",
                                 who + (second.writes ? " writes " : " reads ") + element + ", which " + other +
                                     (first.writes ? " writes" : " reads") + (first.writes && second.writes ? " too" : ""));
  builder.label(groups ? "nothing orders two groups" : "with no barrier between");
  std::string does = first.isCopy ? "this copy has arrived only for the lane that waited for it"
                                  : other + (first.writes ? " writes " : " reads ") + element + " here";
  bool sameTurn = first.when == second.when;
  if (!groups && first.stmt == second.stmt && !sameTurn) does += ", in an earlier turn of the loop";
  builder.note(first.span, does);
  if (std::string sizes = sizesText(finding.sizes); !sizes.empty()) builder.help("it happens with " + sizes);
  if (!shared) {
    builder.help("a barrier is for the lanes of one group, and the tensor is all groups': write to another tensor");
    return;
  }
  if (sameTurn && first.writes && second.writes)
    builder.help("give each lane an element of its own, or let one lane write: `if " + prefix_ + "local_id() == 0:`");
  else if (sameTurn && !first.writes && lineOfText(first.span) < lineOfText(second.span))  // it is read into a name already
    offer(builder, finding, {"barrier()"}, "insert `" + prefix_ + "barrier()`", false);
  else if (sameTurn)
    builder.help("read into a name, put `" + prefix_ + "barrier()` on the next line, and write behind it");
  else offer(builder, finding, {"barrier()"}, "insert `" + prefix_ + "barrier()`");
}

void Safety::reportPending(const Finding &finding) {
  const char *verb = finding.second.writes ? "written" : "read";
  std::string buffer = "`" + finding.buffer->name + "`";
  if (finding.problem == Problem::CopyUncommitted) {
    auto builder = diagnostics_.report(Id::copyNotCommitted, finding.second.span,
                                       buffer + " is " + verb + ", but the copy into it was not committed");
    builder.note(finding.first.span, "the copy is started here; it belongs to no group yet");
    offer(builder, finding, {"cp_commit_group()", "cp_wait_group(0)", "barrier()"}, "commit it, wait for it, and meet");
    return;
  }
  auto builder = diagnostics_.report(Id::copyPending, finding.second.span, buffer, verb);
  builder.note(finding.first.span, "the copy is started here");
  std::string wait = "cp_wait_group(" + std::to_string(finding.newerGroups) + ")";
  if (finding.newerGroups > 0)
    builder.help("groups committed after it: " + std::to_string(finding.newerGroups) + "; `" + wait +
                 "` waits for all but these");
  if (finding.second.writes) builder.help("wait for the copy first, or store to another buffer");
  else if (finding.weakWait)
    builder.suggest(finding.weakWait->span, prefix_ + "cp_wait_group(" + std::to_string(finding.newerAtWait) + ")",
                "let the wait before it leave fewer on their way");
  else offer(builder, finding, {wait, "barrier()"}, "insert `" + prefix_ + wait + "` and a barrier");
}

void Safety::report(const Finding &finding) {
  switch (finding.problem) {
  case Problem::Race:
  case Problem::CopyOverUse: return reportRace(finding);
  case Problem::CopyPending:
  case Problem::CopyUncommitted: return reportPending(finding);
  case Problem::OutOfBounds: return reportOutside(finding);
  }
}

void Safety::reportOutside(const Finding &finding) {
  std::string at = std::to_string(finding.element[0]), extent = std::to_string(finding.element[1]);
  auto builder = diagnostics_.report(Id::outOfBounds, finding.second.span, at,
                                     "`" + finding.buffer->name + "`, which has " + extent + " elements there");
  builder.label(laneText(finding.secondLane, "a lane") + " uses it").note(finding.buffer->span, "allocated here");
  if (std::string sizes = sizesText(finding.sizes); !sizes.empty()) builder.help("it happens with " + sizes);
}

void Safety::reportEmptyWait(const EmptyWait &wait) {
  auto builder = diagnostics_.report(Id::copyNotCommitted, wait.stmt->span,
                                     "this waits for nothing: what was copied is not committed");
  builder.note(wait.copy.span, "the copy is started here; it belongs to no group yet");
  if (auto place = lineBefore(def_, sources_, wait.stmt->span))
    builder.fix(place->at, prefix_ + "cp_commit_group()\n" + place->indent,
                "insert `" + prefix_ + "cp_commit_group()`");
}

void Safety::unwrittenReads(const Observations &seen) {
  for (const Observations::Read &read : seen.reads) {
    if (read.everTouched) continue;
    diagnostics_.report(Id::sharedUnwritten, read.span, "`" + read.buffer->name + "`")
        .label("nothing was stored or copied to it before")
        .note(read.buffer->span, "shared memory starts with arbitrary contents");
    return;
  }
}

void Safety::idleWaits(const Observations &seen) {
  if (!seen.complete || diagnostics_.hasErrors()) return;
  for (const Observations::Wait &wait : seen.waits) {
    if (static_cast<int64_t>(wait.mostPending) > wait.stmt->count || wait.stmt->count > kMostIdle) continue;
    auto groups = [](int64_t count) { return std::to_string(count) + (count == 1 ? " group" : " groups"); };
    auto builder = diagnostics_.report(Id::idleWait, wait.stmt->span, groups(wait.stmt->count));
    builder.label("never more than " + groups(static_cast<int64_t>(wait.mostPending)) + " committed and not waited for");
    builder.help("remove it, or let it wait: `" + prefix_ + "cp_wait_group(0)` waits for all copies");
    if (auto line = lineOf(def_, sources_, wait.stmt->span)) builder.suggest(*line, "", "remove it");
  }
}

}  // namespace

Effects checkKernelSafety(const Function &kernel, const ast::FuncDef &def, const Sources &sources,
                          diag::Engine &diagnostics) {
  Safety(kernel, def, sources, diagnostics).run();
  for (const Stmt *stmt : diagnostics.hasErrors() ? std::vector<const Stmt *>() : lostUpdates(kernel))
    diagnostics
        .report(Id::sharedRace, stmt->span, stmt->access.base->type.kind == TypeKind::Shared ? "shared memory" : "global memory",
                "two lanes may read the same element of `" + stmt->access.base->name + "`, and one of the changes is lost")
        .label("data say which element it is")
        .help("`tile.atomic_add(" + stmt->access.base->name + "[i], value)` reads, adds and writes in one step");
  Effects found = effectsOfOrder(kernel);
  const Effects ofSizes = effectsOfSizes(kernel);
  for (const Effect &effect : ofSizes.all()) found.add(effect);
  return found;
}

}  // namespace tessera::sema::races
