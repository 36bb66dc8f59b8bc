#include "contextual/policy/far_values.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace contextual::policy {
namespace {

constexpr double least_machine_share = 0.03;
constexpr double most_machine_share = 0.2;
constexpr double surely_machine = 0.02;  // the odds of the set
constexpr double surely_set = 50;

constexpr double of_long_stalls = 3.2;       // 25 times, as a logarithm
constexpr double odds_of_long_ones = 0.005;  // that they are the set's

/// Of the far values over the medians, as a logarithm.
double mean_length(const FarShare& share) {
  return share.far == 0 ? 0 : share.logarithms / static_cast<double>(share.far);
}

/// The odds of the set before its samples are counted: most sets are steady. Stalls are long, and about
/// equally so whatever runs, and hardly any set is sometimes as slow as the longest. The odds fall steadily
/// from those of far values that are too short for stalls to those of the longest.
double odds_of_a_set(double length, const FarShare& others) {
  constexpr std::size_t enough = 2;
  constexpr double shorter = 1;  // by more than this they differ
  if (length < length_of_stalls) {
    return 1;
  }
  const bool as_others = others.sets >= enough && length > mean_length(others) - shorter;
  const double part = std::min(1.0, (length - length_of_stalls) / (of_long_stalls - length_of_stalls));
  const double odds = 1 / (1 + part * part * part * part / odds_of_long_ones);
  return as_others ? std::min(odds, surely_machine) : odds;
}

/// How much likelier `alike` of `count` samples are far if this part of them is the set's own, besides the
/// machine's. The machine's share is only known from samples of others, which may have more of their own: 1
/// of 10 before these (a beta-binomial distribution).
double likelihood_ratio(std::size_t alike, std::size_t count, const FarShare& others, double own) {
  const std::size_t stalls = std::min(others.stalls(), alike * others.count / count);
  double far = static_cast<double>(stalls) + 1;
  double near = static_cast<double>(others.count - stalls) + 9;
  const double of_machine = std::clamp(far / (far + near), least_machine_share, most_machine_share);
  const double of_set = own + (1 - own) * of_machine / 3;
  double ratio = 1;
  for (std::size_t i = 0; i < count; ++i) {
    // Spread evenly, so that no product is far from 1.
    const bool is_far = (i + 1) * alike / count > i * alike / count;
    double& seen = is_far ? far : near;
    ratio *= (is_far ? of_set : 1 - of_set) * (far + near) / seen;
    seen += 1;
  }
  return ratio;
}

double limit_of(std::span<const double> values, double part, double least) {
  constexpr double quartiles = 6;  // four deviations of normal samples
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) {
    return 0;
  }
  const double lower = sorted[(sorted.size() - 1) / 4];
  const double middle = median(std::move(sorted));
  return middle + std::max(part * middle + least, quartiles * (middle - lower));
}

/// The groups of sorted logarithms that differ by little, and all of them. A set's own far values are often
/// alike, those of a machine are not.
std::vector<FarShare::Group> groups_of(const std::vector<double>& sorted) {
  constexpr double alike = 0.5;
  std::vector<FarShare::Group> groups;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); ++begin) {
    const std::size_t before = end;
    while (end < sorted.size() && sorted[end] <= sorted[begin] + alike) {
      ++end;
    }
    if (end > before) {  // otherwise it is a part of the group before
      const double sum = std::accumulate(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                                         sorted.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
      groups.push_back({end - begin, sum / static_cast<double>(end - begin)});
    }
  }
  if (groups.size() > 1) {
    groups.push_back({sorted.size(), median(sorted)});
  }
  return groups;
}

std::vector<double> beyond(std::span<const double> values, double limit) {
  std::vector<double> far;
  std::copy_if(values.begin(), values.end(), std::back_inserter(far),
               [limit](double value) { return value > limit; });
  return far;
}

/// `over(value, median)` is a logarithm.
template <typename Over>
FarShare share_of(std::span<const double> values, double limit, const Over& over) {
  std::vector<double> far = beyond(values, limit);
  const double middle = median({values.begin(), values.end()});
  for (double& value : far) {
    value = over(value, middle);
  }
  std::sort(far.begin(), far.end());
  return {far.size(), values.size(), static_cast<double>(far.size()) * median(far), far.empty() ? 0U : 1U,
          groups_of(far)};
}

}  // namespace

double FarShare::at_most() const {
  const double all = static_cast<double>(count) + 4;
  const double part = (static_cast<double>(far) + 2) / all;
  return part + 2 * std::sqrt(part * (1 - part) / all);
}

std::size_t FarShare::stalls() const {
  return mean_length(*this) > length_of_stalls ? far : 0;
}

double far_limit(std::span<const double> values) {
  return limit_of(values, 0.25, 0);
}

double far_limit_of_logarithms(std::span<const double> values) {
  return limit_of(values, 0, search::natural_logarithm(1.25));
}

FarShare far_share(std::span<const double> values, double limit) {
  return share_of(values, limit,
                  [](double value, double middle) { return search::natural_logarithm(value / middle); });
}

FarShare far_share_of_logarithms(std::span<const double> values, double limit) {
  return share_of(values, limit, [](double value, double middle) { return value - middle; });
}

FarJudgement judge_far(const FarShare& set, const FarShare& others) {
  constexpr double seldom = 0.2;  // the set's own part of the runs, of which it is one
  constexpr double often = 0.4;
  double odds = 0;
  for (const FarShare::Group& group : set.groups) {
    const std::size_t count = set.count - (set.far - group.count);
    const double ratio = (likelihood_ratio(group.count, count, others, seldom) +
                          likelihood_ratio(group.count, count, others, often)) /
                         2;
    odds = std::max(odds, odds_of_a_set(group.length, others) * ratio);
  }
  return {odds < surely_machine ? FarCause::machine
          : odds > surely_set   ? FarCause::set
                                : FarCause::unclear,
          odds > 1};
}

double FarCost::own_part() const {
  constexpr double least = 0.25;
  return judgement.cause == FarCause::set ? share.of_all() : std::max(least, share.of_all());
}

double FarCost::error(double part) const {
  return part > 0 ? std::sqrt(part * (1 - part) / static_cast<double>(share.count)) * excess / factor(part)
                  : 0;
}

FarCost far_cost(std::span<const double> values, double limit, const FarShare& others) {
  FarCost cost;
  cost.share = far_share(values, limit);
  cost.judgement = judge_far(cost.share, others);
  if (cost.share.far > 0) {
    const std::vector<double> far = beyond(values, limit);
    const double sum =
        std::accumulate(values.begin(), values.end(), 0.0) - std::accumulate(far.begin(), far.end(), 0.0);
    cost.near = sum / static_cast<double>(values.size() - far.size());
    cost.excess = median(far) / cost.near - 1;
  }
  return cost;
}

std::vector<double> settled(std::vector<double> values, double limit, const FarShare& others) {
  const FarShare share = far_share(values, limit);
  if (share.far == 0) {
    return values;
  }
  if (!judge_far(share, others).likelier_set) {
    std::erase_if(values, [limit](double value) { return value > limit; });
    return values;
  }
  const double most = median(beyond(values, limit));
  for (double& value : values) {
    value = std::min(value, most);
  }
  return values;
}

Summary paid(std::vector<double> values, const FarShare& others) {
  const double limit = far_limit(values);
  return summarize_all(settled(std::move(values), limit, others));
}

}  // namespace contextual::policy
