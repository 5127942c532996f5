// The abstract syntax tree: the program as it was written, names unresolved.
// Every node has the span of its text. Nodes own their children; nothing is null unless said so.
#pragma once
#include "support/Span.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::ast {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::shared_ptr<Stmt>;  // a text and the next one share what did not change
using Block = std::vector<StmtPtr>;

struct Identifier {
  std::string text;
  Span span;
};

// ---------------------------------------------------------------- expressions

enum class ExprKind {
  Name,        // x
  Int,         // 0x_ff            text as written, value decoded
  Float,       // 1e-5
  Imaginary,   // 2j
  String,      // "…" (adjacent literals joined)
  FString,     // f"{x:.4f}"
  Bool, None, Ellipsis,
  Tuple,       // a, b   (a,)   ()
  List, Set,   // [a, b]  {a, b}
  Dict,        // {"a": b, **c}
  ListComp, SetComp, GeneratorComp, DictComp,
  Stack,       // [Block[D]; L]    a type: L structs, as arrays with one more axis
  Unary,       // -x  +x  ~x  not x
  Binary,      // a + b   a @ b  (in a type, `bf16 @accum(f32)` is Binary MatMul too)
  BoolOp,      // a and b and c
  Compare,     // a < b <= c
  Conditional, // a if c else b
  Lambda,      // lambda u, v=1: e
  Call,        // f(a, *b, k=c, **d)
  Attribute,   // a.b
  Subscript,   // a[i, 1:2, dtype=bf16, @accum(f32)]
  Slice,       // a:b:c            only inside a Subscript
  Starred,     // *a
  Await,       // await e
  Range,       // 1..=4096
  Policy,      // @accum(f32)      only as a Subscript item: a policy behind a comma
  Braced,      // W{"d_model"}     a shard specification behind a name
  Named,       // (n := e)
  Error,       // text that did not parse; a message was given
};

enum class UnaryOp { Neg, Pos, Invert, Not };
enum class BinaryOp { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, MatMul, LeftShift, RightShift, BitAnd, BitOr, BitXor };
enum class CompareOp { Eq, Ne, Lt, Le, Gt, Ge, In, NotIn, Is, IsNot };

struct Parameter;
struct Expr {
  ExprKind kind;
  Span span;
  explicit Expr(ExprKind kind, Span span) : kind(kind), span(span) {}
  virtual ~Expr() = default;
};

struct NameExpr : Expr { static constexpr auto Kind = ExprKind::Name; std::string name; using Expr::Expr; };
struct IntExpr : Expr {
  static constexpr auto Kind = ExprKind::Int;
  std::string text;         // as written
  uint64_t value = 0;
  bool tooLarge = false;    // does not fit 64 bits
  using Expr::Expr;
};
struct FloatExpr : Expr { static constexpr auto Kind = ExprKind::Float; std::string text; double value = 0; using Expr::Expr; };
struct ImaginaryExpr : Expr { static constexpr auto Kind = ExprKind::Imaginary; std::string text; double value = 0; using Expr::Expr; };
struct StringExpr : Expr {
  static constexpr auto Kind = ExprKind::String;
  std::string text;         // as written, with prefix and quotes
  std::string value;        // decoded
  using Expr::Expr;
};
struct FStringPart {
  std::string literal;      // decoded text; used when `value` is null
  ExprPtr value;            // may be null
  char conversion = 0;      // 'r', 's', 'a' or 0
  std::string format;       // text behind ':'
};
struct FStringExpr : Expr { static constexpr auto Kind = ExprKind::FString; std::string text; std::vector<FStringPart> parts; using Expr::Expr; };
struct BoolExpr : Expr { static constexpr auto Kind = ExprKind::Bool; bool value = false; using Expr::Expr; };
struct NoneExpr : Expr { static constexpr auto Kind = ExprKind::None; using Expr::Expr; };
struct EllipsisExpr : Expr { static constexpr auto Kind = ExprKind::Ellipsis; using Expr::Expr; };
/// Tuple, List and Set.
struct SequenceExpr : Expr { std::vector<ExprPtr> items; bool parenthesised = false; using Expr::Expr; };
struct StackExpr : Expr { static constexpr auto Kind = ExprKind::Stack; ExprPtr item, count; using Expr::Expr; };
struct DictItem { ExprPtr key; ExprPtr value; };  // key null: **value
struct DictExpr : Expr { static constexpr auto Kind = ExprKind::Dict; std::vector<DictItem> items; using Expr::Expr; };
struct ComprehensionFor { ExprPtr target, iterable; std::vector<ExprPtr> conditions; bool isAsync = false; };
/// ListComp, SetComp, GeneratorComp; DictComp uses `key` too.
struct ComprehensionExpr : Expr { ExprPtr key /* may be null */, element; std::vector<ComprehensionFor> clauses; using Expr::Expr; };
struct UnaryExpr : Expr { static constexpr auto Kind = ExprKind::Unary; UnaryOp op{}; ExprPtr operand; using Expr::Expr; };
struct BinaryExpr : Expr { static constexpr auto Kind = ExprKind::Binary; BinaryOp op{}; Span opSpan; ExprPtr left, right; using Expr::Expr; };
struct BoolOpExpr : Expr { static constexpr auto Kind = ExprKind::BoolOp; bool isAnd = true; std::vector<ExprPtr> operands; using Expr::Expr; };
struct CompareExpr : Expr { static constexpr auto Kind = ExprKind::Compare; std::vector<ExprPtr> operands; std::vector<CompareOp> ops; using Expr::Expr; };
struct ConditionalExpr : Expr { static constexpr auto Kind = ExprKind::Conditional; ExprPtr condition, then, otherwise; using Expr::Expr; };
struct LambdaExpr : Expr { static constexpr auto Kind = ExprKind::Lambda; std::vector<Parameter> parameters; ExprPtr body; using Expr::Expr; };
struct Argument {
  std::optional<Identifier> keyword;   // k=value
  int stars = 0;                       // 1: *value, 2: **value
  ExprPtr value;
  Span span;
};
struct CallExpr : Expr { static constexpr auto Kind = ExprKind::Call; ExprPtr callee; std::vector<Argument> arguments; using Expr::Expr; };
struct AttributeExpr : Expr { static constexpr auto Kind = ExprKind::Attribute; ExprPtr object; Identifier attribute; using Expr::Expr; };
/// Items are ordinary arguments: positional (also Slice, Starred, Policy), or `dtype=bf16`.
struct SubscriptExpr : Expr { static constexpr auto Kind = ExprKind::Subscript; ExprPtr object; std::vector<Argument> items; using Expr::Expr; };
struct SliceExpr : Expr { static constexpr auto Kind = ExprKind::Slice; ExprPtr start, stop, step; /* each may be null */ using Expr::Expr; };
struct StarredExpr : Expr { static constexpr auto Kind = ExprKind::Starred; ExprPtr value; using Expr::Expr; };
struct AwaitExpr : Expr { static constexpr auto Kind = ExprKind::Await; ExprPtr value; using Expr::Expr; };
struct RangeExpr : Expr { static constexpr auto Kind = ExprKind::Range; ExprPtr low, high; bool inclusive = true; using Expr::Expr; };
struct PolicyExpr : Expr { static constexpr auto Kind = ExprKind::Policy; ExprPtr policy; using Expr::Expr; };
struct BracedExpr : Expr { static constexpr auto Kind = ExprKind::Braced; ExprPtr object; std::vector<ExprPtr> items; using Expr::Expr; };
struct NamedExpr : Expr { static constexpr auto Kind = ExprKind::Named; Identifier name; ExprPtr value; using Expr::Expr; };
struct ErrorExpr : Expr { static constexpr auto Kind = ExprKind::Error; using Expr::Expr; };

// ---------------------------------------------------------------- statements

enum class StmtKind {
  Expr, Assign, AnnAssign, AugAssign, Sample, Return, Raise, Assert, Del, Pass, Break, Continue, Global,
  Import, FromImport, If, While, For, With, Try, FuncDef, ClassDef, StructDef, PolicyDef, StateDef, Error,
};

struct Stmt {
  StmtKind kind;
  Span span;
  explicit Stmt(StmtKind kind, Span span) : kind(kind), span(span) {}
  virtual ~Stmt() = default;
};

struct ExprStmt : Stmt { static constexpr auto Kind = StmtKind::Expr; ExprPtr value; using Stmt::Stmt; };
/// a = b = value: targets [a, b].
struct AssignStmt : Stmt { static constexpr auto Kind = StmtKind::Assign; std::vector<ExprPtr> targets; ExprPtr value; using Stmt::Stmt; };
struct AnnAssignStmt : Stmt { static constexpr auto Kind = StmtKind::AnnAssign; ExprPtr target, annotation, value; /* value may be null */ using Stmt::Stmt; };
struct AugAssignStmt : Stmt { static constexpr auto Kind = StmtKind::AugAssign; BinaryOp op{}; ExprPtr target, value; using Stmt::Stmt; };
/// W ~ Normal(0, 1)
struct SampleStmt : Stmt { static constexpr auto Kind = StmtKind::Sample; ExprPtr target, distribution; using Stmt::Stmt; };
struct ReturnStmt : Stmt { static constexpr auto Kind = StmtKind::Return; ExprPtr value; /* may be null */ using Stmt::Stmt; };
struct RaiseStmt : Stmt { static constexpr auto Kind = StmtKind::Raise; ExprPtr value, cause; /* may be null */ using Stmt::Stmt; };
struct AssertStmt : Stmt { static constexpr auto Kind = StmtKind::Assert; ExprPtr condition, message; /* message may be null */ using Stmt::Stmt; };
struct DelStmt : Stmt { static constexpr auto Kind = StmtKind::Del; std::vector<ExprPtr> targets; using Stmt::Stmt; };
/// Pass, Break, Continue.
struct SimpleStmt : Stmt { using Stmt::Stmt; };
struct GlobalStmt : Stmt { static constexpr auto Kind = StmtKind::Global; bool nonlocal = false; std::vector<Identifier> names; using Stmt::Stmt; };
struct ImportItem { std::vector<Identifier> path; std::optional<Identifier> alias; Span span; };
struct ImportStmt : Stmt { static constexpr auto Kind = StmtKind::Import; std::vector<ImportItem> items; using Stmt::Stmt; };
/// from ..a.b import x as y: level 2, module [a, b]. `star`: from m import *
struct FromImportStmt : Stmt { static constexpr auto Kind = StmtKind::FromImport; int level = 0; std::vector<Identifier> module; std::vector<ImportItem> items; bool star = false; using Stmt::Stmt; };
/// elif chains are an If as the only statement of `otherwise` with `isElif` set.
struct IfStmt : Stmt { static constexpr auto Kind = StmtKind::If; ExprPtr condition; Block then, otherwise; bool isElif = false; using Stmt::Stmt; };
struct WhileStmt : Stmt { static constexpr auto Kind = StmtKind::While; ExprPtr condition; Block body, otherwise; using Stmt::Stmt; };
struct ForStmt : Stmt { static constexpr auto Kind = StmtKind::For; bool isAsync = false; ExprPtr target, iterable; Block body, otherwise; using Stmt::Stmt; };
struct WithItem { ExprPtr context, target; /* target may be null */ };
struct WithStmt : Stmt { static constexpr auto Kind = StmtKind::With; bool isAsync = false; std::vector<WithItem> items; Block body; using Stmt::Stmt; };
struct ExceptClause { ExprPtr type; std::optional<Identifier> name; Block body; Span span; };  // type may be null
/// `of`: the checker made it, for a part of that one; `from`: the handler that is meant.
enum class TryPart : uint8_t { Whole, WithoutFinally, Body, End, Otherwise, Handlers, Name, Handler, Finally, Again };
struct TryStmt : Stmt {
  static constexpr auto Kind = StmtKind::Try;
  Block body;
  std::vector<ExceptClause> handlers;
  Block otherwise, finally;
  TryPart part = TryPart::Whole;
  const TryStmt *of = nullptr;
  size_t from = 0;
  using Stmt::Stmt;
};

enum class ParameterKind { Plain, KeywordOnly, VarPositional /* *rest */, VarKeyword /* **options */ };
struct Parameter {
  ParameterKind kind = ParameterKind::Plain;
  Identifier name;
  ExprPtr annotation, defaultValue;  // each may be null
  Span span;
};
struct Decorator { ExprPtr expression; Span span; };
struct TypeParameter { Identifier name; ExprPtr bound; /* may be null */ };
struct FuncDef : Stmt {
  static constexpr auto Kind = StmtKind::FuncDef;
  std::vector<Decorator> decorators;
  bool isAsync = false;
  Identifier name;
  std::vector<TypeParameter> typeParameters;  // def f[B, D]
  std::vector<Parameter> parameters;
  ExprPtr result;                             // may be null; an Error when the signature could not be read
  std::vector<ExprPtr> where;                 // where D % H == 0, D <= 256
  std::optional<std::vector<ExprPtr>> effects;  // effects[random, collective("tp")]
  Block body;                                 // `...` alone is one Expr statement with Ellipsis
  using Stmt::Stmt;
};
struct ClassDef : Stmt { static constexpr auto Kind = StmtKind::ClassDef; std::vector<Decorator> decorators; Identifier name; std::vector<TypeParameter> typeParameters; std::vector<Argument> bases; Block body; using Stmt::Stmt; };
/// struct Block[D, F]: fields are AnnAssign statements in the body.
struct StructDef : Stmt { static constexpr auto Kind = StmtKind::StructDef; std::vector<Decorator> decorators; Identifier name; std::vector<TypeParameter> typeParameters; Block body; using Stmt::Stmt; };
/// policy Name = Policy(...)
struct PolicyDef : Stmt { static constexpr auto Kind = StmtKind::PolicyDef; Identifier name; ExprPtr value; using Stmt::Stmt; };
/// state name: type = value
struct StateDef : Stmt { static constexpr auto Kind = StmtKind::StateDef; Identifier name; ExprPtr annotation, value; /* each may be null */ using Stmt::Stmt; };
struct ErrorStmt : Stmt { static constexpr auto Kind = StmtKind::Error; using Stmt::Stmt; };

struct Comment { Span span; bool ownLine = true; };  // from `#` to the end of the line
struct Module {
  FileId file = kNoFile;
  Block body;
  std::vector<Comment> comments;  // in order
};

/// Checked downcasts: `if (auto *call = ast::as<ast::CallExpr>(e))`.
template <class T> const T *as(const Expr *e) { return e && e->kind == T::Kind ? static_cast<const T *>(e) : nullptr; }
template <class T> T *as(Expr *e) { return e && e->kind == T::Kind ? static_cast<T *>(e) : nullptr; }
template <class T> const T *as(const ExprPtr &e) { return as<T>(static_cast<const Expr *>(e.get())); }
template <class T> const T *as(const Stmt *s) { return s && s->kind == T::Kind ? static_cast<const T *>(s) : nullptr; }
template <class T> const T *as(const StmtPtr &s) { return as<T>(static_cast<const Stmt *>(s.get())); }

/// A deterministic s-expression text of the tree (`--emit=ast`); with spans when asked.
std::string dump(const Module &module, bool spans = false);
/// Same program? Compares everything but spans, comments, redundant parentheses and literal spelling.
bool equal(const Module &a, const Module &b);

}  // namespace tessera::ast
