#include "contextual/autotuner/launch_signature.hpp"

#include "contextual/autotuner/details_text.hpp"
#include "contextual/autotuner/majority.hpp"

#include <contextual/detail/stable_hash.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace contextual::autotuner {
namespace {

using detail::LaunchRecord;
using detail::ThreadLog;
using nlohmann::json;

bool compared(const LaunchRecord& record) {
  return record.slot->participation == Participation::all;
}

std::uint64_t launch_hash(const LaunchRecord& record) {
  return detail::StableHash().add(record.slot->identity).add(record.batch_iteration).value();
}

struct Launch {
  std::int64_t iteration;
  std::string kernel;
  std::string text;
};

std::string text_of(const detail::ProblemSlot& slot) {
  return "kernel \"" + slot.name + "\", key " + slot.key_text + ", " + std::to_string(slot.config_count) +
         " configs (space " + hex_text(slot.space_digest) + ")";
}

/// One list a rank: its own thread's launches in order, then the workers', sorted.
std::vector<Launch> parse(const std::string& details) {
  std::vector<Launch> launches;
  const json parsed = json::parse(details, nullptr, false);
  if (parsed.is_array()) {
    for (const json& launch : parsed) {
      launches.push_back({launch.value("i", std::int64_t{-1}), launch.value("k", ""), launch.value("t", "")});
    }
  }
  return launches;
}

std::string missing(const char* who_has, std::size_t rank, const Launch& launch) {
  return "rank " + std::to_string(rank) + " " + who_has + " " + launch.text + " in tuning iteration " +
         std::to_string(launch.iteration);
}

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
  std::vector<json> by_workers;
  for (const ThreadLog& log : context.threads()) {
    const bool main_thread = &log == &context.threads().front();
    for (const LaunchRecord& record : log.records) {
      if (compared(record)) {
        json launch{{"i", first_iteration + record.batch_iteration},
                    {"k", record.slot->name},
                    {"t", text_of(*record.slot)}};
        main_thread ? launches.push_back(std::move(launch)) : by_workers.push_back(std::move(launch));
      }
    }
  }
  std::sort(by_workers.begin(), by_workers.end(),
            [](const json& a, const json& b) { return a.dump() < b.dump(); });
  for (json& launch : by_workers) {
    launches.push_back(std::move(launch));
  }
  return details_text(launches);
}

std::string describe_difference(const std::vector<std::string>& details) {
  const std::size_t reference_rank = majority_of(details).reference;
  const std::string reference_name = "rank " + std::to_string(reference_rank);
  const std::vector<Launch> reference = parse(details[reference_rank]);
  for (std::size_t rank = 0; rank < details.size(); ++rank) {
    const std::vector<Launch> launches = parse(details[rank]);
    const auto [ours, theirs] = std::mismatch(
        reference.begin(), reference.end(), launches.begin(), launches.end(),
        [](const Launch& a, const Launch& b) { return a.iteration == b.iteration && a.text == b.text; });
    if (ours == reference.end() && theirs == launches.end()) {
      continue;
    }
    if (theirs == launches.end() || (ours != reference.end() && theirs->iteration > ours->iteration)) {
      return missing("did not launch", rank, *ours) + ", " + reference_name + " did";
    }
    if (ours == reference.end() || ours->iteration > theirs->iteration) {
      return missing("launched", rank, *theirs) + ", " + reference_name + " did not";
    }
    return missing("launched", rank, *theirs) + " where " + reference_name + " launched " + ours->text;
  }
  return "the order of launches on worker threads differs (see LaunchOrder::any)";
}

}  // namespace contextual::autotuner
