#include "report/trace/lanes.hpp"

#include <algorithm>
#include <numeric>

namespace contextual::log_report {

std::vector<std::size_t> lanes_of(const std::vector<Interval>& intervals) {
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return intervals[a].begin_ns < intervals[b].begin_ns;
  });
  std::vector<std::size_t> lanes(intervals.size());
  std::vector<double> ends_ns;  // by lane
  for (const std::size_t i : order) {
    const auto free = std::find_if(ends_ns.begin(), ends_ns.end(),
                                   [&](double end_ns) { return end_ns <= intervals[i].begin_ns; });
    lanes[i] = static_cast<std::size_t>(free - ends_ns.begin());
    if (free == ends_ns.end()) {
      ends_ns.push_back(intervals[i].end_ns);
    } else {
      *free = intervals[i].end_ns;
    }
  }
  return lanes;
}

}  // namespace contextual::log_report
