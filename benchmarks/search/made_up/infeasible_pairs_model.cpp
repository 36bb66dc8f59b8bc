#include "search/made_up/infeasible_pairs_model.hpp"

#include "search/quantile.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace search_replay::made_up {
namespace {

constexpr double share_feasible = 0.6;

/// The largest demand of a pair that is still feasible.
double limit_of(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> sums;
  for (const double a : first) {
    for (const double b : second) {
      sums.push_back(a + b);
    }
  }
  return quantile(std::move(sums), share_feasible);
}

}  // namespace

InfeasiblePairsModel::InfeasiblePairsModel(std::vector<Kernel> kernels, Defaults defaults,
                                           RandomNumbers& random)
    : InfeasiblePairsModel(demanding(std::move(kernels), defaults, random)) {}

InfeasiblePairsModel::InfeasiblePairsModel(Demanding demanding)
    : Model(std::move(demanding.kernels)),
      demands_{std::move(demanding.demands[0]), std::move(demanding.demands[1])},
      limit_(limit_of(demands_[0], demands_[1])) {}

/// Beside its multiprocessors a config demands other things, registers say, that differ between configs.
InfeasiblePairsModel::Demanding InfeasiblePairsModel::demanding(std::vector<Kernel> kernels,
                                                                Defaults defaults, RandomNumbers& random) {
  Demanding result{std::move(kernels), {}};
  for (std::size_t p = 0; p < 2; ++p) {
    std::vector<KernelConfig>& configs = result.kernels[p].configs;
    std::vector<double>& demands = result.demands[p];
    for (const KernelConfig& config : configs) {
      demands.push_back(config.sms * random.uniform(0.8, 1.2));
    }
    const auto [least, most] = std::minmax_element(demands.begin(), demands.end());
    const auto front =
        static_cast<std::size_t>((defaults == Defaults::feasible ? least : most) - demands.begin());
    std::swap(configs.front(), configs[front]);
    std::swap(demands.front(), demands[front]);
  }
  return result;
}

std::optional<Times> InfeasiblePairsModel::times(const Assignment& assignment) const {
  if (!fits(assignment[0], assignment[1])) {
    return std::nullopt;
  }
  Times times = times_alone(assignment);
  times.makespan_ns = std::max(times.own_ns[0], times.own_ns[1]);
  for (std::size_t p = 2; p < times.own_ns.size(); ++p) {
    times.makespan_ns += times.own_ns[p];
  }
  return times;
}

double InfeasiblePairsModel::best_ns() const {
  double best_ns = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kernels()[0].configs.size(); ++i) {
    for (std::size_t j = 0; j < kernels()[1].configs.size(); ++j) {
      if (fits(i, j)) {
        best_ns = std::min(best_ns, std::max(config(0, i).alone_ns, config(1, j).alone_ns));
      }
    }
  }
  for (std::size_t p = 2; p < kernels().size(); ++p) {
    best_ns += fastest_ns(kernels()[p]);
  }
  return best_ns;
}

}  // namespace search_replay::made_up
