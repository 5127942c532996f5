/* The mesh: how the devices of a program, one process for each, stand along named axes. The last axis varies fastest in the
 * number of a device, its rank: with "dp=2,tp=2" device 1 is at dp 0, tp 1.
 *
 * It is made at first use, of the environment: TESSERA_MESH="dp=2,tp=2", RANK and WORLD_SIZE. `tessera run --mesh` and
 * `tessera launch` set them; torchrun sets the last two. Without TESSERA_MESH there is one device, and each axis has size 1. A mesh
 * names all axes of the program, dp=2,tp=1: a function that asks for another one fails.
 * A program that knows its devices itself says so before its first collective: in C++ by tsr::Mesh::set, else by
 *
 *     const TessMeshAxis axes[] = {{"dp", 2, dp_index, dp_communicator}, {"tp", 4, tp_index, tp_communicator}};
 *     tessMeshSet(axes, 2);
 *
 * which each library whose functions have collectives shows, for it has a mesh of its own.
 */
#ifndef TESSERA_MESH_H
#define TESSERA_MESH_H
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One axis, and where this device stands along it. */
typedef struct TessMeshAxis {
  const char *name;
  int64_t size, index;
  void *communicator; /* on a GPU an ncclComm_t of the devices along the axis, ordered as they are; null: I make one */
} TessMeshAxis;

/* The mesh of this process, in the place of what its environment says. TESS_ERROR_MESH: the axes are none, or it is in use. */
TessStatus tessMeshSet(const TessMeshAxis *axes, int32_t count);

#ifdef __cplusplus
}

#include "tessera/error.h"
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

namespace tsr {

class Mesh {
public:
  struct Axis {
    std::string name;
    int64_t size = 1, index = 0, stride = 1;  // neighbours along it are so far apart in rank
    void *communicator = nullptr;             // given by the program
  };
  static constexpr int64_t kMostAxes = 8, kMostDevices = 65536;

  /// The mesh of this process; from now on it stays as it is.
  static const Mesh &get();
  /// Says which it is, before it is used.
  static TessStatus set(const TessMeshAxis *axes, int32_t count);
  static TessStatus set(std::initializer_list<TessMeshAxis> axes) { return set(axes.begin(), static_cast<int32_t>(axes.size())); }

  /// Reads "dp=2,tp=2". Empty, or what is wrong with it.
  static std::string read(const std::string &text, std::vector<Axis> &axes) {
    axes.clear();
    if (text.find_first_not_of(" \t") == std::string::npos) return "it is empty, and I expected axes such as dp=2,tp=2";
    for (size_t at = 0; at <= text.size();) {
      const size_t end = text.find(',', at) == std::string::npos ? text.size() : text.find(',', at);
      const std::string part = without_blanks(text.substr(at, end - at));
      const size_t equals = part.find('=');
      const std::string name = without_blanks(part.substr(0, equals));
      if (name.empty()) return "an axis has no name: I expected axes such as dp=2,tp=2";
      if (equals == std::string::npos) return "`" + part + "` has no size: I expected " + part + "=2";
      Axis axis;
      axis.name = name;
      const std::string size = without_blanks(part.substr(equals + 1));
      if (!read_number(size, axis.size) || axis.size < 1)
        return "the size of `" + name + "` is `" + size + "`, and I expected a whole number from 1 on";
      axes.push_back(axis);
      at = end + 1;
    }
    return finish(axes);
  }

  /// Empty, or why there is no mesh.
  const std::string &problem() const { return problem_; }
  const std::vector<Axis> &axes() const { return axes_; }
  int64_t rank() const { return rank_; }
  /// How many devices it has.
  int64_t size() const { return size_; }
  /// The axis of this name; null where there is none.
  const Axis *axis(const char *name) const {
    for (const Axis &axis : axes_)
      if (axis.name == name) return &axis;
    return nullptr;
  }
  /// Why nothing goes along an axis of this name; empty where the mesh has it, and where no mesh was named: then its size is 1.
  std::string lack_of(const std::string &name) const { return lack_of(axes_, name); }
  static std::string lack_of(const std::vector<Axis> &axes, const std::string &name) {
    const Axis *meant = nullptr;
    for (const Axis &axis : axes) {
      if (axis.name == name) return {};
      if (!meant && is_like(axis.name, name)) meant = &axis;
    }
    if (axes.empty()) return {};
    const std::string mesh = text(axes);
    return "the program goes along the axis `" + name + "`, and the mesh `" + mesh + "` has none of this name: " +
           (meant ? "`" + meant->name + "` is like it, and " : "") + "`" + mesh + "," + name + "=1` has it, with one device";
  }
  /// "dp=2,tp=2"
  std::string text() const { return text(axes_); }
  static std::string text(const std::vector<Axis> &axes) {
    std::string text;
    for (const Axis &axis : axes) text += (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
    return text;
  }
  /// "device 3 (dp 1, tp 1)"
  static std::string device_text(const std::vector<Axis> &axes, int64_t rank) {
    std::string places;
    for (const Axis &axis : axes) places += (places.empty() ? "" : ", ") + axis.name + " " + std::to_string(rank / axis.stride % axis.size);
    return "device " + std::to_string(rank) + (places.empty() ? "" : " (" + places + ")");
  }
  std::string device_text(int64_t rank) const { return device_text(axes_, rank); }

  /// A whole number of decimal digits.
  static bool read_number(const std::string &text, int64_t &number) {
    char *end = nullptr;
    errno = 0;
    number = std::strtoll(text.c_str(), &end, 10);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && !*end && errno == 0;
  }

private:
  struct Place;
  static Place &of_process();
  static std::string without_blanks(const std::string &text) {
    const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
  }
  /// Whether a name may have been meant by another one: but for small and large letters one begins with the other.
  static bool is_like(const std::string &a, const std::string &b) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
    for (size_t i = 0; i < a.size() && i < b.size(); ++i)
      if (small(a[i]) != small(b[i])) return false;
    return true;
  }
  /// The strides. Empty, or what is wrong.
  static std::string finish(std::vector<Axis> &axes) {
    if (axes.size() > static_cast<size_t>(kMostAxes))
      return "it has " + std::to_string(axes.size()) + " axes, and " + std::to_string(kMostAxes) + " are the most";
    int64_t stride = 1;
    for (size_t i = axes.size(); i-- > 0;) {
      for (size_t j = 0; j < i; ++j)
        if (axes[i].name == axes[j].name) return "the axis `" + axes[i].name + "` is there twice";
      axes[i].stride = stride;
      if (axes[i].size > kMostDevices / stride) return "it has more than " + std::to_string(kMostDevices) + " devices";
      stride *= axes[i].size;
    }
    return {};
  }
  void count_devices() {
    size_ = 1;
    for (const Axis &axis : axes_) size_ *= axis.size;
  }

  void take(const TessMeshAxis *axes, int32_t count) {
    if (count < 0 || (count > 0 && !axes)) return void(problem_ = "the axes are null");
    for (int32_t i = 0; i < count; ++i) {
      const TessMeshAxis &given = axes[i];
      if (!given.name || !*given.name) return void(problem_ = "axis " + std::to_string(i) + " has no name");
      if (given.size < 1 || given.index < 0 || given.index >= given.size)
        return void(problem_ = "the axis `" + std::string(given.name) + "`: this device is at " + std::to_string(given.index) + " of " + std::to_string(given.size));
      Axis axis;
      axis.name = given.name, axis.size = given.size, axis.index = given.index, axis.communicator = given.communicator;
      axes_.push_back(axis);
    }
    problem_ = finish(axes_);
    count_devices();
    for (const Axis &axis : axes_) rank_ += axis.index * axis.stride;
  }

  /// A number of the environment; a problem where it is none.
  int64_t number_of_environment(const char *name) {
    const char *text = std::getenv(name);
    int64_t number = 0;
    if (!problem_.empty()) return 0;
    if (!text)
      problem_ = std::string(name) + " is not set, and TESSERA_MESH is `" + this->text() + "`: `tessera launch --mesh " + this->text() + " PROGRAM` sets both, and torchrun " + name;
    else if (!read_number(text, number)) problem_ = std::string(name) + " is `" + text + "`, and I expected a whole number";
    return number;
  }
  static Mesh of_environment() {
    Mesh mesh;
    const char *text = std::getenv("TESSERA_MESH");
    if (!text) return mesh;
    if (std::string problem = read(text, mesh.axes_); !problem.empty()) {
      mesh.axes_.clear();
      mesh.problem_ = std::string("TESSERA_MESH is `") + text + "`: " + problem;
      return mesh;
    }
    mesh.count_devices();
    if (mesh.size_ == 1 && !std::getenv("RANK") && !std::getenv("WORLD_SIZE")) return mesh;
    mesh.rank_ = mesh.number_of_environment("RANK");
    const int64_t processes = mesh.number_of_environment("WORLD_SIZE");
    if (mesh.problem_.empty() && processes != mesh.size_)
      mesh.problem_ = "TESSERA_MESH is `" + mesh.text() + "`, which is " + std::to_string(mesh.size_) + " devices, and there are " + std::to_string(processes) +
                      " processes (WORLD_SIZE)";
    if (mesh.problem_.empty() && mesh.rank_ >= mesh.size_)
      mesh.problem_ = "RANK is " + std::to_string(mesh.rank_) + ", and the devices of `" + mesh.text() + "` are 0 to " + std::to_string(mesh.size_ - 1);
    if (!mesh.problem_.empty()) mesh.rank_ = 0;
    for (Axis &axis : mesh.axes_) axis.index = mesh.rank_ / axis.stride % axis.size;
    return mesh;
  }

  std::vector<Axis> axes_;
  int64_t rank_ = 0, size_ = 1;
  std::string problem_;
};

struct Mesh::Place {
  std::mutex mutex;
  std::atomic<bool> used{false};
  bool isSet = false;
  Mesh mesh;
};
inline Mesh::Place &Mesh::of_process() {
  static Place place;
  return place;
}
inline const Mesh &Mesh::get() {
  Place &place = of_process();
  if (place.used.load(std::memory_order_acquire)) return place.mesh;
  std::lock_guard<std::mutex> lock(place.mutex);
  if (!place.isSet) place.mesh = of_environment();
  place.used.store(true, std::memory_order_release);
  return place.mesh;
}
inline TessStatus Mesh::set(const TessMeshAxis *axes, int32_t count) {
  Place &place = of_process();
  std::lock_guard<std::mutex> lock(place.mutex);
  Mesh mesh;
  if (place.used.load(std::memory_order_relaxed)) mesh.problem_ = "the mesh is in use: it is set before the first collective";
  else mesh.take(axes, count);
  error_text().text[0] = '\0';
  if (!mesh.problem_.empty()) {
    std::snprintf(error_text().text, sizeof(ErrorText), "tessMeshSet: %s", mesh.problem_.c_str());
    return TESS_ERROR_MESH;
  }
  place.mesh = mesh;
  place.isSet = true;
  return TESS_OK;
}

}  // namespace tsr

// One definition in a program, whichever emitted file it comes from.
extern "C" __attribute__((weak, visibility("default"))) TessStatus tessMeshSet(const TessMeshAxis *axes, int32_t count) { return tsr::Mesh::set(axes, count); }
#endif
#endif
