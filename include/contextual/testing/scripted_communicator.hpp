#pragma once

/// \file
/// Many ranks in one process: every rank is a thread, and faults happen on cue.
///
/// For tests of code that talks to other ranks. Results are exact and the same on all ranks whatever the
/// threads' timing is. Framework-independent.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace contextual::testing {

/// What the ranks of a world have exchanged. Completed collectives only.
struct ScriptedTraffic {
  std::int64_t collectives = 0;     ///< reduces and gathers
  std::int64_t reduces = 0;         ///< of them `all_reduce_max`
  std::int64_t reduced_words = 0;   ///< sum of the lengths of the reduces, as one rank sees them
  std::int64_t gathered_bytes = 0;  ///< sum of the bytes that all ranks gave to the gathers
};

/// A group of simulated ranks. Thread-safe; copies and the communicators share one state, which lives as
/// long as any of them.
///
/// A collective completes when every rank has called it. The first deadline that expires poisons the world:
/// every rank that waits throws CommunicationError, naming the ranks that had not arrived, and so does every
/// later call. Ranks that call different collectives, or reduce different lengths, all throw
/// CommunicationError, once all have arrived.
class CONTEXTUAL_API ScriptedWorld {
 public:
  /// Throws InvalidArgument when `ranks` is less than 1.
  explicit ScriptedWorld(int ranks);

  int size() const noexcept;

  /// The rank's communicator, the same at every call. It is used by one thread at a time. Its
  /// `process_scope()` is "world-W/rank-R", with another W for every world of the process.
  /// Throws InvalidArgument for a rank outside [0, size).
  std::shared_ptr<Communicator> communicator(int rank);

  /// Script: the rank does not arrive at its collective number `collective_index` (from 0, counted per
  /// rank). Its own call waits until its deadline expires, or the world is poisoned, and then throws.
  void drop(int rank, std::int64_t collective_index);

  /// Script: the rank arrives at that collective later by `delay`, at most until its deadline expires.
  void delay(int rank, std::int64_t collective_index, std::chrono::nanoseconds delay);

  /// The rank will not call any more, e.g. because its thread ended. The others wait for it until their
  /// deadline, as they would for a process that died, and name it.
  void leave(int rank);

  bool poisoned() const;
  ScriptedTraffic traffic() const;

  /// Runs `body` once per rank, each in a thread of its own, and returns when all have ended. A rank leaves
  /// when its body ends. The result has, in rank order, what a body threw, null where it did not.
  std::vector<std::exception_ptr> run(
      const std::function<void(int rank, const std::shared_ptr<Communicator>& communicator)>& body);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace contextual::testing
