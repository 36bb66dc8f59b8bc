#pragma once

/// \file
/// The last comparison of a search: the chosen assignment and a reference, in turn. Pure.

#include "contextual/policy/far_values.hpp"
#include "contextual/policy/search_record.hpp"

#include <contextual/search.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace contextual::policy {

/// What was measured of both assignments before the comparison, and how many samples of all others are far.
struct ClosingEvidence {
  std::vector<double> reference_ns{};
  std::vector<double> choice_ns{};
  FarShare others{};
};

/// Runs rounds, in which each of the two gives a sample, so that a drift cancels. Rounds that are added share
/// lead-ins, `rounds_per_turn` at a time. A round in which either has no makespan does not count, and is made
/// up for by at most as many further rounds. More rounds may be added at any time. An assignment that does
/// not succeed when it is run alone before its trial gets one more such run; then the trial has no makespan.
/// Not thread-safe.
class ClosingComparison {
 public:
  ClosingComparison(Assignment reference, Assignment choice, int rounds);

  /// Returns the number of runs of the first rounds, if every one counts.
  static constexpr std::int64_t runs_of(int rounds) { return runs_per_round * rounds; }
  /// Returns how many rounds so many runs are enough for, if they are added.
  static int added_rounds_in(std::int64_t runs);

  /// Returns the rest of the current turn, or nothing if the comparison is complete.
  std::vector<SearchTrial> plan() const;
  void observe(const SearchObservation& observation);
  void add_rounds(int rounds);
  int rounds() const noexcept { return rounds_; }
  /// Returns the number of runs of all its rounds, if every one counts.
  std::int64_t runs() const noexcept { return runs_; }
  /// Returns how many of them are left.
  std::int64_t runs_left() const;
  /// Returns the number of rounds in which both have a makespan.
  int measured() const noexcept { return static_cast<int>(counted_.size()); }
  /// Returns true if a trial of it has been run.
  bool begun() const noexcept { return begun_ > 0 || position_ > 0 || has_run_first_; }

  const Assignment& reference() const noexcept { return reference_; }
  const Assignment& choice() const noexcept { return choice_; }

  struct Result {
    Summary reference;
    Summary choice;
    std::optional<Gain> gain;   ///< empty with fewer than two rounds that count
    double noise = 0;           ///< the standard error of the gain, as a fraction of the reference's makespan
    double noise_of_parts = 0;  ///< the same, of how often far samples come that a set pays for
    bool choice_pays = false;   ///< for far samples, which are likelier its own than the machine's
    Summary choice_paid;        ///< of all its samples, and not only of those in turn with the reference
    Summary reference_paid;     ///< the same
    double reference_near_ns = 0;  ///< the mean of the reference's samples that are not far
    bool mostly_far = false;       ///< one has few samples, and most are far longer than its least one
    /// What may be instead, because it is not clear whose the far samples of one or both are: if those of the
    /// reference, or of the choice, are the set's and not the machine's, or the other way around.
    struct OrElse {
      bool choice_pays = false;
      Gain gain;
      double reference_ns = 0;  ///< the mean of the reference, of which the gain is a part
    };
    std::vector<OrElse> or_else;
    /// Returns the gain with an interval that holds those of `or_else`, too.
    std::optional<Gain> gain_in_any_case() const;
  };
  /// Compares the means over the rounds in which neither sample is far. Far samples that are the set's own
  /// lengthen its mean by their part of all its samples. The interval of the gain has the confidence that
  /// belongs to a quantile of the normal distribution. It is that of a ratio, so that no gain exceeds 1, and
  /// no makespan is shortened by more than 100 %.
  Result result(const ClosingEvidence& evidence = {}, double normal_quantile = two_sided_95) const;

  static constexpr double two_sided_95 = 1.96;

 private:
  static constexpr std::int64_t runs_per_round = 4;  ///< two trials of a lead-in and a sample
  static constexpr int rounds_per_turn = 3;          ///< of those that are added

  struct Round {
    std::int64_t reference_ns = 0;
    std::int64_t choice_ns = 0;
  };
  using Samples = std::vector<std::optional<std::int64_t>>;
  static std::int64_t runs_of_added(int rounds);
  bool complete() const noexcept;
  int rounds_of_turn() const;
  const Assignment& at(std::size_t position) const;

  Assignment reference_;
  Assignment choice_;
  int rounds_;
  int first_rounds_;  ///< which have lead-ins of their own
  std::int64_t runs_;
  std::vector<Round> counted_;  ///< rounds that count
  Samples of_reference_;        ///< in the current turn
  Samples of_choice_;
  std::size_t position_ = 0;    ///< of the next trial in it
  bool has_run_first_ = false;  ///< its assignment was run alone, because it had not succeeded yet
  int begun_ = 0;               ///< complete rounds, whether they count or not
  unsigned turns_ = 0;          ///< complete ones
};

/// Returns true if the choice is not shorter by more than the margin, or than the noise if that is smaller.
/// `result` has a gain.
bool reference_wins(const ClosingComparison::Result& result, double tie_margin);

}  // namespace contextual::policy
