#pragma once

/// \file
/// One tuning problem of one `run`: its walk, its records and its choice. Pure.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_request.hpp"
#include "contextual/policy/reason.hpp"
#include "contextual/policy/selection.hpp"
#include "contextual/policy/walk.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace contextual::policy {

enum class ProblemStatus {
  exploring,  ///< a choice point: the problems of its alternatives are being tuned
  walking,    ///< it has further steps
  walked,     ///< its walk is complete, and it waits for the search
  locked_in,  ///< its best config is fixed
  /// Its choice is used in this run but is not a result: the walk was cut short, or the final run accepted no
  /// choice.
  provisional,
  failed,  ///< every config that it could use was rejected
};

/// What the walk measured of one config.
struct ConfigRecord {
  std::vector<std::int64_t> samples_ns;    ///< own times without warm-ups
  std::vector<std::int64_t> makespans_ns;  ///< the known makespans of the same tuning iterations
  std::optional<Reason> rejection;         ///< why it was rejected; empty if it was not
  bool left_out = false;                   ///< true if it is not a candidate
  int retakes = 0;                         ///< steps that had to be repeated
};

/// What is known of one tuning problem.
struct ProblemRecord {
  ProblemStatus status = ProblemStatus::walking;
  /// Before the problem is locked in or provisional, the best config so far, or the default if there is none.
  std::size_t choice = 0;
  Reason reason;  ///< why `choice`
  std::vector<ConfigRecord> configs;
  int warmups = 0;                   ///< uses of each config in the walk before its samples count
  int repeats = 0;                   ///< samples of each config that the walk takes
  std::int64_t walk_iterations = 0;  ///< steps observed, including those that had to be repeated
};

/// Returns true if a run of a config took so much longer than the first one of another that it stands out.
constexpr bool far_longer(std::int64_t first_run_ns, std::int64_t other_ns) {
  return first_run_ns / 3 > other_ns;
}

/// Whether a batch has launched a problem.
enum class Presence { launched, absent };

/// What the choice of a problem rests on.
enum class Evidence {
  search,    ///< the search has measured it, or there is nothing to choose from
  own_time,  ///< the samples of the walk, if there are any
};

/// One tuning problem. Not thread-safe. Keeps a reference to the options.
class ProblemState {
 public:
  /// How the walk used one launch.
  enum class Taken {
    step,       ///< it was the step that was due, and it is observed
    retake,     ///< its time is missing, so the step stays due
    no_time,    ///< the same, and its time has been missing too often
    displaced,  ///< another step was due, because an earlier one was not launched or has to be repeated
    nothing,    ///< the problem was not launched, does not walk, or used a rejected config
  };

  /// Throws InvalidArgument for a request that makes no sense.
  ProblemState(const ProblemRequest& request, const PolicyOptions& options);

  const ProblemRecord& record() const { return record_; }
  const ProblemRequest& request() const { return request_; }
  bool walking() const { return record_.status == ProblemStatus::walking; }
  bool walked() const { return record_.status == ProblemStatus::walked; }
  /// Returns true if its config is what a run tries or could try. A choice point that explores tries nothing
  /// itself.
  bool tried() const { return walking() || walked(); }
  /// Returns true for a choice point whose alternatives are still being tuned.
  bool exploring() const { return record_.status == ProblemStatus::exploring; }
  bool open() const { return exploring() || tried(); }

  /// Returns true for a candidate that is not rejected.
  bool viable(std::size_t config_id) const;
  /// Returns the number of candidates that are not rejected.
  std::size_t viable_count() const { return viable_count_; }

  /// Returns true if only a search may try the config, near the best.
  bool is_refinement(std::size_t config_id) const { return config_id >= coarse_count_; }

  /// Returns true if the walk has left out a candidate, which may yet be the best.
  bool left_unmeasured() const;

  /// Returns the summary of a config's own times in the walk.
  const Summary& own_time(std::size_t config_id) const { return own_times_[config_id]; }
  /// Returns false if in no tuning iteration so far its launches overlapped other work.
  bool overlaps() const { return overlaps_; }
  /// Returns the largest part of a makespan so far that its own time was; 1 if that is not known.
  double share() const { return share_ > 0 ? share_ : 1; }
  /// Returns true if its own time does not tell which config is best for the region, as far as is known.
  bool worth_a_search() const;

  /// Returns the next steps of the walk, at most `max_steps`, or nothing if it is complete.
  std::vector<Step> plan(std::size_t max_steps) const;
  std::size_t remaining_steps() const { return walking() ? walk_->remaining_steps() : 0; }

  /// Makes an exploring choice point use this alternative.
  void hold(std::size_t alternative) { record_.choice = alternative; }
  /// How the alternatives of a choice point are compared once their problems are tuned.
  enum class Comparison { by_search, by_walk };
  /// Ends the exploration of a choice point, of which some alternative is viable.
  void compare_alternatives(Comparison comparison);

  /// Takes in a tuning iteration of the walk, in which the problem's launches used `config_id`.
  /// `rest_ns` is the makespan less the own times of all problems, if these are known.
  Taken observe(std::size_t config_id, const CellOutcome& outcome, std::optional<std::int64_t> makespan_ns,
                std::optional<std::int64_t> rest_ns = std::nullopt);

  /// Call it once per batch. Closes a walking problem that was not launched in too many batches in a row.
  void note_presence(Presence presence);

  /// Rejects a config. If it was the choice, chooses again. Further rejections of the config are ignored.
  void reject(std::size_t config_id, const Reason& reason);

  /// The default is no candidate from now on, and remains the fallback. Returns false where it is none, or
  /// nothing else is one.
  bool leave_out_default();

  /// The same for a rejection by the final run, which the reason of a new choice then mentions.
  void reject_in_final_run(const RejectionOutcome& rejection);
  /// The same for a default that has not failed: it is no candidate any more, and remains the fallback.
  void leave_out_in_final_run(const std::string& words);

  /// The walk leaves this config out, because the assignment that it belongs to is infeasible: what was
  /// measured of it does not count, and it stays a candidate. Has no effect on a problem that does not walk.
  void leave_unmeasured(std::size_t config_id);

  /// Returns true if the next step of the walk is the first run of this config.
  bool begins(std::size_t config_id) const;

  /// Takes in the own time of a config's first run in the walk. Returns true if it is far longer than the
  /// shortest one of the other configs.
  bool is_far_longer(std::int64_t first_run_ns);
  /// Returns the shortest one; 0 before the first.
  std::int64_t shortest_first_run_ns() const { return shortest_first_run_ns_.value_or(0); }

  /// Rejects a config whose first runs took far too long, for `reason`. It comes back where nothing else is
  /// left. Has no effect on a problem that does not walk.
  void reject_slow(std::size_t config_id, const Reason& reason);

  /// Ends the walk, or the wait for the search, and makes the problem provisional. Has no effect if it was
  /// neither walking nor waiting.
  void close(const Reason& reason);

  /// Makes the problem provisional with the best config that is not rejected, or with the default if nothing
  /// was measured. Has no effect if every config is rejected.
  void make_provisional(const Reason& reason);

  /// Makes this config the choice of a problem that waits for the search, for `reason`.
  void choose(std::size_t config_id, const Reason& reason);

  /// Locks in the choice of a problem that waits for the search. If neither the search nor the walk has
  /// measured it, the problem becomes provisional.
  void lock_in(Evidence evidence);

  /// Makes this config the choice of a problem that its walk has locked in, for `reason`.
  void replace_choice(std::size_t config_id, const Reason& reason);

  /// Returns the candidates that have samples of the walk and are not rejected, the shortest own time first.
  std::vector<std::size_t> by_own_time() const;

  /// Returns the best fully measured config, or nothing if there is none or if it is the default.
  std::optional<std::size_t> best_so_far() const;

 private:
  void begin();
  void begin_walk();
  bool orient(std::vector<bool>& left_out);
  bool complete(std::size_t config_id) const;
  Taken take(const Step& step, std::optional<std::int64_t> time_ns, std::optional<std::int64_t> makespan_ns,
             bool disturbed);
  void note_context(const CellOutcome& outcome, std::optional<std::int64_t> makespan_ns);
  bool rest_speaks_against_choice() const;
  std::vector<std::int64_t> rests_beside(std::size_t config_id) const;
  bool retaken_too_often(std::size_t config_id);
  bool readmit_slow();
  bool walk_refinements();
  void end_walk();
  void choose_by_own_time(int min_samples);
  void choose_after_walk();
  void settle_status();
  void settle_replacement();
  bool unwalked() const;
  void reject(std::size_t config_id, const Reason& reason, const ReasonPart& when_chosen);
  void choose_without(std::size_t config_id, const ReasonPart& when_chosen);
  std::vector<Entrant> entrants(int min_samples) const;

  const PolicyOptions* options_;
  ProblemRequest request_;
  std::optional<Walk> walk_;  ///< none where there was nothing to walk
  ProblemRecord record_;
  std::size_t walk_choice_ = 0;
  Reason walk_reason_;                ///< why the walk chose what it chose; empty without a walk
  std::vector<Summary> own_times_;    ///< of each config's samples
  std::set<std::size_t> unmeasured_;  ///< what the walk left out
  std::set<std::size_t> slow_;        ///< what was rejected for its first runs
  std::optional<std::int64_t> shortest_first_run_ns_;  ///< by own time
  std::size_t viable_count_ = 0;                       ///< candidates that are not rejected
  std::size_t coarse_count_ = 0;                       ///< configs from here on are refinements
  bool overlaps_ = false;
  struct Rest {
    std::int64_t ns = 0;
    std::int64_t own_ns = 0;  ///< of all launches in the same run
  };
  std::map<std::size_t, std::vector<Rest>> rests_;  ///< by config, where only launches are seen
  bool orients_ = false;                            ///< the walk only orients the search
  double share_ = 0;                                ///< the largest so far
  int batches_absent_ = 0;                          ///< batches in a row without a launch
};

}  // namespace contextual::policy
