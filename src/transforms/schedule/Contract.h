// The strategy `contract`: a product is computed tile by tile, as an author of kernels would write it. A group adds the
// tile up in registers in steps along the inner axis; cheap work on the operands is done where they are loaded, what
// follows element by element is done on the sums, before they are stored (ContractPlan.cpp, ContractKernel.cpp).
#pragma once
#include "ir/graph/Graph.h"
#include "support/Machine.h"
#include <optional>

namespace tessera::transforms {

/// Extents of a product's tile, the step along its inner axis, and the lanes of a group.
struct ContractTile {
  int64_t m, n, k, group;
  bool byWarpgroups = false;  // by instructions that read their operands from shared memory
  bool inTeams = false;       // of one warpgroup each, with tiles of their own
};
/// What is done in a product's kernel beside it.
struct ContractWork {
  bool computesLeft = false, computesRight = false;  // what is multiplied is not read from memory as it is
  bool readsAfter = false;                           // what follows the product reads other tensors
  bool worksAfter = false;                           // what follows takes more than a few instructions an element
  bool storesNarrow = false;                         // every element that is stored has at most 16 bits
  bool storesWide = false;                           // every element that is stored has 32 bits
  bool readsWide = false;                            // and reads an element of more than 16 bits for each of the product
  bool alongK = true;                                // both operands lie in memory along the inner axis
  int64_t leastBytes = 8;                            // of an element that is read for an operand; 0: of some, no panels are made
};
/// Sizes for products that one kernel adds up and no schedule speaks of (ContractSizes.cpp).
ContractTile usualContractTile(const Machine &machine, llvm::ArrayRef<ir::graph::DotOp> dots, ContractWork work);

/// The fewest elements of an extent that has any, as far as its text says: 1024 of `1024 * B`.
int64_t leastOf(const Dim &extent);
/// Gives a kernel that is to be decided the tile, and parts of the terms as `split_k`.
void setSizes(ir::graph::KernelOp kernel, const ContractTile &tile, int64_t parts = 1);

/// The products of a user's kernel: the sizes of the kernel's tile that are the extents of the first (empty: an extent is none, but a
/// number or an expression), and what they are usually.
struct ProductTile {
  std::string rows, cols, terms;
  ContractTile tile;
};
/// Of a kernel with one product of matrices, or with two of which the second multiplies what is computed of the first; else none.
std::optional<ProductTile> tileOfProducts(ir::graph::KernelOp kernel, const Machine &machine);

/// A second kernel for results that are a few tiles of the usual size, which would leave most processors without work:
/// taken where the result, with its rows and columns in whole tiles of `counted`, has at most `most` of these tiles.
struct FewTiles {
  ContractTile tile, counted;
  int64_t most;
  bool byRounds = false;  // instead, where all processors take so many rounds of its tiles that each may take two thirds of the time of one of `counted`
};
/// The tile of a product that reads windows: twice the rows, which are windows, and half the columns.
ContractTile windowTile(const ContractTile &usual);
/// Likewise for no more columns than it has, by two teams with tiles of their own.
ContractTile narrowWindowTile();
/// Of channels in groups: its columns are those of a panel. Warps multiply by themselves.
ContractTile groupedWindowTile();
/// Of panels of rows and as many columns (kPanels).
ContractTile panelTile(int64_t panel);
/// A tile of warpgroups with fewer columns: where it gives the processors more even work, it takes less time (costOfTile, for each round of
/// tiles). None for so many known columns that there are always many tiles.
std::optional<ContractTile> narrowTile(const ContractTile &usual, ir::DimAttr cols);
/// The time of a tile, for each step along k: its products, and what it reads for them.
int64_t costOfTile(const ContractTile &tile);
/// Long sums in parts, which other groups add up (SplitProducts.cpp): taken where they have at least `from` terms.
struct SplitSums {
  ContractTile tile;
  int64_t parts, from;
};
/// For a result of known size whose tiles leave processors without work; `usual` takes `cost` for each term (costOfTile, for each round).
std::optional<SplitSums> splitSums(const Machine &machine, const ContractTile &usual, int64_t rows, int64_t cols, int64_t cost);
/// Of any other product: in how many parts groups add up its terms so that all processors have work, where `tiles` are few; worth it from
/// two parts on. None for those of a CPU's cores, and of warpgroups with more than few rows, which splitSums and partsOverRows speak of.
/// `computes`: the weights are computed where they are loaded.
std::optional<Dim> partsOfSums(const Machine &machine, ir::graph::DotOp dot, const ContractTile &tile, bool computes, const Dim &tiles, const Dim &terms);
/// Of a product of warpgroups that adds up over rows, x.T @ dy, whose result is as small as weights are and whose sums are as long as a
/// batch: the tile, and in how many parts of the sums. For sizes that only run time knows.
struct PartsOverRows {
  ContractTile tile;
  Dim parts;
};
std::optional<PartsOverRows> partsOverRows(const Machine &machine, const ContractTile &usual, llvm::function_ref<Dim(const ContractTile &)> tilesOf,
                                           const Dim &terms, bool isPanel = false);
/// Tiles for products of a batch that have fewer rows and columns than the usual one: from the larger to the smaller. Products by
/// instructions of matrices have none.
llvm::SmallVector<ContractTile> smallTiles(const Machine &machine, llvm::ArrayRef<ir::graph::DotOp> dots, const ContractTile &usual);
/// From the more to the fewer tiles: where one is taken, those before it would have been. `depth`: the extent along k.
llvm::SmallVector<FewTiles> tilesForFew(const Machine &machine, const ContractTile &usual, ir::DimAttr depth);
/// Kernels for results of at most `m` rows, which take as long as the right operand is read: from the more to the fewer rows. At most one where
/// the rows are a known number, none where the usual one is.
llvm::SmallVector<ContractTile> tilesForFewRows(const Machine &machine, llvm::ArrayRef<ir::graph::DotOp> dots, ContractWork work);

/// A product whose sums go over the places of windows and over channels (ReadWindows.cpp): the windows, and the weights
/// [places, channels, outputs], of channels in groups [places, channels of a group, outputs of all groups].
struct SummedWindows {
  ir::graph::WindowsOp windows;
  mlir::Value weights;
  std::optional<int64_t> blocks;  // channels of a group
};
std::optional<SummedWindows> summedWindows(ir::graph::DotOp dot);
/// The windows that a product adds up over (SumOverWindows.cpp); null if it does not.
ir::graph::WindowsOp turnedWindows(ir::graph::DotOp dot);
/// An operand of a product without what repeats it for each of a batch; null if it is not the same for all (ReadWindows.cpp).
mlir::Value sharedMatrix(mlir::Value operand);
/// Likewise the matrices of an operand that are the same for all of a batch but its last axis, of groups: [..., groups, rows, columns], with
/// axes of one element before them.
mlir::Value sharedInGroups(mlir::Value operand);

/// The machine has an instruction of warpgroups for the product's types.
bool hasWarpgroupProduct(const Machine &machine, ir::graph::DotOp dot);
/// The machine has an instruction of matrices for the product's types, of whatever kind.
bool hasMatrixInstruction(const Machine &machine, ir::graph::DotOp dot);
/// Both operands lie in memory along the inner axis.
bool isAlongK(ir::graph::DotOp dot);
/// Whether tiles of the product can be added up in registers: its dtypes are numbers of the machine's kinds.
bool hasTiles(ir::graph::DotOp dot);
/// A few instructions of the machine an element: where an operand of a product is computed, each element is once for each tile across.
bool isCheap(mlir::Operation *op);
bool isCheap(llvm::StringRef mnemonic);  // elementwise

}  // namespace tessera::transforms
