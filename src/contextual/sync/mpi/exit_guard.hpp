#pragma once

#include <contextual/detail/sync/ongoing_run.hpp>

#include <memory>
#include <thread>

namespace contextual::sync {

/// Bounds what an exit handler waits for: while alive, a thread counts deadline plus grace, then says so on
/// stderr and ends the process with the exit code that its caller gave, without further handlers.
class ExitGuard {
 public:
  /// `what` waits; `exit_code` is what the process exits with. Throws std::system_error without a thread.
  ExitGuard(const char* what, int exit_code, const detail::RunBounds& bounds);
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
  /// Waits for its thread, which notices at once.
  ~ExitGuard();

 private:
  struct Shared;

  std::unique_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace contextual::sync
