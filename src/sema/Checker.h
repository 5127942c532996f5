// The checker: a tracing interpreter over the syntax tree. Expressions become Values; what must happen at run
// time is appended to the current block of the function being built. Split by construct over the .cpp files.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/Builtins.h"
#include "sema/Check.h"
#include "sema/CheckerState.h"
#include "checked/ExprBuild.h"
#include "support/Check.h"

namespace tessera::sema {

using diag::Id;

struct Cover;

class Checker : private CheckerData {
public:
  Checker(const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics, const CheckOptions &options);
  std::unique_ptr<Program> run(const ast::Module &module);

private:
  using Names = std::map<std::string, Binding>;

  // ---- Modules.cpp
  ModuleScope *loadModule(FileId importer, int level, const std::string &path, Span span);
  void unknownModule(int level, const std::string &path, Span span);
  void evaluateModule(ModuleScope &scope);
  bool definesNothing(ModuleScope &scope, const ast::Stmt &stmt);
  void moduleStatement(ModuleScope &scope, const ast::Stmt &stmt);
  void moduleAssign(ModuleScope &scope, const ast::AssignStmt &assign);
  void modulePolicy(ModuleScope &scope, const ast::PolicyDef &policy);
  void moduleAssert(const ast::AssertStmt &stmt);
  void importStatement(ModuleScope &scope, const ast::ImportStmt &stmt);
  void fromImport(ModuleScope &scope, const ast::FromImportStmt &stmt);
  Value importedName(const ModuleScope &scope, int level, const std::string &path, const ModuleScope *module, const ast::Identifier &item);
  void define(ModuleScope &scope, const std::string &name, Value value, Span span);
  Value functionValue(ModuleScope &scope, const ast::FuncDef &def, std::shared_ptr<Frame> closure = nullptr);

  // ---- Checker.cpp: entry points
  void checkEntries(ModuleScope &main);
  void checkVariants(const Callable &callable);
  Span placeOf(Span span) const;
  void noteCalls(diag::Builder &builder, Span span) const;
  std::string argumentsIn(Span span) const;
  bool isEntry(const Callable &callable) const;
  bool mayBeEntry(const Callable &callable) const;
  const Function *ensureChecked(const Callable &callable);
  std::string uniqueName(const Callable &callable);

  // ---- Uncalled.cpp: functions that nothing calls
  void checkUncalled(const ModuleScope &main);
  bool checkUncalled(const Callable &callable, size_t &spent);
  std::vector<const Callable *> uncalled(const ModuleScope &main);
  bool isOpen(const Callable &callable) const;
  std::vector<Assumption> assumptionsOf(const Callable &callable) const;
  Value hostParameter(const std::string &name, DType dtype, Span span);
  std::vector<Dim> likelyShape(size_t rank);
  Value likelyValue(const ast::Parameter &parameter, const Assumption &assumed);
  std::shared_ptr<const StructInstance> openInstance(const Callable &callable, const Assumption &assumed);
  Value assumedValue(const Callable &callable, const ast::Parameter &parameter, const Assumption &assumed, const std::shared_ptr<const StructInstance> &self);
  bool traceAssuming(const Callable &callable, const Assumption &assumed);
  Trial tryAssuming(const Callable &callable, const Assumption &assumed, bool &known);
  void takeOver(const std::vector<diag::Diagnostic> &said);

  // ---- Attribute.cpp: members of values
  Value attribute(const ast::AttributeExpr &expr);
  Value member(const Value &object, const std::string &name, Span span);
  Value moduleMember(const ModuleScope &scope, const std::string &name) const;
  Value builtinMember(const std::string &space, const std::string &name);
  // Absent, with the names that there are in `known`, if the object has no such member.
  Value memberOfModule(const Value &object, const std::string &name, Span span, std::vector<std::string> &known);
  Value memberOfContext(const std::string &name, std::vector<std::string> &known);
  Value memberOfTensor(const Value &object, const std::string &name, Span span, std::vector<std::string> &known);
  Value memberOfHostTensor(const Value &object, const std::string &name, Span span, std::vector<std::string> &known);
  Value memberOfSchedule(const Value &object, const std::string &name, std::vector<std::string> &known);
  Value memberOfFunction(const Value &object, const std::string &name, std::vector<std::string> &known);
  Value memberOfDType(const Value &object, const std::string &name, std::vector<std::string> &known);
  static Value methodOf(const Value &object, const std::string &name, const BuiltinRow *row, const Callable *callable);

  // ---- Entry.cpp: a function as an entry point
  std::unique_ptr<Function> checkEntry(const Callable &callable);
  void entryParameters(const ast::FuncDef &def);
  void entryParameter(const ast::Parameter &parameter);
  void untypedParameters();
  void boundDimensions(const ast::FuncDef &def);
  void entryDefault(const ast::Parameter &parameter, Param &param);
  void noneForTensor(const ast::Parameter &parameter);
  uint32_t headerEnd(const ast::FuncDef &def) const;
  std::string signatureText(const ast::FuncDef &def) const;
  void declaredResults(const ast::FuncDef &def);
  void finishTensor(const ast::FuncDef &def);
  FunctionState enterFunction(Function &function, const Callable &callable);
  void leaveFunction(FunctionState outer);

  // ---- Declared.cpp: structs, tuples and unions in signatures
  Value typeNamed(const ast::Expr &expr);
  std::optional<DeclaredType> declaredType(const ast::Expr &annotation, const std::string &path);
  std::optional<DeclaredType> declaredStruct(const Value &named, const ast::Expr &annotation, const std::string &path);
  std::optional<DeclaredType> structType(std::shared_ptr<const StructInstance> instance, Span span, const std::string &path);
  Value entryValue(const DeclaredType &type, const std::string &path, const ast::Parameter &parameter);
  Value stateParameter(const Type &type, const std::string &name, const ast::Parameter &parameter);
  Value plainParameter(Type type, const std::string &name, const ast::Parameter &parameter);

  // ---- Variants.cpp: an entry point for each alternative
  std::vector<Choices> variantsOf(const ast::Expr &annotation, const std::string &path);
  std::vector<Choices> variantsOf(const Callable &callable);
  const ast::Expr *chosenAlternative(const Callable &callable, const std::string &path, size_t choice);
  const Callable &variant(const Callable &callable, const Choices &choices);
  bool chooseVariant(const Value &value, const ast::Expr &annotation, const std::string &path, Span span, Choices &choices);
  bool reportNone(const Value &value, Span span);
  bool isOtherVariant();
  bool refuseVariant(Span span);
  void raiseStmt(const ast::RaiseStmt &stmt);

  // ---- Results.cpp
  bool resultParts(const ResultPart &whole, const DeclaredType *declared, const ast::Expr *syntax, std::vector<ResultPart> &parts, DeclaredType &tree);
  ExprPtr resultExpr(const ResultPart &part, size_t i, bool alone);
  bool returnedStates(std::vector<ResultPart> &parts);
  void returnResults(const Value &value, const ast::ReturnStmt &stmt);

  // ---- Structs.cpp
  Value structValue(ModuleScope &scope, const ast::StructDef &def);
  void structMethod(StructInfo &info, const ast::FuncDef &method);
  void checkStruct(const StructInfo &info);
  bool typeParameterBound(const ast::TypeParameter &parameter), isDTypeParameter(const ast::TypeParameter &parameter) const;
  bool structRecursion(const StructInfo &info);
  std::shared_ptr<Frame> structFrame(const StructInstance &instance);
  std::string instanceText(const StructInstance &instance) const;
  std::shared_ptr<const StructInstance> instantiate(const StructInfo &info, const ast::SubscriptExpr &expr);
  void unknownField(const StructInfo &info, const std::string &name, Span span, bool methodsToo);
  bool bindFields(const StructInfo &info, GivenList &args, Span span, std::vector<Value> &values, std::vector<Span> &spans);
  Value constructStruct(const Value &type, GivenList args, Span span), replaceFields(GivenList args, Span span),
      treeMap(const GivenList &args, Span span), treeLeaves(const GivenList &args, Span span);
  Value memberOfStruct(const Value &object, const std::string &name, Span span);
  void assignField(const ast::AttributeExpr &target, Value value, Span assignment);

  // ---- Match.cpp: arguments and fields against declared types
  std::string freeDimension(const ast::Expr &declared) const;
  void bindDimension(const ast::Expr &declared, const Dim &extent, const DimOrigin &origin);
  void bindDType(const ast::Expr &declared, const Type &have);
  void bindTensor(const Value &value, const ast::SubscriptExpr &declared, const DimOrigin &origin);
  void bindGenerics(const Value &value, const ast::Expr &annotation, const DimOrigin &origin);
  void noteOrigins(diag::Builder &builder, const std::vector<const ast::Expr *> &declared) const;
  bool unifyDims(const std::vector<const ast::Expr *> &declared, const Value &value, const std::string &name, Span span);
  bool wrongValue(const Value &value, const ast::Expr &annotation, const std::string &name, Span span, const std::string &wanted);
  bool matchTensor(const Value &value, const ast::SubscriptExpr &annotation, const std::string &name, Span span, Value &out);
  bool matchConst(const Value &value, const ast::SubscriptExpr &annotation, const std::string &name, Span span, Value &out);
  bool matchTuple(const Value &value, const ast::Expr &annotation, const std::string &name, Span span, Value &out);
  bool matchStruct(const Value &value, const Value &type, const ast::Expr &annotation, const std::string &name, Span span, Value &out);
  bool matchUnion(const Value &value, const ast::Expr &annotation, const std::vector<const ast::Expr *> &alternatives, const std::string &name, Span span, Value &out);
  bool matchScalar(const Value &value, const ast::Expr &annotation, const std::string &name, Span span, Value &out);
  const ast::BinaryExpr *policyBehind(const ast::Expr &annotation);
  bool matchPolicy(const Value &value, const ast::BinaryExpr &annotation, const std::string &name, Span span, Value &out);
  bool matchParameter(const Value &value, const ast::Expr &annotation, const std::string &name, Span span, Value &out);
  Value isInstance(const GivenList &args, Span span);

  // ---- Overloads.cpp
  Trial attempt(const std::function<bool()> &check);
  Trial fitsCall(const Callable &callable, const GivenList &args, Span span, int &distance);
  std::string signatureKey(const ast::FuncDef &def);
  void defineOverload(ModuleScope &scope, const std::string &name, Value value, Span span);
  Value callOverloads(const Value &overloads, GivenList args, Span span);

  // ---- Derivative.cpp
  bool wrtNames(const Value &wrt, const ast::Expr *syntax, const Callable &of, Span span, Value &out);
  Value makeDerivative(const BuiltinRow &row, GivenList args, Span span);
  bool derivativeParts(const Value &derivative, const Callable &of, const Function &callee, std::vector<int> &wrt, std::vector<DeclaredType> &trees);
  Value derivativeValue(const Value &derivative, const Function &callee, std::vector<int> wrt,
                        const std::vector<DeclaredType> &trees, ExprPtr e, const std::map<std::string, Dim> &dims, Span span);
  Value callDerivative(const Value &derivative, GivenList args, Span span);
  const Function *traceFunction(const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans, Span span, Expr &call);
  void captureVariables(Function &made, std::vector<ExprPtr> &arguments);
  void derivativeEntry(const std::string &name, const Value &derivative, Span span);
  void attachRule(const ast::FuncDef &def, const Callable &rule);
  void checkRule(const Callable &of);

  // ---- Requirements.cpp, Divisors.cpp: facts about dimensions, and claims
  void whereFacts(const ast::FuncDef &def, bool ofCall);
  void whereFact(const ast::Expr &expr, FactOrigin origin);
  std::optional<Dim> factSide(const ast::Expr &expr, const std::string &text);
  std::optional<shape::Formula> factOf(const ast::Expr &expr, const std::string &text);
  std::optional<shape::Formula> factOfCompare(const ast::CompareExpr &compare, const std::string &text);
  void addFact(const shape::Formula &fact, const std::string &text, Span span, FactOrigin origin);
  bool addGuard(const shape::Formula &fact, const std::string &text, Span span);
  /// True if the claim is proved, or undecided and now a check at the entry for the reason `why`. False: the
  /// caller reports what is wrong and adds the reasons with explainClaim().
  bool claim(const shape::Formula &claim, const std::string &why, Span span);
  void requireOfCall(const shape::Formula &fact, const std::string &callee, const std::string &text, Span said, Span span);
  bool mayDivide(const Dim &divisor, Span span), mayDivideHere(const Dim &divisor, Span span);
  bool typesMayDivide(const ast::FuncDef &def);

  // ---- ShapeMessages.cpp
  void explainClaim(diag::Builder &builder, const shape::Formula &claim, const shape::Formula *exampleOf = nullptr) const;  // what the sizes break instead of the claim
  /// explainClaim() of a slice: which of its indices fall out for the smallest sizes.
  void explainOutside(diag::Builder &builder, const std::vector<Dim> &shape, size_t axis, const Dim &start,
                      const Dim &last, const Dim &step, const shape::Formula &inside) const;
  void suggestFact(diag::Builder &builder, const shape::Formula &fact) const;
  bool noteDimension(diag::Builder &builder, const std::string &name) const;
  std::string sizesText(const shape::Sizes &sizes, const std::set<std::string> &names) const;
  std::string show(const shape::Formula &formula) const;

  // ---- CheckKernel.cpp
  void startKernel(const ast::FuncDef &def);
  void kernelOption(const std::string &name, const ast::Expr &value);
  void deterministicOption(const ast::CallExpr &call);
  void finishKernel(const ast::FuncDef &def);
  void kernelSafety(const ast::FuncDef &def);
  void checkCoverage();  // Coverage.cpp
  void checkOverlap();   // Overlap.cpp
  bool otherStride(diag::Builder &builder, const Stmt &store, size_t axis);
  void moreGroups(diag::Builder &builder, const Cover &cover, const Dim &extent);
  bool neverInside(const Dim &first, const Dim &last, const Dim &extent, Span span);

  // ---- KernelSchedule.cpp: schedules of kernels, and their tuner
  void scheduleDecorator(const ast::Decorator &decorator);
  void tunerOption(const std::string &option, const ast::Expr &expr);
  void tunerSpace(const ast::Expr &space);
  void autotuneOption(const ast::CallExpr &call);
  bool givenTwice(const std::string &field, Span span);
  void scheduleOfGrid(const ast::FuncDef &def);
  void scheduleOrder(const ast::FuncDef &def);

  // ---- effects/Infer.cpp
  void noteEffect(Effect effect);
  void noteBuiltinEffect(const BuiltinRow &row, Span span);
  void takeOverEffects(const Effects &effects, const std::string &callee, bool traced, Span span);
  std::vector<DeclaredEffect> declaredEffects(const ast::FuncDef &def);
  std::optional<DeclaredEffect> declaredEffect(const ast::FuncDef &def, const ast::Expr &expr);
  Span effectsClause(const ast::FuncDef &def) const;
  void freedoms(const ast::FuncDef &def);
  void checkEffects(const Callable &callable, const Effects &inferred);
  void unusedEffects(const ast::FuncDef &def, const std::vector<DeclaredEffect> &declared, const Effects &inferred);
  void checkDeterministic(const ast::FuncDef &def, const Effects &inferred);
  void notePath(diag::Builder &builder, const Effect &effect);
  void withStmt(const ast::WithStmt &stmt);
  bool suspension(const ast::WithItem &item), prefetching(const ast::WithItem &item);
  Value prefetch(Bound &args, Span span);

  // ---- effects/Linear.cpp: values that are used up
  int newHandle() { return ++lastHandle_; }
  bool isSpent(const Value &value, Span span), spend(const Value &value, const std::string &by, Span span);
  void mergeSpent(const std::map<std::string, Binding> &before, const std::map<std::string, Binding> &thenNames,
                  const SpentValues &thenSpent, const std::map<std::string, Binding> &elseNames, Span condition);
  void spentInLoop(const SpentValues &before, const std::map<std::string, Binding> &names);

  // ---- effects/Streams.cpp
  Value streamValue(ExprPtr key, const std::string &name);
  ExprPtr named(ExprPtr expr, const std::string &name), uniform(const Draw &draw, DType dtype);
  void byChance(Expr &cast, const Expr &key);
  ExprPtr share(const Value &p, Span span, const std::string &of, bool mayBeOne);
  Value newStream(Bound &args, Span span), splitStream(Bound &args, Span span), dropout(Bound &args, Span span);
  Value drawFrom(const BuiltinRow &row, Bound &args, Span span);
  /// Absent if `row` is neither about streams nor about collectives.
  Value callEffectBuiltin(const BuiltinRow &row, Bound &args, Span span);

  // ---- effects/State.cpp
  static bool isStateType(const Value &named);
  Value stateValue(const Type &type, const std::string &root, Span span);
  bool droppedState(const Value &value, const ast::Expr &expr), capturedState(const Value &value, const std::string &name, Span span);
  std::vector<PassedState> enterStates();
  void leaveStates(const std::vector<PassedState> &passed, Frame &callee, const std::string &name, Value &result, Span span);
  bool leaveState(int before, const Value &after, const std::string &callee, Span span);
  void statesDiffer(const std::string &name, const Value &old, const Value &a, const Value &b, Span span), assignPart(const ast::Expr &place, Value value, Span span);
  bool isPartOfState(const ast::Expr &place), stateResults(std::vector<ExprPtr> &out, Span span);

  // ---- effects/Cache.cpp
  bool stateType(const ast::SubscriptExpr &expr, Type &type, std::vector<const ast::Expr *> *dims);
  bool rollingWindow(Type &type, Span span);
  static Value cacheOf(Value state, std::vector<Value> parts);
  Value placesOf(const Value &cache, Span span), oldestFirst(const Value &cache, size_t part, Span span),
      numbersOf(const Value &cache, Span span), hiddenMember(const Value &cache, const std::string &name, Span span);
  Value memberOfState(const Value &object, const std::string &name, Span span, std::vector<std::string> &known);
  std::optional<std::vector<Value>> appendedRows(const Value &object, Bound &args);
  bool hasRoom(const Value &cache, const Dim &count, const Dim &added, Span span);
  Value moveOn(const BuiltinRow &row, Bound &args, Span span), newState(Bound &args, Span span), zerosOf(const Type &type, const std::string &name, Span span);
  Value withRows(const Value &cache, const Value &old, Value rows, const Dim &first, const Dim &begin, const Dim &end, Span span);
  bool matchState(const Value &value, const ast::SubscriptExpr &annotation, bool rolling, const std::string &name, Span span, Value &out);
  bool cacheArgument(const Value &value, const Type &type, const Callable &callable, Span span, std::vector<Value> &parts, std::vector<Span> &places);
  std::optional<Value> cacheBehind(const Value &before, const Dim &count, const Function &callee, const std::vector<Value> &parts, std::map<std::string, Dim> dims, Span span);
  bool movedOn(const std::vector<MovedState> &moved, const Callable &callable);
  void uncounted(const std::string &name, Span span);
  Binding mergeCaches(Stmt &stmt, const std::string &name, const Binding &a, const Binding &b);
  void mergeCounts(const Names &before, const Names &thenNames, const Names &elseNames, Span span);
  void roomForTurns(const Names &before, const RowsPerTurn &rows, Span span), endTurns(const RowsPerTurn &rows),
      startTurn(const Names &before, const std::optional<Turns> &turns, const RowsPerTurn &rows);
  bool countRows(const Names &before, const std::optional<Turns> &turns, const ast::Block &body, RowsPerTurn &rows, Span span);

  // ---- effects/Collectives.cpp
  Value collective(const BuiltinRow &row, Bound &args, Span span);
  bool divergentCollective(const std::string &what, const std::string &axis, Span span);
  void leavesIteration(bool loop);
  void leftByBreak(size_t first);
  Value meshQuery(const BuiltinRow &row, Bound &args, Span span);
  std::optional<std::string> meshAxis(const Value &value, Span span);
  void later(const std::string &what, Span span);
  void returnFromKernel(const ast::ReturnStmt &stmt);
  void returnTile(Value value, int index, int count, Span span);
  bool returnParameter(const Value &value, int index, Span span);
  bool tileFits(const std::vector<Dim> &tileDims, const Type &type, Span declaredAt, Span span);
  bool cutElsewhere(const Value &tile, const Type &type, Span span);
  void unplacedStore(const Stmt &store, const ast::FuncDef &def);
  void storeResult(ExprPtr stored, const std::vector<Dim> &tileDims, Type type, int index, int count, Span span);
  Value origin(Span span);
  Value query(Query query, int axis, Span span);
  std::string decoratorName(const ast::Expr &expr);
  void decorators(const ast::FuncDef &def);
  void decoratorNames(const ast::FuncDef &def);  // Signatures.cpp
  void parameterNames(const ast::FuncDef &def);
  void differentiable(Span span);

  // ---- TypeExpr.cpp
  Value typeOf(const ast::Expr &expr);  // a type as a value: TypeName
  bool tensorType(const ast::SubscriptExpr &expr, Type &type, std::vector<const ast::Expr *> *dims);
  std::optional<Dim> dimOf(const ast::Expr &expr, bool bind);    // not known to be negative
  std::optional<Dim> dimTerm(const ast::Expr &expr, bool bind);  // a part of one, which may be
  std::optional<Type> parameterType(const ast::Expr &annotation);
  bool foreignUnion(const ast::SubscriptExpr &expr, const std::string &name);
  static bool dtypeByKeyword(const ast::SubscriptExpr &expr);
  bool misspeltDType(const ast::Expr &expr), isMistaken(const ast::Expr &expr);
  void unknownDimension(const std::string &name, Span span);

  // ---- NumericsClaim.cpp
  void numericsClaim(const ast::CallExpr *call, const ast::FuncDef &def, Span span);
  bool boundsByName(const Value &dict, const ast::Expr &syntax, NumericsClaim &claim);
  std::optional<ValueBounds> valueBounds(const Value &value, Span span);

  // ---- PolicyExpr.cpp
  bool isDTypeExpr(const ast::Expr &expr);
  bool dtypeItem(const ast::Expr &expr, Type &type);
  bool dtypeParts(const ast::Expr &expr, Type &type);
  bool policyOf(const ast::Expr &expr, Type &type);
  std::optional<Numerics> statedPolicy(const ast::Expr &expr, const Type &type);
  bool policyDType(const std::string &policy, const ast::Expr *argument, Span span, Numerics &n);
  bool policyNumber(const std::string &policy, const Value &value, Span span, Numerics &n);
  bool policyWord(const std::string &policy, const std::string &given, Span span, bool bundle, Numerics &n);
  bool bundleOf(const Value &bundle, const Type &type, Span span, Numerics &n);
  bool bundleField(const Given &arg, Value &bundle);
  bool soundPolicies(const Type &type, Span span);

  // ---- CheckStmt.cpp
  void checkBlock(const ast::Block &block), checkFrom(Continuation at);
  void checkStmt(const ast::Stmt &stmt);
  void assign(const ast::AssignStmt &stmt);
  /// `valueSpan`: the words of the value, if they stand apart (not in `y[i] += x`).
  void assignTo(const ast::Expr &target, Value value, Span span, Span valueSpan = {});
  void assignName(const std::string &name, Value value, Span span);
  void augAssign(const ast::AugAssignStmt &stmt);
  void annAssign(const ast::AnnAssignStmt &stmt);
  void returnInside(const ast::ReturnStmt &stmt);
  void returnStmt(const ast::ReturnStmt &stmt);
  void assertStmt(const ast::AssertStmt &stmt);
  void exprStmt(const ast::ExprStmt &stmt);
  Value chosenAsStored(Value here, Value part, const Value &old, Span span);
  void store(const Value &target, const ast::SubscriptExpr &syntax, Value value, Span span, Span valueSpan = {});
  // ---- Return.cpp
  bool returnsOnWays() const, returnsOnSomeWay(const ast::IfStmt &stmt) const;
  Value onThisWay(Value value, Span span);
  void endWay(Value value, Span span), endBranch(Span span), checkRest(), returnMerged();
  void collectAssignedInRest(std::set<std::string> &names) const;
  static void keepResultOnly(const Names &before, Names &names);
  Binding mergeTrees(Stmt &stmt, const std::string &name, const Binding &a, const Binding &b);
  void deliver(Value value, const ast::ReturnStmt &stmt);
  // ---- Control.cpp
  void ifStmt(const ast::IfStmt &stmt);
  /// What run time decides by `c`; `inside` and `outside` hold where it is true and where it is not.
  void choice(ExprPtr c, const ast::Block &then, const ast::Block &otherwise,
              const std::vector<shape::Formula> &inside, const std::vector<shape::Formula> &outside, Span span, Span condition, bool returns = false);
  void jumpStmt(const ast::Stmt &stmt);
  void delStmt(const ast::DelStmt &stmt), importHere(const ast::Stmt &stmt);
  void withElse(const ast::Block &body, const ast::Block &otherwise, Span span, const std::function<void()> &loop);
  void forStmt(const ast::ForStmt &stmt);
  void whileStmt(const ast::WhileStmt &stmt);
  void unrolledFor(const ast::ForStmt &stmt, const std::vector<Value> &items);
  void notePrefetch(const std::string &loop, int64_t steps);
  void rangeFor(const ast::ForStmt &stmt, const Value &range);
  void downwardFor(const ast::ForStmt &stmt, const ast::NameExpr &target, const Value &range);
  void rowsFor(const ast::ForStmt &stmt, const Value &iterable);
  /// `cause`: what lanes or devices disagree about, if they make different numbers of turns.
  void loopBody(Stmt *loop, const ast::Block &body, std::optional<Span> cause, const std::function<std::optional<Turns>()> &prepare);
  void enterVarying(bool varying, Span cause), leaveVarying(bool varying);
  Names branch(Block &into, const ast::Block &body, const std::vector<shape::Formula> &implies,
               const std::set<std::string> &shared, std::optional<Span> returns = std::nullopt);
  bool bindAlike(const Binding &a, const Binding &b);
  Binding mergeBindings(Stmt &stmt, const Binding &a, const Binding &b), mergeStreams(Stmt &stmt, const std::string &name, const Binding &a, const Binding &b);
  Binding mergeName(Stmt &stmt, const std::string &name, const Binding &a, const Binding &b);
  void mergeBranches(Stmt &stmt, const Names &before, const Names &thenNames, const Names &elseNames);
  void noteLaneGuard(const std::vector<Dim> &implies, Span span);
  static void collectAssigned(const ast::Block &block, std::set<std::string> &names), collectAssigned(const ast::Stmt &stmt, std::set<std::string> &names);
  /// Names that run-time control flow rebinds get a variable first.
  void prepareRebinding(std::set<std::string> names, Span span);
  void rebindVar(const std::string &name, Binding &binding, Value value, Span span);
  void rebindParts(const std::string &name, Value &old, Value value, Span span, Span bound);
  Value materialised(const Value &value, const std::string &name, Span span),
      inVariables(Value value, const std::string &name, Span span, bool ofState = false), partsNow(Value value, Span span),
      asStored(Value value, const std::string &name, Span span);
  std::string stateOfOuterVars(size_t count) const;
  bool isCounted(const Value &value, size_t part) const;

  // ---- CheckExpr.cpp
  Value checkExpr(const ast::Expr &expr);
  Value lambdaExpr(const ast::LambdaExpr &lambda);
  Value valueOf(const ast::Expr &expr);
  Value readBinding(const std::string &name, const Binding &binding, Span span);
  Value lookup(const std::string &name, Span span, bool quiet);
  Value unary(const ast::UnaryExpr &expr), binary(const ast::BinaryExpr &expr);
  Value binaryValues(ast::BinaryOp op, Value a, Value b, Span span);
  bool divisorIsPossible(ast::BinaryOp op, const Value &a, const Value &b, Span span);
  Value compareValues(ast::CompareOp op, Value a, Value b, Span span);
  Value compareIn(ast::CompareOp op, const Value &a, const Value &b, Span span);
  Value compareThings(ast::CompareOp op, const Value &a, const Value &b, Span span);
  bool sameForAll(ast::CompareOp op, const Value &a, const Value &b, Span span);
  bool comparesIdentity(ast::CompareOp op, const Value &a, const Value &b, Span between);
  void comprehensionTarget(const ast::Expr &target, const Value &value);
  Value boolOp(const ast::BoolOpExpr &expr), compare(const ast::CompareExpr &expr);
  Value conditional(const ast::ConditionalExpr &expr);
  Value fstring(const ast::FStringExpr &expr), comprehension(const ast::ComprehensionExpr &expr);
  Value dictExpr(const ast::DictExpr &expr);
  void undefined(const std::string &name, Span span);
  bool firstUnknown(const std::string &name);
  bool reservedName(const std::string &name, const std::string &what, Span span);

  // ---- Subscript.cpp
  Value subscript(const ast::SubscriptExpr &expr);
  Value subscriptSequence(const Value &object, const ast::SubscriptExpr &expr);
  Value loadSubscript(const Value &base, const ast::SubscriptExpr &expr);
  Value sliceArray(const Value &base, const ast::SubscriptExpr &expr);
  /// The access, the shape and limits of the tile it means, and which result axes are new (`None`).
  bool accessOf(const Value &base, const ast::SubscriptExpr &expr, Access &access, std::vector<Dim> &shape,
                std::vector<std::optional<Limit>> &limits, std::vector<int> &newAxes, std::vector<SliceStart> *starts = nullptr);
  bool slicePart(const ast::SliceExpr &expr, const Dim &extent, IndexPart &part, std::optional<Limit> &limit, SliceStart &at, bool mayRunBack);
  bool sliceStep(const ast::SliceExpr &slice, int64_t &step, bool mayRunBack);
  Value reversed(Value value, size_t axis, Span span);
  void sliceSize(const ast::SliceExpr &slice, const Dim &extent, const Dim &length);
  bool pointPart(const ast::Expr &expr, const Dim &extent, IndexPart &part, Dim &start);
  std::string indexText(const Dim &index, const Dim &extent) const;
  Value stableIndex(Value value, Span span);  // a copy, if the variables in it may be rebound
  bool requireInside(const Value &base, size_t axis, IndexPart &part, const SliceStart &at, Span span);
  Value loadAccess(Access access, std::vector<Dim> shape, std::vector<std::optional<Limit>> limits, const std::vector<int> &newAxes, Span span);

  // ---- Limits.cpp: where the compiler's own work ends
  bool step(Span span);  // false: this function has had all its steps
  bool exhausted() const { return steps_ > options_.mostSteps; }
  Value bounded(Value value, Span span);
  static Dim withShortNames(Dim number);
  bool growsTooFar(const Dim &a, const Dim &b, Span span);
  bool isTooLarge(const Dim &dim, Span span);
  std::optional<std::vector<Value>> knownRange(const Value &range, Span span, const char *what);

  // ---- StaticEval.cpp
  Value knownIntBinary(ast::BinaryOp op, int64_t x, int64_t y, Span span);
  Value intBinary(ast::BinaryOp op, const Value &a, const Value &b, Span span);
  Value floatBinary(ast::BinaryOp op, double a, double b, Span span);
  Value scheduleCall(const GivenList &args, Span span);
  Value policyCall(const GivenList &args, Span span);
  Value scheduleMethod(const Value &schedule, const std::string &name, const GivenList &args, Span span);
  bool scheduleField(Schedule &schedule, const std::string &field, const Value &value, Span span);
  std::optional<int64_t> knownInt(const Value &value, Span span, const char *what);
  std::optional<bool> knownBool(const Value &value, Span span, const char *what);

  // ---- CheckCall.cpp
  Value call(const ast::CallExpr &expr);
  Value callValue(const Value &callee, GivenList args, Span span, const std::string &shown);
  GivenList arguments(const ast::CallExpr &expr);
  Value callDType(const Value &dtype, const GivenList &args, Span span, const std::string &shown);
  Value withSchedule(const Callable &kernel, const GivenList &args, Span span);
  static bool isCallable(const Value &value);
  Value makePartial(GivenList args, Span span);
  Value callPartial(const Value &partial, GivenList args, Span span);
  bool isRecursive(const Callable &callable, Span span);
  Value callFunction(const Callable &callable, GivenList args, Span span);
  std::shared_ptr<Frame> calleeFrame(const Callable &callable) const;
  bool matchArguments(const Callable &callable, std::vector<Value> &values, const std::vector<Span> &spans, int *failed);
  static const std::vector<ast::Parameter> &parametersOf(const Callable &callable);
  Value inlineResult(const Callable &callable, Span span);
  Value inlineCall(const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans, Span span);
  bool bindParameters(const Callable &callable, GivenList &args, Span span, std::vector<Value> &values, std::vector<Span> &spans);
  Bound bindBuiltin(const BuiltinRow &row, GivenList args, Span span);

  // ---- CallEntry.cpp
  ExprPtr entryArgument(const Callable &callable, const Param &param, Value v, Span at, std::map<std::string, Dim> &dims);
  bool entryArguments(const Callable &callable, const Function &callee, const std::vector<Value> &values,
                      const std::vector<Span> &spans, Span span, Expr &e, std::map<std::string, Dim> &dims, std::vector<MovedState> *moved = nullptr);
  std::vector<Value> callResults(ExprPtr e, std::vector<Type> types, const std::string &name, Span span);
  const Function *entryOf(const Callable &callable, const std::vector<Value> &values, const std::vector<Span> &spans, Span span, const Callable **chosen);
  Value callEntry(const Callable &callable, std::vector<Value> values, std::vector<Span> spans, Span span);

  // ---- BuiltinCalls.cpp; the handlers by what they do in BuiltinNumbers.cpp, BuiltinShapes.cpp, BuiltinValues.cpp
  Value callBuiltin(const BuiltinRow &row, GivenList args, Span span);
  using ArrayHandler = Value(const BuiltinRow &row, Bound &args, Span span);
  using KernelHandler = Value(const BuiltinRow &row, Bound &args, const GivenList &given, Span span);
  Value callArrayBuiltin(const BuiltinRow &row, Bound &args, Span span);
  std::optional<bool> flagArgument(const Bound &args, size_t i);
  Value arrayArgument(const Bound &args, size_t i, const std::string &shown);
  ArrayHandler arrayElementwise, arrayWhere, arrayReduce, arrayMinMax, arrayMean, arrayCast, arrayTranspose,
      arrayReshape, arrayBroadcastTo, arrayUnsqueeze, arraySqueeze, arrayConcat, arraySplit, arrayStack, arrayFlatten, arrayExpand, arrayRepeat;
  bool partsArgument(const BuiltinRow &row, const Bound &args, Span span, std::vector<Value> &parts);
  // ---- Einsum.cpp
  struct EinsumOperand;
  Value arrayEinsum(const BuiltinRow &row, Bound &args, Span span);
  bool einsumLetters(const std::string &equation, size_t operands, Span span, std::vector<std::string> &inputs, std::string &output);
  bool einsumExtents(std::vector<EinsumOperand> &operands, Span span);
  EinsumOperand einsumSum(EinsumOperand operand, const std::string &kept, Span span);
  EinsumOperand einsumOrder(EinsumOperand operand, const std::string &letters, Span span);
  EinsumOperand einsumPair(EinsumOperand a, EinsumOperand b, const std::string &kept, Span span);
  // ---- Gather.cpp
  Value arrayTake(const BuiltinRow &row, Bound &args, Span span);
  Value arrayGather(const BuiltinRow &row, Bound &args, Span span);
  Value indicesFromStart(Value indices, const Dim &extent, Span span);
  Value gathered(Value x, Value places, int axis, const std::vector<int> &along, Span span);
  Value scattered(Value x, Value indices, Value values, int axis, Span span);
  // ---- Windows.cpp
  struct Window;
  Value arrayConv(const BuiltinRow &row, Bound &args, Span span);
  Value arrayPool(const BuiltinRow &row, Bound &args, Span span);
  bool windowNumbers(const Value &given, size_t count, int64_t least, int64_t absent, Span span, const char *what, std::vector<int64_t> &out);
  bool windowExtents(const Value &x, size_t first, std::vector<Window> &windows, Span span);
  Value windowed(Value x, size_t first, const std::vector<Window> &windows, Span span);
  Value convolve(Value x, Value w, const std::vector<Window> &windows, Span span);
  Value convolveGroups(Value x, Value w, const std::vector<Window> &windows, int64_t groups, Span span);
  bool convShapes(const Value &x, const Value &w, const Value &bias, int64_t groups, Span span);
  ArrayHandler arrayDot, arrayFull, arrayIota, arrayCdiv, arrayLen, arrayEnumerate, arrayToInt, arrayToFloat, arrayToBool, arrayRange, arrayStaticRange;
  KernelHandler kernelOrigin, kernelContext, kernelQuery, kernelLoad, kernelStore, kernelAllocShared, kernelCpAsync, kernelCommit, kernelWait, kernelBarrier;
  bool underDivergence(const char *what, Span span);
  Value callKernelBuiltin(const BuiltinRow &row, Bound &args, const GivenList &given, Span span);
  Value callHostBuiltin(const BuiltinRow &row, Bound &args, const GivenList &given, Span span),
      loadTensors(ExprPtr path, const Value &what, Span at, Span span), saveTensors(ExprPtr path, const Value &what, Span at, Span span),
      tensorsOf(const ast::Expr &type, const std::string &name, std::vector<ExprPtr> &names, const Expr &path, Span span),
      structOfTensors(const Value &type, const std::string &name, std::vector<ExprPtr> &names, const Expr &path, Span span),
      hostCall(std::string_view name, std::vector<ExprPtr> args, Span span), mainParameter(const ast::Parameter &parameter);
  Value toWhole(const Value &buffer, Span span);
  Value rangeValue(Bound &args, bool unrolled, Span span);
  Value convertInt(const Value &value, Span span);
  bool shapeArgument(const Value &value, Span span, std::vector<Dim> &shape);
  bool sizesArePossible(const std::vector<Dim> &shape, Span span);
  std::optional<DType> dtypeArgument(const Value &value, Span span, Numerics *numerics = nullptr);

  // ---- Numerics.cpp
  Value elementwise(ElementwiseOp op, std::vector<Value> args, Span span, const std::string &shown);
  Value intElementwise(ElementwiseOp op, const std::vector<Value> &args, Span span, const std::string &shown);
  bool promoteArrays(const std::vector<Value> &args, Type &type, Span span, const std::string &shown);
  bool literalFits(const Value &value, const Type &type, Span span, bool leaves);
  bool needsStream(const Numerics &numerics, DType from, DType to, Span span);
  bool roundAsPlaceSays(Value &value, const Numerics &how, Span span, const std::string &what);
  void reportNarrowing(const Type &from, DType to, Span span, const std::string &what, bool fixable);
  void reportMissingAccumulate(const Value &value, Span span, const std::string &what);
  bool promote(const std::vector<Value> &args, Type &type, Span span, const std::string &shown);
  DType carriedIn(const Type &type) const;  // the dtype that arithmetic on this type is done in
  ExprPtr carried(Value value, DType dtype, Span span);
  ExprPtr asDType(Value value, DType dtype, const Numerics &numerics, Span span);
  Value castTo(Value value, DType dtype, const Numerics &numerics, Span span);
  bool narrows(const Type &from, DType to) const;
  /// The value as it leaves to a place of `type`: cast, or a message if that would narrow it.
  ExprPtr leave(Value value, const Type &type, Span span, const std::string &what, bool fixable = true);
  Value finish(ExprPtr expr, Type type, std::vector<std::optional<Limit>> limits, Span span);
  Value toArray(const Value &value, DType weak, Span span);
  bool requireNumber(const Value &value, Span span, const std::string &shown);
  std::optional<DType> accumulator(const Value &value, Span span, const std::string &what);
  Value castByChance(Bound &args, Span span);
  // ---- Product.cpp
  Value dot(Value a, Value b, const Value &acc, Span span);
  Value multiplied(Value a, Value b, const Type &type, DType in, Span span);
  std::optional<Value> factor(const Value &value, const Type &type, size_t axis, Span span);
  std::optional<DType> productType(const Value &a, const Value &b, const Value &acc, Span span, Type &type);
  // ---- Stored.cpp
  ExprPtr timesPower(ExprPtr value, int exponent);
  Value unscaled(Value value, Span span);
  Value scalesUnknown(Span span);
  Value dequantized(Value raw, ExprPtr scale, int axis, Span span);
  Value loadedValue(Value raw, Span span);
  Value storedParameter(Var *var, Value value, Span span);
  const Var *quantizedSource(const Value &value, const Type &wanted) const;
  const Var *sourceParameter(const Expr &expr, DType dtype, int depth) const;
  Span declaredDType(const Var &var);

  // ---- Shapes.cpp, Rearrange.cpp, Parts.cpp
  bool broadcastShapes(std::vector<Value> &args, std::vector<Dim> &shape, Span span, size_t apart = 0);
  bool spreadsOne(Value &value, size_t axis, const Dim &extent, Span span);
  ExprPtr broadcastTo(ExprPtr expr, const std::vector<Dim> &shape);
  std::optional<int> axisOf(const Value &value, size_t rank, Span span, const std::string &shown);
  bool axesOf(const Value &axis, size_t rank, Span span, std::vector<int> &axes, const std::string &shown);
  /// `axisSpan`: of the argument that says the axis; the call, if there is none.
  Value reduce(ReduceOp op, Value value, const Value &axis, Span axisSpan, bool keepdim, Span span, const std::string &what);
  Value mean(Value value, const Value &axis, Span axisSpan, bool keepdim, Span span);
  Value transpose(Value value, std::vector<int> axes, Span span);
  Value reshape(Value value, std::vector<Dim> shape, int inferred, Span span);
  std::optional<Dim> inferredExtent(const Value &value, const std::vector<Dim> &shape, int inferred, Span span);
  Value cannotReshape(const Value &value, std::vector<Dim> shape, int inferred, const std::string &why, const shape::Formula &claim, Span span);
  Value insertAxis(Value value, int axis, Span span);
  Value removeAxis(Value value, int axis, Span span);
  Value concat(std::vector<Value> values, int axis, Span span);
  Value split(Value value, int parts, int axis, Span span);
  Value splitInto(Value value, const std::vector<Dim> &sizes, int axis, Span span);
  Value splitSizes(Value value, const std::vector<Dim> &sizes, int axis, Span span);
  Value stack(std::vector<Value> values, int axis, Span span);
  Value sliceAxis(Value value, size_t axis, const Dim &start, const Dim &size, int64_t step, Span span);
  Value mergeAxes(Value value, size_t first, size_t count, Span span);
  Value repeat(Value value, const Dim &times, int axis, bool whole, Span span);
  Value filled(const std::vector<Dim> &shape, double value, const Value &like, Span span);
  Value padAxis(Value value, size_t axis, int64_t amount, double fill, Span span);
  Value broadcastValue(Value value, const std::vector<Dim> &shape, Span span);
  Value maskAxis(Value value, size_t axis, double fill, Span span);  // elements outside of its limit become `fill`
  bool sameDim(const Dim &a, const Dim &b, Span span, const std::string &why);  // claim() of `a == b`
  std::string shapeText(const std::vector<Dim> &shape) const;

  // ---- Statements.cpp: those that do nothing
  void strayStatements(const ast::Block &block);
  void emptyRange(const ast::ForStmt &loop);
  void unusedValue(const ast::ExprStmt &stmt, const Value &value, size_t emitted);
  std::string renewed(const ast::Expr &expr, const Value &value);
  bool dimensionAssigned(const std::string &name, Span span);

  // ---- Suspicions.cpp: what has a meaning, but hardly the one that was meant
  bool neverEnds(const ast::WhileStmt &loop);
  void lastTurnOnly(const ast::ForStmt &loop);
  bool isReadBehind(const std::string &name, uint32_t place) const;
  void overlappingSlices(const Value &start, const Dim &length, Span span);
  void lanesWalkTogether(const ast::ForStmt &loop, const Value &start, const Value &stop);
  bool dependsOnTile(const Dim &extent, const std::string &what, Span span);
  bool lanesDisagree(const Value &value, Span span);
  void unwrittenResults(const ast::FuncDef &def, const std::set<Var *> &stored);
  bool counterOutside(const Dim &number, const Dim &extent, Span span);
  bool addsToModule(const ast::AugAssignStmt &stmt);
  bool assertsNothing(const ast::AssertStmt &stmt, const Value &condition);

  // ---- Host.cpp
  Value hostItem(const Value &tensor, const Value *index, Span span);
  Value hostExtent(const Value &tensor, std::optional<int> axis, Span span);
  Value hostScalar(const Value &value, Span span);
  ExprPtr hostArgument(const Value &value, Span span);
  Value format(const std::vector<Value> &parts, std::vector<std::string> texts, std::vector<std::string> formats, Span span);
  ExprPtr formatExpr(const std::vector<Value> &parts, std::vector<std::string> texts, Span span);
  bool formatFits(const Value &value, const ast::FStringPart &part);  // Formats.cpp
  bool usesHost(const ast::Block &block) const;
  void bindHostTensor(const Value &tensor, const DimExprs &dims, const ast::Expr &declared, const std::string &name);
  bool hostRankFits(const Value &tensor, const DimExprs &dims, const ast::Expr &declared, Span span);
  bool hostDimensions(const Value &tensor, const DimExprs &dims, const std::string &name);
  bool hostFact(const ast::Expr &fact);
  bool hostAssert(const Value &condition, const std::vector<Value> &parts, std::vector<std::string> texts, Span span);

  // ---- Note.cpp: facts for an editor
  void note(Span place, const Value &value), noteBound(const std::string &name, Span place);
  void noteGeneric(const ModuleScope &main);

  // ---- Emit.cpp: building the function
  Var *newVar(const std::string &name, Type type, Span span);
  /// What a result is called: `result`, or `result_0` of several; a parameter of that name keeps it.
  std::string resultName(std::string name) const;
  Stmt &emit(StmtKind kind, Span span);
  Value bindTemp(const Value &value, const std::string &name, Span span, Var **made = nullptr);
  Value valueOfVar(Var *var, const Value &like, Span span);
  Value cheap(Value value, const std::string &name, Span span);  // one that may be used several times
  Value snapshot(Value value, const std::string &name, Span span);
  ExprPtr take(Value &value);
  ExprPtr indexExpr(const Value &value, Span span);
  ExprPtr dimExpr(const Dim &dim, Span span);
  Value indexValue(ExprPtr expr, const std::string &name, Span span);  // an Index that only run time knows
  ExprPtr conditionExpr(const Value &value, Span span);
  std::optional<bool> knownCondition(const Value &value) const;
  bool isVarying(const Expr &expr) const;
  bool isVarying(const Access &access) const;
  std::string symName(const Var *var) const { return "%" + std::to_string(var->id); }
  bool mentionsRebound(const Dim &dim) const;
  bool mentionsRebound(const shape::Formula &formula) const;
  std::string show(const Dim &dim) const;  // with the user's names
  std::string describe(const Value &value) const;
  bool inKernel() const { return fn_ && fn_->kind == FunctionKind::Kernel; }
  bool inHost() const { return fn_ && fn_->kind == FunctionKind::Host; }
  /// `instead`: what can be written; may be empty.
  Value unsupported(const std::string &what, Span span, const std::string &instead = {});

  template <class... Holes> diag::Builder report(Id id, Span span, const Holes &...holes) {
    Span place = placeOf(span);
    reportedSpans_.insert({static_cast<int>(id), place.file, place.begin});
    ++failures_;
    diag::Builder builder = diagnostics_.report(id, place, holes...);
    noteCalls(builder, span);
    return builder;
  }
  /// A message that does not make what it is about a failure; said once about a place.
  template <class... Holes> diag::Builder warn(Id id, Span span, const Holes &...holes) {
    reportedSpans_.insert({static_cast<int>(id), span.file, span.begin});
    return diagnostics_.report(id, span, holes...);
  }
  /// False if this was already said about this place (a callee is traced once for each call).
  bool fresh(Id id, Span span) const {
    ++failures_;
    Span place = placeOf(span);
    return !reportedSpans_.count({static_cast<int>(id), place.file, place.begin});
  }
};

}  // namespace tessera::sema
