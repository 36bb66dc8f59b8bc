#include "contextual/tuning/makespans.hpp"

#include <algorithm>

namespace contextual::tuning {
namespace {

using Makespans = std::vector<std::optional<std::int64_t>>;

bool has_extent(const IterationTiming& timing) {
  return timing.end_ns > timing.begin_ns;
}

bool same_configs(const std::vector<policy::IterationPlan>& iterations) {
  return std::all_of(iterations.begin(), iterations.end(), [&](const policy::IterationPlan& iteration) {
    return std::equal(iteration.cells.begin(), iteration.cells.end(), iterations.front().cells.begin(),
                      iterations.front().cells.end(), [](const policy::Cell& one, const policy::Cell& first) {
                        return one.config_id == first.config_id;
                      });
  });
}

Makespans as_reported(std::size_t length, std::span<const IterationTiming> timings) {
  Makespans makespans(length);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    if (timings[i].makespan_ns > 0) {
      makespans[i] = timings[i].makespan_ns;
    }
  }
  return makespans;
}

}  // namespace

Makespans makespans_of(const detail::BatchPlan& plan, std::span<const IterationTiming> timings,
                       Iterations iterations) {
  const bool extents_reported = std::any_of(timings.begin(), timings.end(), has_extent);
  if (iterations == Iterations::joined || !extents_reported) {
    return as_reported(plan.length(), timings);
  }
  const bool all_known =
      timings.size() == plan.length() && std::all_of(timings.begin(), timings.end(), has_extent);
  if (!all_known || !same_configs(plan.iterations)) {
    return Makespans(plan.length());
  }
  std::int64_t begin_ns = timings.front().begin_ns;
  std::int64_t end_ns = timings.front().end_ns;
  for (const IterationTiming& timing : timings) {
    begin_ns = std::min(begin_ns, timing.begin_ns);
    end_ns = std::max(end_ns, timing.end_ns);
  }
  const std::int64_t each_ns = (end_ns - begin_ns) / static_cast<std::int64_t>(timings.size());
  Makespans makespans(plan.length(), std::max<std::int64_t>(each_ns, 1));
  return makespans;
}

}  // namespace contextual::tuning
