#include "search/made_up/shared_sms_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace search_replay::made_up {
namespace {

double slowdown(int sms) {
  return std::max(1.0, static_cast<double>(sms) / device_sms);
}

}  // namespace

SharedSmsModel::SharedSmsModel(std::vector<Kernel> kernels) : Model(std::move(kernels)) {}

std::optional<Times> SharedSmsModel::times(const Assignment& assignment) const {
  Times times = times_alone(assignment);
  int sms = 0;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    sms += config(p, assignment[p]).sms;
  }
  for (double& own_ns : times.own_ns) {
    own_ns *= slowdown(sms);
    times.makespan_ns = std::max(times.makespan_ns, own_ns);
  }
  return times;
}

double SharedSmsModel::best_ns() const {
  double best_ns = std::numeric_limits<double>::infinity();
  for (const Kernel& kernel : kernels()) {
    for (const KernelConfig& limit : kernel.configs) {
      if (const std::optional<int> sms = fewest_sms(limit.alone_ns)) {
        best_ns = std::min(best_ns, limit.alone_ns * slowdown(*sms));
      }
    }
  }
  return best_ns;
}

/// The sum over the kernels; nothing if one of them has no config that keeps the limit.
std::optional<int> SharedSmsModel::fewest_sms(double limit_ns) const {
  int sum = 0;
  for (const Kernel& kernel : kernels()) {
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

}  // namespace search_replay::made_up
