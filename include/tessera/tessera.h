/* The Tessera runtime: devices, memory, modules and launches behind one C interface, for CPU, CUDA and HIP.
 *
 * The vendors' libraries (the CUDA driver, NVRTC, the HIP runtime, hiprtc) are loaded when they are first asked for:
 * one program works on a machine with none of them, and says so through TESS_ERROR_NO_DEVICE.
 *
 * Every function returns a TessStatus, never aborts and lets no exception out. After a failure tessLastErrorText()
 * (abi.h) says what was wrong, for the calling thread; a call that succeeds leaves no text. A handle is a number that is
 * looked up: one that was destroyed, one of another kind and one that is none are refused with TESS_ERROR_ARGUMENT. What
 * each function returns for each wrong argument is in docs/c_interface.md. Functions may be called from any thread; one
 * object must not be destroyed while another thread uses it. Sizes are bytes.
 *
 * Emitted code does not need this library: its entry functions take plain pointers and a native stream.
 */
#ifndef TESSERA_TESSERA_H
#define TESSERA_TESSERA_H

#include "tessera/abi.h"
#include <stddef.h>
#include <stdint.h>

/* In C++ an enumeration may hold any number, as in C: one that is none of its values is refused, and undefined for nobody. */
#ifdef __cplusplus
#define TESS_AS_INT : int32_t
extern "C" {
#else
#define TESS_AS_INT
#endif

/** Statuses of the runtime, beside those of abi.h. */
enum TessRuntimeStatusCode {
  TESS_ERROR_DRIVER = 32,            /**< the device or its driver reported an error */
  TESS_ERROR_NO_DEVICE = 33,         /**< no such device here, or no driver for it */
  TESS_ERROR_NOT_INITIALIZED = 34,   /**< tessInit() was not called */
  TESS_ERROR_NOT_FOUND = 35,         /**< no such file or kernel */
  TESS_ERROR_COMPILATION = 36,       /**< a compiler refused the source; its log is the error text */
  TESS_ERROR_UNSUPPORTED = 37,       /**< known, and not possible here */
  TESS_ERROR_NOT_DETERMINISTIC = 38, /**< determinism was demanded of a kernel that does not promise it */
  TESS_ERROR_INTERNAL = 39           /**< a mistake in Tessera */
};

/* ---------------------------------------------------------------- start and end */

/** Starts the runtime; may be called several times, each with its tessShutdown(). `flags` must be 0.
 *  TESS_ERROR_ARGUMENT: unknown flags. */
TessStatus tessInit(uint32_t flags);
/** Ends one tessInit(); the last one frees what contexts still hold. TESS_ERROR_NOT_INITIALIZED: without tessInit(). */
TessStatus tessShutdown(void);
/** major * 10000 + minor * 100 + patch of the library. */
int32_t tessVersion(void);

/* ---------------------------------------------------------------- devices and contexts */

typedef struct TessDeviceInfo {
  char name[128];
  char arch[32];               /**< "sm_90", "gfx942", "x86-64" */
  uint64_t memory_bytes;       /**< all memory of the device; 0 if unknown */
  int32_t multiprocessors;     /**< SMs, compute units or hardware threads */
  int32_t shared_bytes;        /**< most shared memory that a group can have; 0 on CPUs */
  int32_t wave_size;           /**< lanes that run together: 32, 64 or 1 */
} TessDeviceInfo;

/** How many devices of a type (enum TessDeviceType of abi.h) there are; 0 where its driver is missing. */
TessStatus tessDeviceCount(int32_t device_type, int32_t *count);
/** What a device is. TESS_ERROR_NO_DEVICE: there is none of that number. */
TessStatus tessDeviceGetInfo(int32_t device_type, int32_t device_id, TessDeviceInfo *info);

/** A device in use: owns allocations, pools, modules and the numerics policy. */
typedef struct TessContextObject *TessContext;
TessStatus tessContextCreate(int32_t device_type, int32_t device_id, TessContext *context);
/** Frees what the context still holds. NULL is allowed. */
TessStatus tessContextDestroy(TessContext context);
/** Waits for all work of the context. Reports faults of earlier launches as TESS_ERROR_DRIVER. */
TessStatus tessContextSynchronize(TessContext context);

/* ---------------------------------------------------------------- streams */

/** A stream of a GPU context is the vendor's handle (CUstream, hipStream_t); NULL is the default stream.
 *  Work on a CPU context is done when the call returns; its streams are NULL. */
TessStatus tessStreamCreate(TessContext context, TessStream *stream);
TessStatus tessStreamDestroy(TessContext context, TessStream stream);
TessStatus tessStreamSynchronize(TessContext context, TessStream stream);

/* ---------------------------------------------------------------- memory */

/** `bytes` of device memory, aligned to 256; 0 bytes give a pointer that may only be freed.
 *  TESS_ERROR_MEMORY: the device has not that much left. */
TessStatus tessMalloc(TessContext context, size_t bytes, void **pointer);
/** NULL is allowed. TESS_ERROR_ARGUMENT: not a pointer of tessMalloc() of this context, or freed before. */
TessStatus tessFree(TessContext context, void *pointer);

typedef enum TessMemcpyKind TESS_AS_INT { TESS_MEMCPY_HOST_TO_DEVICE = 0, TESS_MEMCPY_DEVICE_TO_HOST = 1, TESS_MEMCPY_DEVICE_TO_DEVICE = 2 } TessMemcpyKind;
/** Copies in stream order. Host memory that is not page-locked may make the call wait. TESS_ERROR_ARGUMENT: the bytes begin in
 *  memory of this context or one of its pools, and end outside of that allocation; of other memory nothing is known. */
TessStatus tessMemcpyAsync(TessContext context, void *to, const void *from, size_t bytes, TessMemcpyKind kind, TessStream stream);
/** Sets each byte to `value` (0..255). Bytes past an allocation are refused as by tessMemcpyAsync(). */
TessStatus tessMemsetAsync(TessContext context, void *pointer, int32_t value, size_t bytes, TessStream stream);

typedef struct TessMemPoolOptions {
  size_t block_bytes;    /**< least size of a block asked of the device; 0: 2 MiB */
  size_t limit_bytes;    /**< most memory that the pool may hold; 0: no limit */
} TessMemPoolOptions;
typedef struct TessMemPoolStats {
  size_t held_bytes;     /**< asked of the device */
  size_t used_bytes;     /**< given out now */
  size_t peak_bytes;     /**< most ever given out at once */
  uint64_t allocations;
} TessMemPoolStats;
typedef struct TessMemPoolObject *TessMemPool;
/** A pool: freed memory is used again by later allocations in the same stream without asking the device.
 *  `options` may be NULL. */
TessStatus tessMemPoolCreate(TessContext context, const TessMemPoolOptions *options, TessMemPool *pool);
/** Frees all memory of the pool, given out or not. */
TessStatus tessMemPoolDestroy(TessMemPool pool);
/** Memory for work that `stream` orders. TESS_ERROR_MEMORY: over the limit, or the device has no more. */
TessStatus tessMemPoolAlloc(TessMemPool pool, size_t bytes, TessStream stream, void **pointer);
/** Gives memory back: work queued on `stream` before this call may still use it. */
TessStatus tessMemPoolFree(TessMemPool pool, void *pointer, TessStream stream);
TessStatus tessMemPoolGetStats(TessMemPool pool, TessMemPoolStats *stats);
/** Returns unused blocks to the device. */
TessStatus tessMemPoolTrim(TessMemPool pool);

/* ---------------------------------------------------------------- modules and kernels */

typedef struct TessModuleObject *TessModule;
typedef struct TessKernelObject *TessKernel;

typedef enum TessModuleFormat TESS_AS_INT {
  TESS_MODULE_BINARY = 0,   /**< GPU: cubin, fatbin, PTX (text ending in NUL) or code object in memory */
  TESS_MODULE_FILE = 1,     /**< path of a file: GPU as BINARY; CPU: a shared library of emitted code */
  TESS_MODULE_SOURCE = 2    /**< GPU: CUDA C++ or HIP text, compiled by NVRTC or hiprtc. CPU: TESS_ERROR_UNSUPPORTED */
} TessModuleFormat;
typedef struct TessModuleOptions {
  const char *const *compile_options;   /**< for SOURCE, such as "-I/usr/include"; may be NULL */
  int32_t compile_option_count;
  const char *const *kernel_names;      /**< for SOURCE: C++ names that tessKernelGet() will ask for, such as "matmul<64>" */
  int32_t kernel_name_count;
} TessModuleOptions;
/** Loads code into a context. `data` as the format says; `bytes` is its length (FILE: ignored). `options` may be NULL.
 *  TESS_ERROR_NOT_FOUND: no such file. TESS_ERROR_COMPILATION: the compiler refused; its log is the error text.
 *  TESS_ERROR_DRIVER: the image is not for this device. */
TessStatus tessModuleLoad(TessContext context, TessModuleFormat format, const void *data, size_t bytes,
                          const TessModuleOptions *options, TessModule *module);
TessStatus tessModuleUnload(TessModule module);
/** A kernel by name. GPU: a `__global__` function. CPU: an entry function of the library (its uniform form `<name>_call`).
 *  Lives as long as its module. TESS_ERROR_NOT_FOUND: the module has none of that name. */
TessStatus tessKernelGet(TessModule module, const char *name, TessKernel *kernel);

enum {
  TESS_LAUNCH_DETERMINISTIC = 1u   /**< only run kernels that give the same bits each time; see tessKernelSetDeterministic */
};
typedef struct TessLaunchConfig {
  uint32_t grid[3], group[3];      /**< groups, and lanes in a group; CPU: ignored, must still not be 0 */
  size_t shared_bytes;             /**< dynamic shared memory */
  uint32_t flags;                  /**< TESS_LAUNCH_... */
} TessLaunchConfig;
/** States what the manifest of the emitted code says of a kernel: 1 if it is deterministic. Unstated is not. */
TessStatus tessKernelSetDeterministic(TessKernel kernel, int32_t deterministic);
/** Queues a kernel. GPU: `arguments[i]` points to the value of parameter i. CPU: `arguments[i]` is a TessValue *.
 *  TESS_ERROR_NOT_DETERMINISTIC: TESS_LAUNCH_DETERMINISTIC was asked of a kernel, or the numerics policy demands it,
 *  that is not stated to be deterministic; nothing was run. A grid with a 0 runs nothing and succeeds. */
TessStatus tessLaunch(TessKernel kernel, const TessLaunchConfig *config, void *const *arguments, int32_t argument_count, TessStream stream);

/* ---------------------------------------------------------------- graphs */

/** Work that was recorded once, to be queued again and again by one call. */
typedef struct TessGraphObject *TessGraph;
/** From here to tessGraphEnd(), what this thread queues on the stream is recorded and not run. GPU: a stream of
 *  tessStreamCreate(); launches, copies on the device, and entry functions of emitted code that are given the stream, except
 *  those that read a result while they run. CPU: NULL; tessLaunch(), tessMemcpyAsync() and tessMemsetAsync() of the context.
 *  TESS_ERROR_ARGUMENT: no such stream, or it is recorded already. */
TessStatus tessGraphBegin(TessContext context, TessStream stream);
/** Ends what tessGraphBegin() began. Pointers and sizes are kept as they were given; memory, kernels and their modules must
 *  live as long as the graph. TESS_ERROR_ARGUMENT: nothing is recorded there. After a failure nothing is recorded any more. */
TessStatus tessGraphEnd(TessContext context, TessStream stream, TessGraph *graph);
/** Queues all that was recorded, in its order. On a CPU it has run when this returns, and what fails ends it.
 *  TESS_ERROR_ARGUMENT: this thread records the stream. */
TessStatus tessGraphLaunch(TessGraph graph, TessStream stream);
/** NULL is allowed. */
TessStatus tessGraphDestroy(TessGraph graph);

/* ---------------------------------------------------------------- numerics */

typedef struct TessNumericsPolicy {
  int32_t deterministic;      /**< 1: every launch of the context is as with TESS_LAUNCH_DETERMINISTIC */
  int32_t flush_denormals;    /**< 1: CPU kernels run with denormals flushed to zero. GPU: must be 0 (fixed when compiled) */
  int32_t allow_tf32;         /**< must be 0: tf32 is asked for by dtype, in the program */
} TessNumericsPolicy;
/** Sets what launches of this context must keep to. What cannot be honoured is TESS_ERROR_UNSUPPORTED. */
TessStatus tessSetNumericsPolicy(TessContext context, const TessNumericsPolicy *policy);
TessStatus tessGetNumericsPolicy(TessContext context, TessNumericsPolicy *policy);

#ifdef __cplusplus
}
#endif
#endif
