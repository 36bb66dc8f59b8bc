#pragma once

/// \file
/// The name of a tuning problem.

#include <string>
#include <string_view>

namespace contextual::log_report {

/// A tuning problem's name. A TextPool owns one object for each kernel and key, so addresses can be compared.
struct ProblemName {
  std::string_view kernel;
  std::string_view key;
};

/// Returns e.g. "gemm (4096, 4096)".
inline std::string name_of(const ProblemName& problem) {
  return std::string(problem.kernel) + (problem.key.empty() ? "" : " " + std::string(problem.key));
}

}  // namespace contextual::log_report
