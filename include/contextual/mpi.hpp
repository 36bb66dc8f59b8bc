#pragma once

/// \file
/// Communicators over MPI, for ranks that are processes. The only public header that includes mpi.h; link
/// contextual::mpi.
///
/// Threads: one thread at a time may use a communicator, so tuners on two threads need one each. The tuner's
/// collectives run on the thread of `run`, outside of the region. With MPI_THREAD_SINGLE or
/// MPI_THREAD_FUNNELED, that must be the thread that initialised MPI. With MPI_THREAD_SERIALIZED, no other
/// thread may be inside MPI while a collective of the tuner runs.
///
/// Waiting: the tuner starts non-blocking collectives and polls them until the deadline, yielding the core.
/// When the deadline expires, the ranks find out by point-to-point messages which of them are missing, and
/// the communicator is poisoned. Its buffers and its MPI communicator are leaked on purpose, because MPI may
/// still write to them. On a rank that arrives late, the collective that expired elsewhere may complete; the
/// rank's next collective throws.
///
/// Errors: an error of MPI is thrown only if MPI's error handler returns it. The handler does so if this
/// library initialised MPI. An application that initialises MPI itself sets MPI_ERRORS_RETURN on
/// MPI_COMM_WORLD; otherwise MPI's errors end the program.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>

#include <mpi.h>

#include <chrono>
#include <memory>

namespace contextual {

/// Time limits of an MPI communicator.
struct MpiOptions {
  /// The deadline for duplicating the application's communicator, which is a collective. Throws
  /// CommunicationError if it expires.
  std::chrono::milliseconds setup_deadline{60'000};
  /// How long the ranks listen for each other after a deadline has expired, to find out which ranks are
  /// missing. A collective that expires throws this much later than its deadline.
  std::chrono::milliseconds roll_call{500};
};

/// Returns a communicator over all ranks of the program. It uses a duplicate of MPI_COMM_WORLD, which the
/// first call makes and all later calls share. The first call is a collective.
///
/// If MPI is not initialised, the call initialises it with MPI_THREAD_MULTIPLE, and the library finalises it
/// when the process exits by `exit` or by returning from `main`, with two exceptions:
/// - It does not finalise if MPI_Finalize might wait for another rank for ever: after a communicator was
///   poisoned, or if the process exits within a `run`. mpirun then reports that the process did not finalise.
/// - It waits for MPI_Finalize no longer than deadline plus grace of the last `run`. The process then ends
///   with its own exit code, without running the remaining handlers and destructors. If one rank works for
///   longer than that after the others are done, raise these two options, or let the application initialise
///   MPI.
///
/// An application that initialised MPI also finalises it, after its tuners are done. It must not finalise if
/// a rank is missing.
///
/// A poisoned communicator stays poisoned. If all ranks are alive, `mpi_communicator(MPI_COMM_WORLD)` makes a
/// new one.
///
/// Throws CommunicationError, with MPI's text, if MPI fails or has been finalised already.
CONTEXTUAL_API std::shared_ptr<Communicator> mpi_world(const MpiOptions& options = {});

/// Returns a communicator over the ranks of `communicator`, which must be an intra-communicator. The function
/// duplicates `communicator`; the caller may free it afterwards. Collective over `communicator`. MPI must be
/// initialised and must stay so as long as the result is used.
///
/// The ranks of the result are those of `communicator`. Log files are named by the rank in MPI_COMM_WORLD, so
/// that groups that tune apart do not share one.
///
/// Throws InvalidArgument for MPI_COMM_NULL and for an inter-communicator; otherwise it throws as `mpi_world`
/// does.
CONTEXTUAL_API std::shared_ptr<Communicator> mpi_communicator(MPI_Comm communicator,
                                                              const MpiOptions& options = {});

}  // namespace contextual
