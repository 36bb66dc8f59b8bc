#pragma once

#include "contextual/store/events.hpp"

namespace contextual::store::samples {

// One of each event, filled in everywhere. docs/log-format.md shows what they look like.

inline const Config config{{"BLOCK_N", 128}, {"SWIZZLE", true}, {"IMPL", "mma"}};

inline RunStart run_start() {
  return {"20260131T120000-4711-0", "ag_gemm", 0, 2, "MPI (2 ranks)", 0, "n_warmup=1 n_repeat=2 finals=true",
          "2026-01-31T12:00:00Z"};
}

inline Hello hello() {
  return {run_start().run_id, 0, "ag_gemm", "5f0c2b7d9e1a4c33", "CUPTI", 1450};
}

inline DeviceConditions device_conditions() {
  return {run_start().run_id, "walk", 16, 8, 0, "ag_gemm", 0, 1755, 2619, 61, 688, "power cap", ""};
}

inline DeviceConditions disturbed_device() {
  DeviceConditions event = device_conditions();
  event.tuning_iteration = 24;
  event.sm_clock_mhz = 1200;
  event.slowed_by = "thermal";
  event.disturbance = "device 0: thermal slowdown began";
  return event;
}

inline LaunchRow launch() {
  LaunchRow row;
  row.run_id = run_start().run_id;
  row.phase = "walk";
  row.tuning_iteration = 17;
  row.region = "ag_gemm";
  row.kernel = "gemm";
  row.key = "(4096, 4096, bf16)";
  row.config_id = 1;
  row.config = config;
  row.role = "repeat";
  row.step_iteration = 2;
  row.local_ns = 118000;
  row.agreed_ns = 121000;
  row.makespan_ns = 350000;
  row.local_makespan_ns = 346000;
  return row;
}

inline LaunchRow last_repeat() {
  LaunchRow row = launch();
  row.average_ns = 120000;
  return row;
}

inline ConfigSummary config_summary() {
  return {launch().run_id, 0, "ag_gemm", "gemm", launch().key, 1, config, 2, 120000, 1482.6};
}

inline Rejected rejected() {
  return {launch().run_id, "walk",       18, 0,      "ag_gemm",
          "gemm",          launch().key, 2,  config, "rank 1: too much shared memory"};
}

inline Choice choice() {
  return {launch().run_id, 0,      "ag_gemm",           "gemm",     launch().key, 1,
          config,          120000, "shortest own time", "locked_in"};
}

inline Contest contest() {
  return {
      launch().run_id,
      0,
      "ag_gemm",
      "problem",
      0,
      "gemm",
      launch().key,
      {{"config-1", 1, 5, 350000, 2000, std::nullopt, false}, {"config-0", 0, 5, 310000, 1500, 40000, true}},
      "makespan 11.4 % shorter (paired, 5 rounds)"};
}

inline Warning warning() {
  return {launch().run_id, 0, "ag_gemm", "2 launches from threads without the context"};
}

inline Progress progress() {
  return {launch().run_id, 0, "ag_gemm", "walk", 24, 96, 3, 1'200'000'000};
}

inline Blocked blocked() {
  Blocked event;
  event.run_id = launch().run_id;
  event.region = "ag_gemm";
  event.activity = "region";
  event.phase = "walk";
  event.tuning_iteration = 17;
  event.kernel = "gemm";
  event.key = launch().key;
  event.config_id = 1;
  event.config = config;
  event.in_launch = true;
  event.since_iso8601 = "2026-01-31T12:00:04Z";
  event.blocked_ns = 70'000'000'000;
  event.action = "exit 84";
  return event;
}

inline RunEnd run_end() {
  return {launch().run_id, 0, "ag_gemm", "ok", "", "", {}, "final", 116, 3, 96, 20, 1, 1, 5'300'000'000};
}

inline RunEnd failed_run_end() {
  RunEnd event = run_end();
  event.status = "failed";
  event.error = "deadline of 60000 ms expired in the exchange (missing: rank 1)";
  event.error_type = "CommunicationError";
  event.blamed_ranks = {1};
  event.phase = "walk";
  event.tuning_iteration = 17;
  return event;
}

inline std::vector<Event> all() {
  return {run_start(),   hello(),          device_conditions(), disturbed_device(), launch(),
          last_repeat(), config_summary(), rejected(),          choice(),           contest(),
          warning(),     progress(),       blocked(),           run_end(),          failed_run_end()};
}

}  // namespace contextual::store::samples
