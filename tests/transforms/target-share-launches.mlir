// RUN: tessera-opt %s --target-share-launches | FileCheck %s
// Launches that differ in what they pass are started by one function; the kernel for few rows is started there, too. Another grid is
// another launch, and what is started once stays as it is.

// CHECK-LABEL: target.entry @layers
// CHECK: target.launch @few {{.*}}"h"{{.*}}started = {by = "start_few", conditions = 0 : i64, constants = [], dims = ["N"], launches = 2 : i64, names = ["x", "y"], operands = ["x0", "h"]}
// CHECK: target.launch @many {{.*}}started, when
// CHECK: target.launch @few {{.*}}started = {by = "start_few", {{.*}}operands = ["h", "g"]}
// CHECK: target.launch @many {{.*}}started, when
// CHECK: target.launch @few {{.*}}operands = ["g", "f"]}
// CHECK: target.launch @many {{.*}}started, when
// CHECK: target.launch @many grid "7"
// CHECK-NOT: started
target.kernel @few attributes {capacities = [], comment = [], group = 32 : i64, param_names = ["x", "y"]} {
^bb0(%x: !target.pointer<f32, const>, %y: !target.pointer<f32>):
}
target.kernel @many attributes {capacities = [], comment = [], group = 32 : i64, param_names = ["x", "y"]} {
^bb0(%x: !target.pointer<f32, const>, %y: !target.pointer<f32>):
}
target.entry @layers attributes {doc = "", parameters = [#target.parameter<"x", f32, ["N"], "in">, #target.parameter<"z", f32, ["N"], "result">], returns = ["z"], signature = ""} {
  target.temporary "x0" : f32 ["N"]
  target.temporary "h" : f32 ["N"]
  target.temporary "g" : f32 ["N"]
  target.temporary "f" : f32 ["N"]
  target.temporary "e" : f32 ["N"]
  target.launch @few grid "N" group 32 arguments [#target.argument<"tensor", "x0">, #target.argument<"tensor", "h">] {when = [#tsr.requirement<"N" le "4", "">]}
  target.launch @many grid "N + 1" group 32 arguments [#target.argument<"tensor", "x0">, #target.argument<"tensor", "h">] {when = [["not", #tsr.requirement<"N" le "4", "">]]}
  target.launch @few grid "N" group 32 arguments [#target.argument<"tensor", "h">, #target.argument<"tensor", "g">] {when = [#tsr.requirement<"N" le "4", "">]}
  target.launch @many grid "N + 1" group 32 arguments [#target.argument<"tensor", "h">, #target.argument<"tensor", "g">] {when = [["not", #tsr.requirement<"N" le "4", "">]]}
  target.launch @few grid "N" group 32 arguments [#target.argument<"tensor", "g">, #target.argument<"tensor", "f">] {when = [#tsr.requirement<"N" le "4", "">]}
  target.launch @many grid "N + 1" group 32 arguments [#target.argument<"tensor", "g">, #target.argument<"tensor", "f">] {when = [["not", #tsr.requirement<"N" le "4", "">]]}
  target.launch @many grid "7" group 32 arguments [#target.argument<"tensor", "f">, #target.argument<"tensor", "z">]
}
