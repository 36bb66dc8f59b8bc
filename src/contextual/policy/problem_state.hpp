#pragma once

/// \file
/// One tuning problem of one `run`: its walk, its records and its choice. Pure.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_record.hpp"
#include "contextual/policy/problem_request.hpp"
#include "contextual/policy/selection.hpp"

#include <contextual/schedule.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// One tuning problem. Not thread-safe. Keeps a reference to the options.
class ProblemState {
 public:
  /// What became of one launch in the walk.
  enum class Taken {
    step,       ///< the step that was due: observed
    retake,     ///< its time is missing: it stays due
    displaced,  ///< another step was due, because one before it was not launched or has to be taken again
    nothing,    ///< it was not launched, does not walk, or used a config that is out
  };

  /// Throws InvalidArgument for a request that makes no sense.
  ProblemState(const ProblemRequest& request, const PolicyOptions& options);

  const ProblemRecord& record() const { return record_; }
  bool walking() const { return record_.status == ProblemStatus::walking; }
  bool walked() const { return record_.status == ProblemStatus::walked; }

  /// A candidate that is not rejected.
  bool viable(std::size_t config_id) const;

  /// The next steps of the walk, at most `max_steps`; empty when it is over.
  std::vector<Step> plan(std::size_t max_steps) const;
  std::size_t remaining_steps() const { return walking() ? schedule_->remaining_steps() : 0; }

  /// A tuning iteration of the walk in which the problem's launches used `config_id`.
  Taken observe(std::size_t config_id, const CellOutcome& outcome, std::optional<std::int64_t> makespan_ns);

  /// To be told once a batch: a walking problem that was not launched in too many batches in a row is closed.
  void note_presence(bool launched);

  /// The config is out. A choice that fell on it is made again. Further rejections of it are ignored.
  void reject(std::size_t config_id, const std::string& reason);

  /// The same for a rejection by the final run: the reason of a choice that is made again says so.
  void reject_in_final_run(std::size_t config_id, const std::string& reason);

  /// Ends the walk where it is, or the wait for the finals: the problem is provisional. Without effect when
  /// it was neither walking nor waiting.
  void close(const std::string& reason);

  /// The best that is not rejected is used for now, and the default where nothing was measured. Without
  /// effect when every config is rejected.
  void make_provisional(const std::string& reason);

  /// Locks in the choice of a problem that waited for the finals.
  void lock_in();

  /// The finals decided for this config. `note` is added to the reason.
  void choose(std::size_t config_id, const std::string& note);

  /// The finals kept the choice. `note` becomes part of the reason unless an earlier note is.
  void keep(const std::string& note);

  /// The best fully measured config other than the default.
  std::optional<std::size_t> best_so_far() const;

  /// Up to `count` viable configs, best first, by own time and by the median makespan of their steps. By own
  /// time then as many more at most, the lowest indices, of those that are not slower than the last one by
  /// more than twice the noise: which of these comes first, a drift may have decided, and the lowest would
  /// win a tie.
  std::vector<std::size_t> best_by_time(std::size_t count) const;
  std::vector<std::size_t> best_by_makespan(std::size_t count) const;

 private:
  void begin_walk();
  bool take(const Step& step, std::optional<std::int64_t> time_ns, std::optional<std::int64_t> makespan_ns,
            bool disturbed);
  void count_retake(std::size_t config_id);
  void choose_by_own_time(int min_samples);
  void choose_after_walk();
  void settle_status();
  void reject(std::size_t config_id, const std::string& reason, const std::string& when);
  std::vector<Entrant> entrants(int min_samples) const;

  const PolicyOptions* options_;
  std::unique_ptr<Schedule> schedule_;  ///< null when there was nothing to walk
  ProblemRecord record_;
  std::vector<Summary> own_times_;  ///< of each config's samples
  std::size_t viable_count_ = 0;    ///< candidates that are not rejected
  bool has_notes_ = false;          ///< the finals have said something about the choice
  std::string walk_reason_;   ///< why the walk chose what it chose, where the finals have said something
  std::string finals_notes_;  ///< what the finals have said
  int batches_absent_ = 0;    ///< batches in a row without a launch
};

}  // namespace contextual::policy
