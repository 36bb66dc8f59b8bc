#include "kernels/cuda/peers/workspace_parts.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/failure_text.hpp"
#include "kernels/cuda/peers/peer_delay.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/deadline.hpp>
#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr std::size_t control_bytes = 4096;  // what follows is aligned to it
static_assert(sizeof(PeerControl) <= control_bytes);

// Of the smallest tile.
constexpr int tile_rows = 64;
constexpr int tile_columns = 128;

/// Throws InvalidArgument on all ranks.
void check_equal(Communicator& communicator, std::size_t bytes, const PeerWorkspaceOptions& options) {
  const auto size = static_cast<std::int64_t>(bytes);
  const std::int64_t equal_bits = options.equal_bits ? 1 : 0;
  std::array<std::int64_t, 4> most{size, -size, equal_bits, -equal_bits};
  communicator.all_reduce_max(most, Deadline::after(options.setup_deadline));
  if (most[0] != -most[1]) {
    throw InvalidArgument("a peer workspace must have one size on all ranks, not " +
                          std::to_string(-most[1]) + " and " + std::to_string(most[0]) + " bytes");
  }
  if (most[2] != -most[3]) {
    throw InvalidArgument("PeerWorkspaceOptions::equal_bits must be equal on all ranks");
  }
}

std::shared_ptr<Communicator> checked(std::shared_ptr<Communicator> communicator, std::size_t bytes,
                                      const PeerWorkspaceOptions& options) {
  if (communicator == nullptr) {
    throw InvalidArgument("a peer workspace needs a communicator");
  }
  if (communicator->size() > PeerControl::most_ranks) {
    throw InvalidArgument("a peer workspace is for at most " + std::to_string(PeerControl::most_ranks) +
                          " ranks of one node, not " + std::to_string(communicator->size()));
  }
  // A kernel that spins longer looks like a hung device.
  if (options.wait_budget <= std::chrono::nanoseconds(0) || options.wait_budget > std::chrono::seconds(20)) {
    throw InvalidArgument("PeerWorkspaceOptions::wait_budget must be positive and at most 20 s");
  }
  const auto& [straggler, delay] = options.straggler;
  if (straggler < -1 || straggler >= communicator->size() || delay < std::chrono::nanoseconds(0) ||
      delay > std::chrono::seconds(20)) {
    throw InvalidArgument("a straggler is a rank or -1, and its delay from 0 to 20 s");
  }
  check_equal(*communicator, bytes, options);
  return communicator;
}

/// The calling thread is in a region that is being tuned.
bool is_tuned() noexcept {
  return detail::thread_state().log != nullptr;
}

}  // namespace

HostWords::HostWords() {
  void* words = nullptr;
  CONTEXTUAL_KERNELS_CUDA(
      cudaHostAlloc(&words, 2 * sizeof(unsigned), cudaHostAllocMapped | cudaHostAllocPortable));
  words_ = static_cast<unsigned*>(words);
  words_[0] = 0;
  words_[1] = 0;
}

HostWords::~HostWords() {
  cudaFreeHost(words_);
}

PeerWorkspace::Parts::Parts(std::shared_ptr<Communicator> its_communicator, std::size_t bytes,
                            const PeerWorkspaceOptions& its_options)
    : communicator(checked(std::move(its_communicator), bytes, its_options)),
      matrix_bytes(bytes),
      options(its_options),
      memory(communicator, control_bytes + flag_bytes(bytes) + bytes, its_options.setup_deadline),
      abort_word(host.abort()),
      nccl(*communicator, its_options.setup_deadline) {
  if (options.straggler.rank == communicator->rank()) {
    load_delay();
  }
}

PeerControl* PeerWorkspace::Parts::control_of(int rank) const noexcept {
  return reinterpret_cast<PeerControl*>(memory.of(rank));
}

std::byte* PeerWorkspace::Parts::matrices_of(int rank) const noexcept {
  return memory.of(rank) + control_bytes + flag_bytes(matrix_bytes);
}

std::byte* PeerWorkspace::Parts::row_of(int rank, int row, int columns) const noexcept {
  constexpr std::size_t value_bytes = 2;
  return matrices_of(rank) + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) * value_bytes;
}

TileFlag* PeerWorkspace::Parts::flags_of(int rank) const noexcept {
  return reinterpret_cast<TileFlag*>(memory.of(rank) + control_bytes);
}

int PeerWorkspace::Parts::flags_per_source(int rows, int n) noexcept {
  return ((rows + tile_rows - 1) / tile_rows) * ((n + tile_columns - 1) / tile_columns);
}

/// Room for the flags of all shapes of which the slots fit into `bytes`. A source, or a split of one, has one
/// flag more in either direction than its rows and columns have whole tiles, and a slot at least 8 columns of
/// 2 bytes. Of units of rows a source has one more than there are times 8 rows at an owner, and behind the
/// slots there is as much again, so 8 rows of a unit take at least 256 bytes.
std::size_t PeerWorkspace::Parts::flag_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t rows = tile_rows;
  constexpr std::size_t columns = tile_columns;
  constexpr std::size_t least = std::size_t{16} * PeerControl::most_ranks;
  const std::size_t flags =
      bytes / (2 * rows * columns) + bytes / (16 * rows) + bytes / (2 * columns) + least;
  return (flags * sizeof(TileFlag) + control_bytes - 1) / control_bytes * control_bytes;
}

PeerBegin PeerWorkspace::Parts::begin() const noexcept {
  PeerBegin begin{};
  begin.rank = communicator->rank();
  begin.ranks = communicator->size();
  for (int rank = 0; rank < begin.ranks; ++rank) {
    begin.control[rank] = control_of(rank);
  }
  begin.host_failed = host.failed();
  begin.host_abort = host.abort();
  begin.wait_budget_ns = static_cast<unsigned long long>(options.wait_budget.count());
  return begin;
}

std::string PeerWorkspace::Parts::failure() const {
  return failure_text(std::atomic_ref(*host.failed()).load(std::memory_order_acquire), options.wait_budget);
}

bool PeerWorkspace::Parts::is_aborted_while_tuned() const noexcept {
  return is_tuned() && std::atomic_ref(*host.abort()).load(std::memory_order_acquire) != 0;
}

void PeerWorkspace::Parts::require_sound() const {
  if (std::atomic_ref(*host.failed()).load(std::memory_order_acquire) == PeerFailure::none) [[likely]] {
    return;
  }
  if (!is_tuned()) {
    throw DeviceError("a call that several ranks compute together has failed: " + failure() +
                      ". Its outputs are worth nothing. Call PeerWorkspace::rearm on all ranks to go on");
  }
}

void PeerWorkspace::Parts::begin_call(CUstream stream) {
  require_sound();
  if (is_tuned()) {
    tuned_region = detail::thread_state().region;
  }
  if (options.straggler.rank == communicator->rank()) {
    delay_stream(stream, options.straggler.delay, host.abort());
  }
}

bool PeerWorkspace::Parts::is_used() const noexcept {
  return tuned_region != 0 && tuned_region == detail::thread_state().region;
}

void PeerWorkspace::Parts::require_room(const char* object, std::size_t needed) const {
  if (needed > matrix_bytes) {
    throw InvalidArgument(std::string(object) + ": the workspace has " + std::to_string(matrix_bytes) +
                          " bytes, the shape needs " + std::to_string(needed));
  }
  if (!memory.problem().empty() && !nccl.problem().empty()) {
    throw InvalidArgument(std::string(object) + ": the ranks cannot use each other's memory: " +
                          memory.problem() + "; nor NCCL: " + nccl.problem());
  }
}

void PeerWorkspace::Parts::require_outside(const char* who, const void* pointer) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(matrices_of(communicator->rank()));
  if (reinterpret_cast<std::uintptr_t>(pointer) - begin < matrix_bytes) {
    throw InvalidArgument(
        std::string(who) +
        ": operands and results must lie outside the workspace, but for own rows in input(m)");
  }
}

/// What waits in a kernel of NCCL writes to no word, so the host does.
void PeerWorkspace::Parts::abort() noexcept {
  std::atomic_ref(*host.abort()).store(1, std::memory_order_release);
  unsigned none = PeerFailure::none;
  std::atomic_ref(*host.failed())
      .compare_exchange_strong(none, PeerFailure::aborted, std::memory_order_acq_rel);
  nccl.abort();
}

/// All ranks begin again at an epoch that none of them has used, with all words lowered before anyone goes
/// on.
void PeerWorkspace::Parts::rearm() {
  PeerControl* const own = control_of(communicator->rank());
  PeerControl control{};
  CONTEXTUAL_KERNELS_CUDA(cudaMemcpy(&control, own, sizeof(control), cudaMemcpyDeviceToHost));
  std::array<std::int64_t, 1> epoch{static_cast<std::int64_t>(control.epoch)};
  communicator->all_reduce_max(epoch, Deadline::after(options.setup_deadline));
  control = {};
  control.epoch = static_cast<unsigned long long>(epoch[0]);
  for (unsigned long long& arrived : control.arrived) {
    arrived = control.epoch;
  }
  for (unsigned long long& fetched : control.fetched) {
    fetched = control.epoch;
  }
  CONTEXTUAL_KERNELS_CUDA(cudaMemcpy(own, &control, sizeof(control), cudaMemcpyHostToDevice));
  CONTEXTUAL_KERNELS_CUDA(cudaDeviceSynchronize());
  // Before NCCL: an abort that comes meanwhile stays.
  std::atomic_ref(*host.failed()).store(PeerFailure::none);
  std::atomic_ref(*host.abort()).store(0);
  nccl.restore(*communicator, options.setup_deadline);
  communicator->all_reduce_max(epoch, Deadline::after(options.setup_deadline));
}

}  // namespace contextual::kernels::cuda
