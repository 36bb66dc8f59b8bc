// What takes the place of peer_nccl.cpp in a build without NCCL's header.

#include "kernels/cuda/peers/peer_nccl.hpp"

#include <contextual/error.hpp>

namespace contextual::kernels::cuda {

struct PeerNccl::Handle {};

namespace {

constexpr const char* missing = "this build of contextual has no NCCL part (CONTEXTUAL_ENABLE_NCCL)";

}  // namespace

PeerNccl::PeerNccl(Communicator& /*communicator*/, std::chrono::nanoseconds /*deadline*/)
    : problem_(missing) {}

PeerNccl::~PeerNccl() = default;

void PeerNccl::abort() noexcept {}
void PeerNccl::restore(Communicator& /*communicator*/, std::chrono::nanoseconds /*deadline*/) {}

void PeerNccl::all_gather(CUstream /*stream*/, const void* /*own_rows*/, std::byte* /*gathered*/,
                          const RowPartition& /*partition*/, std::size_t /*row_bytes*/) {
  throw CommunicationError(missing, {});
}

void PeerNccl::reduce_scatter(CUstream /*stream*/, const void* /*partial*/, void* /*output*/,
                              std::size_t /*count*/, bool /*fp16*/) {
  throw CommunicationError(missing, {});
}

void PeerNccl::all_reduce(CUstream /*stream*/, const void* /*partial*/, void* /*output*/,
                          std::size_t /*count*/, bool /*fp16*/) {
  throw CommunicationError(missing, {});
}

}  // namespace contextual::kernels::cuda
