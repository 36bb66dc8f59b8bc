#pragma once

/// \file
/// Events about a whole run: its begin, the meeting of all ranks, its progress, its end; warnings and
/// devices.

#include "contextual/record/schema/enum_texts.hpp"
#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace contextual::record::schema {

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
    return std::tuple{field("tuning_id", &Hello::tuning_id).needed().shown("tuning"),
                      field("timer", &Hello::timer).shown("timer"),
                      field("timer_bias_ns", &Hello::timer_bias_ns)
                          .of_any_sign()
                          .shown_if_set("timer-bias", Unit::latency_ns)};
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
        field("elapsed_ns", &Progress::elapsed_ns).shown("elapsed", Unit::duration_ns),
        field("estimated_left_ns", &Progress::estimated_left_ns).shown_if_set("left", Unit::duration_ns)};
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
                      field("elapsed_ns", &RunEnd::elapsed_ns).shown("elapsed", Unit::duration_ns)};
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

}  // namespace contextual::record::schema
