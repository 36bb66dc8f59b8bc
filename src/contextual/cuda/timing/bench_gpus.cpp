#include "contextual/cuda/timing/bench_gpus.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/timing/context_gathering.hpp"
#include "contextual/cuda/timing/l2_clearing.hpp"

#include <contextual/detail/measure/bench_devices.hpp>

namespace contextual::cuda {

bool capture_is_open(void* stream) noexcept {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return stream_is_capturing(stream) ||
         driver().cuStreamIsCapturing(nullptr, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

void offer_gpus_to_bench() noexcept {
  static constexpr detail::BenchDevices gpus{capture_is_open, l2_clearing_on, l2_clearing_of,
                                             context_gathering};
  detail::set_bench_devices(&gpus);
}

}  // namespace contextual::cuda
