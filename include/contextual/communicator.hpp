#pragma once

/// \file
/// The interface to other ranks: two collectives, each with a deadline.
///
/// The tuner calls them between runs of the region, never inside it, in the same order on every rank, on the
/// thread that called `ContextualAutotuner::run`. `contextual/testing/communicator_conformance.hpp` checks an
/// implementation.

#include <contextual/deadline.hpp>
#include <contextual/export.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contextual {

/// A group of ranks that tune together. An implementation has a transport of its own, on which the
/// application's collectives never run. One thread at a time uses a communicator.
///
/// Once a collective has thrown CommunicationError, the communicator is poisoned: every later collective
/// throws CommunicationError at once, also on ranks where the failed collective completed later.
class CONTEXTUAL_API Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator();

  virtual int rank() const noexcept = 0;  ///< in [0, size)
  virtual int size() const noexcept = 0;  ///< at least 1

  /// Replaces each element by its maximum over all ranks. All ranks must give the same number of elements;
  /// for other calls an implementation may throw CommunicationError. Throws CommunicationError if the
  /// deadline expires or the communicator is poisoned.
  virtual void all_reduce_max(std::span<std::int64_t> values, Deadline deadline) = 0;

  /// Returns the bytes of every rank in rank order. Their lengths may differ. Throws as `all_reduce_max`
  /// does.
  virtual std::vector<std::string> all_gather(std::string_view bytes, Deadline deadline) = 0;

  /// Returns a name for logs, e.g. "one rank" or "MPI (4 ranks)".
  virtual std::string describe() const = 0;

  /// Returns the rank of this process in the whole program, which names its log file. Groups that tune apart
  /// each have a rank 0 but must not share a log file. Equals `rank()` if the group is the whole program.
  virtual int process_rank() const noexcept { return rank(); }

  /// Returns an empty text if the rank is a process of its own. Ranks that are simulated as threads of one
  /// process return distinct names, which keep their lock-ins apart. The text lives as long as the
  /// communicator.
  virtual std::string_view process_scope() const noexcept { return {}; }
};

/// Returns the communicator of a single rank, which never waits. If mpirun or srun started the program as
/// several processes, each of them tunes alone, and its log file is named by the launcher's rank.
/// Thread-safe.
CONTEXTUAL_API std::shared_ptr<Communicator> one_rank();

}  // namespace contextual
