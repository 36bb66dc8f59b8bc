#include "kernels/cuda/peers/peer_spoil.hpp"

#include "kernels/cuda/peers/peer_source.hpp"
#include "kernels/cuda/untuned_kernel.hpp"

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/peer_spoil.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/spoil_parameters.hpp.inc"
    ;

UntunedKernel<SpoilParameters>& kernel() {
  static auto* const kernel =
      new UntunedKernel<SpoilParameters>("spoil_if_failed",
                                         with_peer_headers(CudaSource::text("peer_spoil.cu", source))
                                             .header("spoil_parameters.hpp", parameters_header),
                                         256, [](const SpoilParameters&) { return 64; });
  return *kernel;
}

}  // namespace

void spoil_if_failed(const PeerWorkspace::Parts& workspace, CUstream stream, SpoilParameters result) {
  if (workspace.memory.problem().empty()) {
    result.control = workspace.control_of(workspace.communicator->rank());
    kernel().launch(stream, result);
  }
}

void load_spoil() {
  kernel().load();
}

}  // namespace contextual::kernels::cuda
