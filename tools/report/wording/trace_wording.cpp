#include "report/wording/trace_wording.hpp"

#include "report/format/quantities.hpp"
#include "report/format/ranges.hpp"

namespace contextual::log_report {

std::string side_name(const AlignedTimeline& timeline) {
  return std::string(enum_text(timeline.side));
}

std::string iteration_text(const AlignedTimeline& timeline) {
  const Timeline& first = timeline.first();
  std::string text = "iteration " + std::to_string(first.tuning_iteration) + " (" +
                     std::string(enum_text(first.phase)) + ")";
  if (first.makespan_ns) {
    text += ", " + duration_text(static_cast<double>(*first.makespan_ns));
  }
  return text;
}

std::string alignment_text(const AlignedTimeline& timeline) {
  if (timeline.anchor == Anchor::none) {
    return "1 rank, so there is nothing to align";
  }
  const std::string ends = "their ends are " + duration_text(timeline.ends_apart_ns) + " apart";
  const std::string ranks = count_text(timeline.ranks.size(), "rank") + ", aligned at the ";
  if (timeline.anchor == Anchor::handshake) {
    return ranks + "end of the handshake to within " + duration_text(timeline.error_ns) + "; " + ends;
  }
  return ranks + "begin of the first tunable launch, for want of a handshake; nothing bounds the error; " +
         ends;
}

std::string gaps_text(const AlignedTimeline& timeline) {
  std::string text;
  if (!timeline.other_ranks.empty()) {
    text = "no timeline of " + ranks_text(timeline.other_ranks);
  }
  std::uint64_t left_out = 0;
  bool others_known = true;
  for (const RankTimeline& rank : timeline.ranks) {
    left_out += static_cast<std::uint64_t>(rank.timeline->left_out_count);
    others_known = others_known && rank.timeline->others_known;
  }
  if (left_out > 0) {
    text += (text.empty() ? "" : "; ") + count_text(left_out, "interval") + " left out";
  }
  if (!others_known) {
    text += std::string(text.empty() ? "" : "; ") + "the timer sees tunable launches only";
  }
  return text;
}

}  // namespace contextual::log_report
