#include "kernels/cuda/gemm_tensor_map.hpp"

#include "kernels/cuda/driver_entry.hpp"
#include "kernels/cuda/gemm_sizes.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/error.hpp>

namespace contextual::kernels::cuda {

CUtensorMap tensor_map(const TensorMapMatrix& matrix, int box_rows) {
  constexpr cuuint32_t value_bytes = 2;
  constexpr cuuint32_t box_columns = 64;  // one period of the swizzle
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(matrix.columns), static_cast<cuuint64_t>(matrix.rows),
                              static_cast<cuuint64_t>(matrix.matrices)};
  const cuuint64_t row_bytes = static_cast<cuuint64_t>(row_pitch(matrix.pitch, matrix.columns)) * value_bytes;
  const cuuint64_t strides[] = {row_bytes, static_cast<cuuint64_t>(matrix.rows_to_next) * row_bytes};
  const cuuint32_t box[] = {box_columns, static_cast<cuuint32_t>(box_rows), 1};
  const cuuint32_t steps[] = {1, 1, 1};
  static auto* const encode = driver_entry<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  CUtensorMap map;
  const CUresult code =
      encode(&map, matrix.bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
             matrix.matrices == 0 ? 2 : 3, const_cast<void*>(matrix.data), sizes, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (code != CUDA_SUCCESS) {
    throw ConfigRejected("cuTensorMapEncodeTiled failed: " + cuda_error_text(code));
  }
  return map;
}

}  // namespace contextual::kernels::cuda
