// Small edits, for what was nearly written: an operator of another language, arguments in another order, an index one too far.
#pragma once
#include "sema/advice/Candidates.h"

namespace tessera::sema {

/// As candidatesFor(), for what was nearly written: these edits change less than those, so they are tried first.
std::vector<CandidateGroup> smallEditsOfWords(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);
/// Dtypes, numbers, sizes, options. (SmallEditsOfValues.cpp)
std::vector<CandidateGroup> smallEditsOfValues(const diag::Diagnostic &diagnostic, const Place &place,
                                               const Sources &sources);
std::vector<CandidateGroup> smallEditsOfKernels(const diag::Diagnostic &diagnostic, const Place &place,
                                                const Sources &sources);
/// A dimension that no parameter has. (EditsOfDimensions.cpp)
std::vector<CandidateGroup> editsOfDimensions(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);
/// The wrong one of several axes. (EditsOfAxes.cpp)
std::vector<CandidateGroup> editsOfAxes(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// Sizes and slices of tiles. (EditsOfTiles.cpp)
std::vector<CandidateGroup> editsOfTiles(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// The names that a tuple lacks, another name that fits. (EditsOfScope.cpp)
std::vector<CandidateGroup> editsOfScope(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
std::vector<CandidateGroup> editsOfUse(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// Streams of random numbers that are used more than once. (EditsOfStreams.cpp)
std::vector<CandidateGroup> editsOfStreams(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
std::vector<CandidateGroup> editsOfExchange(const diag::Diagnostic &diagnostic, const Place &place,
                                            const Sources &sources);
std::vector<CandidateGroup> editsOfCalls(const diag::Diagnostic &diagnostic, const Place &place,
                                         const Sources &sources);
std::vector<CandidateGroup> editsOfSizes(const diag::Diagnostic &diagnostic, const Place &place,
                                         const Sources &sources);
/// Slices, indices, loops and guards. (SmallEditsOfBounds.cpp)
std::vector<CandidateGroup> smallEditsOfBounds(const diag::Diagnostic &diagnostic, const Place &place,
                                               const Sources &sources);
std::vector<CandidateGroup> smallEditsOfShapes(const diag::Diagnostic &diagnostic, const Place &place,
                                               const Sources &sources);
/// An axis, a transpose, an axis of extent 1, exchanged operands, padding.
std::vector<CandidateGroup> editsOfShapes(const diag::Diagnostic &diagnostic, const Place &place,
                                          const Sources &sources);
/// How derivatives and mapped functions are asked for.
std::vector<CandidateGroup> editsOfTransforms(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);
/// What a call lacks, and how its parts are counted. (EditsOfArguments.cpp)
std::vector<CandidateGroup> editsOfArguments(const diag::Diagnostic &diagnostic, const Place &place,
                                             const Sources &sources);
/// Names of other libraries. (ForeignPrefixes.cpp)
std::vector<CandidateGroup> foreignPrefixes(const diag::Diagnostic &diagnostic, const Place &place,
                                            const Sources &sources);
/// Where one idiom is what was meant. (EditsOfIdioms.cpp)
std::vector<CandidateGroup> editsOfIdioms(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// One name for several results. (EditsOfTuples.cpp)
std::vector<CandidateGroup> editsOfTuples(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// What a call is given, by the parameters of what it calls. (EditsOfParameters.cpp)
std::vector<CandidateGroup> editsOfParameters(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);
/// Arguments that do not fit: one too many, in another order, of another kind. (EditsOfFitting.cpp)
std::vector<CandidateGroup> editsOfFitting(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources);
/// Sizes that were taken from the wrong place: declared extents, ends of slices, sizes of the schedule. (EditsOfExtents.cpp)
std::vector<CandidateGroup> editsOfExtents(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources);
/// What a call lacks. (EditsOfLacks.cpp)
std::vector<CandidateGroup> editsOfLacks(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// Fields of structs, the same for each of their tensors, dtypes that one of several has. (EditsOfStructs.cpp)
std::vector<CandidateGroup> editsOfStructs(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources);
/// The letters of `einsum`. (EditsOfEquations.cpp)
std::vector<CandidateGroup> editsOfEquations(const diag::Diagnostic &diagnostic, const Place &place,
                                             const Sources &sources);
/// What belongs to an object elsewhere and is a function, a decorator or a policy here. (EditsOfMethods.cpp)
std::vector<CandidateGroup> editsOfMethods(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources);
/// Numbers that do not fit: counts, bounds of loops and guards, sizes that are not given.
std::vector<CandidateGroup> editsOfNumbers(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources);
/// An axis too many or too few.
std::vector<CandidateGroup> editsOfRanks(const diag::Diagnostic &diagnostic, const Place &place,
                                         const Sources &sources);
/// Fields of structs, parts of tuples, elements that a condition chooses.
std::vector<CandidateGroup> editsOfMembers(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources);
/// Whole statements: conditions, ways without a result, classes.
std::vector<CandidateGroup> editsOfStatements(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);
/// What a function declares, where that contradicts what it does: tried last.
std::vector<CandidateGroup> editsOfSignatures(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);
/// What stands in another order, or is one too many or too few. (EditsOfOrder.cpp)
std::vector<CandidateGroup> editsOfOrder(const diag::Diagnostic &diagnostic, const Place &place,
                                         const Sources &sources);
/// Groups and lanes that are counted wrong.
std::vector<CandidateGroup> editsOfCoverage(const diag::Diagnostic &diagnostic, const Place &place,
                                            const Sources &sources);
/// What the message itself names: one of its dimensions for another, an axis that a slice keeps. (EditsOfSearch.cpp)
std::vector<CandidateGroup> editsOfSaid(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// What is searched for where nothing likelier mends it.
std::vector<CandidateGroup> editsOfSearch(const diag::Diagnostic &diagnostic, const Place &place,
                                          const Sources &sources);
/// What any tree has, whatever the message says: tried where nothing likelier mends it. (EditsOfTheTree.cpp)
std::vector<CandidateGroup> editsOfTheTree(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources);
/// What stands beside it is written in the same way but for one part. (EditsOfLikeness.cpp)
std::vector<CandidateGroup> editsOfLikeness(const diag::Diagnostic &diagnostic, const Place &place,
                                            const Sources &sources);
/// What the function itself speaks for: names that nothing reads, extents that are declared. (EditsOfEvidence.cpp)
std::vector<CandidateGroup> editsOfEvidence(const diag::Diagnostic &diagnostic, const Place &place,
                                            const Sources &sources);
/// Axes that are put together. (EditsOfJoining.cpp)
std::vector<CandidateGroup> editsOfJoining(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// What a function returns. (EditsOfResults.cpp)
std::vector<CandidateGroup> editsOfResults(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// One place that has to agree with another. (EditsOfAgreement.cpp)
std::vector<CandidateGroup> editsOfAgreement(const diag::Diagnostic &diagnostic, const Place &place,
                                             const Sources &sources);
/// What a place lacks, from what stands beside it. (EditsOfCounterparts.cpp)
std::vector<CandidateGroup> editsOfCounterparts(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// What makes one of the two shapes of a message the other. (EditsOfForms.cpp)
std::vector<CandidateGroup> editsOfForms(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// What a value is used as. (EditsOfRoles.cpp)
std::vector<CandidateGroup> editsOfRoles(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// Operands of another kind than the place wants. (EditsOfOperands.cpp)
std::vector<CandidateGroup> editsOfOperands(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// Loops over a tensor. (EditsOfLoops.cpp)
std::vector<CandidateGroup> editsOfLoops(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// What lies one step from what is written. (EditsOfNeighbours.cpp)
std::vector<CandidateGroup> editsOfNeighbours(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);
/// What the called function declares. (EditsOfCallees.cpp)
std::vector<CandidateGroup> editsOfCallees(const diag::Diagnostic &diagnostic, const Place &place,
                                           const Sources &sources);
/// Habits from Python's libraries, C, CUDA and Triton. (ForeignCandidates.cpp)
std::vector<CandidateGroup> foreignCandidates(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources);
/// Whole statements and calls that have another form elsewhere. (EditsOfHabits.cpp)
std::vector<CandidateGroup> editsOfHabits(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
/// Arguments as NumPy, PyTorch and JAX take them. (ForeignCalls.cpp)
std::vector<CandidateGroup> foreignCalls(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);

}  // namespace tessera::sema
