#pragma once

/// \file
/// Many ranks in one process: every rank is a thread, and faults happen as scripted.
///
/// For tests of code that communicates with other ranks. Results are exact and equal on all ranks, regardless
/// of the timing of the threads. Needs no test framework.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace contextual::testing {

/// What the ranks of a world have exchanged, in completed collectives.
struct ScriptedTraffic {
  std::int64_t collectives = 0;     ///< calls of `all_reduce_max` and `all_gather`, each counted once
  std::int64_t reduces = 0;         ///< calls of `all_reduce_max` alone
  std::int64_t reduced_words = 0;   ///< the values of all reduces, as one rank sees them
  std::int64_t gathered_bytes = 0;  ///< the bytes that all ranks together gave to the gathers
};

/// A group of simulated ranks. Thread-safe. Copies of the world and its communicators share one state, which
/// lives as long as any of them.
///
/// A collective completes when every rank has called it. The first deadline that expires poisons the world:
/// every waiting rank and every later call throws CommunicationError, which names the ranks that had not
/// arrived. If ranks call different collectives or reduce different lengths, all ranks throw
/// CommunicationError once all have arrived.
class CONTEXTUAL_API ScriptedWorld {
 public:
  /// Throws InvalidArgument if `ranks` is less than 1.
  explicit ScriptedWorld(int ranks);

  int size() const noexcept;

  /// Returns the rank's communicator, the same one in every call. One thread at a time may use it. Its
  /// `process_scope()` is "world-W/rank-R", where W differs between the worlds of the process. Throws
  /// InvalidArgument for a rank outside [0, size).
  std::shared_ptr<Communicator> communicator(int rank);

  /// Scripts a fault: the rank does not arrive at its collective number `collective_index`, counted per rank
  /// from 0. The rank's own call waits until its deadline expires or the world is poisoned, and then throws.
  void drop(int rank, std::int64_t collective_index);

  /// Scripts a fault: the rank arrives at that collective `delay` later, or when its deadline expires if that
  /// is earlier.
  void delay(int rank, std::int64_t collective_index, std::chrono::nanoseconds delay);

  /// Declares that the rank will not call any more, for example because its thread ended. The other ranks
  /// wait for it until their deadline, as they would for a process that died, and name it as missing.
  void leave(int rank);

  bool poisoned() const;            ///< true after a deadline or a mismatch as above
  ScriptedTraffic traffic() const;  ///< so far

  /// Runs `body` once per rank, each in a thread of its own, and returns when all have ended. A rank leaves
  /// when its body ends. Returns, in rank order, the exception of each body, or null if it threw none.
  std::vector<std::exception_ptr> run(
      const std::function<void(int rank, const std::shared_ptr<Communicator>& communicator)>& body);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace contextual::testing
