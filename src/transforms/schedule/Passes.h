// From Graph IR to Schedule IR.
#pragma once
#include <memory>

namespace mlir {
class Pass;
}

namespace tessera::transforms {

/// Computes products turned whose results are read turned (TurnResults.cpp).
std::unique_ptr<mlir::Pass> createTurnResultsPass();
/// Takes the element at a place where a sum has no other term (PickTerms.cpp).
std::unique_ptr<mlir::Pass> createPickTermsPass();
/// Adds up rows of products before they are put together (SumParts.cpp).
std::unique_ptr<mlir::Pass> createSumPartsPass();
/// Rounds values to fewer bits before they are moved (RoundEarly.cpp).
std::unique_ptr<mlir::Pass> createRoundEarlyPass();
/// Compiles functions with heads of any size for short ones and for others, each with a plan of its own (AskForDepths.cpp).
std::unique_ptr<mlir::Pass> createAskForDepthsPass();
/// Takes sums of rows from products of matrices that are there already (ExchangeSums.cpp).
std::unique_ptr<mlir::Pass> createExchangeSumsPass();
/// Multiplies what was widened as it lies (NarrowFactors.cpp).
std::unique_ptr<mlir::Pass> createNarrowFactorsPass();
/// Takes sums of what windows take from products as products of windows (SumWindows.cpp).
std::unique_ptr<mlir::Pass> createSumWindowsPass();
/// Takes sums, or the greatest, of what windows see of each channel alone from the array under them (SlideWindows.cpp).
std::unique_ptr<mlir::Pass> createSlideWindowsPass();
/// Has products read windows from the tensor under them, where the machine's copy engine can (ReadWindows.cpp).
std::unique_ptr<mlir::Pass> createReadWindowsPass();
/// Takes reductions of what is made of pairs of rows as products with a term (PairTerms.cpp).
std::unique_ptr<mlir::Pass> createPairTermsPass();
/// Decides which operations share a kernel and in what sizes: every user's kernel gets its sizes, group and
/// capacities, every tensor function becomes kernels over rows or elements. The sizes fit the module's machine.
std::unique_ptr<mlir::Pass> createGraphToSchedulePass();
/// Splits the sums of products whose schedule has `split_k` between groups (SplitProducts.cpp).
std::unique_ptr<mlir::Pass> createSplitProductsPass();
void registerScheduleTransforms();

}  // namespace tessera::transforms
