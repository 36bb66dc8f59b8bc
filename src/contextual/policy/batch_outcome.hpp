#pragma once

/// \file
/// The outcome of a batch, agreed between all ranks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// What one tuning problem did in one tuning iteration.
struct CellOutcome {
  bool launched = false;
  std::optional<std::int64_t> time_ns;  ///< maximum over ranks; empty if it is missing or invalid
  /// True if the time is missing because a device of some rank was in another state. The config is then not
  /// to blame.
  bool disturbed = false;
  /// False if on every rank the problem's launches overlapped no other work of the iteration.
  bool overlaps = true;
  /// True if the timer has seen only launches, so that other work may lie between them.
  bool only_launches = false;
  bool untimed = false;  ///< the time is missing because the batch asked for none
};

/// One tuning iteration.
struct IterationOutcome {
  std::vector<CellOutcome> cells;  ///< in problem order, including problems that joined in this batch
  /// Maximum over ranks; empty if it is missing, or if on some rank a launch did not use the planned config.
  std::optional<std::int64_t> makespan_ns;
  /// Why the configs failed together, although none of them is to blame by itself; empty if they did not.
  std::string infeasible{};
};

/// A rejected config. Its times from `batch_iteration` on do not count.
struct RejectionOutcome {
  std::size_t problem = 0;
  std::size_t config_id = 0;
  std::size_t batch_iteration = 0;  ///< an index in the batch; 0 if the config could not be prepared
  std::string reason;
  /// True for a default that has not failed: it is no candidate any more, and remains the fallback.
  bool left_out = false;
  std::vector<int> ranks{};  ///< those that rejected it; empty if it was not launched
};

struct BatchOutcome {
  std::vector<IterationOutcome> iterations;  ///< fewer than planned if the rest did not run
  std::vector<RejectionOutcome> rejections;
  std::int64_t elapsed_ns = 0;  ///< since the tuning run began, by the clock of rank 0

  /// Returns true if the configs of some iteration failed together.
  bool any_infeasible() const {
    return std::any_of(iterations.begin(), iterations.end(),
                       [](const IterationOutcome& iteration) { return !iteration.infeasible.empty(); });
  }
};

}  // namespace contextual::policy
