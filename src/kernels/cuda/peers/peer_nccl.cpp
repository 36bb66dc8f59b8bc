#include "kernels/cuda/peers/peer_nccl.hpp"

#include "kernels/cuda/cuda_check.hpp"

#include <contextual/deadline.hpp>
#include <contextual/detail/sync/bounded_call.hpp>
#include <contextual/detail/sync/nccl_api.hpp>
#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
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

/// A communicator, and who uses it. It outlives its object in threads that NCCL keeps.
struct PeerNccl::Handle {
  Handle(int its_rank, int its_ranks) : rank(its_rank), ranks(its_ranks) {
    CONTEXTUAL_KERNELS_CUDA(cudaGetDevice(&device));
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { end(); }

  /// Unlike ncclCommDestroy it waits for no other rank. Calls that are under way get a second to return.
  void end() noexcept {
    for (int pause = 0; users > 0 && pause < 1000; ++pause) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (const ncclComm_t mine = communicator.exchange(nullptr); mine != nullptr) {
      sync::nccl().ncclCommAbort(mine);
    }
  }

  void make(const ncclUniqueId& id);

  std::atomic<ncclComm_t> communicator{nullptr};
  std::atomic<bool> aborted{false};
  std::atomic<int> users{0};
  const int rank;
  const int ranks;
  int device = 0;
};

/// A call of NCCL on the host.
class PeerNccl::Use {
 public:
  /// Throws CommunicationError if it was aborted.
  explicit Use(Handle& handle) : handle_(handle) {
    ++handle_.users;
    if (handle_.aborted) {
      --handle_.users;
      throw CommunicationError(
          "NCCL: the host has ended a collective; PeerWorkspace::rearm makes it ready again", {});
    }
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { --handle_.users; }

  ncclComm_t communicator() const { return handle_.communicator; }

 private:
  Handle& handle_;
};

/// NCCL connects in the first calls: what is called later takes the same rings. Connecting pairs of ranks,
/// for ncclSend, would take two seconds.
void PeerNccl::Handle::make(const ncclUniqueId& id) {
  const Nccl& api = sync::nccl();
  CONTEXTUAL_KERNELS_CUDA(cudaSetDevice(device));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 1;
  ncclComm_t made = nullptr;
  sync::check_nccl(api.ncclCommInitRankConfig(&made, ranks, id, rank, &config), "ncclCommInitRankConfig");
  communicator = made;
  const Use use(*this);
  const auto values = static_cast<std::size_t>(ranks);
  void* words = nullptr;
  CONTEXTUAL_KERNELS_CUDA(cudaMalloc(&words, 2 * values * sizeof(float)));
  const std::unique_ptr<void, cudaError_t (*)(void*)> owned(words, cudaFree);
  void* const results = static_cast<float*>(words) + values;
  CONTEXTUAL_KERNELS_CUDA(cudaMemset(words, 0, 2 * values * sizeof(float)));
  sync::check_nccl(api.ncclAllGather(words, results, 1, ncclChar, made, nullptr), "the first ncclAllGather");
  sync::check_nccl(api.ncclReduceScatter(words, results, 1, ncclBfloat16, ncclSum, made, nullptr),
                   "the first ncclReduceScatter");
  sync::check_nccl(api.ncclAllReduce(words, results, 1, ncclBfloat16, ncclSum, made, nullptr),
                   "the first ncclAllReduce");
  CONTEXTUAL_KERNELS_CUDA(cudaStreamSynchronize(nullptr));
}

PeerNccl::PeerNccl(Communicator& communicator, std::chrono::nanoseconds deadline) {
  problem_ = first_problem(communicator, sync::nccl_problem_of_process(), deadline);
  if (problem_.empty()) {
    problem_ = connect(communicator, deadline);
  }
}

PeerNccl::~PeerNccl() = default;

/// Returns why NCCL cannot be used, the same on all ranks; empty if it can.
std::string PeerNccl::connect(Communicator& communicator, std::chrono::nanoseconds deadline) {
  auto handle = std::make_shared<Handle>(communicator.rank(), communicator.size());
  {
    const std::lock_guard lock(mutex_);
    handle_ = handle;
  }
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
  std::string own;
  Deadline left = Deadline::after(deadline);
  try {
    if (!sync::bounded_call([handle, id] { handle->make(id); }, left)) {
      own = "NCCL did not connect before the deadline";
    }
  } catch (const std::exception& error) {
    own = error.what();
  }
  // A rank that fails at once waits for those that wait for it.
  std::string problem = first_problem(communicator, own, 2 * deadline);
  if (!problem.empty()) {
    abort();  // some rank may wait in a collective
  }
  return problem;
}

void PeerNccl::abort() noexcept {
  std::shared_ptr<Handle> handle;
  {
    const std::lock_guard lock(mutex_);
    handle = handle_;
  }
  if (handle == nullptr || handle->aborted.exchange(true)) {
    return;
  }
  try {
    std::thread([handle] {
      cudaSetDevice(
          handle->device);  // NCCL comes back to the current one, and would make a context on the first GPU
      handle->end();
    }).detach();
  } catch (const std::system_error&) {  // no thread is to be had: the collective goes on waiting
  }
}

void PeerNccl::restore(Communicator& communicator, std::chrono::nanoseconds deadline) {
  if (!problem_.empty()) {
    return;
  }
  std::array<std::int64_t, 1> aborted{handle_->aborted ? 1 : 0};
  communicator.all_reduce_max(aborted, Deadline::after(deadline));
  if (aborted[0] == 0) {
    return;
  }
  abort();
  const std::string problem = connect(communicator, deadline);
  if (!problem.empty()) {
    throw CommunicationError("NCCL cannot be made ready again: " + problem, {});
  }
}

void PeerNccl::all_gather(CUstream stream, const void* own_rows, std::byte* gathered,
                          const RowPartition& partition, std::size_t row_bytes) {
  const Nccl& api = sync::nccl();
  const Use use(*handle_);
  const ncclComm_t communicator = use.communicator();
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
  const Use use(*handle_);
  sync::check_nccl(sync::nccl().ncclReduceScatter(partial, output, count, fp16 ? ncclFloat16 : ncclBfloat16,
                                                  ncclSum, use.communicator(), stream),
                   "ncclReduceScatter");
}

void PeerNccl::all_reduce(CUstream stream, const void* partial, void* output, std::size_t count, bool fp16) {
  const Use use(*handle_);
  sync::check_nccl(sync::nccl().ncclAllReduce(partial, output, count, fp16 ? ncclFloat16 : ncclBfloat16,
                                              ncclSum, use.communicator(), stream),
                   "ncclAllReduce");
}

}  // namespace contextual::kernels::cuda
