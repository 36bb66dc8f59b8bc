#include "report/format/ranges.hpp"

namespace contextual::log_report {

std::vector<Range> ranges_of(const std::vector<std::int64_t>& sorted) {
  std::vector<Range> ranges;
  for (const std::int64_t number : sorted) {
    if (ranges.empty() || number - ranges.back().last > 1) {
      ranges.push_back({number, number});
    }
    ranges.back().last = number;
  }
  return ranges;
}

std::string ranges_text(const std::vector<Range>& ranges, std::size_t max_ranges) {
  std::string text;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    text += i == 0 ? "" : ", ";
    if (i == max_ranges) {
      return text + "...";
    }
    const auto [first, last] = ranges[i];
    text += std::to_string(first);
    if (last != first) {
      text += (last - first == 1 ? ", " : "-") + std::to_string(last);
    }
  }
  return text;
}

std::string ranks_text(const std::vector<Range>& ranges) {
  const bool one = ranges.size() == 1 && ranges.front().first == ranges.front().last;
  return (one ? "rank " : "ranks ") + ranges_text(ranges);
}

std::string ranks_text(const std::vector<std::int64_t>& sorted) {
  return ranks_text(ranges_of(sorted));
}

}  // namespace contextual::log_report
