// The checked program as text, one statement a line.
#include "checked/Checked.h"
#include "support/SetAtPlaces.h"
#include <cstdio>

namespace tessera::checked {
namespace {

class Dumper {
public:
  std::string text;

  void function(const Function &f) {
    static const char *const kinds[] = {"kernel", "tensor", "host"};
    text += std::string(kinds[static_cast<int>(f.kind)]) + " " + f.name + "(";
    static const char *const modes[] = {"", "out ", "inout "};
    for (size_t i = 0; i < f.params.size(); ++i) {
      const Param &p = f.params[i];
      text += (i ? ", " : "") + std::string(modes[static_cast<int>(p.mode)]) + (p.isResult ? "result " : "") +
              (p.keywordOnly ? "*" : "") + name(p.var) + ": " + p.var->type.str();
      if (p.var->type.kind == TypeKind::Index && !p.var->type.shape.empty())
        text += " = " + p.var->type.shape[0].str();
      if (p.defaultValue) text += " = " + expr(*p.defaultValue);
    }
    text += ")";
    for (const FunctionResult &r : f.results)
      text += " -> " + r.name + ": " + r.type.str() + (r.param >= 0 ? " @" + std::to_string(r.param) : "");
    text += "\n";
    if (!f.dims.empty()) {
      text += "  dims";
      for (const std::string &d : f.dims) text += " " + d;
      text += "\n";
    }
    for (const Requirement &r : f.requirements)
      text += "  require " + r.left.str() + relation(r.relation) + r.right.str() + "\n";
    for (const Special &special : f.specials) {
      text += "  special " + special.name;
      for (const auto &[dim, size] : special.sizes) text += " " + dim + "=" + std::to_string(size);
      text += "\n";
    }
    if (!f.effects.empty()) text += "  effects " + f.effects.str() + "\n";
    if (f.kind == FunctionKind::Kernel) kernel(f);
    block(f.body, 1);
  }

private:
  static std::string relation(Relation r) {
    static const char *const texts[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    return texts[static_cast<int>(r)];
  }
  static std::string name(const Var *v) { return v->name + "#" + std::to_string(v->id); }
  static std::string dims(const std::vector<Dim> &shape) {
    std::string out = "[";
    for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + shape[i].str();
    return out + "]";
  }

  void kernel(const Function &f) {
    const KernelInfo &k = f.kernel;
    if (k.grid == GridKind::Output)
      text += "  grid output " + std::to_string(k.outputParam) + " tile " + dims(k.tileShape) + "\n";
    else if (k.grid == GridKind::Explicit) text += "  grid " + dims(k.gridDims) + "\n";
    else text += "  grid lanes " + k.laneExtent.str() + "\n";
    if (k.groupSize) text += "  group " + std::to_string(k.groupSize) + "\n";
    if (!k.contextSizes.empty()) {
      text += "  context";
      for (const std::string &s : k.contextSizes) text += " " + s;
      text += "\n";
    }
    for (const auto &[field, size] : k.schedule.sizes)
      text += "  schedule " + field + " = " + std::to_string(size) + "\n";
    for (const auto &[field, word] : k.schedule.options)
      text += "  schedule " + field + " = \"" + word + "\"\n";
    for (const auto &[field, choices] : k.schedule.space) {
      text += "  space " + field + " =";
      for (int64_t c : choices) text += " " + std::to_string(c);
      text += "\n";
    }
  }

  std::string access(const Access &a) const {
    std::string out = (a.base ? name(a.base) : "") + "[";
    for (size_t i = 0; i < a.parts.size(); ++i) {
      const IndexPart &p = a.parts[i];
      out += i ? ", " : "";
      if (p.isPoint) out += expr(*p.offset);
      else
        out += (p.offset ? expr(*p.offset) : std::string("0")) + " +: " + p.size.str() +
               (p.step != 1 ? " by " + std::to_string(p.step) : "");
      if (!p.inBounds) out += "?";
    }
    out += "]";
    if (a.other) out += " else " + expr(*a.other);
    if (a.vector) out += " of " + std::to_string(a.vector);
    return out;
  }

  static std::string number(double v) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.9g", v);
    return buffer;
  }
  std::string args(const Expr &e) const {
    std::string out = "(";
    for (size_t i = 0; i < e.args.size(); ++i) out += (i ? ", " : "") + expr(*e.args[i]);
    return out + ")";
  }
  static std::string axes(const std::vector<int> &axes) {
    std::string out = "<";
    for (size_t i = 0; i < axes.size(); ++i) out += (i ? "," : "") + std::to_string(axes[i]);
    return out + ">";
  }
  /// An axis and the axes behind it.
  static std::string axes(int first, const std::vector<int> &rest) {
    std::vector<int> all{first};
    all.insert(all.end(), rest.begin(), rest.end());
    return axes(all);
  }
  std::string expr(const Expr &e) const {
    static const char *const derivatives[] = {"derivative", "value_and_derivative", "pullback", "pushforward"};
    static const char *const queries[] = {"origin",  "group_id",  "group_size", "local_id",
                                          "lane_id", "linear_id", "group_count"};
    switch (e.kind) {
    case ExprKind::Constant: {
      std::string hint = e.nameHint.empty() ? "" : e.nameHint + "=";
      const auto &value = e.as<node::Constant>().value;
      if (auto *b = std::get_if<bool>(&value)) return hint + (*b ? "true" : "false");
      if (auto *i = std::get_if<int64_t>(&value)) return hint + std::to_string(*i);
      return hint + number(std::get<double>(value)) + ":" + std::string(tessera::name(e.type.dtype));
    }
    case ExprKind::String: return "\"" + e.as<node::String>().text + "\"";
    case ExprKind::DimValue: return "dim(" + e.as<node::DimValue>().dim.str() + ")";
    case ExprKind::VarRef: return name(e.as<node::VarRef>().var);
    case ExprKind::Elementwise: return std::string(info(e.as<node::Elementwise>().op).mnemonic) + args(e);
    case ExprKind::Cast:
      return (e.as<node::Cast>().ofBits ? "bitcast<" : "cast<") + (e.type.kind == TypeKind::Index ? std::string("index") : scalarText(e.type)) + ">" +
             args(e);
    case ExprKind::Broadcast: return "broadcast" + axes(e.as<node::Broadcast>().axes) + dims(e.type.shape) + args(e);
    case ExprKind::Reshape: return "reshape" + dims(e.type.shape) + args(e);
    case ExprKind::Transpose: return "transpose" + axes(e.as<node::Transpose>().axes) + args(e);
    case ExprKind::Reduce: {
      const auto &reduce = e.as<node::Reduce>();
      return "reduce_" + std::string(mnemonic(reduce.op)) + axes(reduce.axes) + args(e);
    }
    case ExprKind::Dot: return "dot:" + std::string(tessera::name(e.type.dtype)) + args(e);
    case ExprKind::Full: return "full" + dims(e.type.shape) + args(e);
    case ExprKind::Table: return "table" + dims(e.type.shape) + args(e);
    case ExprKind::Iota: return "iota" + axes({e.as<node::Iota>().axis}) + dims(e.type.shape);
    case ExprKind::Load: return "load " + access(e.as<node::Load>().access);
    case ExprKind::Window: {
      const auto &window = e.as<node::Window>();
      return "window" + axes({window.axis, window.stride, window.dilation}) + dims(e.type.shape) + args(e);
    }
    case ExprKind::Gather: {
      const auto &gather = e.as<node::Gather>();
      return "gather" + axes(gather.axis, gather.along) + args(e);
    }
    case ExprKind::ScatterAdd: {
      const auto &scatter = e.as<node::ScatterAdd>();
      return "scatter_add" + axes(scatter.axis, scatter.along) + dims(e.type.shape) + args(e);
    }
    case ExprKind::Argsort: return (e.as<node::Argsort>().descending ? "argsort_falling" : "argsort") + args(e);
    case ExprKind::Scan: {
      const auto &scan = e.as<node::Scan>();
      return "scan_" + std::string(mnemonic(scan.op)) + axes({scan.axis}) + args(e);
    }
    case ExprKind::Exchange: return std::string(checked::name(e.as<node::Exchange>().what)) + "<" + e.as<node::Exchange>().over + ">" + dims(e.type.shape) + args(e);
    case ExprKind::Concat: return "concat" + axes({e.as<node::Concat>().axis}) + args(e);
    case ExprKind::Slice: return "slice" + args(e) + access(e.as<node::Slice>().access);
    case ExprKind::Query: {
      const auto &query = e.as<node::Query>();
      return std::string(queries[static_cast<int>(query.what)]) + "(" + std::to_string(query.axis) + ")";
    }
    case ExprKind::Warp: {
      static const char *const names[] = {"shuffle", "shuffle_xor", "ballot", "warp_"};
      const auto &warp = e.as<node::Warp>();
      return names[static_cast<int>(warp.what)] + std::string(warp.what == WarpOp::Reduce ? mnemonic(warp.op) : "") + args(e);
    }
    case ExprKind::Call: return "call " + e.as<node::Call>().callee->name + args(e);
    case ExprKind::Derivative: {
      const auto &derivative = e.as<node::Derivative>();
      return std::string(derivatives[static_cast<int>(derivative.what)]) + " " + derivative.callee->name +
             axes(derivative.parameters) + args(e);
    }
    case ExprKind::Vmap: {
      std::vector<int> mapped;
      for (size_t i = 0; i < e.args.size(); ++i)
        if (e.as<node::Vmap>().mapped[i]) mapped.push_back(static_cast<int>(i));
      return "vmap " + calleeOf(e)->name + axes(mapped) + args(e);
    }
    case ExprKind::After: return "after" + args(e);
    case ExprKind::TupleItem: return "item" + std::to_string(e.as<node::TupleItem>().item) + args(e);
    case ExprKind::HostRank: return "host_rank" + args(e);
    case ExprKind::HostShape: return "host_shape" + std::to_string(e.as<node::HostShape>().axis) + args(e);
    case ExprKind::HostItem: return "host_item" + args(e);
    case ExprKind::Opaque: return e.as<node::Opaque>().name + args(e);
    case ExprKind::LoadNpy: return "load_npy" + args(e);
    case ExprKind::HostCall: return e.as<node::HostCall>().function + args(e);
    case ExprKind::Format: {
      const auto &[texts, formats] = e.as<node::Format>();
      std::string out = "format(\"" + texts[0];
      for (size_t i = 0; i < e.args.size(); ++i)
        out += "{" + expr(*e.args[i]) + (formats[i].empty() ? "" : ":" + formats[i]) + "}" + texts[i + 1];
      return out + "\")";
    }
    }
    return "?";
  }
  static std::string scalarText(Type type) {
    type.kind = TypeKind::Scalar;
    type.numerics.accumulate.reset();
    return type.str();
  }

  void line(int depth, const std::string &what) {
    text += std::string(static_cast<size_t>(depth) * 2, ' ') + what + "\n";
  }

  void block(const Block &b, int depth) {
    for (const auto &s : b) stmt(*s, depth);
  }
  void stmt(const Stmt &s, int depth) {
    switch (s.kind) {
    case StmtKind::Let:
      return line(depth, "let " + name(s.var) + (s.var->varying ? " varying" : "") + ": " +
                             s.var->type.str() + " = " + expr(*s.value));
    case StmtKind::Assign: return line(depth, name(s.var) + " = " + expr(*s.value));
    case StmtKind::Store:
      return line(depth,
                  "store " + access(s.access) + " = " + expr(*s.value) + (s.oncePerGroup ? " once" : ""));
    case StmtKind::Atomic: {
      std::string out = (s.var ? "let " + name(s.var) + " varying: " + s.var->type.str() + " = " : "") + "atomic " +
                        (s.combine == kSetAtPlaces ? kSetMnemonic : std::string(info(s.combine).mnemonic)) + " " + access(s.access);
      for (size_t i = 0; i < s.values.size(); ++i) out += (i ? ", " : " at (") + expr(*s.values[i]);
      return line(depth, out + (s.values.empty() ? "" : ")") + " with " + expr(*s.value) + (s.oncePerGroup ? " once" : ""));
    }
    case StmtKind::For:
      line(depth, "for " + name(s.var) + (s.var->varying ? " varying" : "") + " in " + expr(*s.start) + ", " +
                      expr(*s.stop) + ", " + expr(*s.step));
      return block(s.body, depth + 1);
    case StmtKind::While: line(depth, "while " + expr(*s.condition)); return block(s.body, depth + 1);
    case StmtKind::If:
      line(depth, "if " + expr(*s.condition));
      block(s.body, depth + 1);
      if (!s.otherwise.empty()) {
        line(depth, "else");
        block(s.otherwise, depth + 1);
      }
      return;
    case StmtKind::Break: return line(depth, "break");
    case StmtKind::Continue: return line(depth, "continue");
    case StmtKind::AllocShared:
      return line(depth, "alloc " + name(s.var) + ": " + s.var->type.str() +
                             (s.var->swizzle.empty() ? "" : " swizzle " + s.var->swizzle) +
                             (s.count ? " alignment " + std::to_string(s.count) : ""));
    case StmtKind::AsyncCopy: return line(depth, "async " + access(s.access) + " <- " + access(s.source));
    case StmtKind::CommitGroup: return line(depth, "commit");
    case StmtKind::WaitGroup: return line(depth, "wait " + std::to_string(s.count));
    case StmtKind::Barrier: return line(depth, "barrier");
    case StmtKind::Return: {
      std::string out = "return";
      for (size_t i = 0; i < s.values.size(); ++i) out += (i ? ", " : " ") + expr(*s.values[i]);
      return line(depth, out);
    }
    case StmtKind::Evaluate: return line(depth, expr(*s.value));
    case StmtKind::Print: return line(depth, "print " + expr(*s.value));
    case StmtKind::SaveNpy: return line(depth, "save_npy " + expr(*s.value) + ", " + expr(*s.extra));
    case StmtKind::Assert:
      return line(depth, "assert " + expr(*s.condition) + (s.value ? ", " + expr(*s.value) : ""));
    }
  }
};

}  // namespace

std::string dump(const Program &program) {
  Dumper dumper;
  for (size_t i = 0; i < program.functions.size(); ++i) {
    if (i) dumper.text += "\n";
    dumper.function(*program.functions[i]);
  }
  return std::move(dumper.text);
}

std::string dump(const Function &function) {
  Dumper dumper;
  dumper.function(function);
  return std::move(dumper.text);
}

}  // namespace tessera::checked
