#pragma once

/// \file
/// What a run tells people: the two logs of its rank, the report, the terminal, the progress callback.

#include "contextual/autotuner/batch.hpp"
#include "contextual/autotuner/resolved_options.hpp"
#include "contextual/autotuner/run_context.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/store/rank_log.hpp"

#include <contextual/report.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace contextual::autotuner {

/// A slot and the state that tunes it.
struct ProblemView {
  const detail::ProblemSlot* slot = nullptr;
  const policy::ProblemRecord* record = nullptr;  ///< null before it joined
};

/// One a run. Called by the thread of `run`, never inside the region. Only `warning` is for texts made by
/// the engine; the rest is rendered from what the policy and the batch hold.
class Recorder {
 public:
  /// Opens the logs. Throws InvalidArgument for a directory that cannot be written.
  Recorder(const ResolvedOptions& options, std::string region);

  /// `agreed_ns` by slot and iteration; of problems the ranks do not share, the local time.
  struct AgreedTimes {
    std::vector<std::vector<std::optional<std::int64_t>>> time_ns;
    std::vector<std::optional<std::int64_t>> makespan_ns;
  };
  void batch(const Batch& batch, const std::vector<ProblemView>& problems, const AgreedTimes& agreed);
  void rejected(const detail::ProblemSlot& slot, std::size_t config_id, const std::string& reason,
                const Batch& batch);
  void choice(const ProblemView& problem);
  /// Of the devices; nothing where the timer knows of none.
  void conditions(const Batch& batch);
  void contests(const std::vector<policy::Contest>& contests, const std::vector<ProblemView>& by_state_index);
  void warning(const std::string& text);
  void progress(const policy::TuningState& state, const std::string& phase, std::size_t open_problems);
  /// All ranks are there and agree on what they are going to do.
  void hello(const std::string& tuning_id, const Timer& timer);
  /// Where a run ended.
  struct Ending {
    std::string phase = "hello";
    std::int64_t tuning_iteration = 0;
    const policy::TuningState* state = nullptr;  ///< null: the ranks did not come to agree on a first batch
    std::vector<ProblemView> problems;
  };
  /// `thrown` is null for a run that ended well.
  void end(const std::exception_ptr& thrown, const Ending& ending);

  // For the watchdog's thread.
  store::Blocked blocked_event() const { return stamped<store::Blocked>(); }
  const std::optional<store::RankLog>& log() const noexcept { return log_; }

  RegionReport& report() noexcept { return report_; }
  const std::string& run_id() const noexcept { return report_.run_id; }

 private:
  /// An event with run id, rank and region filled in.
  template <typename Event>
  Event stamped() const;
  template <typename Event>
  Event stamped(const detail::ProblemSlot& slot) const;
  void write(const store::Event& event);
  void print(const std::string& line) const;
  void launch_row(const Batch& batch, const ProblemView& problem, std::size_t iteration,
                  const policy::Cell& cell, const AgreedTimes& agreed);
  void config_complete(store::LaunchRow& row, const ProblemView& problem, const policy::Cell& cell);
  /// What the problem did in that iteration; for one first seen in this batch, its first config.
  policy::Cell cell_of(const Batch& batch, const ProblemView& problem, std::size_t iteration) const;
  std::int64_t elapsed_ns() const;

  const ResolvedOptions& options_;
  std::string region_;
  int rank_;
  std::optional<store::RankLog> log_;
  RegionReport report_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<std::size_t, std::size_t> first_rows_;  ///< of the table, by problem
  std::size_t contests_written_ = 0;
};

/// A config as names and values; empty for a problem that only other ranks launch.
const Config& config_of(const detail::ProblemSlot& slot, std::size_t config_id);

template <typename Event>
Event Recorder::stamped() const {
  Event event;
  event.run_id = report_.run_id;
  event.rank = rank_;
  event.region = region_;
  return event;
}

template <typename Event>
Event Recorder::stamped(const detail::ProblemSlot& slot) const {
  auto event = stamped<Event>();
  event.kernel = slot.name;
  event.key = slot.key_text;
  return event;
}

}  // namespace contextual::autotuner
