#include "search/made_up/models.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace search_replay::made_up {
namespace {

double slowdown(int sms) {
  return std::max(1.0, static_cast<double>(sms) / device_sms);
}

Times times_sharing(const Kernels& kernels, const Assignment& assignment) {
  Times times = times_alone(kernels, assignment);
  const double slower = slowdown(occupied_sms(kernels, assignment));
  for (double& own_ns : times.own_ns) {
    own_ns *= slower;
    times.makespan_ns = std::max(times.makespan_ns, own_ns);
  }
  return times;
}

/// The sum over the kernels; nothing if one of them has no config that keeps the limit.
std::optional<int> fewest_sms(const Kernels& kernels, double limit_ns) {
  int sum = 0;
  for (const Kernel& kernel : kernels) {
    int fewest = std::numeric_limits<int>::max();
    for (const KernelConfig& config : kernel.configs) {
      fewest = config.alone_ns <= limit_ns ? std::min(fewest, config.sms) : fewest;
    }
    if (fewest == std::numeric_limits<int>::max()) {
      return std::nullopt;
    }
    sum += fewest;
  }
  return sum;
}

double best_of(const Kernels& kernels) {
  double best_ns = std::numeric_limits<double>::infinity();
  for (const Kernel& kernel : kernels) {
    for (const KernelConfig& limit : kernel.configs) {
      if (const std::optional<int> sms = fewest_sms(kernels, limit.alone_ns)) {
        best_ns = std::min(best_ns, limit.alone_ns * slowdown(*sms));
      }
    }
  }
  return best_ns;
}

}  // namespace

std::unique_ptr<Model> make_shared_sms(RandomNumbers& random) {
  Kernels kernels = make_kernels(random);
  const double best_ns = best_of(kernels);
  return std::make_unique<Model>(std::move(kernels), times_sharing, best_ns);
}

}  // namespace search_replay::made_up
