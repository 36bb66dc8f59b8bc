#include "search/made_up/model.hpp"

#include <utility>

namespace search_replay::made_up {

Model::Model(Kernels kernels, TimesOf times, double best_ns)
    : kernels_(std::move(kernels)), times_(std::move(times)), best_ns_(best_ns) {}

Times times_alone(const Kernels& kernels, const Assignment& assignment) {
  Times times;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    times.own_ns.push_back(kernels[p].configs[assignment[p]].alone_ns);
  }
  return times;
}

int occupied_sms(const Kernels& kernels, const Assignment& assignment) {
  int sms = 0;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    sms += kernels[p].configs[assignment[p]].sms;
  }
  return sms;
}

double least_of_first_pairs(const Kernels& kernels, const TimesOf& times) {
  return least_of_pairs(kernels[0], kernels[1], [&](std::size_t i, std::size_t j) {
    const std::optional<Times> of_pair = times(kernels, {i, j});
    return of_pair ? of_pair->makespan_ns : std::numeric_limits<double>::infinity();
  });
}

}  // namespace search_replay::made_up
