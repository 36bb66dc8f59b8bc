#pragma once

/// \file
/// Non-blocking point-to-point messages that are under way together, with a bound on every wait.

#include <contextual/deadline.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <vector>

namespace contextual::kernels {

/// Messages of one communicator, of floats. Used by one thread, which may use MPI at the same time as others
/// do if MPI was initialised with MPI_THREAD_MULTIPLE, else while nobody else does.
///
/// MPI's errors are exceptions only if the communicator's error handler is MPI_ERRORS_RETURN: see
/// `own_communicator`.
class MessageSet {
 public:
  explicit MessageSet(MPI_Comm communicator) : communicator_(communicator) {}
  MessageSet(const MessageSet&) = delete;
  MessageSet& operator=(const MessageSet&) = delete;
  /// Messages that have not been received are cancelled; waits at most 100 ms for that. After an exception
  /// MPI may still read or write a buffer: keep them until the process ends.
  ~MessageSet();

  /// Numbers of the messages that `poll` returns: from 0, in the order in which they were begun.
  std::size_t receive(float* to, long count, int source, int tag);
  std::size_t send(const float* from, long count, int destination, int tag);

  /// Those that have completed since the last call. Throws CommunicationError with MPI's text.
  const std::vector<std::size_t>& poll();

  bool all_done() const noexcept { return done_ == requests_.size(); }

  /// Throws WaitFailed, which names the ranks whose messages are outstanding, when the deadline has expired.
  /// Else yields the core, or sleeps `pause_us`. `what` begins the message.
  void pause(int pause_us, Deadline& deadline, const char* what) const;

 private:
  std::size_t add(MPI_Request request, int peer, bool receives);

  MPI_Comm communicator_;
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_;
  std::vector<bool> receives_;
  std::vector<int> indices_;
  std::vector<std::size_t> completed_;
  std::size_t done_ = 0;
};

/// A duplicate of `communicator` whose errors are returned, for the messages of one exchange. Collective.
/// The caller frees it. Throws CommunicationError.
MPI_Comm own_communicator(MPI_Comm communicator);

/// The number of pieces of `chunk` that cover `rows`, each a message. Throws ConfigRejected for chunks below
/// 1, and for more of them than tags are sure to exist.
int chunk_count(long rows, int chunk);

}  // namespace contextual::kernels
