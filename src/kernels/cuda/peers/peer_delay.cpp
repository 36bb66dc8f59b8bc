#include "kernels/cuda/peers/peer_delay.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/peers/peer_source.hpp"

#include <contextual/cuda.hpp>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/peer_delay.cu.inc"
    ;

struct Config {
  int threads = 1;
};
using Kernel = CudaKernel<Config, unsigned long long, const unsigned*>;

Kernel& kernel() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    Kernel::Definition definition;
    definition.source = with_peer_headers(CudaSource::text("peer_delay.cu", source));
    definition.variant = [](const Config&) { return CudaVariant{.function = "delay_stream"}; };
    definition.layout = [](const Config&, const unsigned long long&, const unsigned* const&) {
      return CudaLayout{.grid = {1}, .block = {1}};
    };
    return new Kernel(
        "cuda_delay_stream", {{"THREADS", &Config::threads, {1}}},
        [](const unsigned long long&, const unsigned* const&) { return single_problem(); }, definition);
  }();
  return *kernel;
}

}  // namespace

void delay_stream(CUstream stream, std::chrono::nanoseconds delay, const unsigned* host_abort) {
  CONTEXTUAL_KERNELS_CUDA(
      kernel().launch_config(0, stream, static_cast<unsigned long long>(delay.count()), host_abort));
}

void load_delay() {
  kernel().load();
}

}  // namespace contextual::kernels::cuda
