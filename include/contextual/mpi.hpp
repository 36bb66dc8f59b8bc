#pragma once

/// \file
/// Ranks as processes: communicators over MPI. The only public header that includes mpi.h; link
/// contextual::mpi.
///
/// Threads: one thread at a time may use a communicator, so tuners on two threads need one each. The tuner's
/// collectives run on the thread of `run`, outside of the region. With MPI_THREAD_SINGLE or
/// MPI_THREAD_FUNNELED that must be the thread that initialised MPI; with MPI_THREAD_SERIALIZED nobody else
/// may be inside MPI while a collective of the tuner runs.
///
/// Waiting: by non-blocking collectives that are polled, yielding the core, until the deadline. When it
/// expires, the ranks look for each other with point-to-point messages, and the communicator is poisoned: its
/// buffers and its MPI communicator are leaked on purpose, because MPI may still write to them. A rank that
/// comes late may see the collective that expired elsewhere complete; its next one throws.
///
/// MPI's own errors are thrown where its error handlers return them. That is so where this library
/// initialised MPI; an application that owns MPI sets MPI_ERRORS_RETURN on MPI_COMM_WORLD, or they end the
/// program.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>

#include <mpi.h>

#include <chrono>
#include <memory>

namespace contextual {

struct MpiOptions {
  /// How long a duplicate of the application's communicator may take, a collective. Longer is a
  /// CommunicationError.
  std::chrono::milliseconds setup_deadline{60'000};
  /// How long ranks listen for each other after an expiry, to find out which of them are missing. This much
  /// later than its deadline a collective throws.
  std::chrono::milliseconds roll_call{500};
};

/// All ranks of the program: a duplicate of MPI_COMM_WORLD, made by the first call and shared by all later
/// ones. Collective in its first call.
///
/// Initialises MPI with MPI_THREAD_MULTIPLE if nobody has, and then finalises it when the process exits by
/// `exit` or by returning from `main`. It does not where MPI_Finalize might wait for another rank for ever:
/// after a communicator was poisoned, and when the process exits within a `run`; mpirun then reports that the
/// process did not finalise. Nor does it wait longer than deadline plus grace of the last `run`: then the
/// process ends with its own exit code, without the handlers and destructors that were still to come. A rank
/// that goes on for longer than that when the others are done raises these options, or owns MPI itself. An
/// application that owns MPI keeps it: it finalises, after its tuners are done; with a rank missing it must
/// not.
///
/// Once poisoned it stays so. Where all ranks live, `mpi_communicator(MPI_COMM_WORLD)` makes a new one.
///
/// Throws CommunicationError with MPI's text when MPI fails, or when it is finalised already.
CONTEXTUAL_API std::shared_ptr<Communicator> mpi_world(const MpiOptions& options = {});

/// The ranks of `communicator`, an intra-communicator; it is duplicated, never used itself, and may be freed
/// afterwards. Collective over `communicator`. MPI must be initialised and stay so as long as the result is
/// used.
///
/// The result's ranks are those of `communicator`; log files carry the rank in MPI_COMM_WORLD, so that groups
/// that tune apart do not share one.
///
/// Throws InvalidArgument for MPI_COMM_NULL and for an inter-communicator, else as `mpi_world`.
CONTEXTUAL_API std::shared_ptr<Communicator> mpi_communicator(MPI_Comm communicator,
                                                              const MpiOptions& options = {});

}  // namespace contextual
