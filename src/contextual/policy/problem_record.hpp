#pragma once

/// \file
/// What is known about a tuning problem, while it is tuned and afterwards.

#include "contextual/policy/reason.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace contextual::policy {

enum class ProblemStatus {
  exploring,  ///< a choice point: the problems of its alternatives are being tuned
  walking,    ///< it has further steps
  walked,     ///< its walk is complete, and it waits for the search
  locked_in,  ///< its best config is fixed
  /// Its choice is used in this run but is not a result: the walk was cut short, or the final run accepted no
  /// choice.
  provisional,
  failed,  ///< every config that it could use was rejected
};

/// What the walk measured of one config.
struct ConfigRecord {
  std::vector<std::int64_t> samples_ns;    ///< own times without warm-ups
  std::vector<std::int64_t> makespans_ns;  ///< the known makespans of the same tuning iterations
  std::optional<Reason> rejection;         ///< why it was rejected; empty if it was not
  bool left_out = false;                   ///< true if it is not a candidate
  int retakes = 0;                         ///< steps that had to be repeated
};

/// What is known of one tuning problem.
struct ProblemRecord {
  ProblemStatus status = ProblemStatus::walking;
  /// Before the problem is locked in or provisional, the best config so far, or the default if there is none.
  std::size_t choice = 0;
  Reason reason;  ///< why `choice`
  std::vector<ConfigRecord> configs;
  int warmups = 0;                   ///< uses of each config in the walk before its samples count
  int repeats = 0;                   ///< samples of each config that the walk takes
  std::int64_t walk_iterations = 0;  ///< steps observed, including those that had to be repeated
};

}  // namespace contextual::policy
