#pragma once

/// \file
/// Ranges of numbers, such as ranks and iterations.

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::log_report {

/// Numbers from `first` to `last`, both included.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  friend bool operator==(const Range&, const Range&) = default;
};

std::vector<Range> ranges_of(const std::vector<std::int64_t>& sorted);

/// Returns e.g. "0-3, 7, 9-12". If there are more than `max_ranges` ranges, ", ..." replaces the rest.
std::string ranges_text(const std::vector<Range>& ranges, std::size_t max_ranges = 12);

/// Returns e.g. "rank 3" or "ranks 0-2, 5".
std::string ranks_text(const std::vector<Range>& ranges);
std::string ranks_text(const std::vector<std::int64_t>& sorted);

}  // namespace contextual::log_report
