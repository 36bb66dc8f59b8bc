#pragma once

/// \file
/// What the ranks of a node share for regions that are spread over their GPUs.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace contextual::kernels::cuda {

/// A rank that comes late to every call, to see what a region does beside it.
struct Straggler {
  int rank = -1;  ///< -1: none
  /// How long its device spins before each call, in stream order; at most 20 s.
  std::chrono::nanoseconds delay{};
};

struct PeerWorkspaceOptions {
  /// How long the construction and the destruction wait for the other ranks.
  std::chrono::nanoseconds setup_deadline{std::chrono::seconds(60)};
  /// How long a call may take on its device from where it first waits for the other ranks, to come to the
  /// same call or for rows of theirs: longer than the longest call takes. At most 20 s.
  std::chrono::nanoseconds wait_budget{std::chrono::seconds(10)};
  /// Bitwise reproducible results: keeps the objects to assignments that all give the same bits, whatever is
  /// chosen: "separate" and "one_shot" are no candidates, because NCCL and cuBLASLt add in orders of their
  /// own, which depend on what they choose, nor are splits of k. Where "separate" is the only way, cuBLASLt's
  /// first algorithm is used, untuned. Must be equal on all ranks.
  bool equal_bits = false;
  /// For tests and measurements of all objects of the workspace, also while they are tuned.
  Straggler straggler{};
};

/// Device memory that the ranks of a node copy to and from each other, and the words by which they tell each
/// other how far they are. A rank is a process with a GPU; there are 2 to 8, and several may share a GPU.
///
/// Many objects, such as the layers of a model, use one workspace, one after another: the order of their
/// calls in their streams must be the same on all ranks, and each call must follow the previous one in stream
/// order. One thread at a time uses a workspace and its objects.
///
/// A call that waits for other ranks beyond `wait_budget` fails: its output is filled with NaN, and so are
/// those of the other ranks that wait for it. A rank whose call has failed throws at its next call, until
/// `rearm`. A rank that needed nothing any more learns of it in its next call, which fails too. Replays of a
/// graph do not throw; their results are NaN. While a region that uses the workspace is being tuned, and
/// unless its `run` throws, a failure only rejects the assignment of configs that was tried.
class CONTEXTUAL_API PeerWorkspace {
 public:
  /// Collective. Takes memory on the current device: `bytes` for matrices, the largest that one of its
  /// objects needs, and a twenty-fifth of it for flags. Throws CommunicationError if a rank does not come,
  /// InvalidArgument for no communicator, for a budget that is not positive, or one or a straggler's delay of
  /// more than 20 s, for more than 8 ranks, and if `bytes` or `equal_bits` differ between ranks, and
  /// CudaError.
  PeerWorkspace(std::shared_ptr<Communicator> communicator, std::size_t bytes,
                const PeerWorkspaceOptions& options = {});
  PeerWorkspace(const PeerWorkspace&) = delete;
  PeerWorkspace& operator=(const PeerWorkspace&) = delete;
  /// Collective, also after an error: waits for the other ranks until the deadline, and then leaves the
  /// memory to the process. The objects and the graphs that use it must be gone, and their work on the device
  /// be done.
  ~PeerWorkspace();

  int rank() const noexcept;
  int ranks() const noexcept;
  std::size_t bytes() const noexcept;  ///< for matrices

  /// Returns why the ranks cannot use each other's memory, e.g. in containers; empty if they can. Equal on
  /// all ranks.
  const std::string& problem() const noexcept;

  /// Returns why a call on this rank has failed, e.g. "rank 1 did not come to the call within 10 s
  /// of the call's first wait"; empty if none has.
  /// Does not wait: says what the device has told so far. Cost: one read of the host's memory.
  std::string failure() const;

  /// Ends all waits of this rank's calls, which then fail, and makes the next call throw. Does not wait.
  /// Thread-safe; from any thread. Where NCCL carries the rows this is the only bound of a wait, each rank
  /// ends its own, and the output is not NaN.
  void abort() noexcept;

  /// Makes the workspace ready again after a failure. Collective; all work on the device that uses it must be
  /// done. After `abort` it connects NCCL anew: graphs that hold a call of NCCL must be gone. Throws
  /// CommunicationError if a rank does not come, and CudaError.
  void rearm();

  struct Parts;
  Parts& parts() noexcept { return *parts_; }  ///< for the library's own objects

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace contextual::kernels::cuda
