#pragma once

/// \file
/// What is known of a tuning problem while it is tuned and after.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

enum class ProblemStatus {
  walking,    ///< its schedule has steps to come
  walked,     ///< its walk is complete, and it waits for the finals
  locked_in,  ///< its best config is fixed
  /// Its choice is fixed for this run but is no result: the walk was cut short, or the final run accepted no
  /// choice.
  provisional,
  failed,  ///< every config that it could use was rejected
};

/// What the walk measured of one config.
struct ConfigRecord {
  std::vector<std::int64_t> samples_ns;    ///< own times without warm-ups
  std::vector<std::int64_t> makespans_ns;  ///< of the same tuning iterations, where they are known
  std::optional<std::string> rejection;    ///< why it is out; empty when it is not
  bool left_out = false;                   ///< no candidate
  int retakes = 0;                         ///< steps that had to be taken again
};

/// What is known of one tuning problem.
struct ProblemRecord {
  ProblemStatus status = ProblemStatus::walking;
  /// Fixed when locked in or provisional; before that the best so far, else the default.
  std::size_t choice = 0;
  std::string reason;  ///< why `choice`
  std::vector<ConfigRecord> configs;
  std::int64_t walk_iterations = 0;  ///< steps observed, with those that had to be taken again
};

}  // namespace contextual::policy
