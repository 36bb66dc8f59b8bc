#pragma once

/// \file
/// Who is there? Point-to-point messages that are sent only after a collective has expired: a healthy run
/// pays nothing for them but a probe now and then.
///
/// Every rank that gives up sends one message to every other one and listens for theirs. A rank that still
/// waits in the collective finds the message, gives up too and answers in the same way. A rank that comes too
/// late finds it when it enters the next collective, and answers that it is late. Who is not heard at all is
/// missing.

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace contextual::sync {

/// One communicator's roll call. At most one takes place, since the communicator is poisoned by it.
class MpiRollCall {
 public:
  explicit MpiRollCall(MPI_Comm communicator) : communicator_(communicator) {}

  /// Has another rank given up? Two probes.
  bool called() const;

  struct Outcome {
    std::vector<int> missing;  ///< not heard, or late
    std::vector<int> late;     ///< those of them that answered, having arrived after the others gave up
  };

  /// Tells the others, and listens until all are heard or `patience` is over. `late`: this rank had not
  /// arrived when another one gave up.
  Outcome call(bool late, std::chrono::milliseconds patience) const;

 private:
  MPI_Comm communicator_;
};

}  // namespace contextual::sync
