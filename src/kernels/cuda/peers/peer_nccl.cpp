#include "kernels/cuda/peers/peer_nccl.hpp"

#include "kernels/cuda/cuda_check.hpp"

#include <contextual/deadline.hpp>
#include <contextual/detail/sync/nccl_api.hpp>
#include <contextual/detail/sync/pause.hpp>
#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

#include <cstring>
#include <string_view>
#include <vector>

namespace contextual::kernels::cuda {
namespace {

using sync::Nccl;

/// Until the communicator is ready for the next call. Throws CommunicationError with NCCL's words, or when
/// the time is up.
void wait_until_ready(ncclComm_t communicator, ncclResult_t state, const char* call, Deadline& deadline) {
  for (detail::Pause pause; state == ncclInProgress; pause()) {
    if (deadline.expired()) {
      throw CommunicationError("NCCL: " + std::string(call) + " did not end before the deadline", {});
    }
    sync::check_nccl(sync::nccl().ncclCommGetAsyncError(communicator, &state), "ncclCommGetAsyncError");
  }
  sync::check_nccl(state, call);
}

/// Until the default stream is idle. Throws CommunicationError when the time is up: another rank has not
/// come.
void wait_for_device(Deadline& deadline) {
  cudaError_t state = cudaStreamQuery(nullptr);
  for (detail::Pause pause; state == cudaErrorNotReady; pause()) {
    if (deadline.expired()) {
      throw CommunicationError("NCCL: the first collective did not end before the deadline", {});
    }
    state = cudaStreamQuery(nullptr);
  }
  CONTEXTUAL_KERNELS_CUDA(state);
}

/// Of calls that only enqueue work.
Deadline enqueue_deadline() {
  return Deadline::after(std::chrono::seconds(20));
}

std::string first_problem(Communicator& communicator, const std::string& own,
                          std::chrono::nanoseconds deadline) {
  int rank = 0;
  for (const std::string& problem : communicator.all_gather(own, Deadline::after(deadline))) {
    if (!problem.empty()) {
      return "rank " + std::to_string(rank) + ": " + problem;
    }
    ++rank;
  }
  return {};
}

}  // namespace

struct PeerNccl::Handle {
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (communicator != nullptr) {
      sync::nccl().ncclCommAbort(communicator);  // unlike ncclCommDestroy it waits for no other rank
    }
  }

  ncclComm_t communicator = nullptr;
  int rank = 0;
  int ranks = 1;
};

PeerNccl::PeerNccl(Communicator& communicator, std::chrono::nanoseconds deadline)
    : handle_(std::make_unique<Handle>()) {
  problem_ = first_problem(communicator, sync::nccl_problem_of_process(), deadline);
  if (problem_.empty()) {
    problem_ = first_problem(communicator, connect(communicator, deadline), deadline);
  }
}

PeerNccl::~PeerNccl() = default;

/// Returns why NCCL cannot be used on this rank; empty if it can. NCCL connects in the first collective.
std::string PeerNccl::connect(Communicator& communicator, std::chrono::nanoseconds deadline) {
  const Nccl& api = sync::nccl();
  handle_->rank = communicator.rank();
  handle_->ranks = communicator.size();
  ncclUniqueId id{};
  std::string offer;
  if (handle_->rank == 0 && api.ncclGetUniqueId(&id) == ncclSuccess) {
    offer.assign(reinterpret_cast<const char*>(&id), sizeof(id));
  }
  const std::vector<std::string> offers = communicator.all_gather(offer, Deadline::after(deadline));
  if (offers[0].size() != sizeof(id)) {
    return "NCCL has made no id";
  }
  std::memcpy(&id, offers[0].data(), sizeof(id));
  Deadline left = Deadline::after(deadline);
  try {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    const ncclResult_t begun =
        api.ncclCommInitRankConfig(&handle_->communicator, handle_->ranks, id, handle_->rank, &config);
    wait_until_ready(handle_->communicator, begun, "ncclCommInitRankConfig", left);
    void* word = nullptr;
    CONTEXTUAL_KERNELS_CUDA(cudaMalloc(&word, sizeof(int)));
    wait_until_ready(handle_->communicator,
                     api.ncclAllReduce(word, word, 1, ncclInt32, ncclMax, handle_->communicator, nullptr),
                     "the first ncclAllReduce", left);
    wait_for_device(left);
    cudaFree(word);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void PeerNccl::all_gather(CUstream stream, const void* own_rows, std::byte* gathered,
                          const RowPartition& partition, std::size_t row_bytes) {
  const Nccl& api = sync::nccl();
  const ncclComm_t communicator = handle_->communicator;
  Deadline deadline = enqueue_deadline();
  const auto bytes_of = [&](int rank) {
    return static_cast<std::size_t>(partition.shard(rank).count()) * row_bytes;
  };
  if (partition.m() == partition.rows_per_shard() * handle_->ranks) {
    wait_until_ready(
        communicator,
        api.ncclAllGather(own_rows, gathered, bytes_of(handle_->rank), ncclChar, communicator, stream),
        "ncclAllGather", deadline);
    return;
  }
  // ncclAllGather knows shards of one size only.
  sync::check_nccl(api.ncclGroupStart(), "ncclGroupStart");
  for (int rank = 0; rank < handle_->ranks; ++rank) {
    const bool in_place =
        rank == handle_->rank &&
        own_rows == gathered + static_cast<std::size_t>(partition.shard(rank).begin) * row_bytes;
    if (in_place) {
      continue;
    }
    if (bytes_of(handle_->rank) > 0) {
      static_cast<void>(
          api.ncclSend(own_rows, bytes_of(handle_->rank), ncclChar, rank, communicator, stream));
    }
    if (bytes_of(rank) > 0) {
      std::byte* const rows = gathered + static_cast<std::size_t>(partition.shard(rank).begin) * row_bytes;
      static_cast<void>(api.ncclRecv(rows, bytes_of(rank), ncclChar, rank, communicator, stream));
    }
  }
  // An error of the calls in between comes out here.
  wait_until_ready(communicator, api.ncclGroupEnd(), "ncclGroupEnd", deadline);
}

void PeerNccl::reduce_scatter(CUstream stream, const void* partial, void* output, std::size_t count,
                              bool fp16) {
  Deadline deadline = enqueue_deadline();
  wait_until_ready(handle_->communicator,
                   sync::nccl().ncclReduceScatter(partial, output, count, fp16 ? ncclFloat16 : ncclBfloat16,
                                                  ncclSum, handle_->communicator, stream),
                   "ncclReduceScatter", deadline);
}

}  // namespace contextual::kernels::cuda
