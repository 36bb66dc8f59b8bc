#include "kernels/cuda/peers/peer_spoil.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/peers/peer_source.hpp"

#include <contextual/cuda.hpp>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/peer_spoil.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/spoil_parameters.hpp.inc"
    ;

struct Config {
  int threads = 256;
};
using Kernel = CudaKernel<Config, SpoilParameters>;

Kernel& kernel() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    Kernel::Definition definition;
    definition.source = with_peer_headers(CudaSource::text("peer_spoil.cu", source))
                            .header("spoil_parameters.hpp", parameters_header);
    definition.variant = [](const Config&) { return CudaVariant{.function = "spoil_if_failed"}; };
    definition.layout = [](const Config& config, const SpoilParameters&) {
      return CudaLayout{.grid = {64}, .block = {static_cast<unsigned>(config.threads)}};
    };
    return new Kernel(
        "cuda_spoil_if_failed", {{"THREADS", &Config::threads, {Config{}.threads}}},
        [](const SpoilParameters&) { return single_problem(); }, definition);
  }();
  return *kernel;
}

}  // namespace

void spoil_if_failed(const PeerWorkspace::Parts& workspace, CUstream stream, SpoilParameters result) {
  if (workspace.memory.problem().empty()) {
    result.control = workspace.control_of(workspace.communicator->rank());
    CONTEXTUAL_KERNELS_CUDA(kernel().launch_config(0, stream, result));
  }
}

void load_spoil() {
  kernel().load();
}

}  // namespace contextual::kernels::cuda
