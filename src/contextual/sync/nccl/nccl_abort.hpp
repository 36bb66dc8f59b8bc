#pragma once

#include <contextual/nccl.hpp>

#include <cuda.h>

#include <chrono>
#include <functional>
#include <string>

namespace contextual::sync {

/// What is given up, and everything that is needed for it, since the thread that does it may outlive the
/// rest.
struct NcclAbort {
  ncclComm_t communicator = nullptr;
  CUcontext context = nullptr;
  std::chrono::milliseconds grace{0};
  std::string cause;
  int rank = 0;
  int size = 1;
  std::function<void(const NcclAbortInfo&)> on_abort;  ///< empty: none
};

/// Gives up a communicator that ranks still wait in: raises all registered words, calls `on_abort` and then
/// ncclCommAbort, on a thread of its own. Returns what is to be said about it, such as what `on_abort` threw.
/// If it does not return within the grace, ends the process with `deadline_exit_code`, unless a debugger is
/// attached.
std::string give_up(NcclAbort abort);

/// The same for one that is still being made: it only calls ncclCommAbort, and never ends the process.
std::string give_up_set_up(NcclAbort abort);

}  // namespace contextual::sync
