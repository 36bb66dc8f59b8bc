#pragma once

/// \file
/// How a tuning run goes on with one that was cut off, and how it sees to it that another can go on with it.

#include "contextual/agreement/hello.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/journal/history.hpp"
#include "contextual/journal/journal_file.hpp"
#include "contextual/record/recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

/// Stands between the loop and the state of the problems. As long as an earlier run is followed, and for what
/// is in quarantine, it answers a planned batch, so that this is not run. It gives the state what the ranks
/// have agreed on and, on rank 0, writes that down. Decides nothing: the state does, from the same outcomes
/// as then. All ranks call all of it alike. Not thread-safe.
class Continuation {
 public:
  using Plan = std::vector<policy::IterationPlan>;
  using Rejections = std::vector<policy::RejectionOutcome>;

  /// All outlive it.
  Continuation(agreement::ProblemSet& problems, record::Recorder& recorder,
               const std::filesystem::path& cache_directory)
      : problems_(problems), recorder_(recorder), cache_directory_(cache_directory) {}

  /// `heading` is what this run is about, and `starts` the sets of choices that its search begins with.
  /// `journal` is null on all ranks but 0, and where nothing is written. Returns the sets that the search
  /// begins with: those of the earlier run, where it goes on with that.
  std::vector<std::string> begin(const agreement::Hello& hello, const std::string& heading,
                                 std::vector<std::string> starts,
                                 std::unique_ptr<journal::JournalFile> journal);

  /// Returns how many iterations of the plan make the next batch: a suspect runs in a batch of its own.
  std::size_t length_of(const Plan& plan) const;
  /// Returns nothing if the plan is to be run. Otherwise the state has been given what comes of it, is to be
  /// asked for another plan, and this is what was rejected.
  std::optional<Rejections> answer(const Plan& plan);
  /// The batch was not run, because these could not be prepared.
  void reject(const Plan& plan, const Rejections& rejections);
  /// Gives the state what has come of a batch that was run: `outcome`, which becomes that of the earlier run
  /// where this is followed.
  void observe(const Plan& plan, std::size_t joined_before, policy::BatchOutcome& outcome);

  /// Returns why the config must not be made ready, or an empty text.
  std::string quarantine_of(const DueConfig& due) const;
  /// These are made ready on some rank. A suspect is made ready alone: then only that is left of them, and it
  /// returns true.
  bool about_to_load(std::vector<DueConfig>& due);
  /// Before the first batch: it runs kept choices, of which this is the text, see journal_text.
  void first_batch_runs(std::string assignment) { first_batch_runs_ = std::move(assignment); }
  /// The plan is about to be run. Returns true if the ranks must meet before: else one of them could die of
  /// what runs for the first time before rank 0 has written what that is.
  bool about_to_run(const Plan& plan);
  /// All ranks have come back.
  void came_back();
  void end(JournalEnd end);

 private:
  const journal::BatchRecord* next() const noexcept {
    return count_ < history_.batches.size() ? &history_.batches[count_] : nullptr;
  }
  void follow(const Plan& plan, const policy::BatchOutcome& outcome);
  void leave(const std::string& why);
  void tell_end(const std::string& why) const;
  std::optional<std::string> quarantine_of(const policy::IterationPlan& planned);
  void run_next(const std::set<std::string>& texts);
  void write(const Plan& plan, const std::string& joined, bool unprepared,
             const policy::BatchOutcome& outcome);
  void note(const std::string& line);
  void append(const std::string& line);

  agreement::ProblemSet& problems_;
  record::Recorder& recorder_;
  const std::filesystem::path& cache_directory_;
  std::unique_ptr<journal::JournalFile> journal_;
  bool keeps_journal_ = false;             ///< rank 0 does
  journal::History history_;               ///< its batches are those of the earlier run, none once it is left
  std::size_t count_ = 0;                  ///< of batches so far, in this run and the one before
  std::size_t iterations_ = 0;             ///< followed
  std::int64_t elapsed_ns_ = 0;            ///< by the clock of the run before
  std::string first_batch_runs_;           ///< empty if it runs defaults
  Assignment skipped_;                     ///< the last one that was not run, since one was
  std::set<std::string> told_quarantine_;  ///< the texts of the assignments
};

}  // namespace contextual::tuning
