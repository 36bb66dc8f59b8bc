#pragma once

/// \file
/// What a tuning run reports, as plain structs. The log for people and the log for programs are two
/// renderings of this one stream (docs/log-format.md). `RankLog::write` takes any of them.

#include <contextual/config.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace contextual::store {

/// A `run` begins.
struct RunStart {
  std::string run_id{};
  std::string region{};
  int rank = 0;
  int ranks = 1;
  std::string group{};         ///< the communicator in words, e.g. "MPI (2 ranks)"
  int process_rank = 0;        ///< of the whole program; the number in the file's name
  std::string options{};       ///< as text, e.g. "n_warmup=3 n_repeat=5"
  std::string time_iso8601{};  ///< when, e.g. "2026-01-31T12:00:00Z"
};

/// All ranks are there, in the same region, with the same options.
struct Hello {
  std::string run_id{};
  int rank = 0;
  std::string region{};
  std::string tuning_id{};  ///< equal on all ranks of this tuning run, and of no other one
  std::string timer{};      ///< e.g. "CUPTI"
  std::optional<std::int64_t> timer_bias_ns{};  ///< how much longer than it is a launch reads; not subtracted
};

/// A device while a batch of tuning iterations ran.
struct DeviceConditions {
  std::string run_id{};
  std::string phase{};
  std::int64_t tuning_iteration = 0;  ///< the batch's first
  std::size_t iteration_count = 0;
  int rank = 0;
  std::string region{};
  int device = 0;
  std::optional<int> sm_clock_mhz{};
  std::optional<int> memory_clock_mhz{};
  std::optional<int> temperature_celsius{};
  std::optional<int> power_watts{};
  std::string slowed_by{};    ///< e.g. "power cap"; empty: by nothing
  std::string disturbance{};  ///< why the batch's times do not count; empty: they do
};

/// One launch of one tuning iteration; with `status` "not launched" a problem that was due and did not come.
struct LaunchRow {
  std::string run_id{};
  std::string phase{};  ///< "walk", "finals" or "final"
  std::int64_t tuning_iteration = 0;
  int rank = 0;
  std::string region{};
  std::string kernel{};
  std::string key{};
  std::size_t config_id = 0;
  Config config{};
  std::string role{};                               ///< "warmup", "repeat", "candidate" or "best"
  int step_iteration = 0;                           ///< n-th use of the config in the walk or contest, from 0
  std::optional<std::int64_t> local_ns{};           ///< own time on this rank
  std::optional<std::int64_t> agreed_ns{};          ///< MAX over ranks
  std::optional<std::int64_t> makespan_ns{};        ///< of the tuning iteration, MAX over ranks
  std::optional<std::int64_t> local_makespan_ns{};  ///< of the tuning iteration, on this rank
  std::string status = "ok";           ///< "ok", "no time", "rejected", "fallback" or "not launched"
  std::string detail{};                ///< why, where the status is not "ok"
  std::optional<double> average_ns{};  ///< set on a config's last repeat: its agreed centre so far
};

/// A config of the walk is measured completely.
struct ConfigSummary {
  std::string run_id{};
  int rank = 0;
  std::string region{};
  std::string kernel{};
  std::string key{};
  std::size_t config_id = 0;
  Config config{};
  std::size_t sample_count = 0;
  double centre_ns = 0;  ///< median or trimmed mean, by the options
  double spread_ns = 0;  ///< 1.4826 x median absolute deviation
};

/// A config is out, on all ranks.
struct Rejected {
  std::string run_id{};
  std::string phase{};
  std::int64_t tuning_iteration = 0;
  int rank = 0;
  std::string region{};
  std::string kernel{};
  std::string key{};
  std::size_t config_id = 0;
  Config config{};
  std::string reason{};
};

/// A tuning problem's best config.
struct Choice {
  std::string run_id{};
  int rank = 0;
  std::string region{};
  std::string kernel{};
  std::string key{};
  std::size_t config_id = 0;
  Config config{};
  std::optional<double> latency_ns{};  ///< own time of the choice; empty when it was not measured
  std::string reason{};
  std::string status = "locked_in";  ///< "locked_in" or "incomplete"
};

/// One candidate of a contest.
struct ContestEntry {
  std::string name{};               ///< "config-2", "defaults", "own time", ...
  std::size_t config_id = 0;        ///< the config, or the set's index
  std::size_t round_count = 0;      ///< valid rounds
  double makespan_ns = 0;           ///< centre over its rounds
  double spread_ns = 0;             ///< of the makespan
  std::optional<double> gain_ns{};  ///< paired: incumbent's makespan minus its own; empty for the incumbent
  bool chosen = false;
};

/// One contest of the finals.
struct Contest {
  std::string run_id{};
  int rank = 0;
  std::string region{};
  std::string kind{};  ///< "sets", "problem" or "verdict"
  int pass = 0;
  std::string kernel{};                 ///< empty unless kind is "problem"
  std::string key{};                    ///< empty unless kind is "problem"
  std::vector<ContestEntry> entries{};  ///< the incumbent first
  std::string reason{};
};

/// Something a person should know, e.g. launches from threads without the region's context.
struct Warning {
  std::string run_id{};
  int rank = 0;
  std::string region{};
  std::string text{};
};

/// Where the run stands.
struct Progress {
  std::string run_id{};
  int rank = 0;
  std::string region{};
  std::string phase{};
  std::int64_t iterations_done = 0;
  std::int64_t iterations_expected = 0;  ///< done and still to come, an estimate
  std::size_t problem_count = 0;         ///< tuning problems known
  std::int64_t elapsed_ns = 0;
};

/// The watchdog found this rank blocked.
struct Blocked {
  std::string run_id{};
  int rank = 0;
  std::string region{};
  std::string activity{};  ///< "region", "before_iteration", "after_iteration", "prepare" or "settle"
  std::string phase{};     ///< "walk", "finals" or "final"
  std::int64_t tuning_iteration = 0;
  std::string kernel{};  ///< whose launch is under way, or was the last one; empty: none yet
  std::string key{};
  std::size_t config_id = 0;
  Config config{};
  bool in_launch = false;  ///< the launch of `kernel` has not returned
  std::string since_iso8601{};
  std::int64_t blocked_ns = 0;
  std::string action{};  ///< "exit 84", "on_deadline" or "none: a debugger is attached"
};

/// A `run` ends, well or not.
struct RunEnd {
  std::string run_id{};
  int rank = 0;
  std::string region{};
  std::string status = "ok";  ///< "ok" or "failed"
  std::string error{};        ///< what was thrown, empty when ok
  std::string
      error_type{};  ///< "CommunicationError", ...; "region" for what is not the library's; empty when ok
  std::vector<int> blamed_ranks{};    ///< missing, failed or differing ranks, as far as this rank knows
  std::string phase{};                ///< of the last batch: "hello", "walk", "finals" or "final"
  std::int64_t tuning_iteration = 0;  ///< the last one that was begun
  std::size_t problem_count = 0;
  std::int64_t walk_iterations = 0;
  std::int64_t finals_iterations = 0;
  std::int64_t retakes = 0;
  std::size_t rejected_count = 0;  ///< configs
  std::int64_t elapsed_ns = 0;
};

using Event = std::variant<RunStart, Hello, DeviceConditions, LaunchRow, ConfigSummary, Rejected, Choice,
                           Contest, Warning, Progress, Blocked, RunEnd>;

}  // namespace contextual::store
