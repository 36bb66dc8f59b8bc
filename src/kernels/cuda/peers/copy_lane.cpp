#include "kernels/cuda/peers/copy_lane.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/driver_entry.hpp"

#include <cuda_runtime_api.h>

#include <array>

namespace contextual::kernels::cuda {
namespace {

auto* batch_operation() {
  static auto* const batch = driver_entry<decltype(cuStreamBatchMemOp)>("cuStreamBatchMemOp");
  return batch;
}

}  // namespace

CopyLane::~CopyLane() {
  for (const CUevent event : {ready_, done_}) {
    if (event != nullptr) {
      cudaEventDestroy(event);
    }
  }
  if (lane_ != nullptr) {
    cudaStreamDestroy(lane_);
  }
}

void CopyLane::begin(CUstream stream) {
  batch_operation();  // before anything is launched
  if (lane_ == nullptr) {
    CONTEXTUAL_KERNELS_CUDA(cudaStreamCreateWithFlags(&lane_, cudaStreamNonBlocking));
  }
  for (CUevent* const event : {&ready_, &done_}) {
    if (*event == nullptr) {
      CONTEXTUAL_KERNELS_CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
  }
  CONTEXTUAL_KERNELS_CUDA(cudaEventRecord(ready_, stream));
  CONTEXTUAL_KERNELS_CUDA(cudaStreamWaitEvent(lane_, ready_, 0));
}

void CopyLane::begin_when_set(unsigned* word) {
  const auto address = reinterpret_cast<CUdeviceptr>(word);
  std::array<CUstreamBatchMemOpParams, 2> operations{};
  operations[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operations[0].waitValue.address = address;
  operations[0].waitValue.value = 1;
  operations[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  operations[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[1].writeValue.address = address;
  operations[1].writeValue.value = 0;
  CONTEXTUAL_KERNELS_CUDA(batch_operation()(lane_, operations.size(), operations.data(), 0));
}

void CopyLane::copy(void* to, const void* from, std::size_t pitch, std::size_t row_bytes, std::size_t rows) {
  if (row_bytes == pitch || rows == 1) {
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpyAsync(to, from, rows * row_bytes, cudaMemcpyDeviceToDevice, lane_));
  } else {
    CONTEXTUAL_KERNELS_CUDA(
        cudaMemcpy2DAsync(to, pitch, from, pitch, row_bytes, rows, cudaMemcpyDeviceToDevice, lane_));
  }
}

void CopyLane::join(CUstream stream) {
  CONTEXTUAL_KERNELS_CUDA(cudaEventRecord(done_, lane_));
  CONTEXTUAL_KERNELS_CUDA(cudaStreamWaitEvent(stream, done_, 0));
}

}  // namespace contextual::kernels::cuda
