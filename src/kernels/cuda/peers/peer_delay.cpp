#include "kernels/cuda/peers/peer_delay.hpp"

#include "kernels/cuda/peers/peer_source.hpp"
#include "kernels/cuda/untuned_kernel.hpp"

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/peer_delay.cu.inc"
    ;

using Kernel = UntunedKernel<unsigned long long, const unsigned*>;

Kernel& kernel() {
  static auto* const kernel = new Kernel(
      "delay_stream", with_peer_headers(CudaSource::text("peer_delay.cu", source)), 1,
      [](const unsigned long long&, const unsigned* const&) { return 1; }, most_carveout);
  return *kernel;
}

}  // namespace

void delay_stream(CUstream stream, std::chrono::nanoseconds delay, const unsigned* host_abort) {
  kernel().launch(stream, static_cast<unsigned long long>(delay.count()), host_abort);
}

void load_delay() {
  kernel().load();
}

}  // namespace contextual::kernels::cuda
