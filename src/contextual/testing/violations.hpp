#pragma once

/// \file
/// The list of violations that a conformance check returns.

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace contextual::testing {

/// Keeps each different line once, since a defect shows in many steps. Thread-safe.
class Violations {
 public:
  void add(std::string line) {
    const std::scoped_lock lock(mutex_);
    for (const std::string& known : lines_) {
      if (known == line) {
        return;
      }
    }
    lines_.push_back(std::move(line));
  }

  /// Adds `line` unless `holds`; returns `holds`.
  bool expect(bool holds, std::string line) {
    if (!holds) {
      add(std::move(line));
    }
    return holds;
  }

  std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    return std::move(lines_);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace contextual::testing
