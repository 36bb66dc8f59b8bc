#pragma once

/// \file
/// What is kept of a log's lines (docs/log-format.md). Names and messages are views into a TextPool and
/// printable; times are in nanoseconds.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace contextual::log_report {

/// A tuning problem's name. One object for each (kernel, key): compare addresses.
struct ProblemName {
  std::string_view kernel;
  std::string_view key;
};

/// A config of a problem, as one line said it.
struct ConfigName {
  const ProblemName* problem = nullptr;  ///< null: the event has none
  std::int64_t id = 0;
  std::string_view text;  ///< "{BLOCK_N: 128}"
};

struct RunStart {
  std::int64_t rank_count = 1;
  std::int64_t process_rank = -1;  ///< -1: not known
  std::string_view group;
  std::string_view options;
  std::string_view time_iso8601;
};

struct Hello {
  std::string_view tuning_id;
  std::string_view timer;  ///< empty: not known
};

/// A device while a batch ran.
struct DeviceConditions {
  std::int64_t device = 0;
  std::int64_t sm_clock_mhz = -1;  ///< -1: not known
  std::string_view slowed_by;
  std::string_view disturbance;  ///< not empty: the batch's times do not count
};

enum class Role : std::uint8_t { warmup, repeat, candidate, best, other };

struct Launch {
  std::string_view phase;
  std::int64_t tuning_iteration = 0;
  ConfigName config;
  Role role = Role::other;
  std::int64_t step_iteration = 0;
  std::optional<std::int64_t> local_ns;
  std::optional<std::int64_t> agreed_ns;
  std::optional<std::int64_t> makespan_ns;
  std::optional<std::int64_t> local_makespan_ns;
  std::string_view status;
  std::string_view detail;
};

struct ConfigSummary {
  ConfigName config;
  std::int64_t sample_count = 0;
  std::optional<double> centre_ns;
  std::optional<double> spread_ns;
};

struct Rejected {
  std::string_view phase;
  std::int64_t tuning_iteration = 0;
  ConfigName config;
  std::string_view reason;
};

struct Choice {
  ConfigName config;
  std::optional<double> latency_ns;
  std::string_view reason;
  std::string_view status;
};

struct ContestEntry {
  std::string_view name;
  std::int64_t config_id = 0;
  std::int64_t round_count = 0;
  std::optional<double> makespan_ns;
  std::optional<double> spread_ns;
  std::optional<double> gain_ns;
  bool chosen = false;
};

struct Contest {
  std::string_view kind;
  std::int64_t pass = 0;
  const ProblemName* problem = nullptr;  ///< null unless kind is "problem"
  std::vector<ContestEntry> entries;
  std::string_view reason;
};

struct Warning {
  std::string_view text;
};

struct Progress {
  std::string_view phase;
  std::int64_t iterations_done = 0;
  std::int64_t elapsed_ns = 0;
};

struct Blocked {
  std::string_view activity;
  std::string_view phase;
  std::int64_t tuning_iteration = 0;
  ConfigName config;
  bool in_launch = false;
  std::string_view since_iso8601;
  std::int64_t blocked_ns = 0;
  std::string_view action;
};

struct RunEnd {
  std::string_view status;
  std::string_view error;
  std::string_view error_type;
  std::vector<std::int64_t> blamed_ranks;
  std::string_view phase;
  std::int64_t tuning_iteration = -1;  ///< -1: not known
  std::int64_t walk_iterations = 0;
  std::int64_t finals_iterations = 0;
  std::int64_t retakes = 0;
  std::int64_t rejected_count = 0;
  std::int64_t elapsed_ns = 0;

  bool ok() const { return status == "ok"; }
};

using EventBody = std::variant<RunStart, Hello, DeviceConditions, Launch, ConfigSummary, Rejected, Choice,
                               Contest, Warning, Progress, Blocked, RunEnd>;

/// One line of a log.
struct Event {
  std::string_view run_id;
  std::int64_t rank = 0;
  std::string_view region;
  EventBody body;
};

}  // namespace contextual::log_report
