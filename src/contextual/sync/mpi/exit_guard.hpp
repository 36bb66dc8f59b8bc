#pragma once

#include <contextual/detail/sync/ongoing_run.hpp>

#include <memory>
#include <thread>

namespace contextual::sync {

/// Bounds the wait of an exit handler. After deadline plus grace, a thread reports on stderr what the process
/// waited for, and ends it with its own exit code, without further handlers.
class ExitGuard {
 public:
  /// `what` names the wait in the message. `exit_code` is that of the process. Throws std::system_error if no
  /// thread can be started.
  ExitGuard(const char* what, int exit_code, const detail::RunBounds& bounds);
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
  /// Ends the bound. Waits for the thread, which ends at once.
  ~ExitGuard();

 private:
  struct Shared;

  std::unique_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace contextual::sync
