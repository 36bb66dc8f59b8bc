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
  /// How the walk used one launch.
  enum class Taken {
    step,       ///< it was the step that was due, and it is observed
    retake,     ///< its time is missing, so the step stays due
    displaced,  ///< another step was due, because an earlier one was not launched or has to be repeated
    nothing,    ///< the problem was not launched, does not walk, or used a rejected config
  };

  /// Throws InvalidArgument for a request that makes no sense.
  ProblemState(const ProblemRequest& request, const PolicyOptions& options);

  const ProblemRecord& record() const { return record_; }
  bool walking() const { return record_.status == ProblemStatus::walking; }
  bool walked() const { return record_.status == ProblemStatus::walked; }

  /// Returns true for a candidate that is not rejected.
  bool viable(std::size_t config_id) const;

  /// Returns the next steps of the walk, at most `max_steps`, or nothing if it is complete.
  std::vector<Step> plan(std::size_t max_steps) const;
  std::size_t remaining_steps() const { return walking() ? schedule_->remaining_steps() : 0; }

  /// Takes in a tuning iteration of the walk, in which the problem's launches used `config_id`.
  Taken observe(std::size_t config_id, const CellOutcome& outcome, std::optional<std::int64_t> makespan_ns);

  /// Call it once per batch. Closes a walking problem that was not launched in too many batches in a row.
  void note_presence(bool launched);

  /// Rejects a config. If it was the choice, chooses again. Further rejections of the config are ignored.
  void reject(std::size_t config_id, const std::string& reason);

  /// The same for a rejection by the final run, which the reason of a new choice then mentions.
  void reject_in_final_run(std::size_t config_id, const std::string& reason);

  /// Ends the walk, or the wait for the finals, and makes the problem provisional. Has no effect if it was
  /// neither walking nor waiting.
  void close(const std::string& reason);

  /// Makes the problem provisional with the best config that is not rejected, or with the default if nothing
  /// was measured. Has no effect if every config is rejected.
  void make_provisional(const std::string& reason);

  /// Locks in the choice of a problem that waits for the finals.
  void lock_in();

  /// Makes this config the choice, because the finals decided for it. Adds `note` to the reason.
  void choose(std::size_t config_id, const std::string& note);

  /// Confirms the choice, because the finals kept it. Adds `note` to the reason unless it has a note already.
  void keep(const std::string& note);

  /// Returns the best fully measured config, or nothing if there is none or if it is the default.
  std::optional<std::size_t> best_so_far() const;

  /// Return up to `count` viable configs, best first, by own time or by the median makespan of their steps.
  /// `best_by_time` appends at most `count` more: the lowest indices of those whose time exceeds that of the
  /// last one by no more than twice the noise. A drift may have decided the order of these, and the lowest
  /// index would win a tie.
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
  bool has_notes_ = false;          ///< true if the finals have added a note to the reason
  std::string walk_reason_;         ///< the walk's reason for its choice, if the finals have added a note
  std::string finals_notes_;        ///< the notes of the finals
  int batches_absent_ = 0;          ///< batches in a row without a launch
};

}  // namespace contextual::policy
