// The .npy format (versions 1.0, 2.0 and 3.0), from and to bytes in memory.
// NumPy has no dtype for bf16, f8, f6, f4 and i4: the ml_dtypes package writes them as raw bytes ('<V2',
// '|V1'), and so do we; who reads such an array must say which dtype it is.
#pragma once
#include "support/DType.h"
#include "support/Result.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct NpyArray {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::string data;  // elements in row-major order, little-endian, storageBytes(dtype) each
};

/// Reads an array. `expected` names the dtype of raw bytes ('V'), and is an error where the file holds
/// another dtype.
Result<NpyArray> parseNpy(std::string_view bytes, std::optional<DType> expected = std::nullopt);

/// Writes an array: version 1.0, C order, data aligned to 64 bytes as NumPy does.
std::string writeNpy(const NpyArray &array);

/// The type string of a dtype in a header, e.g. "<f4"; raw bytes for what NumPy lacks.
std::string npyTypeString(DType dtype);

}  // namespace tessera
