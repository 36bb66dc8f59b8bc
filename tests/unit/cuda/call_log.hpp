#pragma once

/// \file
/// The names of all calls that reach a scripted driver or a scripted CUPTI, in their order.

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::test::cuda_test {

/// Thread-safe.
class CallLog {
 public:
  void add(std::string_view name) {
    const std::lock_guard lock(mutex_);
    names_.emplace_back(name);
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return names_.size();
  }
  /// How often each was called from place `begin` on, up to `end`.
  std::map<std::string, std::size_t> counts(std::size_t begin = 0, std::size_t end = ~std::size_t{0}) const {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::size_t> counts;
    for (std::size_t i = begin; i < std::min(end, names_.size()); ++i) {
      ++counts[names_[i]];
    }
    return counts;
  }
  std::size_t count(const std::string& name) const {
    const auto all = counts();
    const auto found = all.find(name);
    return found == all.end() ? 0 : found->second;
  }
  /// Those whose name begins so, each once.
  std::vector<std::string> beginning_with(std::string_view prefix) const {
    std::vector<std::string> found;
    for (const auto& [name, count] : counts()) {
      if (name.substr(0, prefix.size()) == prefix) {
        found.push_back(name);
      }
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
};

}  // namespace contextual::test::cuda_test
