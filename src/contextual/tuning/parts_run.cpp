#include "contextual/tuning/parts_run.hpp"

#include <algorithm>

namespace contextual::tuning {
namespace {

constexpr int least_rounds = 5;

}  // namespace

int PartsRun::rounds_of(const options::ResolvedOptions& options) {
  return std::max(least_rounds, options.policy.closing_rounds);
}

LimitReport PartsRun::measure(const std::string& name, const std::function<void()>& region) {
  record::PartSamples result{name, {}};
  std::vector<record::PartSamples> parts;
  for (const RegionPart& part : options_.parts) {
    parts.push_back({part.name, {}});
  }
  const std::size_t count = parts.size() + 1;
  for (int round = 0; round < rounds_of(options_); ++round) {
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t i = round % 2 == 0 ? place : count - 1 - place;
      const bool whole = i == parts.size();
      const std::optional<std::int64_t> makespan_ns =
          turns_.turn(whole ? region : options_.parts[i].call, TurnUses::what_is_locked_in);
      if (makespan_ns) {
        (whole ? result : parts[i]).makespans_ns.push_back(*makespan_ns);
      }
    }
  }
  return record::limit_of(result, parts);
}

}  // namespace contextual::tuning
