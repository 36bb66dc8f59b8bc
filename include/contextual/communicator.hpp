#pragma once

/// \file
/// The seam to other ranks: two collectives, each with a deadline.
///
/// The tuner calls them after a settle, in the same order on every rank, from the thread that called
/// `ContextualAutotuner::run`; never inside the region. `contextual/testing/communicator_conformance.hpp`
/// checks an implementation.

#include <contextual/deadline.hpp>
#include <contextual/export.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contextual {

/// A group of ranks that tune together. An implementation owns its transport exclusively: the
/// application's own collectives never run on it.
///
/// After a collective threw CommunicationError the communicator is poisoned: every later call throws
/// CommunicationError at once, also on ranks where the collective completed later.
class CONTEXTUAL_API Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator();

  virtual int rank() const noexcept = 0;  ///< in [0, size)
  virtual int size() const noexcept = 0;  ///< at least 1

  /// Element-wise maximum over all ranks, in place. The length must be equal on all ranks; a different
  /// one is the caller's error and may be reported as CommunicationError.
  /// Throws CommunicationError when the deadline expires or the communicator is poisoned.
  virtual void all_reduce_max(std::span<std::int64_t> values, Deadline deadline) = 0;

  /// Every rank's bytes, in rank order; lengths may differ. Throws as `all_reduce_max`.
  virtual std::vector<std::string> all_gather(std::string_view bytes, Deadline deadline) = 0;

  /// For logs, e.g. "one rank", "MPI (4 ranks)".
  virtual std::string describe() const = 0;

  /// This process in the whole program, for the names of its log files: groups that tune apart have a rank 0
  /// each. `rank()` where the group is the whole program.
  virtual int process_rank() const noexcept { return rank(); }

  /// Empty in a process of its own. Ranks that are simulated as threads of one process return distinct
  /// names, which keep their lock-ins apart.
  virtual std::string_view process_scope() const noexcept { return {}; }
};

/// The communicator of a program that runs alone: rank 0 of 1, nothing to wait for. In a program that mpirun
/// or srun started as several ranks, each of which tunes alone, log files carry the launcher's rank.
CONTEXTUAL_API std::shared_ptr<Communicator> one_rank();

}  // namespace contextual
