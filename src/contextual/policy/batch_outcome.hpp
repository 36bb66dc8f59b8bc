#pragma once

/// \file
/// What a batch brought, as all ranks agreed on it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// What one tuning problem did in one tuning iteration.
struct CellOutcome {
  bool launched = false;
  std::optional<std::int64_t> time_ns;  ///< MAX over ranks; empty when it is missing or invalid
  /// The time is missing because a device was in another state on some rank: the config is not to blame.
  bool disturbed = false;
};

/// One tuning iteration.
struct IterationOutcome {
  std::vector<CellOutcome> cells;  ///< in problem order, with those of problems that joined in the batch
  std::optional<std::int64_t> makespan_ns;  ///< MAX over ranks; empty when it is missing
};

/// A config is out. What it did from `batch_iteration` on does not count.
struct RejectionOutcome {
  std::size_t problem = 0;
  std::size_t config_id = 0;
  std::size_t batch_iteration = 0;  ///< an index of the batch; 0 also when the config could not be prepared
  std::string reason;
};

struct BatchOutcome {
  std::vector<IterationOutcome> iterations;  ///< fewer than were planned where the rest did not run
  std::vector<RejectionOutcome> rejections;
};

}  // namespace contextual::policy
