#pragma once

/// \file
/// The request by which a tuning problem joins.

#include <contextual/config.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// The alternative in whose call a problem is launched.
struct UnderAlternative {
  std::size_t choice_point = 0;  ///< the problem whose configs are the alternatives; it has joined before
  std::size_t alternative = 0;   ///< its config
  bool operator==(const UnderAlternative&) const = default;
};

/// What the policy knows about a tuning problem that joins.
struct ProblemRequest {
  std::size_t config_count = 1;  ///< at least 1; config 0 is the default
  /// True for each config that is not a candidate; empty if every config is one. A default that is left out
  /// is not tried and wins no tie, but first launches and fallbacks still use it. If every config is left
  /// out, the default remains a candidate.
  std::vector<bool> left_out;
  std::optional<std::size_t>
      locked_config;     ///< set if an earlier run locked it in; nothing is to be tuned then
  std::string kernel{};  ///< for searches
  std::string key{};     ///< for searches
  /// By config, equal on all ranks; null if some rank does not know them.
  std::shared_ptr<const std::vector<Config>> parameters{};
  /// So many configs at the end are refinements: the walk leaves them out, and a search tries them near the
  /// best. Less than `config_count`.
  std::size_t refinement_count = 0;
  bool has_verify = false;  ///< its results are judged by batch, so a batch has one assignment
  /// True if its configs are alternatives, each of which may launch problems of its own. They are tuned one
  /// after the other before the alternatives are compared.
  bool choice_point = false;
  /// By starting point of the search: the config that was chosen there, or nothing where it is not known.
  std::vector<std::optional<std::size_t>> chosen_elsewhere{};
  std::optional<UnderAlternative> under{};  ///< set if an alternative launches it
};

/// Throws InvalidArgument if the request makes no sense.
void check_request(const ProblemRequest& request);

/// Returns, for each config, true if it is not a candidate. The default is a candidate if no other config is.
std::vector<bool> left_out_of(const ProblemRequest& request);

}  // namespace contextual::policy
