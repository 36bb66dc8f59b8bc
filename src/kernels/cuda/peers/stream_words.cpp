#include "kernels/cuda/peers/stream_words.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/driver_entry.hpp"

namespace contextual::kernels::cuda {

void write_word(CUstream stream, unsigned* word, unsigned value) {
  static auto* const write = driver_entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  CONTEXTUAL_KERNELS_CUDA(
      write(stream, reinterpret_cast<CUdeviceptr>(word), value, CU_STREAM_WRITE_VALUE_DEFAULT));
}

void wait_for_word(CUstream stream, const unsigned* word, unsigned value) {
  static auto* const wait = driver_entry<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32");
  CONTEXTUAL_KERNELS_CUDA(wait(stream, reinterpret_cast<CUdeviceptr>(word), value, CU_STREAM_WAIT_VALUE_GEQ));
}

}  // namespace contextual::kernels::cuda
