#pragma once

/// \file
/// A set of non-blocking point-to-point messages, with a bound on every wait.

#include <contextual/deadline.hpp>
#include <contextual/export.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <vector>

namespace contextual::kernels {

/// Messages of floats on one communicator. One thread uses the set. With MPI_THREAD_MULTIPLE, other threads
/// may use MPI at the same time; otherwise they must not.
///
/// MPI's errors are exceptions only if the communicator's error handler is MPI_ERRORS_RETURN, see
/// `own_communicator`.
class CONTEXTUAL_API MessageSet {
 public:
  explicit MessageSet(MPI_Comm communicator) : communicator_(communicator) {}
  MessageSet(const MessageSet&) = delete;
  MessageSet& operator=(const MessageSet&) = delete;
  /// Cancels messages that have not been received, and waits at most 100 ms for that. After an exception MPI
  /// may still read or write the buffers, so keep them until the process ends.
  ~MessageSet();

  /// Begin a message and return its number, which `poll` returns. Numbers count from 0 in the order of these
  /// calls.
  std::size_t receive(float* to, long count, int source, int tag);
  std::size_t send(const float* from, long count, int destination, int tag);

  /// Returns the messages that have completed since the last call. Throws CommunicationError with MPI's text.
  const std::vector<std::size_t>& poll();

  bool all_done() const noexcept { return done_ == requests_.size(); }

  /// Throws WaitFailed, which names the ranks whose messages are outstanding, if the deadline has expired.
  /// Otherwise yields the core, or sleeps for `pause_us`. `what` begins the text of the exception.
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

/// Returns a duplicate of `communicator` with MPI_ERRORS_RETURN, for the messages of one exchange.
/// Collective. The caller frees it. Throws CommunicationError.
CONTEXTUAL_API MPI_Comm own_communicator(MPI_Comm communicator);

/// Returns the number of messages of `chunk` rows that cover `rows`. Throws ConfigRejected if `chunk` is
/// below 1, or if there are more messages than MPI guarantees tags.
CONTEXTUAL_API int chunk_count(long rows, int chunk);

}  // namespace contextual::kernels
