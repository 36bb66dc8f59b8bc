#pragma once

/// \file
/// An NCCL whose ranks are threads of the process, and which fails on cue. It refuses what the real one
/// refuses: an operation while the communicator is in progress, and any use after destruction. It takes the
/// place of the real library for the rest of the process.

#include "unit/sync/nccl/scripted_gpu.hpp"

#include <nccl.h>

#include <memory>
#include <vector>

namespace contextual::test::nccl_test {

/// Calls of one kind are counted from 0 on every rank; the first one of the library is that in which it
/// connects.
struct Script {
  int init_polls = 3;       ///< so many looks at the communicator say that it is in progress
  int operation_polls = 2;  ///< the same after every operation
  int finalize_polls = 2;
  bool init_never_ends = false;
  bool finalize_never_ends = false;
  /// Where a rank is missing: true keeps the others in progress, false keeps their work on the device.
  bool waits_in_progress = true;
  /// What posting an operation returns; empty, or ncclSuccess: what it does by itself.
  std::function<ncclResult_t(int rank, int operation)> post_result{};
  /// The state of the communicator while this operation is polled; empty, or ncclSuccess: the usual one.
  std::function<ncclResult_t(int rank, int operation)> async_error{};
  std::function<ncclResult_t(int rank)> on_abort{};  ///< on the aborting thread, may block; empty: success
  std::function<void(const ncclConfig_t& config)> on_config{};
  const char* last_error = "";  ///< of ncclGetLastError
};

/// The script in force, which the communicators that are made meanwhile keep.
class ScriptedNccl {
 public:
  explicit ScriptedNccl(Script script = {});
  ScriptedNccl(const ScriptedNccl&) = delete;
  ScriptedNccl& operator=(const ScriptedNccl&) = delete;
  /// Lets calls that are blocked return.
  ~ScriptedNccl();

  int made() const;       ///< communicators
  int destroyed() const;  ///< after ncclCommFinalize
  int aborted() const;
  /// What the library did that it must not do, one line each.
  std::vector<std::string> misuse() const;

  /// Ranks of a communicator of the application. `blocks`: an operation returns when all ranks have posted
  /// it.
  std::vector<ncclComm_t> make_application(int size, bool blocks);

  struct State;

 private:
  ScriptedGpu gpu_;
  std::shared_ptr<State> state_;
};

}  // namespace contextual::test::nccl_test
