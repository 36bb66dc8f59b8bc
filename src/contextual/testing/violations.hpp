#pragma once

/// \file
/// The list of violations that a conformance check returns.

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::testing {

/// Keeps each different text once, since a defect shows in many steps. Thread-safe.
class Violations {
 public:
  /// `where` says where it showed first. It follows the text.
  void add(std::string text, const std::string& where = "") {
    const std::scoped_lock lock(mutex_);
    if (known_.insert(text).second) {
      lines_.push_back(std::move(text) + where);
    }
  }

  /// Adds `text` unless `holds`; returns `holds`.
  bool expect(bool holds, std::string text, const std::string& where = "") {
    if (!holds) {
      add(std::move(text), where);
    }
    return holds;
  }

  std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    return std::move(lines_);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> known_;
  std::vector<std::string> lines_;
};

}  // namespace contextual::testing
