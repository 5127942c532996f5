// Edits for names of other libraries: `np.exp(x)`, `tl.program_id(0)`, `threadIdx.x`, `x.contiguous()`, `torch.randn(N)`.
#include "frontend/Walk.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include "support/DType.h"
#include <algorithm>
#include <iterator>
#include <map>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class PrefixFinder : EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::undefinedName:
      drawn(), withoutPrefix(), laneNumber(), withoutPrefixes(), laneNumbers(), laneOfNumba(), importTessera(),
          axisInQuotes();
      break;
    case Id::unknownModule: ourModule(); break;
    case Id::unknownAttribute: drawn(), withoutMethods(), withoutMethod(); break;
    case Id::wrongArgument: axisOfMesh(); break;
    default: break;
    }
    return std::move(groups_);
  }

private:
  /// `all_reduce(x, dp)`: axes of the mesh are words in quotes.
  void axisInQuotes() {
    auto *call = place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    auto *callee = call ? as<ast::NameExpr>(call->callee) : nullptr;
    static constexpr std::string_view kCollectives[] = {"all_reduce", "all_gather", "reduce_scatter", "axis_index",
                                                        "axis_size"};
    if (!callee || std::find(std::begin(kCollectives), std::end(kCollectives), callee->name) == std::end(kCollectives))
      return;
    for (const ast::Argument &argument : call->arguments)
      if (argument.value.get() == place_.around[0])
        replace(group(false), argument.value->span, "\"" + text(argument.value->span) + "\"", "put it in quotes");
  }

  /// `all_reduce(x, 0)`: an axis that the program names elsewhere.
  void axisOfMesh() {
    if (diagnostic_.message.find("an axis of the mesh") == std::string::npos || !place_.expr()) return;
    std::set<std::string> axes;
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = as<ast::FuncDef>(stmt))
        visitBody(*def, [&](const ast::Expr &part) {
          static const std::set<std::string> kNaming = {"all_reduce", "all_gather", "reduce_scatter", "axis_index", "axis_size"};
          auto *call = as<ast::CallExpr>(&part);
          for (size_t i = 0; call && kNaming.count(nameOf(*call)) && i < call->arguments.size(); ++i)
            if (call->arguments[i].value->kind == ast::ExprKind::String) axes.insert(text(*call->arguments[i].value));
        });
    CandidateGroup &edits = group(true);
    for (const std::string &axis : axes) replace(edits, diagnostic_.span, axis, "name the axis");
  }

  void importTessera() {
    std::string name = text(diagnostic_.span);
    if (name != "ts" && name != "tessera") return;
    std::string line = name == "ts" ? "import tessera as ts" : "import tessera";
    insert(group(false), 0, line + "\n", "write `" + line + "` at the start");
  }

  /// The longest `jax.lax.f` that begins with the name of the message.
  const ast::AttributeExpr *wholeMember() const {
    const ast::AttributeExpr *whole = nullptr;
    for (size_t i = 1; i < place_.around.size(); ++i) {
      auto *member = as<ast::AttributeExpr>(place_.around[i]);
      if (!member || member->object.get() != place_.around[i - 1]) break;
      whole = member;
    }
    return whole;
  }

  static bool isDeviation(const ast::AttributeExpr &member) {
    return member.attribute.text == "var" || member.attribute.text == "std";
  }
  /// Whether a function has our name and another meaning: a deviation of PyTorch is that of a sample, and its `linear` takes
  /// the weights turned around.
  static bool meansOther(const ast::AttributeExpr &member) {
    const std::string *root = rootOf(member);
    const std::string &name = member.attribute.text;
    if (root && *root == "torch" && (name == "load" || name == "save")) return true;  // no `.npy` files
    return root && ((*root == "torch" && isDeviation(member)) || name == "linear");
  }
  /// The arguments of a call of another library, with one that it takes for granted.
  std::vector<WrittenArgument> argumentsOf(const ast::CallExpr &call) const {
    std::vector<WrittenArgument> arguments = writtenArguments(call);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (std::string shown = unchained(*call.arguments[i].value); shown != text(*call.arguments[i].value))
        arguments[i].text = shown, arguments[i].primary = isOnePart(shown);
    auto *member = as<ast::AttributeExpr>(call.callee);
    const bool says = keyword(call, "correction") || keyword(call, "unbiased") || keyword(call, "ddof");
    if (member && isDeviation(*member) && meansOther(*member) && !says) arguments.push_back({"ddof", "1"});
    return arguments;
  }

  /// `np.exp(x)`, `concatenate([a, b], axis=0)`: the call under our names.
  void translatedCall(const ast::Expr &callee, const std::string &name) {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || call->callee.get() != &callee) continue;
      for (const ast::Argument &argument : call->arguments)
        if (argument.stars) return;
      CandidateGroup &edits = group(false);
      for (const std::string &whole : callsHere(name, argumentsOf(*call)))
        if (whole != text(call->span)) replace(edits, call->span, inPlaceOf(*call, whole));
      return;
    }
  }

  /// `np.exp(x)`, where the functions have no prefix.
  void withoutPrefix() {
    auto *member = wholeMember();
    if (!member) {
      if (place_.expr()) translatedCall(*place_.expr(), text(place_.expr()->span));
      return;
    }
    std::string name = member->attribute.text;
    if (std::string_view constant = constantHere(name); !constant.empty())
      replace(group(false), member->span, std::string(constant));
    if (auto dtype = dtypeByName(name)) return replace(group(false), member->span, std::string(tessera::name(*dtype)));
    if (name == "constexpr" && place_.function)  // `BLOCK: tl.constexpr`
      for (const ast::Parameter &p : place_.function->parameters)
        if (p.annotation.get() == member) return replace(group(false), member->span, "Const[\"" + p.name.text + "\"]");
    if (std::string_view ours = nameHere(name); !ours.empty()) name = ours;
    if (name == "cdiv") return replace(group(false), member->span, name);  // also in kernels
    if (place_.inKernel)
      counted(*member), replace(group(false), member->span, ofTile(member->attribute.text));  // of Triton
    if (ofFunction(*member))  // `np.subtract.outer(a, b)`
      return translatedCall(*member,
                            static_cast<const ast::AttributeExpr &>(*member->object).attribute.text + "." + name);
    CandidateGroup &edits = group(false);
    const bool counts = !numberHere(text(diagnostic_.span)).empty();  // `gridDim.x` is no `x`
    if (!meansOther(*member) && !counts) replace(edits, member->span, name);
    const bool ofOtherFiles = meansOther(*member) && (name == "load_npy" || name == "save_npy");
    if (!place_.inKernel) return ofOtherFiles ? void() : translatedCall(*member, member->attribute.text);
    const ast::Expr &whole = *place_.around.back();
    std::string all = text(whole.span);
    std::vector<const ast::AttributeExpr *> members;
    membersOf(text(place_.around[0]->span), whole, members);
    for (size_t i = members.size(); i-- > 0;) {
      Span span = members[i]->span;
      all.replace(span.begin - whole.span.begin, span.end - span.begin, ofTile(members[i]->attribute.text));
    }
    if (members.size() > 1) replace(edits, whole.span, all, "write what `tile` has");
  }

  /// `np.subtract.outer`: what stands between is a function, no part of the package.
  static bool ofFunction(const ast::AttributeExpr &member) {
    static const std::set<std::string_view> parts = {
        "linalg",    "nn",    "functional",   "utils",  "lax",       "numpy",    "random",   "special",
        "fft",       "scipy", "ops",          "jit",    "optim",     "cuda",     "autograd", "distributed",
        "init",      "math",  "experimental", "pallas", "libdevice", "language", "extra",    "initializers",
        "keras",     "tree",  "stats",        "signal", "sparse",    "jnp",      "F",        "clip_grad",
        "tree_util", "scipy", "ndimage"};
    auto *inner = as<ast::AttributeExpr>(member.object);
    return inner && !parts.count(inner->attribute.text);
  }

  static const std::string *rootOf(const ast::AttributeExpr &member) {
    const ast::Expr *object = member.object.get();
    while (auto *inner = as<ast::AttributeExpr>(object)) object = inner->object.get();
    auto *name = as<ast::NameExpr>(object);
    return name ? &name->name : nullptr;
  }
  /// What `np.f` is called here, wherever it stands.
  std::string nameOfMember(const std::string &theirs) const {
    if (std::string_view constant = constantHere(theirs); !constant.empty()) return std::string(constant);
    if (auto dtype = dtypeByName(theirs)) return std::string(tessera::name(*dtype));
    if (place_.inKernel) return theirs == "cdiv" ? theirs : ofTile(theirs);
    std::string_view ours = nameHere(theirs);
    return ours.empty() ? theirs : std::string(ours);
  }
  /// Whether a name or call is one of a module: `np.sum` and `np.sum(x)` of `np`.
  static const ast::AttributeExpr *memberOf(const std::string &module, const ast::Expr &e) {
    auto *call = as<ast::CallExpr>(&e);
    auto *member = as<ast::AttributeExpr>(call ? call->callee.get() : &e);
    const std::string *root = member ? rootOf(*member) : nullptr;
    return root && *root == module ? member : nullptr;
  }
  /// The expression with all that it has of a module under our names.
  std::string translated(const std::string &module, const ast::Expr &e) {
    const ast::AttributeExpr *member = memberOf(module, e);
    auto *call = member && !place_.inKernel && !ofFunction(*member) ? as<ast::CallExpr>(&e) : nullptr;
    if (call && std::none_of(call->arguments.begin(), call->arguments.end(), [](const auto &a) { return a.stars; })) {
      std::vector<WrittenArgument> arguments = argumentsOf(*call);
      for (size_t i = 0; i < call->arguments.size(); ++i) {
        arguments[i].text = translated(module, *call->arguments[i].value);
        arguments[i].primary &= isOnePart(arguments[i].text);
      }
      return callsHere(member->attribute.text, std::move(arguments)).front();
    }
    if (member && member == &e) return nameOfMember(member->attribute.text);
    std::string out;
    uint32_t at = e.span.begin;
    std::vector<const ast::Expr *> children = ast::childrenOf(e).exprs;
    std::sort(children.begin(), children.end(), [](auto *a, auto *b) { return a->span.begin < b->span.begin; });
    for (const ast::Expr *child : children) {
      if (child->span.begin < at) continue;
      std::string shown = translated(module, *child);
      if (memberOf(module, *child)) shown = inPlaceOf(*child, shown, &e);
      out += text({e.span.file, at, child->span.begin}) + shown;
      at = child->span.end;
    }
    return out + text({e.span.file, at, e.span.end});
  }
  /// `np.exp(x) / np.sum(np.exp(x))`: with one of them mended, the others say the same.
  void withoutPrefixes() {
    auto *module = as<ast::NameExpr>(place_.expr());
    if (!module || !wholeMember() || !place_.function) return;
    std::vector<std::pair<Span, std::string>> parts;
    std::set<const ast::Expr *> inner;
    std::map<const ast::Expr *, const ast::Expr *> around;
    size_t count = 0;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      const bool below = inner.count(&part) != 0;
      for (const ast::Expr *child : ast::childrenOf(part).exprs) around[child] = &part;
      const ast::AttributeExpr *member = memberOf(module->name, part);
      if (below || member)
        for (const ast::Expr *child : ast::childrenOf(part).exprs) inner.insert(child);
      count += member == &part;
      if (!below && member) parts.push_back({part.span, inPlaceOf(part, translated(module->name, part), around[&part])});
    });
    if (count > 1) replaceAll(group(false), parts, "leave `" + module->name + ".` out");
  }

  /// What CUDA and numba call the numbers of lanes and groups, by the first axis.
  static std::string_view numberHere(std::string_view theirs) {
    static const std::map<std::string_view, std::string_view> numbers = {{"threadIdx", "tile.local_id()"},
                                                                         {"blockIdx", "tile.group_id(0)"},
                                                                         {"blockDim", "tile.group_size()"},
                                                                         {"gridDim", "tile.group_count(0)"}};
    auto it = numbers.find(theirs);
    return it == numbers.end() ? std::string_view() : it->second;
  }
  /// `cuda.grid(1)` of numba
  void laneOfNumba() {
    auto *member = wholeMember();
    if (!place_.inKernel || !member || text(diagnostic_.span) != "cuda") return;
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || call->callee.get() != member) continue;
      if (member->attribute.text == "grid") replace(group(false), call->span, "tile.linear_id()");
      if (member->attribute.text != "array" || text(*member->object) != "cuda.shared" || call->arguments.size() != 2) continue;
      const ast::Argument &shape = call->arguments[0], &dtype = call->arguments[1];
      const std::string extents = shape.value->kind == ast::ExprKind::Tuple ? text(*shape.value) : "(" + text(*shape.value) + ",)";
      replace(group(false), call->span, "tile.alloc_shared(" + extents + ", " + text(*dtype.value) + ")");
    }
  }

  /// `blockIdx.x * 256 + threadIdx.x`, and the same in other statements.
  void laneNumbers() {
    if (!place_.inKernel || !place_.function || numberHere(text(diagnostic_.span)).empty()) return;
    std::vector<std::pair<Span, std::string>> parts;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *member = as<ast::AttributeExpr>(&part);
      auto *object = member && member->attribute.text == "x" ? as<ast::NameExpr>(member->object) : nullptr;
      if (object && !numberHere(object->name).empty())
        parts.push_back({member->span, std::string(numberHere(object->name))});
    });
    if (parts.size() > 1) replaceAll(group(false), parts, "ask `tile` for the numbers");
  }

  /// `tl.arange(0, 64)`
  void counted(const ast::AttributeExpr &member) {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || call->callee.get() != &member || member.attribute.text != "arange" || call->arguments.empty())
        continue;
      const ast::Argument &first = call->arguments.front(), &last = call->arguments.back();
      bool fromZero = call->arguments.size() == 1 || (call->arguments.size() == 2 && text(first.span) == "0");
      if (fromZero && !first.keyword && !last.keyword)
        replace(group(false), call->span, "tile.iota(" + text(last.span) + ")");
    }
  }

  /// `tl.zeros`, and `tl.float32`, which needs no prefix.
  static std::string ofTile(const std::string &theirs) {
    if (auto dtype = dtypeByName(theirs)) return std::string(name(*dtype));
    std::string_view ours = tileNameHere(theirs);
    return "tile." + (ours.empty() ? theirs : std::string(ours));
  }

  static void membersOf(const std::string &module, const ast::Expr &e, std::vector<const ast::AttributeExpr *> &found) {
    auto *member = as<ast::AttributeExpr>(&e);
    auto *object = member ? as<ast::NameExpr>(member->object) : nullptr;
    if (object && object->name == module) found.push_back(member);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) membersOf(module, *child, found);
  }

  /// `blockIdx.x * blockDim.x + threadIdx.x`
  void laneNumber() {
    const ast::Expr *whole = nullptr;
    for (const ast::Expr *e : place_.around)
      if (e->kind == ast::ExprKind::Binary) whole = e;
    const Foreign *foreign = foreignName(text(diagnostic_.span));
    if (!foreign || !foreign->oncePerFunction || !place_.inKernel) return;
    std::string shown = whole ? text(whole->span) : "";
    auto names = [&](const char *name) { return shown.find(name) != std::string::npos; };
    if (names("blockIdx") && names("threadIdx") && names("blockDim"))
      replace(group(false), whole->span, "tile.linear_id()");
    const std::string_view query = numberHere(text(diagnostic_.span));
    auto *member = wholeMember();
    if (!query.empty() && member && member->attribute.text == "x")
      replace(group(false), member->span, std::string(query));
  }

  /// `import numpy as np`: the same functions are in `tessera`.
  void ourModule() {
    std::string path = text(diagnostic_.span), alias = path;
    bool plain = place_.statement && place_.statement->kind == ast::StmtKind::Import;
    if (size_t as = path.find(" as "); as != std::string::npos) alias = path.substr(as + 4), path.resize(as);
    static constexpr std::string_view kKernels[] = {"triton", "triton.language", "numba"};  // not the same functions
    if (std::find(std::begin(kKernels), std::end(kKernels), path) != std::end(kKernels)) return;
    if (!foreignPackage(path) || (plain && alias.find('.') != std::string::npos)) return;
    replace(group(false), diagnostic_.span, plain ? "tessera as " + alias : "tessera");
  }

  /// `w.t().contiguous()`: methods of PyTorch behind one another, without those that say nothing here.
  std::string unchained(const ast::Expr &e) const {
    static const std::map<std::string_view, std::string_view> casts = {
        {"float", "f32"}, {"double", "f64"}, {"half", "f16"}, {"int", "i32"}, {"long", "i64"}, {"bool", "bool"}};
    auto *call = as<ast::CallExpr>(&e);
    auto *method = call && call->arguments.empty() ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method) return text(e);
    const std::string object = unchained(*method->object), &name = method->attribute.text;
    if (memberInstead(name) == memberInstead("clone")) return object;
    if (name == "t") return (isOnePart(object) ? object : "(" + object + ")") + ".T";
    if (auto cast = casts.find(name); cast != casts.end()) return "cast(" + object + ", " + std::string(cast->second) + ")";
    return object + "." + name + "()";
  }
  void withoutMethods() {
    const ast::Expr *whole = nullptr;
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (call && call->arguments.empty() && as<ast::AttributeExpr>(call->callee)) whole = e;
      else if (!as<ast::AttributeExpr>(e)) break;
    }
    auto *outer = as<ast::CallExpr>(whole);
    auto *method = outer ? as<ast::AttributeExpr>(outer->callee) : nullptr;
    if (method && as<ast::CallExpr>(method->object)) replace(group(false), whole->span, unchained(*whole), "leave out what says nothing here");
  }

  /// `x.contiguous()`, `x.float()`
  void withoutMethod() {
    auto *call = place_.innermost<ast::CallExpr>();
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (!method || !call->arguments.empty() || memberInstead(method->attribute.text).empty()) return;
    bool sameWithout = memberInstead(method->attribute.text) == memberInstead("clone");
    static const std::map<std::string_view, std::string_view> casts = {
        {"float", "f32"}, {"double", "f64"}, {"half", "f16"}, {"int", "i32"}, {"long", "i64"}, {"bool", "bool"}};
    std::string object = text(method->object->span);
    static const std::map<std::string_view, std::string_view> properties = {{"dim", "ndim"}, {"t", "T"}};
    if (auto it = properties.find(method->attribute.text); it != properties.end())
      return replace(group(false), call->span, asPrimary(*method->object) + "." + std::string(it->second));
    auto cast = casts.find(method->attribute.text);
    if (cast == casts.end() && sameWithout) replace(group(false), call->span, object, "leave it out");
    else if (cast != casts.end())
      replace(group(false), call->span, "cast(" + object + ", " + std::string(cast->second) + ")");
  }

  /// Those of `a, b = rng.split()` that are never read.
  std::vector<std::string> unreadStreams() const {
    std::vector<std::string> found;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
      auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
      if (!method || method->attribute.text != "split" || !place_.names || stmt->span.begin > diagnostic_.span.begin) continue;
      visit(*assign->targets[0], [&](const ast::Expr &part) {
        auto *name = as<ast::NameExpr>(&part);
        auto use = name ? place_.names->find(name->name) : place_.names->end();
        if (use != place_.names->end() && use->second.reads.empty()) found.push_back(name->name);
      });
    }
    return found;
  }

  /// `torch.randn(N)`, `np.random.normal(size=(N,))`, from a stream that the function has, or takes then.
  void drawn() {
    static const std::map<std::string_view, std::string_view> draws = {
        {"normal", "normal"},  {"randn", "normal"},    {"standard_normal", "normal"}, {"rand", "uniform"},
        {"random", "uniform"}, {"uniform", "uniform"}, {"randn_like", "normal"},      {"rand_like", "uniform"}};
    const ast::CallExpr *call = nullptr;
    for (const ast::Expr *e : place_.around)
      if ((call = as<ast::CallExpr>(e))) break;
    auto *member = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (member && member->attribute.text == "permutation" && place_.function && !call->arguments.empty())
      for (const ast::Parameter &p : place_.function->parameters)
        if (p.annotation && text(p.annotation->span) == "Rng")
          replace(group(false), call->span,
                  "permutation(" + text(call->arguments.front().span.to(call->arguments.back().span)) + ", " +
                      p.name.text + ")");
    auto *bare = call && diagnostic_.id == Id::undefinedName ? as<ast::NameExpr>(call->callee) : nullptr;  // `randn(4, 4)`
    auto draw = member || bare ? draws.find(member ? member->attribute.text : bare->name) : draws.end();
    if (draw == draws.end() || !place_.function || place_.inKernel || call->arguments.empty()) return;
    std::string shape;
    for (const ast::Argument &arg : call->arguments) {
      if (arg.keyword && arg.keyword->text != "size" && arg.keyword->text != "shape") return;
      shape += (shape.empty() ? "" : ", ") + text(arg.value->span);
    }
    const bool ofStream = diagnostic_.id == Id::unknownAttribute;
    const bool like = !ofStream && draw->first.ends_with("_like");
    if (like && call->arguments.size() != 1) return;
    if (like) shape = asPrimary(*call->arguments[0].value) + ".shape";
    else if (shape.front() != '(') shape = "(" + shape + (call->arguments.size() == 1 ? ",)" : ")");
    std::string how = "." + std::string(draw->second) + "(" + shape + ")";
    CandidateGroup &edits = group(false);
    if (ofStream) {  // `rng.rand(4, 8)`
      if (diagnostic_.message.find("a stream of random numbers") != std::string::npos) replace(edits, call->span, text(*member->object) + how);
      return;
    }
    for (const std::string &part : unreadStreams()) replace(edits, call->span, part + how, "draw from `" + part + "`, which nothing reads yet");
    for (const ast::Parameter &p : place_.function->parameters)
      if (p.annotation && text(p.annotation->span) == "Rng") replace(edits, call->span, p.name.text + how);
    if (!edits.edits.empty() || place_.function->parameters.empty()) return;
    const uint32_t end = place_.function->parameters.back().span.end;
    replace(edits, {call->span.file, end, call->span.end},
            ", rng: Rng" + text({call->span.file, end, call->span.begin}) + "rng" + how,
            "draw from a stream that the function takes");
    edits.ofSignature = true;
  }
};

}  // namespace

std::vector<CandidateGroup> foreignPrefixes(const diag::Diagnostic &diagnostic, const Place &place,
                                            const Sources &sources) {
  return PrefixFinder(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
