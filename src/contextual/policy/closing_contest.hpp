#pragma once

/// \file
/// Whether a candidate is shown to be faster than a reference, and how many rounds that is worth. Pure.

#include "contextual/policy/closing_comparison.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace contextual::policy {

/// Compares one candidate after the other with a reference. Each look at a comparison takes a part of the
/// 5 % by which all of them together may be wrong, the k-th one 1 / (k (k + 1)) of it, so that it does not
/// matter how often one looks, or at how many candidates. Not thread-safe.
class ClosingContest {
 public:
  /// Every candidate gets `rounds` rounds, as long as there are runs for them. More are added while its gain
  /// is neither shown nor out of reach. All rounds together take at most `most_runs` runs, but the first
  /// `rounds` in any case.
  ClosingContest(int rounds, std::int64_t most_runs);

  /// From here on, all rounds together take at most so many runs, in any case.
  void limit(std::int64_t runs);
  static constexpr std::int64_t fewest_runs = ClosingComparison::runs_of(2);

  /// What a candidate has to show.
  enum class Claim {
    faster,      ///< that it is surely shorter than the reference
    not_slower,  ///< that it is not surely longer, because other measurements speak for it
  };

  enum class Verdict {
    open,        ///< further rounds are planned
    unmeasured,  ///< too few rounds have a makespan
    shown,       ///< the candidate's claim holds
    lost,        ///< the candidate is surely longer
    noise,       ///< the candidate is not shown to be shorter, nor to be longer
  };

  /// Begins with another candidate. `next_longer_by_ns`: how much longer than the reference
  /// what is next to it should be.
  void begin(Assignment reference, Assignment candidate, Claim claim, ClosingEvidence evidence = {},
             std::optional<double> next_longer_by_ns = std::nullopt);
  /// Forgets the candidate, because what is compared has changed.
  void drop();

  bool running() const noexcept { return comparison_.has_value(); }
  /// The comparison of the current candidate, of which there is one while `running()`.
  const ClosingComparison& comparison() const { return *comparison_; }

  std::vector<SearchTrial> plan() const {
    return comparison_ ? comparison_->plan() : std::vector<SearchTrial>();
  }
  void observe(const SearchObservation& observation);

  /// Judges the current candidate once its planned rounds are complete, and adds rounds if they are worth it.
  Verdict judge();
  /// Returns true if the last `judge`, or what it says of the next, would have been another one, had the far
  /// samples of one or both sets another cause, and there were no runs left to tell.
  bool unsure() const noexcept { return unsure_; }
  static constexpr double worthwhile = 0.05;  ///< a gain that is worth further runs

  /// Returns true if what is next should be shorter by so much, as of the last `judge`.
  bool behind_next() const { return result_.gain && behind_next(at_least); }
  /// Returns true if the candidate gains no more, whosever the far samples are, as of the last `judge`.
  bool gains_at_most(double margin) const;
  /// The result of the last `judge`, with the interval that it went by.
  const ClosingComparison::Result& result() const noexcept { return result_; }

  /// Returns how many runs the comparisons can still take, if no time is missing.
  std::size_t most_runs_left() const;

  /// Returns true if there are runs for the rounds of so many further candidates.
  bool affords(int candidates) const;

 private:
  std::int64_t runs_left() const;
  void narrow(Gain& gain) const;
  Verdict verdict_of(const Gain& gain, bool choice_pays) const;
  static constexpr double at_least = -1;  ///< standard errors more than it seems: the choice takes that
  bool behind_next(double errors) const {
    return behind_next(*result_.gain, result_.reference.centre_ns, errors, true);
  }
  bool behind_next(const Gain& gain, double reference_ns, double errors, bool of_all) const;
  bool slow_runs_hide_next() const;
  int worthwhile_rounds(bool next_is_hidden) const;

  int rounds_;
  std::int64_t most_runs_;  ///< of all candidates together
  std::int64_t spent_ = 0;  ///< of candidates before the current one
  std::size_t looks_ = 0;
  Claim claim_ = Claim::faster;
  bool unsure_ = false;
  std::optional<ClosingComparison> comparison_;
  ClosingEvidence evidence_;
  std::optional<double> next_longer_by_ns_;
  ClosingComparison::Result result_;
};

}  // namespace contextual::policy
