#pragma once

/// \file
/// Owns the names and messages of logs, each text once.

#include "report/reading/problem_name.hpp"

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace contextual::log_report {

/// Returned views and pointers are valid as long as the pool. Not thread-safe.
class TextPool {
 public:
  TextPool() = default;
  TextPool(TextPool&&) = default;  // views stay valid: only nodes change their owner
  TextPool& operator=(TextPool&&) = default;

  std::string_view text(std::string value) {
    return *texts_.insert(std::move(value)).first;  // nodes do not move
  }

  const ProblemName* problem(std::string_view kernel, std::string_view key) {
    return &problems_.try_emplace({kernel, key}, ProblemName{kernel, key}).first->second;
  }

 private:
  std::unordered_set<std::string> texts_;
  std::map<std::pair<std::string_view, std::string_view>, ProblemName> problems_;
};

}  // namespace contextual::log_report
