/* The C interface of compiled Tessera functions. Usable from C99 and C++.
 *
 * A function of a program is one C function:
 *
 *     TessStatus softmax(const TessTensor *x, TessTensor *result, TessStream stream);
 *
 * Tensors are views of memory that the caller owns, scalars are passed by value, and memory for results is given by
 * the caller with the right shape. Nothing is copied between devices. The call checks its arguments and returns a
 * status; on failure nothing was written, and tessLastErrorText() says in this thread what was wrong. On a GPU the
 * work is queued on `stream` and may still run when the call returns.
 *
 * Beside it stands the same function with uniform arguments, for tools that call any function by name:
 *
 *     TessStatus softmax_call(const TessValue *args, int32_t count, TessStream stream);
 */
#ifndef TESSERA_ABI_H
#define TESSERA_ABI_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0, or what went wrong. */
typedef int32_t TessStatus;
enum TessStatusCode {
  TESS_OK = 0,
  TESS_ERROR_ARGUMENT = 1,    /* a null pointer, or a wrong number or kind of arguments */
  TESS_ERROR_DTYPE = 2,       /* a tensor of another dtype than declared */
  TESS_ERROR_SHAPE = 3,       /* a rank or an extent that does not fit the declaration or the other arguments */
  TESS_ERROR_LAYOUT = 4,      /* a tensor that is not contiguous and row-major, or not aligned to its dtype */
  TESS_ERROR_DEVICE = 5,      /* a tensor on a device that this code does not run on, or on different ones */
  TESS_ERROR_REQUIREMENT = 6, /* a `where` clause or an assertion about dimensions does not hold */
  TESS_ERROR_ALIAS = 7,       /* a written tensor shares memory with another one */
  TESS_ERROR_MEMORY = 8,      /* no memory for temporaries */
  TESS_ERROR_LAUNCH = 9,      /* the device refused the work; the text has its reason */
  TESS_ERROR_CAPACITY = 10,   /* a dimension is larger than what the function was compiled for */
  TESS_ERROR_MESH = 11        /* the devices of the mesh cannot be reached, one has ended, or they do not do the same */
};

/* A DLPack DLDataType: what an element is. `lanes` is 1. Elements below 8 bits take a byte each. */
typedef struct TessDType {
  uint8_t code; /* enum TessDTypeCode */
  uint8_t bits;
  uint16_t lanes;
} TessDType;
enum TessDTypeCode {
  TESS_INT = 0,
  TESS_UINT = 1,
  TESS_FLOAT = 2,
  TESS_BFLOAT = 4,
  TESS_COMPLEX = 5,
  TESS_BOOL = 6,
  TESS_FLOAT8_E4M3FN = 10,
  TESS_FLOAT8_E5M2 = 12,
  TESS_FLOAT6_E2M3FN = 15,
  TESS_FLOAT6_E3M2FN = 16,
  TESS_FLOAT4_E2M1FN = 17,
  TESS_TF32 = 128 /* not in DLPack: 32 bits as stored, the low 13 of them zero */
};

/* A DLPack DLDevice: where the memory is. */
typedef struct TessDevice {
  int32_t type; /* enum TessDeviceType */
  int32_t id;
} TessDevice;
enum TessDeviceType {
  TESS_CPU = 1,
  TESS_CUDA = 2,
  TESS_CUDA_HOST = 3, /* pinned host memory that the GPU reads */
  TESS_ROCM = 10,
  TESS_ROCM_HOST = 11,
  TESS_CUDA_MANAGED = 13
};

/* A view of a tensor, laid out as a DLPack DLTensor. */
typedef struct TessTensor {
  void *data;
  TessDevice device;
  int32_t ndim;
  TessDType dtype;
  const int64_t *shape;   /* ndim extents */
  const int64_t *strides; /* ndim distances in elements; null: contiguous and row-major */
  uint64_t byte_offset;   /* of the first element from `data` */
} TessTensor;

/* A cudaStream_t or hipStream_t; null is the default stream. On the CPU it is not looked at. */
typedef void *TessStream;

/* One argument of a `..._call` function, in the order of the C function's parameters. */
typedef struct TessValue {
  int32_t kind; /* enum TessValueKind */
  union {
    TessTensor *tensor;
    int64_t integer;  /* integers and bool */
    double real;      /* floats */
  } as;
} TessValue;
enum TessValueKind { TESS_VALUE_TENSOR = 0, TESS_VALUE_INTEGER = 1, TESS_VALUE_REAL = 2 };

/* Why the last call of this thread failed, in one sentence; "" when it did not. Valid until the next call. */
const char *tessLastErrorText(void);

#ifdef __cplusplus
}
#endif
#endif
