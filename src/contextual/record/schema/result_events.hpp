#pragma once

/// \file
/// Events about what was measured: a search, whose assignments are lists of config ids in the order of
/// `problems`, the limit by the parts of a region, and when the work of an iteration ran.

#include "contextual/record/schema/enum_texts.hpp"
#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace contextual::record::schema {

/// A problem of the assignments.
template <typename Storage>
struct SearchedProblem {
  typename Storage::Problem problem{};
  ChosenBy chosen_by = ChosenBy::not_tuned;
  std::optional<std::int64_t> config_id{};           ///< the chosen one; empty if no assignment can be used
  std::optional<std::int64_t> own_time_config_id{};  ///< the best one by the problem's own time

  bool operator==(const SearchedProblem&) const = default;

  static constexpr auto fields() {
    using P = SearchedProblem;
    return std::tuple{
        field("kernel", &P::problem).shown("kernel"),  // and "key"
        field("chosen_by", &P::chosen_by).shown("chosen by"),
        field("config_id", &P::config_id).as_id().shown("config-id").or_shown_as("none"),
        field("own_time_config_id", &P::own_time_config_id).as_id().shown_if_set("by own time")};
  }
};

/// An assignment that the search has measured.
template <typename Storage>
struct MeasuredAssignment {
  std::vector<std::int64_t> config_ids{};
  std::int64_t sample_count = 0;
  std::optional<double> makespan_ns{};  ///< the mean of its samples, without stalls of the machine
  std::optional<double> spread_ns{};    ///< their standard deviation
  Standing standing = Standing::other;

  bool operator==(const MeasuredAssignment&) const = default;

  static constexpr auto fields() {
    using M = MeasuredAssignment;
    return std::tuple{field("config_ids", &M::config_ids).as_id(), field("sample_count", &M::sample_count),
                      field("makespan_ns", &M::makespan_ns), field("spread_ns", &M::spread_ns),
                      field("standing", &M::standing)};
  }
};

/// An assignment that failed as a whole.
template <typename Storage>
struct InfeasibleAssignment {
  std::vector<std::int64_t> config_ids{};
  typename Storage::Text reason{};

  bool operator==(const InfeasibleAssignment&) const = default;

  static constexpr auto fields() {
    return std::tuple{field("config_ids", &InfeasibleAssignment::config_ids).as_id(),
                      field("reason", &InfeasibleAssignment::reason)};
  }
};

/// An assignment that lost the closing comparison, so that the next best took its place.
template <typename Storage>
struct LostAssignment {
  std::vector<std::int64_t> config_ids{};
  std::optional<double> gain{};  ///< over the reference, a fraction of its makespan
  std::optional<double> gain_low{};
  std::optional<double> gain_high{};

  bool operator==(const LostAssignment&) const = default;

  static constexpr auto fields() {
    using L = LostAssignment;
    return std::tuple{field("config_ids", &L::config_ids).as_id().shown("config-ids"),
                      field("gain", &L::gain).shown("gain", Unit::fraction),
                      field("gain_low", &L::gain_low).shown("at least", Unit::fraction),
                      field("gain_high", &L::gain_high).shown("at most", Unit::fraction)};
  }
};

/// A search is over.
template <typename Storage>
struct SearchResult {
  using Text = typename Storage::Text;
  std::vector<SearchedProblem<Storage>> problems{};
  std::int64_t existing_count = 0;  ///< assignments that the search could have tried
  std::int64_t measured_count = 0;
  std::int64_t failed_count = 0;  ///< assignments known to be infeasible, the walk's included
  std::int64_t run_count = 0;     ///< of the region
  std::int64_t lead_in_count = 0;
  std::vector<MeasuredAssignment<Storage>> measured{};
  std::vector<InfeasibleAssignment<Storage>> infeasible{};
  std::int64_t within_noise_count = 0;  ///< measured assignments that tie with the choice
  Text reason{};                        ///< why this choice
  Text cut{};                           ///< why it ended before it was complete; empty if it was complete
  SearchReference reference = SearchReference::none;  ///< of the closing comparison
  std::vector<std::int64_t> reference_config_ids{};
  std::int64_t round_count = 0;  ///< of the closing comparison, those that count
  std::optional<double> reference_makespan_ns{};
  std::optional<double> reference_spread_ns{};
  std::optional<double> choice_makespan_ns{};
  std::optional<double> choice_spread_ns{};
  std::optional<double> gain{};  ///< over the reference, a fraction of its makespan
  std::optional<double> gain_low{};
  std::optional<double> gain_high{};
  std::vector<LostAssignment<Storage>> lost{};
  std::optional<double> own_time_cost{};  ///< what the choices by own time cost, a fraction
  bool unsure = false;                    ///< see SearchReport

  static constexpr std::string_view event_name = "search";
  static constexpr auto fields() {
    using S = SearchResult;
    return std::tuple{
        field("problems", &S::problems).shown("searched"),
        field("existing_count", &S::existing_count).shown("existing"),
        field("measured_count", &S::measured_count).shown("measured"),
        field("failed_count", &S::failed_count).shown("failed"),
        field("run_count", &S::run_count).shown("runs"),
        field("lead_in_count", &S::lead_in_count).shown("lead-ins"),
        field("measured", &S::measured),
        field("infeasible", &S::infeasible),
        field("within_noise_count", &S::within_noise_count).shown("within noise of the choice"),
        field("reason", &S::reason).shown("reason"),
        field("cut", &S::cut).shown_if_set("cut"),
        field("reference", &S::reference).shown("compared with"),
        field("reference_config_ids", &S::reference_config_ids).as_id().shown_if_set("its config-ids"),
        field("round_count", &S::round_count).shown_if_set("rounds"),
        field("reference_makespan_ns", &S::reference_makespan_ns)
            .shown_if_set("its makespan", Unit::latency_ns),
        field("reference_spread_ns", &S::reference_spread_ns),
        field("choice_makespan_ns", &S::choice_makespan_ns)
            .shown_if_set("makespan of the choice", Unit::latency_ns),
        field("choice_spread_ns", &S::choice_spread_ns),
        field("gain", &S::gain).shown_if_set("gain", Unit::fraction),
        field("gain_low", &S::gain_low).shown_if_set("at least", Unit::fraction),
        field("gain_high", &S::gain_high).shown_if_set("at most", Unit::fraction),
        field("lost", &S::lost).shown_if_set("lost"),
        field("own_time_cost", &S::own_time_cost).shown_if_set("cost of own times", Unit::fraction),
        field("unsure", &S::unsure).shown_if_set("unsure")};
  }
};

/// A part of a region, which was run alone.
template <typename Storage>
struct PartTime {
  typename Storage::Text name{};
  std::optional<double> makespan_ns{};
  std::optional<double> spread_ns{};

  bool operator==(const PartTime&) const = default;

  static constexpr auto fields() {
    return std::tuple{
        field("name", &PartTime::name).needed().shown("name"),
        field("makespan_ns", &PartTime::makespan_ns).shown("makespan", Unit::latency_ns).or_shown_as("none"),
        field("spread_ns", &PartTime::spread_ns)};
  }
};

/// How short the region could be, by its parts.
template <typename Storage>
struct Limit {
  std::int64_t round_count = 0;
  std::vector<PartTime<Storage>> parts{};
  std::optional<double> result_ns{};  ///< makespan of the whole region in the same rounds
  std::optional<double> result_spread_ns{};
  std::optional<double> limit_ns{};  ///< of the longest part
  std::optional<double> hidden{};    ///< (sum - result) / (sum - longest)

  static constexpr std::string_view event_name = "limit";
  static constexpr auto fields() {
    using L = Limit;
    return std::tuple{field("round_count", &L::round_count).shown("rounds"),
                      field("parts", &L::parts).shown("part"),
                      field("result_ns", &L::result_ns).shown_if_set("result", Unit::latency_ns),
                      field("result_spread_ns", &L::result_spread_ns),
                      field("limit_ns", &L::limit_ns).shown_if_set("limit", Unit::latency_ns),
                      field("hidden", &L::hidden).shown_if_set("hidden", Unit::fraction)};
  }
};

/// An interval in which a launch of a tunable kernel kept a device or the host busy.
template <typename Storage>
struct TimelineLaunch {
  typename Storage::Problem problem{};
  std::int64_t config_id = 0;
  std::int64_t device = 0;    ///< -1 for the host
  std::int64_t begin_ns = 0;  ///< since the begin of the iteration
  std::int64_t end_ns = 0;

  bool operator==(const TimelineLaunch&) const = default;

  static constexpr auto fields() {
    using L = TimelineLaunch;
    return std::tuple{field("kernel", &L::problem).needed(),  // and "key"
                      field("config_id", &L::config_id).as_id(),
                      field("device", &L::device).at_least(-1).as_id(), field("begin_ns", &L::begin_ns),
                      field("end_ns", &L::end_ns)};
  }
};

/// An interval in which a device did other work of the region.
struct TimelineSpan {
  std::int64_t device = 0;
  std::int64_t begin_ns = 0;  ///< since the begin of the iteration
  std::int64_t end_ns = 0;

  bool operator==(const TimelineSpan&) const = default;

  static constexpr auto fields() {
    using S = TimelineSpan;
    return std::tuple{field("device", &S::device).as_id(), field("begin_ns", &S::begin_ns),
                      field("end_ns", &S::end_ns)};
  }
};

/// When the work of one tuning iteration ran on this rank.
template <typename Storage>
struct Timeline {
  TimelineSide side = TimelineSide::chosen;
  Phase phase = Phase::search;
  std::int64_t tuning_iteration = 0;
  std::optional<std::int64_t> makespan_ns{};  ///< maximum over ranks; in the final run, of this rank
  std::int64_t begin_ns = 0;                  ///< on this rank's clock
  std::int64_t end_ns = 0;                    ///< on this rank's clock
  std::vector<TimelineLaunch<Storage>> launches{};
  bool others_known = false;  ///< false if the timer does not see work outside of launches
  std::vector<TimelineSpan> others{};
  std::int64_t left_out_count = 0;  ///< intervals that are not listed

  static constexpr std::string_view event_name = "timeline";
  /// The intervals are not shown to people: they are for contextual-report.
  static constexpr auto fields() {
    using T = Timeline;
    return std::tuple{field("side", &T::side).needed().shown("timeline of"),
                      field("phase", &T::phase).shown("phase"),
                      field("tuning_iteration", &T::tuning_iteration).needed().shown("tuning-iter"),
                      field("makespan_ns", &T::makespan_ns).shown_if_set("makespan", Unit::latency_ns),
                      field("begin_ns", &T::begin_ns).of_any_sign(),
                      field("end_ns", &T::end_ns).of_any_sign(),
                      field("launches", &T::launches),
                      field("others_known", &T::others_known),
                      field("others", &T::others),
                      field("left_out_count", &T::left_out_count)};
  }
};

}  // namespace contextual::record::schema
