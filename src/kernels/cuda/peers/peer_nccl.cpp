#include "kernels/cuda/peers/peer_nccl.hpp"

#include "kernels/cuda/cuda_check.hpp"

#include <contextual/deadline.hpp>
#include <contextual/detail/sync/bounded_call.hpp>
#include <contextual/detail/sync/nccl_api.hpp>
#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace contextual::kernels::cuda {
namespace {

using sync::Nccl;

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
  Handle(int its_rank, int its_ranks) : rank(its_rank), ranks(its_ranks) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { abort(); }

  /// Unlike ncclCommDestroy it waits for no other rank.
  void abort() noexcept {
    if (const ncclComm_t mine = communicator.exchange(nullptr); mine != nullptr) {
      sync::nccl().ncclCommAbort(mine);
    }
  }
  /// Throws CommunicationError once it was aborted.
  ncclComm_t get() const {
    const ncclComm_t mine = communicator.load();
    if (mine == nullptr) {
      throw CommunicationError(
          "NCCL: the host has ended a collective; PeerWorkspace::rearm makes it ready again", {});
    }
    return mine;
  }
  /// NCCL connects in the first calls. What is called later takes the same rings: connecting pairs of ranks,
  /// for ncclSend, would take two seconds.
  void make(const ncclUniqueId& id, int device) {
    const Nccl& api = sync::nccl();
    CONTEXTUAL_KERNELS_CUDA(cudaSetDevice(device));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    ncclComm_t made = nullptr;
    sync::check_nccl(api.ncclCommInitRankConfig(&made, ranks, id, rank, &config), "ncclCommInitRankConfig");
    communicator = made;
    const std::size_t values = static_cast<std::size_t>(ranks);
    void* words = nullptr;
    cudaStream_t stream = nullptr;
    CONTEXTUAL_KERNELS_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CONTEXTUAL_KERNELS_CUDA(cudaMalloc(&words, values * sizeof(float)));
    CONTEXTUAL_KERNELS_CUDA(cudaMemset(words, 0, values * sizeof(float)));
    sync::check_nccl(api.ncclAllGather(words, words, 1, ncclChar, made, stream), "the first ncclAllGather");
    sync::check_nccl(api.ncclReduceScatter(words, words, 1, ncclBfloat16, ncclSum, made, stream),
                     "the first ncclReduceScatter");
    CONTEXTUAL_KERNELS_CUDA(cudaStreamSynchronize(stream));
    CONTEXTUAL_KERNELS_CUDA(cudaFree(words));
    CONTEXTUAL_KERNELS_CUDA(cudaStreamDestroy(stream));
  }

  std::atomic<ncclComm_t> communicator{nullptr};
  const int rank;
  const int ranks;
};

PeerNccl::PeerNccl(Communicator& communicator, std::chrono::nanoseconds deadline) {
  problem_ = first_problem(communicator, sync::nccl_problem_of_process(), deadline);
  if (problem_.empty()) {
    problem_ = first_problem(communicator, connect(communicator, deadline), deadline);
  }
}

PeerNccl::~PeerNccl() = default;

/// Returns why NCCL cannot be used on this rank; empty if it can.
std::string PeerNccl::connect(Communicator& communicator, std::chrono::nanoseconds deadline) {
  handle_ = std::make_shared<Handle>(communicator.rank(), communicator.size());
  ncclUniqueId id{};
  std::string offer;
  if (communicator.rank() == 0 && sync::nccl().ncclGetUniqueId(&id) == ncclSuccess) {
    offer.assign(reinterpret_cast<const char*>(&id), sizeof(id));
  }
  const std::vector<std::string> offers = communicator.all_gather(offer, Deadline::after(deadline));
  if (offers[0].size() != sizeof(id)) {
    return "NCCL has made no id";
  }
  std::memcpy(&id, offers[0].data(), sizeof(id));
  int device = 0;
  CONTEXTUAL_KERNELS_CUDA(cudaGetDevice(&device));
  Deadline left = Deadline::after(deadline);
  try {
    if (!sync::bounded_call([handle = handle_, id, device] { handle->make(id, device); }, left)) {
      return "NCCL did not connect before the deadline";
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

void PeerNccl::abort() noexcept {
  if (!problem_.empty()) {
    return;
  }
  try {
    std::thread([handle = handle_] { handle->abort(); }).detach();
  } catch (const std::system_error&) {  // no thread is to be had: the collective goes on waiting
  }
}

void PeerNccl::restore(Communicator& communicator, std::chrono::nanoseconds deadline) {
  if (!problem_.empty()) {
    return;
  }
  std::array<std::int64_t, 1> aborted{handle_->communicator.load() == nullptr ? 1 : 0};
  communicator.all_reduce_max(aborted, Deadline::after(deadline));
  if (aborted[0] == 0) {
    return;
  }
  handle_->abort();
  const std::string problem = first_problem(communicator, connect(communicator, deadline), deadline);
  if (!problem.empty()) {
    throw CommunicationError("NCCL cannot be made ready again: " + problem, {});
  }
}

void PeerNccl::all_gather(CUstream stream, const void* own_rows, std::byte* gathered,
                          const RowPartition& partition, std::size_t row_bytes) {
  const Nccl& api = sync::nccl();
  const ncclComm_t communicator = handle_->get();
  const auto bytes_of = [&](int rank) {
    return static_cast<std::size_t>(partition.shard(rank).count()) * row_bytes;
  };
  if (partition.m() == partition.rows_per_shard() * handle_->ranks) {
    sync::check_nccl(
        api.ncclAllGather(own_rows, gathered, bytes_of(handle_->rank), ncclChar, communicator, stream),
        "ncclAllGather");
    return;
  }
  // ncclAllGather knows shards of one size only.
  sync::check_nccl(api.ncclGroupStart(), "ncclGroupStart");
  for (int rank = 0; rank < handle_->ranks; ++rank) {
    if (bytes_of(rank) > 0) {
      std::byte* const rows = gathered + static_cast<std::size_t>(partition.shard(rank).begin) * row_bytes;
      static_cast<void>(
          api.ncclBroadcast(own_rows, rows, bytes_of(rank), ncclChar, rank, communicator, stream));
    }
  }
  // An error of the calls in between comes out here.
  sync::check_nccl(api.ncclGroupEnd(), "ncclGroupEnd");
}

void PeerNccl::reduce_scatter(CUstream stream, const void* partial, void* output, std::size_t count,
                              bool fp16) {
  sync::check_nccl(sync::nccl().ncclReduceScatter(partial, output, count, fp16 ? ncclFloat16 : ncclBfloat16,
                                                  ncclSum, handle_->get(), stream),
                   "ncclReduceScatter");
}

}  // namespace contextual::kernels::cuda
