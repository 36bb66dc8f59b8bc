#pragma once

/// \file
/// How a tuning run goes on with one that was cut off, and how it sees to it that another can go on with it.

#include "contextual/agreement/hello.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/journal/history.hpp"
#include "contextual/tuning/run_journal.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// How a tuning run has ended.
enum class JournalEnd {
  done,           ///< or in a way that would come again: there is nothing to go on with
  interrupted,    ///< by an exception
  device_failed,  ///< by what is running, it may be: a rank's device has failed
  rank_lost,      ///< a rank did not come back: by what is running, unless these are only defaults
};

/// A config of a problem that is to be made ready.
struct DueConfig {
  detail::ProblemSlot* slot;
  std::size_t config_id;
};

/// Follows the batches of the earlier run and, on rank 0, writes those of this one. Decides nothing: the
/// state of the problems does, from the same outcomes as then. All ranks call all of it alike. Not
/// thread-safe.
class Continuation {
 public:
  /// `problems` outlives it.
  explicit Continuation(agreement::ProblemSet& problems) : problems_(problems) {}

  /// `heading` is that of this run. `journal` is null on all ranks but 0, and where nothing is written.
  /// Returns the sets of choices that the run's search begins with, too: those of the earlier run, where it
  /// goes on with that.
  std::vector<std::string> begin(const agreement::Hello& hello, const std::string& heading,
                                 std::unique_ptr<RunJournal> journal);

  /// Returns the next batch of the earlier run, or null.
  const journal::BatchRecord* next() const noexcept {
    return at_ < earlier_.size() ? &earlier_[at_] : nullptr;
  }
  /// Returns what was rejected before the next batch, one after the other; once. If these are configs that do
  /// not exist, the earlier run is left.
  std::vector<std::vector<policy::RejectionOutcome>> take_rejections();
  /// Returns true if the next batch was planned like this, and `joined_before` problems were known before it.
  /// Else the earlier run is left.
  bool fits(const std::vector<policy::IterationPlan>& plan, std::size_t joined_before);
  /// Takes in a batch, whose outcome is `now`. Returns true, with the outcome that it had in the earlier run,
  /// if it is the next one of that: it fits, and nothing has failed now that had not failed then. The earlier
  /// run is left if it is another one.
  bool follows(const std::vector<policy::IterationPlan>& plan, std::size_t joined_before,
               policy::BatchOutcome& now);
  std::int64_t elapsed_ns() const noexcept { return elapsed_ns_; }  ///< by the clock of the run before
  /// Returns what is to be said of the earlier run and of quarantine; once.
  std::vector<std::string> take_notes();
  /// Returns why the journal is not written, if that is so; once.
  std::string take_unwritten();

  /// Returns how many iterations of the plan can run together: a suspect runs in a batch of its own.
  std::size_t length_alone(const std::vector<policy::IterationPlan>& plan) const;
  /// Returns why the iteration must not be run, or nothing. There is a note of it.
  std::optional<std::string> quarantine_of(const policy::IterationPlan& planned);
  /// Returns the outcome of an iteration that must not be run, or nothing; also where the state plans the
  /// same once more, because it has nothing else.
  std::optional<policy::BatchOutcome> outcome_in_quarantine(const policy::IterationPlan& planned);
  /// Returns why the config must not be made ready, or nothing.
  std::optional<std::string> quarantine_of(const DueConfig& due) const;
  /// Returns true if the config must be made ready alone.
  bool suspect(const DueConfig& due) const;

  // What another process needs. Only where it is kept is something written.
  void note_unprepared(const std::vector<policy::RejectionOutcome>& rejections);
  /// A batch that is no part of the earlier run has been taken in: all of it has come back.
  void write(const std::vector<policy::IterationPlan>& plan, const policy::BatchOutcome& outcome,
             std::size_t joined_before);
  /// Before the first batch: it runs kept choices, of which this is the text, see journal_text.
  void first_batch_runs(std::string assignment) { first_batch_runs_ = std::move(assignment); }
  /// These are made ready on some rank. Defaults are not written down: nothing could be run instead of them.
  void about_to_run(const std::vector<DueConfig>& due);
  /// The plan is about to be run. Returns true if the ranks must meet before: else one of them could die of
  /// what runs for the first time before rank 0 has written what that is.
  bool about_to_run(const std::vector<policy::IterationPlan>& plan);
  /// All ranks have come back, and `write` does not say so.
  void came_back();
  void end(JournalEnd end);

 private:
  bool agrees(const policy::BatchOutcome& now);
  void leave(const std::string& why);
  void leave_planned(const std::string& why);
  void come_back();
  bool knows_deaths() const { return keeps_journal_ || !quarantine_.empty(); }
  void about_to_run(std::vector<std::string> texts);
  void append(const std::string& line);

  agreement::ProblemSet& problems_;
  std::unique_ptr<RunJournal> journal_;
  bool keeps_journal_ = false;  ///< rank 0 does
  std::vector<journal::BatchRecord> earlier_;
  std::size_t at_ = 0;             ///< so many of them have been taken in
  bool rejections_taken_ = false;  ///< those before the next of them
  std::int64_t iterations_ = 0;
  std::int64_t elapsed_ns_ = 0;
  std::string left_;  ///< why not all of them were taken in
  journal::Quarantine quarantine_;
  std::set<std::string> harmless_;  ///< texts of what has come back
  std::uint64_t batch_count_ = 0;   ///< agreed on so far, in this run and the one before
  std::string first_batch_runs_;    ///< empty if it runs defaults
  std::vector<std::vector<policy::RejectionOutcome>> unprepared_;  ///< since the last batch
  std::vector<std::string> notes_;
  Assignment skipped_;                     ///< the last one that was not run, since one was
  std::set<std::string> told_quarantine_;  ///< the texts of the assignments
  bool told_ = false;
  bool told_problem_ = false;
};

}  // namespace contextual::tuning
