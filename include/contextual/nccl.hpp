#pragma once

/// \file
/// Communicators over NCCL, for ranks with a GPU each and without MPI. The only public header that includes
/// nccl.h; link contextual::nccl. Where there is MPI, mpi.hpp is the better choice: its exchange takes about
/// 1 us, that of NCCL about 25 us, and it also works when a device has failed.
///
/// NCCL is loaded at run time, and the copy that the process has already is preferred. It must be 2.14 or
/// newer.
///
/// Own communicator: the tuner's collectives run on a communicator that does not block, which is made here
/// and never shared with the application, on a stream of its own.
///
/// Waiting: every operation is polled until its deadline, with the core yielded. NCCL cannot tell which ranks
/// are missing, so `missing_ranks` is empty.
///
/// After an expiry, or an error of NCCL or the device, the communicator is poisoned. A thread of its own then
/// raises all registered words (abort_word.hpp), calls `NcclOptions::on_abort`, and calls ncclCommAbort, in
/// this order. If all of it returns within the grace, CommunicationError is thrown. Otherwise a kernel that
/// cannot be ended keeps NCCL from returning: the process ends with `deadline_exit_code` (options.hpp),
/// without running destructors, and a line on stderr says what did not return. A process under a debugger is
/// not ended but throws.
///
/// Threads: one thread at a time may use a communicator. Any thread may make one.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>
#include <contextual/launch_status.hpp>

#include <nccl.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace contextual {

/// Why a communicator over NCCL gives up; given to `NcclOptions::on_abort`. The text is valid during the call
/// only.
struct NcclAbortInfo {
  std::string_view cause;
  int rank = 0;
  int size = 1;
};

/// Of a communicator over NCCL. Every field may be left unset.
struct NcclOptions {
  /// The deadline for making the communicator: for meeting the other ranks, for NCCL's initialisation, and
  /// for the first collective, in which NCCL connects.
  std::chrono::milliseconds setup_deadline{60'000};
  /// The device of this rank, numbered as this process sees it. Unset: the one that is current on the thread
  /// that makes the communicator, or that of the application's communicator.
  std::optional<int> device{};
  /// Called once after an expiry, before ncclCommAbort, to end kernels that would keep NCCL from returning
  /// and that no registered word ends. On a thread of its own, on which the communicator's device is current.
  /// It may call CUDA, and may block for as long as the grace. It must not use the communicator. What it
  /// throws becomes a part of the error's message. It is not called while the communicator is being made.
  std::function<void(const NcclAbortInfo&)> on_abort{};
  /// How long raising words, `on_abort` and ncclCommAbort may take together. Unset: `Options::grace` of the
  /// run that began last.
  std::optional<std::chrono::milliseconds> grace{};
};

/// Returns a fresh id, for one of the ranks to make and all others to receive. Throws CudaUnavailable if
/// there is no NCCL, and CommunicationError.
CONTEXTUAL_API ncclUniqueId nccl_id();

/// Returns the communicator of the ranks that give the same `id`, which serves for one communicator only. All
/// `size` ranks call it. Throws InvalidArgument for a rank that is not in [0, size) or a device that does not
/// exist, CudaUnavailable, CudaError, and CommunicationError if NCCL fails or the deadline expires.
CONTEXTUAL_API std::shared_ptr<Communicator> nccl_communicator(const ncclUniqueId& id, int rank, int size,
                                                               const NcclOptions& options = {});

/// Sends the id of rank 0 to all other ranks: on rank 0 it holds the id, on the others it receives it. Called
/// once, on the thread that makes the communicator. It bounds its own wait, and what it throws passes
/// through.
using NcclBroadcast = std::function<void(ncclUniqueId& id)>;

/// The same, for ranks with a transport of their own, which carries the 128 bytes of the id.
CONTEXTUAL_API std::shared_ptr<Communicator> nccl_communicator(int rank, int size,
                                                               const NcclBroadcast& broadcast,
                                                               const NcclOptions& options = {});

/// Returns a communicator over the ranks of the application's communicator. A collective: all ranks call it,
/// and nothing else may use `application` meanwhile. The id travels over `application`, which may block or
/// not; the new communicator is not split off, because it would then block if that one does. `application`
/// may be destroyed afterwards. If the deadline expires, a broadcast is left pending on it, and it must be
/// aborted.
CONTEXTUAL_API std::shared_ptr<Communicator> nccl_communicator(ncclComm_t application,
                                                               const NcclOptions& options = {});

/// Returns a communicator over all ranks of the program, as the variables of torchrun, Open MPI, MPICH or
/// Slurm name them. The first call is a collective and makes it; all later calls share it. In a program that
/// no launcher started as several processes, it returns `one_rank()`.
///
/// The ranks meet over TCP at rank 0, on port CONTEXTUAL_RENDEZVOUS_PORT, or 28484 where the variable is not
/// set. It is never the launcher's own port, which is in use. The host of rank 0 is
/// CONTEXTUAL_RENDEZVOUS_HOST, else the loopback address if all ranks are on one node, else MASTER_ADDR of
/// torchrun or the first node of Slurm's step; with mpirun on several nodes, CONTEXTUAL_RENDEZVOUS_HOST must
/// be set. Whoever reaches the port of a running job can disturb its set-up, so it belongs on a network that
/// is trusted.
///
/// Throws InvalidArgument if a variable makes no sense or the host is not known. Throws CommunicationError
/// that names the ranks that did not come; otherwise it throws as `nccl_communicator` does.
CONTEXTUAL_API std::shared_ptr<Communicator> nccl_world(const NcclOptions& options = {});

/// Returns why there can be no communicator over NCCL here, or an empty text if there can be one.
CONTEXTUAL_API std::string nccl_problem() noexcept;

/// Returns e.g. "unhandled cuda error (1)". Throws CudaUnavailable if there is no NCCL.
CONTEXTUAL_API std::string nccl_error_text(ncclResult_t code);

/// Lets a launcher return the status of an NCCL call. An operation of a communicator that does not block may
/// still be in progress: that is no failure. If it fails later, its work on the stream does not end well, and
/// the settle finds out.
template <>
struct launch_status<ncclResult_t> {
  static std::optional<std::string> failure(const ncclResult_t& code) {
    if (code == ncclSuccess || code == ncclInProgress) [[likely]] {
      return std::nullopt;
    }
    return nccl_error_text(code);
  }
};

}  // namespace contextual
