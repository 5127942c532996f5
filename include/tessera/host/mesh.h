// This device's place in the mesh, for host code.
#pragma once
#include "tessera/host/tensor.h"
#include "tessera/mesh.h"

namespace tsr {
namespace host {
namespace detail {
inline const Mesh &mesh() {
  const Mesh &mesh = Mesh::get();
  if (!mesh.problem().empty()) stop(mesh.problem());
  return mesh;
}
/// The axis; null where no mesh was named.
inline const Mesh::Axis *mesh_axis(const std::string &name) {
  const std::string lack = mesh().lack_of(name);
  if (!lack.empty()) stop(lack);
  return mesh().axis(name.c_str());
}
}  // namespace detail

/// The number of this device.
inline int64_t rank() { return detail::mesh().rank(); }
/// Where it stands along an axis.
inline int64_t axis_index(const std::string &axis) {
  const Mesh::Axis *found = detail::mesh_axis(axis);
  return found ? found->index : 0;
}
/// How many devices stand along it; 1 where no mesh was named.
inline int64_t axis_size(const std::string &axis) {
  const Mesh::Axis *found = detail::mesh_axis(axis);
  return found ? found->size : 1;
}

}  // namespace host
}  // namespace tsr
