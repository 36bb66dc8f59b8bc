#pragma once

/// \file
/// Initialises and finalises MPI in this process, unless the application does.

namespace contextual::sync {

/// Initialises MPI unless it is initialised, and then finalises it when the process exits normally. Throws
/// CommunicationError if MPI is finalised already or does not start. Thread-safe.
void ensure_mpi();

/// Throws CommunicationError unless MPI is initialised and not finalised, and InvalidArgument if MPI's thread
/// level does not allow the calling thread to use it.
void require_usable_mpi();

/// Returns true if MPI is initialised and not finalised.
bool mpi_usable() noexcept;

/// The same, and the calling thread may use MPI.
bool mpi_usable_here() noexcept;

/// Keeps the library from finalising MPI in this process: a request that will never complete is pending, and
/// MPI_Finalize might wait for it for ever.
void abandon_mpi() noexcept;

}  // namespace contextual::sync
