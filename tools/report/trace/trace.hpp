#pragma once

/// \file
/// Timelines of a tuning run, aligned, as a trace that Perfetto shows.

#include "report/judging/runs.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::log_report {

/// Where the ranks' clocks, which have nothing to do with each other, are made to agree.
enum class Anchor : std::uint8_t {
  none,          ///< one rank: nothing to align
  handshake,     ///< the end of the last other device work that ended before the first tunable launch began
  first_launch,  ///< the begin of the first tunable launch
};

/// What one rank did in the iteration.
struct RankTimeline {
  const RankRun* rank = nullptr;
  const Timeline* timeline = nullptr;
  double shift_ns = 0;  ///< add it to the timeline's times for the common axis; at least 0
  const TimelineSpan* handshake = nullptr;  ///< null unless the ranks are aligned there

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
  Anchor anchor = Anchor::none;
  double anchor_ns = 0;
  /// How far the ranks may be from where they are shown: for a handshake, the length of the shortest one. The
  /// rank that came last did not wait in it, and no rank has left before that one had come. Nothing bounds a
  /// first launch.
  double error_ns = 0;
  double ends_apart_ns = 0;  ///< from the first to the last end of a rank's iteration, as aligned

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
