#include "cuda_stream_words.hpp"

#include "kernels/cuda/driver_entry.hpp"

namespace contextual::benchmarks {

void write_word(CUstream stream, unsigned* word, unsigned value) {
  static auto* const write =
      kernels::cuda::driver_entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  CONTEXTUAL_CHECKED(
      write(stream, reinterpret_cast<CUdeviceptr>(word), value, CU_STREAM_WRITE_VALUE_DEFAULT));
}

void wait_for_word(CUstream stream, const unsigned* word, unsigned value) {
  static auto* const wait = kernels::cuda::driver_entry<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32");
  CONTEXTUAL_CHECKED(wait(stream, reinterpret_cast<CUdeviceptr>(word), value, CU_STREAM_WAIT_VALUE_GEQ));
}

}  // namespace contextual::benchmarks
