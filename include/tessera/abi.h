/* The C interface between emitted code, the runtime and programs: status codes, tensors, values, streams.
 * Plain C99; nothing here allocates. */
#ifndef TESSERA_ABI_H
#define TESSERA_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What every function of Tessera and every emitted entry function returns. */
typedef int32_t TessStatus;
enum {
  TESS_OK = 0,
  TESS_ERROR_INVALID_ARGUMENT = 1,   /**< an argument is NULL or out of its range */
  TESS_ERROR_DTYPE = 2,              /**< a tensor has another dtype than the signature says */
  TESS_ERROR_SHAPE = 3,              /**< a rank or an extent does not fit the signature */
  TESS_ERROR_STRIDES = 4,            /**< a tensor is not contiguous in row-major order */
  TESS_ERROR_WRONG_DEVICE = 5,       /**< a tensor lives on a device that the code was not compiled for */
  TESS_ERROR_REQUIREMENT = 6,        /**< a `where` fact does not hold */
  TESS_ERROR_OUT_OF_MEMORY = 7,
  TESS_ERROR_DEVICE = 8,             /**< the device or its driver reported an error */
  TESS_ERROR_NO_DEVICE = 9,          /**< no such device here, or no driver for it */
  TESS_ERROR_NOT_INITIALIZED = 10,   /**< tessInit() was not called */
  TESS_ERROR_NOT_FOUND = 11,         /**< no such file or kernel */
  TESS_ERROR_COMPILATION = 12,       /**< a compiler refused the source; its log is the error text */
  TESS_ERROR_UNSUPPORTED = 13,       /**< known, and not possible here */
  TESS_ERROR_NOT_DETERMINISTIC = 14, /**< determinism was demanded of a kernel that does not promise it */
  TESS_ERROR_INTERNAL = 15           /**< a mistake in Tessera */
};
/** Why the last call of this thread failed; "" if none did. Valid until the thread's next failure. */
const char *tessLastErrorText(void);

/** Element types. The names are those of the language. */
typedef enum TessDType {
  TESS_F64 = 0, TESS_F32 = 1, TESS_TF32 = 2, TESS_BF16 = 3, TESS_F16 = 4, TESS_F8E4M3 = 5, TESS_F8E5M2 = 6,
  TESS_F6E2M3 = 7, TESS_F6E3M2 = 8, TESS_F4E2M1 = 9, TESS_I64 = 10, TESS_I32 = 11, TESS_I16 = 12, TESS_I8 = 13,
  TESS_I4 = 14, TESS_U32 = 15, TESS_U16 = 16, TESS_U8 = 17, TESS_BOOL = 18, TESS_COMPLEX64 = 19
} TessDType;

/** Device types; the values are DLPack's kDLCPU, kDLCUDA and kDLROCM. */
enum { TESS_DEVICE_CPU = 1, TESS_DEVICE_CUDA = 2, TESS_DEVICE_HIP = 10 };

/** A view of a tensor: owns nothing. The fields carry what DLPack's DLTensor carries. */
typedef struct TessTensor {
  void *data;              /**< first element; may be NULL if there are no elements */
  int32_t dtype;           /**< a TessDType */
  int32_t ndim;
  const int64_t *shape;    /**< ndim extents; may be NULL if ndim is 0 */
  const int64_t *strides;  /**< ndim strides in elements, or NULL: contiguous, row-major */
  int32_t device_type;     /**< TESS_DEVICE_... */
  int32_t device_id;
} TessTensor;

/** A native stream: cudaStream_t, hipStream_t; NULL for the default stream and on CPUs. */
typedef void *TessStream;

/** One argument of the uniform form of an entry function, `<name>_call`. */
typedef enum TessValueKind { TESS_VALUE_TENSOR = 0, TESS_VALUE_FLOAT = 1, TESS_VALUE_INT = 2, TESS_VALUE_BOOL = 3 } TessValueKind;
typedef struct TessValue {
  int32_t kind;            /**< a TessValueKind */
  union {
    const TessTensor *tensor;
    double number;         /**< TESS_VALUE_FLOAT: rounded to the parameter's dtype */
    int64_t integer;       /**< TESS_VALUE_INT, TESS_VALUE_BOOL */
  } as;
} TessValue;

#ifdef __cplusplus
}
#endif
#endif
