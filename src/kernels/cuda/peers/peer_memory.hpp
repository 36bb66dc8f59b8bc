#pragma once

/// \file
/// Device memory that all ranks of a node can read and write, by CUDA IPC.

#include <contextual/communicator.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace contextual::kernels::cuda {

/// One allocation of equal size on each rank's current device, zeroed. A rank is a process.
///
/// If a rank cannot open another's memory, because the processes are on different nodes or in different
/// containers, or the devices have no access to each other, `problem` says so on all ranks, and each rank has
/// its own memory only.
class PeerMemory {
 public:
  /// Collective; throws CommunicationError when the deadline of one of its two exchanges expires, and
  /// CudaError, on the rank where it happened, if there is no memory; the others then have a problem.
  PeerMemory(std::shared_ptr<Communicator> communicator, std::size_t bytes,
             std::chrono::nanoseconds deadline);
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  /// Collective: frees the memory when no rank has it open any more. If the others do not come to that within
  /// the deadline, the memory stays allocated until the process ends.
  ~PeerMemory();

  const std::string& problem() const noexcept { return problem_; }
  /// Copies between ranks run beside kernels: each rank has a device of its own, and none waits for its
  /// launches, as with CUDA_LAUNCH_BLOCKING. Equal on all ranks.
  bool copies_overlap() const noexcept { return copies_overlap_; }
  /// Null for another rank if there is a problem.
  std::byte* of(int rank) const noexcept { return memory_[static_cast<std::size_t>(rank)]; }
  std::byte* own() const noexcept { return of(communicator_->rank()); }

 private:
  std::string share();
  std::string open_all(const std::vector<std::string>& offers);
  void close_all() noexcept;

  std::shared_ptr<Communicator> communicator_;
  std::size_t bytes_;
  std::chrono::nanoseconds deadline_;
  int device_ = 0;
  bool copies_overlap_ = true;
  std::vector<std::byte*> memory_;  ///< by rank
  std::string problem_;
};

}  // namespace contextual::kernels::cuda
