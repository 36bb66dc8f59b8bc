#pragma once

/// \file
/// How a tuning run goes on with one that was cut off, and how it sees to it that another can go on with it.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/journal/batch_record.hpp"
#include "contextual/journal/flight_recorder.hpp"
#include "contextual/tuning/resumption.hpp"
#include "contextual/tuning/run_journal.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// How a tuning run has ended.
enum class RunEnd {
  done,         ///< or in a way that would come again: there is nothing to go on with
  interrupted,  ///< by an exception
  in_flight,    ///< by what is in flight, it may be: a rank's device has failed
  rank_lost,    ///< a rank did not come back: by what is in flight, unless these are only defaults
};

/// Follows the batches of the earlier run and, on rank 0, writes those of this one. Decides nothing: the
/// state of the problems does, from the same outcomes as then. Not thread-safe.
class Continuation {
 public:
  /// `problems` outlives it.
  explicit Continuation(agreement::ProblemSet& problems) : problems_(problems) {}

  /// `journal` is null on all ranks but 0, and where nothing is written; `flight` where this rank does not
  /// say what is in flight.
  void begin(Resumption resumption, std::unique_ptr<RunJournal> journal,
             std::unique_ptr<journal::FlightRecorder> flight);

  /// Returns the next batch of the earlier run, or null.
  const journal::BatchRecord* next() const noexcept { return resumption_.next(); }
  /// Returns true if the rejections before the next batch are of configs that exist. Else that run is left.
  bool fits_rejections();
  /// Returns true if the next batch was planned like this, and `joined_before` problems were known before it.
  /// Else that run is left.
  bool fits(const std::vector<policy::IterationPlan>& plan, std::size_t joined_before);
  /// Returns true if nothing has failed in the next batch, as it was run now, that had not failed then. Else
  /// that run is left.
  bool agrees(const policy::BatchOutcome& now);
  /// The next batch has been taken in.
  void advance();
  std::int64_t elapsed_ns() const noexcept { return resumption_.elapsed_ns(); }
  std::int64_t iterations() const noexcept { return resumption_.iterations(); }
  /// Returns what is to be said when the earlier run has been followed or left; once.
  std::vector<std::string> take_notes();

  /// Returns how many iterations of the plan can run together: a suspect runs in a batch of its own.
  std::size_t length_alone(const std::vector<policy::IterationPlan>& plan) const;
  /// Returns why the iteration must not be run, or nothing.
  std::optional<std::string> quarantine_of(const policy::IterationPlan& planned) const;

  /// Returns why the config must not be made ready, or nothing.
  std::optional<std::string> quarantine_of(const detail::Problem& problem, std::size_t config_id) const;

  // What another process needs. All ranks call them; only where it is kept is something written.
  void note_unprepared(const std::vector<policy::RejectionOutcome>& rejections);
  void write(const std::vector<policy::IterationPlan>& plan, const policy::BatchOutcome& outcome,
             std::size_t joined_before);
  /// Before the first batch: it runs kept choices, of which this is the text, see flight_text.
  void first_batch_runs(std::string assignment) { first_batch_runs_ = std::move(assignment); }
  /// The config is being made ready. The defaults are not written down: nothing could be run instead of them.
  void begin_preparing(const detail::Problem& problem, std::size_t config_id);
  void end_preparing();
  void take_off(const std::vector<policy::IterationPlan>& plan);
  void landed();
  void end(RunEnd end);

 private:
  void leave(const std::string& why);
  void leave_planned(const std::string& why);

  agreement::ProblemSet& problems_;
  Resumption resumption_;
  std::unique_ptr<RunJournal> journal_;
  std::unique_ptr<journal::FlightRecorder> flight_;
  std::uint64_t batch_count_ = 0;        ///< agreed on so far, in this run and the one before
  std::string first_batch_runs_;         ///< empty if it runs defaults
  std::string alone_;                    ///< the one assignment that is running; empty if there are several
  std::vector<std::string> texts_;       ///< of the runs that are in flight
  std::vector<std::string> made_ready_;  ///< since the last batch, on this rank
  std::vector<std::vector<policy::RejectionOutcome>> unprepared_;  ///< since the last batch
  bool told_ = false;
  bool told_problem_ = false;
};

}  // namespace contextual::tuning
