#include "search/made_up/model.hpp"

#include <utility>

namespace search_replay::made_up {

Model::Model(std::vector<Kernel> kernels) : kernels_(std::move(kernels)) {}

Times Model::times_alone(const Assignment& assignment) const {
  Times times;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    times.own_ns.push_back(config(p, assignment[p]).alone_ns);
  }
  return times;
}

}  // namespace search_replay::made_up
