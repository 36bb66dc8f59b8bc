#pragma once

/// \file
/// Finds out which ranks are there, by point-to-point messages that are sent only after a collective has
/// expired. A healthy run costs only an occasional probe.
///
/// A rank that gives up sends one message to every other rank and listens for theirs. A rank that still waits
/// in the collective finds the message, gives up too and answers in the same way. A rank that arrives too
/// late finds the message when it enters its next collective, and answers that it is late. A rank that is not
/// heard is missing.

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace contextual::sync {

/// The roll call of one communicator. At most one takes place, since it poisons the communicator.
class MpiRollCall {
 public:
  explicit MpiRollCall(MPI_Comm communicator) : communicator_(communicator) {}

  /// Returns true if another rank has given up. Cost: two probes.
  bool called() const;

  struct Outcome {
    std::vector<int> missing;  ///< the ranks that were not heard or are late
    std::vector<int> late;     ///< those of them that answered, but arrived after the others had given up
  };

  /// Tells the other ranks, and listens until all are heard or `patience` is over. `late` says that this rank
  /// had not arrived yet when another one gave up.
  Outcome call(bool late, std::chrono::milliseconds patience) const;

 private:
  MPI_Comm communicator_;
};

}  // namespace contextual::sync
