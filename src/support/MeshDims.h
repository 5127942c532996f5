// Numbers that the mesh of devices gives, under names that no dimension of a program can have: how many devices an axis has,
// where this device stands along it, and which number it has among all.
#pragma once
#include "support/Dim.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

enum class MeshNumber : uint8_t { Size, Index, Rank };

struct MeshDim {
  MeshNumber what = MeshNumber::Size;
  std::string axis;  // empty for Rank
  /// "mesh.size.tp", "mesh.index.tp", "mesh.rank".
  std::string name() const;
  /// "axis_size", "axis_index", "rank".
  std::string_view function() const;
  /// "tp_size", "tp_index", "rank": for a variable that holds it.
  std::string word() const;
  /// As a program asks for it: `axis_size("tp")`, `axis_index("tp")`, `rank()`.
  std::string call() const;
  Dim dim() const { return Dim::var(name()); }
};

/// What a variable of a dimension asks the mesh for; nothing for any other.
std::optional<MeshDim> meshDim(const std::string &variable);
/// All that a dimension asks it for, in the order of their names.
std::vector<MeshDim> meshDimsOf(const Dim &dim);
/// Where one device is alone: 1 along every axis, and the number 0. Nothing for other variables.
std::optional<int64_t> meshNumberAlone(const std::string &variable);
/// With `axis_size("tp")` in the place of its variable: as a message says it.
Dim spokenDim(const Dim &dim);
/// Whether it differs between devices.
bool variesBetweenDevices(const Dim &dim);

}  // namespace tessera
