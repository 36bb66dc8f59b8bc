#include "search/made_up/models.hpp"

#include <algorithm>
#include <utility>

namespace search_replay::made_up {
namespace {

double longest_stream_ns(std::size_t stream_count, const std::vector<double>& own_ns) {
  std::vector<double> streams_ns(stream_count);
  for (std::size_t p = 0; p < own_ns.size(); ++p) {
    streams_ns[p % stream_count] += own_ns[p];
  }
  return *std::max_element(streams_ns.begin(), streams_ns.end());
}

std::unique_ptr<Model> on_streams(Kernels kernels, RandomNumbers& random) {
  const std::size_t most = std::min<std::size_t>(3, kernels.size());
  const std::size_t streams = 2 + random.below(most - 1);
  const auto times = [streams](const Kernels& all, const Assignment& assignment) {
    Times alone = times_alone(all, assignment);
    alone.makespan_ns = longest_stream_ns(streams, alone.own_ns);
    return alone;
  };
  std::vector<double> fastest;
  for (const Kernel& kernel : kernels) {
    fastest.push_back(fastest_ns(kernel));
  }
  return std::make_unique<Model>(std::move(kernels), times, longest_stream_ns(streams, fastest));
}

}  // namespace

std::unique_ptr<Model> make_streams(RandomNumbers& random) {
  return on_streams(make_kernels(random), random);
}

std::unique_ptr<Model> make_ties(RandomNumbers& random) {
  Kernels kernels = make_kernels(random);
  for (Kernel& kernel : kernels) {
    const double best_ns = fastest_ns(kernel);
    for (KernelConfig& config : kernel.configs) {
      config.alone_ns = best_ns * (1 + 0.1 * static_cast<double>(random.below(3)));
    }
  }
  return on_streams(std::move(kernels), random);
}

}  // namespace search_replay::made_up
