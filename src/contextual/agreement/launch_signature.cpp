#include "contextual/agreement/launch_signature.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/majority.hpp"
#include "contextual/agreement/space_difference.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace contextual::agreement {
namespace {

using detail::LaunchRecord;
using detail::ThreadLog;
using nlohmann::json;

bool compared(const LaunchRecord& record) {
  return record.slot->problem.participation == Participation::all;
}

std::uint64_t launch_hash(const LaunchRecord& record) {
  return detail::StableHash().add(record.slot->problem.identity).add(record.batch_iteration).value();
}

struct Launch {
  std::int64_t iteration = -1;
  std::string kernel;
  std::string problem;  ///< kernel and key
  std::string space;    ///< which of the rank's spaces
  std::size_t config_count = 0;

  bool operator==(const Launch&) const = default;
};

/// What a rank launched, and the parameters of the config spaces by their name.
struct RankLaunches {
  std::vector<Launch> launches;
  json spaces;
};

std::string problem_text(const detail::ProblemSlot& slot) {
  return "kernel \"" + slot.problem.name + "\", key " + slot.problem.key_text;
}

/// A rank's own thread's launches in order, then the workers', sorted. Nothing of a rank at another point.
RankLaunches parse(const std::string& details) {
  RankLaunches said;
  const json parsed = parse_details(details);
  if (parsed.is_object() && parsed.contains("launches")) {
    said.spaces = parsed.at("spaces");
    for (const json& launch : parsed.at("launches")) {
      said.launches.push_back({launch.at(0), launch.at(1), launch.at(2), launch.at(3), launch.at(4)});
    }
  }
  return said;
}

std::string did(const char* what, std::size_t rank, const Launch& launch) {
  return "rank " + std::to_string(rank) + " " + what + " " + launch.problem + " in tuning iteration " +
         std::to_string(launch.iteration);
}

constexpr const char* other_keys =
    ". The best config may depend on what is equal on all ranks only: make the key of that, such as the "
    "maximum over the ranks, or a range of sizes, `contextual::bucket(n)`, if all ranks are in the same one. "
    "If each rank is to choose for itself, declare the kernel Participation::some, with the rank in its key";
constexpr const char* if_meant = ". If that is meant, declare the kernel Participation::some";

}  // namespace

std::uint64_t launch_digest(detail::RunContext& context) {
  detail::StableHash ordered;
  std::uint64_t unordered = 0;
  for (const ThreadLog& log : context.threads()) {
    const bool main_thread = &log == &context.threads().front();
    detail::StableHash thread;
    bool any = false;
    for (const LaunchRecord& record : log.records) {
      if (!compared(record)) {
        continue;
      }
      any = true;
      if (log.order == LaunchOrder::any) {
        unordered += launch_hash(record);
      } else {
        (main_thread ? ordered : thread).add(launch_hash(record));
      }
    }
    if (any && !main_thread && log.order == LaunchOrder::same) {
      unordered += thread.value();
    }
  }
  return ordered.add(unordered).value();
}

std::string launch_details(detail::RunContext& context, std::int64_t first_iteration) {
  json launches = json::array();
  json spaces = json::object();
  std::vector<json> by_workers;
  for (const ThreadLog& log : context.threads()) {
    const bool main_thread = &log == &context.threads().front();
    for (const LaunchRecord& record : log.records) {
      if (compared(record)) {
        const detail::ProblemSlot& slot = *record.slot;
        const std::string space = detail::hex_text(slot.problem.space_digest);
        if (!spaces.contains(space)) {
          spaces[space] = parameters_of(slot.found.members.front()->space());
        }
        json launch = json::array({first_iteration + record.batch_iteration, slot.problem.name,
                                   problem_text(slot), space, slot.problem.config_count});
        main_thread ? launches.push_back(std::move(launch)) : by_workers.push_back(std::move(launch));
      }
    }
  }
  std::sort(by_workers.begin(), by_workers.end(),
            [](const json& a, const json& b) { return a.dump() < b.dump(); });
  for (json& launch : by_workers) {
    launches.push_back(std::move(launch));
  }
  return details_text({{"launches", std::move(launches)}, {"spaces", std::move(spaces)}});
}

std::string describe_difference(const std::vector<std::string>& details) {
  const std::size_t reference_rank = majority_of(details).reference;
  const std::string reference_name = "rank " + std::to_string(reference_rank);
  const RankLaunches reference = parse(details[reference_rank]);
  for (std::size_t rank = 0; rank < details.size(); ++rank) {
    const RankLaunches said = parse(details[rank]);
    const auto [ours, theirs] = std::mismatch(reference.launches.begin(), reference.launches.end(),
                                              said.launches.begin(), said.launches.end());
    const bool ours_ended = ours == reference.launches.end();
    const bool theirs_ended = theirs == said.launches.end();
    if (ours_ended && theirs_ended) {
      continue;
    }
    if (theirs_ended || (!ours_ended && theirs->iteration > ours->iteration)) {
      return did("did not launch", rank, *ours) + ", " + reference_name + " did" + if_meant;
    }
    if (ours_ended || ours->iteration > theirs->iteration) {
      return did("launched", rank, *theirs) + ", " + reference_name + " did not" + if_meant;
    }
    if (ours->problem != theirs->problem) {
      return did("launched", rank, *theirs) + " where " + reference_name + " launched " + ours->problem +
             (ours->kernel == theirs->kernel ? other_keys : if_meant);
    }
    return did("launched", rank, *theirs) + " with another config space than " + reference_name + " (" +
           std::to_string(theirs->config_count) + " and " + std::to_string(ours->config_count) +
           " configs): " +
           space_difference(rank, said.spaces.at(theirs->space), reference_rank,
                            reference.spaces.at(ours->space)) +
           ". Define the kernel alike on all ranks";
  }
  return "the order of launches on worker threads differs (see LaunchOrder::any)";
}

}  // namespace contextual::agreement
