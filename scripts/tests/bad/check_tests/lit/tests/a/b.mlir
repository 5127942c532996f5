// RUN: tessera-opt %s
module {}
