// Models: functions whose parameters are collected into a struct while they are traced.
#pragma once
#include "sema/Arguments.h"
#include "sema/Context.h"

namespace tessera::sema {

/// A field of the struct of a model: an array, a model, or the fields of a layer.
struct ModelNode {
  std::string name;
  std::string called;                 // ... without a number behind it
  int64_t count = 0;                  // turns of a loop make so many of these: it is a stack
  std::string type;                   // as it is written; of a layer: empty
  std::string init;                   // ... its first value, with `$` for a stream of random numbers
  const StructInfo *model = nullptr;  // a model that is called
  std::map<std::string, Dim> dims;    // ... what its dimensions are here
  std::set<std::string> names;        // the dimensions of the traced model that are sizes in it
  std::vector<ModelNode> children;    // a layer
};
/// A model that is being traced. The first time its parameters are collected; each call takes them in the same order.
struct ModelTrace {
  const StructInfo *info = nullptr;
  bool collects = false;
  std::map<std::string, Dim> dimsOfInner;  // collects: the dimensions of the model that was called last
  int inner = 0;  // collects: calls of other models around this place, whose parameters are their own
  ModelNode root;
  std::vector<ModelNode *> open = {&root};  // layers around this place
  std::vector<Value> given;                 // else: the parameters
  size_t next = 0;
  std::vector<Value> rows;  // ... and of stacks the turns of the loops around this place
  std::map<uint32_t, bool> loops;  // collects: StructInfo::layerLoops
  size_t marks = 0;     // loops and branches of run time around the call
  bool failed = false;  // a message was given, and what else is wrong may follow from that
};
/// A layer of the model that is traced, while its body is: what it makes are fields of its own.
class ModelLayer {
public:
  ModelLayer(Context &cx, const Callable &callable);
  ~ModelLayer();
  ModelLayer(const ModelLayer &) = delete;
  ModelLayer &operator=(const ModelLayer &) = delete;

private:
  std::shared_ptr<ModelTrace> trace_;  // null: no layer
};

/// Finds the fields of a model, if they are not known yet. False after a message.
bool findModel(Context &cx, const StructInfo &info, Span span);
/// A struct as a type.
Value structTypeOf(const StructInfo &info);
/// What the name of a function with `@model` stands for: a struct, whose fields are found later.
Value modelType(Context &cx, ModuleScope &scope, const Callable &callable);
/// A model whose name means something else, since it was taken, has no parameters.
void leaveUnlessNamed(Context &cx, const ModuleScope &scope, const StructInfo &info);
/// `@model` where it has no meaning.
void badModel(Context &cx, const Callable &callable, const std::string &why, const std::string &help);
/// Finds the fields of the models of a module.
void findModels(Context &cx, ModuleScope &scope);
/// `parameter(name, shape)`: a field of the model that is traced.
Value modelParameter(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// `classifier(x)`: inside of another model a part of it; elsewhere the struct, made of its fields.
Value callModelType(Context &cx, const Value &type, GivenList args, Span span);
/// `net(x)` of a value of that struct.
Value callModel(Context &cx, const Value &model, GivenList args, Span span);
/// `classifier.init`.
Value initOfModel(Context &cx, const Value &type);
/// Whether a loop stands in a function with `@model` and goes over numbers that are known: each turn has layers of its own.
bool isLoopOfLayers(const Context &cx, const Value &range);

/// Such a loop (ModelLoops.cpp). Where all turns make the same layers, these are one stack of the struct: then each turn takes a row of
/// it, and where no turn asks which one it is, run time turns the loop.
class LayerLoop {
public:
  LayerLoop(Context &cx, const ast::ForStmt &stmt, int64_t turns);
  ~LayerLoop();
  LayerLoop(const LayerLoop &) = delete;
  LayerLoop &operator=(const LayerLoop &) = delete;

  /// Whether run time turns it. Else each turn is written out.
  bool stays() const { return stays_; }
  /// A turn begins, or is checked once more. `row`: its number.
  void beginTurn(const Value &row);
  void endTurn();

private:
  void join();

  Context &cx_;
  const ast::ForStmt &stmt_;
  std::shared_ptr<ModelTrace> trace_;
  int64_t turns_;
  bool collects_ = false, stacked_ = false, stays_ = false, steady_ = true, inTurn_ = false;
  size_t first_ = 0;                          // the first parameter of a turn
  size_t firstField_ = 0, begin_ = 0;         // collects: the first field of the loop, and of the turn
  std::vector<std::vector<ModelNode>> made_;  // collects: the fields of each turn
  std::map<std::string, std::string> names_;  // collects: what the names around the loop mean
};

}  // namespace tessera::sema
