// What the files of the runtime share: errors, and the interface between the C functions and a kind of device.
#pragma once
#include "tessera/tessera.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tessera::runtime {

/// Remembers the text for tessLastErrorText() and returns the status.
[[gnu::format(printf, 2, 3)]] TessStatus fail(TessStatus status, const char *format, ...);

/// A kernel of loaded code.
class Entry {
public:
  virtual ~Entry() = default;
  virtual TessStatus launch(const TessLaunchConfig &config, void *const *arguments, int32_t count, TessStream stream,
                            const TessNumericsPolicy &policy) = 0;
};

/// Loaded code: a GPU module or a shared library.
class Code {
public:
  virtual ~Code() = default;
  virtual TessStatus find(const char *name, std::unique_ptr<Entry> &entry) = 0;
};

/// Work that was recorded.
class Recording {
public:
  virtual ~Recording() = default;
  virtual TessStatus launch(TessStream stream) = 0;
};

/// A device in use by one context.
class Device {
public:
  virtual ~Device() = default;
  virtual TessStatus allocate(size_t bytes, void **pointer) = 0;
  virtual TessStatus release(void *pointer) = 0;
  virtual TessStatus copy(void *to, const void *from, size_t bytes, TessMemcpyKind kind, TessStream stream) = 0;
  virtual TessStatus set(void *pointer, int32_t value, size_t bytes, TessStream stream) = 0;
  virtual TessStatus createStream(TessStream *stream) = 0;
  virtual TessStatus destroyStream(TessStream stream) = 0;
  virtual TessStatus synchronize(TessStream stream) = 0;
  virtual TessStatus synchronizeAll() = 0;
  virtual TessStatus beginRecording(TessStream stream) = 0;
  /// Ends it also where it fails.
  virtual TessStatus endRecording(TessStream stream, std::unique_ptr<Recording> &recording) = 0;
  virtual TessStatus load(TessModuleFormat format, const void *data, size_t bytes, const TessModuleOptions *options,
                          std::unique_ptr<Code> &code) = 0;
  /// Whether the policy can be honoured; says why not through fail().
  virtual TessStatus accepts(const TessNumericsPolicy &policy) = 0;
};

/// A kind of device: what there is of it, and opening one.
class Backend {
public:
  virtual ~Backend() = default;
  /// Fails with the reason why there is no device `id`: too few of them, or no driver.
  virtual TessStatus missing(int32_t id) = 0;
  virtual int32_t count() = 0;
  virtual TessStatus describe(int32_t id, TessDeviceInfo &info) = 0;
  virtual TessStatus open(int32_t id, std::unique_ptr<Device> &device) = 0;
};
/// The backend for a device type of abi.h; null if that is no type.
Backend *backendFor(int32_t deviceType);
std::unique_ptr<Backend> makeCpuBackend();
std::unique_ptr<Backend> makeCudaBackend();
std::unique_ptr<Backend> makeHipBackend();

/// Forgets the text of an earlier error of this thread.
void clearError();

/// Runs the body of a C function: the text of an earlier error is gone, and exceptions become a status, for nothing is
/// thrown across the C interface.
template <class Body> TessStatus guarded(Body body) {
  clearError();
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(TESS_ERROR_MEMORY, "the host has no memory left");
  } catch (const std::exception &error) {
    return fail(TESS_ERROR_INTERNAL, "%s", error.what());
  } catch (...) {
    return fail(TESS_ERROR_INTERNAL, "an unknown exception");
  }
}

/// Refuses calls before tessInit().
TessStatus requireStarted();

enum class Kind { Context, Module, Kernel, Pool, Graph };

/// What the C interface has handed out and not taken back yet. A caller gets a number in the place of the object's address:
/// it is looked up, never followed, and none is given twice, so that a handle that was destroyed (by its own function or with
/// its context), a handle of another kind and one that is no handle are refused.
class Handle {
public:
  explicit Handle(Kind kind);
  ~Handle();
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  uintptr_t number() const { return number_; }

private:
  uintptr_t number_;
};
/// The object of a number; null if none of that kind lives.
Handle *objectOf(uintptr_t number, Kind kind);
/// Fails, with the function's name.
TessStatus refuseHandle(const void *handle, const char *function, Kind kind);

/// What the caller gets for an object.
template <class Object> Object *handleOf(const Object *object) { return reinterpret_cast<Object *>(object->number()); }
/// Puts the object in the place of the caller's handle. Fails for one that is NULL, or no live one of its kind.
template <class Object> TessStatus requireLive(Object *&handle, const char *function) {
  Handle *object = handle ? objectOf(reinterpret_cast<uintptr_t>(handle), Object::kKind) : nullptr;
  if (!object) return refuseHandle(handle, function, Object::kKind);
  handle = static_cast<Object *>(object);
  return TESS_OK;
}

}  // namespace tessera::runtime

struct TessContextObject : tessera::runtime::Handle {
  static constexpr auto kKind = tessera::runtime::Kind::Context;
  TessContextObject() : Handle(kKind) {}
  std::unique_ptr<tessera::runtime::Device> device;
  int32_t deviceType = 0;
  std::mutex mutex;                       // guards what follows
  std::map<void *, size_t> allocations;   // of tessMalloc
  std::set<TessStream> streams;           // of tessStreamCreate
  std::vector<std::unique_ptr<TessMemPoolObject>> pools;
  std::vector<std::unique_ptr<TessModuleObject>> modules;
  std::vector<std::unique_ptr<TessGraphObject>> graphs;
  std::set<std::pair<TessStream, std::thread::id>> recorded;  // streams between tessGraphBegin and tessGraphEnd
  TessNumericsPolicy policy{};
  /// Fails if the bytes begin in memory of this context and end outside of that allocation. Of other memory nothing is known.
  TessStatus requireInside(const char *function, const void *pointer, size_t bytes);
  ~TessContextObject();
};

struct TessGraphObject : tessera::runtime::Handle {
  static constexpr auto kKind = tessera::runtime::Kind::Graph;
  TessGraphObject() : Handle(kKind) {}
  TessContext context = nullptr;
  std::unique_ptr<tessera::runtime::Recording> recording;
};

struct TessModuleObject : tessera::runtime::Handle {
  static constexpr auto kKind = tessera::runtime::Kind::Module;
  TessModuleObject() : Handle(kKind) {}
  TessContext context = nullptr;
  std::unique_ptr<tessera::runtime::Code> code;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<TessKernelObject>> kernels;
  ~TessModuleObject();
};

struct TessKernelObject : tessera::runtime::Handle {
  static constexpr auto kKind = tessera::runtime::Kind::Kernel;
  TessKernelObject() : Handle(kKind) {}
  TessContext context = nullptr;
  std::string name;
  std::unique_ptr<tessera::runtime::Entry> entry;
  bool deterministic = false;
};

struct TessMemPoolObject : tessera::runtime::Handle {
  static constexpr auto kKind = tessera::runtime::Kind::Pool;
  TessMemPoolObject() : Handle(kKind) {}
  TessContext context = nullptr;
  TessMemPoolOptions options{};
  TessMemPoolStats stats{};
  std::mutex mutex;
  struct Piece {
    size_t bytes = 0;
    TessStream stream = nullptr;  // who used it last: only that stream may have it again without waiting
  };
  std::multimap<size_t, std::pair<void *, TessStream>> idle;  // by size
  std::map<void *, Piece> used;
  ~TessMemPoolObject();
};
