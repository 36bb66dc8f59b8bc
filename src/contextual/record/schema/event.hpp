#pragma once

/// \file
/// The events of a log: the members of each and, below them, one row per member. docs/log-format.md says what
/// they mean. The writers of both logs and the reader follow the rows. A new field therefore needs a member
/// and a row here, and code that sets it where its event is made (make_events.cpp, recorder.cpp,
/// timeline_keeper.cpp; for `blocked`, tuning/blocked_rank.cpp).
///
/// `Storage` says how an event holds texts, problems and configs. The library's events own them (events.hpp);
/// a reader of many logs keeps equal ones once.

#include "contextual/record/schema/enum_texts.hpp"
#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace contextual::record::schema {

// About a whole run: its begin, the meeting of all ranks, its progress, its end; warnings and devices.

/// A `run` begins.
template <typename Storage>
struct RunStart {
  using Text = typename Storage::Text;
  std::int64_t rank_count = 1;
  Text group{};                    ///< the communicator in words, e.g. "MPI (2 ranks)"
  std::int64_t process_rank = -1;  ///< in the whole program, as in the file's name; -1 if not known
  Text time_iso8601{};             ///< e.g. "2026-01-31T12:00:00Z"
  Text options{};                  ///< e.g. "n_warmup=3 n_repeat=5"
  Text restore{};  ///< the names of the buffers of Options::restore, quoted; empty without any

  static constexpr std::string_view event_name = "run_start";
  static constexpr auto fields() {
    return std::tuple{field("rank_count", &RunStart::rank_count).needed().at_least(1).as_id().shown("ranks"),
                      field("group", &RunStart::group).shown("group"),
                      field("process_rank", &RunStart::process_rank).as_id().shown("process-rank"),
                      field("time_iso8601", &RunStart::time_iso8601).shown("start"),
                      field("options", &RunStart::options).shown("options"),
                      field("restore", &RunStart::restore).shown_if_set("restore")};
  }
};

/// All ranks have met, in the same region and with the same options.
template <typename Storage>
struct Hello {
  using Text = typename Storage::Text;
  Text tuning_id{};                             ///< equal on all ranks, and different for every tuning run
  Text timer{};                                 ///< e.g. "CUPTI"; empty if not known
  std::optional<std::int64_t> timer_bias_ns{};  ///< by how much the timer overstates a launch; not subtracted

  static constexpr std::string_view event_name = "hello";
  static constexpr auto fields() {
    return std::tuple{
        field("tuning_id", &Hello::tuning_id).needed().shown("tuning"),
        field("timer", &Hello::timer).shown("timer"),
        field("timer_bias_ns", &Hello::timer_bias_ns).of_any_sign().shown_if_set("timer-bias", Unit::ms)};
  }
};

/// A warning, for example about launches by threads without the region's context.
template <typename Storage>
struct Warning {
  typename Storage::Text text{};

  static constexpr std::string_view event_name = "warning";
  static constexpr auto fields() { return std::tuple{field("text", &Warning::text).shown("warning")}; }
};

/// The progress of a run.
template <typename Storage>
struct Progress {
  Phase phase = Phase::walk;
  std::int64_t iterations_done = 0;
  std::int64_t iterations_expected = 0;  ///< at most so many by the end of the run, as far as is known
  std::int64_t problem_count = 0;        ///< known tuning problems
  std::int64_t elapsed_ns = 0;
  std::optional<std::int64_t> estimated_left_ns{};

  static constexpr std::string_view event_name = "progress";
  static constexpr auto fields() {
    return std::tuple{
        field("phase", &Progress::phase).needed().shown("phase"),
        field("iterations_done", &Progress::iterations_done).shown("iterations"),
        field("iterations_expected", &Progress::iterations_expected).shown("expected"),
        field("problem_count", &Progress::problem_count).shown("problems"),
        field("elapsed_ns", &Progress::elapsed_ns).shown("elapsed", Unit::duration),
        field("estimated_left_ns", &Progress::estimated_left_ns).shown_if_set("left", Unit::duration)};
  }
};

/// A `run` ends, with or without an error.
template <typename Storage>
struct RunEnd {
  using Text = typename Storage::Text;
  EndStatus status = EndStatus::ok;
  Text error{};                              ///< the exception's text; empty if there was none
  Text error_type{};                         ///< its class, e.g. "CommunicationError"; "region" if not ours
  std::vector<std::int64_t> blamed_ranks{};  ///< missing, failed or differing, as far as this rank knows
  RunStage phase = RunStage::hello;          ///< of the last batch
  std::int64_t tuning_iteration = -1;        ///< the last one that was begun; -1 if not known
  std::int64_t problem_count = 0;
  std::int64_t walk_iterations = 0;
  std::int64_t search_iterations = 0;
  std::int64_t retakes = 0;
  std::int64_t rejected_count = 0;  ///< configs
  std::int64_t elapsed_ns = 0;

  bool ok() const { return status == EndStatus::ok; }

  static constexpr std::string_view event_name = "run_end";
  static constexpr auto fields() {
    return std::tuple{field("status", &RunEnd::status).needed().shown("end"),
                      field("error", &RunEnd::error).shown_if_set("error"),
                      field("error_type", &RunEnd::error_type).shown_if_set("type"),
                      field("blamed_ranks", &RunEnd::blamed_ranks).as_id().shown_if_set("ranks to look at"),
                      field("phase", &RunEnd::phase).needed().shown("phase"),
                      field("tuning_iteration", &RunEnd::tuning_iteration).at_least(-1).shown("tuning-iter"),
                      field("problem_count", &RunEnd::problem_count).shown("problems"),
                      field("walk_iterations", &RunEnd::walk_iterations).shown("walk"),
                      field("search_iterations", &RunEnd::search_iterations).shown("search"),
                      field("retakes", &RunEnd::retakes).shown("retakes"),
                      field("rejected_count", &RunEnd::rejected_count).shown("rejected configs"),
                      field("elapsed_ns", &RunEnd::elapsed_ns).shown("elapsed", Unit::duration)};
  }
};

/// The state of a device while a batch of tuning iterations ran.
template <typename Storage>
struct DeviceConditions {
  using Text = typename Storage::Text;
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;  ///< the batch's first
  std::int64_t iteration_count = 0;
  std::int64_t device = 0;
  std::optional<std::int64_t> sm_clock_mhz{};
  std::optional<std::int64_t> memory_clock_mhz{};
  std::optional<std::int64_t> temperature_celsius{};
  std::optional<std::int64_t> power_watts{};
  Text slowed_by{};    ///< e.g. "power cap"; empty if nothing slowed it down
  Text disturbance{};  ///< why the batch's times do not count; empty if they do

  static constexpr std::string_view event_name = "device";
  static constexpr auto fields() {
    using D = DeviceConditions;
    return std::tuple{
        field("phase", &D::phase).needed().shown("phase"),
        field("tuning_iteration", &D::tuning_iteration).shown("tuning-iter"),
        field("iteration_count", &D::iteration_count),
        field("device", &D::device).needed().as_id().shown("device"),
        field("sm_clock_mhz", &D::sm_clock_mhz).shown_if_set("SM-clock", Unit::megahertz),
        field("memory_clock_mhz", &D::memory_clock_mhz).shown_if_set("memory-clock", Unit::megahertz),
        field("temperature_celsius", &D::temperature_celsius)
            .of_any_sign()
            .shown_if_set("temperature", Unit::celsius),
        field("power_watts", &D::power_watts).shown_if_set("power", Unit::watts),
        field("slowed_by", &D::slowed_by).shown_if_set("slowed by"),
        field("disturbance", &D::disturbance).shown_if_set("does not count")};
  }
};

// About configs of tuning problems.

/// A config of a problem.
template <typename Storage>
struct ConfigUse {
  typename Storage::Problem problem{};  ///< without a kernel if there is none
  std::int64_t id = 0;                  ///< index in the kernel's config space
  typename Storage::Config values{};

  bool operator==(const ConfigUse&) const = default;

  static constexpr auto fields() {
    return std::tuple{field("kernel", &ConfigUse::problem).needed().shown("kernel"),  // and "key"
                      field("config_id", &ConfigUse::id).needed().as_id().shown("config-id"),
                      field("config", &ConfigUse::values).needed().shown("config")};
  }
};

/// One launch in a tuning iteration, or a problem that was due but was not launched.
template <typename Storage>
struct Launch {
  using Text = typename Storage::Text;
  ConfigUse<Storage> config{};
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;
  std::optional<std::int64_t>
      step_iteration{};  ///< counts the uses of the config in the walk, or the runs of the search, from 0
  LaunchRole role = LaunchRole::repeat;
  LaunchStatus status = LaunchStatus::ok;
  Text detail{};                                    ///< why the status is not ok, or has no time
  std::optional<std::int64_t> local_ns{};           ///< own time on this rank
  std::optional<std::int64_t> agreed_ns{};          ///< own time, maximum over ranks
  std::optional<std::int64_t> makespan_ns{};        ///< of the tuning iteration, maximum over ranks
  std::optional<std::int64_t> local_makespan_ns{};  ///< of the tuning iteration, on this rank
  std::optional<double> centre_ns{};  ///< set on a config's last repeat: its agreed centre so far

  static constexpr std::string_view event_name = "launch";
  static constexpr auto fields() {
    return std::tuple{group(&Launch::config).shown(""),
                      field("phase", &Launch::phase).needed().shown("phase"),
                      field("tuning_iteration", &Launch::tuning_iteration).needed().shown("tuning-iter"),
                      field("step_iteration", &Launch::step_iteration).shown_if_set("measure-iter"),
                      field("role", &Launch::role).needed().shown_if_set("role"),
                      field("status", &Launch::status).needed().shown_if_set("status"),
                      field("detail", &Launch::detail).shown_if_set("detail"),
                      field("local_time_ns", &Launch::local_ns),
                      field("agreed_time_ns", &Launch::agreed_ns),
                      field("makespan_ns", &Launch::makespan_ns),
                      field("local_makespan_ns", &Launch::local_makespan_ns),
                      field("config_centre_ns", &Launch::centre_ns)};
  }
};

/// The walk has measured a config completely.
template <typename Storage>
struct ConfigSummary {
  ConfigUse<Storage> config{};
  std::int64_t sample_count = 0;
  std::optional<double> centre_ns{};             ///< the median
  std::optional<double> spread_ns{};             ///< 1.4826 x median absolute deviation
  std::optional<double> teraflops_per_second{};  ///< this rank's work over the centre
  std::optional<double> gigabytes_per_second{};

  static constexpr std::string_view event_name = "config_summary";
  /// Not shown to people: the launch of the config's last repeat carries its average.
  static constexpr auto fields() {
    return std::tuple{group(&ConfigSummary::config),
                      field("sample_count", &ConfigSummary::sample_count),
                      field("centre_ns", &ConfigSummary::centre_ns),
                      field("spread_ns", &ConfigSummary::spread_ns),
                      field("teraflops_per_second", &ConfigSummary::teraflops_per_second),
                      field("gigabytes_per_second", &ConfigSummary::gigabytes_per_second)};
  }
};

/// A config is rejected on all ranks.
template <typename Storage>
struct Rejected {
  ConfigUse<Storage> config{};
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;
  typename Storage::Text reason{};
  std::vector<std::int64_t> ranks{};  ///< those that rejected it; empty if it was not launched

  static constexpr std::string_view event_name = "rejected";
  static constexpr auto fields() {
    return std::tuple{
        group(&Rejected::config).shown(""), field("phase", &Rejected::phase).needed().shown("phase"),
        field("tuning_iteration", &Rejected::tuning_iteration).shown("tuning-iter"),
        field("reason", &Rejected::reason).shown("rejected"), field("ranks", &Rejected::ranks).as_id()};
  }
};

/// A tuning problem's best config.
template <typename Storage>
struct Choice {
  ConfigUse<Storage> config{};
  ChoiceStatus status = ChoiceStatus::locked_in;
  std::optional<double> latency_ns{};            ///< own time of the choice; empty if it was not measured
  std::optional<double> teraflops_per_second{};  ///< this rank's work over that time
  std::optional<double> gigabytes_per_second{};
  typename Storage::Text reason{};
  std::int64_t walk_ns = 0;  ///< time of the iterations in which the walk tried the problem's configs

  static constexpr std::string_view event_name = "choice";
  static constexpr auto fields() {
    return std::tuple{
        group(&Choice::config).shown("best-"),
        field("status", &Choice::status).needed().shown_if_set("status"),
        field("latency_ns", &Choice::latency_ns).shown("best-latency", Unit::ms).or_shown_as("not measured"),
        field("teraflops_per_second", &Choice::teraflops_per_second).shown_if_set("TFLOP/s"),
        field("gigabytes_per_second", &Choice::gigabytes_per_second).shown_if_set("GB/s"),
        field("reason", &Choice::reason).shown("reason"),
        field("walk_ns", &Choice::walk_ns)};
  }
};

/// The watchdog found this rank blocked.
template <typename Storage>
struct Blocked {
  using Text = typename Storage::Text;
  Activity activity = Activity::region;
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = -1;
  ConfigUse<Storage>
      config{};            ///< of the launch under way, else of the last launch; no kernel before the first
  bool in_launch = false;  ///< true if that launch has not returned
  std::vector<ConfigUse<Storage>> assignment{};  ///< the configs in force of all tuning problems
  Text since_iso8601{};
  std::int64_t blocked_ns = 0;
  BlockedAction action = BlockedAction::exit_process;

  static constexpr std::string_view event_name = "blocked";
  static constexpr auto fields() {
    return std::tuple{field("activity", &Blocked::activity).needed().shown("blocked in"),
                      field("phase", &Blocked::phase).needed().shown("phase"),
                      field("tuning_iteration", &Blocked::tuning_iteration).at_least(-1).shown("tuning-iter"),
                      group(&Blocked::config).shown_if_set(""),
                      field("in_launch", &Blocked::in_launch).shown_if_set("launch under way"),
                      field("assignment", &Blocked::assignment).shown_if_set("in force"),
                      field("since_iso8601", &Blocked::since_iso8601).shown("since"),
                      field("blocked_ns", &Blocked::blocked_ns).shown("for", Unit::duration),
                      field("action", &Blocked::action).needed().shown("action")};
  }
};

// About what was measured: a search, whose assignments are lists of config ids in the order of `problems`,
// the limit by the parts of a region, and when the work of an iteration ran.

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
        field("reference_makespan_ns", &S::reference_makespan_ns).shown_if_set("its makespan", Unit::ms),
        field("reference_spread_ns", &S::reference_spread_ns),
        field("choice_makespan_ns", &S::choice_makespan_ns).shown_if_set("makespan of the choice", Unit::ms),
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
        field("makespan_ns", &PartTime::makespan_ns).shown("makespan", Unit::ms).or_shown_as("none"),
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
                      field("result_ns", &L::result_ns).shown_if_set("result", Unit::ms),
                      field("result_spread_ns", &L::result_spread_ns),
                      field("limit_ns", &L::limit_ns).shown_if_set("limit", Unit::ms),
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
                      field("makespan_ns", &T::makespan_ns).shown_if_set("makespan", Unit::ms),
                      field("begin_ns", &T::begin_ns).of_any_sign(),
                      field("end_ns", &T::end_ns).of_any_sign(),
                      field("launches", &T::launches),
                      field("others_known", &T::others_known),
                      field("others", &T::others),
                      field("left_out_count", &T::left_out_count)};
  }
};

template <typename Storage>
using EventBody = std::variant<RunStart<Storage>, Hello<Storage>, DeviceConditions<Storage>, Launch<Storage>,
                               ConfigSummary<Storage>, Rejected<Storage>, Choice<Storage>,
                               SearchResult<Storage>, Timeline<Storage>, Limit<Storage>, Warning<Storage>,
                               Progress<Storage>, Blocked<Storage>, RunEnd<Storage>>;

/// One line of a log.
template <typename Storage>
struct Event {
  typename Storage::Text run_id{};
  std::int64_t rank = 0;
  typename Storage::Text region{};
  EventBody<Storage> body{};

  /// The fields of a line between `event_name_field` and the fields of the body.
  static constexpr auto fields() {
    return std::tuple{field("run_id", &Event::run_id).needed(), field("rank", &Event::rank).needed().as_id(),
                      field("region", &Event::region).needed()};
  }
};

/// The field with the name of the body, e.g. RunStart::event_name.
inline constexpr const char* event_name_field = "event";

}  // namespace contextual::record::schema
