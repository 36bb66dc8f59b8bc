#pragma once

/// \file
/// How a tuning problem joins.

#include <cstddef>
#include <optional>
#include <vector>

namespace contextual::policy {

/// What the policy may know of a tuning problem that joins.
struct ProblemRequest {
  std::size_t config_count = 1;  ///< at least 1; config 0 is the default
  /// For each config: true when it is no candidate. Empty when every config is one. A default that is left
  /// out is not tried and wins no tie, but it stays what a first launch and a fallback use. Where every
  /// config is left out, the default stays a candidate.
  std::vector<bool> left_out;
  std::optional<std::size_t> locked_config;  ///< locked in by an earlier run: there is nothing to tune
};

/// Throws InvalidArgument when the request makes no sense.
void check_request(const ProblemRequest& request);

/// Which configs are no candidates, one mark a config. The default is a candidate where nothing else is.
std::vector<bool> left_out_of(const ProblemRequest& request);

}  // namespace contextual::policy
