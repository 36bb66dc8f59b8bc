#include "search/made_up/models.hpp"
#include "search/quantile.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace search_replay::made_up {
namespace {

constexpr double share_feasible = 0.6;

enum class Defaults { feasible, infeasible };

/// What the configs of the first two kernels demand of the device.
using Demands = std::array<std::vector<double>, 2>;

/// Beside its multiprocessors a config demands other things, registers say, that differ between configs. The
/// config that demands the least, or the most, becomes the default.
std::vector<double> demands_of(Kernel& kernel, Defaults defaults, RandomNumbers& random) {
  std::vector<double> demands;
  for (const KernelConfig& config : kernel.configs) {
    demands.push_back(config.sms * random.uniform(0.8, 1.2));
  }
  const auto [least, most] = std::minmax_element(demands.begin(), demands.end());
  const auto front =
      static_cast<std::size_t>((defaults == Defaults::feasible ? least : most) - demands.begin());
  std::swap(kernel.configs.front(), kernel.configs[front]);
  std::swap(demands.front(), demands[front]);
  return demands;
}

/// The largest demand of a pair that is still feasible.
double limit_of(const Demands& demands) {
  std::vector<double> sums;
  for (const double a : demands[0]) {
    for (const double b : demands[1]) {
      sums.push_back(a + b);
    }
  }
  return quantile(std::move(sums), share_feasible);
}

std::unique_ptr<Model> infeasible_pairs(Defaults defaults, RandomNumbers& random) {
  Kernels kernels = make_kernels(random);
  Demands demands;
  for (std::size_t p = 0; p < 2; ++p) {
    demands[p] = demands_of(kernels[p], defaults, random);
  }
  const TimesOf times = [demands, limit = limit_of(demands)](
                            const Kernels& all, const Assignment& assignment) -> std::optional<Times> {
    if (demands[0][assignment[0]] + demands[1][assignment[1]] > limit) {
      return std::nullopt;
    }
    Times alone = times_alone(all, assignment);
    alone.makespan_ns = std::max(alone.own_ns[0], alone.own_ns[1]);
    for (std::size_t p = 2; p < alone.own_ns.size(); ++p) {
      alone.makespan_ns += alone.own_ns[p];
    }
    return alone;
  };
  double best_ns = least_of_first_pairs(kernels, times);
  for (std::size_t p = 2; p < kernels.size(); ++p) {
    best_ns += fastest_ns(kernels[p]);
  }
  return std::make_unique<Model>(std::move(kernels), times, best_ns);
}

}  // namespace

std::unique_ptr<Model> make_infeasible_pairs(RandomNumbers& random) {
  return infeasible_pairs(Defaults::feasible, random);
}

std::unique_ptr<Model> make_infeasible_defaults(RandomNumbers& random) {
  return infeasible_pairs(Defaults::infeasible, random);
}

}  // namespace search_replay::made_up
