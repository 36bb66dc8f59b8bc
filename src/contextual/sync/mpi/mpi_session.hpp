#pragma once

/// \file
/// Who initialises and finalises MPI in this process.

namespace contextual::sync {

/// Initialises MPI if nobody has; then it is finalised when the process exits normally. Throws
/// CommunicationError when MPI is finalised already or does not start. Thread-safe.
void ensure_mpi();

/// Throws CommunicationError unless MPI is initialised and not finalised, and InvalidArgument when the
/// calling thread may not use it with the thread level that MPI was initialised with.
void require_usable_mpi();

/// MPI may be called: initialised and not finalised. Never throws.
bool mpi_usable() noexcept;

/// As above, and by the calling thread.
bool mpi_usable_here() noexcept;

/// From now on this process never finalises MPI on its own account: a request that will never complete is
/// pending, and MPI_Finalize might wait for it for ever.
void abandon_mpi() noexcept;

}  // namespace contextual::sync
