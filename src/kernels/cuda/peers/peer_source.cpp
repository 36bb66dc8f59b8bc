#include "kernels/cuda/peers/peer_source.hpp"

#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* calls_header =
#include "embedded/peer_calls.cuh.inc"
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
constexpr const char* tickets_header =
#include "embedded/gemm_tickets.cuh.inc"
    ;

}  // namespace

CudaSource with_peer_headers(CudaSource source) {
  return std::move(source)
      .header("gemm_tickets.cuh", tickets_header)
      .header("peer_calls.cuh", calls_header)
      .header("peer_control.hpp", control_header)
      .header("peer_wait.cuh", wait_header)
      .header("peer_words.cuh", words_header);
}

}  // namespace contextual::kernels::cuda
