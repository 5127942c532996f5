// A kernel's function: its parameters, what stands around its body, and what the compiler of the text is told of it.
#include "ir/common/Common.h"
#include "ir/common/KernelNotes.h"
#include "ir/common/Names.h"
#include "ir/tile/HeldRows.h"
#include "transforms/target/LocalElements.h"
#include "transforms/target/Plan.h"
#include "transforms/target/cpu/Loops.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/kernel/Kernel.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Roles.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

ArrayAttr stringsOf(MLIRContext *context, ArrayRef<std::string> texts) {
  SmallVector<Attribute> list;
  for (const std::string &text : texts) list.push_back(StringAttr::get(context, text));
  return ArrayAttr::get(context, list);
}

bool wantsRegisters(Emission &em) {
  bool found = false;
  em.kernel.getBody().walk([&](tile::DotOp dot) { found |= isa<tile::MmaAttr>(dot.getAcc().getType().getLayout()); });
  return found && !em.isCpu();
}

/// Groups whose roles leave room for so many on a processor.
static int64_t groupsOfRoles(Emission &em) {
  constexpr int64_t registersOfProcessor = 65536;
  tile::RolesOp roles = em.roles->op;
  const int64_t consumers = roles.getTeams() * em.kernel.getGroup();
  return registersOfProcessor / (consumers * roles.getConsumerRegisters() + kWarpgroupLanes * roles.getProducerRegisters());
}

/// How many groups the shared memory of a processor has room for.
static int64_t groupsOfShared(Emission &em) {
  constexpr int64_t reserved = 1024;  // of each group's, which the machine keeps for itself
  const std::vector<int64_t> &bytes = em.info.sharedBytes;
  return bytes.empty() ? 1 : (em.machine.sharedBytes + reserved) / (*llvm::max_element(bytes) + reserved);
}

/// The consumers compute all that they multiply from the left: while those of one group do, another's products run. (Where they only
/// multiply, one group reads as fast, and the next kernel begins in the room of the other.)
static bool computesOperands(Emission &em) {
  SmallVector<tile::DotOp> dots;
  em.kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  return !dots.empty() && llvm::all_of(dots, [](tile::DotOp dot) { return isa<tile::FragmentType>(dot.getA().getType()); });
}

bool needsView(Value parameter) {
  return llvm::any_of(parameter.getUsers(), [](Operation *user) {
    return isa<tile::LoadFragmentOp, tile::StoreFragmentOp, tile::StoreColumnSumsOp, tile::CopyOp, tile::CopyRowsOp>(user);
  });
}

static void declareParameters(Emission &em) {
  for (auto [i, argument] : llvm::enumerate(em.kernel.getBody().getArguments())) {
    std::string name = em.kernel.param(i).getName().str();
    Type type = argument.getType();
    if (auto view = dyn_cast<ir::ViewType>(type)) {
      bool writes = isWritten(argument);
      int64_t rank = view.getShape().size();
      ir::WindowsAttr windows = view.getPlaces() ? view.getPlaces().getWindows() : ir::WindowsAttr();
      int64_t over = windows ? static_cast<int64_t>(windows.axes()) : 0;
      bool strided = view.getPlaces() && !windows, asView = strided || windows || (rank > 0 && needsView(argument));
      auto tiles = tileRows(em, argument);
      type = tiles    ? Type(out::TiledViewType::get(em.context, rank, view.getElementType(), tiles->count, tiles->axis,
                                                     !writes, strided, over))
             : asView ? Type(out::ViewType::get(em.context, rank, view.getElementType(), !writes, strided, over))
                      : Type(out::PointerType::get(em.context, view.getElementType(), !writes));
    }
    em.parameters.push_back(em.names.declare(name));
    em.values->bound[argument] = valueOf(em.top->addArgument(type, argument.getLoc()));
  }
}

static void declareConstants(Emission &em) {
  Location place = em.kernel.getLoc();
  em.builder.setInsertionPointToEnd(em.top);
  declareNamedSizes(em);
  declareScheduleSizes(em);
  declareCapacities(em);
  declareVariants(em);
  em.rows->takesNext = llvm::any_of(em.info.variants, [](const KernelInfo::Variant &each) { return each.inTurn; });
  if (!em.isCpu() && !em.sizes->constants.count("T.Threads")) {
    em.info.groupName = em.names.fresh("Threads");
    declareConstant(em, "T.Threads", em.info.groupName, em.out.getGroup());
    if (em.roles->op) declareConstant(em, "T.Consumers", em.names.fresh("Consumers"), em.kernel.getGroup());
    if (hasTeams(em)) declareConstant(em, "T.Teams", em.names.fresh("Teams"), em.roles->op.getTeams());
  }
  declareLayouts(em);
  declareAlignment(em);
  // Shared memory is declared here, before the first statement.
  em.declarations = em.builder.create<out::CommentOp>(place, "");
  em.builder.setInsertionPointToEnd(em.top);
}

static LogicalResult emitGroups(Emission &em, llvm::function_ref<LogicalResult()> body) {
  Type word = IntegerType::get(em.context, 32, IntegerType::Unsigned);
  em.grid->group = castTo(em.indexType(), name("blockIdx.x", word));
  Dim groups(1);
  for (const Dim &count : em.grid->counts) groups = groups * count;
  SmallVector<Value> sums = columnSums(em);
  bool packs = em.sizes->constants.count("T.rows") != 0;  // several groups in a block, each of one warp then
  em.grid->countsRows = packs || !sums.empty();
  if (!sums.empty()) return emitTurns(em, sums, body);
  const bool inClusters = em.sizes->constants.count("T.cluster") != 0;  // of several groups with one row
  if (inClusters) em.grid->group = binary("/", em.grid->group, dimVar(em, "T.cluster"));
  const Dim blocks = packs ? Dim::ceilDiv(groups, Dim::var("T.rows")) : groups;
  em.info.grid = inConstants(em, inClusters ? blocks * Dim::var("T.cluster") : blocks).str();
  em.info.group = em.out.getGroup();
  Location place = em.kernel.getLoc();
  if (inClusters) {
    ExprRef lane = call("tsr::row_lane", {}, em.indexType(), {StringAttr::get(em.context, em.sizes->constants["T.cluster"])});
    const std::string own = em.names.fresh("lane");
    declare(em, own, out::NamedType::get(em.context, turnType(em)), "copy", {lane}, true, place);
    em.grid->rowLane = name(own, em.indexType());
  }
  if (!packs) return body();
  // Of a block with one row that number is not known to be the same for all lanes: each would compute its addresses by itself.
  ExprRef rows = dimVar(em, "T.rows"), own = castTo(em.indexType(), name("threadIdx.y", word));
  ExprRef row = binary("+", binary("*", em.grid->group, rows), conditional(compare(">", rows, number(em.indexType(), 1)), own, number(em.indexType(), 0)));
  if (em.rows->takesNext) return emitNextRows(em, row, dim(em, groups), body);
  em.grid->group = read(declare(em, em.names.fresh("group"), em.indexType(), "copy", {row}, true, place));
  auto inside =
      em.builder.create<out::IfOp>(place, write(em.builder, place, compare("<", em.grid->group, dim(em, groups))));
  OpBuilder::InsertionGuard guard(em.builder);
  em.builder.createBlock(&inside.getThenBody());
  return body();
}

static LogicalResult finish(Emission &em) {
  em.declarations->erase();
  keepVectorLoops(em);
  std::vector<std::string> capacities;
  for (const auto &[dim, values] : em.info.capacities) capacities.push_back(em.sizes->capacities.at(dim));
  if (!em.sizes->alignment.empty()) capacities.push_back(em.sizes->alignment);
  llvm::append_range(capacities, em.sizes->templates);
  std::string lanes = std::to_string(em.kernel.getGroup());
  if (em.sizes->constants.count("T.rows")) {
    lanes = em.sizes->constants["T.Threads"] + " * " + em.sizes->constants["T.rows"];
    if (em.sizes->constants.count("T.cluster")) lanes += " / " + em.sizes->constants["T.cluster"];
    em.out->setAttr("bounds", em.builder.getStringAttr(lanes));
    lanes = "(" + lanes + ")";
  }
  const bool inTurn = !columnSums(em).empty();
  if (inTurn) {
    lanes = em.sizes->constants["T.Threads"];
    em.out->setAttr("bounds", em.builder.getStringAttr(lanes));
  }
  // Registers that hold rows must not be spilled for the sake of more lanes: 64 a lane for one row, 80 for two, 96 for short rows in turn,
  // else 128.
  if (em.sizes->constants.count("T.held")) {
    int64_t rows = 0;
    em.kernel.walk([&](tile::HoldRowOp) { ++rows; });
    const bool isShort = inTurn && !em.kernel->hasAttr(tile::kRowsAhead) && !em.kernel->hasAttr(tile::kManyElements);
    // Rows of clusters are in shared memory: 40 registers a lane, so that as many groups as it holds share a processor. Edges take more.
    std::string most = "1024 / ";
    if (auto cluster = em.sizes->constants.find("T.cluster"); cluster != em.sizes->constants.end()) {
      auto edges = em.sizes->constants.find("T.edges");
      const std::string without = edges == em.sizes->constants.end() ? "" : " && " + edges->second + " == 0";
      most = "(" + cluster->second + " > 1" + without + " ? 1536 : 1024) / ";
    }
    em.out->setAttr("resident", em.builder.getStringAttr((isShort              ? "672 / "
                                                          : inTurn || rows > 2 ? "512 / "
                                                          : rows == 2        ? "768 / "
                                                                             : most) +
                                                         lanes));
  }
  if (em.roles->op && groupsOfRoles(em) > 1) {
    em.out.setOneGroup(false);
    em.out->setAttr("resident", em.builder.getStringAttr(std::to_string(groupsOfRoles(em))));
  }
  em.out.setParamNamesAttr(stringsOf(em.context, em.parameters));
  em.out.setCapacitiesAttr(stringsOf(em.context, capacities));
  keepElementsInLoops(em.out);
  if (failed(computeSharedBytes(em)) || failed(checkStack(em))) return failure();
  if (em.info.persistent && computesOperands(em)) em.info.persistent = std::min(groupsOfRoles(em), groupsOfShared(em));
  noteForManifest(em);
  return success();
}

FailureOr<KernelInfo> emitKernel(tile::KernelOp kernel, std::string name, const Machine &machine, OpBuilder &module) {
  Emission em(kernel, std::move(name), machine, module);
  Location place = em.kernel.getLoc();
  const HeadComment comment = headComment(em);
  em.out = em.builder.create<out::KernelOp>(place, em.info.name, em.builder.getStrArrayAttr({}),
                                            em.builder.getStrArrayAttr({}), em.isCpu() ? 0 : em.kernel.getGroup(),
                                            stringsOf(em.context, comment.lines), false, false, wantsRegisters(em),
                                            /*shared_alignment=*/128);
  if (!comment.schedule.empty()) {
    NamedAttrList form;
    form.set("sizes", em.builder.getStringAttr(comment.schedule));
    form.set("reasons", stringsOf(em.context, comment.reasons));
    em.out->setAttr(ir::kForm, form.getDictionary(em.context));
  }
  em.top = em.builder.createBlock(&em.out.getBody());
  em.kernel.getBody().walk([&](Operation *op) {
    for (Value result : op->getResults()) em.names.reserve(ir::nameHint(result));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments()) em.names.reserve(ir::nameHint(argument));
  });
  for (StringAttr dim : em.kernel.getDims().getAsRange<StringAttr>()) em.names.reserve(dim);
  planRoles(em);
  declareParameters(em);
  declareConstants(em);
  planGrid(em);
  LogicalResult emitted = em.isCpu() && isPlainLoop(em) ? emitPlainLoop(em)
                          : em.isCpu()                  ? emitGroupLoop(em)
                                       : emitGroups(em, [&] { return emitBlock(em, em.kernel.getBody().front()); });
  if (failed(emitted)) return failure();
  if (failed(finish(em))) return failure();
  return em.info;
}

}  // namespace tessera::transforms::totarget
