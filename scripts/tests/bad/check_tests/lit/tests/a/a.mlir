// RUN: tessera-opt %s | FileCheck %s
module {}
