#include "contextual/sync/mpi/mpi_session.hpp"

#include "contextual/sync/mpi/exit_guard.hpp"
#include "contextual/sync/mpi/mpi_check.hpp"

#include <contextual/detail/sync/ongoing_run.hpp>
#include <contextual/error.hpp>

#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>

namespace contextual::sync {
namespace {

std::atomic<bool> abandoned{false};
pid_t owner = 0;  ///< the process that initialised MPI here

bool initialized() noexcept {
  int flag = 0;
  return MPI_Initialized(&flag) == MPI_SUCCESS && flag != 0;
}

bool finalized() noexcept {
  int flag = 0;
  return MPI_Finalized(&flag) != MPI_SUCCESS || flag != 0;
}

/// MPI_Finalize waits for the other ranks. So it is not called by a process that exits within a `run`, where
/// they wait for this one; else it has the time that they have to come.
void finalize_at_exit(int exit_code, void* /*unused*/) {
  const bool others_may_wait = abandoned.load() || detail::OngoingRun::any();
  // Not in a child of fork, which shares its parent's connections.
  if (owner != getpid() || others_may_wait || !mpi_usable()) {
    return;
  }
  try {
    const ExitGuard guard("MPI_Finalize at the exit of the process", exit_code,
                          detail::OngoingRun::latest_bounds());
    std::fflush(nullptr);  // the guard ends the process without that
    MPI_Finalize();
  } catch (const std::system_error&) {
    return;  // without a guard it might wait for ever
  }
}

}  // namespace

void ensure_mpi() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (initialized()) {
    return;
  }
  int provided = MPI_THREAD_SINGLE;
  CONTEXTUAL_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
  // Nobody else asked for MPI, so its errors are ours to report: Open MPI tells those of a collective that is
  // being tested to the world's handler, whichever communicator it belongs to.
  CONTEXTUAL_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  owner = getpid();
  static_cast<void>(on_exit(finalize_at_exit, nullptr));  // of glibc: as atexit, and tells the exit code
}

bool mpi_usable() noexcept {
  return initialized() && !finalized();
}

bool mpi_usable_here() noexcept {
  int level = MPI_THREAD_SINGLE;
  int main_thread = 0;
  return mpi_usable() && MPI_Query_thread(&level) == MPI_SUCCESS &&
         (level >= MPI_THREAD_SERIALIZED ||
          (MPI_Is_thread_main(&main_thread) == MPI_SUCCESS && main_thread != 0));
}

void require_usable_mpi() {
  if (!mpi_usable()) {
    throw CommunicationError(finalized() && initialized()
                                 ? "MPI is finalised already: tuners must be done before MPI_Finalize"
                                 : "MPI is not initialised: call MPI_Init_thread, or use mpi_world()",
                             {});
  }
  if (!mpi_usable_here()) {
    throw InvalidArgument(
        "`run` with a communicator over MPI was called from a thread that may not use MPI: initialise MPI "
        "with "
        "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or call `run` from the thread that initialised it");
  }
}

void abandon_mpi() noexcept {
  abandoned.store(true);
}

}  // namespace contextual::sync
