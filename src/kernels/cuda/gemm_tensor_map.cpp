#include "kernels/cuda/gemm_tensor_map.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

namespace contextual::kernels::cuda {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode driver_encode() {
  static const auto encode = [] {
    constexpr unsigned first_version = 12000;
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, first_version,
                                                              cudaEnableDefault, &found);
    if (code != cudaSuccess || found != cudaDriverEntryPointSuccess) {
      throw CudaUnavailable(
          "the CUDA driver has no cuTensorMapEncodeTiled: it must be of CUDA 12.0 or newer");
    }
    return reinterpret_cast<Encode>(entry);
  }();
  return encode;
}

}  // namespace

CUtensorMap tensor_map(const TensorMapMatrix& matrix, int box_rows) {
  constexpr cuuint32_t value_bytes = 2;
  constexpr cuuint32_t box_columns = 64;  // one period of the swizzle
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(matrix.columns), static_cast<cuuint64_t>(matrix.rows)};
  const cuuint64_t strides[] = {sizes[0] * value_bytes};
  const cuuint32_t box[] = {box_columns, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[] = {1, 1};
  CUtensorMap map;
  const CUresult code = driver_encode()(
      &map, matrix.bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2,
      const_cast<void*>(matrix.data), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (code != CUDA_SUCCESS) {
    throw ConfigRejected("cuTensorMapEncodeTiled failed: " + cuda_error_text(code));
  }
  return map;
}

}  // namespace contextual::kernels::cuda
