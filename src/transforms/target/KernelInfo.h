// What became of a kernel, for the entry functions that launch it.
#pragma once
#include "ir/common/Common.h"
#include "support/Dim.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::transforms::totarget {

/// What the launches of a kernel must know of it.
struct KernelInfo {
  explicit KernelInfo(std::string name = "") : name(std::move(name)) {}
  std::string name;                                        // of the emitted function
  int64_t group = 0;                                       // threads; 0 on the CPU
  std::string groupName;                                   // the constant with that number
  std::vector<std::pair<std::string, int64_t>> constants;  // that the grid is written in
  std::vector<std::string> variables;                      // all dimension variables of its signature
  std::vector<std::string> dims;                           // dimension variables passed behind the views and scalars
  std::vector<std::pair<std::string, std::vector<int64_t>>> capacities;
  std::string grid;                  // number of groups, a dimension expression; empty on the CPU
  std::vector<int64_t> sharedBytes;  // for each combination of capacities; empty: static
  std::set<unsigned> steps;          // parameters by which loops go on: the entry asks that they are at least 1
  std::vector<unsigned> aligned;  // parameters whose rows the entry asks for alignment; empty: the kernel does not ask
  struct Variant {
    std::string arguments;             // of the template
    std::map<std::string, Dim> sizes;  // the constants of the grid: "Vector" -> 8
    int64_t threads, rows;             // of a block
    int64_t cluster = 1;               // blocks that share a row
    std::vector<ir::RequirementAttr> when;
    std::vector<int64_t> aligned;    // parameters
    std::optional<Dim> sharedBytes;  // dynamic shared memory, where it needs some
    bool inTurn = false;             // groups take the grid's in turn: one a processor
  };
  std::vector<Variant> variants;
  int64_t persistent = 0;  // groups for each processor, which go over the launch's groups in a loop; 0: one group for each
  std::optional<std::string> clusters;  // groups may stand in clusters: the number of rows of tiles, a dimension expression; "": they always do
};

}  // namespace tessera::transforms::totarget
