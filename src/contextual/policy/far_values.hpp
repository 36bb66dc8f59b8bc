#pragma once

/// \file
/// Whose a set's far values are: those of a busy machine, which set threads aside now and then whatever runs,
/// or the set's own, which a program pays. Pure, and the same on every rank.

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace contextual::policy {

/// How many of some values are far longer than the others.
struct FarShare {
  std::size_t far = 0;
  std::size_t count = 0;
  double logarithms = 0;  ///< of the median far value over the median, as often as there are far ones
  std::size_t sets = 0;   ///< that have far values
  /// Far values that are about equally long.
  struct Group {
    std::size_t count = 0;
    double length = 0;  ///< the mean of their logarithms
    bool operator==(const Group&) const = default;
  };
  std::vector<Group> groups{};  ///< of one set; not added up

  double of_all() const { return count == 0 ? 0 : static_cast<double>(far) / static_cast<double>(count); }
  /// Returns the greatest part that may be far in truth, with 97.5 % of confidence (A. Agresti and B. Coull,
  /// "Approximate is better than 'exact' for interval estimation of binomial proportions", 1998).
  double at_most() const;
  /// Returns how many there are, if they are as long as stalls.
  std::size_t stalls() const;
  FarShare& operator+=(const FarShare& other) {
    far += other.far;
    count += other.count;
    logarithms += other.logarithms;
    sets += other.sets;
    return *this;
  }
  /// `part` is one of those that were added.
  FarShare without(const FarShare& part) const {
    return {far - part.far, count - part.count, logarithms - part.logarithms, sets - part.sets};
  }
  /// Returns what it says of the machine: one value in ten, and one more. A set with more may be slow itself,
  /// and two that are slow in the same way must not excuse each other.
  FarShare of_machine() const {
    const std::size_t most = std::min(far, 1 + count / 10);
    return {most, count, far == 0 ? 0 : logarithms * static_cast<double>(most) / static_cast<double>(far),
            sets};
  }
  bool operator==(const FarShare&) const = default;
};

/// Returns the greatest value that is not far: the median, and beyond it 25 % of it or six times the distance
/// of the lower quartile, if that is more. So what comes in half of the values is not far.
double far_limit(std::span<const double> values);
/// The same of logarithms of values.
double far_limit_of_logarithms(std::span<const double> values);

/// Returns how many of the values exceed the limit.
FarShare far_share(std::span<const double> values, double limit);
/// The same of logarithms of values.
FarShare far_share_of_logarithms(std::span<const double> values, double limit);
/// Returns what a set's far values say of the machine.
inline FarShare machine_share(std::span<const double> values) {
  return far_share(values, far_limit(values)).of_machine();
}

/// Stalls are at least so many times the median.
inline constexpr double times_of_stalls = 3;
inline constexpr double length_of_stalls = 1.1;  ///< as a logarithm

enum class FarCause {
  machine,  ///< they move nothing
  set,      ///< they count with their weight
  unclear,  ///< further samples are to tell
};

/// What a set's far values may come of.
struct FarJudgement {
  FarCause cause = FarCause::machine;
  bool likelier_set = false;  ///< if it is to be one of the two
};

/// Judges by a sequential test (A. Wald, "Sequential tests of statistical hypotheses", 1945), for each group
/// of far values that are alike. The machine's come in as many of the set's samples as in those of `others`;
/// the set's own, besides, in 1 or 2 of 5. What is as long as the far values of others is the machine's until
/// much speaks against it.
FarJudgement judge_far(const FarShare& set, const FarShare& others);

/// What a program pays for a set beside its values that are not far.
struct FarCost {
  FarShare share;
  FarJudgement judgement;
  double near = 0;    ///< the mean of the values that are not far
  double excess = 0;  ///< of the median of the far values over that, relative

  /// By which factor far values that come in this part of the runs lengthen the mean.
  double factor(double part) const { return 1 + part * excess; }
  /// Its standard error, relative.
  double error(double part) const;
  /// Their part of the runs, if they are the set's.
  double own_part() const;
};

/// Judges the far values among all that was measured of a set.
FarCost far_cost(std::span<const double> values, double limit, const FarShare& others);

/// Returns the values that say what a program pays for the set: without those that are likelier to be the
/// machine's, or with all of them, but none longer than the median of the far ones.
std::vector<double> settled(std::vector<double> values, double limit, const FarShare& others);

/// Summarizes those values.
Summary paid(std::vector<double> values, const FarShare& others);

}  // namespace contextual::policy
