#include "report/judging/aligned_timelines.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace contextual::log_report {
namespace {

/// The last one counts, as everywhere where a line is there twice.
const Timeline* timeline_of(const RankRun& rank, TimelineSide side) {
  const Timeline* found = nullptr;
  for (const Timeline& timeline : rank.timelines) {
    if (timeline.side == side && !timeline.launches.empty()) {
      found = &timeline;
    }
  }
  return found;
}

/// The earlier one of two that as many ranks have.
std::optional<std::int64_t> common_iteration(const RunOfAllRanks& run, TimelineSide side) {
  std::map<std::int64_t, std::size_t> counts;
  for (const RankRun* rank : run.ranks) {
    if (const Timeline* timeline = timeline_of(*rank, side)) {
      ++counts[timeline->tuning_iteration];
    }
  }
  std::optional<std::int64_t> most;
  for (const auto& [iteration, count] : counts) {
    if (!most || count > counts[*most]) {
      most = iteration;
    }
  }
  return most;
}

std::int64_t first_launch_ns(const Timeline& timeline) {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  for (const TimelineLaunch& launch : timeline.launches) {
    begin_ns = std::min(begin_ns, launch.begin_ns);
  }
  return begin_ns;
}

const TimelineSpan* handshake_of(const Timeline& timeline) {
  const TimelineSpan* handshake = nullptr;
  const std::int64_t first_ns = first_launch_ns(timeline);
  for (const TimelineSpan& span : timeline.others) {
    const bool before = span.begin_ns < span.end_ns && span.end_ns <= first_ns;
    if (before && (handshake == nullptr || span.end_ns > handshake->end_ns)) {
      handshake = &span;
    }
  }
  return handshake;
}

double anchor_of(const RankTimeline& rank) {
  return static_cast<double>(rank.handshake != nullptr ? rank.handshake->end_ns
                                                       : first_launch_ns(*rank.timeline));
}

/// All ranks or none are aligned at a handshake.
void find_handshakes(AlignedTimeline& aligned) {
  aligned.anchor = Anchor::handshake;
  aligned.error_ns = std::numeric_limits<double>::max();
  for (RankTimeline& rank : aligned.ranks) {
    rank.handshake = handshake_of(*rank.timeline);
    if (rank.handshake == nullptr) {
      aligned.anchor = Anchor::first_launch;
      break;
    }
    aligned.error_ns =
        std::min(aligned.error_ns, static_cast<double>(rank.handshake->end_ns - rank.handshake->begin_ns));
  }
  if (aligned.anchor != Anchor::handshake) {
    for (RankTimeline& rank : aligned.ranks) {
      rank.handshake = nullptr;
    }
  }
}

void shift(AlignedTimeline& aligned) {
  for (const RankTimeline& rank : aligned.ranks) {
    aligned.anchor_ns = std::max(aligned.anchor_ns, anchor_of(rank));
  }
  double first_end_ns = std::numeric_limits<double>::max();
  double last_end_ns = std::numeric_limits<double>::lowest();
  for (RankTimeline& rank : aligned.ranks) {
    rank.shift_ns = aligned.anchor_ns - anchor_of(rank);
    first_end_ns = std::min(first_end_ns, rank.shift_ns + rank.length_ns());
    last_end_ns = std::max(last_end_ns, rank.shift_ns + rank.length_ns());
  }
  aligned.ends_apart_ns = last_end_ns - first_end_ns;
}

void align(AlignedTimeline& aligned) {
  if (aligned.ranks.size() == 1) {
    return;
  }
  find_handshakes(aligned);
  shift(aligned);
  if (aligned.anchor == Anchor::first_launch) {
    aligned.error_ns = aligned.ends_apart_ns;
  }
}

}  // namespace

std::vector<AlignedTimeline> aligned_timelines(const RunOfAllRanks& run) {
  std::vector<AlignedTimeline> sides;
  for (const TimelineSide side : {TimelineSide::defaults, TimelineSide::chosen}) {
    const std::optional<std::int64_t> iteration = common_iteration(run, side);
    if (!iteration) {
      continue;
    }
    AlignedTimeline& aligned = sides.emplace_back();
    aligned.side = side;
    for (const RankRun* rank : run.ranks) {
      const Timeline* timeline = timeline_of(*rank, side);
      if (timeline != nullptr && timeline->tuning_iteration == *iteration) {
        aligned.ranks.push_back({rank, timeline});
      } else {
        aligned.other_ranks.push_back(rank->rank);
      }
    }
    align(aligned);
  }
  return sides;
}

}  // namespace contextual::log_report
