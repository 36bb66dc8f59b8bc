#pragma once

/// \file
/// Timelines of a tuning run, aligned, as a trace that Perfetto shows.

#include "report/judging/runs.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::log_report {

/// What one rank did in the iteration.
struct RankTimeline {
  const RankRun* rank = nullptr;
  const Timeline* timeline = nullptr;
  double shift_ns = 0;  ///< add it to the timeline's times for the common axis; at least 0
  /// The last other device work that ended before the first tunable launch began, at whose end the ranks are
  /// aligned. Null where some rank has none: then at the begin of that launch.
  const TimelineSpan* handshake = nullptr;

  double length_ns() const {
    return static_cast<double>(timeline->end_ns) - static_cast<double>(timeline->begin_ns);
  }
};

/// One iteration of the chosen set or of the defaults. The first work of some rank is at 0 or later, and the
/// anchors of all ranks are at `anchor_ns`.
struct AlignedTimeline {
  TimelineSide side = TimelineSide::chosen;
  std::vector<RankTimeline> ranks{};        ///< by rank; never empty
  std::vector<std::int64_t> other_ranks{};  ///< ranks of the logs without a timeline of this iteration
  double anchor_ns = 0;

  /// Returns how far the ranks, whose clocks have nothing to do with each other, may be from where they are
  /// shown: the length of the shortest handshake. The rank that came last did not wait in it, and no rank has
  /// left before that one had come. Returns nothing without handshakes.
  std::optional<double> error_ns() const;
  const Timeline& first() const { return *ranks.front().timeline; }
};

/// Returns the timelines of a run: the defaults, then the chosen set, as far as the logs have them. Where the
/// ranks logged different iterations, as a damaged line may say, the one of the lowest rank. `run` must
/// outlive the result.
std::vector<AlignedTimeline> aligned_timelines(const RunOfAllRanks& run);

/// Returns a line on the timelines of a side: which iteration that is, how its ranks are aligned and how
/// exact that is, and what is missing.
std::string timeline_text(const AlignedTimeline& timeline);

/// Returns a file of the Trace Event Format: one process for each rank and side, in the order of `timelines`,
/// and in it a row for the iteration, one or more for each kernel and key, and for other device work. Every
/// side begins near 0. `otherData` has the run, and how each side is aligned. `timelines` are those of `run`.
std::string trace_text(const RunOfAllRanks& run, const std::vector<AlignedTimeline>& timelines);

}  // namespace contextual::log_report
