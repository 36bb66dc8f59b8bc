#include "contextual/tuning/run_reports.hpp"

#include <contextual/detail/storage/warning.hpp>

#include <algorithm>
#include <utility>

namespace contextual::tuning {

Report RunReports::all() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

std::string RunReports::last_run_id(const std::string& region) const {
  const std::lock_guard lock(mutex_);
  const RegionReport* run = report_.find(region);
  return run == nullptr ? std::string() : run->run_id;
}

void RunReports::add(RegionReport&& latest) {
  const auto nothing_tuned = [](const RegionReport& run) { return run.table.size() <= 1; };
  const auto of_region = [&](const RegionReport& run) { return run.region == latest.region; };
  const std::lock_guard lock(mutex_);
  std::vector<RegionReport>& runs = report_.runs;
  const auto before = std::find_if(runs.rbegin(), runs.rend(), of_region);
  if (before != runs.rend() && nothing_tuned(*before) && nothing_tuned(latest)) {
    *before = std::move(latest);
    return;
  }
  if (std::count_if(runs.begin(), runs.end(), of_region) >= Report::most_runs_of_region) {
    runs.erase(std::find_if(runs.begin(), runs.end(), of_region));
  }
  runs.push_back(std::move(latest));
}

void RunReports::note_unlogged(const std::string& region, Mode mode,
                               const std::vector<std::string>& warnings) {
  std::for_each(warnings.begin(), warnings.end(), detail::warn_once);
  const std::lock_guard lock(mutex_);
  std::vector<RegionReport>& runs = report_.runs;
  if (report_.find(region) == nullptr) {
    runs.emplace_back().region = region;
    runs.back().mode = mode;
  }
  const auto latest =
      std::find_if(runs.rbegin(), runs.rend(), [&](const RegionReport& run) { return run.region == region; });
  latest->warnings.insert(latest->warnings.end(), warnings.begin(), warnings.end());
}

}  // namespace contextual::tuning
