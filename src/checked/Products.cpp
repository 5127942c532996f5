#include "checked/Products.h"
#include "checked/ExprBuild.h"

namespace tessera::checked {
namespace {

struct Instruction {
  int64_t rows, columns, terms;
  DType a, b;
};
constexpr Instruction kInstructions[] = {
#define TSR_MATRIX(name, m, n, k, a, b, acc) {m, n, k, DType::a, DType::b},
#include "support/Machines.def"
};

/// An extent with the sizes that the schedule states; nothing if that is no number.
std::optional<int64_t> sizeOf(const Dim &extent, const Schedule &schedule) {
  std::map<std::string, Dim> stated;
  for (const auto &[name, size] : schedule.sizes) stated["T." + name] = Dim(size);
  const Dim known = extent.substitute(stated);
  return known.isConstant() ? std::optional(known.constant()) : std::nullopt;
}

}  // namespace

std::optional<OddProduct> productWithoutInstruction(const Function &kernel) {
  std::optional<OddProduct> found;
  if (kernel.kind != FunctionKind::Kernel) return found;
  auto &body = const_cast<Block &>(kernel.body);  // which is only looked at
  visitExprs(body, [&](Expr &e) {
    if (found || e.kind != ExprKind::Dot || e.args.size() < 2) return;
    const Type &a = e.args[0]->type, &b = e.args[1]->type;
    if (a.shape.size() != 2 || b.shape.size() != 2) return;
    const auto rows = sizeOf(a.shape[0], kernel.kernel.schedule), columns = sizeOf(b.shape[1], kernel.kernel.schedule),
               terms = sizeOf(a.shape[1], kernel.kernel.schedule);
    const bool isProduct = rows && columns && terms && *rows > 1 && *columns > 1 && *terms > 1;  // not of vectors
    if (!isProduct || info(a.dtype).bits > 16) return;
    bool known = false, fits = false;
    for (const Instruction &one : kInstructions) {
      if (one.a != a.dtype || one.b != b.dtype) continue;
      known = true;
      fits |= *rows % one.rows == 0 && *columns % one.columns == 0 && *terms % one.terms == 0;
    }
    if (known && !fits) found = OddProduct{*rows, *columns, *terms, a.dtype, e.span};
  });
  return found;
}

}  // namespace tessera::checked
