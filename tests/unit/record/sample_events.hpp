#pragma once

#include "contextual/record/events.hpp"

#include <utility>
#include <vector>

namespace contextual::record::samples {

// One of each event, filled in everywhere. docs/log-format.md shows what they look like.

inline const Config config{{"BLOCK_N", 128}, {"SWIZZLE", true}, {"IMPL", "mma"}};

inline RunStart run_start() {
  return {.rank_count = 2,
          .group = "MPI (2 ranks)",
          .process_rank = 0,
          .time_iso8601 = "2026-01-31T12:00:00Z",
          .options = "n_warmup=1 n_repeat=2 search=normal",
          .restore = "\"weights\""};
}

inline Hello hello() {
  return {.tuning_id = "5f0c2b7d9e1a4c33", .timer = "CUPTI", .timer_bias_ns = 1450};
}

inline DeviceConditions device_conditions() {
  DeviceConditions event;
  event.tuning_iteration = 16;
  event.iteration_count = 8;
  event.sm_clock_mhz = 1755;
  event.memory_clock_mhz = 2619;
  event.temperature_celsius = 61;
  event.power_watts = 688;
  event.slowed_by = "power cap";
  return event;
}

inline DeviceConditions disturbed_device() {
  DeviceConditions event = device_conditions();
  event.tuning_iteration = 24;
  event.sm_clock_mhz = 1200;
  event.slowed_by = "thermal";
  event.disturbance = "device 0: thermal slowdown began";
  return event;
}

inline ConfigUse config_use(std::int64_t id) {
  return {{"gemm", "(4096, 4096, bf16)"}, id, config};
}

inline LaunchRow launch() {
  LaunchRow row;
  row.config = config_use(1);
  row.tuning_iteration = 17;
  row.step_iteration = 2;
  row.local_ns = 118000;
  row.agreed_ns = 121000;
  row.makespan_ns = 350000;
  row.local_makespan_ns = 346000;
  return row;
}

inline LaunchRow last_repeat() {
  LaunchRow row = launch();
  row.centre_ns = 120000;
  return row;
}

inline ConfigSummary config_summary() {
  return {.config = config_use(1),
          .sample_count = 2,
          .centre_ns = 120000,
          .spread_ns = 1482.6,
          .teraflops_per_second = 572.5,
          .gigabytes_per_second = 559.25};
}

inline Rejected rejected() {
  return {.config = config_use(2),
          .tuning_iteration = 18,
          .reason = "rank 1: too much shared memory",
          .ranks = {1}};
}

inline Choice choice() {
  return {.config = config_use(1),
          .latency_ns = 120000,
          .teraflops_per_second = 572.5,
          .gigabytes_per_second = 559.25,
          .reason = "shortest own time",
          .walk_ns = 96'000'000};
}

inline LaunchRow lead_in() {
  LaunchRow row = launch();
  row.phase = Phase::search;
  row.tuning_iteration = 97;
  row.step_iteration = 0;
  row.role = LaunchRole::lead_in;
  return row;
}

inline SearchResult search() {
  SearchResult event;
  event.problems = {{config_use(1).problem, contextual::ChosenBy::makespan, 1, 2},
                    {{"norm", "(4096)"}, contextual::ChosenBy::own_time, 0, 0}};
  event.existing_count = 4;
  event.measured_count = 3;
  event.failed_count = 1;
  event.run_count = 44;
  event.lead_in_count = 20;
  event.measured = {{{0, 0}, 10, 350000, 2000, Standing::other},
                    {{1, 0}, 7, 310000, 1500, Standing::choice},
                    {{3, 0}, 7, 341000, 48000, Standing::other}};
  event.infeasible = {{{2, 0}, "rank 1: no progress in 1000 ms"}};
  event.reason = "the shortest makespan, 11.4 % shorter than the defaults";
  event.reference = contextual::SearchReference::defaults;
  event.reference_config_ids = {0, 0};
  event.round_count = 5;
  event.reference_makespan_ns = 350000;
  event.reference_spread_ns = 2000;
  event.choice_makespan_ns = 310000;
  event.choice_spread_ns = 1500;
  event.gain = 0.114;
  event.gain_low = 0.108;
  event.gain_high = 0.12;
  event.lost = {{{3, 0}, 0.014, -0.11, 0.125}};
  return event;
}

/// All defaults are infeasible, and the budget was spent.
inline SearchResult cut_search() {
  SearchResult event = search();
  event.measured_count = 2;
  event.run_count = 20;
  event.lead_in_count = 6;
  event.measured = {{{1, 0}, 7, 310000, 1500, Standing::choice},
                    {{2, 0}, 7, 310500, 1500, Standing::within_noise}};
  event.within_noise_count = 1;
  event.infeasible = {{{0, 0}, "rank 1: no progress in 1000 ms"}};
  event.reason = "the shortest makespan";
  event.cut = "its budget of 20 runs is spent";
  event.reference = contextual::SearchReference::first_feasible;
  event.reference_config_ids = {2, 0};
  event.gain.reset();
  event.gain_low.reset();
  event.gain_high.reset();
  event.own_time_cost = 0.0016;
  event.unsure = true;
  return event;
}

inline Timeline timeline() {
  Timeline event;
  event.tuning_iteration = 115;
  event.makespan_ns = 310000;
  event.begin_ns = 1769860805000120000;
  event.end_ns = 1769860805000428000;
  event.launches = {{config_use(1).problem, 1, 0, 4200, 290000}, {{"norm", "(4096)"}, 0, 0, 291000, 308000}};
  event.others_known = true;
  event.others = {{0, 0, 3900}};
  return event;
}

inline Limit limit() {
  Limit event;
  event.round_count = 5;
  event.parts = {{"gather", 120000, 900}, {"gemm", 250000, 1100}};
  event.result_ns = 310000;
  event.result_spread_ns = 1500;
  event.limit_ns = 250000;
  event.hidden = 0.5;
  return event;
}

inline Warning warning() {
  return {"2 launches from threads without the context"};
}

inline Progress progress() {
  return {Phase::walk, 24, 96, 3, 1'200'000'000, 3'600'000'000};
}

inline Blocked blocked() {
  Blocked event;
  event.tuning_iteration = 17;
  event.config = config_use(1);
  event.in_launch = true;
  event.assignment = {config_use(1), {{"norm", "(4096)"}, 0, {{"ROWS", 4}}}};
  event.since_iso8601 = "2026-01-31T12:00:04Z";
  event.blocked_ns = 70'000'000'000;
  return event;
}

inline RunEnd run_end() {
  RunEnd event;
  event.phase = RunStage::final_run;
  event.tuning_iteration = 116;
  event.problem_count = 3;
  event.walk_iterations = 96;
  event.search_iterations = 20;
  event.retakes = 1;
  event.rejected_count = 1;
  event.elapsed_ns = 5'300'000'000;
  return event;
}

inline RunEnd failed_run_end() {
  RunEnd event = run_end();
  event.status = EndStatus::failed;
  event.error = "deadline of 60000 ms expired in the exchange (missing: rank 1)";
  event.error_type = "CommunicationError";
  event.blamed_ranks = {1};
  event.phase = RunStage::walk;
  event.tuning_iteration = 17;
  return event;
}

/// A line of one run on rank 0.
inline Event event(EventBody body) {
  return {"20260131T120000Z-4711-0", 0, "ag_gemm", std::move(body)};
}

inline std::vector<Event> all() {
  std::vector<Event> events;
  for (EventBody body : std::vector<EventBody>{
           run_start(), hello(), device_conditions(), disturbed_device(), launch(), last_repeat(),
           config_summary(), lead_in(), rejected(), choice(), search(), cut_search(), timeline(), limit(),
           warning(), progress(), blocked(), run_end(), failed_run_end()}) {
    events.push_back(event(std::move(body)));
  }
  return events;
}

}  // namespace contextual::record::samples
