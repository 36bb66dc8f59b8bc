#include "kernels/cuda/peers/peer_kernels.hpp"

#include "kernels/cuda/cuda_check.hpp"

#include <contextual/cuda.hpp>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* handshake_source =
#include "embedded/peer_handshake.cu.inc"
    ;
constexpr const char* fetch_source =
#include "embedded/peer_fetch.cu.inc"
    ;
constexpr const char* control_header =
#include "embedded/peer_control.hpp.inc"
    ;
constexpr const char* wait_header =
#include "embedded/peer_wait.cuh.inc"
    ;
constexpr const char* words_header =
#include "embedded/peer_words.cuh.inc"
    ;

/// There is nothing to choose: these kernels are launched without the tuner.
struct FixedConfig {
  int threads = 512;
};

template <typename Parameters>
using FixedKernel = CudaKernel<FixedConfig, Parameters, int>;

/// A kernel of one struct of parameters; the second argument is the number of blocks.
template <typename Parameters>
FixedKernel<Parameters>* make_kernel(const char* function, const char* file, const char* source) {
  typename FixedKernel<Parameters>::Definition definition;
  definition.source = with_peer_headers(CudaSource::text(file, source));
  definition.variant = [function](const FixedConfig&) { return CudaVariant{.function = function}; };
  definition.layout = [](const FixedConfig& config, const Parameters&, const int& blocks) {
    return CudaLayout{.grid = {static_cast<unsigned>(blocks)},
                      .block = {static_cast<unsigned>(config.threads)}};
  };
  definition.parameters = [](CudaParameters& parameters, const FixedConfig&, const Parameters& all,
                             const int&) { parameters.add(all); };
  return new FixedKernel<Parameters>(
      std::string("cuda_") + function, {{"THREADS", &FixedConfig::threads, {FixedConfig{}.threads}}},
      [](const Parameters&, const int&) { return single_problem(); }, definition);
}

// Never destroyed: they may be launched while the process exits.

FixedKernel<PeerBegin>& begin_kernel() {
  static auto* const kernel = make_kernel<PeerBegin>("peer_begin", "peer_handshake.cu", handshake_source);
  return *kernel;
}
FixedKernel<PeerEnd>& end_kernel() {
  static auto* const kernel = make_kernel<PeerEnd>("peer_end", "peer_handshake.cu", handshake_source);
  return *kernel;
}
FixedKernel<PeerFetch>& fetch_kernel() {
  static auto* const kernel = make_kernel<PeerFetch>("peer_fetch", "peer_fetch.cu", fetch_source);
  return *kernel;
}

}  // namespace

CudaSource with_peer_headers(CudaSource source) {
  return std::move(source)
      .header("peer_control.hpp", control_header)
      .header("peer_wait.cuh", wait_header)
      .header("peer_words.cuh", words_header);
}

void load_peer_kernels() {
  begin_kernel().load();
  end_kernel().load();
  fetch_kernel().load();
}

void launch_peer_begin(CUstream stream, const PeerBegin& begin) {
  CONTEXTUAL_KERNELS_CUDA(begin_kernel().launch_config(0, stream, begin, 1));
}

void launch_peer_end(CUstream stream, const PeerEnd& end) {
  CONTEXTUAL_KERNELS_CUDA(end_kernel().launch_config(0, stream, end, 1));
}

void launch_peer_fetch(CUstream stream, const PeerFetch& fetch, int blocks) {
  CONTEXTUAL_KERNELS_CUDA(fetch_kernel().launch_config(0, stream, fetch, blocks));
}

}  // namespace contextual::kernels::cuda
