#pragma once

/// \file
/// NCCL between the ranks of a workspace: the data's way where nothing better is possible, and what
/// everything is compared with.

#include <contextual/communicator.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cuda.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

namespace contextual::kernels::cuda {

/// A communicator of its own, which is made and connected by the constructor. One thread uses it; any may
/// abort it.
///
/// It blocks: NCCL starts a thread for each collective of one that does not. So it is made on a thread that
/// is left alone if the time is up, and its first collectives, in which NCCL connects, run there too.
class PeerNccl {
 public:
  /// Collective. If a rank has no NCCL, or NCCL fails on one, `problem` says so on all ranks. Throws
  /// CommunicationError if a rank does not come.
  PeerNccl(Communicator& communicator, std::chrono::nanoseconds deadline);
  PeerNccl(const PeerNccl&) = delete;
  PeerNccl& operator=(const PeerNccl&) = delete;
  ~PeerNccl();  ///< waits for no other rank

  const std::string& problem() const noexcept { return problem_; }

  /// Ends the collectives that this rank waits in, whose outputs are then worth nothing. Does not wait: NCCL
  /// does it on a thread of its own. Every later call throws CommunicationError, until `restore`.
  void abort() noexcept;

  /// Collective: makes a new communicator if that of any rank was aborted. All work on the device that uses
  /// it must be done. Throws CommunicationError if a rank does not come, or NCCL fails on one.
  void restore(Communicator& communicator, std::chrono::nanoseconds deadline);

  /// Brings the rows of all ranks to `gathered`, of which this rank's may be `own_rows` themselves. In stream
  /// order. Throws CommunicationError with NCCL's words.
  void all_gather(CUstream stream, const void* own_rows, std::byte* gathered, const RowPartition& partition,
                  std::size_t row_bytes);

  /// Sums 16-bit values of all ranks: part r of `partial`, of `count` values, goes to `output` of rank r.
  void reduce_scatter(CUstream stream, const void* partial, void* output, std::size_t count, bool fp16);

  /// Sums `count` 16-bit values of all ranks, to all ranks.
  void all_reduce(CUstream stream, const void* partial, void* output, std::size_t count, bool fp16);

 private:
  struct Handle;
  class Use;

  std::string connect(Communicator& communicator, std::chrono::nanoseconds deadline);

  std::mutex mutex_;  ///< of `handle_`, since any thread may abort
  std::shared_ptr<Handle> handle_;
  std::string problem_;
};

}  // namespace contextual::kernels::cuda
