#pragma once

/// \file
/// The parts of a PeerWorkspace, for the objects that use it.

#include "kernels/cuda/peers/copy_lane.hpp"
#include "kernels/cuda/peers/peer_control.hpp"
#include "kernels/cuda/peers/peer_memory.hpp"
#include "kernels/cuda/peers/peer_nccl.hpp"

#include <contextual/abort_word.hpp>
#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/registered_checks.hpp>

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace contextual::kernels::cuda {

/// Two words that the host and the device share: pinned memory of the host.
class HostWords {
 public:
  HostWords();  ///< both are 0; throws CudaError
  HostWords(const HostWords&) = delete;
  HostWords& operator=(const HostWords&) = delete;
  ~HostWords();

  unsigned* failed() const noexcept { return words_; }
  unsigned* abort() const noexcept { return words_ + 1; }

 private:
  unsigned* words_ = nullptr;
};

/// Names of tunable kernels that wait for other ranks.
inline constexpr const char* gathered_gemm_name = "cuda_allgather_gemm";
inline constexpr const char* copied_gemm_name = "cuda_allgather_copied_gemm";
inline constexpr const char* gathered_fp8_name = "cuda_allgather_fp8_gemm";
inline constexpr const char* gathered_fp8_blocks_name = "cuda_allgather_fp8_gemm_blocks";
inline constexpr const char* gathered_gated_name = "cuda_allgather_gated_mlp";
inline constexpr const char* gathered_moe_name = "cuda_allgather_moe";
inline constexpr const char* gathered_gated_moe_name = "cuda_allgather_gated_moe";
inline constexpr const char* scattered_gemm_name = "cuda_gemm_reduce_scatter";
inline constexpr const char* split_gemm_name = "cuda_gemm_split_reduce_scatter";
inline constexpr const char* scattered_sum_name = "cuda_expert_sum_reduce_scatter";
/// Names of the choices between ways: beside "separate" the gather of a routing may have waited in vain, and
/// in "one_shot" the sum.
inline constexpr const char* allgather_ways_name = "cuda_allgather_ways";
inline constexpr const char* allgather_fp8_ways_name = "cuda_allgather_fp8_ways";
inline constexpr const char* allgather_gated_ways_name = "cuda_allgather_gated_mlp_ways";
inline constexpr const char* allgather_moe_ways_name = "cuda_allgather_moe_ways";
inline constexpr const char* allgather_gated_moe_ways_name = "cuda_allgather_gated_moe_ways";
inline constexpr const char* reduce_scatter_ways_name = "cuda_reduce_scatter_ways";
inline constexpr const char* all_reduce_ways_name = "cuda_all_reduce_ways";
inline constexpr const char* moe_reduce_scatter_ways_name = "cuda_moe_reduce_scatter_ways";
/// All of them, whose batches are asked whether a wait was in vain.
inline constexpr const char* peer_kernel_names[] = {
    gathered_gemm_name,        copied_gemm_name,        gathered_fp8_name,
    gathered_fp8_blocks_name,  gathered_gated_name,     gathered_moe_name,
    gathered_gated_moe_name,   scattered_gemm_name,     split_gemm_name,
    scattered_sum_name,        allgather_ways_name,     allgather_fp8_ways_name,
    allgather_gated_ways_name, allgather_moe_ways_name, allgather_gated_moe_ways_name,
    reduce_scatter_ways_name,  all_reduce_ways_name,    moe_reduce_scatter_ways_name};

struct PeerWorkspace::Parts {
  Parts(std::shared_ptr<Communicator> its_communicator, std::size_t bytes,
        const PeerWorkspaceOptions& its_options);

  PeerControl* control_of(int rank) const noexcept;
  /// Returns where a rank's matrices begin.
  std::byte* matrices_of(int rank) const noexcept;
  /// Returns where a row of a matrix of 16-bit values is that begins there.
  std::byte* row_of(int rank, int row, int columns) const noexcept;
  /// Returns a rank's flags of what comes from other ranks, by source.
  TileFlag* flags_of(int rank) const noexcept;
  /// Returns how many flags a source has there for rows and columns that fit into the workspace.
  static int flags_per_source(int rows, int n) noexcept;
  /// Returns how much memory flags take for matrices of so many bytes.
  static std::size_t flag_bytes(std::size_t bytes) noexcept;
  PeerBegin begin() const noexcept;

  /// The host has ended all waits, and a region is being tuned: what is left of its batch meets nobody.
  bool is_aborted_while_tuned() const noexcept;

  /// Throws DeviceError if a call has failed, unless the calling thread is in a region that is being tuned,
  /// where `verify` finds it.
  void require_sound() const;

  /// What a call does first: throws as `require_sound`, and is late if this rank is the straggler.
  void begin_call(CUstream stream);
  /// Returns true if calls are part of the region of which the calling thread is in a hook: the last one that
  /// was tuned with a call. Replays of a graph count as its calls.
  bool is_used() const noexcept;

  /// Throws InvalidArgument if an object needs more bytes than there are, or if the ranks can use neither
  /// each other's memory nor NCCL.
  void require_room(const char* object, std::size_t needed) const;

  /// Throws InvalidArgument, whose text begins with `who`, if something begins in the matrices that calls
  /// use.
  void require_outside(const char* who, const void* pointer) const;

  std::string failure() const;
  void abort() noexcept;
  void rearm();

  std::shared_ptr<Communicator> communicator;
  std::size_t matrix_bytes;
  PeerWorkspaceOptions options;
  PeerMemory memory;
  HostWords host;
  AbortWord abort_word;  ///< the host's, so that a communicator that gives up ends the waits here
  PeerNccl nccl;
  CopyLane lane;
  std::uint32_t tuned_region = 0;  ///< the last one that was tuned with a call
  std::optional<RegisteredChecks> checks;
};

}  // namespace contextual::kernels::cuda
