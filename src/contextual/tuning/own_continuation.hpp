#pragma once

/// \file
/// How the problems that a rank tunes alone go on where an earlier process was cut off.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/journal/batch_record.hpp"
#include "contextual/journal/journal_file.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace contextual::tuning {

/// What it takes to go on, by batch of the tuning run.
struct OwnJournal {
  detail::TrustedFolder folder;
  std::string file;
  journal::Safety safety = journal::Safety::from_process_end;
  std::string heading;            ///< of this run: another run's journal is begun anew
  std::uint64_t batch_count = 0;  ///< what rank 0 has of the run before: no more of it counts
};

/// Follows what this rank has written of its own problems, and writes it: a line a batch, before the ranks
/// meet, so that it is never behind rank 0's journal. Writes nothing while there are no such problems. Where
/// what was written does not fit, the problems are walked through again from there. Not thread-safe.
class OwnContinuation {
 public:
  using Rejections = std::vector<policy::RejectionOutcome>;
  using MarkRejected = std::function<void(const Rejections&)>;

  /// `own` outlives it. `mark_rejected` tells launches what is rejected.
  OwnContinuation(agreement::ProblemSet& own, MarkRejected mark_rejected);

  void begin(OwnJournal journal);

  /// Takes in what could not be prepared before the batch, once. Batches are counted from 1.
  void reject_unprepared(std::uint64_t batch);
  /// Takes in the batch, which is not run.
  void follow(std::uint64_t batch);

  /// Returns how many tuning iterations of the own problems the batch had, which is run once more; nothing if
  /// they took no part in it.
  std::optional<std::size_t> length(std::uint64_t batch) const;
  /// Returns what the batch has measured then, if it was planned like this, if the same problems joined in
  /// it, and if nothing was rejected now that had not been rejected then. Else, and from then on, nothing.
  std::optional<policy::BatchOutcome> outcome(std::uint64_t batch,
                                              const std::vector<policy::IterationPlan>& plan,
                                              std::size_t joined_before, const Rejections& now);

  /// The run does not go on with the earlier one any more.
  void leave();

  void note_unprepared(const Rejections& rejections);
  void write(std::uint64_t batch, const std::vector<policy::IterationPlan>& plan,
             const policy::BatchOutcome& outcome, std::size_t joined_before);
  /// Returns a warning that the journal is not written any more, once; else an empty text.
  std::string take_warning();
  /// The run is over, and there is nothing to go on with.
  void remove();
  /// Another process may go on with it.
  void close();

 private:
  const journal::BatchRecord* record_of(std::uint64_t batch) const;
  bool fits(const journal::BatchRecord& record, const std::vector<policy::IterationPlan>& plan,
            std::size_t joined_before, const Rejections& now) const;

  agreement::ProblemSet& own_;
  MarkRejected mark_rejected_;
  std::optional<OwnJournal> journal_;
  std::optional<journal::JournalFile> file_;  ///< once there is something in it
  std::vector<journal::BatchRecord> records_;
  std::size_t at_ = 0;                  ///< so many of them have been taken in
  std::uint64_t prepared_ = 0;          ///< the batch whose `unprepared` has been taken in
  std::vector<Rejections> unprepared_;  ///< since the last batch
  bool warned_ = false;
};

}  // namespace contextual::tuning
