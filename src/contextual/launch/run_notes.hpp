#pragma once

/// \file
/// Warnings of a run's launches for the log.

#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace contextual::detail {

/// Keeps each warning until it is taken. A text that was added before is ignored. Thread-safe.
class RunNotes {
 public:
  void add(const std::string& warning) {
    const std::lock_guard lock(mutex_);
    if (known_.insert(warning).second) {
      waiting_.push_back(warning);
    }
  }

  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

 private:
  std::mutex mutex_;
  std::unordered_set<std::string> known_;
  std::vector<std::string> waiting_;
};

}  // namespace contextual::detail
