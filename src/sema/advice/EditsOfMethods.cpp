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
    case Id::unknownAttribute: transformOfFunction(), calledStruct(), shuffledBy(), exchangedTargets(); break;
    case Id::unknownField: calledStruct(), replacedFields(); break;
    case Id::undefinedName: askedTraining(), shuffledBy(); break;
    case Id::modelParameters: calledParameters(); break;
    case Id::badKernelOption: scheduled(); break;
    case Id::notAType:
    case Id::tooManyArguments:
    case Id::wrongArgument: policyOfCall(); break;
    case Id::unknownPolicy: nearPolicy(); break;
    case Id::sharedRace:
    case Id::writtenTwice: addedAtomically(); break;
    case Id::broadcastFails:
    case Id::tileMismatch:
    case Id::sliceSize: loadedByPointer(); break;
    case Id::redefinedType: takenApart(); break;
    default: break;
    }
    return taken();
  }

private:
  /// `loss.grad(w)`
  void transformOfFunction() {
    static const std::set<std::string> transforms = {"grad", "value_and_grad", "vmap", "jvp", "vjp", "checkpoint"};
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *function = method ? as<ast::NameExpr>(method->object) : nullptr;
    if (function && transforms.count(method->attribute.text))
      replace(group(false), method->span, method->attribute.text + "(" + function->name + ")", "it is made of the function");
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
    static constexpr std::string_view known[] = {"accum", "compute", "round", "round_at", "stochastic_round", "saturate", "denormals", "loss_scale", "per_channel"};
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
    replace(group(false), call->span, whole, "say which lane is read");
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
