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

/// "0-3, 7, 9-12"; ", ..." replaces what follows `max_ranges` ranges.
std::string ranges_text(const std::vector<Range>& ranges, std::size_t max_ranges = 12);

/// "rank 3" or "ranks 0-2, 5".
std::string ranks_text(const std::vector<Range>& ranges);
std::string ranks_text(const std::vector<std::int64_t>& sorted);

}  // namespace contextual::log_report
