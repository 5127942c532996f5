// Edits for what belongs to an object elsewhere and is a function, a decorator or a policy here, and for kernels written with
// the words of CUDA and Triton: derivatives as methods, `forward`, `_replace`, shuffles, additions that race, pointers.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class MethodEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::unknownAttribute:
      transformOfFunction(), backwards(), storedInTurns(), calledStruct(), shuffledBy(), exchangedTargets();
      break;
    case Id::notACondition: anyOrAll(); break;
    case Id::contractionMismatch: outerProduct(); break;
    case Id::unknownField: calledStruct(), replacedFields(); break;
    case Id::undefinedName: askedTraining(), shuffledBy(), returnedTile(), roundedHow(); break;
    case Id::badSchedule: warpsOfLanes(); break;
    case Id::modelParameters: calledParameters(); break;
    case Id::badKernelOption: scheduled(); break;
    case Id::notAType:
    case Id::tooManyArguments:
    case Id::wrongArgument: labelsAlone(), policyOfCall(); break;
    case Id::unknownPolicy: nearPolicy(); break;
    case Id::sharedRace:
    case Id::writtenTwice: addedAtomically(); break;
    case Id::broadcastFails:
    case Id::tileMismatch:
    case Id::sliceSize: labelsAlone(), loadedByPointer(); break;
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::dtypeMismatch: labelsAlone(); break;
    case Id::redefinedType: takenApart(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `cross_entropy(x, one_hot(labels, C))`: it takes the labels themselves.
  void labelsAlone() {
    CandidateGroup &edits = group(false);
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || (nameOf(*call) != "cross_entropy" && nameOf(*call) != "nll")) continue;
      for (const ast::Argument &arg : call->arguments)
        if (auto *made = as<ast::CallExpr>(arg.value); made && nameOf(*made) == "one_hot" && !made->arguments.empty())
          replace(edits, made->span, text(made->arguments[0].span), "it takes the numbers of the classes");
    }
  }

  /// `loss.grad(w)`
  void transformOfFunction() {
    static const std::set<std::string> transforms = {"grad", "value_and_grad", "vmap", "jvp", "vjp", "checkpoint"};
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *function = method ? as<ast::NameExpr>(method->object) : nullptr;
    if (function && transforms.count(method->attribute.text))
      replace(group(false), method->span, method->attribute.text + "(" + function->name + ")", "it is made of the function");
  }

  /// `value.backward()` of `value = loss(w, x)`
  void backwards() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *member = place_.innermost<ast::AttributeExpr>();
    if (!member || (member->attribute.text != "backward" && member->attribute.text != "grad") || !place_.function) return;
    auto *name = as<ast::NameExpr>(member->object);
    const ast::Expr *value = name ? place_.valueOf(name->name) : member->object.get();
    auto *made = as<ast::CallExpr>(value);
    auto *function = made ? as<ast::NameExpr>(made->callee) : nullptr;
    if (!function || made->arguments.empty()) return;
    const Span whole = call && call->callee.get() == member ? call->span : member->span;
    replace(group(false), whole, "grad(" + text({made->span.file, made->callee->span.begin, made->callee->span.end}) + ")" +
                                     text({made->span.file, made->callee->span.end, made->span.end}),
            "a derivative is made of the function");
  }

  /// `out = []` and `out.append(h)` in a loop: a tensor of the declared result, which each turn stores into.
  void storedInTurns() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *list = method && method->attribute.text == "append" && call->arguments.size() == 1 ? as<ast::NameExpr>(method->object) : nullptr;
    const ast::Expr *start = list ? place_.valueOf(list->name) : nullptr;
    if (!start || text(*start) != "[]" || place_.inKernel || !place_.function) return;
    const ast::ForStmt *loop = nullptr;
    for (const ast::Stmt *stmt : statementsAround())
      if (auto *around = as<ast::ForStmt>(stmt)) loop = around;
    auto *turn = loop ? as<ast::NameExpr>(loop->target) : nullptr;
    const ast::SubscriptExpr *type = declaredTensor();
    if (!turn || !type) return;
    std::vector<std::pair<Span, std::string>> parts = {
        {start->span, zerosOf(*type, extentTexts(*type))},
        {call->span, list->name + "[" + turn->name + "] = " + text(call->arguments[0].span)}};
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *joined = as<ast::CallExpr>(&part);
      const bool stacks = joined && nameOf(*joined) == "stack" && !joined->arguments.empty() && text(joined->arguments[0].span) == list->name;
      if (stacks) parts.push_back({joined->span, list->name});
    });
    replaceAll(group(false), parts, "store each turn's value at its place");
  }

  /// `if x > limit:` of tensors: for one of them, or for all.
  void anyOrAll() {
    const ast::Expr *e = place_.expr();
    if (!e || diagnostic_.message.find("a tensor") == std::string::npos) return;
    CandidateGroup &edits = group(true);
    for (const char *how : {"any(", "all("})
      if (e->span == diagnostic_.span) replace(edits, e->span, (place_.inKernel ? "tile." : "") + (how + text(*e)) + ")", how == std::string("any(") ? "where it holds for one of them" : "where it holds for all of them");
  }

  /// `a @ b` of two vectors of different lengths.
  void outerProduct() {
    const std::string &said = diagnostic_.message;
    const size_t between = said.find("] and [");
    auto *binary = as<ast::BinaryExpr>(place_.expr());
    if (!binary || binary->op != ast::BinaryOp::MatMul || between == std::string::npos || place_.inKernel) return;
    const bool vectors = said.find(',') == std::string::npos;
    if (vectors) replace(group(false), binary->span, "outer(" + text(*binary->left) + ", " + text(*binary->right) + ")", "multiply all pairs");
  }

  /// `layer.forward(x)` of a struct that is called.
  void calledStruct() {
    static const std::set<std::string> names = {"forward", "apply", "call", "predict", "__forward__"};
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method || !names.count(method->attribute.text)) return;
    replace(group(false), {method->span.file, method->object->span.end, method->span.end}, "", "it is called itself");
  }

  /// `p._replace(b=b)`, `p.replace(b=b)`, `p.copy(b=b)`
  void replacedFields() {
    static const std::set<std::string> names = {"_replace", "replace", "copy", "update", "_copy", "with_", "evolve"};
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method || !names.count(method->attribute.text) || call->arguments.empty()) return;
    for (const ast::Argument &arg : call->arguments)
      if (!arg.keyword) return;
    const std::string fields = text(call->arguments.front().span.to(call->arguments.back().span));
    replace(group(false), call->span, "replace(" + text(*method->object) + ", " + fields + ")", "make a new one with other fields");
  }

  /// `self.training`, `model.training`
  void askedTraining() {
    auto *member = place_.innermost<ast::AttributeExpr>();
    if (member && member->attribute.text == "training") replace(group(false), member->span, "is_training()");
  }

  /// `y[n:n + T.m] = v` of a kernel that has no `y` and declares a result.
  void returnedTile() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *target = assign && assign->targets.size() == 1 ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
    if (target && target->object->span == diagnostic_.span && place_.inKernel && place_.function->result)
      replace(group(false), assign->span, "return " + text(*assign->value), "return the tile");
  }

  /// `rounding=nearest`
  void roundedHow() {
    static constexpr std::string_view words[] = {"nearest_even", "toward_zero"};
    auto *name = as<ast::NameExpr>(place_.expr());
    CandidateGroup &edits = group(true);
    for (std::string_view word : words)
      if (name && name->name.size() > 3 && word.substr(0, name->name.size()) == name->name)
        replace(edits, name->span, "\"" + std::string(word) + "\"");
  }

  /// `Schedule(threads=128)`: a group is so many warps of 32 lanes.
  void warpsOfLanes() {
    static const std::set<std::string> words = {"threads", "num_threads", "lanes", "block_size", "num_lanes"};
    auto *call = place_.innermost<ast::CallExpr>();
    for (size_t i = 0; call && i < call->arguments.size(); ++i) {
      const ast::Argument &arg = call->arguments[i];
      auto *number = as<ast::IntExpr>(arg.value);
      if (arg.keyword && words.count(arg.keyword->text) && number && number->value >= 32 && number->value % 32 == 0)
        replace(group(false), arg.span, "warps=" + std::to_string(number->value / 32), "a warp has 32 lanes");
    }
  }

  /// `net(p, x)` of a model whose parameters are the value `p`.
  void calledParameters() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if (!name || !place_.function) return;
    CandidateGroup &edits = group(true);
    for (const ast::Parameter &p : place_.function->parameters) {
      if (!p.annotation || text(*p.annotation).substr(0, name->name.size()) != name->name) continue;
      const bool given = !call->arguments.empty() && text(call->arguments[0].span) == p.name.text;
      const uint32_t rest = !given                        ? call->arguments.empty() ? call->span.end - 1 : call->arguments[0].span.begin
                            : call->arguments.size() > 1 ? call->arguments[1].span.begin
                                                         : call->span.end - 1;
      replace(edits, call->span, p.name.text + "(" + text({call->span.file, rest, call->span.end}), "call what has the parameters");
    }
  }

  /// `@kernel(fast)`
  void scheduled() {
    for (size_t i = 0; place_.function && i < place_.function->decorators.size(); ++i) {
      auto *call = as<ast::CallExpr>(place_.function->decorators[i].expression);
      if (!call || call->arguments.size() != 1 || call->arguments[0].keyword) continue;
      insert(group(false), call->callee->span.end, ".schedule", "give it a schedule");
    }
  }

  /// `bf16(accum=f32)` for `bf16 @accum(f32)`
  void policyOfCall() {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      auto *dtype = call ? as<ast::NameExpr>(call->callee) : nullptr;
      if (!dtype || !dtypeByName(dtype->name) || call->arguments.size() != 1 || !call->arguments[0].keyword) continue;
      std::string policy = call->arguments[0].keyword->text;
      if (policy.substr(0, 3) == "acc") policy = "accum";
      replace(group(false), call->span, dtype->name + " @" + policy + "(" + text(*call->arguments[0].value) + ")",
              "a policy stands behind the dtype");
      return;
    }
  }

  /// `@acc(f32)`: the only policy that begins so.
  void nearPolicy() {
    static constexpr std::string_view known[] = {"accum", "compute", "round", "round_at", "stochastic_round", "saturate", "denormals", "loss_scale", "per_channel", "fast_sums"};
    const ast::Expr *e = place_.around.empty() ? nullptr : place_.around.back();
    if (!e) return;
    const std::string name = text(diagnostic_.span);
    CandidateGroup &edits = group(true);
    for (std::string_view policy : known)
      if (!name.empty() && (policy.substr(0, name.size()) == name || name.substr(0, policy.size()) == policy) && policy != name)
        replace(edits, diagnostic_.span, std::string(policy));
  }

  /// `tile.shuffle_down(x, 1)`, `__shfl_up_sync(mask, x, 1)`: the lane is said.
  void shuffledBy() {
    const ast::CallExpr *call = nullptr;
    for (const ast::Expr *e : place_.around)
      if ((call = as<ast::CallExpr>(e))) break;
    if (!call || !place_.inKernel || call->arguments.size() < 2) return;
    const std::string name = nameOf(*call);
    const bool down = name.find("down") != std::string::npos, up = name.find("up") != std::string::npos,
               mixed = name.find("xor") != std::string::npos, plain = name.find("shfl") != std::string::npos;
    if ((name.find("shuffle") == std::string::npos && !plain) || !(down || up || plain)) return;
    const size_t first = name.find("_sync") != std::string::npos && call->arguments.size() > 2 ? 1 : 0;  // behind the mask of lanes
    const std::string x = text(call->arguments[first].span), by = asPrimary(*call->arguments[first + 1].value);
    const std::string how = mixed ? "tile.shuffle_xor(" + x + ", " + text(call->arguments[first + 1].span)
                                  : "tile.shuffle(" + x + ", " +
                                        (down || up ? std::string("tile.lane_id() ") + (down ? "+ " : "- ") + by
                                                    : text(call->arguments[first + 1].span));
    const bool number = call->arguments[first + 1].value->kind == ast::ExprKind::Int;
    std::string whole = how + ")";
    if (number && (down || up))
      whole = "tile.shuffle(" + x + ", tile.lane_id() " + (down ? "+ " : "- ") + text(call->arguments[first + 1].span) + ")";
    CandidateGroup edits{{}, false};
    edits.assumes = down || up;  // a sum over lanes may mean either
    const std::string other = "tile.shuffle_xor(" + x + ", " + text(call->arguments[first + 1].span) + ")";
    const bool added = isAddedTo(x);
    if (added) replace(edits, call->span, other, "read the lane that differs in these bits");
    replace(edits, call->span, whole, "say which lane is read");
    groups_.push_back(std::move(edits));
  }

  /// Whether `x` is what the shuffled value is added to: `x += shuffle_down(x, 16)`.
  bool isAddedTo(const std::string &x) const {
    auto *changed = as<ast::AugAssignStmt>(place_.statement);
    if (changed && text(*changed->target) == x) return true;
    for (const ast::Expr *e : place_.around)
      if (auto *sum = as<ast::BinaryExpr>(e); sum && sum->op == ast::BinaryOp::Add)
        return text(*sum->left) == x || text(*sum->right) == x;
    return false;
  }

  /// `for layer, i in enumerate(layers)`
  void exchangedTargets() {
    if (!place_.function) return;
    auto *member = place_.innermost<ast::AttributeExpr>();
    auto *name = member ? as<ast::NameExpr>(member->object) : nullptr;
    if (!name) return;
    for (const ast::Stmt *stmt : statementsAround()) {
      auto *loop = as<ast::ForStmt>(stmt);
      if (!loop || loop->target->kind != ast::ExprKind::Tuple) continue;
      auto &items = static_cast<const ast::SequenceExpr &>(*loop->target).items;
      if (items.size() == 2 && (text(*items[0]) == name->name || text(*items[1]) == name->name))
        replace(group(false), items[0]->span.to(items[1]->span), text(*items[1]) + ", " + text(*items[0]), "take them in this order");
    }
  }

  /// `y[0] += x[i]` of lanes that write to one place.
  void addedAtomically() {
    static const std::map<ast::BinaryOp, std::string> atomics = {{ast::BinaryOp::Add, "tile.atomic_add("},
                                                                 {ast::BinaryOp::BitAnd, "tile.atomic_and("},
                                                                 {ast::BinaryOp::BitOr, "tile.atomic_or("},
                                                                 {ast::BinaryOp::BitXor, "tile.atomic_xor("}};
    auto *changed = as<ast::AugAssignStmt>(place_.statement);
    auto it = changed ? atomics.find(changed->op) : atomics.end();
    if (it != atomics.end() && changed->target->kind == ast::ExprKind::Subscript)
      replace(group(false), changed->span, it->second + text(*changed->target) + ", " + text(*changed->value) + ")",
              "add in one step that no other lane divides");
    auto *assign = as<ast::AssignStmt>(place_.statement);  // `y[0] = y[0] + x[i]`
    auto *sum = assign && assign->targets.size() == 1 && assign->targets[0]->kind == ast::ExprKind::Subscript ? as<ast::BinaryExpr>(assign->value) : nullptr;
    auto own = sum ? atomics.find(sum->op) : atomics.end();
    if (own == atomics.end()) return;
    const std::string target = text(*assign->targets[0]);
    const ast::Expr *added = text(*sum->left) == target ? sum->right.get() : text(*sum->right) == target ? sum->left.get() : nullptr;
    if (added) replace(group(false), assign->span, own->second + target + ", " + text(*added) + ")", "add in one step that no other lane divides");
  }

  /// `tile.load(x + n)` for `x[n:n + T.m]`
  void loadedByPointer() {
    const std::string context = place_.function && place_.inKernel ? nameOfContext() : "";
    if (context.empty()) return;
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto *sum = call && nameOf(*call) == "load" && !call->arguments.empty() ? as<ast::BinaryExpr>(call->arguments[0].value) : nullptr;
      if (!sum || sum->op != ast::BinaryOp::Add || !tensorTypeOf(sum->left.get())) return;
      const std::string x = text(*sum->left), from = text(*sum->right);
      replace(edits, call->arguments[0].span, x + "[" + from + ":" + from + " + " + context + ".m]", "a tile is a slice");
    });
  }
  /// `T` of `T = tile.context()`.
  std::string nameOfContext() const {
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
      if (call && nameOf(*call) == "context") return text(*assign->targets[0]);
    }
    return "";
  }

  /// `net = momentum(net, g, m, 0.1)`, which gives a tuple: the names that are given, and that something reads further on.
  void takenApart() {
    if (diagnostic_.message.find("would become a tuple") == std::string::npos) return;
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = assign && assign->targets.size() == 1 ? as<ast::CallExpr>(assign->value) : nullptr;
    if (!call || assign->targets[0]->kind != ast::ExprKind::Name || !place_.names) return;
    const std::string first = text(*assign->targets[0]);
    std::vector<std::string> later;
    for (const ast::Argument &arg : call->arguments) {
      auto *name = as<ast::NameExpr>(arg.value);
      auto use = name && name->name != first ? place_.names->find(name->name) : place_.names->end();
      if (use == place_.names->end()) continue;
      for (const ast::NameExpr *read : use->second.reads)
        if (read->span.begin > assign->span.end) {
          later.push_back(name->name);
          break;
        }
    }
    CandidateGroup &edits = group(false);
    std::string names = first;
    std::vector<std::string> tried;
    for (const std::string &name : later) tried.push_back(names += ", " + name);
    for (size_t i = tried.size(); i-- > 0;) replace(edits, assign->targets[0]->span, tried[i], "take the tuple apart");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfMethods(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return MethodEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
