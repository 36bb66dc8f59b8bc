#include "search/made_up/streams_model.hpp"

#include <algorithm>
#include <utility>

namespace search_replay::made_up {

StreamsModel::StreamsModel(std::vector<Kernel> kernels, std::size_t stream_count)
    : Model(std::move(kernels)), stream_count_(stream_count) {}

std::optional<Times> StreamsModel::times(const Assignment& assignment) const {
  Times times = times_alone(assignment);
  times.makespan_ns = longest_stream_ns(times.own_ns);
  return times;
}

double StreamsModel::best_ns() const {
  std::vector<double> own_ns;
  for (const Kernel& kernel : kernels()) {
    own_ns.push_back(fastest_ns(kernel));
  }
  return longest_stream_ns(own_ns);
}

double StreamsModel::longest_stream_ns(const std::vector<double>& own_ns) const {
  std::vector<double> streams_ns(stream_count_);
  for (std::size_t p = 0; p < own_ns.size(); ++p) {
    streams_ns[p % stream_count_] += own_ns[p];
  }
  return *std::max_element(streams_ns.begin(), streams_ns.end());
}

}  // namespace search_replay::made_up
